"""Challenges: permitted opponents, answers, results, and expiry at deadlines.

See docs/algorithms/position-ladder.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Final

from scoring.errors import Problem
from scoring.ladders.positions import Ladder
from scoring.ladders.rules import (
    AbsencePeriod,
    LadderRules,
    days_since,
    deadline,
    end_of_day,
    is_away,
    local_day,
)

OPEN: Final = frozenset({"issued", "accepted", "played"})
"""States in which a challenge still waits for something."""

NO_MATCH: Final = frozenset({"withdrawn", "cancelled", "void"})
"""Outcomes after which the two may meet again at once."""


@dataclass(frozen=True, slots=True)
class Member:
    """The absences of a member, and whether the member is active, as a challenge needs them."""

    code: str
    absences: tuple[AbsencePeriod, ...] = ()
    is_active: bool = True


@dataclass(frozen=True, slots=True)
class Challenge:
    """One request to play for a place: `challenger` (c) from below, `challenged` (d) above.

    `closed_at` is when it ended; `postponed_by` has the members who used their postponement.
    """

    challenger: str
    challenged: str
    state: str
    issued_at: datetime
    accepted_at: datetime | None = None
    played_at: datetime | None = None
    closed_at: datetime | None = None
    postponed_by: frozenset[str] = field(default_factory=frozenset)


WINS: Final = frozenset({"declined", "expired", "forfeited_d"})
"""Outcomes without a game that count as a win for the challenger: the challenged refused."""


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
    """The problems of a challenge; empty where it may be sent.

    `challenge_self` alone, else any of `not_on_ladder`, `challenge_inactive`, `challenge_absent`,
    `challenge_downwards`, `challenge_beyond_reach`, `challenge_out_open`, `challenge_in_open`,
    `challenge_rematch`.

    Args:
        before: every challenge of either of the two so far, open or closed.
        now: an instant, for absence and for the days since a last match.
    """
    if challenger.code == challenged.code:
        return (Problem("challenge_self"),)
    today = local_day(now, zone)
    problems = []
    for member in (challenger, challenged):
        if ladder.place(member.code) is None:
            code = "not_on_ladder"
        elif not member.is_active:
            code = "challenge_inactive"
        elif is_away(member.absences, today):
            code = "challenge_absent"
        else:
            continue
        problems.append(Problem(code, facts={"member": member.code}))
    problems += _problems_of_places(challenger.code, challenged.code, ladder, before, rules)
    live = [challenge for challenge in before if challenge.state in OPEN]
    if out := next((row for row in live if row.challenger == challenger.code), None):
        facts = {"member": challenger.code, "other": out.challenged}
        problems.append(Problem("challenge_out_open", facts=facts))
    if coming := next((row for row in live if row.challenged == challenged.code), None):
        facts = {"member": challenged.code, "other": coming.challenger}
        problems.append(Problem("challenge_in_open", facts=facts))
    problems += _problems_of_rematch(challenger.code, challenged.code, before, now, zone, rules)
    return tuple(problems)


def _problems_of_places(
    low: str, high: str, ladder: Ladder, before: Sequence[Challenge], rules: LadderRules
) -> list[Problem]:
    place, other = ladder.place(low), ladder.place(high)
    if place is None or other is None:
        return []
    facts = {"member": high, "place": other, "own": place}
    if other > place:
        return [Problem("challenge_downwards", facts=facts)]
    reach = reach_to(other, rules)
    is_free = rules.free_challenge and not any(
        challenge.challenger == low and challenge.state not in NO_MATCH for challenge in before
    )
    if place - other <= reach or is_free:
        return []
    return [
        Problem("challenge_beyond_reach", facts={**facts, "found": place - other, "most": reach})
    ]


def reach_to(place: int, rules: LadderRules) -> int:
    """The number of places up from which a member may challenge the one at `place`.

    >>> reach_to(10, LadderRules(reach_top=2)), reach_to(11, LadderRules(reach_top=2))
    (2, 3)
    """
    is_at_top = rules.reach_top is not None and place <= rules.top_places
    return rules.reach_top if is_at_top and rules.reach_top is not None else rules.reach


def _problems_of_rematch(
    low: str,
    high: str,
    before: Sequence[Challenge],
    now: datetime,
    zone: tzinfo,
    rules: LadderRules,
) -> list[Problem]:
    ends = [
        (challenge.closed_at, challenge.state)
        for challenge in before
        if {challenge.challenger, challenge.challenged} == {low, high}
        and challenge.closed_at is not None
        and challenge.state not in NO_MATCH
    ]
    if not ends:
        return []
    ended, state = max(ends)
    free = local_day(ended, zone) + timedelta(days=rules.rematch_days)
    if now >= end_of_day(free, zone) or rules.rematch_days == 0:
        return []
    facts = {"member": high, "days": rules.rematch_days, "state": state}
    facts["until"] = free.isoformat()
    return [Problem("challenge_rematch", facts=facts)]


CHALLENGE_STEPS: Final = {
    "issued": frozenset({"accepted", "declined", "expired", "withdrawn"}),
    "accepted": frozenset({"played", "forfeited_c", "forfeited_d", "cancelled"}),
    "played": frozenset({"confirmed", "accepted"}),
    "confirmed": frozenset({"void"}),
}
"""State → the states that may follow; what is not listed is an end."""


def step_problems(challenge: Challenge, to: str) -> tuple[Problem, ...]:
    """The problem of a challenge's going to state `to`: `challenge_state`.

    >>> step_problems(Challenge("H", "E", "declined", datetime(2025, 3, 1)), "accepted")[0].facts
    {'found': 'declined', 'wanted': 'accepted'}
    """
    if to in CHALLENGE_STEPS.get(challenge.state, ()):
        return ()
    return (Problem("challenge_state", facts={"found": challenge.state, "wanted": to}),)


def answer_problems(
    challenge: Challenge, to: str, now: datetime, zone: tzinfo, rules: LadderRules
) -> tuple[Problem, ...]:
    """The problems of a person's moving a challenge on, deadlines included.

    `challenge_state`, or `challenge_too_late` where an answer or a result comes after the
    deadline: from then on the deadline decides the outcome, whether its job has run or not.
    """
    if problems := step_problems(challenge, to):
        return problems
    late = {"issued": {"accepted", "declined"}, "accepted": {"played"}}
    over = due_at(challenge, zone, rules)
    if to in late.get(challenge.state, ()) and over is not None and now >= over:
        return (Problem("challenge_too_late", facts={"over": over.isoformat()}),)
    return ()


def result_problems(
    challenge: Challenge, players: Sequence[str], by: str | None = None
) -> tuple[Problem, ...]:
    """The problems of a result reported by a member; None as `by` is a host or director.

    `challenge_stranger` where `by` is neither of the two, `challenge_player_missing` for each of
    the two who was not among the `players` at the table.
    """
    pair = (challenge.challenger, challenge.challenged)
    strangers = (
        [Problem("challenge_stranger", facts={"member": by})] if by not in (*pair, None) else []
    )
    missing = (member for member in pair if member not in players)
    return (
        *strangers,
        *(Problem("challenge_player_missing", facts={"member": member}) for member in missing),
    )


def winner(challenger: str, challenged: str, places: Mapping[str, int]) -> str:
    """The winner of the two by their places at the table: a tie with the challenged is not enough.

    >>> winner("H", "E", {"H": 2, "E": 2, "X": 1})
    'E'
    """
    return challenger if places[challenger] < places[challenged] else challenged


def confirmation_problems(challenge: Challenge, by: str, loser: str) -> tuple[Problem, ...]:
    """The problems of `by`'s confirming a result, who is neither host nor director.

    `challenge_state`, or `challenge_not_the_loser`: the winner cannot confirm it.
    """
    if problems := step_problems(challenge, "confirmed"):
        return problems
    if by == loser:
        return ()
    return (Problem("challenge_not_the_loser", facts={"member": by, "loser": loser}),)


def postponement_problems(challenge: Challenge, by: str) -> tuple[Problem, ...]:
    """The problems of `by`'s putting the game off once: it must be accepted, theirs, and unused."""
    if challenge.state != "accepted":
        return (Problem("challenge_state", facts={"found": challenge.state, "wanted": "accepted"}),)
    if by not in (challenge.challenger, challenge.challenged):
        return (Problem("challenge_stranger", facts={"member": by}),)
    if by in challenge.postponed_by:
        return (Problem("challenge_postponed", facts={"member": by}),)
    return ()


def due_at(challenge: Challenge, zone: tzinfo, rules: LadderRules) -> datetime | None:
    """The instant at which the deadline of the challenge is over, or None where it has none.

    Issued: the end of the `respond_days`-th local day. Accepted: of the `play_days`-th, later by
    `postpone_days` for each postponement. Played: `confirm_hours` after the result.
    """
    if challenge.state == "issued":
        return deadline(challenge.issued_at, rules.respond_days, zone)
    if challenge.state == "accepted" and challenge.accepted_at is not None:
        days = rules.play_days + rules.postpone_days * len(challenge.postponed_by)
        return deadline(challenge.accepted_at, days, zone)
    if challenge.state == "played" and challenge.played_at is not None:
        return challenge.played_at + timedelta(hours=rules.confirm_hours)
    return None


def due_state(challenge: Challenge, now: datetime, zone: tzinfo, rules: LadderRules) -> str | None:
    """The state that a challenge has by `now` through its deadline, or None.

    Running twice, late, or after the clock stepped back is harmless: a state set by a deadline
    has no deadline.
    """
    over = due_at(challenge, zone, rules)
    if over is None or now < over:
        return None
    return {"issued": "expired", "accepted": rules.unplayed, "played": "confirmed"}[challenge.state]


def is_win(
    challenge: Challenge, before: Sequence[Challenge], zone: tzinfo, rules: LadderRules
) -> bool:
    """Whether a challenge that ended without a game counts as a win for the challenger.

    `before` are those that closed before it, by stored order. With `forgive_first_refusal` only a
    refusal within `refusal_days` after another one counts.
    """
    if challenge.state not in WINS or challenge.closed_at is None:
        return False
    if not rules.forgive_first_refusal:
        return True
    day = local_day(challenge.closed_at, zone)
    return any(
        earlier.challenged == challenge.challenged
        and earlier is not challenge
        and earlier.state in WINS
        and earlier.closed_at is not None
        and days_since(local_day(earlier.closed_at, zone), day) <= rules.refusal_days
        for earlier in before
    )
