"""The site administrator's pages: everything to be seen, little to be changed, all audited."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client

from tests.support.scenarios.evenings import Evenings
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.hands import Entry

LOOKED_AT = sorted(
    model._meta.model_name or ""
    for model in apps.get_app_config("tournaments").get_models()
    if admin.site.is_registered(model)
)


@pytest.fixture
def site_admin(evenings: Evenings) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


@pytest.mark.parametrize("model", LOOKED_AT)
def test_list_and_first_row_can_be_looked_at(site_admin: Client, model: str) -> None:
    assert site_admin.get(f"/admin/tournaments/{model}/", {"q": "x"}).status_code == 200
    first = apps.get_model("tournaments", model)._default_manager.first()
    if first is not None:
        assert site_admin.get(f"/admin/tournaments/{model}/{first.pk}/change/").status_code == 200


def test_what_was_typed_cannot_be_changed_or_deleted(site_admin: Client) -> None:
    entry = Entry.objects.get(hand__game__table__code="r2t1", hand__number=1)
    address = f"/admin/tournaments/entry/{entry.pk}"
    assert site_admin.post(f"{address}/change/", {"reason": "because"}).status_code == 403
    assert site_admin.post(f"{address}/delete/", {"post": "yes"}).status_code == 403
    assert site_admin.post("/admin/tournaments/entry/add/", {}).status_code == 403
    assert Entry.objects.get(pk=entry.pk).reason == ""


def test_new_club_goes_through_the_service_and_its_rules(site_admin: Client) -> None:
    wrong = {"slug": "Not_A_Slug", "name": "Lakeside", "time_zone": "Europe/Atlantis"}
    page = site_admin.post("/admin/tournaments/club/add/", wrong).content.decode()
    assert "cannot be used. Use lowercase letters" in page
    assert "Europe/Atlantis is not a time zone" in page
    right = {"slug": "lakeside", "name": "Lakeside", "time_zone": "Europe/Zurich"}
    assert site_admin.post("/admin/tournaments/club/add/", right).status_code == 302
    club = Club.objects.get(slug="lakeside")
    assert club.time_zone == "Europe/Zurich"
    assert AuditLine.objects.filter(club=club, act="create_club").count() == 1


@pytest.mark.parametrize("dots", [".", ".."])
def test_player_gets_no_id_that_no_address_can_hold(site_admin: Client, dots: str) -> None:
    typed = {"club": Club.objects.get(slug="riverside").pk, "player_id": dots, "name": "Dora D."}
    page = site_admin.post("/admin/tournaments/player/add/", typed)
    assert "cannot be used in an address" in page.content.decode()
    site_admin.post("/admin/tournaments/player/add/", typed | {"player_id": "D.1"})
    assert Player.objects.get(name="Dora D.").player_id == "D.1"


def test_role_given_in_the_admin_is_audited(site_admin: Client, evenings: Evenings) -> None:
    piet = Membership.objects.get(club=evenings.cast.riverside, user=evenings.cast.users["piet"])
    address = f"/admin/tournaments/membership/{piet.pk}/change/"
    assert site_admin.post(address, {"role": "host"}).status_code == 302
    piet.refresh_from_db()
    assert piet.role == "host"
    assert AuditLine.objects.filter(club=evenings.cast.riverside, act="give_role").count() == 1


def test_admin_is_closed_to_members_and_sends_them_to_the_sign_in(evenings: Evenings) -> None:
    for name in ("", "olga"):
        assert evenings.client(name).get("/admin/tournaments/club/").status_code in (302, 403)


def test_index_lists_what_it_holds_by_name(site_admin: Client) -> None:
    page = site_admin.get("/admin/").content.decode()
    for name in ("Entries", "Imports", "Import problems", "Background jobs", "Outgoing messages"):
        assert f">{name}</a>" in page
    for wrong in ("Entrys", "Batchs", "Dirtys", "Outboxs", "House variants"):
        assert wrong not in page


def test_every_model_has_a_name_of_its_own() -> None:
    names = [
        str(model._meta.verbose_name) for model in apps.get_app_config("tournaments").get_models()
    ]
    assert len(names) == len(set(names))
