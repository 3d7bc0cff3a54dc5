"""An import over REST: rows corrected, columns assigned, confirmed, undone and begun again."""

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Answer, Json, post_json, send_json
from tests.support.cast import NOW
from tests.support.rest.before_calls import FOREIGN, NIGHT
from tests.support.rest.call import documented
from tests.support.rest.requests import SignIn, codes, errors, refusal
from tournaments.models.clubs import Player
from tournaments.models.hands import Hand
from tournaments.models.imports import ColumnMap, ImportBatch, ImportProblem
from tournaments.services.imports.process_upload import process_upload
from tournaments.services.imports.uploads import store_upload

UNKNOWN = NIGHT.replace(b"RL04", b"Ida N.")
MAPPINGS = "/api/v1/clubs/riverside/mappings"
ASSIGNED = documented("map_import_columns").body
COLUMNS = list(ASSIGNED["columns"])


@pytest.fixture
def at(evening: Evening) -> str:
    """An imported file in which nobody knows a player."""
    return sent(evening, UNKNOWN, is_confirmed=True)


def problem(code: str = "unknown_player") -> int:
    return int(ImportProblem.objects.filter(code=code, state="open")[0].position)


def correct(client: Client, at: str, body: object, code: str = "unknown_player") -> Answer:
    return post_json(client, f"{at}/problems/{problem(code)}/correct", body)


def entered() -> int:
    return Hand.objects.filter(game__table__round__number=2).count()


def test_player_who_sat_there_is_named_and_the_hand_is_imported(at: str, hanna: Client) -> None:
    shown: Json = hanna.get(f"{at}/problems/{problem()}").json()
    assert shown["asks_who"] is True
    assert shown["columns"][:4] == ["date", "round", "table", "hand"]
    assert [row["line"] for row in shown["rows"]] == shown["lines"]
    assert entered() == 0
    answer = correct(hanna, at, {"player_id": "RL04"})
    assert (answer.status_code, answer["Location"]) == (202, at)
    assert (answer.json()["state"], answer.json()["finished"]) == ("running", False)
    process_newest()
    assert entered() == 1
    assert not ImportProblem.objects.filter(code="unknown_player", state="open").exists()


def test_guest_is_added_by_the_name(at: str, hanna: Client) -> None:
    assert correct(hanna, at, {"new_name": "Ida N."}).status_code == 202
    process_newest()
    assert entered() == 1
    assert Player.objects.filter(name="Ida N.").count() == 1


def test_player_with_a_number_is_for_directors(at: str, hanna: Client, signed_in: SignIn) -> None:
    body = {"new_name": "Ida N.", "new_player_id": "RL50"}
    assert correct(hanna, at, body).status_code == 403
    assert correct(signed_in("dirk"), at, body).status_code == 202
    process_newest()
    assert (entered(), Player.objects.get(name="Ida N.").player_id) == (1, "RL50")


def test_rows_are_written_anew(at: str, hanna: Client) -> None:
    (row,) = hanna.get(f"{at}/problems/{problem()}").json()["rows"]
    row["cells"][5] = "RL04"
    assert correct(hanna, at, {"rows": [row]}).status_code == 202
    process_newest()
    assert entered() == 1


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, ("bad_parameter", "")),
        ({"player_id": "RL04", "new_name": "Ida N."}, ("bad_parameter", "")),
        ({"player_id": "RL77"}, ("nobody_of_that_name", "/player_id")),
        ({"offer": -1}, ("bad_setting", "/offer")),
        ({"rows": []}, ("bad_setting", "/rows")),
        ({"rows": [1]}, ("bad_setting", "/rows/0")),
        ({"rows": [{"line": 99, "cells": ["x"]}]}, ("bad_setting", "/rows/0/line")),
        ({"rows": [{"line": 5, "cells": ["x"]}]}, ("bad_setting", "/rows/0/cells")),
        ({"rows": [{"line": 5, "cells": [1]}]}, ("bad_text", "/rows/0/cells/0")),
    ],
    ids=str,
)
def test_what_is_no_correction_is_refused_and_nothing_is_read_again(
    at: str, hanna: Client, body: Json, found: tuple[str, str]
) -> None:
    answer = correct(hanna, at, body)
    assert (answer.status_code, errors(answer)) == (422, [found])
    assert ImportBatch.objects.get().state == "done"


def test_missing_offer_and_resolved_problem_are_conflicts(at: str, hanna: Client) -> None:
    assert refusal(correct(hanna, at, {"offer": 7})) == (409, ["import_moved_on"])
    address = f"{at}/problems/{problem()}"
    body = {"state": "dismissed", "reason": "Nobody knows."}
    assert send_json(hanna, "PATCH", address, body, If_Match="*").status_code == 200
    late = post_json(hanna, f"{address}/correct", {"player_id": "RL04"})
    assert (late.status_code, late.json()["errors"][0]["code"]) == (412, "problem_outdated")
    assert entered() == 0


def test_problem_about_no_player_takes_none(at: str, hanna: Client) -> None:
    code = ImportProblem.objects.exclude(code="unknown_player").filter(state="open")[0].code
    answer = correct(hanna, at, {"player_id": "RL04"}, code)
    assert (answer.status_code, errors(answer)) == (422, [("bad_parameter", "/player_id")])


def sent(evening: Evening, content: bytes = FOREIGN, *, is_confirmed: bool = False) -> str:
    """Have a worker look at a file; return the address of its import."""
    batch = store_upload(
        evening.cast.operation("hanna"),
        evening.event,
        name="evening.csv",
        content=content,
        is_confirmed=is_confirmed,
    )
    process_upload(batch.pk, now=NOW)
    return f"{evening.at}/imports/{batch.number}"


def process_newest() -> None:
    process_upload(ImportBatch.objects.latest("number").pk, now=NOW)


def state(client: Client, at: str) -> str:
    found: str = client.get(at).json()["state"]
    return found


def assign(client: Client, at: str, **more: object) -> Answer:
    return post_json(client, f"{at}/columns", {**ASSIGNED, **more})


def test_columns_are_proposed_and_assigned_for_an_import(evening: Evening, hanna: Client) -> None:
    at = sent(evening)
    assert state(hanna, at) == "mapping"
    proposed: Json = hanna.get(f"{at}/columns").json()
    assert [column["label"] for column in proposed["columns"]] == [
        column["label"] for column in COLUMNS
    ]
    assert proposed["columns"][2]["sample"][0] == "Elsa D."
    assert {"ignore", "date", "player", "hearts", "queen_spades"} <= set(proposed["meanings"])
    assert hanna.get(f"{at}/columns?rows=hands").json()["rows"] == "hands"
    answer = assign(hanna, at)
    assert (answer.status_code, answer["Location"]) == (202, at)
    assert (answer.json()["state"], answer.json()["finished"]) == ("reading", False)
    process_newest()
    checked = hanna.get(at).json()
    assert (checked["state"], checked["accepted"], checked["waiting"]) == ("preview", 1, 0)
    body = hanna.get(f"{at}/columns").json()
    assert {column["label"]: column["means"] for column in body["columns"]} == {
        column["label"]: column["means"] for column in COLUMNS
    }
    assert post_json(hanna, f"{at}/confirm", {}).status_code == 202
    process_newest()
    assert Hand.objects.filter(game__table__round__number=2).count() == 1


def test_mapping_is_stored_used_for_another_and_deleted(evening: Evening, hanna: Client) -> None:
    at = sent(evening)
    early = post_json(hanna, f"{at}/mapping", {"name": "Tuesdays"})
    assert (early.status_code, codes(early)) == (409, ["columns_not_assigned"])
    assign(hanna, at)
    process_newest()
    stored = post_json(hanna, f"{at}/mapping", {"name": "Tuesdays"})
    assert (stored.status_code, stored.json()["number"]) == (201, 1)
    assert stored.json()["columns"]["Pik-Dame"] == "queen_spades"
    assert hanna.get(MAPPINGS).json()["results"] == [stored.json()]
    assert "Herzen: hearts" in hanna.get(f"{MAPPINGS}.csv").content.decode()
    post_json(hanna, f"{at}/discard", {})
    again = sent(evening)
    assert hanna.get(f"{again}/columns").json()["mapping"] == "Tuesdays"
    gone = hanna.delete(f"{MAPPINGS}/1")
    assert (gone.status_code, gone.json()) == (200, {"number": 1})
    assert hanna.delete(f"{MAPPINGS}/1").status_code == 404
    assert not ColumnMap.objects.exists()


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"rows": "rows"}, [("bad_parameter", "/rows")]),
        ({"columns": []}, [("bad_setting", "/columns")]),
        ({"columns": ["Datum"]}, [("bad_setting", "/columns/0")]),
        ({"columns": [*COLUMNS[:4], {"label": "Pik-Dame", "means": "bells"}]},
         [("bad_mapping", "/columns/4/means")]),
        ({"columns": [*COLUMNS, {"label": "Jahr", "means": "date"}]}, [("column_gone", "")]),
        ({"columns": COLUMNS[:3]}, [("column_needed", "")]),
        ({"round": ""}, [("value_needed", "/round")]),
        ({"round": 0}, [("bad_setting", "/round")]),
        ({"date": "yesterday"}, [("bad_day", "/date")]),
        ({"more": 1}, [("unknown_member", "/more")]),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_wrong_with_an_assignment_is_pointed_at(
    evening: Evening, hanna: Client, changed: Json, found: list[tuple[str, str]]
) -> None:
    at = sent(evening)
    answer = assign(hanna, at, **changed)
    assert answer.status_code == 422
    assert set(found) <= set(errors(answer)), errors(answer)
    assert state(hanna, at) == "mapping"


def test_player_of_a_column_is_of_the_club(evening: Evening, hanna: Client) -> None:
    heads = b"Datum;Spiel;Elsa D.;Xenia S.;Ruth K.;Omi;Dame bei\r\n"
    at = sent(evening, heads + b"2025-11-13;1;4;1;2;6;Omi\r\n")
    columns = [
        {"label": "Datum", "means": "date"},
        {"label": "Spiel", "means": "hand"},
        *({"label": one, "means": "player"} for one in ("Elsa D.", "Xenia S.", "Ruth K.")),
        {"label": "Omi", "means": "player", "player_id": "RL99"},
        {"label": "Dame bei", "means": "queen_spades"},
    ]
    body = {"rows": "hands", "columns": columns, "cells": "hearts", "round": 2, "table": 1}
    wrong = post_json(hanna, f"{at}/columns", body)
    assert errors(wrong) == [("nobody_of_that_name", "/columns/5/player_id")]
    columns[5]["player_id"] = "RL04"
    assert post_json(hanna, f"{at}/columns", body).status_code == 202
    process_newest()
    assert hanna.get(at).json()["accepted"] == 1, hanna.get(f"{at}/problems").json()


def test_import_that_asks_for_no_columns_has_none(evening: Evening, hanna: Client) -> None:
    at = sent(evening)
    assert hanna.get(f"{at}/columns?rows=odd").status_code == 400
    assign(hanna, at)
    assert hanna.get(f"{at}/columns").status_code == 409
    assert refusal(assign(hanna, at)) == (409, ["import_moved_on"])
    assert hanna.get(f"{evening.at}/imports/9/columns").status_code == 404


@pytest.fixture
def checked(evening: Evening) -> ImportBatch:
    sent(evening, NIGHT)
    return ImportBatch.objects.get()


def worked(batch: ImportBatch) -> ImportBatch:
    process_upload(batch.pk, now=NOW)
    batch.refresh_from_db()
    return batch


def move(client: Client, evening: Evening, operation: str, number: int = 1) -> Json:
    answer = post_json(client, f"{evening.at}/imports/{number}/{operation}", {})
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
    for operation in ("confirm", "discard"):
        refused = post_json(hanna, f"{evening.at}/imports/1/{operation}", {})
        assert (refused.status_code, codes(refused)) == (409, ["import_moved_on"])


def test_checked_file_is_discarded(evening: Evening, checked: ImportBatch, hanna: Client) -> None:
    gone = post_json(hanna, f"{evening.at}/imports/1/discard", {})
    assert (gone.status_code, gone.json()) == (200, {"number": 1})
    assert not ImportBatch.objects.exists()
    assert post_json(hanna, f"{evening.at}/imports/1/confirm", {}).status_code == 404


def test_waiting_import_begins_again(evening: Evening, checked: ImportBatch, hanna: Client) -> None:
    move(hanna, evening, "confirm")
    assert move(hanna, evening, "again")["state"] == "running"
