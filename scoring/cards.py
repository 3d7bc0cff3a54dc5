"""Cards, packs and selectors: which physical cards are in play, as bits of one integer.

Pure. A `Deck` gives every physical card one bit, so a pile is an `int`, two packs need no counters,
and "every penalty card once" is one comparison. See docs/rules-engine.md.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from operator import or_

SUITS = "CDHSXRYGB"
RANKS = (*map(str, range(15)), "J", "Q", "K", "A")
SUIT_NAMES = {
    "C": "clubs",
    "D": "diamonds",
    "H": "hearts",
    "S": "spades",
    "X": "jokers",
    "R": "red",
    "Y": "yellow",
    "G": "green",
    "B": "black",
}
RANK_NAMES = {
    "0": "zero", "1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six",
    "7": "seven", "8": "eight", "9": "nine", "10": "ten", "11": "eleven", "12": "twelve",
    "13": "thirteen", "14": "fourteen", "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip
SUIT_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
_STANDARD = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")

MOST_MASKS = 500
"""Selectors that a deck remembers; anybody may ask for others through an option."""

_RANK = "(?:1[0-4]|[0-9TJQKA])"


def _suited(ranks: Sequence[str], suits: str = "CDHS") -> tuple[str, ...]:
    return tuple(rank + suit for suit in suits for rank in ranks)


BASES: Mapping[str, tuple[str, ...]] = {
    "std52": _suited(_STANDARD),
    "low32": _suited(_STANDARD[5:]),
    "low28": _suited(_STANDARD[6:]),
    "low24": _suited(_STANDARD[7:]),
    "500x60": _suited((*_STANDARD[:9], "11", "12", *_STANDARD[9:])),
    "rook56": _suited([str(rank) for rank in range(1, 15)], "RYGB"),
}
"""Name of a pack → its cards, low to high in each suit."""


_CODES: dict[str, str] = {
    code: code for code in (*BASES["500x60"], *BASES["rook56"], "0C", "0D", "0H", "0S", "1X", "2X")
}
EVERY_CARD: tuple[str, ...] = tuple(_CODES)
"""Every card of every pack, each once, as we write it."""
_CODES |= {"T" + suit: "10" + suit for suit in "CDHS"}


def read_card(code: object) -> str | None:
    """The card that `code` names, written as we write it, or `None`.

    >>> read_card("TD"), read_card("QS"), read_card("qs"), read_card(5)
    ('10D', 'QS', None, None)
    """
    if not isinstance(code, str):
        return None
    return _CODES.get(code)


_DRAWN = str.maketrans(
    {
        **dict(zip("♠♤♥♡♦♢♣♧", "SSHHDDCC", strict=True)),
        "\N{VARIATION SELECTOR-16}": None, **dict.fromkeys(",;.|/", " "),
    }
)  # fmt: skip
_RANK_FIRST = re.compile(f"(?:{_RANK}[{SUITS}])+")
_SUIT_FIRST = re.compile(f"(?:[{SUITS}]{_RANK})+")


def codes_in(text: str) -> list[str]:
    """The cards that a person wrote one after the other: any case, drawn suits, suit first too.

    Text that is no card is kept, in capitals, for the scorer to refuse.

    >>> codes_in("qs, ♥3 TH j♦10c"), codes_in("QZ 1x")
    (['QS', '3H', '10H', 'JD', '10C'], ['QZ', '1X'])
    """
    words = text.translate(_DRAWN).upper().split()
    return [_CODES.get(code, code) for word in words for code in _in_word(word)]


def _in_word(word: str) -> list[str]:
    if _RANK_FIRST.fullmatch(word):
        return re.findall(f"{_RANK}[{SUITS}]", word)
    if _SUIT_FIRST.fullmatch(word):
        return [code[1:] + code[0] for code in re.findall(f"[{SUITS}]{_RANK}", word)]
    return [word]


def rank_of(card: str) -> int:
    """The height of the card in its suit; only comparisons within one suit mean something."""
    return RANKS.index(card[:-1])


def card_name(card: str) -> str:
    """The card in words.

    >>> card_name("QS"), card_name("2X")
    ('queen of spades', 'joker 2')
    """
    if card[-1] == "X":
        return f"joker {card[:-1]}"
    return f"{RANK_NAMES[card[:-1]]} of {SUIT_NAMES[card[-1]]}"


def card_sign(card: str) -> str:
    """The card as a player writes it.

    >>> card_sign("QS"), card_sign("10Y")
    ('Q♠', '10 yellow')
    """
    if card[-1] in SUIT_SIGNS:
        return card[:-1] + SUIT_SIGNS[card[-1]]
    return f"{card[:-1]} {SUIT_NAMES[card[-1]]}".replace("jokers", "joker")


def bits_of(pile: int) -> list[int]:
    """The cards of a pile one by one, each as a pile."""
    return [1 << place for place in range(pile.bit_length()) if pile >> place & 1]


def prefixes(pile: int) -> list[int]:
    """The first 0, 1, 2 … cards of a pile, as piles: a number of cards is the difference of two.

    >>> prefixes(0b1011)
    [0, 1, 3, 11]
    """
    return list(accumulate(bits_of(pile), or_, initial=0))


def selects(term: str, card: str) -> bool:
    """Whether one term of a selector (`QS`, `*H`, `Q*`, `5-10H`, `*`) matches `card`."""
    rank, suit = card[:-1], card[-1]
    if term == "*":
        return True
    if term[-1] != "*" and term[-1] != suit:
        return False
    ranks = term[:-1]
    if "-" in ranks:
        low, high = ranks.split("-")
        return RANKS.index(low) <= RANKS.index(rank) <= RANKS.index(high)
    return ranks in ("*", rank)


def is_selector(text: object) -> bool:
    """Whether `text` is a selector that can be read.

    >>> is_selector("*H,QS"), is_selector("5-10H"), is_selector("H"), is_selector("")
    (True, True, False, False)
    """
    return isinstance(text, str) and all(_is_term(term) for term in text.split(","))


def _is_term(term: str) -> bool:
    if term == "*":
        return True
    ranks, suit = term[:-1], term[-1:]
    if not ranks or suit not in SUITS + "*":
        return False
    return ranks == "*" or all(rank in RANKS for rank in ranks.split("-", 1))


@dataclass(frozen=True)
class Deck:
    """The cards in play at one table: bit i of a pile is `cards[i]`, copies side by side."""

    cards: tuple[str, ...]

    @cached_property
    def full(self) -> int:
        """Every card in play."""
        return (1 << len(self.cards)) - 1

    @cached_property
    def copies(self) -> Mapping[str, tuple[int, ...]]:
        """Card → the bits of its copies."""
        bits_by_card: dict[str, list[int]] = {}
        for place, card in enumerate(self.cards):
            bits_by_card.setdefault(card, []).append(1 << place)
        return {card: tuple(bits) for card, bits in bits_by_card.items()}

    @cached_property
    def first(self) -> Mapping[str, int]:
        """Code as typed (`TD` too) → the bit of the card's first copy."""
        return {code: self.copies[card][0] for code, card in _CODES.items() if card in self.copies}

    def mask(self, selector: str) -> int:
        """Every card in play that the selector matches.

        >>> deck = Deck(BASES["std52"])
        >>> deck.mask("*H,QS").bit_count()
        14
        """
        mask = self._masks.get(selector)
        if mask is None:
            if len(self._masks) >= MOST_MASKS:
                self._masks.clear()
            terms = selector.split(",")
            mask = self._masks[selector] = sum(
                1 << place
                for place, card in enumerate(self.cards)
                if any(selects(term, card) for term in terms)
            )
        return mask

    @cached_property
    def _masks(self) -> dict[str, int]:
        """A cache of selectors' masks: rules of one deck use the same few."""
        return {}

    def names(self, pile: int) -> list[str]:
        """The cards of a pile, a code for each copy."""
        return [card for place, card in enumerate(self.cards) if pile >> place & 1]


@lru_cache(maxsize=256)
def build_deck(base: str, packs: int, remove: tuple[str, ...], add: tuple[str, ...]) -> Deck:
    """The deck of some packs, one copy less for each card to remove, one more for each to add.

    A card to remove that is not in the packs is ignored: an option may name a smaller pack.
    """
    cards = [card for card in BASES[base] for _ in range(packs)]
    for card in remove:
        if card in cards:
            cards.remove(card)
    by_suit = sorted([*cards, *add], key=lambda card: (SUITS.index(card[-1]), rank_of(card)))
    return Deck(tuple(by_suit))
