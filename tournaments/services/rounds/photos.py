"""Store and remove photos of a table's paper sheet.

A photo changes no score and no standings: it is shown next to the form until the sheet is entered,
and later for comparison.
"""

import hashlib
from datetime import datetime
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.domain.reasons import require_some_reason
from tournaments.domain.sheets.images import CleanImage, clean_picture
from tournaments.errors import Conflict, Missing
from tournaments.models.hands import Game
from tournaments.models.meetings import Picture, SheetPhoto
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_game
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require, require_role
from tournaments.services.rounds.seating_checks import require_open

MOST: Final = 10
"""Photos of one table: both sides of some sheets, and a few that were blurred."""


def add_photo(
    *, actor: Actor, game: Game, content: bytes, now: datetime
) -> tuple[SheetPhoto, bool]:
    """Keep a photo of the table's sheet; returns it, and whether it is new there.

    The same file sent again, by a second tap or after the signal was gone, is the photo that is
    there already.
    """
    role = get_role(actor, game.club_id, table_id=game.table_id)
    require_role(actor, role, "enter_hand")
    require_open(actor, role, game)
    # The picture is worked on before anything is locked: it takes longer than all the rest.
    clean = clean_picture(content)
    return _store_photo(actor, role, game, clean, hashlib.sha256(content).hexdigest(), now)


@atomic_act
def _store_photo(
    actor: Actor, role: str, game: Game, clean: CleanImage, digest: str, now: datetime
) -> tuple[SheetPhoto, bool]:
    game = lock_game(game)
    require_open(actor, role, game)
    sheet_photos = SheetPhoto.objects.filter(table_id=game.table_id, removed_at=None)
    if earlier := sheet_photos.filter(digest=digest).first():
        return earlier, False
    if sheet_photos.count() >= MOST:
        raise Refused(Problem("too_many_photos", ("photo",), {"expected": MOST}))
    photo = SheetPhoto.objects.create(
        club=game.club,
        table=game.table,
        number=next_number(SheetPhoto.objects.filter(table_id=game.table_id)),
        digest=digest,
        width=clean.width,
        height=clean.height,
        size=len(clean.jpeg),
        added_by_id=actor.user_id,
        added_as=actor.name,
        added_at=now,
    )
    Picture.objects.create(photo=photo, jpeg=clean.jpeg)
    _audit(actor, game, photo, "add_photo", {"digest": digest}, now)
    return photo, True


@atomic_act
def remove_photo(
    *, actor: Actor, game: Game, number: int, reason: str, now: datetime
) -> SheetPhoto:
    """Delete a photo's picture for good; that it was there, and why it is not, stays."""
    game = lock_game(game)
    require(actor, game.club, "remove_photo")
    photo = SheetPhoto.objects.filter(table_id=game.table_id, number=number).first()
    if photo is None:
        raise Missing("photo", {"table": game.table.code})
    if photo.removed_at is not None:
        raise Conflict(Problem("photo_is_gone", facts={"number": number}))
    require_some_reason(reason)
    Picture.objects.filter(photo=photo).delete()
    photo.removed_at, photo.removed_as = now, actor.name
    photo.removed_because = reason.strip()
    photo.save(update_fields=["removed_at", "removed_as", "removed_because"])
    _audit(actor, game, photo, "remove_photo", {"reason": reason.strip()}, now)
    return photo


def _audit(
    actor: Actor, game: Game, photo: SheetPhoto, act: str, facts: dict[str, str], now: datetime
) -> None:
    subject = f"event:{game.event.slug}/table:{game.table.code}/photo:{photo.number}"
    append_audit(game.club, actor, act, subject, facts=facts, now=now)
