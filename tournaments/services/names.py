"""Comparing what people are called."""

import unicodedata


def folded(name: str) -> str:
    """Return a name for comparing: without case, doubled blanks and forms of accents.

    >>> folded("  Åsa  B. ") == folded("ÅSA b.")
    True
    """
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())
