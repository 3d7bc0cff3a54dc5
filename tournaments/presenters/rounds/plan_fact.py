"""One figure of a seating plan, as directors compare it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlanFact:
    """One figure of a plan: its name, the figure, and what it means."""

    name: str
    value: str
    text: str
