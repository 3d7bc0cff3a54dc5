"""Penalties, bonuses, sit-outs and values from before: added and withdrawn with a reason."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Final

from scoring.errors import Problem, Refused, listed, shown
from scoring.json_types import JsonDict
from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import Settings, settings_of
from tournaments.domain.reasons import reason_problems, require_reason
from tournaments.errors import Conflict, first_or_missing, refuse_any
from tournaments.models.clubs import Player
from tournaments.models.columns import UNIT, as_json, units_of
from tournaments.models.events import Entrant, Event
from tournaments.models.rounds import Round, SitOut, SitOutReason, Sitting
from tournaments.models.standings import LedgerKind, LedgerLine, OpeningValue
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import entrant_name, get_line
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.selectors.standings.opening_values import figures_of, get_opening_value
from tournaments.services.audit.audit import note_change
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_event, lock_round
from tournaments.services.db.transactions import unless_taken
from tournaments.services.events.events import enter_players
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation
from tournaments.services.totals.counted_games import lock_aggregates, recompute_counted

MOST_AMOUNT: Final = 1_000_000
"""More than any event is worth in one line; what is larger is a slip of the finger."""
NAMED: Final = 8
"""Maximum number of lines named in a sentence; the others are counted."""
SMALLEST_PART: Final = 15
"""Shares down to fifteenths are whole numbers of units."""
_AMOUNT: Final = re.compile(r"([-−]?[0-9]{1,12})(?:[.,]([0-9]{1,12})|/([0-9]{1,12}))?")


@operation(
    "penalize",
    locks=lock_event,
    refuses=(
        *("unknown_entrant", "bad_ledger_kind", "reason_required", "bad_text"),
        *("bad_amount", "amount_too_large", "amount_not_exact"),
    ),
)
def add_line(
    op: Operation, event: Event, /, *, entrant: str, kind: str, amount: str, reason: str
) -> LedgerLine:
    """Give an entrant a penalty or a bonus. The answer lists all problems at once."""
    competitor, problems = _find_entrant(event, entrant)
    if kind not in LedgerKind.values:
        problems.append(Problem("bad_ledger_kind", ("kind",), {"found": shown(kind)}))
    problems += [*amount_problems(amount), *reason_problems(reason)]
    if competitor is None or problems:
        raise Refused(*problems)
    role = get_role(op.actor, event.club_id)
    line = LedgerLine.objects.create(
        club=event.club,
        event=event,
        entrant=competitor,
        number=next_number(LedgerLine.objects.filter(event=event)),
        kind=kind,
        amount=units_of(amount_of(amount)),
        reason=reason.strip(),
        by_id=op.actor.user_id,
        by_as=role,
        at=op.now,
    )
    facts = _facts(line)
    note_change(event=event, kind=kind, by=role, reason=reason, now=op.now, facts=facts)
    op.audit(line, {**facts, "reason": line.reason}, name=f"add_{kind}")
    return line


@operation(
    "penalize",
    locks=lambda line: get_line(lock_event(line.event), line.number),
    refuses=("unknown_line", "line_is_withdrawn", "reason_required", "bad_text"),
)
def withdraw_line(op: Operation, line: LedgerLine, /, *, reason: str) -> LedgerLine:
    """Withdraw a penalty or a bonus, with a reason; the line stays and no longer counts."""
    if line.withdrawn_at is not None:
        raise Conflict(Problem("line_is_withdrawn", facts={"number": line.number}))
    require_reason(reason)
    role = get_role(op.actor, line.club_id)
    line.withdrawn_at, line.withdrawn_reason, line.withdrawn_as = op.now, reason.strip(), role
    line.save(update_fields=["withdrawn_at", "withdrawn_reason", "withdrawn_as"])
    facts = _facts(line)
    note_change(
        event=line.event,
        kind="withdrawn_line",
        by=role,
        reason=reason,
        now=op.now,
        facts={**facts, "kind": line.kind},
    )
    op.audit(line, {**facts, "reason": line.withdrawn_reason})
    return line


def _facts(line: LedgerLine) -> dict[str, object]:
    return {"line": line.number, "entrant": line.entrant.code, "amount": as_json(line.amount)}


def _find_entrant(event: Event, code: str) -> tuple[Entrant | None, list[Problem]]:
    entrant = Entrant.objects.filter(event=event, code=code).first()
    if entrant is not None:
        return entrant, []
    return None, [Problem("unknown_entrant", ("entrant",), {"found": shown(code)})]


def ledger_problems(event: Event, before: str, after: str) -> Iterator[Problem]:
    """Yield why an event cannot rank by another primary value: lines in the old unit."""
    active = LedgerLine.objects.filter(event=event, withdrawn_at=None).order_by("number")
    lines = [
        {
            "number": line.number,
            "entrant": line.entrant.code,
            "kind": line.kind,
            "amount": as_json(line.amount),
        }
        for line in active.select_related("entrant")
    ]
    if not lines:
        return
    texts = [
        f"{line['number']} ({line['entrant']}, {line['kind']} {line['amount']})" for line in lines
    ]
    if len(texts) > NAMED:
        texts[NAMED:] = [f"{len(texts) - NAMED} more"]
    facts = {"lines": listed(texts), "standing": lines, "before": before, "wanted": after}
    yield Problem("ledger_in_other_units", ("settings", "primary"), facts)


def penalties_add(event: Event) -> bool:
    """Whether a penalty raises the event's primary value: it does where less is better."""
    settings = settings_of(event)
    low = low_wins(rules_of(default_snapshot(event)))
    return PRIMARIES[settings.primary].is_ascending(low_wins=low)


def amount_of(text: str) -> Fraction:
    """Return an amount as typed; `amount_problems` says whether it can be stored.

    >>> [str(amount_of(text)) for text in ("2", " 2,5", "-5/2")]
    ['2', '5/2', '-5/2']
    """
    text = text.replace("−", "-")
    match = _AMOUNT.fullmatch(text.strip())
    if match is None or (match[3] and not int(match[3])):
        raise ValueError(f"{text[:20]} is not an amount")
    if match[3]:
        return Fraction(int(match[1]), int(match[3]))
    return Fraction(f"{match[1]}.{match[2] or 0}")


def amount_problems(text: str, at: str = "amount", code: str = "bad_amount") -> Iterator[Problem]:
    """Yield why an amount cannot be stored; `code` says so of a text that is no amount.

    Amounts are above 0, but for those with another code.
    """
    try:
        amount = amount_of(text)
    except ValueError:
        amount = None
    facts = {"found": shown(text.strip())}
    if amount is None or (amount <= 0 and code == "bad_amount"):
        yield Problem(code, (at,), facts)
    elif abs(amount) > MOST_AMOUNT:
        yield Problem("amount_too_large", (at,), facts | {"expected": MOST_AMOUNT})
    elif UNIT % amount.denominator:
        # The amounts next to one that cannot be stored: as tenths, and as a small fraction.
        near = {Fraction(round(amount * 10), 10), amount.limit_denominator(SMALLEST_PART)}
        nearest = sorted(filter(None, near)) or [Fraction(1, SMALLEST_PART)]
        facts["nearest"] = ", ".join(map(str, nearest))
        yield Problem("amount_not_exact", (at,), facts)


def _require_open(round_: Round) -> None:
    require_running(round_.event)
    if round_.state == "closed":
        raise Conflict(Problem("round_is_closed", facts={"round": round_.number}))


OF_ROUND: Final = ("unknown_round", "event_is_over", "round_is_closed")


@operation(
    "manage_event",
    locks=lock_round,
    requires=_require_open,
    refuses=(
        *(*OF_ROUND, "unknown_entrant", "bad_sit_out_reason"),
        *("entrant_is_seated", "sits_out_already"),
    ),
)
def sit_out(op: Operation, round_: Round, /, *, entrant: str, reason: str) -> SitOut:
    """Record that an entrant sits out in a round, and why; `sit_outs` of the answer lists it."""
    competitor, problems = _find_entrant(round_.event, entrant)
    if reason not in SitOutReason.values:
        problems.append(Problem("bad_sit_out_reason", ("reason",), {"found": shown(reason)}))
    if competitor is None or problems:
        raise Refused(*problems)
    facts = {
        "entrant": competitor.code,
        "name": entrant_name(competitor, FULL_NAME),
        "round": round_.number,
    }
    seated = Sitting.objects.filter(
        round=round_, player__entries_in_events__entrant=competitor
    ).select_related("seat__table")
    if sitting := seated.order_by("seat__table__number").first():
        facts["table"] = sitting.seat.table.code
        raise Conflict(Problem("entrant_is_seated", ("entrant",), facts))
    row = SitOut(
        club_id=round_.club_id, event=round_.event, round=round_, entrant=competitor, reason=reason
    )
    with unless_taken(Conflict(Problem("sits_out_already", ("entrant",), facts))):
        row.save(force_insert=True)
    _record_sit_out(op, round_, competitor.code, reason)
    return row


@operation(
    "manage_event", locks=lock_round, requires=_require_open, refuses=(*OF_ROUND, "unknown_sit_out")
)
def end_sit_out(op: Operation, round_: Round, /, *, entrant: str) -> None:
    """Undo a sit-out, so that the entrant may be seated in the round."""
    rows = SitOut.objects.filter(round=round_, entrant__code=entrant)
    row = first_or_missing(rows, "sit_out", found=shown(entrant), round=round_.number)
    row.delete()
    _record_sit_out(op, round_, entrant, row.reason)


def _record_sit_out(op: Operation, round_: Round, entrant: str, reason: str) -> None:
    event = round_.event
    op.changed(event)
    subject = f"{event.audit_subject}/round:{round_.number}"
    op.audit(event, {"entrant": entrant, "reason": reason}, subject=subject)


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
        *("opening_value_exists", "opening_values_count", "bad_opening_value"),
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
    refuse_any([*reason_problems(reason), *_problems(event, values, entrants)])
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
        _note(op, event, new, kind="opening_values", reason=reason)
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
    rows = rows.filter(first=value.first) if together else rows.filter(number=value.number)
    values = list(rows.select_related("entrant").order_by("number"))
    if not values:
        raise Conflict(Problem("line_is_withdrawn", facts={"number": value.number}))
    role = get_role(op.actor, value.club_id)
    rows.update(withdrawn_at=op.now, withdrawn_reason=reason.strip(), withdrawn_as=role)
    _note(op, value.event, values, kind="withdrawn_opening_values", reason=reason)
    return get_opening_value(value.event, value.number)


def _note(
    op: Operation, event: Event, values: Sequence[OpeningValue], *, kind: str, reason: str
) -> None:
    """Note a change, after which other results of the entrants may count."""
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


def _problems(
    event: Event, values: Sequence[NewOpeningValue], entrants: Mapping[str, Entrant]
) -> Iterator[Problem]:
    settings = settings_of(event)
    for at, row in enumerate(values):
        if row.entrant not in entrants:
            facts = {"found": shown(row.entrant)}
            yield Problem("unknown_entrant", ("values", at, "entrant"), facts)
        for problem in _row_problems(settings, row):
            yield replace(problem, at=("values", at, *problem.at))


def _row_problems(settings: Settings, row: NewOpeningValue) -> Iterator[Problem]:
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
    needs = metric.opening.needs if metric.opening is not None else ""
    if needs and not counts[needs]:
        yield Problem("opening_value_needs", (needs,), {"primary": metric.name, "needs": needs})
    if _drops_games(settings) and (row.games or 0) > 1:
        yield Problem("opening_value_of_several_games", ("games",), {"found": row.games or 0})


def _drops_games(settings: Settings) -> bool:
    """Whether single games may be dropped, so that each needs a value of its own."""
    return settings.drops and (settings.best_of is None or settings.best_of["unit"] == "game")


def settings_problems(event: Event, after: Settings) -> Iterator[Problem]:
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
