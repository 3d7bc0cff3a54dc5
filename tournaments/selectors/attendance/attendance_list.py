"""The attendance of a meeting as a list: who is not here yet, who is, and how many."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Exists, OuterRef, Q

from tournaments.domain.imports.name_matching import folded
from tournaments.errors import Missing
from tournaments.models.attendance import Attendance, AttendanceState
from tournaments.models.clubs import Player
from tournaments.models.meetings import Meeting, Sitting
from tournaments.selectors.clubs.names import FULL_NAME, NameColumn, name_of

CAME: Final = (AttendanceState.HERE, AttendanceState.LEFT)


@dataclass(frozen=True, slots=True)
class AttendanceRow:
    """A player in the list; `state` is "" where nothing was stated of them yet.

    `answer` is what was stated beforehand (expected, late, absent, "" = nothing).
    """

    pk: int
    player_id: str
    name: str
    state: str = ""
    answer: str = ""
    from_round: int | None = None
    leaves_after_round: int | None = None
    arrived_at: datetime | None = None
    stated_at: datetime | None = None
    guest: bool = False
    came_last: bool = False

    @property
    def is_here(self) -> bool:
        """Whether the player is in the room."""
        return self.state == AttendanceState.HERE

    @property
    def is_expected(self) -> bool:
        """Whether somebody said that the player comes; an undone check-in says nothing."""
        return self.state == AttendanceState.EXPECTED == self.answer


@dataclass(frozen=True, slots=True)
class AttendanceList:
    """All players of a meeting: those who may still come first, in the order of the page."""

    rows: tuple[AttendanceRow, ...]

    def having(self, *states: str) -> tuple[AttendanceRow, ...]:
        """Return the rows in one of these states."""
        return tuple(row for row in self.rows if row.state in states)

    @property
    def here(self) -> tuple[AttendanceRow, ...]:
        """Who is here, by name."""
        return self.having(AttendanceState.HERE)

    @property
    def not_here(self) -> tuple[AttendanceRow, ...]:
        """Who may still come: late, expected, those who came last time, the others."""
        return self.having(AttendanceState.LATE, AttendanceState.EXPECTED, "")

    @property
    def left(self) -> tuple[AttendanceRow, ...]:
        """Who was here and went home."""
        return self.having(AttendanceState.LEFT)

    @property
    def absent(self) -> tuple[AttendanceRow, ...]:
        """Who does not come."""
        return self.having(AttendanceState.ABSENT)

    @property
    def n_here(self) -> int:
        """How many are here."""
        return len(self.here)

    @property
    def n_late(self) -> int:
        """How many come later."""
        return len(self.having(AttendanceState.LATE))

    @property
    def n_expected(self) -> int:
        """How many said that they come."""
        return sum(row.is_expected for row in self.rows)

    @property
    def n_absent(self) -> int:
        """How many said that they do not come."""
        return len(self.absent)


def attendance_of(meeting: Meeting, column: NameColumn = FULL_NAME) -> AttendanceList:
    """Return all active players of the club, and whoever has a row, for a meeting.

    The caller has asked whether the list may be read. A constant number of queries.

    Args:
        column: which of a player's names is shown.
    """
    stored = {row.player_id: row for row in Attendance.objects.filter(meeting=meeting)}
    people = Player.objects.filter(club=meeting.club_id, merged_into=None, erased_at=None)
    last = came_last(meeting)
    rows = [
        _row(one, stored.get(one.pk), column, came=one.pk in last)
        for one in people.filter(Q(is_active=True) | Q(pk__in=stored))
    ]
    return AttendanceList(tuple(sorted(rows, key=_order)))


def attendance_row(row: Attendance, column: NameColumn = FULL_NAME) -> AttendanceRow:
    """Return the row of one player, read with the player; `came_last` is not asked."""
    return _row(row.player, row, column, came=False)


def player_of_meeting(meeting: Meeting, player_id: str) -> Player:
    """Return the player of the meeting's club under a number.

    Raises:
        Missing: unknown_player.
    """
    rows = Player.objects.filter(club=meeting.club_id, player_id=player_id, merged_into=None)
    player = rows.filter(erased_at=None).first()
    if player is None:
        raise Missing("player", {"player": player_id[:40]})
    return player


def attendance_counts(meeting: Meeting | None) -> Mapping[str, int]:
    """Return how many players are in each state at a meeting; empty where nobody was recorded."""
    if meeting is None:
        return {}
    rows = Attendance.objects.filter(meeting=meeting).order_by()
    return dict(rows.values_list("state").annotate(n=Count("pk")))


def came_last(meeting: Meeting) -> frozenset[int]:
    """Return the players who came to the meeting before this one: the event's, else the club's."""
    earlier = Meeting.objects.filter(club=meeting.club_id, date__lt=meeting.date)
    ticked = Attendance.objects.filter(meeting=OuterRef("pk"), state__in=CAME)
    came = Exists(ticked) | Exists(Sitting.objects.filter(round__meeting=OuterRef("pk")))
    for meetings in (earlier.filter(event=meeting.event_id), earlier):
        last = meetings.filter(came).order_by("-date", "-pk").values_list("pk", flat=True).first()
        if last is not None:
            return _who_came(last)
    return frozenset()


def _who_came(meeting_id: int) -> frozenset[int]:
    ticked = Attendance.objects.filter(meeting=meeting_id, state__in=CAME)
    sat = Sitting.objects.filter(round__meeting=meeting_id)
    return frozenset(
        [*ticked.values_list("player_id", flat=True), *sat.values_list("player_id", flat=True)]
    )


def _row(
    player: Player, stored: Attendance | None, column: NameColumn, *, came: bool
) -> AttendanceRow:
    name = name_of(player, column)
    if stored is None:
        return AttendanceRow(player.pk, player.player_id, name, came_last=came)
    return AttendanceRow(
        player.pk,
        player.player_id,
        name,
        stored.state,
        stored.answer,
        stored.from_round,
        stored.leaves_after_round,
        stored.arrived_at,
        stored.stated_at,
        stored.guest,
        came,
    )


_RANK: Final[dict[str, int]] = {
    AttendanceState.LATE: 0,
    AttendanceState.EXPECTED: 1,
    AttendanceState.HERE: 4,
    AttendanceState.LEFT: 5,
    AttendanceState.ABSENT: 6,
}


def _order(row: AttendanceRow) -> tuple[int, int, str, str]:
    """Return the place of a row: late first, expected, came last time, others, then the rest."""
    rank = _RANK.get(row.state, 2)
    if rank in (1, 2) and not row.is_expected:
        rank = 2 if row.came_last else 3
    return (rank, row.from_round or 0 if rank == 0 else 0, folded(row.name), row.player_id)
