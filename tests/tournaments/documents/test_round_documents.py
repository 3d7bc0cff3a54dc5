"""Seating lists: every name once, found by its letter, in a type as large as the page allows."""

from typing import Any

from tournaments.documents.round_documents import SIZES, seating_pages
from tournaments.models.events import Snapshot
from tournaments.selectors.rounds.table_sheets import PrintedTable


def pages(*tables: tuple[str, ...], out: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    made = [
        PrintedTable(number, f"r1t{number}", Snapshot(), (), names, None)
        for number, names in enumerate(tables, start=1)
    ]
    return seating_pages(made, out, title="Round 1", subtitle="League", paper="a4")


def test_names_are_sorted_without_accents_and_sit_outs_stand_among_them() -> None:
    by_name, by_table = pages(("Zoë", "Émile", "Dora", "Étienne"), out=("Eva",))
    rows = [row for group in by_name["groups"] for row in group["rows"]]
    assert rows == [
        ("Dora", "Table 1 · South"),
        ("Émile", "Table 1 · East"),
        ("Étienne", "Table 1 · West"),
        ("Eva", "Sitting out"),
        ("Zoë", "Table 1 · North"),
    ]
    assert [group["title"] for group in by_table["groups"]] == ["Table 1"]


def test_long_lists_have_smaller_type_and_the_longest_go_on_over_pages() -> None:
    tables = [tuple(f"Player {table}-{seat}" for seat in range(4)) for table in range(100)]
    few, some, many = (pages(*tables[:n])[0] for n in (3, 12, 100))
    assert (few["size"], few["left"]) == (SIZES[0], 12)
    assert some["left"] == 24
    assert (many["size"], many["left"]) == (SIZES[-1], None)


def test_names_of_two_words_fit_their_column_in_one_line() -> None:
    tables = [tuple(f"Quirin Adler-{table}{seat}" for seat in range(4)) for table in range(4)]
    assert pages(*tables)[0]["size"] == 14
    longer = [tuple(f"{name} of the very long name" for name in names) for names in tables]
    assert pages(*longer)[0]["size"] == 14
