"""A foreign file on the page: asked what its columns are, read so, kept, and used again."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client

from tests.support.answers import Answer, Json
from tests.support.builders import league
from tests.support.cast import Cast
from tests.support.fixtures import cast_with
from tests.support.imports.imports import hand_scores, imported
from tests.support.imports.other_programs import (
    BY_HAND,
    BY_SEAT,
    HANDS_PLAN,
    NAMES,
    SEATS_PLAN,
    as_csv,
    as_xlsx,
    hand_rows,
    ours,
    seat_rows,
)
from tests.support.imports.uploads import IMPORTS, post_file, send_file
from tests.support.pages.text import beside, summary, text_of
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Entry, Hand
from tournaments.models.imports import ColumnMap, ImportBatch, ImportProblem, Upload

Write = Callable[[Path, Sequence[str], Sequence[Sequence[object]]], Path]

cast_once, cast = cast_with(*NAMES, "Egon T.", "Flora U.", "Greta V.")


def answers(plan: Json, **more: str) -> dict[str, str]:
    columns = {f"column-{n}": means for n, means in enumerate(plan["columns"].values())}
    given = {"rows": plan["rows"], "round": "11", "table": "", "cells": plan.get("cells", "")}
    return {**columns, **given, **more}


def keep(client: Client, number: int = 1, name: str = "Tuesdays") -> Answer:
    page = text_of(client.get(f"{IMPORTS}/{number}"))
    assert "Save mapping" in page, page
    return client.post(f"{IMPORTS}/{number}/keep-mapping", {"name": name}, follow=True)


def night(folder: Path, write: Write = as_csv) -> Path:
    return write(folder / "night.csv", BY_HAND, hand_rows())


def entries(event: str) -> list[tuple[object, ...]]:
    found = Entry.objects.filter(hand__game__event__slug=event).order_by("hand__number")
    return list(found.values_list("hand__game__table__code", "hand__number", "form", "typed"))


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_row_a_hand_is_asked_about_and_gives_the_entries_of_our_own_format(
    cast: Cast, hanna: Client, tmp_path: Path, write: Write
) -> None:
    league(cast.riverside, slug="own")
    imported(ours(tmp_path), event="own")
    response = send_file(hanna, night(tmp_path, write), holds="hands")
    assert response == f"{IMPORTS}/1/columns"
    page = hanna.get(response)
    assert "One row per hand, players as columns" in text_of(page)
    assert "4 · 0 · 2" in text_of(page)
    assert page.context["form"]["column-3"].value() == "player"
    assert page.context["form"]["player-3"].value() == "RL01"
    assert Hand.objects.filter(game__event__slug="league").count() == 0
    assert hanna.post(response, answers(HANDS_PLAN))["Location"] == f"{IMPORTS}/1"
    assert "Import 3 hands" in text_of(hanna.get(f"{IMPORTS}/1"))
    hanna.post(f"{IMPORTS}/1/confirm")
    assert entries("league") == entries("own")


@pytest.mark.parametrize("write", [as_csv, as_xlsx])
def test_row_a_player_is_asked_about_and_gives_the_scores_of_our_own_format(
    cast: Cast, hanna: Client, tmp_path: Path, write: Write
) -> None:
    league(cast.riverside, slug="own")
    imported(ours(tmp_path), event="own")
    response = send_file(
        hanna, write(tmp_path / "night.csv", BY_SEAT, seat_rows((0,))), holds="hands"
    )
    form = hanna.get(response).context["form"]
    guessed = [form[f"column-{n}"].value() for n in range(6)]
    assert guessed == ["date", "table", "player", "hearts", "queen_spades", "ignore"]
    hanna.post(response, answers(SEATS_PLAN))
    hanna.post(f"{IMPORTS}/1/confirm")
    assert entries("league") == entries("own")[:1]
    assert hand_scores("league") == [row for row in hand_scores("own") if row[3] == "1"]


@pytest.mark.parametrize(
    ("heads", "warned"),
    [
        (("4", "1", "2", "19"), True),
        (("13.11.2025", "Alma D."), True),
        (("Night 1", "Alma D.", "Bruno K."), False),
    ],
)
def test_first_hand_where_the_heads_should_be_is_warned_of(
    hanna: Client, tmp_path: Path, heads: tuple[str, ...], warned: bool
) -> None:
    response = send_file(hanna, as_csv(tmp_path / "night.csv", heads, [["7", "8", "11", "0"]]))
    assert ("Does the file have column names?" in text_of(hanna.get(response))) == warned


def test_kept_mapping_is_used_and_the_date_tells_the_round(hanna: Client, tmp_path: Path) -> None:
    hanna.post(send_file(hanna, night(tmp_path), holds="hands"), answers(HANDS_PLAN))
    keep(hanna)
    hanna.post(f"{IMPORTS}/1/confirm")
    kept = ColumnMap.objects.get()
    assert (kept.name, kept.made_as, kept.plan) == ("Tuesdays", "hanna", HANDS_PLAN)
    assert AuditLine.objects.get(act="keep_mapping").subject == "club:riverside/mapping:1"
    assert send_file(hanna, night(tmp_path), holds="hands") == f"{IMPORTS}/2"
    page = hanna.get(f"{IMPORTS}/2")
    assert "3 hands in the file: 0 ready, 0 pending." in text_of(page)
    assert Hand.objects.count() == 3


def test_kept_mapping_that_suffices_leads_to_the_preview(hanna: Client, tmp_path: Path) -> None:
    heads, cells = ("Abend", *BY_HAND[1:]), [["11", *row[1:]] for row in hand_rows()]
    columns = {"Abend": "round", **dict(list(HANDS_PLAN["columns"].items())[1:])}
    plan = {**HANDS_PLAN, "columns": columns}
    path = as_csv(tmp_path / "night.csv", heads, cells)
    hanna.post(send_file(hanna, path), answers(plan, round=""))
    keep(hanna)
    assert send_file(hanna, path) == f"{IMPORTS}/2"
    page = hanna.get(f"{IMPORTS}/2")
    assert "Read with the mapping Tuesdays . Change mapping" in text_of(page)
    assert "Import 3 hands" in text_of(page)
    # It goes by these columns, whatever becomes of the mapping.
    hanna.post("/clubs/riverside/mappings/1", {"forget": "yes"})
    hanna.post(f"{IMPORTS}/2/confirm")
    assert Hand.objects.count() == 3


def test_mapping_is_kept_under_a_name_renamed_and_forgotten(hanna: Client, tmp_path: Path) -> None:
    hanna.post(send_file(hanna, night(tmp_path)), answers(HANDS_PLAN))
    assert "Enter a name" in text_of(keep(hanna, name=" "))
    assert not ColumnMap.objects.exists()
    assert "Mapping saved as Tuesdays." in text_of(keep(hanna))
    assert "Save mapping" not in text_of(hanna.get(f"{IMPORTS}/1"))
    assert "Tuesdays" in text_of(hanna.get("/clubs/riverside/mappings"))
    at = "/clubs/riverside/mappings/1"
    assert "Dame bei" in text_of(hanna.get(at))
    assert (
        beside(hanna.post(at, {"rename": "yes", "name": " "}), "name")
        == "Enter a name with at least one visible letter, digit or symbol."
    )
    page = hanna.post(at, {"rename": "yes", "name": "Wednesdays"}, follow=True)
    assert "Mapping renamed to Wednesdays." in text_of(page)
    page = hanna.post(at, {"forget": "yes"}, follow=True)
    assert "Mapping Wednesdays deleted." in text_of(page)
    assert not ColumnMap.objects.exists()
    operations = AuditLine.objects.order_by("number").values_list("act", flat=True)
    assert list(operations)[-3:] == ["keep_mapping", "rename_mapping", "forget_mapping"]
    assert hanna.get(at).status_code == 404


@pytest.mark.parametrize(
    ("change", "field", "say"),
    [
        (
            {"column-5": "hearts"},
            "column-5",
            "Two columns are read as Hearts taken: Herzen, Bemerkung.",
        ),
        ({"column-2": "ignore"}, "", "No column gives the player. The columns are: Datum (Date)"),
        ({"round": "0"}, "round", "round cannot be 0. Expected: a number from 1 up."),
    ],
)
def test_mapping_that_cannot_be_is_refused_beside_its_field_and_nothing_is_kept(
    hanna: Client, tmp_path: Path, change: dict[str, str], field: str, say: str
) -> None:
    response = send_file(hanna, as_csv(tmp_path / "night.csv", BY_SEAT, seat_rows()), holds="hands")
    page = hanna.post(response, answers(SEATS_PLAN, **change))
    assert page.status_code == 422
    assert say in (beside(page, field) if field else summary(page))
    assert (ColumnMap.objects.count(), Upload.objects.get().plan) == (0, None)
    assert ImportBatch.objects.get().state == "mapping"


def test_column_of_somebody_unknown_is_settled_and_kept(hanna: Client, tmp_path: Path) -> None:
    heads = [head.replace("Cleo S.", "Cleopatra") for head in BY_HAND]
    path = as_csv(tmp_path / "night.csv", heads, hand_rows())
    response = send_file(hanna, path)
    page = hanna.post(response, answers(HANDS_PLAN, **{"player-5": "Zoe"}))
    assert beside(page, "player-5") == "“Zoe” is not on the club's list of players."
    hanna.post(response, answers(HANDS_PLAN))
    assert "Save mapping" not in text_of(hanna.get(f"{IMPORTS}/1"))  # no hand is read yet
    problem = ImportProblem.objects.get(code="unknown_player")
    assert (problem.lines, problem.found) == ([2, 3, 4], '"Cleopatra"')
    at = f"{IMPORTS}/1/problems/{problem.position}"
    hanna.post(at, {"do": "player", "player": "RL03"})
    assert "Import 3 hands" in text_of(hanna.get(f"{IMPORTS}/1"))
    keep(hanna)
    assert ColumnMap.objects.get().plan["players"] == {"Cleopatra": "RL03"}
    assert send_file(hanna, path) == f"{IMPORTS}/2"


def test_rows_are_mended_and_a_moon_is_settled_in_place(hanna: Client, tmp_path: Path) -> None:
    cells = hand_rows()
    cells[0][3] = 3
    cells[1][8:] = ["", ""]
    path = as_csv(tmp_path / "night.csv", BY_HAND, cells)
    hanna.post(send_file(hanna, path), answers(HANDS_PLAN))
    wrong = ImportProblem.objects.get(code="missing_cards")
    at = f"{IMPORTS}/1/problems/{wrong.position}"
    assert 'aria-label="Alma D. of line 2"' in hanna.get(at).content.decode()
    hanna.post(at, {"do": "mend", "c-2-3": "4"})
    moon = ImportProblem.objects.get(code="choice_required")
    assert [offer["text"] for offer in moon.offers] == [
        "Bruno K.: taken off that seat",
        "Bruno K.: added to the others",
    ]
    hanna.post(f"{IMPORTS}/1/problems/{moon.position}", {"do": "offer-1"})
    hanna.post(f"{IMPORTS}/1/confirm")
    assert Hand.objects.count() == 3
    assert {row[:] for row in hand_scores() if row[3] == "2" and row[6] != "26"} == {
        ("2025-11-13", "11", "1", "2", "E", "RL02", "0")
    }
    hanna.post(f"{IMPORTS}/1/undo")
    assert not Hand.objects.exists()


def test_moon_of_a_sheet_without_a_column_for_it_gets_one(hanna: Client, tmp_path: Path) -> None:
    path = as_csv(tmp_path / "night.csv", BY_SEAT, seat_rows((1,)))
    hanna.post(send_file(hanna, path), answers(SEATS_PLAN))
    moon = ImportProblem.objects.get(code="choice_required")
    hanna.post(f"{IMPORTS}/1/problems/{moon.position}", {"do": "offer-1"})
    assert Upload.objects.get().heads == [*BY_SEAT, "moon"]
    assert "Import 1 hand" in text_of(hanna.get(f"{IMPORTS}/1"))


def test_our_file_can_get_other_columns_while_unconfirmed(hanna: Client, tmp_path: Path) -> None:
    address = send_file(hanna, ours(tmp_path))
    assert "Wrong columns?" in text_of(hanna.get(address))
    assert hanna.get(f"{address}/columns").status_code == 200
    hanna.post(f"{address}/confirm")
    assert hanna.get(f"{address}/columns")["Location"] == address


def test_new_column_is_asked_for_with_the_mapping_chosen(hanna: Client, tmp_path: Path) -> None:
    hanna.post(send_file(hanna, night(tmp_path)), answers(HANDS_PLAN))
    keep(hanna)
    heads = [head.replace("Cleo S.", "Cleopatra") for head in BY_HAND]
    response = send_file(hanna, as_csv(tmp_path / "next.csv", heads, hand_rows()))
    form = hanna.get(response).context["form"]
    chosen = {label: form[f"column-{n}"].value() for n, label in enumerate(heads)}
    assert chosen == dict(zip(heads, HANDS_PLAN["columns"].values(), strict=True))
    assert form["cells"].value() == "hearts"
    hanna.post(response, answers(HANDS_PLAN, **{"player-5": "Cleo S."}))
    keep(hanna, 2)
    assert ColumnMap.objects.get().plan["players"] == {"Cleopatra": "RL03"}
    assert "Import 3 hands" in text_of(hanna.get(f"{IMPORTS}/2"))


def test_file_of_more_columns_than_one_would_map_is_refused(hanna: Client, tmp_path: Path) -> None:
    path = as_csv(tmp_path / "wide.csv", [f"h{n}" for n in range(400)], [["1"] * 400])
    response = post_file(hanna, path)
    assert beside(response, "file", 422) == "The file has 400 columns; at most 300 can be mapped."
    assert not ImportBatch.objects.exists()


def test_alike_empty_and_hostile_heads_are_shown_and_mapped(hanna: Client, tmp_path: Path) -> None:
    heads = ["Name", "", "<b>Punkte</b>", "name", "A\0"]
    path = as_csv(tmp_path / "odd.csv", heads, [["Alma D.", 1, 5, "x", ""]])
    page = hanna.get(send_file(hanna, path))
    assert page.context["form"].labels == ("Name", "column 2", "<b>Punkte</b>", "name (2)", "A")
    assert "&lt;b&gt;Punkte" in page.content.decode()


def test_import_cancelled_at_columns_is_over(dirk: Client, hanna: Client, tmp_path: Path) -> None:
    manage = "/clubs/riverside/events/league/direct"
    response = send_file(hanna, night(tmp_path), holds="hands")
    assert "night.csv" in text_of(dirk.get(manage))
    page = hanna.get(response).content.decode()
    assert f'formaction="{IMPORTS}/1/discard">Cancel import</button>' in page
    answer = hanna.post(f"{IMPORTS}/1/discard", answers(HANDS_PLAN), follow=True)
    assert "night.csv was discarded." in text_of(answer)
    assert "night.csv" not in text_of(dirk.get(manage))


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


def proposed(client: Client, asked: str) -> dict[str, str]:
    """What the page proposes, as a browser sends it when nobody changes anything."""
    form = client.get(asked).context["form"]
    return {field.name: "" if field.value() is None else field.value() for field in form}


def points() -> list[tuple[str, int, object]]:
    found = Entry.objects.order_by("hand__game__table__code", "hand__number")
    return list(found.values_list("hand__game__table__code", "hand__number", "typed__points"))


def test_numbered_heads_are_proposed_and_tables_have_players(hanna: Client, tmp_path: Path) -> None:
    response = send_file(hanna, as_csv(tmp_path / "night.csv", HEADS, NIGHT), holds="hands")
    assert "One row per hand, names and points in pairs" in text_of(hanna.get(response))
    fields = proposed(hanna, response)
    means = [fields[f"column-{n}"] for n in range(len(HEADS))]
    assert means == [*("date", "table"), *(f"{of}:{n}" for n in range(1, 5)
                                           for of in ("player", "value"))]  # fmt: skip
    hanna.post(response, {**fields, "round": "11"})
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


def test_columns_without_numbers_are_paired_by_content(hanna: Client, tmp_path: Path) -> None:
    heads = ("Wann", "Nord", "Ost", "Süd", "P Nord", "P Ost", "P Süd")
    row = ["13.11.2025", "Alma D.", "Bruno K.", "Cleo S.", 0, 26, 0]
    fields = proposed(hanna, send_file(hanna, as_csv(tmp_path / "night.csv", heads, [row])))
    means = [fields[f"column-{n}"] for n in range(len(heads))]
    names, values = [f"player:{n}" for n in (1, 2, 3)], [f"value:{n}" for n in (1, 2, 3)]
    assert means == ["date", *names, *values]


def test_name_that_is_not_known_is_resolved_in_its_rows(hanna: Client, tmp_path: Path) -> None:
    rows = [[("Schmidt, Alma" if cell == "Alma D." else cell) for cell in row] for row in NIGHT]
    response = send_file(hanna, as_csv(tmp_path / "night.csv", HEADS, rows))
    hanna.post(response, {**proposed(hanna, response), "round": "11"})
    problem = ImportProblem.objects.get(code="unknown_player")
    assert problem.lines == [2, 4]
    page = f"{IMPORTS}/1/problems/{problem.position}"
    assert "Schmidt, Alma" in text_of(hanna.get(page))
    hanna.post(page, {"do": "player", "player": "RL01"})
    assert "Import 3 hands" in text_of(hanna.get(f"{IMPORTS}/1"))
    hanna.post(f"{IMPORTS}/1/confirm")
    assert points()[:2] == [("r11t1", 1, [4, 1, 2, 19]), ("r11t1", 2, [0, 13, 10, 3])]


def test_name_without_points_is_asked_for_and_nothing_read(hanna: Client, tmp_path: Path) -> None:
    response = send_file(hanna, as_csv(tmp_path / "night.csv", HEADS, NIGHT), holds="hands")
    fields = {**proposed(hanna, response), "round": "11", "column-3": "ignore"}
    page = text_of(hanna.post(response, fields))
    assert "No column gives the points of player 1." in page
    assert "Choose “Player 1: points” for the right column." in page
    assert not ImportProblem.objects.exists()
