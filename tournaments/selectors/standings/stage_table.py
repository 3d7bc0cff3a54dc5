"""The stored table of a stage: its own rounds alone, as a worker made it after a publication.

A read never computes. Takes an event that `selectors.events.events.get_event` has let the actor
read.
"""

from dataclasses import replace

from scoring.errors import Problem
from tournaments.errors import Missing
from tournaments.models.events import Event, Stage
from tournaments.models.standings import StoredHistory
from tournaments.selectors.events.players import table_as_read
from tournaments.selectors.stages import ordinary_stages, stage_title
from tournaments.selectors.standings.history import HistoryTable, rounds_with_history, table_as_of


class NothingInStage(Missing):
    """No hand counts in the stage, or its table is still being computed."""

    def __init__(self, stage: Stage) -> None:
        super().__init__("stage")
        self.problem = Problem("stage_without_standings", facts={"stage": stage_title(stage)})


def stage_to_rank(event: Event, number: int) -> Stage:
    """Return a stage that can have standings; play-offs have none of their own. One query."""
    for stage in ordinary_stages(event):
        if stage.number == number:
            return stage
    raise Missing("stage", {"stage": number})


def stage_table(event: Event, stage: Stage) -> HistoryTable:
    """Return the stored table of a stage; where the event has one stage, that of its last round."""
    name = f"stage-{stage.number}"
    rows = {row.key: row for row in StoredHistory.objects.filter(event=event, kind="stage")}
    if (row := rows.get(str(stage.number))) is not None:
        body, digest = table_as_read(bytes(row.body), event)
        return HistoryTable(name, digest, body)
    rounds = rounds_with_history(event)
    if rows or not rounds or ordinary_stages(event)[0].pk != stage.pk:
        raise NothingInStage(stage)
    return replace(table_as_of(event, number=rounds[-1].number)[1], name=name)
