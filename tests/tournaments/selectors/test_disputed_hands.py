"""Hands with wrong totals are few among all hands, and are found without reading those."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.leagues import double
from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast
from tournaments.selectors.rounds.round_progress import filed_hands
from tournaments.selectors.waiting import list_own_waiting


@pytest.mark.both_databases
def test_disputed_hands_are_found_by_their_index(cast: Cast) -> None:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B."))
    for number in range(1, 9):
        hand(game, number, [4, 1, 2, 6], 3)
    for _ in range(5):
        double(event)
    with CaptureQueriesContext(connection) as queries:
        filed_hands(event)
        list_own_waiting(cast.actor("dirk"), now=timezone.now())
    statements = [query["sql"] for query in queries if "'disputed'" in query["sql"]]
    assert len(statements) == 2
    scan = {"postgresql": "Seq Scan on tournaments_hand", "sqlite": "SCAN tournaments_hand"}
    command = {"postgresql": "EXPLAIN", "sqlite": "EXPLAIN QUERY PLAN"}[connection.vendor]
    for statement in statements:
        with connection.cursor() as cursor:
            cursor.execute(f"{command} {statement}")
            assert scan[connection.vendor] not in str(cursor.fetchall())
