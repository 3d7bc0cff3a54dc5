"""Deals from a file in Portable Bridge Notation: its tags Board, Dealer and Deal.

Pure. Everything else of a file is passed over. See docs/algorithms/duplicate.md, "Deals".
"""

import re
from collections.abc import Iterator
from typing import Final

from scoring.duplicate.deals import SEATS, DealtBoard, Written, dealt_boards
from scoring.errors import Problem, Refused

_COMMENT: Final = re.compile(r"^%[^\n]*|;[^\n]*|\{[^}]*\}", re.MULTILINE)
_TAG: Final = re.compile(r'\[\s*(Board|Dealer|Deal)\s+"([^"\n]*)"\s*\]')
_SUIT_ORDER: Final = "SHDC"


def read_pbn(text: str) -> tuple[DealtBoard, ...]:
    """Return the deals of a PBN file, by number.

    A tag that a game has already begins the next game. `[Deal "E:…"]` lists the hands clockwise
    from its first letter, suits from spades to clubs with dots between, T for the ten.

    Raises:
        Refused: bad_pbn_deal with the board, pbn_deal_without_board with the line, and all that
            `deals.dealt_boards` finds.

    Source: Portable Bridge Notation 2.1, sections 3.4.11 (Deal), 3.4.4 (Board), 3.4.9 (Dealer).

    >>> hands = "AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    >>> deal, = read_pbn(f'[Board "3"]\\n[Dealer "S"]\\n[Deal "W:{hands}"]')
    >>> deal.number, deal.dealer, [hand[-1] for hand in deal.hands]
    (3, 'S', ['AH', 'AD', 'AC', 'AS'])
    """
    return dealt_boards(list(_games(text)))


def _games(text: str) -> Iterator[Written]:
    game: dict[str, str] = {}
    text, line = _COMMENT.sub(_only_its_lines, text), 0
    for found in _TAG.finditer(text):
        name, value = found.groups()
        if name in game:
            yield _written(game, line)
            game = {}
        if name == "Deal" or not game:
            line = text.count("\n", 0, found.start()) + 1
        game[name] = value.strip()
    if game:
        yield _written(game, line)


def _only_its_lines(comment: re.Match[str]) -> str:
    return "\n" * comment.group().count("\n")


def _written(game: dict[str, str], line: int) -> Written:
    """Return one game as it is written; a number that is none stays a text, to be refused.

    Args:
        line: of its deal in the file, from 1.
    """
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
