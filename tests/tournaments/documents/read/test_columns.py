"""Heads of columns: order free, case and blanks folded, synonyms and cards read."""

import pytest

from tournaments.documents.read.columns import columns_of, meaning
from tournaments.documents.read.csv import Unreadable

NEEDED = ["round", "table", "hand", "seat", "player"]


@pytest.mark.parametrize(
    "head",
    ["queen_spades", "Queen of Spades", "QS", "SQ", "Q♠", "♠Q", "Lady", " black lady ",
     "Pik-Dame", "pik dame", "Spade Queen"],
)  # fmt: skip
def test_queen_of_spades_is_read_under_her_usual_names(head: str) -> None:
    assert meaning(head) == "=QS"


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("Player_ID ", "player_id"), ("Spieler", "player"), ("TISCH", "table"), ("Runde", "round"),
        ("Herz", "hearts"), ("♥", "hearts"), ("Punkte", "points"), ("T♣", "=10C"),
        ("ten_clubs", "=10C"), ("Karo Bube", "=JD"), ("colour", ""),
    ],
)  # fmt: skip
def test_head_means_its_column(head: str, key: str) -> None:
    assert meaning(head) == key


def test_order_is_free_and_unknown_heads_are_named() -> None:
    columns = columns_of(["points", "Weather", "seat", "hand", "table", "round", "player", "QS"])
    assert columns.at["points"] == 0
    assert columns.cards == {"QS": 7}
    assert columns.unknown == ("Weather",)


@pytest.mark.parametrize(
    ("heads", "missing"),
    [
        (["table", "hand", "seat", "player", "points"], "No column for round."),
        (["round", "table", "hand", "player", "hearts"], "No column for seat or side."),
        (["round", "table", "hand", "seat", "hearts"], "No column for player_id or player."),
        (NEEDED, "No column for counts or points. The heads are: round, table, hand"),
    ],
)
def test_missing_column_is_named_with_what_was_found(heads: list[str], missing: str) -> None:
    with pytest.raises(Unreadable, match=missing):
        columns_of(heads)


def test_two_heads_of_one_meaning_are_refused() -> None:
    with pytest.raises(Unreadable, match='Two columns mean the same: "Lady" and "QS"'):
        columns_of([*NEEDED, "Lady", "QS"])


def test_sheets_by_side_need_a_pair_instead_of_a_player() -> None:
    heads = ["round", "table", "hand", "side", "pair_id", "hearts"]
    assert columns_of(heads).at["side"] == 3
    with pytest.raises(Unreadable, match="No column for pair_id"):
        columns_of(["round", "table", "hand", "side", "player_id", "hearts"])
