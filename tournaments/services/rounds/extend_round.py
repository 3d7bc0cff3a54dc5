"""Gives a round more time on its clock."""

from datetime import datetime
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Conflict
from tournaments.models.meetings import Round
from tournaments.policy import Actor
from tournaments.selectors.rounds.round_times import has_clock
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.event_lock import lock_round
from tournaments.services.db.transactions import atomic_act

MOST_EXTRA_MINUTES: Final = 600
"""A round is extended by so much in all."""


@atomic_act
def extend_round(
    *, actor: Actor, round_: Round, minutes: int, now: datetime, based_on: int | None = None
) -> Round:
    """Let the clock of a posted round run longer.

    Args:
        minutes: from 1 on; added to what was added before.
        based_on: the extra minutes that the caller looked at, so that a button pressed twice
            extends once; None = whatever there is.

    Raises:
        Forbidden: extend_round.
        Refused: bad_minutes.
        Conflict: round_has_no_clock, round_extended.
    """
    require(actor, round_.club, "extend_round")
    locked = lock_round(round_)
    if not has_clock(locked.event, locked, settings_of(locked.event)):
        raise Conflict(Problem("round_has_no_clock", (), {"round": locked.number}))
    if based_on is not None and based_on != locked.extra_minutes:
        facts: dict[str, int | str] = {"round": locked.number, "minutes": locked.extra_minutes}
        raise Conflict(Problem("round_extended", (), facts))
    most = MOST_EXTRA_MINUTES - locked.extra_minutes
    if not 1 <= minutes <= most:
        raise Refused(
            Problem("bad_minutes", ("minutes",), {"found": minutes, "expected": f"1 to {most}"})
        )
    locked.extra_minutes += minutes
    locked.save(update_fields=["extra_minutes"])
    append_audit(
        club=locked.club,
        actor=actor,
        act="extend_round",
        subject=f"event:{locked.event.slug}/round:{locked.number}",
        facts={"minutes": minutes, "extra_minutes": locked.extra_minutes},
        now=now,
    )
    return locked
