"""Opening values: totals that entrants bring from before the first hand, added and withdrawn."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Final

from scoring.errors import Problem, Refused, listed, shown
from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.domain.reasons import reason_problems, require_reason
from tournaments.errors import Conflict, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.numbers import units_of
from tournaments.models.standings import OpeningValue
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.standings.opening_values import figures_of, get_opening_value
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


@dataclass(frozen=True, slots=True)
class AddedOpeningValues:
    """`first` is the number of the first added value; None where all were there already."""

    added: int
    unchanged: int
    first: int | None


OF_VALUES: Final = (
    *("opening_value_not_possible", "opening_value_needs", "opening_value_of_several_games"),
    *("opening_value_exists", "bad_opening_value", "bad_opening_count", "unknown_entrant"),
    *("bad_amount", "amount_too_large", "amount_not_exact", "reason_required", "bad_text"),
)


@operation("penalize", locks=lock_event, refuses=OF_VALUES)
def add_opening_value(
    op: Operation,
    event: Event,
    /,
    *,
    entrant: str,
    date: date,
    value: str,
    games: int | None = None,
    wins: int | None = None,
    hands: int | None = None,
    penalty: str = "",
    reason: str,
) -> OpeningValue:
    """Add what an entrant brings from before the first hand: the total of the primary value.

    It counts like a game of its date, and its penalty like a penalty. There is one value an
    entrant and date; to correct it, withdraw it and add a new one.
    """
    row = NewOpeningValue(entrant, date, value, games, wins, hands, penalty)
    added = _add(op, event, [(row, ())], reason)
    if added.first is None:
        facts = {"entrant": shown(entrant), "date": date.isoformat()}
        raise Refused(Problem("opening_value_exists", ("date",), facts))
    return get_opening_value(event, added.first)


@operation("penalize", locks=lock_event, refuses=(*OF_VALUES, "opening_values_count"))
def add_opening_values(
    op: Operation, event: Event, /, *, values: Sequence[NewOpeningValue], reason: str
) -> AddedOpeningValues:
    """Add the opening values of many entrants, all or none; at most 2,000.

    Players of the club who are not in the event yet are entered. A row that is there already with
    the same values stays, so that a repeat adds nothing; with other values it is refused. The
    problems of all rows are listed at once. `together` of a withdrawal removes them in one.
    """
    if not 1 <= len(values) <= MOST_AT_ONCE:
        facts = {"found": len(values), "expected": MOST_AT_ONCE}
        raise Refused(Problem("opening_values_count", ("values",), facts))
    return _add(op, event, [(row, ("values", at)) for at, row in enumerate(values)], reason)


At = tuple[str | int, ...]


def _add(
    op: Operation, event: Event, rows: Sequence[tuple[NewOpeningValue, At]], reason: str
) -> AddedOpeningValues:
    refuse_any(possible_problems(settings_of(event)))
    problems = [*reason_problems(reason)]
    for row, at in rows:
        problems += [replace(one, at=(*at, *one.at)) for one in _row_problems(event, row)]
    entrants, unknown = _find_entrants(event, rows)
    refuse_any([*problems, *unknown])
    stored = {
        (row.entrant_id, row.date): row
        for row in OpeningValue.objects.filter(event=event, withdrawn_at=None)
    }
    first, role = (
        next_number(OpeningValue.objects.filter(event=event)),
        get_role(op.actor, event.club_id),
    )
    new: list[OpeningValue] = []
    for row, at in rows:
        entrant = entrants[row.entrant]
        value = OpeningValue(
            club=event.club,
            event=event,
            entrant=entrant,
            number=first + len(new),
            first=first,
            date=row.date,
            value=units_of(value_of(row.value)),
            games=row.games,
            wins=row.wins,
            hands=row.hands,
            penalty=units_of(amount_of(row.penalty)) if row.penalty.strip() else 0,
            reason=reason.strip(),
            by_id=op.actor.user_id,
            by_as=role,
            at=op.now,
        )
        before = stored.setdefault((entrant.pk, row.date), value)
        if before is value:
            new.append(value)
        elif figures_of(before) != figures_of(value):
            facts = {"entrant": entrant.code, "date": row.date.isoformat()}
            problems.append(Problem("opening_value_exists", (*at, "date"), facts))
    refuse_any(problems)
    if new:
        OpeningValue.objects.bulk_create(new, batch_size=200)
        _changed(op, event, new, kind="opening_values", reason=reason)
    return AddedOpeningValues(len(new), len(rows) - len(new), first if new else None)


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
    rows = rows.filter(first=value.first) if together else rows.filter(number=value.number)
    values = list(rows.select_related("entrant").order_by("number"))
    if not values:
        raise Conflict(Problem("line_is_withdrawn", facts={"number": value.number}))
    role = get_role(op.actor, value.club_id)
    rows.update(withdrawn_at=op.now, withdrawn_reason=reason.strip(), withdrawn_as=role)
    _changed(op, value.event, values, kind="withdrawn_opening_values", reason=reason)
    return get_opening_value(value.event, value.number)


def _changed(
    op: Operation, event: Event, values: Sequence[OpeningValue], *, kind: str, reason: str
) -> None:
    """Compute again which results of the entrants count; note the change."""
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


def _find_entrants(
    event: Event, rows: Sequence[tuple[NewOpeningValue, At]]
) -> tuple[Mapping[str, Entrant], list[Problem]]:
    """Return entrants by code; players of the club who are not in the event are entered."""
    codes = {row.entrant for row, _ in rows}
    entrants = Entrant.objects.filter(event=event, code__in=codes)
    by_code = {entrant.code: entrant for entrant in entrants}
    players = Player.objects.filter(
        club=event.club_id, player_id__in=codes - by_code.keys(), merged_into=None, erased_at=None
    ).exclude(entries_in_events__event=event)
    enter_players(event=event, players=list(players))
    by_code |= {entrant.code: entrant for entrant in entrants.all()}
    return by_code, [
        Problem("unknown_entrant", (*at, "entrant"), {"found": shown(row.entrant)})
        for row, at in rows
        if row.entrant not in by_code
    ]


def possible_problems(settings: Settings) -> Iterator[Problem]:
    """Yield why an event cannot take opening values: its primary value is made of its tables."""
    metric = PRIMARIES[settings.primary]
    if metric.opening is None:
        known = [one.name for one in PRIMARIES.values() if one.opening is not None]
        facts = {"primary": metric.name, "known": listed(known)}
        yield Problem("opening_value_not_possible", (), facts)


def _row_problems(event: Event, row: NewOpeningValue) -> Iterator[Problem]:
    settings = settings_of(event)
    metric = PRIMARIES[settings.primary]
    yield from _value_problems(row.value)
    if row.penalty.strip() and not _is_zero(row.penalty):
        yield from (replace(one, at=("penalty",)) for one in amount_problems(row.penalty))
    counts = {"games": row.games, "wins": row.wins, "hands": row.hands}
    for name, count in counts.items():
        most = row.games if name == "wins" and row.games is not None else MOST_COUNTED
        if count is not None and not 0 <= count <= most:
            facts = {"field": name, "found": count, "expected": most}
            yield Problem("bad_opening_count", (name,), facts)
    needs = metric.opening.needs if metric.opening is not None else ""
    if needs and not counts[needs]:
        facts = {"primary": metric.name, "needs": needs}
        yield Problem("opening_value_needs", (needs,), facts)
    if drops_games(settings) and (row.games or 0) > 1:
        yield Problem("opening_value_of_several_games", ("games",), {"found": row.games or 0})


def drops_games(settings: Settings) -> bool:
    """Whether single games may be dropped, so that each needs a value of its own."""
    return settings.drops and (settings.best_of is None or settings.best_of["unit"] == "game")


def value_of(text: str) -> Fraction:
    """Return a value as typed; unlike an amount it may be 0 or less.

    >>> [str(value_of(text)) for text in ("13", "-2,5", "0")]
    ['13', '-5/2', '0']
    """
    unsigned = text.strip().removeprefix("-").removeprefix("−")
    return amount_of(unsigned) * (1 if unsigned == text.strip() else -1)


def _is_zero(text: str) -> bool:
    try:
        return value_of(text) == 0
    except ValueError:
        return False


def _value_problems(text: str) -> Iterator[Problem]:
    if _is_zero(text):
        return
    for problem in amount_problems(text.strip().removeprefix("-").removeprefix("−")):
        if problem.code == "bad_amount":
            yield Problem("bad_opening_value", ("value",), {"found": shown(text.strip())})
        else:
            yield replace(problem, at=("value",))


def settings_problems(event: Event, before: Settings, after: Settings) -> Iterator[Problem]:
    """Yield why an event with opening values cannot rank in another way."""
    values = OpeningValue.objects.filter(event=event, withdrawn_at=None)
    if before.primary != after.primary and (number := values.count()):
        facts = {"values": number, "before": before.primary, "wanted": after.primary}
        yield Problem("opening_values_in_other_units", ("settings", "primary"), facts)
    if drops_games(after) and not drops_games(before):
        at = "drop_worst" if after.best_of is None else "best_of"
        if value := values.filter(games__gt=1).order_by("number").first():
            facts = {"found": value.games or 0}
            yield Problem("opening_value_of_several_games", ("settings", at), facts)
