"""A program finishes a file with foreign headings: it waits, its columns are assigned, it goes in.

A mapping is stored without a file, and what is not stored is refused with the reason.
"""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Answer, Json, post_json
from tests.support.cast import NOW
from tests.support.rest.before_calls import FOREIGN, NIGHT
from tests.support.rest.call import documented
from tests.support.rest.requests import SignIn, codes, errors, refusal
from tournaments.models.hands import Hand
from tournaments.models.imports import BatchState, ColumnMap, ImportBatch, Upload
from tournaments.services.imports.process_upload import process_upload

pytestmark = pytest.mark.both_databases

MAPPINGS = "/api/v1/clubs/riverside/mappings"
ASSIGNED = documented("map_import_columns").body
COLUMNS = list(ASSIGNED["columns"])
NEW = {"name": "Tuesdays", "rows": "seats", "columns": COLUMNS}


def send(
    client: Client, evening: Evening, content: bytes = FOREIGN, *, key: str = "", **more: str
) -> Answer:
    headers = {"Idempotency-Key": key} if key else {}
    file = SimpleUploadedFile("evening.csv", content)
    return client.post(f"{evening.at}/imports", {"file": file, **more}, headers=headers)


def work() -> None:
    process_upload(ImportBatch.objects.latest("number").pk, now=NOW)


def waiting(client: Client, evening: Evening) -> str:
    """Send a file with foreign headings, and return the address of its import."""
    answer = send(client, evening, background="true")
    assert answer.status_code == 202
    work()
    return str(answer["Location"])


def hands_of_round_2() -> int:
    return Hand.objects.filter(game__table__round__number=2).count()


def test_foreign_file_waits_in_the_background_and_is_finished_by_a_program(
    evening: Evening, hanna: Client
) -> None:
    answer = send(hanna, evening, background="true")
    at = f"{evening.at}/imports/1"
    assert (answer.status_code, answer["Location"]) == (202, at)
    assert (answer.json()["state"], answer.json()["finished"]) == ("running", False)
    work()
    found: Json = hanna.get(at).json()
    assert (found["state"], found["finished"], found["error"]) == ("mapping", True, None)
    labels = [column["label"] for column in hanna.get(f"{at}/columns").json()["columns"]]
    assert labels == [column["label"] for column in COLUMNS]
    assert post_json(hanna, f"{at}/columns", ASSIGNED).status_code == 202
    work()
    assert hanna.get(at).json()["state"] == "preview"
    assert post_json(hanna, f"{at}/confirm", {}).status_code == 202
    work()
    assert hanna.get(at).json()["state"] == "done"
    assert hands_of_round_2() == 1


@pytest.mark.parametrize("more", [{}, {"background": "false"}, {"dry_run": "true"}])
def test_foreign_file_is_refused_without_background_and_nothing_is_stored(
    evening: Evening, hanna: Client, more: dict[str, str]
) -> None:
    content = FOREIGN.replace(b"Pik-Dame", b"Wer nahm sie?", 1)
    answer = send(hanna, evening, content, **more)
    assert (answer.status_code, codes(answer)) == (422, ["unknown_heads"])
    facts: dict[str, Any] = answer.json()["errors"][0]["facts"]
    assert facts["heads"] == ["Wer nahm sie?"]
    assert facts["found"] == "Wer nahm sie?"
    assert not ImportBatch.objects.exists()


def test_known_file_is_imported_in_the_background_and_its_key_is_answered_once(
    evening: Evening, hanna: Client
) -> None:
    answer = send(hanna, evening, NIGHT, key="night", background="true")
    assert (answer.status_code, answer.json()["state"]) == (202, "running")
    assert hands_of_round_2() == 0
    again = send(hanna, evening, NIGHT, key="night", background="true")
    assert (again["Idempotent-Replayed"], again.json()) == ("true", answer.json())
    assert ImportBatch.objects.count() == 1
    work()
    assert hanna.get(f"{evening.at}/imports/1").json()["state"] == "done"
    assert hands_of_round_2() == 1


def test_dry_run_in_the_background_ends_as_a_preview(evening: Evening, hanna: Client) -> None:
    assert send(hanna, evening, NIGHT, background="true", dry_run="true").status_code == 202
    work()
    found = hanna.get(f"{evening.at}/imports/1").json()
    assert (found["state"], found["accepted"]) == ("preview", 1)
    assert hands_of_round_2() == 0


def test_dry_run_of_a_file_as_it_looks_is_read_where_there_is_one_way(
    evening: Evening, hanna: Client
) -> None:
    answer = send(hanna, evening, background="true", dry_run="true", holds="auto")
    work()
    at = str(answer["Location"])
    assert (hanna.get(at).json()["state"], hanna.get(at).json()["accepted"]) == ("preview", 1)
    columns = hanna.get(f"{at}/columns").json()["columns"]
    assert [column["means"] for column in columns] == [column["means"] for column in COLUMNS]
    assert hands_of_round_2() == 0


def test_file_as_it_looks_is_not_imported_before_somebody_saw_its_columns(
    evening: Evening, hanna: Client
) -> None:
    answer = send(hanna, evening, background="true", holds="auto")
    work()
    assert hanna.get(str(answer["Location"])).json()["state"] == "mapping"
    assert hands_of_round_2() == 0


def test_background_is_yes_or_no(evening: Evening, hanna: Client) -> None:
    assert refusal(send(hanna, evening, background="maybe")) == (422, ["bad_flag"])
    assert not ImportBatch.objects.exists()


class TestMappings:
    """`POST C/mappings`: the columns of files that are yet to come."""

    def test_file_is_read_by_a_mapping_that_was_stored_before_it_came(
        self, evening: Evening, hanna: Client
    ) -> None:
        answer = post_json(hanna, MAPPINGS, NEW)
        assert (answer.status_code, answer["Location"]) == (201, f"{MAPPINGS}/1")
        mapping: Json = answer.json()
        assert hanna.get(f"{MAPPINGS}/1").json() == mapping
        assert hanna.get(f"{MAPPINGS}/2").status_code == 404
        assert (mapping["number"], mapping["name"], mapping["rows"]) == (1, "Tuesdays", "seats")
        assert mapping["columns"]["Pik-Dame"] == "queen_spades"
        assert hanna.get(MAPPINGS).json()["results"] == [mapping]
        report = send(hanna, evening, round="2").json()
        assert (report["mapping"], report["accepted"]) == ("Tuesdays", 1)
        assert hands_of_round_2() == 1

    def test_all_of_a_mapping_is_shown(self, evening: Evening, hanna: Client) -> None:
        columns = [
            {"label": "Datum", "means": "date"},
            {"label": "Omi", "means": "player", "player_id": "RL02"},
            {"label": "Alma D.", "means": "player"},
        ]
        body = {
            **{"name": "Rows of hands", "rows": "hands", "columns": columns},
            **{"cells": "hearts", "by_dates": True, "table": 1},
        }
        mapping = post_json(hanna, MAPPINGS, body).json()
        assert (mapping["cells"], mapping["by_dates"], mapping["table"]) == ("hearts", True, "1")
        assert mapping["players"] == {"Omi": "RL02"}
        lines = hanna.get(f"{MAPPINGS}.csv").content.decode()
        assert "Omi: RL02" in lines
        assert "Alma D.: player; Datum: date; Omi: player" in lines

    def test_mapping_with_the_same_columns_is_replaced(
        self, evening: Evening, hanna: Client
    ) -> None:
        post_json(hanna, MAPPINGS, NEW)
        again = post_json(hanna, MAPPINGS, {**NEW, "name": "Wednesdays", "table": 3})
        assert (again.status_code, again.json()["number"]) == (201, 1)
        mapping = ColumnMap.objects.get()
        assert (mapping.name, mapping.plan["given"]) == ("Wednesdays", {"table": "3"})

    @pytest.mark.parametrize(
        ("changed", "found"),
        [
            ({"name": " "}, [("no_name", "/name")]),
            ({"name": "x" * 121}, [("name_too_long", "/name")]),
            ({"rows": "rows"}, [("bad_parameter", "/rows")]),
            ({"columns": []}, [("bad_setting", "/columns")]),
            ({"columns": COLUMNS[:3]}, [("column_needed", "")]),
            ({"columns": [*COLUMNS[:4], {"label": "Pik-Dame", "means": "bells"}]},
             [("bad_mapping", "/columns/4/means")]),
            ({"columns": [*COLUMNS, {"label": "pik-dame", "means": "ignore"}]},
             [("bad_mapping", "/columns/5/label")]),
            ({"columns": [*COLUMNS, {"label": " ", "means": "ignore"}]},
             [("bad_mapping", "/columns/5/label")]),
            ({"columns": [*COLUMNS, {"label": "Jahr", "means": "date"}]},
             [("two_columns", "/columns/5/means")]),
            ({"table": 0}, [("bad_setting", "/table")]),
            ({"by_dates": True, "columns": COLUMNS[1:]}, [("column_needed", "/round")]),
            ({"round": 2}, [("unknown_member", "/round")]),
            ({"rows": "hands", "columns": [
                {"label": "Omi", "means": "player", "player_id": "RL99"},
                {"label": "Alma D.", "means": "player"},
            ]}, [("nobody_of_that_name", "/columns/0/player_id")]),
        ],
        ids=str,
    )  # fmt: skip
    def test_what_is_wrong_with_a_mapping_is_pointed_at(
        self, evening: Evening, hanna: Client, changed: Json, found: list[tuple[str, str]]
    ) -> None:
        answer = post_json(hanna, MAPPINGS, {**NEW, **changed})
        assert (answer.status_code, errors(answer)) == (422, found)
        assert not ColumnMap.objects.exists()

    def test_name_of_another_mapping_is_refused(self, evening: Evening, hanna: Client) -> None:
        post_json(hanna, MAPPINGS, NEW)
        other = [*COLUMNS, {"label": "Jahr", "means": "ignore"}]
        answer = post_json(hanna, MAPPINGS, {**NEW, "name": "TUESDAYS", "columns": other})
        assert errors(answer) == [("mapping_name_taken", "/name")]
        assert ColumnMap.objects.count() == 1

    def test_mapping_is_stored_by_those_who_may_import(
        self, evening: Evening, signed_in: SignIn
    ) -> None:
        assert post_json(signed_in("piet"), MAPPINGS, NEW).status_code == 403
        assert not ColumnMap.objects.exists()


class TestReasons:
    """`POST E/imports/{n}/mapping` says why it stores nothing."""

    def store(self, client: Client, at: str) -> tuple[int, list[str]]:
        return refusal(post_json(client, f"{at}/mapping", {"name": "Tuesdays"}))

    def test_file_that_is_not_read_yet(self, evening: Evening, hanna: Client) -> None:
        at = send(hanna, evening, background="true")["Location"]
        assert self.store(hanna, at) == (409, ["import_being_read"])

    def test_columns_that_nobody_assigned(self, evening: Evening, hanna: Client) -> None:
        assert self.store(hanna, waiting(hanna, evening)) == (409, ["columns_not_assigned"])

    def test_columns_that_are_stored_already(self, evening: Evening, hanna: Client) -> None:
        at = waiting(hanna, evening)
        post_json(hanna, f"{at}/columns", ASSIGNED)
        work()
        stored = post_json(hanna, f"{at}/mapping", {"name": "Tuesdays"})
        assert stored.status_code == 201
        again = post_json(hanna, f"{at}/mapping", {"name": "Wednesdays"})
        assert (again.status_code, codes(again)) == (409, ["mapping_stored"])
        assert again.json()["errors"][0]["facts"] == {"number": 1, "found": "Tuesdays"}
        assert ColumnMap.objects.get().name == "Tuesdays"

    def test_file_with_our_own_heads(self, evening: Evening, hanna: Client) -> None:
        at = send(hanna, evening, NIGHT, background="true")["Location"]
        work()
        assert self.store(hanna, at) == (409, ["mapping_not_needed"])

    def test_columns_by_which_no_hand_is_right(self, evening: Evening, hanna: Client) -> None:
        at = waiting(hanna, evening)
        post_json(hanna, f"{at}/columns", ASSIGNED)
        work()
        ImportBatch.objects.update(accepted=0)
        assert self.store(hanna, at) == (409, ["mapping_reads_nothing"])
        ImportBatch.objects.update(accepted=1)
        assert post_json(hanna, f"{at}/mapping", {"name": "Tuesdays"}).status_code == 201

    def test_import_that_was_undone(self, evening: Evening, hanna: Client) -> None:
        at = waiting(hanna, evening)
        ImportBatch.objects.update(state=BatchState.UNDONE)
        assert self.store(hanna, at) == (409, ["import_moved_on"])

    def test_import_without_a_file(self, evening: Evening, hanna: Client) -> None:
        at = waiting(hanna, evening)
        Upload.objects.all().delete()
        assert self.store(hanna, at) == (409, ["import_without_file"])
