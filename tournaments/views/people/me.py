"""The page of whoever is signed in: place, next table, questions, challenges in every club."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from tournaments.models.clubs import Player
from tournaments.models.events import Event, EventKind
from tournaments.models.ladders import OPEN_CHALLENGES
from tournaments.selectors.attendance.own_evenings import own_next_evenings
from tournaments.selectors.ladders import challenges as rows
from tournaments.selectors.notices.notifications import list_unread_notices
from tournaments.selectors.people.accounts import OwnClub, find_likely_players, list_own_clubs
from tournaments.selectors.people.notice_text import notice_lines
from tournaments.selectors.people.own_tables import (
    NextEvening,
    find_leading_places,
    list_last_results,
    list_next_evenings,
    list_next_tables,
    list_open_disputes,
    list_own_events,
)
from tournaments.views.hands.score_sheet import own_table_cards
from tournaments.views.http import layout
from tournaments.views.http.decorators import form_page
from tournaments.views.http.layout import Layout, PageRequest
from tournaments.views.ladders.challenge_text import ChallengeText
from tournaments.views.ladders.ladders import challenges_for_reader

MOST_NOTICES: Final = 5
"""So many new notices stand here; the others are on their own page."""


@dataclass(frozen=True, slots=True)
class OwnChallenge:
    """An open challenge of one's own, and whether it asks for an answer now."""

    event: Event
    one: ChallengeText

    @property
    def asks(self) -> bool:
        """Whether the result is to be confirmed, by whoever lost."""
        return self.one.line.state == "played" and self.one.asks_reader


@dataclass(frozen=True, slots=True)
class UnlinkedClub:
    """A club where the account is not linked to a player, and who it may be."""

    own: OwnClub
    players: Sequence[Player]


@form_page("own_account")
def me(request: PageRequest) -> HttpResponse:
    """Show what waits for the reader, and where they stand."""
    now = timezone.now()
    clubs = list_own_clubs(request.actor)
    players = [one.player for one in clubs if one.player is not None]
    own = [one.pk for one in players]
    events = list_own_events(request.actor, own) if own else []
    challenges = [
        one for event in events for one in _challenges(request, event, now) if event.state == "open"
    ]
    tables = list_next_tables(events, own, now=now)
    results = list_last_results(events, own)
    evenings = own_next_evenings(request.actor, players, now=now)
    shown = {(one.event.pk, one.day) for one in evenings}
    context = {
        "layout": _layout(request, clubs),
        "clubs": clubs,
        "is_several": len(clubs) > 1,
        "players": players,
        "places": find_leading_places(events, players),
        "tables": own_table_cards(tables, now=now),
        "to_answer": [one for one in evenings if one.may_answer and not one.state],
        "own_evenings": [one for one in evenings if one.state or not one.may_answer],
        "evenings": () if tables else _others(list_next_evenings(events, now=now), shown),
        "unlinked": _unlinked(request, clubs),
        "to_decide": [one for one in clubs if one.n_claims],
        "to_confirm": [one for one in challenges if one.asks],
        "challenges": [one for one in challenges if not one.asks],
        "ladders": [one for one in events if one.kind == EventKind.LADDER and one.state == "open"],
        "disputes": list_open_disputes(request.actor, events, own),
        "results": results,
        # Nobody has seated them yet, and they are in no ladder.
        "is_new": bool(players) and not (events or tables or results),
        "notices": list(
            notice_lines(list_unread_notices(request.actor.user_id or 0)[:MOST_NOTICES])
        ),
    }
    return render(request, "people/me.html", context)


def _others(
    evenings: Sequence[NextEvening], shown: Collection[tuple[int, date]]
) -> Sequence[NextEvening]:
    """Return the evenings that are on the page in no other place."""
    return [
        next_evening
        for next_evening in evenings
        if (next_evening.event.pk, next_evening.day) not in shown
    ]


def _challenges(request: PageRequest, event: Event, now: datetime) -> Sequence[OwnChallenge]:
    """Return the reader's open challenges on a ladder, those that are due first in front."""
    if event.kind != EventKind.LADDER:
        return ()
    entrant = rows.own_entrant(request.actor, event)
    if entrant is None:
        return ()
    listed = rows.challenges_of_member(event, entrant.code).filter(state__in=OPEN_CHALLENGES)
    challenge_texts = challenges_for_reader(request, event, list(listed), now=now, own=entrant.code)
    return [OwnChallenge(event, challenge_text) for challenge_text in challenge_texts]


def _unlinked(request: PageRequest, clubs: Sequence[OwnClub]) -> Sequence[UnlinkedClub]:
    without = [one for one in clubs if one.player is None]
    asking = [one.club for one in without if one.claim is None]
    likely = find_likely_players(asking, request.actor.name) if asking else {}
    return [UnlinkedClub(one, likely.get(one.club.pk, ())) for one in without]


def _layout(request: PageRequest, clubs: Sequence[OwnClub]) -> Layout:
    """Return the layout of the page: that of the club where there is one only."""
    if len(clubs) != 1:
        return layout.site_layout(request)
    club = clubs[0].club
    club.role = clubs[0].role  # type: ignore[attr-defined]  # as `clubs_for` annotates it
    return layout.club_layout(request, club, (layout.club_link(club),))
