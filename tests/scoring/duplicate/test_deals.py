"""Deals read from a file or refused; matchpoints and datum of the worked board."""

import json
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.cards import BASES
from scoring.duplicate.deals import (
    SEATS,
    DealtBoard,
    commitment_of,
    deal_from_seed,
    deal_text,
    read_deals,
    read_pbn,
)
from scoring.duplicate.matchpoints import FieldScore, LineScore, field_scores, line_scores
from scoring.errors import Problem, Refused

PACK = BASES["std52"]
SEEDS = st.text("0123456789abcdef", min_size=1, max_size=32)
NUMBERS = st.integers(1, 1000)
BOARD = [(0, 7, 13, 6), (2, 14, 5, 5), (26, 0, 26, 26), (2, 10, 1, 13)]
SCORES = st.lists(st.integers(-26, 104), min_size=2, max_size=20)


def whole(number: int = 7) -> dict[str, object]:
    """A deal as its file has it: N clubs, E diamonds, S hearts, W spades."""
    hands = {seat: list(PACK[13 * at : 13 * at + 13]) for at, seat in enumerate(SEATS)}
    return {"number": number, "dealer": "S", "hands": hands}


def refused(read: Callable[[], object]) -> tuple[Problem, ...]:
    with pytest.raises(Refused) as found:
        read()
    return found.value.problems


def test_our_file_is_read() -> None:
    (deal,) = read_deals({"deals": [whole()]})
    assert (deal.number, deal.dealer, deal.hands[1][0]) == (7, "S", "2D")


def test_dealer_that_is_not_written_is_the_usual_one() -> None:
    deals = read_deals({"deals": [{**whole(number), "dealer": None} for number in (3, 2, 1, 4)]})
    assert [(deal.number, deal.dealer) for deal in deals] == [
        (1, "N"), (2, "E"), (3, "S"), (4, "W"),
    ]  # fmt: skip


def test_missing_and_double_card_name_board_seat_and_card() -> None:
    deal = whole()
    deal["hands"]["E"][12] = "QS"  # type: ignore[index]
    found = refused(lambda: read_deals({"deals": [deal]}))
    assert {(one.code, one.facts["seat"], one.facts["card"]) for one in found} == {
        ("deal_card_twice", "E and W", "QS"), ("deal_card_missing", "W", "AD"),
    }  # fmt: skip
    assert {one.facts["board"] for one in found} == {7}
    assert "Board 7: the AD is missing" in " ".join(one.message for one in found)


def test_hand_of_twelve_and_of_fourteen_are_named() -> None:
    deal = whole()
    deal["hands"]["S"].append(deal["hands"]["N"].pop())  # type: ignore[index]
    found = refused(lambda: read_deals({"deals": [deal]}))
    assert [(one.facts["seat"], one.facts["found"]) for one in found] == [("N", 12), ("S", 14)]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ([], "bad_deal_file"),
        ({"deals": [7]}, "bad_deal_file"),
        ({"deals": [{"number": 1, "hands": {"N": []}}]}, "bad_deal_file"),
        ({"deals": []}, "no_deals"),
        ({"deals": [whole(0)]}, "bad_board_number"),
        ({"deals": [whole(1001)]}, "bad_board_number"),
        ({"deals": [{**whole(), "number": True}]}, "bad_board_number"),
        ({"deals": [whole(3), whole(3)]}, "board_twice"),
        ({"deals": [{**whole(), "dealer": "NE"}]}, "bad_dealer"),
    ],
)  # fmt: skip
def test_file_that_cannot_be_read(document: object, code: str) -> None:
    assert [one.code for one in refused(lambda: read_deals(document))] == [code]


@given(SEEDS, NUMBERS)
def test_deal_of_a_seed_has_every_card_once_and_is_the_same_again(seed: str, number: int) -> None:
    deal = deal_from_seed(seed, number)
    assert [len(hand) for hand in deal.hands] == [13] * 4
    assert sorted(card for hand in deal.hands for card in hand) == sorted(PACK)
    assert deal_from_seed(seed, number) == deal


def test_boards_and_seeds_differ() -> None:
    deals = [deal_from_seed(seed, number).hands for seed in ("a", "b") for number in (1, 2)]
    assert len(set(deals)) == 4


@given(st.lists(st.builds(deal_from_seed, SEEDS, NUMBERS), min_size=1, max_size=4,
                unique_by=lambda deal: deal.number))  # fmt: skip
def test_text_of_deals_is_a_file_that_reads_back(deals: list[DealtBoard]) -> None:
    in_order = tuple(sorted(deals, key=lambda deal: deal.number))
    assert read_deals(json.loads(deal_text(deals))) == in_order
    assert deal_text(deals) == deal_text(deals[::-1])
    assert commitment_of(deal_text(deals)) == commitment_of(deal_text(deals[::-1]))


def as_pbn(deal: DealtBoard, first: int) -> str:
    def hand(cards: tuple[str, ...]) -> str:
        suits = ("".join(card[:-1] for card in cards if card[-1] == suit) for suit in "SHDC")
        return ".".join(suits).replace("10", "T")

    hands = " ".join(hand(deal.hands[(first + at) % 4]) for at in range(4))
    return (
        f'[Event "; not a comment"]\n[Board "{deal.number}"]\n% escaped [Board "999"]\n'
        f'[Dealer "{deal.dealer}"] {{a comment [Deal "x"]}}\n[Deal "{SEATS[first]}:{hands}"]\n\n'
    )


@given(st.lists(st.builds(deal_from_seed, SEEDS, NUMBERS), min_size=1, max_size=4,
                unique_by=lambda deal: deal.number), st.integers(0, 3))  # fmt: skip
def test_pbn_reads_the_same_deals_from_any_first_seat(deals: list[DealtBoard], first: int) -> None:
    text = "% PBN 2.1\n" + "".join(as_pbn(deal, first) for deal in deals)
    assert read_pbn(text) == tuple(sorted(deals, key=lambda deal: deal.number))


@pytest.mark.parametrize(
    "deal", ["", "N:AKQ", "X:... ... ... ...", "N:-.-.- ... ... ...", "NE:... ... ... ..."]
)
def test_pbn_deal_that_cannot_be_read_names_its_board(deal: str) -> None:
    (found,) = refused(lambda: read_pbn(f'[Board "4"]\n[Deal "{deal}"]'))
    assert (found.code, found.facts["board"]) == ("bad_pbn_deal", "4")


@pytest.mark.parametrize("deal", ["N:AKQ", "N:AKQJT98765432... .AKQJT98765432.. ..AKQ. ..."])
def test_pbn_deal_without_a_board_is_named_by_its_line(deal: str) -> None:
    text = f'% PBN 2.1\n{{ a comment\nof two lines }}\n[Dealer "N"]\n[Deal "{deal}"]\n'
    (found,) = refused(lambda: read_pbn(text))
    assert (found.code, found.facts) == ("pbn_deal_without_board", {"line": 5})


def test_pbn_without_a_tag_has_no_deals() -> None:
    assert [one.code for one in refused(lambda: read_pbn("no tags at all"))] == ["no_deals"]


@pytest.mark.parametrize(
    ("line", "matchpoints", "percent"),
    [
        (0, ["3", "3/2", "0", "3/2"], ["100", "50", "0", "50"]),
        (1, ["2", "0", "3", "1"], ["200/3", "0", "100", "100/3"]),
        (2, ["1", "2", "0", "3"], ["100/3", "200/3", "0", "100"]),
        (3, ["2", "3", "0", "1"], ["200/3", "100", "0", "100/3"]),
    ],
)
def test_worked_board(line: int, matchpoints: list[str], percent: list[str]) -> None:
    found = line_scores([table[line] for table in BOARD], 4)
    assert [str(one[0]) for one in found] == matchpoints
    assert [str(one[1]) for one in found] == percent


@pytest.mark.parametrize(
    ("line", "datum"), [(0, ["10", "22/3", "-74/3", "22/3"]), (1, ["1", "-25/3", "31/3", "-3"])]
)
def test_datum_of_the_worked_board(line: int, datum: list[str]) -> None:
    found = line_scores([table[line] for table in BOARD], 4)
    assert [str(one[2]) for one in found] == datum


@given(SCORES, st.integers(0, 5), st.booleans())
def test_score_is_compared_with_every_other(scores: list[int], absent: int, low_wins: bool) -> None:
    tables = len(scores) + absent
    sign = 1 if low_wins else -1
    for at, (own, found) in enumerate(
        zip(scores, line_scores(scores, tables, low_wins=low_wins), strict=True)
    ):
        others = [sign * (other - own) for also, other in enumerate(scores) if also != at]
        plain = sum((Fraction(1 if gap > 0 else 0 if gap else Fraction(1, 2)) for gap in others),
                    Fraction(0))  # fmt: skip
        factor = Fraction(tables - 1, len(scores) - 1)
        assert found == (
            plain * factor,
            100 * plain / len(others),
            Fraction(sum(others), len(others)),
        )


def test_one_result_alone_is_average() -> None:
    assert line_scores([26], 5) == [(Fraction(2), Fraction(50), Fraction(0))]
    assert line_scores([26], 1) == [(Fraction(0), Fraction(50), Fraction(0))]


def test_more_scores_than_tables_are_a_fault_of_the_caller() -> None:
    with pytest.raises(ValueError, match="3 scores at 2 tables"):
        line_scores([1, 2, 3], 2)


LINES = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 26), min_size=1), max_size=12
)


@given(LINES, st.booleans())
def test_means_are_those_of_the_lines(lines: list[dict[str, int]], low_wins: bool) -> None:
    own: dict[str, list[LineScore]] = {}
    for line in lines:
        found = line_scores(list(line.values()), len(line), low_wins=low_wins)
        for player, score in zip(line, found, strict=True):
            own.setdefault(player, []).append(score)
    expected = {
        player: FieldScore(
            len(scores),
            sum((one[1] for one in scores), Fraction(0)) / len(scores),
            sum((one[2] for one in scores), Fraction(0)) / len(scores),
        )
        for player, scores in own.items()
    }
    assert field_scores((list(line.items()) for line in lines), low_wins=low_wins) == expected
