"""The short code of a personal card, which in the hall opens one evening of its player, and the
personal link that a phone has opened, by which the code on the wall knows its owner.

The short code is made from the link's seed under the server's secret key, so that no copy of the
database has it, and ends with its link (docs/decisions/0082-codes-in-the-hall.md).
"""

from datetime import date, datetime, time, timedelta
from typing import Final, NamedTuple

from django.conf import settings
from django.core import signing
from django.db.models import Min
from django.utils.crypto import constant_time_compare

from tournaments.models.access import PersonalLink
from tournaments.models.clubs import Club
from tournaments.models.events import Visibility
from tournaments.models.rounds import Meeting, MeetingState
from tournaments.policy import EVENING, Actor
from tournaments.selectors.access.personal_links import (
    find_link_of_mail,
    person_with_link,
    printable_token,
)
from tournaments.selectors.access.table_links import read_code, short_code
from tournaments.selectors.events.meetings import MEETING_STATE, club_day

CODE_LENGTH: Final = 6
"""Characters of a code: 30 bits, which `WrongCodeThrottle` protects."""
COOKIE: Final = f"{settings.COOKIE_PREFIX}evening"
"""Cookie of who typed a code."""
PHONE_COOKIE: Final = f"{settings.COOKIE_PREFIX}person"
"""Cookie of the personal link that was opened last on a phone."""
PHONE_COOKIE_LASTS: Final = timedelta(days=180)
NOON: Final = time(12)
BEFORE_MORNINGS: Final = timedelta(hours=2)
"""How long before its beginning an evening opens that begins before two in the afternoon."""

_SALT: Final = "tournaments.evening-codes"
_PHONE_SALT: Final = "tournaments.phones"


class EveningOfCodes(NamedTuple):
    """The day whose evenings codes open now, and when they stop to."""

    day: date
    until: datetime


class OpenedEvening(NamedTuple):
    """Whose evening a code has opened on a device."""

    link: PersonalLink
    evening: EveningOfCodes


def code_in_print(link: PersonalLink) -> str:
    """Return the code of a card; "" if the server's key has changed."""
    if not printable_token(link):
        return ""
    code = _code_of(link.seed)
    return f"{code[:3]}-{code[3:]}"


def find_evening_of_codes(club: Club, now: datetime) -> EveningOfCodes | None:
    """Return the evening whose codes work: from noon of its day to noon of the next. One query.

    One that begins in the morning opens two hours before. Held and cancelled evenings open nothing.
    """
    here = now.astimezone(club.zone)
    today = club_day(club, now)
    yesterday = today - timedelta(days=1)
    meetings = Meeting.objects.filter(club=club, date__in=(yesterday, today), gathers=True)
    meetings = meetings.filter(event__archived_at=None).exclude(event__visibility=Visibility.HELD)
    meetings = meetings.annotate(state_now=MEETING_STATE)
    meetings = meetings.exclude(state_now=MeetingState.CANCELLED)
    first_times = dict(meetings.values_list("date").annotate(first=Min("time")))
    noon = datetime.combine(today, NOON, club.zone)
    if today in first_times:
        opens = noon
        if first_times[today] is not None:
            begins = datetime.combine(today, first_times[today], club.zone)
            opens = min(noon, begins - BEFORE_MORNINGS)
        if here >= opens:
            tomorrow = today + timedelta(days=1)
            return EveningOfCodes(today, datetime.combine(tomorrow, NOON, club.zone))
    if yesterday in first_times and here < noon:
        return EveningOfCodes(yesterday, noon)
    return None


def find_link_by_evening_code(club: Club, typed: str) -> PersonalLink | None:
    """Return the working link of a club whose card has this code. A query, and a digest a link.

    None too where two cards have the code: neither of the two is meant for sure.
    """
    code = read_code(typed)
    links = PersonalLink.objects.filter(club=club, revoked_at=None).only("pk", "seed")
    matching = [link.pk for link in links if constant_time_compare(_code_of(link.seed), code)]
    if len(matching) != 1:
        return None
    return find_link_of_mail(matching[0])


def evening_cookie(link: PersonalLink, evening: EveningOfCodes) -> str:
    return signing.dumps([link.pk, evening.day.isoformat()], salt=_SALT, compress=True)


def find_evening_in_cookie(club: Club, cookie: str, now: datetime) -> OpenedEvening | None:
    """Return whose evening of a club a device shows; None once it is over or the link ended."""
    try:
        pk, day = signing.loads(cookie, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    evening = find_evening_of_codes(club, now)
    link = find_link_of_mail(pk)
    if link is None or evening is None or link.club_id != club.pk:
        return None
    if evening.day.isoformat() != day:
        return None
    return OpenedEvening(link, evening)


def phone_cookie(link: PersonalLink) -> str:
    return signing.dumps(link.pk, salt=_PHONE_SALT)


def find_link_of_phone(cookie: str, club_slug: str) -> PersonalLink | None:
    """Return the working link that a phone has opened last, if it is of this club."""
    try:
        pk = signing.loads(cookie, salt=_PHONE_SALT, max_age=PHONE_COOKIE_LASTS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    link = find_link_of_mail(pk)
    if link is None or link.club.slug != club_slug:
        return None
    return link


def person_of_evening(opened: OpenedEvening) -> Actor:
    """Return who acts with a code: they answer and check in for that day, and nothing else."""
    return person_with_link(opened.link, role=EVENING, evening=opened.evening.day)


def _code_of(seed: str) -> str:
    return short_code(f"{_SALT}.code", seed, length=CODE_LENGTH)
