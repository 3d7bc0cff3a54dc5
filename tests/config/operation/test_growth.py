"""The command `status` names what takes the room of the database, and how fast it grows."""

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.management.commands import status
from config.management.commands.status import GROWING_KINDS, read_growth
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def printed(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    with suppress(SystemExit):
        call_command("status", *options)
    return capsys.readouterr().out


def enter_hands(cast: Cast, *days_ago: int) -> None:
    """Five hands, by default three long ago and two within a month."""
    game = table(
        league(cast.riverside), players(cast.riverside, "Elsa D.", "Ilse K.", "Leo K.", "Anton S.")
    )
    for number, days in enumerate(days_ago or (90, 60, 31, 29, 1), start=1):
        hand(game, number, [4, 1, 2, 6], 3, now=NOW - timedelta(days=days))


def test_status_counts_what_was_added_within_a_month(
    cast: Cast, clock: time_machine.Traveller, capsys: pytest.CaptureFixture[str]
) -> None:
    enter_hands(cast)
    database: dict[str, Any] = json.loads(printed(capsys, "--json"))["database"]
    kinds = {kind["name"]: kind for kind in database["kinds"]}
    assert set(kinds) == set(GROWING_KINDS)
    assert database["bytes"] > 0
    assert kinds["hands"]["rows_of_month"] == 2
    assert kinds["photos"]["rows_of_month"] == 0
    size, size_of_month = kinds["hands"]["bytes"], kinds["hands"]["bytes_of_month"]
    if connection.vendor == "sqlite":
        assert (size, size_of_month) == (None, None)
    else:
        assert size_of_month == size * 2 // 5
    in_words = printed(capsys)
    assert "The database has " in in_words
    assert "2 new in 30 days" in in_words


def hands_of_month() -> int:
    growth = read_growth(timezone.now())
    assert growth is not None
    [n] = [kind["rows_of_month"] for kind in growth["kinds"] if kind["name"] == "hands"]
    return n


def test_old_hands_that_were_imported_just_now_are_not_new(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    """They have new ids, as `import_club` gives them."""
    enter_hands(cast, 29, 1, 90, 60, 31)
    assert hands_of_month() == 2


def test_hand_of_thirty_days_ago_is_new_and_an_older_one_is_not(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    enter_hands(cast, 30)
    assert hands_of_month() == 1
    clock.shift(timedelta(microseconds=1))
    assert hands_of_month() == 0


def test_rows_of_large_tables_are_estimated_and_not_counted(
    cast: Cast, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter_hands(cast)
    if connection.vendor == "sqlite":
        pytest.skip("SQLite estimates no rows")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE tournaments_entry")
    for limit, is_counted in ((5, True), (4, False)):
        monkeypatch.setattr(status, "MOST_COUNTED", limit)
        with CaptureQueriesContext(connection) as queries:
            n_rows = hands_of_month()
        assert n_rows == 2 if is_counted else 1 <= n_rows <= 4
        counts = [query for query in queries if '"tournaments_entry"' in query["sql"]]
        assert [query["sql"].startswith("EXPLAIN") for query in counts] == [not is_counted]


def test_growth_is_read_by_one_statement_of_each_kind(cast: Cast) -> None:
    enter_hands(cast)
    with CaptureQueriesContext(connection) as queries:
        assert read_growth(timezone.now()) is not None
    assert len(queries) <= len(GROWING_KINDS) + 5


def test_slow_database_leaves_growth_out(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def is_too_slow(*values: object) -> None:
        raise OperationalError("canceling statement due to statement timeout")

    monkeypatch.setattr(status, "_kind", is_too_slow)
    assert json.loads(printed(capsys, "--json"))["database"] is None
    assert "The database has" not in printed(capsys)
