"""Hosts who enter hands at a steady pace, directors who seat the rounds, and readers; over REST."""

import json
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import count
from random import Random
from typing import Any, Final

HOST: Final = "127.0.0.1"
PATIENCE_S: Final = 60.0
IDLE_S: Final = 8.0
"""A server closes a connection that has been idle for long; a new one is made before that."""
HANDS: Final = 8
"""Hands that are played at a table."""
AT_ONCE: Final = 16
READERS: Final = 4
READ_EVERY_S: Final = 0.25
A_PAGE_IN: Final = 10
"""One read in this many is the page of the standings, the others are standings over REST."""
UNREACHABLE: Final = 599
"""In place of a status where no answer came."""


@dataclass(frozen=True, slots=True)
class Place:
    """An event that is played: its address, its page, tokens to seat and to enter, and tables.

    `tables` holds the ids of the players of each table, who sit there in every round. `close`
    closes the tables of a round, which REST does not do.
    """

    address: str
    page: str
    director: str
    host: str
    tables: Sequence[Sequence[str]]
    first_round: int
    close: Callable[[int], object]


@dataclass(slots=True)
class Told:
    """What the server answered: seconds of each hand, of each read, statuses, and rounds seated."""

    hands_s: list[float] = field(default_factory=list)
    reads_s: list[float] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    read_statuses: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """The first words of answers that were not as they should be."""
    rounds: int = 0
    late_s: float = 0.0
    """Largest delay of a hand against its planned time."""


class Line:
    """A connection that is opened anew where it has been idle."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection(HOST, port, timeout=PATIENCE_S)
        self._used = time.monotonic()

    def send(
        self, method: str, path: str, headers: Mapping[str, str], body: object = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Make a request; returns status, headers and body. A fault of the network is a status.

        Names of headers are in lower case.
        """
        if time.monotonic() > self._used + IDLE_S:
            self._connection.close()
        said = {**headers, "Content-Type": "application/json"} if body else dict(headers)
        try:
            self._connection.request(method, path, json.dumps(body) if body else None, said)
            answer = self._connection.getresponse()
            content = answer.read()
        except (OSError, HTTPException) as fault:
            self._connection.close()
            return UNREACHABLE, {}, repr(fault).encode()
        self._used = time.monotonic()
        return answer.status, {name.lower(): text for name, text in answer.headers.items()}, content


class Table:
    """A table of a round: where its hands are posted, and how many it has."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.hands = 0
        self.one_at_a_time = threading.Lock()


class Round:
    """A round of a place, seated by its director before the first hand that belongs to it."""

    def __init__(self, tables: Sequence[Table], begun: float) -> None:
        self.tables, self.begun = tables, begun


class Soak:
    """Enters hands into several places at once, one after the other, at a steady pace."""

    def __init__(self, port: int, places: Sequence[Place]) -> None:
        self._port, self._places = port, places
        self._own = threading.local()
        self._chance = Random(1)
        self._ending = threading.Event()
        self.told = Told()

    def run(self, *, number: int, apart_s: float) -> Told:
        """Enter so many hands, so many seconds apart, while others read; returns what came of it.

        Each place has a round at a time; its hands go round the tables.
        """
        readers = [threading.Thread(target=self._read, args=(n,)) for n in range(READERS)]
        for reader in readers:
            reader.start()
        try:
            with ThreadPoolExecutor(AT_ONCE) as hosts, ThreadPoolExecutor(1) as director:
                self._enter_all(hosts, director, number, apart_s)
        finally:
            self._ending.set()
            for reader in readers:
                reader.join()
        return self.told

    def _enter_all(
        self, hosts: ThreadPoolExecutor, director: ThreadPoolExecutor, number: int, apart_s: float
    ) -> None:
        begun, pause = time.monotonic(), threading.Event()
        rounds = [director.submit(self._seat, place, 0, None) for place in self._places]
        coming: dict[int, list[Future[None]]] = {n: [] for n in range(len(rounds))}
        for index in range(number):
            at, turn = index % len(self._places), index // len(self._places)
            place = self._places[at]
            size = len(place.tables) * HANDS
            if turn and turn % size == 0:
                before, played = rounds[at], coming[at]
                coming[at] = []
                rounds[at] = director.submit(
                    self._next_round, place, turn // size, before.result(), played
                )
            due = begun + index * apart_s
            pause.wait(max(0.0, due - time.monotonic()))
            table = turn % len(place.tables)
            coming[at].append(hosts.submit(self._enter, place, rounds[at], table, due))
        for last in coming.values():
            for one in last:
                one.result()

    def _next_round(
        self, place: Place, index: int, before: Round, played: Sequence[Future[None]]
    ) -> Round:
        for one in played:
            one.result()
        return self._seat(place, index, before)

    def _seat(self, place: Place, index: int, before: Round | None) -> Round:
        """Close the round before, seat the next one and post it."""
        number = place.first_round + index
        if before is not None:
            place.close(number - 1)
            self._directed(place, f"rounds/{number - 1}/state", {"to": "closed"})
        tables = [{"seats": list(players)} for players in place.tables]
        self._directed(place, "rounds", {"number": number, "tables": tables})
        made = self._directed(place, f"rounds/{number}/state", {"to": "posted"})
        self.told.rounds += 1
        codes = [table["code"] for table in made["tables"]]
        return Round(
            [Table(f"{place.address}/tables/{code}/hands") for code in codes], time.monotonic()
        )

    def _directed(self, place: Place, path: str, body: object) -> Any:
        said = {"Authorization": f"Bearer {place.director}", "Idempotency-Key": uuid.uuid4().hex}
        status, _, content = self._line().send("POST", f"{place.address}/{path}", said, body)
        if status not in {200, 201}:
            raise AssertionError(f"POST {place.address}/{path}: {status}\n{content[:2000]!r}")
        return json.loads(content)

    def _enter(self, place: Place, coming: Future[Round], table: int, due: float) -> None:
        round_ = coming.result()
        self.told.late_s = max(self.told.late_s, time.monotonic() - max(due, round_.begun))
        one = round_.tables[table]
        with one.one_at_a_time:
            said = {"Authorization": f"Bearer {place.host}", "Idempotency-Key": uuid.uuid4().hex}
            body = {"number": one.hands + 1, "entry": self._played()}
            begun = time.monotonic()
            status, _, content = self._line().send("POST", one.address, said, body)
            if status == 201:
                one.hands += 1
                self.told.hands_s.append(time.monotonic() - begun)
            else:
                self.told.wrong.append(f"{one.address}: {status} {content[:300]!r}")
            self.told.statuses.append(status)

    def _played(self) -> Mapping[str, object]:
        hearts = [0, 0, 0, 0]
        for _ in range(13):
            hearts[self._chance.randrange(4)] += 1
        taken: list[list[str]] = [[] for _ in hearts]
        taken[hearts.index(min(hearts))] = ["QS"]
        return {"hearts": hearts, "taken": taken}

    def _read(self, first: int) -> None:
        line = Line(self._port)
        known: dict[str, str] = {}
        for number in count(first):
            if self._ending.wait(READ_EVERY_S):
                return
            place = self._places[number % len(self._places)]
            is_page = number % A_PAGE_IN == 0
            path = place.page if is_page else f"{place.address}/standings"
            said = {"If-None-Match": known[path]} if path in known else {}
            begun = time.monotonic()
            status, headers, content = line.send("GET", path, said)
            self.told.reads_s.append(time.monotonic() - begun)
            self.told.read_statuses.append(status)
            if "etag" in headers:
                known[path] = headers["etag"]
            if status not in {200, 304}:
                self.told.wrong.append(f"{path}: {status} {content[:300]!r}")

    def _line(self) -> Line:
        if not hasattr(self._own, "line"):
            self._own.line = Line(self._port)
        line: Line = self._own.line
        return line
