"""What a game is worth in standings, and how far entrants of a knock-out came."""

import csv
import re
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.pages.text import text_of
from tests.support.scenarios.cuts import NAMES, before_a_cut, close
from tournaments.models.clubs import Player
from tournaments.models.columns import UNIT
from tournaments.models.events import Event, Stage
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.models.standings import Aggregate, Contribution, StoredHistory
from tournaments.selectors.stages import get_stage
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.plan_stages import begin_stage, plan_stage
from tournaments.tasks import make_history

pytestmark = pytest.mark.django_db

_CONCERNED = re.compile("SET kept|is_dropped")
FOUR = ("Anna", "Bert", "Cora", "Dora")
PLACES = {"primary": "placement_points"}
E = "/clubs/riverside/events/league"
CHAMPION, FINALISTS, OUT = "RL02", ["RL01", "RL05", "RL06"], ["RL03", "RL07", "RL08", "RL04"]


def evening(
    variant: str = "hearts", settings: Mapping[str, object] = PLACES, chairs: int = 4
) -> tuple[Event, list[Player]]:
    club = enter_the_cast().riverside
    event = league(club, variant=variant, settings=settings)
    return event, players(club, *(*FOUR, "Egon", "Frieda")[:chairs])


def worth(game: Game) -> list[tuple[str, ...]]:
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
        by_tests(), game, entry={"points": list(totals)}, source="host", hands=hands,
        based_on=based_on, reason="read again" if based_on else "",
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


def test_where_the_highest_total_wins_the_index_turns() -> None:
    event, seated = evening(variant="gong-zhu")
    game = table(event, seated)
    points(game, 200, -200, 0, 0, hands=2)
    first, last, *_ = worth(game)
    assert (first[0], first[2]) == ("5", "100/3")
    assert (last[0], last[2]) == ("1", "-100/3")


def test_sides_share_their_finish_and_a_sheet_of_totals_counts_its_hands_once() -> None:
    club = enter_the_cast().riverside
    event = league(club, variant="partnership-hearts-pooled", settings=PLACES)
    game = table(event, players(club, *FOUR))
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
    void_hand(by_tests(), third, number=0, based_on=1, reason="not played")
    assert dropped(event) == [("RL01", 1), ("RL02", 2), ("RL03", 2), ("RL04", 2)]
    void_hand(by_tests(), second, number=0, based_on=1, reason="not played")
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


@pytest.mark.both_databases
def test_published_tie_breaks_leave_out_what_was_dropped() -> None:
    """Two make 7 points of a first and a third place each; they dropped a fourth and a third."""
    best = {"unit": "game", "min": 2, "per": 1}
    event, seated = evening(settings=PLACES | {"best_of": best, "tie_breaks": ["countback"]})
    games(event, seated, (10, 30, 20, 70), (30, 10, 20, 70), (70, 30, 10, 20))
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    rows = publication.document["rows"]
    assert [(row["player_id"], row["rank"]) for row in rows] == [
        ("RL03", 1), ("RL01", 2), ("RL02", 2), ("RL04", 4),
    ]  # fmt: skip
    assert [row["values"].get("countback") for row in rows] == [None, *["1-0-1-0"] * 2, None]


def test_index_that_an_event_ranks_by_is_kept_exactly() -> None:
    event, seated = evening(settings={"primary": "index_per_game"})
    one, _ = games(event, seated, (20, 30, 35, 45), (20, 33, 33, 44))
    exact = [Fraction(250, 13), Fraction(25 - 5, 13)]
    assert kept(event, "index")[:2] == [(f"{one.numerator}/{one.denominator}",) for one in exact]
    points(table(event, seated, round_number=9), 1, 2, 3, 20)
    assert kept(event, "index") == [(None,)] * 4
    points(one, 20, 35, 30, 45, hands=5, based_on=1)
    assert kept(event, "index") == [(None,)] * 4


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
    assert (
        len([query for query in asked.captured_queries if _CONCERNED.search(query["sql"])]) == more
    )


@pytest.fixture
def event(cast: Cast) -> Event:
    """A cup of eight after its final, which the best two of two tables reached.

    RL02 won it with 4 points in two hands, RL01 has 3, RL05 7 and RL06 22. RL03 has 5 of one hand.
    """
    people: list[Player] = players(cast.riverside, *NAMES)
    event = before_a_cut(people)
    Stage.objects.update(kind="knockout", name="Cup")
    hand(table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2), 1, [2, 1, 5, 5], 3)
    close(event, 2)
    return event


def rows(cast: Cast) -> list[Json]:
    found: list[Json] = cast.client().get(f"/api/v1{E}/standings").json()["rows"]
    return found


def order(cast: Cast) -> list[str]:
    return [row["player_id"] for row in rows(cast)]


def test_finals_winner_is_first_and_its_players_before_others(event: Event, cast: Cast) -> None:
    assert order(cast) == [CHAMPION, *FINALISTS, *OUT]
    stages = [row.get("stage") for row in rows(cast)]
    assert stages == ["first place of Cup", *["round 2 of Cup"] * 3, *[None] * 4]
    decided = [row["decided_by"] for row in rows(cast)]
    assert (decided[1], decided[4]) == ("stage", "stage")
    lines = cast.client().get(f"/api/v1{E}/standings.csv").content.decode().splitlines()
    assert [row["player_id"] for row in csv.DictReader(lines)] == order(cast)
    read = " ".join(text_of(cast.client().get(E)).split())
    assert "above Elsa D.: place 1 against 2 in round 2" in read
    assert "above Ruth K.: went on to round 2 of Cup" in read


def test_nobody_is_the_winner_before_the_final_is_closed_there(event: Event, cast: Cast) -> None:
    final = Round.objects.select_related("event__club", "club").get(number=2)
    move_round(by_tests(), final, to="playing", reason="Misread.")
    publish(event.pk, now=NOW)
    assert order(cast)[0] == CHAMPION, "the table of the final orders its people meanwhile"
    assert "winner" not in [row.get("progress") for row in rows(cast)]
    Stage.objects.update(kind="swiss")
    mark_changed(event=event, now=NOW)
    publish(event.pk, now=NOW)
    assert order(cast)[:4] == ["RL01", CHAMPION, "RL05", "RL03"]


def test_who_went_on_to_a_further_stage_is_before_the_others(event: Event, cast: Cast) -> None:
    fields = {"movement": "swiss", "name": "Last two", "advance": {"best": 2}}
    plan_stage(by_tests(), event, fields=fields)
    begin_stage(by_tests(), get_stage(event, 2))
    publish(event.pk, now=NOW)
    assert order(cast) == ["RL01", CHAMPION, "RL05", "RL06", *OUT]
    assert [row.get("stage") for row in rows(cast)][:3] == ["Last two"] * 2 + ["round 2 of Cup"]


def test_last_table_of_the_history_is_that_of_the_standings(event: Event) -> None:
    make_history(event.pk)
    newest = publish(event.pk, now=NOW)
    stored = StoredHistory.objects.get(event=event, kind="as_of", key="2")
    assert newest is not None
    assert stored.digest == newest.digest
