"""Cuts: the best go on, only they sit down, they rank first; a correction asks first."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scoring.errors import Problem, Refused
from scoring.standings.rows import GameResult
from tests.builders import TESTS, hand, league, players, table
from tests.cast import NOW, Cast, enter_the_cast
from tests.playing_off import look
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.changes import Change
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.meetings import Round, Sitting, Table
from tournaments.models.playoffs import Playoff, StageEntrant
from tournaments.models.standings import Companion
from tournaments.publishing.companions import make_all
from tournaments.publishing.cuts import review_cuts
from tournaments.publishing.evidence import every_game
from tournaments.publishing.publications import publish
from tournaments.services.entrants import move_entrant
from tournaments.services.events import move_event
from tournaments.services.games import close_tables
from tournaments.services.ledger import add_line
from tournaments.services.playoff_acts import move_playoff
from tournaments.services.rounds import make_round, move_round
from tournaments.services.seat_plans import free_players, players_at_seats
from tournaments.services.seating import clear_table, reseat_table, seat_table
from tournaments.services.stages import answer_cut, make_cut, undo_cut
from tournaments.tasks import look_for_playoffs

LATER = NOW + timedelta(hours=2)
NAMES = ("Elsa D.", "Xenia S.", "Ruth K.", "Omar B.", "Ivo T.", "Lena M.", "Paul R.", "Gwen A.")


@pytest.fixture
def cast(db: None) -> Cast:
    return enter_the_cast()


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


@pytest.fixture
def event(cast: Cast, people: list[Player]) -> Event:
    """After round 1: RL01 1, RL05 2, RL02 3, RL06 4, RL03 5, RL07 6, RL08 14, RL04 17."""
    event = league(cast.riverside)
    one = table(event, people[:4])
    two = table(event, people[4:], table_number=2)
    hand(one, 1, [1, 3, 5, 4], 3)
    hand(two, 1, [2, 4, 6, 1], 3)
    close(event, 1)
    return event


def close(event: Event, number: int) -> None:
    round_ = Round.objects.get(event=event, number=number)
    close_tables(actor=TESTS, round_=round_, now=NOW)
    move_round(actor=TESTS, round_=round_, to="closed", now=NOW)
    publish(event.pk, now=NOW)


def cut(event: Event, number: object = 4, name: str = "") -> Stage:
    return make_cut(actor=TESTS, event=event, cut=number, name=name, now=LATER)


def withdraw(event: Event, code: str) -> None:
    move_entrant(actor=TESTS, event=event, code=code, to="withdrawn", reason="Moved away.", now=NOW)


def chosen(stage: Stage) -> list[str]:
    return sorted(StageEntrant.objects.filter(stage=stage).values_list("entrant__code", flat=True))


def published(event: Event) -> list[Mapping[str, Any]]:
    publication = publish(event.pk, now=LATER)
    assert publication is not None
    return list(json.loads(bytes(publication.body))["rows"])


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
    assert [line.kind for line in Change.objects.order_by("pk")] == ["make_cut"]
    line = AuditLine.objects.order_by("number").last()
    assert line is not None
    assert (line.act, line.subject) == ("make_cut", "event:league/stage:2")


def test_they_rank_before_the_others_and_the_table_says_why(
    event: Event, people: list[Player]
) -> None:
    cut(event)
    final = seat_table(
        actor=TESTS, event=event, round_number=2, players=[people[at] for at in (0, 1, 4, 5)],
        now=LATER,
    )  # fmt: skip
    hand(final, 1, [0, 0, 13, 0], 2, slam_choice="others")
    rows = published(event)
    assert [row["player_id"] for row in rows][4:] == ["RL03", "RL07", "RL08", "RL04"]
    first_below = rows[4]
    assert (first_below["rank"], first_below["decided_by"]) == (5, "stage")
    assert first_below["reason"] == f"{rows[3]['player_id']} went on to the final of 4"
    assert rows[3]["ahead"] == "above RL03: went on to the final of 4"
    assert [row.get("stage") for row in rows] == ["the final of 4"] * 4 + [None] * 4


def test_table_as_of_a_round_before_the_cut_knows_nothing_of_it(
    event: Event, people: list[Player]
) -> None:
    again = table(event, people[:4], round_number=2)
    hand(again, 1, [1, 3, 5, 4], 3)
    close(event, 2)
    cut(event)
    newest = published(event)
    make_all(event.pk)
    rows = {
        one.key: json.loads(bytes(one.body))["rows"]
        for one in Companion.objects.filter(event=event, kind="as_of")
    }
    assert [row["decided_by"] for row in rows["1"]][4] == "raw_per_hand"
    assert rows["2"] == newest


def test_best_of_the_final_go_on_from_those_who_went_on(event: Event, people: list[Player]) -> None:
    cut(event)
    final = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    hand(final, 1, [9, 4, 0, 0], 0)
    close(event, 2)
    stage = cut(event, 2, "Last two")
    assert (stage.number, chosen(stage)) == (3, ["RL05", "RL06"])
    rows = published(event)
    assert [(row["player_id"], row["decided_by"]) for row in rows][:5] == [
        ("RL05", None), ("RL06", "raw_per_hand"), ("RL02", "stage"), ("RL01", "raw_per_hand"),
        ("RL03", "stage"),
    ]  # fmt: skip
    assert refusal_of_three(event).facts == {"found": 2, "wanted": 3}


def refusal_of_three(event: Event) -> Problem:
    with pytest.raises(Refused) as told:
        cut(event, 3)
    return told.value.problems[0]


def test_withdrawn_are_passed_over(event: Event) -> None:
    withdraw(event, "RL05")
    publish(event.pk, now=NOW)
    assert chosen(cut(event)) == ["RL01", "RL02", "RL03", "RL06"]


def test_who_has_too_few_games_for_a_rank_is_passed_over(
    event: Event, people: list[Player]
) -> None:
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


def test_more_than_there_are_is_refused(event: Event) -> None:
    problem = refusal(event, 9)
    assert (problem.code, dict(problem.facts)) == ("cut_too_large", {"found": 8, "wanted": 9})


def test_name_too_long_is_refused(event: Event) -> None:
    assert refusal(event, 4, "x" * 121).code == "name_too_long"


def test_open_round_is_named(event: Event, people: list[Player]) -> None:
    table(event, people[:4], round_number=2)
    problem = refusal(event)
    assert (problem.code, dict(problem.facts)) == (
        "cut_round_open", {"round": 2, "state": "posted"},
    )  # fmt: skip


def test_draft_without_a_table_becomes_a_round_of_the_final(event: Event) -> None:
    draft = make_round(actor=TESTS, event=event, now=NOW)
    stage = cut(event)
    draft.refresh_from_db()
    assert draft.stage == stage


def test_change_that_is_not_published_yet_is_waited_for(event: Event, people: list[Player]) -> None:
    withdraw(event, "RL05")
    assert refusal(event).code == "standings_behind"


def test_tie_across_the_line_is_named_with_the_numbers_that_fit(
    event: Event, people: list[Player]
) -> None:
    correct(event, "r1t2", [2, 3, 7, 1])  # RL06 has 3 now, as RL02
    problem = refusal(event, 3)
    assert (problem.code, dict(problem.facts)) == (
        "cut_tied", {"cut": 3, "level": "RL02 and RL06", "fits": "2 or 4"},
    )  # fmt: skip
    assert chosen(cut(event, 4)) == ["RL01", "RL02", "RL05", "RL06"]


def correct(event: Event, code: str, hearts: list[int], queen: int = 3) -> None:
    """Type a hand of a closed round anew, publish, and look at the cuts as a worker does."""
    game = Table.objects.get(event=event, code=code).game
    revision = game.hands.get(number=1).revision
    hand(game, 1, hearts, queen, based_on=revision, reason="Read wrongly.", now=LATER)
    publish(event.pk, now=LATER)
    look_for_playoffs(event.pk)


@pytest.mark.parametrize("state", ["draft", "closed"])
def test_event_that_is_not_open_makes_no_cut(cast: Cast, event: Event, state: str) -> None:
    if state == "closed":
        move_event(actor=TESTS, event=event, to="closed", now=NOW)
        publish(event.pk, now=NOW)
        assert refusal(event).code == "event_is_over"
    else:
        fresh = league(cast.riverside, slug="fresh")
        fresh = move_event(actor=TESTS, event=fresh, to="draft", now=NOW)
        assert refusal(fresh).code == "event_not_open"


@pytest.mark.parametrize("who", ["hanna", "piet", "nora"])
def test_only_directors_cut(cast: Cast, event: Event, who: str) -> None:
    with pytest.raises(Forbidden):
        make_cut(actor=cast.actor(who), event=event, cut=4, now=NOW)
    assert Stage.objects.filter(event=event).count() == 1


def test_who_did_not_go_on_is_not_seated(event: Event, people: list[Player]) -> None:
    cut(event)
    with pytest.raises(Refused) as told:
        table(event, [people[at] for at in (0, 1, 2, 4)], round_number=2)
    (problem,) = told.value.problems
    assert (problem.code, dict(problem.facts)) == (
        "not_in_stage", {"player_id": "RL03", "round": 2, "stage": "the final of 4"},
    )  # fmt: skip
    assert not Table.objects.filter(round__number=2).exists()


def test_nor_moved_there_nor_offered(event: Event, people: list[Player]) -> None:
    cut(event)
    game = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    with pytest.raises(Refused) as told:
        reseat_table(actor=TESTS, game=game, players=people[:4], now=LATER)
    assert {problem.code for problem in told.value.problems} == {"not_in_stage"}
    assert Sitting.objects.filter(seat__table=game.table).count() == 4
    draft = make_round(actor=TESTS, event=event, now=LATER)
    assert [one.player_id for one in free_players(event.club, draft)] == [
        "RL01", "RL05", "RL06", "RL02",
    ]  # fmt: skip
    with pytest.raises(Refused) as at_a_seat:
        players_at_seats(club=event.club, round_=draft, typed=["RL01", "RL03"])
    (problem,) = at_a_seat.value.problems
    assert (problem.code, problem.at) == ("not_in_stage", ("seat", 2))


def test_cut_is_taken_back_while_nothing_was_played(event: Event, people: list[Player]) -> None:
    before = published(event)
    stage = cut(event)
    game = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    undo(event, stage.number)
    assert published(event) == before
    game.table.round.refresh_from_db()
    assert game.table.round.stage.number == 1
    assert [line.kind for line in Change.objects.order_by("pk")] == ["make_cut", "undo_cut"]
    clear_table(actor=TESTS, game=game, now=LATER)
    Round.objects.filter(event=event, number=2).update(state="draft")
    assert cut(event).number == 2


def test_cut_that_was_played_stays(event: Event, people: list[Player]) -> None:
    stage = cut(event)
    game = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    hand(game, 1, [1, 3, 5, 4], 3)
    with pytest.raises(Conflict) as told:
        undo(event, stage.number)
    assert told.value.problem.code == "cut_is_played"
    assert len(chosen(stage)) == 4


def test_only_the_last_cut_is_taken_back(event: Event) -> None:
    cut(event, 4)
    publish(event.pk, now=LATER)
    cut(event, 2)
    with pytest.raises(Conflict) as told:
        undo(event, 2)
    assert told.value.problem.code == "cut_is_not_last"


def test_stage_without_a_cut_is_not_taken_back(event: Event) -> None:
    for number in (1, 7):
        with pytest.raises(Missing):
            undo(event, number)


def undo(event: Event, number: int) -> None:
    undo_cut(actor=TESTS, event=event, number=number, reason="Too early.", now=LATER)


def asked(stage: Stage) -> Mapping[str, Any] | None:
    stage.refresh_from_db()
    return stage.asked and stage.asked["facts"]


CHANGED = [2, 5, 5, 1]
"""Round 1 at table 2, read anew: RL06 has 5, so RL03 is level with RL06 behind RL02."""
OTHERS = [2, 6, 4, 1]
"""Likewise: RL07 has 4 and RL06 6, so RL07 would go on in the place of RL06."""


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


def test_cut_that_is_made_again_takes_tables_of_others_away(
    event: Event, people: list[Player]
) -> None:
    stage = cut(event)
    table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    correct(event, "r1t2", OTHERS)
    with CaptureQueriesContext(connection) as asked_for:
        answer(event, stage, "redo")
    if connection.features.has_select_for_update:
        said = [one["sql"] for one in asked_for.captured_queries]
        locks = [at for at, sql in enumerate(said) if "FOR UPDATE OF" in sql and '_game"' in sql]
        dirty = [at for at, sql in enumerate(said) if "FOR UPDATE" in sql and '_dirty"' in sql]
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
    game = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    hand(game, 1, [1, 3, 5, 4], 3)
    correct(event, "r1t2", OTHERS)
    with pytest.raises(Conflict) as told:
        answer(event, stage, "redo")
    assert told.value.problem.code == "cut_is_played"
    assert asked(stage) is not None
    assert "RL06" in chosen(stage)


def test_tie_that_a_correction_makes_at_the_cut_is_asked_about(event: Event) -> None:
    stage = cut(event)
    correct(event, "r1t2", CHANGED)
    found = asked(stage)
    assert found is not None
    assert found["tie"] is True
    with pytest.raises(Conflict) as told:
        answer(event, stage, "redo")
    assert told.value.problem.code == "cut_tied"


@pytest.mark.parametrize(("finished", "there"), [("redo", "RL07"), ("keep", "RL06")])
def test_setting_answers_by_itself(event: Event, finished: str, there: str) -> None:
    stage = cut(event)
    event.settings["playoff_rules"] = {"finished": finished}
    event.save(update_fields=["settings"])
    correct(event, "r1t2", OTHERS)
    assert asked(stage) is None
    assert chosen(stage) == sorted(["RL01", "RL02", "RL05", there])


def test_hands_of_the_final_and_what_is_given_later_ask_nothing(
    event: Event, people: list[Player]
) -> None:
    stage = cut(event)
    game = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    hand(game, 1, [9, 4, 0, 0], 0)
    add_line(
        actor=TESTS, event=event, entrant="RL01", kind="penalty", amount="9", reason="Late.",
        now=LATER + timedelta(minutes=1),
    )  # fmt: skip
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
    move_event(actor=TESTS, event=event, to="closed", now=LATER)
    publish(event.pk, now=LATER)
    look_for_playoffs(event.pk)
    assert refusal_of_redo(event, stage) == "event_is_over"
    with pytest.raises(Conflict, match="cuts_asked"):
        move_event(actor=TESTS, event=event, to="final", now=LATER + timedelta(days=9))
    answer(event, stage, "keep")
    with pytest.raises(Conflict, match="playoffs_looked_for"):
        move_event(actor=TESTS, event=event, to="final", now=LATER + timedelta(days=9))
    publish(event.pk, now=LATER)
    look_for_playoffs(event.pk)
    move_event(actor=TESTS, event=event, to="final", now=LATER + timedelta(days=9))
    assert "RL06" in chosen(stage)


def test_setting_redo_asks_where_the_event_is_over(event: Event) -> None:
    stage = cut(event)
    event.settings["playoff_rules"] = {"finished": "redo"}
    event.save(update_fields=["settings"])
    move_event(actor=TESTS, event=event, to="closed", now=LATER)
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
        patched.setattr("tournaments.publishing.cuts.every_game", and_then_a_hand)
        review_cuts(event.pk, now=LATER)
    assert asked(stage) is None


def test_answer_where_nothing_was_asked_is_refused(event: Event) -> None:
    with pytest.raises(Conflict) as told:
        answer(event, cut(event), "keep")
    assert told.value.problem.code == "nothing_asked"


def answer(event: Event, stage: Stage, given: str, reason: str = "As the rules say.") -> None:
    answer_cut(
        actor=TESTS, event=event, number=stage.number, answer=given, reason=reason, now=LATER
    )


def test_tie_at_the_cut_is_played_off_and_then_they_go_on(event: Event) -> None:
    event.settings |= {"boundaries": {"cut": 3}, "playoff": "extra_hands"}
    event.save(update_fields=["settings"])
    correct(event, "r1t2", [2, 3, 7, 1])  # RL02 and RL06 are level at place 3
    move_event(actor=TESTS, event=event, to="closed", now=LATER)
    look(event)
    move_playoff(actor=TESTS, event=event, number=1, to="by_lot", now=LATER)
    look(event)
    move_event(actor=TESTS, event=event, to="open", reason="The final.", now=LATER)
    publish(event.pk, now=LATER)
    stage = cut(event, 3)
    third = {"RL02", "RL06"} & set(chosen(stage))
    assert (len(chosen(stage)), len(third)) == (3, 1)
    move_event(actor=TESTS, event=event, to="closed", now=LATER)
    look(event)
    review_cuts(event.pk, now=LATER)
    assert asked(stage) is None
    assert [(one.state, one.asked) for one in Playoff.objects.filter(event=event)] == [
        ("by_lot", None)
    ]


def test_worker_looks_at_cuts_after_each_publication(event: Event) -> None:
    stage = cut(event)
    game = Table.objects.get(event=event, code="r1t2").game
    hand(game, 1, OTHERS, 3, based_on=1, reason="Read wrongly.", now=LATER)
    publish(event.pk, now=LATER)
    assert asked(stage) is None
    look_for_playoffs(event.pk)
    assert asked(stage) == {"above": 4, "tie": False, "come": "RL07", "go": "RL06"}
