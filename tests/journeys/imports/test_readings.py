"""A file whose numbers are not as written: read in the one possible way, or asked about once."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.commands import run_command
from tests.support.imports.uploads import post_file, send_file
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text, text_of
from tournaments.models.columns import exact
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.rounds import Meeting
from tournaments.models.standings import OpeningValue

NAMES = ("Ann Tarn", "Béatrice Müller", "Cai Gale", "David Birk", "Ester Dorn")
HEADS = "Ann Tarn;Béatrice Müller;Cai Gale;David Birk"
EVENING = [[13, 5, 8, 0], [0, 13, 13, 0], [1, 0, 13, 12], [2, 3, 6, 15], [26, 0, 26, 26]]


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *NAMES)
    league(cast.riverside)
    return cast.client("dirk")


def sent(client: Client, folder: Path, content: str) -> str:
    path = folder / "evening.csv"
    path.write_text(content, encoding="utf-8")
    return send_file(client, path, day="2026-10-13", holds="auto")


def by_default(client: Client, at: str, **chosen: str) -> str:
    """Send the page of columns as it is shown, if there is one, confirm; return the page's text."""
    if at.endswith("/columns"):
        form = as_shown(client.get(at).context["form"])
        page = text(client.post(at, {**form, **chosen}, follow=True))
    else:
        page = text(client.get(at))
    client.post(f"{at.removesuffix('/columns')}/confirm")
    return page


def stored() -> list[tuple[int, int, list[int]]]:
    hands = Hand.objects.filter(state="accepted").select_related("entry", "game__table__round")
    return sorted(
        (hand.game.table.round.number, hand.number, hand.entry.typed["points"])
        for hand in hands
        if hand.entry and hand.game.table
    )


def rows_of(*rows: str) -> str:
    return "".join(f"{number};{row}\n" for number, row in enumerate(rows, start=1))


ONE_TABLE = [(1, number, points) for number, points in enumerate(EVENING, start=1)]
ROUNDS = [(number, 1, points) for number, points in enumerate(EVENING, start=1)]
AS_WRITTEN = ("13;5;8;0", "0;13;13;0", "1;0;13;12", "2;3;6;15", "26;0;26;26")
EMPTY = ("13;5;8;", ";13;13;", "1;;13;12", "2;3;6;15", "26;;26;26")
MINUS = ("-13;-5;-8;0", "0;-13;-13;0", "-1;0;-13;-12", "-2;-3;-6;-15", "-26;0;-26;-26")
RUNNING = ("13;5;8;0", "13;18;21;0", "14;18;34;12", "16;21;40;27", "42;21;66;53")


@pytest.mark.django_db
@pytest.mark.parametrize("rows", [EMPTY, MINUS, RUNNING, AS_WRITTEN])
def test_rows_that_are_hands_in_one_way_only_are_read_in_that_way(
    dirk: Client, tmp_path: Path, rows: tuple[str, ...]
) -> None:
    at = sent(dirk, tmp_path, f"Hand;{HEADS}\n{rows_of(*rows)}")
    assert "How are the numbers written?" not in text_of(dirk.get(at))
    assert "5 hands in the file: 5 ready" in by_default(dirk, at)
    assert stored() == ONE_TABLE


@pytest.mark.django_db
@pytest.mark.parametrize("rows", [AS_WRITTEN, MINUS])
def test_round_column_with_each_number_once_is_asked_about_with_the_first_hands(
    dirk: Client, tmp_path: Path, rows: tuple[str, ...]
) -> None:
    at = sent(dirk, tmp_path, f"Round;{HEADS}\n{rows_of(*rows)}")
    page = text_of(dirk.get(at))
    assert "The round column counts the hands of one table." in page
    assert "The round column counts rounds, each with its own tables." in page
    assert "It is not clear how the numbers of this file are written." in by_default(dirk, at)
    assert stored() == []
    choices = dirk.get(at).context["form"].reading_choices
    assert [len(choice["rows"]) for choice in choices] == [3, 3]
    assert "5 hands in the file: 5 ready" in by_default(dirk, at, reading=choices[0]["key"])
    assert stored() == ONE_TABLE


@pytest.mark.django_db
def test_round_column_is_the_round_where_that_is_chosen(dirk: Client, tmp_path: Path) -> None:
    at = sent(dirk, tmp_path, f"Round;{HEADS}\n{rows_of(*AS_WRITTEN)}")
    by_default(dirk, at, reading="as_written")
    assert stored() == ROUNDS


@pytest.mark.django_db
@pytest.mark.parametrize("rows", [RUNNING, EMPTY])
def test_running_totals_or_empty_cells_under_the_head_round_are_the_hands_of_one_table(
    dirk: Client, tmp_path: Path, rows: tuple[str, ...]
) -> None:
    at = sent(dirk, tmp_path, f"Round;{HEADS}\n{rows_of(*rows)}")
    by_default(dirk, at)
    assert stored() == ONE_TABLE


SEATS = "Datum;Tisch;Spiel;Spieler;Punkte\n"


def seat_rows(*hands: Sequence[object]) -> str:
    return "".join(
        f"13.10.2026;1;{number};{name};{cell}\n"
        for number, hand in enumerate(hands, start=1)
        for name, cell in zip(NAMES, hand, strict=False)
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "hands",
    [
        EVENING,
        [[-points for points in hand] for hand in EVENING],
        [[points or "" for points in hand] for hand in EVENING],
        [[13, 5, 8, 0], [13, 18, 21, 0], [14, 18, 34, 12], [16, 21, 40, 27], [42, 21, 66, 53]],
    ],
)
def test_row_of_each_player_with_the_number_of_the_hand_is_hands(
    dirk: Client, tmp_path: Path, hands: Sequence[Sequence[object]]
) -> None:
    at = sent(dirk, tmp_path, SEATS + seat_rows(*hands))
    assert "Read as: Hands" in text(dirk.get(at))
    assert "5 hands in the file: 5 ready" in by_default(dirk, at)
    assert stored() == ONE_TABLE


@pytest.mark.django_db
def test_slip_in_running_totals_of_each_player_is_named(dirk: Client, tmp_path: Path) -> None:
    lines = [[13, 5, 8, 0], [13, 18, 12, 0], [14, 18, 34, 12], [16, 21, 40, 27]]
    page = by_default(dirk, sent(dirk, tmp_path, SEATS + seat_rows(*lines)))
    assert "Cai Gale (RL03) 12" in page
    assert stored() == [(1, 1, EVENING[0]), (1, 4, EVENING[3])]


@pytest.mark.django_db
def test_column_of_places_in_our_own_columns_is_asked_about(dirk: Client, tmp_path: Path) -> None:
    rows = [
        f"1;1;{number};{place};{name};{points}\n"
        for number, (hand, places) in enumerate(
            zip(EVENING, ((4, 2, 3, 1), (1, 3, 4, 2)), strict=False), start=1
        )
        for name, points, place in zip(NAMES, hand, places, strict=False)
    ]
    at = sent(dirk, tmp_path, f"Runde;Tisch;Blatt;Platz;Spieler;Punkte\n{''.join(rows)}")
    page = text_of(dirk.get(at))
    assert "The column of places has seats." in page
    assert "It is not clear how the numbers of this file are written." in by_default(dirk, at)
    by_default(dirk, at, reading="seat_is_place")
    assert stored() == [(1, 1, EVENING[0]), (1, 2, EVENING[1])]


@pytest.mark.django_db
def test_stored_mapping_asks_for_the_reading_of_a_file_written_otherwise(
    dirk: Client, tmp_path: Path
) -> None:
    at = sent(dirk, tmp_path, f"Spiel;{HEADS}\n{rows_of(*AS_WRITTEN)}")
    by_default(dirk, at)
    dirk.post(f"{at.removesuffix('/columns')}/keep-mapping", {"name": "Tuesdays"})
    dirk.post(f"{at.removesuffix('/columns')}/undo")
    at = sent(dirk, tmp_path, f"Spiel;{HEADS}\n{rows_of(*MINUS)}")
    page = text_of(dirk.get(at))
    assert "A minus marks penalty points." in page
    assert "The first rows are possible hands only in this way." in page
    assert "It is not clear how the numbers of this file are written." in by_default(dirk, at)
    assert "5 hands in the file: 5 ready" in by_default(dirk, at, reading="minus", round="7")


@pytest.mark.django_db
def test_proposed_fields_are_shown_and_can_be_answered_otherwise(
    dirk: Client, tmp_path: Path
) -> None:
    at = sent(dirk, tmp_path, f"Hand;{HEADS}\n{rows_of(*EMPTY)}")
    form = dirk.get(at).context["form"]
    assert (form["empty"].value(), form["sign"].value()) == ("0", "")
    by_default(dirk, at, empty="")
    hands = [(number, sorted(points)) for _, number, points in stored()]
    assert hands == [(1, [5, 8, 13]), (3, [1, 12, 13])]


DATED = "Date;Hand;Ann Tarn;Béatrice Müller;Cai Gale;David Birk\n{day};1;13;5;8;0\n"


@pytest.mark.django_db
@pytest.mark.parametrize("day", ["10-11-26", "10/11/2026", "10/11/26"])
@pytest.mark.parametrize(
    ("planned", "becomes"),
    [
        ([], None),
        (["2026-11-10"], "2026-11-10"),
        (["2026-10-11"], "2026-10-11"),
        (["2026-10-11", "2026-11-10"], None),
    ],
)
def test_planned_evening_decides_what_a_date_means(
    dirk: Client, tmp_path: Path, day: str, planned: Sequence[str], becomes: str | None
) -> None:
    event = Event.objects.get()
    for date in planned:
        Meeting.objects.create(club=event.club, event=event, date=date)
    path = tmp_path / "evening.csv"
    path.write_text(DATED.format(day=day), encoding="utf-8")
    page = by_default(dirk, send_file(dirk, path, holds="auto"))
    assert ("may be two dates. Which one is it?" in page) == (becomes is None)
    days = Hand.objects.values_list("game__table__round__meeting__date", flat=True)
    assert [str(on) for on in days] == ([becomes] if becomes else [])


@pytest.mark.django_db
def test_cancelled_evening_decides_nothing(dirk: Client, tmp_path: Path) -> None:
    event = Event.objects.get()
    for date, state in (("2026-10-11", "cancelled"), ("2026-11-10", "planned")):
        Meeting.objects.create(club=event.club, event=event, date=date, state=state)
    path = tmp_path / "evening.csv"
    path.write_text(DATED.format(day="10/11/2026"), encoding="utf-8")
    by_default(dirk, send_file(dirk, path, holds="auto"))
    days = Hand.objects.values_list("game__table__round__meeting__date", flat=True)
    assert [str(on) for on in days] == ["2026-11-10"]


LIST = "/clubs/riverside/events/league/opening-values/list"
SO_FAR = "Name;6.10.2025;13.10.2025;20.10.2025{total}\nAnn Tarn;40;71;91{a}\nCai Gale;66;86;86{b}\n"


def season(client: Client, content: str, **more: str) -> str:
    Event.objects.update(settings={"primary": "placement_points"})
    form = {"text": content, "reason": "From our sheet.", "add": "yes", **more}
    return text(client.post(LIST, form, follow=True))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("total", "a", "b", "asks"),
    [
        ("", "", "", True),
        (";Total", ";91", ";86", True),
        (";Total", ";202", ";238", False),
        (";Total", ";7", ";8", True),
    ],
)
def test_season_in_which_no_number_falls_is_asked_about(
    dirk: Client, total: str, a: str, b: str, *, asks: bool
) -> None:
    content = SO_FAR.format(total=total, a=a, b=b)
    page = season(dirk, content)
    assert ("Choose what the column of an evening has." in page) == asks
    assert ("6 values added." in page) == (not asks)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("evenings", "values"),
    [
        ("so_far", [("40", "31", "20"), ("66", "20")]),
        ("each", [("40", "71", "91"), ("66", "86", "86")]),
    ],
)
def test_points_so_far_become_the_points_of_each_evening(
    dirk: Client, evenings: str, values: Sequence[Sequence[str]]
) -> None:
    page = season(dirk, SO_FAR.format(total="", a="", b=""), evenings=evenings)
    assert f"{sum(map(len, values))} values added." in page
    rows = OpeningValue.objects.order_by("date")
    for name, numbers in zip(("Ann Tarn", "Cai Gale"), values, strict=True):
        of_player = rows.filter(entrant__members__player__name=name)
        assert [str(exact(row.value)) for row in of_player] == list(numbers)


@pytest.mark.django_db
def test_season_in_which_one_number_falls_is_not_asked_about(dirk: Client) -> None:
    content = SO_FAR.format(total="", a="", b="").replace("66;86;86", "66;86;85")
    assert "6 values added." in season(dirk, content)


@pytest.mark.django_db
def test_table_of_the_season_with_places_and_averages_is_the_season_so_far(
    dirk: Client, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    rows = "1;Ann Tarn;3;91;30,3\n2;Cai Gale;2;86;43,0\n"
    path.write_text(f"Platz;Name;Spiele;Punkte;Schnitt\n{rows}", encoding="utf-8")
    assert "2 players, values: 2" in text(post_file(dirk, path))


def by_command(tmp_path: Path, rows: tuple[str, ...], *options: str) -> tuple[int, str]:
    path = tmp_path / "evening.csv"
    path.write_text(f"Round;{HEADS}\n{rows_of(*rows)}", encoding="utf-8")
    where = ("--club", "riverside", "--event", "league", "--date", "2026-10-13")
    status, _, err = run_command("import_sheets", *where, str(path), *options)
    return status, err


@pytest.fixture
def mapping(tmp_path: Path) -> str:
    columns = {"Round": "round", **dict.fromkeys(HEADS.split(";"), "player")}
    plan = {"rows": "hands", "cells": "points", "columns": columns, "given": {"table": "1"}}
    path = tmp_path / "mapping.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    return str(path)


@pytest.mark.django_db
def test_command_refuses_numbers_with_a_minus_until_their_reading_is_said(
    dirk: Client, tmp_path: Path, mapping: str
) -> None:
    kept = by_command(tmp_path, AS_WRITTEN[:1], "--map-file", mapping, "--keep-mapping", "evening")
    assert kept[0] == 0
    status, said = by_command(tmp_path, MINUS, "--mapping", "evening")
    assert (status, stored()) == (2, ROUNDS[:1])
    assert "Say it with --reading: " in said
    assert by_command(tmp_path, MINUS, "--mapping", "evening", "--reading", "minus")[0] == 0
    assert stored() == ROUNDS


@pytest.mark.django_db
def test_command_takes_the_round_column_for_the_number_of_the_hand_when_told_so(
    dirk: Client, tmp_path: Path, mapping: str
) -> None:
    options = ("--map-file", mapping, "--reading", "round_is_hand", "--round", "1")
    assert by_command(tmp_path, AS_WRITTEN, *options)[0] == 0
    assert stored() == ONE_TABLE
