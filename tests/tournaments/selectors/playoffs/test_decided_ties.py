"""Ties that decided who goes on from a round are said in words, with the play-off or the lot."""

import pytest

from tests.support.answers import Json
from tests.support.builders import league
from tests.support.cast import NOW, Cast
from tournaments.models.events import Event
from tournaments.models.playoffs import Playoff
from tournaments.selectors.playoffs.results import list_decided_ties

pytestmark = pytest.mark.django_db

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
