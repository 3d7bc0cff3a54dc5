"""What a table is worth to each player, in the unit of the standings."""

from collections.abc import Mapping

from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import settings_of
from tournaments.domain.figures import exact_json
from tournaments.models.events import EntrantMember, Event
from tournaments.models.standings import Contribution
from tournaments.selectors.standings.counted_values import WORTH, worth_of


def get_table_values(event: Event, code: str) -> Mapping[str, int | str | None]:
    """Return what a table adds by player id; None where it is not known. Two queries."""
    metric = PRIMARIES[settings_of(event).games_ranked_by]
    rows = Contribution.objects.filter(event=event, game__table__code=code)
    by_entrant = {}
    for entrant, *worth in rows.values_list("entrant_id", *WORTH):
        value = metric.worth(worth_of(worth))
        by_entrant[entrant] = exact_json(value) if value is not None else None
    members = EntrantMember.objects.filter(event=event, entrant__in=by_entrant)
    values = {}
    for player_id, entrant in members.values_list("player__player_id", "entrant_id"):
        values[player_id] = by_entrant[entrant]
    return values
