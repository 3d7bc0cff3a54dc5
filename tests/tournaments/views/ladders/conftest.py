"""A ladder of ten members, while time stands still."""

import pytest

from tests.support.builders import NOW, Cast, finished, publish_all
from tests.support.scenarios.ladders import ladder, seated
from tournaments.models.events import Event


@pytest.fixture
def rungs(cast: Cast) -> Event:
    """A ladder of ten, of which four have played one table."""
    event = ladder(cast, now=NOW)
    finished(seated(event, "GHIJ"))
    publish_all(event)
    return event
