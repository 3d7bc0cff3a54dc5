"""Ordinary hands, looked up: what the steps of `score_hand.score` give, without walking them.

Pure. An ordinary hand says which cards, how many hearts or which points each seat has, has no flaw,
and nobody shot. Its cards are counted in one integer a seat, so that "every card once" is one
comparison of sums, and what a unit scores is looked up by its integer. The tables are filled by the
steps themselves as piles come up, so no rule is written here. Every other hand (a flaw, a moon, a
mark) goes through the steps. Both are held equal by a property test for every variant
(tests/scoring/game/test_fast_path.py). See docs/rules-engine.md, "The quick form".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import permutations
from math import prod
from typing import Any, TypeAlias

from scoring.budget import BOUNDLESS, Budget
from scoring.engine.deal_points import Hand, settle_deal, unit_points
from scoring.engine.distribute import Counter, added, counters, pile_of, width_of
from scoring.engine.melds import possible_trick_points, rounded
from scoring.engine.moon import find, ways
from scoring.engine.progress import NOTHING, Effects, GameState, HandScore
from scoring.entry.hand_reader import read_entry, require_seats, unit_sides
from scoring.entry.typed_hand import CapturedHand, Sides
from scoring.game.score_hand import book_hand, score
from scoring.numbers import Score
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from scoring.rules.types import Meld, Settle

MOST_KEPT = 20_000
"""Piles and settlements that are remembered in one table; what is beyond is worked out."""
MOST_PILES = 1 << 16
"""Piles that a unit may have, up to which looking them up is of use."""
MOST_CHARGES = 256

Entry: TypeAlias = dict[str, Any]
Way: TypeAlias = Callable[[Entry, Score], HandScore]
"""From an entry and the pool to the score; KeyError or TypeError where it is not ordinary."""
Ways: TypeAlias = dict[tuple[str, ...], Way]
"""The keys of an entry → the way of hands that have these."""
Tricked: TypeAlias = Callable[[Sequence[int], Entry, Score], HandScore]
"""From the numbers of the units, an entry with tricks and the pool to the score."""
Book: TypeAlias = Callable[[Iterable[Any], Score], HandScore]
"""From the points of the units and the pool to the score."""

_hand_score: Callable[[tuple[Any, ...]], HandScore] = partial(tuple.__new__, HandScore)


def score_entry(
    rules: Rules, entry: object, state: GameState, budget: Budget = BOUNDLESS
) -> HandScore:
    """The points of a hand for each unit: `score_hand.score` of the entry as it was typed.

    The budget pays for the searches of a hand that is not an ordinary one.
    """
    hand: Any = entry  # what is none says so by a TypeError
    table = state[:2] if state.teams else state.seats
    try:
        quick_score: HandScore = rules.quick[table][tuple(hand)](hand, state.pool)
        return quick_score  # noqa: TRY300 - the plain way stays together
    except (KeyError, TypeError):
        if table not in rules.quick:
            rules.quick[table] = ways_of(rules, state)
    return score(rules, read_entry(entry, rules, state.seats, state.teams), state, budget)


def ways_of(rules: Rules, state: GameState) -> Ways:
    """The ways of ordinary hands at such a table; `score_entry` keeps them with the rules."""
    ready = prepare(rules, require_seats(rules, state.seats))
    if rules.keys.melds:
        return _in_any_order(("melds", "trick_points"), _shown(ready))
    sides = unit_sides(rules, state.seats, state.teams)
    ways = _uncharged(ready, sides, frozenset())
    charged = _charged(ready, sides)
    for keys in [keys for keys in ways if "points" not in keys]:
        ways |= _in_any_order((*keys, "declared"), partial(charged, keys))
    for keys in [keys for keys in ways if "points" not in keys]:
        ways |= _in_any_order((*keys, "points"), partial(_agreeing, ways[keys]))
    return ways


def _in_any_order(keys: tuple[str, ...], way: Way) -> Ways:
    return {order: way for order in permutations(keys)}


def _agreeing(way: Way, entry: Entry, pool: Score) -> HandScore:
    score = way(entry, pool)
    points = entry["points"]
    if type(points) is not list or {*map(type, points)} != {int} or tuple(points) != score.scores:
        raise KeyError
    return score


def _uncharged(ready: Prepared, sides: Sides, declared: frozenset[str]) -> Ways:
    ways: Ways = {}
    keys = ready.keys
    # What is paid for points depends on the pool; streaks of moons depend on the cards.
    if not (ready.pooled or keys.settle or ready.spans):
        ways["points",] = partial(_points, ready.proven, [int] * ready.seats)
    # A trick that nobody won makes the number of all tricks open.
    has_each = keys.tricks == "equal" and keys.same_card.rule != "cancel"
    if ready.wants_tricks and has_each and not ready.idle:
        way = _looked_up(ready, sides, declared, tricks=True)
        ways |= _in_any_order(("taken", "tricks"), way) if way is not None else {}
    if ready.looks_at_tricks or ready.idle:
        return ways
    cards = _cards(ready, sides, declared)
    if cards is not None:
        ways["taken",] = cards
    if ready.short_form:
        counts = _counts(ready, sides, declared)
        nothing: list[list[str]] = [[] for _ in range(ready.seats)]
        ways["hearts",] = lambda entry, pool: counts(entry | {"taken": nothing}, pool)
        ways["hearts", "taken"] = ways["taken", "hearts"] = counts
    return ways


def _charged(ready: Prepared, sides: Sides) -> Callable[[tuple[str, ...], Entry, Score], HandScore]:
    """Hands with charged cards: each set of them has tables of its own."""
    ways_by_cards: dict[tuple[str, ...], Ways] = {}

    def charged(keys: tuple[str, ...], entry: Entry, pool: Score) -> HandScore:
        if type(entry["declared"]) is not list:
            raise KeyError
        cards = tuple(entry["declared"])
        if cards not in ways_by_cards:
            is_chargeable = len({*cards}) == len(cards) and {*cards} <= {*ready.keys.chargeable}
            if not is_chargeable or len(ways_by_cards) >= MOST_CHARGES:
                raise KeyError
            ways_by_cards[cards] = _uncharged(ready, sides, frozenset(cards))
        return ways_by_cards[cards][keys](entry, pool)

    return charged


def _points(
    proven: set[tuple[Score, ...]], shape: list[type], entry: Entry, pool: Score
) -> HandScore:
    """Points that the steps have already found to be those of an ordinary hand."""
    points = entry["points"]
    if type(points) is not list or list(map(type, points)) != shape:
        raise KeyError
    scores = tuple(points)
    if scores not in proven:
        raise KeyError
    return HandScore(scores, scores, None, "sum", Effects(pool) if pool else NOTHING)


def _shown(ready: Prepared) -> Way:
    seats, total, keys = ready.seats, ready.trick_total, ready.keys
    possible = possible_trick_points(ready)
    rounded_points = {points: rounded(points, keys.rounding) for points in possible}
    worth = ShownMelds(keys.melds)
    lists, whole = [list] * seats, [int] * seats

    def way(entry: Entry, pool: Score) -> HandScore:
        melds, tricks = entry["melds"], entry["trick_points"]
        shapes = [*map(type, melds)], [*map(type, tricks)], sum(tricks)
        if shapes != (lists, whole, total):
            raise KeyError
        points = worth[tuple(map(tuple, melds))]
        pairs = zip(points, tricks, strict=True)
        scores = tuple([of_melds + rounded_points[trick] for of_melds, trick in pairs])
        return _hand_score((scores, scores, None, "cards", Effects(pool) if pool else NOTHING))

    return way


class ShownMelds(dict[tuple[tuple[str, ...], ...], tuple[int, ...]]):
    """The points of what the seats showed; KeyError where the pack does not allow it."""

    def __init__(self, melds: Sequence[Meld]) -> None:
        super().__init__()
        self.melds = {meld.id: meld for meld in melds}

    def __missing__(self, melds: tuple[tuple[str, ...], ...]) -> tuple[int, ...]:
        names = [name for seat in melds for name in seat]
        if any(names.count(name) > self.melds[name].most for name in names):
            raise KeyError
        points = tuple(sum(self.melds[name].points for name in seat) for seat in melds)
        if len(self) < MOST_KEPT:
            self[melds] = points
        return points


class Worth(dict[Any, Any]):
    """The points of a unit by the fields of its cards, worked out by the steps when first asked.

    Where tricks are counted, the key has their number after the fields. A unit that may have shot
    has no entry, nor has what is no pile: KeyError. Where the deal is settled, the points are
    followed by whether the unit is clean.
    """

    def __init__(
        self, ready: Prepared, declared: frozenset[str], fields: Sequence[Counter]
    ) -> None:
        super().__init__()
        self.ready, self.declared, self.fields = ready, declared, fields

    def __missing__(self, key: int | tuple[int, int]) -> object:
        ready = self.ready
        number, tricks = key if isinstance(key, tuple) else (key, None)
        pile = pile_of(number, self.fields)
        is_lacking = tricks is not None and tricks < ready.hand_size - 1
        if pile is None or any(
            not slam.needs & ~pile and not (is_lacking and slam.slam.all_tricks != "no")
            for slam in (*ready.slams, *ready.spans)
        ):
            raise KeyError(key)
        hand = Hand(pile, ready.counting, self.declared, False, tricks)
        points: Any = unit_points(ready, hand, (), None, None)
        if ready.keys.settle is not None:
            points = (points, not pile & ready.clean)
        if len(self) < MOST_KEPT:
            self[key] = points
        return points


class Moons(dict[tuple[tuple[int, int], ...], HandScore]):
    """Moons that are paid in one way, whatever the totals are, by the keys of all units."""

    def __init__(self, worth: Worth, sides: Sides) -> None:
        super().__init__()
        self.worth, self.sides = worth, sides

    def __missing__(self, keys: tuple[tuple[int, int], ...]) -> HandScore:
        ready = self.worth.ready
        sides = self.sides
        piles = tuple(pile_of(number, self.worth.fields) or 0 for number, _ in keys)
        tricks = tuple(won for _, won in keys)
        captured = CapturedHand(piles, sides, tricks=tricks, declared=self.worth.declared)
        shot = find(ready, captured)[0]
        if shot is None or ready.keys.settle or not shot.ready.pay.is_fixed:
            raise KeyError(keys)
        way = ways(shot.ready.pay, shot.unit, (), lambda: (False, False))[1]
        score = book_hand(ready, captured, GameState(ready.seats, (), ()), shot, way)
        if len(self) < MOST_KEPT:
            self[keys] = score
        return score


def _with_tricks(ready: Prepared, sides: Sides, worth: Worth, low: int) -> Tricked:
    """Hands with tricks; the numbers of units have `low` bits below the fields of `worth`."""
    shape, all_tricks, pooled = [int] * ready.seats, ready.hand_size, ready.pooled
    book, moons = _book(ready, sides), Moons(worth, sides)

    def way(numbers: Sequence[int], entry: Entry, pool: Score) -> HandScore:
        tricks = entry["tricks"]
        if type(tricks) is not list or list(map(type, tricks)) != shape:
            raise KeyError
        if sum(tricks) != all_tricks or min(tricks) < 0:
            raise KeyError
        if pooled:
            tricks = [sum([tricks[seat] for seat in side]) for side in sides]
        if 0 in tricks and any(n and not won for n, won in zip(numbers, tricks, strict=True)):
            raise KeyError
        keys = tuple([(n >> low, won) for n, won in zip(numbers, tricks, strict=True)])
        try:
            return book([worth[key] for key in keys], pool)
        except KeyError:
            if pool:
                raise
            return moons[keys]

    return way


def _counts(ready: Prepared, sides: Sides, declared: frozenset[str]) -> Way:
    named = [sum(bits) for bits in ready.deck.copies.values() if sum(bits) & ready.named]
    fields = counters([ready.hearts, *named])
    number_of = _by_code(ready, fields[1:], ready.named).__getitem__
    total, number = added(ready.named, fields), ready.named.bit_count()
    seats, heart_count = ready.seats, ready.heart_count
    shape = [*([int] * seats), *([list] * seats)]
    worth = Worth(ready, declared, fields).__getitem__
    pooled, book = ready.pooled, _book(ready, sides)

    def way(entry: Entry, pool: Score) -> HandScore:
        hearts, piles = entry["hearts"], entry["taken"]
        if len(hearts) != seats or list(map(type, hearts + piles)) != shape:
            raise KeyError
        sums: list[int] = hearts.copy()
        listed, cards = 0, 0
        for place, codes in enumerate(piles):
            if codes:
                pile = sum(map(number_of, codes))
                sums[place] += pile
                cards += pile
                listed += len(codes)
        # Fields that flowed over would make the cards fewer than are listed.
        if cards != total or listed != number or sum(hearts) != heart_count or min(hearts) < 0:
            raise KeyError
        if pooled:
            sums = [sum([sums[seat] for seat in side]) for side in sides]
        return book(map(worth, sums), pool)

    return way


def _cards(ready: Prepared, sides: Sides, declared: frozenset[str]) -> Way | None:
    """Hands in cards, whose points are totals or can be looked up; None otherwise."""
    if ready.plain and not ready.pooled:
        values = {bit: ready.worth_of(bit) for bit in ready.first_bits.values()}
        whole = {bit: value for bit, value in values.items() if isinstance(value, int)}
        if len(whole) == len(values):
            return _added_up(ready, whole)
    return _looked_up(ready, sides, declared)


def _added_up(ready: Prepared, values: Mapping[int, int]) -> Way:
    """Cards whose points are only totals: their sum is above the fields of the cards.

    A pack and its points fit into 63 bits, within which Python adds fastest.
    """
    number_of, totals, low, between = _pack(ready, values)
    fields = _fields(ready)
    slams = [
        (
            sum(counter.mask for counter in fields if counter.runs[-1] & slam.needs),
            added(slam.needs, fields),
        )
        for slam in ready.slams
    ]
    seats, length = ready.seats, list.__len__  # which has no length of anything but a list

    def way(entry: Entry, pool: Score) -> HandScore:
        piles = entry["taken"]
        listed = sum(map(length, piles))
        sums = [sum(map(number_of, codes)) for codes in piles]
        if len(sums) != seats:
            raise KeyError
        if totals.get(sum(sums)) != listed and not between(sum(sums), listed):
            raise KeyError
        for mask, needs in slams:
            first = sums[0] & mask
            # Who has some of them, but not all, keeps everybody from having all.
            if (not first or first == needs) and needs in [number & mask for number in sums]:
                raise KeyError
        scores = tuple([number >> low for number in sums])
        return _hand_score((scores, scores, None, "cards", Effects(pool) if pool else NOTHING))

    return way


def _looked_up(
    ready: Prepared, sides: Sides, declared: frozenset[str], *, tricks: bool = False
) -> Way | None:
    """Cards whose points are looked up by how many there are of each kind that rules tell apart:
    these numbers stand above the fields of the cards. None where there are too many."""
    kinds = counters(ready.kinds)
    if ready.looks_beyond or prod(counter.most + 1 for counter in kinds) > MOST_PILES:
        return None
    of_kinds = {bit: added(bit, kinds) for bit in ready.first_bits.values()}
    number_of, totals, low, between = _pack(ready, of_kinds)
    seats, length = ready.seats, list.__len__
    pooled, book, worth = ready.pooled, _book(ready, sides), Worth(ready, declared, kinds)
    with_tricks = _with_tricks(ready, sides, worth, low) if tricks else None

    def way(entry: Entry, pool: Score) -> HandScore:
        piles = entry["taken"]
        listed = sum(map(length, piles))
        sums = [sum(map(number_of, codes)) for codes in piles]
        if len(sums) != seats:
            raise KeyError
        if totals.get(sum(sums)) != listed and not between(sum(sums), listed):
            raise KeyError
        if pooled:
            sums = [sum([sums[seat] for seat in side]) for side in sides]
        if with_tricks is not None:
            return with_tricks(sums, entry, pool)
        return book([worth[number >> low] for number in sums], pool)

    return way


def _pack(
    ready: Prepared, above: Mapping[int, int]
) -> tuple[Callable[[str], int], Mapping[int, int], int, Callable[[int, int], bool]]:
    """The integers of cards: below a field for each card, above what `above` has for its bit.

    First the integer of a card by its code; then how many cards there are by their sum, for those
    that count and for the whole deck; the bits of the fields; and whether another sum is of cards
    in the deck, none too often and none missing that counts.
    """
    fields = _fields(ready)
    low = width_of(fields)
    by_code = {
        code: number + (above[ready.first_bits[code]] << low)
        for code, number in _by_code(ready, fields, ready.deck.full).items()
    }
    totals = {
        sum(by_code[card] for card in ready.deck.names(mask)): mask.bit_count()
        for mask in (ready.counting, ready.deck.full)
    }
    one_pack = all(counter.most == 1 for counter in fields)
    below, counting = (1 << low) - 1, added(ready.counting, fields)

    def between(total: int, listed: int) -> bool:
        # A card that stands twice flows over into the next, and bits are fewer than cards.
        present = total & below
        return one_pack and not counting & ~present and present.bit_count() == listed

    return by_code.__getitem__, totals, low, between


def _fields(ready: Prepared) -> Sequence[Counter]:
    return counters(map(sum, ready.deck.copies.values()))


def _by_code(ready: Prepared, fields: Sequence[Counter], among: int) -> Mapping[str, int]:
    return {code: added(bit, fields) for code, bit in ready.first_bits.items() if bit & among}


def _book(ready: Prepared, sides: Sides) -> Book:
    """Steps 5 and 6, and the shape of the answer."""
    rule, spans = ready.keys.settle, len(ready.spans)
    unit_of = {seat: unit for unit, side in enumerate(sides) for seat in side}
    units = [unit_of[seat] for seat in range(ready.seats)]
    scores_by_points: dict[Any, HandScore] = {}

    def plain(points: Iterable[Score], pool: Score) -> HandScore:
        scores = tuple(points)
        return _hand_score((scores, scores, None, "cards", Effects(pool) if pool else NOTHING))

    def whole(points: Iterable[Score], pool: Score) -> HandScore:
        scores = tuple(points)
        by_seat = tuple([scores[unit] for unit in units])
        effects = Effects(pool, holders=(None,) * spans) if pool or spans else NOTHING
        return _hand_score((scores, by_seat, None, "cards", effects))

    def paid(rule: Settle, outcome: tuple[tuple[Score, bool], ...], pool: Score) -> HandScore:
        points, clean = zip(*outcome, strict=True)
        return whole(*settle_deal(rule, points, clean, pool))

    def remembered(rule: Settle, outcome: Iterable[tuple[Score, bool]], pool: Score) -> HandScore:
        key = (tuple(outcome), pool)
        score = scores_by_points.get(key)
        if score is None:
            score = paid(rule, *key)
            if len(scores_by_points) < MOST_KEPT:
                scores_by_points[key] = score
        return score

    if rule is not None:
        return partial(remembered, rule)
    return whole if ready.pooled or spans else plain
