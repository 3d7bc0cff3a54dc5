"""Replaces an erased name everywhere that people typed it: texts, JSON, files.

Whole words are replaced, in any case, with any blanks between them and in both orders of first and
last name. A longer name of somebody else that contains the erased one stays.
"""

import io
import re
import unicodedata
import zipfile
from collections.abc import Collection, Iterable, Iterator
from html import escape
from typing import Any


class NameEraser:
    """Replaces the names of one person by `label`; `names` may be empty, then nothing is done."""

    def __init__(self, names: Iterable[str], label: str, *, others: Collection[str] = ()) -> None:
        self.label = label
        stripped = {name.strip() for name in names} - {label}
        # Shorter names are no names to search a text for.
        self.names = frozenset(name for name in stripped if len(name) >= 3)
        forms = {form for name in self.names for form in _forms(name)}
        erased = _any_of(forms)
        search = re.compile(erased, re.IGNORECASE).search
        longer = _any_of({name for name in others if search(name)} if forms else ())
        if longer:
            pattern = f"{longer}|(?P<erased>{erased})"
        else:
            pattern = f"(?P<erased>{erased})"
        self._pattern = re.compile(pattern, re.IGNORECASE) if forms else None

    @property
    def search_words(self) -> list[str]:
        """A word of each name, by which a database finds texts that may hold it."""
        words = {max(name.split(), key=len) for name in self.names}
        forms = {unicodedata.normalize(form, word) for word in words for form in ("NFC", "NFD")}
        cases = (str, str.lower, str.upper, str.title)
        return sorted({case(form) for form in forms for case in cases})

    def text(self, text: str) -> str:
        """Return a text with the label in the place of the names.

        >>> eraser = NameEraser(["Xenia S."], "Player RL24", others=["Xenia S. Holm"])
        >>> eraser.text("xenia  S. and S., Xenia met Xenia S. Holm")
        'Player RL24 and Player RL24 met Xenia S. Holm'
        """
        if self._pattern is None or not text:
            return text
        return self._pattern.sub(
            lambda match: self.label if match["erased"] else str(match[0]), text
        )

    def occurrences(self, text: str) -> set[str]:
        """Return the names in the form in which they occur in a text.

        >>> NameEraser(["Xenia S."], "Player RL24").occurrences("XENIA  S. was late")
        {'XENIA  S.'}
        """
        if self._pattern is None:
            return set()
        return {match[0] for match in self._pattern.finditer(text) if match["erased"]}

    def json(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(member) for member in value]
        if isinstance(value, dict):
            return {self.text(key): self.json(member) for key, member in value.items()}
        return value


def _forms(name: str) -> Iterator[str]:
    """Yield a name as people type it: in both orders, composed and decomposed."""
    *first, last = name.split()
    for order in {name, f"{last}, {' '.join(first)}" if first else name}:
        yield unicodedata.normalize("NFC", order)
        yield unicodedata.normalize("NFD", order)


def bare_letters(text: str) -> str:
    """Return a text in capitals without accents; an eraser finds no name whose words are not in it.

    >>> bare_letters("Jörg Strauß"), bare_letters("joerg STRAUSS")
    ('JORG STRAUSS', 'JOERG STRAUSS')
    """
    letters = unicodedata.normalize("NFKD", text.casefold().upper())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _any_of(names: Iterable[str]) -> str:
    spaced = (
        r"\s+".join(map(re.escape, name.split())) for name in sorted(names, key=len, reverse=True)
    )
    return "|".join(rf"(?<!\w){words}(?!\w)" for words in spaced)


def erase_in_file(eraser: NameEraser, content: bytes) -> bytes:
    """Return a file of text, or a spreadsheet, without the names."""
    if not eraser.names:
        return content
    if content.startswith(b"PK\x03\x04"):
        return _erase_in_spreadsheet(eraser, content)
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):  # those that an import reads
        try:
            before = content.decode(encoding)
        except UnicodeError:
            continue
        after = eraser.text(before)
        if after == before:
            return content
        has_mark = encoding != "utf-8-sig" or content.startswith(b"\xef\xbb\xbf")
        return after.encode(encoding if has_mark else "utf-8", errors="replace")
    return content


def _erase_in_spreadsheet(eraser: NameEraser, content: bytes) -> bytes:
    """Return a spreadsheet without the names; an unreadable one is dropped."""
    in_xml = NameEraser(
        {escape(name, quote=False) for name in eraser.names}, escape(eraser.label, quote=False)
    )
    output = io.BytesIO()
    is_changed = False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(output, "w") as new:
            for part in old.infolist():
                before = old.read(part)
                is_xml = part.filename.endswith(".xml")
                after = erase_in_file(in_xml, before) if is_xml else before
                is_changed = is_changed or after != before
                new.writestr(part, after, zipfile.ZIP_DEFLATED)
    except (zipfile.BadZipFile, RuntimeError):  # of an unknown compression, or encrypted
        return b""
    if not is_changed:
        return content
    return output.getvalue()
