"""Photos of a table's sheet, for whoever may enter there.

Takes an event that `selectors.events.events.event_at` has let the actor read; nobody but who may
enter a hand at the table is shown that there is a photo.
"""

from collections.abc import Sequence

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.photos import Picture, SheetPhoto


def photos_at(event: Event, code: str) -> Sequence[SheetPhoto]:
    """Return the photos of a table by number, the ones taken away included; one query."""
    photos = SheetPhoto.objects.filter(table__event=event, table__code=code)
    return tuple(photos.order_by("number"))


def stored_photos(event: Event, code: str) -> Sequence[SheetPhoto]:
    """Return the photos of a table whose pictures are there; one query."""
    return tuple(photo for photo in photos_at(event, code) if photo.removed_at is None)


def picture_at(event: Event, code: str, number: int) -> bytes:
    """Return a photo as the bytes of a JPEG.

    Raises:
        Missing: the table has no photo under that number, or no longer.
    """
    found = Picture.objects.filter(
        photo__table__event=event, photo__table__code=code, photo__number=number
    )
    picture = found.values_list("jpeg", flat=True).first()
    if picture is None:
        raise Missing("photo", {"table": code, "photo": number})
    return bytes(picture)
