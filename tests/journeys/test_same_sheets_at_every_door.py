"""A3: the 32 hands of a messy night give the same entries and the same problems at every door."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from tests.importing import SHEETS, hand_scores, imported, season
from tests.spreadsheets import ods, xlsx
from tournaments.models.clubs import Club, Membership
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem

pytestmark = pytest.mark.django_db

MESSY = SHEETS / "messy.csv"
EVENT = "clubs/riverside/events/league"
OF_THE_TEXT = {"byte_order_mark", "delimiter", "blank_row"}
"""Said of a text file only: a spreadsheet has no separators, and no rows of them."""

Found = tuple[list[Any], list[tuple[str, str, list[int]]], tuple[int, int]]
Door = Callable[[Path], None]


def by_command(path: Path) -> None:
    """Bring a file in as `manage.py import_sheets`; problems wait, so it ends with status 1."""
    words = ("--club", "riverside", "--event", "league", str(path))
    with pytest.raises(SystemExit, match="1"):
        call_command("import_sheets", *words, stdout=io.StringIO(), stderr=io.StringIO())


def by_page(path: Path) -> None:
    """Bring a file in as a host does in a browser: send it, look at it, confirm."""
    client = host()
    sent = client.post(f"/{EVENT}/imports/new", {"file": as_sent(path)})
    assert sent.status_code == 302
    assert "Import the 10 good hands" in client.get(sent["Location"]).content.decode()
    assert client.post(f"{sent['Location']}/confirm").status_code == 302


def by_rest(path: Path) -> None:
    """Bring a file in as a script does."""
    answer = host().post(f"/api/v1/{EVENT}/imports", {"file": as_sent(path)})
    assert (answer.status_code, answer.json()["accepted"]) == (200, 10)


def host() -> Client:
    user = User.objects.create_user("hanna")
    Membership.objects.create(club=Club.objects.get(), user=user, role="host")
    client = Client()
    client.force_login(user)
    return client


def as_sent(path: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile(path.name, path.read_bytes())


def as_csv(folder: Path) -> Path:
    return MESSY


def as_spreadsheet(folder: Path, write: Callable[..., Path], name: str) -> Path:
    """The same cells, numbers as numbers, every row in its own place."""
    with MESSY.open(encoding="utf-8-sig", newline="") as file:
        table = [row or [""] for row in csv.reader(file, delimiter=";")]
    cells = [[int(cell) if cell.isdecimal() else cell for cell in row] for row in table]
    return write(folder / name, cells)


def as_xlsx(folder: Path) -> Path:
    return as_spreadsheet(folder, xlsx, "messy.xlsx")


def as_ods(folder: Path) -> Path:
    return as_spreadsheet(folder, ods, "messy.ods")


def found() -> Found:
    """What the newest batch has brought: entries as typed, problems in order, rows and hands."""
    batch = ImportBatch.objects.latest("id")
    hands = Hand.objects.filter(entry__batch=batch).select_related("entry", "game__table")
    entries = sorted(
        (hand.game.table.code, hand.number, hand.entry.form, hand.entry.typed)
        for hand in hands
        if hand.entry is not None
    )
    problems = ImportProblem.objects.filter(batch=batch).order_by("position")
    said = [(one.code, one.severity, one.lines) for one in problems if one.code not in OF_THE_TEXT]
    return entries, said, (batch.hands, batch.accepted)


def by_the_service() -> Found:
    """What the import itself gives, with nothing of it kept."""
    with transaction.atomic():
        imported(MESSY)
        expected = found()
        transaction.set_rollback(True)
    return expected


@pytest.mark.parametrize("door", [by_command, by_page, by_rest])
@pytest.mark.parametrize("written", [as_csv, as_xlsx, as_ods])
def test_same_32_hands_give_the_same_entries_and_the_same_problem_codes(
    tmp_path: Path, door: Door, written: Callable[[Path], Path]
) -> None:
    season()
    expected = by_the_service()
    assert not Hand.objects.filter(game__table__round__number=11).exists()
    door(written(tmp_path))
    entries, said, counted = found()
    assert (entries, said, counted) == expected
    assert (len(entries), len(said), counted) == (10, 21, (32, 10))
    with (SHEETS / "expected/messy_clean_scores.csv").open(newline="") as file:
        clean = sorted(tuple(row) for row in list(csv.reader(file))[1:])
    assert [row[2:] for row in hand_scores() if row[1] == "11"] == clean
