"""An event of REST before a stage."""

import pytest

from tests.api.conftest import Evening
from tests.support.builders import by_tests
from tests.support.cast import NOW
from tournaments.models.events import Event
from tournaments.models.rounds import Round
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round


@pytest.fixture
def over(evening: Evening) -> Evening:
    """Every round is closed."""
    event = Event.objects.get(slug="league", club__slug="riverside")
    for round_ in Round.objects.filter(event=event).order_by("number"):
        close_tables(by_tests(), round_)
        round_.refresh_from_db()
        move_round(by_tests(), round_, to="closed")
    publish(event.pk, now=NOW)
    return evening
