"""Search in the documentation: the beginning of each word, accents and case folded."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import Final

from django.conf import settings

from tournaments.domain.help.documents import Document, DocumentSection, document, document_names

AT_MOST: Final = 30
AROUND: Final = 90
"""Characters of an excerpt before and after the first word that was found."""
_WEIGHTS: Final = (3, 5, 1)
"""What a word counts in a title, in a heading and in the text."""
FOR_READERS: Final = re.compile(r"for-|quickstart|glossary|event-settings")
FOR_DEVELOPERS: Final = re.compile(
    r"decisions/|architecture|development|performance|rules-engine|api|contracts|errors"
)
_WORD: Final = re.compile(r"\w+")


def folded_text(text: str) -> str:
    """Return text without case and accents.

    >>> folded_text("Łódź Café")
    'łodz cafe'
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def find_sections(
    query: str,
) -> Sequence[tuple[Document, DocumentSection, Sequence[tuple[str, bool]]]]:
    """Return the sections in which each word of `query` begins a word, the best first.

    Each has its document before it and an excerpt behind it: parts of the text, each with whether
    a word of the search begins it.
    """
    words = [*dict.fromkeys(_WORD.findall(folded_text(query)))][:8]
    if not words:
        return ()
    matches = [
        (score, page, section)
        for page, section, texts in (_index.__wrapped__() if settings.DEBUG else _index())
        if (score := _score(page.name, texts, words)) is not None
    ]
    matches.sort(key=lambda match: -match[0])
    return [
        (page, section, _excerpt(section.text, tuple(words)))
        for _, page, section in matches[:AT_MOST]
    ]


def _score(name: str, texts: Sequence[Sequence[str]], words: Sequence[str]) -> int | None:
    total = 8 if FOR_READERS.match(name) else -4 if FOR_DEVELOPERS.match(name) else 0
    for word in words:
        points = sum(
            weight * _begins(text, word) for weight, text in zip(_WEIGHTS, texts, strict=True)
        )
        if not points:
            return None
        total += points
    return total


def _begins(words: Sequence[str], beginning: str) -> bool:
    at = bisect_left(words, beginning)
    return at < len(words) and words[at].startswith(beginning)


def _excerpt(text: str, words: tuple[str, ...]) -> Sequence[tuple[str, bool]]:
    matches = _WORD.finditer(text)
    spans = [match.span() for match in matches if folded_text(match[0]).startswith(words)]
    first = spans[0][0] if spans else 0
    start = text.rfind(" ", 0, max(first - AROUND, 0)) + 1
    end = text.find(" ", first + AROUND)
    end = len(text) if end < 0 else end
    parts = [("… ", False)] if start else []
    at = start
    for begin, stop in spans:
        if begin >= end:
            break
        parts += [(text[at:begin], False), (text[begin:stop], True)]
        at = stop
    parts.append((text[at:end] + (" …" if end < len(text) else ""), False))
    return [part for part in parts if part[0]]


@cache
def _index() -> Sequence[tuple[Document, DocumentSection, Sequence[Sequence[str]]]]:
    """Return each section with the sorted words of its page's title, its heading and its text."""
    pages = [page for name in document_names() if (page := document(name))]
    return [
        (
            page,
            section,
            [
                sorted(set(_WORD.findall(folded_text(text))))
                for text in (page.title, section.heading, section.text)
            ],
        )
        for page in pages
        for section in page.sections
    ]
