"""The event that a club shows first: on its page, and in the navigation of its pages."""

from django.db.models import Case, F, IntegerField, QuerySet, Value, When

from tournaments.models.clubs import Club, ClubFront
from tournaments.models.events import Event, EventKind, EventState
from tournaments.policy import Actor
from tournaments.selectors.events.events import listed_events, with_last_meeting

_CHOSEN, _LEAGUE, _TOURNAMENT, _LADDER, _OVER, _DRAFT = range(6)


def front_event(actor: Actor, club: Club) -> Event | None:
    """Return the event that `actor` is shown first in a club; one query.

    It is the one that the owner chose, where the actor may read it and it is not archived.
    Otherwise the running league is, then a running tournament or ladder, then what is over, drafts
    at last; of several the one that met last.
    """
    return in_front(listed_events(actor, club), club).first()


def in_front(events: QuerySet[Event], club: Club) -> QuerySet[Event]:
    """Return `events` of a club, the one that is shown first at the beginning, with `met_last`."""
    chosen = ClubFront.objects.filter(club=club).values("front_event")
    open_ = EventState.OPEN
    rank = Case(
        When(pk__in=chosen, then=Value(_CHOSEN)),
        When(state=open_, kind=EventKind.LEAGUE, then=Value(_LEAGUE)),
        When(state=open_, kind=EventKind.TOURNAMENT, then=Value(_TOURNAMENT)),
        When(state=open_, then=Value(_LADDER)),
        When(state=EventState.DRAFT, then=Value(_DRAFT)),
        default=Value(_OVER),
        output_field=IntegerField(),
    )
    newest = F("met_last").desc(nulls_last=True)
    return (
        with_last_meeting(events)
        .annotate(rank=rank)
        .order_by("rank", newest, "-created_at", "slug")
    )
