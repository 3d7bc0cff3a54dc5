"""One act in the middle of another one, on PostgreSQL: the order is set, not left to chance."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pkgutil import resolve_name
from typing import Any, Final
from unittest.mock import patch

from scoring.errors import Refused
from tests.live.conftest import Inside
from tests.support.live.bulk_acts import Act
from tests.support.live.project import PATIENCE_S, LiveProject
from tournaments.errors import Conflict, Forbidden, Missing

BLOCKED_S: Final = 0.6
"""How long the first act waits for the second one, which may be waiting for a lock of the first."""


def in_between(
    inside: Inside, project: LiveProject, first: Act, at: str, second: Act
) -> tuple[str, str]:
    """Do `second` while `first` is about to call `at`, its transaction open.

    `at`: the dotted name of a function, where the module of the first act looks it up.

    Returns:
        For each act the code of what refused it; where none did, the text that it returned or "".
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
        with inside(project):
            return _said(first)

    def follow() -> str:
        assert reached.wait(PATIENCE_S), f"the first act never called {at}"
        try:
            with inside(project):
                return _said(second)
        finally:
            over.set()

    with patch(at, waiting), ThreadPoolExecutor(2) as pool:
        one, two = pool.submit(begin), pool.submit(follow)
        return one.result(), two.result()


def _said(act: Act) -> str:
    try:
        result = act()
    except (Conflict, Forbidden, Missing) as refusal:
        return refusal.problem.code
    except Refused as refused:
        return ", ".join(problem.code for problem in refused.problems)
    return result if isinstance(result, str) else ""
