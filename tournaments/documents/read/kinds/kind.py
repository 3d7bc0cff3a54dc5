"""What each kind of file tells of a table."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from scoring.rules.rules import Rules
from tournaments.documents.read.column_plan import ColumnPlan, labels_of
from tournaments.documents.read.guess_columns import guess, lines_by_table
from tournaments.documents.read.people import People
from tournaments.models.imports import NAMES, SEATS


@dataclass(frozen=True)
class Sample:
    """The heads of a table and some of its rows, for an event of a club."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    people: People
    rules: Rules
    today: date

    @cached_property
    def plan(self) -> ColumnPlan | None:
        """The likely plan of a table in which a row is a hand or a game."""
        plan = guess(self.heads, self.rows, self.people, ())
        is_of_hands = plan.rows == NAMES or (plan.rows != SEATS and len(plan.players) > 1)
        return plan if is_of_hands else None

    @cached_property
    def lines(self) -> Sequence[Sequence[int]]:
        """The numbers of the players in each row of such a table."""
        tables = lines_by_table(self.plan, self.rows, labels_of(self.heads)) if self.plan else []
        return [line for table in tables for line in table]


class KindOfFile(ABC):
    """A kind of file. `elsewhere` says where it belongs, if it has no games."""

    key: str
    elsewhere: str = ""

    @abstractmethod
    def score(self, heads: Sequence[str], /) -> int:
        """Return how many of the heads have a meaning in files of this kind."""

    @abstractmethod
    def why(self, sample: Sample, /) -> str:
        """Return why a table is of this kind, as a key of a reason; empty if nothing tells."""
