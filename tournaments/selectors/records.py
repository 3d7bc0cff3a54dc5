"""What other programs read beyond what pages show: stored bytes, players, an event's version."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from django.db.models import BinaryField, Case, Count, F, Prefetch, Q, QuerySet, Value, When

from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import EntrantMember, Event, Visibility
from tournaments.models.meetings import Meeting, Round
from tournaments.models.outbox import Dirty
from tournaments.models.standings import Publication
from tournaments.policy import MAY, Actor
from tournaments.selectors.events import event_at, events_for, events_of, meetings_of, rounds_of

Form: TypeAlias = Literal["body", "csv"]
"""The column that holds the bytes: JSON or CSV."""


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes of a publication that somebody holds already, and what tells them from others."""

    publication: int
    published_at: datetime
    etag: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """A publication's bytes as stored; `content` is None where the asker holds them already."""

    publication: int
    published_at: datetime
    etag: str
    is_public: bool
    content: bytes | None


def current_bytes(
    actor: Actor,
    club: str,
    event: str,
    *,
    form: Form,
    held: Held | None = None,
    etags: Collection[str] = (),
) -> Stored | None:
    """Return the bytes of an event's newest publication, in one query; None before the first.

    The bytes stay in the database where their ETag is one of `etags` or they are those of `held`:
    a reader that has them costs one look at an index.

    Raises:
        Missing: no such club or event, or not one that the actor may know of.
    """
    known = _among(etags)
    if held is not None:
        known |= Q(pk=held.publication, etag=held.etag, published_at=held.published_at)
    newest = _publications(actor, club, event).order_by("-number")
    found = _stored(newest, known, form)
    if found is None:
        event_at(actor, club, event)
    return found


def numbered_bytes(
    actor: Actor, club: str, event: str, number: int, *, form: Form, etags: Collection[str] = ()
) -> Stored:
    """Return the bytes of one numbered publication, in one query.

    Raises:
        Missing: no such event or publication, or not one that the actor may know of.
    """
    one = _publications(actor, club, event).filter(number=number)
    found = _stored(one, _among(etags), form)
    if found is None:
        event_at(actor, club, event)
        raise Missing("publication", {"publication": number})
    return found


def _publications(actor: Actor, club: str, event: str) -> QuerySet[Publication]:
    readable = events_for(actor).filter(club__slug=club, slug=event)
    return Publication.objects.filter(event__in=readable.values("pk"))


def _among(etags: Collection[str]) -> Q:
    return Q(etag__in=tuple(etags)) if etags else Q(pk__in=())


def _stored(publications: QuerySet[Publication], known: Q, form: Form) -> Stored | None:
    """Return the first of `publications`; its bytes only where they are not `known`."""
    content = Case(
        When(known, then=Value(None, output_field=BinaryField())),
        default=F(form),
        output_field=BinaryField(),
    )
    row = publications.values_list(
        "pk", "published_at", "etag", "event__visibility", "event__club__is_public", content
    ).first()
    if row is None:
        return None
    pk, published_at, etag, visibility, is_public, found = row
    return Stored(
        publication=pk,
        published_at=published_at,
        etag=etag,
        is_public=is_public and visibility == Visibility.PUBLIC,
        content=None if found is None else bytes(found),
    )


def players_for(actor: Actor, club: Club) -> QuerySet[Player]:
    """Return the players of `club` that `actor` may know of, by their own number.

    Members read the club's whole list; anybody else those who compete in an event they may read.
    """
    players = Player.objects.filter(club=club).order_by("player_id")
    if actor.is_site_admin or getattr(club, "role", "") in MAY["read_members"]:
        return players
    competing = EntrantMember.objects.filter(event__in=events_of(actor, club).values("pk"))
    return players.filter(pk__in=competing.values("player"))


def player_for(actor: Actor, club: Club, player_id: str) -> Player:
    """Return one of the players that `players_for` lists.

    Raises:
        Missing: the club has no player under that id that the actor may know of.
    """
    player = players_for(actor, club).filter(player_id=player_id).first()
    if player is None:
        raise Missing("player", {"player": player_id})
    return player


def events_with(actor: Actor, club: Club, player: Player) -> list[str]:
    """Return the slugs of the events of a player, as far as the actor may read them."""
    entered = EntrantMember.objects.filter(player=player).values("event")
    return sorted(events_of(actor, club).filter(pk__in=entered).values_list("slug", flat=True))


def meetings_with_rounds(event: Event) -> QuerySet[Meeting]:
    """Return an event's meetings, the newest first, each with its `rounds` in order."""
    return meetings_of(event).prefetch_related(Prefetch("rounds", Round.objects.order_by("number")))


def rounds_with_tables(event: Event) -> QuerySet[Round]:
    """Return an event's rounds by number, each with its meeting and its number of tables."""
    return rounds_of(event).annotate(n_tables=Count("tables"))


def version_of(event: Event) -> int:
    """Return the event's version: a publication with at least this version is not behind."""
    scope = f"event:{event.pk}"
    return Dirty.objects.filter(scope=scope).values_list("version", flat=True).first() or 0
