"""What each answer about a finished play-off would do, by giving it and taking it back."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

from tournaments.models.events import Event
from tournaments.policy import Actor
from tournaments.previewing.consequences import PlayoffChange
from tournaments.previewing.ties import playoff_changes, ties_in_rehearsal, ties_stored
from tournaments.previewing.told import RowChange
from tournaments.previewing.trying import MOST_ROWS, as_laid_out, row_changes
from tournaments.publishing.rendering import draft
from tournaments.selectors.standings import current_publication, laid_out
from tournaments.services.event_locks import lock_event
from tournaments.services.playoff_acts import ANSWERS, answer_playoff
from tournaments.services.rehearsals import rehearsal

STAND_IN: Final = "–"
"""The reason that an answer is tried with."""


@dataclass(frozen=True, slots=True)
class AnswerPreview:
    """What an answer would do: the rows of the standings that change from what is published, what
    becomes of play-offs, and the publication after it."""

    answer: str
    rows: tuple[RowChange, ...]
    n_rows: int
    n_moved: int
    head: str
    playoffs: tuple[PlayoffChange, ...]
    publication: int | None
    publication_then: int | None

    @property
    def touched(self) -> tuple[PlayoffChange, ...]:
        """The play-offs that it changes."""
        return tuple(one for one in self.playoffs if one.what not in ("kept", "answered"))

    @property
    def n_more(self) -> int:
        """How many rows change beyond those that are listed."""
        return self.n_rows - len(self.rows)

    def as_json(self) -> dict[str, Any]:
        """Return what REST gives."""
        return {
            "answer": self.answer,
            "rows": {
                "changed": self.n_rows,
                "places": self.n_moved,
                "results": [one.as_json() for one in self.rows],
            },
            "playoffs": [one.as_json() for one in self.playoffs],
            "publication": {"before": self.publication, "after": self.publication_then},
        }


def answers_about(
    event: Event, number: int, *, actor: Actor, now: datetime
) -> tuple[AnswerPreview, ...]:
    """Return what each answer about a play-off would do; nothing is kept of it.

    Raises:
        What `answer_playoff` raises: Forbidden, Missing, Conflict: playoff_not_asked.
    """
    return tuple(
        _tried(event, answer, _answering(event, number, answer, actor, now), now)
        for answer in ANSWERS
    )


def _answering(
    event: Event, number: int, answer: str, actor: Actor, now: datetime
) -> Callable[[], object]:
    return lambda: answer_playoff(
        actor=actor, event=event, number=number, answer=answer, reason=STAND_IN, now=now
    )


def _tried(event: Event, answer: str, give: Callable[[], object], now: datetime) -> AnswerPreview:
    newest = current_publication(event)
    ties = ties_stored(event)
    with rehearsal():
        lock_event(event)
        give()
        ties_then = ties_in_rehearsal(event, now=now)
        after = draft(Event.objects.select_related("club", "season").get(pk=event.pk))
    then = as_laid_out(after)
    before = laid_out(newest) if newest is not None else then
    rows, _n_same = row_changes(before, then)
    published = newest.number if newest is not None else None
    return AnswerPreview(
        answer=answer,
        rows=tuple(sorted(rows[:MOST_ROWS], key=attrgetter("order"))),
        n_rows=len(rows),
        n_moved=sum(one.place != one.place_then for one in rows),
        head=str(then.columns[0].head),
        playoffs=playoff_changes(ties, ties_then),
        publication=published,
        publication_then=published if before.digest == then.digest else (published or 0) + 1,
    )
