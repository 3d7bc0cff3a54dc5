"""A director edits a player and the account; a person chooses the name or claims a player."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client
from pytest_django import Settings

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.imports.player_lists import listed, run
from tests.support.pages.text import text_of
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.events import Event
from tournaments.services.clubs.clubs import add_guest, add_player
from tournaments.services.events.entrants import add_entrant
from tournaments.services.events.events import entrant_for
from tournaments.services.publishing.publications import publish

CLUB = "/clubs/riverside"
PAGE = f"{CLUB}/players/RL01"
EDIT = f"{CLUB}/edit-player/RL01"
NAMES = "/account/names"


@pytest.fixture
def xenia(cast: Cast) -> Player:
    event = league(cast.riverside)
    people = players(cast.riverside, "Xenia Smit", "Zoë K.", "Leo K.", "Anton S.")
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    return people[0]


def details(**changed: str) -> dict[str, str]:
    return {"name": "Xenia Smit", "nickname": "", "is_active": "on", **changed}


def test_director_mends_a_name_that_the_next_publication_says(dirk: Client, xenia: Player) -> None:
    assert "Edit player" in text_of(dirk.get(PAGE))
    assert "The number RL01 stays: results and addresses use it." in text_of(dirk.get(EDIT))
    saved = dirk.post(EDIT, details(name="Xenia Smits", nickname="Zed"), follow=True)
    assert saved.redirect_chain == [(PAGE, 302)]
    assert "Xenia Smits saved." in text_of(saved)
    publish(xenia.entries_in_events.get().event_id, now=NOW)
    assert "Xenia Smits" in text_of(Client().get(f"{CLUB}/events/league"))
    assert "Zed" not in text_of(Client().get(PAGE))
    changes = text_of(Client().get(f"{CLUB}/events/league/changes"))
    assert "Names changed, places are the same" in changes


def test_details_changed_by_somebody_else_are_not_overwritten(dirk: Client, xenia: Player) -> None:
    seen = dirk.get(EDIT).context["form"]["seen"].value()
    dirk.post(EDIT, details(nickname="Zed", seen=seen))
    refused = dirk.post(EDIT, details(nickname="Other", seen=seen))
    assert "Somebody changed this player meanwhile." in text_of(refused)


def test_person_chooses_the_number_and_the_public_reads_it_everywhere_at_once(
    cast: Cast, xenia: Player, piet: Client
) -> None:
    assert "No player is linked to your account" in text_of(piet.get(NAMES))
    link(xenia, cast.users["piet"])
    form = text_of(piet.get(NAMES))
    assert "As the club shows it Xenia Smit" in form
    assert "First name and initial Xenia S." in form
    sent = {"player": str(xenia.pk), f"player-{xenia.pk}-shown_as": "number"}
    saved = piet.post(NAMES, sent, follow=True)
    assert "Public pages of Riverside show you as RL01." in text_of(saved)
    for page in (PAGE, f"{CLUB}/events/league", f"{CLUB}/events/league/publications/1"):
        assert "Xenia" not in text_of(Client().get(page))
        assert "Xenia Smit" in text_of(piet.get(page))
    assert piet.post(NAMES, {"player": "0"}).status_code == 404
    assert "chooses how the name is shown" in text_of(cast.client("dirk").get(EDIT))


SAID = "The id pair-1 is already the code of a pair or team of “League”. Choose another player id."


@pytest.fixture
def event(cast: Cast) -> Event:
    people = players(cast.riverside, "Ann", "Ben", "Cleo", "Dan", "Eve")
    event = league(cast.riverside)
    assert add_entrant(by_tests(), event, kind="pair", players=people[:2]).code == "pair-1"
    return event


@pytest.fixture
def hal(cast: Cast, event: Event, tmp_path: Path) -> Player:
    """A member of that id, whom a list brought."""
    status, _, _ = run("--club", "riverside", listed(tmp_path, "player_id,name", "pair-1,Hal"))
    assert status == 0
    return Player.objects.get(club=cast.riverside, player_id="pair-1")


def test_player_under_the_code_of_a_pair_is_refused_on_pages(cast: Cast, event: Event) -> None:
    page = cast.client("dirk").post(f"{CLUB}/add-players", {"names": "pair-1,Hal"})
    assert SAID in text_of(page)
    admin = Client()
    admin.force_login(User.objects.create_superuser("ada"))
    typed = {"club": cast.riverside.pk, "player_id": "pair-1", "name": "Hal"}
    page = admin.post("/admin/tournaments/player/add/", typed)
    assert SAID in page.content.decode()
    assert not Player.objects.filter(player_id="pair-1").exists()


def test_ids_of_the_club_leave_out_codes_of_pairs(cast: Cast, event: Event, tmp_path: Path) -> None:
    people = list(Player.objects.filter(club=cast.riverside).order_by("player_id")[2:4])
    add_entrant(by_tests(), event, kind="pair", players=people, code="P0001")
    assert add_guest(by_tests(), cast.riverside, name="Ida").player_id == "P0002"
    names = {"names": "Kai\nLea"}
    plan = cast.client("dirk").post(f"{CLUB}/add-players", names)
    seen = plan.content.decode().partition('name="seen" value="')[2].partition('"')[0]
    cast.client("dirk").post(f"{CLUB}/add-players", {**names, "seen": seen, "add": "yes"})
    status, _, _ = run("--club", "riverside", listed(tmp_path, "player_id,name", ",Mia"))
    assert status == 0
    made = Player.objects.filter(club=cast.riverside, player_id__startswith="P0")
    assert list(made.order_by("player_id").values_list("player_id", flat=True)) == [
        "P0002",
        "P0003",
        "P0004",
        "P0005",
    ]


def test_player_alone_and_a_clash_get_the_next_codes(cast: Cast, event: Event, hal: Player) -> None:
    add_player(by_tests(), cast.riverside, name="Ivo", player_id="pair-1-2")
    assert add_entrant(by_tests(), event, kind="player", players=[hal]).code == "pair-1-3"
    ivo = Player.objects.get(player_id="pair-1-2")
    assert entrant_for(event=event, player=ivo).code == "pair-1-2"


CLEO = f"{CLUB}/players/RL01"


@pytest.fixture
def two(cast: Cast) -> Cast:
    """The cast, with two players, the second under a number with a slash."""
    players(cast.riverside, "Cleo S.", "Carla K.")
    Player.objects.filter(player_id="RL02").update(player_id="RL/02")
    return cast


def member(cast: Cast, name: str) -> str:
    return str(Membership.objects.get(club=cast.riverside, user=cast.users[name]).public_id)


def account_of(player_id: str) -> str:
    user = Player.objects.get(club__slug="riverside", player_id=player_id).user
    return user.username if user else ""


def decide(client: Client, page: str, to: str) -> Answer:
    match = re.search(r'action="([^"]*/claims/[^"]*/decide)"', client.get(page).content.decode())
    assert match
    return client.post(match[1], {"to": to}, follow=True)


@pytest.mark.parametrize("player_id", ["RL01", "RL/02"])
def test_director_links_a_member_and_unlinks_again(two: Cast, player_id: str) -> None:
    dirk, page = two.client("dirk"), f"{CLUB}/players/{player_id}"
    link = f"{CLUB}/link-player/{player_id}"
    assert "No account. Link account" in text_of(dirk.get(page))
    assert "piet (Player)" in text_of(dirk.get(link))
    linked = dirk.post(link, {"member": member(two, "piet")}, follow=True)
    assert linked.redirect_chain == [(page, 302)]
    assert "is linked. The member now acts as this player." in text_of(linked)
    assert "Account: piet." in text_of(linked)
    assert account_of(player_id) == "piet"
    assert "This is you." in text_of(two.client("piet").get(page))
    assert "piet (Player)" not in text_of(dirk.get(link))
    assert "has no account now." in text_of(dirk.post(link, {"unlink": "yes"}, follow=True))
    assert account_of(player_id) == ""


def test_member_says_this_is_me_and_a_director_confirms(two: Cast) -> None:
    piet = two.client("piet")
    assert 'action="/clubs/riverside/claim-player/RL01"' in piet.get(CLEO).content.decode()
    assert "Are you Cleo S.?" in text_of(piet.get(f"{CLUB}/claim-player/RL01"))
    response = piet.post(f"{CLUB}/claim-player/RL01", follow=True)
    assert "Your claim of Cleo S. (RL01) is pending. A director has to confirm it." in text_of(
        response
    )
    assert "claim-player" not in piet.get(f"{CLUB}/players/RL/02").content.decode()
    for name in ("olga", "dirk"):
        for page in (f"{CLUB}/players", f"{CLUB}/claims", CLEO, f"{CLUB}/members"):
            if (name, page) == ("dirk", f"{CLUB}/members"):
                continue
            says = "piet says: “This is me”, Cleo S. (RL01)"
            assert says in text_of(two.client(name).get(page)), page
    for name in ("", "hanna"):
        assert "This is me”" not in text_of(two.client(name).get(f"{CLUB}/players"))
    done = decide(two.client("dirk"), f"{CLUB}/claims", "confirm")
    assert "Claim confirmed: Cleo S. is linked to the account." in text_of(done)
    assert account_of("RL01") == "piet"


def test_stranger_claims_only_where_anybody_signs_up_and_becomes_a_member(
    two: Cast, settings: Settings
) -> None:
    more = players(two.riverside, "Hugo K.", "Mina D.")
    table(league(two.riverside), [*Player.objects.filter(name__startswith="C"), *more])
    Club.objects.filter(pk=two.riverside.pk).update(names_policy="number")
    Player.objects.update(public_name=F("player_id"))
    nora = two.client("nora")
    assert "This is me" not in text_of(nora.get(CLEO))
    assert nora.post(f"{CLUB}/claim-player/RL01").status_code == 403
    settings.SIGN_UP = "open"
    assert "This is me" in text_of(nora.get(CLEO))
    asked = text_of(nora.get(f"{CLUB}/claim-player/RL01"))
    text = text_of(nora.post(f"{CLUB}/claim-player/RL01", follow=True))
    own = nora.get(f"/api/v1{CLUB}/claims").json()["results"]
    assert ("Are you RL01?" in asked, "Cleo" in asked + text + str(own)) == (True, False)
    decide(two.client("dirk"), f"{CLUB}/claims", "confirm")
    member = Membership.objects.get(club=two.riverside, user=two.users["nora"])
    assert (member.role, account_of("RL01")) == ("player", "nora")


BEYOND_REACH = (
    "Mails in the mailboxes of others, texts in chats and messages to other programs that were "
    "sent keep the name, such as those with the result of an evening."
)


def test_pages_of_erasure_name_what_was_sent_and_is_beyond_reach(cast: Cast) -> None:
    player = players(cast.riverside, "Ada")[0]
    link(player, cast.users["piet"])
    for name, path in (("olga", "erase-player"), ("piet", "erasure-request")):
        page = text_of(cast.client(name).get(f"{CLUB}/{path}/RL01"))
        assert BEYOND_REACH in page
        assert "So do backups, files that somebody downloaded" in page
        assert "Results of evenings stay with their numbers" in page
