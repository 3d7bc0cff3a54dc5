"""Players who are here without a seat sit out in one operation, with a true reason."""

from datetime import timedelta

import pytest

from tests.support.builders import by_tests
from tests.support.cast import NOW, Cast
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, SitOut
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.selectors.rounds.seating_changes import (
    SeatingChange,
    SeatingNow,
    ways_of,
    why_no_way,
)
from tournaments.services.rounds.arrange_round import sit_out_unseated
from tournaments.services.rounds.rounds import move_round
from tournaments.services.seating_plans.constraints import add_constraint

OP = by_tests()


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
