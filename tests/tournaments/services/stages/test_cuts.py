"""Cuts: the best go on, only they sit down, they rank first; undone while unplayed."""

import json

import pytest

from scoring.errors import Problem, Refused
from tests.support.builders import by_tests, hand, league, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.scenarios.cuts import LATER, chosen, close, correct, cut, published, withdraw
from tests.support.scenarios.playoffs import look
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event, Stage
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import Round, Sitting
from tournaments.models.standings import Change, Publication, StoredHistory
from tournaments.selectors.rounds.resolve_players import free_players, players_at_seats
from tournaments.selectors.stages import get_stage
from tournaments.services.events.events import move_event
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import make_round
from tournaments.services.rounds.seating import clear_table, reseat_table, seat_table
from tournaments.services.stages.cuts import answer_cut, undo_cut

pytestmark = pytest.mark.both_databases


def refusal(event: Event, number: object = 4, name: str = "") -> Problem:
    """What refuses a cut; it also proves that nothing was written."""
    before = (Stage.objects.count(), Change.objects.count(), AuditLine.objects.count())
    problem = None
    try:
        cut(event, number, name)
    except Refused as refused:
        problem = refused.problems[0]
    except Conflict as conflict:
        problem = conflict.problem
    assert (Stage.objects.count(), Change.objects.count(), AuditLine.objects.count()) == before
    assert not StageEntrant.objects.exists()
    assert problem is not None
    return problem


def test_best_of_the_table_go_on_to_the_next_stage(event: Event) -> None:
    stage = cut(event, name=" Final ")
    assert (stage.number, stage.cut, stage.name, stage.cut_at) == (2, 4, "Final", LATER)
    assert chosen(stage) == ["RL01", "RL02", "RL05", "RL06"]
    assert [line.kind for line in Change.objects.order_by("pk")] == ["close_round", "make_cut"]
    line = AuditLine.objects.order_by("number").last()
    assert line is not None
    assert (line.act, line.subject) == ("make_cut", "event:league/stage:2")


def test_they_rank_before_others_and_the_table_says_why(event: Event, people: list[Player]) -> None:
    cut(event)
    final = seat_table(
        by_tests(LATER), event, round_number=2, players=[people[at] for at in (0, 1, 4, 5)]
    )
    hand(final, 1, [0, 0, 13, 0], 2, slam_choice="others")
    rows = published(event)
    assert [row["player_id"] for row in rows][4:] == ["RL03", "RL07", "RL08", "RL04"]
    first_below = rows[4]
    assert (first_below["rank"], first_below["decided_by"]) == (5, "stage")
    assert first_below["reason"] == f"{rows[3]['player_id']} went on to the final of 4"
    assert rows[3]["ahead"] == "above RL03: went on to the final of 4"
    assert [row.get("stage") for row in rows] == ["the final of 4"] * 4 + [None] * 4


def test_table_as_of_a_round_before_knows_no_cut(event: Event, people: list[Player]) -> None:
    hand(table(event, people[:4], round_number=2), 1, [1, 3, 5, 4], 3)
    close(event, 2)
    cut(event)
    newest = published(event)
    make_all(event.pk)
    rows = {
        history.key: json.loads(bytes(history.body))["rows"]
        for history in StoredHistory.objects.filter(event=event, kind="as_of")
    }
    assert [row["decided_by"] for row in rows["1"]][4] == "raw_per_hand"
    assert rows["2"] == newest


def test_best_of_the_final_go_on_from_those_who_went_on(event: Event, people: list[Player]) -> None:
    cut(event)
    hand(table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2), 1, [9, 4, 0, 0], 0)
    close(event, 2)
    stage = cut(event, 2, "Last two")
    assert (stage.number, chosen(stage)) == (3, ["RL05", "RL06"])
    rows = published(event)
    assert [(row["player_id"], row["decided_by"]) for row in rows][:5] == [
        ("RL05", None), ("RL06", "raw_per_hand"), ("RL02", "stage"), ("RL01", "raw_per_hand"),
        ("RL03", "stage"),
    ]  # fmt: skip
    with pytest.raises(Refused) as told:
        cut(event, 3)
    assert told.value.problems[0].facts == {"found": 2, "wanted": 3}


def test_withdrawn_are_passed_over(event: Event) -> None:
    withdraw(event, "RL05")
    publish(event.pk, now=NOW)
    assert chosen(cut(event)) == ["RL01", "RL02", "RL03", "RL06"]


def test_too_few_games_for_a_rank_are_passed_over(event: Event, people: list[Player]) -> None:
    hand(table(event, people[:4], round_number=2), 1, [1, 3, 5, 4], 3)
    event.settings["min_games"] = 2
    event.save(update_fields=["settings"])
    close(event, 2)
    problem = refusal(event, 8)
    assert (problem.code, dict(problem.facts)) == ("cut_too_large", {"found": 4, "wanted": 8})
    assert chosen(cut(event, 3)) == ["RL01", "RL02", "RL03"]


@pytest.mark.parametrize("found", ["", "x", "1", 1, 0, -3, 1000, "4.5", "٤", None, True, [4]])
def test_number_that_nobody_can_cut_at_is_refused(event: Event, found: object) -> None:
    problem = refusal(event, found)
    assert (problem.code, problem.at) == ("bad_cut", ("cut",))


def test_more_than_there_are_and_a_long_name_are_refused(event: Event) -> None:
    problem = refusal(event, 9)
    assert (problem.code, dict(problem.facts)) == ("cut_too_large", {"found": 8, "wanted": 9})
    assert refusal(event, 4, "x" * 121).code == "name_too_long"


def test_open_round_is_named(event: Event, people: list[Player]) -> None:
    table(event, people[:4], round_number=2)
    problem = refusal(event)
    assert (problem.code, dict(problem.facts)) == (
        "cut_round_open", {"round": 2, "state": "posted"},
    )  # fmt: skip


def test_round_is_made_in_the_event_as_it_stands(event: Event, people: list[Player]) -> None:
    seen = Event.objects.select_related("club").get(pk=event.pk)
    move_event(by_tests(), event, to="closed")
    with pytest.raises(Conflict, match="event_is_over"):
        make_round(by_tests(), seen)
    with pytest.raises(Conflict, match="event_is_over"):
        table(seen, people[:4], round_number=2)
    assert not Round.objects.filter(event=event, number=2).exists()


def test_draft_without_a_table_becomes_a_round_of_the_final(event: Event) -> None:
    draft = make_round(by_tests(), event)
    stage = cut(event)
    draft.refresh_from_db()
    assert draft.stage == stage


def test_change_that_is_not_published_yet_is_waited_for(event: Event, people: list[Player]) -> None:
    withdraw(event, "RL05")
    assert refusal(event).code == "standings_behind"


def test_standings_that_rank_nobody_or_are_not_there_make_no_cut(event: Event) -> None:
    for code in Entrant.objects.values_list("code", flat=True):
        withdraw(event, code)
    publish(event.pk, now=NOW)
    assert refusal(event).code == "nobody_can_qualify"
    Publication.objects.all().delete()
    assert refusal(event).code == "not_published"


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"facts": {"round": 2}}, "round_was_drawn"),
        ({"facts": {}, "would": [], "above": 4}, "nobody_can_qualify"),
        ({"facts": {}, "would": [["RL01"]], "above": 4}, "cut_too_large"),
        ({"facts": {}, "would": [["RL01", "RL02", "RL03"]], "above": 2}, "cut_tied"),
    ],
)
def test_cut_is_not_redone_where_nobody_goes_on(event: Event, asked: object, code: str) -> None:
    stage = cut(event)
    look(event)
    Stage.objects.filter(pk=stage.pk).update(asked=asked)
    with pytest.raises((Refused, Conflict), match=code):
        answer(stage, "So.")
    with pytest.raises(Refused, match="bad_text"):
        answer(stage, "x" * 501)
    assert len(chosen(stage)) == 4
    Publication.objects.all().delete()
    with pytest.raises(Conflict, match="round_was_drawn" if "round" in code else "not_published"):
        answer(stage, "So.")


@pytest.mark.parametrize(("reason", "code"), [(" ", "reason_required"), ("x" * 501, "bad_text")])
def test_undo_needs_a_reason(event: Event, reason: str, code: str) -> None:
    with pytest.raises(Refused, match=code):
        undo_cut(by_tests(LATER), cut(event), reason=reason)


def answer(stage: Stage, reason: str) -> None:
    answer_cut(by_tests(LATER), stage, answer="redo", reason=reason)


def test_tie_across_the_line_is_named_with_numbers(event: Event, people: list[Player]) -> None:
    correct(event, "r1t2", [2, 3, 7, 1])  # RL06 has 3 now, as RL02
    problem = refusal(event, 3)
    assert (problem.code, dict(problem.facts)) == (
        "cut_tied", {"cut": 3, "level": "RL02 and RL06", "fits": "2 or 4"},
    )  # fmt: skip
    assert chosen(cut(event, 4)) == ["RL01", "RL02", "RL05", "RL06"]


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_event_that_is_not_open_makes_no_cut(cast: Cast, event: Event, state: str) -> None:
    if state == "closed":
        move_event(by_tests(), event, to="closed")
        publish(event.pk, now=NOW)
        assert refusal(event).code == "event_is_over"
    else:
        fresh = league(cast.riverside, slug="fresh")
        fresh = move_event(by_tests(), fresh, to="draft")
        assert refusal(fresh).code == "event_not_open"


def test_who_did_not_go_on_is_not_seated_nor_moved_there_nor_offered(
    event: Event, people: list[Player]
) -> None:
    cut(event)
    with pytest.raises(Refused) as refused:
        table(event, [people[at] for at in (0, 1, 2, 4)], round_number=2)
    (problem,) = refused.value.problems
    facts = {"player": people[2].name, "player_id": "RL03", "round": 2, "stage": "the final of 4"}
    assert (problem.code, dict(problem.facts)) == ("not_in_stage", facts)
    game = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    with pytest.raises(Refused) as told:
        reseat_table(by_tests(LATER), game, players=people[:4])
    assert {problem.code for problem in told.value.problems} == {"not_in_stage"}
    assert Sitting.objects.filter(seat__table=game.table).count() == 4
    draft = make_round(by_tests(LATER), event)
    assert [player.player_id for player in free_players(event.club, draft)] == [
        "RL01", "RL05", "RL06", "RL02",
    ]  # fmt: skip
    with pytest.raises(Refused) as at_a_seat:
        players_at_seats(club=event.club, round_=draft, typed=["RL01", "RL03"])
    (problem,) = at_a_seat.value.problems
    assert (problem.code, problem.at) == ("not_in_stage", ("seat", 2))


def test_cut_is_undone_while_nothing_was_played(event: Event, people: list[Player]) -> None:
    before = published(event)
    stage = cut(event)
    game = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    undo(event, stage.number)
    assert published(event) == before
    game.table.round.refresh_from_db()
    assert game.table.round.stage.number == 1
    kinds = [line.kind for line in Change.objects.order_by("pk")]
    assert kinds == ["close_round", "make_cut", "undo_cut"]
    clear_table(by_tests(LATER), game)
    publish(event.pk, now=LATER)
    Round.objects.filter(event=event, number=2).update(state="draft")
    assert cut(event).number == 2


def test_cut_that_was_played_stays(event: Event, people: list[Player]) -> None:
    stage = cut(event)
    hand(table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2), 1, [1, 3, 5, 4], 3)
    with pytest.raises(Conflict, match="cut_is_played"):
        undo(event, stage.number)
    assert len(chosen(stage)) == 4


def test_only_the_last_cut_is_undone(event: Event) -> None:
    cut(event, 4)
    publish(event.pk, now=LATER)
    cut(event, 2)
    with pytest.raises(Conflict, match="cut_is_not_last"):
        undo(event, 2)


def test_stage_without_a_cut_is_not_undone(event: Event) -> None:
    for number in (1, 7):
        with pytest.raises(Missing):
            undo(event, number)


def undo(event: Event, number: int) -> None:
    undo_cut(by_tests(LATER), get_stage(event, number), reason="Too early.")
