"""Penalties and bonuses of an event, and who sat out, as pages and REST show them.

Takes an event that `selectors.events.events.event_at` has let the actor read. Nothing here names
who gave a line: the role does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch

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
    lines = LedgerLine.objects.filter(event=event).select_related("entrant")
    lines = lines.prefetch_related(Prefetch("entrant__members", _MEMBERS)).order_by("number")
    if entrant_id:
        lines = lines.filter(entrant__code=entrant_id)
    found = list(lines)
    names = entrant_names((one.entrant for one in found), name_column(event))
    say = texts_for(event)
    for one in found:
        one.reason, one.withdrawn_reason = say(one.reason), say(one.withdrawn_reason)
    return tuple(_row(one, names[one.entrant_id], penalties_add) for one in found)


def sit_outs_in(event: Event, round_: Round, *, with_left: bool = False) -> Sequence[SitOutRow]:
    """Return who sits out in a round of `event`, by name; not a team some of whose players play.

    Args:
        with_left: list those who left before the round too, for directors.
    """
    sitting = Sitting.objects.filter(round=round_, to_hand__isnull=True).values("player_id")
    playing = EntrantMember.objects.filter(event=event, player__in=sitting).values("entrant_id")
    found_rows = SitOut.objects.filter(round=round_).exclude(entrant__in=playing)
    if not with_left:
        found_rows = found_rows.exclude(reason=SitOutReason.LEFT)
    rows = found_rows.select_related("entrant", "round")
    found = list(rows.prefetch_related(Prefetch("entrant__members", _MEMBERS)))
    names = entrant_names((one.entrant for one in found), name_column(event))
    made = (_sits_out(one, names[one.entrant_id]) for one in found)
    return tuple(sorted(made, key=lambda one: (one.name, one.entrant_id)))


def sit_outs_of(event: Event, entrant_id: str) -> Sequence[SitOutRow]:
    """Return the rounds in which an entrant sat out, the newest first."""
    rows = SitOut.objects.filter(event=event, entrant__code=entrant_id)
    found = rows.select_related("entrant", "round").order_by("-round__number")
    return tuple(_sits_out(one, "") for one in found)


_MEMBERS = EntrantMember.objects.select_related("player")


def _row(line: LedgerLine, name: str, penalties_add: bool) -> LedgerRow:
    sign = 1 if (line.kind == LedgerKind.PENALTY) == penalties_add else -1
    return LedgerRow(
        number=line.number,
        entrant_id=line.entrant.code,
        name=name,
        kind=line.kind,
        amount=as_json(line.amount),
        value=as_json(sign * line.amount),
        reason=line.reason,
        by=line.by_as,
        at=line.at,
        state="withdrawn" if line.withdrawn_at else "active",
        withdrawn_at=line.withdrawn_at,
        withdrawn_reason=line.withdrawn_reason,
        withdrawn_by=line.withdrawn_as,
    )


def _sits_out(row: SitOut, name: str) -> SitOutRow:
    return SitOutRow(row.round.number, row.entrant.code, name, row.reason)
