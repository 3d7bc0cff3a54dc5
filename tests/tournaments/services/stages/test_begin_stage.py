"""Planned stages begin: the best, the best of each table, the others; what counts there."""

import re
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.answers import Json
from tests.support.builders import by_tests, hand, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.cuts import (
    LATER,
    OTHERS,
    asked,
    chosen,
    close,
    correct,
    published,
    withdraw,
)
from tests.support.scenarios.playoffs import look, view
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Round
from tournaments.models.standings import Publication
from tournaments.selectors.stages import get_stage
from tournaments.services.playoffs.director_actions import move_playoff, play_off_tie
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.reviews import review_cuts
from tournaments.services.stages.cuts import answer_cut, undo_cut
from tournaments.services.stages.plan_stages import begin_stage, plan_stage
from tournaments.services.verification.event import verify_publication
from tournaments.services.verification.games import PublicationState

pytestmark = pytest.mark.both_databases


def plan(event: Event, **fields: Any) -> Stage:
    return plan_stage(by_tests(LATER), event, fields=fields)


def begin(event: Event, number: int) -> Stage:
    return begin_stage(by_tests(LATER), get_stage(event, number))


def refusal(event: Event, number: int) -> str:
    """The code that refuses to begin a stage; it also proves that nobody was chosen."""
    code = ""
    try:
        begin(event, number)
    except Conflict as conflict:
        code = conflict.problem.code
    except Refused as refused:
        code = refused.problems[0].code
    assert not Stage.objects.get(number=number).entrants.exists()
    return code


def test_best_go_on_as_after_a_cut(event: Event) -> None:
    plan(event, name="Final", movement="individual", advance={"best": 4})
    stage = begin(event, 2)
    assert (stage.cut, stage.cut_at, stage.plan) == (4, LATER, "begun")
    assert chosen(stage) == ["RL01", "RL02", "RL05", "RL06"]
    rows = published(event)
    assert [row.get("stage") for row in rows[:5]] == ["Final"] * 4 + [None]


def test_standings_have_a_head_over_those_who_went_on_and_over_the_others(
    event: Event, cast: Cast
) -> None:
    plan(event, name="Final", movement="individual", advance={"best": 4})
    assert heads_and_codes(event, cast)[:1] == ["RL01"], "before the final there are no heads"
    begin(event, 2)
    publish(event.pk, now=LATER)
    shown = heads_and_codes(event, cast)
    heads = [(at, head) for at, head in enumerate(shown) if not head.startswith("RL")]
    assert heads == [(0, "Final"), (5, "Others")], "four went on"
    sorted_by_name = heads_and_codes(event, cast, "?sort=player")
    assert len(sorted_by_name) == len(shown) - 2, "sorted by another column, rows are mixed"


def heads_and_codes(event: Event, cast: Cast, query: str = "") -> list[str]:
    """What the table of the standings has, row by row: heads, and codes of players."""
    page = cast.client("dirk").get(f"/clubs/riverside/events/{event.slug}{query}").content.decode()
    found = re.findall(r'<tr id="(RL[0-9]+)">|<tr class="cut">\s*<td[^>]*>\s*([A-Z][a-z]+)', page)
    return [code or head for code, head in found]


def test_best_of_each_table_and_a_wild_card(event: Event) -> None:
    plan(event, advance={"each_table": 1, "wild_cards": 1})
    assert chosen(begin(event, 2)) == ["RL01", "RL02", "RL05"]


def policy(event: Event, playoff: str) -> None:
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "playoff": playoff})


@pytest.mark.parametrize(
    ("code", "hearts", "rule", "refused", "line"),
    [
        ("r1t2", [2, 5, 5, 1], {"best": 4}, "cut_tied", {"kind": "cut", "above": 4}),
        (
            "r1t1", [1, 4, 4, 4], {"each_table": 2}, "table_tied",
            {"kind": "table", "above": 2, "round": 1, "table": 1},
        ),
        (
            "r1t2", [2, 5, 5, 1], {"each_table": 1, "wild_cards": 2}, "wild_cards_tied",
            {"kind": "wild_card", "above": 2, "round": 1},
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_complete", [False, True])
def test_director_has_a_tie_played_off_or_drawn_where_the_policy_plays_nothing(
    event: Event, code: str, hearts: list[int], rule: Json, refused: str, line: Json,
    is_complete: bool,
) -> None:  # fmt: skip
    settings = {**event.settings, "playoff": "criteria", "table_ties": "standings"}
    Event.objects.filter(pk=event.pk).update(settings=settings)
    Stage.objects.filter(number=1).update(planned_rounds=1 if is_complete else None)
    plan(event, advance=rule)
    correct(event, code, hearts)
    assert (refusal(event, 2), Playoff.objects.count()) == (refused, 0)
    playoff = play_off_tie(by_tests(LATER), event, number=2)
    assert (playoff.boundaries, playoff.state) == ([line], "scheduled")
    look(event)
    playoff.refresh_from_db()
    assert playoff.state == "scheduled", "nobody takes it away who did not ask for it"
    with pytest.raises(Conflict, match="cut_playoff_open"):
        play_off_tie(by_tests(LATER), event, number=2)
    assert refusal(event, 2) in (refused, "cut_playoff_open")
    move_playoff(by_tests(LATER), event, number=1, to="by_lot")
    look(event)
    with pytest.raises(Conflict, match="nothing_tied"):
        play_off_tie(by_tests(LATER), event, number=2)
    members = {one.player_id: one.place for one in view(event).members}
    went_on = chosen(begin(event, 2))
    assert {*members} & {*went_on} == {
        member for member in members if (members[member] or 9) <= playoff.cuts[0]
    }
    look(event)
    assert (view(event).state, view(event).is_asked) == ("by_lot", False)
    assert asked(Stage.objects.get(number=2)) is None


def test_who_withdrew_is_passed_over(event: Event) -> None:
    plan(event, advance={"each_table": 1})
    withdraw(event, "RL01")
    publish(event.pk, now=LATER)
    assert chosen(begin(event, 2)) == ["RL02", "RL05"]


def test_the_others_play_in_the_consolation(event: Event, people: list[Player]) -> None:
    plan(event, name="Final", advance={"best": 4})
    plan(event, name="Consolation", from_stage=1, takes="losers", carry="none")
    assert refusal(event, 3) == "stage_not_next"
    final = begin(event, 2)
    publish(event.pk, now=LATER)
    others = begin(event, 3)
    assert chosen(others) == ["RL03", "RL04", "RL07", "RL08"]
    assert (final.cut, others.cut) == (4, None)
    assert [row["player_id"] for row in published(event)[:4]] == ["RL01", "RL05", "RL02", "RL06"]
    table(event, [people[0], people[1], people[4], people[5]], round_number=2)
    table(event, [people[2], people[3], people[6], people[7]], round_number=3)
    rounds = Round.objects.order_by("number").values_list("number", "stage__name")
    assert list(rounds) == [(1, ""), (2, "Final"), (3, "Consolation")]


def test_stage_without_a_rule_is_for_all(event: Event) -> None:
    plan(event, movement="swiss")
    stage = begin(event, 2)
    assert (chosen(stage), stage.cut) == ([], None)


@pytest.mark.parametrize(
    ("code", "hearts", "rule", "went_on"),
    [
        ("r1t2", [2, 5, 5, 1], {"best": 4}, ["RL01", "RL02", "RL03", "RL05", "RL06", "RL07"]),
        ("r1t1", [1, 4, 4, 4], {"each_table": 2}, ["RL01", "RL02", "RL03", "RL05", "RL06"]),
        (
            "r1t2",
            [2, 5, 5, 1],
            {"each_table": 1, "wild_cards": 2},
            ["RL01", "RL02", "RL03", "RL05", "RL06", "RL07"],
        ),
    ],
)
def test_all_who_share_the_last_place_go_on_where_the_policy_is_to_share(
    event: Event, code: str, hearts: list[int], rule: dict[str, int], went_on: list[str]
) -> None:
    policy(event, "share")
    correct(event, code, hearts)
    plan(event, advance=rule)
    stage = begin(event, 2)
    assert (chosen(stage), stage.cut) == (went_on, len(went_on))
    publish(event.pk, now=LATER)
    review_cuts(event.pk, now=LATER)
    assert asked(stage) is None


def test_correction_ending_a_shared_tie_asks_for_the_rules_number(event: Event, cast: Cast) -> None:
    policy(event, "share")
    correct(event, "r1t2", [2, 5, 5, 1])
    plan(event, advance={"best": 4})
    stage = begin(event, 2)
    assert (len(chosen(stage)), stage.cut) == (6, 6)
    publish(event.pk, now=LATER)
    correct(event, "r1t2", [2, 4, 6, 1])
    facts = asked(stage)
    assert facts is not None
    assert (facts["above"], facts["shared"], facts["come"]) == (4, 6, "nobody")
    page = text_of(cast.client("dirk").get("/clubs/riverside/events/league/stages"))
    assert "6 have already qualified." in page
    assert "by the rule 4 qualify now" in page
    assert "Keep those who qualified, or redo the cut." in page
    answer_cut(by_tests(LATER), get_stage(event, 2), answer="redo", reason="No tie.")
    stage.refresh_from_db()
    assert (len(chosen(stage)), stage.cut, stage.asked) == (4, 4, None)


def test_consolation_waits_for_the_winners(event: Event) -> None:
    plan(event, from_stage=1, takes="losers")
    assert refusal(event, 2) == "winners_not_chosen"


def test_open_round_or_a_waiting_change_holds_it_up(event: Event, people: list[Player]) -> None:
    plan(event, advance={"best": 4})
    game = table(event, people[:4], round_number=2)
    assert refusal(event, 2) == "cut_round_open"
    hand(game, 1, [1, 3, 5, 4], 3)
    close(event, 2)
    withdraw(event, "RL08")
    assert refusal(event, 2) == "standings_behind"


def test_stage_waits_for_people_who_can_qualify_and_for_standings(event: Event) -> None:
    plan(event, advance={"best": 10})
    assert refusal(event, 2) == "cut_too_large"
    for code in Entrant.objects.values_list("code", flat=True):
        withdraw(event, code)
    publish(event.pk, now=LATER)
    assert refusal(event, 2) == "nobody_can_qualify"
    Publication.objects.all().delete()
    assert refusal(event, 2) == "not_published"
    Event.objects.update(state="draft")
    assert refusal(event, 2) == "event_not_open"


def test_consolation_is_for_nobody_where_all_go_on(event: Event) -> None:
    plan(event, advance={"best": 8})
    plan(event, from_stage=1, takes="losers")
    begin(event, 2)
    publish(event.pk, now=LATER)
    assert refusal(event, 3) == "nobody_left"


def test_stage_begins_once_and_is_planned_again_after_undo(event: Event) -> None:
    plan(event, name="Final", advance={"best": 4})
    begin(event, 2)
    with pytest.raises(Conflict, match="stage_has_begun"):
        begin(event, 2)
    undo_cut(by_tests(LATER), get_stage(event, 2), reason="Too early.")
    stage = Stage.objects.get(number=2)
    assert (stage.plan, stage.cut, stage.cut_at, stage.advance) == (
        "planned",
        None,
        None,
        {"best": 4},
    )
    publish(event.pk, now=LATER)
    assert chosen(begin(event, 2)) == ["RL01", "RL02", "RL05", "RL06"]


def test_correction_asks_and_redo_moves_the_consolation_too(event: Event) -> None:
    plan(event, name="Final", advance={"each_table": 2})
    plan(event, name="Consolation", from_stage=1, takes="losers")
    final = begin(event, 2)
    publish(event.pk, now=LATER)
    others = begin(event, 3)
    publish(event.pk, now=LATER)
    correct(event, "r1t2", OTHERS)
    facts = asked(final)
    assert facts is not None
    assert (facts["come"], facts["go"]) == ("RL07", "RL06")
    answer_cut(by_tests(LATER), get_stage(event, 2), answer="redo", reason="So.")
    assert chosen(final) == ["RL01", "RL02", "RL05", "RL07"]
    assert chosen(others) == ["RL03", "RL04", "RL06", "RL08"]


def final_round(event: Event, people: list[Player]) -> None:
    """RL01 4, RL02 2, RL05 1, RL06 19 in the final of four."""
    four = [people[0], people[1], people[4], people[5]]
    hand(table(event, four, round_number=2), 1, [4, 2, 1, 6], 3)
    close(event, 2)


def values(rows: list[Json]) -> list[tuple[str, str]]:
    return [(row["player_id"], row["values"]["raw_per_hand"]) for row in rows[:4]]


@pytest.mark.parametrize(
    ("carry", "expected"),
    [
        ("all", [("RL05", "3/2"), ("RL01", "5/2"), ("RL02", "5/2"), ("RL06", "23/2")]),
        ("half", [("RL05", "4/3"), ("RL02", "7/3"), ("RL01", "3"), ("RL06", "14")]),
        ("none", [("RL05", "1"), ("RL02", "2"), ("RL01", "4"), ("RL06", "19")]),
        ("seeding", [("RL05", "1"), ("RL02", "2"), ("RL01", "4"), ("RL06", "19")]),
    ],
)
def test_what_counts_in_the_final(
    event: Event, people: list[Player], carry: str, expected: list[tuple[str, str]]
) -> None:
    plan(event, name="Final", advance={"best": 4}, carry=carry)
    begin(event, 2)
    before = values(published(event))
    assert [code for code, _ in before] == ["RL01", "RL05", "RL02", "RL06"]
    final_round(event, people)
    rows = published(event)
    found = values(rows)
    assert [value for _, value in found] == [value for _, value in expected]
    assert dict(found) == dict(expected)
    assert [row["dropped"] for row in rows[:4]] == [1 if carry in ("none", "seeding") else 0] * 4
    assert verify_publication(event, repair=False, now=LATER) == PublicationState.SAME
