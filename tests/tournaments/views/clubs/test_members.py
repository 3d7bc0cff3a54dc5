"""The first steps of a club, its members and invitations, as an owner uses them."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, league, link, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.pages.text import summary, text_of
from tournaments.models.access import Invitation
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import ClubFront, Membership, Player
from tournaments.models.jobs import Outbox
from tournaments.services.clubs.clubs import create_club
from tournaments.services.clubs.invitations import invite

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

MEMBERS = "/clubs/riverside/members"


INVITE = f"{MEMBERS}/invite"


NAMES = ("Farid S.", "Jonas D.", "Kira K.", "Zoë K.")


@pytest.fixture
def roster(db: None) -> Cast:
    cast = enter_the_cast()
    players(cast.riverside, *NAMES)
    return cast


def member(cast: Cast, name: str) -> Membership:
    return Membership.objects.get(club=cast.riverside, user=cast.users[name])


def post(cast: Cast, path: str, by: str = "olga", **sent: str) -> Answer:
    return cast.client(by).post(path, sent)


def listed(page: Answer) -> list[str]:
    matches = re.findall(r"<textarea[^>]*>([^<]*)</textarea>", page.content.decode())
    return [line.strip() for line in matches[0].strip().splitlines()]


def test_page_says_who_is_in_and_who_is_not_invited_yet(roster: Cast) -> None:
    page = text_of(roster.client("olga").get(MEMBERS))
    assert "with an account 4 invited 0 players without an invitation 4" in page
    assert "Invite the 4 players without an account" in page
    assert "Last owner" in page
    assert f'href="{MEMBERS}"' in roster.client("olga").get("/clubs/riverside").content.decode()
    assert f'href="{MEMBERS}"' not in roster.client("dirk").get("/clubs/riverside").content.decode()
    assert roster.client("dirk").get(MEMBERS).status_code == 403


def test_roles_are_saved_together_and_the_last_owner_stays(roster: Cast) -> None:
    hanna, olga = (f"role-{member(roster, name).public_id}" for name in ("hanna", "olga"))
    assert post(roster, MEMBERS, **{hanna: "director"}).status_code == 302
    assert member(roster, "hanna").role == "director"
    assert "last owner" in text_of(post(roster, MEMBERS, **{hanna: "host", olga: "player"}), 422)
    assert member(roster, "hanna").role == "director", "all or none"


def test_exact_names_fold_and_near_ones_are_asked_about(roster: Cast) -> None:
    names = "Farid S.\n kira  k., kira@riverside.example\nZoë Kay\nNew Person"
    text = text_of(post(roster, INVITE, names=names, role="player", check="yes"))
    assert "2 names to check" in text
    assert "It is Zoë K., RL04" in text
    assert "2 names checked" in text
    assert "1 is sent by mail. 3 get a QR card to print." in text
    early = post(roster, INVITE, names=names, role="player", create="yes")
    assert "Line 3: “Zoë Kay” is not the name of one player." in text_of(early, 422)
    assert not Invitation.objects.exists()
    keys = re.findall(r'<select id="(who-\w+)"', early.content.decode())
    lines = {keys[0]: "RL04", keys[1]: "new", keys[1].replace("who", "role"): "player"}
    response = post(roster, INVITE, names=names, role="host", create="yes", **lines)
    assert response.status_code == 302
    rows = Invitation.objects.order_by("pk").values_list("player__player_id", "role", "email")
    assert list(rows) == [
        ("RL01", "host", ""),
        ("RL03", "host", "kira@riverside.example"),
        ("RL04", "host", ""),
        ("P0001", "player", ""),
    ]
    assert Player.objects.get(player_id="P0001").name == "New Person"
    links = roster.client("olga").get(response["Location"])
    assert links.content.decode().count("http://testserver/invitations/") == 4
    cards = roster.client("olga").get(response["Location"].replace("?", "/cards?"))
    assert "3 QR cards" in text_of(cards)
    assert cards.content.decode().count("data:image/svg+xml") == 3


def test_uninvited_players_are_filled_in_once(roster: Cast) -> None:
    players(roster.riverside)
    Player.objects.filter(player_id="RL02").update(is_active=False)
    link(Player.objects.get(player_id="RL03"), roster.users["piet"])
    invite(roster.operation("olga"), roster.riverside, role="player", player_id="RL04")
    assert listed(roster.client("olga").get(f"{INVITE}?fill=players")) == ["Farid S."]
    assert listed(post(roster, INVITE, names="Farid S.", role="player", fill="yes")) == ["Farid S."]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("Farid S.\nKira K., kira@", "Line 2: “kira@” is not an e-mail address."),
        ("Farid S.\nfarid s.", "Line 2: Farid S. (RL01) is in the list twice."),
        ("Jonas D.", "Line 1: Jonas D. (RL02) is already linked to an account."),
        ("", "There is nobody to invite."),
    ],
)
def test_what_cannot_be_invited_is_said_with_its_line(roster: Cast, names: str, says: str) -> None:
    link(Player.objects.get(player_id="RL02"), roster.users["piet"])
    assert says in summary(post(roster, INVITE, names=names, role="player", create="yes"), 422)
    assert not Invitation.objects.exists()


def test_pending_invitations_say_how_far_they_are(roster: Cast) -> None:
    def invited(player_id: str, email: str = "") -> Invitation:
        return invite(
            roster.operation("olga"),
            roster.riverside,
            role="player",
            player_id=player_id,
            email=email,
        )

    invited("RL01")
    Invitation.objects.filter(pk=invited("RL02").pk).update(opened_at=NOW)
    mailed = invited("RL03", "kira@riverside.example")
    Outbox.objects.filter(about=f"invitation:{mailed.public_id}").update(parked=True)
    old = NOW - timedelta(days=15)
    Invitation.objects.filter(pk=invited("RL04").pk).update(
        created_at=old, expires_at=old + timedelta(days=14)
    )
    page = text_of(roster.client("olga").get(MEMBERS))
    for state in ("Not opened", "Opened, no account yet", "Mail refused", "Expired"):
        assert state in page
    assert "invited 3" in page
    again = post(roster, f"/clubs/riverside/invitations/{mailed.public_id}", resend="yes")
    assert again["Location"].startswith("/clubs/riverside/invitations?of=")
    assert "Kira K." in text_of(roster.client("olga").get(again["Location"]))
    assert Invitation.objects.get(pk=mailed.pk).revoked_at is not None
    newest = Invitation.objects.latest("pk")
    post(roster, f"/clubs/riverside/invitations/{newest.public_id}", revoke="yes")
    assert Invitation.objects.filter(revoked_at=None).count() == 3


CLUB = "/clubs/riverside"


PASTED = f"{CLUB}/add-players"


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
    text = text_of(admin.get(CLUB))
    assert "3 of 5 done" in text
    assert "Say when and where you meet" in text
    ClubFront.objects.create(club=club, when_where="Thursdays at 19:30, boathouse")
    text = text_of(admin.get(CLUB))
    assert "4 of 5 done" in text
    assert "Say when and where you meet" not in text
    assert "Enter first evening" in text
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    assert "Set up your club" not in text_of(admin.get(CLUB))
    assert "Set up your club" not in text_of(Client().get(CLUB))


def test_director_sees_the_steps_that_are_a_directors(cast: Cast) -> None:
    text = text_of(cast.client("dirk").get(CLUB))
    assert "Set up your club" in text
    assert "Create event" in text
    assert "Invite players" not in text
    assert "Set up your club" not in text_of(cast.client("hanna").get(CLUB))


def test_administrator_becomes_owner_of_a_club_that_has_none(admin: Client, cast: Cast) -> None:
    imported = create_club(by_tests(), slug="imported", name="Imported")
    page = "/clubs/imported/members"
    assert "Nobody owns this club." in text_of(admin.get(page))
    done = admin.post(page, {"become_owner": "yes"}, follow=True)
    assert "You are the owner of Imported now." in text_of(done)
    assert Membership.objects.get(club=imported).role == "owner"
    assert AuditLine.objects.get(club=imported, act="give_role").facts == {"role": "owner"}
    assert cast.client("olga").post(f"{CLUB}/members", {"become_owner": "1"}).status_code == 403


def test_added_players_are_invited_from_the_page_that_lists_them(cast: Cast, olga: Client) -> None:
    players(cast.riverside, "Vera S.")
    names = {"names": "Cleo S.\nFarid D."}
    seen = olga.post(PASTED, names).context["plan"].digest
    added = olga.post(PASTED, {**names, "seen": seen, "add": "yes"}, follow=True)
    link = f"{CLUB}/members/invite?added={added.context['number']}"
    assert link in added.content.decode()
    assert olga.get(link).context["form"]["names"].value() == "Cleo S.\nFarid D."


def test_name_of_two_players_is_asked_about_before_anything_is_made(cast: Cast) -> None:
    players(cast.riverside, "Cleo S.", "Cleo S.")
    olga = cast.client("olga")
    page = f"{CLUB}/members/invite"
    checked = olga.post(page, {"names": "Cleo S.", "role": "player", "check": "yes"})
    assert "Choose a player" in text_of(checked)
    refused = olga.post(page, {"names": "Cleo S.", "role": "player", "create": "yes"})
    assert (refused.status_code, "Choose which player it is" in text_of(refused)) == (422, True)


def test_owner_is_linked_to_a_player_at_once(cast: Cast, olga: Client) -> None:
    (cleo,) = players(cast.riverside, "Olga R.")
    assert f"{CLUB}/players?q=olga" in olga.get(f"{CLUB}/members").content.decode()
    done = olga.post(f"{CLUB}/claim-player/{cleo.player_id}", follow=True)
    assert "You are Olga R. now." in text_of(done)
    assert "You have not played yet." in text_of(olga.get("/me"))
