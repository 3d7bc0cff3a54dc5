"""The values that standings rank by: names, meanings, needs, and why a row is above another."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from scoring.json_types import JsonObject
from scoring.rules.rules import Rules
from scoring.standings.counting import CARRIES
from scoring.standings.explain import OF_PAGES, READS, ReasonFacts, ahead, reason
from scoring.standings.metrics import METRICS, PRIMARIES, Metric
from scoring.standings.tie_breaks import TIE_BREAKS, TieBreak
from tournaments.domain.event_settings import Settings
from tournaments.domain.standings.standings_documents import StandingsDocumentRow
from tournaments.models.events import EventKind

_PAGE_NAMES: Final = {
    "placement_points": "Place points",
    "beaten_mean": "Opponents beaten",
    "raw_per_hand": "Average a hand",
}
"""Metric → its name, as the head of its column in the standings says it."""


def size_of(rules: Rules, seats: int) -> int:
    """Return how many finish at a table: its seats, or its sides if rules have partners."""
    if rules.keys.teams.mode == "none":
        return seats
    return len(rules.keys.teams.shape)


def placement_problems(settings: Settings, rules: Rules, seats: int, kind: str) -> list[Problem]:
    """Return why place points lack a list for a table; 0 seats = unknown. A ladder has none."""
    if settings.games_ranked_by != "placement_points" or not seats or kind == EventKind.LADDER:
        return []
    size = size_of(rules, seats)
    if str(size) in settings.placement:
        return []
    sizes = ", ".join(sorted(settings.placement, key=int))
    return [Problem("size_without_list", ("players",), {"found": size, "expected": sizes})]


def weight_of_earlier(carry: str, primary: str) -> Fraction:
    """Return the weight of the earlier value of a player who has not played in the stage yet.

    A mean of equally weighted games does not depend on the weight.

    >>> weight_of_earlier("half", "placement_points"), weight_of_earlier("none", "raw_per_hand")
    (Fraction(1, 2), Fraction(0, 1))
    """
    weight = CARRIES[carry]
    return Fraction(1) if weight and PRIMARIES[primary].is_mean else weight


def reason_sentences(facts: ReasonFacts | None, names: Mapping[str, str]) -> tuple[str, str]:
    """Return why a row is below the one above, and why that one is ahead, with `names` by id and in
    the words of pages."""

    def name(code: str) -> str:
        return names.get(code, code)

    behind = reason(facts, name=name, wording=OF_PAGES)
    return behind, ahead(facts, name=name, wording=OF_PAGES)


class CriterionText:
    """A metric or a tie-break in words; `direction` is `asc` where less is better.

    `use` is `primary` (an event may be ranked by it), `tie_break` (a tie-break order has it) or
    `column` (it is shown).
    """

    def __init__(self, criterion: Metric | TieBreak, use: str, direction: str | None) -> None:
        self.key, self.use, self.short = criterion.key, use, criterion.short
        self.name = _PAGE_NAMES.get(criterion.key, criterion.name)
        self.direction, self.definition = direction, criterion.definition
        self.example, self.needs = criterion.example, tuple(sorted(criterion.needs))
        self.reads = criterion.reads if isinstance(criterion, TieBreak) else None

    @property
    def plain(self) -> str:
        return self.definition.replace("`", "") + (READS[self.reads] if self.reads else "")

    @property
    def meaning(self) -> str:
        return self.plain[:1].upper() + self.plain[1:]


def primaries() -> Sequence[CriterionText]:
    return tuple(map(primary_named, PRIMARIES))


def tie_breaks() -> Sequence[CriterionText]:
    return tuple(map(tie_break_named, TIE_BREAKS))


def list_criteria() -> Sequence[CriterionText]:
    columns = [
        CriterionText(metric, "column", metric.direction)
        for key, metric in METRICS.items()
        if key not in PRIMARIES
    ]
    return (*primaries(), *columns, *tie_breaks())


def primary_named(key: str) -> CriterionText:
    return CriterionText(PRIMARIES[key], "primary", PRIMARIES[key].direction)


def first_named(keys: Sequence[str], n: int) -> tuple[Sequence[str], int]:
    """Return the names of the first `n` tie-breaks and of a lot, and how many more there are.

    >>> first_named(["h2h", "wins", "sos", "lot"], 2)
    (['Head to head', 'Tables won', 'Lot'], 1)
    """
    kept_keys = [key for at, key in enumerate(keys) if at < n or key == "lot"]
    return [tie_break_named(key).name for key in kept_keys], len(keys) - len(kept_keys)


def tie_break_named(key: str) -> CriterionText:
    return CriterionText(TIE_BREAKS[key], "tie_break", None)


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
    if not facts:
        return facts
    return {**facts, **{key: with_names(facts[key], names) for key in ("come", "go")}}


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
    mine = above["values"]
    theirs = below["values"]
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
    for key, cause in idle.items():
        reasons.setdefault(str(cause), []).append(key)
    for why, keys in reasons.items():
        facts = {"names": _names(keys), "reason": why}
        text = _("No effect: %(names)s (%(reason)s).") if why else _("No effect: %(names)s.")
        sentences.append(text % facts)
    return sentences


def _names(keys: Sequence[str]) -> str:
    return ", ".join(tie_break_named(key).name.lower() for key in keys)
