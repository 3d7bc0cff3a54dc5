"""The pages of tokens, and the writes of a page that are refused and counted for the club."""

import html
import re

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.cast import Cast
from tournaments.models.access import Token
from tournaments.models.audit import RefusedAct

NEW = {"name": "Club website", "scope": "read", "club": "riverside", "days": "90"}


def text(answer: Answer) -> str:
    return html.unescape(answer.content.decode())


def plain_in(answer: Answer) -> str:
    match = re.search(r'id="plain" value="([^"]+)"', text(answer))
    assert match is not None
    return match[1]


def test_token_is_shown_once_and_works_until_it_is_revoked(dirk: Client) -> None:
    plain = plain_in(dirk.post("/tokens", NEW))
    headers = {"authorization": f"Bearer {plain}"}
    assert Client().get("/api/v1/clubs/riverside", headers=headers).status_code == 200
    page = text(dirk.get("/tokens"))
    assert "Club website" in page
    assert plain not in page
    answer = dirk.post("/tokens", {"revoke": Token.objects.get().public_id}, follow=True)
    assert "Token revoked" in text(answer)
    assert "No tokens" in text(answer)
    assert Client().get("/api/v1/clubs/riverside", headers=headers).status_code == 401


def test_scope_beyond_the_role_and_other_clubs_are_refused_at_their_fields(piet: Client) -> None:
    answer = piet.post("/tokens", {**NEW, "scope": "manage"})
    assert "Your role allows tokens up to enter, not manage." in text(answer)
    answer = piet.post("/tokens", {**NEW, "club": "hilltop"})
    assert "Choose one of your clubs." in text(answer)


def test_owner_revokes_a_token_of_the_club(cast: Cast) -> None:
    cast.client("hanna").post("/tokens", NEW)
    at, olga = "/clubs/riverside/tokens", cast.client("olga")
    assert "hanna" in text(olga.get(at))
    answer = olga.post(at, {"revoke": Token.objects.get().public_id}, follow=True)
    assert "Token revoked" in text(answer)


def test_one_page_has_what_administrators_and_programs_need(cast: Cast) -> None:
    pages = {"piet": [], "dirk": ["mappings"], "olga": ["audit", "mappings", "tokens", "webhooks"]}
    for who, pages_of_club in pages.items():
        page = text(cast.client(who).get("/programs")).partition("<main")[2]
        assert sorted(re.findall(r'href="/clubs/riverside/([a-z]+)"', page)) == pages_of_club
        assert 'href="/tokens"' in page
    assert "REST" not in text(Client().get("/clubs/riverside"))


SETTINGS = "/clubs/riverside/settings"


def counted() -> list[tuple[str, str, str, int]]:
    rows = RefusedAct.objects.order_by("pk")
    return list(rows.values_list("club__slug", "actor", "act", "times"))


def test_write_of_a_foreign_role_is_counted_and_a_read_is_not(cast: Cast, nora: Client) -> None:
    assert nora.get(SETTINGS).status_code == 403
    assert counted() == []
    assert [nora.post(SETTINGS).status_code for _ in range(3)] == [403] * 3
    assert counted() == [("riverside", cast.actor("nora").label, "manage_club", 3)]


def test_log_lines_of_requests_name_the_actor(cast: Cast, caplog: pytest.LogCaptureFixture) -> None:
    cast.client("nora").post(SETTINGS)
    cast.client().get("/clubs/riverside")
    lines = [record.msg for record in caplog.records if record.name == "blacklady.request"]
    logged = [(line.get("actor"), line["status"]) for line in lines if isinstance(line, dict)]
    assert logged == [(cast.actor("nora").label, 403), (None, 200)]
