"""Results of one player in every event of a club, read from the newest publication of each.

A read never computes: places and scores are those that the publications have.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Any, Final

from django.db.models import OuterRef, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.domain.standings.ladder_documents import LadderDocument
from tournaments.domain.standings.standings_documents import StandingsDocument
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantMember, Event, EventKind
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.events import listed_events
from tournaments.selectors.standings.sorting import decimal, decimals_of
from tournaments.selectors.standings.standings import newest_publications
from tournaments.selectors.standings.standings_view import (
    cell_value,
    column_title,
    ranking_column,
)

ORDER: Final = ("-created_at", "slug")
"""Newest event first; the columns that pages of results follow."""


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """What a player reached in one event.

    `rank` is None and `place` empty before the player has a place; `of` counts the places. `score`
    is the value that decides the place, None where there is none; `score_key` and `score_title`
    name it. `on` is the day of the last counted meeting.
    """

    event_id: int
    event: str
    name: str
    created_at: datetime
    is_ladder: bool
    entrant_id: str
    entrant_kind: str
    on: date | None = None
    rank: int | None = None
    place: str = ""
    of: int = 0
    score: int | str | None = None
    score_key: str = ""
    score_title: str | Promise = ""
    publication: int | None = None


def entered_events(actor: Actor, club: Club, player: Player) -> QuerySet[Event]:
    """Return the listed events of `club` that `player` competes in and `actor` may read, newest
    first, each with `entrant_code` and `entrant_kind`."""
    entered = EntrantMember.objects.filter(player=player)
    there = entered.filter(event=OuterRef("pk")).order_by()
    return (
        listed_events(actor, club)
        .filter(pk__in=entered.values("event"))
        .annotate(
            entrant_code=there.values("entrant__code")[:1],
            entrant_kind=there.values("entrant__kind")[:1],
        )
        .order_by(*ORDER)
    )


def result_rows(actor: Actor, club: Club, player: Player) -> RenderedRows:
    """Return the results of a player as a list that is read a page at a time; three queries."""
    return RenderedRows(entered_events(actor, club, player), results_in)


def events_before(events: QuerySet[Event], slug: str) -> QuerySet[Event]:
    """Return the events that come after the one at `slug` in the order newest first.

    All of them where none of them has that slug, so that an outdated link shows the first page.
    """
    last = events.filter(slug=slug).values_list("created_at", "slug").first() if slug else None
    if last is None:
        return events
    created_at, own = last
    return events.filter(Q(created_at__lt=created_at) | Q(created_at=created_at, slug__gt=own))


def results_in(events: Sequence[Event]) -> list[PlayerResult]:
    """Return what a player reached in each of these events, in their order; at most two queries.

    Args:
        events: from `entered_events`.
    """
    ladders = [one for one in events if one.kind == EventKind.LADDER]
    others = [one for one in events if one.kind != EventKind.LADDER]
    lists = newest_publications(ladders, "ladder")
    tables = newest_publications(others, "event")
    found: Iterable[partial[PlayerResult]] = map(_begun, events)
    return [
        begun(**_on_ladder(lists.get(event.pk), code))
        if event.kind == EventKind.LADDER
        else begun(**_in_standings(tables.get(event.pk), code))
        for event, begun in zip(events, found, strict=True)
        for code in (event.entrant_code,)  # type: ignore[attr-defined]  # annotated
    ]


def _begun(event: Event) -> "partial[PlayerResult]":
    return partial(
        PlayerResult,
        event_id=event.pk,
        event=event.slug,
        name=event.name,
        created_at=event.created_at,
        is_ladder=event.kind == EventKind.LADDER,
        entrant_id=event.entrant_code,  # type: ignore[attr-defined]  # annotated
        entrant_kind=event.entrant_kind,  # type: ignore[attr-defined]  # annotated
    )


def _in_standings(found: Publication | None, code: str) -> Mapping[str, Any]:
    """Return what a publication of standings says of an entrant: members of `PlayerResult`."""
    if found is None:
        return {}
    body: StandingsDocument = json.loads(bytes(found.body))
    said = _read_of(found, body["as_of"]["meeting"], len(body["rows"]))
    row = next(
        (one for one in (*body["rows"], *body["provisional_rows"]) if one["player_id"] == code),
        None,
    )
    if row is None:
        return said
    primary = body["scheme"]["primary"]
    published = {column["key"]: column for column in body["columns"]}
    key = ranking_column(primary, published)
    value = cell_value(row, key)
    rank = row["rank"]
    return {
        **said,
        "rank": rank,
        "place": "" if rank is None else f"{rank}{'=' if row['tied'] else ''}",
        "score": decimal(value, decimals_of([value])),
        "score_key": key if key in published else primary,
        "score_title": column_title(key, primary, published),
    }


def _on_ladder(found: Publication | None, code: str) -> Mapping[str, Any]:
    """Return what a publication of a ladder says of a member: place on the list, and rating."""
    if found is None:
        return {}
    body: LadderDocument = json.loads(bytes(found.body))
    said = _read_of(found, body["as_of"]["on"], len(body["rows"]))
    row = next((one for one in body["rows"] if one["player_id"] == code), None)
    if row is None:
        return said
    return {
        **said,
        "rank": row["place"],
        "place": str(row["place"]),
        "score": row["rating_shown"],
        "score_key": "rating",
        "score_title": _("Rating"),
    }


def _read_of(found: Publication, day: str | None, of: int) -> Mapping[str, Any]:
    on = date.fromisoformat(day) if day else None
    return {"publication": found.number, "on": on, "of": of}
