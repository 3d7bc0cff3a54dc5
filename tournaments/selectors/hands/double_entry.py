"""Which hands were entered twice, and whether both entries say the same.

The only place that says which state a hand has after double entry. Takes an event that
`selectors.events.events.event_at` has let the actor read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from django.db.models import Q

from scoring.budget import Budget
from scoring.engine.melds import trick_points
from scoring.engine.progress import HandScore
from scoring.entry.hand_reader import read_entry
from scoring.entry.typed_hand import TypedHand
from scoring.errors import Problem
from scoring.rules.rules import Rules
from tournaments.domain.replay_game import HandRefused, of_a_hand, of_a_stored_hand, replay
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand, Ruling, SecondTyping
from tournaments.models.meetings import Round

Entry = Mapping[str, object]


def first_hand_problems(
    rules: Rules,
    seats: int,
    entry: Entry,
    *,
    teams: Sequence[Sequence[int]] | None = None,
    chips: int = 0,
) -> Sequence[Problem]:
    """Return what the scorer would refuse in a hand, were it the first of its game."""
    try:
        _alone(rules, seats, entry, teams, chips, of_a_hand())
    except HandRefused as refused:
        return refused.problems
    return ()


def is_same_hand(
    rules: Rules,
    seats: int,
    one: Entry,
    other: Entry,
    *,
    teams: Sequence[Sequence[int]] | None = None,
    chips: int = 0,
) -> bool:
    """Whether two entries mean one hand.

    Who took what is compared, and how a moon was settled; where one of them has points or clean
    seats only, what the hand is worth.
    """
    if one == other:
        return True
    try:
        budget = of_a_stored_hand()  # each was judged before
        found = [_alone(rules, seats, entry, teams, chips, budget) for entry in (one, other)]
    except HandRefused:
        return False
    if _worth(found[0]) != _worth(found[1]):
        return False
    left, right = (read_entry(entry, rules, seats, teams) for entry in (one, other))
    if _beside(left) != _beside(right):
        return False
    if (
        left.tricks
        and right.tricks
        and _per_unit(left.tricks, left) != _per_unit(right.tricks, right)
    ):
        return False
    forms = {left.form, right.form}
    if forms == {"melds"}:
        return _shown(left) == _shown(right)
    if forms <= {"cards", "counts"}:
        by_count = "counts" in forms
        return _moon(found[0]) == _moon(found[1]) and _piles(left, by_count) == _piles(
            right, by_count
        )
    return len(forms) > 1 or (left.points, left.clean) == (right.points, right.clean)


def _alone(
    rules: Rules,
    seats: int,
    entry: Entry,
    teams: Sequence[Sequence[int]] | None,
    chips: int,
    budget: Budget,
) -> HandScore:
    new = {1: budget}
    found = replay(rules, seats, [(1, entry)], teams=teams, chips=chips, open_ended=True, new=new)
    return found.hands[0].score


def _worth(score: HandScore) -> object:
    return score.scores


def _moon(score: HandScore) -> object:
    moon = score.moon
    return None if moon is None else (moon.id, frozenset(moon.by), moon.choice)


def _beside(typed: TypedHand) -> object:
    pledges = typed.pledges if any(typed.pledges) else ()
    return typed.declared, typed.unclaimed, pledges, typed.passer, typed.first_trick_by


def _shown(typed: TypedHand) -> object:
    """What each seat showed and made in tricks, under rules with melds."""
    melds = [sorted(meld) for meld in typed.melds] or [[] for _ in range(typed.seats)]
    return melds, trick_points(typed), typed.declared_out


def _piles(typed: TypedHand, by_count: bool) -> object:
    """What each unit took: its cards, and how many hearts where one of the two counts them."""
    hearts = typed.hearts or (0,) * typed.seats
    heart_cards = typed.ready.hearts if by_count else 0
    found: list[Any] = []
    for side in typed.sides:
        cards = 0
        for seat in side:
            cards |= typed.cards[seat]
        n_hearts = sum(hearts[seat] for seat in side) + (cards & heart_cards).bit_count()
        found.append((cards & ~heart_cards, n_hearts))
    return found


def _per_unit(counts: Sequence[int], typed: TypedHand) -> Sequence[int]:
    return [sum(counts[seat] for seat in side) for side in typed.sides]


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
        return tuple(hand.number for hand in self.hands if hand.state in states)

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
        return tuple(hand for hand in self.hands if hand.state == "settled")

    @property
    def open(self) -> tuple[HandDoubleEntry, ...]:
        """Hands that wait for a decision."""
        return tuple(hand for hand in self.hands if hand.is_open)

    @property
    def is_begun(self) -> bool:
        """Whether a second person typed anything of it."""
        return any(hand.state != "once" for hand in self.hands)

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
