"""The next evenings of an account's players, and the signed links by which they answer.

A link only states the attendance of its player, and works until the day of the evening is over,
while the player is linked and in the club.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.core import signing
from django.db.models import (
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)

from tournaments.domain.name_matching import listed_people
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event
from tournaments.models.rounds import (
    Attendance,
    AttendanceState,
    Meeting,
    MeetingState,
    RoundState,
    SitOut,
    SitOutReason,
    Sitting,
    Table,
)
from tournaments.policy import Actor
from tournaments.selectors.attendance.excuses import (
    Excuse,
    counts_excuses,
    find_excuses,
    withdraw_until,
)
from tournaments.selectors.attendance.moved_up import find_moved_up
from tournaments.selectors.attendance.places import (
    COMING,
    find_missing_group,
    has_place,
    list_partners,
    places_for_others,
    waiting_numbers,
)
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.clubs.members import find_own_player
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.events.change_log import find_answerer
from tournaments.selectors.events.events import events_for
from tournaments.selectors.events.meetings import (
    IS_OVER,
    MEETING_STATE,
    MEETS,
    club_day,
    find_past_midnight,
    is_over,
    is_tonight,
    with_state,
)

_SALT: Final = "tournaments.attendance.answer"


def answer_token(*, meeting_id: int, player_id: int, user_id: int) -> str:
    """Return the token by which an account answers for its player whether it comes."""
    return signing.dumps([meeting_id, player_id, user_id], salt=_SALT)


def find_answer_link(token: str, *, now: datetime) -> tuple[Actor, Meeting] | None:
    """Return the account and the evening that a link lets its holder answer for.

    None if it no longer works.
    """
    try:
        # No link works longer, however far its evening was moved.
        meeting_id, player_id, user_id = signing.loads(
            token, salt=_SALT, max_age=timedelta(days=60)
        )
    except (signing.BadSignature, ValueError, TypeError):
        return None
    user = User.objects.filter(pk=user_id, is_active=True).first()
    meeting = with_state(Meeting.objects.filter(pk=meeting_id)).first()
    if user is None or meeting is None:
        return None
    actor = actor_of(user)
    event = events_for(actor).filter(pk=meeting.event_id).first()
    players = Player.objects.filter(pk=player_id, user=user, club=meeting.club_id, merged_into=None)
    member = Membership.objects.filter(club=meeting.club_id, user=user)
    if event is None or not players.exists() or not member.exists():
        return None
    meeting.event = event
    if meeting.date < club_day(event.club, now) and not is_tonight(meeting, now):
        return None
    return actor, meeting


class OwnEvening:
    """A meeting, one of the account's players, and the stated attendance, "" if none.

    `state` is expected only if it was stated; an undone check-in does not count. `may_answer` says
    whether the player may still say that they come, or do not. A date that gathers nobody, which
    the player sees for a table there, asks nothing. `is_own` says whether the player sits there, is
    here or competes in the event. `table` is the code of the posted table where the player sits, ""
    without one; a player who sits there need not answer. `bye` is the number of the round in play
    in which the player sits out, None without one. `is_over` is whether the event is closed,
    `has_ended` whether the evening is over, `is_done` whether it is, or the player has played on
    it: then nothing is asked.
    `goes_on` says that the meeting is today's, or yesterday's and not over at midnight. `excuse` is
    None where the player need not know it: where an excused evening gives nothing and they were
    not too late to withdraw, or they come.
    `has_moved_up` is whether they got a place that became free and have not answered since.
    `waiting` is the number on the waiting list, 0 for who is not on it; `free_places` are those
    that a player may still answer for, None without a limit. `withdraw_until` is until when an
    answer "not coming" is in time, None where it is until the evening begins;
    `is_late_to_withdraw` says that this time has passed. `partners` are the others of the player's
    pair or team, whose answer is the same; `answered_by` is the one of them who gave it.
    `missing_group` is what a player is in none of where only pairs or teams come, "" else: they are
    not asked, unless a host let them in. `is_full` says that the player has no place and none is
    free for them: the host checks them in.
    """

    excuse: Excuse | None = None
    partners: Sequence[Player] = ()
    answered_by: Player | None = None
    missing_group: str = ""
    is_full = False

    def __init__(
        self,
        meeting: Meeting,
        player: Player,
        row: Attendance | None,
        *,
        table: str,
        bye: int | None,
        has_ended: bool,
        has_played: bool,
        goes_on: bool,
        now: datetime,
    ) -> None:
        event = meeting.event
        is_done = has_ended or has_played
        self.event = event
        self.meeting = meeting
        self.player = player
        self.table = table
        self.bye = bye
        self.has_ended = has_ended
        self.is_done = is_done
        self.state = ""
        self.from_round: int | None = None
        self.waiting = 0
        self.has_moved_up = False
        self.free_places: int | None = None
        if row is not None:
            is_undone = row.state == AttendanceState.EXPECTED != row.answer
            self.state = "" if is_undone else row.state
            self.from_round = row.from_round
        today = club_day(event.club, now)
        state_now = meeting.state_now  # type: ignore[attr-defined]  # annotated
        is_on = event.state in MEETS
        is_cancelled = state_now == MeetingState.CANCELLED
        self.is_cancelled = is_cancelled
        is_ahead = meeting.date > today and state_now == MeetingState.PLANNED
        self.has_come = self.state in (AttendanceState.HERE, AttendanceState.LEFT)
        self.has_begun = state_now != MeetingState.PLANNED and not is_cancelled
        self.is_over = not is_on
        is_running = is_on or self.has_begun
        self.is_today = goes_on and not is_cancelled and is_running
        self.is_own = True
        is_asked = meeting.gathers and is_on and not is_done
        self.may_answer = is_asked and (self.is_today or is_ahead) and not self.has_come
        self.withdraw_until = withdraw_until(meeting)
        self.is_late_to_withdraw = self.withdraw_until is not None and now >= self.withdraw_until

    @property
    def partner_names(self) -> str:
        """The partners, as the reader of the event reads their names."""
        column = name_column(self.event)
        return listed_people([name_of(partner, column) for partner in self.partners])

    @property
    def answerer_name(self) -> str:
        if self.answered_by is None:
            return ""
        return name_of(self.answered_by, name_column(self.event))

    @property
    def day(self) -> date:
        return self.meeting.date

    @property
    def is_unanswered(self) -> bool:
        """Whether the player is still asked: before the evening begins, without an answer and
        without a table."""
        return self.may_answer and not self.state and not self.table and not self.has_begun

    @property
    def is_here(self) -> bool:
        return self.state == AttendanceState.HERE

    @property
    def waits_for_table(self) -> bool:
        """Whether the player is here and has neither a table nor a bye yet."""
        return self.is_here and not self.is_over and not self.is_done and self.bye is None

    @property
    def is_declined(self) -> bool:
        """Whether the player does not come, or has gone."""
        return self.state in (AttendanceState.ABSENT, AttendanceState.LEFT)

    @property
    def may_check_in(self) -> bool:
        if self.is_over or self.is_done or self.missing_group:
            return False
        if self.state == AttendanceState.WAITING or self.is_full:
            return False
        return self.is_today and self.meeting.gathers and not self.is_here

    @property
    def asks_host(self) -> bool:
        """Whether the player, who has no place, can be checked in by the host alone."""
        if self.is_over or self.is_done or self.missing_group or not self.is_today:
            return False
        return self.is_full or self.state == AttendanceState.WAITING


def own_evening(actor: Actor, meeting: Meeting, *, now: datetime) -> OwnEvening | None:
    """Return a meeting as the actor's player has it; None without a player. Seven queries."""
    player = find_own_player(actor, meeting.event.club)
    if player is None:
        return None
    return evening_of_player(meeting, player, now=now)


def evening_of_player(meeting: Meeting, player: Player, *, now: datetime) -> OwnEvening:
    row = Attendance.objects.filter(meeting=meeting, player=player).first()
    table = find_own_table(meeting, player)
    byes = _byes([player]).filter(round__meeting=meeting)
    evening = OwnEvening(
        meeting,
        player,
        row,
        table=table.code if table is not None else "",
        bye=byes.values_list("round__number", flat=True).first(),
        has_ended=is_over(meeting),
        has_played=_played([player]).filter(round__meeting=meeting).exists(),
        goes_on=is_tonight(meeting, now),
        now=now,
    )
    if row is not None:
        _set_excuses([evening], {meeting.pk: row})
        _set_moved_up([evening], {meeting.pk: row})
    _set_missing_group(evening)
    _set_partners(evening)
    _set_places([evening])
    return evening


def _set_missing_group(evening: OwnEvening) -> None:
    """Say in what a player has to be to come, and ask nothing then; at most three queries."""
    is_in = evening.table or evening.state not in ("", AttendanceState.ABSENT)
    if is_in or evening.is_over or evening.is_done or not evening.meeting.gathers:
        return
    evening.missing_group = find_missing_group(evening.event, evening.player)
    if evening.missing_group:
        evening.may_answer = False


def _set_places(evenings: Sequence[OwnEvening]) -> None:
    """Say how many places are free, or where on a waiting list a player is.

    At most two queries for each evening with a limit, three in a pair or a team.
    """
    for evening in evenings:
        if evening.state == AttendanceState.WAITING:
            evening.waiting = waiting_numbers(evening.meeting).get(evening.player.pk, 0)
        elif _may_need_a_place(evening):
            free = places_for_others(evening.meeting)
            if free == 0 and _partner_has_place(evening):
                continue
            evening.is_full = free == 0
            if not evening.state:
                evening.free_places = free


def _may_need_a_place(evening: OwnEvening) -> bool:
    if evening.state == AttendanceState.LEFT:
        return evening.may_check_in
    return evening.may_answer and evening.state not in COMING


def _partner_has_place(evening: OwnEvening) -> bool:
    if not evening.partners:
        return False
    rows = Attendance.objects.filter(meeting=evening.meeting, player__in=evening.partners)
    return any(has_place(row) for row in rows)


def _set_partners(evening: OwnEvening) -> None:
    """Say with whom a player has one answer, and whether one of them gave it.

    One query, and a second one in a pair or a team.
    """
    partners = list_partners(evening.event, evening.player)
    evening.partners = partners
    if partners and evening.state:
        code = find_answerer(evening.event, evening.day, evening.player)
        named = (partner for partner in partners if partner.player_id == code)
        evening.answered_by = next(named, None)


def _set_excuses(evenings: Sequence[OwnEvening], rows: Mapping[int, Attendance]) -> None:
    """Say of evenings whether their player is excused; one query if somebody may be.

    Args:
        rows: what is stored of the player by the key of the evening.
    """
    of_interest = {}
    for evening in evenings:
        row = rows.get(evening.meeting.pk)
        may_be_excused = row is not None and (
            row.state == AttendanceState.ABSENT or row.excused is not None
        )
        has_limit = evening.withdraw_until is not None
        if row is not None and may_be_excused and (has_limit or counts_excuses(evening.event)):
            of_interest[row.pk] = (evening, row)
    if not of_interest:
        return
    meetings = [evening.meeting for evening, _row in of_interest.values()]
    excuses = find_excuses([row for _evening, row in of_interest.values()], meetings)
    for key, (evening, _row) in of_interest.items():
        excuse = excuses[key]
        if excuse.is_late or counts_excuses(evening.event):
            evening.excuse = excuse


def _set_moved_up(evenings: Sequence[OwnEvening], rows: Mapping[int, Attendance]) -> None:
    """Say of evenings whether their player got a place that became free; one query at most."""
    stored = []
    for evening in evenings:
        row = rows.get(evening.meeting.pk)
        if row is not None:
            row.meeting = evening.meeting
            row.player = evening.player
            stored.append(row)
    moved = find_moved_up(stored)
    for evening in evenings:
        row = rows.get(evening.meeting.pk)
        evening.has_moved_up = row is not None and row.pk in moved


def find_own_table(meeting: Meeting, player: Player) -> Table | None:
    """Return the posted table of an evening where a player sits, with its round."""
    sittings = _at_a_table(Sitting.objects.filter(round__meeting=meeting, player=player))
    sitting = sittings.select_related("seat__table__round").first()
    return sitting.seat.table if sitting is not None else None


def own_next_evenings(
    readable: QuerySet[Event], players: Sequence[Player], *, now: datetime
) -> Sequence[OwnEvening]:
    """Return the next evening of each club of these players with all its parts.

    Three queries; one more on the day after an evening, one if they may be excused, and one if they
    come.

    `readable` are the events that their reader may read. The parts of an evening are the meetings
    of its day: those where the player sits at a table, is here, or competes in the event, in this
    order, then by time. Only where there are none, they are all the meetings that gather people. An
    evening at which the player sat stays until its day ends, though its event was closed; one that
    goes on past midnight stays until it ends. Before its day, one of pairs or teams is left out for
    who is in none and is not stated to come.
    """
    if not players:
        return ()
    by_club = {player.club_id: player for player in players}
    meets = Q(state__in=MEETS) | Q(pk__in=_sat_lately(players, now))
    met = readable.filter(meets, club__in=by_club, archived_at=None)
    events = {event.pk: event for event in met.select_related("club", "season")}
    today = {event.club_id: club_day(event.club, now) for event in events.values()}
    if not events:
        return ()
    meetings = list(_coming(events, players, min(today.values()) - timedelta(days=1)))
    for meeting in meetings:
        meeting.event = events[meeting.event_id]
    past_midnight = find_past_midnight(filter(_has_come, meetings), now)
    days: dict[int, date] = {}
    parts: dict[int, list[Meeting]] = defaultdict(list)
    for meeting in meetings:
        club_id = meeting.club_id
        goes_on = meeting.date == today[club_id] or meeting.pk in past_midnight
        if meeting.date < today[club_id] and not goes_on:
            continue
        if meeting.event.state not in MEETS and not (goes_on and _has_sat(meeting)):
            continue
        if not goes_on and _is_left_out(meeting):
            continue
        if meeting.date == days.setdefault(club_id, meeting.date):
            parts[club_id].append(meeting)
    shown: list[Meeting] = []
    for of_club in parts.values():
        own_parts = [meeting for meeting in of_club if _is_own(meeting)]
        shown += own_parts or of_club
    rows = Attendance.objects.filter(meeting__in=shown, player__in=players)
    stored = {row.meeting_id: row for row in rows}
    evenings = [
        _evening_as_read(
            meeting,
            by_club[meeting.club_id],
            stored.get(meeting.pk),
            goes_on=meeting.date == today[meeting.club_id] or meeting.pk in past_midnight,
            now=now,
        )
        for meeting in shown
    ]
    for evening in evenings:
        evening.is_own = _is_own(evening.meeting)
        if _is_left_out(evening.meeting):
            _set_missing_group(evening)
    _set_excuses(evenings, stored)
    _set_moved_up(evenings, stored)
    _set_all_partners(evenings)
    _set_places(evenings)
    return sorted(evenings, key=lambda evening: evening.day)


def _evening_as_read(
    meeting: Meeting, player: Player, row: Attendance | None, *, goes_on: bool, now: datetime
) -> OwnEvening:
    """Return an evening of a player by a row of `_coming`."""
    return OwnEvening(
        meeting,
        player,
        row,
        table=meeting.own_table or "",  # type: ignore[attr-defined]  # annotated
        bye=meeting.own_bye,  # type: ignore[attr-defined]  # annotated
        has_ended=meeting.has_ended,  # type: ignore[attr-defined]  # annotated
        has_played=meeting.has_played,  # type: ignore[attr-defined]  # annotated
        goes_on=goes_on,
        now=now,
    )


LATER_DAYS: Final = 2
"""Days after the next evening that are asked about beforehand."""
MOST_LATER: Final = 40
"""Evenings that are read to find them."""


def own_later_evenings(
    readable: QuerySet[Event], player: Player, evenings: Sequence[OwnEvening], *, now: datetime
) -> Sequence[OwnEvening]:
    """Return the evenings of the two days after those of `own_next_evenings`, by day.

    Of a day they are those where the player competes; only where there are none, all of them.
    Three queries, and none without a next evening.
    """
    shown_days = [evening.day for evening in evenings if evening.meeting.club_id == player.club_id]
    if not shown_days:
        return ()
    meet = readable.filter(state__in=MEETS, club=player.club_id, archived_at=None)
    events = {event.pk: event for event in meet.select_related("club", "season")}
    first = max(shown_days) + timedelta(days=1)
    days: dict[date, list[Meeting]] = {}
    for meeting in _coming(events, [player], first)[:MOST_LATER]:
        if _is_left_out(meeting):
            continue
        if meeting.date not in days and len(days) == LATER_DAYS:
            break
        meeting.event = events[meeting.event_id]
        days.setdefault(meeting.date, []).append(meeting)
    shown: list[Meeting] = []
    for of_day in days.values():
        own_parts = [meeting for meeting in of_day if _is_own(meeting)]
        shown += own_parts or of_day
    rows = Attendance.objects.filter(meeting__in=shown, player=player)
    stored = {row.meeting_id: row for row in rows}
    later = [
        _evening_as_read(meeting, player, stored.get(meeting.pk), goes_on=False, now=now)
        for meeting in shown
    ]
    _set_excuses(later, stored)
    _set_moved_up(later, stored)
    _set_all_partners(later)
    _set_places(later)
    return later


def _set_all_partners(evenings: Sequence[OwnEvening]) -> None:
    """Do `_set_partners` for evenings of `_coming`; no query for players who compete alone."""
    for evening in evenings:
        if evening.meeting.is_of_group:  # type: ignore[attr-defined]  # annotated
            _set_partners(evening)


def evenings_to_check_in(evenings: Sequence[OwnEvening]) -> Sequence[OwnEvening]:
    """Return which of the parts of an evening one check-in is for.

    They are those of the player; where none is, the first. Parts that the player declined or left
    are among them only while all are such parts.
    """
    today = [evening for evening in evenings if evening.may_check_in]
    parts = [evening for evening in today if evening.is_own] or today[:1]
    coming = [evening for evening in parts if not evening.is_declined]
    is_here = any(evening.is_today and evening.is_here for evening in evenings)
    return coming if coming or is_here else parts


def _coming(events: Collection[int], players: Sequence[Player], first: date) -> QuerySet[Meeting]:
    """Return meetings from a day on with `sits`, `is_here` and `competes`, in order of parts.

    `is_of_group` is whether the player competes in a pair or a team, `is_left_out` whether only
    pairs or teams compete and the player in none, and neither comes nor waits. `has_ended` is
    whether one is over, `has_played` whether the player played on it. `own_table` is the code of
    the table where the player sits, `own_bye` the number of the round in which the player sits out,
    each None without one; `sat` whether the player sat at any table that was posted.
    """
    sittings = Sitting.objects.filter(round__meeting=OuterRef("pk"), player__in=players)
    at_a_table = _at_a_table(sittings)
    here = Attendance.objects.filter(
        meeting=OuterRef("pk"), player__in=players, state=AttendanceState.HERE
    )
    stated = Attendance.objects.filter(meeting=OuterRef("pk"), player__in=players)
    comes = stated.exclude(state=AttendanceState.ABSENT)
    entered = EntrantMember.objects.filter(event=OuterRef("event"), player__in=players)
    entrants = Entrant.objects.filter(event=OuterRef("event"))
    only_groups = Exists(entrants) & ~Exists(entrants.filter(kind=EntrantKind.PLAYER))
    meetings = Meeting.objects.filter(event__in=events, date__gte=first).annotate(
        state_now=MEETING_STATE,
        sits=Exists(at_a_table),
        own_table=Subquery(at_a_table.values("seat__table__code")[:1]),
        sat=Exists(sittings.exclude(round__state=RoundState.DRAFT)),
        own_bye=Subquery(
            _byes(players).filter(round__meeting=OuterRef("pk")).values("round__number")[:1]
        ),
        has_ended=IS_OVER,
        has_played=Exists(_played(players).filter(round__meeting=OuterRef("pk"))),
        is_here=Exists(here),
        competes=Exists(entered),
        is_of_group=Exists(entered.exclude(entrant__kind=EntrantKind.PLAYER)),
        is_left_out=only_groups & ~Exists(entered) & ~Exists(comes),
    )
    coming = meetings.filter(Q(gathers=True) | Q(sits=True))
    return coming.exclude(state_now=MeetingState.CANCELLED).order_by(
        "date", "-sits", "-is_here", "-competes", F("time").asc(nulls_last=True), "event__slug"
    )


def _played(players: Sequence[Player]) -> QuerySet[Sitting]:
    """Return where players sat at tables of which a hand counts."""
    return Sitting.objects.filter(
        player__in=players, seat__table__game__counts=True, seat__table__game__hands_counted__gt=0
    )


def _at_a_table(sittings: QuerySet[Sitting]) -> QuerySet[Sitting]:
    """Return those of some sittings that are at a posted table which still plays, in order."""
    rows = sittings.filter(
        to_hand__isnull=True,
        round__state__in=(RoundState.POSTED, RoundState.PLAYING),
        seat__table__game__state__in=("seated", "playing"),
    )
    return rows.order_by("round__number", "pk")


def _byes(players: Sequence[Player]) -> QuerySet[SitOut]:
    """Return where players sit out in a posted round that still plays, in order."""
    rows = SitOut.objects.filter(
        entrant__members__player__in=players,
        round__state__in=(RoundState.POSTED, RoundState.PLAYING),
    )
    return rows.exclude(reason=SitOutReason.LEFT).order_by("round__number")


def _sat_lately(players: Sequence[Player], now: datetime) -> QuerySet[Sitting, Any]:
    """Return the keys of the events in which players sat at a table of today, in any time zone."""
    days = (now.date() - timedelta(days=1), now.date() + timedelta(days=1))
    sittings = Sitting.objects.filter(player__in=players, round__meeting__date__range=days)
    return sittings.values("round__meeting__event")


def _has_sat(meeting: Meeting) -> bool:
    sat: bool = meeting.sat  # type: ignore[attr-defined]  # annotated
    return sat


def _has_come(meeting: Meeting) -> bool:
    is_here: bool = meeting.is_here  # type: ignore[attr-defined]  # annotated
    return is_here or _has_sat(meeting)


def _is_left_out(meeting: Meeting) -> bool:
    is_left_out: bool = meeting.is_left_out  # type: ignore[attr-defined]  # annotated
    return is_left_out


def _is_own(meeting: Meeting) -> bool:
    sits: bool = meeting.sits  # type: ignore[attr-defined]  # annotated
    is_here: bool = meeting.is_here  # type: ignore[attr-defined]  # annotated
    competes: bool = meeting.competes  # type: ignore[attr-defined]  # annotated
    return sits or is_here or competes
