"""What is not changed of an event, not copied and not deleted, and why."""

from collections.abc import Callable

import pytest

from scoring.errors import Refused
from tests.support.builders import hand, ladder, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.events.change_event import (
    archive_event,
    change_settings,
    delete_event,
    unarchive_event,
)
from tournaments.services.events.create_event import copy_event
from tournaments.services.events.events import move_event
from tournaments.services.operations import Operation

pytestmark = pytest.mark.django_db

LONG = "x" * 501
DROPPED = {"drop_worst": 1}


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside)
    hand(table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora")), 1, [4, 1, 2, 6], 3)
    return event


@pytest.fixture
def op(cast: Cast) -> Operation:
    return Operation(cast.actor("olga"), NOW)


ACTS: dict[str, Callable[[Operation, Event], object]] = {
    "delete": delete_event,
    "draft": lambda op, event: move_event(op, event, to="draft"),
    "open": lambda op, event: move_event(op, event, to="open"),
    "close": lambda op, event: move_event(op, event, to="closed"),
    "finish": lambda op, event: move_event(op, event, to="final"),
    "archive": lambda op, event: archive_event(op, event, reason=LONG),
    "archive silently": lambda op, event: archive_event(op, event, reason=" "),
    "unarchive": lambda op, event: unarchive_event(op, event, reason=LONG),
    "unarchive silently": lambda op, event: unarchive_event(op, event, reason=" "),
    "drop": lambda op, event: change_settings(op, event, values=DROPPED, reason=LONG),
    "drop silently": lambda op, event: change_settings(op, event, values=DROPPED),
}


@pytest.mark.parametrize(
    ("state", "act", "code"),
    [
        ("open", "delete", "event_not_draft"),
        ("draft", "delete", "event_holds_hands"),
        ("open", "draft", "event_has_hands"),
        ("open", "finish", "state_not_allowed"),
        ("closed", "open", "reason_required"),
        ("open", "close", "rounds_still_open"),
        ("open", "archive", "bad_text"),
        ("open", "archive silently", "reason_required"),
        ("open", "unarchive", "bad_text"),
        ("open", "unarchive silently", "reason_required"),
        ("open", "drop", "bad_text"),
        ("open", "drop silently", "reason_required"),
        ("final", "drop", "event_is_final"),
    ],
)
def test_event_that_was_played_stays_as_it_is(
    op: Operation, event: Event, state: str, act: str, code: str
) -> None:
    Event.objects.filter(pk=event.pk).update(state=state)
    with pytest.raises((Refused, Conflict), match=code):
        ACTS[act](op, event)


@pytest.mark.parametrize(
    ("name", "slug", "code"),
    [
        ("", "", "no_name"),
        ("x" * 121, "", "name_too_long"),
        ("Next", "No slug", "bad_slug"),
        ("Next", "league", "slug_taken"),
    ],
)
def test_copy_needs_a_name_and_an_address_of_its_own(
    op: Operation, event: Event, name: str, slug: str, code: str
) -> None:
    with pytest.raises((Refused, Conflict), match=code):
        copy_event(op, event, name=name, slug=slug)


def test_ladder_and_merged_players_are_not_copied(cast: Cast, op: Operation, event: Event) -> None:
    with pytest.raises(Missing, match="event"):
        copy_event(op, ladder(cast.riverside), name="Next")
    first, second, *_others = Player.objects.order_by("pk")
    Player.objects.filter(pk=first.pk).update(merged_into=second)
    with pytest.raises(Conflict, match="player_is_merged"):
        copy_event(op, event, name="Next")


@pytest.mark.parametrize(
    ("stored", "code"),
    [
        ({"variant": "no-such-game"}, "unknown_variant"),
        ({"options": {"colour": "red"}}, "unknown_option"),
        ({"options": {"moon": "red"}}, "bad_option"),
    ],
)
@pytest.mark.parametrize("act", ["copy", "open"])
def test_game_that_is_not_offered_any_more_is_neither_copied_nor_opened(
    op: Operation, event: Event, stored: dict[str, object], code: str, act: str
) -> None:
    Event.objects.filter(pk=event.pk).update(state="draft", **stored)
    event.refresh_from_db()
    with pytest.raises(Refused, match=code):
        copy_event(op, event, name="Next") if act == "copy" else ACTS[act](op, event)
