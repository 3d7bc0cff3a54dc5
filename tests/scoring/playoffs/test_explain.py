"""What each member of a play-off made in it, for the reason in the standings."""

from scoring.playoffs.progress import (
    HandPlayed,
    HeatsPlayed,
    LotsDrawn,
    MemberLeft,
    PlayoffEvent,
    explain_playoff,
)
from scoring.playoffs.rules import PlayoffRules


def test_walk_over_is_told_of_who_left_only() -> None:
    now, totals, _running = explain_playoff("AB", [1], [MemberLeft("B")], PlayoffRules())
    assert now.is_decided
    assert totals == {"A": (), "B": ("gone",)}


def test_lots_are_told_of_those_still_undecided() -> None:
    hands: list[PlayoffEvent] = [
        HandPlayed({"A": 3, "B": 3, "C": 20}),
        LotsDrawn("7f3c"),
    ]
    assert explain_playoff("ABC", [1], hands, PlayoffRules())[1] == {
        "A": ("3", "lot"),
        "B": ("3", "lot"),
        "C": ("20",),
    }


def test_block_is_told_as_one_total() -> None:
    hands = [HandPlayed({"A": n, "B": 2}) for n in range(4)]
    assert explain_playoff("AB", [1], hands, PlayoffRules(block=4))[1] == {"A": ("6",), "B": ("8",)}


def test_hand_that_is_no_longer_asked_for_is_not_told() -> None:
    hands = [HandPlayed({"A": 3, "B": 5}), HandPlayed({"A": 9, "B": 1})]
    assert explain_playoff("AB", [1], hands, PlayoffRules())[1] == {"A": ("3",), "B": ("5",)}


def test_heats_say_nothing_by_themselves() -> None:
    assert explain_playoff("ABCD", [1], [HeatsPlayed(("A", "C"))], PlayoffRules())[1] == {
        "A": (), "B": (), "C": (), "D": (),
    }  # fmt: skip
