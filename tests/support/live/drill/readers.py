"""Those who read in a drill: visitors, and a program that follows by `?since=`."""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from tests.support.live.drill.people import DONE, READ, Evening, Night, Person
from tests.support.live.rest_client import Answer


class Visitor(Person):
    """Reads standings, pages and feeds; a table never becomes older than the last one seen."""

    ROLE = "visitor"
    PAUSE_S = 0.4
    PLACES: Final[Sequence[Callable[[Evening], str]]] = (
        lambda evening: f"{evening.address}/standings",
        lambda evening: f"{evening.address}/standings",
        lambda evening: evening.page,
        lambda evening: f"{evening.page}/results.atom",
        lambda evening: f"{evening.address}/standings.csv",
        lambda evening: f"{evening.address}/hands?limit=20",
    )

    def __init__(self, night: Night, name: str, evenings: Sequence[Evening]) -> None:
        super().__init__(night, name)
        self._evenings = evenings
        self._etags: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def act(self) -> None:
        self._turn += 1
        evening = self.chance.choice(self._evenings)
        path = self.chance.choice(self.PLACES)(evening)
        known = {"If-None-Match": self._etags[path]} if path in self._etags else {}
        began = time.monotonic()
        answer = self.ask("GET", path, **known)
        self.account.note(self.ROLE, f"GET {path}", answer, READ)
        self.account.waited(self.ROLE, time.monotonic() - began)
        if answer.status not in DONE:
            return
        if etag := answer.headers.get("etag"):
            self._etags[path] = etag
        number = self._publication(evening, path, answer)
        if number is not None and number < self._numbers.get(path, 0):
            self.account.complain(f"{path}: publication {number} after {self._numbers[path]}")
        self._numbers[path] = max(number or 0, self._numbers.get(path, 0))

    def _publication(self, evening: Evening, path: str, answer: Answer) -> int | None:
        if path.endswith("/standings"):
            publication = answer.json["publication"]
            self.account.read(evening.slug, publication)
            return int(publication["number"])
        words = re.search(rb"Publication ([0-9]+)\.", answer.body)
        return int(words[1]) if words and path == evening.page else None


class Program(Person):
    """Follows the changes and the publications of each event by `?since=`."""

    ROLE = "program"
    PAUSE_S = 1.0

    def __init__(self, night: Night, name: str, token: str, evenings: Sequence[Evening]) -> None:
        super().__init__(night, name, token)
        self._evenings = evenings
        self._since: dict[tuple[str, str], int] = {}
        self.seen: dict[tuple[str, str], set[int]] = {
            (evening.slug, kind): set() for evening in evenings for kind in self.KINDS
        }

    KINDS: Final[Mapping[str, str]] = {"changes": "version", "publications": "number"}

    def act(self) -> None:
        for evening in self._evenings:
            for kind in self.KINDS:
                self.follow(evening, kind)

    def follow(self, evening: Evening, kind: str) -> None:
        """Read what came after the highest version that was read before, page by page."""
        since = self._since.get((evening.slug, kind), 0)
        path: str | None = f"{evening.address}/{kind}?since={since}"
        rows: list[dict[str, Any]] = []
        while path:
            answer = self.insist("GET", path, expected=DONE)
            if answer.status not in DONE:
                return
            page = json.loads(answer.body)
            rows += page["results"]
            following = urlsplit(page["next"] or "")
            path = f"{following.path}?{following.query}" if page["next"] else None
        self.seen[evening.slug, kind] |= {row[self.KINDS[kind]] for row in rows}
        self._since[evening.slug, kind] = max([since, *(row["version"] for row in rows)])
