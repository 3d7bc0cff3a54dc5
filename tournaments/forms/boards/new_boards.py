"""The forms by which a director makes, prints and deletes boards."""

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.errors import Problem
from tournaments.forms.events.settings_fields import whole
from tournaments.forms.http.service_form import ServiceForm
from tournaments.services.boards.make_deals import MOST_BYTES


def _number(text: str, default: int) -> int:
    """A whole number as it was typed; -1 for what is none, which the service refuses."""
    text = text.strip()
    if not text:
        return default
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else -1


class RoundsForm(ServiceForm):
    """Which rounds play the boards."""

    boards_per_round = whole(
        _("Boards in each round"),
        _("All tables play the same boards in a round. 0: boards move between tables."),
    )
    first_round = whole(_("Round of the first board"), _("If empty: 1."))

    @property
    def boards_in_each(self) -> int:
        """How many boards belong to each round."""
        return _number(self.cleaned_data["boards_per_round"], 0)

    @property
    def first(self) -> int:
        """The round of the first board."""
        return _number(self.cleaned_data["first_round"], 1)


class DealForm(RoundsForm):
    """Boards to deal from a new seed."""

    count = whole(_("Number of boards"))
    field_order = ("count", "boards_per_round", "first_round")

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
    field_order = ("file", "boards_per_round", "first_round")

    def content(self) -> bytes:
        """Return what the file holds, as far as the service reads; nothing without a file."""
        found = self.cleaned_data["file"]
        return found.read(MOST_BYTES + 1) if found else b""

    def field_of(self, problem: Problem) -> str | None:
        """Return the field of a problem: those of deals are about the file."""
        name = str(problem.at[0]) if problem.at else ""
        return name if name in ("boards_per_round", "first_round") else "file"


class DealChoiceForm(ServiceForm):
    """Which of the deals is printed or deleted."""

    deal = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
