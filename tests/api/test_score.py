"""The scorer over REST says what the command line says, and keeps nothing."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from api.v1.score import MOST_BYTES
from tests.api.test_problems import codes
from tests.scoring.test_bad_input import HOSTILE
from tests.scoring.worked import ALL, assert_as_worked
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Entry

pytestmark = pytest.mark.django_db

MOON = {
    "id": "moon",
    "variant": "hearts",
    "seats": 4,
    "hands": [
        {"entry": {"hearts": [0, 13, 0, 0], "taken": [[], ["QS"], [], []], "slam_choice": "self"}}
    ],
}
SHORT = {
    "id": "short",
    "variant": "hearts",
    "seats": 4,
    "hands": [{"entry": {"hearts": [3, 1, 2, 6], "taken": [[], [], [], ["QS"]]}}],
}


def ask(client: Client, said: Any, content_type: str = "application/json") -> Any:
    """Send what is to be scored."""
    text = said if isinstance(said, str | bytes) else json.dumps(said)
    return client.post("/api/v1/score", data=text, content_type=content_type)


def test_refused_case_carries_its_errors_and_stops_no_other(client: Client) -> None:
    response = ask(client, [SHORT, MOON])
    assert response.status_code == 200
    short, moon = response.json()
    assert [error["code"] for error in short["errors"]] == ["missing_cards"]
    assert moon["hands"][0]["hand_scores"] == [0, -26, 0, 0]
    assert moon["totals"] == [0, -26, 0, 0]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (None, "A case is an object with a variant, seats and hands. This is null."),
        (
            {"variant": "hearts", "seats": 4, "hands": [{"hearts": [4, 1, 2, 6]}]},
            "A hand is an object with what each seat took. "
            "It stands under entry; an object has none.",
        ),
    ],
    ids=["null", "no entry"],
)
def test_what_is_no_case_is_told_what_one_is(client: Client, case: Any, message: str) -> None:
    assert [error["message"] for error in ask(client, [case]).json()[0]["errors"]] == [message]


def test_answer_is_the_one_of_the_command_line(client: Client, project_root: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "scoring", "score"],
        input=json.dumps([SHORT, MOON]),
        capture_output=True,
        text=True,
        cwd=project_root,
        check=False,
    )
    assert said.returncode == 2
    assert ask(client, [SHORT, MOON]).json() == json.loads(said.stdout)


def test_every_worked_case_is_answered_as_worked(client: Client) -> None:
    response = ask(client, ALL)
    assert response.status_code == 200
    for case, said in zip(ALL, response.json(), strict=True):
        assert_as_worked(case, said)


def test_single_case_and_lines_are_read_too(client: Client) -> None:
    assert [each["id"] for each in ask(client, MOON).json()] == ["moon"]
    lines = f"{json.dumps(MOON)}\n\n{json.dumps(SHORT)}\n"
    response = ask(client, lines, "application/x-ndjson")
    assert response.headers["Content-Type"] == "application/x-ndjson"
    answers = [json.loads(line) for line in response.content.decode().splitlines()]
    assert [each["id"] for each in answers] == ["moon", "short"]


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("", 400, "bad_json"),
        ("{", 400, "bad_json"),
        (b"\xff\xfe", 400, "bad_json"),
        ("[" * 100_000, 400, "bad_json"),
        ('{"id": NaN}', 400, "bad_json"),
        ('{"id": 1e309}', 400, "bad_json"),
        ('{"id": ' + "9" * 5000 + "}", 400, "bad_json"),
        ('"' + "x" * MOST_BYTES + '"', 413, "too_large"),
    ],
    ids=["empty", "half", "not-utf8", "deep", "nan", "endless", "digits", "large"],
)
def test_what_is_no_json_is_refused(
    client: Client, text: str | bytes, status: int, code: str
) -> None:
    response = ask(client, text)
    assert (response.status_code, codes(response)) == (status, [code])


def test_other_content_is_refused(client: Client) -> None:
    response = client.post("/api/v1/score", {"variant": "hearts"})
    assert (response.status_code, codes(response)) == (415, ["unsupported_media_type"])


@pytest.mark.parametrize("case", [None, 7, "x", [], {}, {"variant": "hearts", "seats": 4.0}])
def test_anything_may_stand_where_a_case_should(client: Client, case: Any) -> None:
    (answer,) = ask(client, [case]).json()
    assert answer["errors"][0]["code"] in {"bad_case", "unknown_variant", "seat_count"}


def test_absurd_cases_are_refused_and_not_answered_by_a_flood(client: Client) -> None:
    for number, case in enumerate(HOSTILE):
        text = json.dumps([case])
        response = ask(client, text)
        if len(text) > MOST_BYTES:
            assert (response.status_code, codes(response)) == (413, ["too_large"]), number
        else:
            (said,) = response.json() if response.status_code == 200 else [{}]
            assert response.status_code == 400 or said["errors"], number
        assert len(response.content) < 20_000, number


def test_nothing_is_stored(client: Client) -> None:
    ask(client, [MOON])
    assert (Entry.objects.count(), AuditLine.objects.count()) == (0, 0)


def test_caller_who_asks_too_often_is_told_when_to_come_back(client: Client) -> None:
    answers = [ask(client, []) for _ in range(61)]
    assert {answer.status_code for answer in answers[:60]} == {200}
    last = answers[60]
    assert (last.status_code, codes(last)) == (429, ["too_many_requests"])
    assert 0 < int(last.headers["Retry-After"]) <= 60
