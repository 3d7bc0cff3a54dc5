"""Preview each answer about a finished play-off or a cut, by applying it and rolling back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict, problems_of
from tournaments.models.events import Event, Stage
from tournaments.models.playoffs import Playoff
from tournaments.models.rounds import Table
from tournaments.selectors.standings.publications import stored_publication
from tournaments.selectors.standings.standings_view import StandingsRow, standings_view
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import dry_run
from tournaments.services.operations import Operation
from tournaments.services.playoffs.director_actions import ANSWERS, answer_playoff
from tournaments.services.previewing.diff import (
    CutChange,
    PlayoffChange,
    RowChange,
    codes_of,
    rank_in,
)
from tournaments.services.previewing.documents import AnswerPreviewDocument
from tournaments.services.previewing.run_preview import (
    MOST_ROWS,
    as_laid_out,
    hidden_names,
    row_changes,
)
from tournaments.services.previewing.snapshot import (
    cut_changes,
    playoff_changes,
    publication_numbers,
    ties_in_dry_run,
    ties_stored,
)
from tournaments.services.publishing.rank_and_render import standings_as_stored
from tournaments.services.stages.cuts import ANSWERS as ANSWERS_ABOUT_CUTS
from tournaments.services.stages.cuts import answer_cut

STAND_IN: Final = "–"
"""The reason that an answer is tried with."""


@dataclass(frozen=True, slots=True)
class AnswerPreview:
    """Effects of an answer on the published standings, play-offs and cuts; `tables` are removed."""

    answer: str
    rows: tuple[RowChange, ...]
    n_rows: int
    n_moved: int
    head: str
    playoffs: tuple[PlayoffChange, ...]
    publication: int | None
    publication_then: int | None
    cuts: tuple[CutChange, ...] = ()
    tables: tuple[str, ...] = ()
    unbroken: Sequence[tuple[int, int, Sequence[str]]] = ()
    """Ties that the result does not break: the place, how many share it, and the names of those
    that did not play in the play-off."""

    @property
    def touched_cuts(self) -> tuple[CutChange, ...]:
        return tuple(cut for cut in self.cuts if cut.what == "redone")

    @property
    def touched(self) -> tuple[PlayoffChange, ...]:
        return tuple(
            playoff for playoff in self.playoffs if playoff.what not in ("kept", "answered")
        )

    @property
    def n_more(self) -> int:
        return self.n_rows - len(self.rows)

    def as_json(self) -> AnswerPreviewDocument:
        return {
            "answer": self.answer,
            "rows": {
                "changed": self.n_rows,
                "places": self.n_moved,
                "results": [row.as_json() for row in self.rows],
            },
            "playoffs": [playoff.as_json() for playoff in self.playoffs],
            "cuts": [cut.as_json() for cut in self.cuts],
            "tables": list(self.tables),
            "publication": {"before": self.publication, "after": self.publication_then},
        }


def answers_about(op: Operation, event: Event, number: int) -> tuple[AnswerPreview, ...]:
    """Return what each answer about a play-off would do; nothing is stored."""

    def give(answer: str) -> object:
        return answer_playoff(op, event, number=number, answer=answer, reason=STAND_IN)

    return tuple(_try_answer(event, answer, give, op.now, playoff=number) for answer in ANSWERS)


def answers_about_cut(op: Operation, stage: Stage) -> dict[str, AnswerPreview | Problem]:
    """Return for each answer about a cut its effects, or why it is refused; nothing is stored."""

    def give(answer: str) -> object:
        return answer_cut(op, stage, answer=answer, reason=STAND_IN)

    previews: dict[str, AnswerPreview | Problem] = {}
    for answer in ANSWERS_ABOUT_CUTS:
        try:
            previews[answer] = _try_answer(stage.event, answer, give, op.now)
        except (Conflict, Refused) as refusal:
            previews[answer] = problems_of(refusal)[0]
    return previews


def _try_answer(
    event: Event,
    answer: str,
    give: Callable[[str], object],
    now: datetime,
    *,
    playoff: int | None = None,
) -> AnswerPreview:
    """Return the effects of an answer; `playoff` is the number of the one it is about."""
    newest = stored_publication(event)
    ties = ties_stored(event)
    tables = _list_table_codes(event)
    with dry_run():
        lock_event(event)
        give(answer)
        removed = tables - _list_table_codes(event)
        ties_then = ties_in_dry_run(event, now=now)
        after = standings_as_stored(event.pk)
    then = as_laid_out(after)
    before = standings_view(newest, is_full=True) if newest is not None else then
    rows, _n_same = row_changes(before, then, hidden_names(event))
    published, published_then = publication_numbers(newest, is_same=before.digest == then.digest)
    return AnswerPreview(
        answer=answer,
        rows=tuple(sorted(rows[:MOST_ROWS], key=attrgetter("order"))),
        n_rows=len(rows),
        n_moved=sum(row.place != row.place_then for row in rows),
        head=str(then.columns[0].head),
        playoffs=playoff_changes(ties, ties_then),
        publication=published,
        publication_then=published_then,
        cuts=cut_changes(ties, ties_then),
        tables=tuple(sorted(removed)),
        unbroken=_unbroken(ties.playoffs[playoff], then.rows)
        if answer == "keep" and playoff is not None and playoff in ties.playoffs
        else (),
    )


def _unbroken(playoff: Playoff, rows: Sequence[StandingsRow]) -> list[tuple[int, int, list[str]]]:
    members = codes_of(playoff)
    places: dict[int, list[StandingsRow]] = {}
    for row in rows:
        if (place := rank_in(row.facts)) is not None:
            places.setdefault(place, []).append(row)
    ties = []
    for place, level in sorted(places.items()):
        names = [row.name for row in level if row.entrant_id not in members]
        if names and len(names) < len(level):
            ties.append((place, len(level), names))
    return ties


def _list_table_codes(event: Event) -> set[str]:
    return set(Table.objects.filter(event=event).values_list("code", flat=True))
