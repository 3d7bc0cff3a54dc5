"""What a game is worth to whom: place points, the index against par, and what is dropped."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.numbers import UNIT
from tournaments.models.standings import Aggregate, Contribution
from tournaments.services.hands.record_entry import record_entry, record_totals
from tournaments.services.hands.void_hand import void_hand

pytestmark = pytest.mark.django_db
_CONCERNED = re.compile("SET kept|is_dropped")
NAMES = ("Anna", "Bert", "Cora", "Dora")
PLACES = {"primary": "placement_points"}


def evening(
    variant: str = "hearts", settings: Mapping[str, object] = PLACES, chairs: int = 4
) -> tuple[Event, list[Player]]:
    club = enter_the_cast().riverside
    event = league(club, variant=variant, settings=settings)
    return event, players(club, *(*NAMES, "Egon", "Frieda")[:chairs])


def worth(game: Game) -> list[tuple[str, ...]]:
    """Place points and index of each entrant, by player id."""
    rows = Contribution.objects.filter(game=game).order_by("entrant__code")
    found = rows.values_list("place_points", "shared", "index_num", "index_den")
    return [
        (str(Fraction(points, UNIT)), str(shared), str(Fraction(100 * num, den)) if den else "-")
        for points, shared, num, den in found
    ]


def sums(event: Event, *names: str) -> list[tuple[object, ...]]:
    return list(Aggregate.objects.filter(event=event).order_by("entrant__code").values_list(*names))


def points(game: Game, *totals: int, hands: int | None = None, based_on: int | None = None) -> None:
    record_totals(
        actor=TESTS, game=game, entry={"points": list(totals)}, now=NOW, source="host",
        hands=hands, based_on=based_on, reason="read again" if based_on else "",
    )  # fmt: skip


def test_who_ties_shares_the_places_and_the_index_of_a_table_sums_to_zero() -> None:
    event, seated = evening()
    game = table(event, seated)
    points(game, 20, 33, 33, 44, hands=5)
    assert worth(game) == [
        ("5", "1", "125/13"), ("5/2", "2", "-5/13"), ("5/2", "2", "-5/13"), ("1", "1", "-115/13"),
    ]  # fmt: skip
    assert [one for (one,) in sums(event, "place_points")] == [
        5 * UNIT, 5 * UNIT // 2, 5 * UNIT // 2, UNIT,
    ]  # fmt: skip


def test_totals_of_an_unknown_number_of_hands_have_place_points_and_no_index() -> None:
    event, seated = evening()
    game = table(event, seated)
    points(game, 20, 33, 33, 44)
    assert worth(game) == [("5", "1", "-"), ("5/2", "2", "-"), ("5/2", "2", "-"), ("1", "1", "-")]


def test_table_whose_size_has_no_list_gives_no_place_points() -> None:
    event, seated = evening(chairs=6, variant="cancellation-hearts", settings={"primary": "wins"})
    game = table(event, seated)
    points(game, 20, 33, 33, 44, 10, 16, hands=3)
    assert {one for one, _, _ in worth(game)} == {"0"}


def test_where_the_highest_total_wins_the_index_turns() -> None:
    event, seated = evening(variant="gong-zhu")
    game = table(event, seated)
    points(game, 100, -100, 0, 0, hands=1)
    first, last, *_ = worth(game)
    assert (first[0], first[2]) == ("5", "100/3")
    assert (last[0], last[2]) == ("1", "-100/3")


def test_complex_scores_have_place_points_and_no_index() -> None:
    event, seated = evening(variant="complex-hearts", settings={"primary": "wins"})
    game = table(event, seated)
    entry = {"hearts": [3, 7, 0, 3], "taken": [["JD"], ["QS"], ["10C"], []]}
    record_entry(actor=TESTS, game=game, number=1, entry=entry, now=NOW, source="host")
    assert [index for _, _, index in worth(game)] == ["-"] * 4


def test_sides_share_their_finish_and_a_sheet_of_totals_counts_its_hands_once() -> None:
    club = enter_the_cast().riverside
    event = league(club, variant="partnership-hearts-pooled", settings=PLACES)
    seated = players(club, *NAMES)
    game = table(event, seated)
    points(game, 20, 32, hands=2)
    assert worth(game) == [
        ("2", "1", "150/13"), ("0", "1", "-150/13"), ("2", "1", "150/13"), ("0", "1", "-150/13"),
    ]  # fmt: skip
    assert sums(event, "hands") == [(2,)] * 4


def kept(event: Event, *names: str) -> list[tuple[object, ...]]:
    rows = Aggregate.objects.filter(event=event, kept__isnull=False).order_by("entrant__code")
    stored: list[Any] = list(rows.values_list("kept", flat=True))
    return [tuple(one[name] for name in names) for one in stored]


def dropped(event: Event) -> list[tuple[str, int]]:
    rows = Contribution.objects.filter(event=event, is_dropped=True)
    return sorted(rows.values_list("entrant__code", "game__table__round__number"))


def games(event: Event, seated: Sequence[Player], *totals: Sequence[int]) -> list[Game]:
    """A round for each of these totals, one a month."""
    found = []
    for number, of_round in enumerate(totals, start=1):
        found.append(table(event, seated, round_number=number, on=date(2025, number, 6)))
        points(found[-1], *of_round, hands=5)
    return found


ROUNDS = ((10, 20, 30, 70), (40, 30, 20, 40), (10, 20, 30, 70))


def test_worst_game_is_dropped_and_the_sums_over_the_others_are_kept() -> None:
    event, seated = evening(settings={"primary": "placement_points", "drop_worst": 1})
    games(event, seated, *ROUNDS)
    assert dropped(event) == [("RL01", 2), ("RL02", 3), ("RL03", 3), ("RL04", 3)]
    assert kept(event, "games", "points", "place_points") == [
        (2, 20 * UNIT, 10 * UNIT),
        (2, 50 * UNIT, 6 * UNIT),
        (2, 50 * UNIT, 7 * UNIT),
        (2, 110 * UNIT, 5 * UNIT // 2),
    ]
    assert sums(event, "games", "points") == [
        (3, 60 * UNIT), (3, 70 * UNIT), (3, 80 * UNIT), (3, 180 * UNIT),
    ]  # fmt: skip


def test_correction_drops_another_game_and_voiding_counts_what_is_left() -> None:
    event, seated = evening(settings={"primary": "raw_total", "drop_worst": 1})
    first, second, third = games(event, seated, *ROUNDS)
    points(first, 90, 20, 10, 10, hands=5, based_on=1)
    assert dropped(event) == [("RL01", 1), ("RL02", 2), ("RL03", 3), ("RL04", 3)]
    assert kept(event, "points")[0] == (50 * UNIT,)
    void_hand(actor=TESTS, game=third, number=0, based_on=1, reason="not played", now=NOW)
    assert dropped(event) == [("RL01", 1), ("RL02", 2), ("RL03", 2), ("RL04", 2)]
    void_hand(actor=TESTS, game=second, number=0, based_on=1, reason="not played", now=NOW)
    assert dropped(event) == []
    assert kept(event, "games", "points")[0] == (1, 90 * UNIT)


def test_worst_evening_is_dropped_as_a_whole() -> None:
    rule = {"unit": "meeting", "min": 1, "per": 1}
    event, seated = evening(settings={"primary": "raw_total", "best_of": rule})
    days = (date(2025, 1, 6), date(2025, 1, 6), date(2025, 2, 6))
    for number, day in enumerate(days, start=1):
        points(table(event, seated, round_number=number, on=day), *ROUNDS[number - 1], hands=5)
    assert dropped(event) == [
        (code, number) for code in ("RL01", "RL02", "RL03", "RL04") for number in (1, 2)
    ]
    assert kept(event, "games", "points")[3] == (1, 70 * UNIT)


def test_index_that_an_event_ranks_by_is_kept_exactly() -> None:
    event, seated = evening(settings={"primary": "index_per_game"})
    one, _ = games(event, seated, (20, 30, 35, 45), (20, 33, 33, 44))
    exact = [Fraction(250, 13), Fraction(25 - 5, 13)]
    assert kept(event, "index")[:2] == [(f"{one.numerator}/{one.denominator}",) for one in exact]
    hand_of_unknown_length(event, seated)
    assert kept(event, "index") == [(None,)] * 4
    points(one, 20, 35, 30, 45, hands=5, based_on=1)
    assert kept(event, "index") == [(None,)] * 4


def hand_of_unknown_length(event: Event, seated: Sequence[Player]) -> None:
    points(table(event, seated, round_number=9), 1, 2, 3, 20)


@pytest.mark.parametrize(
    ("settings", "more"),
    [
        (PLACES, 0),
        ({"primary": "index_per_game"}, 2),
        ({"primary": "raw_total", "mixed_raw": True, "drop_worst": 1}, 2),
    ],
)
def test_only_events_that_need_it_pay_for_values_that_are_not_additive(
    settings: Mapping[str, object], more: int
) -> None:
    event, seated = evening(settings={**settings, "tie_breaks": ()})
    game = table(event, seated)
    hand(game, 1, [4, 1, 2, 6], 3)
    with CaptureQueriesContext(connection) as asked:
        hand(game, 2, [4, 1, 2, 6], 3)
    own = [one for one in asked.captured_queries if _CONCERNED.search(one["sql"])]
    assert len(own) == more
