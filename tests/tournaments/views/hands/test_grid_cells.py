"""A cell as on paper: text → entry → the same text, under the rules of every variant."""

from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from scoring.rules.catalogue import catalogue
from tests.support.answers import Json
from tests.support.scoring.play import rules
from tests.support.scoring.random_hands import Dealt, hands, option_sets
from tournaments.views.hands.grid_cells import (
    CellGrammar,
    RowTexts,
    columns,
    entry_in,
    grammar_of,
    is_same_entry,
    read_cell,
    read_row,
    texts_of,
    write_row,
)
from tournaments.views.hands.hand_form_fields import converted_fields, entry_of, fields_of, sheet_of

SIDES = ([0, 2], [1, 3])

of_one_seed = settings(
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # a hand comes from one seed: nothing to shrink
)


def grammar(variant: str = "hearts", seats: int = 4, **options: object) -> CellGrammar:
    return grammar_of(sheet_of(rules(variant, **options), seats, SIDES if seats == 4 else None))


def of_hand(dealt: Dealt) -> CellGrammar:
    return grammar_of(sheet_of(dealt.rules, dealt.seats, dealt.sides))


@st.composite
def dealt(draw: st.DrawFn) -> Dealt:
    variant = draw(st.sampled_from(catalogue().ids))
    return draw(hands(variant, option_sets(variant)))


@st.composite
def entries(draw: st.DrawFn) -> tuple[CellGrammar, Json]:
    hand = draw(dealt())
    sheet = of_hand(hand)
    short = bool(sheet.sheet.hearts)
    if sheet.sheet.box("first_trick") is None:  # a sheet without that box says nothing of it
        hand.beside.pop("first_trick_by", None)
    entry = dict(hand.counts if short and draw(st.booleans()) else hand.entry)
    if draw(st.booleans()):
        points = st.one_of(st.integers(-300, 300), st.sampled_from(["26/3", [-26, 10], [5, -1]]))
        rows = len(sheet.sheet.rows)
        beside = ("declared", "pledges", "unclaimed", "passer")
        said: dict[str, Any] = {key: entry[key] for key in beside if key in entry}
        entry = {"points": draw(st.lists(points, min_size=rows, max_size=rows)), **said}
    if draw(st.booleans()):
        entry["slam_choice"] = draw(st.sampled_from(["self", "others"]))
    if draw(st.booleans()):
        entry["shooter"] = sheet.sheet.rows[draw(st.integers(0, len(sheet.sheet.rows) - 1))] - 1
    return sheet, entry


MELDED: tuple[list[str], list[str]] = (
    ["flush", "royal_marriage", "marriage", "marriage", "aces"],
    [],
)


def melded_cards() -> Json:
    """A hand of Pinochle card by card: two suits of both packs each, the last trick to seat 2."""
    high = [rank + suit for suit in "CDHS" for rank in ("A", "10", "K", "Q", "J")]
    piles = [high[:10] * 2, high[10:] * 2]
    return {"taken": piles, "melds": [list(one) for one in MELDED], "last_trick": 1}


@of_one_seed
@given(entries())
@example((grammar("pinochle-two-hand", seats=2), melded_cards()))
def test_entry_in_cells_is_read_as_the_same(made: tuple[CellGrammar, dict[str, object]]) -> None:
    sheet, entry = made
    way, texts = texts_of(sheet, entry)
    fields, unread = read_row(sheet, way, texts)
    assert unread == ()
    assert entry_of(sheet.sheet, way, fields) == entry_of(
        sheet.sheet, way, fields_of(sheet.sheet, entry, way)
    )
    assert write_row(sheet, way, fields) == texts
    assert is_same_entry(sheet, way, texts, entry)


@of_one_seed
@given(entries(), st.data())
def test_case_and_blanks_of_a_cell_mean_nothing(
    made: tuple[CellGrammar, dict[str, object]], data: st.DataObject
) -> None:
    sheet, entry = made
    way, texts = texts_of(sheet, entry)
    if way == "points":
        return
    cells = tuple(
        data.draw(st.sampled_from([f" {text} ", text.upper(), text.lower()]))
        for text in texts.cells
    )
    assert entry_in(sheet, way, RowTexts(cells, texts.beside)) == entry_in(sheet, way, texts)


@pytest.mark.parametrize(
    ("variant", "letters"),
    [
        ("hearts", {"QS": "q"}),
        ("omnibus-hearts", {"QS": "q", "JD": "j"}),
        ("turbo-hearts", {"QS": "q", "JD": "j", "10C": "t"}),
        ("black-maria-43", {"QS": "q", "KS": "k", "AS": "a"}),
        ("four-jacks", {"JH": "h", "JS": "s", "JC": "c", "JD": "d"}),
        ("hooligan-hearts", {"QS": "q", "7C": "c"}),
        ("spot-hearts", {}),
        ("hearts-without-black-lady", {}),
    ],
)
def test_each_card_has_a_letter_of_its_own(variant: str, letters: dict[str, str]) -> None:
    assert dict(grammar(variant).letters) == letters


def test_no_letter_of_any_variant_is_one_of_the_keys_or_stands_for_two_cards() -> None:
    for variant in catalogue().ids:
        least, most = catalogue().rules(variant).keys.players
        for seats in (least, most):
            found = grammar_of(sheet_of(catalogue().rules(variant), seats, None))
            letters = list(found.letters.values())
            assert len(set(letters)) == len(letters), variant
            assert not set(letters) & {"r", "m"}, variant
            assert bool(letters) == (0 < len(found.sheet.copies) <= 6), variant


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("3q", {"hearts-2": ["3"], "card-QS": ["2"]}),
        ("q", {"hearts-2": ["0"], "card-QS": ["2"]}),
        ("Q", {"hearts-2": ["0"], "card-QS": ["2"]}),
        ("03", {"hearts-2": ["3"]}),
        ("", {}),
        ("13q-", {"hearts-2": ["13"], "card-QS": ["2"], "slam_choice": ["self"]}),
        ("13q +*", {"hearts-2": ["13"], "card-QS": ["2"], "slam_choice": ["others"],
                    "shooter": ["2"]}),
        ("3x", None), ("q3", None), ("3,5", None), ("drei", None), ("1000", None),
    ],
)  # fmt: skip
def test_cell_is_read_as_on_paper(text: str, entry: dict[str, list[str]] | None) -> None:
    assert read_cell(grammar(), "counts", 2, text) == entry


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("QS 10H", ["QS", "10H"]), ("qs,th", ["QS", "10H"]), ("2-4H QS", ["2H", "3H", "4H", "QS"]),
        ("9-JH", ["9H", "10H", "JH"]), ("0", []), ("QS AC", None), ("4-2H", None), ("5", None),
    ],
)  # fmt: skip
def test_cards_too_many_for_letters_are_listed_by_code(text: str, cards: list[str] | None) -> None:
    fields = read_cell(grammar("spot-hearts"), "counts", 1, text)
    assert (fields if fields is None else sorted(name[5:] for name in fields)) == (
        cards if cards is None else sorted(cards)
    )


def test_two_packs_have_the_letter_twice() -> None:
    sheet = grammar("cancellation-hearts", seats=6)
    texts = RowTexts(("3qq", "10", "13", "0", "0", "0"))
    assert entry_in(sheet, "counts", texts)["taken"][0] == ["QS", "QS"]
    assert read_cell(sheet, "counts", 1, "26") == {"hearts-1": ["26"]}


def test_what_a_hand_has_beside_its_seats_stands_in_columns() -> None:
    sheet = grammar(sun="double", pledge=True, ten_of_clubs="double")
    assert [column.kind for column in columns(sheet.sheet)] == ["tricks", "pledge"]
    texts = RowTexts(("4", "1qt", "2", "6"), {"tricks": "3 3 3 4", "pledge": "2 W"})
    assert entry_in(sheet, "counts", texts) == {
        "hearts": [4, 1, 2, 6],
        "taken": [[], ["QS", "10C"], [], []],
        "tricks": [3, 3, 3, 4],
        "pledges": [None, "no-hearts", None, "no-hearts"],
    }
    assert read_row(sheet, "counts", RowTexts(texts.cells, {"tricks": "3 3"}))[1] == ("tricks",)
    assert read_row(sheet, "counts", RowTexts(texts.cells, {"pledge": "9"}))[1] == ("pledge",)


def test_charged_cards_are_codes() -> None:
    sheet = grammar("turbo-hearts")
    texts = RowTexts(("4", "1qt", "2j", "6"), {"charged": "qs tc"})
    assert entry_in(sheet, "counts", texts)["declared"] == ["QS", "10C"]


def test_row_that_cannot_be_read_names_its_cells_and_is_never_the_same_hand() -> None:
    sheet = grammar()
    texts = RowTexts(("4", "1z", "2", "?"))
    assert read_row(sheet, "counts", texts)[1] == ("2", "4")
    assert not is_same_entry(sheet, "counts", texts, {"hearts": [4, 0, 2, 0], "taken": []})


def test_hand_listed_card_by_card_stands_there_as_counts_and_is_left_alone_so() -> None:
    sheet = grammar()
    entry = {"taken": [["2H", "QS", "5C"], ["3H", "4H"], [], []], "unclaimed": []}
    assert texts_of(sheet, entry) == ("counts", RowTexts(("1q", "2", "0", "0")))
    assert is_same_entry(sheet, "counts", RowTexts(("1q", "2", "0", "0")), entry)


def test_hand_of_melds_listed_card_by_card_stands_there_as_trick_points() -> None:
    """Two seats split the suits, 120 each; the last trick is 10 for the second."""
    sheet = grammar("pinochle-two-hand", seats=2)
    entry = melded_cards()
    texts = RowTexts(("120 f rm 2m a", "130"))
    assert texts_of(sheet, entry) == ("counts", texts)
    assert is_same_entry(sheet, "counts", texts, entry)
    assert not is_same_entry(sheet, "counts", RowTexts(("120 f rm 2m a", "120")), entry)
    assert entry_in(sheet, "counts", texts) == {
        "trick_points": [120, 130],
        "melds": [list(one) for one in MELDED],
    }


def test_cards_of_a_hand_with_melds_become_trick_points_in_the_form() -> None:
    sheet = grammar("pinochle-two-hand", seats=2).sheet
    shown = converted_fields(sheet, "cards", "counts", fields_of(sheet, melded_cards()))
    assert (shown["trick_points-1"], shown["trick_points-2"]) == (["120"], ["130"])
    assert converted_fields(sheet, "cards", "counts", {}) == {}


def test_cell_of_thousands_of_spaces_is_read_at_once() -> None:
    """A pattern that skipped the spaces before both marks kept the process for hours here."""
    spaces = " " * 5_000
    assert read_cell(grammar(), "points", 0, f"1{spaces}2") == {"points-0": [f"1{spaces}2"]}
    assert read_cell(grammar(), "points", 0, f"26{spaces}-{spaces}*{spaces}") == {
        "points-0": ["26"],
        "slam_choice": ["self"],
        "shooter": ["0"],
    }


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("c", {"clean-2": ["1"]}),
        ("C", {"clean-2": ["1"]}),
        ("x", {}),
        ("0", {}),
        ("", {}),
        ("4", None),
    ],
)
def test_cell_of_who_is_clean_has_a_sign_or_cannot_be_read(
    text: str, fields: dict[str, list[str]] | None
) -> None:
    assert read_cell(grammar(), "clean", 2, text) == fields


def test_who_is_clean_is_written_without_boxes_beside_the_cells() -> None:
    assert columns(grammar().sheet, "clean") == ()
