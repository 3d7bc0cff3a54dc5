"""Photos uploaded with a form: its fields, storing them, and messages on each."""

from dataclasses import dataclass
from typing import Final

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import DatabaseError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Problem, Refused
from tournaments.domain.faults import is_disk_full
from tournaments.domain.messages import sentence
from tournaments.domain.sheets.images import FORMATS, LARGEST
from tournaments.errors import Conflict, Forbidden
from tournaments.models.events import Event
from tournaments.selectors.hands import score_sheet
from tournaments.services.rounds.photos import add_photo
from tournaments.views.http.decorators import REFUSED
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.service_form import ServiceForm, operation_of

PHOTO: Final = "photo"
ACCEPTED: Final = ",".join(f"image/{name.lower()}" for name in FORMATS)
"""Accepted types of a file field; with these an iPhone sends its pictures as JPEG."""


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
        label=gettext_lazy("Photo of the sheet"),
        help_text=gettext_lazy(
            "JPEG, PNG or WebP, up to %(most)s MB. The place and time of the photo are not stored."
        )
        % {"most": LARGEST // 1024 // 1024},
        widget=PhotoInput(),
    )


class RemovePhotoForm(ServiceForm):
    reason = forms.CharField(
        label=gettext_lazy("Reason for deleting"),
        help_text=gettext_lazy("One sentence. Shown in place of the photo."),
        max_length=500,
    )


CONFLICT: Final = 409
FORBIDDEN: Final = 403
NO_ROOM: Final = 507


@dataclass(frozen=True, slots=True)
class SavedPhotos:
    """The outcome of a form's photos; `status` is 200 if all are stored."""

    n_sent: int
    added: int
    problems: tuple[Problem, ...] = ()
    status: int = 200

    @property
    def is_done(self) -> bool:
        return bool(self.n_sent) and not self.problems

    @property
    def says(self) -> str:
        if not self.n_sent:
            return _("Choose a photo first.")
        return " ".join(map(sentence, self.problems))


def take_photos(request: PageRequest, event: Event, code: str) -> SavedPhotos:
    """Store the photos of a form, up to the first that is refused.

    Returns problems, a full disk included, instead of raising them, so that the numbers in the form
    are kept.
    """
    files: list[UploadedFile[bytes]] = request.FILES.getlist(PHOTO)
    n_added, status = 0, 200
    problems: tuple[Problem, ...] = ()
    if not files and request.POST.get(PHOTO):  # a browser without our script sent its name only
        messages.error(request, _("The photo was not sent. Choose it again and save."))
    try:
        for file in files:
            op, game = operation_of(request), score_sheet.get_game(event, code)
            _photo, is_new = add_photo(op, game, content=file.read())
            n_added += is_new
    except Refused as refused:
        problems, status = refused.problems, REFUSED
    except (Conflict, Forbidden) as refused:
        problems = (refused.problem,)
        status = CONFLICT if isinstance(refused, Conflict) else FORBIDDEN
    except (DatabaseError, OSError) as fault:
        if not is_disk_full(fault):
            raise
        problems, status = (Problem("disk_full", ("photo",)),), NO_ROOM
    return SavedPhotos(len(files), n_added, problems, status)


def show_refusal(request: PageRequest, form: ServiceForm, saved: SavedPhotos) -> int:
    """Add the problems of the photos to the form; return the status of the page."""
    form.is_valid()  # only a cleaned form takes further errors
    form.place(saved.problems)
    if not saved.n_sent:
        form.add_error("photo", _("Choose a photo first."))
    if saved.added:
        messages.success(request, saved_message(saved))
    return saved.status if saved.problems else REFUSED


def saved_message(saved: SavedPhotos) -> str:
    if not saved.added:
        return _("This photo was already added.")
    return ngettext("%(n)s photo saved.", "%(n)s photos saved.", saved.added) % {"n": saved.added}
