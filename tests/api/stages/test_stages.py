"""Stages over REST: read, cuts made, undone and answered, and who may."""

import pytest

from tests.api.conftest import Evening
from tests.support.answers import post_json
from tests.support.rest.requests import SignIn, codes
from tournaments.models.events import Stage


def test_cut_is_made_and_read(over: Evening, signed_in: SignIn) -> None:
    made = post_json(signed_in("dirk"), f"{over.at}/stages", {"cut": 2, "name": "Final"})
    assert (made.status_code, made["Location"]) == (201, f"{over.at}/stages")
    stage = made.json()
    assert (stage["number"], stage["name"], stage["cut"]) == (2, "Final", 2)
    assert len(stage["went_on"]) == 2
    assert stage["made_at"].endswith("Z")
    rows = over.cast.client().get(f"{over.at}/stages").json()["results"]
    assert rows[1] == stage
    assert (rows[0]["number"], rows[0]["cut"], rows[0]["went_on"]) == (1, None, [])


def test_key_makes_one_cut(over: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    first = post_json(dirk, f"{over.at}/stages", {"cut": "2"}, Idempotency_Key="one")
    again = post_json(dirk, f"{over.at}/stages", {"cut": "2"}, Idempotency_Key="one")
    assert (first.status_code, again.status_code, again.content) == (201, 201, first.content)
    assert Stage.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"cut": 1}, 422, "bad_cut"),
        ({}, 422, "bad_cut"),
        ({"cut": 99}, 422, "cut_too_large"),
        ({"cut": 2, "size": 4}, 422, "unknown_member"),
        ({"cut": True}, 422, "bad_text"),
    ],
)
def test_refused_cut_says_why(
    over: Evening, signed_in: SignIn, body: object, status: int, code: str
) -> None:
    answer = post_json(signed_in("dirk"), f"{over.at}/stages", body)
    assert (answer.status_code, codes(answer)) == (status, [code])
    assert Stage.objects.count() == 1


def test_open_round_is_a_conflict(evening: Evening, signed_in: SignIn) -> None:
    answer = post_json(signed_in("dirk"), f"{evening.at}/stages", {"cut": 2})
    assert (answer.status_code, codes(answer)) == (409, ["cut_round_open"])


def test_question_is_answered_and_cut_is_undone(over: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    post_json(dirk, f"{over.at}/stages", {"cut": 2})
    nothing = post_json(dirk, f"{over.at}/stages/2/answer", {"answer": "keep", "reason": "So."})
    assert (nothing.status_code, codes(nothing)) == (409, ["nothing_asked"])
    stage = Stage.objects.get(number=2)
    stage.asked = {"facts": {"above": 2, "tie": False, "come": "RL04", "go": "RL01"}, "would": []}
    stage.save()
    assert (
        over.cast.client().get(f"{over.at}/stages").json()["results"][1]["asked"]["come"] == "RL04"
    )
    kept = post_json(dirk, f"{over.at}/stages/2/answer", {"answer": "keep", "reason": "So."})
    assert (kept.status_code, kept.json()["asked"]) == (200, None)
    gone = post_json(dirk, f"{over.at}/stages/2/undo", {"reason": "Too early."})
    assert (gone.status_code, gone.json()["number"]) == (200, 2)
    assert len(over.cast.client().get(f"{over.at}/stages").json()["results"]) == 1
    again = post_json(dirk, f"{over.at}/stages/2/undo", {"reason": "Too early."})
    assert (again.status_code, codes(again)) == (404, ["unknown_stage"])


@pytest.mark.parametrize(("who", "status"), [("", 401), ("piet", 403), ("hanna", 403)])
def test_only_directors_write(over: Evening, signed_in: SignIn, who: str, status: int) -> None:
    client = signed_in(who)
    for address, body in (
        ("stages", {"cut": 2}),
        ("stages/2/undo", {"reason": "So."}),
        ("stages/2/answer", {"answer": "keep", "reason": "So."}),
    ):
        assert post_json(client, f"{over.at}/{address}", body).status_code == status
    assert Stage.objects.count() == 1
