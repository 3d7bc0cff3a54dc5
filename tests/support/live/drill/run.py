"""The drill itself: the night is opened, the faults come, and all is compared at the end."""

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import psycopg
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from tests.support.builders import TESTS, league, players
from tests.support.cast import enter_the_cast
from tests.support.imports import make_league
from tests.support.live.drill.account import Account
from tests.support.live.drill.bad_callers import draw
from tests.support.live.drill.cast import (
    Director,
    Evening,
    Host,
    Night,
    PageHost,
    Person,
    Program,
    Stranger,
    Visitor,
)
from tests.support.live.drill.faults import Scene
from tests.support.live.drill.machines import Machines
from tests.support.live.drill.report import Recovery, print_report
from tests.support.live.drill.verdict import differences, follow_to_the_end
from tests.support.live.page_client import give_password
from tests.support.live.project import ROOT, wait_until
from tests.support.live.rest_client import RestClient
from tournaments.models.clubs import Club, Membership
from tournaments.models.jobs import event_scope
from tournaments.services.access.tokens import make_token
from tournaments.services.operations import Operation

TABLES: Final = 4
"""Tables of each event, so many hosts too."""
SPARE: Final = 3
"""Players of each event who have no seat in a round."""
VISITORS: Final = 4
LONGEST_S: Final = 60.0
LOGS: Final = ROOT / "build" / "drill"
SHEETS: Final = 400
ENDING_S: Final = 180.0


@dataclass(frozen=True)
class Opened:
    """The night as it begins: its events, everybody who comes, and what faults act on."""

    evenings: list[Evening]
    people: list[Person]
    program: Program
    scene: Scene


def open_night(machines: Machines, account: Account, seed: int) -> Opened:
    """Seat nobody yet; give everybody an account and a token."""
    cast = enter_the_cast()
    club, night = cast.riverside, Night(machines.all, account, machines.ending, seed)
    evenings: list[Evening] = []
    people: list[Person] = []
    events: dict[str, int] = {}
    tokens: list[str] = []
    for number, slug in enumerate(("first", "second")):
        event = league(club, slug=slug, name=slug.capitalize())
        names = [f"{slug.capitalize()} {seat}" for seat in range(1, 4 * TABLES + SPARE + 1)]
        evening = Evening(slug, [player.player_id for player in players(club, *names)])
        evenings.append(evening)
        events[slug] = event.pk
        token = new_token(club, f"director-{number}", "director", "manage")
        people.append(Director(night, f"director {slug}", token, evening, TABLES))
        for place in range(TABLES):
            name = f"host-{number}-{place}"
            token = new_token(club, name, "host", "enter")
            tokens.append(token)
            give_password(name)
            kind = PageHost if place == 0 else Host
            people.append(kind(night, name, token, evening, place))
    people += [Visitor(night, f"visitor {number}", evenings) for number in range(VISITORS)]
    reader = new_token(club, "reader", "player", "read")
    program = Program(night, "program", reader, evenings)
    sheets = machines.place / "sheets.csv"
    make_league.main(["--players", "40", "--hands", str(SHEETS), "--out", str(sheets)])
    callers = {
        "host": new_token(club, "host-rude", "host", "enter"),
        "director": new_token(club, "director-rude", "director", "manage"),
        "owner": new_token(club, "owner-rude", "owner", "manage"),
        "foreigner": new_token(cast.hilltop, "foreigner", "owner", "manage"),
        "stranger": "",
    }
    scene = Scene(
        machines,
        account,
        Random(seed),  # noqa: S311  # the same faults for the same seed
        events,
        str(sheets),
        **{name: Stranger(night, name, token) for name, token in callers.items()},
    )
    account.secrets |= {*callers.values(), *tokens} - {""}
    connection.close()
    return Opened(evenings, [*people, program], program, scene)


def new_token(club: Club, name: str, role: str, scope: str) -> str:
    user = User.objects.create_user(name)
    Membership.objects.create(club=club, user=user, role=role)
    return make_token(Operation(TESTS, timezone.now()), club, user=user, scope=scope)


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


@dataclass(frozen=True)
class Plan:
    """How long a drill plays, through how many faults at least, and its seed.

    After each fault everything must be read within `fresh_s`.
    """

    seconds: float
    faults: int
    seed: int
    fresh_s: float


def run(machines: Machines, plan: Plan) -> bool:
    """Play as planned; returns whether all holds."""
    account = Account()
    opened = open_night(machines, account, plan.seed)
    machines.start()
    for person in opened.people:
        person.start()
    fresh = Freshness(machines, opened.scene.events)
    wait_until(lambda: all(map(account.hands_of, opened.scene.events)), what="the first hands")
    fresh.measure()
    recoveries = list(_faults(opened.scene, fresh, plan))
    machines.ending.set()
    for person in opened.people:
        person.join(timeout=ENDING_S)
        if person.is_alive():
            account.complain(f"{person.name} waits for ever")
    try:
        last_s = fresh.measure()
    except AssertionError as stale:
        last_s = LONGEST_S
        account.complain(str(stale))
    follow_to_the_end(opened.program, opened.evenings)
    account.wrong += differences(machines, account, opened.program)
    for machine in machines.all:
        for kind in ("web", "worker"):
            if status := machine.stop(kind):
                account.complain(f"{machine.name} {kind} ended with {status}")
    is_well = print_report(account, recoveries, last_s, plan.fresh_s)
    if not is_well:
        _keep_logs(machines)
    return is_well


def _keep_logs(machines: Machines) -> None:
    LOGS.mkdir(parents=True, exist_ok=True)
    for machine in machines.all:
        shutil.copy(machine.place / "live.log", LOGS / f"{machine.name}.log")
    print(f"The logs of the machines are in {LOGS}.")


def _faults(scene: Scene, fresh: Freshness, plan: Plan) -> Iterator[Recovery]:
    began, apart_s = time.monotonic(), plan.seconds / plan.faults
    for number, fault in enumerate(draw(scene.chance, without=_impossible(scene.machines))):
        now_s = time.monotonic() - began
        threading.Event().wait(max(0.0, number * apart_s - now_s))
        if number >= plan.faults and time.monotonic() - began >= plan.seconds:
            return
        at_s = time.monotonic() - began
        print(f"{at_s:6.0f} s  {fault.kind}", end="", flush=True)
        try:
            with fault.during(scene):
                scene.machines.wait(fault.hold_s)
            taken_s = time.monotonic() - began - at_s
            fresh_s = fresh.measure()
        except (AssertionError, OSError, subprocess.SubprocessError, psycopg.Error) as problem:
            scene.account.complain(f"{fault.kind}: {problem}")
            print(": failed", flush=True)
            return
        print(f": {taken_s:.1f} s, fresh {fresh_s:.2f} s", flush=True)
        yield Recovery(fault, fresh_s)


def _impossible(machines: Machines) -> frozenset[str]:
    return frozenset({"disk of the database full"} if machines.no_disk else ())
