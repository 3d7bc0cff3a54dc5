"""What a file holds, in words, and the buttons that read it as something else."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from scoring.json_types import JsonDict
from tournaments.models.events import Event
from tournaments.models.imports import Holds, Upload
from tournaments.services.imports.kinds import kind_of_upload

KINDS_OF_FILES: Final = {Holds.HANDS: _("Hands"), Holds.TOTALS: _("Totals of whole games")}
"""What a file may hold → its label."""

WHY: Final = {
    "hand_columns": _("it has columns that only hands have"),
    "running": _("its rows are running totals of hands"),
    "adds_up": _("the points of a row have the total of a hand"),
    "adds_not_up": _("the points of a row do not have the total of a hand"),
    "one_score": _("it has one score for each player and nothing about hands"),
}
"""Why a file is taken to hold something."""


def kind_context(event: Event, upload: Upload) -> JsonDict:
    """Return what a file is read as, why (where it looks so), and the other kinds."""
    found = kind_of_upload(event, upload)
    return {
        "kind_of_file": KINDS_OF_FILES.get(Holds(upload.holds), ""),
        "why_kind": WHY.get(found.why, "") if found.holds == upload.holds else "",
        "other_kinds": [
            (key, label) for key, label in KINDS_OF_FILES.items() if key != upload.holds
        ],
    }
