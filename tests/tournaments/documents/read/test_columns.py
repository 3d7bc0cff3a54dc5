"""Heads of columns, cells and names of a file: synonyms read, nothing coerced or guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.documents.read.cells import count, day, mark, plain, seat, whole
from tournaments.documents.read.columns import columns_of, meaning
from tournaments.documents.read.csv import Unreadable
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.domain.imports.imported_sheets import MoonMark

NEEDED = ["round", "table", "hand", "seat", "player"]
MEMBERS = [
    ClubPlayer(1, "RL01", "Alma D."),
    ClubPlayer(2, "RL13", "Mina D."),
    ClubPlayer(3, "RL23", "Wim K."),
    ClubPlayer(4, "RL40", "Nadia D."),
    ClubPlayer(5, "RL41", "Jörg S."),
    ClubPlayer(6, "RL42", "Jörg S."),
]

QUEEN = (
    "queen_spades", "Queen of Spades", "QS", "SQ", "Q♠", "♠Q", "Lady", " black lady ", "Pik-Dame",
    "pik dame", "Spade Queen",
)  # fmt: skip


@pytest.mark.parametrize(
    ("head", "key"),
    [
        *((head, "=QS") for head in QUEEN),
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
        (["table", "hand", "seat", "player", "points"], "No column for Round."),
        (["round", "table", "hand", "player", "hearts"], "No column for Seat or side."),
        (["round", "table", "hand", "seat", "hearts"], "No column for Player name or player id."),
        (NEEDED, "No column for Points or cards. The heads are: round, table, hand"),
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
    with pytest.raises(Unreadable, match="No column for Pair"):
        columns_of(["round", "table", "hand", "side", "player_id", "hearts"])


@pytest.mark.parametrize(
    ("text", "value", "notes"),
    [
        ("12", 12, ()), ("0", 0, ()), ("-26", -26, ()), (" 7 ", 7, ("trimmed",)),
        ("7,0", 7, ("decimal_comma",)), ("-26,00", -26, ("decimal_comma",)),
        ("\x007", 7, ("nul_byte",)),
        ("7,5", None, ()), ("7.0", None, ()), ("+7", None, ()), ("07", None, ()), ("1e3", None, ()),
        ("NaN", None, ()), ("1e309", None, ()), ("٣", None, ()), ("７", None, ()), ("O", None, ()),
        ("−7", -7, ()), ("−−7", None, ()), ("−0", None, ()), ("1 000", None, ()), ("-0", None, ()),
        ("12345678901", None, ()),
        ("", None, ()),
    ],
)  # fmt: skip
def test_only_plain_whole_numbers_are(text: str, value: int | None, notes: tuple[str, ...]) -> None:
    cell = whole(text)
    assert (cell.value, cell.notes) == (value, notes)


@given(st.text(max_size=12))
def test_any_other_text_stays_text(text: str) -> None:
    cell = count(text)
    if isinstance(cell.value, int):
        assert cell.text in {str(cell.value), *(f"{cell.value},{'0' * n}" for n in range(1, 12))}
    else:
        assert cell.value == (cell.text or None)


@pytest.mark.parametrize("text", ["=1+1", "+49", "-x", "@x", "\tx", "＝x"])
def test_apostrophe_before_a_formula_is_left_out(text: str) -> None:
    assert plain("'" + text).text == text
    assert plain("'" + text).notes == ("apostrophe",)


def test_other_apostrophes_stay() -> None:
    assert plain("'Enri' K.").text == "'Enri' K."


@pytest.mark.parametrize(
    ("text", "index"),
    [
        (" n ", 0), ("North", 0), ("Ost", 1), ("süd", 2), ("W", 3), ("1", 0), ("7", 6),
        ("NE", None), ("0", None), ("14", None),
    ],
)  # fmt: skip
def test_seat_is_a_letter_a_word_or_a_number(text: str, index: int | None) -> None:
    assert seat(text).value == index


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("2025-11-13", ["2025-11-13"]), ("2025-11-13 00:00:00", ["2025-11-13"]),
        ("13.11.2025", ["2025-11-13"]), ("5.11.2025", ["2025-11-05"]),
        ("13/11/2025", ["2025-11-13"]),
        ("11/13/2025", ["2025-11-13"]), ("5/11/2025", ["2025-11-05", "2025-05-11"]),
        ("5/5/2025", ["2025-05-05"]), ("13.11.25", ["2025-11-13"]),
        ("11/13/25", ["2025-11-13"]), ("2025/11/13", ["2025-11-13"]),
        ("11/13/2025 19:31:12", ["2025-11-13"]), ("13.11.2025 19:31", ["2025-11-13"]),
        ("11/13/2025 7:31 PM", ["2025-11-13"]), ("2025-11-13T19:31:12", ["2025-11-13"]),
        ("25-11-13", ["2025-11-13", "2013-11-25"]), ("13.11.0025", ["0025-11-13"]),
            ("13.11.2025 noon", []),
        ("13.11.2025 19", []), ("2025.13.11", []),
        ("2025-13-45", []), ("31.02.2025", []), ("Total", []), ("", []),
    ],
)  # fmt: skip
def test_date_is_every_day_that_it_may_mean(text: str, options: list[str]) -> None:
    assert [option.isoformat() for option in day(text).value.options] == options


@pytest.mark.parametrize(
    ("text", "moon"),
    [
        ("others+26", MoonMark("others+26", "others", 26)),
        ("self-26", MoonMark("self-26", "self", 26)),
        ("Opponents", MoonMark("Opponents", "others")),
        ("self", MoonMark("self", "self")), ("x", MoonMark("x")), ("", None), ("0", None),
        ("self+26", MoonMark("self+26", "self", 26, is_read=False)),
        ("maybe", MoonMark("maybe", is_read=False)),
    ],
)  # fmt: skip
def test_moon_mark_says_how_it_was_settled(text: str, moon: MoonMark | None) -> None:
    assert mark(text).value == moon


@pytest.mark.parametrize(
    ("code", "name", "player_id"),
    [
        ("RL01", "Alma D.", "RL01"),
        ("rl01", " alma  d. ", "RL01"),
        ("RL01", "", "RL01"),
        ("", "Alma D.", "RL01"),
        ("RL42", "Jo\u0308rg S.", "RL42"),
    ],
)
def test_member_is_found_by_id_and_name(code: str, name: str, player_id: str) -> None:
    person = People(MEMBERS).person(code, name)
    assert person.member is not None
    assert person.member.player_id == player_id
    assert person.code == ""


def test_new_member_gets_no_id_that_no_address_can_hold() -> None:
    people = People(MEMBERS, welcome=True)
    assert people.person("..", "Olga D.").code == "unknown_player"
    assert people.person("D..", "Olga D.").code == ""
    assert [member.player_id for member in people.new] == ["D.."]


@pytest.mark.parametrize(
    ("code", "name", "problem", "suggestion"),
    [
        ("", "Nadiia D.", "unknown_player", "Nadia D. (RL40)"),
        ("", "Guest (Wim's cousin)", "unknown_player", None),
        ("RL99", "Alma D.", "unknown_player", "Alma D. (RL01)"),
        ("RL01", "Mina D.", "id_name_disagree", "Mina D. is RL13"),
        ("RL01", "Alma", "id_name_disagree", None),
        ("", "Jörg S.", "ambiguous_name", None),
        ("", "", "no_player", None),
    ],
)
def test_what_leaves_it_open_is_asked(
    code: str, name: str, problem: str, suggestion: str | None
) -> None:
    person = People(MEMBERS).person(code, name)
    assert (person.member, person.code, person.suggestion) == (None, problem, suggestion)


def test_only_an_id_brings_a_new_member() -> None:
    people = People(MEMBERS, welcome=True)
    assert people.person("", "Newcomer").code == "unknown_player"
    assert people.person("RL50", "Newcomer").member == ClubPlayer(-1, "RL50", "Newcomer")
    assert people.person("RL50", "Other").code == "id_name_disagree"
    assert people.new == [ClubPlayer(-1, "RL50", "Newcomer")]


def test_overlong_name_is_cut_and_noted() -> None:
    person = People([], welcome=True).person("RL50", "x" * 300_000)
    assert person.member is not None
    assert len(person.member.name) == 120
    assert person.notes == ("name_cut",)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Oct 6, 2026", ["2026-10-06"]),
        ("October 6th 2026", ["2026-10-06"]),
        ("Mar 6, 2026 19:30", ["2026-03-06"]),
        ("Tue, Oct 6, 2026", ["2026-10-06"]),
        ("mar 06/10/2026", ["2026-10-06", "2026-06-10"]),
        ("Di 6, 2026", []),
    ],
)
def test_month_before_its_day_is_no_weekday(text: str, options: list[str]) -> None:
    assert [each.isoformat() for each in day(text).value.options] == options


def test_month_before_its_day_may_have_no_year() -> None:
    assert (day("Oct 6").value.without_year, day("Mo 6").value.without_year) == ((10, 6), None)
