"""The people of a drill, each a thread: hosts, directors, visitors, and a program that follows."""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

from tests.support.live.drill.account import KINDS_OF_SHEETS, Account, HandId, Sheet
from tests.support.live.drill.machines import Machine
from tests.support.live.page_client import SIGN_IN, Browser
from tests.support.live.rest_client import Answer, RestClient

CLUB: Final = "/api/v1/clubs/riverside"
HANDS: Final = 12
"""Hands of a table in a round."""
CLIENT_S: Final = 20.0
"""After this time a client gives up a request, and sends it again elsewhere."""
LONGEST_S: Final = 150.0
"""A request that was killed is repeated under its key after two minutes at the latest."""
CREATED: Final = frozenset({201})
DONE: Final = frozenset({200})
OVERTAKEN: Final = frozenset({409, 412})
REFUSED: Final = frozenset({400, 401, 403, 404, 405, 406, 409, 411, 413, 415, 422, 428, 429})
READ: Final = frozenset({200, 304})
NOTE: Final = "Written in pencil. " * 20
"""Makes rows larger, so that a disk without room is soon full."""
NAMES: Final = (
    "=1+1 Late", "+49 Late", "@SUM(A1) Late", "-2 Late", "<script>alert(1)</script>", "Łukasz Ż.",
    "İnci I.", "O'Brien; DROP TABLE", "＝1+1 Late", "Ab" * 30,
)  # fmt: skip
"""Beginnings of the names of those who come late."""


@dataclass
class Evening:
    """An event of the night: its players, and the tables of the round that is played now."""

    slug: str
    players: list[str]
    round_number: int = 0
    tables: dict[int, str] = field(default_factory=dict)
    """Place of a host → code of the table."""
    playing: threading.Condition = field(default_factory=threading.Condition)

    @property
    def address(self) -> str:
        return f"{CLUB}/events/{self.slug}"

    @property
    def page(self) -> str:
        return self.address.removeprefix("/api/v1")


@dataclass(frozen=True)
class Night:
    """What all people know: the machines, the account, whether it is over."""

    machines: Sequence[Machine]
    account: Account
    ending: threading.Event
    seed: int


class Person(threading.Thread):
    """Somebody who does one act after the other until the night ends."""

    ROLE = ""
    PAUSE_S = 0.5

    def __init__(self, night: Night, name: str, token: str = "") -> None:
        super().__init__(name=name, daemon=True)
        self.night, self.account = night, night.account
        self.chance = Random(f"{night.seed} {name}")  # noqa: S311  # nothing is kept secret by it
        self._clients = [
            RestClient(machine.web, token, timeout_s=CLIENT_S) for machine in night.machines
        ]
        self._address = f"10.0.{self.chance.randrange(256)}.{self.chance.randrange(1, 255)}"
        self._turn = self.chance.randrange(len(self._clients))

    def run(self) -> None:
        while not self.night.ending.wait(self.chance.uniform(0.5, 1.5) * self.PAUSE_S):
            try:
                self.act()
            except Exception as fault:
                self.account.complain(f"{self.name} gave up: {fault!r}")
                raise

    def act(self) -> None:
        raise NotImplementedError

    def new_key(self) -> str:
        return f"{self.chance.getrandbits(128):032x}"

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Ask one machine once."""
        client = self._clients[self._turn % len(self._clients)]
        return client.ask(method, path, body, **{"X-Forwarded-For": self._address, **headers})

    def insist(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        expected: frozenset[int],
        **headers: str,
    ) -> Answer:
        """Send a request, the same again after a fault, until an answer is final."""
        keyed = {"Idempotency-Key": self.new_key(), **headers} if method != "GET" else headers
        return self.repeat(
            f"{method} {path}", lambda: self.ask(method, path, body, **keyed), expected
        )

    def repeat(self, what: str, ask: Callable[[], Answer], expected: frozenset[int]) -> Answer:
        """Ask, and ask another machine after a fault, until an answer is final."""
        began = time.monotonic()
        while True:
            answer = ask()
            waited_s = time.monotonic() - began
            if self.account.note(self.ROLE, what, answer, expected):
                self.account.waited(self.ROLE, waited_s)
                return answer
            if waited_s > LONGEST_S:
                self.account.complain(f"{self.name} waited {waited_s:.0f} s in vain: {what}")
                return answer
            self._turn += 1
            threading.Event().wait(self.chance.uniform(0.1, 0.4))


class Host(Person):
    """Enters the hands of a table, and corrects some."""

    ROLE = "host"
    PAUSE_S = 0.8

    def __init__(self, night: Night, name: str, token: str, evening: Evening, place: int) -> None:
        super().__init__(night, name, token)
        self._evening, self._place = evening, place
        self._number = 0

    def act(self) -> None:
        evening = self._evening
        with evening.playing:
            code = evening.tables.get(self._place)
        if code is None:
            return
        draw = self.chance.random()
        if self._number and draw < 0.15:
            self._correct(code)
        else:
            self._number += 1
            self._enter(code, is_doubled=draw > 0.95)
        if self._number == HANDS:
            self._number = 0
            with evening.playing:
                evening.tables.pop(self._place)
                evening.playing.notify_all()
            if self.chance.random() < 0.5:  # the director closes the round at this moment
                self._correct(code, number=HANDS)

    def _enter(self, code: str, *, is_doubled: bool) -> None:
        hand = HandId(self._evening.slug, code, self._number)
        sheet = Sheet(self.chance.randrange(KINDS_OF_SHEETS))
        path = path_of(hand, is_new=True)
        body = {"number": hand.number, "entry": sheet.entry, "note": NOTE}
        key = {"Idempotency-Key": self.new_key()}

        def enter(act: str) -> None:
            answer = self.insist("POST", path, body, expected=CREATED, **key)
            self._note(hand, answer, sheet, act)

        twin = threading.Thread(target=enter, args=("hands sent twice at once",))
        if is_doubled:
            twin.start()
        enter("hands")
        if is_doubled:
            twin.join()

    def _correct(self, code: str, number: int = 0) -> None:
        hand = HandId(self._evening.slug, code, number or self.chance.randint(1, self._number))
        correct(self, hand, "corrections by hosts")

    def _note(self, hand: HandId, answer: Answer, sheet: Sheet, act: str) -> None:
        if answer.status in CREATED | DONE:
            self.account.acknowledge(hand, answer.json["revision"], sheet)
            self.account.acted(act)


class PageHost(Host):
    """A host who is signed in and enters new hands on the page."""

    def __init__(self, night: Night, name: str, token: str, evening: Evening, place: int) -> None:
        super().__init__(night, name, token, evening, place)
        self._browsers = [Browser(night.machines[0].web)]
        self._browsers += [self._browsers[0].at(machine.web) for machine in night.machines[1:]]
        self._is_signed_in = False

    def _open(self, path: str, typed: dict[str, str] | None = None) -> Answer:
        browser = self._browsers[self._turn % len(self._browsers)]
        try:
            return browser.open(path, typed)
        except (OSError, HTTPException):
            return Answer(0)

    def _enter(self, code: str, *, is_doubled: bool) -> None:
        if not self._is_signed_in:
            self.repeat(SIGN_IN, lambda: self._browsers[0].sign_in(self.name), DONE)
            self._is_signed_in = True
        hand = HandId(self._evening.slug, code, self._number)
        sheet = Sheet(self.chance.randrange(KINDS_OF_SHEETS))
        path = f"{self._evening.page}/tables/{code}/hands/new?number={hand.number}"
        form = _hidden(self.repeat(f"GET {path}", lambda: self._open(path), DONE))
        form |= {f"hearts-{seat}": str(n) for seat, n in enumerate(sheet.hearts, start=1)}
        form |= {"card-QS": str(sheet.queen + 1), "go": "save"}
        answer = self.repeat(f"POST {path}", lambda: self._open(path, form), DONE)
        if _hidden(answer).get("number") in (None, str(hand.number)):
            self.account.complain(f"{path}: {answer.status} {answer.body[-3000:]!r}")
            return
        self.account.acknowledge(hand, 1, sheet)
        self.account.acted("hands entered on the page")


def _hidden(answer: Answer) -> dict[str, str]:
    """The hidden fields of the page of a hand."""
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', answer.body.decode())
    return {name: value for name, value in fields if name != "csrfmiddlewaretoken"}


def path_of(hand: HandId, *, is_new: bool = False) -> str:
    hands = f"{CLUB}/events/{hand.event}/tables/{hand.table}/hands"
    return hands if is_new else f"{hands}/{hand.number}"


def correct(person: Person, hand: HandId, act: str, step: int = 0, **headers: str) -> bool:
    """Replace the newest revision that anybody was told of; returns whether that is done.

    `step` chooses the new content, which differs from the newest one.
    """
    account = person.account
    content = account.sheet(hand).content + (step or person.chance.randrange(1, KINDS_OF_SHEETS))
    sheet = Sheet(content % KINDS_OF_SHEETS)
    body = {"entry": sheet.entry, "reason": "Two columns were swapped."}
    version = {"If-Match": f'"{account.newest(hand)}"', **headers}
    answer = person.insist("PUT", path_of(hand), body, expected=DONE | OVERTAKEN, **version)
    is_done = answer.status in DONE
    if is_done:
        account.acknowledge(hand, answer.json["revision"], sheet)
        account.acted(act)
    return is_done


class Director(Person):
    """Seats round after round, corrects hands, adds players who come late, closes rounds."""

    ROLE = "director"
    PAUSE_S = 1.5

    def __init__(self, night: Night, name: str, token: str, evening: Evening, tables: int) -> None:
        super().__init__(night, name, token)
        self._evening, self._tables = evening, tables

    def act(self) -> None:
        evening = self._evening
        with evening.playing:
            is_over = not evening.tables
        if is_over:
            self._close()
            if evening.round_number % 2:
                self._add_player()
            self._seat()
            return
        if hands := self.account.hands_of(evening.slug):
            if self.chance.random() < 0.2:
                self._delete_and_restore(self.chance.choice(hands))
            else:
                correct(self, self.chance.choice(hands), "corrections by directors")

    def _delete_and_restore(self, hand: HandId) -> None:
        sheet, version = self.account.sheet(hand), {"If-Match": f'"{self.account.newest(hand)}"'}
        path, body = path_of(hand), {"reason": "Entered for another table."}
        answer = self.insist("POST", f"{path}/void", body, expected=DONE | OVERTAKEN, **version)
        if answer.status in DONE:
            answer = self.insist("POST", f"{path}/restore", body, expected=DONE)
            self.account.acknowledge(hand, answer.json["revision"], sheet)
            self.account.acted("hands deleted and restored")

    def _post(self, path: str, body: object, expected: frozenset[int]) -> Any:
        return self.insist("POST", f"{self._evening.address}/{path}", body, expected=expected).json

    def _close(self) -> None:
        if number := self._evening.round_number:
            self._post(f"rounds/{number}/close-tables", {}, DONE)
            self._post(f"rounds/{number}/state", {"to": "closed"}, DONE)
            self.account.acted("rounds closed")

    def _add_player(self) -> None:
        name = f"{self.chance.choice(NAMES)} {self.chance.randrange(10**6)}"
        answer = self.insist("POST", f"{CLUB}/players", {"name": name}, expected=CREATED)
        self._evening.players.append(answer.json["player_id"])
        self.account.acted("players who came late")

    def _seat(self) -> None:
        evening, number = self._evening, self._evening.round_number + 1
        seated = self.chance.sample(evening.players, 4 * self._tables)
        tables = [{"seats": seated[at : at + 4]} for at in range(0, len(seated), 4)]
        self._post("rounds", {"number": number, "tables": tables}, CREATED)
        posted = self._post(f"rounds/{number}/state", {"to": "posted"}, DONE)
        with evening.playing:
            evening.round_number = number
            codes = [table["code"] for table in posted["tables"]]
            evening.tables.update(enumerate(codes))


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
        words = re.search(rb"Publication ([0-9]+) of", answer.body)
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


class Stranger(Person):
    """Sends what must be refused; `refused` fails where it is not."""

    ROLE = "stranger"

    def act(self) -> None:
        raise NotImplementedError("is only asked by faults")

    def refused(self, method: str, path: str, body: object = None, **headers: str) -> None:
        self.insist(method, path, body, expected=REFUSED, **headers)
