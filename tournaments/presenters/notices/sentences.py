"""A message to one member in words, and what every kind of it shares."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from tournaments.models.events import Event
from tournaments.models.meetings import Table
from tournaments.policy import may
from tournaments.selectors.clubs.clubs import actor_of, role_of
from tournaments.selectors.events.events import READING


@dataclass(frozen=True, slots=True)
class NoticeText:
    """A message: its sentence, what else there is to say, and the page where something is done.

    `rows` are pairs of a label and a value. `mail_path` is the page that a mail leads to where that
    is another one: one that asks nobody to sign in.
    """

    title: str
    link: str
    path: str
    paragraphs: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    mail_path: str = ""


@dataclass(frozen=True, slots=True)
class NoticeContext:
    """Who reads a message, the ids that it is made of, and when a mail is sent."""

    reader: User
    facts: dict[str, Any]
    now: datetime | None = None

    def id_of(self, key: str) -> int:
        """Return one of the ids."""
        return int(self.facts[key])

    def may_read(self, event: Event) -> bool:
        """Whether the reader may read an event; while results are held nothing of it is told."""
        role = role_of(actor_of(self.reader), event.club_id)
        return may(role, READING[event.visibility])


def page_of(event: Event, name: str, *args: object) -> str:
    """Return the path of an event's page by its name."""
    return reverse(f"tournaments:{name}", args=(event.club.slug, event.slug, *args))


def path_of(name: str, *args: object) -> str:
    """Return the path of a page that belongs to no event by its name."""
    return reverse(f"tournaments:{name}", args=args)


def where_of(table: Table) -> str:
    """Return a table with its event: "Autumn league, round 4, table 3"."""
    return _("%(event)s, round %(round)s, table %(table)s") % {
        "event": table.event.name,
        "round": table.round.number,
        "table": table.number,
    }


def when(moment: datetime) -> str:
    """Return a deadline as its last day and time; one that ends with a day ends at 24:00 of it."""
    local = timezone.localtime(moment)
    if (local.hour, local.minute) != (0, 0):
        return formats.date_format(local, "l j F, H:i")
    return f"{formats.date_format(local - timedelta(hours=1), 'l j F')}, 24:00"


def on_day(day: date) -> str:
    """Return a local date with its day of the week."""
    return formats.date_format(day, "l j F Y")


def quoted(words: str) -> str:
    """Return what somebody wrote, in quotation marks."""
    return f"“{words}”"


MINUS: Final = "−"
