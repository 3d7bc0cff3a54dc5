"""The scorer over REST says what the command line says, and keeps nothing."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest
import time_machine
from django.test import Client
from pytest_django import Settings

from api.v1.rules import variants
from api.v1.rules.variants import _WAITS, _WORKS, MOST_SCORED_BYTES
from tests.support.answers import Answer
from tests.support.live.project import wait_until
from tests.support.rest.expensive_cases import worst
from tests.support.rest.requests import codes, refusal
from tests.support.scoring.hostile_entries import HOSTILE
from tests.support.scoring.worked_cases import ALL, assert_as_worked
from tournaments.domain.replay_game import HINTS_OF_A_REQUEST
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Entry

pytestmark = pytest.mark.django_db

IN_A_MINUTE = datetime(2025, 11, 20, 19, 0, 5, tzinfo=UTC)
"""Where time stands while requests are counted, however busy the machine is."""

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


def ask(client: Client, said: object, content_type: str = "application/json") -> Answer:
    text = said if isinstance(said, str | bytes) else json.dumps(said)
    return client.post("/api/v1/score", data=text, content_type=content_type)


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
    for cases in (ALL[::2], ALL[1::2]):
        response = ask(client, cases)
        assert response.status_code == 200
        for case, said in zip(cases, response.json(), strict=True):
            assert_as_worked(case, said)


def test_single_case_and_lines_are_read_too(client: Client) -> None:
    assert [each["id"] for each in ask(client, MOON).json()] == ["moon"]
    response = ask(client, f"{json.dumps(MOON)}\n\n{json.dumps(SHORT)}\n", "application/x-ndjson")
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
        ('"' + "x" * MOST_SCORED_BYTES + '"', 413, "too_large"),
    ],
    ids=["empty", "half", "not-utf8", "deep", "nan", "endless", "digits", "large"],
)
def test_no_json_is_refused(client: Client, text: str | bytes, status: int, code: str) -> None:
    response = ask(client, text)
    assert (response.status_code, codes(response)) == (status, [code])


def test_other_content_is_refused(client: Client) -> None:
    response = client.post("/api/v1/score", {"variant": "hearts"})
    assert (response.status_code, codes(response)) == (415, ["unsupported_media_type"])


def test_absurd_cases_are_refused_and_not_answered_by_a_flood(client: Client) -> None:
    for number, case in enumerate(HOSTILE):
        text = json.dumps([case])
        response = ask(client, text)
        if len(text) > MOST_SCORED_BYTES:
            assert (response.status_code, codes(response)) == (413, ["too_large"]), number
        else:
            (said,) = response.json() if response.status_code == 200 else [{}]
            assert response.status_code == 400 or said["errors"], number
        assert len(response.content) < 20_000, number


def test_nothing_is_stored(client: Client) -> None:
    ask(client, [MOON])
    assert (Entry.objects.count(), AuditLine.objects.count()) == (0, 0)


@time_machine.travel(IN_A_MINUTE, tick=False)
def test_caller_who_asks_too_often_is_told_when_to_come_back(client: Client) -> None:
    answers = [ask(client, []) for _ in range(61)]
    assert {answer.status_code for answer in answers[:60]} == {200}
    last = answers[60]
    assert (last.status_code, codes(last)) == (429, ["too_many_requests"])
    assert 0 < int(last.headers["Retry-After"]) <= 60


def test_cases_that_take_long_to_look_through_are_refused(client: Client) -> None:
    response = ask(client, worst(1))
    assert (response.status_code, codes(response)) == (422, ["too_much_work"])
    assert response.json()["errors"][0]["message"] == (
        "Checking this takes too long. Send fewer hands at once, "
        "or enter what each seat took instead of points only."
    )


def test_only_the_first_refused_hands_are_told_their_causes(client: Client) -> None:
    bad = SHORT | {"hands": [{"entry": {"points": [4, 1, 2, 18]}}]}
    body = ask(client, [bad] * 12).json()
    told = [bool(one["errors"][0]["suggestions"]) for one in body]
    assert told == [True] * HINTS_OF_A_REQUEST + [False] * (12 - HINTS_OF_A_REQUEST)
    assert {one["errors"][0]["code"] for one in body} == {"wrong_total"}


def test_address_that_had_much_work_done_waits_for_the_next_minute(client: Client) -> None:
    with time_machine.travel(IN_A_MINUTE, tick=False) as clock:
        statuses = [ask(client, worst(number)).status_code for number in range(5)]
        late = ask(client, [MOON])
        assert statuses == [422] * 5
        assert (late.status_code, codes(late)) == (429, ["too_many_requests"])
        assert late["Retry-After"] == "55"
        elsewhere = client.post(
            "/api/v1/score", json.dumps([MOON]), "application/json", REMOTE_ADDR="192.0.2.7"
        )
        assert elsewhere.status_code == 200
        clock.shift(60)
        assert ask(client, [MOON]).status_code == 200


def test_port_that_a_proxy_writes_buys_no_more_requests(client: Client, settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 1
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "NUM_PROXIES": 1}
    with time_machine.travel(IN_A_MINUTE, tick=False):
        callers = [f"192.0.2.7:{4000 + number}" for number in range(61)]
        statuses = [
            client.post(
                "/api/v1/score", "[]", "application/json", HTTP_X_FORWARDED_FOR=each
            ).status_code
            for each in callers
        ]
    assert statuses == [200] * 60 + [429]


def test_no_number_of_things_that_are_no_cases_is_free(client: Client) -> None:
    assert refusal(ask(client, f"[{','.join(['null'] * 50_000)}]")) == (422, ["too_much_work"])


@time_machine.travel(IN_A_MINUTE, tick=False)
def test_made_up_header_and_the_rest_of_the_network_count_as_the_caller(client: Client) -> None:
    statuses = [
        client.post(
            "/api/v1/score",
            "[]",
            "application/json",
            REMOTE_ADDR=f"2001:db8::{number:x}",
            headers={"X-Forwarded-For": f"192.0.2.{number}"},
        ).status_code
        for number in range(61)
    ]
    assert statuses == [200] * 60 + [429]


def test_request_waits_a_moment_for_the_one_that_is_worked_on(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variants, "WAIT_S", 60.0)

    def end_the_other() -> None:
        try:
            wait_until(_WAITS.locked, what="one that waits")
        finally:
            _WORKS.release()

    _WORKS.acquire()
    other = Thread(target=end_the_other)
    other.start()
    assert ask(client, [MOON]).status_code == 200
    other.join()


def test_only_one_waits_for_one_worked_on(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "WAIT_S", 3600.0)
    with _WORKS, _WAITS:
        refused = ask(client, [MOON])
    assert (refused.status_code, codes(refused)) == (429, ["too_many_requests"])
    assert ask(client, [MOON]).status_code == 200


def test_one_request_at_a_time_is_worked_on(client: Client) -> None:
    with _WORKS:
        refused = ask(client, [MOON])
    assert (refused.status_code, codes(refused)) == (429, ["too_many_requests"])
    assert refused["Retry-After"] == "1"
    assert ask(client, [MOON]).status_code == 200
