"""Why one row of standings is above another, in sentences with names."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.json_types import JsonObject
from tournaments.domain.standings.criteria import tie_break_named
from tournaments.domain.standings.standings_documents import StandingsDocumentRow

_LEADS: Final = ("above ", "tied with ", "level with ", "beside ")
_GAVE_UP: Final = " gave up"
_LOT_BELOW: Final = re.compile(r"(?<=; )lot [0-9a-f]+ against [0-9a-f]+")
_LOT_CODES: Final = re.compile(r"(?<=drawn by lot) \([0-9a-f]+ before [0-9a-f]+\)")
"""Codes of a lot: pages show them behind “How lots are drawn”, REST in the sentence."""


def sentence(text: str, code: str, name: str) -> str:
    """Return a published sentence with the name of the entrant `code`, its neighbour, in it.

    >>> sentence("7 ÷ 2 = 3.5000, 1.5000 behind RL03", "RL03", "Leo K.")
    '7 ÷ 2 = 3.5000, 1.5000 behind Leo K.'
    >>> sentence("above RL03: RL03 has too few games for a rank", "RL03", "Leo K.")
    'above Leo K.: Leo K. has too few games for a rank'
    >>> sentence("above RL03: same points, won the play-off, RL03 gave up", "RL03", "Leo K.")
    'above Leo K.: same points, won the play-off, Leo K. gave up'
    >>> sentence("above RL03: same points, drawn by lot (1eae before 9547)", "RL03", "Leo K.")
    'above Leo K.: same points, drawn by lot'
    >>> sentence("tied with RL03: 7; lot 9547 against 1eae", "RL03", "Leo K.")
    'tied with Leo K.: 7; drawn by lot'
    >>> sentence("RL03 went on to Final table", "RL03", "Leo K.")
    'Leo K. went on to Final table'
    """
    text = _LOT_BELOW.sub("drawn by lot", _LOT_CODES.sub("", text))
    for lead in _LEADS:
        if code and text.startswith(f"{lead}{code}:"):
            after = text[len(lead) + len(code) :]
            again = f": {code} has "
            if after.startswith(again):
                after = f": {name} has {after.removeprefix(again)}"
            elif after.endswith(f", {code}{_GAVE_UP}"):
                after = f"{after.removesuffix(f'{code}{_GAVE_UP}')}{name}{_GAVE_UP}"
            return f"{lead}{name}{after}"
    if code and text.startswith(f"{code} went on to "):
        return f"{name}{text.removeprefix(code)}"
    if code and text.endswith(f" behind {code}"):
        return f"{text.removesuffix(code)}{name}"
    return text


def with_names(listed: str, names: Mapping[str, str]) -> str:
    """Return a row of ids, as `RL02, RL03 and RL06`, with the names that these are called by.

    >>> with_names("RL02 and RL020", {"RL02": "Zoë K.", "RL020": "Ann and Leo"})
    'Zoë K. and Ann and Leo'
    """
    if not names:
        return listed
    longest_first = sorted(names, key=len, reverse=True)
    ids = "|".join(re.escape(code) for code in longest_first)
    return re.sub(rf"(?<![\w-])(?:{ids})(?![\w-])", lambda match: names[match[0]], listed)


def question_with_names(facts: JsonObject | None, names: Mapping[str, str]) -> JsonObject | None:
    """Return the facts of a correction's question about qualifiers, with names."""
    return facts and {**facts, **{key: with_names(facts[key], names) for key in ("come", "go")}}


_WHY_NOT: Final = {
    "h2h": gettext_lazy("they have not all met"),
    "index": gettext_lazy("the number of hands of some games is not known"),
    "moons_shot": gettext_lazy("no moons recorded: totals were entered or imported"),
    "moons_against": gettext_lazy("no moons recorded: totals were entered or imported"),
    "sos": gettext_lazy("not known of all opponents"),
    "difference": gettext_lazy("everybody plays alone"),
}
"""Criterion → why it can be without effect on rows that are tied."""


def compared_criteria(
    above: StandingsDocumentRow, below: StandingsDocumentRow, chain: Sequence[str], primary: str
) -> tuple[str, ...]:
    """Return sentences on the criteria before the one that separated two neighbours.

    Returns:
        Nothing if the primary value separated them, if no criterion came before, or if a knock-out
        applies none to eliminated entrants.
    """
    mine, theirs = above["values"], below["values"]
    if primary not in mine or mine[primary] != theirs.get(primary):
        return ()
    if (facts := below.get("reason_facts")) and facts.get("knocked_out"):
        return ()
    decided = below["decided_by"]
    before = list(chain)
    if decided == "playoff":
        before = [key for key in before if key in mine]
    elif decided is not None:
        if decided not in before:
            return ()
        before = before[: before.index(decided)]
    others = [key for key in before if key != primary]
    equal = [key for key in others if key in mine and mine[key] == theirs.get(key)]
    idle = {key: _WHY_NOT.get(key, "") for key in others if key not in mine}
    if primary in before:
        idle[primary] = _("it ranks already")
    return tuple(_sentences(equal, idle))


def _sentences(equal: Sequence[str], idle: Mapping[str, object]) -> list[str]:
    sentences = []
    if equal:
        sentences.append(_("Equal: %(names)s.") % {"names": _names(equal)})
    reasons: dict[str, list[str]] = {}
    for key, reason in idle.items():
        reasons.setdefault(str(reason), []).append(key)
    for why, keys in reasons.items():
        facts = {"names": _names(keys), "reason": why}
        text = _("No effect: %(names)s (%(reason)s).") if why else _("No effect: %(names)s.")
        sentences.append(text % facts)
    return sentences


def _names(keys: Sequence[str]) -> str:
    return ", ".join(tie_break_named(key).name.lower() for key in keys)
