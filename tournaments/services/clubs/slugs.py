"""The addresses of clubs and events: taken once, and led on from when there is another one.

No other club gets a former address, and no other event of a club one of its events, so that a
link that was printed never leads to strangers. The club or event itself may take one back.
"""

from collections.abc import Set as AbstractSet
from datetime import datetime

from django.db import IntegrityError, transaction

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, FormerSlug
from tournaments.models.events import Event, FormerEventSlug


def taken_slugs() -> AbstractSet[str]:
    """Return the addresses that no new club can have."""
    former = FormerSlug.objects.values_list("slug", flat=True)
    return {*Club.objects.values_list("slug", flat=True), *former}


def require_not_former(club: Club) -> None:
    """Let a club pass whose address, which it has by now, was never another club's.

    Asked after the address is written: whoever gives one up at this moment has done so by then.

    Raises:
        Conflict: slug_taken.
    """
    if FormerSlug.objects.filter(slug=club.slug).exclude(club=club).exists():
        raise Conflict(Problem("slug_taken", ("slug",), {"slug": club.slug}))


def move_club(club: Club, slug: str, *, now: datetime) -> None:
    """Give a club another address; the one it had leads on to it from now on.

    The last statement of its transaction. It locks the club's row against everybody who points at
    it, as each row of a hand does when its transaction ends; and these hold the head of the audit
    chain by then (docs/decisions/0029-one-lock-order.md).

    Raises:
        Conflict: slug_taken.
    """
    try:
        with transaction.atomic():
            FormerSlug.objects.filter(club=club, slug=slug).delete()
            FormerSlug.objects.create(club=club, slug=club.slug, changed_at=now)
            Club.objects.filter(pk=club.pk).update(slug=slug)
    except IntegrityError as taken:
        raise Conflict(Problem("slug_taken", ("slug",), {"slug": slug})) from taken
    club.slug = slug
    require_not_former(club)


def taken_event_slugs(club: Club) -> AbstractSet[str]:
    """Return the addresses that no new event of a club can have."""
    former = FormerEventSlug.objects.filter(club=club).values_list("slug", flat=True)
    return {*Event.objects.filter(club=club).values_list("slug", flat=True), *former}


def require_free_event_slug(event: Event, slug: str) -> None:
    """Let an event take an address that no other event of its club has or had.

    Asked before the audit trail is locked: whoever writes the row of that other event may wait for
    the trail, and is not waited for.

    Raises:
        Conflict: slug_taken.
    """
    others = Event.objects.filter(club_id=event.club_id, slug=slug).exclude(pk=event.pk)
    former = FormerEventSlug.objects.filter(club_id=event.club_id, slug=slug)
    if others.exists() or former.exclude(event=event).exists():
        raise Conflict(Problem("slug_taken", ("slug",), {"slug": slug}))


def require_not_former_event(event: Event) -> None:
    """Let an event pass whose address, which it has by now, was never another event's.

    Asked after the address is written, as for clubs.

    Raises:
        Conflict: slug_taken.
    """
    former = FormerEventSlug.objects.filter(club_id=event.club_id, slug=event.slug)
    if former.exclude(event=event).exists():
        raise Conflict(Problem("slug_taken", ("slug",), {"slug": event.slug}))


def change_event_slug(event: Event, slug: str, *, now: datetime) -> None:
    """Give an event another address; the one it had leads on to it from now on.

    The last statement of its transaction, for the reason that `move_club` has.

    Raises:
        Conflict: slug_taken.
    """
    try:
        with transaction.atomic():
            FormerEventSlug.objects.filter(event=event, slug=slug).delete()
            FormerEventSlug.objects.create(
                club_id=event.club_id, event=event, slug=event.slug, changed_at=now
            )
            Event.objects.filter(pk=event.pk).update(slug=slug)
    except IntegrityError as taken:
        raise Conflict(Problem("slug_taken", ("slug",), {"slug": slug})) from taken
    event.slug = slug
    require_not_former_event(event)
