"""An event as its pages and REST give it, and what is printed there: `World`."""

from dataclasses import dataclass, field
from typing import TypeVar

from django.test import Client

from tests.support.answers import Answer, Json
from tests.support.lengths import short_or_long
from tests.support.pages.html_tree import Node, is_close, tree

T = TypeVar("T")
MOST = short_or_long(4, 60)
"""Rounds, tables, entrants and publications of one event that are looked at."""


def some(things: list[T], most: int = MOST) -> list[T]:
    step = -(-len(things) // most)
    return things[:: max(step, 1)]


@dataclass
class World:
    """An event as its pages and REST give it to a director."""

    client: Client
    club: str
    event: str
    season: str = ""
    is_ladder: bool = False
    differences: list[str] = field(default_factory=list)
    compared: int = 0
    kept: dict[str, Json] = field(default_factory=dict)
    printed_by: set[str] = field(default_factory=set)
    """The templates that made the pages that were compared."""

    def __post_init__(self) -> None:
        self.client.cookies["figures"] = "all"

    @property
    def base(self) -> str:
        return f"/clubs/{self.club}/events/{self.event}"

    def rest(self, path: str) -> Json:
        """What REST says at an address below the event; "" is asked of once only."""
        if path not in self.kept:
            start = "" if path.startswith("/") else f"{self.base}/"
            answer = self.client.get(f"/api/v1{start}{path}")
            assert answer.status_code == 200, (path, answer.content[:300])
            self.kept[path] = answer.json()
        return self.kept[path]

    def every(self, path: str) -> list[Json]:
        found = self.rest(path)
        listed = list(found["results"])
        while found["next"]:
            found = self.client.get(found["next"]).json()
            listed += found["results"]
        return listed

    def page(self, path: str, status: int = 200, *, by: Client | None = None) -> Node:
        start = "" if path.startswith("/") else f"{self.base}/"
        answer = (by or self.client).get(f"{start}{path}".rstrip("/"))
        assert answer.status_code == status, (path, answer.status_code)
        self.printed_by |= names_of(answer)
        return tree(answer.content.decode())

    def same(self, where: str, printed: str, there: object) -> None:
        self.compared += 1
        if not is_close(printed, there):
            self.differences.append(f"{self.event} {where}: page {printed!r}, REST {there!r}")

    def equal(self, where: str, printed: object, there: object) -> None:
        self.compared += 1
        if printed != there:
            self.differences.append(f"{self.event} {where}: page {printed!r}, REST {there!r}")

    @property
    def codes(self) -> list[str]:
        return some(
            [table["code"] for n in self.rounds for table in self.rest(f"rounds/{n}")["tables"]]
        )

    @property
    def rounds(self) -> list[int]:
        return some([one["number"] for one in self.every("rounds")])

    @property
    def hands(self) -> list[tuple[str, Json]]:
        every = [(code, one) for code in self.codes for one in self.every(f"tables/{code}/hands")]
        return some(every, 2 * MOST)

    def finishes(self, code: str) -> list[Json]:
        return list(self.rest(f"tables/{code}")["seats"])


def names_of(answer: Answer) -> set[str]:
    return {str(one.name) for one in answer.templates or ()}


def place_of(row: Json) -> str:
    """A place of REST as it is printed: `3=` for those who share it."""
    if row["rank"] is None:
        return "–"
    return f"{row['rank']}{'=' if row['tied'] else ''}"


def seats_shown(seats: list[Json], columns: int) -> list[Json]:
    """The seats that a sheet has columns for: all, or the first of each side."""
    if len(seats) == columns:
        return seats
    firsts = {seat["side"]: seat for seat in reversed(seats)}
    return sorted(firsts.values(), key=lambda seat: seat["seat"])


def text(node: Node, css: str) -> str:
    found = node.first("", css)
    return found.text if found else ""


def in_figures(place: str) -> str:
    """A place without what makes it an ordinal: `2nd=` is `2=`."""
    return "".join(letter for letter in place if letter in "0123456789=")


def shown(node: Node | None) -> str:
    assert node is not None
    return Node(
        "", {}, [one for one in node.children if not isinstance(one, Node) or one.tag != "small"]
    ).text
