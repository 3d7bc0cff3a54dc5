"""Tables by name: the code in an address, in words."""

import re
from collections.abc import Iterable

from django import template
from django.utils.translation import gettext as _

register = template.Library()

_CODE = re.compile(r"r(\d+)t(\d+)")


@register.filter
def table_name(code: str) -> str:
    """Print the code of a table in words; anything else stays as it is.

    >>> table_name("r4t3"), table_name("–")
    ('Round 4, table 3', '–')
    """
    match = _CODE.fullmatch(code)
    if match is None:
        return code
    return _("Round {round}, table {table}").format(round=match[1], table=match[2])


@register.filter
def table_names(codes: Iterable[str]) -> str:
    """Print the codes of several tables in words.

    >>> table_names(["r4t3", "r4t4"])
    'Round 4, table 3; round 4, table 4'
    """
    names = "; ".join(table_name(code).lower() for code in codes)
    return names[:1].upper() + names[1:]
