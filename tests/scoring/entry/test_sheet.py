"""The boxes of a sheet: what forms, importers and printed sheets ask for."""

from collections.abc import Sequence

import pytest

from scoring.entry.sheet import Box, boxes, seat_names
from scoring.rules.catalogue import folded
from tests.support.scoring.play import rules


def box_named(boxes: Sequence[Box], head: str) -> Box | None:
    key = folded(head)
    for box in boxes:
        if key and any(folded(column) == key for column in box.columns):
            return box
    return None


def keys(variant: str, seats: int = 4, **options: object) -> list[str]:
    return [box.key for box in boxes(rules(variant, **options), seats)]


def test_plain_sheet_asks_for_hearts_and_the_queen() -> None:
    assert keys("hearts") == ["hearts", "queen_spades", "cards", "moon", "points"]
    assert keys("omnibus-hearts") == [
        "hearts", "queen_spades", "jack_diamonds", "cards", "moon", "points",
    ]  # fmt: skip


def test_sheet_without_the_short_form_asks_for_each_heart() -> None:
    found = keys("spot-hearts")
    assert found[:3] == ["two_hearts", "three_hearts", "four_hearts"]
    assert found[12:] == ["ace_hearts", "queen_spades", "cards", "moon", "points"]


def test_sheet_asks_for_what_the_options_need() -> None:
    found = boxes(rules("hearts", sun="double", pledge=True, ten_of_clubs="double"), 4)
    assert [box.key for box in found] == [
        "hearts", "queen_spades", "ten_clubs", "cards", "tricks", "pledge", "moon", "points",
    ]  # fmt: skip
    assert box_named(found, "pledge") == Box(
        "pledge", "pledge", None, "Pledge", None, ("pledge", "pledges"), ("no-hearts",)
    )


def test_who_won_the_first_trick_and_who_passed_are_asked_where_a_slam_looks_at_it() -> None:
    asked = {
        sun: [key for key in keys("hearts", sun=sun) if key in ("first_trick", "passer")]
        for sun in ("double", "double-except-first", "slate", "punish")
    }
    assert asked == {
        "double": [], "double-except-first": ["first_trick"], "slate": [], "punish": ["passer"],
    }  # fmt: skip


def test_moon_box_offers_only_what_is_open() -> None:
    choices = {
        mode: next((box.choices for box in boxes(rules(moon=mode), 4) if box.key == "moon"), None)
        for mode in ("choose", "others", "none")
    }
    assert choices == {"choose": ("self", "others"), "others": (), "none": None}


def test_charged_cards_and_nobodys_cards_are_asked_for_once_a_hand() -> None:
    charged = box_named(boxes(rules("test-charged"), 4), "exposed")
    assert charged is not None
    assert (charged.per, charged.choices) == ("hand", ("AH", "QS", "JD", "10C"))
    assert "unclaimed" in keys("test-two-packs", 6, last_stalled="uncounted")
    assert "unclaimed" not in keys("test-two-packs", 6)


def test_two_packs_have_twice_as_much_of_each() -> None:
    found = {box.key: box.maximum for box in boxes(rules("test-two-packs"), 6)}
    assert (found["hearts"], found["queen_spades"]) == (26, 2)


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("queen_spades", "queen_spades"), ("Queen of Spades", "queen_spades"),
        ("QS", "queen_spades"), ("Q♠", "queen_spades"), ("SQ", "queen_spades"),
        (" lady ", "queen_spades"), ("Black Lady", "queen_spades"), ("♠Q", "queen_spades"),
        ("jack diamonds", "jack_diamonds"), ("J♦", "jack_diamonds"), ("JD", "jack_diamonds"),
        ("HEARTS", "hearts"), ("♥", "hearts"), ("Score", "points"), ("cards", "cards"),
        ("colour", None), ("", None), ("♦♦", None),
    ],
)  # fmt: skip
def test_column_is_read_under_its_usual_names(head: str, key: str | None) -> None:
    box = box_named(boxes(rules("omnibus-hearts"), 4), head)
    assert (box and box.key) == key


def test_columns_of_a_sheet_mean_one_box_each() -> None:
    for variant in ("hearts", "omnibus-hearts", "omnibus-hearts-10d", "spot-hearts"):
        heads = [folded(head) for box in boxes(rules(variant), 4) for head in set(
            map(folded, box.columns))]  # fmt: skip
        assert len(heads) == len(set(heads)), variant


def test_seats_are_named_after_the_winds_up_to_four() -> None:
    assert seat_names(3) == ("N", "E", "S")
    assert seat_names(6) == ("1", "2", "3", "4", "5", "6")


def test_sheet_for_too_many_players_is_our_own_mistake() -> None:
    with pytest.raises(ValueError, match="7 seats"):
        boxes(rules("hearts"), 7)
