"""Imports and what waits in them: for hosts and directors, in the order of the file."""

import re
from pathlib import Path

import pytest

from tests.support.imports.imports import imported as import_file
from tests.support.imports.imports import rows, written
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.imports import ImportBatch, ImportProblem

SEATED = {"N": "RL01,Elsa D.", "E": "RL02,Zoë K.", "S": "RL04,Anton S.", "W": "RL05,Marit S."}
LIST, FIRST = f"{ADDRESS}/imports", f"{ADDRESS}/imports/1"


@pytest.fixture
def imported(evenings: Evenings) -> Evenings:
    """A file of 8 hands, of which 6 went in, one waits and one was settled."""
    batch = ImportBatch.objects.create(
        club=evenings.cast.riverside,
        event=evenings.event,
        number=1,
        file_name="<b>round 3</b>.csv",
        file_digest="0" * 64,
        state="done",
        rows=32,
        hands=8,
        accepted=6,
        added=5,
        made_as="Hanna",
        started_at=evenings.event.created_at,
    )
    for position, (code, state) in enumerate(
        (("missing_cards", "settled"), ("unknown_player", "open"))
    ):
        ImportProblem.objects.create(
            club=evenings.cast.riverside,
            event=evenings.event,
            batch=batch,
            position=position,
            code=code,
            severity="ask",
            lines=[10, 11, 12, 13, 20],
            message=f"This is {code}.",
            found="12 hearts",
            expected="13 hearts",
            state=state,
        )
    return evenings


def test_import_shows_what_waits_first_with_lines_found_and_expected(imported: Evenings) -> None:
    page = imported.client("hanna").get(FIRST).content.decode()
    assert "1 problem pending" in page
    assert page.index("This is unknown_player.") < page.index("This is missing_cards.")
    assert "Lines 10–13, 20 of the file" in page
    assert "12 hearts" in page
    assert "&lt;b&gt;round 3&lt;/b&gt;.csv" in page


def test_list_of_imports_counts_what_waits(imported: Evenings) -> None:
    page = imported.client("dirk").get(LIST).content.decode()
    assert '<td class="num p1">5</td><td class="num key">1</td>' in page
    assert f'href="{LIST}"' in imported.client("dirk").get(ADDRESS).content.decode()


@pytest.mark.parametrize(
    ("state", "said", "added"),
    [
        ("preview", "round 3</b>.csv Not imported yet", "–"),
        ("mapping", "round 3</b>.csv Not imported yet", "–"),
        ("running", "round 3</b>.csv Incomplete", "5"),
        ("done", "round 3</b>.csv", "5"),
        ("undoing", "round 3</b>.csv Being undone", "–"),
        ("undone", "round 3</b>.csv Undone", "–"),
    ],
)
def test_list_of_imports_tells_what_is_in_from_what_was_only_looked_at(
    imported: Evenings, state: str, said: str, added: str
) -> None:
    ImportBatch.objects.update(state=state)
    text = text_of(imported.client("hanna").get(LIST))
    who_and_when = r"Hanna, \d+ \w+ \d{4}, \d\d:\d\d"
    assert re.search(rf"1 <b>{re.escape(said)} {who_and_when} 8 {added} 1\b", text)


def test_unknown_import_is_missing_for_a_host_too(imported: Evenings) -> None:
    page = imported.client("hanna").get(f"{LIST}/7")
    assert page.status_code == 404
    assert "No such import" in page.content.decode()


def test_event_without_imports_says_how_a_file_comes_in(evenings: Evenings) -> None:
    assert "Import a file or pasted rows" in evenings.client("hanna").get(LIST).content.decode()


def test_sheet_says_from_which_file_its_hands_came(evenings: Evenings, tmp_path: Path) -> None:
    """A command has no name that means anything to a reader; whoever sends a file on a page has."""
    night = written(tmp_path, rows(1, cast=SEATED), rows(2, cast=SEATED), name="night.csv")
    evening = written(tmp_path, rows(3, cast=SEATED), name="evening.csv")
    import_file(night)
    sheet = text_of(evenings.client().get(f"{ADDRESS}/tables/r11t1"))
    assert "2 hands. Imported from night.csv." in sheet
    assert "from night.csv, " in sheet
    assert "import_sheets" not in sheet
    import_file(evening, actor=evenings.cast.actor("hanna"))
    sheet = text_of(evenings.client().get(f"{ADDRESS}/tables/r11t1"))
    assert "3 hands. Entered by a host. Imported from night.csv, evening.csv." in sheet
    hand = text_of(evenings.client().get(f"{ADDRESS}/tables/r11t1/hands/3"))
    assert "a host, from evening.csv, " in hand
