"""Deals: four hands of thirteen cards, from a seed, from our JSON, or from a PBN file.

Pure. See docs/algorithms/duplicate.md.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scoring.cards import BASES, SUITS, rank_of, read_card
from scoring.errors import Path, Problem, Refused
from scoring.json_types import JsonDict
from scoring.rules.compiled_rules import prepare
from scoring.rules.rules import Rules
from scoring.seating.splitmix import SplitMix

SEATS: Final = "NESW"
"""The seats of a table of four, clockwise from seat 1."""

PACK: Final = BASES["std52"]
EACH: Final = 13
"""Cards of one hand."""
LAST_BOARD: Final = 1000
"""The largest number of a board."""

_SORTED: Final = {card: (SUITS.index(card[-1]), rank_of(card)) for card in PACK}

Written = tuple[object, object, Sequence[Sequence[object]]]
"""A deal as it is written: number, dealer (None = the usual one), four lists of codes."""

_SUIT_ORDER: Final = "SHDC"


def plays_boards(rules: Rules) -> bool:
    """Whether a game can be played with such deals: four players have 13 cards of one pack each.

    Source: a board is a deal of 52 cards to four hands, as in duplicate bridge.

    >>> from scoring.rules.catalogue import catalogue
    >>> [plays_boards(catalogue().rules(name)) for name in ("hearts", "pinochle-two-hand")]
    [True, False]
    """
    if len(SEATS) not in rules.table_sizes:
        return False
    deck = prepare(rules, len(SEATS)).deck
    return not rules.keys.deck.kitty and sorted(deck.cards) == sorted(PACK)


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
    """The dealer of a board unless the file says otherwise: N, E, S, W, N, …

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
    """Return the deals of a file in our form, by number; without `dealer` it is the usual one.

    The parsed JSON is `{"deals": [{"number": 1, "dealer": "N", "hands": {…}}]}`.
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


def dealt_boards(written: Sequence[Written]) -> tuple[DealtBoard, ...]:
    """Return complete deals, by number."""
    if not written:
        raise Refused(Problem("no_deals"))
    problems: list[Problem] = []
    boards: dict[int, DealtBoard] = {}
    for at, deal in enumerate(written):
        cards = list(_problems(deal, boards, ("deals", at)))
        problems += cards
        number, dealer, hands = deal
        if not cards and isinstance(number, int):
            read = tuple(sorted_cards([str(read_card(card)) for card in hand]) for hand in hands)
            boards[number] = DealtBoard(number, str(dealer or usual_dealer(number)), read)
    if problems:
        raise Refused(*problems)
    return tuple(boards[number] for number in sorted(boards))


def _problems(deal: Written, before: Mapping[int, DealtBoard], at: Path) -> Iterator[Problem]:
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
    number: int, hands: Sequence[Sequence[object]], at: Path = ()
) -> Iterator[Problem]:
    """Yield what is wrong with the cards of a deal, each with its board, seat and card.

    A duplicate card counts for the first seat that has it, so the other seat is
    short.

    >>> hands = [PACK[:13], PACK[13:26], PACK[26:39], (*PACK[39:51], "KS")]
    >>> for problem in card_problems(7, hands):
    ...     print(problem.code, problem.facts["seat"], problem.facts["card"])
    deal_card_twice W and W KS
    deal_card_missing W AS
    """
    holders: dict[str, list[str]] = {}
    allowed: Counter[str] = Counter()
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
            if card not in holders:
                allowed[seat] += 1
            holders.setdefault(card, []).append(seat)
    for card in PACK:
        if len(seats := holders.get(card, [])) > 1:
            facts = {"board": number, "seat": " and ".join(seats), "card": card}
            yield Problem("deal_card_twice", (*at, seats[-1]), facts)
    short = [seat for seat in SEATS if allowed[seat] < EACH]
    for card in PACK:
        if card not in holders:
            facts = {"board": number, "seat": " or ".join(short), "card": card}
            yield Problem("deal_card_missing", (*at, short[0]), facts)


_STATE_BYTES: Final = 8


def deal_from_seed(seed: str, number: int) -> DealtBoard:
    """Return board `number` of a seed: the pack shuffled, thirteen cards each to N, E, S and W.

    Each board has its own generator, seeded with the first 64 bits of the SHA-256 of
    `<seed>:<number>`, so that a known board reveals nothing of the seed or of another board.

    Source: SplitMix64 and Fisher-Yates, `scoring/seating/splitmix.py`.

    >>> deal = deal_from_seed("2f1c", 2)
    >>> deal.dealer, deal.hands[0][:4]
    ('E', ('4C', '6C', '10C', 'JC'))
    """
    state = hashlib.sha256(f"{seed}:{number}".encode()).digest()[:_STATE_BYTES]
    cards = SplitMix(int.from_bytes(state, "big")).shuffled(PACK)
    hands = tuple(sorted_cards(cards[EACH * at : EACH * (at + 1)]) for at in range(len(SEATS)))
    return DealtBoard(number, usual_dealer(number), hands)


def commitment_of(secret: str) -> str:
    """The published commitment to a seed, or to the text of a deal file, before it is shown.

    >>> commitment_of("2f1c")[:12]
    '81bb73ed134b'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def deal_text(deals: Iterable[DealtBoard]) -> str:
    """Return deals as the one text that their commitment is made of: compact JSON, by number."""
    in_order = sorted(deals, key=lambda deal: deal.number)
    return json.dumps({"deals": [deal.as_json() for deal in in_order]}, separators=(",", ":"))


_COMMENT: Final = re.compile(r"^%[^\n]*|;[^\n]*|\{[^}]*\}", re.MULTILINE)
_TAG: Final = re.compile(r'\[\s*(Board|Dealer|Deal)\s+"([^"\n]*)"\s*\]')


def read_pbn(text: str) -> tuple[DealtBoard, ...]:
    """Return the deals of a PBN file, by number.

    A repeated tag starts the next game. `[Deal "E:…"]` lists the hands clockwise
    from its first letter, suits from spades to clubs with dots between, T for the ten.

    Source: Portable Bridge Notation 2.1, sections 3.4.11 (Deal), 3.4.4 (Board), 3.4.9 (Dealer).

    >>> hands = "AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    >>> deal, = read_pbn(f'[Board "3"]\\n[Dealer "S"]\\n[Deal "W:{hands}"]')
    >>> deal.number, deal.dealer, [hand[-1] for hand in deal.hands]
    (3, 'S', ['AH', 'AD', 'AC', 'AS'])
    """
    return dealt_boards(list(_games(text)))


def _games(text: str) -> Iterator[Written]:
    game: dict[str, str] = {}
    # A comment leaves its lines, so that the deals keep their line numbers.
    text, line = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text), 0
    for tag in _TAG.finditer(text):
        name, value = tag.groups()
        if name in game:
            yield _written(game, line)
            game = {}
        if name == "Deal" or not game:
            line = text.count("\n", 0, tag.start()) + 1
        game[name] = value.strip()
    if game:
        yield _written(game, line)


def _written(game: dict[str, str], line: int) -> Written:
    """Return one game unchecked; an invalid number stays a text, to be refused later."""
    board = game.get("Board", "")
    if not board:
        raise Refused(Problem("pbn_deal_without_board", (), {"line": line}))
    number = int(board) if board.isascii() and board.isdecimal() and len(board) < 5 else board
    first, _, rest = game.get("Deal", "").partition(":")
    hands = rest.split()
    if len(first) != 1 or first not in SEATS or len(hands) != len(SEATS):
        raise _unreadable(board, game)
    from_first: list[list[object]] = []
    for hand in hands:
        suits = hand.split(".")
        if len(suits) != len(_SUIT_ORDER):
            raise _unreadable(board, game)
        from_first.append(
            [rank + suit for suit, ranks in zip(_SUIT_ORDER, suits, strict=True) for rank in ranks]
        )
    start = SEATS.index(first)
    clockwise = [from_first[(at - start) % len(SEATS)] for at in range(len(SEATS))]
    return number, game.get("Dealer") or None, clockwise


def _unreadable(board: str, game: dict[str, str]) -> Refused:
    return Refused(Problem("bad_pbn_deal", (), {"board": board, "found": game.get("Deal", "")}))
