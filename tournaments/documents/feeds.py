"""Atom feeds (RFC 4287, paged as in RFC 5005) and iCalendar files (RFC 5545)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any, Final

from django.db.models import Count
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.utils.xmlutils import SimplerXMLGenerator
from icalendar import Calendar
from icalendar import Event as CalendarEvent

from tournaments.documents.workbooks import NOT_IN_XML
from tournaments.domain.event_settings import settings_of
from tournaments.domain.standings.standings_documents import calendar_uid
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import CHALLENGE_DEADLINE, FINALISE, FINALISE_ROUND, Deadline
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge, ChallengeState
from tournaments.models.rounds import AttendanceState, Meeting, MeetingState, Round, Sitting
from tournaments.selectors.attendance.places import list_free_to_answer
from tournaments.selectors.clubs.names import texts_for
from tournaments.selectors.events.meetings import meetings_of_events, own_answers
from tournaments.selectors.ladders.challenges import member_names
from tournaments.selectors.rounds.round_names import names_on_page, round_label

MOST_DEADLINES: Final = 300
BEFORE: Final = timedelta(minutes=30)
"""A deadline is shown as the half hour that ends with it: one at midnight is on its last day."""
USUAL_LENGTH: Final = timedelta(hours=3)
"""How long an evening is taken to last where the event has no clock, or has played no round."""


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    """One entry: days, or moments in UTC; `ends` is the first that is no longer part of it.

    `uid` never changes, `sequence` grows with each change, the last one at `changed_at`. `page` is
    the name and the parts of the address of the page about it. Nobody is busy at a deadline.
    """

    uid: str
    title: str
    starts: date | datetime
    ends: date | datetime
    description: str
    place: str
    page: tuple[str, ...]
    sequence: int
    changed_at: datetime
    is_cancelled: bool = False
    is_deadline: bool = False


_TITLES_BY_STATE: Final = {
    ChallengeState.ISSUED: gettext_lazy("Answer challenge: %(one)s – %(other)s"),
    ChallengeState.ACCEPTED: gettext_lazy("Play challenge: %(one)s – %(other)s"),
    ChallengeState.PLAYED: gettext_lazy("Confirm result: %(one)s – %(other)s"),
}
_SINCE: Final = {
    ChallengeState.ISSUED: "issued_at",
    ChallengeState.ACCEPTED: "accepted_at",
    ChallengeState.PLAYED: "played_at",
}
ATOM_TYPE: Final = "application/atom+xml; charset=utf-8"
CALENDAR_TYPE: Final = "text/calendar; charset=utf-8"


def meeting_entries(
    events: Collection[Event],
    *,
    now: datetime,
    players: Collection[Player] = (),
    own_page: tuple[str, ...] = (),
) -> Sequence[CalendarEntry]:
    """Return the meetings of events, without `players` with the places that are free.

    Two queries, one more for the answers of `players` or for free places, one more for each club
    that hides names.

    Args:
        own_page: the page of every evening, in the calendar of one person.
    """
    meetings = meetings_of_events(events, now)
    lengths = _usual_lengths(events, meetings)
    answers = own_answers(meetings, players) if players else {}
    free = {} if players else list_free_to_answer(meetings, now=now)
    redactions: dict[int, Callable[[str], str]] = {}
    entries = []
    for meeting in meetings:
        reason = meeting.cancel_reason
        if reason:
            if meeting.club_id not in redactions:
                redactions[meeting.club_id] = texts_for(meeting.event)
            reason = redactions[meeting.club_id](reason)
        answer = answers.get(meeting.pk, "") if players else None
        length = lengths.get(meeting.event_id, USUAL_LENGTH)
        entry = _meeting(meeting, answer, reason, length)
        if meeting.pk in free:
            n = free[meeting.pk]
            description = _("All places are taken. A new answer is on the waiting list.")
            if n:
                description = ngettext("%(n)s place free.", "%(n)s places free.", n) % {"n": n}
            entry = replace(entry, description=description)
        entries.append(replace(entry, page=own_page or entry.page))
    return entries


def _usual_lengths(
    events: Collection[Event], meetings: Collection[Meeting]
) -> Mapping[int, timedelta]:
    """Return how long an evening of each event with a clock lasts: as long as its longest one."""
    minutes = {event.pk: settings_of(event).round_minutes for event in events}
    rounds = Round.objects.filter(meeting__in=meetings).order_by().values("event", "meeting")
    most: dict[int, int] = {}
    for event_id, count in rounds.annotate(n=Count("pk")).values_list("event", "n"):
        most[event_id] = max(count, most.get(event_id, 0))
    return {
        event_id: timedelta(minutes=minutes[event_id] * count)
        for event_id, count in most.items()
        if minutes[event_id]
    }


def deadline_entries(
    events: Collection[Event], *, players: Collection[Player] | None = None
) -> Sequence[CalendarEntry]:
    """Return the deadlines that still run in events: of challenges, of corrections.

    A constant number of queries for each event with challenges.

    Args:
        players: only their challenges, and the rounds in which they played; None for all
            challenges, and no rounds.
    """
    by_key = {event.pk: event for event in events}
    kinds = [CHALLENGE_DEADLINE, FINALISE, *([FINALISE_ROUND] if players is not None else [])]
    rows = Deadline.objects.filter(event__in=by_key, kind__in=kinds, done_at__isnull=True)
    due = list(rows.order_by("due_at", "pk")[:MOST_DEADLINES])
    challenges = _find_challenges(due, by_key, players)
    played = _find_played_rounds(due, players)
    entries = []
    for row in due:
        event = by_key[row.event_id]
        place = (row.event_id, row.key)
        address = (event.club.slug, event.slug)
        sequence = 0
        changed_at = event.created_at
        facts = {"event": event.name, "club": event.club.name, "number": row.key}
        page: tuple[str, ...]
        if row.kind == FINALISE:
            title = _("Results become final: %(event)s") % facts
            page = ("event", *address)
            changed_at = event.closed_at or event.created_at
        elif row.kind == FINALISE_ROUND and place in played:
            facts["number"] = round_label(int(row.key), names_on_page(event))
            title = _("Last time to report a problem: %(event)s, round %(number)s") % facts
            page = ("round", *address, row.key)
        elif row.kind == CHALLENGE_DEADLINE and place in challenges:
            challenge, names = challenges[place]
            state = ChallengeState(challenge.state)
            title = str(_TITLES_BY_STATE[state]) % names
            page = ("challenge", *address, str(challenge.number))
            postponed = challenge.postponed_c + challenge.postponed_d
            # It grows with every change (RFC 5545): of a state, and of who has postponed, 0 to 2.
            sequence = 3 * list(_TITLES_BY_STATE).index(state) + postponed
            changed_at = getattr(challenge, _SINCE[state]) or challenge.issued_at
        else:
            continue
        entries.append(
            CalendarEntry(
                uid=calendar_uid(event, row.kind, row.key),
                title=title,
                starts=row.due_at - BEFORE,
                ends=row.due_at,
                description=_("%(event)s, %(club)s") % facts,
                place="",
                page=page,
                sequence=sequence,
                changed_at=changed_at,
                is_deadline=True,
            )
        )
    return entries


def _meeting(meeting: Meeting, answer: str | None, reason: str, length: timedelta) -> CalendarEntry:
    event = meeting.event
    club = meeting.event.club
    is_cancelled = meeting.state_now == MeetingState.CANCELLED  # type: ignore[attr-defined]  # annotated
    starts: date | datetime = meeting.date
    ends: date | datetime = meeting.date + timedelta(days=1)
    if meeting.time is not None:
        local = datetime.combine(meeting.date, meeting.time, club.zone)
        starts = local.astimezone(UTC)
        ends = local.astimezone(UTC) + length
    is_own = answer is not None and meeting.state_now == MeetingState.PLANNED  # type: ignore[attr-defined]  # annotated
    day = meeting.date.isoformat()
    address = (club.slug, event.slug)
    return CalendarEntry(
        uid=str(meeting.public_id),
        title=_("%(event)s (%(club)s)") % {"event": event.name, "club": club.name},
        starts=starts,
        ends=ends,
        description=(_("Cancelled: %(reason)s") % {"reason": reason} if reason else _("Cancelled."))
        if is_cancelled
        else _answered(answer if is_own else None),
        place=meeting.place,
        page=("check-in", *address, day) if is_own else ("meetings", *address),
        sequence=meeting.sequence,
        changed_at=meeting.changed_at or event.created_at,
        is_cancelled=is_cancelled,
    )


def _answered(answer: str | None) -> str:
    if answer is None:
        return ""
    answers = {
        AttendanceState.EXPECTED: _("Your answer: you come."),
        AttendanceState.LATE: _("Your answer: you come later."),
        AttendanceState.ABSENT: _("Your answer: you do not come."),
        AttendanceState.WAITING: _("You are on the waiting list."),
    }
    text: str = answers.get(AttendanceState(answer), "") if answer else ""
    return " ".join(filter(None, (text, _("Check in on the day by the link."))))


def _find_challenges(
    due: Sequence[Deadline], by_key: Mapping[int, Event], players: Collection[Player] | None
) -> Mapping[tuple[int, str], tuple[Challenge, Mapping[str, str]]]:
    event_ids = {row.event_id for row in due if row.kind == CHALLENGE_DEADLINE}
    if not event_ids:
        return {}
    rows = Challenge.objects.filter(event__in=event_ids, state__in=OPEN_CHALLENGES)
    if players is not None:
        out = rows.filter(challenger__members__player__in=players)
        rows = out | rows.filter(challenged__members__player__in=players)
    by_event: dict[int, list[Challenge]] = {}
    for row in rows.select_related("challenger", "challenged").distinct().order_by("pk"):
        by_event.setdefault(row.event_id, []).append(row)
    challenges = {}
    for event_id, of_event in by_event.items():
        members = [member for row in of_event for member in (row.challenger, row.challenged)]
        names = member_names(by_key[event_id], members)
        for row in of_event:
            pair = {"one": names[row.challenger_id], "other": names[row.challenged_id]}
            challenges[event_id, str(row.number)] = (row, pair)
    return challenges


def _find_played_rounds(
    due: Sequence[Deadline], players: Collection[Player] | None
) -> set[tuple[int, str]]:
    event_ids = {row.event_id for row in due if row.kind == FINALISE_ROUND}
    if not event_ids or players is None:
        return set()
    rows = Sitting.objects.filter(round__event__in=event_ids, player__in=players)
    rounds = rows.values_list("round__event", "round__number")
    return {(event, str(number)) for event, number in rounds}


def in_time_order(*parts: Sequence[CalendarEntry]) -> Iterator[CalendarEntry]:
    """Yield entries by when they start, a day before its moments."""

    def order(entry: CalendarEntry) -> tuple[datetime, str]:
        if isinstance(entry.starts, datetime):
            return entry.starts, entry.uid
        return datetime.combine(entry.starts, datetime.min.time(), UTC), entry.uid

    yield from sorted(chain.from_iterable(parts), key=order)


class AtomFeed(Atom1Feed):
    """A page of an Atom feed with links to the others, a plain summary and the content as HTML.

    `pages` are the addresses of the `first` page, and of the `previous` (newer) and the `next`
    (older) one, empty if there is none. The bytes depend on the arguments only.
    """

    def __init__(
        self,
        *,
        id: str,
        title: str,
        subtitle: str,
        author: str,
        url: str,
        page_url: str,
        language: str,
        updated_at: datetime,
        pages: Mapping[str, str],
    ) -> None:
        super().__init__(
            title=_clean_xml(title),
            link=page_url,
            description="",
            subtitle=_clean_xml(subtitle),
            author_name=_clean_xml(author),
            feed_url=url,
            feed_guid=id,
            language=language,
            pages=pages,
        )
        self._updated_at = updated_at

    def add_entry(
        self,
        *,
        id: str,
        title: str,
        url: str,
        published_at: datetime,
        summary: str,
        content: str,
        updated_at: datetime | None = None,
    ) -> None:
        """Add an entry; `summary` is plain text, `content` HTML, `id` an IRI that never changes.

        Args:
            updated_at: when it changed last; None: never.
        """
        self.add_item(
            title=_clean_xml(title),
            link=url,
            description=None,  # type: ignore[arg-type]  # no second summary
            summary=_clean_xml(summary),
            content=_clean_xml(content),
            unique_id=id,
            pubdate=published_at,
            updateddate=updated_at or published_at,
        )

    def latest_post_date(self) -> datetime:
        """Return when the feed changed last, even if it has no entries."""
        return self._updated_at

    def content(self) -> bytes:
        return str(self.writeString("utf-8")).encode()

    def add_root_elements(self, handler: SimplerXMLGenerator) -> None:
        super().add_root_elements(handler)
        for rel, href in self.feed["pages"].items():
            if href:
                handler.addQuickElement("link", "", {"rel": rel, "href": href})

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        handler.addQuickElement("summary", item["summary"], {"type": "text"})
        handler.addQuickElement("content", item["content"], {"type": "html"})


def _clean_xml(text: str) -> str:
    """Return text without characters that XML cannot hold.

    >>> _clean_xml("Zoë\\x0b K.")
    'Zoë K.'
    """
    return NOT_IN_XML.sub("", text)


def icalendar_file(
    title: str, entries: Iterable[CalendarEntry], address: Callable[[tuple[str, ...]], str]
) -> bytes:
    """Return a calendar; moments are in UTC, and the bytes follow from the entries alone."""
    calendar = Calendar()
    calendar.add("prodid", "-//Blacklady//Calendar 1//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", _clean(title))
    calendar.add("name", _clean(title))
    calendar.add("refresh-interval", timedelta(hours=1), parameters={"VALUE": "DURATION"})
    for entry in entries:
        calendar.add_component(_event(entry, address(entry.page)))
    content: bytes = calendar.to_ical()
    return content


def _event(entry: CalendarEntry, url: str) -> CalendarEvent:
    component = CalendarEvent()
    changed = entry.changed_at.astimezone(UTC).replace(microsecond=0)
    component.add("uid", entry.uid)
    component.add("dtstamp", changed)
    component.add("last-modified", changed)
    component.add("sequence", entry.sequence)
    component.add("status", "CANCELLED" if entry.is_cancelled else "CONFIRMED")
    component.add("summary", _clean(entry.title))
    component.add("dtstart", entry.starts)
    component.add("dtend", entry.ends)
    if entry.description:
        component.add("description", _clean(entry.description))
    if entry.place:
        component.add("location", _clean(entry.place))
    component.add("url", url)
    component.add("transp", "TRANSPARENT" if entry.is_deadline else "OPAQUE")
    return component


def _clean(text: str) -> str:
    r"""Return text without control characters, which calendar programs do not take.

    >>> _clean("one\x00 two\nthree")
    'one two\nthree'
    """
    return "".join(letter for letter in text if letter >= " " or letter == "\n")
