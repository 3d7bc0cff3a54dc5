"""A club's people, from the set-up link to a mended name, through its own pages only.

Olga owns the club, Dirk directs, Hanna and Henk are hosts, Cleo and Farid play. At phone and desk
width, with nothing on the console, nothing that axe finds, nothing wider than the screen.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk, leave_for
from tests.support.walks import Walks, elsewhere
from tournaments.models.events import Event
from tournaments.tasks import publish_event, publish_ladder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DIRECTOR, HOSTS = "Dirk V.", ("Hanna H.", "Henk B.")
TYPED, MEANT = "Fraid D.", "Farid D."
"""A player as the list has him, and as he is called."""
PLAYERS = (
    *("Cleo S.", TYPED, "Jonas K.", "Kira S.", "Lars D.", "Mina K."),
    *("Nico S.", "Pavel D.", "Quinn K.", "Rosa S.", "Zoë D."),
)
NAMES = (DIRECTOR, *HOSTS, *PLAYERS)
PASSWORD = "Nine lives, one queen"
CLUB = "/clubs/riverside"
LEAGUE, LADDER = f"{CLUB}/events/league", f"{CLUB}/events/ladder"
TABLE = f"{LEAGUE}/tables/r1t1"


@dataclass
class People:
    """Everybody with a device of their own, which is made when it is first asked for."""

    open: Walks
    walks: dict[str, Walk] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Walk:
        """Olga and Dirk sit at a desk and look at a phone too; all others have a phone."""
        if name not in self.walks:
            screens = (PHONE, DESK) if name in ("Olga", "Dirk") else (DESK, PHONE)
            self.walks[name] = self.open(*screens)
        return self.walks[name]


@pytest.fixture
def people(setup: str, walks: Walks) -> People:
    return People(walks)


def published() -> None:
    """Do what a worker does after a change."""
    for event in Event.objects.all():
        publish_event(event.pk)
        if event.kind == "ladder":
            publish_ladder(event.pk)


def sign_up(walk: Walk, mail: str, *, welcome: str = "") -> None:
    """Create an account with the form one is at, and put the passkey off."""
    walk.page.get_by_label("E-mail address").fill(mail)
    walk.page.get_by_label("Password", exact=True).fill(PASSWORD)
    walk.press("Create account")
    expect(walk.page.get_by_role("main")).to_contain_text(welcome)
    walk.follow("Not now")


def open_card(people: People, name: str, link: str) -> None:
    """Scan somebody's card, and sign up."""
    first = name.split(maxsplit=1)[0]
    walk = people[first]
    walk.page.goto(link)
    walk.look()
    expect(walk.page.get_by_role("heading", level=1)).to_have_text(f"Join Riverside as {name}")
    sign_up(walk, f"{first.lower()}@riverside.example", welcome=f"You are {name} (P00")


@pytest.mark.tier_long
def test_people_get_in_by_themselves_and_only_where_they_belong(people: People, setup: str) -> None:
    olga = people["Olga"]
    _create_club(olga, setup)
    cards = _invite_everybody(olga)
    for name in (DIRECTOR, *HOSTS, "Cleo S.", TYPED):
        open_card(people, name, cards[name])
    _link_by_hand(people["Dirk"], "Olga R.", "olga (Owner)")
    _play_round(people["Dirk"], people["Hanna"])
    _remove_host(olga, people["Hanna"])
    _hold_and_release(people["Dirk"], people["Cleo"])
    _report_problem(people["Cleo"])
    _challenge(people["Dirk"], people["Cleo"], people["Fraid"])
    _mend_name(people["Dirk"], people["Cleo"])
    for name, walk in people.walks.items():
        refused = 403 if name == "Hanna" else 404
        assert walk.wrong_but(refused) == [], name


def _create_club(olga: Walk, setup: str) -> None:
    olga.page.goto(f"/setup/{setup}")
    olga.look()
    olga.page.get_by_label("User name (optional)").fill("olga")
    sign_up(olga, "olga@riverside.example")
    expect(olga.page.get_by_role("heading", name="Create club")).to_be_visible()
    olga.page.get_by_label("Name of the club").fill("Riverside")
    olga.press("Create club")


def _invite_everybody(olga: Walk) -> Mapping[str, str]:
    """Paste fourteen names, invite them with three roles, print a card each; returns the links."""
    page = olga.page
    olga.follow("Add players", nth=0)
    page.get_by_label("Names").fill("\n".join(NAMES))
    olga.press("Preview")
    olga.press("Add 14 players")
    page.goto(CLUB)
    olga.follow("Members")
    for role, names in (("Director", (DIRECTOR,)), ("Host", HOSTS)):
        olga.follow("Invite others")
        page.get_by_label("Names").fill("\n".join(names))
        page.get_by_role("radio", name=role).check()
        olga.press("Check names")
        n = len(names)
        olga.press(f"Create {n} invitation{'s' if n > 1 else ''}")
        olga.follow("Back to members")
    olga.follow("Invite 11 players")
    olga.press("Create 11 invitations")
    olga.follow("Back to members")
    olga.follow("Print QR cards")
    expect(page.locator(".qrc")).to_have_count(len(NAMES))
    assert len(page.pdf(prefer_css_page_size=True)) > 10_000
    page.goto(f"{CLUB}/invitations")
    olga.look()
    boxes = page.get_by_role("textbox", name=re.compile("^Link for")).all()
    return {
        str(box.get_attribute("aria-label")).removeprefix("Link for "): box.input_value()
        for box in boxes
    }


def _link_by_hand(dirk: Walk, name: str, account: str) -> None:
    page = dirk.page
    page.goto(CLUB)
    dirk.follow("Add players")
    page.get_by_label("Names").fill(name)
    dirk.press("Preview")
    dirk.press("Add 1 player")
    dirk.follow("All players")
    dirk.follow(name)
    dirk.follow("Link account")
    page.get_by_label("Member").select_option(label=account)
    dirk.press("Link account")
    expect(page.get_by_text("Account: olga.")).to_be_visible()


def _play_round(dirk: Walk, hanna: Walk) -> None:
    """Dirk makes a league and seats its first table; Hanna enters a hand there."""
    page = dirk.page
    page.goto(CLUB)
    dirk.follow("New event", nth=0)
    page.get_by_label("Name of the event").fill("League")
    dirk.press("Create event")
    dirk.press("Open event")
    dirk.follow("New round", nth=0)
    dirk.press("Create round")
    dirk.follow("Seat a table")
    for seat, who in enumerate(("Cleo S.", TYPED, "Jonas K.", "Kira S."), start=1):
        page.get_by_label(f"Seat {seat}", exact=True).fill(who)
    dirk.press("Seat players")
    dirk.press("Post round")
    hanna.page.goto(CLUB)
    with hanna.page.expect_navigation():
        hanna.page.get_by_role("link", name="My tables").click()
    hanna.look()
    hanna.follow("Table 1")
    _fill_hand(hanna)
    hanna.press("Save hand 1")
    expect(hanna.page.get_by_text("Hand 1 saved.")).to_be_visible()
    elsewhere(published)


def _fill_hand(hanna: Walk) -> None:
    for seat, hearts in enumerate((3, 3, 3, 4), start=1):
        hanna.page.locator(f"#hearts-{seat}").fill(str(hearts))
    hanna.page.locator("#hearts-3").press("q")


def _remove_host(olga: Walk, hanna: Walk) -> None:
    """Hanna's page of hand 2 is open while she is removed; its next request is refused."""
    page = olga.page
    page.goto(f"{CLUB}/members")
    with page.expect_navigation():
        page.get_by_role("link", name="Remove Hanna H.").click()
    olga.look()
    olga.press("Remove member")
    expect(page.get_by_text("Hanna H. was removed.")).to_be_visible()
    _fill_hand(hanna)
    hanna.page.get_by_role("button", name="Save hand 2").click()
    expect(hanna.page.get_by_role("heading", name="1 hand not sent yet")).to_be_visible()
    leave_for(hanna.page, f"{TABLE}/hands/new")
    hanna.look(again=True)
    expect(hanna.page.get_by_role("heading", name="Not allowed")).to_be_visible()


def _hold_and_release(dirk: Walk, cleo: Walk) -> None:
    """While the results are held, the league does not exist for a player."""
    dirk.page.goto(f"{LEAGUE}/direct")
    dirk.follow("Visibility", exact=False)
    dirk.page.get_by_role("radio", name="Directors only").check()
    dirk.press("Change visibility")
    cleo.page.goto(LEAGUE)
    cleo.look()
    expect(cleo.page.get_by_role("heading", name="No such event")).to_be_visible()
    dirk.press("Release results")
    cleo.page.goto(LEAGUE)
    cleo.look(again=True)
    expect(cleo.page.get_by_role("link", name="Jonas K.")).to_be_visible()


def _report_problem(cleo: Walk) -> None:
    """Cleo finds herself by her name at the top, and disputes a hand of her table."""
    page = cleo.page
    with page.expect_navigation():
        page.get_by_role("banner").get_by_role("link", name="your page").click()
    cleo.look()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cleo S.")
    page.goto(f"{CLUB}/players/P0004")
    expect(page.get_by_text("This is you.")).to_be_visible()
    cleo.look()
    page.goto(TABLE)
    cleo.follow("Report a problem")
    page.get_by_label("Problem").fill("I had 4 hearts.")
    cleo.press("Report problem")
    page.goto("/me")
    cleo.look(again=True)
    expect(page.get_by_text("Your dispute 1 is open")).to_be_visible()


def _challenge(dirk: Walk, cleo: Walk, farid: Walk) -> None:
    """Dirk makes a ladder; Cleo challenges, Farid accepts and enters that he won, Cleo confirms."""
    page = dirk.page
    page.goto(f"{CLUB}/new-event")
    page.get_by_label("Name of the event").fill("Ladder")
    page.get_by_role("radio", name="Ladder").check()
    dirk.press("Create event")
    dirk.press("Open event")
    page.goto(f"{LADDER}/ladder")
    dirk.look()
    for name in (TYPED, "Cleo S.", "Jonas K.", "Kira S."):
        page.goto(f"{LADDER}/new-entrant?kind=player")
        page.get_by_label("Player 1", exact=True).fill(name)
        dirk.press("Add entrant")
    elsewhere(published)

    cleo.page.goto(f"{LADDER}/ladder")
    cleo.look()
    cleo.press(f"Challenge {TYPED}, place 1")
    farid.page.goto("/me")
    farid.look()
    farid.press("Accept (challenge 1)")
    farid.follow("Enter result (challenge 1)")
    for who, points in (("Cleo S.", "35"), (TYPED, "20"), ("seat 3", "49")):
        farid.page.get_by_label(f"Points of {who}").fill(points)
    farid.page.get_by_label("Player in seat 3").select_option("P0006")
    farid.press("Save result")
    cleo.page.goto("/me")
    cleo.look(again=True)
    cleo.press("Confirm result (challenge 1)")
    expect(cleo.page.get_by_text("Result confirmed.")).to_be_visible()


def _mend_name(dirk: Walk, cleo: Walk) -> None:
    page = dirk.page
    page.goto(f"{CLUB}/players")
    dirk.follow(TYPED)
    dirk.follow("Edit player")
    page.get_by_label("Name", exact=True).fill(MEANT)
    dirk.press("Save player")
    elsewhere(published)
    for address in (LEAGUE, f"{LADDER}/ladder"):
        cleo.page.goto(address)
        expect(cleo.page.get_by_role("link", name=MEANT).first).to_be_visible()
        expect(cleo.page.get_by_text(TYPED)).to_have_count(0)
