"""Neutral players of a play-off: who sits in chairs that nobody plays from for a place.

Such a chair is no member's. Whoever sits there does not count, also who competes in the event, or
is out of the play-off; a member who is out stays in the chair they had. See
docs/algorithms/playoffs.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max

from scoring.errors import Problem, Refused
from scoring.playoffs.states import FINISHED
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember
from tournaments.models.hands import Hand
from tournaments.models.meetings import Seat, Sitting
from tournaments.models.playoffs import LIVE, Playoff, plays_at
from tournaments.selectors.clubs.find_players import named_players


@dataclass(frozen=True, slots=True)
class NeutralChair:
    """A chair for a neutral player, and who sits there now."""

    seat: Seat
    sitting: Sitting | None


def seat_neutrals_in(playoff: Playoff, players: Sequence[str]) -> tuple[str, ...]:
    """Seat people in the chairs of neutral players, clockwise, from the next hand on.

    The caller holds the play-off's games and row, and says what was done.

    Args:
        players: ids, names or their beginnings; what is empty leaves the chair as it is.

    Returns:
        The ids of who sits somewhere else now.

    Raises:
        Refused: playoff_over, playoff_waived, playoff_state, too_many_neutral_players,
            nobody_of_that_name, name_of_several, same_player_twice, player_already_seated.
    """
    if playoff.state in FINISHED:
        raise Refused(Problem("playoff_over"))
    if playoff.is_waived:
        raise Refused(Problem("playoff_waived"))
    if playoff.state not in LIVE or playoff.stage_id is None:
        facts = {"found": playoff.state, "wanted": "scheduled"}
        raise Refused(Problem("playoff_state", ("players",), facts))
    typed = [text.strip() for text in players]
    while typed and not typed[-1]:
        typed.pop()
    chairs = free_chairs(playoff)
    if len(typed) > len(chairs):
        few = {"found": len(typed), "expected": len(chairs)}
        raise Refused(Problem("too_many_neutral_players", ("players",), few))
    named = _named(playoff, typed, chairs)
    last = _last_hands(chairs)
    moved = {player.pk for player in named.values()}
    for chair in chairs:
        if chair.seat.pk in named or (chair.sitting and chair.sitting.player_id in moved):
            _leave(chair, last.get(chair.seat.table_id, 0))
    for chair in chairs:
        if chair.seat.pk in named:
            Sitting.objects.create(
                club_id=playoff.club_id,
                seat=chair.seat,
                round_id=chair.seat.table.round_id,
                player=named[chair.seat.pk],
                from_hand=last.get(chair.seat.table_id, 0) + 1,
            )
    return tuple(named[chair.seat.pk].player_id for chair in chairs if chair.seat.pk in named)


def free_chairs(playoff: Playoff) -> list[NeutralChair]:
    """Return the chairs at open tables that are no member's, clockwise."""
    seats = Seat.objects.filter(table__round__stage=playoff.stage_id)
    seats = seats.exclude(table__round__state="closed").select_related("table")
    held = {
        one.seat_id: one
        for one in Sitting.objects.filter(seat__in=seats, to_hand__isnull=True).select_related(
            "player"
        )
    }
    members = EntrantMember.objects.filter(
        event=playoff.event_id, entrant__in=playoff.members.values("entrant")
    )
    codes = dict(members.values_list("player_id", "entrant__code"))
    chairs = []
    for seat in seats.order_by("table__number", "number"):
        sitting = held.get(seat.pk)
        code = codes.get(sitting.player_id) if sitting is not None else None
        if code is None or not plays_at(playoff, seat.table.code, code):
            chairs.append(NeutralChair(seat, sitting))
    return chairs


def _named(
    playoff: Playoff, typed: Sequence[str], chairs: Sequence[NeutralChair]
) -> dict[int, Player]:
    """Return who is meant for which seat, without those who sit there already."""
    people = named_players(playoff.club)
    rounds = {chair.seat.table.round_id for chair in chairs}
    own = {chair.seat.pk for chair in chairs}
    sat = Sitting.objects.filter(round__in=rounds, to_hand__isnull=True).exclude(seat__in=own)
    busy = dict(sat.values_list("player_id", "seat__table__number"))
    found: dict[int, Player] = {}
    problems: list[Problem] = []
    for place, (text, chair) in enumerate(zip(typed, chairs, strict=False)):
        if not text:
            continue
        meant = people.meant(text, ("players", place), but=set(busy))
        if isinstance(meant, Problem):
            problems.append(meant)
        elif meant in found.values():
            facts = {"player": meant.name, "player_id": meant.player_id}
            problems.append(Problem("same_player_twice", ("players", place), facts))
        elif meant.pk in busy:
            there = {"player": meant.name, "table": busy[meant.pk]}
            problems.append(Problem("player_already_seated", ("players", place), there))
        else:
            found[chair.seat.pk] = meant
    if problems:
        raise Refused(*problems)
    stays = {chair.seat.pk: chair.sitting.player_id for chair in chairs if chair.sitting}
    return {seat: player for seat, player in found.items() if stays.get(seat) != player.pk}


def _last_hands(chairs: Sequence[NeutralChair]) -> dict[int, int]:
    """Table → the number of its last hand."""
    tables = {chair.seat.table_id for chair in chairs}
    rows = Hand.objects.filter(game__table__in=tables).order_by().values("game__table")
    return dict(rows.annotate(last=Max("number")).values_list("game__table", "last"))


def _leave(chair: NeutralChair, last: int) -> None:
    """Let whoever sits in a chair leave after hand `last`; who had no hand was never there."""
    if chair.sitting is None:
        return
    if chair.sitting.from_hand > last:
        chair.sitting.delete()
    else:
        Sitting.objects.filter(pk=chair.sitting.pk).update(to_hand=last)
