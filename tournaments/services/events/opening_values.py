"""Opening values: what entrants bring from before the first hand, added and withdrawn."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from scoring.errors import Problem, Refused, listed, shown
from scoring.json_types import JsonDict
from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.domain.reasons import reason_problems, require_reason
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.columns import units_of
from tournaments.models.events import Entrant, Event
from tournaments.models.standings import OpeningValue
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import entrant_name
from tournaments.selectors.standings.opening_values import (
    byes_without_mean,
    figures_of,
    get_opening_value,
    number_needed,
)
from tournaments.services.audit.audit import note_change
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_event
from tournaments.services.events.adjustments import amount_of, amount_problems
from tournaments.services.events.events import enter_players
from tournaments.services.operations import Operation, operation
from tournaments.services.totals.counted_games import lock_aggregates, recompute_counted

MOST_AT_ONCE: Final = 2000
MOST_COUNTED: Final = 100_000
"""Games or hands of one value; more is a slip of the finger."""


@dataclass(frozen=True, slots=True)
class NewOpeningValue:
    """A row to add: the code of an entrant, or the id of a player who is not in the event yet.

    `value` and `penalty` are as typed; counts that nobody knows are None.
    """

    entrant: str
    date: date
    value: str
    games: int | None = None
    wins: int | None = None
    hands: int | None = None
    penalty: str = ""


@operation(
    "penalize",
    locks=lock_event,
    refuses=(
        *("opening_value_not_possible", "opening_value_needs", "opening_value_of_several_games"),
        *("opening_value_exists", "opening_values_count", "bad_opening_value", "bye_needs_games"),
        *("bad_opening_count", "unknown_entrant", "bad_amount", "amount_too_large"),
        *("amount_not_exact", "reason_required", "bad_text"),
    ),
)
def add_opening_values(
    op: Operation, event: Event, /, *, values: Sequence[NewOpeningValue], reason: str
) -> JsonDict:
    """Add what entrants bring from before the first hand, all values or none; at most 2,000.

    A value is the total of the primary value, and counts like a game of its date; its penalty
    counts like a penalty. Players of the club who are not in the event yet are entered. There is
    one value an entrant and date: one that is there already stays, so that a repeat adds nothing;
    with other figures it is refused. Problems of all values are listed at once.
    """
    if not 1 <= len(values) <= MOST_AT_ONCE:
        facts = {"found": len(values), "expected": MOST_AT_ONCE}
        raise Refused(Problem("opening_values_count", ("values",), facts))
    refuse_any(possible_problems(settings_of(event)))
    entrants = _get_entrants(event, {row.entrant for row in values})
    refuse_any([*reason_problems(reason), *_problems_of_values(event, values, entrants)])
    active = OpeningValue.objects.filter(event=event, withdrawn_at=None)
    stored = {(value.entrant_id, value.date): value for value in active}
    first = next_number(OpeningValue.objects.filter(event=event))
    new: list[OpeningValue] = []
    problems: list[Problem] = []
    for at, row in enumerate(values):
        value = OpeningValue(
            club=event.club,
            event=event,
            entrant=entrants[row.entrant],
            number=first + len(new),
            first=first,
            date=row.date,
            value=units_of(amount_of(row.value)),
            games=row.games,
            wins=row.wins,
            hands=row.hands,
            penalty=units_of(amount_of(row.penalty)) if row.penalty.strip() else 0,
            reason=reason.strip(),
            by_as=get_role(op.actor, event.club_id) if not new else new[0].by_as,
            at=op.now,
        )
        before = stored.setdefault((value.entrant_id, row.date), value)
        if before is value:
            new.append(value)
        elif before.pk is None or figures_of(before) != figures_of(value):
            place = {"entrant": value.entrant.code, "date": row.date.isoformat()}
            problems.append(Problem("opening_value_exists", ("values", at, "date"), place))
    refuse_any(problems)
    if new:
        OpeningValue.objects.bulk_create(new, batch_size=200)
        _record_change(op, event, new, kind="opening_values", reason=reason)
    unchanged = len(values) - len(new)
    return {"added": len(new), "unchanged": unchanged, "first": first if new else None}


@operation(
    "penalize",
    locks=lambda value: get_opening_value(lock_event(value.event), value.number),
    refuses=("unknown_opening_value", "line_is_withdrawn", "reason_required", "bad_text"),
)
def withdraw_opening_value(
    op: Operation, value: OpeningValue, /, *, reason: str, together: bool = False
) -> OpeningValue:
    """Withdraw an opening value with a reason, or `together` all that were added with it.

    It stays in the list and no longer counts.
    """
    require_reason(reason)
    rows = OpeningValue.objects.filter(event=value.event, withdrawn_at=None)
    if together:
        rows = rows.filter(first=value.first)
    else:
        rows = rows.filter(number=value.number)
    values = list(rows.select_related("entrant").order_by("number"))
    if not values:
        raise Conflict(Problem("line_is_withdrawn", facts={"number": value.number}))
    role = get_role(op.actor, value.club_id)
    rows.update(withdrawn_at=op.now, withdrawn_reason=reason.strip(), withdrawn_as=role)
    _record_change(op, value.event, values, kind="withdrawn_opening_values", reason=reason)
    return get_opening_value(value.event, value.number)


def _record_change(
    op: Operation, event: Event, values: Sequence[OpeningValue], *, kind: str, reason: str
) -> None:
    """Record a change, after which other results of the entrants may count."""
    entrants = sorted({value.entrant_id for value in values})
    if settings_of(event).keeps:
        lock_aggregates(event, entrants, make=True)
        recompute_counted(event=event, entrants=entrants)
    facts: dict[str, object] = {"opening_value": values[0].number, "values": len(values)}
    if len(entrants) == 1:
        facts["entrant"] = values[0].entrant.code
    by = get_role(op.actor, event.club_id)
    note_change(event=event, kind=kind, by=by, reason=reason, now=op.now, facts=facts)
    op.audit(event, {**facts, "reason": reason.strip()})


def _get_entrants(event: Event, codes: Collection[str]) -> Mapping[str, Entrant]:
    """Return entrants by code; players of the club who are not in the event are entered."""
    players = Player.objects.filter(
        club=event.club_id, player_id__in=codes, merged_into=None, erased_at=None
    )
    enter_players(event=event, players=list(players))
    rows = Entrant.objects.filter(event=event, code__in=codes)
    return {entrant.code: entrant for entrant in rows}


def possible_problems(settings: Settings) -> Iterator[Problem]:
    """Yield why an event cannot take opening values: its primary value is made of its tables."""
    metric = PRIMARIES[settings.primary]
    if metric.opening is None:
        titles = [primary.name for primary in PRIMARIES.values() if primary.opening is not None]
        facts = {"primary": metric.name, "known": listed(titles)}
        yield Problem("opening_value_not_possible", (), facts)


def _problems_of_values(
    event: Event, values: Sequence[NewOpeningValue], entrants: Mapping[str, Entrant]
) -> Iterator[Problem]:
    settings = settings_of(event)
    numbered = {row.entrant for row in values if row.games}
    asked = {entrants[row.entrant] for row in values if row.entrant in entrants}
    asked = {entrant for entrant in asked if entrant.code not in numbered}
    waiting = byes_without_mean(event, settings, [entrant.pk for entrant in asked])
    for at, row in enumerate(values):
        if row.entrant not in entrants:
            facts = {"found": shown(row.entrant)}
            yield Problem("unknown_entrant", ("values", at, "entrant"), facts)
        elif entrants[row.entrant].pk in waiting:
            facts = {"names": entrant_name(entrants[row.entrant], FULL_NAME)}
            yield Problem("bye_needs_games", ("values", at, "games"), facts)
        for problem in problems_of_value(settings, row):
            yield replace(problem, at=("values", at, *problem.at))


def problems_of_value(settings: Settings, row: NewOpeningValue) -> Iterator[Problem]:
    """Yield what is wrong with the figures of a value, whoever it is of."""
    metric = PRIMARIES[settings.primary]
    yield from amount_problems(row.value, "value", "bad_opening_value")
    if row.penalty.strip():
        yield from amount_problems(row.penalty, "penalty")
    counts = {"games": row.games, "wins": row.wins, "hands": row.hands}
    for name, count in counts.items():
        most = row.games if name == "wins" and row.games is not None else MOST_COUNTED
        if count is not None and not 0 <= count <= most:
            facts = {"field": name, "found": count, "expected": most}
            yield Problem("bad_opening_count", (name,), facts)
    needs = number_needed(settings)
    if needs and not counts[needs]:
        yield Problem("opening_value_needs", (needs,), {"primary": metric.name, "needs": needs})
    if _drops_games(settings) and (row.games or 0) > 1:
        yield Problem("opening_value_of_several_games", ("games",), {"found": row.games or 0})


def _drops_games(settings: Settings) -> bool:
    """Whether single games may be dropped, so that each needs a value of its own."""
    return settings.drops and (settings.best_of is None or settings.best_of["unit"] == "game")


def opening_value_problems(event: Event, after: Settings) -> Iterator[Problem]:
    """Yield why an event with opening values cannot rank in another way."""
    values = OpeningValue.objects.filter(event=event, withdrawn_at=None)
    before = settings_of(event)
    if before.primary != after.primary and (number := values.count()):
        facts = {"values": number, "before": before.primary, "wanted": after.primary}
        yield Problem("opening_values_in_other_units", ("settings", "primary"), facts)
    if _drops_games(after) and (value := values.filter(games__gt=1).order_by("number").first()):
        at = "drop_worst" if after.best_of is None else "best_of"
        facts = {"found": value.games or 0}
        yield Problem("opening_value_of_several_games", ("settings", at), facts)
