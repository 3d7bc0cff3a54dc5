"""A new event whose form is sent twice at the same moment is one event."""

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.bulk_acts import at_once, project
from tests.support.live.project import LiveProject
from tournaments.models.events import Event
from tournaments.services.events.lifecycle.set_up_event import NewEvent, set_up_event

__all__ = ["project"]

pytestmark = [pytest.mark.pg]

FORM = NewEvent(name="Winter league", variant="hearts")


def test_one_form_at_once_is_one_event_and_two_forms_are_two(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        club = enter_the_cast().riverside

    def send(key: str) -> None:
        set_up_event(actor=TESTS, club=club, wanted=FORM, now=NOW, key=key)

    assert at_once(inside, project, [lambda: send("one")] * 4) == []
    with inside(project):
        assert list(Event.objects.values_list("slug", flat=True)) == ["winter-league"]
    assert at_once(inside, project, [lambda: send("two"), lambda: send("three")]) == []
    with inside(project):
        found = set(Event.objects.values_list("slug", flat=True))
        assert found == {"winter-league", "winter-league-2", "winter-league-3"}
