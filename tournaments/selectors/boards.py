"""The boards and deals of a duplicate event, and which of them may be shown.

A deal is secret until every table has played it or its round is closed. Code that shows a board's
cards or results checks `shown_boards`.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from scoring.cards import SUIT_SIGNS
from scoring.duplicate.deals import SEATS, DealtBoard, deal_from_seed, read_deals
from scoring.duplicate.matchpoints import LineScore, line_scores
from scoring.json_types import JsonDict
from scoring.rules.dealing import pass_of
from scoring.rules.rules import Rules
from scoring.standings.explain import four_places
from tournaments.domain.board_movement import boards_at, in_words, moves, rounds_of
from tournaments.domain.figures import exact_json
from tournaments.domain.sealing import SealBroken, unseal
from tournaments.errors import first_or_missing
from tournaments.models.boards import Board, Deal, DealPrinting, DealSource
from tournaments.models.clubs import Player
from tournaments.models.columns import UNIT, as_json
from tournaments.models.events import EntrantMember, Event, EventState
from tournaments.models.hands import Game, Hand, HandState, SeatScore
from tournaments.models.rounds import Round, RoundState, Sitting
from tournaments.selectors.clubs.names import NameColumn, name_column, name_of
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.entry_display import bylines, holder_at
from tournaments.selectors.hands.score_sheet import pass_in_words
from tournaments.selectors.rounds.tables import get_stretches, players_at
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


def boards_of(event: Event) -> Sequence[Board]:
    return list(Board.objects.filter(event=event).select_related("deal").order_by("number"))


def number_of_boards(event: Event) -> int:
    return Board.objects.filter(event=event).count()


def boards_left(
    event: Event, round_number: int, table_number: int, played: Collection[int]
) -> tuple[int, ...]:
    """Return the boards of a table in a round that it has not `played`, by number; one query."""
    numbers = boards_at(boards_in_round(event, round_number), round_number, table_number)
    return tuple(number for number in numbers if number not in played)


def boards_in_round(event: Event, round_number: int) -> Sequence[Board]:
    """Return the boards of a round, and those that move, by number, with their deals; one query."""
    boards = Board.objects.filter(Q(round=round_number) | Q(board_set__isnull=False), event=event)
    return list(boards.select_related("deal").order_by("number"))


def moving_rounds(event: Event) -> list[tuple[int, list[tuple[int, str]]]]:
    """Return each round in which boards move, with its tables and their boards; one query."""
    rows = Board.objects.filter(event=event, board_set__isnull=False).select_related("deal")
    boards = [board for board in rows.order_by("number") if moves(board)]
    numbers = sorted({number for board in boards for number in rounds_of(board)})
    tables = max((board.deal.moving_tables or 0 for board in boards), default=0)
    return [
        (
            number,
            [
                (table, in_words(at_table))
                for table in range(1, tables + 1)
                if (at_table := boards_at(boards, number, table))
            ],
        )
        for number in numbers
    ]


def board_at(event: Event, number: int) -> Board:
    rows = Board.objects.filter(event=event, number=number).select_related("deal")
    return first_or_missing(rows, "board", board=number)


def board_cards(event: Event) -> tuple[JsonDict, ...]:
    """Return the boards of an event as lists show them; a fixed number of queries.

    `round` is None where boards move, `board_set` the set that it moves in; `n_results` counts
    tables. `commitment` is the SHA-256 of the seed or the file, `secret` that text once all of its
    boards are shown, else empty.
    """
    boards = boards_of(event)
    shown_ids = shown_boards(event, boards)
    open_deals = shown_deals(boards, shown_ids)
    played = Counter(_played_hands(event).values_list("board_id", flat=True))
    return tuple(
        {
            "number": board.number,
            "dealer": board.dealer,
            "round": board.round,
            "board_set": board.board_set,
            "is_shown": board.pk in shown_ids,
            "n_results": played[board.pk],
            "source": board.deal.source,
            "commitment": board.deal.commitment,
            "secret": board.deal.secret if board.deal_id in open_deals else "",
        }
        for board in boards
    )


def shown_deals(boards: Sequence[Board], shown_ids: Collection[int]) -> frozenset[int]:
    secret = {board.deal_id for board in boards if board.pk not in shown_ids}
    return frozenset({board.deal_id for board in boards} - secret)


def shown_boards(event: Event, boards: Sequence[Board]) -> frozenset[int]:
    """Return the primary keys of those `boards` whose cards and results may be shown.

    A board of a round is shown once that round is closed, or every table of it that was not
    abandoned has played the board. A board that moves is shown once everybody who sits in a round
    has played it, or the event is closed. All are shown once the event is final. Four queries.
    """
    if event.state == EventState.FINAL:
        return frozenset(board.pk for board in boards)
    fixed = [board for board in boards if board.round is not None]
    moving = [board for board in boards if board.round is None]
    return frozenset({*_find_shown_in_rounds(event, fixed), *_find_shown_moving(event, moving)})


def _played_hands(event: Event) -> QuerySet[Hand]:
    hands = Hand.objects.filter(game__event=event, game__counts=True, board__isnull=False)
    return hands.exclude(state=HandState.VOID)


def _find_shown_in_rounds(event: Event, boards: Sequence[Board]) -> set[int]:
    if not boards:
        return set()
    states = dict(Round.objects.filter(event=event).values_list("number", "state"))
    tables: dict[int | None, set[int]] = defaultdict(set)
    games = Game.objects.filter(event=event, counts=True).exclude(state="abandoned")
    for number, game in games.values_list("table__round__number", "pk"):
        tables[number].add(game)
    played: dict[int, set[int]] = defaultdict(set)
    hands = _played_hands(event).filter(board__in=[board.pk for board in boards])
    for board_id, game in hands.values_list("board_id", "game_id"):
        played[board_id].add(game)
    return {
        board.pk
        for board in boards
        if states.get(board.round or 0) == RoundState.CLOSED
        or (tables[board.round] and tables[board.round] <= played[board.pk])
    }


def _find_shown_moving(event: Event, boards: Sequence[Board]) -> set[int]:
    if not boards:
        return set()
    if event.state == EventState.CLOSED:
        return {board.pk for board in boards}
    seated = Sitting.objects.filter(round__event=event, seat__table__game__counts=True)
    seated = seated.exclude(round__state=RoundState.DRAFT)
    seated = seated.exclude(seat__table__game__state="abandoned")
    people = set(seated.values_list("player__player_id", flat=True))
    met = players_of_boards(event, [board.pk for board in boards])
    return {board.pk for board in boards if people and people <= met.get(board.pk, set())}


def players_of_boards(event: Event, boards: Collection[int]) -> Mapping[int, set[str]]:
    """Return who has played each of some boards: board → ids of players; two queries."""
    players: dict[int, set[str]] = defaultdict(set)
    rows = _played_hands(event).filter(board__in=boards)
    hands = list(rows.values_list("board_id", "game__table_id", "number"))
    sat = get_stretches({table for _, table, _ in hands})
    for board, table, number in hands:
        players[board].update(players_at(sat, table, number))
    return players


def cards_with_printings(event: Event) -> tuple[JsonDict, ...]:
    """Return the boards as `board_cards` does, with who printed the cards while they were secret.

    `printed_at` is when the first of them did.
    """
    printed = _get_printings(event)
    cards = []
    for card in board_cards(event):
        lines = printed.get(card["commitment"], ())
        names = ", ".join(dict.fromkeys(name for name, _at in lines))
        cards.append({**card, "printed_by": names, "printed_at": lines[0][1] if lines else None})
    return tuple(cards)


def deal_views(event: Event) -> list[JsonDict]:
    """Return the deals of an event by their first board; a fixed number of queries.

    A deal has its boards by number, `first` and `last` number, `n_results` that count, and its
    `seed` once all of its boards are shown, else empty.
    """
    printed = _get_printings(event)
    cards = sorted(board_cards(event), key=itemgetter("commitment", "number"))
    deals = []
    for commitment, group in groupby(cards, key=itemgetter("commitment")):
        boards = list(group)
        is_dealt = boards[0]["source"] == DealSource.SEED
        deals.append(
            {
                "commitment": commitment,
                "boards": boards,
                "seed": boards[0]["secret"] if is_dealt else "",
                "printings": printed.get(commitment, ()),
                "first": boards[0]["number"],
                "last": boards[-1]["number"],
                "is_shown": all(board["is_shown"] for board in boards),
                "n_results": sum(board["n_results"] for board in boards),
            }
        )
    return sorted(deals, key=itemgetter("first"))


def _get_printings(event: Event) -> Mapping[str, Sequence[tuple[str, datetime]]]:
    """Return the printings of each deal by its commitment, the oldest first; two queries at most.

    Each has who printed, as far as the reader may know, and when. The server signs for commands.
    """
    rows = DealPrinting.objects.filter(deal__event=event).select_related("deal", "printed_by")
    lines = list(rows.order_by("printed_at", "pk"))
    names = bylines(event, {line.printed_by_id for line in lines})
    printings: dict[str, list[tuple[str, datetime]]] = defaultdict(list)
    for line in lines:
        user = line.printed_by
        name = names.get(user.pk, user.get_username()) if user else _("the server")
        printings[line.deal.commitment].append((name, line.printed_at))
    return printings


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
    of_board, of_round = "entry__hand__board__number", "seat__table__round__number"
    rows = rows.order_by(of_board, of_round, "seat__table__number", "seat__number")
    place = of_board, "seat__number", of_round, "seat__table__code", "entry__hand__number"
    scores = list(rows.values_list(*place, "seat_id", "score"))
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
    """Return what `unsealed_boards` does of those boards that may be shown."""
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
    return list(opened_boards(event, boards_of(event)).values())


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
