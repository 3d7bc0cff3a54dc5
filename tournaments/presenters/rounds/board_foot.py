"""The foot of a round's board: who sits out, and what comes after the round."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournaments.models.events import Event
from tournaments.models.meetings import Round
from tournaments.selectors.events.adjustments import SitOutRow, sit_outs_in


@dataclass(frozen=True, slots=True)
class BoardFoot:
    """`then` is empty where no plan says what comes next."""

    sit_outs: Sequence[SitOutRow]
    then: str


def board_foot(event: Event, round_: Round) -> BoardFoot:
    """Return the foot of a round's board; at most two queries."""
    return BoardFoot(tuple(sit_outs_in(event, round_)), _next_item(round_))


def _next_item(round_: Round) -> str:
    plan, number = round_.plan, round_.plan_round
    if plan is None or number is None:
        return ""
    if number >= plan.round_count:
        return _("standings of the evening")
    return _("round %(number)s of %(of)s") % {"number": number + 1, "of": plan.round_count}
