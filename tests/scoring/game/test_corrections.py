"""Corrections: what a page offers as a button can be saved, and the right one is near the top."""

import json

import pytest

from scoring.rules.catalogue import catalogue
from tests.support.lengths import short_or_long
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.faulty_hands import (
    ONE_MISTAKE,
    faulty_hands,
    pressed,
    refusal,
    report,
    share,
)

HANDS = short_or_long(220, 2000)
BEFORE = {220: (568, 276), 2000: (5410, 2539)}
"""How many buttons commit 1817ea0 offered for the same hands, and how many of them could be
saved (docs/algorithms/likely-causes.md)."""


def test_every_correction_of_random_faulty_hands_saves_and_the_right_one_is_near_the_top(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = [pressed(hand) for hand in faulty_hands(HANDS)]
    with capsys.disabled():
        print("", *report(found), sep="\n")
    failing = [
        (one.faulty, text)
        for one in found
        for text, saves in zip(one.buttons, one.saved, strict=True)
        if not saves
    ]
    assert not failing
    assert len(found) == HANDS
    if len(VARIANTS) <= HANDS:
        assert len({one.faulty.variant for one in found}) == len(VARIANTS)
    offered, saved = BEFORE[HANDS]
    now = sum(len(one.buttons) for one in found)
    with capsys.disabled():
        print(f"before: {offered} offered, {saved} of them saved; now: {now} offered, all saved")
    assert now >= offered
    one_mistake = [one for one in found if one.faulty.kind in ONE_MISTAKE]
    for kind in ONE_MISTAKE:
        assert share([one for one in one_mistake if one.faulty.kind == kind]) >= 0.8, kind
    assert share(one_mistake) >= 0.8


def test_points_written_in_both_forms_of_a_moon_offer_the_two_settlements() -> None:
    rules = catalogue().rules("hearts")
    (problem,) = refusal(rules, 4, {"points": [26, 26, 26, -26]})
    entries = [hint.facts["entry"] for hint in problem.suggestions if "entry" in hint.facts]
    assert entries == [{"points": [26, 26, 26, 0]}, {"points": [0, 0, 0, -26]}]
    assert not any(refusal(rules, 4, entry) for entry in entries)


def test_corrections_of_a_program_are_whole_entries_that_can_be_sent() -> None:
    rules = catalogue().rules("hearts")
    problems = refusal(rules, 4, {"hearts": [7, 4, 1, 0], "taken": [["QS"], [], [], []]})
    hints = json.loads(json.dumps([hint.as_json() for hint in problems[0].suggestions]))
    assert [(hint["code"], hint["text"]) for hint in hints][:2] == [
        ("one_missing", "one heart missing"),
        ("correction", "seat S 2 hearts instead of 1"),
    ]
    assert hints[1]["facts"]["entry"]["hearts"] == [7, 4, 2, 0]
