"""The forms by which a director makes, prints and deletes boards."""

from typing import Final

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.forms.events.settings_fields import whole
from tournaments.forms.http.service_form import ServiceForm
from tournaments.services.boards.make_deals import MOST_BYTES

MOVING: Final = "moving"
MOVEMENTS: Final = (
    ("same", _("The same boards at every table in a round")),
    (MOVING, _("Boards move between the tables")),
)


def _number(text: str, default: int) -> int:
    """A whole number as it was typed, which `_is_whole`; the default where nothing was."""
    return int(text.strip() or default)


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number; nothing typed is one, too."""
    text = text.strip()
    return not text or (text.isascii() and text.isdecimal() and len(text) < 7)


NUMBERS: Final = ("count", "tables", "boards_per_round", "first_round")
"""The fields with numbers."""


class RoundsForm(ServiceForm):
    """Which rounds play the boards."""

    movement = forms.CharField(
        label=_("Boards and tables"),
        required=False,
        widget=forms.Select(choices=MOVEMENTS),
        help_text=_("Boards that move need one copy each, and 5, 7, 11 or 13 tables."),
    )
    tables = whole(_("Number of tables, where boards move"))
    boards_per_round = whole(
        _("Boards in each round"),
        _("For each table. 0: boards belong to no round, and any table plays any board."),
    )
    first_round = whole(_("Round of the first board"), _("If empty: 1."))

    def clean(self) -> None:
        """Refuse texts that are no numbers; how large a number may be, the service says."""
        super().clean()
        for name in NUMBERS:
            typed = self.cleaned_data.get(name, "")
            if not _is_whole(typed):
                text = _now("“%(found)s” is not a whole number. Enter digits, for example 12.")
                self.add_error(name, text % {"found": typed.strip()})

    @property
    def boards_in_each(self) -> int:
        """How many boards belong to each round."""
        return _number(self.cleaned_data["boards_per_round"], 0)

    @property
    def n_tables(self) -> int | None:
        """How many tables boards move between; None where all play the same boards."""
        if self.cleaned_data["movement"] != MOVING:
            return None
        return _number(self.cleaned_data["tables"], 0)

    @property
    def first(self) -> int:
        """The round of the first board."""
        return _number(self.cleaned_data["first_round"], 1)


class DealForm(RoundsForm):
    """Boards to deal from a new seed."""

    count = whole(_("Number of boards"))
    field_order = ("count", "movement", "tables", "boards_per_round", "first_round")

    def count_typed(self) -> int:
        """Return how many boards are wanted."""
        return _number(self.cleaned_data["count"], 0)


class DealFileForm(RoundsForm):
    """A deal file."""

    file = forms.FileField(
        label=_("Deal file"),
        required=False,
        allow_empty_file=True,
        help_text=_("A PBN file, or JSON with deals. Its boards keep their numbers."),
    )
    field_order = ("file", "movement", "tables", "boards_per_round", "first_round")

    def content(self) -> bytes:
        """Return what the file holds, as far as the service reads; nothing without a file."""
        found = self.cleaned_data["file"]
        return found.read(MOST_BYTES + 1) if found else b""

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem: those of deals are about the file."""
        name = str(problem.at[0]) if problem.at else ""
        return name if name in ("tables", "boards_per_round", "first_round") else "file"


class DealChoiceForm(ServiceForm):
    """Which of the deals is printed or deleted."""

    deal = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
