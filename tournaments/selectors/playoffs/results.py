"""Results of play-offs and lots: ties of the standings, at tables and for wild cards."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from django.utils.translation import gettext as _

from scoring.errors import listed
from scoring.json_types import JsonObject
from scoring.playoffs.boundaries import ranks
from scoring.standings.tie_breaks import PlayedOff
from tournaments.models.events import Event
from tournaments.models.playoffs import OVER, Playoff


@dataclass(frozen=True, slots=True)
class DecidedTie:
    """A tie that decided who goes on from a round; `table` is None for its last wild card.

    `order` has the members, best first; `by_lot` those placed by lot. `text` describes it.
    """

    playoff: int
    round: int
    table: int | None
    order: tuple[tuple[str, ...], ...]
    by_lot: frozenset[str]
    text: str

    def out_by(self, on: AbstractSet[str]) -> dict[str, str]:
        """Return what eliminated those who did not go `on`: `playoff` or `lot`."""
        best = next((at for at, tier in enumerate(self.order) if on & {*tier}), len(self.order))
        out = [code for tier in self.order[best + 1 :] for code in tier]
        return {code: "lot" if code in self.by_lot else "playoff" for code in out}


def list_decided_ties(event: Event, names: Mapping[str, str]) -> tuple[DecidedTie, ...]:
    """Return the ties of rounds that are decided, with `names` in their texts; one query."""
    over = Playoff.objects.filter(event=event, state__in=OVER, result__isnull=False)
    rows = over.order_by("number").values_list("number", "boundaries", "result")
    return tuple(
        _decided(number, line, result or {}, names)
        for number, lines, result in rows
        for line in lines
        if "round" in line
    )


def _decided(
    number: int, line: JsonObject, result: JsonObject, names: Mapping[str, str]
) -> DecidedTie:
    order, table = tuple(map(tuple, result["order"])), line.get("table")
    by_lot = frozenset(code for code, totals in result["made"].items() if "lot" in totals)
    how = _("by play-off %(number)s and lot") if by_lot else _("by play-off %(number)s")
    facts = {
        "where": _("Table %(number)s") % {"number": table} if table else _("Last wild card"),
        "order": _(" before ").join(
            listed(names.get(member, member) for member in tier) for tier in order
        ),
        "how": _("drawn by lot") if by_lot >= {*sum(order, ())} else how % {"number": number},
    }
    text = _("%(where)s: %(order)s, %(how)s.") % facts
    return DecidedTie(number, line["round"], table, order, by_lot, text)


def playoff_results(event: Event) -> tuple[Mapping[str, PlayedOff], ...]:
    """Return for each finished play-off of an event what its members made, by code; one query.

    Those of one tier share the place, so that they stay tied. A play-off of a tie at a table
    decides the places there alone (`services/events/table_ties.py`).
    """
    finished = Playoff.objects.filter(event=event, state__in=OVER, result__isnull=False)
    return tuple(
        _places(playoff.result)
        for playoff in finished.order_by("number")
        if playoff.result is not None and not playoff.is_of_table
    )


def _places(result: Mapping[str, object]) -> dict[str, PlayedOff]:
    order, totals = result["order"], result["made"]
    if not isinstance(order, list) or not isinstance(totals, Mapping):
        raise TypeError("a stored result is not one")
    return {code: PlayedOff(at, tuple(totals.get(code, ()))) for code, at in ranks(order).items()}
