"""Names of people, pairs, clubs and events: as stored, as compared, and nearly equal ones.

E-mail addresses and telephone numbers are kept out of names, which are public.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Final, Generic, TypeVar

from rapidfuzz import fuzz, process

from scoring.errors import Path, Problem

T = TypeVar("T")

_JOINERS: Final = "\u200c\u200d"
"""Between two letters they choose how these are written, in Arabic and the scripts of India."""
_JOINING: Final = 0x0600
"""Scripts that need joiners begin here; between Latin letters a joiner only makes a name look like
another one."""
_SIGNS: Final = (
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
"""Format characters (category Cf) that are signs to be seen."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_BLANK: Final = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters, marks and a symbol by their category that nobody sees."""

_SAME: Final = str.maketrans(dict.fromkeys("'’‘‛ʼʻʹʾʿ`´′＇", None) | dict.fromkeys("‐‑‒–—−", "-"))
"""Apostrophes, which phones and people write in many ways or not at all, and hyphens."""

_PLAIN: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŋ": "n"}
)
"""Letters of Latin alphabets that no accent can be taken off."""

_ACCENT: Final = re.compile(r"[\u0300-\u036f]")
"""Marks of Latin, Greek and Cyrillic letters; those of other scripts make another letter."""

MOST_NEAR: Final = 6
"""Similar names that are looked for."""

MOST_SUGGESTED: Final = 20
"""Unknown names of one list, file or request for which similar names are looked for."""

LONGEST_NAME: Final = 120

FOLDERS: Final = frozenset({".", ".."})
"""Ids that no address can hold: browsers take them for folders and leave them out."""


def without_hidden(text: str) -> str:
    """Return a text without invisible characters, "" if only those and marks are in it.

    Some of them turn the direction of the text after them; others make names differ that look the
    same. Control characters and blanks stay: they separate words.

    >>> without_hidden("A\\u200bnn\\u3164"), without_hidden("\\u0301\\u2060")
    ('Ann', '')
    >>> without_hidden("👩‍🎓")
    '👩\\u200d🎓'
    """
    if text.isascii():
        return text
    visible = "".join(letter for at, letter in enumerate(text) if not _is_hidden(text, at))
    return visible if any(unicodedata.category(letter)[0] in "LNPS" for letter in visible) else ""


def _is_hidden(text: str, at: int) -> bool:
    letter = text[at]
    if letter in _JOINERS:
        return not (_is_joined(text[at - 1 : at]) and _is_joined(text[at + 1 : at + 2]))
    is_format = unicodedata.category(letter) == "Cf" and letter not in _SIGNS
    return is_format or letter in _BLANK


def _is_joined(letter: str) -> bool:
    if not letter or ord(letter) < _JOINING or letter in _BLANK:
        return False
    return unicodedata.category(letter)[0] in "LMS"


def one_line(text: str) -> str:
    """Return a name as it is stored: composed letters, single blanks, no invisible characters.

    It is "" if nothing visible is in it.

    >>> one_line("  Jo\\u0308rg \\t S. "), one_line("\\u202eAnn\\u2066")
    ('Jörg S.', 'Ann')
    """
    words = " ".join(unicodedata.normalize("NFC", without_hidden(text)).split())
    return " ".join(_CONTROL.sub("", words).split())


_IN_TWO: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
_UMLAUT: Final = re.compile(r"[äöüøå](?=\w)|(?<=\w)[äöüøå]")
"""Letters that are written as two; as an initial they are one."""


def folded(name: str) -> str:
    """Return a name for comparing: two spellings of one name have the same.

    It has no case, accents, apostrophes, doubled blanks or hidden letters, ä is ae, and the family
    name after a comma comes last.

    >>> folded("Müller,  Łukasz") == folded("lukasz MUELLER"), folded("O’Neill"), folded("Strauß")
    (True, 'oneill', 'strauss')
    """
    return spellings(name)[0]


def spellings(name: str) -> tuple[str, ...]:
    """Return the ways to write a name without accents, the first as `folded` has it.

    >>> spellings("Jörg Müller"), spellings("Joerg"), spellings("Łukasz")
    (('joerg mueller', 'jorg muller'), ('joerg',), ('lukasz',))
    """
    small = _small_letters(name)
    if small.isascii():
        return (_given_name_first(small) or one_line(name),)
    texts = dict.fromkeys((_UMLAUT.sub(lambda match: _IN_TWO[match[0]], small), small))
    return tuple(_given_name_first(_without_accents(text)) or one_line(name) for text in texts)


def sort_key(name: str) -> str:
    """Return the key by which lists of people are sorted: ä is a, as in a dictionary.

    >>> sorted(["Zoe", "Özlem", "olga", "Łukasz", "Oskar", "Mia"], key=sort_key)
    ['Łukasz', 'Mia', 'olga', 'Oskar', 'Özlem', 'Zoe']
    """
    return (_without_accents(_small_letters(name)) or one_line(name))[:LONGEST_NAME].rstrip()


def _small_letters(name: str) -> str:
    if name.isascii():
        return " ".join(name.casefold().replace("'", "").replace("`", "").split())
    text = unicodedata.normalize("NFKC", without_hidden(name.translate(_SAME))).casefold()
    return " ".join(unicodedata.normalize("NFKC", text).translate(_SAME).split())


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    plain = _ACCENT.sub("", unicodedata.normalize("NFKD", text)).translate(_PLAIN)
    return " ".join(unicodedata.normalize("NFC", plain).split())


def _given_name_first(text: str) -> str:
    parts = comma_parts(text) if "," in text else (text,)
    if len(parts) == 2:
        return " ".join(reversed(parts))
    return ", ".join(parts) or text


def is_same_name(name: str, other: str) -> bool:
    """Whether two texts may be spellings of one name.

    >>> is_same_name("Müller", "Muller"), is_same_name("Muller", "Mueller")
    (True, False)
    """
    return not set(spellings(name)).isdisjoint(spellings(other))


def as_written(name: str) -> str:
    """Return a name without case and doubled blanks, but with its accents and in its order."""
    return " ".join(unicodedata.normalize("NFC", without_hidden(name)).casefold().split())


def words_of(text: str) -> list[tuple[str, ...]]:
    """Return the words of a text to search for, each with its spellings.

    >>> words_of("  Jörg  S.")
    [('joerg', 'jorg'), ('s.',)]
    """
    words = zip(*map(str.split, spellings(text)), strict=True)
    return [tuple(dict.fromkeys(ways)) for ways in words]


def each_begins(words: Iterable[tuple[str, ...]], ways: Iterable[str]) -> bool:
    """Whether each of `words`, as `words_of` has them, begins a word of `ways` (`spellings`).

    >>> each_begins(words_of("smi jö"), spellings("Joerg Smith"))
    True
    >>> each_begins(words_of("mith"), spellings("Smith"))
    False
    """
    parts = " ".join(ways).split()
    return all(any(part.startswith(word) for part in parts) for word in words)


def finds_player(text: str, player_id: str, *names: str) -> bool:
    """Whether a search text begins words of a player's names, or the id where it has a digit.

    >>> finds_player("ga jö", "RL24", "Jörg S.", "Gadget"), finds_player("rl2", "RL24", "Jörg S.")
    (True, True)
    """
    is_id = any(letter.isdigit() for letter in text)
    begins_id = is_id and player_id.casefold().startswith(text.strip().casefold())
    return begins_id or each_begins(words_of(text), chain.from_iterable(map(spellings, names)))


_SUFFIXES: Final = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv"})
"""Suffixes after a comma in the name of one person."""


def comma_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a name between its commas; one part if it names one person.

    >>> comma_parts("Smith, John"), comma_parts("Sammy Davis, Jr."), comma_parts("Holm,")
    (('Smith', 'John'), ('Sammy Davis Jr.',), ('Holm',))
    """
    parts: list[str] = []
    for part in filter(None, (one_line(piece) for piece in text.split(","))):
        if parts and part.casefold() in _SUFFIXES:
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return tuple(parts)


def one_person(text: str) -> str:
    """Return the name of the one person that a text with a comma may mean, last name at the end.

    >>> one_person("Smith, John"), one_person("Anna  K.")
    ('John Smith', 'Anna K.')
    """
    parts = comma_parts(text)
    return " ".join((*parts[1:], *parts[:1]))


def comma_problem(name: str, at: Path) -> Problem | None:
    """Return the question about a name with a comma: is it one person, or several?

    With two commas or more they are several, and `one` is empty.

    >>> comma_problem("Smith, John", ()).facts
    {'found': 'Smith, John', 'one': 'John Smith', 'n': 2}
    >>> comma_problem("Ann, Bo, Cy", ()).facts
    {'found': 'Ann, Bo, Cy', 'one': '', 'n': 3}
    """
    parts = comma_parts(name)
    if len(parts) < 2:
        return None
    person = one_person(name) if len(parts) == 2 else ""
    return Problem("one_or_several_people", at, {"found": name, "one": person, "n": len(parts)})


def listed_people(names: Sequence[str], last: str = "and") -> str:
    """Return names joined by separators that occur in no name: never commas.

    >>> listed_people(["Smith, John", "Anna"]), listed_people(["A", "B", "C"]), listed_people([])
    ('Smith, John and Anna', 'A · B · C', '')
    """
    if len(names) == 2:
        return f" {last} ".join(names)
    return " · ".join(names)


LETTERS_COMPARED: Final = 64
"""Letters of a name that are compared: as many as fit one machine word of `fuzz.ratio`."""
NAMES_COMPARED: Final = 10_000
"""Names that one name is compared with, the first ones."""


def near_names(
    name: str, names: Collection[str], alike: float, most: int = MOST_NEAR
) -> dict[str, float]:
    """Return the names most like `name`, each with its likeness from `alike` to 1, best first.

    The likeness is twice the number of letters that both have in this order, divided by the
    letters of both (1 minus the normalised Indel distance). Fold the names before.

    >>> near_names("nadiia d.", ["nadia d.", "bert", "nadja d."], 0.8)
    {'nadia d.': 0.94, 'nadja d.': 0.82}
    """
    listed = tuple(names)[:NAMES_COMPARED]
    near = process.extract(
        name[:LETTERS_COMPARED],
        [other[:LETTERS_COMPARED] for other in listed],
        scorer=fuzz.ratio,
        score_cutoff=100 * alike,
        limit=most,
    )
    return {listed[at]: round(score / 100, 2) for _letters, score, at in near}


class NameIndex(Generic[T]):
    """People by name: those written so, else those whose name may be spelled so.

    >>> people = NameIndex([("Anna Müller", 1), ("Anna Muller", 2), ("Pat O’Neill", 3)])
    >>> people.get("anna  MÜLLER"), people.get("Mueller, Anna"), people.get("Pat ONeill")
    ([1], [1], [3])
    >>> people.get("Anna Miller"), people.near("Anna Miller", 0.8, most=1), people.beginning("pat")
    ([], [1, 2], [3])
    """

    def __init__(self, named: Iterable[tuple[str, T]] = ()) -> None:
        self._written: dict[str, list[T]] = {}
        self._spelled: dict[str, list[T]] = {}
        for name, person in named:
            self.add(name, person)

    def add(self, name: str, person: T) -> None:
        self._written.setdefault(as_written(name), []).append(person)
        for way in spellings(name):
            self._spelled.setdefault(way, []).append(person)

    def get(self, name: str) -> Sequence[T]:
        return _once(self._written, [as_written(name)]) or _once(self._spelled, spellings(name))

    def near(self, name: str, alike: float, most: int = MOST_NEAR) -> Sequence[T]:
        return _once(self._spelled, near_names(folded(name), self._spelled, alike, most))

    def beginning(self, text: str) -> Sequence[T]:
        ways = spellings(text)
        return _once(self._spelled, (way for way in self._spelled if way.startswith(ways)))


def _once(people: Mapping[str, Sequence[T]], names: Iterable[str]) -> Sequence[T]:
    """Return the people of these names, each once; they need no hash."""
    return list({id(person): person for name in names for person in people.get(name, ())}.values())


ALIKE: Final = 0.86
"""Nearly the same; `Nadia D.` and `Nadiia D.` have 0.94, `Anna K.` and `Hanna K.` 0.93."""

MOST_ALIKE: Final = 100
"""Names at least so alike that are looked at for different initials."""
INITIALS_COMPARED: Final = 1_000
"""Names with the same initials that are compared word by word."""
_NUMBER: Final = re.compile(r"\d+")


class SimilarNames:
    """Names of people by key, to find those that may be names of one person.

    A name is compared with those that begin with the same letter, or whose last word does. An
    initial matches each word that begins with it. Two different initials are two people, and so
    are two different numbers (Player 12, Player 13).

    >>> names = SimilarNames({1: "Nadia D.", 2: "nadiia  d.", 3: "Bert", 4: "D., Nadia"})
    >>> names.like(1), names.like(2), names.like(3)
    ({4: 1.0, 2: 0.94}, {1: 0.94, 4: 0.94}, {})
    >>> SimilarNames({1: "Guest 12", 2: "Guest 13"}).like(1)
    {}
    """

    def __init__(self, names: Mapping[int, str]) -> None:
        self._letters = {key: folded(name) for key, name in names.items()}
        self._keys: dict[str, list[int]] = {}
        self._groups: dict[tuple[str, ...], dict[str, None]] = {}
        for key, letters in self._letters.items():
            self._keys.setdefault(letters, []).append(key)
            for group in _groups(letters):
                self._groups.setdefault(group, {})[letters] = None

    def like(self, key: int) -> Mapping[int, float]:
        """Return the keys of the names most like that of `key`, each with its likeness."""
        name = self._letters[key]
        likenesses = {name: 1.0}
        *by_letter, by_initials = (self._groups[group] for group in _groups(name))
        for names in by_letter:
            near = near_names(name, names, ALIKE, MOST_ALIKE)
            likenesses |= {other: near[other] for other in near if not _differ(name, other)}
        for other in islice(by_initials, INITIALS_COMPARED):
            if other != name and _are_short_for(name, other):
                likenesses[other] = 0.99
        best = sorted(likenesses, key=lambda other: -likenesses[other])
        keys = [other for letters in best[: MOST_NEAR + 1] for other in self._keys[letters]]
        near_keys = [other for other in keys if other != key][:MOST_NEAR]
        return {other: likenesses[self._letters[other]] for other in near_keys}


def _groups(name: str) -> list[tuple[str, ...]]:
    """Return in which groups a name is compared; the last is that of its initials."""
    words = _words(name)
    numbers = _NUMBER.findall(name)
    initials = [word[:1] for word in words]
    letters = dict.fromkeys(initials[:1] + initials[-1:])
    return [
        *(("letter", letter, *numbers) for letter in letters),
        ("initials", *initials, *numbers),
    ]


def _words(name: str) -> list[str]:
    return name.replace(".", "").split() or [name]


def _differ(name: str, other: str) -> bool:
    """Whether two names have different initials in the same place."""
    words, other_words = _words(name), _words(other)
    is_comparable = len(words) == len(other_words) > 1
    return is_comparable and any(
        len(a) == len(b) == 1 and a != b for a, b in zip(words, other_words, strict=True)
    )


def _are_short_for(name: str, other: str) -> bool:
    """Whether each word of a name is the other's or its initial, in either direction."""
    words, other_words = _words(name), _words(other)
    return len(words) > 1 and all(
        a == b or (1 in (len(a), len(b)) and a[0] == b[0])
        for a, b in zip(words, other_words, strict=True)
    )


def name_problems(name: str, longest: int = LONGEST_NAME) -> list[Problem]:
    """Return what is wrong with the name of a club, event or player: missing or too long."""
    if not name:
        return [Problem("no_name", ("name",))]
    if len(name) > longest:
        return [Problem("name_too_long", ("name",), {"found": len(name), "expected": longest})]
    return []


_MAIL: Final = re.compile(r"[^@]+@[^@]+\.[^@]+")
LONGEST_ADDRESS: Final = 254
"""Letters of an e-mail address (RFC 5321); a longer word is none, and too long for a name."""
_DATE: Final = r"(?!\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?!\d))"
_TELEPHONE: Final = re.compile(rf"(?<!\w){_DATE}[+(]{{0,2}}\d(?:[ ()/.-]{{0,2}}\d){{6,}}")
"""At least seven digits; a date is none."""


def split_contact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without addresses and numbers, and those that it had.

    >>> split_contact("Christa Green <christa@example.org>")
    ('Christa Green', ('christa@example.org',))
    >>> split_contact("Ella Moss, +49 (170) 123-4567"), split_contact("Guest 2026-10-16")
    (('Ella Moss', ('+49 (170) 123-4567',)), ('Guest 2026-10-16', ()))
    """
    words = text.split()
    addresses = {
        word: None for word in words if len(word) <= LONGEST_ADDRESS and _MAIL.fullmatch(word)
    }
    rest = " ".join(word for word in words if word not in addresses)
    numbers = [match[0] for match in _TELEPHONE.finditer(rest)]
    for number in numbers:
        rest = rest.replace(number, " ")
    if not addresses and not numbers:
        return text, ()
    contact = (*(address.strip("<>()[],;") for address in addresses), *numbers)
    return " ".join(rest.split()).rstrip(" ,;:"), contact


def player_name_problems(name: str) -> list[Problem]:
    """Return what is wrong with the name of a player, which must have no address or number."""
    if split_contact(name)[1]:
        return [Problem("contact_in_name", ("name",), {"found": name[:LONGEST_NAME]})]
    return name_problems(name)
