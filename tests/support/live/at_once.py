"""Actions of several people at one moment, or one in the middle of another, on PostgreSQL."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pkgutil import resolve_name
from typing import Any, ClassVar, Final
from unittest.mock import patch

from django.db import OperationalError, connection

from scoring.errors import Refused
from tests.live.conftest import Inside
from tests.support.builders import hand, table
from tests.support.live.project import PATIENCE_S, LiveProject
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game

Action = Callable[[], object]
HEARTS: Final = [4, 1, 2, 6]
OPERATION: Final = "tournaments.services.operations.append_audit"
"""Where an operation has written all but its line of the audit trail."""
BLOCKED_S: Final = 0.6
"""How long the first action waits for the second one, which may wait for a lock of the first."""


def never(fault: OperationalError) -> bool:
    return False


class Within:
    """An installation whose database several threads write to: `with within(): …`; nothing runs."""

    def __init__(self, inside: Inside, project: LiveProject) -> None:
        self._inside, self.project = inside, project

    def __call__(self) -> AbstractContextManager[None]:
        return self._inside(self.project)

    def together(self, *actions: Action) -> list[str]:
        """Do these at one moment, each in a thread with a connection of its own.

        Returns:
            For each the code of what refused it; where none did, the text that it returned or "".
        """
        line = threading.Barrier(len(actions))

        def begin(action: Action) -> str:
            with self():
                line.wait()
                return outcome(action)

        with ThreadPoolExecutor(len(actions)) as pool:
            return [
                future.result() for future in [pool.submit(begin, action) for action in actions]
            ]

    def at_once(self, *actions: Action) -> list[str]:
        """Do these at one moment; returns the codes of what was refused."""

        def without_text(action: Action) -> None:
            action()

        return [
            code
            for code in self.together(*(partial(without_text, action) for action in actions))
            if code
        ]

    def in_between(self, first: Action, at: str, second: Action) -> tuple[str, str]:
        """Do `second` while `first` is about to call `at`, its transaction open.

        `at`: the dotted name of a function, where the module of the first action looks it up.
        Returns what `together` does.
        """
        reached, over = threading.Event(), threading.Event()
        original: Callable[..., Any] = resolve_name(at)
        mine: list[int] = []

        def waiting(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() in mine and not reached.is_set():
                reached.set()
                over.wait(BLOCKED_S)
            return original(*args, **kwargs)

        def begin() -> str:
            mine.append(threading.get_ident())
            with self():
                return outcome(first)

        def follow() -> str:
            assert reached.wait(PATIENCE_S), f"the first act never called {at}"
            try:
                with self():
                    return outcome(second)
            finally:
                over.set()

        with patch(at, waiting), ThreadPoolExecutor(2) as pool:
            one, two = pool.submit(begin), pool.submit(follow)
            return one.result(), two.result()


class NamedActions:
    """What people do on one installation, each action a method of a subclass."""

    ends: ClassVar[Mapping[str, str]] = {}
    """Action → where it stands in the middle of its transaction, if not at `OPERATION`."""

    def __init__(self, within: Within) -> None:
        self.within = within

    def both(self, first: str, second: str) -> tuple[str, str]:
        """Do the second action when the first has written nearly all, which nobody sees yet."""
        at = self.ends.get(first, OPERATION)
        return self.within.in_between(getattr(self, first), at, getattr(self, second))


def waiting_for_locks() -> int:
    """How many connections to this database wait for a row."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # kept through a transaction
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return int(cursor.fetchone()[0])


def outcome(action: Action) -> str:
    """The code of what refused an action; where nothing did, the text that it returned or ""."""
    try:
        result = action()
    except (Conflict, Forbidden, Missing) as refusal:
        return refusal.problem.code
    except Refused as refused:
        return ", ".join(problem.code for problem in refused.problems)
    return result if isinstance(result, str) else ""


def get_game(**where: object) -> Game:
    games = Game.objects.select_related("event__club", "club", "snapshot", "table__round")
    return games.get(**where)


def host(game: int, numbers: Sequence[int]) -> Action:
    """A host enters hands with these numbers at a table."""

    def save() -> None:
        for number in numbers:
            hand(get_game(pk=game), number, HEARTS, 3)

    return save


def tables(event: Event, people: Sequence[Player], round_number: int) -> list[int]:
    games = [
        table(event, people[at : at + 4], round_number=round_number, table_number=1 + at // 4)
        for at in range(0, len(people), 4)
    ]
    for game in games:
        hand(game, 1, HEARTS, 3)
    return [game.pk for game in games]


def sheets(
    people: Sequence[Player], hands: Mapping[int, Sequence[int]], hearts: Sequence[int] = HEARTS
) -> str:
    """The text of a file with hands of these numbers, by round, at each table of four people."""
    rows = ["date,round,table,hand,seat,player_id,hearts,queen_spades"]
    # The queen is elsewhere in further hands: a sheet on which several repeat is held back.
    for round_number, numbers in hands.items():
        for at, player in enumerate(people):
            seat = at % 4
            for number in numbers:
                queen = 3 if number == numbers[0] else 0
                rows.append(
                    f"2025-11-06,{round_number},{1 + at // 4},{number},{'NESW'[seat]},"
                    f"{player.player_id},{hearts[seat]},{int(seat == queen)}"
                )
    return "\n".join(rows)
