"""Which button of a round's page is the next step, and so the only filled one."""

from collections.abc import Sequence

from tournaments.models.meetings import Round
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.selectors.rounds.rounds import TableCard


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
