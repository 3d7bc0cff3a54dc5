"""Acts of many hosts at the same moment."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError

from scoring.errors import Refused
from tests.live.conftest import Inside
from tests.support.builders import hand, table
from tests.support.live.project import LiveProject
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.db import transactions

Act = Callable[[], object]
HEARTS = [4, 1, 2, 6]


def never(fault: OperationalError) -> bool:
    return False


@pytest.fixture
def project(
    live_project: Callable[..., LiveProject], migrated_pg_url: str, monkeypatch: pytest.MonkeyPatch
) -> LiveProject:
    monkeypatch.setattr(transactions, "may_repeat", never)
    return live_project(DATABASE_URL=migrated_pg_url)


def at_once(inside: Inside, project: LiveProject, acts: Sequence[Act]) -> list[str]:
    """Do these at one moment; returns the codes of what was refused."""
    line = threading.Barrier(len(acts))

    def begin(act: Act) -> str:
        with inside(project):
            line.wait()
            try:
                act()
            except Conflict as conflict:
                return conflict.problem.code
        return ""

    with ThreadPoolExecutor(len(acts)) as pool:
        done = [future.result() for future in [pool.submit(begin, act) for act in acts]]
    return [code for code in done if code]


def as_conflict(act: Act) -> Act:
    """What is refused as bad input counts as a conflict: somebody was first."""

    def work() -> None:
        try:
            act()
        except Refused as refused:
            raise Conflict(refused.problems[0]) from refused

    return work


def tables(event: Event, people: Sequence[Player], round_number: int) -> list[int]:
    games = [
        table(event, people[at : at + 4], round_number=round_number, table_number=1 + at // 4)
        for at in range(0, len(people), 4)
    ]
    for game in games:
        hand(game, 1, HEARTS, 3)
    return [game.pk for game in games]
