"""The pairs and teams at an evening: who plays with whom, and whose partner is not here."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tournaments.models.events import Entrant, EntrantKind, EntrantMember, EntrantState, Event
from tournaments.models.seating_plans import ConstraintKind, SeatingConstraint, SeatingPlan
from tournaments.selectors.clubs.names import FULL_NAME, NameColumn
from tournaments.selectors.events.entrants import entrant_names
from tournaments.selectors.seating_plans.people_here import PersonHere


@dataclass(frozen=True, slots=True)
class PlayingUnit:
    """A pair or a team at an evening; players are rows.

    `entrant` is its row, None for two who play together by a constraint; `missing` has the names of
    its players who are not here.
    """

    entrant: int | None
    name: str
    here: tuple[int, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnitsHere:
    """The pairs and teams at an evening, by name, and the players who belong to none."""

    units: tuple[PlayingUnit, ...]
    alone: tuple[PersonHere, ...]


def units_here(event: Event, people: Sequence[PersonHere]) -> UnitsHere:
    """Return how people who are here play together; four queries.

    Two who are `together` by a constraint are partners where neither belongs to a pair or team with
    another player who is here: so a substitute takes the place of a partner.
    """
    there = {one.pk: one for one in people}
    own = _units_of_entrants(event, there)
    whole = {player for unit in own for player in unit.here if len(unit.here) > 1}
    joined = _joined(event, there, whole)
    partners = {player for unit in joined for player in unit.here}
    units = [unit for unit in own if not partners.intersection(unit.here)]
    placed = partners | {player for unit in units for player in unit.here}
    return UnitsHere(
        tuple(sorted([*units, *joined], key=lambda one: (one.name, one.here))),
        tuple(one for one in people if one.pk not in placed),
    )


def _units_of_entrants(event: Event, there: Mapping[int, PersonHere]) -> list[PlayingUnit]:
    """Return the pairs and teams with somebody here; members are in the order of their entry."""
    rows = Entrant.objects.filter(event=event, state=EntrantState.ACTIVE)
    rows = rows.exclude(kind=EntrantKind.PLAYER).prefetch_related("members__player")
    found = [one for one in rows if any(row.player_id in there for row in one.members.all())]
    names = entrant_names(found, FULL_NAME)
    made = []
    for one in found:
        members = sorted(one.members.all(), key=lambda row: row.pk)
        here = tuple(row.player_id for row in members if row.player_id in there)
        missing = tuple(row.player.name for row in members if row.player_id not in there)
        made.append(PlayingUnit(one.pk, names[one.pk] or one.code, here, missing))
    return made


def _joined(
    event: Event, there: Mapping[int, PersonHere], whole: Collection[int]
) -> list[PlayingUnit]:
    """Return the pairs that constraints make of people without a partner who is here."""
    rows = SeatingConstraint.objects.filter(event=event, kind=ConstraintKind.TOGETHER)
    taken = set(whole)
    made = []
    for one, other in rows.order_by("pk").values_list("player_id", "other_id"):
        if other is None or {one, other} & taken or not {one, other} <= set(there):
            continue
        taken |= {one, other}
        made.append(PlayingUnit(None, f"{there[one].name} & {there[other].name}", (one, other)))
    return made


def members_now(event: Event) -> Mapping[int, int]:
    """Return player → pair or team, as rows, of those who are not withdrawn; one query."""
    rows = EntrantMember.objects.filter(event=event, entrant__state=EntrantState.ACTIVE)
    rows = rows.exclude(entrant__kind=EntrantKind.PLAYER)
    return dict(rows.values_list("player_id", "entrant_id"))


@dataclass(frozen=True, slots=True)
class PlanEntrant:
    """The id of a pair or a team, and what it is called."""

    code: str
    name: str


def entrants_of_plans(
    event: Event, plans: Iterable[SeatingPlan], column: NameColumn
) -> Mapping[int, PlanEntrant]:
    """Return the pairs and teams of some plans by row, as whoever reads them; two queries."""
    wanted = {row for plan in plans for row in plan.inputs.get("entrants", ()) if row is not None}
    rows = Entrant.objects.filter(event=event, pk__in=wanted).prefetch_related("members__player")
    found = list(rows)
    names = entrant_names(found, column)
    return {one.pk: PlanEntrant(one.code, names[one.pk] or one.code) for one in found}
