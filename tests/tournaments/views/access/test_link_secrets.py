"""A link's secrets: guessing them opens nothing, and they stand nowhere but on the card."""

import logging
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from tests.support.answers import Answer
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tests.support.routes import routes
from tests.support.scenarios.table_links import Linked, csrf_of, linked
from tournaments.domain.client_address import client_network
from tournaments.models.access import TableLink
from tournaments.selectors.access.table_links import COOKIE, LETTERS, LinkSecrets, secrets_of
from tournaments.services.access.table_links import make_link
from tournaments.services.operations import Operation
from tournaments.services.publishing import publications
from tournaments.views.access import table_links

TOKENS = short_or_long(1_000, 10_000)
CODES = short_or_long(300, 2_000)

A_MINUTE = 20
"""How many links that open nothing one address may show within a minute."""

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.fixture(autouse=True)
def standing_time() -> Iterator[None]:
    """Time stands, so that no minute ends while a busy machine works at a test."""
    with time_machine.travel(timezone.now(), tick=False):
        yield


@pytest.fixture
def night(db: None, settings: Settings) -> Linked:
    """A table with a link, and counts that are kept in memory, so that they ask no database."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    cache.clear()
    return linked(enter_the_cast())


def near(secret: str, letters: str, chance: random.Random) -> str:
    at = chance.randrange(len(secret) - 1)
    made = chance.choice(
        (
            secret[:at] + chance.choice(letters) + secret[at + 1 :],
            secret[:at] + secret[at + 1] + secret[at] + secret[at + 2 :],
            secret[:at] + secret[at + 1 :],
            secret[:at] + chance.choice(letters) + secret[at:],
        )
    )
    return made if made != secret else near(secret, letters, chance)


def guesses(secret: str, letters: str, n: int) -> Iterator[str]:
    chance = random.Random(20261120)  # noqa: S311 - the same guesses every time
    for number in range(n):
        if number % 2:
            yield near(secret, letters, chance)
        else:
            yield "".join(chance.choice(letters) for _ in secret)


@contextmanager
def asked() -> Iterator[list[str]]:
    said: list[str] = []

    def note(execute: Callable[..., object], sql: str, *rest: object) -> object:
        said.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        yield said


def of_another_address(number: int) -> str:
    return f"10.{number // 20 // 250}.{number // 20 % 250}.7"


def dead_secrets(night: Linked) -> list[LinkSecrets]:
    """Secrets that opened a table once: expired, replaced by the next one, revoked."""
    now = timezone.now()
    at = (now - timedelta(days=2), now, now)
    links = [make_link(Operation(night.dirk, made_at), night.other.table) for made_at in at]
    TableLink.objects.filter(pk=links[-1].pk).update(revoked_at=now)
    return [secrets_of(link.seed) for link in links]


@pytest.mark.tier_all
def test_ten_thousand_guesses_open_nothing_and_look_alike(night: Linked) -> None:
    known = ["x", *(secret.token for secret in dead_secrets(night))]
    phone, answers, statements = Client(), set(), set()
    for number, token in enumerate([*known, *guesses(night.secrets.token, _ALPHABET, TOKENS)]):
        with asked() as said:
            answer = phone.get(f"/t/{token}", REMOTE_ADDR=of_another_address(number))
        answers.add((answer.status_code, answer.content))
        statements.add(tuple(said))
    assert [(status, len(statements)) for status, _ in answers] == [(404, 1)]
    assert [len(statement) for statement in statements] == [1]
    assert COOKIE not in phone.cookies
    assert TableLink.objects.filter(used_at__isnull=False).count() == 0


@pytest.mark.tier_all
def test_guessed_codes_open_nothing_and_look_alike(night: Linked) -> None:
    phone, answers, statements = Client(), set(), set()
    known = ["x", *(secret.code for secret in dead_secrets(night))]
    for number, code in enumerate([*known, *guesses(night.secrets.code, LETTERS, CODES)]):
        with asked() as said:
            answer = phone.post("/t", {"code": code}, REMOTE_ADDR=of_another_address(number))
        answers.add((answer.status_code, text_of(answer)))
        statements.add(tuple(said))
    assert [status for status, _ in answers] == [422]
    assert [len(statement) for statement in statements] == [1]
    assert COOKIE not in phone.cookies


def show(phone: Client, path: str = "/t/guessed", **more: str) -> int:
    return phone.get(path, **more).status_code  # type: ignore[arg-type]


def test_twenty_guesses_a_minute_from_one_address_are_enough(night: Linked) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        assert [show(Client()) for _ in range(A_MINUTE)] == [404] * A_MINUTE
        answer = Client().get("/t/guessed")
        assert (answer.status_code, answer["Retry-After"]) == (429, "60")
        assert "Try again in 60 s." in text_of(answer)
        assert Client().post("/t", {"code": "AAAA2222"}).status_code == 429
        assert show(Client(), REMOTE_ADDR="192.0.2.9") == 404
        clock.shift(timedelta(seconds=61))
        assert show(Client()) == 404


def test_right_link_is_opened_however_many_wrong_ones_came_from_that_hall(night: Linked) -> None:
    for number in range(10 * A_MINUTE + 5):
        assert show(Client()) == (404 if number < A_MINUTE else 429)
        if number in (A_MINUTE, 10 * A_MINUTE - 5):
            assert show(Client(), f"/t/{night.secrets.token}") == 302
            assert Client().post("/t", {"code": night.secrets.code}).status_code == 302
    assert show(Client(), f"/t/{night.secrets.token}") == 302


def test_table_that_is_open_stays_open_while_its_address_waits(night: Linked) -> None:
    phone = night.holder()
    for _ in range(A_MINUTE + 1):
        show(Client())
    assert show(phone, f"{night.table}/hands/new") == 200
    assert show(phone, "/t") == 200


def test_address_that_a_caller_claims_to_have_does_not_count(night: Linked) -> None:
    claims = [f"198.51.100.{number}" for number in range(A_MINUTE + 1)]
    assert [show(Client(), HTTP_X_FORWARDED_FOR=claim) for claim in claims][-1] == 429


@pytest.mark.parametrize(
    ("forwarded", "network"),
    [
        ("spoofed, 198.51.100.7", "198.51.100.7"),
        ("203.0.113.9, 198.51.100.7:4000", "198.51.100.7"),
        ("[2001:db8:1:2::7]:4000", "20010db800010002"),
        ("2001:db8:1:2::8", "20010db800010002"),
        *(
            (f"9.9.9.9, {what}", "192.0.2.1")
            for what in ("unknown", "198.51.100.7.7", "[7]:80", "")
        ),
    ],
)
def test_behind_a_proxy_its_word_counts_or_its_own_address(
    rf: RequestFactory, settings: Settings, forwarded: str, network: str
) -> None:
    settings.TRUSTED_PROXIES = 1
    request = rf.get("/t", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=forwarded)
    assert client_network(request) == network


OF_ROUTES = {
    "club": "riverside",
    "event": "league",
    "code": "r1t1",
    "player_id": "RL01",
    "variant": "hearts",
}

CARDS = ("/tables/r1t1/link", "/rounds/1/links")
"""Pages of a director that show the short code, and the token as a picture."""


@pytest.fixture
def played_night(db: None) -> Linked:
    return linked(enter_the_cast())


@pytest.fixture
def log() -> Iterator[StringIO]:
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
    rows = []
    with connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{name}"')  # noqa: S608 - names of our own tables
            rows.append(f"{name}: {cursor.fetchall()}")
    return "\n".join(rows)


def said(answer: Answer) -> str:
    return (
        f"{answer.headers} {answer.cookies.output()} {answer.getvalue().decode('utf-8', 'replace')}"
    )


def play(night: Linked, monkeypatch: pytest.MonkeyPatch) -> list[str]:
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
    played_night: Linked, log: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, code = played_night.secrets.token, played_night.secrets.code
    heard = play(played_night, monkeypatch)
    phone, dirk = played_night.holder(), played_night.cast.client("dirk")
    for route in routes():
        path = route.path(OF_ROUTES)
        if path.startswith("/accounts/logout"):
            continue
        for client in (phone, dirk):
            answer = client.get(path, headers={"Referer": f"http://testserver/t/{token}"})
            if path.startswith("/clubs/") and path.endswith(CARDS) and client is dirk:
                page = said(answer)
                assert token not in page
                assert played_night.secrets.code_in_print in page
                continue
            heard.append(said(answer))
    everything = "\n".join([*heard, stored()])
    assert len(everything) > 1_000_000
    for secret in (code, played_night.secrets.code_in_print):
        assert secret not in everything
        assert secret not in log.getvalue()
    assert token not in log.getvalue()
    assert "/t/…" in log.getvalue()
    assert [one for one in heard if token in one] == []
    assert token not in stored()
    assert phone.cookies[COOKIE].value not in stored()


def test_canary_would_be_found(played_night: Linked, log: StringIO) -> None:
    played_night.link.seed = played_night.secrets.token
    played_night.link.save()
    logging.getLogger("blacklady.request").warning(played_night.secrets.code)
    assert played_night.secrets.token in stored()
    assert played_night.secrets.code in log.getvalue()
    assert timezone.now() < played_night.link.expires_at
