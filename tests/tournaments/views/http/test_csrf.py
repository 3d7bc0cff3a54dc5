"""Every route that may change something wants its CSRF token, and from this site only."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client

from tests.support.cast import enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.routes import UNSAFE, routes
from tests.support.scenarios.table_links import Linked, csrf_of, linked
from tournaments.models.audit import AuditLine
from tournaments.selectors.access.table_links import COOKIE

NAMES = {
    "club": "riverside",
    "event": "league",
    "code": "r1t1",
    "player_id": "RL01",
    "variant": "hearts",
}
JSON = "application/json"
FORM = "multipart/form-data; boundary=none"
NOWHERE = ("/api/v1: 404", "/api/v1/: 404")
"""What no view of ours answers; nothing is changed there."""

ONE_CLICK = "/unsubscribe/"
"""Mail programs post there (RFC 8058): its signed address is the right, and no cookie is read."""

FOREIGN = "https://elsewhere.example"


@pytest.fixture
def night(db: None) -> Linked:
    return linked(enter_the_cast())


@pytest.fixture
def owner(night: Linked) -> Client:
    """Olga, who may do everything here, in a browser whose tokens are looked at."""
    olga = night.cast.users["olga"]
    olga.is_staff = olga.is_superuser = True
    olga.save()
    client = Client(enforce_csrf_checks=True)
    client.force_login(olga)
    client.get("/accounts/logout/")
    return client


def unsafe() -> Iterator[tuple[str, str]]:
    """Method and address of everything that may change something.

    In its short form an address is asked with one of the methods, in turn.
    """
    for number, route in enumerate(routes()):
        if route.path(NAMES).startswith(ONE_CLICK):
            continue
        for method in short_or_long((UNSAFE[number % len(UNSAFE)],), tuple(UNSAFE)):
            yield method, route.path(NAMES)


def let_in(client: Client, **headers: str) -> list[str]:
    """Send nothing to every unsafe route; where that was not refused for its token."""
    before = AuditLine.objects.count()
    found = []
    for method, path in unsafe():
        status = client.generic(method, path, "{}", JSON, headers=headers).status_code
        if status == 415:  # it takes a file, and is looked at before its token is
            status = client.generic(method, path, b"", FORM, headers=headers).status_code
        if status != 403:
            found.append(f"{method} {path}: {status}")
    assert AuditLine.objects.count() == before
    return [one for one in found if not one.endswith(NOWHERE)]


@pytest.mark.tier_all
def test_no_unsafe_route_takes_a_session_without_its_token(owner: Client) -> None:
    assert let_in(owner) == []


@pytest.mark.tier_all
def test_no_unsafe_route_takes_a_session_from_a_foreign_origin(owner: Client) -> None:
    assert let_in(owner, **{"X-CSRFToken": csrf_of(owner), "Origin": FOREIGN}) == []


@pytest.mark.tier_all
def test_no_unsafe_route_takes_a_links_cookie_without_its_token(night: Linked) -> None:
    phone = night.holder(checks=True)
    phone.get("/t")
    assert settings.SESSION_COOKIE_NAME not in phone.cookies
    assert phone.cookies[COOKIE].value
    assert let_in(phone) == []
    assert let_in(phone, **{"X-CSRFToken": csrf_of(phone), "Origin": FOREIGN}) == []


def test_same_request_with_its_token_is_let_in(night: Linked, owner: Client) -> None:
    headers = {"X-CSRFToken": csrf_of(owner), "Origin": "http://testserver"}
    path = f"{night.event}/links"
    assert owner.post(path, {"revoke": "yes"}, headers=headers).status_code == 302
