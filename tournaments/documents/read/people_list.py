"""Read lists of people: pasted, from a chat, or the rows of a file below column heads.

Nothing is dropped silently: each person has what is left out of the name, by kind.
"""

import csv
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice, pairwise, product, takewhile, zip_longest
from types import MappingProxyType
from typing import Final, TypeAlias

from django.utils.translation import gettext_lazy as _

from scoring.errors import Path
from tournaments.documents.read import cells
from tournaments.documents.read.columns import Heads, fold
from tournaments.domain.name_matching import one_line, one_person, split_contact, without_hidden

_COLUMNS: Final[Heads] = {
    "player_id": (
        *("player_id", "id", "no", "number", "member", "member no", "member number", "member id"),
        *("spieler-nr", "nr", "mitglied", "mitgliedsnummer", "mitglieds-nr", "lidnummer", "numéro"),
    ),
    "name": (
        *("name", "names", "player", "players", "player name", "full name", "first and last name"),
        *("spieler", "vor- und nachname", "vorname und nachname", "vollständiger name", "naam"),
        *("speler", "spelers", "volledige naam", "voor- en achternaam", "nom", "joueur", "joueurs"),
        *("nom complet", "prénom et nom"),
    ),
    "first_name": (
        *("first_name", "first name", "first", "given name", "forename", "vorname", "rufname"),
        *("voornaam", "roepnaam", "prénom", "prenom"),
    ),
    "infix": ("tussenvoegsel", "tussenvoegsels", "voorvoegsel"),
    "family_name": (
        *("family_name", "family name", "family", "last name", "last", "surname", "nachname"),
        *("familienname", "zuname", "achternaam", "familienaam", "nom de famille"),
    ),
    "joined": (
        *("joined", "joined on", "since", "member since", "eintritt", "eintrittsdatum"),
        *("mitglied seit", "lid sinds", "membre depuis", "date d'adhésion", "adhésion"),
    ),
    "start_position": ("start_position", "start", "position", "startplatz"),
    "guest": ("guest", "visitor", "gast", "invité", "invite"),
    "email": (
        *("email", "e-mail", "mail", "email address", "e-mail address", "mail address"),
        *("e-mail-adresse", "mailadresse", "e-mailadres", "mailadres", "courriel"),
        *("adresse e-mail", "adresse mail", "adresse électronique"),
    ),
}
_JOINERS: Final = ("", "und", "and", "en", "et", "u")
PLAYERS: Final[Heads] = {
    **_COLUMNS,
    "reversed": tuple(
        fold(family) + joiner + fold(first)
        for family, joiner, first in product(
            (*_COLUMNS["name"], *_COLUMNS["family_name"]), _JOINERS, _COLUMNS["first_name"]
        )
    ),
}
"""Columns of a list of players, in English, German, Dutch and French.

`reversed` is "Family name, first name" in one column.
"""

PHONES: Final = (
    *("phone", "phone number", "telephone", "tel", "mobile", "mobile phone", "cell", "cell phone"),
    *("telefon", "telefonnummer", "handy", "handynummer", "mobil", "mobilnummer", "festnetz"),
    *("telefoon", "telefoonnummer", "mobiel", "gsm", "téléphone", "tél", "portable", "whatsapp"),
)
_MARK: Final = ("lfd nr", "lfd", "pos", "row", "line")
KIND_OF: Final = {
    **{fold(head): "phone" for head in PHONES},
    **{fold(head): "mark" for head in _MARK},
    **{fold(head): kind for kind, heads in PLAYERS.items() for head in heads},
}
"""Folded head → kind of the column."""
NAMING: Final = frozenset({"name", "first_name", "family_name", "reversed"})

LeftOut: TypeAlias = tuple[str, str]
"""What is not stored: its kind and its text."""
LEFT_OUT: Final = {
    "phone": _("telephone number"),
    "address": _("mail address"),
    "mark": _("mark"),
    "time": _("time"),
    "remark": _("remark"),
    "cell": _("text"),
}
"""Kind of what a line has beside a person → its name."""

LONGEST_SAMPLE: Final = 4000
"""Characters of a text that are read to tell whether it is a list of people."""

LOOKED_AT: Final = 5
"""Number of lines searched for column heads, which a title may precede."""

SEPARATORS: Final = ("\t", ";", "|", ",", "  ")
"""Separators of columns; two blanks or more are the last one."""

_ANSWERS: Final = frozenset(
    {
        *("yes", "no", "maybe", "ok", "okay", "in", "out", "me too", "ja", "nein", "vielleicht"),
        *("dabei", "nee", "misschien", "oui", "non", "peut-être", "present", "coming"),
    }
)
_DAYS: Final = frozenset(
    {
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        *("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
        *("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"),
        *("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    }
)

_NUMBERED: Final = re.compile(
    r"(?:\[[ xX✓✔]?\]|\([xX ]?\)|[a-zA-Z]\)(?=\s)|(?:[\d#*]\ufe0f?\u20e3)+"
    r"|[(\[]?#?\d{1,3}(?:[.)\]:]+|[ \t]*[-–](?=\s)| +(?=[^\W\d]))(?!\d)|\+(?=\s*[^\W\d]))"
)
"""A number or a box before a name; a date and a telephone number are none."""

_ANSWERED: Final = re.compile(r"\s(?:\+\d{1,2}|[:;]-?[()DP]|(?:\d\ufe0f?\u20e3)+)$")
LEAST_LISTED: Final = 2
"""Lines below the first one of a message that make it a list."""
LONGEST_LISTED: Final = 6
"""Words of a name in such a list."""
PARTICLES: Final = frozenset(
    {"de", "van", "von", "der", "den", "la", "le", "di", "da", "del", "della", "zu", "zum", "ten"}
    | {"ter", "te", "'t", "al", "el", "bin", "ben", "dos", "du", "af", "y", "e", "i"}
)
"""Words of a name that may begin with a small letter."""

_LEADING: Final = frozenset(" \t-–—*•·▪◦‣~>#@_\ufe0e\ufe0f\u200d")
_TRAILING: Final = frozenset(" \t-–—*•·~_\ufe0e\ufe0f\u200d")
_SYMBOLS: Final = frozenset({"So", "Sk", "Me", "No"})
_QUOTES: Final = " \"'“”„"

_LABEL: Final = re.compile(
    r"(?<!\w)(?:tel(?:e(?:f|ph)on)?|tél|mob(?:il)?e?|handy|phone|fon|cell|e?-?mail)[.:]*\s*$",
    re.IGNORECASE,
)
"""What stands before a number or an address."""

ID: Final = re.compile(r"(?!\d+([./-])\d+\1\d+$)[^\s@]*\d[^\s@]*")
"""An id has a digit and no blank, and is neither a date nor a mail address."""


def left_out_text(parts: Sequence[LeftOut]) -> str:
    """Return what is not stored of a line, each with its kind.

    >>> left_out_text([("mark", "2)"), ("phone", "0170 1234567")])
    'mark 2) · telephone number 0170 1234567'
    """
    return " · ".join(f"{LEFT_OUT[kind]} {text}" for kind, text in parts)


@dataclass(frozen=True, slots=True)
class PastedPlayer:
    line: int
    """From 1."""
    name: str
    player_id: str = ""
    as_written: bool = False
    """Whether the name is confirmed as one person's, also with a comma or a question mark."""
    is_namesake: bool = False
    """Whether this is another person than the one of this name."""
    is_chosen: bool = False
    """Whether somebody said that this is the player of the id."""
    left_out: tuple[LeftOut, ...] = ()
    email: str = ""
    """Mail address, stored only with the consent that `add_roster` is told."""
    joined: date | None = None
    is_name: bool = True
    """False for a title, a question or a remark."""
    start_position: int | None = None
    guest: bool = False
    """Whether a column says that they are a guest of the event."""

    def at(self, member: str) -> Path:
        return ("names", self.line, member)

    @property
    def key(self) -> str:
        """The line with its name; it changes with either."""
        return f"{self.line}:{self.name}"


ListedPair: TypeAlias = tuple[str, PastedPlayer, PastedPlayer]
"""A pair as listed: its own id and its two players."""

_DAY: Final = r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}"
_CLOCK: Final = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?\s?m\.?)?"
SENT: Final = re.compile(
    rf"(?P<time>\[(?:{_DAY}[\s,]*(?:(?:um|om|à|at)\s)?{_CLOCK}|{_CLOCK}[\s,]*{_DAY}|{_CLOCK})\]"
    rf"|{_DAY}[\s,]*(?:(?:um|om|à|at)\s)?{_CLOCK}\s+[-–](?=\s))\s*",
    re.IGNORECASE,
)
"""The moment that an exported chat writes before a message."""


def read_people(
    text: str,
    as_written: Collection[str] = (),
    namesakes: Collection[str] = (),
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> Sequence[PastedPlayer]:
    """Return the people of a pasted text, and what may be none, such as a title (`is_name`).

    Blank lines and a row of column heads are passed over.

    Args:
        as_written: texts that are the name of one person.
        namesakes: `key` of people who only share their name with somebody.
        chosen: by `key` the id of the player whom a name of several means.

    >>> [person.name for person in read_people("Name;Vorname\\n\\nShore;Ruth\\nGreen; Christa")]
    ['Ruth Shore', 'Christa Green']
    >>> read_people("2) Yann Chen 👍")[0].left_out
    (('mark', '2)'), ('mark', '👍'))
    """
    lines = [(number, line.strip()) for number, line in enumerate(_clean(text), start=1)]
    written = [(number, line) for number, line in lines if line]
    return [
        replace(
            person,
            as_written=person.name in as_written,
            is_namesake=person.key in namesakes,
            player_id=person.player_id or chosen.get(person.key, ""),
            is_chosen=not person.player_id and person.key in chosen,
        )
        for person in _read(written)
    ]


def has_heads(text: str) -> bool:
    """Whether a text begins with column heads, or with a row of columns that nobody knows."""
    written = list(islice(filter(None, map(str.strip, _clean(text))), LOOKED_AT))
    if any(_heads(line)[1] for line in written):
        return True
    is_row = bool(written) and any(len(_split(written[0], mark)) > 1 for mark in SEPARATORS[:4])
    return is_row and not split_contact(written[0])[1]


def are_names(text: str) -> bool:
    """Whether most lines of a text are names of people."""
    people = read_people(text[:LONGEST_SAMPLE])
    return len(people) > 1 and sum(person.is_name for person in people) * 2 > len(people)


def read_line(number: int, line: str) -> PastedPlayer:
    left_out: list[LeftOut] = []
    is_chat = (sent := SENT.match(line)) is not None
    if sent is not None:
        left_out.append(("time", sent["time"].strip("[]- ")))
        line, colon, remark = line[sent.end() :].partition(":")
        if not colon and not sent["time"].startswith("["):
            return PastedPlayer(number, line, left_out=tuple(left_out), is_name=False)
        left_out += [("remark", remark.strip())] if remark.strip() else []
    line, marks = _without_marks(line)
    left_out += marks
    if not line or line.endswith(("?", "!", ":", "…", "？", "！")) or _is_day(line):
        return PastedPlayer(number, line, left_out=tuple(left_out), is_name=False)
    person = person_of(number, _kinds_of(line), left_out)
    if is_chat or ":" not in person.name:
        return person
    name, _colon, remark = (part.strip() for part in person.name.partition(":"))
    is_answer = remark == remark.casefold() or remark.casefold() in _ANSWERS
    if not is_answer or re.search(r"\d", name):
        return replace(person, is_name=False)
    return replace(person, name=name, left_out=(*person.left_out, ("remark", remark)))


def _is_day(line: str) -> bool:
    """Whether a line is a day of the week, alone or with a date."""
    words = [word.strip(",.") for word in line.casefold().split()]
    return words[0] in _DAYS and (len(words) == 1 or re.search(r"\d", line) is not None)


def person_of(
    line: int,
    parts: Sequence[tuple[str, str]],
    left_out: Sequence[LeftOut] = (),
    *,
    has_id: bool = False,
) -> PastedPlayer:
    """Return the person of cells, each with its kind: the key of its column, "" without one.

    The name has the first name before the family name. With `has_id` the name keeps marks: it may
    be the name of a player who is known by an id.
    """
    texts: dict[str, list[str]] = {}
    for kind, text in parts:
        texts.setdefault(kind, []).extend([text] if text else [])
    names = [*texts.get("first_name", ()), *texts.get("infix", ())]
    families = texts.get("family_name", ())
    names += (families if names else ()) or texts.get("name", ()) or families
    names += map(_in_order, texts.get("reversed", ()))
    dropped = [*left_out, *(("phone", text) for text in texts.get("phone", ()))]
    name, contact = _contact(without_hidden(" ".join(names)))
    ids = texts.get("player_id", ())
    name, marks = (name, []) if has_id else _without_marks(name)
    addresses = [part for text in texts.get("email", ()) for part in _addresses(text)]
    dropped += [*marks, *(("mark", text) for text in texts.get("mark", ()))]
    joined = None
    for text in texts.get("joined", ()):
        days = cells.day(text).value.options
        joined = days[0] if len(days) == 1 else None
        dropped += [] if joined else [("cell", text)]
    of_event = (*texts.get("start_position", ()), *texts.get("guest", ()))
    for text in (*ids[1:], *texts.get("", ()), *of_event):
        rest, more = _contact(text)
        contact += more or ((rest,) if "@" in rest and " " not in rest else ())
        dropped += [("cell", rest)] if rest and rest not in contact else []
    addresses += [part for part in contact if "@" in part]
    dropped += [("phone", part) for part in contact if "@" not in part]
    dropped += [("address", part) for part in addresses[1:] if part != addresses[0]]
    return PastedPlayer(
        line,
        name,
        "".join(ids[:1]),
        left_out=tuple(dropped),
        email=addresses[0] if addresses else "",
        joined=joined,
        is_name=any(map(str.isalpha, name)) or bool(ids),
    )


def _clean(text: str) -> Iterator[str]:
    """Return the lines of a text without the signs by which phones turn its direction."""
    for line in text.replace("\u202f", " ").replace("\xa0", " ").splitlines():
        yield without_hidden(line)


def _read(written: Sequence[tuple[int, str]]) -> Iterator[PastedPlayer]:
    firsts = [_heads(line) for _number, line in written[:LOOKED_AT]]
    likely = (at for at, (_mark, kinds) in enumerate(firsts) if len(kinds) > 1 or "name" in kinds)
    heads = next(likely, 0 if firsts and firsts[0][1] else None)
    mark, kinds = firsts[heads] if heads is not None else ("", ())
    is_chat = False
    lists = _lists_in_messages(written)
    for at, (number, line) in enumerate(written):
        if heads is not None and at <= heads:
            if at < heads:
                yield PastedPlayer(number, line, is_name=False)
        elif (row := _split(line, mark)) and _fits(row, kinds, mark):
            yield person_of(number, list(zip_longest(kinds, row, fillvalue="")))
        else:
            is_sent = SENT.match(line) is not None
            is_listed = at in lists
            if is_sent and is_listed:
                yield _first_of_list(number, line)
            else:
                person = read_line(number, line)
                # A line below a message of a chat goes on with it, unless it is one of a list.
                is_new = is_sent or is_listed or not is_chat
                yield replace(person, is_name=person.is_name and is_new)
            is_chat = is_chat or is_sent


def _lists_in_messages(written: Sequence[tuple[int, str]]) -> frozenset[int]:
    """Return the places of lines of messages that are lists of names, each below the other."""
    begins = [at for at, (_, line) in enumerate(written) if SENT.match(line)]
    listed: set[int] = set()
    for begin, end in pairwise([*begins, len(written)]):
        below = written[begin + 1 : end]
        if len(below) >= LEAST_LISTED and all(_is_like_a_name(*line) for line in below):
            listed.update(range(begin, end))
    return frozenset(listed)


def _is_like_a_name(number: int, line: str) -> bool:
    """Whether a line of a message may be a name in a list: its words are capitalised."""
    person = read_line(number, line)
    words = person.name.split()
    is_short = 0 < len(words) <= LONGEST_LISTED
    are_capitals = all(word[:1].isupper() or word in PARTICLES for word in words)
    return person.is_name and is_short and are_capitals


def _first_of_list(number: int, line: str) -> PastedPlayer:
    """Return the first line of a message that is a list: its first name, or the title of it."""
    sent = read_line(number, line)
    match = SENT.match(line)
    message = line[match.end() :] if match else line
    sender, _, text = message.partition(":")
    remark = text.strip()
    if not remark or not _is_like_a_name(number, remark) or " " not in remark:
        return replace(sent, name=line, left_out=(), is_name=False)
    person = read_line(number, remark)
    time = [part for part in sent.left_out if part[0] == "time"]
    return replace(person, left_out=(*time, *person.left_out, ("remark", sender.strip())))


def _heads(line: str) -> tuple[str, tuple[str, ...]]:
    """Return the separator and the kinds of columns of a row of heads; ("", ()) of no such row."""
    for mark in SEPARATORS:
        names = _split(line, mark)
        kinds = tuple(KIND_OF.get(fold(name), "") for name in names)
        is_all = sum(map(bool, kinds)) == sum(map(bool, names))
        is_split = any(other in line for other in {*SEPARATORS[:3]} - {mark})
        is_naming = NAMING & set(kinds) and (len(names) > 1 or (is_all and not is_split))
        if is_naming or (is_all and "player_id" in kinds):
            return mark, kinds
    return "", ()


def _fits(row: Sequence[str], kinds: Sequence[str], mark: str) -> bool:
    """Whether cells are a row below heads, and no line of another shape."""
    by_kind = dict(zip(kinds, row, strict=False))
    if not kinds or " " in by_kind.get("player_id", "") or (len(row) > len(kinds) and mark == ","):
        return False
    if mark != ",":
        return len(row) > 1 or len(kinds) == 1
    return len(row) == len(kinds) or ("first_name" in kinds and len(row) > 1)


def _split(line: str, mark: str) -> list[str]:
    if not mark:
        return []
    if mark == "  ":
        return re.split(r"\s{2,}", line)
    try:
        row = next(csv.reader([line.strip(mark * (mark == "|") or " ")], delimiter=mark), [])
    except csv.Error:
        return []
    return [cell.strip(_QUOTES) for cell in row]


def _kinds_of(line: str) -> list[tuple[str, str]]:
    """Return the parts of a line, each with its kind; an id may stand before or behind the name."""
    for mark in "\t;|,":
        row = [cell.strip(_QUOTES) for cell in line.split(mark)]
        if len(row) > 1:
            if ID.fullmatch(row[0]):
                n, name = _name_in(row[1:], mark)
                return _parts(name, row[1 + n :], row[0])
            if ID.fullmatch(row[1]):
                return _parts(row[0], row[2:], row[1])
            n, name = _name_in(row, mark)
            is_name_with_commas = mark == "," and n == len(row)
            if not is_name_with_commas:
                return _parts(name, row[n:])
    return _parts(line, ())


def _parts(name: str, rest: Sequence[str], player_id: str = "") -> list[tuple[str, str]]:
    return [("name", name), ("player_id", player_id), *(("", text) for text in rest)]


def _name_in(row: Sequence[str], mark: str) -> tuple[int, str]:
    """Return the name at the begin of cells, with the number of its cells.

    Between commas empty cells, dates and numbers end it. Of other columns, two with one capitalised
    word each are one name.

    >>> _name_in(["Meier", "jun."], ","), _name_in(["Anna", "16.10.2026"], ",")
    ((2, 'Meier, jun.'), (1, 'Anna'))
    >>> _name_in(["Ruth", "Shore", "yes"], ";"), _name_in(["Ruth Shore", "Bonn"], ";")
    ((2, 'Ruth Shore'), (1, 'Ruth Shore'))
    """
    if mark == ",":
        rests = ((cell, _contact(cell)[0]) for cell in row[1:])
        more = takewhile(lambda pair: pair[1] and not re.search(r"\d", pair[1]), rests)
        cells_of_name = [row[0], *(cell for cell, _rest in more)]
        return len(cells_of_name), ", ".join(cells_of_name)
    is_split = len(row) > 1 and all(cell.isalpha() and cell[0].isupper() for cell in row[:2])
    return 1 + is_split, " ".join(row[: 1 + is_split])


def _contact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without addresses, numbers and the labels before them, and those."""
    spaced = re.sub(r"\s*([<(\[]+)(?=(?:mailto:)?[^\s@<>]+@)", r" \1", text).replace("mailto:", "")
    name, contact = split_contact(spaced)
    if not contact:
        return text, ()
    if name.count("(") != name.count(")"):
        name = name.replace("(", "").replace(")", "")
        contact = tuple(part if ")" in part else part.lstrip("(") for part in contact)
    return _LABEL.sub("", name.rstrip()).strip(_QUOTES + ",;:-–"), contact


def _addresses(text: str) -> list[str]:
    _rest, contact = _contact(text.replace(",", " ").replace(";", " "))
    return [part for part in contact if "@" in part] or [text]


def _in_order(text: str) -> str:
    """Return the name of a column "Family name, first name" with the first name first."""
    words = text.split()
    if "," not in text and len(words) == 2:
        return " ".join(reversed(words))
    return one_person(text)


def _without_marks(text: str) -> tuple[str, list[LeftOut]]:
    """Return a text without the marks of lists and chats around it, and these.

    >>> _without_marks("✔️ 01) Ruth 👍🏽👍")
    ('Ruth', [('mark', '✔️ 01)'), ('mark', '👍🏽👍')])
    """
    begin = 0
    end = len(text)
    while begin < end:
        if match := _NUMBERED.match(text, begin):
            begin = match.end()
        elif _is_mark(text[begin], _LEADING):
            begin += 1
        else:
            break
    while end > begin:
        if match := _ANSWERED.search(text[begin:end]):
            end = begin + match.start()
        elif _is_mark(text[end - 1], _TRAILING):
            end -= 1
        else:
            break
    if begin == end:
        return one_line(text), []
    marks = [("mark", mark) for part in (text[:begin], text[end:]) if (mark := part.strip())]
    return text[begin:end], marks


def _is_mark(letter: str, marks: Collection[str]) -> bool:
    return letter in marks or unicodedata.category(letter) in _SYMBOLS
