"""The demo club: whether this site has it, and the tour of its pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import list_clubs_for

DEMO_CLUB: Final = "riverside"
DEMO_SIGN_IN: Final = "riverside-owner"


@dataclass(frozen=True, slots=True)
class TourStop:
    """One page of the tour: its heading, what to look at, and its address in the demo club."""

    number: int
    title: str | Promise
    text: str | Promise
    path: str

    @property
    def url(self) -> str:
        return f"{self.path}?{PARAMETER}={self.number}"


def has_demo_club(actor: Actor) -> bool:
    """Whether the actor may read the demo club: the one that the demo's own account belongs to."""
    clubs = list_clubs_for(actor).filter(slug=DEMO_CLUB, memberships__user__username=DEMO_SIGN_IN)
    return clubs.exists()


PARAMETER: Final = "tour"


def tour_stops() -> Sequence[TourStop]:
    event = {"club": DEMO_CLUB, "event": "league"}
    ladder = {"club": DEMO_CLUB, "event": "ladder"}
    pages = (
        (
            _("Standings"),
            _("The newest publication. Choose “Why” beside a name for the reason of its place."),
            reverse("tournaments:event", kwargs=event),
        ),
        (
            _("Why a place"),
            _("All tables of one player. Each row leads to its sheet."),
            reverse("tournaments:entrant", kwargs={**event, "player_id": "RL24"}),
        ),
        (
            _("Score sheet"),
            _("One table, hand by hand. Choose the number of a hand for its details."),
            reverse("tournaments:table", kwargs={**event, "code": "r10t5"}),
        ),
        (
            _("Ladder"),
            _("Players in an order that results change. Each move shows its reason."),
            reverse("tournaments:ladder", kwargs=ladder),
        ),
        (
            _("Manage"),
            _("Directors see here what to do next: rounds, sheets to enter, corrections."),
            reverse("tournaments:manage-event", kwargs=event),
        ),
    )
    return [TourStop(number, *page) for number, page in enumerate(pages, 1)]


def tour_stop_at(path: str, number: str) -> TourStop | None:
    stops = tour_stops() if path.startswith(f"/clubs/{DEMO_CLUB}/") else ()
    return next((stop for stop in stops if (stop.path, str(stop.number)) == (path, number)), None)
