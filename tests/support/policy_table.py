"""Who gets what at which address, as two tables written by hand, and what answers mean by it.

`tests/tournaments/policy/rights.csv` has a row a right and a column a caller; `routes.csv` says
which right an address needs with a method. No code of the product reads them.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.routes import METHODS, Route, routes
from tests.support.scenarios.every_right import BEARERS, CALLERS

FOLDER = Path(__file__).resolve().parents[1] / "tournaments" / "policy"
YES, SIGN_IN, NO, HIDDEN = "yes", "sign_in", "no", "hidden"
OF_OTHERS = ("admin/", "accounts/")
"""Pages that Django and allauth bring: a method that they do not know is taken for a GET."""
READING: Mapping[str, Mapping[str, str]] = {
    "public": {},
    "members": {
        "read what is public": "read for members",
        "read as the public": "nothing",
        "read own table": "read own table for members",
    },
    "held": {
        "read what is public": "read held",
        "read as the public": "nothing",
        "read own table": "read own table held",
    },
}
"""Visibility of an event → what rights to read become."""
_SIGN_IN = ("/accounts/login/", "/admin/login/")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of routes.csv: `sends` is a form or JSON, without it nothing is sent.

    `about` is `other` where the address names somebody else's things, `draft` where it names
    a drafted round, and `invited` where the caller comes with an invitation.
    """

    route: str
    method: str
    about: str
    sends: str
    right: str
    note: str

    def expected(self, caller: str, visibility: str = "public") -> Sequence[str]:
        """Return what a caller may get, of `yes`, `sign_in`, `no` and `hidden`.

        Who may not read an event need not be told what else they may not do there. What is `absent`
        may be missing for who might see it.
        """
        if caller in BEARERS and not self.route.startswith("api/"):
            caller = "public"
        own = rights()[READING[visibility].get(self.right, self.right)][caller]
        found = {own}
        if visibility != "public" and self.right != "be led on":
            at_table = ":code>" in self.route and self.about != "other"
            read = READING[visibility]["read own table" if at_table else "read what is public"]
            if rights()[read][caller] != YES:
                found = {HIDDEN} if own == YES else {own, HIDDEN}
        if self.note == "absent" and own == YES:
            found.add(HIDDEN)
        return sorted(found)


@cache
def rights() -> Mapping[str, Mapping[str, str]]:
    """Return right → caller → what they get."""
    with (FOLDER / "rights.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert all(tuple(row) == ("right", *CALLERS) for row in rows)
    found = {row.pop("right"): row for row in rows}
    assert len(found) == len(rows), "a right stands there twice"
    assert {cell for row in rows for cell in row.values()} <= {YES, SIGN_IN, NO, HIDDEN}
    return found


@cache
def table() -> Sequence[Row]:
    with (FOLDER / "routes.csv").open(encoding="utf-8", newline="") as file:
        return tuple(Row(**row) for row in csv.DictReader(file, strict=True))


def addresses() -> Sequence[Route]:
    """Return every route once; of two with one pattern the first one answers."""
    return tuple({route.pattern: route for route in reversed(routes())}.values())[::-1]


def rows_of(route: str) -> Sequence[Row]:
    """Return the lines of a route; those written for all models of the admin where it has none."""
    return _by_route().get(route) or tuple(
        Row(route, row.method, row.about, row.sends, row.right, row.note)
        for row in table()
        if "*" in row.route and _wild(row.route).fullmatch(route)
    )


@cache
def _by_route() -> Mapping[str, Sequence[Row]]:
    found: dict[str, list[Row]] = {}
    for row in table():
        found.setdefault(row.route, []).append(row)
    return found


@cache
def _wild(pattern: str) -> re.Pattern[str]:
    return re.compile("[a-z]+".join(map(re.escape, pattern.split("*"))))


def unused() -> Iterable[str]:
    patterns = {route.pattern for route in addresses()}
    for row in table():
        used = row.route in patterns or (
            "*" in row.route and any(_wild(row.route).fullmatch(pattern) for pattern in patterns)
        )
        if not used or row.method not in METHODS:
            yield f"{row.method} {row.route}"


def meaning(answer: Any) -> str:
    """What a status says: one of the four, or what else it is."""
    status, to = answer.status_code, str(answer.headers.get("Location", ""))
    if status == 401 or (status in (301, 302, 303, 307, 308) and to.partition("?")[0] in _SIGN_IN):
        return SIGN_IN
    if status < 500 and status not in (403, 404, 405):
        return YES
    return {403: NO, 404: HIDDEN}.get(status, str(status))
