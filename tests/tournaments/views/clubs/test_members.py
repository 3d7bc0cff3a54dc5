"""The pages of members and invitations, as an owner uses them."""

import re
from datetime import timedelta

import pytest

from tests.support.answers import Answer
from tests.support.builders import link, players
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.pages.text import summary, text_of
from tournaments.models.access import Invitation
from tournaments.models.clubs import Membership, Player
from tournaments.models.outbox import Outbox
from tournaments.services.clubs.invitations import invite

MEMBERS = "/clubs/riverside/members"
INVITE = f"{MEMBERS}/invite"
NAMES = ("Farid S.", "Jonas D.", "Kira K.", "Zoë K.")

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def cast(db: None) -> Cast:
    cast = enter_the_cast()
    players(cast.riverside, *NAMES)
    return cast


def member(cast: Cast, name: str) -> Membership:
    return Membership.objects.get(club=cast.riverside, user=cast.users[name])


def post(cast: Cast, path: str, by: str = "olga", **sent: str) -> Answer:
    return cast.client(by).post(path, sent)


def listed(page: Answer) -> list[str]:
    """The lines of the list that the page holds."""
    found = re.findall(r"<textarea[^>]*>([^<]*)</textarea>", page.content.decode())
    return [line.strip() for line in found[0].strip().splitlines()]


def test_page_says_who_is_in_and_who_is_not_invited_yet(cast: Cast) -> None:
    page = text_of(cast.client("olga").get(MEMBERS))
    assert "with an account 4 invited 0 players not invited yet 4" in page
    assert "Invite the 4 players without an account" in page
    assert "Last owner" in page
    club = cast.client("olga").get("/clubs/riverside").content.decode()
    assert f'href="{MEMBERS}"' in club
    assert f'href="{MEMBERS}"' not in cast.client("dirk").get("/clubs/riverside").content.decode()
    assert cast.client("dirk").get(MEMBERS).status_code == 403


def test_roles_are_saved_together_and_the_last_owner_stays(cast: Cast) -> None:
    hanna, olga = (f"role-{member(cast, name).public_id}" for name in ("hanna", "olga"))
    assert post(cast, MEMBERS, **{hanna: "director"}).status_code == 302
    assert member(cast, "hanna").role == "director"
    refused = post(cast, MEMBERS, **{hanna: "host", olga: "player"})
    assert refused.status_code == 422
    assert "last owner" in text_of(refused)
    assert member(cast, "hanna").role == "director", "all or none"


def test_exact_names_fold_and_near_ones_are_asked_about(cast: Cast) -> None:
    names = "Farid S.\n kira  k., kira@riverside.example\nZoë Kay\nNew Person"
    asked = text_of(post(cast, INVITE, names=names, role="player", check="yes"))
    assert "2 names to check" in asked
    assert "It is Zoë K., RL04" in asked
    assert "2 names checked" in asked
    assert "1 is sent by mail. 3 get a QR card to print." in asked
    early = post(cast, INVITE, names=names, role="player", create="yes")
    assert early.status_code == 422
    assert "Line 3: “Zoë Kay” is not the name of one player." in text_of(early)
    assert not Invitation.objects.exists()
    keys = re.findall(r'<select id="(who-\w+)"', early.content.decode())
    made = post(
        cast, INVITE, names=names, role="host", create="yes", **{keys[0]: "RL04", keys[1]: "new"}
    )
    assert made.status_code == 302
    rows = Invitation.objects.order_by("pk").values_list("player__player_id", "role", "email")
    assert list(rows) == [
        ("RL01", "host", ""),
        ("RL03", "host", "kira@riverside.example"),
        ("RL04", "host", ""),
        ("P0001", "host", ""),
    ]
    assert Player.objects.get(player_id="P0001").name == "New Person"
    links = cast.client("olga").get(made["Location"])
    assert links.content.decode().count("http://testserver/invitations/") == 4
    cards = cast.client("olga").get(made["Location"].replace("?", "/cards?"))
    assert "3 QR cards" in text_of(cards)
    assert cards.content.decode().count("data:image/svg+xml") == 3


def test_uninvited_players_are_filled_in_once(cast: Cast) -> None:
    players(cast.riverside)
    Player.objects.filter(player_id="RL02").update(is_active=False)
    link(Player.objects.get(player_id="RL03"), cast.users["piet"])
    invite(actor=cast.actor("olga"), club=cast.riverside, role="player", now=NOW, player_id="RL04")
    assert listed(cast.client("olga").get(f"{INVITE}?fill=players")) == ["Farid S."]
    assert listed(post(cast, INVITE, names="Farid S.", role="player", fill="yes")) == ["Farid S."]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("Farid S.\nKira K., kira@", "Line 2: “kira@” is not an e-mail address."),
        ("Farid S., a@b.example c@d.example", "Line 1: “a@b.example c@d.example” is not"),
        ("Farid S.\nfarid s.", "Line 2: Farid S. (RL01) is in the list twice."),
        ("Jonas D.", "Line 1: Jonas D. (RL02) is already linked to an account."),
        ("", "There is nobody to invite."),
        (
            "\n".join(f"Guest {at}" for at in range(500)),
            "A club can create 200 invitations within a minute.",
        ),
    ],
)
def test_what_cannot_be_invited_is_said_with_its_line(cast: Cast, names: str, says: str) -> None:
    link(Player.objects.get(player_id="RL02"), cast.users["piet"])
    answer = post(cast, INVITE, names=names, role="player", create="yes")
    assert answer.status_code == 422
    assert says in summary(answer)
    assert not Invitation.objects.exists()


def test_pending_invitations_say_how_far_they_are(cast: Cast) -> None:
    def invited(player_id: str, email: str = "") -> Invitation:
        return invite(
            actor=cast.actor("olga"), club=cast.riverside, role="player", now=NOW,
            player_id=player_id, email=email,
        )  # fmt: skip

    invited("RL01")
    Invitation.objects.filter(pk=invited("RL02").pk).update(opened_at=NOW)
    mailed = invited("RL03", "kira@riverside.example")
    Outbox.objects.filter(about=f"invitation:{mailed.public_id}").update(parked=True)
    old = NOW - timedelta(days=15)
    Invitation.objects.filter(pk=invited("RL04").pk).update(
        created_at=old, expires_at=old + timedelta(days=14)
    )
    page = text_of(cast.client("olga").get(MEMBERS))
    for state in ("Not opened", "Opened, no account yet", "Mail refused", "Expired"):
        assert state in page
    assert "invited 3" in page
    again = post(cast, f"/clubs/riverside/invitations/{mailed.public_id}", resend="yes")
    assert again["Location"].startswith("/clubs/riverside/invitations?of=")
    assert "Kira K." in text_of(cast.client("olga").get(again["Location"]))
    assert Invitation.objects.get(pk=mailed.pk).revoked_at is not None
    newest = Invitation.objects.latest("pk")
    post(cast, f"/clubs/riverside/invitations/{newest.public_id}", revoke="yes")
    assert Invitation.objects.filter(revoked_at=None).count() == 3
