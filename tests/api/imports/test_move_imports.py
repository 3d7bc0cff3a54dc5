"""An import is confirmed, discarded, undone and begun again over REST; a worker goes on with it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Json, post_json
from tests.support.cast import NOW
from tests.support.rest.before_acts import NIGHT
from tests.support.rest.requests import SignIn, codes
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch
from tournaments.services.imports.process_upload import process_upload
from tournaments.services.imports.uploads import store_upload


@pytest.fixture
def hanna(signed_in: SignIn) -> Client:
    return signed_in("hanna")


@pytest.fixture
def checked(evening: Evening) -> ImportBatch:
    """A file that a worker has checked."""
    batch = store_upload(
        actor=evening.cast.actor("hanna"), event=evening.event, name="e.csv",
        content=NIGHT, now=NOW,
    )  # fmt: skip
    return worked(batch)


def worked(batch: ImportBatch) -> ImportBatch:
    """The worker goes on with an import."""
    process_upload(batch.pk, now=NOW)
    batch.refresh_from_db()
    return batch


def move(client: Client, evening: Evening, act: str, number: int = 1) -> Json:
    answer = post_json(client, f"{evening.at}/imports/{number}/{act}", {})
    assert answer.status_code == 202, answer.content
    assert answer["Location"] == f"{evening.at}/imports/{number}"
    body: Json = answer.json()
    return body


def test_checked_file_is_imported_and_undone(
    evening: Evening, checked: ImportBatch, hanna: Client
) -> None:
    before = Hand.objects.count()
    confirmed = move(hanna, evening, "confirm")
    assert (confirmed["state"], confirmed["finished"]) == ("running", False)
    assert worked(checked).state == "done"
    assert Hand.objects.count() > before
    assert move(hanna, evening, "undo")["state"] == "undoing"
    assert worked(checked).state == "undone"
    assert Hand.objects.count() == before


def test_import_moves_once(evening: Evening, checked: ImportBatch, hanna: Client) -> None:
    undone = post_json(hanna, f"{evening.at}/imports/1/undo", {})
    assert (undone.status_code, codes(undone)) == (409, ["import_moved_on"])
    move(hanna, evening, "confirm")
    for act in ("confirm", "discard"):
        refused = post_json(hanna, f"{evening.at}/imports/1/{act}", {})
        assert (refused.status_code, codes(refused)) == (409, ["import_moved_on"])


def test_checked_file_is_discarded(evening: Evening, checked: ImportBatch, hanna: Client) -> None:
    gone = post_json(hanna, f"{evening.at}/imports/1/discard", {})
    assert (gone.status_code, gone.json()) == (200, {"number": 1})
    assert not ImportBatch.objects.exists()
    assert post_json(hanna, f"{evening.at}/imports/1/confirm", {}).status_code == 404


def test_import_of_a_request_is_undone(evening: Evening, hanna: Client) -> None:
    file = SimpleUploadedFile("e.csv", NIGHT)
    assert hanna.post(f"{evening.at}/imports", {"file": file}).status_code == 200
    assert move(hanna, evening, "undo")["state"] == "undoing"


def test_import_that_waits_is_begun_again(
    evening: Evening, checked: ImportBatch, hanna: Client
) -> None:
    move(hanna, evening, "confirm")
    assert move(hanna, evening, "again")["state"] == "running"
