"""Whether a text of a file may be what somebody is called, or is a seat, a number, a usual head."""

import re
from typing import Final

from tournaments.documents.read.cells import SEATS
from tournaments.documents.read.columns import fold, is_sum
from tournaments.documents.read.guess_columns import usual_meaning

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
"""Two letters or more; a single one is a seat, a table or an initial."""

_ANYBODY: Final = frozenset(
    {"guest", "gast", "gäste", "invité", "visitor", "besucher", "dummy", "nobody", "niemand"}
    | {"substitute", "sub", "ersatz", "person", "somebody", "someone", "jemand", "unknown"}
    | {"unbekannt", "onbekend", "anonymous", "anonym", "teilnehmer", "column", "spalte", "kolom"}
)
"""Words for whoever it is that day."""

_SEATS: Final = frozenset(SEATS) - {text for text in SEATS if text.isdecimal()}


def is_own_name(text: str) -> bool:
    """Whether a text may be the name of one person, so that a club can keep whose it is.

    >>> all(map(is_own_name, ("Didi", "A. Tarn", "Ann 2", "Otto West")))
    True
    >>> any(map(is_own_name, ("N", "Nord", "Spieler 1", "Player B", "4", "Gast 2", "Total")))
    False
    """
    words = _WORD.findall(text)
    if usual_meaning(text, ()) or is_sum([text]):
        return False
    for word in words:
        folded = fold(word)
        is_anybody = folded in _SEATS or folded in _ANYBODY
        if not is_anybody and not usual_meaning(word, ()):
            return True
    return False
