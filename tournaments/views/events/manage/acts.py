"""Acts of the page Manage (a link, or a button that posts, and who may do it), and its steps."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.rounds.round_progress import FiledHand

StepTone: TypeAlias = Literal["", "bad"]


@dataclass(frozen=True, slots=True)
class ManageAct:
    """A link, or a button where `field` is what it posts; `permission` is an act of the policy.

    `about` tells buttons with the same words apart for who cannot see the line they are in.
    """

    text: str
    url: str
    permission: str = "manage_event"
    field: str = ""
    value: str = ""
    about: str = ""

    def is_allowed(self, event: Event) -> bool:
        """Whether the reader that the event was read for may do it."""
        return may_do(event, self.permission)


@dataclass(frozen=True, slots=True)
class ManageStep:
    """One thing to do: its name, why, the act, and another way where there is one."""

    name: str
    reason: str
    act: ManageAct
    other: ManageAct | None = None
    tone: StepTone = ""


def event_url(event: Event, name: str, *args: object) -> str:
    """Return the address of a page of an event."""
    return reverse(f"tournaments:{name}", args=(event.club.slug, event.slug, *args))


def club_url(event: Event, name: str) -> str:
    """Return the address of a page of an event's club."""
    return reverse(f"tournaments:{name}", args=(event.club.slug,))


def move_act(event: Event, to: str, text: str) -> ManageAct:
    """Return the button that takes an event to another state."""
    return ManageAct(text, event_url(event, "manage-event"), field="to", value=to)


def move_round_act(event: Event, number: int, to: str, text: str) -> ManageAct:
    """Return the button that takes a round to another state and comes back to Manage."""
    url = f"{event_url(event, 'manage-round', number)}?back=manage"
    return ManageAct(text, url, field="to", value=to)


def resolve_act(event: Event, entry: FiledHand, about: str = "") -> ManageAct:
    """Return the link to the correction of a hand, or of totals, that is saved as disputed."""
    if not entry.number:
        return ManageAct(_("Resolve totals"), event_url(event, "totals", entry.code), about=about)
    text = _("Resolve hand %(hand)s") % {"hand": entry.number}
    return ManageAct(text, event_url(event, "edit-hand", entry.code, entry.number), about=about)


def manage_round_act(event: Event, number: int) -> ManageAct:
    """Return the link to a round's page for directors."""
    text = _("Manage round %(number)s") % {"number": number}
    return ManageAct(text, event_url(event, "manage-round", number))
