"""The places of an account's players, read from what is published; nothing is computed."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tournaments.domain.standings.ladder_documents import LadderDocument
from tournaments.domain.standings.standings_documents import StandingsDocument
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event, EventKind
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.events.events import events_for, featured_event, with_last_meeting
from tournaments.selectors.standings.standings import newest_publications
from tournaments.selectors.standings.trends import Movement, paths_of


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """The place of an own player in the leading event of a club.

    `place` is empty before anything counts for the player. `n` counts the places.
    """

    event: Event
    code: str
    place: str
    n: int
    movement: Movement | None

    @property
    def is_ladder(self) -> bool:
        """Whether the event is a ladder, so that its place is that of the list."""
        return self.event.kind == EventKind.LADDER


def own_events(actor: Actor, players: Collection[int]) -> Sequence[Event]:
    """Return the listed events of players that the actor may read, newest first; one query.

    Args:
        players: by row.
    """
    entered = EntrantMember.objects.filter(player__in=players).values("event")
    listed = events_for(actor).filter(pk__in=entered, archived_at__isnull=True)
    events = with_last_meeting(listed)
    return list(events.order_by("-created_at", "slug"))


def leading_places(events: Sequence[Event], players: Collection[Player]) -> Sequence[OwnPlace]:
    """Return the place in the leading event of each club, by the club's name.

    So many queries a club, whatever its size, and three more.

    Args:
        events: from `own_events`.
    """
    leading = _leading(events)
    own = [one.pk for one in players]
    members = EntrantMember.objects.filter(event__in=leading, player__in=own)
    codes = dict(members.order_by("event").values_list("event_id", "entrant__code"))
    standings = newest_publications(
        [one for one in leading if one.kind != EventKind.LADDER], "event"
    )
    ladders = newest_publications(
        [one for one in leading if one.kind == EventKind.LADDER], "ladder"
    )
    return [
        _ladder_place(one, codes[one.pk], ladders.get(one.pk))
        if one.kind == EventKind.LADDER
        else _place(one, codes[one.pk], standings.get(one.pk))
        for one in leading
    ]


def _leading(events: Sequence[Event]) -> Sequence[Event]:
    by_club: dict[int, list[Event]] = {}
    for event in events:
        by_club.setdefault(event.club_id, []).append(event)
    found = [featured_event(of_club) for of_club in by_club.values()]
    return sorted((one for one in found if one is not None), key=lambda one: one.club.name)


def _place(event: Event, code: str, found: Publication | None) -> OwnPlace:
    if found is None:
        return OwnPlace(event, code, "", 0, None)
    body: StandingsDocument = json.loads(bytes(found.body))
    row = next((one for one in body["rows"] if one["player_id"] == code), None)
    if row is None or row["rank"] is None:
        return OwnPlace(event, code, "", len(body["rows"]), None)
    place = f"{row['rank']}{'=' if row['tied'] else ''}"
    trends = paths_of(event, body["as_of"]["round"], {code: place}, {code})
    movement = trends[code].movement if code in trends else None
    return OwnPlace(event, code, place, len(body["rows"]), movement)


def _ladder_place(event: Event, code: str, found: Publication | None) -> OwnPlace:
    if found is None:
        return OwnPlace(event, code, "", 0, None)
    body: LadderDocument = json.loads(bytes(found.body))
    rows = body["rows"]
    place = next((str(one["place"]) for one in rows if one["player_id"] == code), "")
    return OwnPlace(event, code, place, len(rows), None)
