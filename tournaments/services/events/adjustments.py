"""Penalties, bonuses and sit-outs: added and withdrawn with a reason."""

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import Final

from scoring.errors import Problem, Refused, listed, shown
from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import settings_of
from tournaments.domain.reasons import reason_problems, require_reason
from tournaments.errors import Conflict, first_or_missing
from tournaments.models.columns import UNIT, as_json, units_of
from tournaments.models.events import Entrant, Event
from tournaments.models.rounds import Meeting, Round, SitOut, SitOutReason, Sitting
from tournaments.models.standings import LedgerKind, LedgerLine
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import PenaltiesAdd, entrant_name, get_line
from tournaments.selectors.events.meetings import with_state
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.rounds.round_seating import require_held
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.audit.audit import note_change
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_event, lock_round
from tournaments.services.db.transactions import unless_taken
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation

MOST_AMOUNT: Final = 1_000_000
"""More than any event is worth in one line; what is larger is a slip of the finger."""
NAMED: Final = 8
"""Maximum number of lines named in a sentence; the others are counted."""
SMALLEST_PART: Final = 15
"""Shares down to fifteenths are whole numbers of units."""
_AMOUNT: Final = re.compile(r"([-−]?[0-9]{1,12})(?:[.,]([0-9]{1,12})|/([0-9]{1,12}))?")

OF_ROUND: Final = ("unknown_round", "event_is_over", "round_is_closed")


@operation(
    "penalize",
    locks=lock_event,
    refuses=(
        *("unknown_entrant", "bad_ledger_kind", "reason_required", "bad_text"),
        *("bad_amount", "amount_too_large", "amount_not_exact"),
        *("unknown_meeting", "meeting_is_cancelled", "evening_of_ladder"),
    ),
)
def add_line(
    op: Operation,
    event: Event,
    /,
    *,
    entrant: str,
    kind: str,
    amount: str,
    reason: str,
    meeting: date | None = None,
) -> LedgerLine:
    """Give an entrant a penalty or a bonus. The answer lists all problems at once.

    With the day of a `meeting` it counts in the table of that evening too, without one in the
    season only.
    """
    competitor, problems = _find_entrant(event, entrant)
    evening, unknown = _find_evening(event, meeting)
    problems += unknown
    if kind not in LedgerKind.values:
        problems.append(Problem("bad_ledger_kind", ("kind",), {"found": shown(kind)}))
    problems += [*amount_problems(amount), *reason_problems(reason)]
    if competitor is None or problems:
        raise Refused(*problems)
    if evening is not None:
        require_held(evening, "meeting")
    role = get_role(op.actor, event.club_id)
    line = LedgerLine.objects.create(
        club=event.club,
        event=event,
        entrant=competitor,
        meeting=evening,
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
    facts = {"line": line.number, "entrant": line.entrant.code, "amount": as_json(line.amount)}
    days = LedgerLine.objects.filter(pk=line.pk, meeting__isnull=False)
    day = days.values_list("meeting__date", flat=True).first()
    if day is not None:
        facts["meeting"] = day.isoformat()
    return facts


def _find_entrant(event: Event, code: str) -> tuple[Entrant | None, list[Problem]]:
    entrant = Entrant.objects.filter(event=event, code=code).first()
    if entrant is not None:
        return entrant, []
    return None, [Problem("unknown_entrant", ("entrant",), {"found": shown(code)})]


def _find_evening(event: Event, day: date | None) -> tuple[Meeting | None, list[Problem]]:
    """Return the evening of a line with its state, None for the season."""
    if day is None:
        return None, []
    if event.is_ladder:
        return None, [Problem("evening_of_ladder", ("meeting",))]
    meeting = with_state(Meeting.objects.filter(event=event, date=day)).first()
    if meeting is None:
        return None, [Problem("unknown_meeting", ("meeting",))]
    return meeting, []


def ledger_problems(
    event: Event, before: str, after: str, *, setting: str = "primary"
) -> Iterator[Problem]:
    """Yield why an event, or its evenings, cannot rank by another value: lines in the old unit."""
    active = LedgerLine.objects.filter(event=event, withdrawn_at=None).order_by("number")
    if setting == "evening_ranking":
        active = active.filter(meeting__isnull=False)
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
    yield Problem("ledger_in_other_units", ("settings", setting), facts)


def penalties_add(event: Event) -> PenaltiesAdd:
    """Return where a penalty raises the value: in the season, and in an evening, if less is better
    there."""
    settings = settings_of(event)
    low = low_wins(rules_of(default_snapshot(event)))
    return PenaltiesAdd(
        in_season=PRIMARIES[settings.primary].is_ascending(low_wins=low),
        in_evening=PRIMARIES[settings.games_ranked_by].is_ascending(low_wins=low),
    )


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
