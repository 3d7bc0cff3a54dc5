"""What is printed on a page: its elements as a small tree, and numbers as they stand there."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
_COMPLEX = re.compile(r"(−?[\d/]+) ([+−]) ([\d/]+)i")


@dataclass
class Node:
    """An element with what stands in it."""

    tag: str
    attrs: dict[str, str]
    children: "list[Node | str]" = field(default_factory=list)

    def all(self, tag: str = "", css: str = "") -> "Iterator[Node]":
        """Every element below of that tag and class, in order."""
        for child in self.children:
            if isinstance(child, Node):
                if (not tag or child.tag == tag) and (not css or css in child.css):
                    yield child
                yield from child.all(tag, css)

    def first(self, tag: str = "", css: str = "") -> "Node | None":
        return next(self.all(tag, css), None)

    @property
    def css(self) -> list[str]:
        return self.attrs.get("class", "").split()

    @property
    def text(self) -> str:
        """The words that are seen: not those for readers of screens, nor what is folded."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            elif "vh" not in child.css and child.tag not in ("script", "style", "svg", "details"):
                yield " "
                yield from child._texts()
                yield " "


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.stack = [Node("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {key: value or "" for key, value in attrs})
        self.stack[-1].children.append(node)
        if tag not in VOID:
            self.stack.append(node)

    def handle_endtag(self, tag: str) -> None:
        if tag in (node.tag for node in self.stack):
            while self.stack.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.stack[-1].children.append(data)


def tree(text: str) -> Node:
    reader = _Reader()
    reader.feed(text)
    return reader.stack[0]


def rows(node: Node) -> list[tuple[Node, list[Node]]]:
    return [
        (row, [one for one in row.children if isinstance(one, Node) and one.tag in ("td", "th")])
        for body in node.all("tbody")
        for row in body.children
        if isinstance(row, Node) and row.tag == "tr"
    ]


def heads(table: Node) -> list[str]:
    head = table.first("thead")
    return [one.text for one in head.all("th")] if head else []


def number(text: str) -> Any:
    """A printed number as REST writes it: an integer, a fraction, a pair, None for a dash."""
    text = text.strip().removeprefix("+")
    if text in ("–", ""):
        return None
    if match := _COMPLEX.fullmatch(text):
        sign = "-" if match[2] == "−" else ""
        return (number(match[1]), number(f"{sign.replace('-', '−')}{match[3]}"))
    return Fraction(text.replace("−", "-").replace("\u202f", "").replace(",", "."))


def exact(value: object) -> Any:
    if isinstance(value, list):
        return tuple(map(exact, value))
    return None if value in (None, "") else Fraction(str(value))


def is_close(printed: str, value: object) -> bool:
    shown, there = number(printed), exact(value)
    if isinstance(shown, Fraction) and isinstance(there, Fraction) and "." in printed:
        return abs(shown - there) <= Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    return bool(shown == there)


def cells_of(node: Node) -> Sequence[Node]:
    return [one for one in node.children if isinstance(one, Node) and one.tag == "td"]
