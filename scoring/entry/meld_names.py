"""The words under which a meld is read in a cell: its id, its code and what the sheet calls it.

Pure. The grid and the importer ask here, so that both read the same words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scoring.entry.sheet import Box

MOST_OF_A_MELD: Final = 20
"""A number of melds beyond this is a slip; no pack allows so many."""
NOTHING: Final = frozenset({"", "-", "–", "—", "0", "none", "keine"})

_TIMES: Final = re.compile(r"([0-9]{1,2})\s*[x×*]?\s*([^0-9].*)")
_NUMBER: Final = re.compile(r"[0-9]{1,2}[x×*]?")
_BLANKS: Final = re.compile(r"[\s_-]+")
_POINTS: Final = re.compile(r"_[0-9]+$")


def meld_codes(melds: Sequence[str]) -> dict[str, str]:
    """Code → meld, in the order of the sheet: the first letters of a meld's words.

    Two melds with the same first letters have more letters of their last word.

    >>> meld_codes(["flush", "royal_marriage", "marriage"])
    {'f': 'flush', 'rm': 'royal_marriage', 'm': 'marriage'}
    """
    found: dict[str, str] = {}
    for meld in melds:
        words = meld.split("_")
        start, last = "".join(word[0] for word in words[:-1]), words[-1]
        codes = (start + last[:n] for n in range(1, len(last) + 1))
        found[next((code for code in codes if code not in found), meld)] = meld
    return found


def meld_names(box: Box) -> dict[str, str]:
    """Every word under which a meld of the sheet is read → the meld; an id comes before a code."""
    codes = meld_codes(box.choices)
    labels = {_word(label): meld for meld, label in zip(box.choices, box.labels, strict=True)}
    plain = {_POINTS.sub("", label): meld for label, meld in labels.items()}  # without its points
    own = {_word(meld): meld for meld in box.choices}
    return {**codes, **labels, **plain, **own}


def melds_in(text: str, names: Mapping[str, str]) -> list[str]:
    """The melds that a cell lists, each as often as it was shown; what is no meld, as written.

    Commas or semicolons may stand between them; without them blanks do, and the longest name that
    is known is read.

    >>> names = {"flush": "flush", "rm": "royal_marriage", "royal_marriage": "royal_marriage"}
    >>> melds_in("flush 2x rm", names), melds_in("Royal marriage, 2 dix", names)
    (['flush', 'royal_marriage', 'royal_marriage'], ['royal_marriage', 'dix', 'dix'])
    >>> melds_in("2 royal marriage flush", names), melds_in("-", names)
    (['royal_marriage', 'royal_marriage', 'flush'], [])
    """
    between = re.search("[,;]", text)
    parts = re.split("[,;]", text) if between else _parts(text.split(), names)
    found: list[str] = []
    for part in parts:
        word = part.strip().casefold()
        if word in NOTHING:
            continue
        times = None if _word(word) in names else _TIMES.fullmatch(word)
        number, name = (int(times[1]), times[2]) if times else (1, word)
        name = _word(name)
        found += [names.get(name, name)] * min(number, MOST_OF_A_MELD)
    return found


def _parts(words: Sequence[str], names: Mapping[str, str]) -> Iterator[str]:
    """Words without commas, put together to names: a number belongs to the name after it."""
    longest = max((name.count("_") + 1 for name in names), default=1)
    place = 0
    while place < len(words):
        times = ""
        if _NUMBER.fullmatch(words[place]) and place + 1 < len(words):
            times, place = words[place] + " ", place + 1
        sizes = range(min(longest, len(words) - place), 1, -1)
        size = next((n for n in sizes if _word(" ".join(words[place : place + n])) in names), 1)
        yield times + " ".join(words[place : place + size])
        place += size


def _word(text: str) -> str:
    return _BLANKS.sub("_", text.strip().casefold())
