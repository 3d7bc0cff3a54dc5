"""What the people of a drill were answered, and what was acknowledged to them."""

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from tests.support.builders import counts
from tests.support.live.rest_client import Answer

NO_ROOM: Final = 507
AWAY: Final = 503
TOO_MANY: Final = 429


def is_polite_refusal(answer: Answer) -> bool:
    """Whether an answer is one of those that docs/api.md has for a fault: wait, and send again."""
    if answer.status in (0, NO_ROOM):
        return True
    return answer.status in (AWAY, TOO_MANY) and bool(answer.headers.get("retry-after"))


KINDS_OF_SHEETS: Final = 48


class HandId(NamedTuple):
    """A hand: the slug of its event, the code of its table, its number."""

    event: str
    table: str
    number: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """What somebody enters for a hand; it follows from a number below KINDS_OF_SHEETS."""

    content: int

    @property
    def hearts(self) -> list[int]:
        gift = self.content % KINDS_OF_SHEETS // 4
        return [gift + 1, 12 - gift, 0, 0]

    @property
    def queen(self) -> int:
        return self.content % 4

    @property
    def entry(self) -> dict[str, object]:
        return counts(self.hearts, self.queen)


class Account:
    """Counts answers by role and status, and keeps each acknowledged revision of each hand."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, int]] = Counter()
        self.wrong: list[str] = []
        self.longest_s: dict[str, float] = {}
        self.revisions: dict[HandId, dict[int, Sheet]] = {}
        self.digests: dict[tuple[str, int], str] = {}
        """The digest that visitors read of each publication: event and number."""
        self.done: Counter[str] = Counter()
        """How often each act of the people succeeded."""
        self.secrets: set[str] = set()
        """The tokens of the people."""
        self._lock = threading.Lock()

    def note(self, role: str, what: str, answer: Answer, expected: frozenset[int]) -> bool:
        """Count an answer; returns whether it is final: expected, or wrong and noted as that."""
        with self._lock:
            self.answers[role, answer.status] += 1
        if answer.status in expected:
            return True
        if is_polite_refusal(answer):
            return False
        if answer.status == 409 and b"request_in_progress" in answer.body:
            return False
        self.complain(f"{role}, {what}: {answer.status} {answer.body[:400]!r}")
        return True

    def count(self, status: int) -> int:
        with self._lock:
            return sum(n for (_, each), n in self.answers.items() if each == status)

    def complain(self, sentence: str) -> None:
        with self._lock:
            self.wrong.append(sentence)

    def waited(self, role: str, seconds: float) -> None:
        with self._lock:
            self.longest_s[role] = max(seconds, self.longest_s.get(role, 0.0))

    def acted(self, act: str) -> None:
        with self._lock:
            self.done[act] += 1

    def acknowledge(self, hand: HandId, revision: int, sheet: Sheet) -> None:
        """Note a revision that somebody was told is stored; two of them are a fault."""
        with self._lock:
            revisions = self.revisions.setdefault(hand, {})
            if revisions.setdefault(revision, sheet) != sheet:
                self.wrong.append(f"{hand}: revision {revision} was acknowledged twice")

    def hands_of(self, event: str) -> list[HandId]:
        with self._lock:
            return [hand for hand in self.revisions if hand.event == event]

    def newest(self, hand: HandId) -> int:
        with self._lock:
            return max(self.revisions[hand])

    def sheet(self, hand: HandId) -> Sheet:
        with self._lock:
            return self.revisions[hand][max(self.revisions[hand])]

    def read(self, event: str, publication: Mapping[str, object]) -> None:
        """Note the digest of a publication; another one of the same number is a fault."""
        number, digest = int(str(publication["number"])), str(publication["digest"])
        with self._lock:
            if self.digests.setdefault((event, number), digest) != digest:
                self.wrong.append(f"{event}: publication {number} changed its digest")
