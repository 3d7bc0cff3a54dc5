"""How the numbers of a file are written, over REST: shown, asked for and said."""

from collections.abc import Sequence

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Answer, Json, post_json
from tests.support.cast import NOW
from tests.support.rest.requests import errors, refusal
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch
from tournaments.services.imports.process_upload import process_upload
from tournaments.services.imports.uploads import store_upload

NAMES = ("Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
AS_WRITTEN = ((13, 5, 8, 0), (0, 13, 13, 0), (2, 3, 6, 15))
MINUS = ((-13, -5, -8, 0), (0, -13, -13, 0), (-2, -3, -6, -15))
EMPTY: Sequence[Sequence[object]] = ((13, 5, 8, ""), ("", 13, 13, ""), (2, 3, 6, 15))


def table(head: str, rows: Sequence[Sequence[object]]) -> bytes:
    lines = [";".join((head, *NAMES))]
    lines += [f"{n};{';'.join(map(str, row))}" for n, row in enumerate(rows, start=1)]
    return "\n".join(lines).encode()


def sent(evening: Evening, content: bytes) -> str:
    batch = store_upload(
        evening.cast.operation("hanna"), evening.event, name="evening.csv", content=content
    )
    process_upload(batch.pk, now=NOW)
    return f"{evening.at}/imports/{batch.number}"


def assign(client: Client, at: str, head: str, means: str, **more: object) -> Answer:
    columns = [{"label": head, "means": means}]
    columns += [{"label": name, "means": "player"} for name in NAMES]
    body = {"rows": "hands", "columns": columns, "round": 2, "table": 1, "date": "2025-11-13"}
    return post_json(client, f"{at}/columns", {**body, **more})


def imported(client: Client, at: str) -> list[object]:
    process_upload(ImportBatch.objects.latest("number").pk, now=NOW)
    post_json(client, f"{at}/confirm", {})
    process_upload(ImportBatch.objects.latest("number").pk, now=NOW)
    hands = Hand.objects.filter(game__table__round__number=2, state="accepted")
    return [hand.entry.typed["points"] for hand in hands.order_by("number") if hand.entry]


def test_readings_are_listed_with_their_first_hands(evening: Evening, hanna: Client) -> None:
    at = sent(evening, table("Runde", AS_WRITTEN))
    found: Json = hanna.get(f"{at}/columns").json()
    assert found["reading"] is None
    assert [one["reading"] for one in found["readings"]] == ["round_is_hand", "as_written"]
    first, second = (one["hands"] for one in found["readings"])
    assert [(hand["round"], hand["hand"]) for hand in first] == [("1", "1"), ("1", "2"), ("1", "3")]
    assert [(hand["round"], hand["hand"]) for hand in second] == [
        ("1", "1"),
        ("2", "1"),
        ("3", "1"),
    ]
    assert first[0]["players"] == list(NAMES)
    assert first[0]["points"] == ["13", "5", "8", "0"]


@pytest.mark.parametrize(
    ("rows", "key"), [(AS_WRITTEN, "as_written"), (MINUS, "minus"), (EMPTY, "empty_is_zero")]
)
def test_only_reading_is_proposed(
    evening: Evening, hanna: Client, rows: Sequence[Sequence[object]], key: str
) -> None:
    found: Json = hanna.get(f"{sent(evening, table('Spiel', rows))}/columns").json()
    assert (found["reading"], found["readings"]) == (key, [])


@pytest.mark.parametrize("rows", [MINUS, EMPTY])
def test_columns_that_make_no_hands_are_refused_until_the_reading_is_said(
    evening: Evening, hanna: Client, rows: Sequence[Sequence[object]]
) -> None:
    at = sent(evening, table("Spiel", rows))
    answer = assign(hanna, at, "Spiel", "hand")
    assert errors(answer) == [("reading_needed", "/reading")]
    key = answer.json()["errors"][0]["facts"]["expected"]
    assert key in ("minus", "empty_is_zero")
    assert assign(hanna, at, "Spiel", "hand", reading=key).status_code == 202
    assert imported(hanna, at) == [list(row) for row in AS_WRITTEN]


def test_one_of_several_readings_must_be_said(evening: Evening, hanna: Client) -> None:
    at = sent(evening, table("Runde", AS_WRITTEN))
    assert errors(assign(hanna, at, "Runde", "round")) == [("reading_needed", "/reading")]
    assert assign(hanna, at, "Runde", "round", reading="round_is_hand").status_code == 202
    assert imported(hanna, at) == [list(row) for row in AS_WRITTEN]


def test_column_that_is_said_to_be_the_hand_needs_no_reading(
    evening: Evening, hanna: Client
) -> None:
    at = sent(evening, table("Runde", AS_WRITTEN))
    assert assign(hanna, at, "Runde", "hand").status_code == 202


@pytest.mark.parametrize("key", ["sideways", "minus running", ""])
def test_reading_is_one_of_the_keys(evening: Evening, hanna: Client, key: str) -> None:
    at = sent(evening, table("Spiel", MINUS))
    assert assign(hanna, at, "Spiel", "hand", reading=key).status_code == 422


def test_stored_mapping_that_makes_no_hands_of_a_file_asks_and_a_reading_is_sent_with_it(
    evening: Evening, hanna: Client
) -> None:
    at = sent(evening, table("Spiel", AS_WRITTEN))
    assign(hanna, at, "Spiel", "hand")
    imported(hanna, at)
    post_json(hanna, f"{at}/mapping", {"name": "Tuesdays"})

    def post(**fields: str) -> Answer:
        file = SimpleUploadedFile("next.csv", table("Spiel", MINUS))
        given = {"round": "3", "table": "1", "dry_run": "1"}
        return hanna.post(f"{evening.at}/imports", {"file": file, **given, **fields})

    assert refusal(post()) == (422, ["reading_needed"])
    assert refusal(post(reading="sideways")) == (422, ["bad_parameter"])
    report = post(reading="minus")
    codes = [problem["code"] for problem in report.json()["problems"]]
    assert (report.status_code, "sheet_elsewhere" in codes) == (200, True), "the same three hands"
    assert post(reading="as_written").json()["accepted"] == 0


def test_file_with_our_own_columns_has_no_reading(evening: Evening, hanna: Client) -> None:
    content = b"round,table,hand,seat,player,points\n2,1,1,1,Elsa D.,13\n"
    file = SimpleUploadedFile("own.csv", content)
    answer = hanna.post(f"{evening.at}/imports", {"file": file, "reading": "minus"})
    assert refusal(answer) == (422, ["unreadable_file"])
