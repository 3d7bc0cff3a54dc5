"""The fixed cast: Olga owner, Dirk director, Hanna host, Piet player, all of Riverside; and Nora,
director of Hilltop, who must never see any of it."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib.auth.models import User
from django.test import Client

from tournaments.models.clubs import Club, Membership
from tournaments.policy import Actor, command
from tournaments.services.clubs.clubs import create_club
from tournaments.services.operations import Operation

NOW = datetime(2025, 11, 6, 21, 0, tzinfo=UTC)
"""The moment at which tests happen, unless they say another one."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Both clubs and everybody in them, as logins and as actors."""

    riverside: Club
    hilltop: Club
    users: dict[str, User]

    def actor(self, name: str) -> Actor:
        """Return the actor behind a first name, `olga` to `nora`."""
        user = self.users[name]
        return Actor("user", user_id=user.pk, name=name.capitalize())

    def operation(self, name: str, now: datetime = NOW) -> Operation:
        """Return an operation of one of them."""
        return Operation(self.actor(name), now)

    def client(self, name: str = "") -> Client:
        """Return a browser in which one of them is signed in; without a name, the public's."""
        client = Client()
        if name:
            client.force_login(self.users[name])
        return client


ROLES = {"olga": "owner", "dirk": "director", "hanna": "host", "piet": "player"}


def enter_the_cast() -> Cast:
    riverside = create_club(Operation(command("tests"), NOW), slug="riverside", name="Riverside")
    hilltop = create_club(Operation(command("tests"), NOW), slug="hilltop", name="Hilltop")
    users = {name: User.objects.create_user(name) for name in (*ROLES, "nora")}
    for name, role in ROLES.items():
        Membership.objects.create(club=riverside, user=users[name], role=role)
    Membership.objects.create(club=hilltop, user=users["nora"], role="director")
    return Cast(riverside, hilltop, users)
