"""Sentences about publications and standings."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_publication": _("There is no publication with that number."),
    "nothing_played_by_then": _(
        "No games were played by {asked}. The first round with a table is {first}."
    ),
    "matrix_too_large": _(
        "This event has {found} entrants, too many for one list. The maximum is {expected}. "
        "Request one entrant."
    ),
    "not_published": _("This event has no published standings yet."),
    "file_is_being_made": _("The file is being made. Try again in {seconds} seconds."),
    "too_many_rows_to_print": _(
        "The table has {found} rows. A PDF has at most {expected}. Download the XLSX or CSV file."
    ),
    "standings_behind": _("The standings are being computed. Try again in a few seconds."),
}
