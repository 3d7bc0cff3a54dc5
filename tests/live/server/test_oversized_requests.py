"""What is far too large is refused at once, and costs the serving processes no memory."""

import http.client
import json
import shutil
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from tests.live.conftest import Inside
from tests.support.builders import by_tests, counts
from tests.support.imports.imports import HEADS, rows
from tests.support.imports.spreadsheets import stuffed
from tests.support.live.events import evening
from tests.support.live.project import PATIENCE_S, LiveProject, tree_of, wait_until
from tournaments.models.clubs import Membership
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, Upload
from tournaments.services.access.tokens import make_token

pytestmark = pytest.mark.worker

EVENT = "/api/v1/clubs/riverside/events/league"
HANDS = f"{EVENT}/tables/r1t1/hands"
PAGE = "/clubs/riverside/events/league/imports/new"
MB = 1024 * 1024
MOST_GROWTH = 100 * MB
MOST_PASSING = 150 * MB
CSRF = "c" * 32
BOUNDARY = "between-the-fields"

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    text: str
    took_s: float


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who may enter hands, with a token for REST and a session for pages.

    `held` is how many bytes each process of the service held before anything too large came.
    """

    project: LiveProject
    headers: Mapping[str, str]
    held: Mapping[int, int]

    def send(
        self, method: str, path: str, headers: Mapping[str, str], parts: Iterable[bytes], size: int
    ) -> Answer:
        """Send a body in parts; an answer that comes before the last of them counts as well."""
        connection = http.client.HTTPConnection("127.0.0.1", self.project.port, timeout=PATIENCE_S)
        connection.putrequest(method, path)
        for name, value in {**headers, **self.headers, "Content-Length": str(size)}.items():
            connection.putheader(name, value)
        connection.endheaders()
        started = time.monotonic()
        with suppress(BrokenPipeError, ConnectionResetError):
            for part in parts:
                connection.send(part)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return Answer(answer.status, text, time.monotonic() - started)

    def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        pieces = (body[at : at + MB] for at in range(0, len(body), MB))
        return self.send("POST", path, headers, pieces, len(body))

    def upload(self, path: str, name: str, file: Iterable[bytes], size: int) -> Answer:
        """Send a file as a form does."""
        head = (
            f"--{BOUNDARY}\r\nContent-Disposition: form-data; "
            f'name="file"; filename="{name}"\r\nContent-Type: text/csv\r\n\r\n'
        ).encode()
        tail = f"\r\n--{BOUNDARY}--\r\n".encode()
        return self.send(
            "POST", path, FORM, (head, *file, tail) if size < MB else _joined(head, file, tail),
            len(head) + size + len(tail),
        )  # fmt: skip


def _joined(head: bytes, file: Iterable[bytes], tail: bytes) -> Iterator[bytes]:
    yield head
    yield from file
    yield tail


@pytest.fixture(scope="module")
def caller(
    tmp_path_factory: pytest.TempPathFactory, migrated: Path, inside: Inside
) -> Iterator[Caller]:
    """Hanna, at a served table; everything that a request loads is loaded.

    One installation takes all that comes, so that what each leaves behind would add up.
    """
    project = LiveProject(tmp_path_factory.mktemp("oversize"), {})
    shutil.copy(migrated, project.place / "live.sqlite3")
    with inside(project):
        evening()
        hanna = Membership.objects.get(role="host").user
        token = make_token(by_tests(), None, user=hanna, scope="enter")
        client = Client()
        client.force_login(hanna)
        assert isinstance(client.session, SessionStore)
        session = client.session.session_key
    project.serve()
    by_session = {
        "Cookie": f"sessionid={session}; csrftoken={CSRF}",
        "X-CSRFToken": CSRF,
        "Origin": project.url,
    }
    by_token = {"Authorization": f"Bearer {token}"}
    warm = Caller(project, by_token, {})
    body = {"number": 1, "entry": counts([4, 1, 2, 6], 3)}
    assert warm.post(HANDS, JSON, json.dumps(body).encode()).status == 201
    held = {pid: memory(pid) for pid in tree_of(project.processes[-1].pid)}
    yield Caller(project, {**by_token, **by_session}, held)
    project.end()


def memory(pid: int) -> int:
    """Bytes of memory that a process holds now; 0 where it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0


class Watch(threading.Thread):
    """Looks every few milliseconds how much memory each process of a service holds."""

    def __init__(self, caller: Caller) -> None:
        super().__init__(daemon=True)
        self.root = caller.project.processes[-1].pid
        self.before = {pid: caller.held.get(pid) or memory(pid) for pid in tree_of(self.root)}
        self.most: dict[int, int] = dict(self.before)
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.02):
            for pid in tree_of(self.root):
                self.most[pid] = max(self.most.get(pid, 0), memory(pid))

    @property
    def growth(self) -> int:
        """How much the processes that were there before have grown together."""
        return sum(self.most[pid] - held for pid, held in self.before.items())

    @property
    def passing(self) -> int:
        """The most that a process held which came and went."""
        return max((most for pid, most in self.most.items() if pid not in self.before), default=0)


@contextmanager
def watched(caller: Caller, what: str) -> Iterator[Watch]:
    """Print what the block costs; the serving processes may not grow by 100 MB altogether."""
    watch = Watch(caller)
    watch.start()
    try:
        yield watch
    finally:
        watch.over.set()
        watch.join()
    growth, passing = watch.growth // MB, watch.passing // MB
    print(f"{what}: serving processes +{growth} MB, the largest passing one {passing} MB")
    assert watch.growth < MOST_GROWTH


def codes(answer: Answer) -> list[str]:
    return [error["code"] for error in json.loads(answer.text)["errors"]]


@pytest.mark.parametrize("path", [HANDS, "/api/v1/score"])
def test_ten_megabytes_of_json_are_413(caller: Caller, path: str) -> None:
    body = b'{"number": 2, "note": "' + b"x" * 10 * MB + b'"}'
    with watched(caller, "10 MB of JSON"):
        answer = caller.post(path, JSON, body)
    print(f"{path}: {answer.status} after {answer.took_s:.2f} s")
    assert (answer.status, codes(answer)) == (413, ["too_large"])


@pytest.mark.parametrize(("path", "status"), [(HANDS, 413), ("/api/v1/score", 400)])
def test_json_of_hundred_thousand_levels_is_refused(caller: Caller, path: str, status: int) -> None:
    body = b"[" * 100_000 + b"]" * 100_000
    with watched(caller, "100,000 levels of JSON"):
        answer = caller.post(path, JSON, body)
    print(f"{path}: {answer.status} after {answer.took_s:.2f} s")
    assert (answer.status, codes(answer)) == (
        status,
        ["too_large" if status == 413 else "bad_json"],
    )


def test_name_of_300_kb_is_refused_through_every_input(caller: Caller, inside: Inside) -> None:
    name = "N" * 300_000
    hand = {"number": 2, "entry": counts([4, 1, 2, 6], 3), "players": [name, "b", "c", "d"]}
    cast = {"N": f"RL01,{name}", "E": "RL02,Ilse K.", "S": "RL03,Leo K.", "W": "RL04,Anton S."}
    sheet = "\r\n".join([HEADS, *rows(cast=cast)]).encode()
    field = f"name={name}&slug=new&time_zone=UTC&language=en".encode()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with watched(caller, "a name of 300 kB"):
        answers = {
            "REST": caller.post(HANDS, JSON, json.dumps(hand).encode()),
            "file over REST": caller.upload(f"{EVENT}/imports", "n.csv", [sheet], len(sheet)),
            "file on a page": caller.upload(PAGE, "n.csv", [sheet], len(sheet)),
            "form": caller.post("/new-club", form, field),
        }
        wait_for_no_import(caller, inside)
    for way_in, answer in answers.items():
        print(f"{way_in}: {answer.status} after {answer.took_s:.2f} s")
    assert {way_in: answer.status for way_in, answer in answers.items()} == {
        "REST": 413,
        "file over REST": 422,
        "file on a page": 302,
        "form": 422,
    }


@pytest.mark.parametrize(("way_in", "path"), [("REST", f"{EVENT}/imports"), ("page", PAGE)])
def test_million_rows_are_413(caller: Caller, inside: Inside, way_in: str, path: str) -> None:
    head = f"{HEADS}\r\n".encode()
    line = f"{rows()[0]}\r\n".encode()
    file = (head, *[line * 10_000] * 100)
    before = batches(caller, inside)
    with watched(caller, f"a million rows, {way_in}"):
        answer = caller.upload(path, "night.csv", file, len(head) + len(line) * 1_000_000)
    print(f"{way_in}: {answer.status} after {answer.took_s:.2f} s")
    assert answer.status == 413
    if way_in == "REST":
        assert codes(answer) == ["too_large"]
    assert batches(caller, inside) == before


def batches(caller: Caller, inside: Inside) -> int:
    with inside(caller.project):
        return len(ImportBatch.objects.all())


LONG_CELL = f'<c t="inlineStr"><is><t>{"A" * 1000}</t></is></c>'
MANY_CELLS = '<c t="str"><v>a</v></c>' * 13


@pytest.mark.parametrize(
    ("cells", "unfolded_mb", "status"),
    [(LONG_CELL, 150, 422), (LONG_CELL, 450, 202), (MANY_CELLS, 47, 202)],
)
def test_spreadsheet_that_unfolds_without_end_is_refused(
    caller: Caller, inside: Inside, tmp_path: Path, cells: str, unfolded_mb: int, status: int
) -> None:
    """Two that are larger than they may be by their own words, and one that ends in its process.

    REST refuses a small file by its words at once; what has to be unfolded goes to the worker, as
    from the page.
    """
    content = stuffed(tmp_path / "night.xlsx", cells, unfolded_mb).read_bytes()
    what = f"{len(content) // 1024} kB that unfold to {unfolded_mb} MB"
    with watched(caller, what) as watch:
        rest = caller.upload(f"{EVENT}/imports", "night.xlsx", [content], len(content))
        page = caller.upload(PAGE, "night.xlsx", [content], len(content))
        wait_for_no_import(caller, inside)
    print(f"REST: {rest.status} after {rest.took_s:.2f} s")
    print(f"page: {page.status} after {page.took_s:.2f} s")
    assert watch.passing < MOST_PASSING
    assert (rest.status, page.status) == (status, 302)
    if status == 422:
        assert codes(rest) == ["unreadable_file"]
    with inside(caller.project):
        kept = 2 if status == 202 else 1
        given_up = [upload.error for upload in Upload.objects.order_by("-pk")[:kept]]
    assert all("too large" in error for error in given_up)


def wait_for_no_import(caller: Caller, inside: Inside) -> None:
    """Wait until every file that a page took was given up by the worker, and no hand is new."""
    with inside(caller.project):
        busy = Upload.objects.filter(error="")
        took = wait_until(lambda: not busy.exists(), what=caller.project.log[-2000:])
        reasons = sorted(set(Upload.objects.values_list("error", flat=True)))
        print(f"the worker gave up after {took:.2f} s: {reasons}")
        assert Hand.objects.count() == 1
