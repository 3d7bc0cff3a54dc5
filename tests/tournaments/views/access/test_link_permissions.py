"""What the holder of a table's link gets at every address of the site.

`link_permissions.csv` beside this is the policy: a row a route, or two where the address names a
table (`own`, `other`), a status a method. A route without a row fails. The short form asks each
address with GET, POST and one of the other methods, by turns.
"""

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from django.test import Client

from tests.support.cast import enter_the_cast
from tests.support.lengths import has_its_turn
from tests.support.routes import METHODS, Route, routes
from tests.support.scenarios.table_links import Linked, linked
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Entry

POLICY = Path(__file__).with_name("link_permissions.csv")
HEAD = ("route", "table", *METHODS)
NAMES = {
    "club": "riverside",
    "event": "league",
    "player_id": "RL01",
    "variant": "hearts",
    "token": "guessed",
    "claim": UUID(int=0),
}
ADMIN = "admin/"
TABLE_OVER_REST = "api/v1/clubs/<name:club>/events/<name:event>/tables/<name:code>"
OTHERS = ("PUT", "PATCH", "DELETE")
Row = Mapping[str, str]


@pytest.fixture
def night(db: None) -> Linked:
    """An event that is held back: whatever is read of it, the link opens."""
    return linked(enter_the_cast(), visibility="held")


def cases() -> Iterator[tuple[Route, str, Mapping[str, object]]]:
    for route in routes():
        if route.pattern.startswith(ADMIN):
            continue
        if ":code>" not in route.pattern:
            yield route, "", NAMES
            continue
        yield route, "own", {**NAMES, "code": "r1t1"}
        yield route, "other", {**NAMES, "code": "r1t2"}


def methods(path: str) -> tuple[str, ...]:
    return tuple(
        method
        for method in METHODS
        if method not in OTHERS or has_its_turn(path, OTHERS.index(method), len(OTHERS))
    )


def statuses(client: Client, path: str) -> dict[str, str]:
    """What each method gets at an address, sent with nothing in it."""
    found = {}
    for method in methods(path):
        kept = client.cookies.output()
        found[method] = str(client.generic(method, path, "{}", "application/json").status_code)
        if client.cookies.output() != kept and not client.cookies:
            raise AssertionError(f"{method} {path} forgot the link")
    return found


def walked(client: Client, known: Mapping[tuple[str, str], Row]) -> list[Row]:
    """The whole table as it is now; what was not asked is as it is known."""
    return [
        {
            **known.get((route.pattern, table), {}),
            **{"route": route.pattern, "table": table, **statuses(client, route.path(names))},
        }
        for route, table, names in cases()
    ]


def done() -> int:
    """How many operations the record has; that somebody came second at a hand is none."""
    return AuditLine.objects.exclude(act="enter_hand_refused").count()


def written(rows: list[Row]) -> str:
    text = StringIO()
    writer = csv.DictWriter(text, HEAD, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


@pytest.mark.tier_all
def test_link_holder_gets_what_the_policy_says(night: Linked, tmp_path: Path) -> None:
    phone = night.holder()
    entries, lines = Entry.objects.count(), done()
    policy = POLICY.read_text(encoding="utf-8") if POLICY.exists() else ""
    known = {(row["route"], row["table"]): row for row in csv.DictReader(policy.splitlines())}
    now = written(walked(phone, known))
    (tmp_path / POLICY.name).write_text(now, encoding="utf-8")
    differ = sorted(set(now.splitlines()) ^ set(policy.splitlines()))
    assert differ == [], f"if each of these is meant: cp {tmp_path / POLICY.name} {POLICY}"
    assert (Entry.objects.count(), done()) == (entries, lines)


@pytest.mark.tier_long
@pytest.mark.tier_all
def test_link_holder_is_a_stranger_wherever_it_is_not_their_table(night: Linked) -> None:
    phone, anybody = night.holder(), Client()
    unlike, asked = set(), set()
    for route, table, names in cases():
        if table == "own":
            continue
        path = route.path(names)
        for method in methods(path):
            asked.add((method, route.pattern.rpartition("<slug:code>")[2]))
            answers = [
                one.generic(method, path, "{}", "application/json").status_code
                for one in (phone, anybody)
            ]
            if answers[0] != answers[1]:
                unlike.add((method, route.pattern.rpartition("<slug:code>")[2], *answers))
    differ = {
        # Who shows a link that does not open the table is told so; others are asked to sign in.
        *(
            (method, f"/{page}", 404, 302)
            for method in ("GET", "POST")
            for page in (
                *("hands/new", "hands/<int:number>/edit", "hands/<int:number>/undo"),
                *("dispute", "photos", "read-back", "totals"),
            )
        ),
        *(
            (method, f"{TABLE_OVER_REST}{more}", 404, 401)
            for method, more in (
                ("DELETE", ""),
                ("POST", "/photos"),
                ("DELETE", "/photos/<number:number>"),
                *(
                    ("POST", f"/{more}")
                    for more in (
                        *("disputed-hands", "disputes", "double-entry"),
                        *("double-entry/<number:number>", "hands"),
                        *(
                            f"hands/<number:number>/{operation}"
                            for operation in ("preview", "restore", "void")
                        ),
                        *("restore", "seating", "seats", "seats/preview", "sheet-check"),
                        *("state", "totals", "walk-overs"),
                    )
                ),
                ("PUT", "/hands/<number:number>"),
            )
        ),
        # The link's own page: without one there is nobody to take a name of.
        ("POST", "t", 302, 404),
    }
    assert unlike == {one for one in differ if one[:2] in asked}


@pytest.mark.tier_all
def test_admin_knows_no_links(night: Linked) -> None:
    phone = night.holder()
    answers: dict[tuple[int, str], list[str]] = {}
    for route in routes():
        if route.pattern.startswith(ADMIN):
            answer = phone.get(route.path(NAMES))
            to = answer.headers.get("Location", "").partition("?")[0]
            answers.setdefault((answer.status_code, to), []).append(route.pattern)
    answers.pop((302, "/admin/login/"))
    assert answers == {
        (302, "/accounts/login/"): ["admin/login/"],
        (302, "/admin/"): ["admin/logout/"],
    }
