"""The hands that were entered twice, and whether both entries say the same."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, Literal, TypeAlias

from django.db.models import Q, QuerySet

from scoring.budget import Budget
from scoring.engine.melds import trick_points
from scoring.engine.progress import HandScore
from scoring.entry.codec import BY_SEAT, OF_A_SEAT, same_entry
from scoring.entry.hand_reader import read_entry
from scoring.entry.typed_hand import TypedHand
from scoring.errors import Problem
from scoring.json_types import JsonObject
from scoring.rules.rules import Rules
from tournaments.domain.replay_game import (
    HandRefused,
    entry_of,
    of_a_hand,
    of_a_stored_hand,
    replay,
    teams_of,
)
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand, Ruling, SecondTyping
from tournaments.models.rounds import Round, Seat, Sitting
from tournaments.selectors.hands.games import seats_of_game
from tournaments.selectors.rules.rule_sets import rules_of

Entry = Mapping[str, object]

DoubleEntryState: TypeAlias = Literal["once", "same", "differs", "changed", "settled"]


@dataclass(frozen=True, slots=True)
class EntryComparison:
    """Two entries of one hand: `revision` is the first that counts (0: none), `typed` the second.

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
        if _moon_facts(scores[0]) != _moon_facts(scores[1]):
            return False
        by_count = "counts" in forms
        return _piles(hand, by_count) == _piles(other_hand, by_count)
    if len(forms) > 1:
        return True  # their scores are the same, and one of them tells no more
    return (hand.points, hand.clean) == (other_hand.points, other_hand.clean)


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


OPEN: Final = frozenset({"differs", "changed"})


@dataclass(frozen=True, slots=True)
class SheetDoubleEntry:
    """The hands of one table that anybody typed, by number."""

    hands: tuple[EntryComparison, ...] = ()

    @property
    def numbers(self) -> dict[DoubleEntryState, list[int]]:
        """The numbers of the hands in each state; a state that no hand has is left out."""
        numbers: dict[DoubleEntryState, list[int]] = {}
        for hand in self.hands:
            numbers.setdefault(hand.state, []).append(hand.number)
        return numbers

    @property
    def decided(self) -> tuple[EntryComparison, ...]:
        return tuple(hand for hand in self.hands if hand.state == "settled")

    @property
    def open(self) -> tuple[EntryComparison, ...]:
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
    if not user_id:
        return frozenset()
    return frozenset(rows.values_list("number", flat=True))


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
        ours = first.get(code, {})
        theirs = second.get(code, {})
        numbers = sorted(ours.keys() | theirs.keys())
        pairs = (_pair(n, ours.get(n, 0), theirs.get(n)) for n in numbers)
        sheets[code] = SheetDoubleEntry(tuple(pair for pair in pairs if pair is not None))
    return sheets


def _pair(number: int, revision: int, row: SecondTyping | None) -> EntryComparison | None:
    """Return the entries of one hand; None where neither sheet has it.

    A second entry that agreed on no hand says nothing of the one that was entered there later.
    """
    if row is None or (row.typed is None and row.agreed):
        if not revision:
            return None
        return EntryComparison(number, "once", revision)
    if row.typed is None and not revision:
        return None
    rulings = sorted(row.rulings.all(), key=lambda ruling: ruling.pk)
    ruled = rulings[-1] if rulings and rulings[-1].revision == revision else None
    state: DoubleEntryState = "changed"
    if ruled is not None:
        state = "settled"
    elif row.revision == revision:
        state = "same" if row.agreed else "differs"
    return EntryComparison(
        number, state, revision, row.pk, row.typed, row.by_as, row.at, ruled, row.board
    )


FEWEST: Final = 2
"""Least number of equal hands that mean a repeated sheet and not chance."""


def repeated_sheets(game: Game, new: Mapping[int, Mapping[str, object]]) -> list[dict[str, object]]:
    """Return the sheets that have two or more of these new hands, number → entry, already.

    Looked at are the other numbers of the same table, every table of the event where the same
    people play, however they sit, and the same numbers at the other tables of the round: a sheet
    entered at the wrong one.

    Each has its `table`, the numbers that its hands would get (`new`) and have (`there`), the
    `first` entry, and whether it is this very sheet (`same_table`).
    """
    if len(new) < FEWEST:
        return []
    comparison = _Comparison(game)
    pairs_of_game: dict[int, list[tuple[int, Hand]]] = defaultdict(list)
    for hand in comparison.stored_hands():
        for number, entry in new.items():
            if comparison.is_same(number, entry, hand):
                pairs_of_game[hand.game_id].append((number, hand))
    paired = [_paired(pairs) for pairs in pairs_of_game.values()]
    in_order = sorted(
        ((next(iter(hands.values())).game.table, hands) for hands in paired),
        key=lambda sheet: (-len(sheet[1]), sheet[0].round.number, sheet[0].number),
    )
    return [
        {
            "new": sorted(hands),
            "there": [hands[number].number for number in sorted(hands)],
            "table": table,
            "first": min(map(entry_of, hands.values()), key=attrgetter("entered_at")),
            "same_table": table.pk == game.table_id,
        }
        for table, hands in in_order
        if len(hands) >= FEWEST
    ]


def _paired(pairs: Sequence[tuple[int, Hand]]) -> dict[int, Hand]:
    hands: dict[int, Hand] = {}
    for number, hand in sorted(pairs, key=lambda pair: (pair[0], pair[1].number)):
        if number not in hands and hand not in hands.values():
            hands[number] = hand
    return hands


class _Comparison:
    """One sheet against those that are there, each table's people in its own seats."""

    def __init__(self, game: Game) -> None:
        self.game, self.rules = game, rules_of(game.snapshot)
        self.seats = seats_of_game(game)
        self.teams = teams_of(self.seats, self.rules)
        self.people = _get_people([game.table_id])[game.table_id]
        self.sat: dict[int, list[int]] = {}

    def stored_hands(self) -> QuerySet[Hand]:
        """Return what may be the same hands: of this table, these people, or this round."""
        tables = Sitting.objects.filter(
            player__in=[player for player in self.people if player], round__event=self.game.event_id
        ).values_list("seat__table_id", flat=True)
        games = Game.objects.filter(snapshot=self.game.snapshot_id).values_list("pk", "table_id")
        of_people = games.filter(event=self.game.event_id, table__in={*tables, self.game.table_id})
        of_round = games.filter(table__round=self.game.table.round_id)
        table_of = dict([*of_people, *of_round])
        self.sat = _get_people(table_of.values())
        rows = Hand.objects.filter(game__in=table_of, state="accepted", number__gt=0)
        return (
            rows.filter(entry__isnull=False)
            .select_related("entry", "game__table__round")
            .order_by("game", "number")
        )

    def is_same(self, number: int, entry: Mapping[str, object], hand: Hand) -> bool:
        stored = entry_of(hand).typed
        if hand.game_id == self.game.pk:
            return number != hand.number and self._is_same_entry(entry, stored)
        players = self.sat[hand.game.table_id]
        if sorted(players) == sorted(self.people) and len(set(players)) == len(players):
            turned = self._entry_turned(entry, players)
            return turned is not None and self._is_same_entry(turned, stored)
        return number == hand.number and self._is_same_entry(entry, stored)

    def _is_same_entry(self, entry: Mapping[str, object], stored: Mapping[str, object]) -> bool:
        if same_entry(stored, entry):
            return True
        if set(entry) & {"points", "clean"} == set(stored) & {"points", "clean"}:
            cards = {"hearts", "taken"}
            if set(entry) & cards == set(stored) & cards:
                return False
        return is_same_hand(self.rules, len(self.seats), entry, stored, teams=self.teams)

    def _entry_turned(self, entry: JsonObject, players: Sequence[int]) -> dict[str, object] | None:
        """The entry as the same people sit elsewhere; None where sides would be torn apart."""
        order = [players.index(player) for player in self.people]
        if order == list(range(len(order))):
            return dict(entry)
        if self.teams:
            return None
        return turned_entry(entry, order)


def turned_entry(entry: JsonObject, order: Sequence[int]) -> dict[str, Any]:
    """Return an entry for other seats: what seat `n` has in it, seat `order[n]` gets."""
    turned = dict(entry)
    for name in BY_SEAT:
        values = entry.get(name)
        if isinstance(values, list) and len(values) == len(order):
            new_values = list(values)
            for place, value in zip(order, values, strict=True):
                new_values[place] = value
            turned[name] = new_values
    for name in OF_A_SEAT:
        if isinstance(entry.get(name), int):
            turned[name] = order[entry[name]]
    return turned


def _get_people(tables: Iterable[int]) -> dict[int, list[int]]:
    """Table → its players by seat; 0 for an empty seat."""
    seats: dict[int, dict[int, int]] = {table: {} for table in tables}
    rows = Seat.objects.filter(table__in=seats).order_by("number")
    for table, number in rows.values_list("table_id", "number"):
        seats[table][number] = 0
    sat = Sitting.objects.filter(seat__table__in=seats).order_by("from_hand")
    for table, number, player in sat.values_list("seat__table_id", "seat__number", "player_id"):
        seats[table][number] = player
    return {table: list(players.values()) for table, players in seats.items()}
