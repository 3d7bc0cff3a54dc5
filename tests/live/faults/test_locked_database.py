"""Another process holds the write lock; who writes is told to come back, who reads reads."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.live.conftest import Inside
from tests.support.live.project import LiveProject
from tests.support.live.rest_client import EVENT, open_rest_client, stored

pytestmark = pytest.mark.worker

WRITERS = 6
TIMEOUT_S = 5
"""How long a writer of this installation waits; ten seconds, where nobody says otherwise."""


@pytest.mark.tier_long
def test_locked_database_is_503_for_writers_only(project: LiveProject, inside: Inside) -> None:
    project.environment["DATABASE_URL"] += f"?timeout={TIMEOUT_S}"
    project.serve()
    with inside(project):
        rest, event = open_rest_client(project, tables=WRITERS)
        holder = sqlite3.connect(project.place / "live.sqlite3", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with ThreadPoolExecutor(WRITERS) as pool:
            waiting = [
                pool.submit(rest.enter, f"r1t{number}", 1, key=f"t{number}")
                for number in range(1, WRITERS + 1)
            ]
            reads = []
            while not all(one.done() for one in waiting):
                asked = time.monotonic()
                reads.append((project.status(EVENT), time.monotonic() - asked))
            answers = [one.result() for one in waiting]
        took = time.monotonic() - began
        holder.execute("ROLLBACK")
        holder.close()
        print(f"{WRITERS} writers were told within {took:.1f} s; the slowest of {len(reads)} "
              f"reads took {max(each for _, each in reads):.2f} s")  # fmt: skip
        assert [answer.status for answer in answers] == [503] * WRITERS
        assert all(answer.headers["retry-after"] for answer in answers)
        assert {answer.codes[0] for answer in answers} == {"try_again"}
        assert {status for status, _ in reads} == {200}
        assert len(reads) > WRITERS
        assert stored(event) == {}
        again = [rest.enter(f"r1t{n}", 1, key=f"t{n}").status for n in range(1, WRITERS + 1)]
        assert again == [201] * WRITERS
