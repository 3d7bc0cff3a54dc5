"""`POST E/imports`: the report of the command, and a key that is answered once."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from tests.support.answers import Answer, Json
from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.imports.imports import imported
from tests.support.imports.other_programs import BY_HAND, HANDS_PLAN, as_csv, hand_rows
from tests.support.rest.requests import SignIn, codes, refusal
from tests.support.rest.sheets import CSV
from tournaments.documents.read.column_plan import plan_from
from tournaments.models.audit import Reply
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.services.audit import idempotency
from tournaments.services.imports.column_mappings import save_mapping
from tournaments.services.imports.uploads import LARGEST

pytestmark = pytest.mark.both_databases
AT = "/api/v1/clubs/riverside/events/league/imports"
SHORT = CSV.replace("Alma D.,4", "Alma D.,3")


@pytest.fixture(autouse=True)
def event(cast: Cast) -> Event:
    players(cast.riverside, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    return league(cast.riverside)


def send(
    client: Client, text: str | bytes = CSV, *, key: str = "", name: str = "e.csv", **more: str
) -> Answer:
    content = text if isinstance(text, bytes) else text.encode()
    headers: Mapping[str, str] = {"Idempotency-Key": key} if key else {}
    return client.post(AT, {"file": SimpleUploadedFile(name, content), **more}, headers=headers)


def test_report_is_the_one_of_the_command(hanna: Client, tmp_path: Path) -> None:
    file = tmp_path / "e.csv"
    file.write_text(CSV + SHORT.replace(",1,1,hearts,1,", ",1,1,hearts,2,").partition("\r\n")[2])
    by_command = imported(file, dry_run=True, now=timezone.now()).as_json()
    response = send(hanna, file.read_bytes(), dry_run="true")
    assert (response.status_code, response.json()) == (200, by_command)
    assert [problem["code"] for problem in response.json()["problems"]] == ["missing_cards"]
    assert not Hand.objects.exists()


@pytest.mark.parametrize("more", [{"text": SHORT}, {"dry_run": "1"}, {"name": "f.csv"}])
def test_same_key_for_another_request_is_refused(hanna: Client, more: dict[str, str]) -> None:
    send(hanna, key="evening-1")
    assert refusal(send(hanna, **{"key": "evening-1", **more})) == (422, ["idempotency_key_reused"])


def test_same_key_of_another_caller_is_another_key(hanna: Client, signed_in: SignIn) -> None:
    send(hanna, key="evening-1")
    assert send(signed_in("dirk"), SHORT, key="evening-1").status_code == 200


def test_key_is_free_again_after_a_day_and_after_a_refusal(hanna: Client) -> None:
    assert send(hanna, "nothing", key="evening-1").status_code == 422
    assert not Reply.objects.exists()
    send(hanna, key="evening-1")
    Reply.objects.update(started_at=timezone.now() - idempotency.REPLIES_KEPT)
    assert "Idempotent-Replayed" not in send(hanna, SHORT, key="evening-1").headers


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        ({}, 422, "file_needed"),
        ({"file": "text"}, 422, "file_needed"),
        ({"file": b"x", "dry_run": "maybe"}, 422, "bad_flag"),
        ({"file": b"x", "colour": "red"}, 422, "unknown_member"),
        ({"file": b"no sheets"}, 422, "unreadable_file"),
        ({"file": b"\x00\xff"}, 422, "unreadable_file"),
        ({"file": b"x" * (LARGEST + 1)}, 413, "too_large"),
    ],
)
def test_what_is_no_sheet_is_refused(hanna: Client, data: Json, status: int, code: str) -> None:
    if isinstance(data.get("file"), bytes):
        data = {**data, "file": SimpleUploadedFile("e.csv", data["file"])}
    response = hanna.post(AT, data)
    assert (response.status_code, codes(response)) == (status, [code])
    assert not ImportBatch.objects.exists()


def test_what_is_no_form_is_refused(hanna: Client) -> None:
    response = hanna.post(AT, b"--", content_type="multipart/form-data; boundary=")
    assert (response.status_code, codes(response)) == (400, ["bad_form"])
    response = hanna.post(AT, CSV, content_type="text/csv")
    assert (response.status_code, codes(response)) == (415, ["unsupported_media_type"])


def foreign(folder: Path) -> bytes:
    return as_csv(folder / "night.csv", BY_HAND, hand_rows()).read_bytes()


def test_foreign_file_is_refused_and_its_heads_are_named(hanna: Client, tmp_path: Path) -> None:
    response = send(hanna, foreign(tmp_path))
    assert (response.status_code, codes(response)) == (422, ["unknown_heads"])
    [error] = response.json()["errors"]
    assert error["pointer"] == "/file"
    assert error["facts"]["found"].startswith("Wann, Spiel, Alma D., Bruno K.")
    names = ["Alma D.", "Bruno K.", "Cleo S.", "Dario D."]
    assert error["facts"]["heads"] == ["Wann", "Spiel", *names, "Dame bei", "Wie"]
    assert not ImportBatch.objects.exists()


def test_foreign_file_is_read_by_the_mapping_that_the_club_keeps(
    hanna: Client, cast: Cast, tmp_path: Path
) -> None:
    op = cast.operation("hanna", timezone.now())
    save_mapping(op, cast.riverside, name="Tuesdays", plan=plan_from(HANDS_PLAN))
    response = send(hanna, foreign(tmp_path))
    assert response.status_code == 200
    assert (response.json()["accepted"], response.json()["mapping"]) == (3, "Tuesdays")
    assert Hand.objects.count() == 3


class TestTotals:
    """Totals of whole games, as the page takes them."""

    GAMES = (
        "date,round,table,player 1,score 1,player 2,score 2,player 3,score 3,player 4,score 4,hands"
        "\r\n2025-11-03,1,1,Alma D.,40,Bruno K.,60,Cleo S.,70,Dario D.,90,8\r\n"
    )
    BAD = GAMES + "2025-11-04,2,1,Alma D.,4O,Bruno K.,60,Cleopatra,70,Dario D.,90,8\r\n"

    def test_good_games_go_in_and_each_bad_row_is_named(self, hanna: Client) -> None:
        tried = send(hanna, self.BAD, holds="totals", dry_run="true").json()
        assert not Hand.objects.exists()
        answer = send(hanna, self.BAD, holds="totals", key="night")
        assert answer.status_code == 200
        report = answer.json()
        assert {**tried, "dry_run": False} == report
        assert (report["rows"], report["hands"], report["accepted"]) == (2, 2, 1)
        found = [
            (problem["code"], problem["lines"], problem["round"]) for problem in report["problems"]
        ]
        assert found == [("bad_points", [3], 2), ("unknown_player", [3], 2)]
        stored = Hand.objects.select_related("entry").get()
        assert stored.entry is not None
        assert (stored.number, stored.hands) == (0, 8)
        assert stored.entry.typed == {"points": [40, 60, 70, 90]}
        again = send(hanna, self.BAD, holds="totals", key="night")
        assert (again["Idempotent-Replayed"], again.json()) == ("true", report)
        assert send(hanna, self.BAD, holds="totals").json()["already"] == 1
        assert ImportBatch.objects.count() == 1

    def test_conflict_says_how_many_hands_both_stand_for(self, hanna: Client) -> None:
        send(hanna, self.GAMES, holds="totals")
        send(hanna, self.GAMES.replace(",8\r", ",9\r"), holds="totals")
        problem = ImportProblem.objects.get(code="hand_exists")
        body = hanna.get(f"{AT}/2/problems/{problem.position}").json()
        assert (body["stored"]["hands"], body["own"]["hands"]) == (8, 9)

    @pytest.mark.parametrize(
        ("said", "expected"),
        [
            ({"holds": "games"}, ["bad_parameter"]),
            ({"holds": "totals", "round": "1"}, ["unknown_member"]),
            ({"holds": "totals", "text": "a,b\r\n1,2\r\n"}, ["unknown_heads"]),
        ],
    )
    def test_what_cannot_be_read_is_a_problem_by_name(
        self, hanna: Client, said: dict[str, str], expected: list[str]
    ) -> None:
        answer = send(hanna, **{"text": self.GAMES, **said})
        assert (answer.status_code, codes(answer)) == (422, expected)
        assert not ImportBatch.objects.exists()
