"""The attendance of a meeting: asked and present players, and the number of their tables."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from scoring.seating.brackets import TableSizes, sizes_of_rules, table_sizes
from tournaments.domain.notices import Recipients
from tournaments.domain.seating_preferences import preferred_sizes
from tournaments.errors import first_or_missing
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, Sitting
from tournaments.selectors.attendance.excuses import (
    Excuse,
    excuse_of,
    excused_until,
    find_excuses,
)
from tournaments.selectors.attendance.places import (
    capacity_of,
    kind_of_places,
    takes_only_groups,
    waiting_numbers,
)
from tournaments.selectors.events.meetings import MEETS, planned
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.rules.rule_sets import rules_of

COMING: Final = (AttendanceState.EXPECTED, AttendanceState.LATE)

CAME: Final = (AttendanceState.HERE, AttendanceState.LEFT)


def recipients_to_ask(meeting: Meeting) -> Recipients:
    """Return the active players of the club, except those who declined or are there already.

    Players who compete only in another event of the club on the same day are asked there. Where all
    entrants are pairs or teams, only their players are asked.
    """
    active = Player.objects.filter(
        club=meeting.club_id, is_active=True, merged_into=None, erased_at=None
    )
    answered = Attendance.objects.filter(meeting=meeting, player=OuterRef("pk"))
    need_not_answer = answered.filter(Q(answer=AttendanceState.ABSENT) | Q(state__in=CAME))
    same_day = planned(Meeting.objects.filter(club=meeting.club_id, date=meeting.date))
    same_day_meetings = same_day.exclude(pk=meeting.pk).filter(event__state__in=MEETS)
    competes = EntrantMember.objects.filter(player=OuterRef("pk"))
    competes_here = Exists(competes.filter(event=meeting.event_id))
    elsewhere = Exists(competes.filter(event__in=same_day_meetings.values("event")))
    players = active.filter(~Exists(need_not_answer)).filter(competes_here | ~elsewhere)
    if takes_only_groups(meeting.event):
        players = players.filter(competes_here)
    return Recipients.of(players.values_list("pk", "user_id"))


_COMES_OR_WAITS: Final = Q(state__in=COMING, answer__in=COMING) | Q(state=AttendanceState.WAITING)


def recipients_coming(meeting: Meeting) -> Recipients:
    """Return who says that they come, and who waits for a place."""
    rows = Attendance.objects.filter(_COMES_OR_WAITS, meeting=meeting)
    return Recipients.of(rows.values_list("player_id", "player__user_id"))


def recipients_by_evenings(
    meetings: Collection[Meeting],
) -> Mapping[tuple[int, ...], Recipients]:
    """Return who comes to several evenings, or waits for a place, by the evenings of each.

    Evenings are their keys, by date. One query.
    """
    rows = Attendance.objects.filter(_COMES_OR_WAITS, meeting__in=meetings)
    own: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for player, account, meeting in rows.order_by("meeting__date").values_list(
        "player_id", "player__user_id", "meeting_id"
    ):
        own[player, account].append(meeting)
    people: dict[tuple[int, ...], list[tuple[int, int | None]]] = defaultdict(list)
    for person, keys in own.items():
        people[tuple(keys)].append(person)
    return {keys: Recipients.of(pairs) for keys, pairs in people.items()}


class AttendanceRow:
    """A player in the list; `state` is "" where nothing was stated of them yet.

    `answer` is what was stated beforehand (expected, late, absent, "" = nothing). `excuse` says
    whether they are excused, also where an excused evening gives nothing. `waiting` is the number
    on the waiting list, from 1; 0 for who is not on it.
    """

    def __init__(
        self,
        player: Player,
        stored: Attendance | None,
        *,
        came: bool,
        is_regular: bool,
        is_entered: bool = False,
        excuse: Excuse | None = None,
        waiting: int = 0,
    ) -> None:
        row = stored or Attendance(state="")
        self.pk, self.player_id, self.name = player.pk, player.player_id, player.name
        self.sort_key = player.sort_key
        self.state, self.answer, self.guest = row.state, row.answer, row.guest
        self.from_round, self.leaves_after_round = row.from_round, row.leaves_after_round
        self.arrived_at, self.stated_at = row.arrived_at, row.stated_at
        self.came_last, self.is_regular = came, is_regular
        self.is_entered = is_entered
        self.answered_at = row.time_of_answer
        self.excuse = excuse or Excuse()
        self.waiting = waiting

    @property
    def is_here(self) -> bool:
        return self.state == AttendanceState.HERE

    @property
    def is_expected(self) -> bool:
        """Whether the player is stated as coming; an undone check-in does not count."""
        return self.state == AttendanceState.EXPECTED == self.answer


@dataclass(frozen=True, slots=True)
class AttendanceList:
    """All players of a meeting in the order of the page: first those who may still come.

    `capacity` is how many people may come, None: everybody.
    """

    rows: tuple[AttendanceRow, ...]
    capacity: int | None = None

    def having(self, *states: str) -> tuple[AttendanceRow, ...]:
        return tuple(row for row in self.rows if row.state in states)

    @property
    def by_name(self) -> Sequence[AttendanceRow]:
        """The rows by name, those of `regulars` first; then who waits, in order of the list."""
        regulars = {row.pk for row in self.regulars}

        def order(row: AttendanceRow) -> tuple[int, int, str, str]:
            group = 0 if row.pk in regulars else 2
            if row.waiting:
                group = 1
            return (group, row.waiting, row.sort_key, row.player_id)

        return sorted(self.rows, key=order)

    @property
    def here(self) -> tuple[AttendanceRow, ...]:
        return self.having(AttendanceState.HERE)

    @property
    def regulars(self) -> tuple[AttendanceRow, ...]:
        """Who said that they come, came last time, or competes at the first evening; else all."""
        known_players = (
            row for row in self.rows if row.is_regular or row.answer == AttendanceState.EXPECTED
        )
        return tuple(known_players) or self.rows

    @property
    def awaited(self) -> tuple[AttendanceRow, ...]:
        return AttendanceList(self.regulars).having("", AttendanceState.EXPECTED)


def attendance_of(meeting: Meeting) -> AttendanceList:
    """Return all active players of the club, and all players with a row, for a meeting.

    The caller checks the permission to read the list. A constant number of queries.
    """
    stored = {row.player_id: row for row in Attendance.objects.filter(meeting=meeting)}
    excuses = find_excuses(stored.values(), [meeting])
    waiting = waiting_numbers(meeting)
    people = Player.objects.filter(club=meeting.club_id, merged_into=None, erased_at=None)
    members = EntrantMember.objects.filter(event=meeting.event_id)
    entered = set(members.values_list("player_id", flat=True))
    last = came_last(meeting)
    regular = _entrants_at_first(meeting) or last
    rows = [
        AttendanceRow(
            player,
            stored.get(player.pk),
            came=player.pk in last,
            is_regular=player.pk in regular,
            is_entered=player.pk in entered,
            excuse=excuses[stored[player.pk].pk] if player.pk in stored else None,
            waiting=waiting.get(player.pk, 0),
        )
        for player in people.filter(Q(is_active=True) | Q(pk__in=stored))
    ]
    return AttendanceList(tuple(sorted(rows, key=_order)), capacity_of(meeting))


def attendance_row(row: Attendance) -> AttendanceRow:
    """Return the row of one player, read with the player; `came_last` is not asked."""
    members = EntrantMember.objects.filter(event=row.meeting.event_id, player=row.player)
    return AttendanceRow(
        row.player,
        row,
        came=False,
        is_regular=False,
        is_entered=members.exists(),
        excuse=excuse_of(row, excused_until(row.meeting)),
        waiting=waiting_numbers(row.meeting).get(row.player_id, 0),
    )


def player_of_meeting(meeting: Meeting, player_id: str) -> Player:
    rows = Player.objects.filter(club=meeting.club_id, player_id=player_id, merged_into=None)
    return first_or_missing(rows.filter(erased_at=None), "player", player=player_id[:40])


def attendance_counts(meeting: Meeting | None) -> Mapping[str, int]:
    """Return the number of players by state, as the list counts them; empty without records."""
    if meeting is None or not Attendance.objects.filter(meeting=meeting).exists():
        return {}
    attendance = attendance_of(meeting)
    counts = Counter(row.state for row in attendance.rows)
    return counts | {AttendanceState.EXPECTED: len(attendance.awaited)}


def _entrants_at_first(meeting: Meeting) -> frozenset[int]:
    """Return the players who compete, if the event has not had an evening before."""
    if Meeting.objects.filter(event=meeting.event_id, date__lt=meeting.date).exists():
        return frozenset()
    members = EntrantMember.objects.filter(event=meeting.event_id, entrant__state="active")
    return frozenset(members.values_list("player_id", flat=True))


def came_last(meeting: Meeting) -> frozenset[int]:
    """Return the players of the previous meeting: the event's, else the club's."""
    earlier = Meeting.objects.filter(club=meeting.club_id, date__lt=meeting.date)
    ticked = Attendance.objects.filter(meeting=OuterRef("pk"), state__in=CAME)
    came = Exists(ticked) | Exists(Sitting.objects.filter(round__meeting=OuterRef("pk")))
    for meetings in (earlier.filter(event=meeting.event_id), earlier):
        last = meetings.filter(came).order_by("-date", "-pk").values_list("pk", flat=True).first()
        if last is not None:
            ticked = Attendance.objects.filter(meeting=last, state__in=CAME)
            sat = Sitting.objects.filter(round__meeting=last)
            return frozenset(
                [
                    *ticked.values_list("player_id", flat=True),
                    *sat.values_list("player_id", flat=True),
                ]
            )
    return frozenset()


_RANK: Final[dict[str, int]] = {
    AttendanceState.LATE: 0,
    AttendanceState.EXPECTED: 1,
    AttendanceState.WAITING: 4,
    AttendanceState.HERE: 5,
    AttendanceState.LEFT: 6,
    AttendanceState.ABSENT: 7,
}


def _order(row: AttendanceRow) -> tuple[int, int, str, str]:
    rank = _RANK.get(row.state, 2)
    if rank in (1, 2) and not row.is_expected:
        rank = 2 if row.came_last else 3
    within = row.waiting
    if rank == 0:
        within = row.from_round or 0
    return (rank, within, row.sort_key, row.player_id)


def here_at_newest(entrant: Entrant) -> Sequence[Attendance]:
    """Return the attendance of an entrant's players who are here, by row of the player.

    It is that of the newest evening at which anybody was checked in; two queries.
    """
    checked_in = Attendance.objects.filter(
        meeting__event=entrant.event_id, state=AttendanceState.HERE
    )
    newest = checked_in.order_by("-meeting__date").values("meeting")[:1]
    members = entrant.members.values("player")
    rows = checked_in.filter(meeting__in=newest, player__in=members)
    return tuple(rows.select_related("meeting__event", "player").order_by("player"))


def sizes_for(event: Event, players: int) -> TableSizes | None:
    """Return the tables of so many players, as the event's game and its club allow; None: none."""
    sizes = sizes_of_rules(rules_of(default_snapshot(event)))
    allowed = preferred_sizes(event.club.seating, sizes)
    return table_sizes(players, allowed) or table_sizes(players, sizes)


def count_played(meeting: Meeting) -> int:
    """Return how many players sat at the tables of an evening that have a hand; one query."""
    sittings = Sitting.objects.filter(round__meeting=meeting)
    sittings = sittings.filter(seat__table__game__hands_counted__gt=0)
    return sittings.values("player").distinct().count()


def head_count_in_words(event: Event, attendance: AttendanceList, n_played: int = 0) -> str:
    """Return who is here and expected, and the tables that they fill.

    `n_played` have a hand of the evening. If nobody was checked in, nobody is expected any more.
    """
    here = len(attendance.here)
    if n_played and not attendance.having(*CAME):
        text = ngettext(
            "%(n)s player played. Nobody was checked in.",
            "%(n)s players played. Nobody was checked in.",
            n_played,
        )
        return text % {"n": n_played}
    answers = Counter(row.answer for row in attendance.rows)
    n_waiting = max((row.waiting for row in attendance.rows), default=0)
    if not here and any(answers[state] for state in (*COMING, AttendanceState.ABSENT)):
        return _answers_in_words(event, answers, attendance.capacity, n_waiting)
    facts = {"n": here, "more": len(attendance.awaited)}
    count_here = (_("%(n)s here, %(more)s expected") if facts["more"] else _("%(n)s here")) % facts
    if n_waiting:
        facts["waiting"] = n_waiting
        count_here = _("%(n)s here, %(more)s expected, %(waiting)s waiting") % facts
    text = count_here
    sizes = sizes_for(event, here) if here else None
    if sizes is not None:
        text = f"{count_here}: {_tables_in_words(sizes)}"
    elif (
        sizes_for(event, here + facts["more"] + len(attendance.having(AttendanceState.LATE)))
        is None
    ):
        text = _("%(here)s: too few for a table") % {"here": count_here}
    if attendance.capacity is None:
        return text
    places = {"here": text, "places": attendance.capacity}
    return _HERE_AND_PLACES[kind_of_places(event)] % places


_HERE_AND_PLACES: Final = {
    EntrantKind.PLAYER: gettext_lazy("%(here)s. Places: %(places)s"),
    EntrantKind.PAIR: gettext_lazy("%(here)s. Places for pairs: %(places)s"),
    EntrantKind.TEAM: gettext_lazy("%(here)s. Places for teams: %(places)s"),
}
"""What the places of an evening are for → who is here, and how many places there are."""

_PLACES_AND_ANSWERS: Final = {
    EntrantKind.PLAYER: ngettext_lazy(
        "%(places)s place, %(waiting)s waiting. Answers: %(n)s coming, %(late)s later, "
        "%(absent)s not coming",
        "%(places)s places, %(waiting)s waiting. Answers: %(n)s coming, %(late)s later, "
        "%(absent)s not coming",
        "places",
    ),
    EntrantKind.PAIR: ngettext_lazy(
        "%(places)s place for pairs, %(waiting)s waiting. Players: %(n)s coming, %(late)s later, "
        "%(absent)s not coming",
        "%(places)s places for pairs, %(waiting)s waiting. Players: %(n)s coming, %(late)s later, "
        "%(absent)s not coming",
        "places",
    ),
    EntrantKind.TEAM: ngettext_lazy(
        "%(places)s place for teams, %(waiting)s waiting. Players: %(n)s coming, %(late)s later, "
        "%(absent)s not coming",
        "%(places)s places for teams, %(waiting)s waiting. Players: %(n)s coming, %(late)s later, "
        "%(absent)s not coming",
        "places",
    ),
}
"""What the places of an evening are for → the places, and the answers of players."""


def _answers_in_words(
    event: Event, answers: Mapping[str, int], capacity: int | None, n_waiting: int
) -> str:
    """Say how many come, later or not, before anybody is here, and the tables that they fill."""
    come, late = answers[AttendanceState.EXPECTED], answers[AttendanceState.LATE]
    facts = {"n": come, "late": late, "absent": answers[AttendanceState.ABSENT]}
    text = _("Answers: %(n)s coming, %(late)s later, %(absent)s not coming") % facts
    if capacity is not None:
        facts |= {"places": capacity, "waiting": n_waiting}
        text = _PLACES_AND_ANSWERS[kind_of_places(event)] % facts
    sizes = sizes_for(event, come + late) if come + late else None
    if sizes is None:
        return text
    return f"{text}: {_tables_in_words(sizes)}"


def _tables_in_words(sizes: TableSizes) -> str:
    count = len(sizes.tables)
    tables = ngettext("%(n)s table", "%(n)s tables", count) % {"n": count}
    return f"{tables}, {_sits_out(sizes.sit_outs)}"


def _sits_out(players: int) -> str:
    if not players:
        return _("nobody sits out")
    return ngettext("%(n)s sits out", "%(n)s sit out", players) % {"n": players}
