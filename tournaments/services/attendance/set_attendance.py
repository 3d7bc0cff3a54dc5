"""Setting the attendance of players and guests at a meeting, from several devices at once.

A statement carries the time of the device on which it was made. The newest one counts, whichever
comes in first; an older one is written down beside it. Locks: the event's row, the player's row
(as a merge does), the event's dirty row, the chain's head.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Final, Literal

from scoring.errors import Problem, Refused, Suggestion, shown
from tournaments.domain.name_matching import NameIndex, one_line, player_name_problems
from tournaments.domain.notices import Recipients
from tournaments.errors import Conflict, Forbidden, Missing, first_or_missing, refuse_any
from tournaments.models.clubs import Club, Membership, Player, Role
from tournaments.models.events import Entrant, EntrantKind
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, MeetingState, Round
from tournaments.models.standings import Change
from tournaments.policy import may
from tournaments.selectors.attendance.attendance_list import attendance_of, here_at_newest
from tournaments.selectors.attendance.places import (
    capacity_of,
    find_missing_group,
    has_place,
    has_place_for_another,
    list_partners,
)
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.find_players import label_of, named_players, require_not_merged
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.events.change_log import ATTENDANCE_KIND
from tournaments.selectors.events.meetings import MEETS, club_day, is_tonight, with_state
from tournaments.selectors.rounds.round_seating import require_held
from tournaments.services.attendance.gathering import gather
from tournaments.services.clubs.clubs import add_guest
from tournaments.services.clubs.names import lock_names
from tournaments.services.db.locks import lock_event
from tournaments.services.events.states import require_running
from tournaments.services.notices.notifications import Message, notify_each, without_actor
from tournaments.services.operations import Operation, operation
from tournaments.services.waiting_list import move_up, note_attendance
from tournaments.states import ATTENDANCE, OWN_ATTENDANCE, find_move

TAKE: Final = "take_attendance"
CHECK_IN: Final = "check_in"
MOST_ROUNDS: Final = 99
"""No evening has more rounds."""


COMES: Final = (AttendanceState.EXPECTED, AttendanceState.LATE)
ANSWERS: Final = (*COMES, AttendanceState.ABSENT, AttendanceState.WAITING)
WAS_HERE: Final = (AttendanceState.HERE, AttendanceState.LEFT)


class Unchanged(Enum):
    UNCHANGED = "unchanged"


UNCHANGED: Final = Unchanged.UNCHANGED
RoundNumber = int | None | Literal[Unchanged.UNCHANGED]


@dataclass(frozen=True, slots=True)
class AttendanceStatement:
    state: str
    at: datetime
    from_round: RoundNumber = UNCHANGED
    leaves_after_round: RoundNumber = UNCHANGED


NOT_PLANNED: Final = ("event_is_over", "unknown_meeting", "meeting_is_cancelled")
ATTENDANCE_REFUSED: Final = (*NOT_PLANNED, "player_is_merged", "unknown_player")
"""Error codes of every refused statement."""
OWN_REFUSED: Final = (
    *("meeting_is_another_day", "meeting_has_begun", "state_not_allowed"),
    *("in_no_pair", "in_no_team", "places_are_taken"),
)
"""Further error codes of a player's own statement."""

ROUNDS: Final = ("from_round", "leaves_after_round")

MOST_ASKED: Final = 5
"""Similar names that are shown."""


@operation(
    CHECK_IN,
    refuses=(
        "bad_attendance_state",
        "bad_attendance_round",
        "leaves_before_coming",
        *ATTENDANCE_REFUSED,
        *OWN_REFUSED,
    ),
)
def set_attendance(
    op: Operation,
    meeting: Meeting,
    /,
    *,
    player: Player,
    state: str,
    stated_at: datetime | None = None,
    from_round: RoundNumber = UNCHANGED,
    leaves_after_round: RoundNumber = UNCHANGED,
) -> Attendance:
    """State that a player is expected, here, late, left or absent. The newest `at` counts.

    There is no `If-Match`: a statement older than the recorded one changes nothing and is only kept
    in the change log. The answer is the attendance of the player afterwards. A linked player may
    state for themselves whether they will come, while the meeting is planned, and on its day that
    they are here. An answer of one of a pair or a team is for all of them.
    """
    at = min(stated_at or op.now, op.now)
    statement = AttendanceStatement(state, at, from_round, leaves_after_round)
    operation = TAKE
    if not (may(get_role(op.actor, meeting.club_id), TAKE) and op.actor.is_within_scope(TAKE)):
        if find_own_player(op.actor, meeting.club) != player:
            op.require(TAKE, meeting)
        operation = CHECK_IN
    row, partners = lock_with_partners(meeting, player)
    if operation == CHECK_IN and row.player.user_id != op.actor.user_id:
        raise Forbidden(TAKE)  # it was unlinked meanwhile
    refuse_any(_problems(statement))
    if operation == CHECK_IN:
        statement = require_own_allowed(row, partners, statement, op.now)
    else:
        find_move(ATTENDANCE, row.state, state)
    return record_with_partners(op, row, partners, statement, operation)


@operation(TAKE, refuses=("unknown_attendance", *ATTENDANCE_REFUSED))
def undo_check_in(
    op: Operation, meeting: Meeting, /, *, player: Player, stated_at: datetime
) -> Attendance:
    """Undo that a player was checked in: they are expected, late or absent, as was stated before.

    Nothing happens where the player is not here.
    """
    row = lock_attendance(meeting, player)
    if row.pk is None:
        raise Missing("attendance", {"player": player.player_id})
    if row.state not in WAS_HERE:
        return row
    state = row.answer or AttendanceState.EXPECTED
    statement = AttendanceStatement(state, min(stated_at, op.now))
    return record(op, row, statement, TAKE, is_answer=False)


def check_out(op: Operation, entrant: Entrant) -> None:
    """Mark an entrant's present players as having left; the caller holds the event's row."""
    op.require(TAKE, entrant)
    require_not_merged([member.player_id for member in entrant.members.all()])
    for row in here_at_newest(entrant):
        record(op, row, AttendanceStatement(AttendanceState.LEFT, op.now), TAKE)


def lock_substitutes(
    round_: Round, players: Sequence[Player], *, now: datetime
) -> Sequence[Attendance]:
    """Lock players who take a seat tonight, and return the attendance of those who are not here.

    Empty where the evening is not tonight's or gathers nobody, or its event is over: nobody is
    asked then whether they are here. The caller holds the event's row.
    """
    if round_.meeting_id is None:
        return ()
    meeting = with_state(Meeting.objects.filter(pk=round_.meeting_id, gathers=True)).first()
    if meeting is None:
        return ()
    meeting.event = round_.event
    if meeting.event.state not in MEETS or not is_tonight(meeting, now):
        return ()
    rows = _lock_rows(meeting, [player.pk for player in players])
    return [row for row in rows if row.state != AttendanceState.HERE]


def check_in_substitutes(op: Operation, rows: Sequence[Attendance]) -> None:
    """Check in the players of `lock_substitutes`; the caller has checked the permission."""
    for row in rows:
        record(op, row, AttendanceStatement(AttendanceState.HERE, op.now), TAKE)


def lock_attendance(meeting: Meeting, player: Player) -> Attendance:
    """Lock the meeting's event and the player, and return the stored attendance or a new row."""
    rows = _lock_rows(meeting, [player.pk])
    if not rows:
        raise Missing("player", {"player": player.player_id})
    return rows[0]


def lock_with_partners(meeting: Meeting, player: Player) -> tuple[Attendance, Sequence[Attendance]]:
    """Lock the meeting's event, the player, and the others of the player's pair or team there.

    Return the attendance of the player, and that of the others, as `lock_attendance` does.
    """
    locked = lock_meeting(meeting)
    partners = [partner.pk for partner in list_partners(locked.event, player)]
    rows = list_locked(locked, [player.pk, *partners])
    own = next((row for row in rows if row.player_id == player.pk), None)
    if own is None:
        raise Missing("player", {"player": player.player_id})
    return own, [row for row in rows if row is not own]


def lock_meeting(meeting: Meeting) -> Meeting:
    """Lock the event of a meeting and return the meeting as it is now; refuse a cancelled one."""
    event = lock_event(meeting.event)
    require_running(event)
    meetings = with_state(Meeting.objects.filter(pk=meeting.pk, event=event))
    locked = first_or_missing(meetings, "meeting", date=meeting.date.isoformat())
    locked.event = event
    require_held(locked)
    return locked


def _lock_rows(meeting: Meeting, players: Collection[int]) -> Sequence[Attendance]:
    return list_locked(lock_meeting(meeting), players)


def list_locked(locked: Meeting, players: Collection[int]) -> Sequence[Attendance]:
    """Lock players, and return the stored attendance or a new row of each.

    The caller holds the event's row of the meeting, and has read the meeting since.
    """
    require_not_merged(players)
    people = Player.objects.filter(pk__in=players, club=locked.club_id, erased_at=None)
    rows = Attendance.objects.filter(meeting=locked, player__in=players)
    stored = {row.player_id: row for row in rows}
    locked_rows = []
    for person in people.order_by("pk"):
        row = stored.get(person.pk) or Attendance(club_id=locked.club_id, state="")
        row.player, row.meeting = person, locked
        locked_rows.append(row)
    return locked_rows


def record_with_partners(
    op: Operation,
    row: Attendance,
    partners: Sequence[Attendance],
    statement: AttendanceStatement,
    operation: str,
) -> Attendance:
    """Store a statement about a player; an answer is that of the player's pair or team too.

    A pair comes, waits or stays away as one. Who is here or has left is not answered for, and once
    the evening has begun a host's word is about the one player.
    """
    is_old = row.pk is not None and statement.at < row.stated_at
    has_begun = row.meeting.state_now != MeetingState.PLANNED  # type: ignore[attr-defined]  # annotated
    is_of_one = statement.state not in ANSWERS or (operation == TAKE and has_begun)
    if is_old or is_of_one:
        return record(op, row, statement, operation)
    others = [partner for partner in partners if partner.state not in WAS_HERE]
    is_admitted = any(has_place(partner) for partner in partners)
    record(op, row, statement, operation, is_admitted=is_admitted)
    for partner in others:
        answer = replace(statement, state=row.state)
        record(op, partner, answer, operation, is_admitted=True, answered_by=row.player)
    row.refresh_from_db(fields=["state", "answer", "answered_at", "stated_at"])
    return row


def record(
    op: Operation,
    row: Attendance,
    statement: AttendanceStatement,
    operation: str,
    *,
    is_answer: bool = True,
    is_guest: bool = False,
    is_admitted: bool = False,
    answered_by: Player | None = None,
) -> Attendance:
    """Store a statement; the caller has checked the permission and holds `lock_attendance`.

    A player who says that they come when all places are taken is waiting; a host or director
    always adds. Who waits moves up where the statement frees a place.

    Args:
        is_answer: whether the state is what a later undo goes back to.
        is_admitted: whether the player has a place anyway: the club asked for them, or their pair
            has one.
        answered_by: the player of the same pair or team who answered for this one.
    """
    if row.pk is not None and statement.at < row.stated_at:
        _note_outdated(op, row, statement, operation)
        return row
    before = _values(row)
    asks_for_place = operation == CHECK_IN and statement.state in COMES
    if asks_for_place and not is_admitted and not has_place(row):
        if not has_place_for_another(row.meeting):
            statement = replace(statement, state=AttendanceState.WAITING)
    # Players would name the time themselves that decides whether they are excused.
    answered_at = op.now if operation == CHECK_IN else statement.at
    _fill(row, statement, is_answer=is_answer, answered_at=answered_at)
    row.guest = row.guest or is_guest
    if row.from_round and row.leaves_after_round and row.leaves_after_round < row.from_round:
        facts = {"found": row.leaves_after_round, "first": row.from_round}
        raise Refused(Problem("leaves_before_coming", ("leaves_after_round",), facts))
    row.save()
    gather(row.meeting.event, row.meeting, now=op.now)
    if before != (after := _values(row)):
        noted = {"from": before["state"], "to": row.state, "at": row.stated_at.isoformat()}
        rounds = {key: after[key] for key in ROUNDS if after[key] != before[key]}
        guest = {"guest": True} if row.guest and not before["guest"] else {}
        by = {"answered_by": answered_by.player_id} if answered_by is not None else {}
        note_attendance(op, row, operation, {**noted, **rounds, **guest, **by})
    if capacity_of(row.meeting) is not None and move_up(op, row.meeting):
        row.refresh_from_db(fields=["state", "answer", "answered_at", "stated_at"])
    takes_back = before["answer"] in COMES and row.state == AttendanceState.ABSENT
    if operation == CHECK_IN and takes_back and before["state"] in COMES:
        _tell_directors(op, row)
    return row


def _tell_directors(op: Operation, row: Attendance) -> None:
    """Tell the directors, by a notice alone, who comes no more after saying so."""
    directors = Membership.objects.filter(
        club=row.club_id, role__in=(Role.DIRECTOR, Role.OWNER)
    ).values_list("user_id", flat=True)
    facts = {
        "request": 0,
        "meeting": row.meeting_id,
        "date": row.meeting.date.isoformat(),
        "player": row.player_id,
    }
    notify_each(
        club=row.meeting.event.club,
        kind="fill_in",
        messages=[
            (
                without_actor(Recipients(frozenset(directors)), op.actor),
                Message(f"answer:{row.meeting_id}:{row.player_id}:{op.now:%Y%m%d%H}", facts),
            )
        ],
        now=op.now,
        by_mail=False,
    )


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
    row: Attendance,
    partners: Sequence[Attendance],
    statement: AttendanceStatement,
    now: datetime,
) -> AttendanceStatement:
    """Let players state of themselves what a meeting allows; return the statement that counts.

    An answer after the evening has begun is late: who comes then comes late. Without a place nobody
    checks in past those who wait.
    """
    is_late = statement.state == AttendanceState.LATE
    if statement.leaves_after_round is not UNCHANGED or (
        statement.from_round is not UNCHANGED and not is_late
    ):
        raise Forbidden(TAKE)
    meeting = row.meeting
    facts = {"date": row.meeting.date.isoformat()}
    today = club_day(meeting.event.club, now)
    is_running = is_tonight(meeting, now)
    is_here = statement.state == AttendanceState.HERE
    if is_here and not is_running:
        raise Conflict(Problem("meeting_is_another_day", (), facts))
    has_begun = meeting.state_now != MeetingState.PLANNED  # type: ignore[attr-defined]  # annotated
    is_past = meeting.date < today and not is_running
    if not is_here and (is_past or (has_begun and meeting.date > today)):
        raise Conflict(Problem("meeting_has_begun", (), facts))
    if has_begun and statement.state == AttendanceState.EXPECTED:
        statement = replace(statement, state=AttendanceState.LATE)
    if row.state != statement.state:
        find_move(OWN_ATTENDANCE, row.state, statement.state)
    _require_group(row, statement)
    if is_here and not any(has_place(one) for one in (row, *partners)):
        if not has_place_for_another(meeting):
            raise Conflict(Problem("places_are_taken"))
    if statement.state in (AttendanceState.EXPECTED, AttendanceState.ABSENT):
        return replace(statement, from_round=None)
    return statement


def _require_group(row: Attendance, statement: AttendanceStatement) -> None:
    """Refuse players in no pair or team of an event of such, unless a host let them in.

    They would take the place of a pair.
    """
    comes = statement.state in (*COMES, AttendanceState.HERE)
    if not comes or has_place(row) or row.state == AttendanceState.LEFT:
        return
    missing = find_missing_group(row.meeting.event, row.player)
    if missing == EntrantKind.PAIR:
        raise Conflict(Problem("in_no_pair"))
    if missing == EntrantKind.TEAM:
        raise Conflict(Problem("in_no_team"))


def _values(row: Attendance) -> Mapping[str, object]:
    names = ("state", "answer", "guest", *ROUNDS)
    return {name: getattr(row, name) for name in names}


def _fill(
    row: Attendance, statement: AttendanceStatement, *, is_answer: bool, answered_at: datetime
) -> None:
    """Write a statement into a row; an answer that is repeated keeps its time.

    Players checked in before the first round is created play from the start, even if they were
    announced as late.
    """
    is_here = statement.state == AttendanceState.HERE
    rounds = Round.objects.filter(meeting=row.meeting)
    if is_here and statement.from_round is UNCHANGED and not rounds.exists():
        statement = replace(statement, from_round=None)
    for name in ROUNDS:
        if (number := getattr(statement, name)) is not UNCHANGED:
            setattr(row, name, number)
    if is_here:
        row.arrived_at = row.arrived_at or statement.at
    elif statement.state != AttendanceState.LEFT:
        row.arrived_at = None
    row.answered_at = row.time_of_answer
    if is_answer and statement.state in ANSWERS and row.answer != statement.state:
        row.answer = statement.state
        row.answered_at = answered_at
    row.state, row.stated_at = statement.state, statement.at


def _note_outdated(
    op: Operation, row: Attendance, statement: AttendanceStatement, operation: str
) -> None:
    """Write down a statement that a newer one replaced before it came; once, however often sent."""
    at = statement.at.isoformat()
    code = row.player.player_id
    earlier = Change.objects.filter(event=row.meeting.event_id, kind=ATTENDANCE_KIND)
    if earlier.filter(facts__player=code, facts__at=at, facts__outdated=statement.state).exists():
        return
    note_attendance(
        op,
        row,
        operation,
        {"from": row.state, "to": row.state, "at": at, "outdated": statement.state},
    )


@operation(TAKE, refuses=ATTENDANCE_REFUSED)
def check_in_all(op: Operation, meeting: Meeting, /) -> int:
    """Check in everybody who is awaited; return how many."""
    rows = _lock_rows(meeting, [row.pk for row in attendance_of(meeting).awaited])
    awaited = [row for row in rows if row.state in ("", AttendanceState.EXPECTED)]
    for row in awaited:
        record(op, row, AttendanceStatement(AttendanceState.HERE, op.now), TAKE)
    return len(awaited)


def _require_no_likely(
    meeting: Meeting, /, *, name: str, is_new: bool = False, **_more: object
) -> None:
    """Refuse a bad name, and one that may be a known player's unless somebody has just that."""
    words = one_line(name)
    club = meeting.event.club
    refuse_any(player_name_problems(words))
    if is_new or _players_called(club, words):
        return
    likely = _similar(club, words)
    # Read again: somebody may have added just this name while all of them were compared.
    if not _players_called(club, words):
        _refuse_known(words, likely)


@operation(
    TAKE,
    check=_require_no_likely,  # it compares the name with all of the club
    refuses=("no_name", "name_too_long", "contact_in_name", "guest_may_be_known", *NOT_PLANNED),
)
def add_meeting_guest(
    op: Operation,
    meeting: Meeting,
    /,
    *,
    name: str,
    is_new: bool = False,
    stated_at: datetime | None = None,
) -> Attendance:
    """Check in a guest by name. The name is added to the club's players.

    If exactly one player has that name, this player is checked in instead. A similar name is
    refused with `guest_may_be_known`; send it again with `is_new`, or check in the player.
    """
    op.require("add_guest", meeting)
    words = one_line(name)
    event = lock_event(meeting.event)
    club = lock_names(event.club)
    player = _find_known(club, meeting, words, is_new=is_new)
    is_added = player is None
    if player is None:
        player = add_guest(op, club, name=words)
    row = lock_attendance(meeting, player)
    statement = AttendanceStatement(AttendanceState.HERE, min(stated_at or op.now, op.now))
    return record(op, row, statement, TAKE, is_guest=is_added)


def similar_players(club: Club, problems: Iterable[Problem]) -> tuple[Player, ...]:
    """Return the similar players in a refusal of `add_meeting_guest`, as it names them."""
    questions = (problem for problem in problems if problem.code == "guest_may_be_known")
    ids = [code for problem in questions for code in str(problem.facts["ids"]).split(", ")]
    players = Player.objects.filter(club=club, player_id__in=ids)
    by_id = {player.player_id: player for player in players}
    return tuple(by_id[code] for code in ids if code in by_id)


def _find_known(club: Club, meeting: Meeting, name: str, *, is_new: bool) -> Player | None:
    same = _players_called(club, name)
    if is_new:
        guests = Attendance.objects.filter(meeting=meeting, guest=True, player__in=same)
        row = guests.select_related("player").first()
        return row.player if row is not None else None
    if len(same) == 1:
        return same[0]
    _refuse_known(name, same)
    return None


def _players_called(club: Club, name: str) -> list[Player]:
    return [*NameIndex((player.name, player) for player in _list_players(club)).get(name)]


def _refuse_known(name: str, likely: Sequence[Player]) -> None:
    if not likely:
        return
    facts = {"found": name, "ids": ", ".join(player.player_id for player in likely[:MOST_ASKED])}
    closest = tuple(
        Suggestion("closest", facts={"name": label_of(player)}) for player in likely[:MOST_ASKED]
    )
    raise Refused(Problem("guest_may_be_known", ("name",), facts, closest))


def _list_players(club: Club) -> list[Player]:
    rows = Player.objects.filter(club=club, merged_into=None, erased_at=None)
    return list(rows.order_by("sort_key", "player_id"))


def _similar(club: Club, name: str) -> list[Player]:
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
