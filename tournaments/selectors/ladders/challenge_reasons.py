"""Why the results of challenges were corrected or voided, as their readers see it."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Q

from tournaments.models.events import Event
from tournaments.models.ladders import Challenge, ChallengeState, LadderStep
from tournaments.models.standings import Change
from tournaments.selectors.clubs.names import texts_for

VOIDED: Final = "void_challenge"
"""The kind of the line about a challenge that was voided."""


def reasons_of_corrections(event: Event, rows: Sequence[Challenge]) -> Mapping[int, str]:
    """Return the newest reason of a correction of each challenge that has one, by its number.

    That is the reason with which it was voided, or else that of a change at its table after its
    result was confirmed. At most two queries.

    Args:
        rows: from `challenge_rows`.
    """
    closed = [row for row in rows if _may_be_corrected(row)]
    if not closed:
        return {}
    tables = {row.game.table.code for row in closed if row.game is not None}
    numbers = [row.number for row in closed]
    changes = Change.objects.filter(
        Q(kind=VOIDED, facts__challenge__in=numbers) | Q(table__in=tables), event=event
    )
    changes = changes.exclude(reason="").order_by("pk")
    of_challenge: dict[int, str] = {}
    of_table: dict[str, list[Change]] = {}
    for change in changes:
        if change.kind == VOIDED:
            of_challenge[change.facts["challenge"]] = change.reason
        else:
            of_table.setdefault(change.table, []).append(change)
    redact = texts_for(event)
    reasons = {}
    for row in closed:
        reason = of_challenge.get(row.number, "") or _reason_at_table(row, of_table)
        if reason:
            reasons[row.number] = redact(reason)
    return reasons


def _may_be_corrected(row: Challenge) -> bool:
    """Whether a challenge is void, or somebody had won it when its result was confirmed."""
    step: LadderStep | None = getattr(row, "ladder_step", None)
    return row.state == ChallengeState.VOID or (step is not None and "winner" in step.facts)


def _reason_at_table(row: Challenge, of_table: Mapping[str, Sequence[Change]]) -> str:
    if row.game is None:
        return ""
    reasons = [
        change.reason
        for change in of_table.get(row.game.table.code, ())
        if row.closed_at is None or change.at >= row.closed_at
    ]
    return reasons[-1] if reasons else ""
