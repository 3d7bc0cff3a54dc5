"""Rescoring: what is stored follows from the entries, and what does not is said, hand by hand."""

from collections.abc import Mapping

import pytest

from tests.support.builders import by_tests, counts, hand, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.comparisons.scores import verify_scores
from tournaments.models.columns import UNIT
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, SeatScore
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.verification.games import Difference

pytestmark = pytest.mark.both_databases
NAMES = ("Anna", "Bert", "Cora", "Dora")


@pytest.fixture
def evening(db: None) -> Event:
    """Two tables with ordinary hands, the same one twice, a moon, a correction and points only."""
    cast = enter_the_cast()
    event = league(cast.riverside)
    seated = players(cast.riverside, *NAMES)
    first = table(event, seated)
    hand(first, 1, [3, 7, 0, 3], 1)
    hand(first, 2, [13, 0, 0, 0], 0, slam_choice="others")
    for number in (3, 4, 5):
        hand(first, number, [3, 7, 0, 3], 1)
    second = table(event, seated, round_number=2)
    hand(second, 1, [3, 7, 0, 3], 1)
    hand(second, 1, [3, 7, 3, 0], 1, based_on=1, reason="read again")
    enter(second, 2, {"points": [13, 0, 0, 13]})
    return event


def enter(game: Game, number: int, entry: Mapping[str, object]) -> None:
    record_entry(by_tests(), game, number=number, entry=entry, source="host")


def games(event: Event) -> list[Game]:
    return list(Game.objects.filter(event=event).order_by("pk"))


def test_seat_score_that_does_not_follow_is_told_with_both(evening: Event) -> None:
    game = games(evening)[0]
    row = SeatScore.objects.get(
        entry__hand__game=game, entry__hand__number=3, seat__number=2, entry__revision=1
    )
    SeatScore.objects.filter(pk=row.pk).update(score=row.score + UNIT, moons=1)
    (told,) = verify_scores(evening).differences
    assert (told.game_id, told.number, told.what) == (game.pk, 3, "scores")
    three, twenty, none = 3 * UNIT, 20 * UNIT, 0
    assert told.found == f"{three}:0,{twenty}:0,{none}:0,{three}:0"
    assert told.stored == f"{three}:0,{21 * UNIT}:1,{none}:0,{three}:0"


def test_everything_that_is_derived_is_compared(evening: Event) -> None:
    first, second = games(evening)
    entries = Entry.objects.filter(hand__game=first).order_by("hand__number")
    moon = {"id": "moon", "by": [2], "choice": "others"}
    Entry.objects.filter(pk__in=[entries[0].pk, entries[3].pk]).update(verified="sum")
    Entry.objects.filter(pk__in=[entries[1].pk, entries[4].pk]).update(moon=moon)
    SeatScore.objects.filter(entry=entries[2], seat__number=4).update(total=UNIT)
    progress = {**(second.progress or {}), "pool": 5}
    Game.objects.filter(pk=second.pk).update(hands_counted=7, progress=progress)
    told = verify_scores(evening).differences
    assert [(one.game_id, one.number, one.what) for one in told] == [
        (first.pk, 1, "verified"),
        (first.pk, 2, "moon"),
        (first.pk, 3, "totals"),
        (first.pk, 4, "verified"),
        (first.pk, 5, "moon"),
        (second.pk, None, "hands_counted"),
        (second.pk, None, "progress"),
    ]
    assert told[1] == Difference(first.pk, 2, "moon", moon, {**moon, "by": [1]})
    assert told[4] == Difference(first.pk, 5, "moon", moon, None)
    assert told[5] == Difference(second.pk, None, "hands_counted", 7, 2)


def test_entry_that_cannot_stand_ends_its_game_only(evening: Event) -> None:
    first, second = games(evening)
    Entry.objects.filter(hand__game=first, hand__number=1).update(typed=counts([3, 7, 0, 2], 1))
    SeatScore.objects.filter(entry__hand__game=second, entry__hand__number=2).delete()
    told = verify_scores(evening).differences
    assert [(one.game_id, one.number, one.what, one.found) for one in told[:1]] == [
        (first.pk, 1, "refused", ["missing_cards"])
    ]
    assert [(one.game_id, one.number, one.what, one.stored) for one in told[1:]] == [
        (second.pk, 2, "scores", None),
        (second.pk, 2, "totals", None),
    ]


@pytest.mark.django_db
def test_sides_and_complex_numbers_are_compared_too() -> None:
    cast = enter_the_cast()
    event = league(cast.riverside)
    seated = players(cast.riverside, *NAMES)
    hand(table(event, seated, variant="partnership-hearts-pooled"), 1, [3, 7, 0, 3], 1)
    pairs = table(event, seated, round_number=2, variant="complex-hearts")
    for number in (1, 2):
        enter(pairs, number, {"hearts": [3, 7, 0, 3], "taken": [["JD"], ["QS"], ["10C"], []]})
    found = verify_scores(event)
    assert (found.games, found.hands, found.differences) == (2, 3, [])
    SeatScore.objects.filter(entry__hand__game=pairs, seat__number=2).update(total_im=0)
    assert [one.what for one in verify_scores(event).differences] == ["totals", "totals"]
