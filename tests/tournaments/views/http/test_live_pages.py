"""Queries of the live parts of pages: one where nothing is new."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django import shortcuts
from django.db import connection
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Answer
from tests.support.builders import by_tests, finished, hand, ladder, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.rest.before_calls import evening
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty
from tournaments.models.rounds import Round
from tournaments.policy import ANYBODY
from tournaments.selectors.standings.publications import event_with_state, marks_of, public_marks
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.disputes import open_dispute
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.jobs.queue import record_heartbeat
from tournaments.services.publishing.publications import publish
from tournaments.views.standings import standings

EVENT = "/clubs/riverside/events/league"


BOARD, SCREEN = f"{EVENT}/rounds/1/board", f"{EVENT}/screen"


LADDER = "/clubs/riverside/events/ladder/ladder"


POLLED = (EVENT, f"{EVENT}/projector", BOARD, SCREEN, LADDER)


OF_THE_SESSION = 2
"""Queries that say who asks: the session, and the account."""


LIVE = {"HX-Request": "true"}


@pytest.fixture
def cast(clock: time_machine.Traveller, cast: Cast) -> Cast:
    evening(cast)
    event = ladder(cast.riverside)
    finished(table(event, list(Player.objects.filter(club=cast.riverside))))
    publish_all(event)
    return cast


def again(client: Client, path: str, tag: str) -> tuple[Answer, list[str]]:
    """Ask for a live part that is known; what it asked the database."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(path, headers={**LIVE, "If-None-Match": tag})
    return answer, [query["sql"] for query in queries]


def test_visitors_who_ask_for_the_same_news_cost_one_rendering(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    render, rendered = shortcuts.render, []

    def counted(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
        rendered.append(template)
        return render(request, template, context)

    monkeypatch.setattr(standings, "render", counted)
    first, second = (cast.client().get(EVENT, headers=LIVE) for _ in range(2))
    assert first.content == second.content
    assert first["ETag"] == second["ETag"]
    assert len(rendered) == 1
    whole = cast.client().get(EVENT).content.decode()
    assert first.content.decode().strip() in whole
    for who, path in (("piet", EVENT), ("", f"{EVENT}?sort=won")):
        cast.client(who).get(path, headers=LIVE)
    assert len(rendered) == 4
    entered(cast)
    publish(game().event_id, now=NOW)
    news = cast.client().get(EVENT, headers={**LIVE, "If-None-Match": first["ETag"]})
    assert (news.status_code, len(rendered)) == (200, 5)
    assert news.content != first.content


def test_visitor_gets_no_kept_part_of_an_event_that_is_hidden_now(cast: Cast) -> None:
    assert cast.client().get(EVENT, headers=LIVE).status_code == 200
    Event.objects.filter(slug="league").update(visibility="members")
    assert cast.client().get(EVENT, headers=LIVE).status_code == 404


@pytest.mark.parametrize(
    ("who", "queries"), [("", 1), ("piet", 1 + OF_THE_SESSION), ("dirk", 1 + OF_THE_SESSION)]
)
@pytest.mark.parametrize("path", POLLED)
def test_unchanged_live_part_is_cheap_304(cast: Cast, path: str, who: str, queries: int) -> None:
    client = cast.client(who)
    same, asked = again(client, path, client.get(path, headers=LIVE)["ETag"])
    assert (same.status_code, same.content) == (304, b"")
    assert len(asked) == queries, "\n".join(asked)


@pytest.mark.parametrize("path", [EVENT, f"{EVENT}/projector", LADDER])
def test_page_that_waits_for_a_publication_is_a_304_of_one_query(cast: Cast, path: str) -> None:
    record_heartbeat(name="worker", now=NOW)
    Dirty.objects.update(version=F("version") + 1, parked=False)
    client = cast.client()
    same, asked = again(client, path, client.get(path, headers=LIVE)["ETag"])
    assert (same.status_code, len(asked)) == (304, 1), "\n".join(asked)


@pytest.mark.parametrize("path", POLLED)
def test_tag_is_of_one_role_and_one_language(cast: Cast, path: str) -> None:
    tags = [cast.client(who).get(path, headers=LIVE)["ETag"] for who in ("", "piet", "dirk")]
    assert len(set(tags)) == 3


def game() -> Game:
    return Game.objects.get(event__slug="league")


def entered(cast: Cast) -> None:
    hand(game(), 3, [4, 1, 2, 6], 3)


def deleted(cast: Cast) -> None:
    void_hand(by_tests(), game(), number=1, based_on=1, reason="Twice.")


def disputed(cast: Cast) -> None:
    open_dispute(cast.operation("hanna"), game(), number=1, words="Queen.")


def closed(cast: Cast) -> None:
    move_game(by_tests(), game(), to="complete")


@pytest.mark.parametrize("operation", [entered, deleted, disputed, closed])
@pytest.mark.parametrize("path", [BOARD, SCREEN])
def test_each_act_at_a_table_is_another_live_part(
    cast: Cast, path: str, operation: Callable[[Cast], None]
) -> None:
    client = cast.client()
    tag = client.get(path, headers=LIVE)["ETag"]
    operation(cast)
    changed, _asked = again(client, path, tag)
    assert changed.status_code == 200
    assert changed["ETag"] != tag
    same, _asked = again(client, path, changed["ETag"])
    assert same.status_code == 304


def test_estimated_end_of_a_round_is_asked_for_again_after_a_quarter_of_an_hour(
    clock: time_machine.Traveller, cast: Cast
) -> None:
    Round.objects.filter(event__slug="league").update(posted_at=NOW, state="playing")
    client = cast.client()
    tag = client.get(BOARD, headers=LIVE)["ETag"]
    clock.shift(timedelta(minutes=16))
    later, _asked = again(client, BOARD, tag)
    assert later.status_code == 200


@pytest.mark.both_databases
@pytest.mark.parametrize("operation", [entered, disputed, closed])
@pytest.mark.parametrize("is_heard", [True, False])
def test_marks_in_one_statement_are_those_of_the_event(
    cast: Cast, operation: Callable[[Cast], None], is_heard: bool
) -> None:
    if is_heard:
        record_heartbeat(name="worker", now=NOW)
    for _ in range(2):
        read = marks_of(event_with_state(ANYBODY, "riverside", "league"))
        assert public_marks("riverside", "league") == read
        operation(cast)
        Dirty.objects.update(under_review_since=NOW)
        operation = publish_league
    assert public_marks("riverside", "nothing") is None
    Event.objects.filter(slug="league").update(visibility="held")
    assert public_marks("riverside", "league") is None


def publish_league(cast: Cast) -> None:
    publish(game().event_id, now=NOW)
