"""Which hands look entered twice: equal to the one before, for the same people."""

from collections.abc import Mapping

import pytest

from tournaments.domain.repeated_hands import HandLine, repeat_of, repeated_hands

COUNTS = {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}
POINTS = {"points": [4, 1, 2, 19]}


def lines(*entries: Mapping[str, object], people: str = "abcd") -> list[HandLine]:
    return [HandLine(number, entry, people) for number, entry in enumerate(entries, start=1)]


def test_hand_repeats_the_one_before() -> None:
    assert repeated_hands(lines(POINTS, COUNTS, COUNTS)) == {3: 2}
    assert repeated_hands(lines(COUNTS, COUNTS, COUNTS)) == {2: 1, 3: 2}
    assert repeated_hands(lines(COUNTS, POINTS, COUNTS)) == {}


def test_spelling_and_empty_parts_are_no_difference() -> None:
    first = {"taken": [["QS", "TH"], [], [], []]}
    second = {"taken": [["10H", "QS"], [], [], []], "declared": [], "kitty": ["2C"]}
    assert repeated_hands(lines(first, second)) == {2: 1}


def test_moon_that_the_engine_found_is_the_same_as_one_that_is_marked() -> None:
    plain = {"points": [0, 26, 26, 26]}
    marked = {"points": [0, 26, 26, 26], "shooter": 0}
    moon = {"id": "moon", "by": [1], "choice": "others"}
    assert repeated_hands([HandLine(1, plain, 1, moon), HandLine(2, marked, 1)]) == {2: 1}
    assert repeated_hands([HandLine(1, marked, 1), HandLine(2, plain, 1, moon)]) == {2: 1}


def test_other_people_or_other_seats_play_another_hand() -> None:
    before, hand = HandLine(1, COUNTS, "abcd"), HandLine(2, COUNTS, "abce")
    assert repeated_hands([before, hand]) == {}


@pytest.mark.parametrize(
    ("entry", "is_asked"),
    [
        ({"points": [0, 0, 0, 0]}, False),
        ({"points": [0, 0, 0, 1]}, True),
        ({"hearts": [0, 0, 0, 0], "taken": [[], [], [], []]}, False),
        ({"hearts": [0, 0, 0, 0], "taken": [[], [], [], ["QS"]]}, True),
        ({"clean": [True, True, False, False]}, False),
        ({"melds": [["dix"], [], []], "trick_points": [0, 0, 0]}, True),
        ({"melds": [[], [], []], "trick_points": [0, 0, 0]}, False),
    ],
)
def test_hands_in_which_nothing_is_counted_are_not_asked_about(
    entry: dict[str, object], is_asked: bool
) -> None:
    assert repeated_hands(lines(entry, entry)) == ({2: 1} if is_asked else {})


def test_totals_are_no_hand() -> None:
    assert repeated_hands([HandLine(0, POINTS, 1), HandLine(1, POINTS, 1)]) == {}


def test_hand_beside_is_found_on_both_sides_the_earlier_one_first() -> None:
    assert repeat_of(1, lines(COUNTS, COUNTS)) == 2
    assert repeat_of(2, lines(COUNTS, COUNTS, COUNTS)) == 1
    assert repeat_of(3, lines(COUNTS, COUNTS, POINTS)) is None


@pytest.mark.parametrize(("boards", "repeated"), [((4, 5), {}), ((4, 4), {2: 1})])
def test_hands_of_two_boards_are_two_hands(
    boards: tuple[int, int], repeated: dict[int, int]
) -> None:
    hands = [
        HandLine(number, POINTS, "abcd", board=board)
        for number, board in enumerate(boards, start=1)
    ]
    assert repeated_hands(hands) == repeated
