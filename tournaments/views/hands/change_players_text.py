"""Changes of who played, in words: for the table's page, the change log and previews."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import one_stop
from scoring.json_types import JsonObject
from tournaments.models.events import Event
from tournaments.selectors.rounds.tables import player_changes, player_names

HANDS: Final = {
    "keep": gettext_lazy("The scores stay with the seats."),
    "remap": gettext_lazy("The scores follow the players."),
    "void": gettext_lazy("The hands already played do not count."),
}


def moves_of(
    event: Event, changes: Mapping[int, tuple[str, JsonObject]]
) -> dict[int, tuple[str, ...]]:
    """Return the moves of lines of the change log in words, by line, as far as their table goes."""
    names = player_names(event, [facts for _table, facts in changes.values()])
    moves = {}
    for line, (table, facts) in changes.items():
        table_moves = [move for move in facts["moves"] if move["table"] == table]
        moves[line] = _moves({**facts, "moves": table_moves}, names)
    return moves


def changes_in_words(event: Event, code: str) -> list[dict[str, object]]:
    """Return how it changed who played at a table, the newest first.

    `undo` is the number of a change that can be undone, else None.
    """
    rows = player_changes(event, code)
    names = player_names(event, [row.facts for row in rows])
    return [
        {"moves": _moves(row.facts, names), "reason": row.reason, "undo": None if place else row.pk}
        for place, row in enumerate(rows)
    ]


def _moves(facts: JsonObject, names: Mapping[str, str]) -> tuple[str, ...]:
    notice = []
    moves: Sequence[Mapping[str, Any]] = facts.get("moves", ())
    for move in moves:
        words = {
            "table": str(move["table"]).partition("t")[2],
            "seat": move["seat"],
            "old": names.get(move["from"], move["from"]),
            "new": names.get(move["to"], move["to"]),
            "number": move["from_hand"],
        }
        if move["from_hand"] == 1:
            text = _("Table %(table)s, seat %(seat)s: %(old)s → %(new)s.")
        else:
            text = _("Table %(table)s, seat %(seat)s: %(old)s → %(new)s from hand %(number)s.")
        notice.append(one_stop(text % words))
    if facts.get("act") != "undo" and any(facts.get("played", {}).values()):
        notice.append(str(HANDS.get(facts.get("hands", ""), "")))
    return tuple(notice)
