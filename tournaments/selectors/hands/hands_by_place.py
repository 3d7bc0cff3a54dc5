"""Hands of an event in the order of round, table and number, a page at a time by keyset.

No index has that order, which goes over three tables. So a page begins in the round that its
cursor names, where an index of tables and one of hands give it, and goes on in later rounds. What
is read for a page does not grow with the hands of the event.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from django.db.models import BigIntegerField, F, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast

from tournaments.domain.replay_game import LAST_HAND
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.meetings import Round

_HANDS: Final = LAST_HAND + 1
_TABLES: Final = 1_000_000
"""More than there are numbers of hands at a table, and of tables in a round."""
_AT_ONCE: Final = 1000
_ROUND: Final = "game__table__round__number"
_TABLE: Final = "game__table__number"
_COLUMNS: Final = (
    *("pk", "place", "round", "table", "number", "state", "revision", "entry_id", "board__number"),
    *("game__table_id", "game__snapshot__variant"),
)

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HandsByPlace:
    """Hands of an event, ordered by `place`: a number made of round, table and hand.

    `hands` are limited to any condition but the event. A page costs two queries at most.
    """

    event: Event
    hands: QuerySet[Hand]
    is_reversed: bool = False
    only_round: int | None = None
    start: int | None = None
    """The place that the rows come after, in their order; None for all."""

    def order_by(self, *names: str) -> "HandsByPlace":
        """Return the rows by ascending or descending place.

        Raises:
            ValueError: for another order.
        """
        if names not in (("place",), ("-place",)):
            raise ValueError(f"hands have no order {names}")
        return replace(self, is_reversed=names == ("-place",))

    def filter(self, **wanted: Any) -> "HandsByPlace":
        """Return the hands of a `round` (number), a `table` (code), in a `state`, or after a place.

        After a place is `place__gt`, or `place__lt` where the order is descending.
        """
        found = self
        for name, value in wanted.items():
            if name == ("place__lt" if self.is_reversed else "place__gt"):
                found = replace(found, start=int(value))
            elif name == "round":
                found = replace(found, only_round=int(value))
            elif name == "table":
                of_table = Q(game__table__event=self.event, game__table__code=value)
                found = replace(found, hands=found.hands.filter(of_table))
            else:
                found = replace(found, hands=found.hands.filter(**{name: value}))
        return found

    def __getitem__(self, part: slice) -> list[Row]:
        """Return the rows of a part of the list."""
        most = part.stop
        begin = self.only_round if self.only_round is not None else self._start_round
        rounds = Round.objects.filter(event=self.event)
        ordered = rounds.order_by("-number" if self.is_reversed else "number")
        first = ordered if begin is None else rounds.filter(number=begin)
        here = self.hands.filter(self._beyond_start(), game__table__round=first.values("pk")[:1])
        found = self._read(here, (_TABLE, "number"), most)
        if len(found) < most and self.only_round is None:
            number = Subquery(ordered.values("number")[:1]) if begin is None else begin
            later = {f"{_ROUND}__{'lt' if self.is_reversed else 'gt'}": number}
            others = self.hands.filter(game__table__round__event=self.event, **later)
            found += self._read(others, (_ROUND, _TABLE, "number"), most - len(found))
        return found[part.start or 0 :]

    def __iter__(self) -> Iterator[Row]:
        """Yield all rows; some of them are in memory at a time."""
        rows = self[0:_AT_ONCE]
        while rows:
            yield from rows
            rows = replace(self, start=rows[-1]["place"])[0:_AT_ONCE]

    @property
    def _start_round(self) -> int | None:
        return None if self.start is None else self.start // _HANDS // _TABLES

    def _beyond_start(self) -> Q:
        """Return the condition of the hands that come after `start` in the first round."""
        begin = self._start_round
        if self.start is None or begin is None:
            return Q()
        if self.only_round is not None and begin != self.only_round:
            return Q() if (begin > self.only_round) == self.is_reversed else Q(pk__in=())
        table, hand = divmod(self.start % (_HANDS * _TABLES), _HANDS)
        if self.is_reversed:
            beyond = Q(**{f"{_TABLE}__lt": table}) | Q(number__lt=hand)
            return Q(**{f"{_TABLE}__lte": table}) & beyond
        beyond = Q(**{f"{_TABLE}__gt": table}) | Q(number__gt=hand)
        return Q(**{f"{_TABLE}__gte": table}) & beyond

    def _read(self, hands: QuerySet[Hand], order: tuple[str, ...], most: int) -> list[Row]:
        place = (Cast(_ROUND, BigIntegerField()) * Value(_TABLES) + F(_TABLE)) * Value(_HANDS)
        found = hands.annotate(
            place=place + F("number"), round=F(_ROUND), table=F("game__table__code")
        ).values(*_COLUMNS)
        down = "-" if self.is_reversed else ""
        return list(found.order_by(*(down + name for name in order))[:most])
