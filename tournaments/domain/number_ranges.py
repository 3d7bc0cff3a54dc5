"""Ascending numbers in short, as in "6–9, 12"."""

from collections.abc import Iterable


def in_short(numbers: Iterable[int]) -> str:
    """Write ascending numbers in short.

    >>> in_short([6, 7, 8, 9, 12, 14, 15])
    '6–9, 12, 14–15'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs)
