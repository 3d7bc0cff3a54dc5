"""A page says nothing that REST hides: the names and hands of pages are in answers of REST.

The public and a member follow the links of the pages of the demo club, and of a club with a strict
policy for names. A name on a page about an event is in an answer of REST about that event, a name
on another page of the club in any answer about the club. A hand on a page has the points of REST.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import resolve

from api.v1.standings.standings import CACHED_PUBLICATIONS
from tests.support.builders import by_tests, publish_all
from tests.support.cast import NOW, Cast
from tests.support.lengths import short_or_long
from tests.support.pages.hidden_names import NOT_WALKED
from tests.support.pages.html_tree import Node, exact, number, rows, tree
from tests.support.routes import routes
from tests.support.scenarios.demo_club import demo_club
from tests.support.scenarios.private_club import hidden
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event, Season
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season

pytestmark = [pytest.mark.django_db, pytest.mark.tier_all, pytest.mark.timeout(1800)]

CLUB = "/clubs/riverside"
OF_EACH = short_or_long(2, 10_000)
"""How many pages of a route are asked for in each event."""
LINKS = re.compile(r'(?:href|hx-get)="(/[^"#?]*)')
AREA = re.compile(r"(?:/api/v1)?/clubs/riverside(?:/events/([^/]+))?")
TABLE = re.compile(rf"{CLUB}/events/[^/]+/tables/[^/]+")


@dataclass
class Caller:
    client: Client
    words: re.Pattern[str]
    on_pages: dict[str, dict[str, str]] = field(default_factory=dict)
    """Event → name → a page that shows it."""
    over_rest: dict[str, set[str]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    hands: int = 0
    other_hands: list[str] = field(default_factory=list)
    """Hands that pages show otherwise than REST, or that REST does not show."""

    def get(self, path: str) -> str:
        answer: Any = self.client.get(path)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        self.asked["rest" if path.startswith("/api") else "pages"] += 1
        return body.decode("utf-8", "replace") if answer.status_code == 200 else ""

    def found(self, text: str) -> set[str]:
        return set(self.words.findall(text))

    def walk(self) -> None:
        """Ask for the pages that the club's page leads to, and for REST about the same."""
        waiting, seen = [CLUB], {CLUB}
        of_route: Counter[tuple[str, str]] = Counter()
        done = set()
        while waiting:
            path = waiting.pop(0)
            done.add(path)
            text = html.unescape(self.get(path))
            for name in self.found(text):
                self.on_pages.setdefault(area(path), {}).setdefault(name, path)
            if TABLE.fullmatch(path) and text:
                self.compare_hands(path, tree(text))
            for to in LINKS.findall(text):
                if to in seen or not to.startswith(CLUB) or to.startswith(NOT_WALKED):
                    continue
                seen.add(to)
                kind = (resolve(to).route, area(to))
                of_route[kind] += 1
                if of_route[kind] <= OF_EACH:
                    waiting.append(to)
        for path in rest_addresses(done):
            self.read(path)

    def read(self, path: str) -> None:
        """Keep the names in an answer of REST, and in the pages of a list that follow it."""
        while path:
            text = self.get(path)
            names = self.found(text)
            self.over_rest.setdefault(area(path), set()).update(names)
            self.over_rest.setdefault("", set()).update(names)
            following = re.search(r'"next":"http://testserver([^"]+)"', text)
            path = following[1] if following else ""

    def compare_hands(self, path: str, page: Node) -> None:
        answer = self.client.get(f"/api/v1{path}/hands")
        listed = answer.json()["results"] if answer.status_code == 200 else []
        there = {one["number"]: points(one["seats"]) for one in listed}
        sheet = page.first("table", "sheet")
        for row, cells in rows(sheet) if sheet else []:
            link = cells[0].first("a") if cells else None
            if link is None or "notes" in row.css:
                continue
            here = [
                (number(one.text), number(total.text.removeprefix("total")))
                for one, total in zip(row.all("span", "pts"), row.all("span", "run"), strict=True)
            ]
            n = int(link.attrs["href"].rpartition("/")[2])
            self.hands += 1
            of_rest = there.get(n, [])
            # A page has one column a side, REST one entry a seat.
            if set(here) != set(of_rest) or Counter(here) - Counter(of_rest):
                self.other_hands.append(f"{path}/hands/{n}: {here} on the page, {there.get(n)}")

    def leaks(self) -> list[str]:
        return [
            f"{name}: {path}"
            for event, names in sorted(self.on_pages.items())
            for name, path in sorted(names.items())
            if name not in self.over_rest.get(event, set())
        ]


def area(path: str) -> str:
    """The event that an address is about, or nothing where it is the club."""
    found = AREA.match(path)
    return (found[1] or "") if found else ""


def points(seats: Sequence[dict[str, Any]]) -> list[tuple[Any, Any]]:
    return [(exact(seat["score"]), exact(seat["total"])) for seat in seats]


@cache
def rest_routes() -> Sequence[str]:
    """The routes of REST that are read about an event or the club without a further name."""
    named = ("<name:club>", "<name:event>", "<name:season>")
    found = []
    for route in routes():
        rest = route.pattern
        for name in named:
            rest = rest.replace(name, "")
        if route.pattern.startswith("api/v1/clubs/<") and "<" not in rest:
            found.append(route.pattern)
    return found


def rest_addresses(pages: set[str]) -> Iterator[str]:
    """REST about the club, its events and seasons, and about the tables of these pages."""
    events = Event.objects.filter(club__slug="riverside").values_list("slug", flat=True)
    for route in rest_routes():
        path = "/" + route.replace("<name:club>", "riverside")
        if "<name:event>" in path:
            yield from (path.replace("<name:event>", slug) for slug in events)
        elif "<name:season>" in path:
            for season in Season.objects.filter(club__slug="riverside"):
                yield path.replace("<name:season>", season.slug)
        else:
            yield path
    for path in sorted(pages):
        if TABLE.fullmatch(path):
            yield f"/api/v1{path}"
            yield f"/api/v1{path}/hands"


def strict(tmp_path: Path, policy: str) -> Cast:
    """A club with texts that hold names, and a policy for names that hides them."""
    world = hidden(tmp_path)
    club = world.cast.riverside
    Event.objects.filter(club=club).exclude(slug__startswith="members").update(visibility="public")
    for player in Player.objects.filter(club=club, name__startswith="Zqheldplayer")[:3]:
        change_player(by_tests(), player, nickname=f"Nick {player.player_id}")
    set_names_policy(by_tests(), club, policy=policy)
    return world.cast


def published(cast: Cast) -> None:
    for event in Event.objects.filter(club=cast.riverside):
        publish(event.pk, now=NOW)
        if event.kind == "ladder":
            publish_all(event)
    for season in Season.objects.filter(club=cast.riverside):
        publish_season(season.pk, now=NOW)
    CACHED_PUBLICATIONS.forget()


def words(cast: Cast) -> re.Pattern[str]:
    names = {
        one
        for row in Player.objects.filter(club=cast.riverside).values_list(
            "name", "nickname", "public_name"
        )
        for one in row
        if one and not re.fullmatch(r"[A-Z]{1,2}\d*", one)
    }
    longest = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")


MADE: dict[str, Callable[[Path], Cast]] = {
    "demo": lambda path: demo_club(),
    "initials": lambda path: strict(path, "initial"),
    "nicknames": lambda path: strict(path, "nickname"),
    "numbers": lambda path: strict(path, "number"),
}


@pytest.mark.tier_long
@pytest.mark.parametrize("made", short_or_long(["nicknames"], list(MADE)))
def test_page_says_nothing_that_rest_hides(
    made: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cast = MADE[made](tmp_path)
    published(cast)
    cast.users["mia"] = mia = User.objects.create_user("mia")
    Membership.objects.create(club=cast.riverside, user=mia, role="player")
    callers = {
        name: Caller(client, words(cast))
        for name, client in (("public", Client()), ("member", cast.client("mia")))
    }
    for name, caller in callers.items():
        caller.walk()
        with capsys.disabled():
            shown = sum(map(len, caller.on_pages.values()))
            print(
                f"\n{made}, {name}: {caller.asked['pages']} pages, {caller.asked['rest']} answers "
                f"of REST, {shown} names by event, {caller.hands} hands"
            )
        assert caller.hands > 0
        assert any(caller.on_pages.values())
    leaks = [f"{name}: {leak}" for name, one in callers.items() for leak in one.leaks()]
    assert not leaks, "\n".join(leaks)
    hands = [f"{name}: {other}" for name, one in callers.items() for other in one.other_hands]
    assert not hands, "\n".join(hands)
