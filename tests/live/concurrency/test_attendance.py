"""Several devices state different things of one player, while the player is merged or the evening
is changed: the newest statement counts, and nothing waits without end."""

from datetime import datetime, timedelta
from functools import partial

import pytest

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import only_long, short_or_long
from tests.support.live.at_once import Action, Within
from tests.support.scenarios.mails import give_addresses, link
from tournaments.delivery.mail.sender import compose
from tournaments.models.clubs import Player, PlayerMerge
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.jobs import Deadline, Outbox
from tournaments.models.rounds import Attendance, Meeting, Round
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.fill_ins import answer_fill_in, ask_fill_in
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.attendance.set_attendance import add_meeting_guest, set_attendance
from tournaments.services.events.entrants import add_entrant
from tournaments.services.ladders.members import move_entrant
from tournaments.services.operations import Operation
from tournaments.services.people.merge_players import merge_players
from tournaments.services.rounds.meetings import (
    change_meeting,
    plan_meeting,
    remove_meeting,
    start_evening,
)
from tournaments.services.rounds.rounds import make_round, remove_round
from tournaments.tasks import run_deadline_job

pytestmark = pytest.mark.pg

DAY = NOW.date()
OP = by_tests()


def evening() -> tuple[Meeting, list[Player]]:
    event = league(enter_the_cast().riverside)
    meeting = plan_meeting(OP, event, day=DAY)
    return meeting, players(event.club, "Ada A.", "Bo B.")


def cancel(meeting: Meeting, now: datetime = NOW) -> Action:
    return partial(change_meeting, by_tests(now), meeting, state="cancelled", reason="Flood.")


def state(meeting: Meeting, player: Player, to: str, minutes: int) -> object:
    return set_attendance(
        OP, meeting, player=player, state=to, stated_at=NOW - timedelta(minutes=minutes)
    )


def test_newest_of_several_statements_counts_in_whatever_order_they_come(within: Within) -> None:
    with within():
        meeting, (ada, _bo) = evening()
    for turn in range(short_or_long(2, 20)):
        said = ["absent", "late", "left", "here"]
        actions = [partial(state, meeting, ada, one, 4 - at) for at, one in enumerate(said)]
        assert within.at_once(*actions[:: 1 if turn % 2 else -1]) == []
        with within():
            row = Attendance.objects.get()
            assert (row.state, row.stated_at) == ("here", NOW - timedelta(minutes=1))
            assert Change.objects.filter(kind="attendance").count() == 4
            Attendance.objects.all().delete()
            Change.objects.all().delete()


def test_two_directors_who_tick_the_same_player_check_in_once(within: Within) -> None:
    with within():
        meeting, (ada, _bo) = evening()
    for _turn in range(short_or_long(2, 20)):
        guest = partial(add_meeting_guest, OP, meeting, name="Ada A.")
        ticks = [partial(state, meeting, ada, "here", minutes) for minutes in (1, 1, 2)]
        assert within.at_once(*ticks, guest) == []
        with within():
            row = Attendance.objects.get()
            assert (row.player_id, row.state, row.stated_at) == (ada.pk, "here", NOW)
            changes = Change.objects.filter(kind="attendance")
            assert [one.facts["to"] for one in changes if one.facts["from"] == ""] == ["here"]
            assert Player.objects.count() == 2
            Attendance.objects.all().delete()
            Change.objects.all().delete()


@pytest.mark.parametrize(("minutes", "newest"), [(2, "left"), (0, "here")])
def test_check_out_of_who_withdraws_and_a_host_s_statement_leave_the_newest(
    within: Within, minutes: int, newest: str
) -> None:
    with within():
        meeting, (ada, bo) = evening()
        pair = add_entrant(by_tests(), meeting.event, kind="pair", players=[ada, bo])
    before = by_tests(NOW - timedelta(minutes=1))
    for _turn in range(short_or_long(2, 20)):
        with within():
            for one in (ada, bo):
                state(meeting, one, "here", 3)
        actions: list[Action] = [
            partial(move_entrant, before, pair, to="withdrawn", reason="Ill.", check_out=True),
            partial(state, meeting, ada, "here", minutes),
            partial(state, meeting, bo, "here", 2),
        ]
        assert within.at_once(*actions) == []
        with within():
            found = Attendance.objects.order_by("player").values_list("state", flat=True)
            assert list(found) == [newest, "left"]
            move_entrant(by_tests(), pair, to="active", reason="Well.")
            Attendance.objects.all().delete()


@pytest.mark.parametrize("anyway", [False, only_long(True)])
def test_evening_removed_while_somebody_checks_in_leaves_both_or_neither(
    within: Within, *, anyway: bool
) -> None:
    with within():
        meeting, (ada, bo) = evening()
    for _turn in range(short_or_long(2, 20)):
        event = meeting.event
        refused = within.at_once(
            partial(state, meeting, ada, "here", 1),
            partial(remove_meeting, OP, meeting, anyway=anyway),
            partial(state, meeting, bo, "late", 1),
        )
        gone = {"unknown_meeting"}
        with within():
            is_there = Meeting.objects.filter(pk=meeting.pk).exists()
            assert is_there == ("meeting_has_attendance" in refused)
            assert set(refused) - {"meeting_has_attendance"} <= gone
            assert Attendance.objects.count() == (2 if is_there else 0)
            if anyway:
                assert not is_there
            Meeting.objects.all().delete()
            meeting = plan_meeting(OP, event, day=DAY)


def test_evening_that_several_directors_start_or_plan_at_once_is_one(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        Event.objects.update(state="draft")
    for _turn in range(short_or_long(2, 20)):
        start = partial(start_evening, OP, event)
        refused = within.at_once(start, start, partial(plan_meeting, OP, event, day=DAY))
        assert set(refused) <= {"meeting_exists"}
        with within():
            assert [meeting.date for meeting in Meeting.objects.all()] == [DAY]
            assert Event.objects.get().state == "open"
            Meeting.objects.all().delete()
            Event.objects.update(state="draft")


def test_evening_cancelled_while_its_first_round_is_made_has_none_or_stays(within: Within) -> None:
    with within():
        meeting, _people = evening()
    event = meeting.event
    for _turn in range(short_or_long(2, 20)):
        refused = within.at_once(cancel(meeting), partial(make_round, by_tests(), event, on=DAY))
        assert refused in (["meeting_has_rounds"], ["meeting_is_cancelled"])
        with within():
            stored = Meeting.objects.get()
            is_cancelled = stored.state == "cancelled"
            assert Round.objects.filter(meeting=stored).exists() == (not is_cancelled)
            Round.objects.all().delete()
            change_meeting(OP, meeting, state="planned")


def test_evening_is_not_cancelled_while_a_host_enters_its_first_hand(within: Within) -> None:
    with within():
        meeting, people = evening()
        people += players(meeting.event.club, "Cy C.", "Di D.")
    event = meeting.event
    for number in range(1, 1 + short_or_long(2, 20)):
        day = DAY + timedelta(days=number)
        with within():
            game = table(event, people, round_number=number, on=day)
            meeting = meeting_on(event, day)
        refused = within.at_once(cancel(meeting), partial(hand, game, 1, [4, 1, 2, 6], 3))
        # The other code where the hand is first: a held evening cannot be cancelled at all.
        assert refused in (["meeting_has_rounds"], ["state_not_allowed"])
        with within():
            assert meeting_on(event, day).state_now == "held"  # type: ignore[attr-defined]
            assert Hand.objects.filter(game=game).count() == 1


def test_player_who_is_merged_while_checked_in_is_checked_in_once(within: Within) -> None:
    with within():
        meeting, (ada, bo) = evening()
    for _turn in range(short_or_long(2, 20)):
        merge = partial(merge_players, by_tests(), ada, target=bo)
        refused = within.at_once(
            merge, partial(state, meeting, ada, "here", 1), partial(state, meeting, bo, "late", 2)
        )
        assert refused in ([], ["player_is_merged"])
        with within():
            row = Attendance.objects.get()
            assert row.player_id == bo.pk
            assert row.state == ("late" if refused else "here")
            PlayerMerge.objects.all().delete()
            Player.objects.filter(pk=ada.pk).update(merged_into=None, is_active=True)
            Attendance.objects.all().delete()


def test_check_in_and_cancelling_at_once_leave_one_of_both_refused_or_done(within: Within) -> None:
    with within():
        meeting, (ada, _bo) = evening()
    for _turn in range(short_or_long(2, 20)):
        refused = within.at_once(
            cancel(meeting),
            partial(state, meeting, ada, "here", 1),
            partial(add_meeting_guest, OP, meeting, name="Tom T."),
            partial(add_meeting_guest, OP, meeting, name="Tom T."),
        )
        assert set(refused) <= {"meeting_is_cancelled"}
        with within():
            assert Player.objects.filter(name="Tom T.").count() <= 1
            assert Attendance.objects.filter(player=ada).count() <= 1
            change_meeting(OP, meeting, state="planned")
            Attendance.objects.all().delete()


def linked_evening() -> tuple[Meeting, Player, Actor]:
    """An evening in a week; Piet's account is Ada, with a mail address."""
    cast = enter_the_cast()
    give_addresses()
    event = league(cast.riverside)
    meeting = plan_meeting(OP, event, day=DAY + timedelta(days=7))
    ada = players(event.club, "Ada A.")[0]
    return meeting, ada, link(cast, "piet", ada)


def test_evening_cancelled_while_it_is_reminded_of_sends_no_reminder(within: Within) -> None:
    with within():
        meeting, _ada, piet = linked_evening()
        deadline = Deadline.objects.get(kind="evening_reminder").pk
    due = NOW + timedelta(days=5)
    for _turn in range(short_or_long(2, 20)):
        with within():
            state_own_attendance(Operation(piet, NOW), meeting, state="expected")
        actions: list[Action] = [cancel(meeting, due), partial(run_deadline_job, deadline, now=due)]
        assert within.at_once(*actions) == []
        with within():
            assert not Deadline.objects.filter(kind="evening_reminder", done_at=None).exists()
            waiting = Outbox.objects.filter(sent_at=None).select_related("club", "user")
            found = {one.kind: compose(one) for one in waiting}
            assert found.pop("evening_cancelled") is not None
            assert set(found.values()) <= {None}, "what was written before is not sent"
            Outbox.objects.all().delete()
            Attendance.objects.all().delete()
            change_meeting(OP, meeting, state="planned")
            Outbox.objects.all().delete()
            deadline = Deadline.objects.get(kind="evening_reminder").pk


def test_answers_by_mail_and_on_the_page_at_one_moment_leave_the_newest(within: Within) -> None:
    with within():
        meeting, ada, piet = linked_evening()
    for turn in range(short_or_long(2, 20)):
        said = [("expected", 0), ("absent", 1), ("expected", 2), ("absent", 3)]
        actions = [
            partial(
                state_own_attendance,
                Operation(piet, NOW + timedelta(seconds=at)),
                meeting,
                state=one,
            )
            for one, at in said[:: 1 if turn % 2 else -1]
        ]
        assert within.at_once(*actions) == []
        with within():
            row = Attendance.objects.get(player=ada)
            assert (row.state, row.stated_at) == ("absent", NOW + timedelta(seconds=3))
            Attendance.objects.all().delete()


def test_round_and_change_of_its_evening_at_once_leave_a_dated_round(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
    day = DAY + timedelta(days=7)
    make = partial(make_round, by_tests(), event, on=day)
    for turn in range(short_or_long(2, 20)):
        with within():
            remove_round(by_tests(), make())
            meeting = meeting_on(event, day)
        change: Action = partial(remove_meeting, OP, meeting)
        if turn % 2 == 0:
            change = partial(change_meeting, OP, meeting, day=day + timedelta(days=1))
        assert within.at_once(change, make) in ([], ["meeting_has_rounds"])
        with within():
            made = Round.objects.select_related("meeting").get(event=event)
            assert made.meeting is not None
            assert made.meeting.date == day
            remove_round(by_tests(), made)
            Meeting.objects.filter(event=event).delete()


def test_of_two_who_fill_in_at_one_moment_one_is_in(within: Within) -> None:
    with within():
        meeting, people = evening()
        Player.objects.update(fills_in=True)
    for turn in range(short_or_long(3, 20)):
        op = Operation(OP.actor, OP.now + timedelta(seconds=turn))
        with within():
            request = ask_fill_in(op, meeting)
        taps = [partial(answer_fill_in, op, request, player=person.player_id) for person in people]
        assert within.at_once(*taps, *taps[:1]) in (["fill_in_found"], ["fill_in_found"] * 2)
        with within():
            request.refresh_from_db()
            row = Attendance.objects.get()
            assert (row.player_id, row.state) == (request.filled_by_id, "expected")
            Attendance.objects.all().delete()


def test_two_hosts_who_ask_at_one_moment_ask_once(within: Within) -> None:
    with within():
        meeting, _people = evening()
    ask = partial(ask_fill_in, OP, meeting)
    assert within.at_once(ask, ask) == ["fill_in_is_open"]
