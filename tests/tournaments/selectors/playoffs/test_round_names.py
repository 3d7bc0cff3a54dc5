"""Rounds of a knock-out have one name each; ties that decided who goes on are said in words."""

import pytest

from tests.support.answers import Json
from tests.support.builders import league
from tests.support.cast import NOW, Cast
from tests.support.scenarios.cups import cup, draw, planned, play, post
from tournaments.models.events import Event, Stage
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Round
from tournaments.selectors.playoffs.bracket import bracket_of
from tournaments.selectors.playoffs.playoffs import list_decided_ties
from tournaments.selectors.rounds.round_names import round_names

pytestmark = pytest.mark.django_db

CUP = Stage(pk=1, number=1, kind="knockout")
PLAYOFF = Stage(pk=2, number=2, kind="playoff")


def names(*rounds: tuple[Stage, int]) -> dict[int, str]:
    return round_names(
        (Round(pk=number, number=number, stage=stage), tables)
        for number, (stage, tables) in enumerate(rounds, 1)
    )


def test_cup_of_19_with_two_playoffs_has_two_rounds_a_semi_final_and_a_final() -> None:
    rounds = [(CUP, 5), (PLAYOFF, 1), (CUP, 3), (PLAYOFF, 1), (CUP, 2), (CUP, 1)]
    every = {1: "First round", 3: "Second round", 5: "Semi-final", 6: "Final"}
    assert names(*rounds) == every
    assert names(*rounds[:4]) == {number: every[number] for number in (1, 3, 5)}, "the next, too"


def test_rounds_count_on_in_the_next_stage_and_anew_in_a_consolation() -> None:
    finals = Stage(pk=3, number=3, kind="knockout", takes="winners", from_stage=CUP)
    losers = Stage(pk=4, number=4, kind="knockout", takes="losers", from_stage=CUP)
    assert names((CUP, 8), (losers, 4), (finals, 4), (finals, 2)) == {
        1: "First round",
        2: "First round",
        3: "Second round",
        4: "Semi-final",
    }


def test_rounds_of_other_stages_have_no_name() -> None:
    assert names((Stage(pk=5, number=1, kind="swiss"), 4)) == {}


def test_table_beside_which_others_have_a_bye_is_no_final(cast: Cast) -> None:
    dirk, event = cup(cast, 6, table_sizes=[4])
    play(post(dirk, planned(dirk)))
    draw(dirk, planned(dirk))
    rounds = Round.objects.select_related("stage").order_by("number")
    assert round_names((round_, 1) for round_ in rounds) == {1: "Semi-final", 2: "Final"}
    assert [round_["name"] for round_ in bracket_of(event, 1)["rounds"]] == ["Semi-final", "Final"]


TABLE = {"kind": "table", "above": 2, "round": 1, "table": 3}
WILD_CARD = {"kind": "wild_card", "above": 1, "round": 1}
NAMES = {"A": "Ada 100 %s", "B": "Ben", "C": "Cem"}
DRAWN = {"A": ["lot"], "B": ["lot"]}


def decide(event: Event, number: int, line: Json, order: list[list[str]], made: Json) -> None:
    Playoff.objects.create(
        club=event.club, event=event, number=number, key=str(number), boundaries=[line], cuts=[1],
        ahead=0, policy="extra_hands", seed="", detected_at=NOW, state="decided",
        result={"order": order, "made": made},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "order", "made", "text"),
    [
        (TABLE, [["A"], ["B"]], DRAWN, "Table 3: Ada 100 %s before Ben, drawn by lot."),
        (TABLE, [["B"], ["A", "C"]], {"A": ["9"], "B": ["3"], "C": ["9"]},
         "Table 3: Ben before Ada 100 %s and Cem, by play-off 7."),
        (TABLE, [["A"], ["B"], ["C"]], {**DRAWN, "C": ["20"]},
         "Table 3: Ada 100 %s before Ben before Cem, by play-off 7 and lot."),
        (WILD_CARD, [["A"], ["B"]], DRAWN, "Last wild card: Ada 100 %s before Ben, drawn by lot."),
    ],
)  # fmt: skip
def test_text_says_who_was_before_whom_and_by_what(
    cast: Cast, line: Json, order: list[list[str]], made: Json, text: str
) -> None:
    event = league(cast.riverside)
    decide(event, 7, line, order, made)
    decide(event, 8, {"kind": "title", "above": 1}, order, made)
    (tie,) = list_decided_ties(event, NAMES)
    assert (tie.text, tie.table) == (text, line.get("table"))


def test_only_those_behind_somebody_who_went_on_are_out_by_it(cast: Cast) -> None:
    event = league(cast.riverside)
    decide(event, 1, TABLE, [["A"], ["B"], ["C"]], {**DRAWN, "C": ["20"]})
    (tie,) = list_decided_ties(event, NAMES)
    assert tie.out_by({"A", "D"}) == {"B": "lot", "C": "playoff"}
    assert tie.out_by({"B"}) == {"C": "playoff"}, "A won the tie, and withdrew"
