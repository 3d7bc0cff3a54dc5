"""Whatever the document allows, and what it does not, is answered, and never with a 5xx."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from pytest_django import DjangoDbBlocker

from api.schema_views import document
from config.wsgi import application
from tests.api.conftest import (
    FOR_OWNERS,
    NAMES,
    Evening,
    first_evening,
    is_for_directors,
    is_for_importers,
)
from tests.support.builders import TESTS, finished, ladder, publish_all, season, table
from tests.support.cast import NOW
from tests.support.imports.imports import imported, rows, written
from tests.support.lengths import short_or_long
from tests.support.module_scope import Once, once_a_module
from tournaments.models.events import Entrant
from tournaments.models.ladders import Challenge
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

OPERATIONS = sorted(
    (method.upper(), path) for path, methods in document()["paths"].items() for method in methods
)
THERE = {
    "club": "riverside",
    "event": "league",
    "code": "r1t1",
    "number": 1,
    "other": 2,
    "position": 1,
    "player_id": "RL01",
    "entrant": "RL01",
    "day": "2025-11-06",
    "plan": "00000000-0000-0000-0000-000000000000",
    "constraint": "00000000-0000-0000-0000-000000000000",
    "season": "autumn",
    "variant": "hearts",
    "house": "thursday-rules",
    "kind": "digest",
    "webhook": "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55",
    "delivery": "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55",
    "token": "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55",
    "claim": "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55",
    "member": "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55",
    "invitation": "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55",
    "id": "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55",
}
"""Names that exist; half of the cases use them, so that what lies behind is reached."""


NOT_THERE = (
    "/playoffs/{number}",
    "/stages/{number}/bracket",
    "/stages/{number}/standings",
    "/boards/{number}",
    "/boards/{number}/results",
    "/boards/{number}/results.csv",
    "/boards/hand-records.pdf",
)
"""How the address ends of what this evening has none of; it has tests of its own."""
FOR_DIRECTORS = (
    "/constraints",
    "/links",
    "/plans",
    "/plans/{plan}",
    "/attendance",
    "/seating-list.pdf",
    "/table-cards.pdf",
    "/score-sheets.pdf",
    "/photos",
    "/double-entry",
    "/sheet-check",
    "/mappings",
)
"""Plans of an evening before they are posted, their constraints, who is here, print, and what
hosts read of their tables and imports."""
ANSWERS = ("/playoffs/{number}/answers", "/stages/{number}/answers", "/photos/{number}.jpg")
"""For directors or hosts, who find none here; nobody else is told whether there are any."""


def there(path: str) -> dict[str, object]:
    """The names that exist at an address: a ladder's are those of another event."""
    event = "ladder" if re.search("/(ladder|ratings)", path) else "league"
    return {**THERE, "event": event}


QUICK = settings(
    max_examples=short_or_long(4, 20),
    phases=[Phase.generate],
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
SEATED = [f"RL{number:02d},{name}" for number, name in enumerate(NAMES, start=1)]
ALLOWED = {200, 304, 400, 401, 403, 404, 406, 413, 415, 422, 429}
"""403 is for the cookie of a table link without its CSRF token."""


@cache
def read_document() -> object:
    """Ask for the document, once a process: it is the same for every request to try."""
    return schemathesis.openapi.from_wsgi("/api/v1/schema", application)


@pytest.fixture
def document_served(db: None) -> Iterator[object]:
    """The document as a stranger reads it; requests leave the test's transaction open."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield read_document()
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


def all_that_is_there() -> Evening:
    """The league, a published ladder of the same players with a game, and house rules."""
    evening = first_evening()
    club = evening.cast.riverside
    event = ladder(club)
    finished(table(event, evening.people))
    publish_all(event)
    make_house_rules(
        actor=TESTS, club=club, name="Thursday rules", chosen=chosen_rules("hearts"), now=NOW
    )
    return evening


@pytest.fixture(scope="module")
def evening_once(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Once[Evening]]:
    yield from once_a_module(request, django_db_blocker, all_that_is_there, "evening")


@pytest.fixture
def evening(evening_once: Once[Evening], db: None) -> Evening:
    return evening_once.given() or all_that_is_there()


@pytest.mark.django_db
@pytest.mark.parametrize(("method", "path"), OPERATIONS[:: short_or_long(4, 1)])
def test_generated_requests_never_break_the_server(
    document_served: Any, evening: Evening, method: str, path: str
) -> None:
    operation = document_served[path][method]

    @QUICK
    @given(case=operation.as_strategy())
    def send(case: Any) -> None:
        if case.path_parameters and len(str(case.path_parameters)) % 2:
            case.path_parameters = {name: there(path)[name] for name in case.path_parameters}
        response = case.call()
        assert response.status_code in ALLOWED, response.text
        if response.status_code >= 400:
            assert response.headers["content-type"] == ["application/problem+json"]
        else:
            case.validate_response(response)

    send()


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["olga", "nora"])
def test_answers_to_signed_in_callers_are_in_the_document_too(
    document_served: Any,
    evening: Evening,
    signed_in: Callable[[str], Client],
    tmp_path: Path,
    who: str,
) -> None:
    """Imports are there for those who may import, and for nobody else."""
    imported(written(tmp_path, rows(1, cast=dict(zip("NESW", SEATED, strict=True)))))
    season(evening.game.event)
    low, high = Entrant.objects.filter(event=evening.event).order_by("-code")[:2]
    Challenge.objects.create(
        club=evening.cast.riverside, event=evening.event, number=1, challenger=low,
        challenged=high, issued_at=NOW,
    )  # fmt: skip
    cookie = signed_in(who).cookies["sessionid"].value
    for method, path in OPERATIONS:
        if method == "GET":
            case = document_served[path][method].Case(
                path_parameters={name: value for name, value in there(path).items() if name in path}
            )
            response = case.call(cookies={"sessionid": cookie})
            hidden = who == "nora" and (is_for_importers(path) or is_for_directors(path))
            hidden = hidden or path.endswith((*NOT_THERE, *ANSWERS))
            hidden = hidden or (who == "nora" and path.endswith("/link"))
            hidden = hidden or (who == "olga" and path.endswith("/{member}"))
            hidden = hidden or (who == "olga" and "/{webhook}" in path)
            hidden = hidden or (who == "nora" and path.startswith("/api/v1/me/notifications/"))
            hidden = hidden or (who == "olga" and path.endswith("/{plan}"))
            is_forbidden = who == "nora" and (
                path.removesuffix(".csv").endswith((*ANSWERS, "/{member}", *FOR_DIRECTORS))
                or FOR_OWNERS.search(path) is not None
                or "/{webhook}" in path
            )
            expected = 403 if is_forbidden else 404 if hidden else 200
            if who == "olga" and path.endswith("/imports/{number}/columns"):
                expected = 409  # the file is imported already
            assert response.status_code == expected, path
            case.validate_response(response)
