"""Tables by name: the code in an address, in words."""

import re
from collections.abc import Iterable

from django import template
from django.utils.translation import gettext as _

from tournaments.models.events import Event
from tournaments.selectors.rounds.round_names import names_on_page, round_label, round_title

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
def round_of(number: int, event: Event) -> str:
    """Print which round of an event it is, within a sentence: "3", or "3 (Final)"."""
    return round_label(number, names_on_page(event))


@register.filter
def title_of_round(number: int, event: Event) -> str:
    """Print the title of a round of an event: "Round 3", or "Final · Round 3"."""
    return round_title(number, names_on_page(event))


@register.filter
def table_of(code: str, event: Event) -> str:
    """Print the code of a table of an event in words: "Round 4 (Final), table 3"."""
    match = _CODE.fullmatch(code)
    if match is None:
        return code
    return _("Round {round}, table {table}").format(
        round=round_of(int(match[1]), event), table=match[2]
    )


@register.filter
def table_in_sentence(code: str, event: Event) -> str:
    """Print the code of a table of an event within a sentence: "table 3 of round 4 (Final)"."""
    match = _CODE.fullmatch(code)
    if match is None:
        return code
    return _("table {table} of round {round}").format(
        round=round_of(int(match[1]), event), table=match[2]
    )


@register.filter
def table_names(codes: Iterable[str]) -> str:
    """Print the codes of several tables in words.

    >>> table_names(["r4t3", "r4t4"])
    'Round 4, table 3; round 4, table 4'
    """
    names = "; ".join(table_name(code).lower() for code in codes)
    return names[:1].upper() + names[1:]
