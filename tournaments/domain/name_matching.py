"""Names of people, pairs, clubs and events: as stored, as compared, and nearly equal ones.

E-mail addresses and telephone numbers are kept out of names, which are public.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, Generic, TypeVar

from rapidfuzz import fuzz, process

from scoring.errors import Path, Problem

T = TypeVar("T")

LONGEST_NAME: Final = 120

LONGEST_ADDRESS: Final = 254
"""Letters of an e-mail address (RFC 5321); a longer word is none, and too long for a name."""

FOLDERS: Final = frozenset({".", ".."})
"""Ids that no address can hold: browsers take them for folders and leave them out."""

MOST_NEAR: Final = 6
"""Similar names that are looked for."""

MOST_SUGGESTED: Final = 20
"""Unknown names of one list, file or request for which similar names are looked for."""

LETTERS_COMPARED: Final = 64
"""Letters of a name that are compared: as many as fit one machine word of `fuzz.ratio`."""

NAMES_COMPARED: Final = 10_000
"""Names that one name is compared with, the first ones."""

ALIKE: Final = 0.86
"""Nearly the same; `Nadia D.` and `Nadiia D.` have 0.94, `Anna K.` and `Hanna K.` 0.93."""

MOST_ALIKE: Final = 100
"""Names at least so alike that are looked at for different initials."""

INITIALS_COMPARED: Final = 1_000
"""Names with the same initials that are compared word by word."""

_SHORT_FORM: Final = 0.99
"""Likeness of a name and its short form, as `Nadia Dorn` and `Nadia D.`"""

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

_IN_TWO: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
"""Letters that may be written as two."""

_UMLAUT: Final = re.compile(r"[äöüøå](?=\w)|(?<=\w)[äöüøå]")
"""The same beside another letter; as an initial they are written as one."""

_NUMBER: Final = re.compile(r"\d+")


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
    has_more_than_marks = any(unicodedata.category(letter)[0] in "LNPS" for letter in visible)
    if not has_more_than_marks:
        return ""
    return visible


def _is_hidden(text: str, at: int) -> bool:
    letter = text[at]
    if letter in _JOINERS:
        before = text[at - 1 : at]
        after = text[at + 1 : at + 2]
        return not (_is_joined(before) and _is_joined(after))
    if letter in _BLANK:
        return True
    return unicodedata.category(letter) == "Cf" and letter not in _SIGNS


def _is_joined(letter: str) -> bool:
    """Whether a joiner beside this letter does something; "" is the end of the text."""
    if not letter or ord(letter) < _JOINING or letter in _BLANK:
        return False
    return unicodedata.category(letter)[0] in "LMS"


def one_line(text: str) -> str:
    """Return a name as it is stored: composed letters, single blanks, no invisible characters.

    It is "" if nothing visible is in it.

    >>> one_line("  Jo\\u0308rg \\t S. "), one_line("\\u202eAnn\\u2066")
    ('Jörg S.', 'Ann')
    """
    composed = unicodedata.normalize("NFC", without_hidden(text))
    # Tabs and line breaks are blanks first: what is left of the control characters is nothing.
    words = " ".join(composed.split())
    return " ".join(_CONTROL.sub("", words).split())


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
    texts = dict.fromkeys((_in_two(small), small))
    return tuple(_given_name_first(_without_accents(text)) or one_line(name) for text in texts)


def in_plain_letters(name: str) -> str:
    """Return a name as an address would have it: small, ä as ae, and other accents left out.

    >>> in_plain_letters("Köln-Süd"), in_plain_letters("Ärzte"), in_plain_letters("Łódź")
    ('koeln-sued', 'aerzte', 'lodz')
    """
    return _without_accents(_in_two(_small_letters(name)))


def sort_key(name: str) -> str:
    """Return the key by which lists of people are sorted: ä is a, as in a dictionary.

    >>> sorted(["Zoe", "Özlem", "olga", "Łukasz", "Oskar", "Mia"], key=sort_key)
    ['Łukasz', 'Mia', 'olga', 'Oskar', 'Özlem', 'Zoe']
    """
    key = _without_accents(_small_letters(name)) or one_line(name)
    return key[:LONGEST_NAME].rstrip()


def _small_letters(name: str) -> str:
    """Return a name without case, apostrophes, doubled blanks and hidden letters."""
    if name.isascii():
        text = name.casefold().replace("'", "").replace("`", "")
    else:
        visible = without_hidden(name.translate(_SAME))
        text = unicodedata.normalize("NFKC", visible).casefold()
        # Both steps may make letters that the steps before them change.
        text = unicodedata.normalize("NFKC", text).translate(_SAME)
    return " ".join(text.split())


def _in_two(small: str) -> str:
    """Return small letters with ä as ae; a letter alone stays, for it is no word's."""
    return _UMLAUT.sub(lambda match: _IN_TWO[match[0]], small)


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    plain = _ACCENT.sub("", unicodedata.normalize("NFKD", text)).translate(_PLAIN)
    return " ".join(unicodedata.normalize("NFC", plain).split())


def _given_name_first(text: str) -> str:
    """Return “smith, jo” as “jo smith”; more commas may separate several people, and stay."""
    if "," not in text:
        return text
    parts = comma_parts(text)
    if not parts:
        return text  # nothing but commas
    if len(parts) == 2:
        family_name, given_name = parts
        return f"{given_name} {family_name}"
    return ", ".join(parts)


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
    words_by_spelling = [spelling.split() for spelling in spellings(text)]
    words = zip(*words_by_spelling, strict=True)
    return [tuple(dict.fromkeys(word_spellings)) for word_spellings in words]


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
    has_digit = any(letter.isdigit() for letter in text)
    if has_digit and player_id.casefold().startswith(text.strip().casefold()):
        return True
    ways = [way for name in names for way in spellings(name)]
    return each_begins(words_of(text), ways)


_SUFFIXES: Final = frozenset({"jr", "jr.", "sr", "sr.", "ii", "iii", "iv"})
"""Suffixes after a comma in the name of one person."""


def comma_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a name between its commas; one part if it names one person.

    >>> comma_parts("Smith, John"), comma_parts("Sammy Davis, Jr."), comma_parts("Holm,")
    (('Smith', 'John'), ('Sammy Davis Jr.',), ('Holm',))
    """
    parts: list[str] = []
    for piece in text.split(","):
        part = one_line(piece)
        if not part:
            continue
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
    person = ""
    if len(parts) == 2:
        person = one_person(name)
    return Problem("one_or_several_people", at, {"found": name, "one": person, "n": len(parts)})


def listed_people(names: Sequence[str], last: str = "and") -> str:
    """Return names joined by separators that occur in no name: never commas.

    >>> listed_people(["Smith, John", "Anna"]), listed_people(["A", "B", "C"]), listed_people([])
    ('Smith, John and Anna', 'A · B · C', '')
    """
    if len(names) == 2:
        return f" {last} ".join(names)
    return " · ".join(names)


def near_names(
    name: str, names: Collection[str], alike: float, most: int = MOST_NEAR
) -> dict[str, float]:
    """Return the names most like `name`, each with its likeness from `alike` to 1, best first.

    The likeness is twice the number of letters that both have in this order, divided by the
    letters of both (1 minus the normalised Indel distance). Fold the names before.

    >>> near_names("nadiia d.", ["nadia d.", "bert", "nadja d."], 0.8)
    {'nadia d.': 0.94, 'nadja d.': 0.82}
    """
    compared = tuple(names)[:NAMES_COMPARED]
    near = process.extract(
        name[:LETTERS_COMPARED],
        [other[:LETTERS_COMPARED] for other in compared],
        scorer=fuzz.ratio,
        score_cutoff=100 * alike,
        limit=most,
    )
    return {compared[at]: round(score / 100, 2) for _letters, score, at in near}


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
        people = _once(self._written, [as_written(name)])
        if people:
            return people
        return _once(self._spelled, spellings(name))

    def near(self, name: str, alike: float, most: int = MOST_NEAR) -> Sequence[T]:
        return _once(self._spelled, near_names(folded(name), self._spelled, alike, most=most))

    def beginning(self, text: str) -> Sequence[T]:
        beginnings = spellings(text)
        return _once(self._spelled, [way for way in self._spelled if way.startswith(beginnings)])


def _once(people: Mapping[str, Sequence[T]], names: Iterable[str]) -> Sequence[T]:
    """Return the people of these names, each once; they need no hash."""
    by_identity: dict[int, T] = {}
    for name in names:
        for person in people.get(name, ()):
            by_identity[id(person)] = person
    return list(by_identity.values())


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
        self._folded = {key: folded(name) for key, name in names.items()}
        self._keys: dict[str, list[int]] = {}
        # The names of a group are the keys of a dictionary: each once, in order.
        self._groups: dict[tuple[str, ...], dict[str, None]] = {}
        for key, name in self._folded.items():
            self._keys.setdefault(name, []).append(key)
            for group in _groups(name):
                self._groups.setdefault(group, {})[name] = None

    def like(self, key: int) -> Mapping[int, float]:
        """Return the keys of the names most like that of `key`, each with its likeness."""
        name = self._folded[key]
        likenesses = {name: 1.0}
        *letter_groups, initials_group = _groups(name)
        for group in letter_groups:
            near = near_names(name, self._groups[group], ALIKE, most=MOST_ALIKE)
            for other, likeness in near.items():
                if not _differ(name, other):
                    likenesses[other] = likeness
        for other in islice(self._groups[initials_group], INITIALS_COMPARED):
            if other != name and _are_short_for(name, other):
                likenesses[other] = _SHORT_FORM

        best = sorted(likenesses, key=lambda other: -likenesses[other])
        near_keys: dict[int, float] = {}
        # The name itself is one of the best, for the other keys that have it.
        for other in best[: MOST_NEAR + 1]:
            for other_key in self._keys[other]:
                if other_key != key:
                    near_keys[other_key] = likenesses[other]
        return dict(islice(near_keys.items(), MOST_NEAR))


def _groups(name: str) -> list[tuple[str, ...]]:
    """Return in which groups a name is compared; the last is that of its initials."""
    numbers = _NUMBER.findall(name)
    initials = [word[:1] for word in _words(name)]
    letters = dict.fromkeys((initials[0], initials[-1]))
    groups = [("letter", letter, *numbers) for letter in letters]
    groups.append(("initials", *initials, *numbers))
    return groups


def _words(name: str) -> list[str]:
    return name.replace(".", "").split() or [name]


def _differ(name: str, other: str) -> bool:
    """Whether two names of as many words have different initials in the same place."""
    words, other_words = _words(name), _words(other)
    if len(words) == 1 or len(words) != len(other_words):
        return False
    for word, other_word in zip(words, other_words, strict=True):
        if len(word) == 1 and len(other_word) == 1 and word != other_word:
            return True
    return False


def _are_short_for(name: str, other: str) -> bool:
    """Whether each word of a name is the other's or its initial, in either direction.

    Both names have the same initials, and so as many words.
    """
    words, other_words = _words(name), _words(other)
    if len(words) == 1:
        return False
    for word, other_word in zip(words, other_words, strict=True):
        is_initial = 1 in (len(word), len(other_word)) and word[0] == other_word[0]
        if word != other_word and not is_initial:
            return False
    return True


def name_problems(name: str, longest: int = LONGEST_NAME) -> list[Problem]:
    """Return what is wrong with the name of a club, event or player: missing or too long."""
    if not name:
        return [Problem("no_name", ("name",))]
    if len(name) > longest:
        return [Problem("name_too_long", ("name",), {"found": len(name), "expected": longest})]
    return []


_MAIL: Final = re.compile(r"[^@]+@[^@]+\.[^@]+")
_DATE: Final = r"(?!\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?!\d))"
_TELEPHONE: Final = re.compile(rf"(?<!\w){_DATE}[+(]{{0,2}}\d(?:[ ()/.-]{{0,2}}\d){{6,}}")
"""At least seven digits; a date is none."""


def split_contact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without e-mail addresses and telephone numbers, and those that it had.

    >>> split_contact("Christa Green <christa@example.org>")
    ('Christa Green', ('christa@example.org',))
    >>> split_contact("Ella Moss, +49 (170) 123-4567"), split_contact("Guest 2026-10-16")
    (('Ella Moss', ('+49 (170) 123-4567',)), ('Guest 2026-10-16', ()))
    """
    words = text.split()
    # The keys of a dictionary: each address once, in order.
    addresses: dict[str, None] = {}
    for word in words:
        if len(word) <= LONGEST_ADDRESS and _MAIL.fullmatch(word):
            addresses[word] = None
    rest = " ".join(word for word in words if word not in addresses)
    numbers = [match[0] for match in _TELEPHONE.finditer(rest)]
    if not addresses and not numbers:
        return text, ()

    for number in numbers:
        rest = rest.replace(number, " ")
    name = " ".join(rest.split()).rstrip(" ,;:")
    contact = [address.strip("<>()[],;") for address in addresses]
    return name, (*contact, *numbers)


def player_name_problems(name: str) -> list[Problem]:
    """Return what is wrong with the name of a player, which must have no address or number."""
    _name, contact = split_contact(name)
    if contact:
        return [Problem("contact_in_name", ("name",), {"found": name[:LONGEST_NAME]})]
    return name_problems(name)
