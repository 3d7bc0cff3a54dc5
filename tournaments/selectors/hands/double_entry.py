"""Which hands two people typed, and whether both say the same.

The only place that says which state a hand has after double entry. Takes an event that
`selectors.events.events.event_at` has let the actor read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from django.db.models import Q

from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round
from tournaments.models.second_typings import Ruling, SecondTyping

DoubleEntryState: TypeAlias = Literal["once", "same", "differs", "changed", "settled"]
OPEN: Final = frozenset({"differs", "changed"})


@dataclass(frozen=True, slots=True)
class HandDoubleEntry:
    """One hand: `revision` is the first typing that counts (0: none), `typed` the second.

    `board` is what the second one says of a duplicate event's board.

    `once` was not typed again, `changed` was corrected after it was; `settled` somebody decided.
    """

    number: int
    state: DoubleEntryState
    revision: int
    second: int = 0
    typed: Mapping[str, Any] | None = None
    by: str = ""
    at: datetime | None = None
    ruled: Ruling | None = None
    board: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether somebody has to decide."""
        return self.state in OPEN


@dataclass(frozen=True, slots=True)
class SheetDoubleEntry:
    """The hands of one table that anybody typed, by number."""

    hands: tuple[HandDoubleEntry, ...] = ()

    def numbers(self, *states: DoubleEntryState) -> tuple[int, ...]:
        """Return the hands in one of these states."""
        return tuple(one.number for one in self.hands if one.state in states)

    @property
    def same(self) -> tuple[int, ...]:
        """Hands that both typed the same."""
        return self.numbers("same")

    @property
    def differing(self) -> tuple[int, ...]:
        """Hands that both typed otherwise, nobody having decided."""
        return self.numbers("differs")

    @property
    def changed(self) -> tuple[int, ...]:
        """Hands that were corrected after the second typing."""
        return self.numbers("changed")

    @property
    def settled(self) -> tuple[int, ...]:
        """Hands that differed, and somebody decided."""
        return self.numbers("settled")

    @property
    def once(self) -> tuple[int, ...]:
        """Hands that nobody typed again."""
        return self.numbers("once")

    @property
    def decided(self) -> tuple[HandDoubleEntry, ...]:
        """Hands that somebody decided, with what was said."""
        return tuple(one for one in self.hands if one.state == "settled")

    @property
    def open(self) -> tuple[HandDoubleEntry, ...]:
        """Hands that wait for a decision."""
        return tuple(one for one in self.hands if one.is_open)

    @property
    def is_begun(self) -> bool:
        """Whether a second person typed anything of it."""
        return any(one.state != "once" for one in self.hands)

    @property
    def is_typed_twice(self) -> bool:
        """Whether each hand was typed by two people, whatever came of it."""
        return bool(self.hands) and not self.once


def double_entry_of_round(event: Event, round_: Round) -> dict[str, SheetDoubleEntry]:
    """Return code → what two people typed, of each table of a round; three queries."""
    return _twice(Q(table__round=round_, event=event))


def double_entry_of_table(event: Event, code: str) -> SheetDoubleEntry:
    """Return what two people typed of one table, in three queries."""
    return _twice(Q(table__code=code, event=event)).get(code, SheetDoubleEntry())


def hands_entered_by(game: Game, user_id: int | None) -> frozenset[int]:
    """Return the hands whose counting revision somebody entered: not theirs to type again."""
    rows = Hand.objects.filter(game=game, state="accepted", entry__entered_by_id=user_id)
    return frozenset(rows.values_list("number", flat=True)) if user_id else frozenset()


def second_entries_by(
    game: Game, user_id: int | None
) -> dict[int, tuple[Mapping[str, object], int | None]]:
    """Return hand → entry and number of its board, as one person typed it again last."""
    rows = SecondTyping.objects.filter(game=game, by_id=user_id).order_by("pk")
    newest = {n: (typed, board) for n, typed, board in rows.values_list("number", "typed", "board")}
    return {n: (typed, board) for n, (typed, board) in newest.items() if typed is not None}


def _twice(of_games: Q) -> dict[str, SheetDoubleEntry]:
    games = Game.objects.filter(of_games)
    first: dict[str, dict[int, int]] = {}
    hands = Hand.objects.filter(game__in=games, number__gt=0)
    for code, number, state, revision in hands.values_list(
        "game__table__code", "number", "state", "revision"
    ):
        first.setdefault(code, {})[number] = revision if state == "accepted" else 0
    second: dict[str, dict[int, SecondTyping]] = {}
    rows = SecondTyping.objects.filter(game__in=games).select_related("game__table")
    for row in rows.defer("game__progress").order_by("pk").prefetch_related("rulings"):
        second.setdefault(row.game.table.code, {})[row.number] = row
    found = {}
    for code in first.keys() | second.keys():
        ours, theirs = first.get(code, {}), second.get(code, {})
        numbers = sorted(ours.keys() | theirs.keys())
        both = (_hand(n, ours.get(n, 0), theirs.get(n)) for n in numbers)
        found[code] = SheetDoubleEntry(tuple(one for one in both if one is not None))
    return found


def _hand(number: int, revision: int, row: SecondTyping | None) -> HandDoubleEntry | None:
    """Return one hand; None where neither sheet has it.

    A second entry that agreed on no hand says nothing of the one that was entered there later.
    """
    if row is None or (row.typed is None and row.agreed):
        return HandDoubleEntry(number, "once", revision) if revision else None
    if row.typed is None and not revision:
        return None
    rulings = sorted(row.rulings.all(), key=lambda one: one.pk)
    ruled = rulings[-1] if rulings and rulings[-1].revision == revision else None
    state: DoubleEntryState = "changed"
    if ruled is not None:
        state = "settled"
    elif row.revision == revision:
        state = "same" if row.agreed else "differs"
    return HandDoubleEntry(
        number, state, revision, row.pk, row.typed, row.by_as, row.at, ruled, row.board
    )
