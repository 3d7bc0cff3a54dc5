"""Who does not share sit-outs and tables of uncommon sizes evenly in a plan, and why."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.json_types import JsonDict
from scoring.seating.requests import SIT_OUT
from tournaments.models.seating_plans import SeatingPlan

_REASONS: Final[Mapping[str, str | Promise]] = {
    "together": gettext_lazy("because players who are always at one table move together."),
    "fixed_table": gettext_lazy("because players with a fixed table stay there."),
    "apart": gettext_lazy("because of the pairs who are never at one table."),
    "presence": gettext_lazy("because not everybody is here for all rounds."),
    "history": gettext_lazy("because the plan cannot make up for all earlier rounds."),
    "numbers": gettext_lazy("because the numbers of people and seats allow nothing else."),
}


def uneven_shares_of(plan: SeatingPlan, names: Mapping[int, str]) -> Sequence[JsonDict]:
    """Return what a plan does not share evenly; nothing for plans of earlier versions.

    `size` is 0 for sit-outs; `reason` a key, `text` the sentence about one reason.
    """
    rows: Sequence[Sequence[Any]] = plan.cost.get("uneven", ())
    shares: list[JsonDict] = []
    for size, reason in dict.fromkeys((row[1], row[2]) for row in rows):
        players = [row[0] for row in rows if row[1:] == [size, reason]]
        text = (
            _("%(names)s: sit-outs differ by more than one from those of others, %(why)s")
            if size == SIT_OUT
            else _("%(names)s: tables of %(size)s differ by more than one from others', %(why)s")
        )
        named = ", ".join(sorted(names.get(player, "?") for player in players))
        text %= {"names": named, "size": size, "why": _REASONS.get(reason, _REASONS["numbers"])}
        shares.append({"size": size, "players": players, "reason": reason, "text": text})
    return shares
