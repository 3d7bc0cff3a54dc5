"""Which button of a director's page is the next step, and so the only filled one."""

from collections.abc import Sequence

from tournaments.models.events import Event, EventKind
from tournaments.models.meetings import Round
from tournaments.selectors.rounds.rounds import TableCard
from tournaments.services.rounds.rounds import OVER


def step_of_round(round_: Round, cards: Sequence[TableCard], *, is_running: bool) -> str:
    """Return the next step of a round: `seat`, `enter`, `new_round`, `look`, or a state.

    Sheets are entered until every table is over; only then the round closes.
    """
    if round_.state == "closed":
        return "new_round" if is_running else "look"
    if not is_running:
        return "look"
    if not cards:
        return "seat"
    if round_.state == "draft":
        return "posted"
    if round_.state == "playing" and all(card.state in OVER for card in cards):
        return "closed"
    return "enter"


def step_of_event(event: Event, rounds: Sequence[Round], offered: Sequence[str]) -> str:
    """Return the next step of an event: `round:N`, `new_round`, `ladder`, `next`, or a state.

    Args:
        rounds: its rounds, the newest first or last.
        offered: the states that the reader may take it to now.
    """
    if event.state == "draft" and "open" in offered:
        return "open"
    if event.state in ("draft", "open"):
        if event.kind == EventKind.LADDER:
            return "ladder"
        begun = [one.number for one in rounds if one.state != "closed"]
        return f"round:{min(begun)}" if begun else "new_round"
    if event.state == "closed":
        return "final" if "final" in offered else "standings"
    return "ladder" if event.kind == EventKind.LADDER else "next"
