"""Melds in a cell of a sheet: their ids or names, with a number before those shown more often."""

import re
from typing import Final

MOST_OF_A_MELD: Final = 20
"""A number of melds beyond this is a slip; no pack allows so many."""
NOTHING: Final = frozenset({"", "-", "–", "—", "0", "none", "keine"})

_TIMES: Final = re.compile(r"([0-9]{1,2})\s*[x×*]?\s*([^0-9].*)")
_WORD: Final = re.compile(r"[\s_-]+")


def melds_in(text: str) -> list[str]:
    """Return the melds that a cell lists, each as often as it was shown, by what may be their ids.

    Commas or semicolons stand between names of several words; without them blanks do.

    >>> melds_in("flush 2x marriage"), melds_in("Royal marriage, 2 dix"), melds_in("-")
    (['flush', 'marriage', 'marriage'], ['royal_marriage', 'dix', 'dix'], [])
    """
    found: list[str] = []
    between = "[,;]" if re.search("[,;]", text) else r"\s+"
    for part in re.split(between, text.strip()):
        word = part.strip().casefold()
        if word in NOTHING:
            continue
        times = _TIMES.fullmatch(word)
        number, name = (int(times[1]), times[2]) if times else (1, word)
        found += [_WORD.sub("_", name.strip())] * min(number, MOST_OF_A_MELD)
    return found
