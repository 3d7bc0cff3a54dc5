"""Who wins which trick: cards played in turn, identical cards, tricks that nobody wins, the kitty.

Pure. Needed where a sheet of several packs is checked trick by trick.
See docs/algorithms/tricks.md.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from scoring.cards import card_name, rank_of, read_card
from scoring.errors import Path, Problem, Refused, shown
from scoring.json_types import is_list
from scoring.rules.compiled_rules import Prepared
from scoring.rules.types import SameCard

Trick: TypeAlias = tuple[int, tuple[str, ...]]
"""One trick: who led (seat from 0), and the cards in turn, clockwise."""


def read_tricks(ready: Prepared, tricks: object, kitty: object) -> tuple[list[Trick], list[str]]:
    """The tricks and the kitty of a case."""
    problems: list[Problem] = []
    if not isinstance(tricks, list) or not tricks:
        raise Refused(Problem("bad_case", ("tricks",), {"why": "There is no list of tricks."}))
    played = [_trick(ready, trick, n, problems) for n, trick in enumerate(tricks)]
    lying = _cards(ready, kitty if kitty is not None else [], ("kitty",), problems)
    copies_played = Counter(card for _, plays in played for card in plays) + Counter(lying)
    for card, number in copies_played.items():
        copies = len(ready.deck.copies[card])
        if number > copies:
            facts = {"what": card_name(card), "card": card, "found": number, "expected": copies}
            problems.append(Problem("too_many_copies", ("tricks",), facts))
    if problems:
        raise Refused(*problems)
    return played, lying


def _trick(ready: Prepared, trick: object, place: int, problems: list[Problem]) -> Trick:
    at = ("tricks", place)
    fields = trick if isinstance(trick, Mapping) else {}
    lead = fields.get("lead")
    if type(lead) is not int or not 0 <= lead < ready.seats:
        problems.append(Problem("unknown_seat", (*at, "lead"), {"field": "lead"}))
        lead = 0
    codes = fields.get("plays", [])
    plays = _cards(ready, codes, (*at, "plays"), problems)
    number = len(codes) if isinstance(codes, list) else 0
    if number == 0 or (ready.keys.tricks == "equal" and number != ready.seats):
        facts = {"field": "plays", "found": number, "expected": ready.seats}
        problems.append(Problem("seat_count", (*at, "plays"), facts))
    return lead, tuple(plays)


def _cards(ready: Prepared, codes: object, at: Path, problems: list[Problem]) -> list[str]:
    cards = []
    for place, code in enumerate(codes if is_list(codes) else [codes]):
        card = read_card(code)
        if card is None or card not in ready.deck.copies:
            problems.append(Problem("unknown_card", (*at, place), {"found": shown(code)}))
        else:
            cards.append(card)
    return cards


def winner(plays: Sequence[str], same: SameCard) -> int | None:
    """The place in `plays` that wins the trick, or None where nobody does.

    >>> jacks = ("JC", "10C", "9C", "8C", "4C", "JC")
    >>> winner(jacks, SameCard(rule="cancel")), winner(jacks, SameCard(rule="later"))
    (1, 5)
    """
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


class Captures:
    """The captured cards and the number of tricks of each seat, after tricks and the kitty.

    The cards of a seat stand in the order of capture. The last trick is the last of the deal.
    """

    def __init__(self, ready: Prepared, tricks: Sequence[Trick], kitty: Sequence[str]) -> None:
        self.ready, self._kitty = ready, list(kitty)
        self.taken: list[list[str]] = [[] for _ in range(ready.seats)]
        self.counts = [0] * ready.seats
        self.unclaimed: list[str] = []
        waiting: list[str] = []
        previous: int | None = None
        for number, (lead, plays) in enumerate(tricks, 1):
            waiting += [*self._from_kitty(plays, number), *plays]
            place = winner(plays, ready.keys.same_card)
            if place is not None:
                previous = (lead + place) % ready.seats
                self.taken[previous] += waiting
                self.counts[previous] += 1
                waiting = []
        aim = ready.keys.same_card.last_stalled
        seat = previous if aim == "previous_winner" else tricks[-1][0]
        if aim == "uncounted" or seat is None:
            self.unclaimed += waiting
        else:
            self.taken[seat] += waiting

    def _from_kitty(self, plays: Sequence[str], number: int) -> list[str]:
        """The part of the kitty that lies with this trick, of which `number` is from 1."""
        aim, cards = self.ready.keys.deck.kitty_to, len(self._kitty)
        if aim == "one_each_first_two":
            cards = 1 if number <= 2 else 0
        elif aim == "first_penalty":
            first = self.ready.deck.first
            cards = cards if any(first[c] & self.ready.counting for c in plays) else 0
        part, self._kitty = self._kitty[:cards], self._kitty[cards:]
        return part
