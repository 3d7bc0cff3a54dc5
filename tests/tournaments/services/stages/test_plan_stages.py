"""Stages planned, changed, put in order and removed; what does not fit is refused."""

from functools import partial
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, league
from tests.support.cast import Cast
from tests.support.scenarios.cuts import LATER, chosen, cut
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, Stage
from tournaments.models.jobs import Dirty, playoffs_scope
from tournaments.models.standings import Change
from tournaments.selectors.stages import get_stage, stage_row, stage_rows
from tournaments.services.stages.cuts import answer_cut, make_cut, undo_cut
from tournaments.services.stages.plan_stages import (
    begin_stage,
    edit_stage,
    move_stage,
    plan_stage,
    remove_stage,
)

pytestmark = pytest.mark.both_databases
OP = by_tests(LATER)


def plan(event: Event, **fields: Any) -> Stage:
    return plan_stage(OP, event, fields=fields)


def change(event: Event, number: int, **fields: Any) -> None:
    edit_stage(OP, get_stage(event, number), fields=fields, to=None)


def move(event: Event, number: int, to: int) -> None:
    edit_stage(OP, get_stage(event, number), fields={}, to=to)


def listed(event: Event) -> list[tuple[int, str, str, str]]:
    return [(row.number, row.name, row.kind, row.state) for row in stage_rows(event)]


def test_first_stage_of_an_event_needs_no_beginning(cast: Cast) -> None:
    event = league(cast.riverside)
    change(event, 1, movement="swiss", rounds=3, table_sizes=[3, 4], name="Qualifying")
    plan(event, movement="knockout", advance={"best": 8}, carry="none")
    first, second = Stage.objects.order_by("number")
    assert (first.plan, first.planned_rounds, first.table_sizes) == ("", 3, [4, 3])
    assert (second.plan, second.advance, second.carry) == ("planned", {"best": 8}, "none")
    assert listed(event) == [
        (1, "Qualifying", "swiss", "begun"),
        (2, "stage 2", "knockout", "planned"),
    ]


def test_rule_of_the_first_stage_is_refused(cast: Cast) -> None:
    event = league(cast.riverside)
    for fields in ({"advance": {"best": 4}}, {"takes": "losers"}):
        with pytest.raises(Refused, match="first_stage_is_for_all"):
            change(event, 1, **fields)


def test_plan_is_in_the_change_log_and_the_audit_trail_and_publishes_nothing(event: Event) -> None:
    before = set(Dirty.objects.values_list("scope", "version"))
    plan(event, movement="knockout", advance={"each_table": 2})
    looked_for = {(playoffs_scope(event.pk), 1)}
    assert set(Dirty.objects.values_list("scope", "version")) == before | looked_for
    assert Change.objects.order_by("pk").last().kind == "plan_stage"  # type: ignore[union-attr]
    line = AuditLine.objects.order_by("number").last()
    assert line is not None
    assert (line.act, line.subject) == ("plan_stage", "event:league/stage:2")
    assert line.facts["advance"] == {"each_table": 2, "wild_cards": 0}


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({"movement": "chess"}, ["unknown_movement"]),
        ({"movement": "playoff"}, ["unknown_movement"]),
        ({"movement": ["swiss"], "carry": 1}, ["unknown_movement", "unknown_carry"]),
        ({"rounds": 0}, ["bad_stage_rounds"]),
        ({"rounds": True}, ["bad_stage_rounds"]),
        ({"table_sizes": [4, 4]}, ["bad_stage_sizes"]),
        ({"table_sizes": "4"}, ["bad_stage_sizes"]),
        ({"table_sizes": []}, ["bad_stage_sizes"]),
        ({"carry": "most"}, ["unknown_carry"]),
        ({"seeding": "best"}, ["unknown_seeding"]),
        ({"takes": "all"}, ["unknown_takes"]),
        ({"advance": {"best": 1}}, ["bad_advance"]),
        ({"advance": {"best": 4, "wild_cards": 1}}, ["bad_advance"]),
        ({"advance": {"each_table": 0}}, ["bad_advance"]),
        ({"advance": {"wild_cards": 2}}, ["bad_advance"]),
        ({"advance": 8}, ["bad_advance"]),
        ({"advance": {"best": 6}}, ["more_than_before"]),
        ({"each_round": {"best": 2}}, ["bad_each_round"]),
        ({"each_round": {"each_table": 2}}, ["each_round_of_knockout"]),
        ({"from_round": 0}, ["bad_from_round"]),
        ({"from_round": 1}, ["from_round_of_knockout"]),
        ({"takes": "losers"}, ["consolation_needs_from_stage"]),
        ({"takes": "losers", "from_stage": 1, "advance": {"best": 2}}, ["consolation_takes_all"]),
        ({"from_stage": 3}, ["unknown_from_stage"]),
        ({"from_stage": "x"}, ["unknown_from_stage"]),
        ({"also_from": 3}, ["unknown_also_from"]),
        ({"also_best": 0}, ["bad_also_best"]),
        ({"also_best": 2}, ["also_from_alone"]),
        ({"also_from": 2, "also_best": 2}, ["also_from_twice"]),
        ({"also_from": 1, "also_best": 2}, ["also_from_without_rule"]),
        (
            {"from_stage": 1, "also_from": 2, "also_best": 5, "advance": {"best": 2}},
            ["also_best_too_many"],
        ),
        ({"name": "x" * 200}, ["name_too_long"]),
    ],
)
def test_what_cannot_fit_is_told(event: Event, fields: dict[str, object], codes: list[str]) -> None:
    plan(event, name="Two", advance={"best": 4})
    with pytest.raises(Refused) as refused:
        plan(event, **{"movement": "swiss", **fields})
    assert [problem.code for problem in refused.value.problems] == codes
    assert Stage.objects.count() == 2
    plan(event, movement="swiss")
    before_row = vars(stage_row(event, 3))
    with pytest.raises(Refused) as refused:
        change(event, 3, **fields)
    assert [problem.code for problem in refused.value.problems] == codes
    assert vars(stage_row(event, 3)) == before_row


def test_event_has_thirty_stages_at_most_and_the_first_has_no_rule(event: Event) -> None:
    Stage.objects.bulk_create(
        Stage(club=event.club, event=event, number=number) for number in range(2, 31)
    )
    with pytest.raises(Refused, match="too_many_stages"):
        plan(event)
    fresh = league(event.club, slug="fresh")
    Stage.objects.filter(event=fresh).delete()
    with pytest.raises(Refused, match="first_stage_is_for_all"):
        plan(fresh, advance={"best": 4})


@pytest.mark.parametrize(
    ("stages", "number", "to", "code"),
    [
        ([{"advance": {"best": 8}}, {"advance": {"best": 4}}], 3, 2, "more_than_before"),
        (
            [{}, {}, {"also_from": 2, "also_best": 1, "advance": {"best": 2}}],
            3, 2, "also_from_twice",
        ),
        (
            [{}, {"from_stage": 1, "also_from": 2, "also_best": 1, "advance": {"best": 2}}],
            3, 2, "unknown_also_from",
        ),
        ([{}], 2, 3, "bad_stage_place"),
    ],
)  # fmt: skip
def test_move_that_gives_a_stage_another_source_may_not_fit(
    event: Event, stages: list[dict[str, Any]], number: int, to: int, code: str
) -> None:
    for fields in stages:
        plan(event, **fields)
    with pytest.raises(Refused, match=code):
        move(event, number, to)


def edit(stage: Stage, **more: Any) -> None:
    edit_stage(OP, stage, fields={"rounds": 2}, to=None, **more)


def move_to(stage: Stage, **more: Any) -> None:
    edit_stage(OP, stage, fields={}, to=2, **more)


CHANGES = (edit, move_to, partial(remove_stage, OP))
OTHERS = (
    partial(begin_stage, OP),
    partial(undo_cut, OP, reason="So."),
    partial(answer_cut, OP, answer="redo", reason="So."),
)


@pytest.mark.parametrize("operation", [*CHANGES, *OTHERS])
def test_stage_that_was_removed_meanwhile_is_missing(event: Event, operation: Any) -> None:
    stage = plan(event)
    remove_stage(OP, get_stage(event, 2))
    with pytest.raises(Missing, match="stage"):
        operation(stage)


@pytest.mark.parametrize("operation", CHANGES)
def test_stage_that_was_changed_meanwhile_is_outdated(event: Event, operation: Any) -> None:
    with pytest.raises(Conflict, match="stage_outdated"):
        operation(plan(event), based_on="another")


@pytest.mark.parametrize("operation", [*CHANGES, *OTHERS])
def test_event_that_is_over_has_no_stage_changed(event: Event, operation: Any) -> None:
    asked = {"facts": {"above": 4}, "would": []}
    stage = plan(event) if operation not in OTHERS[1:] else make_cut(OP, event, cut=4)
    Stage.objects.filter(pk=stage.pk).update(asked=asked if operation is OTHERS[2] else None)
    Event.objects.update(state="closed")
    with pytest.raises(Conflict, match="event_is_over"):
        operation(stage)


def test_event_that_is_over_has_no_stage_planned(event: Event) -> None:
    Event.objects.update(state="closed")
    with pytest.raises(Conflict, match="event_is_over"):
        plan(event)


def test_stage_is_changed_until_a_round_of_it_was_posted(event: Event) -> None:
    plan(event, advance={"best": 4})
    change(event, 2, rounds="2", advance=None)
    stage = Stage.objects.get(number=2)
    assert (stage.planned_rounds, stage.advance) == (2, None)
    with pytest.raises(Conflict, match="stage_has_rounds"):
        change(event, 1, name="A", rounds=2)
    change(event, 1, rounds=2)
    first = Stage.objects.get(number=1)
    assert (first.name, first.planned_rounds) == ("", 2)
    with pytest.raises(Missing):
        change(event, 9)


def test_planned_stages_move_and_go(event: Event) -> None:
    for name in ("Two", "Three", "Four"):
        plan(event, name=name)
    move(event, 4, to=2)
    assert [row[1] for row in listed(event)] == ["stage 1", "Four", "Two", "Three"]
    remove_stage(OP, get_stage(event, 3))
    assert [row[:2] for row in listed(event)] == [(1, "stage 1"), (2, "Four"), (3, "Three")]
    for operation in (remove_stage, partial(move_stage, to=2)):
        with pytest.raises(Conflict, match="stage_has_begun"):
            operation(OP, get_stage(event, 1))


def test_consolation_does_not_move_before_its_stage(event: Event) -> None:
    plan(event, name="Final", advance={"best": 2})
    plan(event, name="Final of the others", from_stage=1, takes="losers")
    plan(event, name="Last", from_stage=3, advance={"best": 2})
    with pytest.raises(Refused, match="unknown_from_stage"):
        move(event, 4, to=2)
    with pytest.raises(Conflict, match="stage_is_source"):
        remove_stage(OP, get_stage(event, 3))


def test_cut_comes_before_planned_stages(event: Event) -> None:
    plan(event, name="Later", movement="swiss")
    stage = cut(event, 4, "Final")
    assert listed(event) == [
        (1, "stage 1", "open", "begun"),
        (2, "Final", "open", "begun"),
        (3, "Later", "swiss", "planned"),
    ]
    assert (stage.advance, len(chosen(stage))) == ({"best": 4}, 4)
    with pytest.raises(Conflict, match="stage_has_begun"):
        change(event, 2, advance={"best": 2})
