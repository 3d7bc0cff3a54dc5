"""A round is redrawn after hands: the tables without them, or all, whose hands are discarded."""

from io import StringIO

import pytest
from django.core.management import call_command

from scoring.errors import Refused
from tests.support.builders import by_tests, hand
from tests.support.cast import Cast
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Round, SitOut, Sitting
from tournaments.models.standings import Change, Contribution
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.hands.redraw_tables import redraw_tables
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.django_db

TWELVE = [([(1, 2, 3, 4), (5, 6, 7, 8)], [9])]
FOUR = [4, 1, 2, 6]
WHY = "Two players sat at wrong tables."


@pytest.fixture
def night(cast: Cast) -> PlannedEvening:
    """A posted round: two tables of four, one player sits out."""
    evening = planned_evening(cast, TWELVE)
    evening.here(*range(1, 10))
    move_round(by_tests(), evening.seat(), to="posted")
    return evening


def play(code: str, hands: int = 1) -> None:
    for number in range(1, hands + 1):
        hand(Game.objects.select_related("event", "table").get(table__code=code), number, FOUR, 3)


def redraw(scope: str = "unplayed", **more: object) -> Round:
    round_ = Round.objects.select_related("event__club", "club").get(number=1)
    asked = {"reason": WHY, **more}
    return redraw_tables(by_tests(), round_, scope=scope, **asked)  # type: ignore[arg-type]  # as a test gives them


def seats() -> dict[int, list[str]]:
    rows = Sitting.objects.filter(to_hand__isnull=True).order_by("seat__table", "seat__number")
    found: dict[int, list[str]] = {}
    for number, player in rows.values_list("seat__table__number", "player__player_id"):
        found.setdefault(number, []).append(player)
    return found


def ids(*numbers: int) -> set[str]:
    return {f"RL{number:02}" for number in numbers}


def refused_with(scope: str = "unplayed", **more: object) -> Conflict:
    before = (seats(), AuditLine.objects.count(), Change.objects.count())
    with pytest.raises(Conflict) as refused:
        redraw(scope, **more)
    assert (seats(), AuditLine.objects.count(), Change.objects.count()) == before
    return refused.value


def nothing_differs() -> bool:
    """Whether a replay agrees with what is stored, and the audit chain with its digests."""
    call_command("replay", "--check", stdout=StringIO())
    call_command("verify_audit", stdout=StringIO())
    return True


def test_tables_without_hands_are_redrawn_and_the_others_stay(night: PlannedEvening) -> None:
    play("r1t1")
    was = seats()
    redraw()
    assert seats()[1] == was[1]
    assert set(seats()[2]) == set(was[2])
    assert seats()[2] != was[2]
    assert Hand.objects.get().state == "accepted"
    assert nothing_differs()


def test_redraw_of_all_discards_hands_and_seats_all_at_new_numbers(night: PlannedEvening) -> None:
    play("r1t1", 2)
    play("r1t2")
    assert Contribution.objects.count() == 8
    redraw("all", hands=3)
    assert set(seats()) == {3, 4}
    assert set().union(*seats().values()) == ids(*range(1, 9))
    assert sorted(len(ids(1, 2, 3, 4) & set(one)) for one in seats().values()) == [2, 2]
    assert dict(Game.objects.values_list("table__number", "state")) == {
        1: "abandoned", 2: "abandoned", 3: "seated", 4: "seated",
    }  # fmt: skip
    assert set(Hand.objects.values_list("state", flat=True)) == {"void"}
    assert not Contribution.objects.exists()
    assert SitOut.objects.get().reason == "bye"
    assert nothing_differs()


def test_redraw_of_all_uses_numbers_of_tables_without_hands(night: PlannedEvening) -> None:
    play("r1t1")
    redraw("all", hands=1)
    assert set(seats()) == {2, 3}
    assert Game.objects.get(table__number=2).state == "seated"


def test_one_audit_line_and_a_line_of_the_change_log_tell_of_it(night: PlannedEvening) -> None:
    play("r1t1", 2)
    lines = AuditLine.objects.count()
    redraw("all", hands=2)
    assert AuditLine.objects.count() == lines + 1
    facts = AuditLine.objects.get(act="redraw_tables").facts
    assert (facts["scope"], facts["reason"], facts["seed"]) == ("all", WHY, night.plan.seed + 1)
    assert facts["abandoned"] == {"r1t1": [[1, 1], [2, 1]]}
    moved = Change.objects.get(kind="seating")
    assert (moved.reason, moved.facts["before"]["RL01"]) == (WHY, [1, 1])
    assert set(moved.facts["after"]) <= ids(*range(1, 9))
    voids = Change.objects.filter(kind="void_hand", table="r1t1", reason=WHY)
    assert list(voids.order_by("number").values_list("number", flat=True)) == [1, 2]


def test_hand_can_be_entered_at_a_redrawn_table(night: PlannedEvening) -> None:
    play("r1t1")
    redraw("all", hands=1)
    play("r1t3")
    assert Contribution.objects.count() == 4
    assert nothing_differs()


def test_who_left_is_seated_no_more(night: PlannedEvening) -> None:
    play("r1t1")
    night.here(2, state="left")
    redraw("all", hands=1)
    assert "RL02" not in set().union(*seats().values())
    assert dict(SitOut.objects.values_list("entrant__code", "reason"))["RL02"] == "left"


def test_number_of_discarded_hands_is_asked_about(night: PlannedEvening) -> None:
    play("r1t1", 2)
    problem = refused_with("all", hands=1).problem
    assert problem.code == "redraw_discards_hands"
    assert problem.facts["tables"] == "1 (2)"


def test_complete_tables_are_not_abandoned(night: PlannedEvening) -> None:
    play("r1t1")
    Game.objects.filter(table__number=1).update(state="complete")
    assert refused_with("all").problem.code == "redraw_complete_tables"
    redraw()
    assert Game.objects.get(table__number=1).state == "complete"


def test_round_of_which_all_tables_have_hands_and_a_closed_one_stay(night: PlannedEvening) -> None:
    for code in ("r1t1", "r1t2"):
        play(code)
    assert refused_with().problem.code == "no_table_to_redraw"
    Game.objects.update(state="complete")
    move_round(by_tests(), Round.objects.get(), to="closed")
    assert refused_with("all").problem.code == "round_is_closed"


def test_reason_is_needed_once_the_round_has_a_hand(night: PlannedEvening) -> None:
    redraw(reason="")
    play("r1t1")
    with pytest.raises(Refused, match=r"^reason_required$"):
        redraw(reason=" ")


def test_seating_that_was_looked_at_is_redrawn_or_nothing(night: PlannedEvening) -> None:
    tag = round_seating(Round.objects.get()).tag
    play("r1t1")
    assert refused_with(tag=tag).problem.code == "round_seating_outdated"


def test_disputed_hand_is_discarded_too(night: PlannedEvening) -> None:
    play("r1t1")
    Hand.objects.update(state="disputed")
    redraw("all", hands=1)
    assert Hand.objects.get().state == "void"
    assert set(seats()) == {2, 3}


def test_only_directors_redraw(night: PlannedEvening, cast: Cast) -> None:
    with pytest.raises(Forbidden):
        redraw_tables(cast.operation("hanna"), Round.objects.get(), scope="unplayed")
