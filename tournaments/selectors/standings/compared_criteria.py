"""Which tie-breaks were asked of two tied rows before one separated them: equal, or no effect.

Read from what a publication holds, so that the page of an old one says what was so then.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.domain.standings.criteria_catalog import tie_break_named
from tournaments.domain.standings.standings_documents import StandingsDocumentRow

_WHY_NOT: Final[Mapping[str, str | Promise]] = {
    "h2h": gettext_lazy("they have not all met"),
    "index": gettext_lazy("the number of hands of some games is not known"),
    "moons_shot": gettext_lazy("no moons recorded: totals were entered or imported"),
    "moons_against": gettext_lazy("no moons recorded: totals were entered or imported"),
    "sos": gettext_lazy("not known of all opponents"),
    "difference": gettext_lazy("everybody plays alone"),
}
"""Criterion → why it can be without effect on rows that are tied."""


def compared_criteria(
    above: StandingsDocumentRow,
    below: StandingsDocumentRow,
    chain: Sequence[str],
    primary: str,
) -> tuple[str, ...]:
    """Return in sentences what was asked before the one that separated two neighbours.

    Args:
        above: the row of the better place, or of the same.
        below: the next row.
        chain: the event's tie-breaks, as published.
        primary: what ranks.

    Returns:
        Nothing where the primary value separated them, where no criterion came before, or where a
        knock-out asks none of those who are out.
    """
    mine, theirs = above["values"], below["values"]
    if primary not in mine or mine[primary] != theirs.get(primary):
        return ()
    if (facts := below.get("reason_facts")) and facts.get("knocked_out"):
        return ()
    decided = below["decided_by"]
    before = [key for key in chain if key != primary]
    if decided == "playoff":
        before = [key for key in before if key in mine]
    elif decided is not None:
        if decided not in before:
            return ()
        before = before[: before.index(decided)]
    equal = [key for key in before if key in mine and mine[key] == theirs.get(key)]
    return tuple(_sentences(equal, [key for key in before if key not in mine]))


def _sentences(equal: Sequence[str], idle: Sequence[str]) -> list[str]:
    found = []
    if equal:
        found.append(_("Equal: %(names)s.") % {"names": _names(equal)})
    reasons: dict[str, list[str]] = {}
    for key in idle:
        reasons.setdefault(str(_WHY_NOT.get(key, "")), []).append(key)
    for reason, keys in reasons.items():
        facts = {"names": _names(keys), "reason": reason}
        text = _("No effect: %(names)s (%(reason)s).") if reason else _("No effect: %(names)s.")
        found.append(text % facts)
    return found


def _names(keys: Sequence[str]) -> str:
    return ", ".join(tie_break_named(key).name.lower() for key in keys)
