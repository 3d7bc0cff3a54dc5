"""What every table made of the boards: scores by line, for comparing across the field."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db.models import QuerySet

from tournaments.models.deals import Board
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import HandState, SeatScore
from tournaments.models.meetings import Sitting


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
    held = _holders({seat for *_, seat, _ in scores}) if board else _holders_of_event(event)
    codes = dict(
        EntrantMember.objects.filter(event=event).values_list("player_id", "entrant__code")
    )
    found = []
    for number, line, round_number, code, hand, seat, score in scores:
        player = _holder(held.get(seat, ()), hand)
        entrant = codes.get(player, "") if player else ""
        found.append(
            LineResult(number, line, round_number, code, hand, player or 0, entrant, score)
        )
    return found


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
    found: dict[int, list[tuple[int, int, int | None]]] = defaultdict(list)
    rows = sittings.values_list("seat_id", "player_id", "from_hand", "to_hand")
    for seat, player, first, last in rows:
        found[seat].append((player, first, last))
    return found


def _holder(stretches: Sequence[tuple[int, int, int | None]], hand: int) -> int | None:
    for player, first, last in stretches:
        if first <= hand and (last is None or hand <= last):
            return player
    return None
