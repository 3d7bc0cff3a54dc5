"""Nobody finds the name of whom they may not know of, at any address of the site.

A club holds events that are for members or held back, beside a public one
(tests/support/scenarios/private_club.py); every name and sentence in them is a word of its own. The
addresses are those of every route, filled with what there is, and those that any caller's pages and
answers lead to. Each caller asks for each of them; what the owner finds there shows that the
addresses do tell it.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.test import Client

from api.v1.standings.standings import CACHED_PUBLICATIONS
from tests.support.builders import by_tests, hand, penalize, publish_all
from tests.support.cast import NOW
from tests.support.history import make_all
from tests.support.lengths import has_its_turn, is_long, short_or_long
from tests.support.pages.hidden_names import NAMED, NOT_WALKED
from tests.support.pdf_text import joined, page_texts
from tests.support.routes import routes
from tests.support.scenarios.private_club import OF_AN_EVENT, PLAYERS, Hidden, hidden, names
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event, Season
from tournaments.models.hands import Game
from tournaments.selectors.access.table_links import COOKIE
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season

pytestmark = pytest.mark.tier_all

LINKS = re.compile(
    r"""(?:href|src|action|hx-get)="(/[^"]*)"|"(?:http://testserver)?(/[^"\s\\]*)\""""
)

QUERIES = ("?round=1", "?date=2025-11-06", "?sort=name", "?since=0", "?before=9999", "?kind=pair")
"""What an address may be asked beside itself."""

ASKED = (
    "standings",
    "standings.csv",
    "changes",
    "changes.csv",
    "publications/1",
    "entrants",
    "moves",
)

FIXED: Mapping[str, object] = {
    **{"season": "autumn", "house": "house", "slug": "house", "variant": "hearts", "token": "none"},
    **{"other": 1, "position": 1, "version": "hearts"},
}

SHARES = 6
"""Of the addresses, those who may know something ask for one in so many in the short form."""

Seen = dict[str, frozenset[str]]


@pytest.fixture
def world(db: None, tmp_path: Path) -> Hidden:
    world = hidden(tmp_path)
    for name in ("stan", "mia"):
        world.cast.users[name] = User.objects.create_user(name)
    Membership.objects.filter(user=world.cast.users["nora"]).update(role="owner")
    club, mia = world.cast.riverside, world.cast.users["mia"]
    Membership.objects.create(club=club, user=mia, role="player")
    return world


def filled(world: Hidden, events: Iterable[str]) -> Iterator[str]:
    for route in routes():
        parameters = list(dict.fromkeys(NAMED.findall(route.pattern)))
        for given in names(world, events):
            for chosen in product(*[_values(name, given) for name in parameters]):
                yield route.path(dict(zip(parameters, chosen, strict=True)))


def _values(name: str, given: Mapping[str, object]) -> Iterable[object]:
    value = given.get(name, FIXED.get(name, 1))
    return value if isinstance(value, list) else [value]


def asked(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        yield path
        if path.endswith(ASKED):
            yield from (path + query for query in QUERIES)


def links_in(content: str) -> Iterator[str]:
    for found in LINKS.finditer(content):
        path = html.unescape(found[1] or found[2]).partition("#")[0]
        if path.startswith("/") and not path.startswith(("//", *NOT_WALKED)):
            yield path


def answer_of(client: Client, path: str) -> tuple[bytes, bytes]:
    answer: Any = client.get(path)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return body + unpacked(body), str(answer.headers).encode()


def unpacked(body: bytes) -> bytes:
    """What a PDF, a spreadsheet or an archive tells; nothing of any other body."""
    if body.startswith(b"%PDF"):
        return "\n".join(joined(texts) for texts in page_texts(body)).encode()
    if body.startswith(b"PK"):
        with ZipFile(BytesIO(body)) as parts:
            return b"\n".join(parts.read(name) for name in parts.namelist())
    return b""


def walk(world: Hidden, client: Client, paths: Iterable[str]) -> tuple[Seen, set[str]]:
    seen: Seen = {}
    led: set[str] = set()
    for path in paths:
        body, headers = answer_of(client, path)
        seen[path] = world.found_in(body + headers)
        led.update(links_in(body.decode("utf-8", "replace")))
    return seen, led


def follow(world: Hidden, client: Client, paths: Iterable[str]) -> Seen:
    seen: Seen = {}
    waiting = set(paths)
    while waiting:
        now, led = walk(world, client, sorted(waiting))
        seen |= now
        waiting = led - seen.keys()
        assert len(seen) < 12_000, "an address leads to new ones without end"
    return seen


def callers(world: Hidden) -> dict[str, Client]:
    holder = Client()
    holder.get(f"/t/{world.token}")
    assert holder.cookies[COOKIE].value
    return {
        "owner": world.cast.client("olga"),
        "public": Client(),
        "stranger": world.cast.client("stan"),
        "owner of another club": world.cast.client("nora"),
        "holder of a link": holder,
        "member": world.cast.client("mia"),
    }


def may_know(world: Hidden) -> dict[str, frozenset[str]]:
    members = {f"zqmembers{what}" for what in OF_AN_EVENT}
    private = {f"zqmembers{what}" for what in ("disputed", "withdrawn")}
    everybody = {f"zqheld{who}" for who in PLAYERS} | {"zqnowhere"}
    return {
        "owner": world.marks(),
        "holder of a link": world.at_that_table,
        "member": frozenset(members - private | everybody),
    }


def check(world: Hidden, figures: Mapping[str, Seen], told: frozenset[str]) -> None:
    """Nobody found what they may not know of, and the owner found `told` at the same addresses."""
    may = may_know(world)
    assert {
        (name, path): sorted(marks - may.get(name, frozenset()))
        for name, seen in figures.items()
        for path, marks in seen.items()
        if marks - may.get(name, frozenset())
    } == {}
    missed = told - frozenset[str]().union(*figures["owner"].values())
    assert missed == set(), "what the owner does not find proves nothing"
    held = figures["holder of a link"]
    assert frozenset[str]().union(*held.values()) == may["holder of a link"]
    assert {path for path in held if held[path] and "/tables/r1t1" not in path} <= {"/t"}


def shares(name: str, paths: Iterable[str]) -> Iterator[str]:
    """Yield what a caller asks for in the short form: a share, each caller another one.

    The holder of a link asks for everything of their table.
    """
    turn = len(name)
    for path in paths:
        own = name == "holder of a link" and "/tables/r1t1" in path
        if own or has_its_turn(path, turn, SHARES):
            yield path


def walk_until(world: Hidden, client: Client, paths: Iterable[str], told: frozenset[str]) -> Seen:
    """Ask for a share of the addresses, then for another one, until all of `told` is found."""
    seen: Seen = {}
    waiting = list(paths)
    for turn in range(SHARES):
        share = [path for path in waiting if has_its_turn(path, turn, SHARES)]
        waiting = sorted(set(waiting) - set(share))
        seen |= walk(world, client, share)[0]
        if told <= frozenset[str]().union(*seen.values()):
            break
    return seen


@pytest.mark.tier_long
def test_no_address_tells_a_name_to_whom_it_is_hidden_from(
    world: Hidden, capsys: pytest.CaptureFixture[str]
) -> None:
    events = ("league", "held", "held-ladder", "private")
    paths = sorted({path for path in filled(world, events) if not path.startswith(NOT_WALKED)})
    clients = callers(world)
    asking = short_or_long(("owner", "public", "holder of a link"), tuple(clients))
    unasked = {"zqheldtied", "zqunknown", "zqfile"}
    told = frozenset(mark for mark in world.marks() if "members" not in mark) - unasked
    figures = {name: walk(world, clients[name], shares(name, paths))[0] for name in asking[1:]}
    figures["owner"] = walk_until(world, clients["owner"], paths, told)
    with capsys.disabled():
        print(table_of(figures))
    check(world, figures, told)


@pytest.mark.tier_long
@pytest.mark.timeout(1800)
def test_no_address_that_any_page_leads_to_tells_a_hidden_name(
    world: Hidden, capsys: pytest.CaptureFixture[str]
) -> None:
    clients = callers(world)
    own = follow(world, clients["owner"], set(asked(filled(world, world.events))))
    everywhere, figures = set(own), {"owner": own}
    for name, client in clients.items():
        if name != "owner":
            figures[name] = follow(world, client, everywhere)
    with capsys.disabled():
        print(table_of(figures))
    check(world, figures, world.marks())
    assert frozenset[str]().union(*figures["member"].values()) == may_know(world)["member"]


def table_of(figures: Mapping[str, Seen]) -> str:
    lines = ["", "caller | addresses asked | that show a mark | marks found"]
    for name, seen in figures.items():
        marks = frozenset[str]().union(*seen.values())
        showing = sum(bool(found) for found in seen.values())
        lines.append(f"{name} | {len(seen)} | {showing} | {len(marks)}")
    asked_in_all = sum(map(len, figures.values()))
    return "\n".join([*lines, f"{asked_in_all} answers looked through"])


EVENTS = short_or_long(("held", "held-ladder"), ("held", "held-ladder", "held-tied"))
NAMES = frozenset(f"zqheld{who}" for who in PLAYERS)

PUBLIC_SHARES = 4
"""Of the addresses the short form asks for one in so many."""


@pytest.fixture
def public_world(db: None, tmp_path: Path) -> Hidden:
    world = hidden(tmp_path)
    mia = world.cast.users["mia"] = User.objects.create_user("mia")
    Membership.objects.create(club=world.cast.riverside, user=mia, role="player")
    typed_names(world.events["held"])
    Event.objects.update(visibility="public")
    CACHED_PUBLICATIONS.forget()
    return world


def typed_names(event: Event) -> None:
    """People type names too: in the reason of a penalty, of a correction, of a deletion."""
    name = "Zqheldplayera X."
    code = event.entrants.order_by("code").values_list("code", flat=True)[0]
    penalize(event, code, "1", f"{name} was late.")
    game = Game.objects.get(event=event, table__code="r1t1")
    hand(game, 1, [5, 1, 1, 6], 3, based_on=1, reason=f"As {name} says.")
    void_hand(by_tests(), game, number=3, reason=f"{name}, twice.", based_on=1)
    publish(event.pk, now=NOW)


def addresses(world: Hidden) -> list[str]:
    paths = set(asked(filled(world, EVENTS)) if is_long() else filled(world, EVENTS))
    old = [path for path in paths if "/publications/2" in path]
    paths |= {path.replace("/publications/2", f"/publications/{n}") for path in old for n in (3, 4)}
    return sorted(
        path
        for path in paths
        if not path.startswith(NOT_WALKED) and has_its_turn(path, 0, PUBLIC_SHARES)
    )


def told(seen: Seen, names: Iterable[str] = NAMES) -> dict[str, list[str]]:
    wanted = frozenset(names)
    return {path: sorted(found & wanted) for path, found in seen.items() if found & wanted}


def publish_again(world: Hidden) -> None:
    for event in world.events.values():
        publish(event.pk, now=NOW)
        if event.kind == "ladder":
            publish_all(event)
    for season in Season.objects.all():
        publish_season(season.pk, now=NOW)
    for event in world.events.values():
        make_all(event.pk)


def hide(world: Hidden, people: Iterable[Player]) -> None:
    for player in people:
        change_player(by_tests(), player, shown_as="number")


def test_no_address_tells_the_public_the_name_of_who_is_shown_by_number(
    public_world: Hidden, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = addresses(public_world)
    public, member = Client(), public_world.cast.client("mia")
    before = walk(public_world, public, paths)[0]
    assert frozenset().union(*told(before).values()) == NAMES, "what nobody tells proves nothing"
    hide(public_world, Player.objects.filter(name__startswith="Zqheldplayer"))
    directly = walk(public_world, public, paths)[0]
    publish_again(public_world)
    after = walk(public_world, public, paths)[0]
    of_member = told(walk(public_world, member, sorted(told(before)))[0])
    with capsys.disabled():
        counted = (len(paths), len(told(before)), len(told(directly)), len(told(after)))
        says = "{} addresses; telling a name before: {}, directly after: {}, published again: {}"
        print("\n" + says.format(*counted), f"; to a member: {len(of_member)}")
    assert told(directly) == {}
    assert told(after) == {}
    # Members get files and REST as they are stored, and full names on pages. Feeds, calendars and
    # embedded tables have what the public reads, whoever asks.
    missed = told(before).keys() - of_member.keys()
    as_stored = re.compile(r"/api/|\.csv|\.atom|\.ics|/embed")
    assert {path for path in missed if not as_stored.search(path)} == set()


@pytest.mark.parametrize("policy", short_or_long(["nickname"], ["nickname", "number"]))
def test_no_address_tells_a_name_that_the_club_hides(public_world: Hidden, policy: str) -> None:
    set_names_policy(by_tests(), public_world.cast.riverside, policy=policy)
    paths = [
        path for path in addresses(public_world) if "events/held" in path or "events" not in path
    ]
    assert told(walk(public_world, Client(), paths)[0]) == {}
