"""A board with its cards and the results of every table, once it may be shown."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import TypeAlias

from scoring.cards import SUIT_SIGNS
from scoring.duplicate.deals import SEATS, DealtBoard
from scoring.duplicate.matchpoints import LineScore, line_scores
from scoring.numbers import ScoreJson
from scoring.rules.dealing import pass_of
from scoring.standings.explain import four_places
from tournaments.models.clubs import Player
from tournaments.models.deals import Board
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.numbers import UNIT, as_json
from tournaments.selectors.boards.boards import board_at, boards_of, shown_boards
from tournaments.selectors.boards.field_results import LineResult, line_results
from tournaments.selectors.clubs.names import NameColumn, name_column, name_of
from tournaments.selectors.hands.score_sheet import pass_in_words
from tournaments.services.boards.open_boards import opened_boards
from tournaments.services.events.events import default_snapshot
from tournaments.services.rules.rule_sets import low_wins, rules_of

_HIGH_TO_LOW = "SHDC"


PrintedBoard: TypeAlias = DealtBoard
"""A board with its cards, for printing."""


@dataclass(frozen=True, slots=True)
class LineCell:
    """One seat's result of a board: exact matchpoints and datum, the percentage to four places."""

    line: str
    player_id: str
    player: str
    score: ScoreJson
    matchpoints: int | str
    percentage: str
    datum: int | str
    datum_rounded: str


@dataclass(frozen=True, slots=True)
class TableResult:
    """What one table made of a board, its seats in order; `hand` is the number of play there."""

    code: str
    round: int
    hand: int
    cells: tuple[LineCell, ...]


@dataclass(frozen=True, slots=True)
class HandCards:
    """One hand: its codes, and its suits from spades down as a player writes them."""

    seat: str
    cards: tuple[str, ...]
    suits: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class BoardView:
    """A board as its page and REST show it; `hands` and `results` are empty while it is secret."""

    number: int
    dealer: str
    round: int | None
    passing: str
    commitment: str
    is_shown: bool
    hands: tuple[HandCards, ...]
    results: tuple[TableResult, ...]


def board_view(event: Event, number: int) -> BoardView:
    """Return one board; a fixed number of queries.

    Raises:
        Missing: unknown_board.
    """
    board = board_at(event, number)
    is_shown = bool(shown_boards(event, [board]))
    rules = rules_of(default_snapshot(event))
    play = rules.keys.play
    cards = opened_boards(event, [board]).get(number) if is_shown else None
    return BoardView(
        number=board.number,
        dealer=board.dealer,
        round=board.round,
        passing=pass_in_words(play, len(SEATS), pass_of(play, len(SEATS), board.number)),
        commitment=board.deal.commitment,
        is_shown=is_shown,
        hands=hand_cards(cards) if cards else (),
        results=_results(event, board, low=low_wins(rules)) if is_shown else (),
    )


def hand_records(event: Event) -> Sequence[DealtBoard]:
    """Return the boards of an event that may be shown, with their cards, by number."""
    opened = opened_boards(event, boards_of(event))
    return [opened[number] for number in sorted(opened)]


def hand_cards(board: DealtBoard) -> tuple[HandCards, ...]:
    """Return the hands of a board by seat, suits from spades down, high cards first.

    >>> board = DealtBoard(1, "N", (("2C", "10C", "QS"), (), (), ()))
    >>> hand_cards(board)[0].suits
    (('♠', 'Q'), ('♥', '–'), ('♦', '–'), ('♣', '10 2'))
    """
    return tuple(
        HandCards(
            seat, cards, tuple((SUIT_SIGNS[suit], _suit(cards, suit)) for suit in _HIGH_TO_LOW)
        )
        for seat, cards in zip(SEATS, board.hands, strict=True)
    )


def _suit(cards: Sequence[str], suit: str) -> str:
    return " ".join(card[:-1] for card in reversed(cards) if card[-1] == suit) or "–"


def _results(event: Event, board: Board, *, low: bool) -> tuple[TableResult, ...]:
    results = line_results(event, board)
    by_line: dict[int, list[LineResult]] = defaultdict(list)
    for one in results:
        by_line[one.line].append(one)
    tables = max([_tables_of_round(event, board), *map(len, by_line.values())])
    worth: dict[tuple[str, int], LineScore] = {}
    for line, there in by_line.items():
        scores = line_scores([one.score for one in there], tables, low_wins=low)
        worth |= {(one.table, line): score for one, score in zip(there, scores, strict=True)}
    people = Player.objects.in_bulk({one.player_id for one in results if one.player_id})
    column = name_column(event)
    return tuple(
        TableResult(
            code=code,
            round=own[0].round,
            hand=own[0].hand,
            cells=tuple(_cell(one, worth[code, one.line], people, column=column) for one in own),
        )
        for code, rows in groupby(results, key=attrgetter("table"))
        for own in [list(rows)]
    )


def _tables_of_round(event: Event, board: Board) -> int:
    """How many tables play the board; 0 where that is not fixed."""
    if board.round is None:
        return 0
    games = Game.objects.filter(event=event, counts=True, table__round__number=board.round)
    return games.exclude(state="abandoned").count()


def _cell(
    one: LineResult, score: LineScore, people: Mapping[int, Player], *, column: NameColumn
) -> LineCell:
    player = people.get(one.player_id)
    datum = score.datum / UNIT
    return LineCell(
        line=SEATS[one.line - 1] if one.line <= len(SEATS) else str(one.line),
        player_id=player.player_id if player else "",
        player=name_of(player, column) if player else "",
        score=as_json(one.score),
        matchpoints=_exact(score.matchpoints),
        percentage=four_places(score.percentage),
        datum=_exact(datum),
        datum_rounded=four_places(datum),
    )


def _exact(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else str(value)
