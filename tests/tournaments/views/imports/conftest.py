"""The host who sends files."""

import pytest
from django.test import Client

from tests.support.builders import Cast
from tournaments.models.events import Event


@pytest.fixture
def hanna(cast: Cast, event: Event) -> Client:
    return cast.client("hanna")
