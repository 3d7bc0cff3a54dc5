"""Phones of hosts, in a process of their own: `python -m benchmarks.phones`.

The first line of stdin says which tables there are (`Plan`); each phone opens its table's link and
enters a first hand, which nobody counts. Then `ready` is said, and each further line is an act,
answered with a line of what the phones and somebody who reads the standings have seen (`Seen`).
"""

import json
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse
from random import Random
from typing import Final, NamedTuple, TypedDict

from benchmarks.http import opened

HOST: Final = "127.0.0.1"
PATIENCE_S: Final = 60.0
LOOK_S: Final = 0.02
"""Interval of reading the standings, and so the precision of the time at which they changed."""
PAUSE_S: Final = 0.2
"""Two taps lie up to so much further apart, so that they fall anywhere between two looks of the
worker."""
FIRST_AT_ONCE: Final = 4
CLIENTS: Final = 4
"""Number of clients that post as fast as they are answered."""
SERVER_ERROR: Final = 500
IDLE_S: Final = 10.0
"""A server closes a connection that has been idle for long; a phone makes a new one before that."""


class Table(TypedDict):
    """A table: the token of its link, and where its hands are posted."""

    token: str
    path: str


class Plan(TypedDict):
    """What the phones are told: port, where the standings are, a table each; how long lies between
    two waves of posts, and how long posts keep coming that nobody hurries with."""

    port: int
    standings: str
    tables: list[Table]
    gap_s: float
    while_s: float


class Post(NamedTuple):
    """A hand: when it was sent and answered (monotonic seconds), its version; 0 where the server
    could not take it."""

    sent: float
    answered: float
    version: int


class Look(NamedTuple):
    """A read of the standings; version and number are 0 where nothing was new."""

    sent: float
    answered: float
    version: int
    number: int


class Seen(NamedTuple):
    """What came of an act, and how long this process itself had a processor for it."""

    posts: Sequence[Post]
    looks: Sequence[Look]
    processor_s: float = 0.0


class Phone:
    """One host at one table."""

    def __init__(self, port: int, table: Table) -> None:
        self._line = HTTPConnection(HOST, port, timeout=PATIENCE_S)
        self._path = table["path"]
        self._hands = 0
        self._one_at_a_time = threading.Lock()
        self._used = time.monotonic()
        self._shown = opened(self._get, table["token"])
        self.enter()

    def enter(self) -> Post:
        """Enter the table's next hand, which the next call repeats if the server cannot take it."""
        with self._one_at_a_time:
            return self._enter()

    def _enter(self) -> Post:
        self._hands += 1
        hearts = self._hands % 12 + 1
        entry = {"hearts": [hearts, 13 - hearts, 0, 0], "taken": [[], [], [], ["QS"]]}
        said = {"Content-Type": "application/json", "Idempotency-Key": uuid.uuid4().hex}
        text = json.dumps({"number": self._hands, "entry": entry})
        sent = time.monotonic()
        if sent > self._used + IDLE_S:
            self._line.close()
        self._line.request("POST", self._path, text, {**said, **self._shown})
        answer = self._line.getresponse()
        body = answer.read()
        self._used = answered = time.monotonic()
        if answer.status >= SERVER_ERROR:
            self._hands -= 1
            return Post(sent, answered, 0)
        if answer.status != 201:
            raise AssertionError(f"POST {self._path}: {answer.status}\n{body!r}")
        return Post(sent, answered, json.loads(body)["event_version"])

    def _get(self, path: str, headers: Mapping[str, str]) -> Iterable[str]:
        self._line.request("GET", path, headers=dict(headers))
        answer: HTTPResponse = self._line.getresponse()
        answer.read()
        return answer.headers.get_all("Set-Cookie", [])


class Reader(threading.Thread):
    """Somebody who reads the standings again and again."""

    def __init__(self, port: int, path: str) -> None:
        super().__init__(daemon=True)
        self._line = HTTPConnection(HOST, port, timeout=PATIENCE_S)
        self._path = path
        self._etag = ""
        self._version = 0
        self._news = threading.Condition()
        self.looks: list[Look] = []

    def run(self) -> None:
        pause = threading.Event()
        while not pause.wait(LOOK_S):
            look = self._look()
            with self._news:
                self.looks.append(look)
                self._version = max(self._version, look.version)
                self._news.notify_all()

    def wait_for(self, version: int) -> None:
        """Wait until the standings contain a version."""
        with self._news:
            if not self._news.wait_for(lambda: self._version >= version, PATIENCE_S):
                raise AssertionError(f"version {version} was never published")

    def _look(self) -> Look:
        sent = time.monotonic()
        known = {"If-None-Match": self._etag} if self._etag else {}
        self._line.request("GET", self._path, headers=known)
        answer = self._line.getresponse()
        body = answer.read()
        answered = time.monotonic()
        if answer.status != 200:
            return Look(sent, answered, 0, 0)
        self._etag = answer.headers["ETag"]
        publication = json.loads(body)["publication"]
        return Look(sent, answered, publication["version"], publication["number"])


class Evening:
    """All phones, and the reader."""

    def __init__(self, plan: Plan) -> None:
        with ThreadPoolExecutor(FIRST_AT_ONCE) as few:
            self._phones = list(few.map(lambda table: Phone(plan["port"], table), plan["tables"]))
        self._all = ThreadPoolExecutor(len(self._phones))
        self._gap_s, self._while_s = plan["gap_s"], plan["while_s"]
        self._reader = Reader(plan["port"], plan["standings"])
        self._reader.start()

    def together(self, times: int) -> list[Post]:
        posts: list[Post] = []
        for _ in range(times):
            posts += self._all.map(Phone.enter, self._phones)
        return posts

    def second(self, times: int) -> list[Post]:
        posts: list[Post] = []
        for wave in range(times):
            threading.Event().wait(self._gap_s if wave else 0)
            posts += self._one_after_the_other(len(self._phones), 1 / len(self._phones))
        return posts

    def burst(self, times: int) -> list[Post]:
        def client(place: int) -> list[Post]:
            own = self._phones[place::CLIENTS]
            return [phone.enter() for _ in range(times) for phone in own]

        with ThreadPoolExecutor(CLIENTS) as few:
            return [post for posts in few.map(client, range(CLIENTS)) for post in posts]

    def spread(self, a_second: int) -> list[Post]:
        return self._one_after_the_other(round(a_second * self._while_s), 1 / a_second)

    def _one_after_the_other(self, number: int, apart_s: float) -> list[Post]:
        pause, begun = threading.Event(), time.monotonic()
        coming: list[Future[Post]] = []
        for place in range(number):
            pause.wait(max(0.0, begun + place * apart_s - time.monotonic()))
            phone = self._phones[place % len(self._phones)]
            coming.append(self._all.submit(phone.enter))
        return [one.result() for one in coming]

    def taps(self, number: int) -> list[Post]:
        pause, chance = threading.Event(), Random(1)
        posts: list[Post] = []
        for place in range(number):
            pause.wait(chance.uniform(0, PAUSE_S))
            posts.append(self._phones[place % len(self._phones)].enter())
            self._reader.wait_for(posts[-1].version)
        return posts

    def seen(self, act: Callable[[int], list[Post]], number: int) -> Seen:
        begun, processor_s = len(self._reader.looks), time.process_time()
        posts = act(number)
        self._reader.wait_for(max(post.version for post in posts))
        return Seen(posts, self._reader.looks[begun:], time.process_time() - processor_s)


def main() -> None:
    evening = Evening(json.loads(sys.stdin.readline()))
    _say("ready")
    acts = {
        "together": evening.together,
        "second": evening.second,
        "burst": evening.burst,
        "spread": evening.spread,
        "taps": evening.taps,
    }
    for line in sys.stdin:
        act, number = json.loads(line)
        _say(evening.seen(acts[act], number))


def _say(what: object) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main()
