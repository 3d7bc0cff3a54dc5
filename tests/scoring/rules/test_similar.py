"""Suggestions for an unknown name: a text far longer than every known name has none."""

from scoring.errors import MOST_EXTRA, similar


def test_text_much_longer_than_every_name_is_not_compared() -> None:
    known = "a" * 40
    assert similar(known + "b" * MOST_EXTRA, [known], 1) == [known]
    assert similar(known + "b" * (MOST_EXTRA + 1), [known], 1) == []
    assert similar(7, [known], 1) == []
    assert similar("a", [], 1) == []
