"""Corrections after a cut: what is asked, and what keeps, redoes or answers it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring.errors import Refused
from scoring.standings.rows import GameResult
from tests.support.builders import by_tests, hand, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.module_scope import made_once
from tests.support.scenarios import cups
from tests.support.scenarios.cuts import (
    CHANGED,
    LATER,
    NAMES,
    OTHERS,
    asked,
    before_a_cut,
    chosen,
    correct,
    cut,
    published,
    withdraw,
)
from tests.support.scenarios.playoffs import look
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Table
from tournaments.selectors.stages import get_stage
from tournaments.services.events.events import move_event
from tournaments.services.events.table_ties import list_byes
from tournaments.services.playoffs.director_actions import move_playoff
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.reviews import review_cuts
from tournaments.services.publishing.tie_break_evidence import every_game
from tournaments.services.stages.cuts import answer_cut
from tournaments.tasks import schedule_event_playoffs


def make_people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


people_once, people = made_once("people", make_people)
event_once, event = made_once("event", before_a_cut)


def test_correction_that_changes_who_went_on_asks_and_changes_nothing(event: Event) -> None:
    stage = cut(event)
    correct(event, "r1t2", OTHERS)
    assert asked(stage) == {"above": 4, "tie": False, "come": "RL07", "go": "RL06"}
    assert chosen(stage) == ["RL01", "RL02", "RL05", "RL06"]
    correct(event, "r1t2", [2, 4, 6, 1])
    assert asked(stage) is None


def test_question_answered_by_keep_is_not_asked_again(cast: Cast, event: Event) -> None:
    stage = cut(event)
    correct(event, "r1t2", OTHERS)
    answer(event, stage, "keep")
    review_cuts(event.pk, now=LATER)
    assert asked(stage) is None
    assert "RL06" in chosen(stage)
    correct(event, "r1t1", [1, 5, 3, 4])  # now RL03 has 3 as well, and RL02 5
    assert asked(stage) == {
        "above": 4,
        "tie": False,
        "come": "RL03 and RL07",
        "go": "RL02 and RL06",
    }


def test_cut_made_again_takes_tables_of_others_away(event: Event, people: list[Player]) -> None:
    stage = cut(event)
    table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    correct(event, "r1t2", OTHERS)
    with CaptureQueriesContext(connection) as asked_for:
        answer(event, stage, "redo")
    if connection.features.has_select_for_update:
        said = [query["sql"] for query in asked_for.captured_queries]
        locks = [
            at for at, sql in enumerate(said) if "FOR NO KEY UPDATE OF" in sql and '_game"' in sql
        ]
        dirty = [at for at, sql in enumerate(said) if "UPDATE" in sql and "_dirty" in sql]
        hands = [at for at, sql in enumerate(said) if 'FROM "tournaments_hand"' in sql]
        assert min(locks) < min(dirty + hands)
    line = AuditLine.objects.order_by("number").last()
    assert line is not None
    assert (line.act, line.facts["tables"]) == ("redo_cut", ["r2t1"])
    assert chosen(stage) == ["RL01", "RL02", "RL05", "RL07"]
    assert not Table.objects.filter(round__number=2).exists()
    assert asked(stage) is None
    assert [row["player_id"] for row in published(event)][:4] == ["RL01", "RL05", "RL02", "RL07"]
    table(event, [people[at] for at in (0, 1, 4, 6)], round_number=2)


def test_cut_that_was_played_is_not_made_again(event: Event, people: list[Player]) -> None:
    stage = cut(event)
    hand(table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2), 1, [1, 3, 5, 4], 3)
    correct(event, "r1t2", OTHERS)
    with pytest.raises(Conflict, match="cut_is_played"):
        answer(event, stage, "redo")
    assert asked(stage) is not None
    assert "RL06" in chosen(stage)


def test_tie_that_a_correction_makes_is_shared_where_the_event_shares_places(event: Event) -> None:
    stage = cut(event)
    correct(event, "r1t2", CHANGED)
    found = asked(stage)
    assert found is not None
    assert (found["tie"], found["above"]) == (False, 6)
    answer(event, stage, "redo")
    assert chosen(stage) == ["RL01", "RL02", "RL03", "RL05", "RL06", "RL07"]


def test_tie_that_a_correction_makes_at_the_cut_is_asked_about(event: Event) -> None:
    event.settings["playoff"] = "table"
    event.save(update_fields=["settings"])
    stage = cut(event)
    correct(event, "r1t2", CHANGED)
    found = asked(stage)
    assert found is not None
    assert found["tie"] is True
    with pytest.raises(Conflict, match="cut_tied"):
        answer(event, stage, "redo")


@pytest.mark.parametrize(("finished", "there"), [("redo", "RL07"), ("keep", "RL06")])
def test_setting_answers_by_itself(event: Event, finished: str, there: str) -> None:
    stage = cut(event)
    event.settings["playoff_rules"] = {"finished": finished}
    event.save(update_fields=["settings"])
    correct(event, "r1t2", OTHERS)
    assert asked(stage) is None
    assert chosen(stage) == sorted(["RL01", "RL02", "RL05", there])


def test_hands_of_the_final_and_later_gifts_ask_nothing(event: Event, people: list[Player]) -> None:
    stage = cut(event)
    hand(table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2), 1, [9, 4, 0, 0], 0)
    penalize(event, "RL01", "9", "Late.", now=LATER + timedelta(minutes=1))
    withdraw(event, "RL02")
    publish(event.pk, now=LATER)
    review_cuts(event.pk, now=LATER)
    assert asked(stage) is None


@pytest.mark.parametrize(
    ("given", "reason", "code"),
    [("maybe", "So.", "bad_cut_answer"), ("keep", " ", "reason_required")],
)
def test_answer_needs_a_word_and_a_reason(event: Event, given: str, reason: str, code: str) -> None:
    stage = cut(event)
    correct(event, "r1t2", OTHERS)
    with pytest.raises(Refused) as told:
        answer(event, stage, given, reason)
    assert [problem.code for problem in told.value.problems] == [code]
    assert asked(stage) is not None


def test_cut_of_an_event_that_is_over_is_kept_and_not_made_again(event: Event) -> None:
    stage = cut(event)
    correct(event, "r1t2", OTHERS)
    move_event(by_tests(LATER), event, to="closed")
    publish(event.pk, now=LATER)
    schedule_event_playoffs(event.pk)
    assert refusal_of_redo(event, stage) == "event_is_over"
    with pytest.raises(Conflict, match="cuts_asked"):
        move_event(by_tests(LATER + timedelta(days=9)), event, to="final")
    answer(event, stage, "keep")
    with pytest.raises(Conflict, match="playoffs_looked_for"):
        move_event(by_tests(LATER + timedelta(days=9)), event, to="final")
    publish(event.pk, now=LATER)
    schedule_event_playoffs(event.pk)
    move_event(by_tests(LATER + timedelta(days=9)), event, to="final")
    assert "RL06" in chosen(stage)


def test_setting_redo_asks_where_the_event_is_over(event: Event) -> None:
    stage = cut(event)
    event.settings["playoff_rules"] = {"finished": "redo"}
    event.save(update_fields=["settings"])
    move_event(by_tests(LATER), event, to="closed")
    correct(event, "r1t2", OTHERS)
    assert asked(stage) is not None
    assert "RL06" in chosen(stage)


def test_answer_to_an_older_table_does_not_redo(event: Event) -> None:
    stage = cut(event)
    correct(event, "r1t2", OTHERS)
    game = Table.objects.get(event=event, code="r1t2").game
    hand(game, 1, [2, 4, 6, 1], 3, based_on=2, reason="Read wrongly.", now=LATER)
    assert refusal_of_redo(event, stage) == "standings_behind"
    publish(event.pk, now=LATER)
    assert refusal_of_redo(event, stage) == "playoffs_looked_for"
    assert "RL06" in chosen(stage)
    answer(event, stage, "keep")


def refusal_of_redo(event: Event, stage: Stage) -> str:
    with pytest.raises(Conflict) as told:
        answer(event, stage, "redo")
    return told.value.problem.code


def test_table_that_changed_while_it_was_counted_is_left_to_the_next_look(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = cut(event)
    game = Table.objects.get(event=event, code="r1t2").game
    hand(game, 1, OTHERS, 3, based_on=1, reason="Read wrongly.", now=LATER)
    publish(event.pk, now=LATER)

    def and_then_a_hand(event: Event, *, until_round: int | None = None) -> list[GameResult]:
        games = every_game(event, until_round=until_round)
        hand(game, 1, [2, 4, 6, 1], 3, based_on=2, reason="Read rightly.", now=LATER)
        return games

    with monkeypatch.context() as patched:
        patched.setattr("tournaments.services.publishing.reviews.every_game", and_then_a_hand)
        review_cuts(event.pk, now=LATER)
    assert asked(stage) is None


def test_answer_where_nothing_was_asked_is_refused(event: Event) -> None:
    with pytest.raises(Conflict, match="nothing_asked"):
        answer(event, cut(event), "keep")


def answer(event: Event, stage: Stage, given: str, reason: str = "Default.") -> None:
    answer_cut(by_tests(LATER), get_stage(event, stage.number), answer=given, reason=reason)


def test_tie_at_the_cut_is_played_off_and_then_they_go_on(event: Event) -> None:
    event.settings |= {"boundaries": {"cut": 3}, "playoff": "extra_hands"}
    event.save(update_fields=["settings"])
    correct(event, "r1t2", [2, 3, 7, 1])  # RL02 and RL06 are tied at place 3
    move_event(by_tests(LATER), event, to="closed")
    look(event)
    move_playoff(by_tests(LATER), event, number=1, to="by_lot")
    look(event)
    move_event(by_tests(LATER), event, to="open", reason="The final.")
    publish(event.pk, now=LATER)
    stage = cut(event, 3)
    third = {"RL02", "RL06"} & set(chosen(stage))
    assert (len(chosen(stage)), len(third)) == (3, 1)
    move_event(by_tests(LATER), event, to="closed")
    look(event)
    review_cuts(event.pk, now=LATER)
    assert asked(stage) is None
    assert [(playoff.state, playoff.asked) for playoff in Playoff.objects.filter(event=event)] == [
        ("by_lot", None)
    ]


def test_worker_looks_at_cuts_after_each_publication(event: Event) -> None:
    stage = cut(event)
    game = Table.objects.get(event=event, code="r1t2").game
    hand(game, 1, OTHERS, 3, based_on=1, reason="Read wrongly.", now=LATER)
    publish(event.pk, now=LATER)
    assert asked(stage) is None
    schedule_event_playoffs(event.pk)
    assert asked(stage) == {"above": 4, "tie": False, "come": "RL07", "go": "RL06"}


def test_those_with_a_bye_in_the_next_round_of_a_cup_went_on(cast: Cast) -> None:
    client, event = cups.cup(cast, 10)
    cups.play(cups.post(client, cups.planned(client, sizes=[4])))
    later = cups.post(client, cups.planned(client, sizes=[4]))
    assert len(list_byes(later)) == 2
    review_cuts(event.pk, now=NOW)
    assert asked(get_stage(event, 1)) is None
