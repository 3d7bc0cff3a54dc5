"""Who is meant by a name or an id: the one judge of lists, files and typed names.

A whole name, a nickname and an id are a member. What is short for the name of one member only (its
beginning, its words in another order, initials) is likely that member, and is asked. Several are a
choice. docs/for-secretaries.md has these rules for people who run clubs.
"""

import re
import sys
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from heapq import nsmallest
from typing import Final, Generic, TypeVar

from tournaments.domain.name_matching import (
    MOST_NEAR,
    NameIndex,
    folded,
    is_same_name,
    spellings,
)

LEAST_LETTERS: Final = 2
"""A single letter is a choice, even where only one name begins with it."""

MOST_COMPARED: Final = 64
"""Names that are compared word by word with one text; if more fit, it may be any of them."""

MOST_WORDS: Final = 12
"""Words of a text or a name that are compared; a longer text is no name."""

INITIALS: Final = range(2, 5)
"""Capitals in a row that may be the initials of a name: AT of Ann Tarn."""

ANSWERED: Final = sys.maxsize
"""The `newest` of an answer about the file that is being read: nobody is newer."""

LAST: Final = "\U0010ffff"
"""No letter is sorted after it."""

_BETWEEN_WORDS: Final = re.compile(r"[\s.\-]+")

T = TypeVar("T")

Word = tuple[str, ...]
"""A word with its spellings: jörg is joerg or jorg."""


class Verdict(StrEnum):
    MEMBER = "member"
    LIKELY = "likely"
    """Short for the name of one member: a person says yes, or who else it is."""
    SEVERAL = "several"
    OTHER_NAME = "other_name"
    """The id is a member's, the name is not theirs."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Alias:
    """A name by which files of a club call a member, as somebody answered on a day.

    `key` is the member's. A host's answer is not `is_confirmed`: it is a proposal. `newest` is the
    highest key of the members at that time: who came later may be meant as well.
    """

    name: str
    key: int
    day: date
    is_confirmed: bool = True
    newest: int = 0
    is_noted: bool = True
    """Whether the report of a file says that it was read by it."""


@dataclass(frozen=True, slots=True)
class Judged(Generic[T]):
    """A verdict with the members whom it is about; of a `MEMBER` by an alias with that `alias`."""

    verdict: Verdict
    people: tuple[T, ...] = ()
    alias: Alias | None = None
    is_whole: bool = False
    """Whether a whole name, a nickname or an alias is theirs."""

    @property
    def member(self) -> T | None:
        return self.people[0] if self.verdict == Verdict.MEMBER else None

    @property
    def likely(self) -> T | None:
        return self.people[0] if self.verdict == Verdict.LIKELY else None


@dataclass(slots=True, eq=False)
class _Name:
    """One name of a member: the words of it, and whose it is."""

    key: Hashable
    text: str
    words: tuple[Word, ...]
    is_of_nickname: bool = False
    """Whether it is the nickname before the name; files shorten it, nobody types its beginning."""


class Judge(Generic[T]):
    """Knows the members of a club by id, by name, and by what their names are shortened to.

    >>> judge = Judge[str]()
    >>> judge.add("Ann Tarn", key=1, player_id="RL01", name="Ann Tarn", nickname="Tarnish")
    >>> judge.add("Otto Dove", key=2, player_id="RL02", name="Otto Dove")
    >>> for text in ("TARN, Ann", "tarnish", "A. Tarn", "Tarn Ann", "Tarnish Tarn", "Bert"):
    ...     print(judge.judge(text).verdict, *judge.judge(text).people)
    member Ann Tarn
    member Ann Tarn
    likely Ann Tarn
    likely Ann Tarn
    likely Ann Tarn
    unknown
    """

    def __init__(self) -> None:
        self._people: dict[Hashable, T] = {}
        self._by_id: dict[str, Hashable] = {}
        self._offered: NameIndex[_Name] = NameIndex()
        self._not_offered: NameIndex[_Name] = NameIndex()
        self._by_letters: dict[str, list[_Name]] = {}
        self._aliases: NameIndex[Alias] = NameIndex()
        self._names: list[_Name] = []
        self._names_of: dict[Hashable, list[_Name]] = {}
        self._words: list[tuple[str, int]] = []
        self._starting: dict[str, frozenset[int]] = {}

    def add(
        self,
        person: T,
        *,
        key: Hashable,
        player_id: str,
        name: str,
        nickname: str = "",
        is_offered: bool = True,
    ) -> None:
        """Add a member, or another id and name of the member with this `key`.

        Of a merged player the one who has the records is added first. Who is not `is_offered` is
        found by an id and a whole name only.
        """
        self._people.setdefault(key, person)
        self._by_id.setdefault(player_id.casefold(), key)
        self._add_name(key, name, is_offered=is_offered)
        if nickname:
            self._add_name(key, nickname, is_offered=False)
        if nickname and is_offered:
            text = f"{nickname} {name}"
            combined = _Name(key, text, _words(text), is_of_nickname=True)
            self._names_of[key].append(combined)
            self._add_words(combined)

    def add_id(self, player_id: str, key: Hashable) -> None:
        """Add a former id of a member, unless somebody else has it."""
        self._by_id.setdefault(player_id.casefold(), key)

    def add_alias(self, alias: Alias) -> None:
        if alias.key in self._people:
            self._aliases.add(alias.name, alias)

    def replace(self, key: Hashable, stored_key: Hashable, person: T, *, player_id: str) -> None:
        """Give a member who was added without a row the key of the stored row."""
        del self._people[key]
        self._people[stored_key] = person
        self._by_id[player_id.casefold()] = stored_key
        names = self._names_of.pop(key)
        self._names_of[stored_key] = names
        for name in names:
            name.key = stored_key

    def with_id(self, player_id: str) -> T | None:
        key = self._by_id.get(player_id.casefold())
        return self._people[key] if key is not None else None

    def judge(self, name: str, player_id: str = "") -> Judged[T]:
        """Return who is meant by a name, by an id, or by both."""
        if player_id:
            return self._judge_id(name, player_id)
        judged = self.whole(name)
        if judged.verdict != Verdict.UNKNOWN:
            return judged
        return self._judge_short(name)

    def whole(self, name: str) -> Judged[T]:
        """Return who is meant by a whole name, a nickname or an alias; else `UNKNOWN`."""
        keys = self._keys_called(name)
        aliases = [alias for alias in self._aliases.get(name) if alias.is_confirmed]
        if not keys and len(aliases) == 1:
            (alias,) = aliases
            newer = self._newer(alias)
            if newer:
                return self._choice((alias.key, *newer))
            return Judged(Verdict.MEMBER, (self._people[alias.key],), alias, is_whole=True)
        # A member of that name came after the alias: it may be either.
        keys += [alias.key for alias in aliases]
        return replace(self._choice(keys, Verdict.MEMBER), is_whole=bool(keys))

    def called(self, name: str) -> tuple[T, ...]:
        """Return the members of whom this is the whole name or the nickname."""
        return self._choice(self._keys_called(name)).people

    def is_doubtful(self, name: str, player_id: str) -> bool:
        """Whether a name that was said to be a member's may be somebody else's by now.

        It is the whole name of others, or others came who may be meant since it was said.
        """
        key = self._by_id.get(player_id.casefold())
        aliases = self._aliases.get(name)
        if any(alias.key == key and alias.newest == ANSWERED for alias in aliases):
            return False
        called = self._keys_called(name)
        if called:
            return key not in called
        return any(self._newer(alias) for alias in aliases)

    def beginning(self, text: str) -> tuple[T, ...]:
        """Return the members whose names begin with a text, else those whose words do."""
        matches = [name for name in self._matches(_words(text)) if not name.is_of_nickname]
        starts = spellings(text)
        first = [name for name in matches if _starts(name, starts)]
        return self._choice(name.key for name in first or matches).people

    def near(self, name: str, alike: float, most: int = MOST_NEAR) -> tuple[T, ...]:
        """Return the offered members whose names are nearly the same, the most alike first."""
        return self._choice(found.key for found in self._offered.near(name, alike, most)).people

    def _judge_id(self, name: str, player_id: str) -> Judged[T]:
        key = self._by_id.get(player_id.casefold())
        if key is None:
            return Judged(Verdict.UNKNOWN)
        is_theirs = not name or self._is_name_of(key, name)
        return Judged(Verdict.MEMBER if is_theirs else Verdict.OTHER_NAME, (self._people[key],))

    def _is_name_of(self, key: Hashable, name: str) -> bool:
        if any(is_same_name(name, other.text) for other in self._names_of[key]):
            return True
        return any(alias.key == key and alias.is_confirmed for alias in self._aliases.get(name))

    def _judge_short(self, text: str) -> Judged[T]:
        proposed: list[Hashable] = [alias.key for alias in self._aliases.get(text)]
        keys = (*proposed, *(name.key for name in self._short_for(text)))
        judged = self._choice(keys, Verdict.LIKELY)
        if (
            judged.verdict == Verdict.LIKELY
            and len(letters_of(text)) < LEAST_LETTERS
            and not proposed
        ):
            return replace(judged, verdict=Verdict.SEVERAL)
        return judged

    def _short_for(self, text: str) -> Sequence[_Name]:
        """Return the names for which a text is likely short, those that fit it best."""
        if names := self._by_letters.get(letters_of(text)):
            return names
        words = _words(text)
        starts = spellings(text)
        matches = self._matches(words)
        tests: tuple[Callable[[_Name], bool], ...] = (
            lambda name: len(name.words) == len(words) and _are_whole(words, name.words),
            lambda name: _are_whole(words, name.words),  # Ann is Ann Tarn, not Anna Berg
            lambda name: _starts(name, starts),
        )
        for test in tests:
            if best := [name for name in matches if test(name)]:
                return best
        if not matches and text.isupper() and len(text) in INITIALS:
            matches = self._matches(_words(" ".join(text)))
        return matches or self._shortened_in(words)

    def _add_name(self, key: Hashable, text: str, *, is_offered: bool) -> None:
        name = _Name(key, text, _words(text))
        self._names_of.setdefault(key, []).append(name)
        if not is_offered:
            self._not_offered.add(text, name)
            return
        self._offered.add(text, name)
        self._by_letters.setdefault(letters_of(text), []).append(name)
        self._add_words(name)

    def _add_words(self, name: _Name) -> None:
        number = len(self._names)
        self._names.append(name)
        for word in {way for ways in name.words for way in ways}:
            insort(self._words, (word, number))
        self._starting.clear()

    def _keys_called(self, name: str) -> list[Hashable]:
        names = (*self._offered.get(name), *self._not_offered.get(name))
        return [found.key for found in names]

    def _choice(self, keys: Iterable[Hashable], of_one: Verdict = Verdict.SEVERAL) -> Judged[T]:
        """Return a verdict about members, each once: `of_one` where it is one."""
        people = tuple(self._people[key] for key in dict.fromkeys(keys))
        if not people:
            return Judged(Verdict.UNKNOWN)
        return Judged(of_one if len(people) == 1 else Verdict.SEVERAL, people)

    def _newer(self, alias: Alias) -> list[Hashable]:
        """Return members who came after an alias, and whose name has all its words."""
        words = _words(alias.name)
        return [
            name.key
            for name in self._matches(words)
            if isinstance(name.key, int)
            and (name.key > alias.newest or name.key < 0)
            and name.key != alias.key
            and _are_whole(words, name.words)
        ]

    # --- words ---------------------------------------------------------------------------

    def _matches(self, words: Sequence[Word]) -> list[_Name]:
        """Return the names of which each of `words` begins a word, each one of its own.

        Where they fit more than `MOST_COMPARED` names, those of whole words, or else the first.
        """
        if not words or len(words) > MOST_WORDS:
            return []
        numbers = self._with_words(words)
        if len(numbers) > MOST_COMPARED:
            numbers = self._with_words(words, is_whole=True) or numbers
        compared = [self._names[number] for number in nsmallest(MOST_COMPARED, numbers)]
        return [name for name in compared if begin_words(words, name.words)]

    def _with_words(self, words: Sequence[Word], *, is_whole: bool = False) -> frozenset[int]:
        sets = [self._with_word(word, is_whole=is_whole) for word in words]
        return frozenset.intersection(*sets)

    def _shortened_in(self, words: Sequence[Word]) -> list[_Name]:
        """Return the names that a longer text has all words of: Ann Tarn of Ann Maria Tarn."""
        if len(words) < 3 or len(words) > MOST_WORDS:
            return []
        counts = Counter(
            number for word in words for number in self._with_word(word, is_whole=True)
        )
        compared = [self._names[number] for number, n in sorted(counts.items()) if n > 1]
        return [
            name
            for name in compared[:MOST_COMPARED]
            if len(name.words) > 1 and begin_words(name.words, words)
        ]

    def _with_word(self, word: Word, *, is_whole: bool = False) -> frozenset[int]:
        """Return the names with a word that begins so, or with its initial alone (Ann T.)."""
        ways = set(word)
        numbers: frozenset[int] = frozenset()
        for way in ways:
            if is_whole or _has_digit(way):
                numbers |= self._between((way,), (way, len(self._names)))
            else:
                numbers |= self._starting_with(way)
        for initial in {way[0] for way in ways}:
            numbers |= self._between((initial,), (initial, len(self._names)))
        return numbers

    def _starting_with(self, way: str) -> frozenset[int]:
        numbers = self._starting.get(way)
        if numbers is None:
            numbers = self._between((way,), (way + LAST,))
            if len(numbers) > MOST_COMPARED:
                self._starting[way] = numbers
        return numbers

    def _between(self, first: tuple[object, ...], end: tuple[object, ...]) -> frozenset[int]:
        at = bisect_left(self._words, first)
        to = bisect_left(self._words, end)
        return frozenset(number for _word, number in self._words[at:to])


def begin_words(words: Sequence[Word], name: Sequence[Word]) -> bool:
    """Whether each of `words` begins a word of a name, each one of its own.

    Words that a name has the initials of say nothing by themselves: Kay is not Anna K.

    >>> ann = _words("Ann Tarn")
    >>> begin_words(_words("T. Ann"), ann), begin_words(_words("Ann An"), ann)
    (True, False)
    >>> anna = _words("Anna K.")
    >>> begin_words(_words("Anna Kay"), anna), begin_words(_words("Kay"), anna)
    (True, False)
    """
    free = list(name)
    has_begun = False
    for word in sorted(words, key=lambda word: len(word[0]), reverse=True):
        best = next((other for other in free if _is_whole(word, other)), None)
        if best is None:
            best = next((other for other in free if _begins(word, other)), None)
        if best is None:
            return False
        free.remove(best)
        has_begun |= not _is_longer_than_initial(word, best)
    return has_begun


def _is_longer_than_initial(word: Word, other: Word) -> bool:
    return len(other[0]) == 1 < len(word[0])


def _begins(word: Word, other: Word) -> bool:
    """Whether a word begins another one, or the other is its initial."""
    if _is_whole(word, other):
        return True
    if _has_digit(word[0]):
        return False  # Guest 1 is not Guest 12
    is_initial = _is_longer_than_initial(word, other) and word[0].startswith(other[0])
    return is_initial or any(way.startswith(word) for way in other)


def _is_whole(word: Word, other: Word) -> bool:
    return not set(word).isdisjoint(other)


def _are_whole(words: Sequence[Word], name: Sequence[Word]) -> bool:
    """Whether each of `words`, initials apart, is a whole word of a name."""
    return all(len(word[0]) == 1 or any(_is_whole(word, other) for other in name) for word in words)


def _starts(name: _Name, starts: tuple[str, ...]) -> bool:
    return any(way.startswith(starts) for way in spellings(name.text))


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _words(text: str) -> tuple[Word, ...]:
    """Return the words of a name, each with its spellings, without dots and hyphens.

    >>> _words("Müller, J.-P.")
    (('j',), ('p',), ('mueller', 'muller'))
    """
    parts = [[part for part in _BETWEEN_WORDS.split(way) if part] for way in spellings(text)]
    return tuple(tuple(dict.fromkeys(ways)) for ways in zip(*parts, strict=False))


def letters_of(name: str) -> str:
    """Return a name without blanks and marks: Anne-Marie Holm and Annemarie Holm have the same."""
    return "".join(letter for letter in folded(name) if letter.isalnum()) or name
