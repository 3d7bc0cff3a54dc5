"""The page of a ladder follows: its live part alone, or 304 in one query."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import TESTS, finished, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.pages.ladders import EVENT, accepted, sent
from tests.support.scenarios.ladders import ladder, member
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.events.events import move_event
from tournaments.services.ladders.challenges import answer_challenge

pytestmark = pytest.mark.usefixtures("clock")

LADDER = f"{EVENT}/ladder"
LIVE = {"HX-Request": "true"}


def tag_on(page: str) -> str:
    """The tag that the page asks with."""
    found = re.search(r"If-None-Match&quot;: &quot;\\&quot;(.*?)\\&quot;&quot;", page)
    assert found is not None
    return f'"{found[1]}"'


def test_unchanged_ladder_is_a_304_of_one_query(cast: Cast, rungs: Event) -> None:
    client = cast.client()
    page = client.get(LADDER).content.decode()
    assert '<div id="live" data-live="2"' in page
    with CaptureQueriesContext(connection) as queries:
        same = client.get(LADDER, headers={**LIVE, "If-None-Match": tag_on(page)})
    assert (same.status_code, same.content, len(queries)) == (304, b"", 1)


def play(cast: Cast, event: Event) -> None:
    finished(table(event, [Player.objects.get(player_id=code) for code in "CDEF"], table_number=2))
    publish_all(event)


def decline(cast: Cast, event: Event) -> None:
    answer_challenge(actor=member(cast, "C"), event=event, number=1, to="declined", now=NOW)


@pytest.mark.parametrize(
    ("before", "change"), [((), sent), ((), accepted), ((sent,), decline), ((), play)]
)
def test_each_change_of_a_ladder_is_another_live_part(
    cast: Cast,
    rungs: Event,
    before: tuple[Callable[[Cast, Event], object], ...],
    change: Callable[[Cast, Event], object],
) -> None:
    for act in before:
        act(cast, rungs)
    client = cast.client()
    first = client.get(LADDER, headers=LIVE)
    assert b"<html" not in first.content
    change(cast, rungs)
    other = client.get(LADDER, headers={**LIVE, "If-None-Match": first["ETag"]})
    assert other.status_code == 200
    assert other["ETag"] != first["ETag"]


def test_final_ladder_asks_no_more(cast: Cast) -> None:
    event = ladder(cast, now=NOW)
    publish_all(event)
    for state, seconds in (("closed", 5), ("final", 0)):
        first = cast.client().get(LADDER, headers=LIVE)
        move_event(actor=TESTS, event=event, to=state, now=NOW)
        publish_all(event)
        event.refresh_from_db()
        page = cast.client().get(LADDER, headers={**LIVE, "If-None-Match": first["ETag"]})
        assert f'data-live="{seconds}"' in page.content.decode()
