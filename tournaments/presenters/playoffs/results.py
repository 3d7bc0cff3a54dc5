"""What play-offs have decided, as the criterion of the standings that it is.

Rankings of an event use this; only finished play-offs count, and void ones never do.
"""

from collections.abc import Mapping

from scoring.playoffs.boundaries import ranks
from scoring.standings.tie_breaks import PlayedOff
from tournaments.models.events import Event
from tournaments.models.playoffs import OVER, Playoff


def playoff_results(event: Event) -> tuple[Mapping[str, PlayedOff], ...]:
    """Return for each finished play-off of an event what its members made, by code; one query.

    Those of one tier share the place, so that they stay tied. A play-off of a tie at a table
    decides the places there alone (`services/events/table_ties.py`).
    """
    finished = Playoff.objects.filter(event=event, state__in=OVER, result__isnull=False)
    return tuple(
        _places(playoff.result)
        for playoff in finished.order_by("number")
        if playoff.result is not None and not playoff.is_of_table
    )


def _places(result: Mapping[str, object]) -> dict[str, PlayedOff]:
    order, made = result["order"], result["made"]
    if not isinstance(order, list) or not isinstance(made, Mapping):
        raise TypeError("a stored result is not one")
    return {code: PlayedOff(at, tuple(made.get(code, ()))) for code, at in ranks(order).items()}
