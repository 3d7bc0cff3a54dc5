"""The round and the table of each row of a file that has dates and no rounds."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, tzinfo

from tournaments.documents.read import cells
from tournaments.documents.read.cells import ParsedDate
from tournaments.documents.read.sheet_rows import settled
from tournaments.domain.imports.evenings import Evenings, Place


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

    def note(self, written: str, table: str, people: Collection[int]) -> None:
        """Note a row: its date as written, its table if it names one, and who it is of."""
        if written not in self._dates:
            self._dates[written] = cells.day(written, self.zone).value
        self._people.setdefault((written, table), set()).update(people)

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
        self.is_numbered = True

    def place(self, written: str, people: Collection[int], table: str) -> tuple[str, str]:
        """Return the round of a row, and the table of its people, `table` if they had none."""
        key = self._keys[written]
        if isinstance(key, date) and self._has_typed_round(key):
            number = str(self.first)
            return number, self.table(number, people, table)
        place = Place()
        if isinstance(key, date):
            place = self.evenings.place(key, people)
        if place.round is not None:
            number = str(place.round)
            return number, str(place.table or self.table(number, people, table))
        own = self._numbers[key]
        if isinstance(key, date) and (rounds := self.evenings.rounds_of(key)):
            self.unclear[own] = tuple(rounds)
        return str(own), table

    def _has_typed_round(self, day: date) -> bool:
        """Whether the round that was typed is one of this date, or a further one of it."""
        if not self.is_typed:
            return False
        rounds = self.evenings.rounds_of(day)
        is_unused = (
            self.first not in self.evenings.rounds and self.first not in self.evenings.closed
        )
        return self.first in rounds or (len(rounds) == 1 and is_unused)

    def table(self, number: str, people: Collection[int], table: str) -> str:
        """Return the table of people in a round; `table` if one of the numbers cannot be read."""
        round_, given = cells.whole(number).value, cells.table(table).value
        if round_ is None or given is None:
            return table
        return str(self.evenings.table_in(round_, people, given))
