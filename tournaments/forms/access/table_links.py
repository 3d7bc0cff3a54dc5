"""Links to a table: how long they work, and what their holder types."""

from datetime import timedelta
from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm

HOURS: Final = (
    (6, _("6 hours")),
    (12, _("12 hours")),
    (24, _("24 hours")),
    (72, _("3 days")),
    (168, _("7 days")),
)
LONGEST_NAME: Final = 60


class LinkForm(ServiceForm):
    """A new link: how long it works."""

    hours = forms.TypedChoiceField(
        label=_("Valid for"),
        choices=HOURS,
        coerce=int,
        initial=24,
        help_text=_("The link stops working when the round closes, if that is sooner."),
        error_messages={"invalid_choice": _("Choose one of the times in the list.")},
    )

    @property
    def lasts(self) -> timedelta:
        """How long the link is to work."""
        return timedelta(hours=self.cleaned_data["hours"])


class CodeForm(ServiceForm):
    """The short code of a table, as somebody read it off a card."""

    code = forms.CharField(
        label=_("Short code"),
        required=False,
        help_text=_("8 letters and digits from the card. Spaces, hyphens and case do not matter."),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )


class HostNameForm(ServiceForm):
    """Who enters at a table; nobody has to say."""

    name = forms.CharField(
        label=_("Your name"),
        required=False,
        max_length=LONGEST_NAME,
        help_text=_(
            "Optional. Shown beside each hand you enter to everyone who can see this event."
        ),
        error_messages={"max_length": _("This name is too long. The maximum is 60 characters.")},
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
