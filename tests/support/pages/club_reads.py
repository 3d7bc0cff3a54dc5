"""Every page and list of a club by role, and what reading them costs the service."""

import re
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from api.urls import urlpatterns
from tests.support.pages.linked_pages import linked_pages
from tests.support.routes import NOBODY
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.policy import command
from tournaments.services.clubs.members import give_role
from tournaments.services.operations import Operation

ROLES: Final = ("visitor", "host", "director", "owner")
NAME: Final = re.compile(r"<(?:(\w+):)?(\w+)>")


def reader(club: Club, role: str) -> Client:
    """Return a client of somebody with this role in the club."""
    client = Client(SERVER_NAME="127.0.0.1")
    if role != "visitor":
        user, _is_new = User.objects.get_or_create(username=f"{club.slug}-{role}")
        give_role(Operation(command("tests"), timezone.now()), club, user_id=user.pk, role=role)
        client.force_login(user)
    return client


def pages_of(client: Client, club: str, events: Iterable[str], *, of_a_route: int) -> list[str]:
    """Return the addresses of the pages that links lead to from the site, the club and events."""
    starts = ["/", f"/clubs/{club}", *(f"/clubs/{club}/events/{event}" for event in events)]
    return list(linked_pages(client, starts, of_a_route=of_a_route))


def lists_of(event: Event, **more: object) -> Iterator[str]:
    """Yield every address of REST that is read, with the names of an event's first things."""
    meeting = Meeting.objects.filter(event=event).order_by("date")[0]
    entrant = event.entrants.order_by("code")[0].code
    names: Mapping[str, object] = {
        **{"club": event.club.slug, "event": event.slug, "code": "r1t1", "day": meeting.date},
        **{"player_id": entrant, "entrant": entrant, "kind": "digest", "variant": "hearts"},
        **{"season": "autumn", "house": "house", **more},
    }

    def fill(name: re.Match[str]) -> str:
        return str(names.get(name[2], NOBODY if name[1] == "uuid" else 1))

    for each in urlpatterns:
        view: Any = each.callback
        if "get" in view.rights and each.name != "schema":
            yield "/api/v1/" + NAME.sub(fill, str(each.pattern))


class Statements:
    """A wrapper of Django that records each statement with its values and its time."""

    def __init__(self) -> None:
        self.rows: list[tuple[float, str, Any]] = []

    def __call__(
        self, execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any
    ) -> Any:
        begun = time.perf_counter()
        try:
            return execute(sql, values, many, context)
        finally:
            self.rows.append((time.perf_counter() - begun, sql, values))


@dataclass(frozen=True, slots=True)
class Cost:
    """What one address cost: medians of the time, and the statements of the last time."""

    path: str
    status: int
    milliseconds: float
    processor_ms: float
    statements: list[tuple[float, str, Any]]


def cost_of(client: Client, path: str, *, times: int = 1) -> Cost:
    """Read an address to its end, so often; the times are medians."""
    elapsed, processor = [], []
    for _ in range(times):
        statements = Statements()
        begun, begun_cpu = time.perf_counter(), time.process_time()
        with connection.execute_wrapper(statements):
            answer: Any = client.get(path)
            answer.getvalue() if answer.streaming else answer.content
        elapsed.append(1000 * (time.perf_counter() - begun))
        processor.append(1000 * (time.process_time() - begun_cpu))
    medians = statistics.median(elapsed), statistics.median(processor)
    return Cost(path, answer.status_code, *medians, statements.rows)


def read_all(client: Client, paths: Iterable[str], *, times: int) -> list[Cost]:
    """Read addresses so often; returns the costs of those that are answered with 200."""
    costs = (cost_of(client, path, times=times) for path in paths)
    return [cost for cost in costs if cost.status == 200]


def list_slowest(costs: Sequence[Cost], number: int) -> Iterator[str]:
    """Yield a line for each of the addresses with the longest time, and with most statements."""
    for measure in ("milliseconds", "statements"):
        sort = {"milliseconds": lambda cost: cost.milliseconds, "statements": _count}[measure]
        yield f"by {measure}:"
        for cost in sorted(costs, key=sort, reverse=True)[:number]:
            times = f"{cost.milliseconds:6.0f} ms, {cost.processor_ms:6.0f} ms of processor"
            yield f"{times}, {_count(cost):3} statements, {cost.path}"


def _count(cost: Cost) -> int:
    return len(cost.statements)
