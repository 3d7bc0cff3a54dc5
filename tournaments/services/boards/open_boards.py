"""Cards of boards that may be shown: read from the sealed deal, and kept in the clear from then on.

Nothing else opens a deal. A board that may not be shown yet has no cards here, except for somebody
who prints it (`services.boards.print_deals`).
"""

import json
from collections.abc import Sequence

from django.db import transaction

from scoring.duplicate.deal_from_seed import deal_from_seed
from scoring.duplicate.deals import DealtBoard, read_deals
from tournaments.domain.sealing import SealBroken, unseal
from tournaments.models.deals import Board, Deal, DealSource
from tournaments.models.events import Event
from tournaments.selectors.boards.boards import boards_of, shown_boards, shown_deals


def opened_boards(event: Event, boards: Sequence[Board]) -> dict[int, DealtBoard]:
    """Return the cards of those boards that may be shown, by number; the others are left out.

    A deal whose seal another key closed is left out too: its cards cannot be read any more.
    """
    shown = shown_boards(event, boards)
    return unsealed_boards([board for board in boards if board.pk in shown])


def unsealed_boards(boards: Sequence[Board]) -> dict[int, DealtBoard]:
    """Return the cards of boards by number, whether or not they may be shown; no query.

    The caller has made sure that they may be, or has written down who reads them. A deal whose seal
    another key closed is left out.
    """
    texts: dict[int, str | None] = {}
    files: dict[int, dict[int, DealtBoard]] = {}
    found = {}
    for board in boards:
        if board.hands is not None:
            hands = tuple(tuple(hand) for hand in board.hands)
            found[board.number] = DealtBoard(board.number, board.dealer, hands)
            continue
        if board.deal_id not in texts:
            texts[board.deal_id] = _unsealed(board.deal)
        text = texts[board.deal_id]
        if text is None:
            continue
        if board.deal.source == DealSource.SEED:
            found[board.number] = deal_from_seed(text, board.number)
            continue
        if board.deal_id not in files:
            read = read_deals(json.loads(text))
            files[board.deal_id] = {deal.number: deal for deal in read}
        found[board.number] = files[board.deal_id][board.number]
    return found


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
    shown = shown_boards(event, boards)
    with transaction.atomic():
        for board in sealed:
            if board.number in opened:
                hands = [list(hand) for hand in opened[board.number].hands]
                Board.objects.filter(pk=board.pk, hands=None).update(hands=hands)
        whole = shown_deals(boards, shown)
        for deal in {board.deal_id: board.deal for board in closed}.values():
            text = _unsealed(deal) if deal.pk in whole else None
            if text is not None:
                Deal.objects.filter(pk=deal.pk).update(secret=text)


def _unsealed(deal: Deal) -> str | None:
    try:
        return unseal(bytes(deal.sealed)).decode()
    except SealBroken:
        return None
