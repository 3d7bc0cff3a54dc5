"""An installation on PostgreSQL, whose database several threads write to at one moment."""

from collections.abc import Callable

import pytest

from tests.support.live.at_once import Within, never
from tests.support.live.project import Inside, LiveProject
from tournaments.services.db import transactions


@pytest.fixture
def within(
    live_project: Callable[..., LiveProject],
    inside: Inside,
    migrated_pg_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Within:
    """Work on a database of PostgreSQL's, from whichever thread.

    A transaction that a deadlock ended is not made once more, so that each one is seen.
    """
    monkeypatch.setattr(transactions, "may_repeat", never)
    return Within(inside, live_project(DATABASE_URL=migrated_pg_url))
