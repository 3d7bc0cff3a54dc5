"""Setting the attendance of players and guests at a meeting, from several devices at once.

A statement carries the time of the device on which it was made. The newest one counts, whichever
comes in first; an older one is written down beside it. Locks: the event's row, the player's row
(as a merge does), the event's dirty row, the chain's head.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Final, Literal

from scoring.errors import Problem, Refused, Suggestion, shown
from tournaments.domain.name_matching import folded, name_problems, one_line
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant
from tournaments.models.meetings import Attendance, AttendanceState, Meeting, MeetingState, Round
from tournaments.models.standings import Change
from tournaments.policy import Actor, may
from tournaments.selectors.attendance.attendance_list import here_at_newest
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.find_players import label_of, named_players, require_not_merged
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.events.change_log import ATTENDANCE_KIND
from tournaments.selectors.events.meetings import club_day, with_state
from tournaments.services.audit.audit import append_audit, note_change
from tournaments.services.clubs.clubs import add_guest
from tournaments.services.clubs.names import lock_names
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation
from tournaments.services.permissions import require, require_role
from tournaments.states import ATTENDANCE, OWN_ATTENDANCE, find_move

TAKE: Final = "take_attendance"
CHECK_IN: Final = "check_in"
MOST_ROUNDS: Final = 99
"""No evening has more rounds."""


ANSWERS: Final = (AttendanceState.EXPECTED, AttendanceState.LATE, AttendanceState.ABSENT)
WAS_HERE: Final = (AttendanceState.HERE, AttendanceState.LEFT)


class Unchanged(Enum):
    """The value of an unchanged field."""

    UNCHANGED = "unchanged"


UNCHANGED: Final = Unchanged.UNCHANGED
RoundNumber = int | None | Literal[Unchanged.UNCHANGED]


@dataclass(frozen=True, slots=True)
class AttendanceStatement:
    state: str
    at: datetime
    from_round: RoundNumber = UNCHANGED
    leaves_after_round: RoundNumber = UNCHANGED


@dataclass(frozen=True, slots=True)
class LockedAttendance:
    meeting: Meeting
    player: Player
    row: Attendance | None

    @property
    def state(self) -> str:
        """The stored state, or "" if there is none."""
        return self.row.state if self.row is not None else ""


@atomic_act
def set_attendance(
    *,
    actor: Actor,
    meeting: Meeting,
    player: Player,
    state: str,
    stated_at: datetime,
    now: datetime,
    from_round: RoundNumber = UNCHANGED,
    leaves_after_round: RoundNumber = UNCHANGED,
) -> Attendance:
    """Set the state of a player at a meeting, and return the resulting row.

    A host or director sets any state. A linked player sets their own: whether they will come, while
    the meeting is planned, and that they are here, on its day. A statement older than the stored
    one is recorded in the change log and the audit trail only. Repeating the stored statement
    changes nothing.

    Args:
        stated_at: time of the device; one later than `now` counts as `now`.
        from_round: the first round of the evening that the player plays, None = from the start.
        leaves_after_round: the last one, None = until the end.
    """
    statement = AttendanceStatement(state, min(stated_at, now), from_round, leaves_after_round)
    act = _act_of(actor, meeting, player)
    attendance = lock_attendance(meeting, player)
    if act == CHECK_IN and attendance.player.user_id != actor.user_id:
        raise Forbidden(TAKE)  # it was unlinked meanwhile
    if problems := _problems(statement):
        raise Refused(*problems)
    if act == CHECK_IN:
        require_own_allowed(attendance, statement, now)
    else:
        find_move(ATTENDANCE, attendance.state, state)
    return record(actor, attendance, statement, act, now)


@atomic_act
def undo_check_in(
    *, actor: Actor, meeting: Meeting, player: Player, stated_at: datetime, now: datetime
) -> Attendance:
    """Undo that a player was checked in: they are expected, late or absent, as was stated before.

    Nothing happens where the player is not here.
    """
    require_role(actor, get_role(actor, meeting.club_id), TAKE)
    attendance = lock_attendance(meeting, player)
    if attendance.row is None:
        raise Missing("attendance", {"player": player.player_id})
    if attendance.row.state not in WAS_HERE:
        return attendance.row
    state = attendance.row.answer or AttendanceState.EXPECTED
    statement = AttendanceStatement(state, min(stated_at, now))
    return record(actor, attendance, statement, TAKE, now, is_answer=False)


def check_out(actor: Actor, entrant: Entrant, now: datetime) -> None:
    """Mark an entrant's present players as having left; the caller holds the event's row."""
    require_role(actor, get_role(actor, entrant.club_id), TAKE)
    require_not_merged([member.player_id for member in entrant.members.all()])
    for row in here_at_newest(entrant):
        attendance = LockedAttendance(row.meeting, row.player, row)
        record(actor, attendance, AttendanceStatement(AttendanceState.LEFT, now), TAKE, now)


def lock_attendance(meeting: Meeting, player: Player) -> LockedAttendance:
    """Lock the meeting's event and the player, and return the stored attendance."""
    event = lock_event(meeting.event)
    require_running(event)
    row = with_state(Meeting.objects.filter(pk=meeting.pk, event=event)).first()
    if row is None:
        raise Missing("meeting", {"date": meeting.date.isoformat()})
    row.event = event
    if row.state_now == MeetingState.CANCELLED:  # type: ignore[attr-defined]  # annotated
        facts: dict[str, int | str] = {"date": row.date.isoformat()}
        raise Conflict(Problem("meeting_is_cancelled", (), facts))
    require_not_merged([player.pk])
    person = Player.objects.filter(pk=player.pk, club=event.club_id, erased_at=None).first()
    if person is None:
        raise Missing("player", {"player": player.player_id})
    attendance = Attendance.objects.filter(meeting=row, player=person).first()
    if attendance is not None:
        attendance.player, attendance.meeting = person, row
    return LockedAttendance(row, person, attendance)


def record(
    actor: Actor,
    attendance: LockedAttendance,
    statement: AttendanceStatement,
    act: str,
    now: datetime,
    *,
    is_answer: bool = True,
    is_guest: bool = False,
) -> Attendance:
    """Store a statement; the caller has checked the permission and holds `lock_attendance`.

    Args:
        is_answer: whether the state is what a later undo goes back to.
    """
    row = attendance.row or Attendance(
        club_id=attendance.meeting.club_id,
        meeting=attendance.meeting,
        player=attendance.player,
        state="",
    )
    if attendance.row is not None and statement.at < row.stated_at:
        _note_outdated(actor, attendance, statement, act, now)
        return row
    before = _values(row)
    _fill(row, attendance, statement, is_answer=is_answer)
    row.guest = row.guest or is_guest
    _require_order(row)
    row.save()
    if before != (after := _values(row)):
        facts = {"from": before["state"], "to": row.state, "at": row.stated_at.isoformat()}
        rounds = {key: after[key] for key in ROUNDS if after[key] != before[key]}
        guest = {"guest": True} if row.guest and not before["guest"] else {}
        _note(actor, attendance, act, {**facts, **rounds, **guest}, now)
    return row


ROUNDS: Final = ("from_round", "leaves_after_round")


def _act_of(actor: Actor, meeting: Meeting, player: Player) -> str:
    role = get_role(actor, meeting.club_id)
    if may(role, TAKE) and actor.is_within_scope(TAKE):
        return TAKE
    own_player = find_own_player(actor, meeting.club)
    if own_player is None or own_player.pk != player.pk:
        require_role(actor, role, TAKE)
    require_role(actor, role, CHECK_IN)
    return CHECK_IN


def _problems(statement: AttendanceStatement) -> list[Problem]:
    problems = []
    if statement.state not in AttendanceState.values:
        facts = {"found": shown(statement.state), "expected": ", ".join(AttendanceState.values)}
        problems.append(Problem("bad_attendance_state", ("state",), facts))
    for name in ROUNDS:
        number = getattr(statement, name)
        if isinstance(number, int) and not 1 <= number <= MOST_ROUNDS:
            facts = {"found": shown(number), "expected": f"1 to {MOST_ROUNDS}"}
            problems.append(Problem("bad_attendance_round", (name,), facts))
    return problems


def require_own_allowed(
    attendance: LockedAttendance, statement: AttendanceStatement, now: datetime
) -> None:
    """Let players state of themselves what a planned meeting, or its day, allows."""
    if any(getattr(statement, name) is not UNCHANGED for name in ROUNDS):
        raise Forbidden(TAKE)
    meeting, facts = attendance.meeting, {"date": attendance.meeting.date.isoformat()}
    today = club_day(meeting.event.club, now)
    if statement.state == AttendanceState.HERE and meeting.date != today:
        raise Conflict(Problem("meeting_is_another_day", (), facts))
    is_planned = meeting.state_now == MeetingState.PLANNED  # type: ignore[attr-defined]  # annotated
    if statement.state != AttendanceState.HERE and (not is_planned or meeting.date < today):
        raise Conflict(Problem("meeting_has_begun", (), facts))
    if attendance.state != statement.state:
        find_move(OWN_ATTENDANCE, attendance.state, statement.state)


def _values(row: Attendance) -> Mapping[str, object]:
    names = ("state", "answer", "guest", *ROUNDS)
    return {name: getattr(row, name) for name in names}


def _fill(
    row: Attendance,
    attendance: LockedAttendance,
    statement: AttendanceStatement,
    *,
    is_answer: bool,
) -> None:
    """Write a statement into a row.

    Who is here before the first round was created plays from the start, even if announced late.
    """
    is_here = statement.state == AttendanceState.HERE
    rounds = Round.objects.filter(meeting=attendance.meeting)
    if is_here and statement.from_round is UNCHANGED and not rounds.exists():
        statement = replace(statement, from_round=None)
    for name in ROUNDS:
        if (number := getattr(statement, name)) is not UNCHANGED:
            setattr(row, name, number)
    if is_here:
        row.arrived_at = row.arrived_at or statement.at
    elif statement.state != AttendanceState.LEFT:
        row.arrived_at = None
    if is_answer and statement.state in ANSWERS:
        row.answer = statement.state
    row.state, row.stated_at = statement.state, statement.at


def _require_order(row: Attendance) -> None:
    if row.from_round and row.leaves_after_round and row.leaves_after_round < row.from_round:
        facts: dict[str, int | str] = {"found": row.leaves_after_round, "first": row.from_round}
        raise Refused(Problem("leaves_before_coming", ("leaves_after_round",), facts))


def _note_outdated(
    actor: Actor,
    attendance: LockedAttendance,
    statement: AttendanceStatement,
    act: str,
    now: datetime,
) -> None:
    """Write down a statement that a newer one replaced before it came; once, however often sent."""
    at, code = statement.at.isoformat(), attendance.player.player_id
    earlier = Change.objects.filter(event=attendance.meeting.event_id, kind=ATTENDANCE_KIND)
    if earlier.filter(facts__player=code, facts__at=at, facts__outdated=statement.state).exists():
        return
    facts = {
        "from": attendance.state,
        "to": attendance.state,
        "at": at,
        "outdated": statement.state,
    }
    _note(actor, attendance, act, facts, now)


def _note(
    actor: Actor, attendance: LockedAttendance, act: str, facts: Mapping[str, object], now: datetime
) -> None:
    event, code = attendance.meeting.event, attendance.player.player_id
    day = attendance.meeting.date.isoformat()
    by = get_role(actor, event.club_id)
    noted = {"player": code, "date": day, **facts}
    note_change(event=event, kind=ATTENDANCE_KIND, by=by, now=now, facts=noted)
    audited = {"event": event.slug, "date": day, **facts}
    append_audit(event.club, actor, act, f"player:{code}", facts=audited, now=now)


MOST_ASKED: Final = 5
"""Similar names that are shown."""


@atomic_act
def add_meeting_guest(
    *,
    actor: Actor,
    meeting: Meeting,
    name: str,
    now: datetime,
    is_new: bool = False,
    stated_at: datetime | None = None,
) -> Attendance:
    """Check in a guest by name, and return the row.

    The only player of exactly that name is checked in, so that a second tap adds nobody. Where a
    name is nearly the same, the caller is asked first, and answers with `is_new`, or checks the
    player in.
    """
    require(actor, meeting.club, TAKE)
    require(actor, meeting.club, "add_guest")
    words = one_line(name)
    if problems := name_problems(words):
        raise Refused(*problems)
    event = lock_event(meeting.event)
    club = lock_names(event.club)
    player = _find_known(club, meeting, words, is_new=is_new)
    is_added = player is None
    if player is None:
        player = add_guest(Operation(actor, now), club, name=words)
    attendance = lock_attendance(meeting, player)
    statement = AttendanceStatement(AttendanceState.HERE, min(stated_at or now, now))
    return record(actor, attendance, statement, TAKE, now, is_guest=is_added)


def similar_players(club: Club, problems: Iterable[Problem]) -> tuple[Player, ...]:
    """Return the similar players in a refusal of `add_meeting_guest`, as it names them."""
    ids = next(
        (
            str(problem.facts["ids"]).split(", ")
            for problem in problems
            if problem.code == "guest_may_be_known"
        ),
        [],
    )
    players = Player.objects.filter(club=club, player_id__in=ids)
    by_id = {player.player_id: player for player in players}
    return tuple(by_id[code] for code in ids if code in by_id)


def _find_known(club: Club, meeting: Meeting, name: str, *, is_new: bool) -> Player | None:
    """Return the player of that name, None for a new player."""
    same = [player for player in _list_players(club) if folded(player.name) == folded(name)]
    if is_new:
        guests = Attendance.objects.filter(meeting=meeting, guest=True, player__in=same)
        row = guests.select_related("player").first()
        return row.player if row is not None else None
    if len(same) == 1:
        return same[0]
    likely = same or _similar(club, name)
    if not likely:
        return None
    facts: dict[str, int | str] = {
        "found": name,
        "ids": ", ".join(player.player_id for player in likely[:MOST_ASKED]),
    }
    closest = tuple(
        Suggestion("closest", facts={"name": label_of(player)}) for player in likely[:MOST_ASKED]
    )
    raise Refused(Problem("guest_may_be_known", ("name",), facts, closest))


def _list_players(club: Club) -> list[Player]:
    rows = Player.objects.filter(club=club, merged_into=None, erased_at=None)
    return list(rows.order_by("name", "player_id"))


def _similar(club: Club, name: str) -> list[Player]:
    """Return players whose name begins so, or is nearly that."""
    match = named_players(club).meant(name, ("name",))
    if isinstance(match, Player):
        return [match]
    labels = [
        str(suggestion.facts["name"])
        for suggestion in match.suggestions
        if suggestion.code == "closest"
    ]
    by_label = {label_of(player): player for player in _list_players(club)}
    return [by_label[label] for label in labels if label in by_label]
