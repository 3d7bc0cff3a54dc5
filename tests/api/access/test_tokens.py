"""Bearer tokens: what a program may do with them, and those that an account creates for itself."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core import serializers
from django.core.cache import cache
from django.core.mail import EmailMultiAlternatives
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tests.api.conftest import Evening
from tests.support.answers import Answer
from tests.support.builders import counts
from tests.support.mails import send_waiting
from tests.support.rest.requests import codes, errors, refusal, token
from tournaments.models.access import Token
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Entry
from tournaments.policy import MAY, SCOPES

NEW = {"number": 3, "entry": counts([4, 1, 2, 6], 3)}
TOKENS = "/api/v1/tokens"


def enter(evening: Evening, plain: str, body: object = NEW) -> Answer:
    """Enter a hand with a token; a client that checks CSRF as browsers meet it."""
    return Client(enforce_csrf_checks=True).post(
        f"{evening.at}/tables/r1t1/hands",
        json.dumps(body),
        content_type="application/json",
        headers={"authorization": f"Bearer {plain}"},
    )


def read(path: str, plain: str) -> Answer:
    return Client().get(path, headers={"authorization": f"Bearer {plain}"})


def test_token_enters_a_hand_as_its_user_and_needs_no_csrf_token(evening: Evening) -> None:
    assert enter(evening, token("hanna", "enter")).status_code == 201
    entry = Entry.objects.get(hand__number=3)
    assert (entry.entered_as, entry.entered_by_id) == ("hanna", evening.cast.users["hanna"].pk)


def test_token_to_enter_does_not_correct_what_is_closed(evening: Evening) -> None:
    evening.game.table.round.__class__.objects.update(state="closed")
    body = {**NEW, "number": 9}
    assert refusal(enter(evening, token("dirk", "enter"), body)) == (403, ["beyond_scope"])
    assert enter(evening, token("dirk", "manage"), body).status_code == 201


def test_token_for_one_club_is_a_stranger_in_the_others(play: Callable[..., Evening]) -> None:
    members = play(slug="members", visibility="members")
    members.cast.riverside.memberships.create(user=members.cast.users["nora"], role="director")
    assert read(members.at, token("nora", "read")).status_code == 200
    hilltop = token("nora", "manage", "--club", "hilltop")
    assert read(members.at, hilltop).status_code == 404
    assert enter(members, hilltop).status_code == 404
    assert read(members.at, token("nora", "read", "--club", "riverside")).status_code == 200


def test_token_of_an_administrator_for_a_club_stands_on_their_role_there(evening: Evening) -> None:
    nora = evening.cast.users["nora"]
    nora.is_superuser = True
    nora.save()
    assert enter(evening, token("nora", "manage", "--club", "hilltop")).status_code == 403
    assert enter(evening, token("nora", "enter")).status_code == 201


@pytest.mark.parametrize("state", ["revoked", "expired", "unknown", "inactive", "empty"])
def test_invalid_token_is_401_even_for_what_is_public(evening: Evening, state: str) -> None:
    plain = token("hanna", "enter")
    if state == "revoked":
        call_command("revoke_tokens", "--user", "hanna", stdout=StringIO())
    elif state == "expired":
        Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif state == "unknown":
        plain = f"{plain[:-1]}{'a' if plain[-1] != 'a' else 'b'}"
    elif state == "inactive":
        evening.cast.users["hanna"].__class__.objects.update(is_active=False)
    else:
        plain = ""
    for response in (read(evening.at, plain), enter(evening, plain)):
        assert (response.status_code, codes(response)) == (401, ["not_signed_in"])
        assert response.headers["WWW-Authenticate"] == "Bearer"


def test_token_lasts_as_long_as_was_said(evening: Evening) -> None:
    token("hanna", "enter", "--days", "30")
    created = Token.objects.get()
    assert created.expires_at == created.made_at + timedelta(days=30)


def test_plain_token_stands_nowhere(evening: Evening, caplog: pytest.LogCaptureFixture) -> None:
    plain = token("hanna", "enter", "--club", "riverside")
    assert (len(plain), plain[:3]) == (46, "bl_")
    enter(evening, plain)
    enter(evening, plain)
    read(f"{evening.at}/nothing", plain)
    stored = serializers.serialize("json", [*Token.objects.all(), *AuditLine.objects.all()])
    assert plain[3:] not in stored + caplog.text
    operations = AuditLine.objects.filter(act="make_token")
    assert [(line.actor, line.facts["scope"]) for line in operations] == [
        ("command:make_token", "enter")
    ]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--user", "nobody"), "Nobody here is called nobody."),
        (("--user", "nora", "--club", "atlantis"), "There is no club with that name here."),
        (("--user", "nora", "--club", "riverside"), "nora has no role in riverside."),
        (("--user", "nora", "--days", "0"), "A token must be valid for 1 day or more."),
    ],
)
def test_token_that_cannot_be_made_is_refused_with_2(
    evening: Evening, arguments: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(CommandError, match=reason) as refused:
        call_command("make_token", "--scope", "read", *arguments)
    assert refused.value.returncode == 2
    assert not Token.objects.exists()


def test_revoking_for_one_club_leaves_the_others(evening: Evening) -> None:
    token("hanna", "enter", "--club", "riverside")
    everywhere = token("hanna", "enter")
    out = StringIO()
    call_command("revoke_tokens", "--user", "hanna", "--club", "riverside", stdout=out)
    assert out.getvalue() == "1\n"
    assert read(evening.at, everywhere).status_code == 200


def test_each_scope_includes_the_ones_before_it() -> None:
    assert SCOPES["read"] < SCOPES["enter"] < SCOPES["manage"] == frozenset(MAY)


def post(client: Client, body: object, **headers: str) -> Answer:
    return client.post(TOKENS, json.dumps(body), "application/json", headers=headers)


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


def test_token_is_no_wider_than_the_role(evening: Evening, piet: Client, nora: Client) -> None:
    assert errors(post(piet, {"name": "x", "scope": "manage"})) == [("scope_too_wide", "/scope")]
    assert post(piet, {"name": "x", "scope": "enter"}).status_code == 201
    assert errors(post(nora, {"name": "x", "scope": "read", "club": "riverside"})) == [
        ("no_own_role", "/club")
    ]


def test_everything_wrong_is_said_at_once(evening: Evening) -> None:
    answer = post(evening.cast.client("olga"), {"name": "", "scope": "all", "days": 367})
    assert errors(answer) == [
        ("no_name", "/name"),
        ("bad_token_scope", "/scope"),
        ("bad_token_time", "/days"),
    ]


def test_token_creates_no_token_which_would_outlive_it(evening: Evening) -> None:
    body = {"name": "x", "scope": "read", "club": "riverside"}
    for scope in ("read", "enter", "manage"):
        bearer = {"authorization": f"Bearer {token('olga', scope)}"}
        assert codes(post(Client(), body, **bearer)) == ["beyond_scope"]


def test_nobody_reads_or_revokes_the_tokens_of_others(evening: Evening, dirk: Client) -> None:
    body = post(evening.cast.client("olga"), {"name": "Site", "scope": "read"}).json()
    assert dirk.get(TOKENS).json()["results"] == []
    assert codes(dirk.delete(f"{TOKENS}/{body['id']}")) == ["unknown_token"]
    assert codes(dirk.delete(f"{TOKENS}/{uuid4()}")) == ["unknown_token"]
    assert read("/api/v1/clubs", body["token"]).status_code == 200


def test_owner_reads_and_revokes_every_token_of_the_club(evening: Evening) -> None:
    body = {"name": "Wall", "scope": "enter", "club": "riverside"}
    made = post(evening.cast.client("hanna"), body).json()
    at, olga = "/api/v1/clubs/riverside/tokens", evening.cast.client("olga")
    listed = olga.get(at).json()["results"]
    assert [(one["name"], one["username"]) for one in listed] == [("Wall", "hanna")]
    assert olga.delete(f"{at}/{made['id']}").status_code == 200
    assert read("/api/v1/clubs", made["token"]).status_code == 401


def test_token_by_plain_http_is_refused_and_its_owner_told_once_a_day(
    evening: Evening, settings: Settings, mailoutbox: list[EmailMultiAlternatives]
) -> None:
    cache.clear()
    owner = evening.cast.users["dirk"]
    owner.email = "dirk@riverside.example"
    owner.save()
    plain = token("dirk", "enter")
    settings.SECURE_SSL_REDIRECT = True
    for _ in range(2):
        assert refusal(enter(evening, plain)) == (403, ["tls_needed"])
    assert refusal(read("/api/v1/clubs", "unknown")) == (403, ["tls_needed"])
    assert Entry.objects.filter(hand__number=3).count() == 0
    send_waiting()
    [mail] = mailoutbox
    assert mail.to == [owner.email]
    assert "plain HTTP" in mail.body
    assert plain not in str(mail.message())


@pytest.mark.django_db
def test_only_pages_are_redirected_to_tls(client: Client, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert refusal(client.get("/api/v1/clubs")) == (403, ["tls_needed"])
    for page in ("/clubs", "/api/v1/docs"):
        assert client.get(page)["Location"] == f"https://testserver{page}"
    assert client.get("/api/v1/clubs", secure=True).status_code == 200
