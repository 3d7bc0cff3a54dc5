"""Ways to change the seats of a round, in words: where everybody goes and who meets again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.errors import one_stop
from scoring.seating.changes import Arrangement, Way
from tournaments.services.rounds.seating_changes import (
    SeatingChange,
    SeatingNow,
    digest_of_way,
)


@dataclass(frozen=True, slots=True)
class WayRow:
    """A way to choose: `title` says where it leads, `text` whom it affects; `button` does it."""

    digest: str
    title: str
    text: str
    button: str


def way_rows(
    now: SeatingNow, change: SeatingChange, ways: Sequence[Way], names: Mapping[int, str]
) -> tuple[WayRow, ...]:
    """Return ways in words, in their order."""
    words = _Words(now, change, names)
    return tuple(
        WayRow(digest_of_way(way), words.title(way), words.text(way), words.button(way))
        for way in ways
    )


def repeats_text(pairs: Sequence[tuple[int, int]], names: Mapping[int, str]) -> str:
    """Return who meets again, as a sentence."""
    if not pairs:
        return _("Nobody meets again.")
    named = [_("%(one)s and %(other)s") % {"one": names[a], "other": names[b]} for a, b in pairs]
    text = ngettext(
        "%(n)s pair meets again: %(who)s.", "%(n)s pairs meet again: %(who)s.", len(named)
    )
    return text % {"n": len(named), "who": "; ".join(named)}


class _Words:
    def __init__(self, now: SeatingNow, change: SeatingChange, names: Mapping[int, str]) -> None:
        self.now, self.change, self.names = now, change, names

    def title(self, way: Way) -> str:
        if self.change.kind == "swap":
            one, other = (self.names[player] for player in self.change.players)
            return _("%(one)s and %(other)s exchange seats") % {"one": one, "other": other}
        if self.change.kind == "close":
            return _("Remove table %(number)s") % {"number": self.change.table}
        if self.change.kind == "form":
            who = get_text_list([self.names[player] for player in self.change.players], _("and"))
            table = self._place(way.after, self.change.players[0])
            return _("%(table)s: %(who)s") % {"table": table, "who": who}
        if self.change.kind == "leave":
            return self._title_of_leaving(way)
        return self._place(way.after, self.change.players[0])

    def button(self, way: Way) -> str:
        if self.change.kind == "swap":
            return _("Swap seats")
        if self.change.kind == "close":
            return _("Remove table")
        if self.change.kind == "form":
            return _("Form a table")
        if self.change.kind == "leave":
            return _("Seat this way")
        table = _table_of(way.after, self.change.players[0])
        if table is None:
            return _("Add to waiting list") if self.change.kind == "seat" else _("Replace player")
        number = self.now.number_at(table)
        text = _("Add to table %(n)s") if self.change.kind == "seat" else _("Move to table %(n)s")
        return text % {"n": number}

    def text(self, way: Way) -> str:
        parts = [*self._moves(way), *self._sizes(way), repeats_text(way.repeats, self.names)]
        return one_stop(" ".join(parts))

    def _title_of_leaving(self, way: Way) -> str:
        before = self.now.arrangement
        home = _table_of(before, self.change.players[0])
        if home is None:
            return _("No table changes")
        number, size = self.now.number_at(home), len(way.after.tables[home])
        if not size:
            return _("Table %(number)s is removed") % {"number": number}
        if size < len(before.tables[home]):
            text = ngettext(
                "Table %(number)s goes on with %(n)s player",
                "Table %(number)s goes on with %(n)s players",
                size,
            )
            return text % {"number": number, "n": size}
        came = [one for one in way.after.tables[home] if one not in before.tables[home]]
        who = get_text_list([self.names[one] for one in came], _("and"))
        return _("%(who)s: table %(number)s") % {"who": who, "number": number}

    def _place(self, after: Arrangement, player: int) -> str:
        table = _table_of(after, player)
        if table is None:
            return _("Waiting list")
        number = self.now.number_at(table)
        if table >= len(self.now.numbers):
            return _("New table %(number)s") % {"number": number}
        return _("Table %(number)s") % {"number": number}

    def _moves(self, way: Way) -> Iterator[str]:
        """Yield where everybody goes whom the title does not name."""
        before, after = self.now.arrangement, way.after
        for player in before.people:
            was, now = _table_of(before, player), _table_of(after, player)
            if was == now or (player in self.change.players and self.change.kind != "swap"):
                continue
            names = {"who": self.names[player]}
            if now is None:
                if player in after.waiting:
                    yield _("%(who)s waits.") % names
                continue
            names["to"] = str(self.now.number_at(now))
            if was is None:
                yield _("%(who)s gets a seat at table %(to)s.") % names
            else:
                names["from"] = str(self.now.number_at(was))
                yield _("%(who)s moves from table %(from)s to table %(to)s.") % names

    def _sizes(self, way: Way) -> Iterator[str]:
        before = self.now.arrangement.tables
        for at, table in enumerate(way.after.tables):
            size = len(before[at]) if at < len(before) else 0
            if len(table) == size or not table:
                continue
            text = ngettext(
                "Table %(number)s then has %(n)s player.",
                "Table %(number)s then has %(n)s players.",
                len(table),
            )
            yield text % {"number": self.now.number_at(at), "n": len(table)}


def _table_of(arrangement: Arrangement, player: int) -> int | None:
    return next((at for at, table in enumerate(arrangement.tables) if player in table), None)
