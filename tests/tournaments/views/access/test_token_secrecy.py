"""A link's secrets are nowhere but on the card and in the first address.

A night is played through pages and REST, with a link that works and others that do not, a missing
CSRF token and a fault of our own; then everything that was stored, said, logged or exported is
looked through for the token and the short code.
"""

import logging
from collections.abc import Iterator
from io import StringIO

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from tests.support.answers import Answer
from tests.support.cast import NOW, enter_the_cast
from tests.support.pages.hand_entry import Host, typed
from tests.support.routes import routes
from tests.support.scenarios.table_links import Linked, csrf_of, linked
from tournaments.selectors.access.table_links import COOKIE
from tournaments.services.publishing import publications
from tournaments.views.access import table_links

NAMES = {
    "club": "riverside",
    "event": "league",
    "code": "r1t1",
    "player_id": "RL01",
    "variant": "hearts",
}
CARDS = ("/tables/r1t1/link", "/rounds/1/links")
"""Pages of a director that show the short code, and the token as a picture."""


@pytest.fixture
def night(db: None) -> Linked:
    return linked(enter_the_cast())


@pytest.fixture
def log() -> Iterator[StringIO]:
    """What is written to stderr, by the formatter that writes it."""
    written = StringIO()
    handler = logging.StreamHandler(written)
    own = [one for one in logging.getLogger().handlers if one.formatter is not None]
    formatter = next(
        one.formatter for one in own if "ProcessorFormatter" in type(one.formatter).__name__
    )
    handler.setFormatter(formatter)
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def stored() -> str:
    """Every row of every table, the cache's among them."""
    rows = []
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{name}"')  # noqa: S608 - names of our own tables
            rows.append(f"{name}: {cursor.fetchall()}")
    return "\n".join(rows)


def said(answer: Answer) -> str:
    """All that an answer holds: headers, cookies and body."""
    return (
        f"{answer.headers} {answer.cookies.output()} {answer.getvalue().decode('utf-8', 'replace')}"
    )


def play(night: Linked, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The night; everything that was answered."""
    token, code = night.secrets.token, night.secrets.code
    phone, heard = Client(enforce_csrf_checks=True, raise_request_exception=False), []

    def hear(answer: Answer) -> Answer:
        heard.append(said(answer))
        return answer

    for path in (f"/t/{token}/", f"/t/{token}?x=1", f"/T/{token}", f"/tables/t/{token}x"):
        hear(phone.get(path))
    hear(phone.post(f"/t/{token}", {"x": "1"}))
    with monkeypatch.context() as broken:

        def fail(*_: object) -> None:
            raise RuntimeError("the database said something odd")

        broken.setattr(table_links, "find_link_by_token", fail)
        assert hear(phone.get(f"/t/{token}")).status_code == 500
    assert hear(phone.get(f"/t/{token}")).status_code == 302
    hear(phone.get("/t"))
    hear(phone.post("/t", {"code": code, "csrfmiddlewaretoken": csrf_of(phone)}))
    hear(phone.post("/t", {"name": "Hanne", "csrfmiddlewaretoken": csrf_of(phone)}))
    host = Host(phone, f"{night.table}/hands/new")
    host.send({**typed([3, 3, 3, 4], 2), "csrfmiddlewaretoken": csrf_of(phone)})
    publications.publish(night.game.event_id, now=NOW)
    return heard


def test_nothing_that_is_kept_said_or_logged_opens_a_table(
    night: Linked, log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, code = night.secrets.token, night.secrets.code
    heard = play(night, monkeypatch)
    phone, dirk = night.holder(), night.cast.client("dirk")
    for route in routes():
        path = route.path(NAMES)
        if path.startswith("/accounts/logout"):
            continue
        for client in (phone, dirk):
            answer = client.get(path, headers={"Referer": f"http://testserver/t/{token}"})
            if path.startswith("/clubs/") and path.endswith(CARDS) and client is dirk:
                page = said(answer)
                assert token not in page
                assert night.secrets.code_in_print in page
                continue
            heard.append(said(answer))
    everything = "\n".join([*heard, stored()])
    assert len(everything) > 1_000_000
    for secret in (code, night.secrets.code_in_print):
        assert secret not in everything
        assert secret not in log.getvalue()
    assert token not in log.getvalue()
    assert "/t/…" in log.getvalue()
    assert [one for one in heard if token in one] == []
    assert token not in stored()
    assert phone.cookies[COOKIE].value not in stored()


def test_canary_would_be_found(night: Linked, log: StringIO) -> None:
    night.link.seed = night.secrets.token
    night.link.save()
    logging.getLogger("blacklady.request").warning(night.secrets.code)
    assert night.secrets.token in stored()
    assert night.secrets.code in log.getvalue()
    assert timezone.now() < night.link.expires_at
