"""Search in the documentation: the beginning of each word, accents and case folded."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from django.conf import settings

from tournaments.domain.help.documents import (
    Document,
    DocumentSection,
    document,
    document_names,
    document_url,
)

AT_MOST: Final = 30
AROUND: Final = 90
"""Characters of an excerpt before and after the first word that was found."""
IN_TITLE: Final = 3
IN_HEADING: Final = 5
IN_TEXT: Final = 1
FOR_READERS: Final = re.compile(r"for-|quickstart|glossary|event-settings")
FOR_DEVELOPERS: Final = re.compile(
    r"decisions/|architecture|development|performance|rules-engine|api|contracts|errors"
)
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of an excerpt; `is_found` where a word of the search begins it."""

    text: str
    is_found: bool


@dataclass(frozen=True, slots=True)
class FoundSection:
    """A section that has every word of a search."""

    title: str
    heading: str
    url: str
    excerpt: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class _Indexed:
    page: Document
    section: DocumentSection
    title: tuple[str, ...]
    heading: tuple[str, ...]
    text: tuple[str, ...]


def folded_text(text: str) -> str:
    """Return text without case and accents.

    >>> folded_text("Łódź Café")
    'łodz cafe'
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def found_sections(query: str) -> Sequence[FoundSection]:
    """Return the sections in which each word of `query` begins a word, the best first."""
    words = [*dict.fromkeys(_WORD.findall(folded_text(query)))][:8]
    if not words:
        return ()
    scored = [
        (score, number, one)
        for number, one in enumerate(_index())
        if (score := _score(one, words)) is not None
    ]
    scored.sort(key=lambda each: (-each[0], each[1]))
    return [_found(one, words) for _, _, one in scored[:AT_MOST]]


def _score(one: _Indexed, words: Sequence[str]) -> int | None:
    total = 0
    if FOR_READERS.match(one.page.name):
        total = 8
    elif FOR_DEVELOPERS.match(one.page.name):
        total = -4
    for word in words:
        points = (
            IN_TITLE * _begins(one.title, word)
            + IN_HEADING * _begins(one.heading, word)
            + IN_TEXT * _begins(one.text, word)
        )
        if not points:
            return None
        total += points
    return total


def _begins(words: Sequence[str], beginning: str) -> bool:
    at = bisect_left(words, beginning)
    return at < len(words) and words[at].startswith(beginning)


def _found(one: _Indexed, words: Sequence[str]) -> FoundSection:
    section = one.section
    anchor = f"#{section.anchor}" if section.level > 1 else ""
    return FoundSection(
        title=one.page.title,
        heading=section.heading if section.level > 1 else "",
        url=f"{document_url(one.page.name)}{anchor}",
        excerpt=_excerpt(section.text, words),
    )


def _excerpt(text: str, words: Sequence[str]) -> tuple[Excerpt, ...]:
    spans = [found.span() for found in _WORD.finditer(text) if _is_hit(found[0], words)]
    first = spans[0][0] if spans else 0
    start = text.rfind(" ", 0, max(first - AROUND, 0)) + 1
    end = text.find(" ", first + AROUND)
    end = len(text) if end < 0 else end
    parts = [Excerpt("… ", is_found=False)] if start else []
    at = start
    for begin, stop in spans:
        if begin >= end:
            break
        parts += [Excerpt(text[at:begin], is_found=False), Excerpt(text[begin:stop], is_found=True)]
        at = stop
    parts.append(Excerpt(text[at:end] + (" …" if end < len(text) else ""), is_found=False))
    return tuple(part for part in parts if part.text)


def _is_hit(word: str, words: Sequence[str]) -> bool:
    return folded_text(word).startswith(tuple(words))


def _index() -> Sequence[_Indexed]:
    return _made_index() if settings.DEBUG else _kept_index()


@cache
def _kept_index() -> Sequence[_Indexed]:
    return _made_index()


def _made_index() -> Sequence[_Indexed]:
    pages = [found for name in document_names() if (found := document(name))]
    return tuple(
        _Indexed(page, section, _words(page.title), _words(section.heading), _words(section.text))
        for page in pages
        for section in page.sections
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(sorted(set(_WORD.findall(folded_text(text)))))
