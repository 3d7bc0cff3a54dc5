"""The stored table of a stage: its own rounds alone, as a worker made it after a publication.

A read never computes. Takes an event that `selectors.events.events.event_at` has let the actor
read.
"""

from dataclasses import dataclass

from scoring.errors import Problem
from tournaments.domain.etags import etag, mark_of
from tournaments.errors import Missing
from tournaments.models.events import Event, Stage
from tournaments.models.standings import StoredHistory
from tournaments.selectors.events.published_names import table_as_read
from tournaments.selectors.events.stages import ordinary_stages, stage_title
from tournaments.selectors.standings.history import rounds_with_history, table_as_of


class NothingInStage(Missing):
    """No hand counts in the stage, or its table is still being computed."""

    def __init__(self, stage: Stage) -> None:
        super().__init__("stage")
        facts: dict[str, int | str] = {"stage": stage_title(stage)}
        self.problem = Problem("stage_without_standings", facts=facts)


@dataclass(frozen=True, slots=True)
class StageTable:
    """The table of a stage: the JSON of docs/api.md without `publication`."""

    number: int
    digest: str
    body: bytes

    @property
    def etag(self) -> str:
        """Names exactly these bytes."""
        return etag(f"stage-{self.number}-{mark_of(self.digest)}")


def stage_to_rank(event: Event, number: int) -> Stage:
    """Return a stage that can have standings; play-offs have none of their own. One query."""
    found = next((stage for stage in ordinary_stages(event) if stage.number == number), None)
    if found is None:
        raise Missing("stage", {"stage": number})
    return found


def stage_table(event: Event, stage: Stage) -> StageTable:
    """Return the stored table of a stage; where the event has one stage, that of its last round."""
    stored = {row.key: row for row in StoredHistory.objects.filter(event=event, kind="stage")}
    found = stored.get(str(stage.number))
    if found is not None:
        body, digest = table_as_read(bytes(found.body), event)
        return StageTable(stage.number, digest, body)
    rounds = rounds_with_history(event)
    if stored or not rounds or ordinary_stages(event)[0].pk != stage.pk:
        raise NothingInStage(stage)
    last = table_as_of(event, number=rounds[-1].number)
    return StageTable(stage.number, last.digest, last.body)
