"""The REST client of a running installation, and hosts who repeat a request until it succeeds."""

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product

from django.utils import timezone

from tests.support.answers import Json
from tests.support.builders import by_tests, counts, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.live.project import PATIENCE_S, LiveProject
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand
from tournaments.models.standings import Publication
from tournaments.services.access.tokens import make_token

EVENT = "/api/v1/clubs/riverside/events/league"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, names of headers in small letters; status 0 where nothing did."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> Json:
        found: Json = json.loads(self.body)
        return found

    @property
    def codes(self) -> list[str]:
        return [error["code"] for error in self.json["errors"]]


class RestClient:
    """Sends requests to an installation with a host's token; without one, as a visitor."""

    def __init__(self, project: LiveProject, token: str, timeout_s: float = 180) -> None:
        self._port = project.port
        self._token = token
        self._timeout_s = timeout_s

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._timeout_s)
        said = {"Content-Type": "application/json"}
        if self._token:
            said["Authorization"] = f"Bearer {self._token}"
        text = None if body is None else json.dumps(body)
        try:
            line.request(method, path, text, {**said, **headers})
            answer = line.getresponse()
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return Answer(answer.status, headers, answer.read())
        except (OSError, http.client.HTTPException):
            return Answer(0)
        finally:
            line.close()

    def enter(self, code: str, number: int, *, key: str, queen: int = 3) -> Answer:
        """Enter a hand of a table; its scores follow from its number."""
        gift = number % 12 + 1
        body = {"number": number, "entry": counts([gift, 13 - gift, 0, 0], queen)}
        return self.ask("POST", f"{EVENT}/tables/{code}/hands", body, **{"Idempotency-Key": key})


def open_rest_client(project: LiveProject, tables: int = 1) -> tuple[RestClient, Event]:
    """Seat tables of the Riverside league, and give Hanna a token; inside the installation."""
    cast = enter_the_cast()
    event = league(cast.riverside)
    for number in range(1, tables + 1):
        names = [f"{seat} of table {number}" for seat in "NESW"]
        table(event, players(cast.riverside, *names), table_number=number)
    token = make_token(
        by_tests(timezone.now()), cast.riverside, user=cast.users["hanna"], scope="enter"
    )
    return RestClient(project, token), event


class Hosts:
    """Hosts who enter hand after hand, each until it is acknowledged; one a table.

    With fewer `clients` than tables each goes from table to table, `hands` at every one. `known`
    hands were acknowledged before, and are not entered again.
    """

    def __init__(
        self,
        rest: RestClient,
        tables: int,
        *,
        clients: int | None = None,
        hands: int = 900,
        known: Mapping[tuple[str, int], int] | None = None,
    ) -> None:
        self.acknowledged: dict[tuple[str, int], int] = dict(known or {})
        self.seconds: list[float] = []
        self.statuses: Counter[int] = Counter()
        self.rude: list[Answer] = []
        self.slowest = 0.0
        self._client = rest
        self._hands = hands
        self._ending = threading.Event()
        self._lock = threading.Lock()
        clients = clients or tables
        self._threads = [
            threading.Thread(
                target=self._host, args=(range(first, tables + 1, clients),), daemon=True
            )
            for first in range(1, clients + 1)
        ]

    def start(self) -> "Hosts":
        for thread in self._threads:
            thread.start()
        return self

    def end(self) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(timeout=PATIENCE_S)
            assert not thread.is_alive(), "a host waits for ever"

    def has(self, more: int) -> bool:
        return len(self.acknowledged) >= more

    def _host(self, tables: range) -> None:
        for table_number, number in product(tables, range(1, self._hands + 1)):
            if self._ending.is_set():
                return
            if (f"r1t{table_number}", number) in self.acknowledged:
                continue
            began = time.monotonic()
            while not self._knock(f"r1t{table_number}", number):
                self._ending.wait(0.05)
            self.seconds.append(time.monotonic() - began)
            self.slowest = max(self.slowest, self.seconds[-1])

    def _knock(self, code: str, number: int) -> bool:
        answer = self._client.enter(code, number, key=f"{code}-{number}")
        with self._lock:
            self.statuses[answer.status] += 1
            if answer.status == 201:
                self.acknowledged[code, number] = answer.json["revision"]
            # One account enters for all hosts: a long backup brings it to the limit of a minute.
            elif answer.status != 0 and not (
                answer.status in (429, 503) and answer.headers.get("retry-after")
            ):
                self.rude.append(answer)
        return answer.status == 201 or bool(self.rude)


def stored(event: Event) -> dict[tuple[str, int], int]:
    """The hands that are there, with the number of their newest revision; inside."""
    hands = Hand.objects.filter(game__event=event)
    rows = hands.values_list("game__table__code", "number", "revision")
    found = {(code, number): revision for code, number, revision in rows}
    assert Entry.objects.filter(hand__game__event=event).count() == sum(found.values())
    return found


def published_hands(event: Event) -> int:
    """How many hands the newest publication has; 0 where nothing is published; inside."""
    newest = Publication.objects.filter(event=event).order_by("-number").first()
    return int(json.loads(bytes(newest.body))["as_of"]["hands"]) if newest else 0
