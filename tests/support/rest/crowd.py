"""An event with more entrants than a page of a list."""

from tournaments.domain.people.public_names import new_player
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, EntrantMember
from tournaments.models.standings import Aggregate


def crowd(club: Club, event_id: int, size: int) -> None:
    """Enter `size` players with one game each."""
    people = Player.objects.bulk_create(
        new_player(club=club, player_id=f"C{n:03d}", name=f"Player {n}") for n in range(size)
    )
    entrants = Entrant.objects.bulk_create(
        Entrant(club=club, event_id=event_id, code=each.player_id) for each in people
    )
    EntrantMember.objects.bulk_create(
        EntrantMember(club=club, event_id=event_id, entrant=entrant, player=player)
        for entrant, player in zip(entrants, people, strict=True)
    )
    Aggregate.objects.bulk_create(
        Aggregate(club=club, event_id=event_id, entrant=each, games=1, hands=9, points=360360 * n)
        for n, each in enumerate(entrants)
    )
