"""What was measured, for people: a line a figure, and the table of docs/performance.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

Figures = Sequence[Mapping[str, Any]]

DATABASES: Final = {"postgresql": "PostgreSQL", "sqlite": "SQLite"}
GOALS: Final = (
    "scoring counts",
    "scoring cards",
    "import",
    "posting a hand",
    "reading standings",
    "summing on read",
    "lists",
    "pages",
    "corrections",
    "publishing a correction",
    "burst",
    "evening",
    "soak",
)
"""Measured goals, in the order of the table."""

NO_DATABASE: Final = "-"
"""Database of a figure that needs none; it is in each column."""

_SIGNS: Final = {"<=": "≤", ">=": "≥"}


def as_line(figure: Mapping[str, Any]) -> str:
    """Return a figure in one line: value, what it is compared with, ratio, goal."""
    parts = [
        f"{figure['goal_of']} {figure['database']:<10} {figure['name']}:",
        f"{shown(figure['value'])} {figure['unit']}",
    ]
    if figure["against"]:
        parts.append(f"/ {figure['against']} {shown(figure['against_value'])} {figure['unit']}")
        parts.append(f"= {shown(figure['ratio'])}x")
    if figure["goal"]:
        state = "reached" if figure["reached"] else "NOT REACHED"
        parts.append(f"(goal {figure['goal']}, {state})")
    return " ".join(parts)


def as_table(figures: Figures) -> str:
    lines = [
        f"| goal | figure | compared with | goal | {' | '.join(DATABASES.values())} |",
        f"|---|---|---|---|{'---|' * len(DATABASES)}",
    ]
    # One thing may be measured against two others, each with a goal of its own.
    named: dict[tuple[str, str, str], dict[str, Mapping[str, Any]]] = {}
    for figure in figures:
        of_name = named.setdefault((figure["goal_of"], figure["name"], _goal(figure)), {})
        of_name[figure["database"]] = figure
    for (goal_of, name, _), by_database in sorted(named.items(), key=_order):
        against = dict.fromkeys(figure["against"] or "–" for figure in by_database.values())
        goal = _goal(next(iter(by_database.values())))
        anywhere = by_database.get(NO_DATABASE)
        found = [by_database.get(database, anywhere) for database in DATABASES]
        cells = [_cell(figure) if figure else "–" for figure in found]
        lines.append(
            f"| {goal_of} | {name} | {', '.join(against)} | {goal} | {' | '.join(cells)} |"
        )
    return "\n".join(lines) + "\n"


def shown(number: float) -> str:
    """Return a number in three figures, whole ones as they are.

    >>> shown(0.0834), shown(12.345), shown(1500.0)
    ('0.083', '12.3', '1500')
    """
    if number == int(number) or number >= 100:
        return f"{number:.0f}"
    return f"{number:.3f}" if number < 1 else f"{number:.2f}" if number < 10 else f"{number:.1f}"


def _order(item: tuple[tuple[str, str, str], object]) -> int:
    return GOALS.index(item[0][0])


def _goal(figure: Mapping[str, Any]) -> str:
    if not figure["goal"]:
        return "–"
    sign, _, bound = figure["goal"].partition(" ")
    return f"{_SIGNS[sign]} {bound}{'x' if figure['against'] else ''}"


def _cell(figure: Mapping[str, Any]) -> str:
    missed = "**missed** " if figure["reached"] is False else ""
    value = shown(figure["value"])
    if not figure["against"]:
        return f"{missed}{value} {figure['unit']}"
    sides = f"{value} / {shown(figure['against_value'])} {figure['unit']}"
    return f"{missed}{shown(figure['ratio'])}x ({sides})"
