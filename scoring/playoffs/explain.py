"""How a play-off went for each member: its totals from one start at 0 to the next, lots, leaving.

Pure. What the reason in the standings is made of; see docs/algorithms/playoffs.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from scoring.playoffs.progress import (
    Gone,
    HandPlayed,
    LotsDrawn,
    PlayoffEvent,
    Points,
    Progress,
    progress,
)
from scoring.playoffs.rules import PlayoffRules

BY_LOT: Final = "lot"
LEFT: Final = "gone"


def explain_playoff(
    members: Iterable[str],
    cuts: Sequence[int],
    events: Sequence[PlayoffEvent],
    rules: PlayoffRules,
    *,
    low_wins: bool = True,
) -> tuple[Progress, dict[str, tuple[str, ...]], list[Mapping[str, str]]]:
    """Return how a play-off stands, what each member made until then, and all running totals.

    Args:
        members, cuts, events, rules, low_wins: as `progress` takes them.

    Returns:
        By code the totals at which one looked, in order; `lot` where lots decided, `gone` where
        the member did not come or gave up. Totals of hands after the last look are in the tiers.
        The running totals are one mapping an event: what those still undecided had after it
        since they last began from 0; empty after what is no hand.

    >>> hands = [HandPlayed({"A": 3, "B": 3, "C": 20}), HandPlayed({"A": 5, "B": 10})]
    >>> explain_playoff("ABC", [1], hands, PlayoffRules())[1]
    {'A': ('3', '5'), 'B': ('3', '10'), 'C': ('20',)}
    """
    group = sorted(members)
    made: dict[str, list[str]] = {member: [] for member in group}
    running: list[Mapping[str, str]] = []
    now = progress(group, cuts, (), rules, low_wins=low_wins)
    for at, event in enumerate(events, start=1):
        after = progress(group, cuts, events[:at], rules, low_wins=low_wins)
        for member, one in _said(now, event, after).items():
            made[member].append(one)
        running.append({member: _text(total) for member, total in _totals(now, event).items()})
        now = after
    return now, {member: tuple(each) for member, each in made.items()}, running


def _said(before: Progress, event: PlayoffEvent, after: Progress) -> Mapping[str, str]:
    playing = [member for tier in before.undecided for member in tier.members]
    if isinstance(event, Gone):
        return {event.member: LEFT} if event.member in playing else {}
    if isinstance(event, LotsDrawn):
        return dict.fromkeys(playing, BY_LOT)
    begun = {member: tier for tier in after.tiers for member in tier.members}
    return {
        member: _text(total)
        for member, total in _totals(before, event).items()
        if begun[member].leg == 0
    }


def _totals(before: Progress, event: PlayoffEvent) -> Mapping[str, Points]:
    """What those undecided have after a hand that counts for them, since they began from 0."""
    if not isinstance(event, HandPlayed):
        return {}
    return {
        member: tier.totals.get(member, 0) + event.scores[member]
        for tier in before.undecided
        if set(tier.members) <= set(event.scores)
        for member in tier.members
    }


def _text(points: Points) -> str:
    return str(points)
