"""A removed table is restored over REST: found in its round, brought back once, refused as said."""

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Json, post_json
from tests.support.builders import table
from tests.support.rest.requests import SignIn, codes, token
from tournaments.models.audit import AuditLine
from tournaments.models.meetings import Round, Table

PAGE = "/clubs/riverside/events/league/tables/r2t1/seating"
PEOPLE = ["RL01", "RL02", "RL03", "RL04"]


@pytest.fixture
def removed(evening: Evening, signed_in: SignIn) -> Evening:
    """Table 1 of round 2 was seated and removed on its page."""
    table(evening.event, evening.people, round_number=2)
    assert signed_in("dirk").post(PAGE, {"clear": "yes"}).status_code == 302
    return evening


def listed(evening: Evening, client: Client) -> list[Json]:
    return list(client.get(f"{evening.at}/rounds/2").json()["removed_tables"])


def test_directors_find_and_restore_it_once(removed: Evening, signed_in: SignIn) -> None:
    dirk, address = signed_in("dirk"), f"{removed.at}/tables/r2t1/restore"
    assert listed(removed, dirk) == [{"code": "r2t1", "number": 1, "players": PEOPLE}]
    assert listed(removed, signed_in("hanna")) == listed(removed, removed.cast.client()) == []
    first = post_json(dirk, address, {}, Idempotency_Key="one")
    again = post_json(dirk, address, {}, Idempotency_Key="one")
    assert (first.status_code, again.status_code, again.content) == (200, 200, first.content)
    assert [seat["player_id"] for seat in first.json()["seats"]] == PEOPLE
    assert first.json() == dirk.get(f"{removed.at}/tables/r2t1").json()
    assert listed(removed, dirk) == []
    assert AuditLine.objects.filter(act="restore_table").count() == 1
    there = post_json(dirk, address, {})
    assert (there.status_code, codes(there)) == (409, ["table_exists"])


def test_people_who_play_elsewhere_are_named(removed: Evening, signed_in: SignIn) -> None:
    table(removed.event, removed.people, round_number=2, table_number=2)
    refused = post_json(signed_in("dirk"), f"{removed.at}/tables/r2t1/restore", {})
    assert (refused.status_code, codes(refused)) == (409, ["player_already_seated"])
    assert "Elsa D." in refused.json()["detail"]
    assert not Table.objects.filter(code="r2t1").exists()


def test_table_of_a_round_that_is_gone_stays_away(removed: Evening, signed_in: SignIn) -> None:
    dirk = signed_in("dirk")
    for pressed in ({"to": "draft"}, {"remove": "yes"}):
        dirk.post("/clubs/riverside/events/league/rounds/2/direct", pressed)
    assert not Round.objects.filter(number=2).exists()
    for code in ("r2t1", "r7t7", "x"):
        refused = post_json(dirk, f"{removed.at}/tables/{code}/restore", {})
        assert (refused.status_code, codes(refused)) == (404, ["unknown_table"])
    odd = post_json(dirk, f"{removed.at}/tables/r2t1/restore", {"line": 3})
    assert (odd.status_code, codes(odd)) == (422, ["unknown_member"])


@pytest.mark.parametrize(
    ("who", "status"), [("", 401), ("piet", 403), ("hanna", 403), ("nora", 403)]
)
def test_only_directors_of_the_club_restore(
    removed: Evening, signed_in: SignIn, who: str, status: int
) -> None:
    answer = post_json(signed_in(who), f"{removed.at}/tables/r2t1/restore", {"odd": 1})
    assert answer.status_code == status
    assert not Table.objects.filter(code="r2t1").exists()


def test_token_must_be_made_to_manage(removed: Evening) -> None:
    bearer = {"Authorization": f"Bearer {token('dirk', 'enter')}"}
    address = f"{removed.at}/tables/r2t1/restore"
    assert post_json(removed.cast.client(), address, {}, **bearer).status_code == 403
    assert not Table.objects.filter(code="r2t1").exists()
