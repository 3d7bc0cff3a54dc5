"""Cards of boards that may be shown: read from the sealed deal, and kept in the clear from then on.

Nothing else opens a deal. A board that may not be shown yet has no cards here, except for somebody
who prints it (`services.boards.print_deals`).
"""

from django.db import transaction

from tournaments.models.deals import Board, Deal
from tournaments.models.events import Event
from tournaments.selectors.boards.board_results import _unsealed, opened_boards
from tournaments.selectors.boards.boards import boards_of, shown_boards, shown_deals


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
