"""Tables by name: the code in an address, in words."""

import re

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
    found = _CODE.fullmatch(code)
    if found is None:
        return code
    return _("Round {round}, table {table}").format(round=found[1], table=found[2])
