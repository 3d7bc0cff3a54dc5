"""The form that a file of sheets comes in by."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm
from tournaments.models.imports import Holds
from tournaments.services.imports.uploads import LARGEST


class UploadForm(ServiceForm):
    """A file, and what stands for columns that it lacks."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("CSV, XLSX or ODS, up to %(most)s MB.") % {"most": LARGEST // 1024 // 1024},
        max_length=255,
        allow_empty_file=True,  # the service says in a sentence what is wrong with it
    )
    holds = forms.ChoiceField(
        label=_("Contents of the file"),
        help_text=_(
            "For totals, use one row per game (date, round, table, player 1, score 1 …) or one "
            "row per player and game (round, table, player, points)."
        ),
        choices=((Holds.HANDS, _("Hands")), (Holds.TOTALS, _("Totals of whole games"))),
        required=False,
    )
    variant = forms.CharField(
        label=_("Game, if not in the file"),
        help_text=_("If empty, the event's game is used."),
        max_length=120,
        required=False,
    )
    day = forms.DateField(
        label=_("Date, if not in the file"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
