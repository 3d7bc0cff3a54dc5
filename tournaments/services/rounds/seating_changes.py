"""Changes of a round before its hands: what they lead to, listed before one of them is made.

A change is about somebody who came or left, one or two people who were picked, or a table. Its ways
have a digest each; the one that was looked at is made, or nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from scoring.errors import Problem, Refused, shown
from scoring.seating.changes import (
    Arrangement,
    SeatingLimits,
    Way,
    swapped,
    way_from,
    ways_to_close,
    ways_to_move,
    ways_to_release,
    ways_to_seat,
)
from scoring.seating.new_table import ways_to_form
from tournaments.domain.etags import mark_of_text
from tournaments.errors import Conflict
from tournaments.models.attendance import AttendanceState
from tournaments.models.meetings import Round, SitOutReason
from tournaments.models.seating_plans import SeatingPlan
from tournaments.policy import Actor
from tournaments.selectors.rounds.expected_players import expected_in_round
from tournaments.selectors.rounds.round_seating import (
    RoundSeating,
    chosen_plan,
    evening_number,
    gone_in,
    pairs_met,
    present_in,
    round_seating,
)
from tournaments.services.db.event_lock import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.rounds.arrange_round import SeatingTarget, arrange_round
from tournaments.services.rounds.seating_limits import limits_of

ChangeKind: TypeAlias = Literal["seat", "leave", "move", "swap", "close", "form"]
KINDS: Final = ("seat", "leave", "move", "swap", "close", "form")


@dataclass(frozen=True, slots=True)
class SeatingChange:
    """What a change is about: players by row; `close` is about the table `table`.

    `form` seats players who wait at a new table.
    """

    kind: ChangeKind
    players: tuple[int, ...] = ()
    table: int = 0


@dataclass(frozen=True, slots=True)
class SeatingNow:
    """A round as it is seated, and who is at its evening.

    Args:
        numbers: of its tables, in the order of `arrangement`.
        unplaced: who is here and neither sits nor sits out, in order of arrival.
        left: who has a seat and left.
        gone: everybody who does not play in it, by attendance.
    """

    round: Round
    seating: RoundSeating
    arrangement: Arrangement
    numbers: tuple[int, ...]
    limits: SeatingLimits
    unplaced: tuple[int, ...]
    left: tuple[int, ...]
    gone: frozenset[int]

    @property
    def fixed(self) -> frozenset[int]:
        """Everybody at a table with hands."""
        return frozenset(
            player for table in self.seating.tables if table.is_fixed for player in table.players
        )

    def number_at(self, index: int) -> int:
        """Return the number of a table of an arrangement, also of one that is not there yet."""
        if index < len(self.numbers):
            return self.numbers[index]
        return max(self.numbers, default=0) + 1 + index - len(self.numbers)


@atomic_act
def change_seating(
    *,
    actor: Actor,
    round_: Round,
    change: SeatingChange,
    way: str,
    tag: str,
    now: datetime,
    split_sides: bool = False,
) -> Round:
    """Make one of the ways of a change, as it was looked at.

    Args:
        way: its digest (`digest_of_way`).
        tag: of the seating that the ways were listed for.

    Raises:
        Forbidden, Missing, Refused, Conflict: as `arrange_round`; round_seating_outdated also
            where who is there changed so that the way is not one any more.
    """
    lock_event(round_.event)
    now_seated = seating_now(round_)
    found = None
    if now_seated.seating.tag == tag:
        ways = ways_of(now_seated, change)
        found = next((one for one in ways if digest_of_way(one) == way), None)
    if found is None:
        raise Conflict(Problem("round_seating_outdated", facts={"round": round_.number}))
    return arrange_round(
        actor=actor,
        round_=round_,
        target=target_of_way(now_seated, change, found),
        now=now,
        tag=tag,
        split_sides=split_sides,
    )


def seating_now(round_: Round, plan: SeatingPlan | None = None) -> SeatingNow:
    """Return how a round is seated, and what a change of it must keep.

    Args:
        plan: the chosen plan of its evening, where it is read already.
    """
    meeting = round_.meeting
    seating = round_seating(round_)
    present: Mapping[int, object] = {}
    gone: frozenset[int] = frozenset()
    left: tuple[int, ...] = ()
    if meeting is not None:
        number = evening_number(round_)
        present, away = present_in(meeting, number), gone_in(meeting, number)
        gone = frozenset(away)
        is_gone = (AttendanceState.LEFT, AttendanceState.ABSENT)
        left = tuple(
            player
            for player in sorted(seating.seated)
            if player in away and away[player].state in is_gone
        )
        plan = plan or chosen_plan(meeting)
    unplaced = tuple(
        player for player in present if player not in {*seating.seated, *seating.sit_outs}
    )
    if unplaced:
        expected = expected_in_round(unplaced, round_, plan)
        unplaced = tuple(player for player in unplaced if player in expected)
    outside = tuple(player for player in seating.sit_outs if player not in gone)
    met = pairs_met(meeting, plan, round_)
    return SeatingNow(
        round=round_,
        seating=seating,
        arrangement=Arrangement(
            tuple(table.players for table in seating.tables), (*unplaced, *outside)
        ),
        numbers=tuple(table.number for table in seating.tables),
        limits=limits_of(round_.event, round_.number, seating.tables, plan, met),
        unplaced=unplaced,
        left=left,
        gone=gone,
    )


def ways_of(now: SeatingNow, change: SeatingChange) -> tuple[Way, ...]:
    """Return the ways to make a change, the least disturbing first; empty where it has none.

    Raises:
        Refused: bad_seating_change, about nobody or a table that is not there; too_many_picked,
            where somebody who is to sit at a new table does not wait.
    """
    before, limits = now.arrangement, now.limits
    known = set(before.people)
    if change.kind not in KINDS or not set(change.players) <= known:
        raise _bad(change)
    if change.kind == "form":
        return _ways_to_form(now, change)
    if now.fixed & set(change.players):
        return ()
    if change.kind == "close":
        return _ways_to_close(now, change)
    if len(change.players) != (2 if change.kind == "swap" else 1):
        raise _bad(change)
    if change.kind == "swap":
        one, other = change.players
        if one == other:
            raise _bad(change)
        return (way_from(before, swapped(before, one, other), limits),)
    if change.kind == "leave":
        return ways_to_release(before, change.players[0], limits)
    if change.kind == "seat" and change.players[0] in before.waiting:
        return ways_to_seat(before, change.players[0], limits)
    return ways_to_move(before, change.players[0], limits)


def _ways_to_close(now: SeatingNow, change: SeatingChange) -> tuple[Way, ...]:
    if change.table not in now.numbers:
        raise _bad(change)
    index = now.numbers.index(change.table)
    if index in now.limits.locked:
        return ()
    return ways_to_close(now.arrangement, index, now.limits)


def _ways_to_form(now: SeatingNow, change: SeatingChange) -> tuple[Way, ...]:
    if not set(change.players) <= set(now.arrangement.waiting):
        facts: dict[str, int | str] = {"found": len(change.players)}
        raise Refused(Problem("too_many_picked", ("seat",), facts))
    return ways_to_form(now.arrangement, change.players, now.limits)


def digest_of_way(way: Way) -> str:
    """Return what names exactly this seating."""
    text = json.dumps([way.after.tables, way.after.waiting], separators=(",", ":"))
    return mark_of_text(text)


def target_of_way(now: SeatingNow, change: SeatingChange, way: Way) -> SeatingTarget:
    """Return the seating of a round after a way, with the reasons of sit-outs.

    Whoever came and is not what the change is about stays without a place.
    """
    tables = {now.number_at(at): players for at, players in enumerate(way.after.tables)}
    waiting = set(way.after.waiting)
    outside = {
        player: why
        for player, why in now.seating.sit_outs.items()
        if player in waiting or player in now.gone
    }
    for player in way.after.waiting:
        if player in outside:
            continue
        if player not in now.unplaced:
            outside[player] = SitOutReason.REST.value
        elif player in change.players:
            outside[player] = SitOutReason.LATE.value
    if change.kind == "leave":
        player = change.players[0]
        why = SitOutReason.LEFT if player in now.gone else SitOutReason.REST
        outside[player] = why.value
    return SeatingTarget(tables, outside)


def _bad(change: SeatingChange) -> Refused:
    found = shown(f"{change.kind} {change.table or ''}".strip())
    return Refused(Problem("bad_seating_change", ("about",), {"found": found}))
