"""What the pages of a ladder share: the way in, what stands around them, who the reader is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, EventKind
from tournaments.models.ladders import OPEN_CHALLENGES, Challenge
from tournaments.presenters.ladders.challenge_rows import challenge_lines
from tournaments.presenters.ladders.eligible_opponents import members_in_order
from tournaments.presenters.ladders.inactivity_warnings import (
    InactivityWarning,
    inactivity_warnings,
)
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events import events
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.jobs.queue import PublicationProgress, progress_of_ladder
from tournaments.selectors.ladders import challenges as rows
from tournaments.selectors.ladders import ladders
from tournaments.selectors.ladders.ladder_page import LadderView
from tournaments.views.http import layout
from tournaments.views.http.layout import Layout, Link, PageRequest
from tournaments.views.ladders.challenge_text import ChallengeText, challenges_in_words


def ladder_at(request: PageRequest, club: str, event: str) -> Event:
    """Return the ladder at an address.

    Raises:
        Missing: no such event, not one that the reader may know of, or no ladder.
    """
    return ladders.ladder_at(request.actor, club, event)


def ladder_layout(request: PageRequest, event: Event, *crumbs: Link, current: str = "") -> Layout:
    """Return the layout of a ladder's page; its list is what there is as CSV."""
    page_layout = layout.event_layout(request, event, crumbs, current=current)
    url = reverse("tournaments:ladder-csv", args=[event.club.slug, event.slug])
    return replace(page_layout, csv_url=url, csv_text=_("Ladder as CSV"))


def to_list(event: Event) -> Link:
    """Return the link to a ladder's challenges."""
    url = reverse("tournaments:challenges", args=[event.club.slug, event.slug])
    return Link(_("Challenges"), url)


def members_by_place(event: Event) -> Sequence[tuple[str, str]]:
    """Return code and label of everybody on the list as it is now, from the top, for fields of
    forms that choose one."""
    names = names_in(event)
    order = members_in_order(event, anew=True)
    return [(code, f"{at} {names.get(code, code)}") for at, code in enumerate(order, start=1)]


def own_code(request: PageRequest, event: Event) -> str:
    """Return the code of the reader's own member of a ladder, empty for who is none."""
    own = rows.own_entrant(request.actor, event)
    return own.code if own is not None else ""


def may_take_part(event: Event, own: str) -> bool:
    """Whether the reader finds forms that send a challenge or tell an absence."""
    may = may_do(event, "challenge") and (bool(own) or may_do(event, "enter_hand"))
    return may and event.state == "open"


@dataclass(frozen=True, slots=True)
class PlayerLadder:
    """A ladder that a player stands on, with the open challenges; `is_own`: it is the reader."""

    event: Event
    code: str
    is_own: bool
    open: tuple[ChallengeText, ...]
    progress: PublicationProgress


def ladders_of(request: PageRequest, club: Club, player: Player) -> tuple[PlayerLadder, ...]:
    """Return the ladders of a player that the reader may see, the newest first."""
    readable = events.listed_events(request.actor, club).filter(kind=EventKind.LADDER)
    found = []
    for event, code in rows.ladders_with(readable, player):
        own = own_code(request, event)
        listed = rows.challenges_of_member(event, code).filter(state__in=OPEN_CHALLENGES)
        told_ones = challenges_for_reader(request, event, list(listed), now=timezone.now(), own=own)
        progress = progress_of_ladder(event.pk, timezone.now())
        found.append(PlayerLadder(event, code, bool(own) and own == code, told_ones, progress))
    return tuple(found)


def idle_in(
    event: Event, view: LadderView | None, *, now: datetime
) -> dict[str, InactivityWarning]:
    """Return who is warned of dropping, by code, for members of the club; others learn of nobody,
    for who is away is not warned."""
    if view is None or not may_do(event, "read_members"):
        return {}
    return inactivity_warnings(
        event, {row.player_id: row.last_played for row in view.rows}, now=now
    )


def challenges_for_reader(
    request: PageRequest, event: Event, found: Sequence[Challenge], *, now: datetime, own: str
) -> tuple[ChallengeText, ...]:
    """Return challenges as the reader sees them, in words."""
    if not found:
        return ()
    lines = challenge_lines(event, list(found), actor=request.actor, now=now)
    return challenges_in_words(event, lines, now=now, own=own)
