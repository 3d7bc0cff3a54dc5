"""Deals of a duplicate event: boards that were made together, and who printed them before play."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from django.utils.translation import gettext as _

from tournaments.models.deals import DealPrinting, DealSource
from tournaments.models.events import Event
from tournaments.selectors.boards.boards import BoardCard, board_cards
from tournaments.selectors.hands.bylines import bylines


@dataclass(frozen=True, slots=True)
class Printing:
    """One time that secret cards were printed; `by` is what the reader may know of who did."""

    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class DealView:
    """Boards that were made together, by number.

    `seed` is the seed once all of its boards are shown, else empty.
    """

    commitment: str
    boards: tuple[BoardCard, ...]
    seed: str
    printings: tuple[Printing, ...]

    @property
    def first(self) -> int:
        """The lowest number of a board."""
        return self.boards[0].number

    @property
    def last(self) -> int:
        """The highest number of a board."""
        return self.boards[-1].number

    @property
    def is_shown(self) -> bool:
        """Whether every board may be shown."""
        return all(one.is_shown for one in self.boards)

    @property
    def n_results(self) -> int:
        """How many hands count that were played with one of its boards."""
        return sum(one.n_results for one in self.boards)


def cards_with_printings(event: Event) -> tuple[BoardCard, ...]:
    """Return the boards of an event as lists show them; a fixed number of queries."""
    printed = _printings(event)
    found = []
    for card in board_cards(event):
        lines = printed.get(card.commitment, ())
        by = ", ".join(dict.fromkeys(one.by for one in lines))
        at = lines[0].at if lines else None
        found.append(replace(card, printed_by=by, printed_at=at))
    return tuple(found)


def deal_views(event: Event) -> tuple[DealView, ...]:
    """Return the deals of an event by their first board; a fixed number of queries."""
    printed = _printings(event)
    cards = sorted(board_cards(event), key=attrgetter("commitment", "number"))
    found = []
    for commitment, group in groupby(cards, key=attrgetter("commitment")):
        boards = tuple(group)
        seed = boards[0].secret if boards[0].source == DealSource.SEED else ""
        found.append(DealView(commitment, boards, seed, tuple(printed.get(commitment, ()))))
    return tuple(sorted(found, key=attrgetter("first")))


def _printings(event: Event) -> Mapping[str, Sequence[Printing]]:
    """Return the printings of each deal by its commitment, the oldest first; two queries at most.

    What a command of the server printed is signed by the server.
    """
    rows = DealPrinting.objects.filter(deal__event=event).select_related("deal", "printed_by")
    lines = list(rows.order_by("printed_at", "pk"))
    shown = bylines(event, {one.printed_by_id for one in lines})
    found: dict[str, list[Printing]] = defaultdict(list)
    for one in lines:
        user = one.printed_by
        by = shown.get(user.pk, user.get_username()) if user else _("the server")
        found[one.deal.commitment].append(Printing(by, one.printed_at))
    return found
