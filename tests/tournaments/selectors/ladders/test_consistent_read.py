"""A ladder is read at one moment, without the lock that keeps others from writing."""

from typing import Any

import pytest
from django.db import connection

from tests.support.builders import enter_the_cast, finished, ladder, players, publish_all, table
from tournaments.models.ladders import LadderState
from tournaments.selectors.db.statements import snapshot_read

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def test_reading_is_of_one_moment_and_takes_no_lock() -> None:
    usual: Any = getattr(connection, "transaction_mode", None)
    with snapshot_read():
        assert connection.in_atomic_block
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SHOW transaction_isolation")
                assert cursor.fetchone() == ("repeatable read",)
        else:
            assert getattr(connection, "transaction_mode", None) == "DEFERRED"
    assert getattr(connection, "transaction_mode", None) == usual


def test_ladder_is_published_by_a_worker_that_is_in_no_transaction() -> None:
    club = enter_the_cast().riverside
    event = ladder(club)
    finished(table(event, players(club, "Anna", "Bert", "Cora", "Dora")), [6, 4, 2, 1])
    assert publish_all(event).number == 1
    assert LadderState.objects.get(event=event).order == ["RL03", "RL02", "RL01", "RL04"]
