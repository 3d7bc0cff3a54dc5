"""How long after a fault everybody reads what was stored when it ended."""

import time
from collections.abc import Mapping
from typing import Any, Final

import psycopg

from tests.support.live.drill.machines import Machines
from tests.support.live.project import wait_until
from tests.support.live.rest_client import RestClient
from tournaments.models.jobs import event_scope

LONGEST_S: Final = 60.0


class Freshness:
    """How long it takes until everybody reads what is stored now."""

    def __init__(self, machines: Machines, events: Mapping[str, int]) -> None:
        self._machines, self._events = machines, events
        self._visitors = [RestClient(machine.web, "", timeout_s=10) for machine in machines.all]

    def measure(self, within_s: float = LONGEST_S) -> float:
        """Wait until all that is stored now is published and read by visitors; the seconds."""
        began = time.monotonic()
        versions = self._versions()
        try:
            wait_until(
                lambda: all(self._done().get(scope, 0) >= n for scope, n in versions.items()),
                what=f"publications of {versions}",
                within_s=within_s,
            )
        except AssertionError as stale:
            raise AssertionError(f"{stale}; {self._jobs()}") from stale
        numbers = dict(self._ask(NEWEST, list(self._events.values())))
        for slug, event_id in self._events.items():
            for visitor in self._visitors:
                wait_until(
                    lambda: self._read(visitor, slug) >= numbers.get(event_id, 0),  # noqa: B023
                    what=f"publication {numbers.get(event_id)} of {slug}",
                    within_s=within_s,
                )
        return time.monotonic() - began

    def _ask(self, statement: Any, *values: Any) -> list[tuple[Any, ...]]:
        try:
            return self._machines.rows(statement, *values)
        except psycopg.OperationalError:
            return []

    def _versions(self) -> dict[str, int]:
        return dict(self._ask(VERSIONS, [event_scope(pk) for pk in self._events.values()]))

    def _done(self) -> dict[str, int]:
        return dict(self._ask(DONE, [event_scope(pk) for pk in self._events.values()]))

    def _jobs(self) -> list[tuple[Any, ...]]:
        return self._ask("SELECT * FROM tournaments_dirty WHERE done < version")

    @staticmethod
    def _read(visitor: RestClient, slug: str) -> int:
        answer = visitor.ask("GET", f"/api/v1/clubs/riverside/events/{slug}/standings")
        return int(answer.json["publication"]["number"]) if answer.status == 200 else 0


VERSIONS: Final = "SELECT scope, version FROM tournaments_dirty WHERE scope = ANY(%s)"
DONE: Final = "SELECT scope, done FROM tournaments_dirty WHERE scope = ANY(%s)"
NEWEST: Final = """
    SELECT event_id, max(number) FROM tournaments_publication WHERE event_id = ANY(%s) GROUP BY 1
"""
