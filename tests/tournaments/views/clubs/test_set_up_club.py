"""The first steps of a club: the list on its page, an owner for a club without one, invitations."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.access import Invitation
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import ClubFront, Membership, Player
from tournaments.services.clubs.clubs import create_club

CLUB = "/clubs/riverside"
PASTED = f"{CLUB}/add-players"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture
def admin() -> Client:
    browser = Client()
    browser.force_login(User.objects.create_superuser("admin"))
    return browser


def test_list_stays_on_the_clubs_page_until_each_step_is_done(admin: Client) -> None:
    admin.post("/new-club", {"name": "Riverside", "time_zone": "Europe/Berlin"})
    assert "0 of 5 done" in text_of(admin.get(CLUB))
    club = Membership.objects.get(user__username="admin").club
    people = players(club, "Cleo S.", "Farid D.", "Jonas K.", "Kira S.")
    assert "1 of 5 done" in text_of(admin.get(CLUB))
    event = league(club)
    assert "2 of 5 done" in text_of(admin.get(CLUB))
    admin.post(f"{CLUB}/members/invite", {"names": "Cleo S.", "role": "host", "create": "yes"})
    shown = text_of(admin.get(CLUB))
    assert "3 of 5 done" in shown
    assert "Say when and where you meet" in shown
    ClubFront.objects.create(club=club, when_where="Thursdays at 19:30, boathouse")
    shown = text_of(admin.get(CLUB))
    assert "4 of 5 done" in shown
    assert "Say when and where you meet" not in shown
    assert "Enter first evening" in shown
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    assert "Set up your club" not in text_of(admin.get(CLUB))
    assert "Set up your club" not in text_of(Client().get(CLUB))


def test_director_sees_the_steps_that_are_a_directors(cast: Cast) -> None:
    shown = text_of(cast.client("dirk").get(CLUB))
    assert "Set up your club" in shown
    assert "Create event" in shown
    assert "Invite players" not in shown
    assert "Set up your club" not in text_of(cast.client("hanna").get(CLUB))


def test_administrator_becomes_owner_of_a_club_that_has_none(admin: Client, cast: Cast) -> None:
    imported = create_club(actor=TESTS, slug="imported", name="Imported", now=NOW)
    page = "/clubs/imported/members"
    assert "Nobody owns this club." in text_of(admin.get(page))
    done = admin.post(page, {"become_owner": "yes"}, follow=True)
    assert "You are the owner of Imported now." in text_of(done)
    assert Membership.objects.get(club=imported).role == "owner"
    assert AuditLine.objects.get(club=imported, act="give_role").facts == {"role": "owner"}
    refused = admin.post(f"{CLUB}/members", {"become_owner": "yes"}, follow=True)
    assert "This club has an owner already." in text_of(refused)
    assert not Membership.objects.filter(club=cast.riverside, user__username="admin").exists()
    assert cast.client("olga").post(f"{CLUB}/members", {"become_owner": "1"}).status_code == 403


def test_added_players_are_invited_from_the_page_that_lists_them(cast: Cast) -> None:
    players(cast.riverside, "Vera S.")
    olga = cast.client("olga")
    names = {"names": "Cleo S.\nFarid D."}
    seen = olga.post(PASTED, names).context["plan"].digest
    added = olga.post(PASTED, {**names, "seen": seen, "add": "yes"}, follow=True)
    link = f"{CLUB}/members/invite?added={added.context['number']}"
    assert link in added.content.decode()
    assert olga.get(link).context["form"]["names"].value() == "Cleo S.\nFarid D."


def test_name_that_is_twice_in_the_list_or_the_club_is_found_before_anything_is_made(
    cast: Cast,
) -> None:
    players(cast.riverside, "Cleo S.", "Cleo S.")
    olga = cast.client("olga")
    page = f"{CLUB}/members/invite"
    checked = olga.post(page, {"names": "Cleo S.", "role": "player", "check": "yes"})
    assert "Choose a player" in text_of(checked)
    refused = olga.post(page, {"names": "Cleo S.", "role": "player", "create": "yes"})
    assert (refused.status_code, "Choose which player it is" in text_of(refused)) == (422, True)
    checked = olga.post(page, {"names": "Zoë D.\nzoë d.", "role": "player", "check": "yes"})
    assert "is in the list twice" in text_of(checked)
    assert Player.objects.filter(club=cast.riverside).count() == 2


def test_name_like_that_of_one_player_is_never_taken_for_that_player_without_an_answer(
    cast: Cast,
) -> None:
    players(cast.riverside, "Pia Player")
    olga = cast.client("olga")
    page, lists = f"{CLUB}/members/invite", {"names": "Tom Player", "role": "player"}
    checked = olga.post(page, {**lists, "check": "yes"}).content.decode()
    assert re.findall(r'<option value="(\w*)"', checked) == ["", "RL01", "new", "none"]
    key = re.findall(r'<select id="(who-\w+)"', checked)[0]
    refused = olga.post(page, {**lists, key: "", "create": "yes"})
    assert (refused.status_code, Invitation.objects.count()) == (422, 0)


def test_owner_is_linked_to_a_player_at_once(cast: Cast) -> None:
    (cleo,) = players(cast.riverside, "Olga R.")
    olga = cast.client("olga")
    assert f"{CLUB}/players?q=olga" in olga.get(f"{CLUB}/members").content.decode()
    done = olga.post(f"{CLUB}/claim-player/{cleo.player_id}", follow=True)
    assert "You are Olga R. now." in text_of(done)
    assert "You have not played yet." in text_of(olga.get("/me"))
