"""Known names that resemble an unknown one, for suggestions."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

MOST_EXTRA: Final = 10
"""A text longer than every known name by more letters than this has no similar name."""


def similar(text: object, known: Iterable[str], most: int) -> list[str]:
    """At most `most` known names that resemble a text, the most similar first.

    >>> similar("hart", ["hearts", "spades"], 2)
    ['hearts']
    >>> similar("hearts" * 20_000, ["hearts", "spades"], 2)
    []
    """
    names = list(known)
    longest = max(map(len, names), default=0)
    if not isinstance(text, str) or len(text) > longest + MOST_EXTRA:
        return []
    return get_close_matches(text, names, n=most)
