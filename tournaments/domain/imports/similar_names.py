"""Names that may be those of one person: the same letters, nearly the same, or cut short."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from tournaments.domain.imports.name_matching import folded, one_person

ALIKE: Final = 0.86
"""Nearly the same; `Nadia D.` and `Nadiia D.` have 0.94, `Anna K.` and `Hanna K.` 0.93."""

_NUMBER: Final = re.compile(r"\d+")


def similar_names(names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of numbers of players whose names may be those of one person.

    Each name is compared with those that begin with the same letter, or whose last word does. The
    most alike come first.

    Args:
        names: by number, in the order in which pairs are named.

    >>> names = {"RL1": "Nadia D.", "RL2": "nadiia  d.", "RL3": "Bert", "RL4": "D., Nadia"}
    >>> list(similar_names(names))
    [('RL1', 'RL2'), ('RL1', 'RL4'), ('RL2', 'RL4')]
    >>> list(similar_names({"RL1": "Guest 12", "RL2": "Guest 13"}))
    []
    """
    letters = {number: folded(one_person(name)) for number, name in names.items()}
    order = {number: at for at, number in enumerate(names)}
    found: dict[tuple[str, str], float] = {}
    for group in _groups(letters):
        for at, one in enumerate(group):
            for other in group[at + 1 :]:
                if (likeness := _likeness(letters[one], letters[other])) >= ALIKE:
                    found[one, other] = likeness
    yield from sorted(found, key=lambda pair: (-found[pair], order[pair[0]], order[pair[1]]))


def _groups(letters: Mapping[str, str]) -> Iterator[Sequence[str]]:
    groups: dict[str, list[str]] = {}
    for number, name in letters.items():
        words = name.split()
        for key in {word[:1] for word in words[:1] + words[-1:]}:
            groups.setdefault(key, []).append(number)
    yield from groups.values()


def _likeness(one: str, other: str) -> float:
    """Return how much alike two names are, 1 for the same letters.

    An initial matches each word that begins with it. Two different initials are two people, and so
    are two different numbers (Player 12, Player 13).
    """
    if one == other:
        return 1.0
    if _NUMBER.findall(one) != _NUMBER.findall(other):
        return 0.0
    words, others = one.replace(".", "").split(), other.replace(".", "").split()
    if len(words) == len(others) > 1:
        if all(map(_begins, words, others)):
            return 0.99
        if any(len(a) == len(b) == 1 and a != b for a, b in zip(words, others, strict=True)):
            return 0.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0.0


def _begins(word: str, other: str) -> bool:
    return word == other or (1 in (len(word), len(other)) and word[0] == other[0])
