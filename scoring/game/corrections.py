"""Corrections: entries that can be saved, near to one that was refused, likeliest first.

Pure. A correction is made by `scoring.game.repairs` and tried by the scorer before anybody sees it;
one that is refused is none. Whoever offers corrections (pages, the grid, REST, imports) offers
these. See docs/algorithms/likely-causes.md.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scoring.budget import Budget, OutOfBudget
from scoring.engine.progress import GameState
from scoring.entry.entry import read_entry
from scoring.errors import Problem, Refused, Suggestion
from scoring.game.entry_changes import changes as changes_between
from scoring.game.fast_path import score_entry
from scoring.game.hand_to_repair import Entry, HandToRepair, Refusal
from scoring.game.point_repairs import named_repair
from scoring.game.repairs import repairs
from scoring.game.score_hand import trial_of
from scoring.rules.rules import Rules

MOST_BESIDE_SEATS: Final = 6
"""So many corrections are offered beside one for each seat."""
MOST_TRIALS: Final = 400
"""Entries that are tried for one refusal."""
MOST_STEPS: Final = 3
"""Mistakes in one hand, above which no correction is looked for."""
MOST_PARTS: Final = 600
MOST_FIELDS: Final = 20
MOST_DEPTH: Final = 2
LARGEST: Final = 10**9
LONGEST: Final = 60
MOST_OPEN: Final = 40
"""Entries with fewer problems from which the search goes on."""

QUESTION: Final = "choice_required"
"""Refused only because a moon's settlement or shooter is open: each answer is tried."""
DEFINITE: Final = frozenset({"seat_should_be", "wrong_sign", "settle", "who_shot", "not_a_number"})
"""Suggestions that say what to write; they are tried like corrections, and left out if refused."""


def corrected(
    rules: Rules, state: GameState, entry: object, problems: Sequence[Problem], budget: Budget
) -> tuple[Problem, ...]:
    """Return the problems with the corrections at the first of them.

    Args:
        rules: what is played.
        state: the game before the hand.
        entry: the hand as it was typed.
        problems: why the scorer refused it.
        budget: what pays for the trials.

    Every suggestion that says what to write has the corrected `entry` among its facts; what cannot
    be saved is left out. Causes without an entry (`one heart missing`) stay as they are.
    """
    if not isinstance(entry, Mapping) or not problems or not _is_a_sheet(entry):
        return tuple(problems)
    search = _Search(rules, state, dict(entry), budget)
    hinted = [_tried(search, problem, problem is problems[0]) for problem in problems]
    seen = {
        _key(hint.facts["entry"])
        for problem in hinted
        for hint in problem.suggestions
        if "entry" in hint.facts
    }
    found: list[Suggestion] = []
    most = state.seats + MOST_BESIDE_SEATS - len(seen)
    try:
        for right in search.found(tuple(problems)):
            if len(found) >= most:
                break
            if _key(right) not in seen:
                seen.add(_key(right))
                found.append(_correction(search, right))
    except OutOfBudget:
        pass  # what was found until then stands
    first = hinted[0]
    hinted[0] = Problem(first.code, first.at, first.facts, (*first.suggestions, *found))
    return tuple(hinted)


def _is_a_sheet(entry: Mapping[str, object]) -> bool:
    """Whether somebody may have meant a hand by it: nothing in it is longer than on any sheet."""
    left = MOST_PARTS
    ahead: list[tuple[int, object]] = [(0, value) for value in entry.values()]
    while ahead and left:
        left -= 1
        depth, value = ahead.pop()
        if isinstance(value, list | tuple):
            if depth >= MOST_DEPTH or len(value) > left:
                return False
            ahead += [(depth + 1, one) for one in value]
        elif isinstance(value, Mapping) or _is_too_long(value):
            return False
    return not ahead and len(entry) <= MOST_FIELDS


def _is_too_long(value: object) -> bool:
    if isinstance(value, int):
        return abs(value) > LARGEST
    return isinstance(value, str) and len(value) > LONGEST


def _tried(search: "_Search", problem: Problem, is_first: bool) -> Problem:
    """The problem with those suggestions that can be saved, and those that say no entry."""
    kept = []
    for hint in problem.suggestions:
        if hint.code not in DEFINITE:
            kept.append(hint)
            continue
        right = named_repair(search.entry, problem, hint)
        try:
            if right is not None and search.problems(right) == ():
                facts = {**hint.facts, "entry": right}
                kept.append(Suggestion(hint.code, hint.at, facts))
        except OutOfBudget:
            if problem.code == QUESTION:  # the rules made it, with the scores it gives
                kept.append(hint)
    return Problem(problem.code, problem.at, problem.facts, tuple(kept))


def _correction(search: "_Search", right: Entry) -> Suggestion:
    changed = changes_between(search.entry, right, search.hand(search.entry).typed)
    return Suggestion("correction", (), {"changes": changed, "entry": right})


def _key(entry: Entry) -> str:
    return json.dumps(entry, sort_keys=True, default=str)


class _Search:
    """The search: entries one repair away, then two and three from those with fewer problems."""

    def __init__(self, rules: Rules, state: GameState, entry: Entry, budget: Budget) -> None:
        self.rules, self.state, self.entry = rules, state, entry
        # No causes are looked for in what is only tried.
        self.budget = Budget(hints=0, within=budget)
        self.known: dict[str, tuple[Problem, ...]] = {}

    def problems(self, entry: Entry) -> tuple[Problem, ...]:
        """Why an entry is refused; empty where it can be saved.

        Raises:
            OutOfBudget: more was tried than anybody waits for.
        """
        key = _key(entry)
        if key not in self.known:
            if len(self.known) >= MOST_TRIALS:
                raise OutOfBudget
            self.known[key] = self._refusal(entry)
        return self.known[key]

    def _refusal(self, entry: Entry) -> tuple[Problem, ...]:
        self.budget.spend(100)
        try:
            score_entry(self.rules, entry, self.state, self.budget)
        except OutOfBudget:
            raise
        except Refused as refused:
            return refused.problems
        return ()

    def hand(self, entry: Entry) -> HandToRepair:
        """An entry as repairs look at it."""
        typed = read_entry(entry, self.rules, self.state.seats, self.state.teams)
        return HandToRepair(entry, typed, lambda: trial_of(typed, self.state, self.budget))

    def found(self, problems: Refusal) -> Iterator[Entry]:
        """The entries that can be saved, likeliest first."""
        ahead: list[tuple[Entry, Refusal]] = [(self.entry, problems)]
        for _step in range(MOST_STEPS):
            nearer: list[tuple[Entry, Refusal]] = []
            for entry, refused in ahead[:MOST_OPEN]:
                for tried in repairs(self.hand(entry), refused):
                    left = self.problems(tried)
                    if not left:
                        yield tried
                    elif {one.code for one in left} == {QUESTION} and left != refused:
                        yield from self._answers(tried, left)
                    elif len(left) < len(refused):
                        nearer.append((tried, left))
            ahead = nearer

    def _answers(self, entry: Entry, refused: Refusal) -> Iterator[Entry]:
        for answer in repairs(self.hand(entry), refused):
            if not self.problems(answer):
                yield answer
