"""A GET changes nothing but what is kept for speed, or to know when a device was used."""

import re

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.api.conftest import Evening
from tests.support.routes import routes

NAMES = {
    "club": "riverside", "event": "league", "code": "r1t1", "number": 1, "player_id": "RL01",
    "variant": "hearts", "date": "2025-10-02", "entrant": "RL01", "round": 1,
}  # fmt: skip
KEPT = {
    *("django_session", "usersessions_usersession", "blacklady_cache"),
    "tournaments_renderedfile",
}
"""Sessions and their last use, counts of rate limits, files of publications."""
WRITES = re.compile(r'^(?:INSERT INTO|UPDATE|DELETE FROM) "?(\w+)', re.I)


def test_no_address_writes_when_it_is_read(evening: Evening) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(evening.cast.users["olga"])
    shown, written = 0, set()
    for route in routes():
        if route.pattern.startswith("admin/"):
            continue
        path = route.path(NAMES)
        with CaptureQueriesContext(connection) as queries:
            shown += client.get(path).status_code == 200
        for query in queries:
            if (found := WRITES.match(query["sql"])) and found[1] not in KEPT:
                written.add((route.pattern, found[1]))
    assert written == set()
    assert shown > 150
