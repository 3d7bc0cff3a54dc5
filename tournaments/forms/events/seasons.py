"""A season: its name, its days, the events in it, and whether it has a table of its own."""

from collections.abc import Iterable
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.models.events import Event
from tournaments.views.http.service_form import ServiceForm

TABLES: Final = (
    ("", _("No season standings")),
    ("sheets", _("Points per hand")),
    ("places", _("Place points (5-3-2-1)")),
    ("season", _("Place points (best results)")),
    ("wins", _("Tables won")),
    ("beaten", _("Opponents beaten")),
    ("par", _("Index")),
    ("pairs", _("Tables won, then point difference")),
)
"""The presets of a season's own table in words: of how games are played, none says anything."""


def _day(label: Any) -> forms.CharField:
    return forms.CharField(
        label=label, required=False, widget=forms.TextInput(attrs={"type": "date"})
    )


class SeasonForm(ServiceForm):
    """What a season is called, from when to when it is, and how its own table is ranked."""

    name = forms.CharField(label=_("Name of the season"), required=False)
    slug = forms.CharField(
        label=_("Address within the club"),
        required=False,
        help_text=_(
            "Lowercase letters a to z, digits and hyphens. If empty, it is made from the name."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    starts_on = _day(_("First day"))
    ends_on = _day(_("Last day"))
    preset = forms.CharField(
        label=_("Season standings"),
        required=False,
        help_text=_("The season standings count every game of the season's public events."),
        widget=forms.Select(choices=TABLES),
    )

    def typed(self) -> dict[str, str]:
        """Return what the services take."""
        return {name: self.cleaned_data[name] for name in self.fields if name != "events"}


class SeasonChangeForm(SeasonForm):
    """A season that is there: its address stays, its events come and go."""

    field_order = ("name", "starts_on", "ends_on", "events", "preset")

    def __init__(self, data: object = None, *, events: Iterable[Event], **more: object) -> None:
        super().__init__(data, **more)
        del self.fields["slug"]
        self.fields["events"] = forms.MultipleChoiceField(
            label=_("Events of the season"),
            required=False,
            choices=[(one.slug, one.name) for one in events],
            widget=forms.CheckboxSelectMultiple,
        )
        self.order_fields(self.field_order)
