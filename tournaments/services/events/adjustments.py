"""Penalties, bonuses and sit-outs of entrants: added and withdrawn by directors with a reason."""

import re
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Max

from scoring.errors import Problem, Refused, listed, shown
from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import settings_of
from tournaments.domain.reasons import reason_problems
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
from tournaments.services.audit.audit import append_audit
from tournaments.services.audit.change_log import note_change
from tournaments.services.db.locks import lock_event, lock_round
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running
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
    *,
    actor: Actor,
    event: Event,
    entrant: str,
    kind: str,
    amount: str,
    reason: str,
    now: datetime,
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
    found = Entrant.objects.filter(event=event, code=entrant).first()
    problems = [*_shape_problems(found, entrant, kind), *amount_problems(amount)]
    problems += reason_problems(reason)
    if found is None or problems:
        raise Refused(*problems)
    last = LedgerLine.objects.filter(event=event).aggregate(last=Max("number"))["last"]
    line = LedgerLine.objects.create(
        club_id=event.club_id,
        event=event,
        entrant=found,
        number=(last or 0) + 1,
        kind=kind,
        amount=units_of(amount_of(amount)),
        reason=reason.strip(),
        by_id=actor.user_id,
        by_as=role,
        at=now,
    )
    _keep(actor, event, line, kind, f"add_{kind}", reason, role, now)
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
    if problems := tuple(reason_problems(reason)):
        raise Refused(*problems)
    line.withdrawn_at, line.withdrawn_reason = now, reason.strip()
    line.withdrawn_as = role
    line.save(update_fields=["withdrawn_at", "withdrawn_reason", "withdrawn_as"])
    _keep(actor, event, line, "withdrawn_line", "withdraw_line", reason, role, now)
    return line


def ledger_problems(event: Event, before: str, wanted: str) -> Iterator[Problem]:
    """Yield why an event cannot rank by another primary value: amounts that stand in the old unit.

    A line is never changed, and two points a hand are not two tables won. So whoever wants the
    other value withdraws the lines first, and gives them anew in its unit.
    """
    standing = LedgerLine.objects.filter(event=event, withdrawn_at=None).order_by("number")
    found = [
        {
            "number": line.number,
            "entrant": line.entrant.code,
            "kind": line.kind,
            "amount": as_json(line.amount),
        }
        for line in standing.select_related("entrant")
    ]
    if not found:
        return
    said = [f"{one['number']} ({one['entrant']}, {one['kind']} {one['amount']})" for one in found]
    if len(said) > NAMED:
        said[NAMED:] = [f"{len(said) - NAMED} more"]
    facts = {"lines": listed(said), "standing": found, "before": before, "wanted": wanted}
    yield Problem("ledger_in_other_units", ("settings", "primary"), facts)


def penalties_add(event: Event) -> bool:
    """Whether a penalty raises the event's primary value: it does where less is better."""
    settings = settings_of(event)
    low = low_wins(rules_of(default_snapshot(event)))
    return PRIMARIES[settings.primary].is_ascending(low_wins=low)


def amount_of(text: str) -> Fraction:
    """Return an amount as typed; `amount_problems` says whether it can be kept.

    >>> [str(amount_of(text)) for text in ("2", " 2,5", "5/2")]
    ['2', '5/2', '5/2']
    """
    found = _AMOUNT.fullmatch(text.strip())
    if found is None or (found[3] and not int(found[3])):
        raise ValueError(f"{text[:20]} is not an amount")
    if found[3]:
        return Fraction(int(found[1]), int(found[3]))
    return Fraction(f"{found[1]}.{found[2] or 0}")


def amount_problems(text: str) -> Iterator[Problem]:
    """Yield what is wrong with an amount as typed: no number, not above 0, too much, not exact."""
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
        facts["nearest"] = ", ".join(map(str, _nearest(amount)))
        yield Problem("amount_not_exact", ("amount",), facts)


def _nearest(amount: Fraction) -> list[Fraction]:
    tenths = Fraction(round(amount * 10), 10)
    return sorted({one for one in (tenths, amount.limit_denominator(SMALLEST_PART)) if one}) or [
        Fraction(1, SMALLEST_PART)
    ]


def _shape_problems(found: Entrant | None, entrant: str, kind: str) -> Iterator[Problem]:
    if found is None:
        yield Problem("unknown_entrant", ("entrant",), {"found": shown(entrant)})
    if kind not in LedgerKind.values:
        yield Problem("bad_ledger_kind", ("kind",), {"found": shown(kind)})


def _keep(
    actor: Actor,
    event: Event,
    line: LedgerLine,
    kind: str,
    act: str,
    reason: str,
    role: str,
    now: datetime,
) -> None:
    facts = {"line": line.number, "entrant": line.entrant.code, "amount": as_json(line.amount)}
    version = mark_changed(event=event, now=now)
    note_change(
        event=event,
        version=version,
        kind=kind,
        by=role,
        now=now,
        reason=reason,
        facts=facts if kind != "withdrawn_line" else {**facts, "kind": line.kind},
    )
    append_audit(
        club=event.club,
        actor=actor,
        act=act,
        subject=f"event:{event.slug}/ledger:{line.number}",
        facts={**facts, "reason": reason.strip()},
        now=now,
    )


@atomic_act
def sit_out(*, actor: Actor, round_: Round, entrant: str, reason: str, now: datetime) -> SitOut:
    """Record that an entrant does not play in a round, and why.

    Args:
        entrant: the entrant's code.
        reason: `bye`, `late`, `left` or `rest`; a bye may be worth something, the others nothing.
    """
    locked = _open_round(actor, round_)
    found = Entrant.objects.filter(event=locked.event, code=entrant).first()
    problems = []
    if found is None:
        problems.append(Problem("unknown_entrant", ("entrant",), {"found": shown(entrant)}))
    if reason not in SitOutReason.values:
        problems.append(Problem("bad_sit_out_reason", ("reason",), {"found": shown(reason)}))
    if found is None or problems:
        raise Refused(*problems)
    facts: dict[str, int | str] = {
        "entrant": found.code,
        "name": entrant_name(found, FULL_NAME),
        "round": locked.number,
    }
    seated = Sitting.objects.filter(
        round=locked, player__entries_in_events__entrant=found
    ).select_related("seat__table")
    if sitting := seated.order_by("seat__table__number").first():
        facts["table"] = sitting.seat.table.code
        raise Conflict(Problem("entrant_is_seated", ("entrant",), facts))
    try:
        with transaction.atomic():
            made = SitOut.objects.create(
                club_id=locked.club_id,
                event=locked.event,
                round=locked,
                entrant=found,
                reason=reason,
            )
    except IntegrityError as there:
        raise Conflict(Problem("sits_out_already", ("entrant",), facts)) from there
    _store_sit_out(actor, locked, "sit_out", found.code, reason, now)
    return made


@atomic_act
def end_sit_out(*, actor: Actor, round_: Round, entrant: str, now: datetime) -> None:
    """Undo a sit-out, so that the entrant may be seated in the round."""
    locked = _open_round(actor, round_)
    found = SitOut.objects.filter(round=locked, entrant__code=entrant).first()
    if found is None:
        raise Missing("sit_out", {"found": shown(entrant), "round": locked.number})
    reason = found.reason
    found.delete()
    _store_sit_out(actor, locked, "end_sit_out", entrant, reason, now)


def _open_round(actor: Actor, round_: Round) -> Round:
    """Return the round with its row locked after its event's, as seating a table locks them."""
    require(actor, round_.club, "manage_event")
    locked = lock_round(round_)
    require_running(locked.event)
    if locked.state == "closed":
        raise Conflict(Problem("round_is_closed", facts={"round": locked.number}))
    return locked


def _store_sit_out(
    actor: Actor, round_: Round, act: str, entrant: str, reason: str, now: datetime
) -> None:
    mark_changed(event=round_.event, now=now)
    append_audit(
        club=round_.club,
        actor=actor,
        act=act,
        subject=f"event:{round_.event.slug}/round:{round_.number}",
        facts={"entrant": entrant, "reason": reason},
        now=now,
    )
