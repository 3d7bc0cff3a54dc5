"""A hundred hostile texts in each text field run nothing and break no page."""

import csv
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client

from tests.support.browser import DESK
from tests.support.builders import by_tests, counts, league, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.hostile_texts import HOSTILE
from tests.support.imports.imports import HEADS, imported
from tests.support.lengths import short_or_long
from tests.support.walks import Walks
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.policy import Actor
from tournaments.services.access.table_links import make_links
from tournaments.services.clubs.clubs import add_player, create_club
from tournaments.services.events.events import create_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.operations import Operation
from tournaments.services.publishing import publications
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

CLUB = "/clubs/riverside"
EVENT = f"{CLUB}/events/league"
TABLE = f"{EVENT}/tables/r1t1"
PAGES = (
    "/",
    CLUB,
    f"{CLUB}/players",
    f"{CLUB}/players/RL001",
    f"{CLUB}/add-players",
    f"{CLUB}/mappings",
    f"{CLUB}/new-event",
    f"{CLUB}/house-rules",
    f"{CLUB}/new-house-rules",
    f"{CLUB}/house-rules/h15",
    f"{CLUB}/house-rules/h15/change",
    f"{CLUB}/house-rules/h15/archive",
    f"{CLUB}/house-rules/h15/difference",
    f"{CLUB}/house-rules/h15/versions/1",
    "/my-tables",
    EVENT,
    f"{EVENT}/publications",
    f"{EVENT}/publications/1",
    f"{EVENT}/players/RL001",
    f"{EVENT}/meetings",
    f"{EVENT}/direct",
    f"{EVENT}/new-round",
    f"{EVENT}/links",
    f"{EVENT}/imports",
    f"{EVENT}/imports/1",
    f"{EVENT}/imports/1/problems/1",
    f"{EVENT}/rounds/1",
    f"{EVENT}/rounds/1/board",
    f"{EVENT}/rounds/1/direct",
    f"{EVENT}/rounds/1/pile",
    f"{EVENT}/rounds/1/links",
    f"{EVENT}/rounds/1/new-table",
    TABLE,
    f"{TABLE}/close",
    f"{TABLE}/grid",
    f"{TABLE}/photos",
    f"{TABLE}/read-back",
    f"{TABLE}/link",
    f"{TABLE}/seating",
    f"{TABLE}/hands/1",
    f"{TABLE}/hands/1/edit",
    f"{TABLE}/hands/1/void",
    f"{TABLE}/hands/new",
    f"{EVENT}/tables/r1t9",
)


def everywhere(folder: Path) -> Cast:
    """One club where each text is a player, an event, house rules, a reason, a note, a name beside
    an entry, a file and a name in it; and a club for each."""
    cast = enter_the_cast()
    club = cast.riverside
    for number, text in enumerate(HOSTILE, start=1):
        create_club(by_tests(), slug=f"x{number}", name=text)
        name = text.replace(",", ";")  # no name is taken with a comma
        add_player(by_tests(), club, name=name, player_id=f"RL{number:03d}")
        create_event(by_tests(), club, name=text, slug=f"e{number}", variant="hearts")
        make_house_rules(
            by_tests(),
            club,
            name=f"{text} rules",
            slug=f"h{number}",
            chosen=chosen_rules("omnibus-hearts", {"target": 61}, text),
        )
    event = league(club, name=HOSTILE[0])
    play(event)
    Club.objects.filter(pk=club.pk).update(name=HOSTILE[1])
    make_links(cast.operation("dirk"), Round.objects.get(event=event))
    bring(folder)
    publications.publish(event.pk, now=NOW)
    return cast


def play(event: Event) -> None:
    """Enter and correct a hundred hands, each with a text as note, reason and author."""
    people = [*Player.objects.filter(club=event.club).order_by("player_id")]
    for n in range(25):
        game = table(event, people[4 * n : 4 * n + 4], table_number=n + 1)
        for number in range(1, 5):
            enter(game, number, HOSTILE[4 * n + number - 1])
    game = Game.objects.get(event=event, table__code="r1t25")
    void_hand(by_tests(), game, number=1, reason=HOSTILE[2], based_on=2)
    move_game(by_tests(), game, to="abandoned", reason=HOSTILE[3])


def enter(game: Game, number: int, text: str) -> None:
    author = Actor("command", name=text, is_site_admin=True)
    for based_on, hearts in ((None, [4, 1, 2, 6]), (1, [4, 2, 1, 6])):
        record_entry(
            Operation(author, NOW), game, number=number, entry=counts(hearts, 3), source="host",
            note=text, reason=text if based_on else "", based_on=based_on,
        )  # fmt: skip


def bring(folder: Path) -> None:
    """Import a file that is called by a text, of tables whose people nobody knows."""
    file = folder / HOSTILE[14].replace("/", "")
    with file.open("w", encoding="utf-8", newline="") as out:
        lines = csv.writer(out)
        lines.writerow(HEADS.split(","))
        for n, text in enumerate(HOSTILE):
            hand, seat = divmod(n, 4)
            hearts, queen = (4, 1, 2, 6)[seat], int(seat == 3)
            lines.writerow(
                ["2025-11-13", 2 + hand, 1, "hearts", 1, "NESW"[seat], "", f"{text} {text}",
                 hearts, queen, "", "", ""]
            )  # fmt: skip
    imported(file)


@pytest.fixture
def dirk(db: None, tmp_path: Path) -> Client:
    """Dirk, who directs the club where all of it stands."""
    return everywhere(tmp_path).client("dirk")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_nothing_runs_in_a_browser_on_any_page(dirk: Client, walks: Walks) -> None:
    walk = walks(DESK, by=dirk)
    asked: list[str] = []
    walk.page.on("request", lambda request: asked.append(request.url))
    for path in PAGES:
        answer = walk.page.goto(path)
        assert answer is not None
        assert answer.status in (200, 404), path
        grown = walk.page.evaluate(GROWN)
        assert grown == [], path
    assert walk.wrong_but(404) == []
    assert [url for url in asked if not url.startswith((walks.url, "data:"))] == []


GROWN = """() => [...document.querySelectorAll(`
  main script:not([src^="/static/"]), main iframe, main img:not([src^="/qr.svg"]), main object,
  main embed, main style, main link, main meta,
  main base, main video, main math, main marquee, main xmp, main plaintext, main frameset
`)].map((one) => one.outerHTML).concat(
  [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes])
    .filter((one) => one.name.startsWith("on"))
    .map((one) => `${one.name}=${one.value}`)).concat(
  [...document.querySelectorAll("a[href], form[action], [formaction], [hx-get]")]
    .filter((one) => one.href?.startsWith("javascript:")
      || one.closest("[hx-get]:not(#live, #new-event *)"))
    .map((one) => one.outerHTML))"""
"""What no page of ours has below its main part, and no element anywhere."""


class Skeleton(HTMLParser):
    """The elements of a page with the names of their attributes, without what stands in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, *(name for name, _value in attrs)))


def skeletons(client: Client) -> dict[str, list[tuple[str, ...]]]:
    pages = (CLUB, EVENT, f"{EVENT}/rounds/1/board", TABLE, f"{TABLE}/hands/1",
             f"{TABLE}/hands/new")  # fmt: skip
    return {page: Skeleton(client.get(page).content.decode()).found for page in pages}


PLACES = 4
"""Where a text stands: as a club's name, an event's and the players', and at what is entered."""


def in_one_place_each() -> list[tuple[str, ...]]:
    """Every text once, as many together as there are places."""
    return [HOSTILE[n : n + PLACES] for n in range(0, len(HOSTILE), PLACES)]


@pytest.mark.tier_all
def test_page_is_the_same_page_whatever_its_club_event_and_people_are_called(db: None) -> None:
    cast = enter_the_cast()
    event = league(cast.riverside)
    people = [
        add_player(by_tests(), cast.riverside, name=f"Plain {n}", player_id=f"RL{n}")
        for n in range(1, 5)
    ]
    game = table(event, people)
    enter(game, 1, "Plain")
    publications.publish(event.pk, now=NOW)
    client = cast.client("dirk")
    plain = skeletons(client)
    for texts in short_or_long(in_one_place_each(), [(text,) * PLACES for text in HOSTILE]):
        of_club, of_event, of_people, of_entry = texts
        Club.objects.filter(slug="riverside").update(name=of_club)
        Event.objects.update(name=of_event)
        Player.objects.update(name=of_people, public_name=of_people)
        entries = game.hands.get(number=1).entries
        entries.update(note=of_entry, entered_as=of_entry)
        entries.filter(revision=2).update(reason=of_entry)
        Event.objects.get().publications.all().delete()
        publications.publish(event.pk, now=NOW)
        assert skeletons(client) == plain, texts
