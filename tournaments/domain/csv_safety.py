"""Text that a spreadsheet would calculate: written with an apostrophe before it."""

from typing import Final

STARTS: Final = tuple("=+-@\t\r\n＝＋－＠")
"""First characters that make a spreadsheet calculate, in half and in full width."""


def escape_formula(text: str) -> str:
    """Return a text as written to a cell, with an apostrophe before a formula.

    >>> escape_formula("=1+1"), escape_formula("'=1+1"), escape_formula("O'Neill")
    ("'=1+1", "''=1+1", "O'Neill")
    """
    if not _calculates(text):
        return text
    return f"'{text}"


def unescape_formula(text: str) -> str:
    """Return the text of a cell without the apostrophe that `escape_formula` put there.

    >>> unescape_formula("'=1+1"), unescape_formula("''=1+1"), unescape_formula("'Enri' K.")
    ('=1+1', "'=1+1", "'Enri' K.")
    """
    if text.startswith("'") and _calculates(text):
        return text[1:]
    return text


def _calculates(text: str) -> bool:
    """Whether a program calculates the text; some ignore leading blanks or one apostrophe."""
    return text.startswith(STARTS) or text.lstrip(" '\u00a0\u3000").startswith(STARTS)
