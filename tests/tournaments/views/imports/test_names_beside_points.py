"""A row a hand with names beside points, on pages: guessed, mapped, resolved, and imported."""

from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client

from tests.support.answers import text_of
from tests.support.fixtures import cast_with
from tests.support.imports.other_programs import as_csv
from tests.support.imports.uploads import IMPORTS, send_file
from tournaments.models.hands import Entry
from tournaments.models.imports import ColumnMap, ImportProblem

pytestmark = pytest.mark.django_db
HEADS = ("Datum", "Tisch", *(f"{word} {n}" for n in (1, 2, 3, 4) for word in ("Spieler", "Punkte")))
NIGHT: Final[list[list[object]]] = [
    ["13.11.2025", 1, "Alma D.", 4, "Bruno K.", 1, "Cleo S.", 2, "Dario D.", 19],
    ["13.11.2025", 2, "Egon T.", 6, "Flora U.", 20, "Greta V.", 0, "", ""],
    ["13.11.2025", 1, "Bruno K.", 13, "Alma D.", 0, "Cleo S.", 10, "Dario D.", 3],
]
PLAN: Final[dict[str, Any]] = {
    "rows": "names",
    "columns": {
        "Datum": "date", "Tisch": "table",
        **{f"Spieler {n}": f"player:{n}" for n in (1, 2, 3, 4)},
        **{f"Punkte {n}": f"value:{n}" for n in (1, 2, 3, 4)},
    },
    "cells": "points",
    "given": {"round": "dates"},
}  # fmt: skip

cast_once, cast = cast_with(
    "Alma D.", "Bruno K.", "Cleo S.", "Dario D.", "Egon T.", "Flora U.", "Greta V."
)


def proposed(client: Client, asked: str) -> dict[str, str]:
    """What the page proposes, as a browser sends it when nobody changes anything."""
    form = client.get(asked).context["form"]
    return {field.name: "" if field.value() is None else field.value() for field in form}


def points() -> list[tuple[str, int, object]]:
    found = Entry.objects.order_by("hand__game__table__code", "hand__number")
    return list(found.values_list("hand__game__table__code", "hand__number", "typed__points"))


def test_numbered_heads_are_proposed_and_each_table_has_its_own_players(
    hanna: Client, tmp_path: Path
) -> None:
    asked = send_file(hanna, as_csv(tmp_path / "night.csv", HEADS, NIGHT))
    assert "One row per hand, names and points in pairs" in text_of(hanna.get(asked))
    fields = proposed(hanna, asked)
    means = [fields[f"column-{n}"] for n in range(len(HEADS))]
    assert means == [*("date", "table"), *(f"{of}:{n}" for n in range(1, 5)
                                           for of in ("player", "value"))]  # fmt: skip
    hanna.post(asked, {**fields, "round": "11"})
    assert "Import 3 hands" in text_of(hanna.get(f"{IMPORTS}/1"))
    hanna.post(f"{IMPORTS}/1/keep-mapping", {"name": "Pairs"})
    assert ColumnMap.objects.get().plan == PLAN
    hanna.post(f"{IMPORTS}/1/confirm")
    assert points() == [
        ("r11t1", 1, [4, 1, 2, 19]),
        ("r11t1", 2, [0, 13, 10, 3]),
        ("r11t2", 1, [6, 20, 0]),
    ]
    page = text_of(hanna.get("/clubs/riverside/mappings/1"))
    assert "One row per hand, names and points in pairs" in page


def test_columns_without_numbers_are_paired_by_what_stands_in_them(
    hanna: Client, tmp_path: Path
) -> None:
    heads = ("Wann", "Nord", "Ost", "Süd", "P Nord", "P Ost", "P Süd")
    row = ["13.11.2025", "Alma D.", "Bruno K.", "Cleo S.", 0, 26, 0]
    fields = proposed(hanna, send_file(hanna, as_csv(tmp_path / "night.csv", heads, [row])))
    means = [fields[f"column-{n}"] for n in range(len(heads))]
    names, values = [f"player:{n}" for n in (1, 2, 3)], [f"value:{n}" for n in (1, 2, 3)]
    assert means == ["date", *names, *values]


def test_name_that_is_not_known_is_resolved_in_its_rows(hanna: Client, tmp_path: Path) -> None:
    rows = [[("Schmidt, Alma" if cell == "Alma D." else cell) for cell in row] for row in NIGHT]
    asked = send_file(hanna, as_csv(tmp_path / "night.csv", HEADS, rows))
    hanna.post(asked, {**proposed(hanna, asked), "round": "11"})
    problem = ImportProblem.objects.get(code="unknown_player")
    assert problem.lines == [2, 4]
    page = f"{IMPORTS}/1/problems/{problem.position}"
    assert "Schmidt, Alma" in text_of(hanna.get(page))
    hanna.post(page, {"do": "player", "player": "RL01"})
    assert "Import 3 hands" in text_of(hanna.get(f"{IMPORTS}/1"))
    hanna.post(f"{IMPORTS}/1/confirm")
    assert points()[:2] == [("r11t1", 1, [4, 1, 2, 19]), ("r11t1", 2, [0, 13, 10, 3])]


def test_name_without_its_points_is_asked_for_and_nothing_is_read(
    hanna: Client, tmp_path: Path
) -> None:
    asked = send_file(hanna, as_csv(tmp_path / "night.csv", HEADS, NIGHT))
    fields = {**proposed(hanna, asked), "round": "11", "column-3": "ignore"}
    page = text_of(hanna.post(asked, fields))
    assert "No column gives the points of player 1." in page
    assert "Choose “Player 1: points” for the right column." in page
    assert not ImportProblem.objects.exists()
