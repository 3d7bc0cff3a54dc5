"""The terms of docs/glossary.md, for “What is this?” beside a word of a page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from django.conf import settings
from django.utils.safestring import SafeString

from tournaments.presenters.help.documents import (
    DOCS,
    GLOSSARY,
    anchor_of,
    document_url,
    rendered_line,
)


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """One row of the glossary: its words, the first of which names the row, and the meaning."""

    words: tuple[str, ...]
    meaning: SafeString

    @property
    def anchor(self) -> str:
        """The id of the row on the page of the glossary."""
        return anchor_of(self.words[0])

    @property
    def url(self) -> str:
        """Where the glossary has it."""
        return f"{document_url(GLOSSARY)}#{self.anchor}"


def glossary_term(word: str) -> GlossaryTerm:
    """Return what the glossary says of a word.

    Raises:
        KeyError: the glossary has no such word (a template's bug).
    """
    terms = _read_terms() if settings.DEBUG else _kept_terms()
    return terms[word]


@cache
def _kept_terms() -> Mapping[str, GlossaryTerm]:
    return _read_terms()


def _read_terms() -> Mapping[str, GlossaryTerm]:
    text = (DOCS / f"{GLOSSARY}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| *([^|]+?) *\| *([^|]+?) *\|", text, re.M)
    terms = [
        GlossaryTerm(tuple(words.split(", ")), rendered_line(meaning))
        for words, meaning in rows
        if words != "word" and not words.startswith("-")
    ]
    return {word: term for term in terms for word in term.words}


_COLUMNS: Final[Mapping[str, str]] = {
    "average_per_hand": "average a hand",
    "raw_per_hand": "average a hand",
    "placement_points": "place points",
    "beaten_mean": "opponents beaten",
    "index_per_game": "index",
    "index": "index",
    "dropped": "drop worst",
    "byes": "bye",
    "adjustment": "adjustment",
}
"""Key of a column of the standings → its word in the glossary."""


def column_word(key: str) -> str:
    """Return the glossary's word for a column of the standings; "" where a head says it all."""
    return _COLUMNS.get(key, "")
