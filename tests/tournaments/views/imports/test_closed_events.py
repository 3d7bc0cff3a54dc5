"""Imports of an event that takes no hands: no button that would be refused, and why, said once."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.support.builders import league
from tests.support.cast import Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import CAST, imported, rows, written
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch
from tournaments.models.outbox import Deadline
from tournaments.tasks import run_deadline_job

pytestmark = pytest.mark.django_db
IMPORTS = "/clubs/riverside/events/league/imports"
IMPORT = f"{IMPORTS}/1"
MISSPELT = {**CAST, "N": ",Alma X."}
STATES = pytest.mark.parametrize("state", ["draft", "closed", "final"])


cast_once, cast = cast_with(*FOUR)


@pytest.fixture(autouse=True)
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"correction_window_h": 1})


@STATES
def test_undo_is_not_offered_and_the_page_says_why_once(
    cast: Cast, tmp_path: Path, state: str
) -> None:
    imported(written(tmp_path, rows(1), rows(2, cast=MISSPELT)))
    hanna = cast.client("hanna")
    assert "Undo import" in text_of(hanna.get(IMPORT))
    assert "Resolve" in text_of(hanna.get(IMPORT))
    Event.objects.update(state=state)
    why = f"The event is {state}. An import is undone while its event is open"
    for page in (
        hanna.get(IMPORT),
        hanna.get(f"{IMPORT}/undo", follow=True),
        hanna.post(f"{IMPORT}/undo", follow=True),
    ):
        assert text_of(page).count(why) == 1
        assert "Undo import" not in text_of(page)
        assert "Resolve" not in text_of(page)
    assert ImportBatch.objects.get().state == "done"


@STATES
def test_file_is_not_asked_for_and_the_page_says_why_once(
    cast: Cast, tmp_path: Path, state: str
) -> None:
    Event.objects.update(state=state)
    hanna = cast.client("hanna")
    why = f"The event is {state}. Hands can be entered while it is open."
    asked = hanna.get(f"{IMPORTS}/new")
    file = SimpleUploadedFile("night.csv", written(tmp_path, rows(1)).read_bytes())
    sent = hanna.post(f"{IMPORTS}/new", {"file": file})
    assert (asked.status_code, sent.status_code) == (200, 422)
    for page in (asked, sent, hanna.get(IMPORTS)):
        assert text_of(page).count(why) == 1
        assert "File" not in text_of(page)
        content = page.content.decode().partition('id="main"')[2].partition("</main>")[0]
        assert f"{IMPORTS}/new" not in content
    assert not ImportBatch.objects.exists()


def test_file_that_waits_can_be_thrown_away_only(cast: Cast, tmp_path: Path) -> None:
    hanna = cast.client("hanna")
    file = SimpleUploadedFile("night.csv", written(tmp_path, rows(1)).read_bytes())
    hanna.post(f"{IMPORTS}/new", {"file": file})
    offered = ("Import 1 hand", "Change the mapping")
    assert all(one in text_of(hanna.get(IMPORT)) for one in offered)
    Event.objects.update(state="closed")
    page = text_of(hanna.get(IMPORT))
    assert not any(one in page for one in offered)
    assert page.count("The event is closed. Hands can be entered while it is open.") == 1
    hanna.post(f"{IMPORT}/discard")
    assert not ImportBatch.objects.exists()


def test_undo_of_final_tables_is_offered_to_a_director_only(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1)))
    deadline = Deadline.objects.get(event=event, kind="finalise_round")
    assert run_deadline_job(deadline.pk, now=deadline.due_at + timedelta(minutes=1))
    host, director = cast.client("hanna"), cast.client("dirk")
    page = text_of(host.get(f"{IMPORT}/undo", follow=True))
    assert "Tables of this import are final. A director can undo it." in page
    assert "Undo import" not in page
    assert "Undo import" in text_of(director.get(IMPORT))
    assert Hand.objects.get().state == "accepted"
