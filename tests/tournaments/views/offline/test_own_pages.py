"""The page of a personal link and *Me* as apps: their manifests, and what a device may keep."""

import pytest
from django.test import Client

from tests.support.builders import by_tests, link, players
from tests.support.cast import Cast
from tournaments.models.clubs import Club, Player
from tournaments.selectors.access.personal_links import printable_token
from tournaments.services.clubs.personal_links import renew_personal_link, revoke_personal_link

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(cast: Cast) -> Player:
    (ada,) = players(cast.riverside, "Ada A.")
    link(ada, cast.users["piet"])
    return ada


def own_path(player: Player) -> str:
    return f"/my/{printable_token(renew_personal_link(by_tests(), player))}"


def test_app_of_a_personal_link_has_the_name_of_the_club_and_starts_at_its_page(
    ada: Player,
) -> None:
    Club.objects.filter(pk=ada.club_id).update(name="Riverside & Sons")
    path = own_path(ada)
    page = Client().get(path)
    assert f'<link rel="manifest" href="{path}/manifest.webmanifest">' in page.content.decode()
    answer = Client().get(f"{path}/manifest.webmanifest")
    manifest = answer.json()
    assert answer["Content-Type"] == "application/manifest+json"
    assert (manifest["name"], manifest["short_name"]) == ("Riverside & Sons", "Riverside & Sons")
    assert {manifest["id"], manifest["start_url"], manifest["scope"]} == {path}
    assert len(manifest["icons"]) == 4


def test_no_cache_stores_the_manifest_of_a_link_and_no_search_engine_reads_it(
    ada: Player,
) -> None:
    answer = Client().get(f"{own_path(ada)}/manifest.webmanifest")
    assert {"private", "no-store"} <= set(answer["Cache-Control"].split(", "))
    assert "noindex" in answer["X-Robots-Tag"]


def test_manifest_and_page_of_a_revoked_link_are_gone_and_not_kept(ada: Player) -> None:
    path = own_path(ada)
    assert Client().get(path)["X-Keep-On-Phone"] == "yes"
    revoke_personal_link(by_tests(), ada)
    assert Client().get(f"{path}/manifest.webmanifest").status_code == 410
    gone = Client().get(path)
    assert gone.status_code == 410
    assert "X-Keep-On-Phone" not in gone


def test_app_of_an_account_starts_at_me_and_is_the_same_for_everybody(
    cast: Cast, ada: Player
) -> None:
    page = cast.client("piet").get("/me")
    assert page["X-Keep-On-Phone"] == "yes"
    assert '<link rel="manifest" href="/me/manifest.webmanifest">' in page.content.decode()
    answers = [client.get("/me/manifest.webmanifest") for client in (Client(), cast.client("piet"))]
    assert answers[0].content == answers[1].content
    manifest = answers[0].json()
    assert {manifest["id"], manifest["start_url"]} == {"/me"}
    assert manifest["name"] == "Blacklady, my evenings"


def test_each_app_has_its_own_id(cast: Cast, ada: Player) -> None:
    addresses = ("/manifest.webmanifest", "/me/manifest.webmanifest")
    ids = {Client().get(address).json()["id"] for address in addresses}
    personal = Client().get(f"{own_path(ada)}/manifest.webmanifest").json()["id"]
    assert len(ids | {personal}) == 3


def test_page_that_is_not_saved_is_not_kept(ada: Player) -> None:
    answer = Client().post(own_path(ada), {})
    assert "X-Keep-On-Phone" not in answer
