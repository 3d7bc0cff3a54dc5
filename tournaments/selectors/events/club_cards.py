"""The list of clubs on the front page of the site."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from tournaments.models.clubs import ClubFront
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import clubs_for
from tournaments.selectors.events.next_evenings import local_day, next_by_club


@dataclass(frozen=True, slots=True)
class ClubCard:
    """One line of the list of clubs: when and where it plays, and its next evening."""

    slug: str
    name: str
    is_public: bool
    when_where: str
    welcomes_visitors: bool
    next_on: date | None
    is_today: bool


def club_cards(actor: Actor, now: datetime) -> Sequence[ClubCard]:
    """Return the clubs that `actor` may know of, by name; three queries."""
    clubs = list(clubs_for(actor))
    fronts = {one.pk: one for one in ClubFront.objects.filter(club__in=clubs).defer("about")}
    ahead = next_by_club(actor, clubs, now)
    cards = []
    for club in clubs:
        front, next_on = fronts.get(club.pk, ClubFront()), ahead.get(club.pk)
        cards.append(
            ClubCard(
                slug=club.slug,
                name=club.name,
                is_public=club.is_public,
                when_where=front.when_where,
                welcomes_visitors=front.welcomes_visitors,
                next_on=next_on,
                is_today=next_on == local_day(club, now),
            )
        )
    return tuple(cards)
