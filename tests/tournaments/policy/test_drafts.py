"""A drafted round does not exist for anybody who may not seat, at any address of the site.

Each caller asks for every address before a round is drafted and while it is a draft, and gets the
same answers. A director finds the draft at these addresses, and everybody does once it is posted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from tests.support.builders import by_tests, link, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pdf_text import joined, page_texts
from tests.support.routes import routes
from tests.support.scenarios.cups import cup, draw, planned
from tests.support.scenarios.evenings import ADDRESS, Evenings, two_evenings
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, Sitting
from tournaments.selectors.access.table_links import COOKIE, secrets_of
from tournaments.services.access.table_links import make_link
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.tier_all

DRAFT = "r3t1"
API = f"/api/v1{ADDRESS}"
OF_DRAFT = (
    *(f"{ADDRESS}/rounds/3", f"{ADDRESS}/rounds/3/board", f"{ADDRESS}/tables/{DRAFT}"),
    *(f"{API}/rounds/3", f"{API}/tables/{DRAFT}", f"{API}/tables/{DRAFT}/seats"),
)
OF_SITE = ("/", "/me", "/my-tables", "/search", "/api/v1/me")
CHANGING = re.compile(
    rb'name="csrfmiddlewaretoken" value="[^"]*"|"request_id": ?"[^"]*"|reference: \w{8}'
    rb'|&quot;at&quot;: &quot;[^&]*|(grid|page)-[0-9a-f-]{36}|hx-headers="[^"]*"|\d\d:\d\d'
)
"""What differs between two answers to one request: keys, marks and the time."""


def names(event: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    common = {
        "club": "riverside", "event": "league", "slug": "hearts", "variant": "hearts",
        "player_id": "RL01", "entrant": "RL01", "season": "none", "token": "none", "house": "none",
        "day": "2025-11-13", "version": "hearts", **event,
    }  # fmt: skip
    yield common | {"number": 2, "code": "r2t1"}
    yield common | {"number": 3, "code": DRAFT}


def addresses() -> list[str]:
    paths = [route.path(values) for values in names({}) for route in routes()]
    walked = [path for path in dict.fromkeys(paths) if "riverside" in path or path in OF_SITE]
    return [*walked, "/search?q=round", f"{API}/rounds?state=draft"]


def content(client: Client, path: str) -> tuple[int, bytes]:
    cache.clear()
    answer: Any = client.get(path)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if body.startswith(b"%PDF"):
        body = "\n".join(joined(texts) for texts in page_texts(body)).encode()
    elif body.startswith((b"PK", b"\x89PNG")):
        body = b""
    return answer.status_code, CHANGING.sub(b"", body)


def callers(evenings: Evenings) -> dict[str, Client]:
    game = Game.objects.get(event=evenings.event, table__code="r2t1")
    table_link = make_link(by_tests(timezone.now()), game.table)
    holder = Client()
    holder.get(f"/t/{secrets_of(table_link.seed).token}")
    assert holder.cookies[COOKIE].value
    return {
        "visitor": Client(),
        "player": evenings.client("piet"),
        "host": evenings.client("hanna"),
        "link": holder,
    }


def drafted(event: Event, people: Sequence[Player]) -> Round:
    table(event, people, round_number=3, on=date(2025, 11, 13))
    draft = Round.objects.get(event=event, number=3)
    draft.state, draft.posted_at = "draft", None
    draft.save()
    return draft


def test_nobody_but_who_seats_knows_of_a_draft(db: None) -> None:
    evenings = two_evenings()
    event = evenings.event
    people = list(Player.objects.filter(club=event.club_id).order_by("pk"))
    link(people[0], evenings.cast.users["piet"])
    who, paths = callers(evenings), addresses()
    before = {name: {path: content(client, path) for path in paths} for name, client in who.items()}
    dirk = evenings.client("dirk")
    draft = drafted(event, people[:4])
    publish(event.pk, now=NOW)
    make_all(event.pk)
    for path in OF_DRAFT:
        assert content(dirk, path)[0] == 200, path
    for name, client in who.items():
        after = {path: content(client, path) for path in paths}
        assert [path for path in paths if before[name][path] != after[path]] == [], name
        assert {path for path in OF_DRAFT if after[path][0] != 404} == set(), name
    move_round(by_tests(), draft, to="posted")
    for path in OF_DRAFT:
        assert content(who["visitor"], path)[0] == 200, path


@pytest.mark.parametrize(
    "sheets",
    [
        [{"table": 1, "players": ["RL05", "RL06", "RL07", "RL08"]}],
        [{"table": 2, "players": ["RL01", "RL06", "RL07", "RL08"]}],
        [{"table": 1}, {"table": 2, "players": ["RL02", "RL06", "RL07", "RL08"]}],
    ],
    ids=["another table", "somebody who has a seat", "no players"],
)
def test_sheets_of_a_host_neither_show_nor_seat(db: None, sheets: list[dict[str, object]]) -> None:
    evenings = two_evenings()
    people = list(Player.objects.filter(club=evenings.event.club_id).order_by("pk"))
    drafted(evenings.event, people[:4])
    hands = [{"number": 1, "entry": {"hearts": [4, 1, 2, 6], "queen": 3}}]
    body = {"mode": "each", "sheets": [{"round": 3, "hands": hands, **sheet} for sheet in sheets]}
    before = list(Sitting.objects.order_by("pk").values())
    answer = (
        evenings.client("hanna").post(f"{API}/sheets", body, content_type="application/json").json()
    )
    problems = [problem for row in answer["results"] for problem in row["errors"]]
    assert {problem["code"] for problem in problems} <= {"round_is_draft", "players_needed"}
    assert len(problems) == len(sheets)
    assert not any(person.name in str(answer) for person in people)
    assert (answer["added"], list(Sitting.objects.order_by("pk").values())) == (0, before)


def test_drawn_round_of_a_cup_is_in_the_bracket_once_it_is_posted(cast: Cast) -> None:
    dirk, _event = cup(cast)
    draft = draw(dirk, planned(dirk))
    address = f"{API}/stages/1/bracket"
    tables = {
        name: [row["tables"] for row in cast.client(name).get(address).json()["rounds"]]
        for name in ("", "piet", "hanna", "dirk")
    }
    assert {name for name, rounds in tables.items() if rounds} == {"dirk"}
    move_round(by_tests(), draft, to="posted")
    assert cast.client().get(address).json()["rounds"][0]["tables"] == tables["dirk"][0]
