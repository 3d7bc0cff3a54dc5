"""Tokens that an account creates over REST: shown once, no wider than its role, revoked at once."""

import json
from uuid import uuid4

import pytest
from django.core import serializers
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Answer
from tests.support.rest.requests import codes, errors, token
from tournaments.models.access import Token
from tournaments.models.audit import Reply

TOKENS = "/api/v1/tokens"


def post(client: Client, body: object, **headers: str) -> Answer:
    return client.post(TOKENS, json.dumps(body), "application/json", headers=headers)


def read(path: str, plain: str) -> Answer:
    return Client().get(path, headers={"authorization": f"Bearer {plain}"})


def test_created_token_works_is_listed_and_is_gone_when_revoked(evening: Evening) -> None:
    hanna = evening.cast.client("hanna")
    body = {"name": "Wall display", "scope": "enter", "club": "riverside", "days": 30}
    answer = post(hanna, body)
    assert answer.status_code == 201
    made = answer.json()
    assert read("/api/v1/clubs/riverside", made["token"]).status_code == 200
    listed = hanna.get(TOKENS).json()["results"]
    assert [(one["name"], one["scope"], one["club"]) for one in listed] == [
        ("Wall display", "enter", "riverside")
    ]
    assert listed[0]["used_at"] is not None
    assert "token" not in listed[0]
    assert hanna.delete(f"{TOKENS}/{made['id']}").status_code == 200
    assert hanna.get(TOKENS).json()["results"] == []
    assert read("/api/v1/clubs/riverside", made["token"]).status_code == 401


def test_database_has_the_plain_token_nowhere_and_the_same_key_shows_it_again(
    evening: Evening,
) -> None:
    olga, body = evening.cast.client("olga"), {"name": "Site", "scope": "read"}
    key = {"idempotency-key": "once"}
    first, again = post(olga, body, **key), post(olga, body, **key)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json() == first.json()
    plain = first.json()["token"]
    rows = serializers.serialize("json", [*Token.objects.all(), *Reply.objects.all()])
    stored = b"".join(bytes(row.body) for row in Reply.objects.all())
    assert plain not in rows
    assert plain.encode() not in stored


def test_token_is_no_wider_than_the_role(evening: Evening) -> None:
    piet = evening.cast.client("piet")
    assert errors(post(piet, {"name": "x", "scope": "manage"})) == [("scope_too_wide", "/scope")]
    assert post(piet, {"name": "x", "scope": "enter"}).status_code == 201
    nora = evening.cast.client("nora")
    assert errors(post(nora, {"name": "x", "scope": "read", "club": "riverside"})) == [
        ("no_own_role", "/club")
    ]


def test_everything_wrong_is_said_at_once(evening: Evening) -> None:
    answer = post(evening.cast.client("olga"), {"name": "", "scope": "all", "days": 1000})
    assert errors(answer) == [
        ("no_name", "/name"),
        ("bad_token_scope", "/scope"),
        ("bad_token_time", "/days"),
    ]


@pytest.mark.parametrize("days", [0, -1, 367, 10**9, 10**30])
def test_days_beyond_a_year_are_refused(evening: Evening, days: int) -> None:
    answer = post(evening.cast.client("olga"), {"name": "x", "scope": "read", "days": days})
    assert errors(answer) == [("bad_token_time", "/days")]


def test_token_creates_no_token_which_would_outlive_it(evening: Evening) -> None:
    body = {"name": "x", "scope": "read", "club": "riverside"}
    for scope in ("read", "enter", "manage"):
        bearer = {"authorization": f"Bearer {token('olga', scope)}"}
        assert codes(post(Client(), body, **bearer)) == ["beyond_scope"]


def test_nobody_reads_or_revokes_the_tokens_of_others(evening: Evening) -> None:
    made = post(evening.cast.client("olga"), {"name": "Site", "scope": "read"}).json()
    dirk = evening.cast.client("dirk")
    assert dirk.get(TOKENS).json()["results"] == []
    assert codes(dirk.delete(f"{TOKENS}/{made['id']}")) == ["unknown_token"]
    assert codes(dirk.delete(f"{TOKENS}/{uuid4()}")) == ["unknown_token"]
    assert codes(dirk.delete(f"{TOKENS}/not-an-id")) == ["unknown_token"]
    assert codes(Client().get(TOKENS)) == ["not_signed_in"]
    assert read("/api/v1/clubs", made["token"]).status_code == 200


def test_owner_reads_and_revokes_every_token_of_the_club(evening: Evening) -> None:
    body = {"name": "Wall", "scope": "enter", "club": "riverside"}
    made = post(evening.cast.client("hanna"), body).json()
    at, olga = "/api/v1/clubs/riverside/tokens", evening.cast.client("olga")
    listed = olga.get(at).json()["results"]
    assert [(one["name"], one["username"]) for one in listed] == [("Wall", "hanna")]
    for name in ("dirk", "nora"):
        stranger = evening.cast.client(name)
        assert codes(stranger.get(at)) == ["forbidden"]
        assert codes(stranger.delete(f"{at}/{made['id']}")) == ["forbidden"]
    assert olga.delete(f"{at}/{made['id']}").status_code == 200
    assert read("/api/v1/clubs", made["token"]).status_code == 401
