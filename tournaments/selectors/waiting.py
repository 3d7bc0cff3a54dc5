"""What waits in clubs for a person, by the rights of their role; the earliest due date first.

Each kind takes one query, or two, for all clubs together, counts at most `MOST_COUNTED` tasks and
lists the first `MOST_WAITING`. Pages show one line a kind (`group_waiting`).
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, TypeAlias

from django.db.models import Count, Max, Q, QuerySet
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from tournaments.models.access import ClaimState, PlayerClaim
from tournaments.models.audit import AuditHead, AuditLine
from tournaments.models.clubs import Club, Erasure
from tournaments.models.events import Event, EventKind, EventState, Stage, Visibility
from tournaments.models.hands import Dispute, DisputeState, Hand, HandState
from tournaments.models.imports import BatchState, ImportBatch, ProblemState
from tournaments.models.jobs import CHALLENGE_DEADLINE, Deadline
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.rounds import Attendance, MeetingState, Round, RoundState, Table
from tournaments.models.standings import ResultNote, ResultNoteState
from tournaments.policy import Actor, may
from tournaments.selectors.attendance.not_entered import add_not_entered_path, find_not_entered
from tournaments.selectors.clubs.clubs import list_clubs_for
from tournaments.selectors.clubs.made_by_links import list_accounts_to_review
from tournaments.selectors.clubs.members import (
    account_name,
    list_contacts_by_link,
    list_refused_contacts,
)
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import club_day, is_played_past_midnight
from tournaments.selectors.rounds.round_names import label_of_round

MOST_WAITING: Final = 20
"""So many of each kind are listed."""
MOST_COUNTED: Final = 200
"""So many of each kind are read and counted."""
LONGEST_PAUSE: Final = timedelta(weeks=6)
"""A league whose last evening is older is over, as far as anybody can tell."""
NOT_ENTERED_FOR: Final = timedelta(days=14)
"""So long after an evening its excused players who are not entered are listed."""
REFUSED_FOR: Final = timedelta(days=14)
"""So long a hand that was refused because its round was closed is listed."""
RECENT_LINES: Final = 5_000
"""Refused hands are looked for among so many lines of a club's audit trail, the newest."""
ROUND_CLOSED: Final = "round_is_closed"
"""The code in the audit line of a hand that was refused because its round was closed."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that waits for a person, with the path of the page where it is decided.

    `day` is the evening that a round or an event waits since; `n_of_kind` counts what waits of the
    same kind, `MOST_COUNTED` at most.
    """

    kind: str
    club: Club
    event: Event | None
    title: str
    path: str
    since: datetime | None = None
    due_at: datetime | None = None
    day: date | None = None
    n_of_kind: int = 1


@dataclass(frozen=True, slots=True)
class WaitingKind:
    """All that waits of one kind, as one line of a page.

    `lines` are the first `MOST_WAITING` of its `n`; `is_more` says that more than `n` may wait, and
    `since` when the oldest began to, where that is known.
    """

    kind: str
    title: str
    n: int
    is_more: bool
    since: datetime | None
    due_at: datetime | None
    lines: Sequence[Waiting]

    @property
    def since_day(self) -> date | None:
        """The day of `since` in its club."""
        return self.since.date() if self.since is not None else None


Clubs: TypeAlias = Mapping[int, Club]
Finder: TypeAlias = Callable[[QuerySet[Event], Clubs, datetime], Iterator[Waiting]]

_SUBJECT: Final = re.compile(r"event:(.+)/table:(.+)/hand:(\d+)")

KIND_TITLES: Final = {
    "challenge": ngettext_lazy(
        "%(n)s challenge is at its deadline", "%(n)s challenges are at their deadline", "n"
    ),
    "erasure": ngettext_lazy(
        "%(n)s person asks to be erased", "%(n)s people ask to be erased", "n"
    ),
    "claim": ngettext_lazy(
        "%(n)s account wants to be linked to a player",
        "%(n)s accounts want to be linked to players",
        "n",
    ),
    "dispute": ngettext_lazy("%(n)s dispute is open", "%(n)s disputes are open", "n"),
    "result_note": ngettext_lazy(
        "%(n)s note says that a value is wrong", "%(n)s notes say that a value is wrong", "n"
    ),
    "filed_hand": ngettext_lazy(
        "%(n)s sheet has a wrong total", "%(n)s sheets have a wrong total", "n"
    ),
    "refused_hand": ngettext_lazy(
        "%(n)s hand came after its round was closed",
        "%(n)s hands came after their round was closed",
        "n",
    ),
    "playoff": ngettext_lazy(
        "%(n)s play-off is not decided", "%(n)s play-offs are not decided", "n"
    ),
    "qualifiers": ngettext_lazy(
        "A correction asks in %(n)s stage who goes on",
        "Corrections ask in %(n)s stages who goes on",
        "n",
    ),
    "import": ngettext_lazy("%(n)s import is not finished", "%(n)s imports are not finished", "n"),
    "draft_round": ngettext_lazy("%(n)s round is a draft", "%(n)s rounds are drafts", "n"),
    "open_round": ngettext_lazy(
        "%(n)s earlier round is not closed", "%(n)s earlier rounds are not closed", "n"
    ),
    "not_entered": ngettext_lazy(
        "Excused players of %(n)s evening are not entered",
        "Excused players of %(n)s evenings are not entered",
        "n",
    ),
    "past_event": ngettext_lazy(
        "%(n)s event is over, and its results are not final",
        "%(n)s events are over, and their results are not final",
        "n",
    ),
    "refused_address": ngettext_lazy(
        "%(n)s mail address is refused", "%(n)s mail addresses are refused", "n"
    ),
    "account_by_link": ngettext_lazy(
        "%(n)s account was made with a player's link",
        "%(n)s accounts were made with players' links",
        "n",
    ),
    "address_by_link": ngettext_lazy(
        "%(n)s address came by a personal link", "%(n)s addresses came by personal links", "n"
    ),
}
"""Kind of a line → its line where several wait."""


def list_waiting(
    roles: Collection[tuple[Club, str]],
    *,
    now: datetime,
    event: Event | None = None,
    kinds: Collection[str] = (),
) -> Sequence[Waiting]:
    """Return what waits in clubs, each with the reader's role; of one event or of `kinds` only.

    What is due comes first, then the kinds in the order of `KINDS`, each the oldest first. At most
    `MOST_WAITING` of each kind.
    """
    lines: list[Waiting] = []
    held = [club.pk for club, role in roles if may(role, "read_held")]
    events = Event.objects.filter(~Q(visibility=Visibility.HELD) | Q(club__in=held))
    if event is None:
        events = events.filter(archived_at=None)
    else:
        events = events.filter(pk=event.pk)
    for kind, right, finder in KINDS:
        clubs = {club.pk: club for club, role in roles if may(role, right)}
        if clubs and (not kinds or kind in kinds):
            lines += _first_of_kinds(finder(events.filter(club__in=clubs), clubs, now))
    return sorted(lines, key=lambda line: (line.due_at is None, line.due_at or now))


def _first_of_kinds(lines: Iterator[Waiting]) -> Iterator[Waiting]:
    """Yield the first lines of each kind, with the number of all of them."""
    by_kind: dict[str, list[Waiting]] = {}
    for line in lines:
        by_kind.setdefault(line.kind, []).append(line)
    for of_kind in by_kind.values():
        for line in of_kind[:MOST_WAITING]:
            yield replace(line, n_of_kind=len(of_kind))


def group_waiting(lines: Sequence[Waiting]) -> Sequence[WaitingKind]:
    """Return one line a kind: those that are due first, then by their oldest."""
    groups: list[WaitingKind] = []
    for kind, of_kind in groupby(sorted(lines, key=attrgetter("kind")), attrgetter("kind")):
        own_lines = list(of_kind)
        n = own_lines[0].n_of_kind
        title = KIND_TITLES[kind] % {"n": n}
        if n == 1:
            title = own_lines[0].title
        began = [moment for line in own_lines if (moment := _began(line)) is not None]
        due = [line.due_at for line in own_lines if line.due_at is not None]
        groups.append(
            WaitingKind(
                kind=kind,
                title=title,
                n=n,
                is_more=n >= MOST_COUNTED,
                since=min(began, default=None),
                due_at=min(due, default=None),
                lines=own_lines,
            )
        )
    return sorted(groups, key=_order_of_kind)


def _order_of_kind(group: WaitingKind) -> tuple[bool, datetime]:
    never = datetime.max.replace(tzinfo=UTC)
    return group.due_at is None, group.due_at or group.since or never


def _began(line: Waiting) -> datetime | None:
    if line.since is None and line.day is not None:
        return datetime.combine(line.day, time(), line.club.zone)
    if line.since is None:
        return None
    return line.since.astimezone(line.club.zone)


def list_own_waiting(actor: Actor, *, now: datetime) -> Sequence[Waiting]:
    clubs = list_clubs_for(actor).filter(memberships__user=actor.user_id)
    roles = [(club, str(getattr(club, "role", ""))) for club in clubs]
    return list_waiting(roles, now=now)


def _of_event(
    kind: str, event: Event, title: str, page: str, *args: object, **when: Any
) -> Waiting:
    return Waiting(kind, event.club, event, title, event_url(page, event, *args), **when)


def _day(day: date) -> str:
    return formats.date_format(day, "j M Y")


def _challenges(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    rows = Deadline.objects.filter(
        event__in=events, kind=CHALLENGE_DEADLINE, done_at=None, parked=False
    )
    rows = rows.filter(due_at__lt=now + timedelta(days=2)).select_related("event__club")
    for deadline in rows.order_by("due_at")[:MOST_COUNTED]:
        if club_day(clubs[deadline.club_id], deadline.due_at) <= club_day(
            clubs[deadline.club_id], now
        ):
            title = _("Challenge %(number)s ends today") % {"number": deadline.key}
            if deadline.due_at <= now:
                title = _("Challenge %(number)s has reached its deadline") % {
                    "number": deadline.key
                }
            yield _of_event(
                "challenge",
                deadline.event,
                title,
                "challenge",
                deadline.key,
                due_at=deadline.due_at,
            )


def _erasures(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    rows = Erasure.objects.filter(club__in=clubs, erased_at=None, declined_at=None)
    for request in rows.select_related("player").order_by("asked_at", "pk")[:MOST_COUNTED]:
        club = clubs[request.club_id]
        player = request.player
        path = reverse("tournaments:erase-player", args=(club.slug, player.player_id))
        title = _("%(player)s asks to be erased") % {"player": player.name}
        yield Waiting("erasure", club, None, title, path, request.asked_at)


def _claims(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    rows = PlayerClaim.objects.filter(club__in=clubs, state=ClaimState.PENDING)
    for claim in rows.select_related("player", "user").order_by("created_at", "pk")[:MOST_COUNTED]:
        club = clubs[claim.club_id]
        names = {"name": account_name(claim.user), "player": claim.player.name}
        title = _("%(name)s wants to be linked to %(player)s") % names
        path = reverse("tournaments:claims", args=(club.slug,))
        yield Waiting("claim", club, None, title, path, claim.created_at)


def _disputes(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    rows = Dispute.objects.filter(event__in=events, state=DisputeState.OPEN).select_related(
        "event__club"
    )
    for dispute in rows.order_by("opened_at", "pk")[:MOST_COUNTED]:
        title = _("Dispute %(number)s is open") % {"number": dispute.number}
        yield _of_event(
            "dispute",
            dispute.event,
            title,
            "rule-on-dispute",
            dispute.number,
            since=dispute.opened_at,
        )


def _result_notes(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    rows = ResultNote.objects.filter(event__in=events, state=ResultNoteState.OPEN)
    for note in rows.select_related("event__club", "player").order_by("at", "pk")[:MOST_COUNTED]:
        title = _("%(player)s writes that a value is wrong") % {"player": note.player.name}
        yield _of_event(
            "result_note", note.event, title, "answer-result-note", note.number, since=note.at
        )


def _filed_hands(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    running = events.filter(state__in=(EventState.OPEN, EventState.CLOSED))
    rows = Hand.objects.filter(game__event__in=running, state=HandState.DISPUTED)
    rows = rows.select_related(
        "game__table__event__club", "game__table__round__stage", "entry"
    ).order_by("entry__entered_at", "pk")
    for hand in rows[:MOST_COUNTED]:
        table = hand.game.table
        title = _table_text(
            hand.number,
            _("Hand %(hand)s has a wrong total: round %(round)s, table %(table)s"),
            _("Wrong totals: round %(round)s, table %(table)s"),
            table,
        )
        since = hand.entry.entered_at if hand.entry else None
        yield _of_event(
            "filed_hand", table.event, title, "hand", table.code, hand.number, since=since
        )


def _table_text(number: int, of_hand: str, of_totals: str, table: Table) -> str:
    names = {
        "hand": number,
        "table": table.number,
        "round": label_of_round(table.event, table.round),
    }
    return (of_hand if number else of_totals) % names


def _refused_hands(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    by_place: dict[tuple[int, str, str, int], datetime] = {}
    for line in refused_lines(clubs, now).order_by("-at", "-pk")[:MOST_COUNTED]:
        if place := _SUBJECT.fullmatch(line.subject):
            by_place[line.club_id, place[1], place[2], int(place[3])] = line.at
    tables = Table.objects.filter(
        event__in=events.exclude(state=EventState.FINAL),
        event__slug__in={event for _club, event, _code, _number in by_place},
        code__in={code for _club, _event, code, _number in by_place},
    )
    rows = {
        (row.club_id, row.event.slug, row.code): row
        for row in tables.select_related("event__club", "round__stage")
    }
    entered = Hand.objects.filter(game__table__in=rows.values())
    stored_hands = set(entered.values_list("game__table", "number"))
    for (club_id, slug, code, number), at in by_place.items():
        table = rows.get((club_id, slug, code))
        if table is not None and (table.pk, number) not in stored_hands:
            title = _table_text(
                number,
                _("Hand %(hand)s came after round %(round)s was closed: table %(table)s"),
                _("Totals came after round %(round)s was closed: table %(table)s"),
                table,
            )
            yield _of_event("refused_hand", table.event, title, "table", table.code, since=at)


def refused_lines(clubs: Collection[int], now: datetime) -> QuerySet[AuditLine]:
    """Return the audit lines of hands that were refused because their round was closed."""
    recent = Q(pk=None)
    for club_id, number in AuditHead.objects.filter(club__in=clubs).values_list("club", "number"):
        recent |= Q(club=club_id, number__gt=number - RECENT_LINES)
    return AuditLine.objects.filter(
        recent, act="enter_hand_refused", facts__code=ROUND_CLOSED, at__gt=now - REFUSED_FOR
    )


def _playoffs(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    is_open_question = Q(asked__isnull=False) & ~Q(asked__has_key="answer")
    rows = Playoff.objects.filter(
        Q(event__in=events), Q(state__in=LIVE, is_waived=False) | is_open_question
    )
    for playoff in rows.select_related("event__club").order_by("detected_at", "pk")[:MOST_COUNTED]:
        title = _("Play-off %(number)s is not decided") % {"number": playoff.number}
        yield _of_event(
            "playoff", playoff.event, title, "playoff", playoff.number, since=playoff.detected_at
        )


def _qualifiers(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    """Yield the questions who goes on, where the next round or stage began before a correction."""
    rows = Stage.objects.filter(event__in=events, asked__isnull=False).exclude(asked={})
    for stage in rows.select_related("event__club").order_by("event", "number")[:MOST_COUNTED]:
        title = _("%(stage)s: after a correction others would be through")
        facts = {"stage": stage.title}
        yield _of_event("qualifiers", stage.event, title % facts, "manage-stage", stage.number)


def _imports(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    rows = ImportBatch.objects.filter(event__in=events).select_related("event__club")
    n_open = Count("problems", filter=Q(problems__state=ProblemState.OPEN))
    unread = Q(state__in=(BatchState.MAPPING, BatchState.PREVIEW))
    rows = rows.annotate(n_open=n_open).filter(unread | Q(state=BatchState.DONE, n_open__gt=0))
    for batch in rows.order_by("started_at", "pk")[:MOST_COUNTED]:
        n: int = batch.n_open
        title = _("%(file)s is not confirmed")
        if batch.state == BatchState.DONE:
            title = ngettext("%(n)s problem in %(file)s", "%(n)s problems in %(file)s", n)
        page = "column-mapping" if batch.state == BatchState.MAPPING else "import"
        names = {"n": n, "file": batch.file_name}
        yield _of_event(
            "import", batch.event, title % names, page, batch.number, since=batch.started_at
        )


def _rounds(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    rows = Round.objects.filter(event__in=events.filter(state=EventState.OPEN))
    rows = rows.exclude(state=RoundState.CLOSED).select_related("event__club", "meeting", "stage")
    for round_ in rows.order_by("meeting__date", "posted_at", "pk")[:MOST_COUNTED]:
        club = clubs[round_.club_id]
        on = round_.meeting.date if round_.meeting else None
        on = on or (club_day(club, round_.posted_at) if round_.posted_at else None)
        number = {
            "number": label_of_round(round_.event, round_),
            "day": _day(on) if on else "",
        }
        if round_.state == RoundState.DRAFT:
            title = _("Round %(number)s is a draft") % number
            yield _of_event("draft_round", round_.event, title, "round", round_.number, day=on)
        elif is_played_past_midnight(round_, club, now):
            continue
        elif on is not None and on < club_day(club, now):
            title = _("Round %(number)s of %(day)s is not closed") % number
            yield _of_event("open_round", round_.event, title, "round", round_.number, day=on)


def _not_entered(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    """Yield the evenings that give points to those excused, and none to some, who are no entrants.

    Many members answer for evenings of events that they never play in: older evenings are left out.
    """
    recent = Attendance.objects.filter(
        meeting__event__in=events, meeting__date__gte=(now - NOT_ENTERED_FOR).date()
    )
    rows = find_not_entered(recent.order_by("meeting__date", "meeting"))
    by_meeting: dict[int, list[Attendance]] = {}
    for row in rows:
        by_meeting.setdefault(row.meeting_id, []).append(row)
    for of_meeting in list(by_meeting.values())[:MOST_COUNTED]:
        meeting = of_meeting[0].meeting
        n = len(of_meeting)
        title = ngettext(
            "%(n)s player excused for %(day)s is not entered, and gets no points for it",
            "%(n)s players excused for %(day)s are not entered, and get no points for it",
            n,
        )
        yield Waiting(
            kind="not_entered",
            club=meeting.event.club,
            event=meeting.event,
            title=title % {"n": n, "day": _day(meeting.date)},
            path=add_not_entered_path(meeting),
            day=meeting.date,
        )


def _past_events(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    held = Q(meetings__isnull=False) & ~Q(meetings__state=MeetingState.CANCELLED)
    rows = events.filter(state__in=(EventState.OPEN, EventState.CLOSED))
    rows = rows.exclude(kind=EventKind.LADDER)
    rows = rows.annotate(last=Max("meetings__date", filter=held)).select_related("club", "season")
    for event in rows.filter(last__isnull=False).order_by("last", "pk")[:MOST_COUNTED]:
        last: date = event.last
        today = club_day(event.club, now)
        ends_on = event.season.ends_on if event.season is not None else None
        pause = timedelta() if event.kind == EventKind.TOURNAMENT else LONGEST_PAUSE
        if last < today and (last + pause < today or (ends_on is not None and ends_on < today)):
            title = _("The last evening was on %(day)s, and the results are not final") % {
                "day": _day(last)
            }
            yield _of_event("past_event", event, title, "manage-event", day=last)


def _refused_addresses(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    for contact in list_refused_contacts(clubs)[:MOST_COUNTED]:
        club = clubs[contact.club_id]
        player = contact.player
        title = _("The mail address of %(player)s is refused") % {"player": player.name}
        path = reverse("tournaments:player", args=(club.slug, player.player_id))
        yield Waiting("refused_address", club, None, title, path)


def _addresses_by_link(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    for contact in list_contacts_by_link(clubs)[:MOST_COUNTED]:
        club = clubs[contact.club_id]
        player = contact.player
        at = contact.consent_at
        facts = {
            "email": contact.email,
            "player": player.name,
            "day": _day(club_day(club, at)) if at is not None else "",
        }
        title = _("%(email)s came by the personal link of %(player)s on %(day)s: is it theirs?")
        path = reverse("tournaments:player-contact", args=(club.slug, player.player_id))
        yield Waiting("address_by_link", club, None, title % facts, path, at)


def _accounts_by_link(events: QuerySet[Event], clubs: Clubs, now: datetime) -> Iterator[Waiting]:
    for invitation in list_accounts_to_review(clubs)[:MOST_COUNTED]:
        club = clubs[invitation.club_id]
        player = invitation.player
        at = invitation.accepted_at
        if player is None or invitation.accepted_by is None or at is None:
            continue
        facts = {
            "name": account_name(invitation.accepted_by),
            "player": player.name,
            "day": _day(club_day(club, at)),
        }
        title = _(
            "The account %(name)s was made with the link of %(player)s on %(day)s: is it theirs?"
        )
        path = reverse("tournaments:player-link", args=(club.slug, player.player_id))
        yield Waiting("account_by_link", club, None, title % facts, path, at)


KINDS: Final[Sequence[tuple[str, str, Finder]]] = (
    ("challenge", "manage_event", _challenges),
    ("erasure", "erase_player", _erasures),
    ("claim", "link_players", _claims),
    ("dispute", "rule_on_disputes", _disputes),
    ("result_note", "rule_on_disputes", _result_notes),
    ("filed_hand", "correct_closed", _filed_hands),
    ("refused_hand", "correct_closed", _refused_hands),
    ("playoff", "manage_event", _playoffs),
    ("qualifiers", "manage_event", _qualifiers),
    ("import", "import_sheets", _imports),
    ("round", "manage_event", _rounds),
    ("not_entered", "manage_event", _not_entered),
    ("past_event", "manage_event", _past_events),
    ("refused_address", "read_contacts", _refused_addresses),
    ("account_by_link", "manage_contacts", _accounts_by_link),
    ("address_by_link", "manage_contacts", _addresses_by_link),
)
"""Kind → the right to decide it, and what finds it."""
