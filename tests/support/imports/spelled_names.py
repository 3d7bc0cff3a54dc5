"""Names as people write them: of members, each in some spelling, and of people who are none."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final

from tests.support.imports.seasons_of_files import MEMBERS, NICKNAMES

NAMESAKES: Final = ("Ann Zorn", "Ivo Sander", "Gus Hale")
"""Members whose first or whole name another member has too; the last is there twice."""

UNACCENTED: Final = {"é": "e", "ü": "u", "ö": "o", "Ö": "O", "Ł": "L", "Ż": "Z", "ł": "l", "ż": "z"}


@dataclass(frozen=True)
class Spelled:
    """A name as it is written, how, and the member who is meant; None for a stranger."""

    text: str
    how: str
    member: str | None = None


def parts_of(name: str) -> tuple[str, str]:
    first, _, family = name.partition(" ")
    return first, family


def exact(name: str) -> str:
    return name


def without_accents(name: str) -> str:
    return "".join(UNACCENTED.get(letter, letter) for letter in name)


def small(name: str) -> str:
    return name.lower()


def large(name: str) -> str:
    return name.upper()


def spaced(name: str) -> str:
    return f" {name.replace(' ', '   ')} "


def hard_space(name: str) -> str:
    return name.replace(" ", "\N{NO-BREAK SPACE}")


def decomposed(name: str) -> str:
    return name.replace("é", "e\N{COMBINING ACUTE ACCENT}").replace("ü", "u\N{COMBINING DIAERESIS}")


def nickname(name: str) -> str:
    return NICKNAMES.get(name, name)


def first_only(name: str) -> str:
    return parts_of(name)[0]


def family_only(name: str) -> str:
    return parts_of(name)[1]


def family_first(name: str) -> str:
    first, family = parts_of(name)
    return f"{family} {first}"


def family_first_comma(name: str) -> str:
    first, family = parts_of(name)
    return f"{family}, {first}"


def family_first_large(name: str) -> str:
    first, family = parts_of(name)
    return f"{family.upper()} {first}"


def first_and_initial(name: str) -> str:
    first, family = parts_of(name)
    return f"{first} {family[0]}."


def first_and_bare_initial(name: str) -> str:
    first, family = parts_of(name)
    return f"{first} {family[0]}"


def initial_and_family(name: str) -> str:
    first, family = parts_of(name)
    return f"{first[0]}. {family}"


def shortened(name: str) -> str:
    first, family = parts_of(name)
    return f"{first} {family[:3]}."


def apostrophe(name: str) -> str:
    return name.replace("'", "’")


SPELLINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "exact": exact,
    "without accents": without_accents,
    "small letters": small,
    "capitals": large,
    "more blanks": spaced,
    "hard blank": hard_space,
    "decomposed": decomposed,
    "nickname": nickname,
    "first name": first_only,
    "family name": family_only,
    "family name first": family_first,
    "family name first, comma": family_first_comma,
    "FAMILY first": family_first_large,
    "first name and initial": first_and_initial,
    "first name and initial without a dot": first_and_bare_initial,
    "initial and family name": initial_and_family,
    "shortened": shortened,
    "curly apostrophe": apostrophe,
}

STRANGERS: Final = (
    ("Quinn", "Rosa", "Sven", "Tilda", "Uwe", "Vera", "Wanda", "Xenia", "Yann", "Zoë"),
    ("Abel", "Diaz", "Åberg", "Fontaine", "Grün", "Ibsen", "Jonker", "Quist", "Urban", "Yates"),
)


def spelled(seed: int, number: int) -> list[Spelled]:
    """Return so many different names of a seed, half of members, in no order."""
    rng = random.Random(seed)  # noqa: S311  # a drawn name is no secret
    ways = cycle(SPELLINGS)
    found: dict[str, Spelled] = {}
    while len(found) < number // 2:
        how = next(ways)
        member = rng.choice(MEMBERS)
        text = SPELLINGS[how](member)
        found.setdefault(text, Spelled(text, how, member))
    while len(found) < number:
        first, family = (rng.choice(names) for names in STRANGERS)
        text = f"{first} {family}"
        found.setdefault(text, Spelled(text, "stranger"))
    names = list(found.values())
    rng.shuffle(names)
    return names


def in_fours(names: Sequence[Spelled]) -> list[Sequence[Spelled]]:
    """Return tables of four; nobody sits at one of them in two spellings."""
    tables: list[list[Spelled]] = []
    for name in names:
        free = (
            table
            for table in tables
            if len(table) < 4
            and (name.member is None or all(each.member != name.member for each in table))
        )
        table = next(free, None)
        if table is None:
            tables.append([name])
        else:
            table.append(name)
    return [table for table in tables if len(table) == 4]
