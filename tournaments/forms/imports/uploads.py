"""The form that a file of sheets comes in by."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm
from tournaments.models.imports import Holds
from tournaments.services.imports.uploads import LARGEST


class UploadForm(ServiceForm):
    """A file, and what stands for columns that it lacks."""

    file = forms.FileField(
        label=_("The file"),
        help_text=_("CSV, XLSX or ODS, as any spreadsheet program saves it, up to %(most)s MB.")
        % {"most": LARGEST // 1024 // 1024},
        max_length=255,
        allow_empty_file=True,  # the service says in a sentence what is wrong with it
    )
    holds = forms.ChoiceField(
        label=_("What does the file hold?"),
        help_text=_(
            "Totals: a row for each game (date, round, table, player 1, score 1 …), or for each "
            "player of a game (round, table, player, points)."
        ),
        choices=((Holds.HANDS, _("Hands")), (Holds.TOTALS, _("Totals of whole games"))),
        required=False,
    )
    variant = forms.CharField(
        label=_("Variant, if the sheets do not say"),
        help_text=_("Its name; left empty, it is the event's own."),
        max_length=120,
        required=False,
    )
    day = forms.DateField(
        label=_("Date, if the sheets do not say"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
