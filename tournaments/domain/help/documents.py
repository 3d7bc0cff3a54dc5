"""The files of docs/ as HTML: headings with anchors, links, images, terms; search in them."""

import posixpath
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCS: Final[Path] = settings.FILES_DIR / "docs"
FRONT: Final = "index"
GLOSSARY: Final = "glossary"
IMAGES: Final = "images/"
IMAGE_TYPES: Final = {
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}

AT_MOST: Final = 30
"""Maximum number of sections that a search finds."""

MOST_WORDS: Final = 8
"""Words of a query that are searched for; later ones are ignored."""

AROUND: Final = 90
"""Characters of an excerpt before and after the first word that was found."""

_WEIGHTS: Final = (3, 5, 1)
"""Weight of a word in a title, in a heading and in the text."""

FOR_READERS: Final = re.compile(r"for-|quickstart|glossary|event-settings")
FOR_DEVELOPERS: Final = re.compile(
    r"decisions/|architecture|development|performance|rules-engine|api|contracts|errors"
)
_WORD: Final = re.compile(r"\w+")
_CHECKED_LINK: Final = re.compile(r"https?://|mailto:|#|/(?!/)")
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")

_COLUMNS: Final = {
    "average_per_hand": "average a hand",
    "raw_per_hand": "average a hand",
    "placement_points": "place points",
    "beaten_mean": "opponents beaten",
    "index_per_game": "index",
    "index": "index",
    "dropped": "drop worst",
    "byes": "bye",
    "from_before": "value from before",
    "adjustment": "adjustment",
}
"""Key of a column of the standings → its word in the glossary."""


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A heading with the text up to the next one; the first section has the document's title."""

    heading: str
    anchor: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A page of the documentation; `name` is its path in docs/ without the ending."""

    name: str
    title: str
    html: SafeString
    sections: tuple[DocumentSection, ...]

    @property
    def url(self) -> str:
        return document_url(self.name)

    @property
    def body(self) -> SafeString:
        """The document without its title, for a page that has its own."""
        return mark_safe(self.html.partition("</h1>")[2])  # noqa: S308  # html is off

    @property
    def contents(self) -> Sequence[DocumentSection]:
        return [section for section in self.sections if section.level == 2]


class FoundSection(NamedTuple):
    """A section that a search found.

    `excerpt` has parts of its text, each with whether a word of the search begins it.
    """

    document: Document
    section: DocumentSection
    excerpt: Sequence[tuple[str, bool]]


class _IndexedSection(NamedTuple):
    """A section with the sorted words of its page's title, its heading and its text."""

    document: Document
    section: DocumentSection
    words: Sequence[Sequence[str]]


def document(name: str) -> Document | None:
    """Return a document by its name, such as `algorithms/scoring`, or None if it does not exist.

    Each file is read once in a process; while DEBUG is on, at each request.
    """
    if name not in document_names():
        return None
    if settings.DEBUG:
        return _read.__wrapped__(name)
    return _read(name)


def document_names() -> Sequence[str]:
    if settings.DEBUG:
        return _list_names.__wrapped__()
    return _list_names()


def folders() -> frozenset[str]:
    return frozenset(posixpath.dirname(name) for name in document_names() if "/" in name)


def image_path(name: str) -> Path | None:
    """Return the file of an image in docs/images/, or None if there is no image of the name."""
    # A name is compared with the files that exist, so that no name leads out of the folder.
    for path in (DOCS / IMAGES).rglob("*"):
        if str(path.relative_to(DOCS / IMAGES)) == name:
            is_image = path.suffix in IMAGE_TYPES and path.is_file()
            return path if is_image else None
    return None


def document_url(name: str) -> str:
    if name == FRONT:
        return reverse("tournaments:help")
    folder, _, page = name.rpartition("/")
    if folder:
        return reverse("tournaments:help-in-folder", kwargs={"folder": folder, "name": page})
    return reverse("tournaments:help-page", kwargs={"name": page})


def anchor_of(text: str) -> str:
    """Return the anchor of a heading, as code hosts write it.

    >>> anchor_of("Break ties with a play-off")
    'break-ties-with-a-play-off'
    """
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def plain_text(tokens: Sequence[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type == "inline":
            text = _inline_text(token)
        else:
            text = token.content
        if text.strip():
            parts.append(re.sub(r"\s+", " ", text).strip())
    return " ".join(parts)


@cache
def _list_names() -> Sequence[str]:
    """Return the names of all documents, those in folders last."""
    names = [str(path.relative_to(DOCS).with_suffix("")) for path in DOCS.rglob("*.md")]
    return tuple(sorted(names, key=lambda name: ("/" in name, name)))


@cache
def _read(name: str) -> Document:
    tokens = _MARKDOWN.parse((DOCS / f"{name}.md").read_text(encoding="utf-8"))
    _set_anchors(tokens, terms=name == GLOSSARY)
    for token in tokens:
        for child in token.children or ():
            _set_addresses(child, name)
    sections = tuple(_sections(tokens))
    html = _MARKDOWN.renderer.render(_in_boxes(tokens), _MARKDOWN.options, {})
    title = sections[0].heading if sections else name
    return Document(name=name, title=title, html=mark_safe(html), sections=sections)  # noqa: S308  # html is off


def _set_anchors(tokens: Sequence[Token], *, terms: bool) -> None:
    """Give each heading its anchor, numbered where it repeats, and with `terms` each table row."""
    counts: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            anchor = anchor_of(_inline_text(tokens[at + 1]))
            count = counts.get(anchor, 0)
            counts[anchor] = count + 1
            if count:
                anchor = f"{anchor}-{count}"
            token.attrSet("id", anchor)
        elif terms and token.type == "tr_open" and tokens[at + 1].type == "td_open":
            first_word = _inline_text(tokens[at + 2]).partition(",")[0]
            token.attrSet("id", anchor_of(first_word))


def _set_addresses(token: Token, name: str) -> None:
    """Replace the addresses of a link or an image in the document `name` by those of the site."""
    folder = posixpath.dirname(name)
    if token.type == "link_open":
        address = _link(str(token.attrGet("href")), folder)
        if address:
            token.attrSet("href", address)
        else:
            # An `a` without an address is plain text.
            token.attrs.pop("href")
    elif token.type == "image":
        source = posixpath.normpath(posixpath.join(folder, str(token.attrs["src"])))
        image = source.removeprefix(IMAGES)
        token.attrSet("src", reverse("tournaments:help-image", kwargs={"image": image}))
        token.attrSet("loading", "lazy")


def _link(target: str, folder: str) -> str:
    """Return the address on this site of a link in a document; "" where the site has no page.

    `folder` is that of the document.
    """
    if _CHECKED_LINK.match(target):
        return target
    path, mark, anchor = target.partition("#")
    page = posixpath.normpath(posixpath.join(folder, path)).removesuffix(".md")
    if page in document_names():
        return f"{document_url(page)}{mark}{anchor}"
    if page in folders():
        return reverse("tournaments:help-page", kwargs={"name": page})
    return ""


def _sections(tokens: Sequence[Token]) -> Iterator[DocumentSection]:
    starts = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    ends = [*starts[1:], len(tokens)]
    for start, end in zip(starts, ends, strict=True):
        # A heading is three tokens: its opening, its text, its end.
        yield DocumentSection(
            heading=_inline_text(tokens[start + 1]),
            anchor=str(tokens[start].attrs["id"]),
            level=int(tokens[start].tag[1]),
            text=plain_text(tokens[start + 3 : end]),
        )


def _inline_text(token: Token) -> str:
    parts = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        else:
            parts.append(child.content)
    return "".join(parts)


def _in_boxes(tokens: Sequence[Token]) -> Sequence[Token]:
    """Put each table and each block of code into a box that scrolls sideways by itself.

    A table is called by the heading that it stands under.
    """
    boxed: list[Token] = []
    heading = ""
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = _inline_text(tokens[at + 1])
        if token.type == "table_open":
            box = '<div class="scroll" role="group" aria-label="{}" tabindex="0">'
            boxed.append(_html(format_html(box, heading)))
            token.attrSet("class", "t")
        if token.type in ("fence", "code_block"):
            boxed.append(
                _html('<div class="scroll code" role="group" aria-label="Code" tabindex="0">')
            )
        boxed.append(token)
        if token.type == "table_open":
            boxed.append(_html(format_html('<caption class="vh">{}</caption>', heading)))
        if token.type in ("table_close", "fence", "code_block"):
            boxed.append(_html("</div>"))
    return boxed


def _html(text: str) -> Token:
    return Token("html_block", "", 0, content=text)


def glossary_term(word: str) -> tuple[str, SafeString]:
    """Return the row of the glossary that has a word: its first word and its meaning."""
    if settings.DEBUG:
        return _read_terms.__wrapped__()[word]
    return _read_terms()[word]


@cache
def _read_terms() -> Mapping[str, tuple[str, SafeString]]:
    """Return the rows of the glossary by each of their words."""
    text = (DOCS / f"{GLOSSARY}.md").read_text(encoding="utf-8")
    terms: dict[str, tuple[str, SafeString]] = {}
    for cell, meaning in re.findall(r"^\| *([^|]+?) *\| *([^|]+?) *\|", text, re.M):
        is_head = cell == "word" or cell.startswith("-")
        if is_head:
            continue
        words = cell.split(", ")
        html = mark_safe(_MARKDOWN.renderInline(meaning))  # noqa: S308  # html is off
        for word in words:
            terms[word] = (words[0], html)
    return terms


def column_word(key: str) -> str:
    """Return the glossary's word for a column of the standings; "" if it has none."""
    return _COLUMNS.get(key, "")


def folded_text(text: str) -> str:
    """Return text without case and accents.

    >>> folded_text("Łódź Café")
    'łodz cafe'
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def find_sections(query: str) -> Sequence[FoundSection]:
    """Return the sections in which each word of `query` begins a word, the best first."""
    words = list(dict.fromkeys(_WORD.findall(folded_text(query))))[:MOST_WORDS]
    if not words:
        return ()
    sections = _index.__wrapped__() if settings.DEBUG else _index()
    matches = []
    for indexed in sections:
        score = _score(indexed, words)
        if score is not None:
            matches.append((score, indexed))
    matches.sort(key=lambda match: -match[0])

    found_sections = []
    for _points, indexed in matches[:AT_MOST]:
        excerpt = _excerpt(indexed.section.text, tuple(words))
        found_sections.append(FoundSection(indexed.document, indexed.section, excerpt))
    return found_sections


def _score(indexed: _IndexedSection, words: Sequence[str]) -> int | None:
    """Return how well a section matches some words; None if one of them begins no word of it."""
    score = 0
    if FOR_READERS.match(indexed.document.name):
        score = 8
    elif FOR_DEVELOPERS.match(indexed.document.name):
        score = -4
    for word in words:
        points = 0
        for weight, words_of_text in zip(_WEIGHTS, indexed.words, strict=True):
            if _begins(words_of_text, word):
                points += weight
        if points == 0:
            return None
        score += points
    return score


def _begins(words: Sequence[str], beginning: str) -> bool:
    """Whether one of some sorted words begins so."""
    at = bisect_left(words, beginning)
    return at < len(words) and words[at].startswith(beginning)


def _excerpt(text: str, words: tuple[str, ...]) -> Sequence[tuple[str, bool]]:
    """Return the text around the first word of a search, cut between words.

    It is in parts, each with whether it is a word of the search.
    """
    spans = []
    for match in _WORD.finditer(text):
        if folded_text(match[0]).startswith(words):
            spans.append(match.span())
    center = 0
    if spans:
        center, _end = spans[0]
    start = text.rfind(" ", 0, max(center - AROUND, 0)) + 1
    end = text.find(" ", center + AROUND)
    if end < 0:
        end = len(text)

    parts = []
    if start:
        parts.append(("… ", False))
    at = start
    for word_start, word_end in spans:
        if word_start >= end:
            break
        parts.append((text[at:word_start], False))
        parts.append((text[word_start:word_end], True))
        at = word_end
    rest = text[at:end]
    if end < len(text):
        rest += " …"
    parts.append((rest, False))
    return [part for part in parts if part[0]]


@cache
def _index() -> Sequence[_IndexedSection]:
    """Return the sections of all documents."""
    sections = []
    for name in document_names():
        page = document(name)
        if page is None:
            continue
        for section in page.sections:
            words = []
            for text in (page.title, section.heading, section.text):
                words.append(sorted(set(_WORD.findall(folded_text(text)))))
            sections.append(_IndexedSection(page, section, words))
    return sections
