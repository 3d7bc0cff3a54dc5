"""Why somebody has a place, and who is through, in short sentences; the first places."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from scoring.standings.explain import short_ahead, short_reason
from tournaments.domain.standings.standings_documents import StandingsDocument
from tournaments.selectors.standings.standings_view import StandingsRow

YOU: Final = "you"
"""How a sentence addresses its reader, where it is sent to one person."""
PROGRESS: Final[Mapping[str, Promise]] = {
    "winner": gettext_lazy("You won the event."),
    "through": gettext_lazy("You are through to the next round."),
    "final": gettext_lazy("You reached the final."),
    "undecided": gettext_lazy("You are tied for the last place that goes on."),
    "out": gettext_lazy("You are out."),
    "consolation": gettext_lazy("You are in the consolation."),
}
"""Progress of a row of standings → its sentence for the reader."""


def progress_sentence(row: StandingsRow) -> str:
    """Return whether a row is through or out, as its reader is told; "" where nothing says it."""
    return str(PROGRESS.get(row.facts.get("progress") or "", ""))


def short_reason_of(document: StandingsDocument, row: StandingsRow, me: str = "") -> str:
    """Return why a row is behind the one above it, or of the first one why it is ahead.

    Publications of release 0.2.0, and rows without a rank, have the sentence of the page.

    Args:
        row: a row of the document.
        me: `YOU` where its entrant reads the sentence; empty for its name.
    """
    rows = [*document["rows"], *document["provisional_rows"]]
    at = next(at for at, each in enumerate(rows) if each["player_id"] == row.entrant_id)
    facts = rows[at].get("reason_facts")
    below = rows[at + 1].get("reason_facts") if at + 1 < len(rows) else None
    if rows[at]["rank"] is None or (facts is None and below is None):
        return row.why or row.ahead
    names = {each["player_id"]: each["player"] for each in rows}

    def name(code: str) -> str:
        return names.get(code, code)

    called = me or row.name
    return short_reason(facts, called, name=name) or short_ahead(below, called, name=name)


def first_places(ranks: Sequence[Any], most: int) -> tuple[int, int]:
    """Return how many rows to name, at most so many, and how many share the place after them.

    Those who share a place are all named or all counted.

    >>> first_places([1, 2, 2, 4], 2), first_places([1, 2, 2, 4], 3), first_places([1, 1, 1], 2)
    ((1, 2), (3, 0), (0, 3))
    >>> first_places([1, 2], 5), first_places([1, 2, 2], 3)
    ((2, 0), (3, 0))
    """
    if len(ranks) <= most or ranks[most - 1] != ranks[most]:
        return min(most, len(ranks)), 0
    return ranks.index(ranks[most]), ranks.count(ranks[most])
