"""Scores of players from a file: whole numbers, decimals or fractions.

Pure. See docs/algorithms/seating.md, "The file".
"""

from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from typing import Final

from scoring.errors import Problem, Refused

LONGEST: Final = 40
"""The most characters that a score may have."""


def scores_of_json(document: object) -> tuple[dict[int, int], frozenset[int]]:
    """The scores of a file, in one unit for all, and who floated down in the round before.

    Args:
        document: player → score, or `{"scores": {…}, "floated": […]}`; a score is a whole number, a
            decimal, or text such as `"26/3"`.

    Raises:
        Refused: bad_scores_file, with the place where the file has another form.

    >>> scores_of_json({"1": 12, "2": "26/3"})
    ({1: 36, 2: 26}, frozenset())
    >>> scores_of_json({"scores": {"1": 2}, "floated": [1]})
    ({1: 2}, frozenset({1}))
    """
    if not isinstance(document, Mapping):
        raise _refused("/")
    scores = document.get("scores", document)
    floated = document.get("floated", []) if "scores" in document else []
    if not isinstance(scores, Mapping):
        raise _refused("/scores")
    if not isinstance(floated, list) or not all(type(one) is int for one in floated):
        raise _refused("/floated")
    values = {_player(name): _value(name, score) for name, score in scores.items()}
    unit = lcm(*(value.denominator for value in values.values()))
    return {player: int(value * unit) for player, value in values.items()}, frozenset(floated)


def _player(name: object) -> int:
    text = str(name)
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text)):
        raise _refused(f"/{text[:LONGEST]}")
    return int(text)


def _value(name: object, score: object) -> Fraction:
    if isinstance(score, bool) or not isinstance(score, int | float | str):
        raise _refused(f"/{name}")
    text = str(score)
    try:
        if len(text) > LONGEST or "e" in text.lower():
            raise _refused(f"/{name}")
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise _refused(f"/{name}") from None


def _refused(at: str) -> Refused:
    return Refused(Problem("bad_scores_file", (), {"at": at}))
