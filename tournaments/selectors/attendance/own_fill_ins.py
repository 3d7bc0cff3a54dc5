"""Where players who are willing to fill in answer an evening that asks for more of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tournaments.models.access import PersonalLink
from tournaments.models.rounds import AttendanceState
from tournaments.selectors.attendance.fill_ins import fill_in_path, open_fill_in, own_fill_in_path
from tournaments.selectors.attendance.own_evenings import OwnEvening


@dataclass(frozen=True, slots=True)
class FillInOffer:
    """An evening that asks for `n` more players, and the page where its player answers."""

    evening: OwnEvening
    path: str
    n: int


def list_fill_in_offers(
    evenings: Iterable[OwnEvening], *, now: datetime, link: PersonalLink | None = None
) -> Sequence[FillInOffer]:
    """Return what players may fill in at, of those who have not answered or wait for a place.

    One query for each such evening of a player who is willing, and none for others.

    Args:
        link: the personal link by which the player reads; None for an account.
    """
    offers = []
    for evening in evenings:
        if not evening.player.fills_in or evening.state not in ("", AttendanceState.WAITING):
            continue
        request = open_fill_in(evening.meeting, now)
        if request is None:
            continue
        path = fill_in_path(request) if link is None else own_fill_in_path(request, link)
        if path:
            offers.append(FillInOffer(evening, path, request.wanted))
    return offers
