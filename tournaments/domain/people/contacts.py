"""E-mail addresses and telephone numbers, which are kept out of names: names are public."""

import re
from typing import Final

from scoring.errors import Problem
from tournaments.domain.name_matching import LONGEST_NAME, name_problems

_MAIL: Final = re.compile(r"[^@]+@[^@]+\.[^@]+")
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
    addresses = [word for word in words if _MAIL.fullmatch(word)]
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
