"""Players who are here without a seat sit out in one operation, with a true reason."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.events import Entrant
from tournaments.models.hands import Game
from tournaments.models.rounds import Match, MatchTable, Round, SitOut
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.selectors.rounds.seating_changes import (
    SeatingChange,
    SeatingNow,
    ways_of,
    why_no_way,
)
from tournaments.services.events.entrants import add_entrant
from tournaments.services.rounds.arrange_round import (
    SeatingTarget,
    arrange_round,
    sit_out_unseated,
)
from tournaments.services.rounds.rounds import move_round
from tournaments.services.seating_plans.constraints import add_constraint

OP = by_tests()
TEAMS = ("Reds", "Blues", "Greens")


@pytest.fixture
def evening(cast: Cast) -> PlannedEvening:
    """One table plays, one player sits out by plan, five more are here."""
    evening = planned_evening(cast, [([(1, 2, 3)], [4])])
    evening.here(1, 2, 3, 4)
    evening.seat()
    evening.here(5, 6, 7, 8, 9)
    return evening


def reasons() -> dict[str, str]:
    return dict(SitOut.objects.values_list("entrant__code", "reason"))


def test_all_without_a_seat_sit_out_and_the_round_is_posted(evening: PlannedEvening) -> None:
    round_ = Round.objects.get()
    with pytest.raises(Conflict, match="present_without_seat"):
        move_round(OP, round_, to="posted")
    for _twice in range(2):
        sit_out_unseated(OP, round_)
        newcomers = dict.fromkeys([f"RL0{number}" for number in range(5, 10)], "rest")
        assert reasons() == {"RL04": "bye", **newcomers}
    assert [len(table.players) for table in round_seating(round_).tables] == [3]
    assert AuditLine.objects.filter(act="arrange_round").count() == 1
    move_round(OP, round_, to="posted")


def test_only_the_named_sit_out_and_those_with_a_place_stay(evening: PlannedEvening) -> None:
    round_ = Round.objects.get()
    sit_out_unseated(OP, round_, players=["RL01", "RL04", "RL05", "RL99"])
    assert reasons() == {"RL04": "bye", "RL05": "rest"}
    assert evening.row(1) in round_seating(round_).seated


def test_only_who_came_after_the_round_was_posted_is_late(evening: PlannedEvening) -> None:
    round_ = Round.objects.get()
    sit_out_unseated(OP, round_, players=["RL05", "RL06", "RL07", "RL08", "RL09"])
    SitOut.objects.filter(entrant__code="RL05").delete()
    evening.here(5, state="left")
    move_round(OP, round_, to="posted")
    evening.here(5)
    evening.here(6, arrived_at=NOW + timedelta(minutes=5))
    SitOut.objects.filter(entrant__code="RL06").delete()
    sit_out_unseated(OP, round_)
    assert (reasons()["RL05"], reasons()["RL06"]) == ("rest", "late")


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ("sizes", "Nobody waits, and each table needs 4 players."),
        ("hands", "The other tables are being played or over, and nobody waits."),
        ("apart", "A rule under “Who may sit together” forbids this."),
    ],
)
def test_change_without_a_way_says_what_was_found(cast: Cast, found: str, why: str) -> None:
    evening = planned_evening(cast, [([(1, 2, 3, 4), (5, 6, 7)], [])])
    evening.here(*range(1, 8))
    if found == "apart":
        add_constraint(OP, evening.event, kind="apart", player="RL01", other="RL05")
    if found == "sizes":
        SeatingPlan.objects.update(inputs={"sizes": [4]})
    round_ = evening.seat()
    if found == "hands":
        Game.objects.filter(table__number=2).update(state="playing")
    now, change = SeatingNow(round_), SeatingChange("move", (evening.row(1),))
    assert ways_of(now, change) == ()
    assert why_no_way(now, change) == why


def match_of_teams(cast: Cast) -> tuple[Round, Match, dict[str, int]]:
    """Seat a match of Reds and Blues at one table; the Greens wait."""
    event = league(cast.riverside, variant="partnership-hearts-pooled")
    people = players(cast.riverside, *(f"{team} {n}" for team in TEAMS for n in (1, 2)))
    for at, name in zip((0, 2, 4), TEAMS, strict=True):
        add_entrant(by_tests(), event, kind="team", players=people[at : at + 2], name=name)
    rows = {player.name: player.pk for player in people}
    red, blue = people[:2], people[2:4]
    game = table(event, [red[0], blue[0], red[1], blue[1]])
    round_ = game.table.round
    first, second = [Entrant.objects.get(event=event, name=name) for name in TEAMS[:2]]
    match = Match.objects.create(
        club=event.club, event=event, round=round_, number=1, first=first, second=second
    )
    MatchTable.objects.create(club=event.club, match=match, table=game.table)
    return round_, match, rows


def sit(round_: Round, rows: dict[str, int], *names: str) -> None:
    arrange_round(OP, round_, target=SeatingTarget({1: tuple(rows[name] for name in names)}),
                  split_sides=True)  # fmt: skip


def teams_of(match: Match) -> list[str]:
    match = Match.objects.select_related("first", "second").get(pk=match.pk)
    return [match.first.name, match.second.name]


def test_match_of_one_table_follows_the_teams_that_sit_there(cast: Cast) -> None:
    round_, match, rows = match_of_teams(cast)
    sit(round_, rows, "Greens 1", "Blues 1", "Greens 2", "Blues 2")
    assert teams_of(match) == ["Greens", "Blues"]
    sit(round_, rows, "Blues 1", "Greens 1", "Blues 2", "Greens 2")
    assert teams_of(match) == ["Greens", "Blues"], "the same two teams"
    sit(round_, rows, "Blues 1", "Reds 1", "Blues 2", "Reds 2")
    assert teams_of(match) == ["Blues", "Reds"]


def test_match_stays_where_three_teams_or_one_sit_at_its_table(cast: Cast) -> None:
    round_, match, rows = match_of_teams(cast)
    sit(round_, rows, "Greens 1", "Blues 1", "Reds 1", "Blues 2")
    assert teams_of(match) == ["Reds", "Blues"]


def test_match_of_one_table_is_followed_in_a_bounded_number_of_queries(cast: Cast) -> None:
    round_, match, rows = match_of_teams(cast)
    with CaptureQueriesContext(connection) as queries:
        sit(round_, rows, "Greens 1", "Blues 1", "Greens 2", "Blues 2")
    statements = [query["sql"] for query in queries]
    of_matches = [sql for sql in statements if "tournaments_match" in sql]
    assert len(of_matches) <= 2, of_matches
    assert teams_of(match) == ["Greens", "Blues"]
