"""The logo of a club: written anew from its pixels, and served under its digest."""

import hashlib
from datetime import datetime

from tournaments.domain.sheets.images import clean_logo
from tournaments.errors import Missing
from tournaments.models.clubs import Club, ClubLogo
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.audit.audit import append_audit
from tournaments.services.db.transactions import atomic_act


def set_logo(*, actor: Actor, club: Club, content: bytes, now: datetime) -> Club:
    """Give a club the picture of a file as its logo, in the place of the one it had.

    Raises:
        Forbidden: manage_club.
        Refused: what `clean_logo` refuses.
    """
    require(actor, club, "manage_club")
    png = clean_logo(content)  # before anything is locked: it takes longer than all the rest
    return _store(actor, club, png, now)


@atomic_act
def remove_logo(*, actor: Actor, club: Club, now: datetime) -> Club:
    """Take the logo of a club away.

    Raises:
        Forbidden: manage_club.
        Missing: logo, where it has none.
    """
    require(actor, club, "manage_club")
    if not club.logo_digest:
        raise Missing("logo")
    return _store(actor, club, b"", now)


@atomic_act
def _store(actor: Actor, club: Club, png: bytes, now: datetime) -> Club:
    locked = Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    digest = hashlib.sha256(png).hexdigest() if png else ""
    if locked.logo_digest == digest:
        return locked
    if png:
        ClubLogo.objects.update_or_create(club=locked, defaults={"png": png})
    else:
        ClubLogo.objects.filter(club=locked).delete()
    Club.objects.filter(pk=locked.pk).update(logo_digest=digest)
    locked.logo_digest = digest
    append_audit(
        club=locked,
        actor=actor,
        act="set_logo" if png else "remove_logo",
        subject=f"club:{locked.slug}",
        facts={"digest": digest},
        now=now,
    )
    return locked
