"""The evenings of an event, by which rows without a round find theirs.

The evening of a row is its date. A date that the event has means its round of that day: the only
one, or the one in which these people sat. A new date is a new round.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, product

Key = tuple[int, int]
"""The numbers of a round and a table."""


@dataclass(frozen=True, slots=True)
class Place:
    """The round and the table of some people; None where either cannot be told."""

    round: int | None = None
    table: int | None = None


@dataclass(slots=True)
class Evenings:
    """The rounds of an event with their dates, and who sat at each table of them.

    Attributes:
        rounds: number → date of each round; None without a date.
        tables: the people of each table, also those who left it.
        closed: numbers of rounds that take no sheets, which no new date gets.
        planned: the days of its evenings, also of those without a round.
    """

    rounds: Mapping[int, date | None] = field(default_factory=dict)
    tables: Mapping[Key, Collection[int]] = field(default_factory=dict)
    closed: Collection[int] = ()
    planned: Collection[date] = ()
    _by_day: dict[date, list[int]] = field(default_factory=dict)
    _sat: dict[tuple[int, int], list[Key]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, day in sorted(self.rounds.items()):
            if day is not None:
                self._by_day.setdefault(day, []).append(number)
        for key, people in self.tables.items():
            for person in people:
                self._sat.setdefault((key[0], person), []).append(key)

    def known(self, days: Iterable[date]) -> date | None:
        """Return the only one of some days that the event has, or has planned; else None."""
        known = {day for day in days if day in self._by_day or day in self.planned}
        if len(known) != 1:
            return None
        return known.pop()

    def rounds_of(self, day: date) -> Sequence[int]:
        return self._by_day.get(day, [])

    def place(self, day: date, people: Collection[int]) -> Place:
        """Return where people sat on a day of the event: at the table where most of them did.

        >>> day, later = date(2026, 11, 5), date(2026, 11, 12)
        >>> evenings = Evenings({1: day, 2: later, 3: later}, {(1, 2): {7, 8}, (3, 1): {7, 8}})
        >>> evenings.place(day, {7, 8}), evenings.place(day, {9})
        (Place(round=1, table=2), Place(round=1, table=None))
        >>> evenings.place(later, {7}), evenings.place(later, {9})
        (Place(round=3, table=1), Place(round=None, table=None))
        """
        rounds = self.rounds_of(day)
        if table := self._table_of_most(rounds, people):
            return Place(*table)
        if len(rounds) == 1:
            return Place(rounds[0])
        return Place()

    def table_of(self, number: int, people: Collection[int]) -> int | None:
        """Return the table of a round where most of some people sat, if it can be told."""
        table = self._table_of_most([number], people)
        return table[1] if table else None

    def knows(self, number: int, people: Collection[int]) -> bool:
        """Whether one of some people sat in a round."""
        return any((number, person) in self._sat for person in people)

    def is_of_others(self, key: Key, people: Collection[int]) -> bool:
        """Whether a table has people, and none of these."""
        seated = self.tables.get(key, ())
        return bool(seated) and not set(seated) & set(people)

    def tables_in(self, number: int) -> set[int]:
        """Return the tables of a round that have people."""
        return {
            table for (round_, table), people in self.tables.items() if round_ == number and people
        }

    def _table_of_most(self, rounds: Sequence[int], people: Collection[int]) -> Key | None:
        seats = product(rounds, people)
        counts = Counter(chain.from_iterable(self._sat.get(seat, ()) for seat in seats))
        most = max(counts.values(), default=0)
        best = [table for table, count in counts.items() if count == most]
        if len(best) != 1 or most * 2 <= len(people):
            return None
        return best[0]

    def numbers(self, days: Sequence[object], first: int) -> dict[object, int]:
        """Return the numbers of new days in their order: the next ones that no other date has.

        >>> taken = Evenings({3: date(2026, 11, 5), 4: None, 5: date(2026, 11, 12)})
        >>> taken.numbers(["a", "b"], 3)
        {'a': 4, 'b': 6}
        """
        numbers: dict[object, int] = {}
        number = first
        for day in days:
            while self.rounds.get(number) is not None or number in self.closed:
                number += 1
            numbers[day] = number
            number += 1
        return numbers
