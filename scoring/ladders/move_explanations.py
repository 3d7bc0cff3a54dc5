"""Why a member stands where they stand, as one sentence of a move.

Pure. English data like the reasons of standings: codes or names go in as they are given.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from scoring.errors import listed
from scoring.json_types import JsonObject
from scoring.ladders.replay import Move

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def explain_move(move: Move, names: Mapping[str, str] | None = None) -> str:
    """Return what moved the member, in a few words: how far, by what, when.

    Args:
        move: one of a replay.
        names: code → name as it may be shown; a code that is not in it stands for itself.

    >>> facts = {"member": "D", "place": 4, "how": "played", "ref": "G7"}
    >>> explain_move(Move(9, "J", 10, 4, date(2025, 3, 12), "beat", facts))
    'up 6: beat D (#4) on 12 March'
    """
    said = _SAYINGS[move.kind](move.facts, names or {})
    way = f"up {move.up}: " if move.up > 0 else f"down {-move.up}: " if move.up < 0 else ""
    return f"{way}{said} on {day_words(move.on)}"


def day_words(day: date) -> str:
    """Return a day as one says it, without its year.

    >>> day_words(date(2025, 3, 12))
    '12 March'
    """
    return f"{day.day} {_MONTHS[day.month - 1]}"


def _named(members: Sequence[str], names: Mapping[str, str]) -> str:
    return listed(names.get(member, member) for member in members)


def _beat(facts: JsonObject, names: Mapping[str, str]) -> str:
    ways = {
        "played": "beat {who}",
        "declined": "{who} declined",
        "expired": "{who} did not answer",
        "forfeited_d": "{who} forfeited",
    }
    return ways[facts["how"]].format(who=_other(facts, names))


def _lost(facts: JsonObject, names: Mapping[str, str]) -> str:
    ways = {
        "played": "lost to {who}",
        "declined": "declined {who}",
        "expired": "did not answer {who}",
        "forfeited_d": "forfeited to {who}",
    }
    return ways[facts["how"]].format(who=_other(facts, names))


def _other(facts: JsonObject, names: Mapping[str, str]) -> str:
    """Whom the move was about, with the place before it."""
    return f"{names.get(facts['member'], facts['member'])} (#{facts['place']})"


def _table(facts: JsonObject, names: Mapping[str, str]) -> str:
    ahead, level, behind = facts["ahead"], facts["level"], facts["behind"]
    if not ahead and not level:
        return f"won a table with {_named(behind, names)}"
    beside = f" tied with {_named(level, names)}" if level else ""
    after = f" behind {_named(ahead, names)}" if ahead else ""
    place = facts["finished"]
    words = {1: "first", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")
    last = not behind and not level
    return f"{'last' if last else words} at a table{beside}{after}"


def _removed(facts: JsonObject, names: Mapping[str, str]) -> str:
    ways = {"left": "left the ladder", "away": "away too long, off the ladder"}
    return ways.get(facts["why"], "taken off the ladder")


_SAYINGS: Final[Mapping[str, Callable[[Mapping[str, Any], Mapping[str, str]], str]]] = {
    "opened": lambda facts, names: "opening position",
    "joined": lambda facts, names: "joined",
    "removed": _removed,
    "closed_up": lambda facts, names: f"{_other(facts, names)} left",
    "beat": _beat,
    "lost": _lost,
    "passed": lambda facts, names: (
        f"passed by {_other(facts, names)}, who won against #{facts['beat']}"
    ),
    "table": _table,
    "idle": lambda facts, names: "no game for too long",
    "passed_idle": lambda facts, names: "went past who is idle",
}
"""Kind of a move → its words, without how far and when."""
