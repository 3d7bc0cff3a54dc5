"""Another name in the place of an erased one, wherever people typed it: texts, JSON, files.

Whole words are replaced, in any case, with any blanks between them and in both orders of first and
last name. A longer name of somebody else that contains the erased one stays.
"""

import io
import re
import unicodedata
import zipfile
from collections.abc import Collection, Iterable, Iterator
from html import escape
from typing import Any, Final

LEAST_LETTERS: Final = 3
"""Shorter names are no names to search a text for."""
ENCODINGS: Final = ("utf-8-sig", "utf-16", "cp1252")
"""Of files with text, the first that fits: those that an import reads."""
_ZIP: Final = b"PK\x03\x04"


class NameEraser:
    """Replaces the names of one person by `label`; `names` may be empty, then nothing is done."""

    def __init__(self, names: Iterable[str], label: str, *, others: Collection[str] = ()) -> None:
        self.label = label
        wanted = {one.strip() for one in names} - {"", label}
        self.names = frozenset(one for one in wanted if len(one) >= LEAST_LETTERS)
        forms = sorted({form for one in self.names for form in _forms(one)}, key=len, reverse=True)
        self._own = _any_of(forms) if forms else None
        longer = sorted({one for one in others if self._is_in(one)}, key=len, reverse=True)
        listed = [_words(one) for one in longer]
        self._pattern = (
            re.compile("|".join([*(rf"(?P<o{at}>{one})" for at, one in enumerate(listed)),
                                 rf"(?P<own>{self._own.pattern})"]), re.IGNORECASE)
            if self._own is not None
            else None
        )  # fmt: skip

    def _is_in(self, name: str) -> bool:
        return self._own is not None and self._own.search(name) is not None

    @property
    def hints(self) -> list[str]:
        """Return a word of each name, by which a database finds texts that may hold it."""
        words = {max(one.split(), key=len) for one in self.names}
        forms = {unicodedata.normalize(form, one) for one in words for form in ("NFC", "NFD")}
        return sorted({f(one) for one in forms for f in (str, str.lower, str.upper, str.title)})

    def text(self, text: str) -> str:
        """Return a text with the label in the place of the names.

        >>> eraser = NameEraser(["Xenia S."], "Player RL24", others=["Xenia S. Holm"])
        >>> eraser.text("xenia  S. and S., Xenia met Xenia S. Holm")
        'Player RL24 and Player RL24 met Xenia S. Holm'
        """
        if self._pattern is None or not text:
            return text
        return self._pattern.sub(
            lambda found: self.label if found["own"] is not None else found[0], text
        )

    def found(self, text: str) -> set[str]:
        """Return the names as a text has them, in whatever form they were typed there.

        >>> NameEraser(["Xenia S."], "Player RL24").found("XENIA  S. was late")
        {'XENIA  S.'}
        """
        if self._pattern is None:
            return set()
        return {one[0] for one in self._pattern.finditer(text) if one["own"] is not None}

    def json(self, value: Any) -> Any:
        """Return JSON in which every text and every key is without the names."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(one) for one in value]
        if isinstance(value, dict):
            return {self.text(key): self.json(one) for key, one in value.items()}
        return value

    def file(self, content: bytes) -> bytes:
        """Return a file of text, or a spreadsheet, without the names."""
        if self._pattern is None:
            return content
        if content.startswith(_ZIP):
            return self._spreadsheet(content)
        for encoding in ENCODINGS:
            try:
                text = content.decode(encoding)
            except UnicodeError:
                continue
            found = self.text(text)
            if found == text:
                return content
            has_mark = encoding != "utf-8-sig" or content.startswith(b"\xef\xbb\xbf")
            return found.encode(encoding if has_mark else "utf-8", errors="replace")
        return content

    def _spreadsheet(self, content: bytes) -> bytes:
        """Return a spreadsheet whose parts are without the names; one that cannot be read goes."""
        marked = NameEraser(
            {escape(name, quote=False) for name in self.names}, escape(self.label, quote=False)
        )
        made, is_changed = io.BytesIO(), False
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
                for part in old.infolist():
                    before = old.read(part)
                    after = marked.file(before) if part.filename.endswith(".xml") else before
                    is_changed = is_changed or after != before
                    new.writestr(part, after, zipfile.ZIP_DEFLATED)
        except (zipfile.BadZipFile, RuntimeError):  # of an unknown compression, or encrypted
            return b""
        return made.getvalue() if is_changed else content


def _forms(name: str) -> Iterator[str]:
    """Yield a name as people type it: in both orders, composed and decomposed."""
    words = name.split()
    turned = [name, f"{words[-1]}, {' '.join(words[:-1])}"] if len(words) > 1 else [name]
    for one in turned:
        yield unicodedata.normalize("NFC", one)
        yield unicodedata.normalize("NFD", one)


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(_words(name) for name in names), re.IGNORECASE)


def _words(name: str) -> str:
    inner = r"\s+".join(re.escape(word) for word in name.split())
    return rf"(?<!\w){inner}(?!\w)"
