"""What a file brings into an event, in a sentence that is shown before the import."""

from collections.abc import Iterator

from django.utils import formats
from django.utils.translation import ngettext

from tournaments.domain.imports.import_outline import ImportOutline
from tournaments.domain.number_ranges import in_short


def outline_text(outline: ImportOutline) -> str:
    """Return which evenings, tables and rounds a file makes; empty where it makes nothing."""
    if not outline.tables:
        return ""
    return ", ".join(_parts(outline)) + "."


def _parts(outline: ImportOutline) -> Iterator[str]:
    if days := outline.evenings:
        first, last = (formats.date_format(day, "j M Y") for day in (days[0], days[-1]))
        span = first if first == last else f"{first} – {last}"
        n = len(days)
        yield ngettext("%(n)d evening (%(days)s)", "%(n)d evenings (%(days)s)", n) % {
            "n": n, "days": span,
        }  # fmt: skip
    n = outline.tables
    yield ngettext("%(n)d table", "%(n)d tables", n) % {"n": n}
    if new := outline.new_rounds:
        yield ngettext("new round %(numbers)s", "new rounds %(numbers)s", len(new)) % {
            "numbers": in_short(new)
        }
    if there := outline.rounds:
        yield ngettext(
            "round %(numbers)s of the event", "rounds %(numbers)s of the event", len(there)
        ) % {"numbers": in_short(there)}
