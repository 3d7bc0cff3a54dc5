"""The event that most tests of services begin with."""

import pytest

from tests.support.builders import league
from tests.support.cast import Cast
from tournaments.models.events import Event


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)
