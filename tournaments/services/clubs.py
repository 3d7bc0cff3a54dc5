"""Making clubs, giving roles, keeping the club's list of people."""

import re
import zoneinfo
from datetime import date, datetime

from django.db import IntegrityError, transaction

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, Membership, Player
from tournaments.policy import Actor
from tournaments.services.audit import append_audit
from tournaments.services.permissions import require

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@transaction.atomic
def create_club(
    *, actor: Actor, slug: str, name: str, now: datetime, time_zone: str = "UTC"
) -> Club:
    """Make a club; an actor with an account becomes its owner.

    Raises:
        Refused: bad_slug, bad_time_zone.
        Conflict: slug_taken.
    """
    problems = slug_problems(slug)
    if time_zone not in zoneinfo.available_timezones():
        problems.append(Problem("bad_time_zone", ("time_zone",), {"zone": time_zone}))
    if problems:
        raise Refused(*problems)
    try:
        with transaction.atomic():
            club = Club.objects.create(slug=slug, name=name, time_zone=time_zone, created_at=now)
    except IntegrityError as taken:
        raise Conflict(Problem("slug_taken", ("slug",), {"slug": slug})) from taken
    if actor.user_id is not None:
        Membership.objects.create(club=club, user_id=actor.user_id, role="owner")
    append_audit(
        club=club, actor=actor, act="create_club", subject=f"club:{slug}", facts={}, now=now
    )
    return club


def slug_problems(slug: str) -> list[Problem]:
    """Return what is wrong with a slug: small letters, digits and hyphens, at most 60."""
    if SLUG.fullmatch(slug) and len(slug) <= 60:
        return []
    return [Problem("bad_slug", ("slug",), {"slug": slug})]


@transaction.atomic
def give_role(*, actor: Actor, club: Club, user_id: int, role: str, now: datetime) -> Membership:
    """Give a login a role in the club, replacing the one it had.

    Raises:
        Forbidden: manage_club.
    """
    require(actor, club, "manage_club")
    membership, _ = Membership.objects.update_or_create(
        club=club, user_id=user_id, defaults={"role": role}
    )
    append_audit(
        club=club,
        actor=actor,
        act="give_role",
        subject=f"user:{user_id}",
        facts={"role": role},
        now=now,
    )
    return membership


@transaction.atomic
def add_player(
    *,
    actor: Actor,
    club: Club,
    name: str,
    now: datetime,
    player_id: str = "",
    joined: date | None = None,
) -> Player:
    """Add a person to the club's list; without an id the next free number P0001 … is given.

    Raises:
        Forbidden: edit_players.
        Conflict: player_id_taken.
    """
    require(actor, club, "edit_players")
    code = player_id or next_player_id(club)
    try:
        with transaction.atomic():
            player = Player.objects.create(club=club, player_id=code, name=name, joined=joined)
    except IntegrityError as taken:
        raise Conflict(Problem("player_id_taken", ("player_id",), {"player_id": code})) from taken
    append_audit(
        club=club, actor=actor, act="add_player", subject=f"player:{code}", facts={}, now=now
    )
    return player


def next_player_id(club: Club) -> str:
    """Return the first free number of the form P0001 in the club."""
    taken = set(
        Player.objects.filter(club=club, player_id__startswith="P").values_list(
            "player_id", flat=True
        )
    )
    number = 1
    while f"P{number:04d}" in taken:
        number += 1
    return f"P{number:04d}"
