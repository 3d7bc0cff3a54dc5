"""The audit trail over REST, and the writes that it counts as refused; for owners."""

import pytest

from tests.api.conftest import Evening
from tests.support.answers import Answer
from tests.support.cast import Cast
from tests.support.rest.requests import codes, token
from tests.support.scenarios.table_links import csrf_of, linked
from tournaments.models.audit import RefusedAct
from tournaments.services.clubs.clubs import create_club

pytestmark = pytest.mark.usefixtures("clock")

AT = "/api/v1/clubs/riverside/audit"


def asked(evening: Evening, query: str = "") -> Answer:
    return evening.cast.client("olga").get(AT + query)


def numbers(answer: Answer) -> list[int]:
    return [line["number"] for line in answer.json()["results"]]


def test_filters_limit_the_lines(evening: Evening) -> None:
    evening.cast.client("hanna").post(
        "/api/v1/tokens", {"name": "x", "scope": "read", "club": "riverside"}, "application/json"
    )
    own = asked(evening, "?by=hanna").json()["results"]
    assert [line["act"] for line in own] == ["make_token"]
    first = asked(evening, "?act=create_club").json()["results"]
    assert [(line["object"], line["by"]) for line in first] == [("club:riverside", "command:tests")]
    assert numbers(asked(evening, "?object=club:riverside&act=create_club"))
    assert numbers(asked(evening, "?since=2999-01-01")) == []
    assert numbers(asked(evening, "?since=2025-01-01T00:00:00Z"))
    assert codes(asked(evening, "?since=yesterday")) == ["bad_parameter"]


C = "/api/v1/clubs/riverside"


def counted() -> list[tuple[str, str, int]]:
    return list(RefusedAct.objects.order_by("pk").values_list("actor", "act", "times"))


def test_owner_reads_what_a_foreign_role_and_a_small_token_tried(cast: Cast) -> None:
    player = {"name": "Mallory"}
    for _ in range(2):
        refused = cast.client("nora").post(f"{C}/players", player, "application/json")
        assert codes(refused) == ["forbidden"]
    bearer = {"Authorization": f"Bearer {token('dirk', 'read')}"}
    refused = cast.client().post(f"{C}/players", player, "application/json", headers=bearer)
    assert codes(refused) == ["beyond_scope"]
    olga = cast.client("olga")
    results = olga.get(f"{C}/audit/refused").json()["results"]
    assert [(row["by"], row["act"], row["times"]) for row in results] == [
        ("dirk", "edit_players", 1),
        ("nora", "edit_players", 2),
    ]
    assert {row["hour"] for row in results} == {"2025-11-06T21:00:00Z"}
    assert len(olga.get(f"{C}/audit/refused?by=nora&since=2025-11-06").json()["results"]) == 1
    assert olga.get(f"{C}/audit/refused?act=manage_club").json()["results"] == []
    lines = olga.get(f"{C}/audit/refused.csv").content.decode().splitlines()
    assert lines[0] == "hour,by,act,times"


def test_write_under_a_key_is_counted_too(cast: Cast) -> None:
    key = {"Idempotency-Key": "one"}
    sent = {"name": "Mallory"}
    refused = cast.client("piet").post(f"{C}/players", sent, "application/json", headers=key)
    assert codes(refused) == ["forbidden"]
    assert counted() == [(cast.actor("piet").label, "edit_players", 1)]


def test_link_away_from_its_table_is_counted(cast: Cast) -> None:
    night = linked(cast)
    phone = night.holder(checks=True)
    address = f"/api/v1{night.event}/tables/{night.other.table.code}/hands"
    assert phone.get("/t").status_code == 200
    csrf = {"X-CSRFToken": csrf_of(phone)}
    assert phone.post(address, {}, "application/json", headers=csrf).status_code == 404
    assert counted() == [(f"link:{night.link.pk}", "enter_hand", 1)]


def test_club_that_the_caller_may_not_know_of_answers_alike_and_counts_nothing(cast: Cast) -> None:
    secret = create_club(cast.operation("olga"), slug="secret", name="Secret")
    type(secret).objects.filter(pk=secret.pk).update(is_public=False)
    for slug in ("secret", "nowhere"):
        sent = {"name": "Mallory"}
        answer = cast.client("nora").post(f"/api/v1/clubs/{slug}/players", sent, "application/json")
        assert codes(answer) == ["unknown_club"]
    assert counted() == []
