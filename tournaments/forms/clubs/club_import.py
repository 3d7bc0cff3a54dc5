"""The forms of an imported club: its archive, then its address here."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.forms.http.service_form import ServiceForm
from tournaments.services.archives.club_imports import LARGEST_UPLOAD


class ClubArchiveForm(ServiceForm):
    """The archive of a club."""

    archive = forms.FileField(
        label=_("Archive"),
        help_text=_("The ZIP file of Export in the club settings, up to %(most)s MB.")
        % {"most": LARGEST_UPLOAD // 1024 // 1024},
        max_length=255,
        error_messages={"required": _("Choose the archive of a club first.")},
        allow_empty_file=True,  # the service says in a sentence what is wrong with it
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,application/zip"}),
    )


class ClubAddressForm(ServiceForm):
    """The address that an imported club gets."""

    slug = forms.CharField(
        label=_("Address on this site"),
        required=False,
        help_text=_("Lowercase letters a to z, digits and hyphens."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
