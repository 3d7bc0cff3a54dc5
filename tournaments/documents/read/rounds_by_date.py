"""The round and the table of each row of a file that has dates and no rounds."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, tzinfo

from tournaments.documents.read import cells
from tournaments.documents.read.cells import ParsedDate
from tournaments.documents.read.sheet_rows import settled
from tournaments.domain.imports.evenings import Evenings, Key


@dataclass(slots=True)
class RoundsByDate:
    """The rounds of a file's dates, once all of them are noted and `number` was called.

    Attributes:
        first: the round of the first new date.
        day: the date of rows without one.
        is_typed: `first` was typed for a file of one date, and is its round if it can be.
        unclear: number → the rounds of its date in the event, where several may be meant.
    """

    evenings: Evenings
    first: int
    today: date | None = None
    day: date | None = None
    is_typed: bool = False
    zone: tzinfo | None = None
    unclear: dict[int, tuple[int, ...]] = field(default_factory=dict)
    is_numbered: bool = False
    _dates: dict[str, ParsedDate] = field(default_factory=dict)
    _keys: dict[str, object] = field(default_factory=dict)
    _numbers: Mapping[object, int] = field(default_factory=dict)
    _people: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    _named: set[tuple[str, str]] = field(default_factory=set)
    _seated: dict[Key, set[int]] = field(default_factory=dict)
    _tables: dict[Key, int] = field(default_factory=dict)

    def note(self, written: str, table: str, people: Collection[int], *, is_named: bool) -> None:
        """Note a row: its date as written, its table, whether it names it, and who it is of."""
        if written not in self._dates:
            self._dates[written] = cells.day(written, self.zone).value
        self._people.setdefault((written, table), set()).update(people)
        if is_named:
            self._named.add((written, table))

    def people(self, written: str, table: str) -> Collection[int]:
        return self._people.get((written, table), ())

    def number(self) -> None:
        """Number the new dates, those before others first; what is no date comes last."""
        orders = {day.order for day in self._dates.values() if day.options}
        for written, day in self._dates.items():
            key = settled(day, orders, self.today) or self.evenings.known(day.options)
            if not written.strip():
                key = self.day
            self._keys[written] = key or day.options or written.strip()
        keys = dict.fromkeys(self._keys.values())
        days = sorted(key for key in keys if isinstance(key, date))
        new = [day for day in days if not self.evenings.rounds_of(day)]
        others = [key for key in keys if not isinstance(key, date)]
        if days:  # people who sat in none of several rounds of a date get one of their own
            several = [day for day in days if len(self.evenings.rounds_of(day)) > 1]
            self._numbers = self.evenings.numbers([*new, *others, *several], self.first)
        else:
            self._numbers = {key: self.first + at for at, key in enumerate(others)}
        self._find_tables()
        self.is_numbered = True

    def _find_tables(self) -> None:
        """Find the table of each sheet of the file; no table of a round is that of two sheets."""
        sheets: dict[Key, bool] = {}
        for (written, table), people in self._people.items():
            round_ = cells.whole(self._round(written, people)).value
            number = cells.table(table).value
            if round_ is None or number is None:
                continue
            self._seated.setdefault((round_, number), set()).update(people)
            sheets[round_, number] = (written, table) in self._named
        for key, is_named in sheets.items():
            if is_named and not self.evenings.is_of_others(key, self._seated[key]):
                self._tables[key] = key[1]
        for key in sheets:
            known = self.evenings.table_of(key[0], self._seated[key])
            if known is not None and not self._is_taken(key, known):
                self._tables.setdefault(key, known)

    def _is_taken(self, key: Key, table: int) -> bool:
        """Whether another sheet of the file has this table of the round."""
        round_ = key[0]
        return any(
            taken == table and other != key and other[0] == round_
            for other, taken in self._tables.items()
        )

    def place(
        self, written: str, people: Collection[int], table: str, *, is_named: bool
    ) -> tuple[str, str]:
        """Return the round of a row, and the table of its people."""
        number = self._round(written, people)
        key = self._keys[written]
        is_new = isinstance(key, date) and cells.whole(number).value == self._numbers.get(key)
        if is_new and isinstance(key, date) and (rounds := self.evenings.rounds_of(key)):
            self.unclear[self._numbers[key]] = tuple(rounds)
        return number, self.table(number, people, table, is_named=is_named)

    def _round(self, written: str, people: Collection[int]) -> str:
        key = self._keys[written]
        if not isinstance(key, date):
            return str(self._numbers[key])
        if self._has_typed_round(key):
            return str(self.first)
        place = self.evenings.place(key, people)
        if place.round is not None:
            return str(place.round)
        return str(self._numbers[key])

    def _has_typed_round(self, day: date) -> bool:
        """Whether the round that was typed is one of this date, or a further one of it."""
        if not self.is_typed:
            return False
        rounds = self.evenings.rounds_of(day)
        is_unused = (
            self.first not in self.evenings.rounds and self.first not in self.evenings.closed
        )
        return self.first in rounds or (len(rounds) == 1 and is_unused)

    def table(self, number: str, people: Collection[int], table: str, *, is_named: bool) -> str:
        """Return the table of people in a round; `table` if one of the numbers cannot be read.

        It is the one where they sat, unless that is another sheet's. New people get the first free
        one from `table` on; a table that the file names is theirs unless others sat there.
        """
        round_ = cells.whole(number).value
        first = cells.table(table).value
        if round_ is None or first is None:
            return table
        key = (round_, first)
        sheet = self._seated.get(key, set()).union(people)
        is_free = not self.evenings.is_of_others(key, sheet) and not self._is_taken(key, first)
        if is_named and is_free:
            self._tables.setdefault(key, first)
            return table
        known = self.evenings.table_of(round_, people)
        if known is not None and not self._is_taken(key, known):
            return str(known)
        if key not in self._tables:
            self._tables[key] = self._free_table(key, people)
        return str(self._tables[key])

    def _free_table(self, key: Key, people: Collection[int]) -> int:
        """Return the table of people who did not sit at one: the first free one, if all are new."""
        round_, table = key
        taken = self.evenings.tables_in(round_)
        if not people or self.evenings.knows(round_, people):
            taken = set()
        while table in taken or self._is_taken(key, table):
            table += 1
        return table
