"""The example of a rule sheet: the last evening of an event, as it counts for who won it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.db.models import Exists, OuterRef

from tournaments.domain.figures import place_text
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Contribution
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.standings.counted_values import list_counted_values, list_table_values
from tournaments.selectors.standings.evening_screen import view_of_evening
from tournaments.selectors.standings.evenings import (
    EveningOfLadder,
    NothingOfEvening,
    evening_table,
)
from tournaments.selectors.standings.publications import current_publication
from tournaments.selectors.standings.standings_view import (
    StandingsRow,
    StandingsView,
    standings_view,
)

MOST_TRIED: Final = 3
"""Evenings that are looked at for one with a table: that of the last one may be being made."""


@dataclass(frozen=True, slots=True)
class ExampleTable:
    """A table of the evening: the place there, and what it is worth."""

    round_number: int
    table_number: int
    place: str
    value: int | str | None
    counts: bool


@dataclass(frozen=True, slots=True)
class RuleExample:
    """An evening, as it counts for the best of those who compete in the season.

    Values are in the unit of the evening, which is `value_name`; the total is in that of the
    standings. `points` are those for the place of the evening, where it gives any. The player has
    `n_values` results, of which `n_counted` count. `place` and `total` are those of the standings;
    the place is empty without one. `place_among_members` is that of the evening without its guests,
    by which the points go; empty where nobody was a guest or no points are given.
    """

    day: date
    name: str
    value_name: str
    points: int | str | None
    season_value_name: str
    value: int | str | None
    evening_place: str
    place_among_members: str
    tables: Sequence[ExampleTable]
    n_values: int
    n_counted: int
    place: str
    total: int | str | None


def find_rule_example(event: Event) -> RuleExample | None:
    """Return the last evening that has a table of its own; None before there is one.

    Twelve queries at most.
    """
    played = Game.objects.filter(
        table__round__meeting=OuterRef("pk"), counts=True, hands_counted__gt=0
    )
    meetings = Meeting.objects.filter(Exists(played), event=event).order_by("-date")
    for meeting in meetings[:MOST_TRIED]:
        try:
            table = evening_table(event, meeting)
        except (NothingOfEvening, EveningOfLadder):
            continue
        if not table.is_own:
            return None
        view = view_of_evening(table)
        for row in view.rows:
            if not row.is_guest:
                return _example(event, meeting, view, row)
    return None


def _example(
    event: Event, meeting: Meeting, view: StandingsView, row: StandingsRow
) -> RuleExample | None:
    entrant = get_entrant(event, row.entrant_id)
    values = list_counted_values(event, entrant)
    worth = {value.table: value for value in list_table_values(event, entrant)}
    of_evening = f"evening:{meeting.date.isoformat()}"
    points = next((value.value for value in values if value.key == of_evening), None)
    contributions = Contribution.objects.filter(
        event=event, entrant=entrant, game__table__round__meeting=meeting
    ).order_by("game__table__round__number", "game__table__number")
    tables = []
    columns = ("game__table__code", "place", "shared")
    for code, table_place, shared in contributions.values_list(*columns):
        value = worth[code]
        tables.append(
            ExampleTable(
                round_number=value.round_number,
                table_number=value.table_number,
                place=place_text(table_place, is_tied=shared > 1),
                value=value.value,
                counts=value.counts,
            )
        )
    publication = current_publication(event)
    in_season = None
    season_value_name = ""
    if publication is not None:
        season = standings_view(publication)
        in_season = season.row_of(row.entrant_id)
        season_value_name = str(season.columns[0].head)
    place = ""
    total = None
    if in_season is not None and in_season.facts["rank"] is not None:
        place = in_season.place
        total = in_season.cells[0].number
    return RuleExample(
        day=meeting.date,
        name=row.name,
        value_name=str(view.columns[0].head),
        points=points,
        season_value_name=season_value_name,
        value=row.cells[0].number,
        evening_place=row.place,
        place_among_members="" if points is None else _place_among_members(view, row),
        tables=tables,
        n_values=len(values),
        n_counted=sum(value.counts for value in values),
        place=place,
        total=total,
    )


def _place_among_members(view: StandingsView, best: StandingsRow) -> str:
    """Return the place of the best member of an evening without its guests; "" if it has none."""
    members = [row for row in view.rows if not row.is_guest]
    if len(members) == len(view.rows):
        return ""
    ranks = [row.facts["rank"] for row in members]
    return place_text(1, is_tied=ranks.count(best.facts["rank"]) > 1)
