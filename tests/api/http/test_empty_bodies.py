"""An empty object is answered by what is missing in it, at every address that takes a POST."""

from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import transaction
from pytest_django import Settings

from tests.support.answers import close_answer
from tests.support.lengths import short_or_long
from tests.support.policy_table import YES, Row, addresses, rows_of
from tests.support.routes import Route
from tests.support.scenarios.every_right import World, every_right

pytestmark = pytest.mark.tier_all

NOT_THERE = {
    "restore": "the table is there, and restoring is for one that was removed",
    "unmerge": "the player was not merged",
}
"""End of an address → why 404 is right in this club."""
PERMITTED = ("owner", "player", "administrator")


@pytest.fixture
def world(db: None, tmp_path: Path, settings: Settings) -> World:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    return every_right(tmp_path)


def posts() -> list[Row]:
    """Every address of REST that takes a POST."""
    return [
        row
        for route in addresses()
        if route.pattern.startswith("api/")
        for row in rows_of(route.pattern)
        if row.method == "POST"
    ]


def answered(world: World, row: Row, caller: str) -> int:
    path = Route(row.route, None).path(world.names_of(row.route, row.about))
    cache.clear()
    with transaction.atomic():
        answer = world.callers[caller].ask("POST", path, "{}")
        close_answer(answer)
        transaction.set_rollback(True)
    return int(answer.status_code)


def test_empty_body_is_refused_for_what_it_lacks_wherever_the_address_exists(world: World) -> None:
    wrong = []
    rows = posts()
    assert len(rows) > 50
    for row in rows:
        for caller in short_or_long(PERMITTED[:1], PERMITTED):
            if row.expected(caller) != [YES] or row.route.rpartition("/")[2] in NOT_THERE:
                continue
            status = answered(world, row, caller)
            if status == 404 or status >= 500:
                wrong.append(f"POST {row.route}: {caller} got {status}")
    assert not wrong, "\n".join(wrong)
