"""Who wins which trick: cards played in turn, identical cards, tricks that nobody wins, the kitty.

Pure. Needed where a sheet of several packs is checked trick by trick.
See docs/algorithms/tricks.md.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scoring.cards import card_name, rank_of, read_card
from scoring.errors import Problem, Refused, shown
from scoring.rules.compiled_rules import Prepared
from scoring.rules.types import SameCard


class Trick(NamedTuple):
    """One trick: who led (seat from 0), and the cards in turn, clockwise."""

    lead: int
    plays: tuple[str, ...]


class TrickResult(NamedTuple):
    """The captured cards and the number of tricks of each seat, in the order of capture."""

    taken: tuple[tuple[str, ...], ...]
    unclaimed: tuple[str, ...]
    counts: tuple[int, ...]


def read_tricks(ready: Prepared, tricks: object, kitty: object) -> tuple[list[Trick], list[str]]:
    """The tricks and the kitty of a case."""
    problems: list[Problem] = []
    if not isinstance(tricks, list) or not tricks:
        raise Refused(Problem("bad_case", ("tricks",), {"why": "There is no list of tricks."}))
    read = [_trick(ready, item, n, problems) for n, item in enumerate(tricks)]
    lying = _cards(ready, kitty if kitty is not None else [], ("kitty",), problems)
    copies_played = Counter(card for trick in read for card in trick.plays) + Counter(lying)
    for card, number in copies_played.items():
        copies = len(ready.deck.copies[card])
        if number > copies:
            facts = {"what": card_name(card), "card": card, "found": number, "expected": copies}
            problems.append(Problem("too_many_copies", ("tricks",), facts))
    if problems:
        raise Refused(*problems)
    return read, lying


def _trick(ready: Prepared, item: object, place: int, problems: list[Problem]) -> Trick:
    at = ("tricks", place)
    fields = item if isinstance(item, Mapping) else {}
    lead = fields.get("lead")
    if type(lead) is not int or not 0 <= lead < ready.seats:
        problems.append(Problem("unknown_seat", (*at, "lead"), {"field": "lead"}))
        lead = 0
    listed = fields.get("plays", [])
    plays = _cards(ready, listed, (*at, "plays"), problems)
    number = len(listed) if isinstance(listed, list) else 0
    if number == 0 or (ready.keys.tricks == "equal" and number != ready.seats):
        facts = {"field": "plays", "found": number, "expected": ready.seats}
        problems.append(Problem("seat_count", (*at, "plays"), facts))
    return Trick(lead, tuple(plays))


def _cards(
    ready: Prepared, listed: object, at: tuple[str | int, ...], problems: list[Problem]
) -> list[str]:
    codes: list[Any] = list(listed) if isinstance(listed, list | tuple) else [listed]
    cards = []
    for place, code in enumerate(codes):
        card = read_card(code)
        if card is None or card not in ready.deck.copies:
            problems.append(Problem("unknown_card", (*at, place), {"found": shown(code)}))
        else:
            cards.append(card)
    return cards


def winner(trick: Trick, same: SameCard) -> int | None:
    """The place in `plays` that wins the trick, or None where nobody does.

    >>> jacks = Trick(0, ("JC", "10C", "9C", "8C", "4C", "JC"))
    >>> winner(jacks, SameCard(rule="cancel")), winner(jacks, SameCard(rule="later"))
    (1, 5)
    """
    plays = trick.plays
    standing = [n for n, card in enumerate(plays) if card[-1] == plays[0][-1]]
    if same.rule == "cancel":
        pairs = sum(number // 2 for number in Counter(plays).values())
        if same.void_on == "two_pairs" and pairs >= 2:
            return None
        standing = [n for n in standing if _stands(plays, n)]
    if not standing:
        return None
    later = 1 if same.rule == "later" else -1
    return max(standing, key=lambda n: (rank_of(plays[n]), later * n))


def _stands(plays: Sequence[str], place: int) -> bool:
    """Whether the card is not cancelled: equal cards cancel in pairs, in the order of play."""
    copies = plays.count(plays[place])
    return copies % 2 == 1 and plays[:place].count(plays[place]) == copies - 1


def resolve(ready: Prepared, tricks: Sequence[Trick], kitty: Sequence[str]) -> TrickResult:
    """The cards of each seat, the cards of nobody, and the number of tricks of each seat.

    Args:
        ready: the rules at this table.
        tricks: in order; the last is the last of the deal.
        kitty: cards that go to a trick as the rules say.
    """
    table = _Table(ready, [[] for _ in range(ready.seats)], [0] * ready.seats, list(kitty))
    for trick in tricks:
        table.play(trick)
    table.end(tricks[-1])
    return TrickResult(tuple(map(tuple, table.taken)), tuple(table.unclaimed), tuple(table.counts))


@dataclass(slots=True)
class _Table:
    ready: Prepared
    taken: list[list[str]]
    counts: list[int]
    kitty: list[str]
    waiting: list[str] = field(default_factory=list)
    unclaimed: list[str] = field(default_factory=list)
    previous: int | None = None
    played: int = 0

    def play(self, trick: Trick) -> None:
        place = winner(trick, self.ready.keys.same_card)
        self.played += 1
        self.waiting += [*self.from_kitty(trick), *trick.plays]
        if place is not None:
            seat = (trick.lead + place) % self.ready.seats
            self.taken[seat] += self.waiting
            self.counts[seat] += 1
            self.waiting, self.previous = [], seat

    def from_kitty(self, trick: Trick) -> list[str]:
        """The part of the kitty that lies with this trick."""
        aim, number = self.ready.keys.deck.kitty_to, len(self.kitty)
        if aim == "one_each_first_two":
            number = 1 if self.played <= 2 else 0
        elif aim == "first_penalty":
            first = self.ready.deck.first
            number = number if any(first[c] & self.ready.counting for c in trick.plays) else 0
        cards, self.kitty = self.kitty[:number], self.kitty[number:]
        return cards

    def end(self, last: Trick) -> None:
        """Cards that still wait after the last trick."""
        aim = self.ready.keys.same_card.last_stalled
        seat = self.previous if aim == "previous_winner" else last.lead
        if aim == "uncounted" or seat is None:
            self.unclaimed += self.waiting
        else:
            self.taken[seat] += self.waiting
