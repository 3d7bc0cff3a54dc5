"""Seating a table by its first sheet, where nobody was told before who plays there (open stage)."""

from collections.abc import Iterator, Sequence

from scoring.errors import Problem
from tournaments.models.clubs import Player
from tournaments.models.hands import Game
from tournaments.models.meetings import Seat
from tournaments.selectors.clubs.merged_players import current_ids
from tournaments.services.events.comparability import comparing_problems
from tournaments.services.events.events import enter_players
from tournaments.services.rounds.seating import store_sittings
from tournaments.services.rules.rule_sets import rules_of


def seat_by_sheet(*, game: Game, players: Sequence[str] | None) -> Sequence[Problem]:
    """Seat the people whom a sheet names, clockwise from seat 1, in the caller's transaction.

    Returns:
        Why they cannot be seated, all of it; nobody is seated then.

    Raises:
        Conflict: player_already_seated at another table of the round.
    """
    if players is None:
        return [Problem("players_needed", ("players",))]
    players = current_ids(game.club_id, players) or players
    known = {
        player.player_id: player
        for player in Player.objects.filter(club_id=game.club_id, player_id__in=players)
    }
    problems = [*_counted(game, players), *_named(players, known)]
    if not problems:
        seated = [known[player_id] for player_id in players]
        store_sittings(game.table, game.table.round, seated, rules_of(game.snapshot))
        enter_players(event=game.event, players=seated)
    return problems


def _counted(game: Game, players: Sequence[str]) -> Iterator[Problem]:
    seats = Seat.objects.filter(table_id=game.table_id).count()
    least, most = (seats, seats) if seats else rules_of(game.snapshot).keys.players
    if not least <= len(players) <= most:
        facts = {"found": len(players), "least": least, "most": most}
        yield Problem("seat_count", ("players",), facts)
        return
    yield from comparing_problems(
        event=game.event, rules=game.snapshot, seats=len(players), but=(game,)
    )


def _named(players: Sequence[str], known: dict[str, Player]) -> Iterator[Problem]:
    for index, player_id in enumerate(players):
        if player_id not in known:
            yield Problem("unknown_player", ("players", index), {"player": player_id})
        elif player_id in players[:index]:
            facts = {"player": known[player_id].name, "player_id": player_id}
            yield Problem("same_player_twice", ("players", index), facts)
