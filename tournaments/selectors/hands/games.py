"""The length and the standing of a game, and which sheets have totals only.

A sheet with totals counts as the number of hands it states, or as an unknown number.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from django.db.models import F, Min, QuerySet, Sum
from django.db.models.functions import Coalesce

from scoring.game.game import GameState, next_hand, outcome
from scoring.json_types import JsonDict
from tournaments.domain.board_movement import boards_at
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import TOTALS, begin, beyond_length, teams_of
from tournaments.errors import first_or_missing
from tournaments.models.boards import Board
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand, HandState
from tournaments.models.rounds import Round, Seat, Table
from tournaments.models.standings import Contribution
from tournaments.selectors.clubs.clubs import readable_rounds
from tournaments.selectors.rules.rule_sets import rules_of

OVER: Final = frozenset({"complete", "checked", "abandoned", "final"})
"""States of a game that is over."""


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
    lengths: dict[int, int | None] = dict.fromkeys(game.pk for game in games)
    if settings.hands is not None or not settings.duplicate:
        for game in counting:
            lengths[game.pk] = settings.hands
        return lengths

    tables = Table.objects.filter(pk__in=[game.table_id for game in counting])
    places: dict[int, tuple[int, int]] = {}
    for table_id, round_number, table_number in tables.values_list("pk", "round__number", "number"):
        places[table_id] = (round_number, table_number)

    boards = list(Board.objects.filter(event=event).select_related("deal").order_by("number"))
    for game in counting:
        round_number, table_number = places[game.table_id]
        n_boards = len(boards_at(boards, round_number, table_number))
        if n_boards:
            lengths[game.pk] = n_boards
    return lengths


def hands_of_most_games(event: Event) -> int | None:
    """Return how many hands the games of an event have; None where that is open.

    In a duplicate event that fixes no number of hands, as many as the most boards that a table has
    in a round; one query there.
    """
    settings = settings_of(event)
    if settings.hands is not None or not settings.duplicate:
        return settings.hands

    # A board stays in its round, moves with the set of its deal, or belongs to no round.
    n_boards_in_round: Counter[int] = Counter()
    n_boards_in_set: Counter[tuple[int, int]] = Counter()
    boards = Board.objects.filter(event=event)
    for deal_id, round_number, board_set in boards.values_list("deal", "round", "board_set"):
        if round_number is not None:
            n_boards_in_round[round_number] += 1
        elif board_set is not None:
            n_boards_in_set[deal_id, board_set] += 1
    return max([*n_boards_in_round.values(), *n_boards_in_set.values()], default=None)


def next_number(event: Event, states: Mapping[int, str], *, counts: bool = True) -> int:
    """Return the number of a game's next hand; `states` has number → state of its hands.

    It is the one after the last hand, or a missing one where the event's length allows no more.
    """
    following = max(states, default=0) + 1
    if not counts:
        return following
    settings = settings_of(event)
    for number in (following, *missing_numbers(states)):
        if not beyond_length(settings, number, states, n=None):
            return number
    return following


def missing_numbers(numbers: Iterable[int]) -> tuple[int, ...]:
    """Return the numbers below the last hand's that no hand has, deleted ones included."""
    present = set(numbers)
    return tuple(sorted({*range(1, max(present, default=0))} - present))


def sheets_of(event: Event) -> QuerySet[Hand]:
    """Return the sheets with totals only of the event's games that count, each stored as a hand."""
    hands = Hand.objects.filter(number=TOTALS, state=HandState.ACCEPTED)
    return hands.filter(game__event=event, game__counts=True)


def extra_hands(event: Event) -> dict[int, int]:
    """Return the extra hands covered by the event's sheets with totals, by round; one query.

    Each sheet is stored as one hand: four hands add three, an unknown number subtracts one.
    """
    rows = sheets_of(event).order_by().values("game__table__round__number")
    rounds = rows.annotate(extra=Sum(Coalesce(F("hands"), 0) - 1))
    return dict(rounds.values_list("game__table__round__number", "extra"))


def first_rounds_without_moons(
    event: Event, rounds: Collection[int] | None = None
) -> dict[str, int]:
    """Return entrants with a table whose moons are unknown: code → its first round; one query."""
    rows = Contribution.objects.filter(event=event, game__in=sheets_of(event).values("game"))
    if rounds is not None:
        rows = rows.filter(game__table__round__number__in=rounds)
    first = rows.order_by().values("entrant__code").annotate(n=Min("game__table__round__number"))
    return dict(first.values_list("entrant__code", "n"))


def hands_of_games(games: Collection[int]) -> Mapping[int, int | None]:
    """Return the numbers of hands that sheets with totals only state, by game; None if unknown.

    Games that were entered hand by hand are left out.
    """
    hands = Hand.objects.filter(number=TOTALS, state=HandState.ACCEPTED, game__in=games)
    return dict(hands.values_list("game_id", "hands"))


def hands_in_rounds(rounds: QuerySet[Round]) -> Mapping[int, int | None]:
    """Return the same as `hands_of_games` for all games of some rounds."""
    hands = Hand.objects.filter(number=TOTALS, state=HandState.ACCEPTED)
    return dict(hands.filter(game__table__round__in=rounds).values_list("game_id", "hands"))


def known_moons(moons: int, *, is_unknown: bool) -> int | None:
    """Return how many moons are known; None where none is and some table does not tell."""
    if is_unknown and moons == 0:
        return None
    return moons


def seats_of_game(game: Game) -> list[Seat]:
    return list(Seat.objects.filter(table=game.table_id).order_by("number"))


def game_standing(event: Event, code: str) -> JsonDict:
    """Return the standing of the game at the table `code`, as REST shows it; two queries."""
    games = Game.objects.select_related("snapshot").filter(event=event, table__code=code)
    games = games.filter(readable_rounds(event, "table__round__"))
    game = first_or_missing(games, "table", table=code)
    return standing_of_game(event, game, seats_of_game(game))


def standing_of_game(event: Event, game: Game, seats: Sequence[Seat]) -> JsonDict:
    """Return the standing of `game` with `seats`, from the objects in memory; seats from 1.

    The leaders win a game that was closed by hand or lasts a number of hands; it has no loser,
    because the end of the rules was not reached. `next` is the hand to be dealt next, None once the
    game is over; `may_go_on`: the rules have not ended it. No query, except for the number of hands
    of a sheet with totals only.
    """
    rules = rules_of(game.snapshot)
    settings = settings_of(event)
    if game.progress:
        state = GameState.from_json(rules, game.progress)
    else:
        teams = teams_of(seats, rules)
        state = begin(rules, len(seats), teams=teams, chips=settings.start_totals)
    result = outcome(rules, state)

    n_hands = game.hands_counted
    if n_hands and not state.deals:
        # Totals are one hand that counts, and the engine has dealt none for them.
        n_hands = hands_of_games([game.pk]).get(game.pk) or 0

    sides = None
    if result.by_side or rules.keys.teams.mode == "pooled":
        sides = state.teams
    leaders: tuple[int, ...] = ()
    if game.hands_counted:
        leaders = _seats(result.leaders, sides)

    is_ended_by_rules = result.finished and game.counts and not settings.is_open_ended
    is_over = is_ended_by_rules or game.state in OVER
    winners: tuple[int, ...] = ()
    losers: tuple[int, ...] = ()
    if is_ended_by_rules:
        winners = _seats(result.winners, sides)
        losers = _seats(result.losers, sides)
    elif is_over:
        winners = leaders

    coming = None
    if not is_over:
        hand = next_hand(rules, state)
        coming = {**hand._asdict(), "dealer": hand.dealer + 1}
    return {
        "hands": n_hands,
        "finished": is_over,
        "winners": winners,
        "losers": losers,
        "leaders": leaders,
        "next": coming,
        "may_go_on": not is_ended_by_rules,
    }


def _seats(indices: Iterable[int], sides: Sequence[Sequence[int]] | None) -> tuple[int, ...]:
    """Return seats from 1, of the indices of seats or, with `sides`, of sides."""
    if sides is None:
        return tuple(sorted(index + 1 for index in indices))
    return tuple(sorted(seat + 1 for index in indices for seat in sides[index]))
