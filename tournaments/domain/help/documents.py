"""The files of docs/ as HTML: headings with anchors, links, images, terms; search in them."""

import posixpath
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.urls import reverse
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
_CHECKED_LINK: Final = re.compile(r"https?://|mailto:|#|/(?!/)")
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")


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


AROUND: Final = 90
"""Characters of an excerpt before and after the first word that was found."""

_WEIGHTS: Final = (3, 5, 1)
"""Weight of a word in a title, in a heading and in the text."""

FOR_READERS: Final = re.compile(r"for-|quickstart|glossary|event-settings")
FOR_DEVELOPERS: Final = re.compile(
    r"decisions/|architecture|development|performance|rules-engine|api|contracts|errors"
)
_WORD: Final = re.compile(r"\w+")


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
    paths = {f"{path.relative_to(DOCS / IMAGES)}": path for path in (DOCS / IMAGES).rglob("*")}
    path = paths.get(name)
    return path if path is not None and path.suffix in IMAGE_TYPES and path.is_file() else None


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
    return " ".join(
        re.sub(r"\s+", " ", part).strip()
        for token in tokens
        for part in ([_inline_text(token)] if token.type == "inline" else [token.content])
        if part.strip()
    )


@cache
def _list_names() -> Sequence[str]:
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
    return Document(name, title, mark_safe(html), sections)  # noqa: S308  # html is off


def _set_anchors(tokens: Sequence[Token], *, terms: bool) -> None:
    counts: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            anchor = anchor_of(_inline_text(tokens[at + 1]))
            count = counts.get(anchor, 0)
            counts[anchor] = count + 1
            token.attrSet("id", f"{anchor}-{count}" if count else anchor)
        elif terms and token.type == "tr_open" and tokens[at + 1].type == "td_open":
            first = _inline_text(tokens[at + 2]).partition(",")[0]
            token.attrSet("id", anchor_of(first))


def _set_addresses(token: Token, name: str) -> None:
    if token.type == "link_open":
        address = _link(str(token.attrGet("href")), name)
        if address:
            token.attrSet("href", address)
        else:
            token.attrs.pop("href")  # an `a` without an address is plain text
    elif token.type == "image":
        source = posixpath.normpath(
            posixpath.join(posixpath.dirname(name), str(token.attrs["src"]))
        )
        image = source.removeprefix(IMAGES)
        token.attrSet("src", reverse("tournaments:help-image", kwargs={"image": image}))
        token.attrSet("loading", "lazy")


def _link(target: str, name: str) -> str:
    """Return the address on this site of a link in a document; "" where the site has no page."""
    if _CHECKED_LINK.match(target):
        return target
    path, mark, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    page = path.removesuffix(".md")
    if page in document_names():
        return f"{document_url(page)}{mark}{anchor}"
    if page in folders():
        return reverse("tournaments:help-page", kwargs={"name": page})
    return ""


def _sections(tokens: Sequence[Token]) -> Iterator[DocumentSection]:
    starts = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    for at, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        yield DocumentSection(
            heading=_inline_text(tokens[at + 1]),
            anchor=str(tokens[at].attrs["id"]),
            level=int(tokens[at].tag[1]),
            text=plain_text(tokens[at + 3 : end]),
        )


def _inline_text(token: Token) -> str:
    return "".join(
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in token.children or ()
    )


def _in_boxes(tokens: Sequence[Token]) -> Sequence[Token]:
    """Put each table and each block of code into a box that scrolls sideways by itself."""
    boxed: list[Token] = []
    for token in tokens:
        if token.type == "table_open":
            boxed.append(_html('<div class="scroll" role="group" aria-label="Table" tabindex="0">'))
            token.attrSet("class", "t")
        if token.type in ("fence", "code_block"):
            boxed.append(
                _html('<div class="scroll code" role="group" aria-label="Code" tabindex="0">')
            )
        boxed.append(token)
        if token.type in ("table_close", "fence", "code_block"):
            boxed.append(_html("</div>"))
    return boxed


def _html(text: str) -> Token:
    return Token("html_block", "", 0, content=text)


def glossary_term(word: str) -> tuple[str, SafeString]:
    """Return the row of the glossary that has a word: its first word and its meaning."""
    return (_read_terms.__wrapped__() if settings.DEBUG else _read_terms())[word]


@cache
def _read_terms() -> Mapping[str, tuple[str, SafeString]]:
    text = (DOCS / f"{GLOSSARY}.md").read_text(encoding="utf-8")
    terms: dict[str, tuple[str, SafeString]] = {}
    for cell, meaning in re.findall(r"^\| *([^|]+?) *\| *([^|]+?) *\|", text, re.M):
        if cell != "word" and not cell.startswith("-"):
            words = cell.split(", ")
            html = mark_safe(_MARKDOWN.renderInline(meaning))  # noqa: S308  # html is off
            terms |= dict.fromkeys(words, (words[0], html))
    return terms


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


def column_word(key: str) -> str:
    """Return the glossary's word for a column of the standings; "" if it has none."""
    return _COLUMNS.get(key, "")


AT_MOST: Final = 30


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
    total = 0
    if FOR_READERS.match(name):
        total = 8
    elif FOR_DEVELOPERS.match(name):
        total = -4
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
