"""The running line of a hand before any script has run."""

from tests.support.scoring.play import rules
from tournaments.views.hands.hand_form_fields import Fields, sheet_of
from tournaments.views.hands.running_totals import running_total

HEARTS: Fields = {"hearts-1": ["9"], "hearts-2": ["4"], "card-QS": ["1"]}
MOON: Fields = {"hearts-1": ["13"], "card-QS": ["1"]}


def line(fields: Fields, tricks: str = "", **options: object) -> tuple[str, str]:
    sheet = sheet_of(rules("hearts", **options), 4, None)
    counts = {f"tricks-{row}": [text] for row, text in enumerate(tricks.split(), start=1)}
    running = running_total(sheet, "counts", fields | counts, 26)
    return running.state, running.text


def test_hand_is_not_complete_while_tricks_are_missing_that_every_hand_needs() -> None:
    assert line(HEARTS, no_trick_bonus=5) == ("need", "The tricks are missing.")
    assert line(HEARTS, "6 4 2", no_trick_bonus=5) == ("need", "12 of 13 tricks.")
    assert line(HEARTS, "6 4 2 1", no_trick_bonus=5) == ("ok", "Complete: 13 hearts, Q♠")


def test_moon_that_needs_all_tricks_is_not_complete_without_them() -> None:
    assert line(MOON, moon_needs_all_tricks=True) == ("need", "The tricks are missing.")
    assert line(HEARTS, moon_needs_all_tricks=True) == ("ok", "Complete: 13 hearts, Q♠")
    assert line(MOON)[0] == "ok"
