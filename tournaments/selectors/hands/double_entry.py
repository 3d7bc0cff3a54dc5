"""The hands that were entered twice, and whether both entries say the same."""

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
from scoring.json_types import JsonObject
from scoring.rules.rules import Rules
from tournaments.domain.replay_game import HandRefused, of_a_hand, of_a_stored_hand, replay
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand, Ruling, SecondTyping
from tournaments.models.rounds import Round

Entry = Mapping[str, object]


def first_hand_problems(
    rules: Rules, seats: int, entry: Entry, teams: Sequence[Sequence[int]] | None, chips: int
) -> Sequence[Problem]:
    """Return what the scorer would refuse in a hand, were it the first of its game."""
    try:
        _play_alone(rules, seats, entry, teams, chips, of_a_hand())
    except HandRefused as refused:
        return refused.problems
    return ()


def is_same_hand(
    rules: Rules,
    seats: int,
    entry: Entry,
    other_entry: Entry,
    *,
    teams: Sequence[Sequence[int]] | None = None,
    chips: int = 0,
) -> bool:
    """Whether two entries describe the same hand.

    The cards taken and the settlement of a moon are compared; if one entry has points or clean
    seats only, the scores are.
    """
    if entry == other_entry:
        return True
    try:
        budget = of_a_stored_hand()  # each was judged before
        scores = [
            _play_alone(rules, seats, each_entry, teams, chips, budget)
            for each_entry in (entry, other_entry)
        ]
    except HandRefused:
        return False
    if scores[0].scores != scores[1].scores:
        return False
    hand, other_hand = (
        read_entry(each_entry, rules, seats, teams) for each_entry in (entry, other_entry)
    )
    if _beside(hand) != _beside(other_hand):
        return False
    if (
        hand.tricks
        and other_hand.tricks
        and _per_unit(hand.tricks, hand) != _per_unit(other_hand.tricks, other_hand)
    ):
        return False
    forms = {hand.form, other_hand.form}
    if forms == {"melds"}:
        return _melds(hand) == _melds(other_hand)
    if forms <= {"cards", "counts"}:
        by_count = "counts" in forms
        return _moon_facts(scores[0]) == _moon_facts(scores[1]) and _piles(
            hand, by_count
        ) == _piles(other_hand, by_count)
    return len(forms) > 1 or (hand.points, hand.clean) == (other_hand.points, other_hand.clean)


def _play_alone(
    rules: Rules,
    seats: int,
    entry: Entry,
    teams: Sequence[Sequence[int]] | None,
    chips: int,
    budget: Budget,
) -> HandScore:
    new = {1: budget}
    game = replay(rules, seats, [(1, entry)], teams=teams, chips=chips, open_ended=True, new=new)
    return game.hands[0].score


def _moon_facts(score: HandScore) -> object:
    moon = score.moon
    return None if moon is None else (moon.id, frozenset(moon.by), moon.choice)


def _beside(hand: TypedHand) -> object:
    pledges = hand.pledges if any(hand.pledges) else ()
    return hand.declared, hand.unclaimed, pledges, hand.passer, hand.first_trick_by


def _melds(hand: TypedHand) -> object:
    melds = [sorted(meld) for meld in hand.melds] or [[] for _ in range(hand.seats)]
    return melds, trick_points(hand), hand.declared_out


def _piles(hand: TypedHand, by_count: bool) -> object:
    hearts = hand.hearts or (0,) * hand.seats
    heart_cards = hand.ready.hearts if by_count else 0
    piles: list[Any] = []
    for side in hand.sides:
        cards = 0
        for seat in side:
            cards |= hand.cards[seat]
        n_hearts = sum(hearts[seat] for seat in side) + (cards & heart_cards).bit_count()
        piles.append((cards & ~heart_cards, n_hearts))
    return piles


def _per_unit(counts: Sequence[int], hand: TypedHand) -> Sequence[int]:
    return [sum(counts[seat] for seat in side) for side in hand.sides]


DoubleEntryState: TypeAlias = Literal["once", "same", "differs", "changed", "settled"]
OPEN: Final = frozenset({"differs", "changed"})


@dataclass(frozen=True, slots=True)
class HandDoubleEntry:
    """One hand: `revision` is the first typing that counts (0: none), `typed` the second.

    `board` is the board of a duplicate event by the second one.

    `once`: not typed again; `changed`: corrected after it was; `settled`: decided by a person.
    """

    number: int
    state: DoubleEntryState
    revision: int
    second: int = 0
    typed: JsonObject | None = None
    by: str = ""
    at: datetime | None = None
    ruled: Ruling | None = None
    board: int | None = None

    @property
    def is_open(self) -> bool:
        return self.state in OPEN


@dataclass(frozen=True, slots=True)
class SheetDoubleEntry:
    """The hands of one table that anybody typed, by number."""

    hands: tuple[HandDoubleEntry, ...] = ()

    @property
    def numbers(self) -> dict[DoubleEntryState, list[int]]:
        """The numbers of the hands in each state; a state that no hand has is left out."""
        numbers: dict[DoubleEntryState, list[int]] = {}
        for hand in self.hands:
            numbers.setdefault(hand.state, []).append(hand.number)
        return numbers

    @property
    def decided(self) -> tuple[HandDoubleEntry, ...]:
        return tuple(hand for hand in self.hands if hand.state == "settled")

    @property
    def open(self) -> tuple[HandDoubleEntry, ...]:
        return tuple(hand for hand in self.hands if hand.is_open)

    @property
    def is_begun(self) -> bool:
        return any(hand.state != "once" for hand in self.hands)

    @property
    def is_typed_twice(self) -> bool:
        return bool(self.hands) and "once" not in self.numbers


def double_entry_of_round(event: Event, round_: Round) -> dict[str, SheetDoubleEntry]:
    """Return code → what two people typed, of each table of a round; three queries."""
    return _get_double_entry(Q(table__round=round_, event=event))


def double_entry_of_table(event: Event, code: str) -> SheetDoubleEntry:
    """Return what two people typed of one table, in three queries."""
    return _get_double_entry(Q(table__code=code, event=event)).get(code, SheetDoubleEntry())


def hands_entered_by(game: Game, user_id: int | None) -> frozenset[int]:
    rows = Hand.objects.filter(game=game, state="accepted", entry__entered_by_id=user_id)
    return frozenset(rows.values_list("number", flat=True)) if user_id else frozenset()


def second_entries_by(
    game: Game, user_id: int | None
) -> dict[int, tuple[Mapping[str, object], int | None]]:
    """Return hand → entry and number of its board, as one person typed it again last."""
    rows = SecondTyping.objects.filter(game=game, by_id=user_id).order_by("pk")
    newest = {n: (entry, board) for n, entry, board in rows.values_list("number", "typed", "board")}
    return {n: (entry, board) for n, (entry, board) in newest.items() if entry is not None}


def _get_double_entry(of_games: Q) -> dict[str, SheetDoubleEntry]:
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
    sheets = {}
    for code in first.keys() | second.keys():
        ours, theirs = first.get(code, {}), second.get(code, {})
        numbers = sorted(ours.keys() | theirs.keys())
        pairs = (_pair(n, ours.get(n, 0), theirs.get(n)) for n in numbers)
        sheets[code] = SheetDoubleEntry(tuple(pair for pair in pairs if pair is not None))
    return sheets


def _pair(number: int, revision: int, row: SecondTyping | None) -> HandDoubleEntry | None:
    """Return one hand; None where neither sheet has it.

    A second entry that agreed on no hand says nothing of the one that was entered there later.
    """
    if row is None or (row.typed is None and row.agreed):
        return HandDoubleEntry(number, "once", revision) if revision else None
    if row.typed is None and not revision:
        return None
    rulings = sorted(row.rulings.all(), key=lambda ruling: ruling.pk)
    ruled = rulings[-1] if rulings and rulings[-1].revision == revision else None
    state: DoubleEntryState = "changed"
    if ruled is not None:
        state = "settled"
    elif row.revision == revision:
        state = "same" if row.agreed else "differs"
    return HandDoubleEntry(
        number, state, revision, row.pk, row.typed, row.by_as, row.at, ruled, row.board
    )
