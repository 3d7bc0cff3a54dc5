"""The event that most tests of services and pages begin with."""

import pytest

from tests.support.builders import Cast, league
from tournaments.models.events import Event


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)
