"""The ladder of most tests of challenges."""

import pytest

from tests.support.cast import NOW, Cast
from tests.support.scenarios.ladders import ladder
from tournaments.models.events import Event


@pytest.fixture
def event(cast: Cast) -> Event:
    return ladder(cast, now=NOW)
