"""The demo club: its people and a sign-in. Safe again and again: what is there stays as it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.contrib.auth.models import User
from django.db import transaction

from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.meetings import Round
from tournaments.policy import Actor
from tournaments.services.clubs.clubs import add_player, create_club, give_role
from tournaments.services.events.events import create_event, move_event
from tournaments.services.imports.targets import title_of
from tournaments.services.rounds.close_tables import close_tables
from tournaments.services.rounds.rounds import move_round


@dataclass(frozen=True, slots=True)
class DemoPlayer:
    """A line of the demo's list of players."""

    player_id: str
    name: str
    joined: date


@transaction.atomic
def set_up_demo_club(
    *, actor: Actor, slug: str, people: Sequence[DemoPlayer], now: datetime
) -> tuple[Club, int]:
    """Make the demo club and its players where they are missing.

    Returns:
        The club, and how many players are new.
    """
    club = Club.objects.filter(slug=slug).first()
    if club is None:
        club = create_club(actor=actor, slug=slug, name=title_of(slug), now=now)
    known = set(Player.objects.filter(club=club).values_list("player_id", flat=True))
    new = [person for person in people if person.player_id not in known]
    for person in new:
        add_player(
            actor=actor,
            club=club,
            name=person.name,
            player_id=person.player_id,
            joined=person.joined,
            now=now,
        )
    return club, len(new)


@transaction.atomic
def set_up_demo_event(
    *,
    actor: Actor,
    club: Club,
    slug: str,
    name: str,
    kind: str,
    variant: str,
    settings: Mapping[str, object],
    now: datetime,
) -> Event:
    """Return the demo's event under `slug`, making and opening it where it is missing."""
    event = Event.objects.filter(club=club, slug=slug).select_related("club").first()
    if event is not None:
        return event
    event = create_event(
        actor=actor, club=club, slug=slug, name=name, kind=kind, variant=variant,
        settings=settings, now=now,
    )  # fmt: skip
    return move_event(actor=actor, event=event, to="open", now=now)


@transaction.atomic
def close_demo_event(*, actor: Actor, event: Event, now: datetime) -> None:
    """Close the tables and rounds of the demo's event, and the event."""
    for round_ in Round.objects.filter(event=event).exclude(state="closed").order_by("number"):
        close_tables(actor=actor, round_=round_, now=now)
        move_round(actor=actor, round_=round_, to="closed", now=now)
    move_event(actor=actor, event=event, to="closed", now=now)


@transaction.atomic
def set_up_sign_in(
    *, actor: Actor, club: Club, username: str, password: str, now: datetime
) -> bool:
    """Make a login that owns the club; returns whether `password` opens it.

    A password that a person has changed since is left alone.
    """
    user = User.objects.filter(username=username).first()
    if user is None:
        user = User.objects.create_user(username, password=password)
        give_role(actor=actor, club=club, user_id=user.pk, role="owner", now=now)
        return True
    return user.check_password(password)
