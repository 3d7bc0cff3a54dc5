"""Constraints of an event's seating: added and removed by directors."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Q

from scoring.errors import Problem, Refused, shown
from scoring.seating.brackets import sizes_of_rules
from scoring.seating.constraints import contradictions
from scoring.seating.requests import SeatingRequest
from tournaments.domain.name_matching import one_line
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.seating_plans import ConstraintKind, SeatingConstraint
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.selectors.rules.rule_sets import rules_of_event
from tournaments.selectors.seating_plans.people_here import PersonHere
from tournaments.selectors.seating_plans.plans import get_constraint, named_problems
from tournaments.services.db.locks import lock_event
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation
from tournaments.services.seating_plans.compute_plan import evening_constraints

LAST_TABLE: Final = 200
LONGEST_REASON: Final = 200
CONTRADICTIONS: Final = (
    *("apart_and_together", "together_at_two_tables", "apart_at_one_table", "fixed_table_full"),
    "together_too_many",
)
"""Error codes of contradicting constraints."""
UNMET: Final = (
    *("constraints_not_met", "fixed_table_missing", "apart_with_one_table", *CONTRADICTIONS),
)
"""Error codes of a seating that breaks constraints."""


@operation(
    "manage_event",
    locks=lock_event,
    requires=require_running,
    refuses=(
        *("event_is_over", "bad_constraint_kind", "bad_fixed_table", "constraint_of_one_player"),
        *("text_too_long", "unknown_player", "player_is_merged", "constraint_exists"),
        *CONTRADICTIONS,
    ),
)
def add_constraint(
    op: Operation,
    event: Event,
    /,
    *,
    kind: str,
    player: str,
    other: str = "",
    table: int | None = None,
    reason: str = "",
) -> SeatingConstraint:
    """Add a constraint; one that contradicts another is refused with the names of both players."""
    reason = one_line(reason)
    refuse_any(_shape_problems(kind, player, other, table, reason))
    first = _get_player(event, player, "player")
    second = _get_player(event, other, "other") if kind != ConstraintKind.FIXED_TABLE else None
    require_not_merged([row.pk for row in (first, second) if row is not None])
    of_players = Q(player=first)
    if second is not None:
        of_players = Q(player=first, other=second) | Q(player=second, other=first)
    if SeatingConstraint.objects.filter(of_players, event=event, kind=kind).exists():
        raise Conflict(Problem("constraint_exists", (), {"player": first.name}))
    before = _list_contradictions(event)
    constraint = SeatingConstraint.objects.create(
        club_id=event.club_id,
        event=event,
        kind=kind,
        player=first,
        other=second,
        table_number=table if second is None else None,
        reason=reason,
        created_at=op.now,
    )
    if problems := [row for row in _list_contradictions(event) if row not in before]:
        raise Refused(*named_problems(event.club, problems))
    op.audit(event, _audit_facts(constraint))
    return constraint


def _lock_constraint(constraint: SeatingConstraint) -> SeatingConstraint:
    return get_constraint(lock_event(constraint.event), constraint.public_id)


@operation("manage_event", locks=_lock_constraint, refuses=("unknown_constraint",))
def remove_constraint(op: Operation, constraint: SeatingConstraint, /) -> None:
    """Remove a constraint; plans that were made stay as they are."""
    constraint.delete()
    op.audit(constraint.event, _audit_facts(constraint))


def _shape_problems(
    kind: str, player: str, other: str, table: int | None, reason: str
) -> list[Problem]:
    problems = []
    if kind not in ConstraintKind.values:
        facts: dict[str, int | str] = {
            "found": shown(kind),
            "expected": ", ".join(ConstraintKind.values),
        }
        problems.append(Problem("bad_constraint_kind", ("kind",), facts))
    elif kind == ConstraintKind.FIXED_TABLE:
        if table is None or not 1 <= table <= LAST_TABLE:
            facts = {"found": "" if table is None else str(table)[:20], "most": LAST_TABLE}
            problems.append(Problem("bad_fixed_table", ("table",), facts))
    elif player and player == other:
        problems.append(Problem("constraint_of_one_player", ("other",), {"player": player}))
    if len(reason) > LONGEST_REASON:
        facts = {"field": "reason", "found": len(reason), "expected": LONGEST_REASON}
        problems.append(Problem("text_too_long", ("reason",), facts))
    return problems


def _get_player(event: Event, player_id: str, at: str) -> Player:
    rows = Player.objects.filter(club=event.club_id, erased_at=None, player_id=player_id)
    if (player := rows.first()) is None:
        raise Refused(Problem("unknown_player", (at,), {"player": shown(player_id)}))
    return player


def _list_contradictions(event: Event) -> Sequence[Problem]:
    rules = rules_of_event(event)
    sizes = sizes_of_rules(rules)
    if not sizes:
        return ()
    rows = SeatingConstraint.objects.filter(event=event).values_list("player_id", "other_id")
    players = {player for pair in rows for player in pair if player is not None}
    players.update(EntrantMember.objects.filter(event=event).values_list("player_id", flat=True))
    people = [PersonHere(pk, "", "") for pk in sorted(players)]
    constraints = evening_constraints(event, rules, people)
    request = SeatingRequest(
        players=tuple(person.pk for person in people),
        rounds=1,
        sizes=sizes,
        apart=constraints.apart,
        together=constraints.together,
        fixed_tables=dict(constraints.fixed_tables),
    )
    return contradictions(request)


def _audit_facts(constraint: SeatingConstraint) -> Mapping[str, object]:
    """Return ids only: the reason is in no trail that others read."""
    people = (constraint.player, constraint.other)
    facts: dict[str, object] = {
        "kind": constraint.kind,
        "players": [player.player_id for player in people if player is not None],
    }
    if constraint.table_number is not None:
        facts["table"] = constraint.table_number
    return facts
