"""The ways to change a round in words: titles, who moves, who meets again, and buttons."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import one_stop
from scoring.seating.arrangements import Arrangement, Way
from tournaments.models.rounds import Round, Sitting
from tournaments.selectors.rounds.rematches import Rematch, list_rematches
from tournaments.selectors.rounds.seating_changes import (
    SeatingChange,
    SeatingNow,
    digest_of_way,
)


def way_rows(
    now: SeatingNow, change: SeatingChange, ways: Sequence[Way], names: Mapping[int, str]
) -> list[tuple[str, str, str, str]]:
    """Return each option's digest, title, affected players in words, and button."""
    words = _Words(now, change, names)
    details = [words.change_text(way).rstrip(".") for way in ways]
    titles = distinct_titles([words.title(way) for way in ways], details)
    return [
        (digest_of_way(way), title, words.text(way), words.button(way))
        for way, title in zip(ways, titles, strict=True)
    ]


def distinct_titles(titles: Sequence[str], details: Iterable[str]) -> list[str]:
    """Return titles of cards; equal ones with their detail, and with a number if still equal.

    >>> distinct_titles(["A", "B", "A", "A"], ["one", "", "two", "two"])
    ['A: one', 'B', 'A: two', 'A: two (2)']
    """
    texts = [
        f"{title}: {detail}" if titles.count(title) > 1 and detail else title
        for title, detail in zip(titles, details, strict=True)
    ]
    numbers = [texts[:at].count(text) + 1 for at, text in enumerate(texts)]
    return [
        text if number == 1 else f"{text} ({number})"
        for text, number in zip(texts, numbers, strict=True)
    ]


MOST_REMATCHES: Final = 8
"""Maximum number named in a sentence; REST has all of them."""


def _listed(pairs: Sequence[Sequence[str]]) -> str:
    texts = [_("%(one)s and %(other)s") % {"one": one, "other": other} for one, other in pairs]
    who = "; ".join(texts[:MOST_REMATCHES])
    if (more := len(pairs) - MOST_REMATCHES) > 0:
        who = _("%(who)s; and %(n)s more") % {"who": who, "n": more}
    return who


def rematch_text(round_: Round) -> str:
    """Return who plays again against whom in a round, in a sentence; "" for nobody."""
    pairs = list_rematches(round_)
    if not pairs:
        return ""
    return one_stop(_("Meet again: %(who)s.") % {"who": _listed(pairs)})


_BUTTONS: Final = {
    "close": gettext_lazy("Remove table"),
    "form": gettext_lazy("Form a table"),
    "leave": gettext_lazy("Seat this way"),
}


class _Words:
    """Sentences on the ways of a change; `sides` are the players who move as one, by name."""

    def __init__(self, now: SeatingNow, change: SeatingChange, names: Mapping[int, str]) -> None:
        self.now, self.change, self.names = now, change, names
        self.sides = list(dict.fromkeys(map(now.side_of, change.players)))

    def name(self, side: Sequence[int]) -> str:
        return self.now.name_of(side, self.names)

    def title(self, way: Way) -> str:
        change = self.change
        if change.kind == "swap":
            return self._title_of_swap()
        if change.kind == "close":
            return _("Remove table %(number)s") % {"number": change.table}
        if change.kind == "leave":
            return self._title_of_leaving(way)
        table = self._place(way.after, change.players[0])
        if change.kind != "form":
            return table
        players = get_text_list([self.name(side) for side in self.sides], _("and"))
        return _("%(table)s: %(who)s") % {"table": table, "who": players}

    def _title_of_swap(self) -> str:
        first, second = self._halves()
        waiting = set(self.now.arrangement.waiting)
        comes = [side for side in (first, second) if waiting.issuperset(side)]
        if len(comes) != 1:
            return _("Swap seats")
        goes = second if comes[0] is first else first
        text = ngettext(
            "%(comes)s plays, %(goes)s sits out",
            "%(comes)s play, %(goes)s sit out",
            len(comes[0]),
        )
        return text % {"comes": self.name(comes[0]), "goes": self.name(goes)}

    def _halves(self) -> tuple[Sequence[int], Sequence[int]]:
        players = self.change.players
        half = len(players) // 2
        return players[:half], players[half:]

    def button(self, way: Way) -> str:
        kind = self.change.kind
        if kind == "swap":
            first, second = map(self.name, self._halves())
            return _("Swap %(one)s and %(other)s") % {"one": first, "other": second}
        if kind in _BUTTONS:
            return str(_BUTTONS[kind])
        table = _table_of(way.after, self.change.players[0])
        if table is None:
            return _("Let sit out") if kind == "seat" else _("Replace player")
        text = _("Add to table %(n)s") if kind == "seat" else _("Move to table %(n)s")
        return text % {"n": self.now.number_at(table)}

    def text(self, way: Way) -> str:
        meets = self._meets_again(way) or self._nobody(way)
        if self.change.kind == "seat":
            meets = f"{self._seats_text(way)} {self._meets_again(way)}".strip()
        return one_stop(f"{self.change_text(way)} {meets}".strip())

    def _nobody(self, way: Way) -> str:
        """Return that a way makes nobody meet again; others of the round may do so before it."""
        if self.now.meetings.rematches(way.after.tables):
            return _("Nobody else meets again.")
        return _("Nobody meets again.")

    def _seats_text(self, way: Way) -> str:
        seats = self._seats + (_table_of(way.after, self.change.players[0]) is not None)
        facts = {"who": self.name(self.change.players), "n": seats}
        if len(self.change.players) > 1:
            text = ngettext(
                "%(who)s then have %(n)s seat each this evening.",
                "%(who)s then have %(n)s seats each this evening.",
                seats,
            )
            return text % facts
        text = ngettext(
            "%(who)s then has %(n)s seat this evening.",
            "%(who)s then has %(n)s seats this evening.",
            seats,
        )
        return text % facts

    def _meets_again(self, way: Way) -> str:
        """Return who meets again by a way: in the event so far, and later by the plan; "" if none.

        The round names the same after the change.
        """
        meetings = self.now.meetings
        before = meetings.rematches(self.now.arrangement.tables)
        again = [pair for pair in meetings.rematches(way.after.tables) if pair not in before]
        sentences = []
        if again:
            text = _("Players who meet again: %(who)s.")
            names = self.names
            if meetings.has_groups:
                text = _("Meet again: %(who)s.")
                names = meetings.groups.names
            who = _listed([(names[one], names[other]) for one, other in again])
            sentences.append(one_stop(text % {"who": who}))
        if planned := self._meets_in_plan(way, again):
            text = _("Players who meet again in the plan: %(who)s.")
            if meetings.has_groups:
                text = _("Meet again in the plan: %(who)s.")
            sentences.append(one_stop(text % {"who": _listed(planned)}))
        return " ".join(sentences)

    def _meets_in_plan(self, way: Way, again: Sequence[Rematch]) -> list[tuple[str, str]]:
        """Return the names of those who would share a table once more in a later planned round."""
        meetings = self.now.meetings
        pairs: dict[Rematch, tuple[str, str]] = {}
        for one, other in way.repeats:
            of_event = meetings.pairs_at((one, other))
            key = of_event[0] if of_event else (one, other)
            if key in again or key in meetings.met:
                continue
            if meetings.has_groups:
                sides = (self.now.side_of(one), self.now.side_of(other))
                pairs[key] = (self.name(sides[0]), self.name(sides[1]))
            else:
                pairs[key] = (self.names[one], self.names[other])
        return list(pairs.values())

    def change_text(self, way: Way) -> str:
        return " ".join((*self._moves(way), *self._sizes(way)))

    @cached_property
    def _seats(self) -> int:
        """The other rounds of the evening in which the player sits."""
        round_ = self.now.round
        rows = Sitting.objects.filter(
            round__event=round_.event_id, round__meeting=round_.meeting_id
        )
        rows = rows.filter(player=self.change.players[0], to_hand__isnull=True)
        return rows.exclude(round=round_).count()

    def _title_of_leaving(self, way: Way) -> str:
        before = self.now.arrangement
        home = _table_of(before, self.change.players[0])
        if home is None:
            return _("No table changes")
        number = self.now.number_at(home)
        size = len(way.after.tables[home])
        if not size:
            return _("Table %(number)s is removed") % {"number": number}
        if size < len(before.tables[home]):
            text = ngettext(
                "Table %(number)s goes on with %(n)s player",
                "Table %(number)s goes on with %(n)s players",
                size,
            )
            return text % {"number": number, "n": size}
        came = [player for player in way.after.tables[home] if player not in before.tables[home]]
        sides = dict.fromkeys(map(self.now.side_of, came))
        names = get_text_list([self.name(side) for side in sides], _("and"))
        return _("%(who)s: table %(number)s") % {"who": names, "number": number}

    def _place(self, after: Arrangement, player: int) -> str:
        table = _table_of(after, player)
        if table is None:
            return _("Sitting out")
        number = self.now.number_at(table)
        if table >= len(self.now.numbers):
            return _("New table %(number)s") % {"number": number}
        return _("Table %(number)s") % {"number": number}

    def _moves(self, way: Way) -> Iterator[str]:
        before = self.now.arrangement
        after = way.after
        for side in dict.fromkeys(map(self.now.side_of, before.people)):
            places = {player: self._move(way, player) for player in side}
            if len({places[player] for player in side}) == 1:
                parts = [side]
            else:
                parts = [(player,) for player in side]
            for part in parts:
                was, now = places[part[0]]
                is_named = part[0] in self.change.players and self.change.kind != "swap"
                if was != now and not is_named:
                    yield from self._move_text(part, was, now, waits=part[0] in after.waiting)

    def _move(self, way: Way, player: int) -> tuple[int | None, int | None]:
        return _table_of(self.now.arrangement, player), _table_of(way.after, player)

    def _move_text(
        self, side: Sequence[int], was: int | None, now: int | None, *, waits: bool
    ) -> Iterator[str]:
        facts: dict[str, str | int] = {"who": self.name(side)}
        if now is None:
            if waits:
                yield ngettext("%(who)s waits.", "%(who)s wait.", len(side)) % facts
            return
        facts["to"] = self.now.number_at(now)
        if was is None:
            text = ngettext(
                "%(who)s gets a seat at table %(to)s.",
                "%(who)s get seats at table %(to)s.",
                len(side),
            )
            yield text % facts
            return
        facts["from"] = self.now.number_at(was)
        text = ngettext(
            "%(who)s moves from table %(from)s to table %(to)s.",
            "%(who)s move from table %(from)s to table %(to)s.",
            len(side),
        )
        yield text % facts

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
