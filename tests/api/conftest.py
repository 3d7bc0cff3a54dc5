"""Riverside with three leagues, one for each visibility, and Hilltop, the other club."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from api.urls import urlpatterns
from api.v1.standings.standings import CACHED_PUBLICATIONS
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lock_order import locks_in_order as locks_in_order
from tests.support.module_scope import Once, once_a_module
from tests.support.rest.requests import SignIn
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Publication
from tournaments.services.publishing.publications import publish

OF_THEIR_OWN = (
    *("/imports", "<name:house>", "<name:season>", "/preview", "/difference/"),
    *("/ladder", "/ratings", "/challenges/<number:number>", "/playoffs/<number:number>"),
    *(
        "/stages/<number:number>",
        "/players/<name:player_id>/link",
        "<name:token>",
        "<name:webhook>",
        "<name:member>",
        "<name:invitation>",
        "<name:kind>",
        "<name:id>",
        "<uuid:claim>",
        "<name:plan>",
        "/constraints",
        "/links",
        "/boards/",
        "<name:day>",
        "/seating-list.pdf",
        "/table-cards.pdf",
        "/score-sheets.pdf",
        "/photos",
        *("/double-entry", "/disputed-hands", "/sheet-check", "/mappings"),
    ),
)
FOR_OWNERS = re.compile(
    r"clubs/[^/]+/(audit(/refused)?|tokens|members|invitations|export|mail|webhooks|players/[^/]+/data)(\.csv)?$"
)
"""Lists of a club for its owners or directors; tests/api/access and tests/api/clubs have tests."""
FOR_AN_ACCOUNT = re.compile(
    r"^/?(api/v1/)?(me|tokens)(/|\.|$)|clubs/[^/]+/(claims|waiting)(\.csv)?$"
)
"""What an account reads of itself; it has tests of its own."""
NAMES = ("Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")


@dataclass(frozen=True, slots=True)
class Evening:
    """One table of four with two hands, published."""

    cast: Cast
    people: list[Player]
    event: Event
    game: Game
    publication: Publication

    @property
    def at(self) -> str:
        return f"/api/v1/clubs/riverside/events/{self.event.slug}"


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """A process that has served nothing yet."""
    CACHED_PUBLICATIONS.forget()


def play_one(
    cast: Cast, people: list[Player], slug: str = "league", visibility: str = "public"
) -> Evening:
    """Make a league with one table and two hands, and publish it."""
    event = league(cast.riverside, slug=slug, name="League", visibility=visibility)
    game = table(event, people)
    hand(game, 1, [4, 1, 2, 6], 3)
    hand(game, 2, [0, 13, 0, 0], 0)
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    return Evening(cast, people, event, game, publication)


def first_evening() -> Evening:
    """Make both clubs with everybody in them, and the public league."""
    cast = enter_the_cast()
    return play_one(cast, players(cast.riverside, *NAMES))


@pytest.fixture(scope="module")
def evening_once(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Once[Evening]]:
    yield from once_a_module(request, django_db_blocker, first_evening, "evening")


@pytest.fixture
def begun(evening_once: Once[Evening], db: None) -> Evening | None:
    return evening_once.given()


@pytest.fixture
def cast(begun: Evening | None) -> Cast:
    return begun.cast if begun else enter_the_cast()


@pytest.fixture
def riverside(begun: Evening | None, cast: Cast) -> list[Player]:
    return begun.people if begun else players(cast.riverside, *NAMES)


@pytest.fixture
def play(cast: Cast, riverside: list[Player]) -> Callable[..., Evening]:
    """Make a league with one table and two hands, and publish it."""
    return partial(play_one, cast, riverside)


@pytest.fixture
def evening(begun: Evening | None, play: Callable[..., Evening]) -> Evening:
    return begun or play()


@pytest.fixture
def signed_in(cast: Cast) -> SignIn:
    return cast.client


def addresses(pattern: str, **names: object) -> list[str]:
    """Every address that is read below `pattern`, with `names` filled in.

    Imports are for those who may import, house rules and two publications are not always there, so
    they have tests of their own (test_deferred_imports, test_house_rules, test_history); a
    preview is only asked for. So have seasons (test_seasons among the journeys), ladders
    (test_ladders) and single play-offs (tests/tournaments/services/playoffs/test_tables).
    """
    found = []
    views: list[tuple[str, Any]] = [(str(each.pattern), each.callback) for each in urlpatterns]
    for route, view in views:
        if "get" not in view.rights or any(part in route for part in OF_THEIR_OWN):
            continue
        if FOR_OWNERS.search(route) or FOR_AN_ACCOUNT.search(route):
            continue
        if route.startswith(pattern):
            found.append("/api/v1/" + filled(route, names))
    return found


def is_for_importers(path: str) -> bool:
    """Whether an address is there for those only who may import."""
    return "/imports" in path or path.endswith(("/sheets.csv", "/sheets.xlsx"))


def is_for_directors(path: str) -> bool:
    """Whether an address is there for directors and owners only."""
    return path.removesuffix(".csv").endswith(("/jobs", "/contact", "/personal-link", "/aliases"))


def is_for_members(path: str) -> bool:
    """Whether an address is there for members alone, also of an event that anybody may read."""
    return path.removesuffix(".csv").endswith("/result-notes")


def filled(route: str, names: Mapping[str, object]) -> str:
    """A route with its names filled in."""
    for name, value in names.items():
        for kind in ("name", "number", "uuid"):
            route = route.replace(f"<{kind}:{name}>", str(value))
    assert "<" not in route, f"give a value for each name of {route}"
    return route
