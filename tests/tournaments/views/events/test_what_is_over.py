"""Pages of an event or an evening that is over offer nothing that no longer follows."""

import re

import pytest
from django.test import Client

from tests.support.builders import by_tests, finished, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.services.events.events import move_event
from tournaments.services.rounds.rounds import move_round

EVENT = "/clubs/riverside/events/league"
EVENING = f"{EVENT}/meetings/2025-11-06"
PAGES = (
    EVENT, f"{EVENT}/meetings", EVENING, f"{EVENT}/rounds/1", f"{EVENT}/rounds/1/direct",
    f"{EVENT}/rounds/1/board", f"{EVENT}/rounds/1/pile", f"{EVENT}/rounds/1/print",
    f"{EVENT}/tables/r1t1", f"{EVENT}/tables/r1t1/hands/1", f"{EVENT}/tables/r1t1/dispute",
    f"{EVENT}/disputes", f"{EVENT}/screen",
)  # fmt: skip
NOT_WHEN_OVER = re.compile(
    r"Next step|still open|still counts|not complete|Next round|New round|Your next table"
)


def pages_that_promise(client: Client) -> dict[str, str]:
    """Return the first word of each page that says what no longer follows."""
    found = {}
    for page in PAGES:
        match = NOT_WHEN_OVER.search(text_of(client.get(page, follow=True)))
        if match is not None:
            found[page] = match[0]
    return found


@pytest.mark.parametrize("who", ["hanna", "dirk"])
def test_pages_of_a_final_event_promise_nothing(cast: Cast, event: Event, who: str) -> None:
    people = players(cast.riverside, "Ada A.", "Bo B.", "Cy C.", "Di D.", "Ed E.", "Flo F.")
    first = finished(table(event, people[:4]))
    second = finished(table(event, people[2:], round_number=2))
    assert pages_that_promise(cast.client("dirk"))
    for game in (first, second):
        move_round(by_tests(), game.table.round, to="closed")
    for state in ("closed", "final"):
        move_event(by_tests(), event, to=state)
        event.refresh_from_db()
    assert pages_that_promise(cast.client(who)) == {}
