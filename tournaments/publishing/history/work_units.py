"""What is left to do beside an event's publications, and what one piece of it made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from scoring.json_types import JsonDict, JsonObject
from tournaments.models.events import Event
from tournaments.selectors.standings.changed_tables import ChangedTables

Body: TypeAlias = bytes


@dataclass(frozen=True, slots=True)
class PendingWork:
    """What is to be made: tables as of rounds from `round` on (None: none), the lists of
    `entrants` by code, the records where one of these changed.

    `everybody` means the entrants are still to be listed.
    """

    round: int | None = None
    entrants: tuple[str, ...] = ()
    everybody: bool = False
    records: bool = False

    @classmethod
    def everything(cls) -> "PendingWork":
        """Return all there is; what did not change is told by its fingerprints."""
        return cls(round=1, everybody=True, records=True)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return self.round is None and not (self.entrants or self.everybody or self.records)

    def joined(self, changed: ChangedTables | None) -> "PendingWork":
        """Return what is to do with these changes as well; None: anything may have changed."""
        if changed is None:
            return PendingWork.everything()
        if not changed.rounds:
            return self
        first = min(changed.rounds)
        return PendingWork(
            round=first if self.round is None else min(first, self.round),
            entrants=tuple(sorted({*self.entrants, *changed.entrants})),
            everybody=self.everybody,
            records=True,
        )

    def stored(self) -> JsonDict:
        """Return it as JSON holds it."""
        return {
            "round": self.round,
            "entrants": list(self.entrants),
            "everybody": self.everybody,
            "records": self.records,
        }

    @classmethod
    def read(cls, stored: JsonObject) -> "PendingWork":
        """Return what `stored` gave."""
        return cls(**{**stored, "entrants": tuple(stored["entrants"])})


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """What a maker made and took away, by kind and key; what it left, and what it cost.

    `ends` where the next maker reads what this one made, so that it has to be stored first.
    """

    left: PendingWork
    cost: int = 0
    made: Mapping[tuple[str, str], Body] = field(default_factory=dict)
    gone: Sequence[tuple[str, str]] = ()
    ends: bool = False


Maker: TypeAlias = Callable[[Event, PendingWork, int], WorkUnit]
"""Takes the event, what is to do and a budget in rows."""
