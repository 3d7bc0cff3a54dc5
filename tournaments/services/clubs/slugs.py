"""The addresses of clubs and events, and the codes of players and entrants: taken once."""

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from datetime import datetime
from itertools import count
from typing import Final

from django.db import IntegrityError, transaction

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, FormerSlug, Player
from tournaments.models.events import Entrant, EntrantKind, Event, FormerEventSlug


def taken_slugs() -> AbstractSet[str]:
    former = FormerSlug.objects.values_list("slug", flat=True)
    return {*Club.objects.values_list("slug", flat=True), *former}


def require_not_former(club: Club) -> None:
    """Let a club pass whose address, which it has by now, was never another club's.

    Asked after the address is written: whoever gives one up at this moment has done so by then.
    """
    if FormerSlug.objects.filter(slug=club.slug).exclude(club=club).exists():
        raise _slug_taken(club.slug)


def move_club(club: Club, slug: str, *, now: datetime) -> None:
    """Give a club another address; the one it had leads on to it from now on.

    The last statement of its transaction. It locks the club's row against everybody who points at
    it, as each row of a hand does when its transaction ends; and these hold the head of the audit
    chain by then (docs/decisions/0029-one-lock-order.md).
    """
    try:
        with transaction.atomic():
            FormerSlug.objects.filter(club=club, slug=slug).delete()
            FormerSlug.objects.create(club=club, slug=club.slug, changed_at=now)
            Club.objects.filter(pk=club.pk).update(slug=slug)
    except IntegrityError as duplicate:
        raise _slug_taken(slug) from duplicate
    club.slug = slug
    require_not_former(club)


def _slug_taken(slug: str) -> Conflict:
    return Conflict(Problem("slug_taken", ("slug",), {"slug": slug}))


def taken_event_slugs(club: Club) -> AbstractSet[str]:
    former = FormerEventSlug.objects.filter(club=club).values_list("slug", flat=True)
    return {*Event.objects.filter(club=club).values_list("slug", flat=True), *former}


def require_free_event_slug(event: Event, slug: str) -> None:
    """Let an event take an address that no other event of its club has or had.

    Asked before the audit trail is locked: whoever writes the row of that other event may wait for
    the trail, and is not waited for.
    """
    others = Event.objects.filter(club_id=event.club_id, slug=slug).exclude(pk=event.pk)
    former = FormerEventSlug.objects.filter(club_id=event.club_id, slug=slug)
    if others.exists() or former.exclude(event=event).exists():
        raise _slug_taken(slug)


def require_not_former_event(event: Event) -> None:
    """Let an event pass whose address, which it has by now, was never another event's.

    Asked after the address is written, as for clubs.
    """
    former = FormerEventSlug.objects.filter(club_id=event.club_id, slug=event.slug)
    if former.exclude(event=event).exists():
        raise _slug_taken(event.slug)


def change_event_slug(event: Event, slug: str, *, now: datetime) -> None:
    """Give an event another address; the one it had leads on to it from now on.

    The last statement of its transaction, for the reason that `move_club` has.
    """
    try:
        with transaction.atomic():
            FormerEventSlug.objects.filter(event=event, slug=slug).delete()
            FormerEventSlug.objects.create(
                club_id=event.club_id, event=event, slug=event.slug, changed_at=now
            )
            Event.objects.filter(pk=event.pk).update(slug=slug)
    except IntegrityError as duplicate:
        raise _slug_taken(slug) from duplicate
    event.slug = slug
    require_not_former_event(event)


LONGEST_CODE: Final = 40


def group_codes(club: Club, ids: Collection[str] | None = None) -> dict[str, str]:
    """Return the codes of the pairs and teams in the club's events, each with an event's name.

    Args:
        ids: the codes that are asked about; None for all.
    """
    groups = Entrant.objects.filter(club=club).exclude(kind=EntrantKind.PLAYER)
    if ids is not None:
        groups = groups.filter(code__in=ids)
    return dict(groups.order_by("-event_id").values_list("code", "event__name"))


def group_problem(player_id: str, groups: dict[str, str]) -> Problem | None:
    """Return what is wrong with a player id that is one of `groups` (`group_codes`), if it is."""
    if player_id not in groups:
        return None
    facts = {"player_id": player_id, "event": groups[player_id]}
    return Problem("player_id_is_a_code", ("player_id",), facts)


def code_for(event: Event, player_id: str) -> str:
    """Return the code under which a player competes alone: their id, or the next that is free."""
    return codes_for(event, [player_id])[player_id]


def codes_for(event: Event, ids: Collection[str]) -> dict[str, str]:
    """Return, by player id, the codes under which players compete alone, as `code_for` does."""
    entrants = Entrant.objects.filter(event=event)
    clashing = set(entrants.filter(code__in=ids).values_list("code", flat=True))
    if not clashing:
        return dict(zip(ids, ids, strict=True))
    codes = set(entrants.values_list("code", flat=True))
    codes |= set(Player.objects.filter(club_id=event.club_id).values_list("player_id", flat=True))
    return {
        player_id: next(code for n in count(2) if (code := numbered(player_id, n)) not in codes)
        if player_id in clashing
        else player_id
        for player_id in ids
    }


def numbered(code: str, number: int) -> str:
    """Return a code with a number behind it, cut so that it fits.

    >>> numbered("pair-1", 2)
    'pair-1-2'
    """
    tail = f"-{number}"
    return f"{code[: LONGEST_CODE - len(tail)]}{tail}"
