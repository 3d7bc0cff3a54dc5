"""Visitors who ask the same at once are answered once; nobody else is answered for another."""

import io
from collections.abc import Callable, Iterator

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponseBase
from pytest_django import DjangoAssertNumQueries

from config.web import microcache
from config.web.microcache import KEPT_S, MicrocachedHandler
from tests.api.conftest import Evening
from tests.support.answers import Json
from tests.support.builders import hand
from tests.support.cast import NOW
from tests.support.rest.requests import token
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

Heard = tuple[str, dict[str, str], bytes]


class Clock:
    """The clock of the microcache, which stands still."""

    def __init__(self) -> None:
        self.now = 1.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock_of_cache(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(microcache, "time", made)
    return made


@pytest.fixture
def ask(clock_of_cache: Clock) -> Iterator[Callable[..., Heard]]:
    """Asks the application as a web server does; headers by name, `If_None_Match`."""
    handler = MicrocachedHandler()

    def asked(
        path: str, query: str = "", content_type: str = "", method: str = "GET", **headers: str
    ) -> Heard:
        begun: list[tuple[str, dict[str, str]]] = []
        environ: Json = {
            "REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "SERVER_PORT": "80",
            "SERVER_NAME": "127.0.0.1", "REMOTE_ADDR": "127.0.0.1", "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO(),
            "CONTENT_TYPE": content_type,
            **{f"HTTP_{name.upper()}": value for name, value in headers.items()},
        }  # fmt: skip

        def start(status: str, sent: list[tuple[str, str]], *_: object) -> Callable[..., None]:
            begun.append((status, dict(sent)))
            return lambda data: None

        body = b"".join(handler(environ, start))
        return (*begun[0], body)

    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield asked
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def correct(evening: Evening) -> None:
    hand(evening.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="Misread.")
    assert publish(evening.event.pk, now=NOW) is not None


def without_id(heard: Heard) -> Heard:
    status, headers, body = heard
    return status, {name: headers[name] for name in headers if name != "X-Request-ID"}, body


def pages(evening: Evening) -> list[str]:
    return [f"{evening.at}/standings", f"/clubs/{evening.cast.riverside.slug}/events/league"]


@pytest.mark.both_databases
@pytest.mark.parametrize("which", [0, 1], ids=["REST", "page"])
def test_second_visitor_costs_no_query_and_gets_the_same(
    ask: Callable[..., Heard],
    evening: Evening,
    which: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    path = pages(evening)[which]
    tag = ask(path, HX_Request="true")[1]["ETag"]
    for known, status in ((tag, "304 Not Modified"), ('"0-old"', "200 OK")):
        first = ask(path, If_None_Match=known, HX_Request="true", User_Agent="one")
        with django_assert_num_queries(0):
            second = ask(path, If_None_Match=known, HX_Request="true", User_Agent="two")
        assert first[0] == status
        assert without_id(second) == without_id(first)
        assert second[1]["X-Request-ID"] != first[1]["X-Request-ID"]


@pytest.mark.django_db
def test_new_publication_is_there_a_tenth_of_a_second_later(
    ask: Callable[..., Heard], evening: Evening, clock_of_cache: Clock
) -> None:
    path, tag = pages(evening)[0], evening.publication.etag
    assert ask(path, If_None_Match=tag)[0] == "304 Not Modified"
    correct(evening)
    assert ask(path, If_None_Match=tag)[0] == "304 Not Modified"
    assert b'"number":2' in ask(path)[2]  # who has nothing yet is never given what was
    clock_of_cache.now += KEPT_S
    status, headers, body = ask(path, If_None_Match=tag)
    assert (status, headers["ETag"] != tag, b'"number":2' in body) == ("200 OK", True, True)


@pytest.mark.django_db
def test_cookie_or_token_is_answered_alone(ask: Callable[..., Heard], evening: Evening) -> None:
    path, tag = pages(evening)[0], evening.publication.etag
    mine = [{"Cookie": "sessionid=none"}, {"Authorization": f"Bearer {token('dirk', 'read')}"}]
    for headers in ({}, *mine):
        assert ask(path, If_None_Match=tag, **headers)[0] == "304 Not Modified"
    correct(evening)
    assert [ask(path, If_None_Match=tag, **one)[0] for one in mine] == ["200 OK"] * 2


@pytest.mark.django_db
def test_answer_of_one_event_host_language_or_origin_is_none_of_another(
    ask: Callable[..., Heard], evening: Evening
) -> None:
    path = pages(evening)[1]
    tag = ask(path, HX_Request="true")[1]["ETag"]
    asked = {"If_None_Match": tag, "HX_Request": "true"}
    assert ask(path, **asked)[0] == "304 Not Modified"
    german = ask(path, Accept_Language="de", **asked)
    assert german[0] == "304 Not Modified" or german[1]["ETag"] != tag
    assert ask(f"{path}/none", **asked)[0] == "404 Not Found"
    assert ask(path, Host="elsewhere.example", **asked)[0] == "400 Bad Request"
    assert ask(path, If_None_Match=tag)[0] == "200 OK"  # the whole page
    assert ask(path, method="HEAD", **asked)[0] == "304 Not Modified"


@pytest.mark.django_db
def test_odd_headers_of_a_visitor_change_nothing_for_the_next(
    ask: Callable[..., Heard], evening: Evening, clock_of_cache: Clock
) -> None:
    odd = "evil.example"
    headers = [name.removeprefix("HTTP_") for name in sorted(microcache._IGNORED)]
    headers += ["SEC_FETCH_SITE", "CF_RAY", "X_FORWARDED_HOST", "X_ORIGINAL_URL", "X_REWRITE_URL"]
    headers += ["X_HTTP_METHOD_OVERRIDE", "X_FORWARDED_PREFIX", "RANGE", "ORIGIN", "ACCEPT"]
    sent = [(name, odd) for name in headers] + [("HX_REQUEST", "true"), ("HOST", odd)]
    for path in pages(evening):
        tag = {"If_None_Match": '"0-old"'}
        before = without_id(ask(path, **tag))
        for name, value in sent:
            clock_of_cache.now += KEPT_S
            ask(path, **tag, **{name: value})
            after = without_id(ask(path, **tag))
            assert after == before, name
            assert odd not in str(after), name


@pytest.mark.django_db
def test_what_only_members_read_and_what_is_refused_is_never_kept(
    ask: Callable[..., Heard], evening: Evening
) -> None:
    path = pages(evening)[0]
    Event.objects.filter(pk=evening.event.pk).update(visibility="members")
    assert ask(path, If_None_Match=evening.publication.etag)[0] == "404 Not Found"
    Event.objects.filter(pk=evening.event.pk).update(visibility="public")
    assert ask(path, If_None_Match=evening.publication.etag)[0] == "304 Not Modified"


@pytest.mark.django_db
def test_query_is_read_by_its_charset(ask: Callable[..., Heard], evening: Evening) -> None:
    path, query = f"/clubs/{evening.cast.riverside.slug}/search", "q=M%C3%BCller"
    latin = ask(path, query, "text/plain; charset=latin-1", If_None_Match='"x"')
    plain = ask(path, query, If_None_Match='"x"')
    assert ["Müller".encode() in one[2] for one in (latin, plain)] == [False, True]


@pytest.mark.django_db
def test_slow_answer_is_kept_no_longer_than_from_its_question_on(
    ask: Callable[..., Heard],
    evening: Evening,
    clock_of_cache: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, tag = pages(evening)[0], evening.publication.etag
    answer = WSGIHandler.get_response

    def slow(self: WSGIHandler, request: HttpRequest) -> HttpResponseBase:
        found = answer(self, request)
        monkeypatch.setattr(WSGIHandler, "get_response", answer)
        correct(evening)
        clock_of_cache.now += KEPT_S / 2
        assert ask(path, If_None_Match=tag)[0] == "200 OK"  # asked later, answered before
        return found

    monkeypatch.setattr(WSGIHandler, "get_response", slow)
    assert ask(path, If_None_Match=tag)[0] == "304 Not Modified"
    assert ask(path, If_None_Match=tag)[0] == "200 OK"


@pytest.mark.django_db
def test_bodies_that_are_kept_are_bounded(
    ask: Callable[..., Heard],
    evening: Evening,
    clock_of_cache: Clock,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    path = pages(evening)[0]
    size = len(ask(path)[2]) + microcache.HEAD_BYTES
    monkeypatch.setattr(microcache, "MOST_BYTES", 2 * size)
    for _ in range(2):
        for known in ('"0-a"', '"0-b"', '"0-c"'):
            assert ask(path, If_None_Match=known)[0] == "200 OK"
        with django_assert_max_num_queries(0):
            ask(path, If_None_Match='"0-a"')
            ask(path, If_None_Match='"0-b"')
        with pytest.raises(pytest.fail.Exception), django_assert_max_num_queries(0):
            ask(path, If_None_Match='"0-c"')
        clock_of_cache.now += KEPT_S
