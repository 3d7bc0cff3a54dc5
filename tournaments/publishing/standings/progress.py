"""How far an event is: its last evening and round with a hand, its hands, the rules played.

Asked of indexes that lead with the event, so that it costs next to nothing however many games
there are.
"""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Sum

from scoring.rules.rules import Rules
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game
from tournaments.models.meetings import Meeting, Round
from tournaments.selectors.hands.games import extra_hands
from tournaments.selectors.rules.rule_sets import rules_of


@dataclass(frozen=True, slots=True)
class AsOf:
    """How far a table is: an ISO date, a round, and how many hands it counts."""

    meeting: str | None
    round: int | None
    hands: int


def as_of(event: Event) -> AsOf:
    """Return how far an event is; four queries. Totals count as the hands that they stand for."""
    played = Game.objects.filter(event=event, counts=True, hands_counted__gt=0)
    rounds = Round.objects.filter(event=event)
    last = rounds.filter(Exists(played.filter(table__round=OuterRef("pk")))).order_by("-number")
    on_a_day = played.filter(table__round__meeting=OuterRef("pk"))
    meetings = Meeting.objects.filter(Exists(on_a_day), event=event).order_by("-date")
    date = meetings.values_list("date", flat=True).first()
    return AsOf(
        meeting=date.isoformat() if date else None,
        round=last.values_list("number", flat=True).first(),
        hands=(played.aggregate(hands=Sum("hands_counted"))["hands"] or 0)
        + sum(extra_hands(event).values()),
    )


def played_rules(event: Event) -> tuple[Rules, ...]:
    """Return the rules of every table that has a hand."""
    played = Game.objects.filter(
        event=event, snapshot=OuterRef("pk"), counts=True, hands_counted__gt=0
    )
    kept = Snapshot.objects.filter(Exists(played), event=event).order_by("content_hash")
    return tuple(rules_of(one) for one in kept)
