"""Penalties, bonuses and sit-outs of entrants: added and withdrawn by directors with a reason."""

import re
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from typing import Final

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused, listed, shown
from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import settings_of
from tournaments.domain.reasons import reason_problems, require_reason
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Entrant, Event
from tournaments.models.meetings import Round, SitOut, SitOutReason, Sitting
from tournaments.models.numbers import UNIT, as_json, units_of
from tournaments.models.standings import LedgerKind, LedgerLine
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import entrant_name
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_event, lock_round
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import audit_event, record_change, require_running
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.permissions import require, require_role

MOST: Final = 1_000_000
"""More than any event is worth in one line; what is larger is a slip of the finger."""
NAMED: Final = 8
"""As many lines are named in a sentence; the others are counted."""
SMALLEST_PART: Final = 15
"""Shares down to fifteenths are whole numbers of units."""


_AMOUNT: Final = re.compile(r"([0-9]{1,12})(?:[.,]([0-9]{1,12})|/([0-9]{1,12}))?")


@atomic_act
def add_line(
    *, actor: Actor, event: Event, entrant: str, kind: str, amount: str, reason: str, now: datetime
) -> LedgerLine:
    """Give an entrant a penalty or a bonus, in units of the event's primary value.

    Args:
        entrant: the entrant's code.
        kind: `penalty` (the primary value gets worse) or `bonus`.
        amount: above 0, as typed: `2`, `2.5`, `2,5` or `5/2`.
    """
    role = get_role(actor, event.club_id)
    require_role(actor, role, "penalize")
    event = lock_event(event)
    competitor = Entrant.objects.filter(event=event, code=entrant).first()
    problems = [*_shape_problems(competitor, entrant, kind), *amount_problems(amount)]
    problems += reason_problems(reason)
    if competitor is None or problems:
        raise Refused(*problems)
    line = LedgerLine.objects.create(
        club_id=event.club_id,
        event=event,
        entrant=competitor,
        number=next_number(LedgerLine.objects.filter(event=event)),
        kind=kind,
        amount=units_of(amount_of(amount)),
        reason=reason.strip(),
        by_id=actor.user_id,
        by_as=role,
        at=now,
    )
    _record(actor, event, line, f"add_{kind}", reason, role, now)
    return line


@atomic_act
def withdraw_line(
    *, actor: Actor, event: Event, number: int, reason: str, now: datetime
) -> LedgerLine:
    """Take a penalty or bonus back: the line stays, and does not count from now on."""
    role = get_role(actor, event.club_id)
    require_role(actor, role, "penalize")
    event = lock_event(event)
    lines = LedgerLine.objects.filter(event=event, number=number).select_related("entrant")
    line = lines.first()
    if line is None:
        raise Missing("line", {"line": number})
    if line.withdrawn_at is not None:
        raise Conflict(Problem("line_is_withdrawn", facts={"number": number}))
    require_reason(reason)
    line.withdrawn_at, line.withdrawn_reason = now, reason.strip()
    line.withdrawn_as = role
    line.save(update_fields=["withdrawn_at", "withdrawn_reason", "withdrawn_as"])
    _record(actor, event, line, "withdraw_line", reason, role, now)
    return line


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

    >>> [str(amount_of(text)) for text in ("2", " 2,5", "5/2")]
    ['2', '5/2', '5/2']
    """
    match = _AMOUNT.fullmatch(text.strip())
    if match is None or (match[3] and not int(match[3])):
        raise ValueError(f"{text[:20]} is not an amount")
    if match[3]:
        return Fraction(int(match[1]), int(match[3]))
    return Fraction(f"{match[1]}.{match[2] or 0}")


def amount_problems(text: str) -> Iterator[Problem]:
    """Yield the problems of an amount as typed."""
    try:
        amount = amount_of(text)
    except ValueError:
        amount = Fraction(0)
    facts: dict[str, int | str] = {"found": shown(text.strip())}
    if not amount:
        yield Problem("bad_amount", ("amount",), facts)
    elif amount > MOST:
        yield Problem("amount_too_large", ("amount",), facts | {"expected": MOST})
    elif UNIT % amount.denominator:
        # The amounts next to one that cannot be stored: as tenths, and as a small fraction.
        near = {Fraction(round(amount * 10), 10), amount.limit_denominator(SMALLEST_PART)}
        nearest = sorted(filter(None, near)) or [Fraction(1, SMALLEST_PART)]
        facts["nearest"] = ", ".join(map(str, nearest))
        yield Problem("amount_not_exact", ("amount",), facts)


def _shape_problems(competitor: Entrant | None, entrant: str, kind: str) -> Iterator[Problem]:
    if competitor is None:
        yield Problem("unknown_entrant", ("entrant",), {"found": shown(entrant)})
    if kind not in LedgerKind.values:
        yield Problem("bad_ledger_kind", ("kind",), {"found": shown(kind)})


def _record(
    actor: Actor, event: Event, line: LedgerLine, act: str, reason: str, role: str, now: datetime
) -> None:
    facts = {"line": line.number, "entrant": line.entrant.code, "amount": as_json(line.amount)}
    is_withdrawn = act == "withdraw_line"
    record_change(
        event,
        actor,
        act,
        facts,
        now,
        by=role,
        kind="withdrawn_line" if is_withdrawn else line.kind,
        noted={**facts, "kind": line.kind} if is_withdrawn else facts,
        reason=reason,
        part=f"/ledger:{line.number}",
    )


@atomic_act
def sit_out(*, actor: Actor, round_: Round, entrant: str, reason: str, now: datetime) -> SitOut:
    """Record that an entrant, given by its code, does not play in a round, and why."""
    locked = _lock_open_round(actor, round_)
    competitor = Entrant.objects.filter(event=locked.event, code=entrant).first()
    problems = []
    if competitor is None:
        problems.append(Problem("unknown_entrant", ("entrant",), {"found": shown(entrant)}))
    if reason not in SitOutReason.values:
        problems.append(Problem("bad_sit_out_reason", ("reason",), {"found": shown(reason)}))
    if competitor is None or problems:
        raise Refused(*problems)
    facts: dict[str, int | str] = {
        "entrant": competitor.code,
        "name": entrant_name(competitor, FULL_NAME),
        "round": locked.number,
    }
    seated = Sitting.objects.filter(
        round=locked, player__entries_in_events__entrant=competitor
    ).select_related("seat__table")
    if sitting := seated.order_by("seat__table__number").first():
        facts["table"] = sitting.seat.table.code
        raise Conflict(Problem("entrant_is_seated", ("entrant",), facts))
    row = SitOut(
        club_id=locked.club_id, event=locked.event, round=locked, entrant=competitor, reason=reason
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        raise Conflict(Problem("sits_out_already", ("entrant",), facts)) from error
    _record_sit_out(actor, locked, "sit_out", competitor.code, reason, now)
    return row


@atomic_act
def end_sit_out(*, actor: Actor, round_: Round, entrant: str, now: datetime) -> None:
    """Undo a sit-out, so that the entrant may be seated in the round."""
    locked = _lock_open_round(actor, round_)
    row = SitOut.objects.filter(round=locked, entrant__code=entrant).first()
    if row is None:
        raise Missing("sit_out", {"found": shown(entrant), "round": locked.number})
    reason = row.reason
    row.delete()
    _record_sit_out(actor, locked, "end_sit_out", entrant, reason, now)


def _lock_open_round(actor: Actor, round_: Round) -> Round:
    """Return the round with its row locked after its event's, as seating a table locks them."""
    require(actor, round_.club, "manage_event")
    locked = lock_round(round_)
    require_running(locked.event)
    if locked.state == "closed":
        raise Conflict(Problem("round_is_closed", facts={"round": locked.number}))
    return locked


def _record_sit_out(
    actor: Actor, round_: Round, act: str, entrant: str, reason: str, now: datetime
) -> None:
    mark_changed(event=round_.event, now=now)
    facts = {"entrant": entrant, "reason": reason}
    audit_event(round_.event, actor, act, facts, now, part=f"/round:{round_.number}")
