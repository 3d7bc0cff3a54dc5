"""A refused hand, and repairs of its cards, counts, tricks and melds, likeliest place first.

Pure. Whether an entry can be saved is for `scoring.game.corrections` to try.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from scoring.cards import read_card
from scoring.diagnosis.shooter_hypotheses import Trial
from scoring.engine.melds import possible_trick_points
from scoring.entry.typed_hand import TypedHand
from scoring.errors import Problem
from scoring.json_types import is_list
from scoring.numbers import Score, score_json

Entry: TypeAlias = dict[str, Any]
Refusal: TypeAlias = tuple[Problem, ...]
Repairs: TypeAlias = Iterator[Entry | None]
"""Entries one repair away, likeliest first; None where a repair does not fit."""
NOBODY: Final = -1
"""The place of cards that are unclaimed."""
MARKS: Final = ("slam_choice", "shooter")
"""The fields that say how a moon was settled."""


class HandToRepair(NamedTuple):
    """A refused hand: the entry, how it was read, why it was refused, and its points as a trial."""

    entry: Entry
    reading: TypedHand
    refused: Refusal
    trial: Callable[[], Trial]

    @property
    def problem(self) -> Problem:
        """The first problem, which is repaired."""
        return self.refused[0]

    @property
    def seats(self) -> tuple[int, ...]:
        """One seat for each unit: the one that has its counts."""
        counts = self.counts("hearts") or self.counts("tricks")
        if counts is None:
            return tuple(side[0] for side in self.reading.sides)
        return tuple(max(side, key=lambda seat: counts[seat]) for side in self.reading.sides)

    def counts(self, name: str) -> list[int] | None:
        """The counts of each seat, where all can be read."""
        counts = self.entry.get(name)
        if not is_list(counts) or len(counts) != self.reading.seats:
            return None
        if not all(type(count) is int for count in counts):
            return None
        return list(counts)

    @property
    def piles(self) -> list[list[str]]:
        """The cards listed for each seat."""
        listed = self.entry.get("taken")
        if not is_list(listed) or len(listed) != self.reading.seats:
            return [[] for _ in range(self.reading.seats)]
        return [list(pile) if is_list(pile) else [] for pile in listed]

    @property
    def unclaimed(self) -> list[str]:
        """The cards that are listed as unclaimed."""
        listed = self.entry.get("unclaimed")
        if not is_list(listed):
            return []
        return list(listed)

    def weight(self, seat: int) -> int:
        """The number of cards at a seat."""
        counts = self.counts("hearts")
        return len(self.piles[seat]) + (counts[seat] if counts else 0)

    @property
    def takers(self) -> list[int]:
        """The seats, the one with most cards first: a stray card is likelier with it."""
        return sorted(self.seats, key=lambda seat: -self.weight(seat))

    def with_counts(self, name: str, seat: int, by: int) -> Entry | None:
        """The entry with one seat's count raised by a number; None if it would be negative."""
        counts = self.counts(name)
        if counts is None or counts[seat] + by < 0:
            return None
        counts[seat] += by
        return {**self.entry, name: counts}

    def with_points(self, points: Sequence[Score]) -> Entry:
        """The entry with these points."""
        return {**self.entry, "points": list(map(score_json, points))}

    def with_cards(
        self, removed: Sequence[tuple[str, int]] = (), added: Sequence[tuple[str, int]] = ()
    ) -> Entry:
        """The entry with cards taken off seats and given to seats, `NOBODY` among them.

        A heart that the sheet counts is counted; one seat's pile keeps its order.
        """
        piles, unclaimed = self.piles, self.unclaimed
        counts = self.counts("hearts") if self.reading.form == "counts" else None
        hidden = set(self.reading.ready.deck.names(self.reading.ready.hearts)) if counts else set()
        for sign, cards in ((-1, removed), (1, added)):
            for card, seat in cards:
                if seat != NOBODY and counts is not None and card in hidden:
                    counts[seat] = max(counts[seat] + sign, 0)
                    continue
                pile = unclaimed if seat == NOBODY else piles[seat]
                if sign > 0:
                    pile.append(card)
                    continue
                places = [place for place, code in enumerate(pile) if same_card(code, card)]
                for place in places[-1:]:
                    del pile[place]
        entry = {**self.entry, "taken": piles}
        if counts is not None:
            entry["hearts"] = counts
        entry.pop("unclaimed", None)
        return {**entry, "unclaimed": unclaimed} if unclaimed else entry


MOST_NEAR = 40
"""Trick points so far from those written are looked through."""


def same_card(code: object, card: str) -> bool:
    """Whether a typed code is a card."""
    return code == card or read_card(code) == card


def without(entry: Entry, *names: str) -> Entry:
    """The entry without some of its fields."""
    return {name: value for name, value in entry.items() if name not in names}


def with_value(entry: Entry, name: str, place: int, *values: object) -> Entry:
    """The entry with other values at an index of a list; no values remove the item."""
    before = entry[name]
    return {**entry, name: [*before[:place], *values, *before[place + 1 :]]}


def off_by(problem: Problem) -> int:
    """By how many a problem's count is off: expected less found."""
    return int(problem.facts["expected"]) - int(problem.facts["found"])


def _by_count(hand: HandToRepair, name: str, by: int) -> list[int]:
    """Seats whose count may be off by the given number, likeliest first.

    In most hands few seats take all that counts, so one with a count comes before one without; a
    count too low is likelier a low one, and a count too high a high one, because there are more
    hands with it put right.
    """
    counts = hand.counts(name) or []
    has = [seat for seat in hand.seats if counts[seat]]
    none = [seat for seat in hand.seats if not counts[seat]]
    return sorted(has, key=lambda seat: counts[seat] if by > 0 else -counts[seat]) + none


def _missing_cards(hand: HandToRepair) -> list[str]:
    missing: list[str] = []
    for problem in _about(hand, "taken", "missing_cards"):
        cards = list(problem.facts.get("cards", ()))
        missing += cards * off_by(problem) if len(cards) == 1 else cards
    return missing


def _hearts_off(hand: HandToRepair) -> int:
    """The number of hearts missing from the counts; negative if there are too many."""
    return sum(map(off_by, _about(hand, "hearts", "missing_cards", "too_many_copies")))


def _about(hand: HandToRepair, name: str, *codes: str) -> list[Problem]:
    return [
        problem for problem in hand.refused if problem.code in codes and problem.at[:1] == (name,)
    ]


def _give(hand: HandToRepair, hearts: int, cards: Sequence[str], seat: int) -> Entry:
    if seat == NOBODY:
        ready = hand.reading.ready
        free = list((Counter(ready.deck.names(ready.hearts)) - Counter(hand.unclaimed)).elements())
        return hand.with_cards(added=[(card, NOBODY) for card in [*free[:hearts], *cards]])
    counted = hand.with_counts("hearts", seat, hearts) if hearts else hand.entry
    return hand._replace(entry=counted or hand.entry).with_cards(
        added=[(card, seat) for card in cards]
    )


def missing_cards(hand: HandToRepair) -> Repairs:
    """Repair missing cards: somebody took them, or they are written as others."""
    problem = hand.problem
    if problem.at[:1] == ("clean",):
        for unit, _ in enumerate(hand.entry["clean"]):
            yield with_value(hand.entry, "clean", unit, False)
        return
    cards = _missing_cards(hand)
    hearts = max(_hearts_off(hand), 0)
    yield from instead(hand)
    places = [*hand.takers]
    ready = hand.reading.ready
    nobody = [NOBODY] if ready.may_be_unclaimed else []
    if not cards:
        places = _by_count(hand, "hearts", hearts)
    elif not hearts and all(ready.first_bits[card] & ready.idle for card in cards):
        places, nobody = [NOBODY, *places], []
    for seat in [*places, *nobody]:
        yield _give(hand, hearts, cards, seat)
    if problem.at[:1] == ("hearts",) and cards:
        for seat in _by_count(hand, "hearts", hearts):
            yield _give(hand, hearts, (), seat)
    elif len(cards) > 1:
        for seat in [*places, *nobody]:
            yield _give(hand, 0, cards[:1], seat)


def joker_without_heart(hand: HandToRepair) -> Repairs:
    """Repair jokers at a seat without a heart: they are nobody's, or another seat's."""
    ready = hand.reading.ready
    seat = int(hand.problem.at[1])
    held = Counter(ready.deck.names(hand.reading.cards[seat] & ready.idle))
    moves = [(card, seat) for card in held.elements()]
    for other in [NOBODY, *hand.seats]:
        yield hand.with_cards(moves, [(card, other) for card, _ in moves])


def instead(hand: HandToRepair) -> Repairs:
    """Repair one card too many and one missing: the first is written in place of the second."""
    missing = _missing_cards(hand)
    copies = [problem for problem in hand.refused if problem.code == "too_many_copies"]
    over = [problem for problem in copies if problem.at[:1] != ("hearts",)]
    odd = _about(hand, "taken", "unknown_card")
    hearts = _hearts_off(hand)
    if len(over) == 1 and len(missing) + max(hearts, 0) == 1:
        card = str(over[0].facts["card"])
        for seat in _holders(hand, card):
            if missing:
                yield hand.with_cards([(card, seat)], [(missing[0], seat)])
            elif seat != NOBODY:
                without_card = hand.with_cards([(card, seat)])
                yield hand._replace(entry=without_card).with_counts("hearts", seat, 1)
    if hearts == -1 and len(missing) == 1:
        for seat in _by_count(hand, "hearts", -1):
            counted = hand.with_counts("hearts", seat, -1)
            if counted is not None:
                yield hand._replace(entry=counted).with_cards(added=[(missing[0], seat)])
    if len(odd) == 1 and len(odd[0].at) > 2 and len(missing) + max(hearts, 0) == 1:
        _taken, at_seat, place = odd[0].at
        piles = hand.piles
        del piles[int(at_seat)][int(place)]
        without_card = {**hand.entry, "taken": piles}
        yield _give(hand._replace(entry=without_card), max(hearts, 0), missing, int(at_seat))


def _holders(hand: HandToRepair, card: str) -> list[int]:
    piles = {NOBODY: hand.unclaimed, **dict(enumerate(hand.piles))}
    counts = {seat: sum(same_card(code, card) for code in pile) for seat, pile in piles.items()}
    holders = [seat for seat, number in counts.items() if number]
    return sorted(holders, key=lambda seat: (-counts[seat], seat == NOBODY, hand.weight(seat)))


def too_many_copies(hand: HandToRepair) -> Repairs:
    """Repair a card that is written more often than there are copies: take it off a seat."""
    problem = hand.problem
    yield from instead(hand)
    if problem.at[:1] == ("hearts",):
        for seat in _by_count(hand, "hearts", off_by(problem)):
            yield hand.with_counts("hearts", seat, off_by(problem))
        hidden = set(hand.reading.ready.deck.names(hand.reading.ready.hearts))
        unclaimed_hearts = [card for card in hand.unclaimed if card in hidden]
        yield hand.with_cards([(card, NOBODY) for card in unclaimed_hearts[: -off_by(problem)]])
        return
    card = str(problem.facts["card"])
    over = -off_by(problem)
    holders = _holders(hand, card)
    for seat in holders:
        if over == 1:
            yield hand.with_cards([(card, seat)])
            continue
        others = [other for other in holders if other != seat]
        yield hand.with_cards([(card, other) for other in (others * over)[:over]])


def tricks_sum(hand: HandToRepair) -> Repairs:
    """Repair a wrong sum of tricks: the number of one seat is another."""
    problem = hand.problem
    counts = hand.counts("tricks") or []
    if "first" in problem.facts:
        for seat in hand.seats:
            if counts and counts[seat]:
                yield {**hand.entry, "first_trick_by": seat}
        yield from _one_trick_more(hand, int(problem.at[1]))
        return
    bare = {int(other.at[1]) for other in _about(hand, "tricks", "cards_without_trick")}
    order = _by_count(hand, "tricks", off_by(problem))
    for seat in sorted(order, key=lambda seat: seat not in bare):
        yield hand.with_counts("tricks", seat, off_by(problem))


def _one_trick_more(hand: HandToRepair, seat: int) -> Repairs:
    counts = hand.counts("tricks")
    if counts is None:
        return
    for other in sorted(hand.seats, key=lambda owner: -counts[owner]):
        if other != seat and counts[other] > 0:
            changed = list(counts)
            changed[seat], changed[other] = changed[seat] + 1, changed[other] - 1
            yield {**hand.entry, "tricks": changed}


def cards_without_trick(hand: HandToRepair) -> Repairs:
    """Repair cards at a seat without a trick: it took one, or the cards are another's."""
    seat = int(hand.problem.at[1])
    counts = hand.counts("hearts")
    tricks = hand.counts("tricks") or []
    side = next((side for side in hand.reading.sides if seat in side), (seat,))
    cards = [(code, holder) for holder in side for code in hand.piles[holder]]
    hearts = sum(counts[holder] for holder in side) if counts else 0
    moves = []
    for taker in hand.takers:
        if taker in side or (tricks and not tricks[taker]):
            continue
        entry = hand.with_cards(cards, [(card, taker) for card, _ in cards])
        if counts:
            now = [0 if holder in side else n for holder, n in enumerate(entry["hearts"])]
            now[taker] += hearts
            entry = {**entry, "hearts": now}
        moves.append(entry)
    more = list(_one_trick_more(hand, seat))
    # A stray card is likelier than a trick in the wrong row; several cards are not.
    yield from [*moves, *more] if len(cards) + hearts <= 1 else [*more, *moves]


def tricks_needed(hand: HandToRepair) -> Repairs:
    """Repair a missing mark: give the first trick of the hand to a seat."""
    counts = hand.counts("tricks")
    if hand.problem.facts.get("first"):
        for seat in hand.seats:
            if counts is None or counts[seat]:
                yield {**hand.entry, "first_trick_by": seat}


def meld_repairs(hand: HandToRepair) -> Repairs:
    """The entries one repair away from a refused hand of rules with melds."""
    problem = hand.problem
    name = str(problem.at[0]) if problem.at else ""
    if problem.code in ("unknown_meld", "too_many_copies") and name == "melds":
        yield from _other_melds(hand)
    elif problem.code in ("missing_cards", "too_many_copies"):
        repair = missing_cards if problem.code == "missing_cards" else too_many_copies
        yield from repair(hand)
    elif problem.code == "last_trick_needed":
        for seat in hand.takers:
            yield {**hand.entry, "last_trick": seat}
    elif problem.code == "impossible_points" and name == "trick_points":
        yield from _near_points(hand)
    elif problem.code == "bad_count" and name == "trick_points":
        yield from _rest(hand, int(problem.at[1]))
    elif problem.code == "points_disagree":
        yield {**hand.entry, name: list(problem.facts["expected"])}
    elif problem.code in ("unknown_field", "unknown_seat", "declaration_forbidden"):
        yield without(hand.entry, name)


def _other_melds(hand: HandToRepair) -> Repairs:
    """A meld that cannot be: one with a similar name instead, or none."""
    problem = hand.problem
    listed = [names if is_list(names) else () for names in hand.entry["melds"]]
    entry = {**hand.entry, "melds": list(map(list, listed))}
    if problem.code == "too_many_copies":
        meld = problem.facts["meld"]
        for seat, names in enumerate(entry["melds"]):
            if meld in names:
                last = len(names) - 1 - names[::-1].index(meld)
                yield with_value(entry, "melds", seat, [*names[:last], *names[last + 1 :]])
        return
    seat = int(problem.at[1])
    names = entry["melds"][seat]
    place = int(problem.at[2]) if len(problem.at) > 2 else None
    for other in [*([hint.facts["name"]] for hint in problem.suggestions), []]:
        right = [] if place is None else [*names[:place], *other, *names[place + 1 :]]
        yield with_value(entry, "melds", seat, right)


def _near_points(hand: HandToRepair) -> Repairs:
    counts = hand.counts("trick_points")
    possible = possible_trick_points(hand.reading.ready)
    if counts is None or len(counts) != 2:
        return
    for by in [sign * off for off in range(1, MOST_NEAR) for sign in (1, -1)]:
        first = counts[0] + by
        second = counts[1] - by
        if first in possible and second in possible:
            yield {**hand.entry, "trick_points": [first, second]}
            return


def _rest(hand: HandToRepair, place: int) -> Repairs:
    others = with_value(hand.entry, "trick_points", place)["trick_points"]
    if all(type(value) is int for value in others):
        points = hand.reading.ready.trick_total - sum(others)
        yield with_value(hand.entry, "trick_points", place, points)
