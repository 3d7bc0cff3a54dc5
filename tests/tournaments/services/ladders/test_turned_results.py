"""A correction of the game of a result to confirm: who is asked then, and until when."""

from datetime import datetime, timedelta

import pytest

from tests.support.builders import publish_all
from tests.support.cast import Cast
from tests.support.scenarios.challenges import LATER, answer, codes, issue, played, run_clock
from tests.support.scenarios.ladders import member, order
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Deadline
from tournaments.models.ladders import Challenge
from tournaments.models.notices import Notice
from tournaments.models.standings import Change
from tournaments.selectors.hands.disputes import get_dispute
from tournaments.selectors.ladders.challenges import challenge_at, challenge_line
from tournaments.selectors.notices.notice_messages import NoticeText
from tournaments.selectors.notices.notice_text import notice_lines
from tournaments.services.events.events import move_event
from tournaments.services.hands.disputes import rule_on_dispute
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.ladders.log import sync_log
from tournaments.services.ladders.result_problems import dispute_result
from tournaments.services.operations import Operation

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

DAY_LATER = LATER + timedelta(days=1)
TWO_DAYS = timedelta(hours=48)
H_WINS = [10, 20, 48]
"""Points of H, I and E at the table, as they were entered."""
E_WINS = [48, 20, 10]
TIED = [10, 58, 10]
OTHER_POINTS = [10, 30, 38]


def correct(cast: Cast, points: list[int], now: datetime = DAY_LATER) -> None:
    game = Game.objects.select_related("event__club", "club", "snapshot", "table__round").get()
    hand = game.hands.get()
    record_totals(
        cast.operation("dirk", now), game, entry={"points": points}, hands=None, key=None,
        source="host", based_on=hand.revision, reason="Read again.",
    )  # fmt: skip


def questions(cast: Cast, name: str) -> list[NoticeText]:
    rows = Notice.objects.filter(user=cast.users[name], kind="result_to_confirm")
    return [text for _row, text in notice_lines(rows.select_related("club", "user"))]


def due(event: Event) -> datetime | None:
    row = Deadline.objects.get(event=event, kind="challenge", key="1")
    return row.due_at if row.done_at is None else None


def test_the_new_loser_is_asked_and_has_the_full_time(cast: Cast, event: Event) -> None:
    played(cast, event)
    assert len(questions(cast, "E")) == 1
    correct(cast, E_WINS)
    sync_log(event, DAY_LATER)
    (question,) = questions(cast, "H")
    assert question.title == "Is the result of Member H against Member E right?"
    assert question.paragraphs[1:] == (
        "Member E finished ahead.",
        "No places change.",
        "Without an answer it counts on Sunday 9 November, 22:00.",
    )
    assert questions(cast, "E") == []
    assert due(event) == DAY_LATER + TWO_DAYS
    line = challenge_line(event, challenge_at(event, 1), actor=member(cast, "H"), now=DAY_LATER)
    assert (line.winner, line.due_at, line.played_at) == ("E", DAY_LATER + TWO_DAYS, DAY_LATER)
    assert "confirmed" in line.may


def test_the_turn_is_a_line_of_the_log_and_of_the_trail(cast: Cast, event: Event) -> None:
    played(cast, event)
    correct(cast, E_WINS)
    sync_log(event, DAY_LATER)
    change = Change.objects.get(event=event, kind="turn_result")
    assert (change.by, change.facts) == ("clock", {"challenge": 1})
    assert AuditLine.objects.filter(act="turn_result").count() == 1
    sync_log(event, DAY_LATER + timedelta(hours=1))
    assert Change.objects.filter(kind="turn_result").count() == 1, "once for one correction"
    assert due(event) == DAY_LATER + TWO_DAYS


def test_the_new_winner_reads_first_that_she_won(cast: Cast, event: Event) -> None:
    played(cast, event)
    correct(cast, E_WINS)
    sync_log(event, DAY_LATER)
    rows = Notice.objects.filter(user=cast.users["E"], kind="challenge_answered")
    texts = [text for _row, text in notice_lines(rows.select_related("club", "user"))]
    assert texts[-1].title == "The result of Member H against Member E was corrected"
    assert texts[-1].headline == "You won against Member H."
    assert "Member H is asked to confirm the result." in texts[-1].paragraphs


def test_the_clock_waits_for_the_new_deadline(cast: Cast, event: Event) -> None:
    played(cast, event)
    just_before = LATER + TWO_DAYS - timedelta(minutes=1)
    correct(cast, E_WINS, just_before)
    run_clock(event, LATER + TWO_DAYS)  # the worker has not published the correction yet
    assert Challenge.objects.get().state == "played"
    new_deadline = LATER + TWO_DAYS + TWO_DAYS
    run_clock(event, new_deadline - timedelta(microseconds=1))
    assert Challenge.objects.get().state == "played"
    run_clock(event, new_deadline)
    assert (Challenge.objects.get().state, order(event)) == ("confirmed", "ABCDEFGHIJ")


def test_the_new_loser_alone_confirms_it(cast: Cast, event: Event) -> None:
    played(cast, event)
    correct(cast, E_WINS)
    assert codes(lambda: answer(cast, event, "E", "confirmed", DAY_LATER)) == [
        "challenge_not_the_loser"
    ]
    row = answer(cast, event, "H", "confirmed", DAY_LATER)
    assert (row.state, row.confirmed_as) == ("confirmed", "loser")


def test_other_points_of_the_same_winner_keep_the_deadline(cast: Cast, event: Event) -> None:
    played(cast, event)
    correct(cast, OTHER_POINTS)
    sync_log(event, DAY_LATER)
    assert due(event) == LATER + TWO_DAYS
    assert not Change.objects.filter(kind="turn_result").exists()
    assert questions(cast, "H") == []
    (question,) = questions(cast, "E")
    assert ("Member E", "38 points, place 3") in question.rows


def test_a_tie_turns_a_result_of_the_challenger_alone(cast: Cast, event: Event) -> None:
    played(cast, event)
    correct(cast, TIED)
    sync_log(event, DAY_LATER)
    assert len(questions(cast, "H")) == 1
    assert due(event) == DAY_LATER + TWO_DAYS
    correct(cast, E_WINS)
    sync_log(event, DAY_LATER + timedelta(hours=1))
    assert due(event) == DAY_LATER + TWO_DAYS, "the challenged was ahead with the tie, too"


def test_two_corrections_ask_each_loser_in_turn(cast: Cast, event: Event) -> None:
    played(cast, event)
    correct(cast, E_WINS)
    sync_log(event, DAY_LATER)
    again = DAY_LATER + timedelta(hours=2)
    correct(cast, H_WINS, again)
    sync_log(event, again)
    assert questions(cast, "H") == []
    assert len(questions(cast, "E")) == 2
    assert due(event) == again + TWO_DAYS
    assert Change.objects.filter(kind="turn_result").count() == 2


def test_two_corrections_before_anybody_looks_ask_nobody(cast: Cast, event: Event) -> None:
    played(cast, event)
    correct(cast, E_WINS)
    correct(cast, H_WINS)
    sync_log(event, DAY_LATER)
    assert due(event) == LATER + TWO_DAYS
    assert questions(cast, "H") == []


def test_a_correction_after_the_confirmation_asks_nobody(cast: Cast, event: Event) -> None:
    played(cast, event)
    answer(cast, event, "E", "confirmed")
    assert order(event) == "ABCDHEFGIJ"
    correct(cast, E_WINS)
    publish_all(event, now=DAY_LATER)
    assert (Challenge.objects.get().state, order(event)) == ("confirmed", "ABCDEFGHIJ")
    assert not Change.objects.filter(kind="turn_result").exists()
    assert not Notice.objects.filter(kind="result_to_confirm", user=cast.users["H"]).exists()


def test_a_turned_result_waits_for_an_open_dispute(cast: Cast, event: Event) -> None:
    played(cast, event)
    op = Operation(member(cast, "E"), LATER)
    dispute_result(op, challenge_at(event, 1), words="I had 10.")
    correct(cast, E_WINS)
    sync_log(event, DAY_LATER)
    (question,) = questions(cast, "H")
    assert question.paragraphs[-1] == "The result counts only when a director has decided."
    line = challenge_line(event, challenge_at(event, 1), actor=member(cast, "H"), now=DAY_LATER)
    assert line.due_at is None
    ruled = DAY_LATER + timedelta(hours=1)
    ruling = "Corrected as E says."
    rule_on_dispute(
        cast.operation("dirk", ruled), get_dispute(event, 1), to="upheld", ruling=ruling
    )
    correct(cast, [46, 22, 10], ruled)
    line = challenge_line(event, challenge_at(event, 1), actor=member(cast, "H"), now=ruled)
    assert line.due_at == DAY_LATER + TWO_DAYS


def test_a_deleted_result_turns_nothing_and_a_restored_one_may(cast: Cast, event: Event) -> None:
    played(cast, event)
    game = Game.objects.get()
    void_hand(cast.operation("dirk", DAY_LATER), game, number=0, reason="Wrong table.", based_on=1)
    sync_log(event, DAY_LATER)
    assert due(event) == LATER + TWO_DAYS
    assert not Change.objects.filter(kind="turn_result").exists()
    correct(cast, E_WINS)
    sync_log(event, DAY_LATER)
    assert len(questions(cast, "H")) == 1


def test_a_ladder_that_is_closed_asks_when_it_is_open_again(cast: Cast, event: Event) -> None:
    played(cast, event)
    move_event(cast.operation("dirk", LATER), event, to="closed")
    correct(cast, E_WINS)
    event.refresh_from_db()
    sync_log(event, DAY_LATER)
    assert questions(cast, "H") == []
    reopened = DAY_LATER + timedelta(days=5)
    op = cast.operation("dirk", reopened)
    event = move_event(op, event, to="open", reason="One more month.")
    publish_all(event, now=reopened)
    assert len(questions(cast, "H")) == 1


def test_a_result_of_an_earlier_release_turns_from_its_first_look_on(
    cast: Cast, event: Event
) -> None:
    played(cast, event)
    Challenge.objects.update(result_won_by="")
    sync_log(event, LATER)
    assert Challenge.objects.get().result_won_by == "challenger"
    assert due(event) == LATER + TWO_DAYS
    correct(cast, E_WINS)
    sync_log(event, DAY_LATER)
    assert due(event) == DAY_LATER + TWO_DAYS


def test_a_withdrawn_result_is_forgotten(cast: Cast, event: Event) -> None:
    played(cast, event)
    answer(cast, event, "E", "accepted")
    assert Challenge.objects.get().result_won_by == ""
    issue(cast, event, "J", "I", LATER)
    sync_log(event, LATER)
    assert not Change.objects.filter(kind="turn_result").exists()
