"""On a full disk what was acknowledged is stored, the rest is refused, and nothing breaks."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live.conftest import Inside
from tests.support.builders import by_tests, counts
from tests.support.imports.imports import rows, written
from tests.support.live.events import computed_anew, evening, is_published, newest, remainder
from tests.support.live.project import LiveProject, wait_until
from tests.support.live.rest_client import EVENT, Answer, RestClient
from tests.support.live.small_disk import SmallDisk, on_small_disk
from tournaments.management.import_commands import NO_ROOM
from tournaments.models.clubs import Membership
from tournaments.models.hands import Entry
from tournaments.services.access.tokens import make_token

pytestmark = pytest.mark.worker

HANDS = f"{EVENT}/tables/r1t1/hands"
SEATED = {"N": "RL01,Elsa D.", "E": "RL02,Ilse K.", "S": "RL03,Leo K.", "W": "RL04,Anton S."}
MOST = 400
REFUSALS = 10


class Host:
    """Somebody who enters hands over REST, and notes what was acknowledged."""

    def __init__(self, rest: RestClient) -> None:
        self.rest = rest
        self.acknowledged: list[int] = []

    def enter(self, number: int) -> Answer:
        """Enter a hand; its content follows from its number."""
        gift = number % 12 + 1
        entry = counts([gift, 13 - gift, 0, 0], number % 4)
        body = {"number": number, "entry": entry, "note": "x" * 400}
        answer = self.rest.ask("POST", HANDS, body)
        if answer.status == 201:
            self.acknowledged.append(number)
        return answer


@dataclass(frozen=True, slots=True)
class Evening:
    """A served league on a small disk."""

    project: LiveProject
    disk: SmallDisk
    host: Host
    event_id: int


@pytest.fixture
def served(project: LiveProject, inside: Inside) -> Iterator[Evening]:
    with inside(project):
        game = evening()
        hanna = Membership.objects.get(role="host").user
        token = make_token(by_tests(), None, user=hanna, scope="enter")
    with on_small_disk(project) as disk:
        project.serve()
        yield Evening(project, disk, Host(RestClient(project, token)), game.event_id)


def stored(disk: SmallDisk) -> list[int]:
    return [
        int(number)
        for (number,) in disk.rows("SELECT number FROM tournaments_hand ORDER BY number")
    ]


def enter_until_full(served: Evening) -> int:
    """Enter hands until the disk is full and then some; the next number."""
    served.disk.fill(but_kb=400)
    number = 1
    refused: list[Answer] = []
    while len(refused) < REFUSALS:
        assert number < MOST, "the disk is never full"
        answer = served.host.enter(number)
        number += 1
        if answer.status != 201:
            refused.append(answer)
    assert {answer.status for answer in refused} == {507}
    for answer in refused:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.codes == ["disk_full"]
    return number


def test_acknowledged_is_stored_and_entry_goes_on_later(served: Evening, inside: Inside) -> None:
    host, disk = served.host, served.disk
    number = enter_until_full(served)
    assert stored(disk) == host.acknowledged != []
    taken = len(host.acknowledged)
    disk.clear()
    wait_until(
        lambda: "disk_was_full" in (served.project.readiness() or ()), what="readiness names it"
    )
    took = wait_until(lambda: host.enter(number).status == 201, what="a 201 again")
    print(f"{taken} hands, {REFUSALS} refused; entered {took:.2f} s after there was room")
    assert stored(disk) == host.acknowledged
    served.project.wait_ready(served.project.processes[-1])
    assert disk.rows("PRAGMA integrity_check") == [["ok"]]
    assert disk.rows("PRAGMA foreign_key_check") == []

    def is_fresh() -> bool:
        answer = host.rest.ask("GET", f"{EVENT}/standings")
        return answer.status == 200 and answer.json["as_of"]["hands"] == len(host.acknowledged)

    wait_until(is_fresh, what=served.project.log[-3000:])
    served.project.drain()
    with moved_out(served, inside):
        assert Entry.objects.count() == len(host.acknowledged)
        assert is_published(served.event_id)
        assert remainder(newest(served.event_id)) == computed_anew(served.event_id)


def moved_out(served: Evening, inside: Inside) -> AbstractContextManager[None]:
    copy = served.project.place / "copy.sqlite3"
    served.disk.copy_to(copy)
    served.project.environment["DATABASE_URL"] = f"sqlite:///{copy}"
    return inside(served.project)


@pytest.mark.tier_long
def test_command_says_that_the_disk_is_full_and_completes(served: Evening, tmp_path: Path) -> None:
    project, disk = served.project, served.disk
    night = written(tmp_path, *(rows(number, cast=SEATED) for number in (1, 2, 3)))
    words = ("import_sheets", "--club", "riverside", "--event", "league", "--variant", "hearts")
    disk.fill()
    full = project.manage(*words, str(night))
    assert (full.returncode, full.stdout, full.stderr) == (1, "", f"night.csv: {NO_ROOM}\n")
    said = project.manage(*words, "--json", str(night))
    assert json.loads(said.stdout) == {"file": "night.csv", "error": NO_ROOM}
    token = project.manage("make_token", "--user", "hanna", "--scope", "read")
    line = "The disk is full. Make room, and give the command again.\n"
    assert (token.returncode, token.stdout, token.stderr) == (2, "", line)
    assert stored(disk) == []
    disk.clear()
    done = project.manage(*words, str(night))
    assert (done.returncode, done.stderr) == (0, "")
    assert stored(disk) == [1, 2, 3]
    assert disk.rows("PRAGMA integrity_check") == [["ok"]]
