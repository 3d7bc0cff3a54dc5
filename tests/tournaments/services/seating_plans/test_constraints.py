"""Constraints: added, removed, contradicting each other, and read by directors only."""

from itertools import pairwise

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, league, players
from tests.support.cast import enter_the_cast
from tests.support.evenings import evening, plans
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.selectors.seating_plans.plans import rounds_of_plan
from tournaments.services.seating_plans.constraints import add_constraint, remove_constraint

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    event = league(enter_the_cast().riverside)
    players(event.club, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    return event


def add(
    event: Event,
    kind: str,
    player: str,
    other: str = "",
    *,
    table: int | None = None,
    reason: str = "",
) -> SeatingConstraint:
    return add_constraint(
        by_tests(), event, kind=kind, player=player, other=other, table=table, reason=reason
    )


def refusals(event: Event, kind: str, *named: str, table: int | None = None) -> list[str]:
    before = SeatingConstraint.objects.count()
    with pytest.raises(Refused) as refused:
        add(event, kind, *named, table=table)
    assert SeatingConstraint.objects.count() == before
    return [problem.code for problem in refused.value.problems]


def test_all_three_kinds_hold_in_every_plan(event: Event) -> None:
    meeting, people = evening(event, 13)
    add(event, "apart", "RL01", "RL02", reason="They quarrelled.")
    add(event, "together", "RL03", "RL04")
    add(event, "fixed_table", "RL05", table=2)
    made = plans(meeting, 4)
    assert made
    for plan in made:
        for one in rounds_of_plan(plan):
            table_of = {player: at for at, seats in enumerate(one.tables, 1) for player in seats}
            pks = [person.pk for person in people]
            assert table_of.get(pks[0], 0) != table_of.get(pks[1], -1)
            assert table_of.get(pks[2]) == table_of.get(pks[3])
            assert table_of.get(pks[4], 2) == 2


def test_contradiction_is_refused_with_both_names(event: Event) -> None:
    add(event, "together", "RL01", "RL02")
    add(event, "together", "RL02", "RL03")
    with pytest.raises(Refused) as refused:
        add(event, "apart", "RL01", "RL03")
    assert "Players Alma D. and Cleo S. must be apart" in refused.value.problems[0].message
    assert SeatingConstraint.objects.count() == 2
    add(event, "fixed_table", "RL01", table=1)
    assert refusals(event, "fixed_table", "RL02", table=2) == ["together_at_two_tables"]


def test_constraints_that_say_nothing_are_refused(event: Event) -> None:
    assert refusals(event, "beside", "RL01", "RL02") == ["bad_constraint_kind"]
    assert refusals(event, "apart", "RL01", "RL01") == ["constraint_of_one_player"]
    assert refusals(event, "apart", "RL01", "RL99") == ["unknown_player"]
    assert refusals(event, "apart", "", "RL02") == ["unknown_player"]
    assert refusals(event, "fixed_table", "RL01") == ["bad_fixed_table"]
    assert refusals(event, "fixed_table", "RL01", table=0) == ["bad_fixed_table"]


def test_constraint_that_is_there_is_not_added_twice(event: Event) -> None:
    add(event, "apart", "RL01", "RL02")
    with pytest.raises(Conflict, match="constraint_exists"):
        add(event, "apart", "RL02", "RL01")


def test_trail_holds_ids_and_no_reason(event: Event) -> None:
    made = add(event, "apart", "RL01", "RL02", reason="They quarrelled.")
    remove_constraint(by_tests(), made)
    lines = AuditLine.objects.filter(act__endswith="_constraint").order_by("pk")
    assert [(line.act, line.facts) for line in lines] == [
        (operation, {"kind": "apart", "players": ["RL01", "RL02"]})
        for operation in ("add_constraint", "remove_constraint")
    ]
    with pytest.raises(Missing):
        remove_constraint(by_tests(), made)


def test_table_has_so_many_seats(event: Event) -> None:
    codes = [player.player_id for player in players(event.club, *"ABCDEFGH")]

    def sit_together() -> None:
        for code, after in pairwise(codes):
            add(event, "together", code, after)

    def sit_at_the_first() -> None:
        for code in codes:
            add(event, "fixed_table", code, table=1)

    with pytest.raises(Refused, match="together_too_many"):
        sit_together()
    SeatingConstraint.objects.all().delete()
    with pytest.raises(Refused, match="fixed_table_full"):
        sit_at_the_first()
    assert refusals(event, "apart", *codes[:2]) == ["apart_at_one_table"]


def test_constraint_is_not_added_to_what_is_gone(event: Event) -> None:
    with pytest.raises(Refused, match="text_too_long"):
        add(event, "apart", "RL01", "RL02", reason="x" * 201)
    Player.objects.filter(player_id="RL01").update(merged_into=Player.objects.last())
    with pytest.raises(Conflict, match="player_is_merged"):
        add(event, "apart", "RL01", "RL02")
    Event.objects.update(state="closed")
    with pytest.raises(Conflict, match="event_is_over"):
        add(event, "apart", "RL03", "RL02")
