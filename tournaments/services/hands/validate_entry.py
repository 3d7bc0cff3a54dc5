"""What the scorer would say of a hand that nobody has entered yet; nothing is written."""

from collections.abc import Mapping

from scoring.entry.entry import StoredEntry
from scoring.errors import Problem
from tournaments.domain.replay_game import HandRefused
from tournaments.models.hands import Game
from tournaments.models.meetings import Seat
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.hands.apply_game import hands_that_count, play_through
from tournaments.services.rules.rule_sets import rules_of


def entry_problems(
    *, actor: Actor, game: Game, entry: Mapping[str, object], number: int | None = None
) -> tuple[Problem, ...]:
    """Return why `entry` could not stand as hand `number` of the game, or as its next one.

    Raises:
        Forbidden: enter_hand.
    """
    require(actor, game.club, "enter_hand", table_id=game.table_id)
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    if not seats:
        return ()
    hands: dict[int, Mapping[str, object]] = {
        hand.number: StoredEntry(hand.entry.typed) for hand in hands_that_count(game) if hand.entry
    }
    place = number if number is not None else max(hands, default=0) + 1
    try:
        play_through(
            game=game,
            rules=rules_of(game.snapshot),
            seats=seats,
            typed=sorted({**hands, place: entry}.items()),
            new=place,
        )
    except HandRefused as refused:
        return refused.problems if refused.number == place else ()
    return ()
