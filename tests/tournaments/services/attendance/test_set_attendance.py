"""Attendance: the newest statement counts, hosts set any state, players answer for themselves."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import league, link, players
from tests.support.cast import NOW, Cast
from tournaments.errors import Conflict, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.notices import Notice
from tournaments.models.rounds import Attendance, Meeting, MeetingState, Round
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.attendance.attendance_list import attendance_counts, attendance_of
from tournaments.selectors.clubs.find_players import NamedPlayers, named_players
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.attendance.set_attendance import (
    add_meeting_guest,
    set_attendance,
    undo_check_in,
)
from tournaments.services.events.events import enter_players
from tournaments.services.operations import Operation
from tournaments.services.rounds.rounds import make_round
from tournaments.states import OWN_ATTENDANCE

pytestmark = pytest.mark.django_db

STATES = ("expected", "here", "late", "left", "absent")
DOORS = NOW - timedelta(hours=2)


@pytest.fixture
def meeting(cast: Cast) -> Meeting:
    event = league(cast.riverside)
    return Meeting.objects.create(
        club=cast.riverside, event=event, date=NOW.date(), time=time(19, 30)
    )


@pytest.fixture
def ada(cast: Cast) -> Player:
    return players(cast.riverside, "Ada A.")[0]


def stated(
    actor: Actor, meeting: Meeting, player: Player, state: str, at: datetime = DOORS, **rounds: Any
) -> Attendance:
    return set_attendance(
        Operation(actor, NOW), meeting, player=player, state=state, stated_at=at, **rounds
    )


def states(meeting: Meeting) -> Iterator[str]:
    yield from Attendance.objects.filter(meeting=meeting).values_list("state", flat=True)


def test_older_statement_is_noted_without_effect(cast: Cast, meeting: Meeting, ada: Player) -> None:
    host = cast.actor("hanna")
    stated(host, meeting, ada, "here", DOORS + timedelta(minutes=5))
    late = stated(host, meeting, ada, "absent", DOORS)
    again = stated(host, meeting, ada, "absent", DOORS)
    assert (late.state, again.state) == ("here", "here")
    assert late.stated_at == DOORS + timedelta(minutes=5)
    lines = Change.objects.filter(kind="attendance").order_by("pk")
    assert [(line.facts["to"], line.facts.get("outdated")) for line in lines] == [
        ("here", None),
        ("here", "absent"),
    ]
    assert AuditLine.objects.filter(act="take_attendance").count() == 2


def test_second_tap_on_check_in_changes_nothing(cast: Cast, meeting: Meeting, ada: Player) -> None:
    first = stated(cast.actor("hanna"), meeting, ada, "here", DOORS)
    second = stated(cast.actor("dirk"), meeting, ada, "here", DOORS + timedelta(seconds=1))
    assert (second.pk, second.arrived_at) == (first.pk, DOORS)
    assert Change.objects.filter(kind="attendance").count() == 1


def test_time_in_the_future_counts_as_now(cast: Cast, meeting: Meeting, ada: Player) -> None:
    row = stated(cast.actor("hanna"), meeting, ada, "here", NOW + timedelta(days=400))
    assert row.stated_at == NOW
    assert stated(cast.actor("hanna"), meeting, ada, "absent", NOW).state == "absent"


@pytest.mark.parametrize("begin", STATES)
def test_host_sets_any_of_the_states(cast: Cast, meeting: Meeting, ada: Player, begin: str) -> None:
    host = cast.actor("hanna")
    for at, to in enumerate(STATES):
        stated(host, meeting, ada, begin, DOORS + timedelta(minutes=2 * at))
        assert stated(host, meeting, ada, to, DOORS + timedelta(minutes=2 * at + 1)).state == to


@pytest.mark.parametrize("begin", ["", *STATES])
@pytest.mark.parametrize("to", STATES)
def test_linked_player_says_what_the_table_allows(
    cast: Cast, meeting: Meeting, ada: Player, begin: str, to: str
) -> None:
    link(ada, cast.users["piet"])
    if begin:
        stated(cast.actor("hanna"), meeting, ada, begin, DOORS)
    if (begin, to) in OWN_ATTENDANCE or begin == to:
        assert stated(cast.actor("piet"), meeting, ada, to, NOW).state == to
        return
    with pytest.raises(Conflict, match="state_not_allowed"):
        stated(cast.actor("piet"), meeting, ada, to, NOW)
    assert [*states(meeting)] == ([begin] if begin else [])


def test_players_check_in_on_their_own_day_only(cast: Cast, meeting: Meeting, ada: Player) -> None:
    link(ada, cast.users["piet"])
    Meeting.objects.filter(pk=meeting.pk).update(date=date(2025, 11, 7))
    with pytest.raises(Conflict, match="meeting_is_another_day"):
        stated(cast.actor("piet"), meeting, ada, "here", NOW)
    cast.riverside.time_zone = "Pacific/Auckland"  # there it is the next day already
    cast.riverside.save()
    assert stated(cast.actor("piet"), meeting, ada, "here", NOW).state == "here"


def test_answer_is_refused_once_an_evening_ends(cast: Cast, meeting: Meeting, ada: Player) -> None:
    link(ada, cast.users["piet"])
    Meeting.objects.filter(pk=meeting.pk).update(date=date(2025, 11, 5))
    with pytest.raises(Conflict, match="meeting_has_begun"):
        stated(cast.actor("piet"), meeting, ada, "absent", NOW)
    assert stated(cast.actor("hanna"), meeting, ada, "absent", NOW).state == "absent"


def test_rounds_must_exist_and_be_in_order(cast: Cast, meeting: Meeting, ada: Player) -> None:
    host = cast.actor("hanna")
    with pytest.raises(Refused, match="bad_attendance_round"):
        stated(host, meeting, ada, "late", from_round=0)
    with pytest.raises(Refused, match="bad_attendance_state"):
        stated(host, meeting, ada, "asleep")
    stated(host, meeting, ada, "late", from_round=3)
    with pytest.raises(Refused, match="leaves_before_coming"):
        stated(host, meeting, ada, "late", NOW, leaves_after_round=2)
    assert Attendance.objects.get().leaves_after_round is None


def test_who_is_here_before_the_first_round_plays_from_the_start(
    cast: Cast, meeting: Meeting, ada: Player
) -> None:
    host = cast.actor("hanna")
    stated(host, meeting, ada, "late", from_round=2, leaves_after_round=4)
    row = stated(host, meeting, ada, "here", NOW)
    assert (row.from_round, row.leaves_after_round) == (None, 4)
    make_round(cast.operation("dirk"), meeting.event, on=meeting.date)
    stated(host, meeting, ada, "late", NOW, from_round=2)
    assert stated(host, meeting, ada, "here", NOW).from_round == 2


def cancel(meeting: Meeting, _ada: Player) -> None:
    Meeting.objects.filter(pk=meeting.pk).update(state=MeetingState.CANCELLED)


def close(meeting: Meeting, _ada: Player) -> None:
    Event.objects.filter(pk=meeting.event_id).update(state="closed")


def remove(meeting: Meeting, _ada: Player) -> None:
    Meeting.objects.filter(pk=meeting.pk).delete()


def merge(_meeting: Meeting, ada: Player) -> None:
    Player.objects.filter(pk=ada.pk).update(merged_into=players(ada.club, "Bo B.")[0])


def erase(_meeting: Meeting, ada: Player) -> None:
    Player.objects.filter(pk=ada.pk).update(erased_at=NOW)


OPERATIONS: dict[str, Callable[[Cast, Meeting, Player], Attendance]] = {
    "host": lambda cast, meeting, ada: stated(cast.actor("hanna"), meeting, ada, "here"),
    "own": lambda cast, meeting, _ada: state_own_attendance(
        cast.operation("piet"), meeting, state="here"
    ),
    "undo": lambda cast, meeting, ada: undo_check_in(
        cast.operation("hanna"), meeting, player=ada, stated_at=NOW
    ),
    "guest": lambda cast, meeting, _ada: add_meeting_guest(
        cast.operation("hanna"), meeting, name="Zoe Z."
    ),
}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (cancel, "meeting_is_cancelled"),
        (close, "event_is_over"),
        (remove, "meeting"),
        (merge, "player_is_merged"),
        (erase, "player"),
    ],
)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_nothing_is_stated_of_what_was_cancelled_or_removed_meanwhile(
    cast: Cast,
    meeting: Meeting,
    ada: Player,
    operation: str,
    change: Callable[[Meeting, Player], None],
    code: str,
) -> None:
    link(ada, cast.users["piet"])
    change(meeting, ada)
    if operation == "guest" and change in (merge, erase):
        OPERATIONS[operation](cast, meeting, ada)
        return
    with pytest.raises((Conflict, Missing), match=code):
        OPERATIONS[operation](cast, meeting, ada)
    assert not [*states(meeting)]


def test_check_in_never_stated_is_not_undone(cast: Cast, meeting: Meeting, ada: Player) -> None:
    with pytest.raises(Missing, match="attendance"):
        OPERATIONS["undo"](cast, meeting, ada)


@pytest.mark.parametrize(
    ("day", "state", "code"),
    [
        (5, "absent", "meeting_has_begun"),
        (7, "here", "meeting_is_another_day"),
        (6, "left", "state_not_allowed"),
    ],
)
def test_player_of_the_account_answers_as_the_day_allows(
    cast: Cast, meeting: Meeting, ada: Player, day: int, state: str, code: str
) -> None:
    link(ada, cast.users["piet"])
    Meeting.objects.filter(pk=meeting.pk).update(date=date(2025, 11, day))
    with pytest.raises(Conflict, match=code):
        state_own_attendance(cast.operation("piet"), meeting, state=state)


@pytest.mark.parametrize(
    ("name", "code"), [("", "no_name"), ("x" * 121, "name_too_long"), ("Ada", "guest_may_be_known")]
)
def test_guest_needs_a_name_of_their_own(
    cast: Cast, meeting: Meeting, ada: Player, name: str, code: str
) -> None:
    with pytest.raises(Refused, match=code):
        add_meeting_guest(cast.operation("hanna"), meeting, name=name)


def test_guest_whom_somebody_adds_while_names_are_compared_is_checked_in(
    cast: Cast, meeting: Meeting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add_and_compare(club: Club) -> NamedPlayers:
        players(club, "Gale")
        return named_players(club)

    module = "tournaments.services.attendance.set_attendance"
    monkeypatch.setattr(f"{module}.named_players", add_and_compare)
    row = add_meeting_guest(cast.operation("hanna"), meeting, name="Gale")
    assert row.player == Player.objects.get(club=cast.riverside, name="Gale")


@pytest.mark.parametrize(
    ("answer", "back"), [("", "expected"), ("absent", "absent"), ("late", "late")]
)
def test_undo_goes_back_to_what_was_stated_before(
    cast: Cast, meeting: Meeting, ada: Player, answer: str, back: str
) -> None:
    host = cast.actor("hanna")
    if answer:
        stated(host, meeting, ada, answer)
    stated(host, meeting, ada, "here")
    row = undo_check_in(Operation(host, NOW), meeting, player=ada, stated_at=NOW)
    assert (row.state, row.arrived_at) == (back, None)
    assert not any(row.is_expected for row in attendance_of(meeting).rows)


def test_manage_page_counts_as_the_list_does(cast: Cast, meeting: Meeting, ada: Player) -> None:
    host = cast.actor("hanna")
    [other] = players(cast.riverside, "Zoe W.")
    stated(host, meeting, ada, "expected")
    stated(host, meeting, other, "here")
    undo_check_in(Operation(host, NOW), meeting, player=other, stated_at=NOW)
    assert attendance_counts(meeting)["expected"] == len(attendance_of(meeting).awaited) == 1


def test_list_begins_with_late_then_expected_then_last_guests(cast: Cast, meeting: Meeting) -> None:
    host = cast.actor("hanna")
    ada, bo, cy, di, ed = players(cast.riverside, "Ada A.", "Bo B.", "Cy C.", "Di D.", "Ed E.")
    Player.objects.filter(pk=ed.pk).update(is_active=False)
    before = Meeting.objects.create(
        club=cast.riverside, event=meeting.event, date=meeting.date - timedelta(days=7)
    )
    stated(host, before, bo, "here")
    stated(host, meeting, cy, "expected")
    stated(host, meeting, di, "late", from_round=2)
    found = attendance_of(meeting)
    assert [row.name for row in found.rows] == ["Di D.", "Cy C.", "Bo B.", "Ada A."]
    stated(host, meeting, ada, "here")
    stated(host, meeting, ed, "here")
    found = attendance_of(meeting)
    assert [one.name for one in found.awaited] == ["Cy C.", "Bo B."]
    assert [one.name for one in found.here] == ["Ada A.", "Ed E."]


def test_entrants_are_awaited_at_the_first_evening(cast: Cast, meeting: Meeting) -> None:
    ada, _bo = players(cast.riverside, "Ada A.", "Bo B.")
    enter_players(event=meeting.event, players=[ada])
    found = attendance_of(meeting)
    assert [one.name for one in found.awaited] == ["Ada A."]
    assert [one.name for one in found.by_name] == ["Ada A.", "Bo B."]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (("expected", "absent"), {"dirk", "olga"}),
        (("late", "absent"), {"dirk", "olga"}),
        (("absent",), set()),
        (("expected", "late"), set()),
    ],
)
def test_directors_are_told_who_said_that_they_come_and_does_not(
    cast: Cast, meeting: Meeting, ada: Player, answers: Sequence[str], told: set[str]
) -> None:
    link(ada, cast.users["piet"])
    for answer in answers:
        state_own_attendance(cast.operation("piet"), meeting, state=answer)
    assert set(Notice.objects.values_list("user__username", flat=True)) == told


def test_host_who_notes_an_absence_tells_nobody(cast: Cast, meeting: Meeting, ada: Player) -> None:
    for state in ("expected", "absent"):
        stated(cast.actor("hanna"), meeting, ada, state)
    assert not Notice.objects.exists()


@pytest.mark.parametrize(("state", "is_refused"), [("posted", False), ("playing", True)])
def test_answer_to_an_evening_ahead_is_refused_once_it_is_played(
    cast: Cast, meeting: Meeting, ada: Player, state: str, *, is_refused: bool
) -> None:
    link(ada, cast.users["piet"])
    meeting.date = NOW.date() + timedelta(days=1)
    meeting.save()
    make_round(cast.operation("dirk"), meeting.event, on=meeting.date)
    Round.objects.update(state=state)
    with pytest.raises(Conflict, match="meeting_has_begun") if is_refused else nullcontext():
        state_own_attendance(cast.operation("piet"), meeting, state="absent")
