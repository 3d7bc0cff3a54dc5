"""A budget of work: the steps that a computation may cost, and the share of them for hints.

Pure: steps are counted, and no clock is read. A step takes about a microsecond; dearer operations
count as several. The caller passes the budget; without one, only single
searches are bounded.
"""

from typing import Final

from scoring.errors import Problem, Refused

CASE: Final = 200
"""Steps of a case beside its hands."""
OPTIONS: Final = 4_000
"""Steps of making rules with options."""
HAND: Final = 100
"""Steps of a hand beside its searches."""
JUDGED: Final = 100
"""Steps of judging one deal."""


class OutOfBudget(Refused):
    """The computation costs more steps than the budget has."""

    def __init__(self) -> None:
        super().__init__(Problem("too_much_work"))


class Budget:
    """The remaining steps, and what hints may still cost.

    `hints` refused hands get likely causes, for `hint_steps` steps altogether;
    later ones get none. None means no limit. Steps are also counted in the wider budget `within`,
    whose limits apply as well.
    """

    def __init__(
        self,
        steps: int | None = None,
        *,
        hint_steps: int | None = None,
        hints: int | None = None,
        within: "Budget | None" = None,
    ) -> None:
        self.within = within
        self.steps, self.hint_steps, self.hints = steps, hint_steps, hints
        self.spent = self.spent_on_hints = self.hinted = 0

    def spend(self, steps: int) -> None:
        """Count steps."""
        self.spent += steps
        if self.within is not None:
            self.within.spend(steps)
        if self.steps is not None and self.spent > self.steps:
            raise OutOfBudget

    def for_hints(self, *, again: bool = False) -> "Budget | None":
        """A budget for the causes of one refusal, or None; `again` where it had one already."""
        if self.hints is not None and self.hinted >= self.hints and not again:
            return None
        bounds = [
            bound - spent
            for bound, spent in ((self.steps, self.spent), (self.hint_steps, self.spent_on_hints))
            if bound is not None
        ]
        if bounds and min(bounds) <= 0:
            return None
        if self.within is not None:
            wider = self.within.for_hints(again=again)
            if wider is None:
                return None
            if wider.steps is not None:
                bounds.append(wider.steps)
        self.hinted += not again
        if bounds:
            return Budget(min(bounds))
        return Budget()

    def add_hints(self, hints: "Budget") -> None:
        """Count what a budget of `for_hints` has spent."""
        paying: Budget | None = self
        while paying is not None:
            paying.spent_on_hints += hints.spent
            paying = paying.within
        self.spend(hints.spent)


BOUNDLESS: Final = Budget()
"""Budget of callers without one; its spending has no meaning."""
