"""The parts of rules cards: sections, translatable sentences, cards and points in words."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from scoring.cards import Deck, card_sign, rank_of
from scoring.numbers import Complex, Real, Score

Fact: TypeAlias = "int | str | Sentence | tuple[str | Sentence, ...]"
Translate: TypeAlias = Callable[[str], str]
MINUS = "−"


@dataclass(init=False)
class Sentence:
    """A template with the facts for its braces; its text is English."""

    text: str
    facts: Mapping[str, Fact]

    def __init__(self, text: str, /, **facts: Fact) -> None:
        self.text, self.facts = text, facts

    def __str__(self) -> str:
        return sentence_text(self)


Text: TypeAlias = str | Sentence


@dataclass(frozen=True, slots=True)
class Row:
    """One rule: what it is about, what it says, and its number where it has one.

    `figure` is printed at the right margin: the value of a card, the score of a seat.
    """

    key: str
    heading: Text
    sentences: tuple[Text, ...] = ()
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows on one subject under one heading."""

    key: str
    heading: Text
    rows: tuple[Row, ...]


_NOUNS = {
    "C": "club", "D": "diamond", "H": "heart", "S": "spade", "X": "joker", "R": "red card",
    "Y": "yellow card", "G": "green card", "B": "black card",
    "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip
"""A card of a suit, or of a rank that has a name."""

_SUITS = "HSDCRYGBX"
"""Players name the suit that counts first, then the others."""


def row(key: str, heading: str, *sentences: Text, figure: str = "") -> Row:
    """A row with a template as its heading."""
    return Row(key, Sentence(heading), sentences, figure)


@dataclass(frozen=True, slots=True)
class Card:
    """A rules card: which rules, for how many players, and what they say."""

    id: str
    name: str
    version: str
    seats: int
    sections: tuple[Section, ...]

    def section(self, key: str) -> Section | None:
        """The section of that key, where the card has it."""
        return next((section for section in self.sections if section.key == key), None)


@dataclass(frozen=True, slots=True)
class Pair:
    """One rule on two cards; None where a card does not have it."""

    section: Text
    key: str
    heading: Text
    left: Row | None
    right: Row | None

    @property
    def same(self) -> bool:
        """Whether both cards say the same; a heading only says how many copies there are."""
        if self.left is None or self.right is None:
            return False
        mine, theirs = self.left, self.right
        return (mine.sentences, mine.figure) == (theirs.sentences, theirs.figure)


def sentence_text(sentence: Text, translate: Translate = str) -> str:
    """The sentence as text; several facts in one brace are listed as one says them.

    >>> sentence_text(Sentence("{cards} and no more", cards=("Q♠", "J♦")))
    'Q♠ and J♦ and no more'
    """
    if isinstance(sentence, str):
        return sentence
    facts = {key: _fact(fact, translate) for key, fact in sentence.facts.items()}
    return translate(sentence.text).format_map(facts)


def _fact(fact: Fact, translate: Translate) -> str:
    if not isinstance(fact, tuple):
        if isinstance(fact, int):
            return str(fact)
        return sentence_text(fact, translate)
    words = [sentence_text(item, translate) for item in fact]
    if len(words) < 2:
        return "".join(words)
    both = {"several": ", ".join(words[:-1]), "last": words[-1]}
    return translate("{several} and {last}").format_map(both)


def one_or_list(items: Iterable[Text]) -> Text:
    """The only item, or all of them listed."""
    texts = tuple(items)
    if len(texts) == 1:
        return texts[0]
    return Sentence("{items}", items=texts)


def either(items: Iterable[Text]) -> Text:
    """The only item, or all of them with an "or" before the last."""
    *first, last = items
    if not first:
        return last
    return Sentence("{several} or {last}", several=joined("{these}, {those}", first), last=last)


def joined(template: str, items: Iterable[Text]) -> Text:
    """Items one after another, each two in the braces of `{these}` and `{those}`."""
    text, *rest = items
    for item in rest:
        text = Sentence(template, these=text, those=item)
    return text


def points(score: Score) -> str:
    """A score as it is printed, with a true minus.

    >>> points(-10), points(Complex(-26, 10)), points(Complex(0, 13)), points(Complex(5, -1))
    ('−10', '−26 + 10i', '13i', '5 − i')
    """
    if not isinstance(score, Complex):
        return _real(score)
    if not score.im:
        return _real(score.re)
    size = score.im if score.im > 0 else -score.im
    imaginary = "i" if size == 1 else f"{_real(size)}i"
    if not score.re:
        return (MINUS if score.im < 0 else "") + imaginary
    return f"{_real(score.re)} {MINUS if score.im < 0 else '+'} {imaginary}"


def signed(score: Score) -> str:
    """A score with its sign also where it is a plus.

    >>> signed(5), signed(-5), signed(0)
    ('+5', '−5', '0')
    """
    plus = not isinstance(score, Complex) and score > 0
    if plus:
        return f"+{points(score)}"
    return points(score)


def _real(value: Real) -> str:
    return str(value).replace("-", MINUS)


_COPIES = {
    1: "{card}",
    2: "both {card}",
    3: "all three {card}",
    4: "all four {card}",
    5: "all five {card}",
    6: "all six {card}",
}
"""Number of copies of a card → words for all of them."""


def sign(card: str) -> str:
    """The card as it is printed; one joker is like the other.

    >>> sign("QS"), sign("10Y"), sign("1X")
    ('Q♠', '10 yellow', 'joker')
    """
    if card[-1] == "X":
        return "joker"
    return card_sign(card)


def all_cards(deck: Deck, mask: int) -> Text:
    """Every card of the mask, as one who must hold them all says it.

    >>> from scoring.cards import BASES
    >>> deck = Deck(BASES["std52"])
    >>> str(all_cards(deck, deck.mask("*H,QS"))), str(all_cards(deck, deck.mask("Q*,5-10H")))
    ('all 13 hearts and Q♠', 'all 4 queens and 5–10♥')
    """
    if mask == deck.full:
        return Sentence("all cards")
    whole, rest = _whole(deck, mask, "all {n} *s")
    single = [
        Sentence(_COPIES[min(len(deck.copies[run[0]]), 6)], card=run_sign(run))
        if len(run) == 1
        else run_sign(run)
        for run in runs(deck, rest)
    ]
    return one_or_list([*whole, *single])


def each_card(deck: Deck, mask: int) -> Text:
    """The cards of the mask, one by one, as a list of values says it.

    >>> from scoring.cards import BASES
    >>> deck = Deck(BASES["std52"])
    >>> str(each_card(deck, deck.mask("*H,QS"))), str(each_card(deck, deck.mask("2-10H,AH")))
    ('each heart and Q♠', 'each of 2–10♥ and A♥')
    """
    if mask == deck.full:
        return Sentence("each card")
    whole, rest = _whole(deck, mask, "each *")
    groups = runs(deck, rest)
    signs = tuple(run_sign(run) for run in groups)
    if len(groups) > 1 or (groups and len(groups[0]) > 1):
        whole.append(Sentence("each of {cards}", cards=signs))
    elif groups:
        once = len(deck.copies[groups[0][0]]) == 1
        whole.append(signs[0] if once else Sentence("each {card}", card=signs[0]))
    return one_or_list(whole)


def no_cards(deck: Deck, mask: int) -> Text:
    """None of the cards of the mask.

    >>> from scoring.cards import BASES
    >>> deck = Deck(BASES["std52"])
    >>> str(no_cards(deck, deck.mask("*H,QS,2-4C")))
    'no heart, no Q♠ and no 2–4♣'
    """
    whole, rest = _whole(deck, mask, "no *")
    single = [Sentence("no {card}", card=run_sign(run)) for run in runs(deck, rest)]
    return one_or_list([*whole, *single])


def some_cards(deck: Deck, pile: int, hearts: int) -> Text:
    """The cards of a pile: the `hearts` by their number, the others one by one."""
    counted = pile & hearts
    parts: list[Text] = []
    if counted:
        noun = _NOUNS[deck.names(counted)[0][-1]]
        number = counted.bit_count()
        parts.append(Sentence(f"one {noun}" if number == 1 else f"{{n}} {noun}s", n=number))
    parts += _pile(deck, pile & ~counted)
    if parts:
        return one_or_list(parts)
    return Sentence("nothing")


def _whole(deck: Deck, mask: int, text: str) -> tuple[list[Text], int]:
    """Whole suits and whole ranks in words, and the cards of the mask that are left.

    The noun replaces the star in the text.
    """
    texts: list[Text] = []
    ranks = dict.fromkeys(card[:-1] for card in deck.names(mask))
    for key in (*_SUITS, *filter(_NOUNS.__contains__, ranks)):
        cards = deck.mask(f"*{key}" if key in _SUITS else f"{key}*")
        if cards and not cards & ~mask and len(set(deck.names(cards))) > 1:
            number = cards.bit_count()
            both = number == 2 and key == "X" and text.startswith("all")
            words = "both jokers" if both else text.replace("*", _NOUNS[key])
            texts.append(Sentence(words, n=number))
            mask &= ~cards
    return texts, mask


def _pile(deck: Deck, pile: int) -> Iterator[Text]:
    names = deck.names(pile)
    jokers = sum(card[-1] == "X" for card in names)
    for run in runs(deck, pile):
        copies = names.count(run[0]) if len(run) == 1 else 1
        if run[0][-1] == "X":
            continue
        yield (
            Sentence("{n} × {card}", n=copies, card=run_sign(run)) if copies > 1 else run_sign(run)
        )
    if jokers:
        yield jokers_text(jokers)


def jokers_text(number: int) -> Sentence:
    """One or more jokers."""
    return Sentence("{n} jokers" if number > 1 else "a joker", n=number)


def deck_order(deck: Deck, mask: int) -> int:
    """The place of the first card of the mask in the order of players, for sorting."""
    return min(_SUITS.index(card[-1]) * 100 + rank_of(card) for card in deck.names(mask))


def runs(deck: Deck, mask: int) -> list[tuple[str, ...]]:
    """The cards of the mask in runs of one suit; two neighbours are no run yet.

    >>> from scoring.cards import BASES
    >>> deck = Deck(BASES["std52"])
    >>> runs(deck, deck.mask("2-4H,KH,AH,QS"))
    [('2H', '3H', '4H'), ('KH',), ('AH',), ('QS',)]
    """
    order = sorted(deck.copies, key=lambda card: _SUITS.index(card[-1]))
    chosen = [card for card in order if any(bit & mask for bit in deck.copies[card])]
    groups: list[tuple[str, ...]] = []
    for _, group in groupby(
        enumerate(chosen), key=lambda item: (item[1][-1], order.index(item[1]) - item[0])
    ):
        run = tuple(card for _, card in group)
        groups += [run] if len(run) > 2 else [(card,) for card in run]
    return groups


def run_sign(run: Sequence[str]) -> str:
    """A run as it is printed.

    >>> run_sign(("5H", "6H", "7H")), run_sign(("QS",))
    ('5–7♥', 'Q♠')
    """
    if len(run) == 1:
        return sign(run[0])
    return f"{run[0][:-1]}–{sign(run[-1])}"
