"""Every address of the site as a page, judged by axe on a phone and a desk.

The addresses are those of Django's resolver, so a page that is added is looked at. A director, a
host, who holds a table's link and the public ask for each of them; what came to somebody before
them with the same elements and words is not judged twice. In the short form a director asks for
each page, and the forty that have most kinds of elements between them are judged, on one screen.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import DESK, PHONE, launched, walk_in
from tests.support.builders import by_tests, hand
from tests.support.cast import NOW, enter_the_cast
from tests.support.imports.imports import imported, rows, written
from tests.support.imports.other_programs import BY_SEAT, SEATS_PLAN, as_csv, seat_rows
from tests.support.lengths import is_long, short_or_long
from tests.support.pages.photos import picture, upload
from tests.support.routes import Route, routes
from tests.support.scenarios.ladders import climbing
from tests.support.scenarios.table_links import EVENT, Linked, linked
from tests.support.seasons import assign_event, autumn_season
from tournaments.documents.read.column_plan import plan_from
from tournaments.models.events import Snapshot
from tournaments.services.imports.column_mappings import save_mapping
from tournaments.services.publishing import publications
from tournaments.services.publishing.season_table import publish_season
from tournaments.services.rules.house_rules import add_version, chosen_rules, make_house_rules

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES: Mapping[str, object] = {
    "club": "riverside",
    "event": "league",
    "code": "r1t1",
    "player_id": "RL01",
    "variant": "hearts",
    "slug": "ours",
    "season": "autumn",
}
ELSEWHERE: Mapping[str, Mapping[str, object]] = {
    "/imports/<int:number>/columns": {"number": 2},
    "/versions/<int:number>/delete": {"number": 2},
    "help/<slug:name>": {"name": "glossary"},
    "help/<slug:folder>/<slug:name>": {"folder": "algorithms", "name": "moon"},
}
"""How an address ends whose page is there for another number than 1."""
OF_A_LADDER = re.compile(r"<slug:event>/(ladder|ratings|charts/ratings|challenges|absences)")
"""Addresses that another event answers: one with a table, challenges and an absence."""
E = "clubs/<slug:club>/events/<slug:event>"
ASKED = {
    "variants/compare": "?a=hearts&b=black-lady",
    f"{E}/ladder/what-if": "?player=A&player=B&player=C",
}
BOTH = (PHONE, DESK)
"""Screens; in its short form each page is judged on the one or the other, in turn."""
JUDGED = 40
"""So many pages are judged in the short form."""
NO_PAGES = ("admin/", "api/")
"""Django's own pages, and what is no page, but for a reference that a package draws."""


@pytest.fixture
def night(db: None, tmp_path: Path) -> Linked:
    """A table with a moon, a correction, a link and a photo; an import that asks; house rules."""
    night = linked(enter_the_cast())
    club, dirk = night.cast.riverside, night.cast.client("dirk")
    hand(night.game, 2, [13, 0, 0, 0], queen=0, slam_choice="self")
    hand(night.game, 1, [4, 2, 1, 6], queen=3, based_on=1, reason="East and South were swapped.")
    strangers = {"N": "X1,Nora Q.", "E": "X2,Ed Q.", "S": "X3,Sue Q.", "W": "X4,Will Q."}
    imported(written(tmp_path, rows(cast=strangers)))
    foreign = as_csv(tmp_path / "night.csv", BY_SEAT, seat_rows())
    with foreign.open("rb") as file:
        assert dirk.post(f"{EVENT}/imports/new", {"file": file})["Location"].endswith("/2/columns")
    save_mapping(by_tests(), club, name="Tuesdays", plan=plan_from(SEATS_PLAN))
    house = make_house_rules(
        by_tests(),
        club,
        name="Ours",
        slug="ours",
        chosen=chosen_rules("hearts", {"target": 50}, ""),
    ).variant
    add_version(by_tests(), house, chosen=chosen_rules("hearts", {"target": 60}, ""))
    dirk.post(f"{night.table}/photos", {"photo": upload(picture())})
    season = autumn_season(club)
    assign_event(night.game.event, season)
    climbing(night.cast)
    publications.publish(night.game.event_id, now=NOW)
    publish_season(season.pk, now=NOW)
    return night


@dataclass(frozen=True, slots=True)
class Seen:
    path: str
    status: int


def readers(night: Linked) -> dict[str, Client]:
    """Who asks; whoever sees most comes first."""
    director = {"director": night.cast.client("dirk")}
    if not is_long():
        return director
    host, holder = night.cast.client("hanna"), night.holder(name="Hanne")
    return {**director, "host": host, "holder": holder, "public": Client()}


def address(route: Route, names: Mapping[str, object]) -> str:
    """The address of a route, where possible of something that is there."""
    more = [found for end, found in ELSEWHERE.items() if route.pattern.endswith(end)]
    if OF_A_LADDER.search(route.pattern):
        more = [{"event": "ladder", "player_id": "G"}]
    return route.path({**names, **(more[0] if more else {})}) + ASKED.get(route.pattern, "")


def pages(clients: Mapping[str, Client]) -> dict[str, list[Seen]]:
    """What each reader is to look at: whatever has elements that nobody before them was shown."""
    names = {**NAMES, "version": Snapshot.objects.all()[0].short_hash}
    known: dict[str, set[str]] = {}
    found: dict[str, dict[Seen, set[str]]] = {}
    for reader, client in clients.items():
        for route in routes():
            if route.pattern.startswith(NO_PAGES):
                continue
            path = address(route, names)
            answer = client.get(path)
            if answer.status_code == 302 or "text/html" not in answer.headers["Content-Type"]:
                continue
            kind = path if answer.status_code == 200 else str(answer.status_code)
            shown = elements(answer.content.decode())
            if not shown <= known.setdefault(kind, set()):
                known[kind] |= shown
                found.setdefault(reader, {})[Seen(path, answer.status_code)] = shown
    assert sum(map(len, found.values())) > 85  # the resolver was walked, and gave pages
    return {reader: list(seen) if is_long() else richest(seen) for reader, seen in found.items()}


def richest(pages: Mapping[Seen, set[str]]) -> list[Seen]:
    """Some pages, each the one with most of what those before it lack."""
    chosen: list[Seen] = []
    lacking = set().union(*pages.values())
    while lacking and len(chosen) < JUDGED:
        chosen.append(max(pages, key=lambda page: len(pages[page] & lacking)))
        lacking -= pages[chosen[-1]]
    return chosen


def elements(page: str) -> set[str]:
    """The kinds of elements below the main part of a page: name, class, role, type."""
    main = page.partition("<main")[2].partition("</main>")[0]
    return {
        " ".join([name, *re.findall(r'(?:class|role|type)="[^"]*"', attributes)])
        for name, attributes in re.findall(r"<([a-z]\w*)([^>]*)>", main)
    }


def test_axe_finds_nothing_anywhere(night: Linked, live_server: LiveServer, chromium: str) -> None:
    clients = readers(night)
    asked = pages(clients)
    cookies: dict[str, Any] = {
        reader: [
            {"name": name, "value": one.value, "url": live_server.url}
            for name, one in client.cookies.items()
        ]
        for reader, client in clients.items()
    }
    wrong = []
    with launched(chromium) as browser:
        for reader, seen in asked.items():
            walk = walk_in(browser, live_server.url, *BOTH)
            walk.page.context.add_cookies(cookies[reader])
            # One screen after the other: a page is drawn again when its screen changes.
            for number, one in sorted(enumerate(seen), key=lambda each: each[0] % 2):
                walk.page.goto(one.path)
                walk.look(again=True, on=short_or_long((BOTH[number % 2],), BOTH))
                said = walk.wrong if one.status == 200 else walk.wrong_but(one.status)
                wrong += [f"{reader}: {found}" for found in said]
                walk.wrong.clear()
            walk.page.context.close()
    assert wrong == []
