"""Making, printing and deleting the boards of a duplicate event.

See docs/decisions/0041-printing-secret-deals.md.
"""

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from scoring.duplicate.deals import LAST_BOARD as LAST_BOARD
from scoring.duplicate.deals import (
    DealtBoard,
    commitment_of,
    deal_from_seed,
    deal_text,
    read_deals,
    read_pbn,
)
from scoring.errors import Problem, Refused
from scoring.seating.movements.moving_boards import TABLES
from tournaments.domain.event_settings import settings_of
from tournaments.domain.sealing import seal
from tournaments.errors import Conflict, refuse_any
from tournaments.models.boards import Board, Deal, DealPrinting, DealSource
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Hand
from tournaments.selectors.boards import (
    boards_of,
    opened_boards,
    shown_boards,
    shown_deals,
    unsealed_boards,
    unsealed_text,
)
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_event
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation

BAD_ROUNDS: Final = (
    *("event_is_over", "not_duplicate", "bad_board_rounds", "no_moving_boards"),
    "boards_fill_no_sets",
)
BAD_FILE: Final = (
    *("deal_file_unreadable", "bad_deal_file", "no_deals", "bad_board_number", "board_twice"),
    *("bad_dealer", "bad_pbn_deal", "pbn_deal_without_board", "unknown_deal_card"),
    *("deal_card_missing", "deal_card_twice", "deal_hand_size"),
)
OF_DEALS: Final = ("event_is_over", "unknown_deals")
SEED_BYTES: Final = 16

MOST_DEAL_BYTES: Final = 2_000_000
"""The largest deal file: a thousand boards in our form take a fifth of it."""


def open_boards(event: Event) -> None:
    """Keep the cards of boards that may be shown in the clear, and the seeds of whole deals.

    So they stay readable after the server's key is changed. A publication calls it; safe twice.
    """
    boards = boards_of(event)
    sealed = [board for board in boards if board.hands is None]
    closed = [board for board in boards if not board.deal.secret]
    if not sealed and not closed:
        return
    opened = opened_boards(event, sealed)
    shown_ids = shown_boards(event, boards)
    with transaction.atomic():
        for board in sealed:
            if board.number in opened:
                hands = [list(hand) for hand in opened[board.number].hands]
                Board.objects.filter(pk=board.pk, hands=None).update(hands=hands)
        whole = shown_deals(boards, shown_ids)
        for deal in {board.deal_id: board.deal for board in closed}.values():
            text = unsealed_text(deal) if deal.pk in whole else None
            if text is not None:
                Deal.objects.filter(pk=deal.pk).update(secret=text)


LAST_ROUND: Final = 999


@dataclass(frozen=True, slots=True)
class BoardRounds:
    """Which rounds and tables play boards, in the order of their numbers, as `deal_boards` says."""

    per_round: int
    first: int
    tables: int | None = None

    def problems(self, count: int | None = None, field: str = "") -> Iterator[Problem]:
        """Yield why `count` boards cannot be played so; without a count, why no boards can."""
        # Boards of no round (0) cannot move between the tables of a round.
        least_per_round = 0 if self.tables is None else 1
        for name, value, least, most in (
            ("boards_per_round", self.per_round, least_per_round, LAST_BOARD),
            ("first_round", self.first, 1, LAST_ROUND),
        ):
            if not least <= value <= most:
                facts = {"found": value, "least": least, "most": most}
                yield Problem("bad_board_rounds", (name,), facts)
        if self.tables is None:
            return
        if self.tables not in TABLES:
            numbers_of_tables = ", ".join(map(str, TABLES))
            yield Problem(
                "no_moving_boards", ("tables",), {"found": self.tables, "known": numbers_of_tables}
            )
        elif count is not None and self.per_round > 0 and count != self.tables * self.per_round:
            sets = {"found": count, "tables": self.tables, "each": self.per_round}
            facts = {**sets, "expected": self.tables * self.per_round}
            yield Problem("boards_fill_no_sets", (field,), facts)

    def of_board(self, at: int) -> dict[str, int | None]:
        """Return the columns of the board at a place from 0: its round, or the set it moves in."""
        if not self.per_round:
            return {}
        number = at // self.per_round
        if self.tables:
            return {"board_set": number + 1}
        return {"round": self.first + number}


def _require_duplicate(event: Event) -> None:
    require_running(event)
    if not settings_of(event).duplicate:
        raise Conflict(Problem("not_duplicate"))


@operation(
    "manage_event",
    locks=lock_event,
    requires=_require_duplicate,
    refuses=(*BAD_ROUNDS, "bad_number_of_boards"),
)
def deal_boards(
    op: Operation,
    event: Event,
    /,
    *,
    count: int,
    boards_per_round: int = 0,
    first_round: int = 1,
    tables: int | None = None,
    seed: str = "",
) -> Deal:
    """Deal `count` boards from a seed, numbered after the existing ones.

    Args:
        boards_per_round: so many boards belong to each round from `first_round` on, in order;
            0 = they belong to no round.
        tables: boards move between so many tables, in sets of `boards_per_round`; None = all
            tables play the same boards in a round.
        seed: empty = made at random. It is kept, and shown to nobody before every one of its
            boards may be shown.
    """
    last = next_number(Board.objects.filter(event=event)) - 1
    rounds = BoardRounds(boards_per_round, first_round, tables)
    problems = [*rounds.problems(count, "count")]
    if not 1 <= count <= LAST_BOARD - last:
        facts = {"found": count, "most": LAST_BOARD - last}
        problems.insert(0, Problem("bad_number_of_boards", ("count",), facts))
    refuse_any(problems)
    seed = seed or secrets.token_hex(SEED_BYTES)
    deals = [deal_from_seed(seed, number) for number in range(last + 1, last + count + 1)]
    return _store(op, event, DealSource.SEED, seed, deals, rounds=rounds)


@operation(
    "manage_event",
    locks=lock_event,
    requires=_require_duplicate,
    refuses=(*BAD_ROUNDS, "boards_exist", *BAD_FILE),
)
def load_boards(
    op: Operation,
    event: Event,
    /,
    *,
    content: bytes,
    boards_per_round: int = 0,
    first_round: int = 1,
    tables: int | None = None,
) -> Deal:
    """Create the boards of a deal file: JSON in our form, or PBN.

    Args:
        content: the file. Its boards keep their numbers; in that order each round gets
            `deal_boards` of them.
    """
    rounds = BoardRounds(boards_per_round, first_round, tables)
    refuse_any(rounds.problems())
    deals = read_deal_file(content)
    refuse_any(rounds.problems(len(deals), "deals"))
    numbers = [deal.number for deal in deals]
    boards = Board.objects.filter(event=event, number__in=numbers).order_by("number")
    if in_use := list(boards.values_list("number", flat=True)):
        raise Refused(Problem("boards_exist", ("deals",), {"boards": ", ".join(map(str, in_use))}))
    return _store(op, event, DealSource.FILE, deal_text(deals), deals, rounds=rounds)


def read_deal_file(content: bytes) -> Sequence[DealtBoard]:
    if len(content) > MOST_DEAL_BYTES:
        raise Refused(Problem("deal_file_unreadable", ("deals",)))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if not text.lstrip().startswith("{"):
        return read_pbn(text)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(Problem("deal_file_unreadable", ("deals",))) from None
    return read_deals(document)


def _store(
    op: Operation,
    event: Event,
    source: str,
    secret: str,
    deals: Sequence[DealtBoard],
    *,
    rounds: BoardRounds,
) -> Deal:
    stored_deal = Deal.objects.create(
        club_id=event.club_id,
        event=event,
        source=source,
        sealed=seal(secret.encode()),
        commitment=commitment_of(secret),
        made_at=op.now,
        moving_tables=rounds.tables,
        first_round=rounds.first if rounds.tables else None,
    )
    Board.objects.bulk_create(
        Board(
            club_id=event.club_id,
            event=event,
            deal=stored_deal,
            number=deal.number,
            dealer=deal.dealer,
            **rounds.of_board(at),
        )
        for at, deal in enumerate(deals)
    )
    numbers = [deal.number for deal in deals]
    op.audit(event, {"source": source, **_facts(stored_deal, numbers)}, name="make_deals")
    return stored_deal


@operation(
    "manage_event",
    locks=lock_event,
    requires=require_running,
    refuses=(*OF_DEALS, "printer_plays", "deals_unreadable"),
)
def print_deals(
    op: Operation, event: Event, /, *, commitment: str
) -> tuple[DealPrinting, tuple[DealtBoard, ...]]:
    """Return the cards of secret boards, by number, and record who has read them.

    The boards page shows the reader from then on, who cannot play any of these boards.
    """
    deal = deal_of(event, commitment)
    _require_does_not_play(op, event)
    boards = list(Board.objects.filter(deal=deal).select_related("deal").order_by("number"))
    cards = unsealed_boards(boards)
    if len(cards) < len(boards):
        raise Conflict(Problem("deals_unreadable"))
    printing = DealPrinting.objects.create(
        club_id=event.club_id, deal=deal, printed_by_id=op.actor.user_id, printed_at=op.now
    )
    op.audit(event, _facts(deal, [board.number for board in boards]))
    return printing, tuple(cards[board.number] for board in boards)


def _facts(deal: Deal, numbers: Sequence[int]) -> dict[str, object]:
    of_boards = {"boards": len(numbers), "first": numbers[0], "last": numbers[-1]}
    return {**of_boards, "commitment": deal.commitment}


def deal_of(event: Event, commitment: str) -> Deal:
    """Return the deal of an event with a commitment; the oldest where a file was read twice."""
    deal = Deal.objects.filter(event=event, commitment=commitment).order_by("pk").first()
    if deal is None:
        raise Refused(Problem("unknown_deals", ("commitment",)))
    return deal


def _require_does_not_play(op: Operation, event: Event) -> None:
    if op.actor.user_id is None:
        return
    players = Player.objects.filter(club=event.club_id, user=op.actor.user_id)
    playing = EntrantMember.objects.filter(event=event, player__in=players).select_related("player")
    member = playing.order_by("pk").first()
    if member is not None:
        raise Conflict(Problem("printer_plays", (), {"player": member.player.name}))


@operation(
    "manage_event", locks=lock_event, requires=require_running, refuses=(*OF_DEALS, "deals_played")
)
def delete_deals(op: Operation, event: Event, /, *, commitment: str) -> Sequence[int]:
    """Delete deals with all their boards, as long as no hand has been entered with one of them."""
    deal = deal_of(event, commitment)
    # A host who enters a hand at this moment is before the lock of the boards, or finds no board.
    rows = Board.objects.select_for_update(of=("self",)).filter(deal=deal).order_by("pk")
    numbers = sorted(rows.values_list("number", flat=True))
    hands = Hand.objects.filter(game__event=event, board__deal=deal).order_by("board__number")
    played = hands.values_list("board__number", "game__table__code", "number").first()
    if played is not None:
        board, table, hand = played
        raise Conflict(Problem("deals_played", (), {"board": board, "table": table, "hand": hand}))
    deal.delete()
    op.audit(event, _facts(deal, numbers))
    return numbers
