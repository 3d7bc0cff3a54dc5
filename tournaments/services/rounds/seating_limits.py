"""What a change of a round's seats must keep: table sizes, constraints, tables with hands."""

from collections.abc import Mapping, Sequence
from typing import Final

from scoring.seating.changes import SeatingLimits
from scoring.seating.table_sizes import sizes_of_rules
from tournaments.models.events import Event
from tournaments.models.seating_plans import ConstraintKind, SeatingConstraint, SeatingPlan
from tournaments.selectors.rounds.round_seating import SeatedTable
from tournaments.services.events.comparability import comparing_problems
from tournaments.services.rounds.seating import snapshot_for
from tournaments.services.rules.rule_sets import rules_of

PREFERENCES: Final = {3: "threes", 5: "fives"}
"""Sizes that a club may rule out for all its tables."""


def allowed_sizes(event: Event, round_number: int, plan: SeatingPlan | None) -> tuple[int, ...]:
    """Return the numbers of seats that a table may have: those of the plan, else of the rules.

    Sizes that the event or its club rules out are not among them.
    """
    planned = plan.inputs.get("sizes") if plan is not None else None
    snapshot = snapshot_for(event, round_number)
    allowed = sizes_of_rules(rules_of(snapshot))
    wished = event.club.seating
    return tuple(
        size
        for size in allowed
        if (not planned or size in planned)
        and wished.get(PREFERENCES.get(size, ""), True)
        and not comparing_problems(event=event, rules=snapshot, seats=size)
    )


def limits_of(
    event: Event,
    number: int,
    tables: Sequence[SeatedTable],
    plan: SeatingPlan | None,
    met: frozenset[frozenset[int]],
) -> SeatingLimits:
    """Return what a change of a round must keep; `tables` are those of the round, in order.

    Args:
        number: of the round within its event, which may not be made yet.
        met: pairs who share a table in another round of the evening.
    """
    kinds = _constraints(event)
    index = {table.number: at for at, table in enumerate(tables)}
    return SeatingLimits(
        sizes=allowed_sizes(event, number, plan),
        apart=kinds[ConstraintKind.APART],
        together=kinds[ConstraintKind.TOGETHER],
        fixed={player: index[table] for player, table in _fixed(event).items() if table in index},
        locked=frozenset(at for at, table in enumerate(tables) if table.is_fixed),
        met=met,
    )


def _constraints(event: Event) -> Mapping[str, frozenset[frozenset[int]]]:
    found: dict[str, set[frozenset[int]]] = {ConstraintKind.APART: set()}
    found[ConstraintKind.TOGETHER] = set()
    rows = SeatingConstraint.objects.filter(event=event, other__isnull=False)
    for kind, one, other in rows.values_list("kind", "player_id", "other_id"):
        found.setdefault(kind, set()).add(frozenset((one, other)))
    return {kind: frozenset(pairs) for kind, pairs in found.items()}


def _fixed(event: Event) -> Mapping[int, int]:
    rows = SeatingConstraint.objects.filter(event=event, table_number__isnull=False)
    return {player: table or 0 for player, table in rows.values_list("player_id", "table_number")}
