"""Whether something new may go onto a position ladder: every problem, before it is stored.

Pure. A replay never asks these questions; only what somebody types is asked.
"""

from collections.abc import Sequence
from typing import Final

from scoring.errors import Problem
from scoring.ladders.positions import Tiers
from scoring.ladders.replay import Ladder
from scoring.ladders.rules import LadderRules

LEAST_AT_TABLE: Final = 3
MOST_AT_TABLE: Final = 11


def table_problems(ladder: Ladder, tiers: Tiers, rules: LadderRules) -> tuple[Problem, ...]:
    """Return what is against a table challenge with this finish.

    Args:
        ladder: as it stands.
        tiers: who finished level, best first.
        rules: with `max_span`, the most that the best and the last place may be apart.

    Returns:
        `not_on_ladder` and `ladder_member_twice` one a member, `ladder_table_size`,
        `ladder_span`; nothing where it may be played.

    See docs/algorithms/position-ladder.md.
    """
    members = [member for tier in tiers for member in tier]
    problems = list(_repeated(members))
    places = []
    for member in dict.fromkeys(members):
        place = ladder.place(member)
        if place is None:
            problems.append(Problem("not_on_ladder", facts={"member": member}))
        else:
            places.append(place)
    if not LEAST_AT_TABLE <= len(members) <= MOST_AT_TABLE:
        facts = {"found": len(members), "least": LEAST_AT_TABLE, "most": MOST_AT_TABLE}
        problems.append(Problem("ladder_table_size", facts=facts))
    if places and rules.max_span is not None and max(places) - min(places) > rules.max_span:
        facts = {"found": max(places) - min(places), "most": rules.max_span}
        problems.append(Problem("ladder_span", facts=facts))
    return tuple(problems)


def _repeated(members: Sequence[str]) -> list[Problem]:
    seen: set[str] = set()
    found = []
    for member in members:
        if member in seen:
            found.append(Problem("ladder_member_twice", facts={"member": member}))
        seen.add(member)
    return found
