"""Challenges: what one is, and who may challenge whom.

Pure: instants are UTC and come in, so does the club's zone. What follows a challenge is in
`scoring.ladders.outcomes`. See docs/algorithms/position-ladder.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Final

from scoring.errors import Problem
from scoring.ladders.deadlines import end_of_day, is_over, local_day
from scoring.ladders.idleness import Away, is_away
from scoring.ladders.replay import Ladder
from scoring.ladders.rules import LadderRules

OPEN: Final = frozenset({"issued", "accepted", "played"})
"""States in which a challenge still waits for something."""

NO_MATCH: Final = frozenset({"withdrawn", "cancelled", "void"})
"""Outcomes after which the two may meet again at once."""


@dataclass(frozen=True, slots=True)
class Member:
    """What a challenge asks of a member beyond the place: absences, and whether still active."""

    code: str
    absences: tuple[Away, ...] = ()
    is_active: bool = True


@dataclass(frozen=True, slots=True)
class Challenge:
    """One request to play for a place: `challenger` (c) from below, `challenged` (d) above.

    `closed_at` is when it came to an end; `postponed_by` has who used the one postponement.
    """

    challenger: str
    challenged: str
    state: str
    issued_at: datetime
    accepted_at: datetime | None = None
    played_at: datetime | None = None
    closed_at: datetime | None = None
    postponed_by: frozenset[str] = field(default_factory=frozenset)


def challenge_problems(
    challenger: Member,
    challenged: Member,
    *,
    ladder: Ladder,
    before: Sequence[Challenge],
    now: datetime,
    zone: tzinfo,
    rules: LadderRules,
) -> tuple[Problem, ...]:
    """Return what is against a challenge; nothing where it may be sent.

    Args:
        challenger, challenged: the two.
        ladder: as it stands now.
        before: every challenge of either of the two so far, open or closed.
        now: an instant, for absence and for the days since a last match.
        zone: of the club.
        rules: of the ladder.

    Returns:
        `challenge_self` alone, else any of `not_on_ladder`, `challenge_inactive`,
        `challenge_absent`, `challenge_downwards`, `challenge_beyond_reach`,
        `challenge_out_open`, `challenge_in_open`, `challenge_rematch`.

    See docs/algorithms/position-ladder.md.
    """
    if challenger.code == challenged.code:
        return (Problem("challenge_self"),)
    problems = [*_of_one(challenger, ladder, now, zone), *_of_one(challenged, ladder, now, zone)]
    problems.extend(_of_places(challenger.code, challenged.code, ladder, before, rules))
    problems.extend(_of_open(challenger.code, challenged.code, before))
    problems.extend(_of_rematch(challenger.code, challenged.code, before, now, zone, rules))
    return tuple(problems)


def _of_one(member: Member, ladder: Ladder, now: datetime, zone: tzinfo) -> list[Problem]:
    facts = {"member": member.code}
    if ladder.place(member.code) is None:
        return [Problem("not_on_ladder", facts=facts)]
    if not member.is_active:
        return [Problem("challenge_inactive", facts=facts)]
    if is_away(member.absences, local_day(now, zone)):
        return [Problem("challenge_absent", facts=facts)]
    return []


def _of_places(
    low: str, high: str, ladder: Ladder, before: Sequence[Challenge], rules: LadderRules
) -> list[Problem]:
    own, other = ladder.place(low), ladder.place(high)
    if own is None or other is None:
        return []
    facts = {"member": high, "place": other, "own": own}
    if other > own:
        return [Problem("challenge_downwards", facts=facts)]
    reach = reach_to(other, rules)
    if own - other <= reach or (rules.free_challenge and not _has_challenged(low, before)):
        return []
    return [Problem("challenge_beyond_reach", facts={**facts, "found": own - other, "most": reach})]


def reach_to(place: int, rules: LadderRules) -> int:
    """Return how many places up one may challenge the member at `place`.

    >>> reach_to(10, LadderRules(reach_top=2)), reach_to(11, LadderRules(reach_top=2))
    (2, 3)
    """
    narrower = rules.reach_top is not None and place <= rules.top_places
    return rules.reach_top if narrower and rules.reach_top is not None else rules.reach


def _has_challenged(member: str, before: Sequence[Challenge]) -> bool:
    return any(one.challenger == member and one.state not in NO_MATCH for one in before)


def _of_open(low: str, high: str, before: Sequence[Challenge]) -> list[Problem]:
    live = [one for one in before if one.state in OPEN]
    problems = []
    if out := next((one for one in live if one.challenger == low), None):
        facts = {"member": low, "other": out.challenged}
        problems.append(Problem("challenge_out_open", facts=facts))
    if coming := next((one for one in live if one.challenged == high), None):
        facts = {"member": high, "other": coming.challenger}
        problems.append(Problem("challenge_in_open", facts=facts))
    return problems


def _of_rematch(
    low: str,
    high: str,
    before: Sequence[Challenge],
    now: datetime,
    zone: tzinfo,
    rules: LadderRules,
) -> list[Problem]:
    ends = [
        (one.closed_at, one.state)
        for one in before
        if {one.challenger, one.challenged} == {low, high}
        and one.closed_at is not None
        and one.state not in NO_MATCH
    ]
    if not ends:
        return []
    ended, state = max(ends)
    free = local_day(ended, zone) + timedelta(days=rules.rematch_days)
    if is_over(end_of_day(free, zone), now) or rules.rematch_days == 0:
        return []
    facts: dict[str, int | str] = {"member": high, "days": rules.rematch_days, "state": state}
    facts["until"] = free.isoformat()
    return [Problem("challenge_rematch", facts=facts)]
