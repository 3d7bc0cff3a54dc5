"""What the pages say about imports: units, plurals, ways on, and no link to what is not shown."""

from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league
from tests.support.cast import NOW, Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import imported, rows, written
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db
EVENT = "/clubs/riverside/events/league"
IMPORT = f"{EVENT}/imports/1"


cast_once, cast = cast_with(*FOUR)


@pytest.fixture(autouse=True)
def event(cast: Cast) -> Event:
    return league(cast.riverside)


def test_change_log_names_the_import_that_was_undone(cast: Cast, tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1)))
    cast.client("hanna").post(f"{IMPORT}/undo")
    assert "Import 1 undone" in text_of(Client().get(f"{EVENT}/changes"))


def test_import_says_how_many_lines_were_left_out(cast: Cast, tmp_path: Path) -> None:
    total = "2025-11-13,11,1,,Total,,,,13,,,,"
    imported(written(tmp_path, rows(1), [total, total]))
    assert "Skipped lines 2" in text_of(cast.client("hanna").get(IMPORT))


def test_import_leads_on_to_its_rounds_and_the_standings(cast: Cast, tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1), rows(1, round_=12)))
    hanna = cast.client("hanna")
    page = hanna.get(IMPORT)
    assert "Round 11 Round 12 Standings" in text_of(page)
    for way in (f"{EVENT}/rounds/11", f"{EVENT}/rounds/12", EVENT):
        assert f'href="{way}"' in page.content.decode().partition("<main")[2]
        assert hanna.get(way).status_code == 200
    hanna.post(f"{IMPORT}/undo")
    assert "Round 11 Round 12" not in text_of(hanna.get(IMPORT))


def test_what_changed_links_an_import_for_those_who_may_see_it_only(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    publish(event.pk, now=NOW)
    imported(written(tmp_path, rows(1)))
    publish(event.pk, now=NOW)
    at = f"{EVENT}/publications/1/difference/2"
    for who, is_linked in (("", False), ("piet", False), ("hanna", True)):
        page = cast.client(who).get(at)
        assert "Import 1 : 1 hand" in text_of(page).replace("Import 1:", "Import 1 :")
        assert (f'href="{IMPORT}"' in page.content.decode()) == is_linked
    assert Client().get(IMPORT).status_code == 404


def test_missing_hand_of_a_sheet_with_one_hand_is_said_in_the_singular(tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1)))
    page = Client().get(f"{EVENT}/tables/r11t1/hands/40").content.decode()
    assert "Its sheet has 1 hand." in page
