"""No refusal names whom its reader may not know of, whatever they send and to what address.

Every address of the site that takes something is sent what names people who are hidden: the fields
of its form, as the page for it has them, or the members of its request body, as openapi.yaml has
them. People are named by their ids and by the beginnings of their names, so that each whole name in
an answer is one that the site told. What the owner is answered shows that refusals at these
addresses do name people. Each request is undone before the next one.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import timezone
from django.utils.http import urlencode

from tests.support.builders import counts
from tests.support.lengths import is_long, short_or_long
from tests.support.pages.hidden_names import NAMED, NOT_WALKED
from tests.support.pages.html_tree import Node, tree
from tests.support.rest.requests import token
from tests.support.routes import Route, routes
from tests.support.scenarios.private_club import OF_AN_EVENT, PLAYERS, Hidden, hidden
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.rounds import Table
from tournaments.selectors.access.table_links import secrets_of
from tournaments.services.access.table_links import make_link

pytestmark = pytest.mark.tier_all

EVENTS = short_or_long(("held",), ("held", "held-ladder", "league"))
BEGINNING = "Zqheldp"
"""Of the names of several people; no answer may complete it."""
SHEET = "round,table,hand,seat,player,hearts,queen_spades\n" + "".join(
    f"1,1,9,{seat},Zqheldplaye{letter} X,{hearts},{int(seat == 'W')}\n"
    for seat, letter, hearts in zip("NESW", "abgh", (4, 1, 2, 6), strict=True)
)
"""A file with names that are nearly those of people."""
SIGN_IN = "/accounts/login/"
SHUT = (401, 403, 404)
"""Who is answered so has no right at an address, and that is judged before what was sent: in the
short form they send it nothing else."""
OWNERS = short_or_long(6, 1)
"""The owner, whose answers only show that there is something to be told, sends one of so many."""
TURNS = short_or_long(4, 1)
"""The others send one of so many, by turns."""
MOST = short_or_long(4, 40)
"""Buttons of one form that are pressed."""
Body = Mapping[str, Any]


@dataclass(frozen=True)
class Caller:
    client: Client
    may: frozenset[str] = frozenset()
    bearer: str = ""

    def send(self, method: str, path: str, sent: "Sent") -> tuple[int, bytes]:
        """Send it, follow where the answer leads, undo it all; gives status and what it told."""
        headers = dict(sent.headers)
        if self.bearer:
            headers["Authorization"] = f"Bearer {self.bearer}"
        with transaction.atomic():
            answer: Any = self.client.generic(
                method, path, sent.content, sent.media_type, headers=headers
            )
            status, to = answer.status_code, str(answer.headers.get("Location", ""))
            body = _told(answer)
            if to.startswith(SIGN_IN):
                status = 401
            if to.startswith("/clubs/"):
                body += _told(self.client.get(answer["Location"]))
            transaction.set_rollback(True)
        return status, body


def _told(answer: Any) -> bytes:
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return bytes(content) + str(answer.headers).encode()


@dataclass(frozen=True)
class Sent:
    content: bytes
    media_type: str
    headers: tuple[tuple[str, str], ...] = ()


@pytest.fixture
def world(db: None, tmp_path: Path) -> Hidden:
    made = hidden(tmp_path)
    made.cast.users["mia"] = User.objects.create_user("mia")
    users = made.cast.users
    Membership.objects.filter(user=users["nora"]).update(role="host")
    Membership.objects.create(club=made.cast.hilltop, user=users["dirk"], role="director")
    Membership.objects.create(club=made.cast.riverside, user=users["mia"], role="player")
    return made


def callers(world: Hidden) -> dict[str, Caller]:
    everybody = {f"zqheld{who}" for who in PLAYERS} | {"zqnowhere"}
    in_members = {f"zqmembers{what}" for what in OF_AN_EVENT}
    private = {f"zqmembers{what}" for what in ("disputed", "withdrawn")}
    member = frozenset(in_members - private | everybody)
    host = frozenset(in_members | everybody | world.words_of_disputes)
    own = Client()
    own.get(f"/t/{world.token}")
    other = Client()
    link = make_link(
        world.cast.operation("olga", timezone.now()),
        Table.objects.get(event=world.events["league"], code="r1t1"),
    )
    other.get(f"/t/{secrets_of(link.seed).token}")
    return {
        "owner": Caller(world.cast.client("olga"), world.marks()),
        "anybody": Caller(Client()),
        "link of the table": Caller(own, world.at_that_table),
        "link of another table": Caller(other, frozenset(world.words_of_disputes)),
        "host": Caller(world.cast.client("hanna"), host),
        "member": Caller(world.cast.client("mia"), member),
        "host of another club": Caller(world.cast.client("nora")),
        "token of another club": Caller(
            Client(), bearer=token("dirk", "manage", "--club", "hilltop")
        ),
        "token of a host": Caller(Client(), host, token("hanna", "enter")),
        "token to read": Caller(Client(), member, token("mia", "read")),
    }


def filled(world: Hidden) -> Iterator[str]:
    for route in routes():
        parameters = list(dict.fromkeys(NAMED.findall(route.pattern)))
        for event in EVENTS if "event" in parameters else EVENTS[:1]:
            given = _names(world.events[event])
            for chosen in product(*[given.get(name, ("1",)) for name in parameters]):
                path = route.path(dict(zip(parameters, chosen, strict=True)))
                if not path.startswith(NOT_WALKED):
                    yield path


def _names(event: Event) -> Mapping[str, tuple[str, ...]]:
    codes = Table.objects.filter(event=event).order_by("pk").values_list("code", flat=True)
    return {
        "club": (event.club.slug,), "event": (event.slug,), "code": tuple(codes[:2]),
        "player_id": tuple(ids_of()[:1]), "variant": ("hearts",), "house": ("house",),
        "slug": ("house",), "season": ("autumn",),
    }  # fmt: skip


def ids_of() -> list[str]:
    """The ids of hidden people: of the second table of the event that is held, then the others."""
    players = Player.objects.filter(name__startswith="Zqheld").order_by("pk")
    ids = list(players.values_list("player_id", flat=True))
    return [*ids[4:], *ids[:4]]


def form_bodies(world: Hidden, paths: list[str]) -> Iterator[tuple[str, str, Sent]]:
    owner = world.cast.client("olga")
    for path in paths:
        if path.startswith("/api/"):
            continue
        answer: Any = owner.get(path)
        if answer.status_code != 200 or answer.streaming:
            continue
        for form in tree(answer.content.decode("utf-8", "replace")).all("form"):
            to = form.attrs.get("action") or path
            if form.attrs.get("method", "").lower() == "post" and not to.startswith(NOT_WALKED):
                is_file = "multipart" in form.attrs.get("enctype", "")
                for fields in _typed(form):
                    yield "POST", to.partition("?")[0], _form(fields, is_file=is_file)


def _typed(form: Node) -> Iterator[dict[str, str]]:
    """Fill in a form with ids and press each of its buttons; with beginnings of names once."""
    ids = ids_of()
    for texts in (ids, [BEGINNING]):
        fields: dict[str, str] = {}
        for at, one in enumerate([*form.all("input"), *form.all("textarea")]):
            name, kind = one.attrs.get("name", ""), one.attrs.get("type", "text")
            if kind in ("text", "search") or one.tag == "textarea":
                fields[name] = texts[at % len(texts)]
            elif kind == "number" or one.attrs.get("inputmode") == "numeric":
                fields[name] = "1"
            elif kind == "date":
                fields[name] = "2025-11-06"
            elif kind in ("hidden", "checkbox", "radio"):
                fields[name] = one.attrs.get("value", "on")
        for choice in form.all("select"):
            options = [one.attrs.get("value", "") for one in choice.all("option")]
            fields[choice.attrs.get("name", "")] = next(filter(None, options), "")
        yield fields
        if texts is ids:
            for one in [one for one in form.all("button") if one.attrs.get("name")][:MOST]:
                yield {**fields, one.attrs["name"]: one.attrs.get("value", "")}


def _form(fields: Mapping[str, str], *, is_file: bool) -> Sent:
    if is_file:
        given = {**fields, "file": SimpleUploadedFile("names.csv", SHEET.encode())}
        return Sent(encode_multipart(BOUNDARY, given), MULTIPART_CONTENT)
    return Sent(urlencode(fields).encode(), "application/x-www-form-urlencoded")


def operations(root: Path) -> dict[tuple[str, str], Any]:
    """Method and address, its names left out → the schema of what it takes."""
    text = (root / "openapi.yaml").read_text(encoding="utf-8")
    spec = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    schemas = spec["components"]["schemas"]

    def whole(schema: Any) -> Any:
        if isinstance(schema, dict) and "$ref" in schema:
            return whole(schemas[schema["$ref"].rsplit("/", 1)[1]])
        if isinstance(schema, dict):
            return {key: whole(one) for key, one in schema.items()}
        return [whole(one) for one in schema] if isinstance(schema, list) else schema

    found = {}
    for path, methods in spec["paths"].items():
        for method in methods.keys() & {"post", "put", "patch", "delete"}:
            content = methods[method].get("requestBody", {}).get("content", {})
            found[method.upper(), re.sub(r"{\w+}", "{}", path)] = {
                kind: whole(one["schema"]) for kind, one in content.items()
            }
    return found


def json_bodies(world: Hidden, root: Path) -> Iterator[tuple[str, str, Sent]]:
    """What REST takes at each address, with hidden people in it; both tags of what is there."""
    owner, known, ids = world.cast.client("olga"), operations(root), ids_of()
    by_route = {
        (method, route.pattern): content
        for (method, path), content in known.items()
        for route in routes()
        if re.sub(r"<[^>]*>", "{}", f"/{route.pattern}") == path
    }
    assert len(by_route) == len(known)
    for (method, pattern), content in by_route.items():
        for path in filled_with(world, pattern):
            for kind, schema in content.items() or {"application/json": {}}.items():
                tag = str(owner.get(path.removesuffix("/preview")).headers.get("ETag", ""))
                for body, etag in product(_bodies(schema, ids), {tag, '"0"'}):
                    if kind == "multipart/form-data":
                        yield method, path, _form({"dry_run": "true"}, is_file=True)
                        continue
                    headers = (("If-Match", etag),) if etag else ()
                    yield method, path, Sent(json.dumps(body).encode(), kind, headers)


def filled_with(world: Hidden, pattern: str) -> Iterator[str]:
    parameters = list(dict.fromkeys(NAMED.findall(pattern)))
    for event in EVENTS if "event" in parameters else EVENTS[:1]:
        given = _names(world.events[event])
        for chosen in product(*[given.get(name, ("1", "2")) for name in parameters]):
            yield Route(pattern, None).path(dict(zip(parameters, chosen, strict=True)))


def _bodies(schema: Any, ids: list[str]) -> Iterator[Body]:
    """What is asked for and nothing else; all there is; and the same with another number."""
    every = {name: _value(name, of, ids) for name, of in schema.get("properties", {}).items()}
    least = {name: every[name] for name in schema.get("required", ())}
    usual = {name: value for name, value in every.items() if name not in ("change", "previewed")}
    yield from ({}, least, usual)
    if "number" in every:
        yield {**usual, "number": 9}
    if "act" in every:
        yield {**usual, "act": "swap"}


def _value(name: str, schema: Any, ids: list[str]) -> Any:
    named = {
        "entry": counts([4, 1, 2, 6], 3), "players": ids[:4], "points": {ids[0]: 1, ids[1]: 2},
        "table": "r1t1", "amount": "1", "played_on": "2025-11-06", "since": "2025-11-06",
        "until": "2025-11-07", "back": "2025-11-07", "by": "2025-12-06",
    }  # fmt: skip
    one = (schema.get("allOf") or [schema])[0]
    if name in named:
        return named[name]
    if "enum" in one:
        return one["enum"][0]
    kind = one.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    return {"integer": 1, "boolean": True, "array": ids[:2], "object": {}}.get(kind, ids[0])


@pytest.mark.tier_long
@pytest.mark.timeout(1800)
def test_no_refusal_names_whom_its_reader_may_not_know_of(
    world: Hidden, project_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asking = callers(world)
    paths = sorted(set(filled(world)))
    requests = list(dict.fromkeys([*form_bodies(world, paths), *json_bodies(world, project_root)]))
    leaks: dict[tuple[str, str, str, bytes], list[str]] = {}
    found = {name: frozenset[str]() for name in asking}
    statuses = {name: Counter[int]() for name in asking}
    shut: set[tuple[str, str, str]] = set()
    for at, (method, path, what) in enumerate(requests):
        for place, (name, caller) in enumerate(asking.items()):
            if (name, method, path) in shut or (at + place) % (
                OWNERS if name == "owner" else TURNS
            ):
                continue
            status, told = caller.send(method, path, what)
            if status in SHUT and not is_long():
                shut.add((name, method, path))
            marks = world.found_in(told)
            found[name] |= marks
            statuses[name][status] += 1
            if marks - caller.may:
                leaks[name, method, path, what.content[:300]] = sorted(marks - caller.may)
    with capsys.disabled():
        print(f"\n{len(requests)} requests, of each caller")
        for name, marks in found.items():
            print(f"{name}: {len(marks)} marks; {dict(sorted(statuses[name].items()))}")
    assert leaks == {}
    named = {f"zqheld{who}" for who in PLAYERS}
    assert named <= found["owner"], "what the owner is not told proves nothing"
    assert statuses["owner"][422] > 50
    assert statuses["owner"][409] > 3
