"""Two people at one hand: the second one's attempt leaves a line in the audit as well."""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from django.db import transaction

from scoring.json_types import JsonDict
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict
from tournaments.services.audit.audit import append_audit

CONTESTED: Final = ("hand_exists", "entry_outdated")
"""Why an entry is refused where somebody else was first."""

P = ParamSpec("P")
R = TypeVar("R")


def audit_conflicts(record: Callable[P, R]) -> Callable[P, R]:
    """Let a service that records a hand note who came second, once its transaction is gone.

    Nothing else is written of the attempt: what was typed goes back to who typed it.
    """

    @wraps(record)
    def recorded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return record(*args, **kwargs)
        except Conflict as conflict:
            if conflict.problem.code in CONTESTED:
                _audit(conflict, kwargs)
            raise

    return recorded


@transaction.atomic
def _audit(conflict: Conflict, asked: JsonDict) -> None:
    game, number = asked["game"], asked.get("number", TOTALS)
    append_audit(
        club=game.club,
        actor=asked["actor"],
        act="enter_hand_refused",
        subject=f"event:{game.event.slug}/table:{game.table.code}/hand:{number}",
        facts={"code": conflict.problem.code, **conflict.problem.facts},
        now=asked["now"],
    )
