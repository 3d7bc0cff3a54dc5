"""Numbers and dates as pages print them: true minus, equal decimals, the club's own zone."""

from collections.abc import Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django import template
from django.utils import formats
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from scoring.numbers import ScoreJson
from tournaments.domain.figures import in_short, points, signed
from tournaments.domain.imports.import_report import (
    NOT_READ,
    FilePlace,
    column_number,
    words_for_lines,
    words_for_places,
)
from tournaments.models.imports import ImportProblem
from tournaments.selectors.standings.sorting import decimal, decimals_of

register = template.Library()

register.filter(points)
register.filter(signed)


@register.filter
def amount(value: ScoreJson) -> str:
    """Print a penalty or a bonus as the table does: with its sign, in decimals.

    >>> amount("5/2"), amount(-2), amount("1/3")
    ('+2.5', '−2', '+0.3333')
    """
    return signed(decimal(value, decimals_of([value])))


@register.filter
def ranges(numbers: Sequence[int]) -> str:
    return in_short(numbers)


@register.filter
def is_not_read(problem: ImportProblem) -> bool:
    """Tell whether a note names a part of the file that nothing was read of."""
    return problem.code in NOT_READ


@register.filter
def begins_with_place(problem: ImportProblem) -> bool:
    """Tell whether the sentence of a problem names its lines first, so that no label has to.

    >>> begins_with_place(ImportProblem(lines=[5], message="Line 5: 7 is no seat."))
    True
    >>> begins_with_place(ImportProblem(lines=[5], message="Line 54 …"))
    False
    """
    words = {words_for_lines(problem.lines)}
    if places := problem_places(problem):
        words |= {words_for_places(places), words_for_places(places[:1])}
    return problem.message.startswith(tuple(f"{text}{sign}" for text in words for sign in ": "))


@register.filter
def place_in_file(problem: ImportProblem) -> str:
    """Return where the lines of a problem are in the file; empty where they are its own lines."""
    places = problem_places(problem)
    return words_for_places(places) if places else ""


def problem_places(problem: ImportProblem) -> list[FilePlace]:
    return [
        FilePlace(place["sheet"], place["row"] or 0, column_number(place["column"] or ""))
        for place in problem.places
    ]


@register.filter
def day(value: date | None) -> str:
    return formats.date_format(value, "l j F Y") if value else ""


@register.filter
def weekday(value: date | None) -> str:
    """Print a local date of the weeks around, with its day of the week and without its year."""
    return formats.date_format(value, "l j F") if value else ""


@register.filter
def list_days(values: Sequence[date]) -> str:
    """Print some local dates of the weeks around in one sentence."""
    return get_text_list([weekday(value) for value in values], _("and"))


@register.filter
def short_weekday(value: date | None) -> str:
    return formats.date_format(value, "D j M Y") if value else ""


@register.filter
def short_day(value: date | None) -> str:
    return formats.date_format(value, "j M Y") if value else ""


@register.filter
def day_of_season(value: date | None) -> str:
    """Print a local date without its year, where a table holds one season."""
    return formats.date_format(value, "j M") if value else ""


@register.filter
def at(value: datetime | None, zone: str) -> str:
    if not value:
        return ""
    return formats.date_format(value.astimezone(ZoneInfo(zone)), "j M Y, H:i")


@register.simple_tag
def entered(value: datetime | None, zone: str, evening: date | None) -> str:
    """Print when something was typed: the time alone where that was on the evening itself."""
    if value is None:
        return ""
    local = value.astimezone(ZoneInfo(zone))
    if local.date() == evening:
        return clock(value, zone)
    return at(value, zone)


@register.filter
def clock(value: datetime | None, zone: str) -> str:
    if not value:
        return ""
    return formats.date_format(value.astimezone(ZoneInfo(zone)), "H:i")
