"""A deal: four hands of thirteen cards, how our JSON writes it, and what is wrong with one.

Pure. See docs/algorithms/duplicate.md, "Deals".
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scoring.cards import BASES, SUITS, rank_of, read_card
from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules

SEATS: Final = "NESW"
"""The seats of a table of four, clockwise from seat 1."""

PACK: Final = BASES["std52"]
EACH: Final = 13
"""Cards of one hand."""
LAST_BOARD: Final = 1000
"""The largest number of a board."""

_SORTED: Final = {card: (SUITS.index(card[-1]), rank_of(card)) for card in PACK}


def plays_boards(rules: Rules) -> bool:
    """Whether a game can be played with such deals: four players have 13 cards of one pack each.

    Source: a board is a deal of 52 cards to four hands, as in duplicate bridge.

    >>> from scoring.rules.catalogue import catalogue
    >>> [plays_boards(catalogue().rules(one)) for one in ("hearts", "pinochle-two-hand")]
    [True, False]
    """
    least, most = rules.keys.players
    if not least <= len(SEATS) <= most:
        return False
    deck = prepare(rules, len(SEATS))
    return not deck.keys.deck.kitty and sorted(deck.deck.cards) == sorted(PACK)


@dataclass(frozen=True, slots=True)
class DealtBoard:
    """One deal. `hands` are those of N, E, S and W, each sorted by suit and rank."""

    number: int
    dealer: str
    hands: tuple[tuple[str, ...], ...]

    def as_json(self) -> JsonDict:
        """The deal as a deal file writes it."""
        hands = {seat: list(cards) for seat, cards in zip(SEATS, self.hands, strict=True)}
        return {"number": self.number, "dealer": self.dealer, "hands": hands}


def usual_dealer(number: int) -> str:
    """The dealer of a board where nothing else is written: N, E, S, W, N, …

    >>> [usual_dealer(number) for number in (1, 2, 4, 5)]
    ['N', 'E', 'W', 'N']
    """
    return SEATS[(number - 1) % len(SEATS)]


def sorted_cards(cards: Sequence[str]) -> tuple[str, ...]:
    """Cards of the pack by suit (clubs, diamonds, hearts, spades) and rank, the lowest first.

    >>> sorted_cards(["QS", "2S", "AC"])
    ('AC', '2S', 'QS')
    """
    return tuple(sorted(cards, key=_SORTED.__getitem__))


def read_deals(document: object) -> tuple[DealtBoard, ...]:
    """Return the deals of a file in our form, by number.

    Args:
        document: the parsed JSON: `{"deals": [{"number": 1, "dealer": "N", "hands": {…}}]}`.
            Without `dealer` it is the usual one of the number.

    Raises:
        Refused: bad_deal_file, and all that `dealt_boards` finds.
    """
    deals = document.get("deals") if isinstance(document, Mapping) else None
    if not isinstance(deals, list):
        raise Refused(Problem("bad_deal_file", ("deals",), {"at": "deals"}))
    written = []
    for at, deal in enumerate(deals):
        hands = deal.get("hands") if isinstance(deal, Mapping) else None
        if (
            not isinstance(hands, Mapping)
            or set(hands) != set(SEATS)
            or not all(isinstance(hands[seat], list) for seat in SEATS)
        ):
            raise Refused(Problem("bad_deal_file", ("deals", at), {"at": f"deals/{at}"}))
        number = deal.get("number")
        written.append((number, deal.get("dealer"), [hands[seat] for seat in SEATS]))
    return dealt_boards(written)


Written = tuple[object, object, Sequence[Sequence[object]]]
"""A deal as it is written: number, dealer (None = the usual one), four lists of codes."""


def dealt_boards(written: Sequence[Written]) -> tuple[DealtBoard, ...]:
    """Return deals that are whole, by number.

    Raises:
        Refused: no_deals, bad_board_number, board_twice, bad_dealer, and for each deal what
            `card_problems` finds; all of them at once.
    """
    if not written:
        raise Refused(Problem("no_deals"))
    problems: list[Problem] = []
    found: dict[int, DealtBoard] = {}
    for at, deal in enumerate(written):
        own = list(_problems(deal, found, ("deals", at)))
        problems += own
        number, dealer, hands = deal
        if not own and isinstance(number, int):
            read = tuple(sorted_cards([str(read_card(card)) for card in hand]) for hand in hands)
            found[number] = DealtBoard(number, str(dealer or usual_dealer(number)), read)
    if problems:
        raise Refused(*problems)
    return tuple(found[number] for number in sorted(found))


def _problems(
    deal: Written, before: Mapping[int, DealtBoard], at: tuple[str | int, ...]
) -> Iterator[Problem]:
    number, dealer, hands = deal
    if type(number) is not int or not 1 <= number <= LAST_BOARD:
        facts = {"found": str(number), "most": LAST_BOARD}
        yield Problem("bad_board_number", (*at, "number"), facts)
        return
    if number in before:
        yield Problem("board_twice", (*at, "number"), {"board": number})
    if dealer is not None and dealer not in tuple(SEATS):
        yield Problem("bad_dealer", (*at, "dealer"), {"board": number, "found": str(dealer)})
    yield from card_problems(number, hands, (*at, "hands"))


def card_problems(
    number: int, hands: Sequence[Sequence[object]], at: tuple[str | int, ...] = ()
) -> Iterator[Problem]:
    """Yield what is wrong with the cards of a deal, each with its board, seat and card.

    A card that is there twice counts for the first seat that has it, so the seat that is short is
    the other one.

    >>> hands = [PACK[:13], PACK[13:26], PACK[26:39], (*PACK[39:51], "KS")]
    >>> for found in card_problems(7, hands):
    ...     print(found.code, found.facts["seat"], found.facts["card"])
    deal_card_twice W and W KS
    deal_card_missing W AS
    """
    holders: dict[str, list[str]] = {}
    own: Counter[str] = Counter()
    for seat, hand in zip(SEATS, hands, strict=True):
        if len(hand) != EACH:
            facts = {"board": number, "seat": seat, "found": len(hand), "expected": EACH}
            yield Problem("deal_hand_size", (*at, seat), facts)
        for written in hand:
            card = read_card(written)
            if card not in _SORTED:
                facts = {"board": number, "seat": seat, "card": str(written)}
                yield Problem("unknown_deal_card", (*at, seat), facts)
                continue
            own[seat] += card not in holders
            holders.setdefault(card, []).append(seat)
    for card in PACK:
        if len(seats := holders.get(card, [])) > 1:
            facts = {"board": number, "seat": " and ".join(seats), "card": card}
            yield Problem("deal_card_twice", (*at, seats[-1]), facts)
    short = [seat for seat in SEATS if own[seat] < EACH]
    for card in PACK:
        if card not in holders:
            facts = {"board": number, "seat": " or ".join(short), "card": card}
            yield Problem("deal_card_missing", (*at, short[0]), facts)
