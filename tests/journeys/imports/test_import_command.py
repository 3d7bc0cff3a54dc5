"""`manage.py import_sheets`: what it says, where it says it, and how it ends."""

import json
from functools import partial
from pathlib import Path

import pytest

from tests.support.builders import league, players
from tests.support.cast import enter_the_cast
from tests.support.commands import run_command
from tests.support.imports.imports import HEADS, SHEETS, everything, rows, written
from tournaments.models.clubs import Club
from tournaments.models.events import Event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

RIVERSIDE = ("--club", "riverside", "--event", "league")


run = partial(run_command, "import_sheets")


@pytest.fixture
def event() -> Event:
    club = enter_the_cast().riverside
    players(club, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    return league(club)


def test_clean_file_ends_with_0_and_its_counts(event: Event, tmp_path: Path) -> None:
    path = written(tmp_path, rows(1), rows(2, (3, 2, 2, 6)))
    assert run(*RIVERSIDE, path) == (
        0,
        "night.csv: 8 rows, 2 hands. 2 are in the event, 2 of them new.\n",
        "",
    )


def test_file_with_something_waiting_ends_with_1(event: Event, tmp_path: Path) -> None:
    path = written(tmp_path, rows(1), rows(2, (4, 1, 2, 5)))
    assert run(*RIVERSIDE, path) == (
        1,
        "Pending:\n  Lines 6 to 9: Table 1, hand 2: the hearts total 12, expected 13. Perhaps: "
        "one heart missing?\n\nnight.csv: 8 rows, 2 hands. 1 is in the event, 1 of them new. 1 "
        "hand waits for a person.\n",
        "night.csv: 1 problem is pending for a person.\n",
    )


def test_json_report_has_the_members_of_the_contract(event: Event, tmp_path: Path) -> None:
    path = written(tmp_path, rows(1), rows(2, (4, 1, 2, 5)))
    status, out, _ = run(*RIVERSIDE, path, "--json", "--dry-run")
    assert status == 1
    assert json.loads(out) == {
        "file": "night.csv",
        "dry_run": True,
        "rows": 8,
        "hands": 2,
        "accepted": 1,
        "already": 0,
        "problems": [
            {
                "lines": [6, 7, 8, 9],
                "places": [],
                "round": 11,
                "table": 1,
                "hand": 2,
                "code": "missing_cards",
                "class": "reject",
                "found": "12 hearts",
                "expected": "13 hearts",
                "message": "Table 1, hand 2: the hearts total 12, expected 13.",
                "suggestion": "one heart missing",
            }
        ],
    }


REFUSED: list[tuple[str, list[str], str]] = [
    ("unknown club", ["--club", "nowhere", "--event", "league"],
     "There is no club with that name here. (nowhere)"),
    ("unknown event", ["--club", "riverside", "--event", "cup"],
     "There is no event with that name here. (cup)"),
    ("unknown variant", [*RIVERSIDE, "--variant", "bridge"], "There is no variant called bridge."),
    ("no date", [*RIVERSIDE, "--date", "tomorrow"], '"tomorrow" is not a date.'),
    ("bad slug", ["--club", "Not a slug", "--event", "league", "--create"], "cannot be used"),
    ("bad zone", ["--club", "new", "--event", "x", "--create", "--time-zone", "Mars/Base"],
     "Mars/Base is not a time zone."),
]  # fmt: skip


@pytest.mark.parametrize("flags", [[], ["--dry-run"], ["--json"]], ids=["run", "dry", "json"])
@pytest.mark.parametrize(
    ("options", "reason"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_cannot_be_done_ends_with_2_and_writes_nothing(
    event: Event, tmp_path: Path, options: list[str], reason: str, flags: list[str]
) -> None:
    path = written(tmp_path, rows(1))
    before = everything()
    status, out, err = run(*options, *flags, path)
    assert (status, reason in err) == (2, True)
    if "--json" in flags:
        assert json.loads(out)["file"] == "night.csv"
        assert reason in json.loads(out)["error"]
    else:
        assert out == ""
    assert everything() == before


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty."),
        (b"PK\x03\x04", "This file is a damaged zip file, not a spreadsheet."),
        (b"Shopping list\nmilk\n", "This is not a table"),
        (b"round,table,seat,player,points\n1,1,N,Alma,3\n", "No column for Hand number."),
        (HEADS.encode(), "The file has column names but no rows."),
    ],
)
def test_file_that_cannot_be_read_ends_with_2_and_says_what_it_is(
    event: Event, tmp_path: Path, data: bytes, reason: str
) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(data)
    before = everything()
    status, out, err = run(*RIVERSIDE, "--json", path)
    assert status == 2
    assert reason in err
    assert json.loads(out) == {"file": "file.csv", "error": json.loads(out)["error"]}
    assert reason in json.loads(out)["error"]
    assert everything() == before


def test_file_that_is_not_there_ends_with_2(event: Event, tmp_path: Path) -> None:
    assert run(*RIVERSIDE, tmp_path / "none.csv")[0] == 2


@pytest.mark.parametrize("state", ["draft", "closed", "final"])
def test_event_that_takes_no_hands_ends_with_2(event: Event, tmp_path: Path, state: str) -> None:
    Event.objects.update(state=state)
    before = everything()
    status, _, err = run(*RIVERSIDE, written(tmp_path, rows(1)))
    assert status == 2
    assert f"The event is not open: {state}. Hands can be entered while it is open." in err
    assert everything() == before


def test_create_makes_club_event_and_players(tmp_path: Path) -> None:
    path = written(
        tmp_path, rows(1), rows(2, cast={"N": "X1,New", "E": ",Nobody", "S": "X3,C", "W": "X4,D"})
    )
    options = (
        "--club", "new-club", "--event", "tuesday-league", "--create",
        "--time-zone", "Europe/Berlin", path,
    )  # fmt: skip
    would = run(*options, "--dry-run")[1]
    assert "\nWould make the club new-club, the event tuesday-league and 7 players.\n" in would
    status, out, err = run(*options)
    assert "\nMade the club new-club, the event tuesday-league and 7 players.\n" in out
    assert "Made" not in run(*options)[1]
    assert (status, err) == (1, "night.csv: 1 problem is pending for a person.\n")
    club = Club.objects.get()
    made = Event.objects.get()
    assert (club.slug, club.name, club.time_zone) == ("new-club", "New club", "Europe/Berlin")
    assert (made.slug, made.name, made.state, made.visibility, made.variant) == (
        "tuesday-league", "Tuesday league", "open", "public", "hearts",
    )  # fmt: skip
    assert made.settings["length"] == "open"
    assert made.settings["primary"] == "raw_per_hand"
    assert made.settings["mixed_raw"] is True
    assert list(club.players.order_by("player_id").values_list("player_id", "name")) == [
        ("RL01", "Alma D."), ("RL02", "Bruno K."), ("RL03", "Cleo S."), ("RL04", "Dario D."),
        ("X1", "New"), ("X3", "C"), ("X4", "D"),
    ]  # fmt: skip


def test_without_create_no_player_is_ever_made(event: Event, tmp_path: Path) -> None:
    cast = {"N": "RL01,Alma D.", "E": "RL02,Bruno K.", "S": "RL03,Cleo S.", "W": "RL77,Newcomer"}
    status, out, _ = run(*RIVERSIDE, written(tmp_path, rows(1, cast=cast)))
    assert status == 1
    assert 'Line 5: "Newcomer (RL77)" is not a player of the club.' in out
    assert Club.objects.get(slug="riverside").players.count() == 4


def test_dry_run_of_the_messy_night_with_create_needs_no_club() -> None:
    before = everything()
    status, out, _ = run(*RIVERSIDE, "--create", "--dry-run", "--json", SHEETS / "messy.csv")
    assert status == 1
    assert json.loads(out)["rows"] == 144
    assert everything() == before
