"""A board with its cards and the scores that every table made of it."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from django.db.models import QuerySet

from scoring.cards import SUIT_SIGNS
from scoring.duplicate.deals import SEATS, DealtBoard, deal_from_seed, read_deals
from scoring.duplicate.matchpoints import LineScore, line_scores
from scoring.numbers import ScoreJson
from scoring.rules.dealing import pass_of
from scoring.standings.explain import four_places
from tournaments.domain.sealing import SealBroken, unseal
from tournaments.models.clubs import Player
from tournaments.models.deals import Board, Deal, DealSource
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Game, HandState, SeatScore
from tournaments.models.meetings import Sitting
from tournaments.models.numbers import UNIT, as_json
from tournaments.selectors.boards.boards import board_at, boards_of, shown_boards
from tournaments.selectors.clubs.names import NameColumn, name_column, name_of
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.score_sheet import pass_in_words
from tournaments.selectors.rules.rule_sets import low_wins, rules_of


class LineResult(NamedTuple):
    """One seat's score of one board. `score` is in units of 1/360360 point.

    `entrant` is the code of whoever it counts for; empty where nobody sat there.
    """

    board: int
    line: int
    round: int
    table: str
    hand: int
    player_id: int
    entrant: str
    score: int


def line_results(event: Event, board: Board | None = None) -> list[LineResult]:
    """Return the scores of all boards of an event, or of one; three queries.

    Complex scores have no order and are left out.
    """
    rows = _scores(event, board).order_by(
        "entry__hand__board__number",
        "seat__table__round__number",
        "seat__table__number",
        "seat__number",
    )
    scores = list(
        rows.values_list(
            "entry__hand__board__number",
            "seat__number",
            "seat__table__round__number",
            "seat__table__code",
            "entry__hand__number",
            "seat_id",
            "score",
        )
    )
    sittings = _holders({seat for *_, seat, _ in scores}) if board else _holders_of_event(event)
    codes = dict(
        EntrantMember.objects.filter(event=event).values_list("player_id", "entrant__code")
    )
    results = []
    for number, line, round_number, code, hand, seat, score in scores:
        player = _holder(sittings.get(seat, ()), hand)
        entrant = codes.get(player, "") if player else ""
        results.append(
            LineResult(number, line, round_number, code, hand, player or 0, entrant, score)
        )
    return results


def _scores(event: Event, board: Board | None) -> QuerySet[SeatScore]:
    rows = SeatScore.objects.filter(
        entry__hand__game__event=event,
        entry__hand__game__counts=True,
        entry__hand__state=HandState.ACCEPTED,
        entry__hand__board__isnull=False,
        score_im__isnull=True,
    )
    return rows if board is None else rows.filter(entry__hand__board=board)


_Stretches = Mapping[int, Sequence[tuple[int, int, int | None]]]


def _holders(seats: set[int]) -> _Stretches:
    return _stretches(Sitting.objects.filter(seat__in=seats))


def _holders_of_event(event: Event) -> _Stretches:
    return _stretches(Sitting.objects.filter(round__event=event))


def _stretches(sittings: QuerySet[Sitting]) -> _Stretches:
    stretches: dict[int, list[tuple[int, int, int | None]]] = defaultdict(list)
    rows = sittings.values_list("seat_id", "player_id", "from_hand", "to_hand")
    for seat, player, first, last in rows:
        stretches[seat].append((player, first, last))
    return stretches


def _holder(stretches: Sequence[tuple[int, int, int | None]], hand: int) -> int | None:
    for player, first, last in stretches:
        if first <= hand and (last is None or hand <= last):
            return player
    return None


def opened_boards(event: Event, boards: Sequence[Board]) -> dict[int, DealtBoard]:
    """Return the cards of those boards that may be shown, by number; the others are left out.

    A deal whose seal another key closed is left out too: its cards cannot be read any more.
    """
    shown_ids = shown_boards(event, boards)
    return unsealed_boards([board for board in boards if board.pk in shown_ids])


def unsealed_boards(boards: Sequence[Board]) -> dict[int, DealtBoard]:
    """Return the cards of boards by number, whether or not they may be shown; no query.

    The caller has made sure that they may be, or has written down who reads them. A deal whose seal
    another key closed is left out.
    """
    texts: dict[int, str | None] = {}
    files: dict[int, dict[int, DealtBoard]] = {}
    cards = {}
    for board in boards:
        if board.hands is not None:
            hands = tuple(tuple(hand) for hand in board.hands)
            cards[board.number] = DealtBoard(board.number, board.dealer, hands)
            continue
        if board.deal_id not in texts:
            texts[board.deal_id] = _unsealed(board.deal)
        text = texts[board.deal_id]
        if text is None:
            continue
        if board.deal.source == DealSource.SEED:
            cards[board.number] = deal_from_seed(text, board.number)
            continue
        if board.deal_id not in files:
            read = read_deals(json.loads(text))
            files[board.deal_id] = {deal.number: deal for deal in read}
        cards[board.number] = files[board.deal_id][board.number]
    return cards


def _unsealed(deal: Deal) -> str | None:
    try:
        return unseal(bytes(deal.sealed)).decode()
    except SealBroken:
        return None


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
    """Return one board; a fixed number of queries."""
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
    for result in results:
        by_line[result.line].append(result)
    tables = max([_tables_of_round(event, board), *map(len, by_line.values())])
    worth: dict[tuple[str, int], LineScore] = {}
    for line, line_rows in by_line.items():
        scores = line_scores([result.score for result in line_rows], tables, low_wins=low)
        worth |= {
            (result.table, line): score for result, score in zip(line_rows, scores, strict=True)
        }
    people = Player.objects.in_bulk({result.player_id for result in results if result.player_id})
    column = name_column(event)
    return tuple(
        TableResult(
            code=code,
            round=table_rows[0].round,
            hand=table_rows[0].hand,
            cells=tuple(
                _cell(result, worth[code, result.line], people, column=column)
                for result in table_rows
            ),
        )
        for code, rows in groupby(results, key=attrgetter("table"))
        for table_rows in [list(rows)]
    )


def _tables_of_round(event: Event, board: Board) -> int:
    """How many tables play the board; 0 where that is not fixed."""
    if board.round is None:
        return 0
    games = Game.objects.filter(event=event, counts=True, table__round__number=board.round)
    return games.exclude(state="abandoned").count()


def _cell(
    result: LineResult, score: LineScore, people: Mapping[int, Player], *, column: NameColumn
) -> LineCell:
    player = people.get(result.player_id)
    datum = score.datum / UNIT
    return LineCell(
        line=SEATS[result.line - 1] if result.line <= len(SEATS) else str(result.line),
        player_id=player.player_id if player else "",
        player=name_of(player, column) if player else "",
        score=as_json(result.score),
        matchpoints=_exact(score.matchpoints),
        percentage=four_places(score.percentage),
        datum=_exact(datum),
        datum_rounded=four_places(datum),
    )


def _exact(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else str(value)
