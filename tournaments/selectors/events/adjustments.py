"""Penalties and bonuses of an event, and who sat out, as pages and REST show them.

Takes an event that `selectors.events.events.event_at` has let the actor read. Nothing here names
who gave a line: the role does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, QuerySet

from scoring.numbers import ScoreJson
from tournaments.models.events import EntrantMember, Event
from tournaments.models.meetings import Round, SitOut, SitOutReason, Sitting
from tournaments.models.numbers import as_json
from tournaments.models.standings import LedgerKind, LedgerLine
from tournaments.selectors.clubs.names import name_column, texts_for
from tournaments.selectors.events.entrants import entrant_names


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line: `amount` is above 0, `value` what it adds to the entrant's primary value."""

    number: int
    entrant_id: str
    name: str
    kind: str
    amount: ScoreJson
    value: ScoreJson
    reason: str
    by: str
    at: datetime
    state: str
    withdrawn_at: datetime | None
    withdrawn_reason: str
    withdrawn_by: str


@dataclass(frozen=True, slots=True)
class SitOutRow:
    round: int
    entrant_id: str
    name: str
    reason: str


def ledger_rows(event: Event, *, penalties_add: bool, entrant_id: str = "") -> Sequence[LedgerRow]:
    """Return the lines of an event by number, those of one entrant where its code is given.

    Args:
        penalties_add: whether a penalty raises the primary value, as where less is better.
    """
    rows = LedgerLine.objects.filter(event=event).select_related("entrant")
    rows = rows.prefetch_related(Prefetch("entrant__members", _MEMBERS)).order_by("number")
    lines = list(rows.filter(entrant__code=entrant_id) if entrant_id else rows)
    names = entrant_names((line.entrant for line in lines), name_column(event))
    say = texts_for(event)
    signs = {
        kind: 1 if (kind == LedgerKind.PENALTY) == penalties_add else -1 for kind in LedgerKind
    }
    return tuple(
        LedgerRow(
            number=line.number,
            entrant_id=line.entrant.code,
            name=names[line.entrant_id],
            kind=line.kind,
            amount=as_json(line.amount),
            value=as_json(signs[LedgerKind(line.kind)] * line.amount),
            reason=say(line.reason),
            by=line.by_as,
            at=line.at,
            state="withdrawn" if line.withdrawn_at else "active",
            withdrawn_at=line.withdrawn_at,
            withdrawn_reason=say(line.withdrawn_reason),
            withdrawn_by=line.withdrawn_as,
        )
        for line in lines
    )


def sit_outs_of_round(round_: Round) -> QuerySet[SitOut]:
    """Return who sits out in a round; not a team some of whose players play."""
    sitting = Sitting.objects.filter(round=round_, to_hand__isnull=True).values("player_id")
    members = EntrantMember.objects.filter(event=round_.event_id, player__in=sitting)
    return SitOut.objects.filter(round=round_).exclude(entrant__in=members.values("entrant_id"))


def sit_outs_in(event: Event, round_: Round, *, with_left: bool = False) -> Sequence[SitOutRow]:
    """Return who sits out in a round of `event`, by name."""
    rows = sit_outs_of_round(round_)
    if not with_left:
        rows = rows.exclude(reason=SitOutReason.LEFT)
    rows = rows.select_related("entrant").prefetch_related(Prefetch("entrant__members", _MEMBERS))
    names = entrant_names((row.entrant for row in rows), name_column(event))
    sit_outs = (
        SitOutRow(round_.number, row.entrant.code, names[row.entrant_id], row.reason)
        for row in rows
    )
    return tuple(sorted(sit_outs, key=lambda row: (row.name, row.entrant_id)))


def sit_outs_of(event: Event, entrant_id: str) -> Sequence[SitOutRow]:
    """Return the rounds in which an entrant sat out, the newest first, without names."""
    rows = SitOut.objects.filter(event=event, entrant__code=entrant_id).order_by("-round__number")
    numbers = rows.values_list("round__number", "reason")
    return tuple(SitOutRow(number, entrant_id, "", reason) for number, reason in numbers)


_MEMBERS = EntrantMember.objects.select_related("player")
