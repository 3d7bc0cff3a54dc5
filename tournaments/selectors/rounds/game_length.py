"""How many hands a game has where that is fixed: by the event's settings, or by its boards."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tournaments.domain.board_movement import boards_at
from tournaments.domain.event_settings import settings_of
from tournaments.models.deals import Board
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Table


def hands_of_game(game: Game) -> int | None:
    """Return how many hands a game has; None where that is open, or the rules end it.

    Two queries in a duplicate event that fixes no number of hands, none elsewhere.
    """
    return hands_of_games_in(game.event, [game])[game.pk]


def hands_of_games_in(event: Event, games: Sequence[Game]) -> Mapping[int, int | None]:
    """Return how many hands each of some games of an event has, by the primary key of the game.

    In a duplicate event that fixes no number of hands, a game has as many as its table has boards
    in its round. A game that does not count has no fixed number. Two queries at most.
    """
    settings = settings_of(event)
    counting = [game for game in games if game.counts]
    found: dict[int, int | None] = dict.fromkeys(game.pk for game in games)
    if settings.hands is not None or not settings.duplicate:
        return found | {game.pk: settings.hands for game in counting}
    tables = Table.objects.filter(pk__in=[game.table_id for game in counting])
    places = {
        pk: (round_, table)
        for pk, round_, table in tables.values_list("pk", "round__number", "number")
    }
    boards = list(Board.objects.filter(event=event).select_related("deal").order_by("number"))
    for game in counting:
        found[game.pk] = len(boards_at(boards, *places[game.table_id])) or None
    return found


def hands_of_most_games(event: Event) -> int | None:
    """Return how many hands the games of an event have; None where that is open.

    In a duplicate event that fixes no number of hands, as many as the most boards that a table has
    in a round; one query there.
    """
    settings = settings_of(event)
    if settings.hands is not None or not settings.duplicate:
        return settings.hands
    boards = Board.objects.filter(event=event).values_list("deal", "round", "board_set")
    of_tables = Counter(
        (deal, board_set) if round_ is None else round_
        for deal, round_, board_set in boards
        if (round_, board_set) != (None, None)
    )
    return max(of_tables.values(), default=None)
