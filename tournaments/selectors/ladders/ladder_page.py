"""A ladder as it was published, laid out for pages: the list and the ratings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Coalesce, Concat

from scoring.json_types import JsonDict
from tournaments.domain.standings.ladder_documents import (
    LadderDocument,
    LadderPlaceDocument,
    MoveDocument,
)
from tournaments.errors import first_or_missing
from tournaments.models.events import Event
from tournaments.models.jobs import EVENT_PREFIX, LADDER_PREFIX, Dirty
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.events.events import events_for
from tournaments.selectors.events.meetings import club_day
from tournaments.selectors.events.players import as_read
from tournaments.selectors.jobs.queue import get_last_heartbeat
from tournaments.selectors.ladders.challenges import absence_rows
from tournaments.selectors.ladders.ladders import DECIMALS
from tournaments.selectors.standings.publication_bytes import require_ladder


@dataclass(frozen=True, slots=True)
class LadderView:
    """A publication of a ladder laid out; `rules` are those that it was computed with.

    Each of `ratings` has `rank` (None while it is provisional), `player_id`, `name`, `rating`,
    `games`, `is_provisional`, `change` by the last game, as text, and `last_played`.
    """

    number: int
    published_at: datetime
    digest: str
    on: date | None
    steps: int
    games: int
    rules: Mapping[str, object]
    rows: tuple[JsonDict, ...]
    ratings: tuple[JsonDict, ...]

    def row_of(self, player_id: str) -> JsonDict | None:
        return next((row for row in self.rows if row["player_id"] == player_id), None)

    def rating_of(self, player_id: str) -> JsonDict | None:
        return next((row for row in self.ratings if row["player_id"] == player_id), None)

    @property
    def tells_places(self) -> bool:
        """Whether a story names an entrant by the place before the move."""
        return any("#" in row["story"] for row in self.rows)

    @property
    def ranked(self) -> list[JsonDict]:
        return [row for row in self.ratings if row["rank"] is not None]

    @property
    def unranked(self) -> list[JsonDict]:
        return [row for row in self.ratings if row["rank"] is None]


def ladder_publications(event: Event) -> QuerySet[Publication]:
    """Return the publications of an event's ladder without their bytes, the newest first."""
    return Publication.objects.filter(ladder=event).defer("body", "csv").order_by("-number")


def current_ladder_view(event: Event) -> LadderView | None:
    """Return the ladder as last published, None before the first publication; one query."""
    publication = Publication.objects.filter(ladder=event).order_by("-number").first()
    if publication is None:
        return None
    return ladder_view(as_read(publication, event.club, event))


def ladder_view_at(event: Event, number: int) -> LadderView:
    publications = Publication.objects.filter(ladder=event, number=number)
    publication = first_or_missing(publications, "publication", publication=number)
    return ladder_view(as_read(publication, event.club, event))


def newest_ladder(event: Event) -> Publication:
    publications = Publication.objects.filter(ladder=event).order_by("-number")
    publication = first_or_missing(publications, "publication", publication=1)
    return as_read(publication, event.club, event)


def current_absences(event: Event, now: datetime) -> QuerySet[LadderAbsence]:
    today = club_day(event.club, now)
    return absence_rows(event).filter(Q(until=None) | Q(until__gte=today), since__lte=today)


def ladder_view(publication: Publication) -> LadderView:
    body: LadderDocument = publication.document
    as_of = body["as_of"]
    decimals = DECIMALS[body["rules"]["rating"]]
    return LadderView(
        number=publication.number,
        published_at=publication.published_at,
        digest=publication.digest,
        on=_day(as_of["on"]),
        steps=as_of["steps"],
        games=as_of["games"],
        rules=body["rules"],
        rows=tuple(_row(row) for row in body["rows"]),
        ratings=tuple(
            {
                "rank": row["rank"],
                "player_id": row["player_id"],
                "name": row["player"],
                "rating": row["rating_shown"] or "",
                "games": row["games"],
                "is_provisional": row["provisional"],
                "change": "" if row["change"] is None else f"{row['change']:.{decimals}f}",
                "last_played": _day(row["last_played"]),
            }
            for row in body["ratings"]
        ),
    )


def _row(row: LadderPlaceDocument) -> JsonDict:
    """Return a member's line: `way` and `by` are the last change of place, `was` the one before.

    `story` is the cause of the move in the words of the publication, without the distance.
    """
    up = row["up"]
    if up is None:
        way = ""
    elif up > 0:
        way = "up"
    elif up < 0:
        way = "dn"
    else:
        way = "same"
    return {
        "place": row["place"],
        "player_id": row["player_id"],
        "name": row["player"],
        "way": way,
        "by": abs(up or 0),
        "was": row["place"] + (up or 0),
        "story": short_explanation(row["story"] or ""),
        "moved_on": _day(row["moved_on"]),
        "games": row["games"],
        "last_played": _day(row["last_played"]),
        "rating": row["rating_shown"] or "",
        "is_provisional": row["provisional"],
    }


def moves_with_short_explanation(moves: Iterable[MoveDocument]) -> list[MoveDocument]:
    return [{**move, "story": short_explanation(move["story"])} for move in moves]


def short_explanation(story: str) -> str:
    """Return the story of a move without its distance, which pages show as an arrow.

    >>> stories = ("up 6: beat Dana (#4) on 12 March", "joined on 12 March")
    >>> tuple(short_explanation(story) for story in stories)
    ('beat Dana (#4) on 12 March', 'joined on 12 March')
    """
    far, colon, rest = story.partition(": ")
    way, _blank, by = far.partition(" ")
    return rest if colon and way in ("up", "down") and by.isdecimal() else story


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def ladder_lines(ladders: Sequence[Event], at_most: int) -> list[JsonDict]:
    """Return a line for each ladder with its first `at_most` places as last published.

    Two queries, and a few for each ladder of a club that hides names.
    """
    newest = Publication.objects.filter(ladder__in=ladders).order_by().values_list("ladder")
    ids = [pk for _ladder, pk in newest.annotate(newest=Max("pk"))]
    publications = {row.ladder_id: row for row in Publication.objects.filter(pk__in=ids)}
    lines = []
    for event in ladders:
        publication = publications.get(event.pk)
        view = ladder_view(as_read(publication, event.club, event)) if publication else None
        lines.append(
            {
                "slug": event.slug,
                "name": event.name,
                "top": view.rows[:at_most] if view else (),
                "members": len(view.rows) if view else 0,
                "games": view.games if view else 0,
            }
        )
    return lines


def ladder_with_state(actor: Actor, club: str, event: str) -> Event:
    """Return the ladder at an address with the annotations for a 304; one query.

    They are `published`, the ETag of the newest publication or None; `is_behind` and `is_parked`,
    as of the standings (`events_with_state`), of the ladder or of its event; `worker_seen_at`, the
    last heartbeat of any worker; and `challenged`, a mark of how many challenges were sent,
    accepted, played and closed.
    """
    newest = Publication.objects.filter(ladder=OuterRef("pk")).order_by("-number")
    pk = Cast(OuterRef("pk"), CharField())
    waits = Dirty.objects.filter(
        Q(scope=Concat(Value(EVENT_PREFIX), pk)) | Q(scope=Concat(Value(LADDER_PREFIX), pk))
    )
    challenges = Challenge.objects.filter(event=OuterRef("pk")).order_by().values("event")
    counted = [
        Cast(Count(column), CharField())
        for column in ("pk", "accepted_at", "played_at", "closed_at")
    ]
    mark = [part for count in counted for part in (count, Value("."))]
    ladder = first_or_missing(
        events_for(actor)
        .filter(club__slug=club, slug=event)
        .annotate(
            published=newest.values("etag")[:1],
            is_behind=Exists(waits.filter(done__lt=F("version"))),
            is_parked=Exists(waits.filter(parked=True)),
            worker_seen_at=get_last_heartbeat(),
            challenged=Coalesce(
                Subquery(challenges.annotate(mark=Concat(*mark)).values("mark")), Value("")
            ),
        ),
        "event",
        club=club,
        event=event,
    )
    require_ladder(ladder)
    return ladder
