"""The page of whoever is signed in: place, next table, questions, challenges in every club."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from tournaments.models.events import Event, EventKind
from tournaments.models.ladders import OPEN_CHALLENGES
from tournaments.selectors.attendance.own_evenings import own_next_evenings
from tournaments.selectors.ladders import challenges as rows
from tournaments.selectors.notices.notifications import list_unread_notices
from tournaments.selectors.people.accounts import OwnClub, find_likely_players, list_own_clubs
from tournaments.selectors.people.notice_text import notice_lines
from tournaments.selectors.people.own_tables import (
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
from tournaments.views.ladders.challenge_forms import ChallengeText
from tournaments.views.ladders.ladders import challenges_for_reader

MOST_NOTICES: Final = 5
"""So many new notices stand here; the others are on their own page."""


@form_page("own_account")
def me(request: PageRequest) -> HttpResponse:
    now = timezone.now()
    clubs = list_own_clubs(request.actor)
    players = [club.player for club in clubs if club.player is not None]
    player_ids = [player.pk for player in players]
    events = list_own_events(request.actor, player_ids) if players else []
    ladders = [
        event for event in events if event.kind == EventKind.LADDER and event.state == "open"
    ]
    challenges = [
        (ladder, challenge)
        for ladder in ladders
        for challenge in _open_challenges(request, ladder, now)
    ]
    to_confirm = [
        (ladder, challenge)
        for ladder, challenge in challenges
        if challenge.line.state == "played" and challenge.asks_reader
    ]
    tables = list_next_tables(events, player_ids, now=now)
    results = list_last_results(events, player_ids)
    own_evenings = own_next_evenings(request.actor, players, now=now)
    listed = {(evening.event, evening.day) for evening in own_evenings}
    unlinked = [club for club in clubs if club.player is None]
    likely = find_likely_players(
        [club.club for club in unlinked if club.claim is None], request.actor.name
    )
    context = {
        "layout": _layout(request, clubs),
        "clubs": clubs,
        "is_several": len(clubs) > 1,
        "players": players,
        "places": find_leading_places(events, players),
        "tables": own_table_cards(tables, now=now),
        "to_answer": [row for row in own_evenings if row.may_answer and not row.state],
        "own_evenings": [row for row in own_evenings if row.state or not row.may_answer],
        "evenings": []
        if tables
        else [row for row in list_next_evenings(events, now=now) if row not in listed],
        "unlinked": [(club, likely.get(club.club.pk, ())) for club in unlinked],
        "to_decide": [club for club in clubs if club.n_claims],
        "to_confirm": to_confirm,
        "challenges": [pair for pair in challenges if pair not in to_confirm],
        "ladders": ladders,
        "disputes": list_open_disputes(request.actor, events, player_ids),
        "results": results,
        # Nobody has seated them yet, and they are in no ladder.
        "is_new": bool(players) and not (events or tables or results),
        "notices": list(
            notice_lines(list_unread_notices(request.actor.user_id or 0)[:MOST_NOTICES])
        ),
    }
    return render(request, "people/me.html", context)


def _open_challenges(request: PageRequest, event: Event, now: datetime) -> Sequence[ChallengeText]:
    """Return the reader's open challenges on a ladder, those that are due first in front."""
    entrant = rows.own_entrant(request.actor, event)
    if entrant is None:
        return ()
    challenges = rows.challenges_of_member(event, entrant.code).filter(state__in=OPEN_CHALLENGES)
    return challenges_for_reader(request, event, list(challenges), now=now, own=entrant.code)


def _layout(request: PageRequest, clubs: Sequence[OwnClub]) -> Layout:
    if len(clubs) != 1:
        return layout.site_layout(request)
    club = clubs[0].club
    club.role = clubs[0].role  # type: ignore[attr-defined]  # as `clubs_for` annotates it
    return layout.club_layout(request, club)
