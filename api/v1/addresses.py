"""Parts of addresses and lookups that the packages of `api/v1` share."""

from typing import Final
from uuid import UUID

from django.urls import register_converter
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from api.authentication import known_caller
from api.query_parameters import NameConverter, NumberConverter, allow_only
from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.services.permissions import require

register_converter(NameConverter, "name")
register_converter(NumberConverter, "number")


CLUB: Final = "clubs/<name:club>"
HOUSE: Final = f"{CLUB}/variants/<name:house>"
VERSION: Final = f"{HOUSE}/versions/<number:number>"
WEBHOOK: Final = f"{CLUB}/webhooks/<name:webhook>"
CLAIM: Final = f"{CLUB}/claims/<uuid:claim>"
SEASON: Final = f"{CLUB}/seasons/<name:season>"
EVENT: Final = f"{CLUB}/events/<name:event>"
TABLE: Final = f"{EVENT}/tables/<name:code>"
PLAYOFF: Final = f"{EVENT}/playoffs/<number:number>"
HAND: Final = f"{TABLE}/hands/<number:number>"
LADDER: Final = f"{EVENT}/ladder"
PUBLICATION: Final = f"{EVENT}/publications/<number:number>"


def requested_club(request: Request, club: str) -> tuple[Actor, Club]:
    """Return who asks and the club, as they may see it; the address takes no parameters."""
    allow_only(request)
    actor = known_caller(request)
    return actor, get_club(actor, club)


def managed_club(actor: Actor, club: str, act: str) -> Club:
    """Return a club for somebody with the right `act` in it.

    Raises:
        Missing: club.
        NotAuthenticated: not_signed_in.
        Forbidden: `act`.
    """
    home = get_club(actor, club)
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, home, act)
    return home


def uuid_of(text: str, kind: str) -> UUID:
    """Return the id that an address has.

    Raises:
        Missing: `kind`, where it is no UUID, so that nothing can have it.
    """
    try:
        return UUID(text)
    except ValueError as odd:
        raise Missing(kind) from odd
