"""Fixtures of tests of phones without a signal."""

from collections.abc import Iterator

import pytest
from pytest_django.live_server_helper import LiveServer

from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.phones_offline import Phones


@pytest.fixture
def phones(evenings: Evenings, live_server: LiveServer, chromium: str) -> Iterator[Phones]:
    made = Phones(evenings, live_server, chromium)
    yield made
    made.put_away()
