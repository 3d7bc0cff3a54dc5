"""Events made at one moment: one form is one event, one address is one event's, seasons agree."""

import pytest

from tests.live.conftest import Inside
from tests.support.builders import TESTS
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import at_once, project
from tests.support.live.project import LiveProject
from tournaments.models.events import Event, Season
from tournaments.services.events.change_event import change_event
from tournaments.services.events.create_event import NewEvent, set_up_event
from tournaments.services.events.events import move_event
from tournaments.services.events.seasons import change_season, make_season

__all__ = ["project"]

pytestmark = [pytest.mark.pg]

FORM = NewEvent(name="Winter league", variant="hearts")
TURNS = short_or_long(2, 20)


def test_one_form_at_once_is_one_event_and_two_forms_are_two(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        club = enter_the_cast().riverside

    def send(key: str) -> None:
        set_up_event(actor=TESTS, club=club, new_event=FORM, now=NOW, key=key)

    assert at_once(inside, project, [lambda: send("one")] * 4) == []
    with inside(project):
        assert list(Event.objects.values_list("slug", flat=True)) == ["winter-league"]
    assert at_once(inside, project, [lambda: send("two"), lambda: send("three")]) == []
    with inside(project):
        found = set(Event.objects.values_list("slug", flat=True))
        assert found == {"winter-league", "winter-league-2", "winter-league-3"}


def test_address_that_several_ask_for_at_once_is_one_event_s(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        club = enter_the_cast().riverside
    new_event = NewEvent(name="Cup", variant="hearts", slug="cup")

    def send() -> None:
        set_up_event(actor=TESTS, club=club, new_event=new_event, now=NOW)

    assert at_once(inside, project, [send] * 3) == ["slug_taken"] * 2
    with inside(project):
        assert list(Event.objects.values_list("slug", flat=True)) == ["cup"]


def test_event_is_opened_once_by_several_at_once(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        event = set_up_event(actor=TESTS, club=enter_the_cast().riverside, new_event=FORM, now=NOW)

    def open_it() -> None:
        move_event(actor=TESTS, event=event, to="open", now=NOW)

    assert at_once(inside, project, [open_it] * 3) == ["state_not_allowed"] * 2
    with inside(project):
        assert Event.objects.get().state == "open"


def test_event_is_made_in_a_season_that_others_change(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        club = enter_the_cast().riverside
        season = make_season(
            actor=TESTS, club=club, name="Autumn", starts_on="2025-09-01", ends_on="2025-12-31",
            preset="places", now=NOW,
        )  # fmt: skip
        first = set_up_event(
            actor=TESTS,
            club=club,
            new_event=NewEvent(name="First", variant="hearts", season=season),
            now=NOW,
        )
    for turn in range(TURNS):

        def make(turn: int = turn) -> None:
            new_event = NewEvent(name=f"Event {turn}", variant="hearts", season=season)
            set_up_event(actor=TESTS, club=club, new_event=new_event, now=NOW)

        def rename(turn: int = turn) -> None:
            change_season(actor=TESTS, season=season, name=f"Autumn {turn}", now=NOW)

        def hide(turn: int = turn) -> None:
            readers = "members" if turn % 2 else "public"
            change_event(actor=TESTS, event=first, visibility=readers, now=NOW)

        assert at_once(inside, project, [make, rename, hide, make]) == []
        with inside(project):
            assert Event.objects.filter(season=season).count() == 3 + 2 * turn
            assert Season.objects.get().name == f"Autumn {turn}"
