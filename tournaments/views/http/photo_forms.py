"""The forms of a photo: it comes in by one, and a reason takes it away by the other."""

from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.domain.sheets.images import FORMATS, LARGEST
from tournaments.views.http.service_form import ServiceForm

PHOTO: Final = "photo"
ACCEPTED: Final = ",".join(f"image/{name.lower()}" for name in FORMATS)
"""What a browser offers to choose; named so, an iPhone hands its pictures over as JPEG."""


class PhotoInput(forms.FileInput):
    """A field that opens the camera or the pictures of a phone; several may be chosen."""

    allow_multiple_selected = True

    def __init__(self) -> None:
        super().__init__({"accept": ACCEPTED, "multiple": True, "data-photo": ""})


class PhotosField(forms.FileField):
    """Files as they came; each of them is judged by `domain.sheets.images`, not here."""

    def clean(self, data: object, initial: object = None) -> object:
        """Return the list of files; Django's own field knows one file only, and refuses a list."""
        return data


class PhotoForm(ServiceForm):
    photo = PhotosField(
        label=_("Photo of the sheet"),
        help_text=_(
            "JPEG, PNG or WebP, up to %(most)s MB. The place and time of the photo are not stored."
        )
        % {"most": LARGEST // 1024 // 1024},
        required=False,
        widget=PhotoInput(),
    )


class RemovePhotoForm(ServiceForm):
    reason = forms.CharField(
        label=_("Reason for deleting"),
        help_text=_("One sentence. Shown in place of the photo."),
        max_length=500,
        required=False,
    )
