"""The drill itself: the night is opened, the faults come, and all is compared at the end."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import psycopg

from tests.support.live.drill.account import Account
from tests.support.live.drill.bad_callers import draw
from tests.support.live.drill.faults import Scene
from tests.support.live.drill.freshness import LONGEST_S, Freshness
from tests.support.live.drill.machines import Machines
from tests.support.live.drill.opening import Opening
from tests.support.live.drill.report import Recovery, print_report
from tests.support.live.drill.verdict import differences, follow_to_the_end
from tests.support.live.project import ROOT, wait_until

LOGS: Final = ROOT / "build" / "drill"
ENDING_S: Final = 180.0
"""Longest time in which somebody ends what they have begun."""


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
    opening = Opening(machines, account, plan.seed)
    machines.start()
    for person in opening.people:
        person.start()
    fresh = Freshness(machines, opening.events)
    wait_until(lambda: all(map(account.hands_of, opening.events)), what="the first hands")
    fresh.measure()
    recoveries = list(_faults(opening.scene, fresh, plan))
    last_s = _end_night(machines, opening, fresh)
    account.wrong += differences(machines, account, opening.program)
    for machine in machines.all:
        for kind in ("web", "worker"):
            if status := machine.stop(kind):
                account.complain(f"{machine.name} {kind} ended with {status}")
    is_well = print_report(account, recoveries, last_s, plan.fresh_s)
    if not is_well:
        _keep_logs(machines)
    return is_well


def _end_night(machines: Machines, opening: Opening, fresh: Freshness) -> float:
    """Let everybody end what they have begun; returns the seconds until all of it was read."""
    machines.ending.set()
    for person in opening.people:
        person.join(timeout=ENDING_S)
        if person.is_alive():
            person.account.complain(f"{person.name} waits for ever")
    try:
        last_s = fresh.measure()
    except AssertionError as stale:
        last_s = LONGEST_S
        opening.scene.account.complain(str(stale))
    follow_to_the_end(opening.program, opening.evenings)
    return last_s


def _keep_logs(machines: Machines) -> None:
    LOGS.mkdir(parents=True, exist_ok=True)
    for machine in machines.all:
        shutil.copy(machine.place / "live.log", LOGS / f"{machine.name}.log")
    print(f"The logs of the machines are in {LOGS}.")


def _faults(scene: Scene, fresh: Freshness, plan: Plan) -> Iterator[Recovery]:
    began, apart_s = time.monotonic(), plan.seconds / plan.faults
    for number, fault in enumerate(draw(scene.chance, without=_impossible(scene.machines))):
        now_s = time.monotonic() - began
        scene.machines.wait(max(0.0, number * apart_s - now_s))
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
