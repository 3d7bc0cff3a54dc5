"""A file that is too large to wait for: 202, an address that says how far it is, its problems."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from api.v1.imports.import_upload import AT_ONCE
from tests.support.answers import Answer, Json
from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.imports.imports import imported, imports_behind, rows, written
from tests.support.rest.requests import codes, refusal
from tournaments import tasks
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, Upload
from tournaments.models.jobs import Dirty, import_scope
from tournaments.services.imports import process_upload as job
from tournaments.services.imports.undo import request_undo
from tournaments.services.imports.uploads import LARGEST

pytestmark = pytest.mark.both_databases


AT = "/api/v1/clubs/riverside/events/league/imports"
SHORT_HANDS = 3
KEPT_TOO = ("position", "state", "reason")
"""What is told of a problem besides what the report says."""


@pytest.fixture(autouse=True)
def event(cast: Cast) -> Event:
    players(cast.riverside, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    return league(cast.riverside)


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """Ninety good hands and three short ones, in a file that is too long to wait for."""
    good = [
        rows(number, (number, 7 - number, 0, 6), round_=night)
        for night in range(1, 31)
        for number in (1, 2, 3)
    ]
    short = [rows(number, (3, 1, 2, 6), round_=31) for number in range(1, SHORT_HANDS + 1)]
    path = written(tmp_path, *good, *short, name="season.csv")
    with path.open("ab") as file:
        file.write(b"\r\n" * (AT_ONCE // 2))
    assert path.stat().st_size > AT_ONCE
    return path


def send(client: Client, path: Path, *, key: str = "", **more: str) -> Answer:
    headers = {"Idempotency-Key": key} if key else {}
    file = SimpleUploadedFile(path.name, path.read_bytes())
    return client.post(AT, {"file": file, **more}, headers=headers)


def work() -> None:
    for batch_id in imports_behind(timezone.now()):
        tasks.work_on_import(batch_id)


def shown(client: Client, address: str = f"{AT}/1") -> Json:
    found: dict[str, Any] = client.get(address).json()
    return found


def test_large_file_is_taken_in_and_brought_in_by_a_worker(hanna: Client, season: Path) -> None:
    answer = send(hanna, season)
    assert (answer.status_code, answer["Location"]) == (202, f"{AT}/1")
    first = answer.json()
    assert first == shown(hanna)
    assert (first["number"], first["file"], first["made_by"]) == (1, "season.csv", "hanna")
    assert (first["state"], first["finished"], first["ended_at"]) == ("running", False, None)
    assert (first["rows_done"], first["rows_total"], first["accepted"]) == (0, 0, 0)
    assert not Hand.objects.exists()
    work()
    last = shown(hanna)
    assert (last["state"], last["finished"], last["error"]) == ("done", True, None)
    assert (last["rows"], last["hands"], last["accepted"], last["added"]) == (372, 93, 90, 90)
    assert last["waiting"] == SHORT_HANDS
    assert (last["rows_done"], last["rows_total"]) == (372, 372)
    assert last["ended_at"] > last["started_at"]
    assert Hand.objects.count() == 90


def test_problems_are_those_of_the_command_in_pages_and_as_csv(hanna: Client, season: Path) -> None:
    report = imported(season, dry_run=True).as_json()
    send(hanna, season)
    work()
    pages = [hanna.get(f"{AT}/1/problems?limit=2").json()]
    while pages[-1]["next"]:
        pages.append(hanna.get(pages[-1]["next"]).json())
    found = [row for page in pages for row in page["results"]]
    kept = [{key: row[key] for key in row if key not in KEPT_TOO} for row in found]
    assert kept == report["problems"]
    assert [row["position"] for row in found] == list(range(1, len(found) + 1))
    assert shown(hanna)["problems"] == len(found)
    assert [(row["code"], row["state"]) for row in found if row["class"] == "reject"] == [
        ("missing_cards", "open")
    ] * SHORT_HANDS
    lines = hanna.get(f"{AT}/1/problems.csv").content.decode().split("\r\n")
    assert lines[0].startswith("position,lines,round,table,hand,code,class,state")
    assert len(lines) == len(found) + 2
    assert ",362 363 364 365,31,1,1,missing_cards,reject,open," in "\n".join(lines)


def test_dry_run_of_a_large_file_ends_as_a_preview(hanna: Client, season: Path) -> None:
    assert send(hanna, season, dry_run="true").json()["state"] == "reading"
    work()
    last = shown(hanna)
    assert (last["state"], last["finished"], last["ended_at"]) == ("preview", True, None)
    assert (last["hands"], last["accepted"], last["added"], last["waiting"]) == (93, 90, 90, 3)
    assert not Hand.objects.exists()


def test_progress_is_told_while_the_worker_is_at_it(
    hanna: Client, season: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(hanna, season)
    monkeypatch.setattr(job, "PIECE_S", 0.0)
    steps = job.upload_steps(ImportBatch.objects.get().pk, now=timezone.now())
    next(steps)
    while not shown(hanna)["rows_done"]:
        next(steps)
    found = shown(hanna)
    assert (found["state"], found["finished"], found["rows_total"]) == ("running", False, 372)
    assert 0 < found["rows_done"] < 372
    assert 0 < Hand.objects.count() < 90


def test_file_in_which_nothing_can_be_read_ends_with_reason(hanna: Client, tmp_path: Path) -> None:
    path = tmp_path / "letter.bin"
    path.write_bytes(b"\x01\x02" * AT_ONCE)
    assert send(hanna, path).status_code == 202
    work()
    found = shown(hanna)
    assert (found["state"], found["finished"], found["accepted"]) == ("preview", True, 0)
    assert found["error"].startswith("This is a binary file")
    assert shown(hanna, AT)["results"][0]["error"] == found["error"]


def test_file_with_foreign_columns_waits_for_their_meaning(hanna: Client, season: Path) -> None:
    foreign = season.read_bytes().replace(b"seat,player_id,player", b"Stuhl,Nummer,Wer", 1)
    season.write_bytes(foreign.replace(b"hearts,queen_spades", b"Herzen,Dame", 1))
    assert send(hanna, season).json()["state"] == "running"
    work()
    found = shown(hanna)
    assert (found["state"], found["finished"], found["error"]) == ("mapping", True, None)
    assert not Hand.objects.exists()
    page = hanna.get("/clubs/riverside/events/league/imports/1/columns")
    assert (page.status_code, "Herzen" in page.content.decode()) == (200, True)


def test_work_that_was_given_up_is_told(hanna: Client, season: Path) -> None:
    send(hanna, season)
    scope = import_scope(ImportBatch.objects.get().pk)
    Dirty.objects.filter(scope=scope).update(parked=True, error="ValueError: odd")
    found = shown(hanna)
    assert (found["finished"], found["error"]) == (True, "ValueError: odd")


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b" " * (AT_ONCE + 1), 422, "empty_file"),
        (b"x" * (LARGEST + 1), 413, "too_large"),
        (b"x" * (LARGEST + 2 * 1024 * 1024), 413, "too_large"),
    ],
)
def test_file_that_is_not_kept(
    hanna: Client, tmp_path: Path, content: bytes, status: int, code: str
) -> None:
    path = tmp_path / "season.csv"
    path.write_bytes(content)
    answer = send(hanna, path)
    assert (answer.status_code, codes(answer)) == (status, [code])
    assert not Upload.objects.exists()


def test_event_that_is_closed_takes_no_file(hanna: Client, event: Event, season: Path) -> None:
    Event.objects.update(state="closed")
    assert refusal(send(hanna, season)) == (409, ["event_not_open"])
    assert not ImportBatch.objects.exists()


def test_imports_are_listed_the_newest_first_however_they_came(
    cast: Cast, hanna: Client, season: Path, tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1, round_=40), name="by-command.csv"))
    send(hanna, season)
    work()
    listed = hanna.get(AT).json()["results"]
    assert [(row["number"], row["file"], row["state"]) for row in listed] == [
        (2, "season.csv", "done"),
        (1, "by-command.csv", "done"),
    ]
    assert listed[1]["rows_done"] is None
    assert [row["number"] for row in hanna.get(f"{AT}?limit=1").json()["results"]] == [2]
    table = hanna.get(f"{AT}.csv").content.decode().split("\r\n")
    assert table[0].startswith("number,file,state,rows,hands,accepted,added,problems,waiting")
    assert table[1].startswith("2,season.csv,done,372,93,90,90,")
    request_undo(cast.operation("hanna", timezone.now()), ImportBatch.objects.get(number=1))
    assert shown(hanna)["finished"] is False
    work()
    assert (shown(hanna)["state"], shown(hanna)["finished"]) == ("undone", True)
