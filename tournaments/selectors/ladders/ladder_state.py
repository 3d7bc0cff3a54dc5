"""A ladder with what its page asks for again and again: whether anything on it is new."""

from django.db.models import Count, Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Coalesce, Concat

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.models.outbox import EVENT_PREFIX, LADDER_PREFIX, Dirty
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.events.events import events_for
from tournaments.selectors.jobs.workers import last_heard
from tournaments.selectors.standings.publication_bytes import require_ladder


def ladder_with_state(actor: Actor, club: str, event: str) -> Event:
    """Return the ladder at an address with what a 304 needs; one query.

    The annotations are `published`, the ETag of the newest publication or None; `is_behind` and
    `is_parked`, as of the standings (`with_publication`), of the ladder or of its event;
    `worker_seen_at`, when any worker was last heard; and `challenged`, a mark of how many
    challenges were sent, accepted, played and closed.

    Raises:
        Missing: no such event, not one that the actor may know of, or no ladder.
    """
    newest = Publication.objects.filter(ladder=OuterRef("pk")).order_by("-number")
    own = Cast(OuterRef("pk"), CharField())
    waits = Dirty.objects.filter(
        Q(scope=Concat(Value(EVENT_PREFIX), own)) | Q(scope=Concat(Value(LADDER_PREFIX), own)),
    )
    challenges = Challenge.objects.filter(event=OuterRef("pk")).order_by().values("event")
    counted = [
        Cast(Count(column), CharField())
        for column in ("pk", "accepted_at", "played_at", "closed_at")
    ]
    apart = [part for one in counted for part in (one, Value("."))]
    found = (
        events_for(actor)
        .filter(club__slug=club, slug=event)
        .annotate(
            published=newest.values("etag")[:1],
            is_behind=Exists(waits.filter(done__lt=F("version"))),
            is_parked=Exists(waits.filter(parked=True)),
            worker_seen_at=last_heard(),
            challenged=Coalesce(
                Subquery(challenges.annotate(mark=Concat(*apart)).values("mark")), Value("")
            ),
        )
        .first()
    )
    if found is None:
        raise Missing("event", {"club": club, "event": event})
    require_ladder(found)
    return found
