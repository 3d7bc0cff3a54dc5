"""What one connection may do to the web server: too slow, too large, too many, and in no hurry."""

import http.client
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import pytest
from waitress import wasyncore

from config.web import channels, incoming, server
from tests.support.answers import Json
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until
from tournaments.management import service

HEAD = b"POST /there HTTP/1.1\r\nHost: here\r\n"
BLOB = b"x" * 4_000_000
TRIES = 5


class Site:
    """A server on a port of its own with a small application, in this process."""

    def __init__(self) -> None:
        self.works_may_end = threading.Event()
        self.working = threading.Semaphore(0)
        self.answered = 0
        self.looks_each_time = True
        self.listening = service.listen("127.0.0.1", 0)
        self.port = self.listening.getsockname()[1]
        self.server = server.make_server(self.listening, self.answer, threads=2)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def answer(self, environ: Json, start: Callable[..., object]) -> list[bytes]:
        """`/work` waits until the test lets it go, `/blob` is large, `/304` and `/204` have no
        body, all else says what came."""
        self.answered += 1
        if environ["PATH_INFO"] == "/work":
            self.working.release()
            self.works_may_end.wait(30)
        if environ["PATH_INFO"] in ("/304", "/204"):
            start(f"{environ['PATH_INFO'][1:]} None", [("ETag", '"1"')])
            return []
        said = environ["wsgi.input"].read()
        body = BLOB if environ["PATH_INFO"] == "/blob" else b"%d bytes" % len(said)
        start("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    def _run(self) -> None:
        while not self._over.is_set():
            wasyncore.loop(timeout=0.02, use_poll=True, map=self.server._map, count=1)
            if self.looks_each_time:
                self.server.look_at = 0  # and not each second

    @property
    def waiting(self) -> int:
        return sum(len(one.requests) for one in list(self.server.active_channels.values()))

    def has_answered(self, number: int) -> bool:
        """Whether so many requests were answered, and none waits."""
        return self.answered == number and not self.waiting

    def began(self, number: int) -> bool:
        channels_now = list(self.server.active_channels.values())
        return number == sum(1 for one in channels_now if one._has_head)

    def end(self) -> None:
        self.works_may_end.set()
        self._over.set()
        self._thread.join()
        self.server.task_dispatcher.shutdown(timeout=1)
        for dispatcher in self.server.apart.values():
            dispatcher.shutdown(timeout=1)
        for left in list(self.server.active_channels.values()):
            left.handle_close()  # and with it the file of an answer that nobody has taken
        wasyncore.close_all(self.server._map)

    @contextmanager
    def line(self, *parts: bytes) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as made:
            for part in parts:
                made.sendall(part)
            yield made

    def get(self, path: str) -> tuple[int, bytes]:
        made = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        made.request("GET", path)
        answer = made.getresponse()
        found = answer.status, answer.read()
        made.close()
        return found


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.end()


def read(line: socket.socket) -> tuple[int, str, str]:
    """The status, media type and code of an answer after which the connection ends."""
    answer = http.client.HTTPResponse(line)
    answer.begin()
    text = answer.read()
    kind = answer.headers["Content-Type"]
    if kind != "application/problem+json":
        return answer.status, str(kind), text.decode()
    assert answer.headers["X-Request-ID"]
    return answer.status, kind, json.loads(text)["errors"][0]["code"]


PROBLEM = "application/problem+json"


@pytest.mark.parametrize(
    "sent",
    [HEAD, HEAD + b"Content-Length: 9\r\n\r\nhalf", HEAD + b"Transfer-Encoding: chunked\r\n\r\n"],
    ids=["head", "body", "chunked"],
)
def test_what_never_ends_is_told_that_it_took_too_long(
    site: Site, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "HEAD_S", 0.2)
    monkeypatch.setattr(channels, "GRACE_S", 0.2)
    with site.line(sent) as line:
        assert read(line) == (408, PROBLEM, "too_slow")
        assert line.recv(1) == b""


@pytest.mark.parametrize("head", [b"X-Long: ", b"Content-Length: 1000000\r\n\r\n"])
def test_trickle_below_the_least_rate_is_ended(
    site: Site, head: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "HEAD_S", 0.5)
    monkeypatch.setattr(channels, "GRACE_S", 0.2)
    with site.line(HEAD, head) as line:
        line.settimeout(0.05)
        pause = threading.Event()
        for _ in range(400):
            line.send(b"x")
            try:
                if line.recv(4096, socket.MSG_PEEK):
                    break
            except TimeoutError:
                pause.wait(0)
        line.settimeout(20)
        assert read(line)[0] == 408


def test_slow_but_fair_body_is_taken(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "GRACE_S", 0.1)
    body = b"y" * 20_000
    pause = threading.Event()
    with site.line(HEAD, b"Content-Length: 20000\r\n\r\n") as line:
        for at in range(0, len(body), 1_000):
            line.sendall(body[at : at + 1_000])
            pause.wait(0.05)  # 20 kB a second
        answer = http.client.HTTPResponse(line)
        answer.begin()
        assert (answer.status, answer.read()) == (200, b"20000 bytes")


def test_who_takes_no_answer_is_left(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "SILENT_S", 0.3)
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", site.port))
    deaf.sendall(b"GET /blob HTTP/1.1\r\nHost: here\r\n\r\n")
    wait_until(lambda: site.answered == 1, what="the request")
    wait_until(lambda: not site.server.active_channels, what="its end")
    deaf.close()


def test_connection_without_a_word_is_left(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "SILENT_S", 0.2)
    with site.line() as line:
        assert line.recv(1) == b""


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        (HEAD + b"X-A: b\r\n" * 200 + b"\r\n", (400, PROBLEM, "bad_request")),
        (HEAD + b"X-A: " + b"b" * 40_000 + b"\r\n\r\n", (431, PROBLEM, "too_large")),
        (HEAD + b"Content-Length: x\r\n\r\n", (400, PROBLEM, "bad_request")),
        (
            HEAD + b"Transfer-Encoding: xchunked\r\n\r\n",
            (501, PROBLEM, "unknown_transfer_encoding"),
        ),
        (
            HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
            (501, PROBLEM, "unknown_transfer_encoding"),
        ),
    ],
    ids=["many", "long", "no number", "xchunked", "gzip"],
)
def test_head_without_measure_is_refused(site: Site, sent: bytes, found: object) -> None:
    with site.line(sent) as line:
        assert read(line) == found


def test_refusal_reaches_who_is_still_sending(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"z" * incoming.BODY_BYTES
    with site.line(HEAD, b"Content-Length: %d\r\n\r\n" % (len(body) + 1)) as line:
        line.sendall(body)
        assert read(line) == (413, PROBLEM, "too_large")


def test_newcomer_is_answered_among_the_slow(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "MOST_CONNECTIONS", 5)
    lines = [socket.create_connection(("127.0.0.1", site.port)) for _ in range(12)]
    for line in lines:
        line.sendall(HEAD)
    assert site.get("/there") == (200, b"0 bytes")
    assert len(site.server.active_channels) <= 5
    for line in lines:
        line.close()


def test_room_is_made_among_most_connections(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "MOST_CONNECTIONS", 5)
    with site.line(HEAD, b"Content-Length: 4\r\nConnection: close\r\n\r\nab") as host:
        wait_until(lambda: site.began(1), what="the host's body")
        crowd = [socket.create_connection(("127.0.0.1", site.port), 20) for _ in range(1)]
        for _ in range(12):  # younger than the host, each of them
            crowd.append(socket.create_connection(("127.0.0.1", site.port), 20, ("127.0.0.2", 0)))
            crowd[-1].sendall(HEAD)
        assert site.get("/there") == (200, b"0 bytes")
        host.sendall(b"cd")
        assert http_status(host) == 200
    for line in crowd:
        line.close()


def test_connection_of_blank_lines_is_as_good_as_one_without_a_word(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "SILENT_S", 0.5)
    with site.line(b"\r\n\r\n") as line:
        line.settimeout(0.05)
        for _ in range(200):
            try:
                line.sendall(b"\r\n\r\n")
                if line.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            pytest.fail("blank lines keep a connection")


def test_large_bodies_are_bounded_and_the_slowest_gives_way(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "HELD_BYTES", 300_000)
    begun = HEAD + b"Content-Length: 60000000\r\n\r\n" + b"x" * 150_000
    with site.line(begun) as first:
        wait_until(lambda: site.server.held == 150_000, what="the first body")
        with site.line(HEAD, b"Content-Length: 4\r\nConnection: close\r\n\r\nabcd") as small:
            assert http_status(small) == 200
        whole = b"Content-Length: 200000\r\nConnection: close\r\n\r\n" + b"y" * 200_000
        with site.line(HEAD, whole) as second:
            assert http_status(second) == 200
        assert read(first) == (503, PROBLEM, "try_again")
    wait_until(lambda: site.server.held == 0, what="room again")


def test_what_is_only_announced_takes_no_room(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "HELD_BYTES", 300_000)
    with site.line(HEAD, b"Content-Length: 60000000\r\n\r\nx"):
        wait_until(lambda: site.began(1), what="the head")
        whole = b"Content-Length: 200000\r\nConnection: close\r\n\r\n" + b"y" * 200_000
        with site.line(HEAD, whole) as second:
            assert http_status(second) == 200


def test_largest_answer_left_untaken_gives_way(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "HELD_BYTES", 6_000_000)
    with ExitStack() as stack:
        deaf = [stack.enter_context(socket.socket()) for _ in range(6)]
        for place, line in enumerate(deaf):
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect(("127.0.0.1", site.port))
            line.sendall(b"GET /blob HTTP/1.1\r\nHost: here\r\n\r\n")
            wait_until(partial(site.has_answered, place + 1), what="the answer")
        # An answer is whole a moment before the server looks at what all of them hold.
        wait_until(lambda: site.server.unread <= channels.HELD_BYTES, what="the end of the largest")
        assert site.get("/there") == (200, b"0 bytes")
        still = site.server.active_channels
        wait_until(lambda: 0 < len(still) < len(deaf), what="the end of its connection")


@pytest.mark.parametrize("whole", [channels.WHOLE_BYTES, 0], ids=["in memory", "in files"])
def test_large_answer_reaches_who_takes_it_slowly(
    site: Site, monkeypatch: pytest.MonkeyPatch, whole: int
) -> None:
    monkeypatch.setattr(channels, "WHOLE_BYTES", whole)
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", site.port))
        slow.sendall(b"GET /blob HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        wait_until(partial(site.has_answered, 1), what="the answer")
        assert site.server.unread > 0
        assert b"".join(iter(lambda: slow.recv(65536), b"")).partition(b"\r\n\r\n")[2] == BLOB
    wait_until(lambda: site.server.unsent == 0, what="the end")


def test_large_answer_keeps_no_memory_of_what_was_sent_or_given_up() -> None:
    content = bytes(1_000_000)
    answer = channels.WholeAnswer(content)
    answer.skip(400_000)
    assert sys.getrefcount(content) > 2
    answer.skip(500_000)
    assert (len(answer), sys.getrefcount(content)) == (100_000, 2)
    again = channels.WholeAnswer(content)
    again.close()
    assert (len(again), sys.getrefcount(content)) == (0, 2)


GET = b"GET /there HTTP/1.1\r\nHost: here\r\n\r\n"


def test_few_requests_wait_on_one_connection_and_the_rest_are_refused(site: Site) -> None:
    with site.line(GET.replace(b"there", b"work") + GET * 900) as line:
        assert site.working.acquire(timeout=PATIENCE_S)
        wait_until(lambda: site.waiting == 3, what="two requests and a refusal")
        site.works_may_end.set()
        said = b"".join(iter(lambda: line.recv(65536), b""))
    assert [said.count(status) for status in (b" 200 OK", b" 503 ")] == [2, 1]
    assert said.endswith(b"}")
    assert site.answered == 2


@pytest.mark.parametrize(("status", "asked"), [(304, ""), (204, ""), (304, "close")])
def test_connection_stays_open_after_an_empty_answer(site: Site, status: int, asked: str) -> None:
    made = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S)
    made.request("GET", f"/{status}", headers={"Connection": asked} if asked else {})
    answer = made.getresponse()
    assert (answer.status, answer.read()) == (status, b"")
    ends = answer.headers["Connection"] == "close"
    line = made.sock
    if not ends:
        made.request("GET", "/again")
        assert made.getresponse().read() == b"0 bytes"
        assert made.sock is line, "over the same connection"
    made.close()
    assert ends == bool(asked)


def test_two_requests_at_once_are_answered_in_order(site: Site) -> None:
    last = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with site.line(HEAD + b"Content-Length: 3\r\n\r\nabc" + last) as line:
        said = b"".join(iter(lambda: line.recv(65536), b""))
    assert said.index(b"3 bytes") < said.index(b"0 bytes")


CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "sent",
    [b"1\r\nx\r\n" * 3_000, b"1;a=" + b"a" * 20_000, b"0\r\nA: " + b"a" * 20_000],
    ids=["tiny", "long extension", "long trailer"],
)
def test_chunks_that_are_mostly_frames_are_refused(site: Site, sent: bytes) -> None:
    with site.line(CHUNKED, sent) as line:
        assert read(line) == (400, PROBLEM, "bad_request")


@pytest.mark.parametrize("size", [1, 48, 1_000, 100_000])
def test_chunked_body_is_taken(site: Site, size: int) -> None:
    count = max(1, min(1_000, 200_000 // size))
    chunk = b"%x\r\n%s\r\n" % (size, b"z" * size)
    with site.line(CHUNKED, chunk * count + b"0\r\n\r\n") as line:
        answer = http.client.HTTPResponse(line)
        answer.begin()
        assert (answer.status, answer.read()) == (200, b"%d bytes" % (size * count))


def test_connections_are_looked_at_while_the_system_clock_is_set_back(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.looks_each_time = False
    monkeypatch.setattr(channels, "HEAD_S", 0.2)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    with site.line(HEAD) as line:
        assert read(line)[0] == 408


def http_status(line: socket.socket) -> int:
    answer = http.client.HTTPResponse(line)
    answer.begin()
    answer.read()
    return answer.status


def test_probes_and_refusals_wait_for_no_thread_that_works(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "HEAD_S", 0.2)
    busy = [
        socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) for _ in range(5)
    ]
    for line in busy:
        line.sendall(b"GET /work HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
    for _ in range(2):
        assert site.working.acquire(timeout=PATIENCE_S)
    assert site.get("/healthz") == (200, b"0 bytes")
    assert site.get("/readyz") == (200, b"0 bytes")
    with site.line(HEAD) as line:
        assert read(line)[0] == 408
    site.works_may_end.set()
    assert [http_status(line) for line in busy] == [200] * 5
    for line in busy:
        line.close()


@pytest.mark.worker
def test_web_answers_what_was_begun_before_it_ends(project: LiveProject) -> None:
    """A machine that is too busy to send the second half within `DRAIN_S` tries again."""
    for _ in range(TRIES):
        before = len(project.log)
        status, took_s = ended_while_asked(project)
        was_killed = "child_killed" in project.log[before:]
        if took_s < server.DRAIN_S and not was_killed:
            break
    assert (status, was_killed) == (200, False)


def ended_while_asked(project: LiveProject) -> tuple[int, float]:
    """End a web process between the two halves of a request; the status of its answer, 0 for none,
    and how many seconds after the signal the second half was sent."""
    web = project.start("manage.py", "web")
    wait_until(lambda: project.status("/healthz") == 200, what=project.log)
    with socket.create_connection(("127.0.0.1", project.port), timeout=PATIENCE_S) as line:
        line.sendall(
            b"POST /api/v1/score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n"
            b"Content-Type: application/json\r\n\r\n["
        )
        assert project.status("/healthz") == 200  # so the first half was read
        web.terminate()
        at = time.monotonic()
        wait_until(lambda: project.status("/healthz") == 0, what=project.log)
        try:
            line.sendall(b"]")
            took_s = time.monotonic() - at
            status = http_status(line)
        except (OSError, http.client.HTTPException):
            status, took_s = 0, time.monotonic() - at
    assert web.wait(timeout=PATIENCE_S) == 0
    return status, took_s
