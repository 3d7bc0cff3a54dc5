"""How a game stands: who leads, whether it is over, and what the next hand is.

Reads only. It stands among the services because the rules must be asked, and only services may
ask the engine.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from scoring.game.game import GameState, next_hand, outcome
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import begin, teams_of
from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Seat
from tournaments.selectors.hands.totals_only import hands_of_games
from tournaments.services.rules.rule_sets import rules_of

OVER: Final = frozenset({"complete", "checked", "abandoned", "final"})


@dataclass(frozen=True, slots=True)
class NextHand:
    """The hand to be dealt next: its number, the dealer's seat from 1, how cards are passed."""

    number: int
    dealer: int
    passing: str | None


@dataclass(frozen=True, slots=True)
class GameStanding:
    """A game as it stands now; seats from 1. `next` is None once the game is over."""

    hands: int
    finished: bool
    winners: tuple[int, ...]
    losers: tuple[int, ...]
    leaders: tuple[int, ...]
    next: NextHand | None
    may_go_on: bool = True
    """Whether a further hand can be entered; not where the rules have ended the game."""


def game_standing(event: Event, code: str) -> GameStanding:
    """Return how the game at the table `code` stands, in two queries.

    A game that a person closed, or that lasts a number of hands, is won by those who lead then;
    nobody is named as its loser, because the rules' own end was not reached.

    Raises:
        Missing: the event has no table under that code.
    """
    games = Game.objects.select_related("snapshot").filter(event=event, table__code=code)
    game = games.first()
    if game is None:
        raise Missing("table", {"table": code})
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    return standing_of(event, game, seats)


def standing_of(event: Event, game: Game, seats: Sequence[Seat]) -> GameStanding:
    """Return how `game`, whose seats are `seats`, stands as it is in memory.

    No query, unless totals stand in the place of hands: they say how many they stand for.
    """
    rules = rules_of(game.snapshot)
    state = (
        GameState.from_json(rules, game.progress)
        if game.progress
        else begin(
            rules,
            len(seats),
            teams=teams_of(seats, rules),
            chips=settings_of(event).start_totals,
        )
    )
    found = outcome(rules, state)
    hands = game.hands_counted
    if hands and not state.deals:
        hands = hands_of_games([game.pk]).get(game.pk) or 0
    sides = state.teams if found.by_side or rules.keys.teams.mode == "pooled" else None
    by_rule = found.finished and game.counts and not settings_of(event).is_open_ended
    over = by_rule or game.state in OVER
    leaders = _seats(found.leaders, sides) if game.hands_counted else ()
    coming = None if over else next_hand(rules, state)
    return GameStanding(
        hands=hands,
        finished=over,
        winners=_seats(found.winners, sides) if by_rule else leaders if over else (),
        losers=_seats(found.losers, sides) if by_rule else (),
        leaders=leaders,
        next=NextHand(coming.number, coming.dealer + 1, coming.passing) if coming else None,
        may_go_on=not by_rule,
    )


def _seats(indices: Iterable[int], sides: Sequence[Sequence[int]] | None) -> tuple[int, ...]:
    """Return the seat numbers of seats, or of the sides that the indices name."""
    if sides is None:
        return tuple(sorted(index + 1 for index in indices))
    return tuple(sorted(seat + 1 for index in indices for seat in sides[index]))
