"""A board with its cards and the scores that every table made of it."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from scoring.cards import SUIT_SIGNS
from scoring.duplicate.deals import SEATS, DealtBoard, deal_from_seed, read_deals
from scoring.duplicate.matchpoints import LineScore, line_scores
from scoring.rules.dealing import pass_of
from scoring.rules.rules import Rules
from scoring.standings.explain import four_places
from tournaments.domain.figures import exact_json
from tournaments.domain.sealing import SealBroken, unseal
from tournaments.models.boards import Board, Deal, DealSource
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Game, HandState, SeatScore
from tournaments.models.numbers import UNIT, as_json
from tournaments.models.rounds import Sitting
from tournaments.selectors.boards.boards import board_at, boards_of, shown_boards
from tournaments.selectors.clubs.names import NameColumn, name_column, name_of
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.entry_display import holder_at
from tournaments.selectors.hands.score_sheet import pass_in_words
from tournaments.selectors.rules.rule_sets import low_wins, rules_of


class LineResult(NamedTuple):
    """One seat's score of one board. `score` is in units of 1/360360 point.

    `entrant` is the code of the entrant it counts for, empty for an empty seat.
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
    rows = SeatScore.objects.filter(
        entry__hand__game__event=event,
        entry__hand__game__counts=True,
        entry__hand__state=HandState.ACCEPTED,
        entry__hand__board__isnull=False,
        score_im__isnull=True,
    )
    if board is not None:
        rows = rows.filter(entry__hand__board=board)
    scores = list(
        rows.order_by(
            "entry__hand__board__number",
            "seat__table__round__number",
            "seat__table__number",
            "seat__number",
        ).values_list(
            "entry__hand__board__number",
            "seat__number",
            "seat__table__round__number",
            "seat__table__code",
            "entry__hand__number",
            "seat_id",
            "score",
        )
    )
    sittings = Sitting.objects.filter(round__event=event)
    if board is not None:
        sittings = Sitting.objects.filter(seat__in={seat for *_, seat, _ in scores})
    of_seat: dict[int, list[Sitting]] = defaultdict(list)
    of_hands = sittings.order_by("from_hand").only("seat", "player", "from_hand", "to_hand")
    for sitting in of_hands:
        of_seat[sitting.seat_id].append(sitting)
    codes = dict(
        EntrantMember.objects.filter(event=event).values_list("player_id", "entrant__code")
    )
    results = []
    for number, line, round_number, code, hand, seat, score in scores:
        holder = holder_at(of_seat[seat], hand)
        player = holder.player_id if holder is not None else 0
        entrant = codes.get(player, "")
        results.append(LineResult(number, line, round_number, code, hand, player, entrant, score))
    return results


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
            texts[board.deal_id] = unsealed_text(board.deal)
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


def unsealed_text(deal: Deal) -> str | None:
    """Return what a deal was made from; None where another key closed its seal."""
    try:
        return unseal(bytes(deal.sealed)).decode()
    except SealBroken:
        return None


def board_view(event: Event, number: int) -> dict[str, Any]:
    """Return a board as its page and REST show it; a fixed number of queries.

    `hands` and `results` are empty while it is secret.
    """
    board = board_at(event, number)
    is_shown = bool(shown_boards(event, [board]))
    rules = rules_of(default_snapshot(event))
    play = rules.keys.play
    cards = opened_boards(event, [board]).get(number) if is_shown else None
    return {
        "number": board.number,
        "dealer": board.dealer,
        "round": board.round,
        "passing": pass_in_words(play, len(SEATS), pass_of(play, len(SEATS), board.number)),
        "commitment": board.deal.commitment,
        "is_shown": is_shown,
        "hands": [
            {"seat": seat, "cards": codes, "suits": suits_of(codes)}
            for seat, codes in zip(SEATS, cards.hands if cards else (), strict=False)
        ],
        "results": _list_results(event, board, rules) if is_shown else [],
    }


def hand_records(event: Event) -> Sequence[DealtBoard]:
    opened = opened_boards(event, boards_of(event))
    return [opened[number] for number in sorted(opened)]


def suits_of(cards: Sequence[str]) -> list[tuple[str, str]]:
    """Return the sign of each suit from spades down, with its ranks, high cards first.

    >>> suits_of(("2C", "10C", "QS"))
    [('♠', 'Q'), ('♥', '–'), ('♦', '–'), ('♣', '10 2')]
    """
    ranks: dict[str, list[str]] = defaultdict(list)
    for card in reversed(cards):
        ranks[card[-1]].append(card[:-1])
    return [(SUIT_SIGNS[suit], " ".join(ranks[suit]) or "–") for suit in "SHDC"]


def _list_results(event: Event, board: Board, rules: Rules) -> list[dict[str, object]]:
    """Return what each table made of a board, its seats in order.

    Matchpoints and datum are exact, the percentage has four places.
    """
    results = line_results(event, board)
    by_line: dict[int, list[LineResult]] = defaultdict(list)
    for result in results:
        by_line[result.line].append(result)
    tables = max([_count_tables(event, board), *map(len, by_line.values())])
    worth: dict[tuple[str, int], LineScore] = {}
    for line, rows in by_line.items():
        scores = line_scores([row.score for row in rows], tables, low_wins=low_wins(rules))
        worth |= {(row.table, line): score for row, score in zip(rows, scores, strict=True)}
    people = Player.objects.in_bulk({row.player_id for row in results if row.player_id})
    column = name_column(event)
    return [
        {
            "code": code,
            "round": rows[0].round,
            "hand": rows[0].hand,
            "cells": [_cell(row, worth[code, row.line], people, column) for row in rows],
        }
        for code, group in groupby(results, key=attrgetter("table"))
        for rows in [list(group)]
    ]


def _count_tables(event: Event, board: Board) -> int:
    if board.round is None:
        return 0
    games = Game.objects.filter(event=event, counts=True, table__round__number=board.round)
    return games.exclude(state="abandoned").count()


def _cell(
    result: LineResult, score: LineScore, people: Mapping[int, Player], column: NameColumn
) -> dict[str, object]:
    player = people.get(result.player_id)
    matchpoints, percentage, mean = score
    datum = mean / UNIT
    return {
        "line": SEATS[result.line - 1] if result.line <= len(SEATS) else str(result.line),
        "player_id": player.player_id if player else "",
        "player": name_of(player, column) if player else "",
        "score": as_json(result.score),
        "matchpoints": exact_json(matchpoints),
        "percentage": four_places(percentage),
        "datum": exact_json(datum),
        "datum_rounded": four_places(datum),
    }
