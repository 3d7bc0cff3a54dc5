"""What the scorer would say of a hand that nobody has entered yet; nothing is written."""

from collections.abc import Mapping

from scoring.errors import Problem
from tournaments.domain.replay_game import TOTALS, HandRefused, replay_game
from tournaments.models.hands import Game
from tournaments.models.meetings import Seat
from tournaments.policy import Actor
from tournaments.services.access.permissions import require
from tournaments.services.hands.apply_game import counted_hands, entries_of
from tournaments.services.rules.rule_sets import rules_of


def entry_problems(
    *,
    actor: Actor,
    game: Game,
    entry: Mapping[str, object],
    number: int | None = None,
    hands: int | None = None,
) -> tuple[Problem, ...]:
    """Return why `entry` could not stand as hand `number` of the game, or as its next one.

    With number 0 it has the totals of a whole game, of `hands` hands if that is known.

    Raises:
        Forbidden: enter_hand.
    """
    require(actor, game.club, "enter_hand", table_id=game.table_id)
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    if not seats:
        return ()
    counted = counted_hands(game.hands.select_related("entry"))
    entries: dict[int, Mapping[str, object]] = dict(entries_of(counted))
    place = number if number is not None else max(entries, default=0) + 1
    try:
        replay_game(
            game=game,
            rules=rules_of(game.snapshot),
            seats=seats,
            entries=sorted({**entries, place: entry}.items()),
            new=place,
            hands_of_totals=hands,
        )
    except HandRefused as refused:
        return refused.problems if place in (TOTALS, refused.number) else ()
    return ()
