"""Store and remove photos of a table's paper sheet.

A photo changes no score and no standings: it is shown next to the form until the sheet is entered,
and later for comparison.
"""

import hashlib
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.domain.reasons import BAD_REASON, require_some_reason
from tournaments.domain.sheets.images import clean_picture
from tournaments.errors import Conflict
from tournaments.models.hands import Game
from tournaments.models.rounds import Picture, SheetPhoto
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.rounds.table_sheets import get_photo
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_game
from tournaments.services.operations import Operation, operation, require_role
from tournaments.services.rounds.seating_checks import require_open

MOST_PHOTOS: Final = 10
"""Photos of one table: both sides of some sheets, and a few that were blurred."""


def add_photo(op: Operation, game: Game, /, *, content: bytes) -> tuple[SheetPhoto, bool]:
    """Keep a photo of the table's sheet; returns it, and whether it is new there.

    The same file sent again, by a second tap or after the signal was gone, is the photo that is
    there already.
    """
    role = get_role(op.actor, game.club_id, table_id=game.table_id)
    require_role(op.actor, role, "enter_hand")
    require_open(op.actor, role, game)
    # The picture is worked on before anything is locked: it takes longer than all the rest.
    clean = clean_picture(content)
    digest = hashlib.sha256(content).hexdigest()
    return store_photo(op, game, role=role, clean=clean, digest=digest)


@operation(
    "enter_hand",
    locks=lock_game,
    refuses=("unknown_table", "event_not_open", "round_is_draft", "too_many_photos"),
    name="add_photo",
    right_in_body=True,
)
def store_photo(
    op: Operation, game: Game, /, *, role: str, clean: tuple[bytes, int, int], digest: str
) -> tuple[SheetPhoto, bool]:
    """Store a photo of a table's sheet; ten at most.

    The picture is made smaller and stored as JPEG, without the time and place of the photo. If the
    same file is stored already, the answer is that photo with 200 in place of 201.
    """
    op.allow("enter_hand", role)
    require_open(op.actor, role, game)
    sheet_photos = SheetPhoto.objects.filter(table_id=game.table_id, removed_at=None)
    if earlier := sheet_photos.filter(digest=digest).first():
        return earlier, False
    if sheet_photos.count() >= MOST_PHOTOS:
        raise Refused(Problem("too_many_photos", ("photo",), {"expected": MOST_PHOTOS}))
    jpeg, width, height = clean
    photo = SheetPhoto.objects.create(
        club=game.club,
        table=game.table,
        number=next_number(SheetPhoto.objects.filter(table_id=game.table_id)),
        digest=digest,
        width=width,
        height=height,
        size=len(jpeg),
        added_by_id=op.actor.user_id,
        added_as=op.actor.name,
        added_at=op.now,
    )
    Picture.objects.create(photo=photo, jpeg=jpeg)
    _audit(op, game, photo, {"digest": digest})
    return photo, True


def _lock_photo(photo: SheetPhoto) -> SheetPhoto:
    game = lock_game(photo.table.game)
    return get_photo(game.event, game.table.code, photo.number)


@operation(
    "remove_photo",
    locks=_lock_photo,
    refuses=("unknown_table", "unknown_photo", "photo_is_gone", *BAD_REASON),
)
def remove_photo(op: Operation, photo: SheetPhoto, /, *, reason: str) -> SheetPhoto:
    """Delete the picture of a photo permanently; the list still names it, with the reason."""
    if photo.removed_at is not None:
        raise Conflict(Problem("photo_is_gone", facts={"number": photo.number}))
    require_some_reason(reason)
    Picture.objects.filter(photo=photo).delete()
    photo.removed_at, photo.removed_as = op.now, op.actor.name
    photo.removed_because = reason.strip()
    photo.save(update_fields=["removed_at", "removed_as", "removed_because"])
    _audit(op, photo.table.game, photo, {"reason": reason.strip()})
    return photo


def _audit(op: Operation, game: Game, photo: SheetPhoto, facts: dict[str, str]) -> None:
    subject = f"{game.event.audit_subject}/table:{game.table.code}/photo:{photo.number}"
    op.audit(photo, facts, subject=subject)
