"""The rows of a problem are corrected over REST, and the file is read again with them."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Answer, Json, post_json, send_json
from tests.support.cast import NOW
from tests.support.rest.before_acts import NIGHT
from tests.support.rest.requests import SignIn, codes, errors
from tournaments.models.clubs import Player
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.services.imports.process_upload import process_upload
from tournaments.services.imports.uploads import store_upload

UNKNOWN = NIGHT.replace(b"RL04", b"Ida N.")
Correct = Callable[..., Answer]


@pytest.fixture
def hanna(signed_in: SignIn) -> Client:
    return signed_in("hanna")


@pytest.fixture
def at(evening: Evening) -> str:
    """An imported file in which nobody knows a player."""
    batch = store_upload(
        actor=evening.cast.actor("hanna"), event=evening.event, name="night.csv",
        content=UNKNOWN, is_confirmed=True, now=NOW,
    )  # fmt: skip
    process_upload(batch.pk, now=NOW)
    return f"{evening.at}/imports/{batch.number}"


def problem(code: str = "unknown_player") -> int:
    return int(ImportProblem.objects.filter(code=code, state="open")[0].position)


def worked() -> None:
    process_upload(ImportBatch.objects.get().pk, now=NOW)


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
    worked()
    assert entered() == 1
    assert not ImportProblem.objects.filter(code="unknown_player", state="open").exists()


def test_guest_is_added_by_the_name(at: str, hanna: Client) -> None:
    assert correct(hanna, at, {"new_name": "Ida N."}).status_code == 202
    worked()
    assert entered() == 1
    assert Player.objects.filter(name="Ida N.").count() == 1


def test_player_with_a_number_is_added_by_directors_only(
    at: str, hanna: Client, signed_in: SignIn
) -> None:
    body = {"new_name": "Ida N.", "new_player_id": "RL50"}
    assert correct(hanna, at, body).status_code == 403
    assert correct(signed_in("dirk"), at, body).status_code == 202
    worked()
    assert (entered(), Player.objects.get(name="Ida N.").player_id) == (1, "RL50")


def test_rows_are_written_anew(at: str, hanna: Client) -> None:
    (row,) = hanna.get(f"{at}/problems/{problem()}").json()["rows"]
    row["cells"][5] = "RL04"
    assert correct(hanna, at, {"rows": [row]}).status_code == 202
    worked()
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


def test_offer_that_is_not_there_and_problem_that_is_resolved_are_conflicts(
    at: str, hanna: Client
) -> None:
    answer = correct(hanna, at, {"offer": 7})
    assert (answer.status_code, codes(answer)) == (409, ["import_moved_on"])
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


@pytest.mark.parametrize(("who", "status"), [("", 401), ("piet", 404), ("nora", 404)])
def test_others_correct_nothing(at: str, signed_in: SignIn, who: str, status: int) -> None:
    client = signed_in(who) if who else Client()
    assert correct(client, at, {"player_id": "RL04"}).status_code == status
    assert ImportBatch.objects.get().state == "done"
