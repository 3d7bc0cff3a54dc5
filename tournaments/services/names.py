"""What people, pairs, clubs and events are called: as it is kept, and as it is compared."""

import unicodedata
from typing import Final

TURNS: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Letters that nobody sees and that turn the direction of what follows, beyond the name too."""
_NOTHING: Final = dict.fromkeys(map(ord, TURNS))


def without_turns(text: str) -> str:
    """Return a text without the letters that turn its direction."""
    return text.translate(_NOTHING)


def one_line(text: str) -> str:
    """Return a name as it is kept: composed letters, single blanks, nothing that cannot be seen.

    >>> one_line("  Jo\u0308rg \t S. "), one_line("\u202eAnn\u2066")
    ('Jörg S.', 'Ann')
    """
    words = " ".join(unicodedata.normalize("NFC", without_turns(text)).split())
    return "".join(letter for letter in words if unicodedata.category(letter) != "Cc")


def folded(name: str) -> str:
    """Return a name for comparing: without case, doubled blanks and forms of accents.

    >>> folded("  Åsa  B. ") == folded("ÅSA b.")
    True
    """
    return " ".join(unicodedata.normalize("NFC", without_turns(name)).casefold().split())
