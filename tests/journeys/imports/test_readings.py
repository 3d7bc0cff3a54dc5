"""A file whose numbers are not as written: read in the one possible way, or asked about once."""

from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.imports.uploads import send_file
from tests.support.pages.forms import as_shown
from tests.support.pages.text import text, text_of
from tournaments.models.hands import Hand

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
    """Send the mapping page as it is shown, confirm, and return the text of the page."""
    form = as_shown(client.get(at).context["form"])
    page = text(client.post(at, {**form, **chosen}, follow=True))
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
