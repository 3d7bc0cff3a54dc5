"""Files on their way through the page of imports, or over REST to a worker."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.answers import Answer
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text_of
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch

IMPORTS = "/clubs/riverside/events/league/imports"


def post_file(client: Client, path: Path, **fields: str) -> Answer:
    with path.open("rb") as file:
        return client.post(f"{IMPORTS}/new", {"file": file, **fields})


def send_file(client: Client, path: Path, **fields: str) -> str:
    """Upload a file on its page, and return where its sender is led."""
    answer = post_file(client, path, **fields)
    assert answer.status_code == 302, text_of(answer)
    return str(answer["Location"])


def import_on_page(client: Client, path: Path, **fields: str) -> str:
    """Upload a file on its page and confirm it; return the address of its import."""
    address = send_file(client, path, **fields)
    client.post(f"{address}/confirm")
    return address


def send_to_worker(client: Client, path: Path, monkeypatch: pytest.MonkeyPatch) -> ImportBatch:
    """Send a file over REST that a worker imports later."""
    with monkeypatch.context() as patch:
        patch.setattr("api.v1.imports.import_upload.AT_ONCE", 0)
        file = SimpleUploadedFile(path.name, path.read_bytes())
        assert client.post(f"/api/v1{IMPORTS}", {"file": file}).status_code == 202
    return ImportBatch.objects.latest("pk")


def read_by_default(client: Client, path: Path, **fields: str) -> str:
    """Upload a file and press what its pages propose; return the address of its import."""
    address = send_file(client, path, **fields)
    if not address.endswith("/columns"):
        return address
    form = as_shown(client.get(address).context["form"])
    answer = client.post(address, form)
    assert answer.status_code == 302, text_of(answer)
    return str(answer["Location"])


def stored_points() -> list[tuple[str, list[object]]]:
    """Return the table and the points of each accepted hand, as typed."""
    hands = Hand.objects.filter(state="accepted").select_related("entry", "game__table")
    return [
        (hand.game.table.code, hand.entry.typed["points"])
        for hand in hands.order_by("game__table__code", "number")
        if hand.entry is not None
    ]
