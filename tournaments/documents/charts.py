"""Charts as SVG images; the values stand in a table beside them."""

import base64
import hashlib
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast
from xml.etree import ElementTree

import pygal

# pygal leaves a finder for its maps in the way of every later import, of a kind that Python 3.11
# warns of and later ones do not ask. There are no maps here.
sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__module__ != "pygal"]

_SVG: Final = "http://www.w3.org/2000/svg"

SIZES: Final = {"wide": (1040, 270), "phone": (350, 230)}
"""Width and height by name: one for each layout of a page."""

_LAYOUT: Final = """
text { font: 12px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.axis.x text { text-anchor: middle; }
.axis.y text { text-anchor: end; }
.nofill, .guide, .line { fill: none; }
.background { fill: none; }
.axis .line { stroke: none; }
.axis .guide.line { stroke-width: 1; }
.axis.x .guide.line { stroke: none; }
.series .line { stroke-width: 2.25; stroke-linejoin: round; }
.dot { stroke-width: 2; }
"""
_INKS: Final = {
    "light": ("#56514a", "#1c1b19", "#d8d2c4", "#fffefb"),
    "dark": ("#b6b1a7", "#efebe3", "#373d46", "#1b1e23"),
}
"""Scheme → colours of text, of lines, of what carries no meaning, and of the surface."""

MARGIN: Final = 12
"""Around a chart, in pixels, as the following ones."""

AXIS: Final = 60
"""Beside the lines: the labels of places or ratings, and the margins."""

LETTER: Final = 8
"""At most, in labels of 12 pixels."""

GAP: Final = 14
"""Between two labels."""


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One line of a chart: a value or None for each of the labels."""

    title: str
    labels: Sequence[str]
    values: Sequence[float | None]


def _inked(scheme: str) -> str:
    text, line, guide, surface = _INKS[scheme]
    return (
        f"text {{ fill: {text}; }} .axis .guide.line {{ stroke: {guide}; }} "
        f".series .line, .dot {{ stroke: {line}; }} .dot {{ fill: {surface}; }}\n"
    )


STYLES: Final = {
    "": f"{_LAYOUT}{_inked('light')}@media (prefers-color-scheme: dark) {{ {_inked('dark')}}}\n",
    "light": _LAYOUT + _inked("light"),
    "dark": _LAYOUT + _inked("dark"),
}
"""The scheme that a reader chose → the style of an image; without one the system decides."""

FINGERPRINTS: Final = tuple(
    f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"
    for style in STYLES.values()
)
"""Sources that the Content-Security-Policy of an image allows."""


def places_chart(line: ChartLine, *, last: int, size: str = "wide", scheme: str = "") -> bytes:
    """Return places as an SVG image: place 1 at the top, `last` at the bottom."""
    return _chart(
        line,
        size,
        scheme,
        inverse_y_axis=True,
        range=(1, max(last, 2)),
        y_labels=_ticks(max(last, 2)),
        formatter=lambda place: f"{place:.0f}",
        dots_size=5 if size == "wide" else 4,
    )


def ratings_chart(line: ChartLine, *, size: str = "wide", scheme: str = "") -> bytes:
    """Return a rating game by game as an SVG image; without marks if they would touch."""
    values = [value for value in line.values if value is not None]
    return _chart(
        line,
        size,
        scheme,
        y_labels=_rungs(min(values), max(values)),
        formatter=lambda rating: f"{rating:g}",
        dots_size=4,
        truncate_label=-1,
        show_dots=len(values) <= (60 if size == "wide" else 20),
    )


def _chart(line: ChartLine, size: str, scheme: str, **options: object) -> bytes:
    width, height = SIZES[size]
    chart = pygal.Line(
        width=width,
        height=height,
        js=(),
        css=(),
        show_legend=False,
        explicit_size=True,
        x_labels=_spread(line.labels, width),
        margin=MARGIN,
        margin_right=max(MARGIN, LETTER * len(line.labels[-1]) // 2 + 2 if line.labels else 0),
        **options,
    )
    chart.add("", list(line.values))
    return _cleaned(chart.render_tree(), line.title, STYLES[scheme])


def _rungs(least: float, most: float) -> list[float]:
    """Return round values from below the least to above the most.

    >>> _rungs(1468.2, 1649)
    [1450, 1500, 1550, 1600, 1650]
    """
    steps = (0.1, 0.5, 1, 5, 10, 20, 50, 100, 200, 500, 1000, 10**6)
    step = next(step for step in steps if most - least <= 4 * step)
    first = math.floor(least / step)
    last = math.ceil(most / step)
    return [round(at * step, 1) for at in range(first, max(last, first + 1) + 1)]


def _ticks(last: int) -> list[int]:
    step = next(step for step in (1, 5, 10, 20, 50, 100, 1000, 10**6) if last <= 6 * step)
    between = [place for place in range(step, last, step) if place > 1 and last - place >= step / 2]
    return [1, *between, last]


def _spread(labels: Sequence[str], width: int) -> list[str]:
    """Return the labels, only some of them if there is no room for all.

    >>> _spread(["6 Nov", "13 Nov", "20 Nov", "27 Nov"], 230)
    ['6 Nov', '', '20 Nov', '']
    """
    longest = max(map(len, labels), default=0)
    room = max(1, (width - AXIS) // (LETTER * longest + GAP))
    step = -(-len(labels) // room) or 1
    return [label if at % step == 0 else "" for at, label in enumerate(labels)]


def _cleaned(root: ElementTree.Element, title: str, style: str) -> bytes:
    """Return the picture without script, links, comments and hidden parts; with title and style."""
    tree = ElementTree.fromstring(ElementTree.tostring(root))  # noqa: S314 - made right here
    for parent in list(tree.iter()):
        for child in list(parent):
            tag = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
            classes = child.get("class", "").split()
            if (
                tag in ("", "script", "style", "defs", "desc", "title")
                or "tooltip-overlay" in classes
            ):
                parent.remove(child)
        for name in [name for name in parent.attrib if name == "style" or "href" in name]:
            del parent.attrib[name]
    tree.attrib.pop("id", None)
    tree.set("role", "img")
    for name, text in (("style", style), ("title", title)):
        element = ElementTree.Element(f"{{{_SVG}}}{name}")
        element.text = text
        tree.insert(0, element)
    ElementTree.register_namespace("", _SVG)
    return cast(bytes, ElementTree.tostring(tree, encoding="utf-8"))
