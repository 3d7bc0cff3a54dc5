"""The allowed steps of a play-off, and the effect of a correction on existing ones.

Pure. See docs/algorithms/playoffs.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scoring.errors import Problem, listed
from scoring.playoffs.boundaries import Need, Tiers, above_line
from scoring.playoffs.progress import PlayoffRules, Points, Progress

NEXT: Final = {
    "detected": frozenset({"scheduled", "void"}),
    "scheduled": frozenset({"in_play", "by_lot", "decided", "void"}),
    "in_play": frozenset({"in_play", "decided", "by_lot", "void"}),
    "decided": frozenset({"void"}),
    "by_lot": frozenset({"void"}),
}
"""State → the states that may follow. A walk-over decides what is scheduled; void is the end."""

FINISHED: Final = frozenset({"decided", "by_lot"})


def step_problems(state: str, to: str) -> tuple[Problem, ...]:
    """The problems of a play-off's going from `state` to `to`.

    `playoff_void` where it was voided, else `playoff_state`.

    >>> step_problems("decided", "in_play")[0].message
    'The play-off is decided. It cannot become in_play.'
    """
    if to in NEXT.get(state, ()):
        return ()
    if state == "void":
        return (Problem("playoff_void"),)
    return (Problem("playoff_state", facts={"found": state, "wanted": to}),)


def _open_problems(state: str, to: str) -> tuple[Problem, ...]:
    return (Problem("playoff_over"),) if state in FINISHED else step_problems(state, to)


def state_after(now: Progress) -> str:
    """Return the state a play-off is in after a hand, a walk-over or lots."""
    if not now.is_decided:
        return "in_play"
    return "by_lot" if now.by_lot else "decided"


def hand_problems(
    state: str, now: Progress, scores: Mapping[str, Points], rules: PlayoffRules
) -> tuple[Problem, ...]:
    """The problems of a hand's counting for a play-off.

    Args:
        now: its state before the hand.
        scores: points by code, without neutral players; members who are placed or out may play.

    `playoff_void`, `playoff_over` or `playoff_state` alone, else `playoff_stranger` one a stranger,
    `playoff_hand_incomplete` one a member who is missing, `playoff_hands_over`.
    """
    if problems := _open_problems(state, "in_play"):
        return problems
    group = {member for level in now.order for member in level}
    problems = tuple(
        Problem("playoff_stranger", facts={"member": code}) for code in scores if code not in group
    )
    tables = [tier for tier in now.undecided if set(tier.members) & set(scores)] or now.undecided
    problems += tuple(
        Problem("playoff_hand_incomplete", facts={"member": code})
        for tier in tables
        for code in tier.members
        if code not in scores
    )
    if any(now.is_over_for(tier, rules) for tier in tables):
        most = rules.max_hands + now.extended
        problems += (Problem("playoff_hands_over", facts={"most": most}),)
    return problems


def gone_problems(state: str, now: Progress, member: str) -> tuple[Problem, ...]:
    """The problems of placing a member last: `playoff_placed`, or by the state."""
    if problems := _open_problems(state, "decided"):
        return problems
    if any(member in tier.members for tier in now.undecided):
        return ()
    return (Problem("playoff_placed", facts={"member": member}),)


def lot_problems(state: str, now: Progress) -> tuple[Problem, ...]:
    """The problems of drawing lots: only what is scheduled or in play, and undecided."""
    if problems := _open_problems(state, "by_lot"):
        return problems
    return (Problem("playoff_over"),) if now.is_decided else ()


@dataclass(frozen=True, slots=True)
class KnownPlayoff:
    """An existing play-off: its id, its key and members, its state."""

    id: str
    key: str
    members: frozenset[str]
    state: str


@dataclass(frozen=True, slots=True)
class Review:
    """The result of detection: play-offs that stay or are voided, new needs, and questions.

    `asked` has a problem for each finished play-off that a correction would change; until
    it is answered it stays, and nothing is detected for its members.
    """

    kept: tuple[str, ...] = ()
    void: tuple[str, ...] = ()
    detected: tuple[Need, ...] = ()
    asked: tuple[Problem, ...] = ()


def review(
    playoffs: Sequence[KnownPlayoff], needs_now: Sequence[Need], finished: str = "ask"
) -> Review:
    """The play-offs of an event after any change of its table.

    Args:
        playoffs: every play-off of the event; void ones are ignored; they are kept for audit.
        finished: for finished ones whose group has changed: `ask`, `redo` or `keep`.

    The review is idempotent: repeated on unchanged data, it detects and voids nothing.
    """
    keys_needed = {need.key for need in needs_now}
    open_playoffs, void = [], []
    questions: list[Problem] = []
    members_asked: set[str] = set()
    for playoff in playoffs:
        if playoff.state == "void":
            continue
        if playoff.key in keys_needed:
            open_playoffs.append(playoff)
        elif playoff.state in FINISHED and finished != "redo":
            open_playoffs.append(playoff)
            members_asked |= playoff.members
            if finished == "ask":
                facts = {"playoff": playoff.id, "members": ", ".join(sorted(playoff.members))}
                questions.append(Problem("playoff_would_change", facts=facts))
        else:
            void.append(playoff.id)
    keys_open = {playoff.key for playoff in open_playoffs}
    new = [
        need
        for need in needs_now
        if need.key not in keys_open and members_asked.isdisjoint(need.members)
    ]
    return Review(
        tuple(playoff.id for playoff in open_playoffs), tuple(void), tuple(new), tuple(questions)
    )


def cut_problems(went_on: frozenset[str], tiers: Tiers, above: int) -> tuple[Problem, ...]:
    """The problems of a correction where the best of a stage have gone on already.

    `cut_would_change` with who would come in and who would go out; nothing where the same go on. It
    is asked, kept or redone by the event's setting, like a finished play-off.
    """
    now = above_line(tiers, above)
    if now == went_on:
        return ()
    facts = {
        "above": above,
        "tie": now is None,
        "come": listed(sorted((now or went_on) - went_on)) or "nobody",
        "go": listed(sorted(went_on - (now or went_on))) or "nobody",
    }
    return (Problem("cut_would_change", facts=facts),)
