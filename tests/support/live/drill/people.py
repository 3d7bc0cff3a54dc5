"""What the people of a drill have in common: they repeat a request until an answer is final."""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from tests.support.live.drill.account import KINDS_OF_SHEETS, Account, HandId, Sheet
from tests.support.live.drill.machines import Machine
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


class Person(threading.Thread, ABC):
    """Somebody who does one act after the other until the night ends."""

    ROLE = ""
    OVERTAKEN = OVERTAKEN
    """Statuses of a correction that came after somebody else's change."""
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

    @abstractmethod
    def act(self) -> None:
        """Do one thing."""

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


class Stranger(Person):
    """Sends what must be refused; `refused` complains where it is not."""

    ROLE = "stranger"

    def act(self) -> None:
        """Do nothing alone: faults let it ask."""

    def refused(self, method: str, path: str, body: object = None, **headers: str) -> None:
        self.insist(method, path, body, expected=REFUSED, **headers)


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
    answer = person.insist("PUT", path_of(hand), body, expected=DONE | person.OVERTAKEN, **version)
    is_done = answer.status in DONE
    if is_done:
        account.acknowledge(hand, answer.json["revision"], sheet)
        account.acted(act)
    return is_done
