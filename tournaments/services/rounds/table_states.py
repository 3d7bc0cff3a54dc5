"""Whether the state of an event, a round and a table allows hands and acts at the table."""

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.hands import Game, Hand
from tournaments.policy import Actor
from tournaments.services.access.permissions import require_role
from tournaments.services.events.states import require_running


def require_open(actor: Actor, role: str, game: Game) -> None:
    """Let sheets be written while their round is played, and afterwards by whom may correct them.

    The rounds of a play-off are played although the event is closed.

    Raises:
        Conflict: event_not_open, round_is_draft.
        Forbidden: correct_closed.
    """
    round_ = game.table.round
    is_over = game.event.state == "final" and round_.state != "closed" and game.counts
    if game.event.state == "draft" or is_over:
        raise Conflict(Problem("event_not_open", facts={"state": game.event.state}))
    if round_.state == "draft":
        raise Conflict(Problem("round_is_draft", facts={"round": round_.number}))
    if round_.state == "closed" or (game.event.state != "open" and game.counts):
        require_role(actor, role, "correct_closed")


def table_abandoned(code: str, number: int) -> Problem:
    """Return why a new hand of an abandoned table is refused."""
    return Problem("table_abandoned", facts={"table": code, "number": number})


def require_not_abandoned(actor: Actor, role: str, game: Game, hand: Hand | None) -> None:
    """Let nothing be added to an abandoned table; what it has may be corrected.

    Its hands score only if the director says so: one that does not count comes back through whoever
    may correct after the round.

    Args:
        hand: the one that is revised; None for a new one.

    Raises:
        Conflict: table_abandoned.
        Forbidden: correct_closed.
    """
    if game.state != "abandoned":
        return
    if hand is None:
        raise Conflict(table_abandoned(game.table.code, game.table.number))
    if hand.state != "accepted":
        require_role(actor, role, "correct_closed")


def require_ordinary(game: Game) -> None:
    """Leave the tables of play-offs to these: they are made and closed by what happens in them.

    Raises:
        Conflict: table_of_a_playoff.
    """
    if not game.counts:
        raise Conflict(Problem("table_of_a_playoff", facts={"table": game.table.code}))


def require_changeable(game: Game) -> None:
    """Let a table change its state while its event runs and its round is not closed.

    Raises:
        Conflict: event_is_over, round_is_closed.
    """
    require_running(game.event)
    if game.table.round.state == "closed":
        facts = {"round": game.table.round.number}
        raise Conflict(Problem("round_is_closed", ("state",), facts))
