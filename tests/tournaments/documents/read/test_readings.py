"""Numbers that are not as written: which readings make hands of the first rows."""

from collections.abc import Iterable, Sequence

import pytest

from scoring.entry.sheet import boxes
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules
from tournaments.documents.read.guess_columns import guess
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.documents.read.readings import ReadHand, Readings, read_as
from tournaments.documents.read.ways import KEYS, ways_in, ways_of, with_ways

NAMES = ("Ann Tarn", "Cai Gale", "David Birk", "Gus Hale", "Holly Brook", "Ivo Sand",
         "Jana Kast", "Nell Linde", "Otto Dove", "Pia Harm", "Mo Lane")  # fmt: skip
HEARTS = catalogue().rules("hearts")
OMNIBUS = catalogue().rules("omnibus-hearts")
CANCELLATION = catalogue().rules("cancellation-hearts")
EVENING = ((13, 5, 8, 0), (0, 13, 13, 0), (1, 0, 13, 12), (2, 3, 6, 15))
Cells = Sequence[Sequence[object]]


def readings(heads: Sequence[str], rows: Cells, rules: Rules = HEARTS) -> Readings:
    people = People(ClubPlayer(n, f"RL{n:02}", name) for n, name in enumerate(NAMES, start=1))
    sample = [[str(cell) for cell in row] for row in rows]
    plan = guess(heads, sample, people, boxes(rules, rules.keys.players[1]))
    return read_as(plan, heads, sample, rules)


def keys(heads: Sequence[str], rows: Cells, rules: Rules = HEARTS) -> list[str]:
    return [reading.key for reading in readings(heads, rows, rules).all]


def numbered(rows: Iterable[Sequence[object]]) -> list[list[object]]:
    return [[number, *row] for number, row in enumerate(rows, start=1)]


def of_four(head: str, rows: Iterable[Sequence[object]], rules: Rules = HEARTS) -> list[str]:
    return keys((head, *NAMES[:4]), numbered(rows), rules)


def without_zeros(rows: Iterable[Sequence[int]]) -> list[list[object]]:
    return [[points or "" for points in row] for row in rows]


def negative(rows: Iterable[Sequence[object]]) -> list[list[object]]:
    return [[-cell if isinstance(cell, int) else cell for cell in row] for row in rows]


def running(rows: Iterable[Sequence[int]]) -> list[list[int]]:
    lines: list[list[int]] = []
    for row in rows:
        before = lines[-1] if lines else [0] * len(row)
        lines.append([total + points for total, points in zip(before, row, strict=True)])
    return lines


def points(hands: Sequence[ReadHand]) -> list[tuple[str, ...]]:
    return [hand.points for hand in hands]


def test_possible_hands_are_read_as_written() -> None:
    assert of_four("Hand", EVENING) == ["as_written"]


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        (without_zeros(EVENING), "empty_is_zero"),
        (negative(EVENING), "minus"),
        (running(EVENING), "running"),
        (negative(without_zeros(EVENING)), "minus empty_is_zero"),
        (negative(without_zeros(running(EVENING))), "running minus empty_is_zero"),
    ],
)
def test_rows_that_are_hands_in_one_other_way_are_proposed_so(rows: Cells, key: str) -> None:
    assert of_four("Hand", rows) == [key]
    assert of_four("Donne", rows) == [key]


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        (without_zeros(EVENING), "round_is_hand empty_is_zero"),
        (running(EVENING), "round_is_hand running"),
        (negative(without_zeros(running(EVENING))), "round_is_hand running minus empty_is_zero"),
    ],
)
def test_round_column_counts_hands_where_only_so_the_rows_are_hands(rows: Cells, key: str) -> None:
    assert of_four("Runde", rows) == [key]


@pytest.mark.parametrize(
    ("rows", "asked"),
    [
        (EVENING, ["round_is_hand", "as_written"]),
        (negative(EVENING), ["round_is_hand minus", "minus"]),
        (EVENING[:1], ["as_written"]),
    ],
)
def test_round_column_with_each_number_once_is_asked_about(rows: Cells, asked: list[str]) -> None:
    assert of_four("Runde", rows) == asked


@pytest.mark.parametrize(
    ("rounds", "asked"), [((1, 2, 3), 2), ((3, 4, 5), 2), ((1, 2, 2), 1), ((1, "two", 3), 1)]
)
def test_round_column_with_a_number_twice_or_a_word_counts_rounds(
    rounds: Sequence[object], asked: int
) -> None:
    rows = [[number, *row] for number, row in zip(rounds, EVENING, strict=False)]
    assert len(keys(("Runde", *NAMES[:4]), rows)) == asked


def test_round_of_each_date_that_begins_at_one_is_asked_about_and_a_next_round_is_not() -> None:
    heads = ("Datum", "Runde", *NAMES[:4])
    dates = ("1.10.2026", "1.10.2026", "8.10.2026", "8.10.2026")
    again = [[d, n, *row] for d, n, row in zip(dates, (1, 2, 1, 2), EVENING, strict=True)]
    assert keys(heads, again) == ["round_is_hand", "as_written"]
    days = ("1.10.2026", "8.10.2026", "15.10.2026", "22.10.2026")
    later = [[d, n, *row] for d, n, row in zip(days, (1, 2, 3, 4), EVENING, strict=True)]
    assert keys(heads, later) == ["as_written"]


def test_one_empty_cell_in_each_row_and_no_zero_is_asked_about() -> None:
    assert of_four("Hand", [(13, 5, 8, ""), (1, "", 13, 12)]) == ["as_written", "empty_is_zero"]


def test_one_written_zero_says_that_empty_cells_are_nobody() -> None:
    heads = ("Hand", *NAMES[:5])
    rows = [(13, 5, 8, 0, ""), (1, "", 13, 12, 0), (0, 13, "", 13, 0)]
    assert keys(heads, numbered(rows)) == ["as_written"]


def test_row_with_all_four_says_that_a_break_is_no_points() -> None:
    rows = [(13, 5, 8, ""), (1, "", 13, 12), (2, 3, 6, 15)]
    assert of_four("Hand", rows) == ["empty_is_zero"]


def test_somebody_who_leaves_early_is_asked_about_where_no_zero_is_written() -> None:
    rows = [(2, 3, 6, 15), (3, 13, 9, 1), (13, 5, 8, "")]
    assert of_four("Hand", rows) == ["as_written", "empty_is_zero"]


def test_dash_is_no_points_where_only_so_the_rows_are_hands() -> None:
    rows = [[cell or "-" for cell in row] for row in EVENING]
    assert of_four("Hand", rows) == ["empty_is_zero dash_is_zero"]


def test_empty_column_of_a_later_evening_is_somebody_who_was_not_there() -> None:
    heads = ("Datum", "Spiel", *NAMES[:4])
    rows: Cells = [
        ("1.10.2026", 1, 13, 5, 8, ""),
        ("1.10.2026", 2, "", "", 13, 13),
        ("1.10.2026", 3, 2, 3, 6, 15),
        ("8.10.2026", 1, 13, 13, "", ""),
        ("8.10.2026", 2, 10, 3, 13, ""),
        ("8.10.2026", 3, "", 13, 13, ""),
    ]
    found = readings(heads, rows)
    assert [reading.key for reading in found.all] == ["empty_is_zero"]
    assert points(found.first.hands) == [
        ("13", "5", "8", "0"), ("0", "0", "13", "13"), ("2", "3", "6", "15"),
        ("13", "13", "0"), ("10", "3", "13"), ("0", "13", "13"),
    ]  # fmt: skip


def test_tables_of_four_four_and_three_are_read_as_written() -> None:
    heads = ("Runde", "Tisch", "Spiel", *NAMES)
    four, three = (13, 5, 8, 0), (0, 13, 13)
    rows = [
        [1, 1, 1, *four, *[""] * 7],
        [1, 2, 1, *[""] * 4, *four, *[""] * 3],
        [1, 3, 1, *[""] * 8, *three],
    ]
    assert keys(heads, rows) == ["as_written"]


def test_running_total_with_an_empty_cell_for_no_points_goes_on_from_the_one_before() -> None:
    rows = [(13, 5, 8, ""), ("", 18, 21, ""), (14, "", 34, 12), (16, 21, 40, 27)]
    found = readings(("Hand", *NAMES[:4]), numbered(rows))
    assert [reading.key for reading in found.all] == ["running empty_is_zero"]
    assert points(found.first.hands) == [tuple(map(str, row)) for row in EVENING]


def test_running_totals_with_one_slip_are_running_totals() -> None:
    rows = running(EVENING)
    rows[1][2] = 12
    assert of_four("Hand", rows) == ["running"]
    assert of_four("Manche", rows) == ["round_is_hand running"]


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ([(13, 5, 8, -10), (-10, 13, 13, 0)], "as_written"),
        ([(-13, -5, -8, 10), (10, -13, -13, 0)], "minus"),
        ([(13, 5, 8, -10), (3, 18, 21, -10), (4, 18, 24, 2)], "running"),
        ([(13, 5, 8, -10), (-10, 13, 13, ""), (1, "", 3, 12)], "empty_is_zero"),
    ],
)
def test_minus_ten_of_omnibus_is_a_value_of_its_own(rows: Cells, key: str) -> None:
    assert of_four("Hand", rows, OMNIBUS) == [key]


def test_cancellation_with_eight_is_read_by_its_own_rules() -> None:
    rows = [(13, 5, 8, 0, 0, 0, 13, 13), (0, 13, 13, 0, 2, 3, 4, 17), (26, 0, 0, 5, 1, 2, 3, 15)]
    heads = ("Hand", *NAMES[:8])
    assert keys(heads, numbered(rows), CANCELLATION) == ["as_written"]
    assert keys(heads, numbered(running(rows)), CANCELLATION) == ["running"]
    assert keys(heads, numbered(without_zeros(rows)), CANCELLATION) == [
        "empty_is_zero",
        "as_written",
    ]
    everybody = [*without_zeros(rows), (1, 1, 1, 1, 1, 1, 15, 31)]
    assert keys(heads, numbered(everybody), CANCELLATION) == ["empty_is_zero"]


def test_hands_in_each_of_which_somebody_has_an_empty_cell_are_asked_about() -> None:
    heads = ("Hand", *NAMES[:5])
    rows: list[Sequence[object]] = [(13, 5, 8, "", ""), ("", 13, 13, "", ""), (1, "", "", 13, 12)]
    assert keys(heads, numbered(rows)) == ["empty_is_zero", "as_written"]
    assert keys(heads, numbered([*rows, (1, 1, 1, 10, 13)])) == ["empty_is_zero"]


@pytest.mark.parametrize("head", ["Platz", "Place", "Position"])
def test_seats_in_the_order_of_the_points_are_asked_about(head: str) -> None:
    def rows(*places: Sequence[int]) -> list[list[object]]:
        return [
            [number, place, name, cell]
            for number, (hand, seats) in enumerate(zip(EVENING, places, strict=False), start=1)
            for name, cell, place in zip(NAMES, hand, seats, strict=False)
        ]

    heads = ("Spiel", head, "Spieler", "Punkte")
    assert keys(heads, rows((4, 2, 3, 1), (1, 3, 4, 2))) == ["as_written", "seat_is_place"]
    assert keys(heads, rows((4, 2, 3, 1), (1, 3, 2, 4))) == ["as_written"]
    assert keys(("Spiel", "Seat", "Spieler", "Punkte"), rows((4, 2, 3, 1))) == ["as_written"]


def test_places_of_which_one_is_there_twice_are_no_seats() -> None:
    rows = [
        [number, place, name, cell]
        for number, (hand, places) in enumerate(
            zip(EVENING[:2], ((4, 2, 3, 1), (1, 3, 3, 1)), strict=True), start=1
        )
        for name, cell, place in zip(NAMES, hand, places, strict=False)
    ]
    assert keys(("Spiel", "Platz", "Spieler", "Punkte"), rows) == ["seat_is_place"]


def places(found: Readings) -> list[tuple[str, str, str]]:
    return [(hand.table, hand.number, hand.points[0]) for hand in found.first.hands]


def test_two_groups_that_share_no_row_are_two_tables_where_no_column_tells_them() -> None:
    nobody = [""] * 4
    rows = [[1, *EVENING[0], *nobody], [1, *nobody, *EVENING[2]], [2, *EVENING[1], *nobody]]
    found = readings(("Spiel", *NAMES[:8]), rows)
    assert [reading.key for reading in found.all] == ["as_written"]
    assert places(found) == [("1", "1", "13"), ("2", "1", "1"), ("1", "2", "0")]


def test_group_of_fewer_people_than_a_table_has_is_no_table_of_its_own() -> None:
    rows: list[list[object]] = [
        [1, 13, 13, "", "", ""],
        [2, "", "", 13, 13, ""],
        [3, "", "", "", 13, 13],
        [4, 1, 1, 1, 10, 13],
    ]
    found = readings(("Spiel", *NAMES[:5]), rows)
    assert found.first.key == "empty_is_zero"
    assert {hand.table for hand in found.first.hands} == {"1"}


def test_last_row_without_a_round_may_have_sums_and_one_between_repeats_its_round() -> None:
    rows = [[number, *row] for number, row in enumerate(EVENING, start=1)]
    assert len(keys(("Runde", *NAMES[:4]), [*rows, ["", 16, 21, 40, 27]])) == 2
    assert keys(("Runde", *NAMES[:4]), [*rows[:1], ["", *EVENING[1]], *rows[1:]]) == ["as_written"]


def test_number_after_a_word_is_the_number_of_the_round() -> None:
    rows = [(f"R{number}", *row) for number, row in enumerate(EVENING, start=1)]
    assert keys(("Round", *NAMES[:4]), rows) == ["round_is_hand", "as_written"]


def test_hand_numbers_that_begin_again_are_hands_of_their_own() -> None:
    rows = [*numbered(EVENING), *numbered(EVENING)]
    assert readings(("Spiel", *NAMES[:4]), rows).is_possible


@pytest.mark.parametrize(("n_right", "key"), [(2, "minus"), (1, "as_written")])
def test_half_of_the_rows_must_be_hands(n_right: int, key: str) -> None:
    wrong = [(-1, -2, -3, -4)] * (4 - n_right)
    found = readings(("Hand", *NAMES[:4]), numbered([*negative(EVENING[:n_right]), *wrong]))
    assert found.first.key == key
    assert found.is_possible == (n_right == 2)


@pytest.mark.parametrize("as_", ["seats", "names"])
@pytest.mark.parametrize(
    ("rows", "key"),
    [
        (EVENING, "as_written"),
        (negative(EVENING), "minus"),
        (without_zeros(EVENING), "empty_is_zero"),
        (running(EVENING), "running"),
    ],
)
def test_other_layouts_are_read_in_the_same_ways(as_: str, rows: Cells, key: str) -> None:
    hands = list(enumerate(rows, start=1))
    if as_ == "seats":
        heads = ["Datum", "Tisch", "Spiel", "Spieler", "Punkte"]
        cells = [
            ["1.10.2026", 1, number, name, cell]
            for number, row in hands
            for name, cell in zip(NAMES, row, strict=False)
        ]
    else:
        heads = ["Spiel", *(f"{what} {n}" for n in range(1, 5) for what in ("Spieler", "Punkte"))]
        cells = []
        for number, row in hands:
            pairs = zip(NAMES, row, strict=False)
            cells.append([number, *(cell for pair in pairs for cell in pair)])
    assert keys(heads, cells) == [key]


def test_row_of_each_player_under_the_head_round_is_asked_about() -> None:
    rows = [
        [number, name, cell]
        for number, row in enumerate(EVENING, start=1)
        for name, cell in zip(NAMES, row, strict=False)
    ]
    assert keys(("Runde", "Spieler", "Punkte"), rows) == ["round_is_hand", "as_written"]


def test_each_key_names_the_ways_that_its_plan_has() -> None:
    plan = readings(("Hand", *NAMES[:4]), numbered(EVENING)).first.plan
    for key in KEYS:
        ways = ways_in(key)
        assert ways is not None
        of_columns = ("round_is_hand", "seat_is_place")
        shown = tuple(way for way in ways if way not in of_columns)
        assert ways_of(with_ways(plan, ways)) == shown
    assert ways_in("") is None
    assert ways_in("minus running") is None
