"""The rounds that an event has had, as a plan takes them into account."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tournaments.models.events import Event, StageKind
from tournaments.models.meetings import Meeting, Round, RoundState, SitOut, SitOutReason, Sitting

MOST_ROUNDS: Final = 200
"""So many of the newest rounds count; older ones do not change who should meet tonight."""


@dataclass(frozen=True, slots=True)
class EarlierRound:
    """Who shared which table in a round, as rows of players in seat order, and who had a bye.

    `number` is the round's, in its event.
    """

    tables: tuple[tuple[int, ...], ...]
    sitting_out: tuple[int, ...] = ()
    number: int = 0


def earlier_rounds(event: Event, *, but: Meeting | None = None) -> tuple[EarlierRound, ...]:
    """Return the rounds of an event that are seated, the earliest first; three queries.

    Drafts and play-offs are left out. A seat counts for whoever holds it last.

    Args:
        but: a meeting whose rounds are left out.
    """
    rounds = Round.objects.filter(event=event).exclude(stage__kind=StageKind.PLAYOFF)
    if but is not None:
        rounds = rounds.exclude(meeting=but)
    seated = rounds.exclude(state=RoundState.DRAFT).order_by("-number")
    numbers = sorted(seated.values_list("number", "pk")[:MOST_ROUNDS])
    keys = [pk for _number, pk in numbers]
    tables = _tables(keys)
    outside = _sitting_out(keys)
    found = (
        EarlierRound(tables.get(pk, ()), outside.get(pk, ()), number) for number, pk in numbers
    )
    return tuple(one for one in found if one.tables)


def _tables(rounds: list[int]) -> Mapping[int, tuple[tuple[int, ...], ...]]:
    sat: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    rows = Sitting.objects.filter(round__in=rounds, to_hand__isnull=True)
    for round_id, table, player in rows.order_by(
        "round__number", "seat__table__number", "seat__number"
    ).values_list("round", "seat__table__number", "player_id"):
        sat[round_id][table].append(player)
    return {
        round_id: tuple(tuple(players) for players in tables.values() if len(players) > 1)
        for round_id, tables in sat.items()
    }


def _sitting_out(rounds: list[int]) -> Mapping[int, tuple[int, ...]]:
    found: dict[int, list[int]] = defaultdict(list)
    rows = SitOut.objects.filter(round__in=rounds, reason=SitOutReason.BYE)
    for round_id, player in rows.order_by("entrant__members__player").values_list(
        "round", "entrant__members__player_id"
    ):
        if player is not None:
            found[round_id].append(player)
    return {round_id: tuple(players) for round_id, players in found.items()}
