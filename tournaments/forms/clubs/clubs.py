"""Making a club: its name, its address and its zone."""

from django import forms
from django.conf import settings
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm
from tournaments.services.clubs.clubs import time_zones


def zone_choices() -> list[tuple[str, str | list[tuple[str, str]]]]:
    """Return the time zones of places, by part of the world; UTC first."""
    parts: dict[str, list[tuple[str, str]]] = {}
    for zone in sorted(time_zones()):
        part, _slash, place = zone.partition("/")
        if place and part not in ("Etc", "SystemV", "posix", "right"):
            parts.setdefault(part, []).append((zone, place.replace("_", " ").replace("/", ", ")))
    return [("UTC", "UTC"), *parts.items()]


class ClubForm(ServiceForm):
    """What a club needs; only its name must be typed."""

    name = forms.CharField(
        label=_("Name of the club"),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    slug = forms.CharField(
        label=_("Address on this site (optional)"),
        required=False,
        help_text=_(
            "Lowercase letters a to z, digits and hyphens. If empty, it is made from the name: "
            "“Café Łódź” becomes cafe-lodz."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    time_zone = forms.CharField(
        label=_("Time zone"),
        required=False,
        initial=lambda: settings.DEFAULT_TIME_ZONE,
        help_text=_(
            "Where the club meets. The dates of its evenings and the hours of its deadlines use "
            "this time zone. You can change it in the club settings."
        ),
        widget=forms.Select(
            choices=lazy(zone_choices, list)(), attrs={"data-zone-of-browser": True}
        ),
    )
