"""What an event's tables and sheets can tell: the facts that settings are held against.

What becomes untrue after it was chosen is met where it comes in: a table of a size without a list
of place points is not seated (`comparability.py`), and a criterion of which a sheet
with totals only tells nothing has no effect from then on.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import Count, IntegerField, Max, Min, OuterRef, Subquery
from django.db.models.functions import Coalesce

from scoring.rules.rules import Rules
from scoring.standings.refusals import Facts
from tournaments.domain.event_settings import settings_of
from tournaments.domain.placement_points import size_of
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game, Hand, HandState
from tournaments.models.meetings import Seat
from tournaments.models.standings import Aggregate
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.events.comparability import EMPTIED, count_games
from tournaments.services.events.settings_validation import rules_facts


def facts_of(event: Event, *, min_games: int = 0) -> Facts:
    """Return what the event's tables are; five queries, however much was played.

    An event without a table is what its own rules say.

    Args:
        min_games: who has fewer games is not asked whether they played as many hands.
    """
    tables = (
        Game.objects.filter(event=event, counts=True).exclude(EMPTIED).annotate(n_seats=_sized())
    )
    kinds = set(tables.order_by().values_list("snapshot_id", "n_seats").distinct())
    snapshots = Snapshot.objects.filter(event=event).in_bulk({snapshot for snapshot, _ in kinds})
    played = [(snapshots[snapshot], n_seats) for snapshot, n_seats in kinds]
    hands = Aggregate.objects.filter(event=event, games__gte=max(1, min_games)).aggregate(
        least=Min("hands"), most=Max("hands")
    )
    there = rules_facts([rules_of(snapshot) for snapshot, _ in played] or own_rules(event))
    return replace(
        there,
        variants=count_games(snapshots.values()) or 1,
        sizes=tuple(sorted({size_of(rules_of(one), n) for one, n in played if n})),
        has_points_only=has_points_only(event),
        has_unknown_hands=Aggregate.objects.filter(event=event, uncounted__gt=0).exists(),
        hands_differ=hands["least"] != hands["most"],
    )


def sizes_of(event: Event) -> dict[tuple[int, int], int]:
    """Return how many finish at each table of the event, by (round, table); two queries."""
    games = Game.objects.filter(event=event, counts=True).annotate(n_seats=_sized())
    kept = {one.pk: rules_of(one) for one in Snapshot.objects.filter(event=event)}
    rows = games.values_list("table__round__number", "table__number", "snapshot_id", "n_seats")
    return {(number, table): size_of(kept[pk], n) for number, table, pk, n in rows}


def _sized() -> Coalesce:
    """How many seats the table of a game has."""
    seats = Seat.objects.filter(table=OuterRef("table")).order_by().values("table")
    counted = seats.annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def own_rules(event: Event) -> Sequence[Rules]:
    """Return the rules that the event's tables play if nothing else is said."""
    own = Snapshot.objects.filter(event=event, variant=event.variant, options=event.options)
    return [rules_of(one) for one in own.order_by("pk")[:1]]


def has_points_only(event: Event) -> bool:
    """Whether some sheet of the event has totals only, so that nobody knows who shot a moon."""
    totals = Hand.objects.filter(number=0, state=HandState.ACCEPTED)
    return totals.filter(game__event=event, game__counts=True).exists()


def current_facts(event: Event) -> Facts:
    """Return the facts of an event as its own settings ask for them."""
    return facts_of(event, min_games=settings_of(event).min_games)
