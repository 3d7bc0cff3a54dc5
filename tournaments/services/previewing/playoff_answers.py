"""What each answer about a finished play-off or a cut would do, by giving it and rolling back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.meetings import Table
from tournaments.policy import Actor
from tournaments.selectors.standings.standings import stored_publication
from tournaments.selectors.standings.standings_view import StandingsRow, standings_view
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import dry_run
from tournaments.services.playoffs.director_actions import ANSWERS, answer_playoff
from tournaments.services.previewing.diff import RowChange, rank_in
from tournaments.services.previewing.documents import AnswerPreviewDocument, RefusedAnswerDocument
from tournaments.services.previewing.other_effects import CutChange, PlayoffChange, Tie
from tournaments.services.previewing.run_preview import (
    MOST_ROWS,
    as_laid_out,
    hidden_names,
    row_changes,
)
from tournaments.services.previewing.snapshot import (
    cut_changes,
    playoff_changes,
    ties_in_dry_run,
    ties_stored,
)
from tournaments.services.publishing.standings import draft_standings
from tournaments.services.stages.cuts import ANSWERS as ANSWERS_ABOUT_CUTS
from tournaments.services.stages.cuts import answer_cut

STAND_IN: Final = "–"
"""The reason that an answer is tried with."""


@dataclass(frozen=True, slots=True)
class UnbrokenTie:
    """Players of a play-off who share a place in spite of its result, as others share it who did
    not play."""

    place: int
    n_players: int
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerPreview:
    """What an answer would do: the rows of the standings that change from what is published, what
    becomes of play-offs and cuts, which tables it removes, and the publication after it."""

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
    unbroken: tuple[UnbrokenTie, ...] = ()
    """Where the result that is kept breaks no tie."""

    @property
    def touched_cuts(self) -> tuple[CutChange, ...]:
        """The cuts from which others go on then."""
        return tuple(cut for cut in self.cuts if cut.what == "redone")

    @property
    def touched(self) -> tuple[PlayoffChange, ...]:
        """The play-offs that it changes."""
        return tuple(
            playoff for playoff in self.playoffs if playoff.what not in ("kept", "answered")
        )

    @property
    def n_more(self) -> int:
        """How many rows change beyond those that are listed."""
        return self.n_rows - len(self.rows)

    def as_json(self) -> AnswerPreviewDocument:
        """Return what REST gives."""
        return {
            "answer": self.answer,
            "rows": {
                "changed": self.n_rows,
                "places": self.n_moved,
                "results": [one.as_json() for one in self.rows],
            },
            "playoffs": [playoff.as_json() for playoff in self.playoffs],
            "cuts": [cut.as_json() for cut in self.cuts],
            "tables": list(self.tables),
            "publication": {"before": self.publication, "after": self.publication_then},
        }


@dataclass(frozen=True, slots=True)
class AnswerRefused:
    """An answer that cannot be given now, and why."""

    answer: str
    problem: Problem

    def as_json(self) -> RefusedAnswerDocument:
        """Return what REST gives."""
        return {"answer": self.answer, "refused": self.problem.code}


def answers_about(
    event: Event, number: int, *, actor: Actor, now: datetime
) -> tuple[AnswerPreview, ...]:
    """Return what each answer about a play-off would do; nothing is kept of it.

    Raises:
        What `answer_playoff` raises: Forbidden, Missing, Conflict: playoff_not_asked.
    """
    return tuple(
        _tried(event, answer, _answering(event, number, answer, actor, now), now, kept=number)
        for answer in ANSWERS
    )


def answers_about_cut(
    event: Event, number: int, *, actor: Actor, now: datetime
) -> tuple[AnswerPreview | AnswerRefused, ...]:
    """Return what each answer about a cut would do, or why it cannot be given; nothing is kept.

    Raises:
        Forbidden, Missing: as `answer_cut`.
    """

    def tried(answer: str) -> AnswerPreview | AnswerRefused:
        try:
            return _tried(
                event,
                answer,
                lambda: answer_cut(
                    actor=actor, event=event, number=number, answer=answer, reason=STAND_IN, now=now
                ),
                now,
            )
        except Conflict as conflict:
            return AnswerRefused(answer, conflict.problem)
        except Refused as refused:
            return AnswerRefused(answer, refused.problems[0])

    return tuple(tried(answer) for answer in ANSWERS_ABOUT_CUTS)


def _answering(
    event: Event, number: int, answer: str, actor: Actor, now: datetime
) -> Callable[[], object]:
    return lambda: answer_playoff(
        actor=actor, event=event, number=number, answer=answer, reason=STAND_IN, now=now
    )


def _tried(
    event: Event,
    answer: str,
    give: Callable[[], object],
    now: datetime,
    *,
    kept: int | None = None,
) -> AnswerPreview:
    """Return what an answer gives; `kept` is the play-off whose result `keep` keeps."""
    newest = stored_publication(event)
    ties, tables = ties_stored(event), _tables(event)
    with dry_run():
        lock_event(event)
        give()
        removed = tables - _tables(event)
        ties_then = ties_in_dry_run(event, now=now)
        after = draft_standings(Event.objects.select_related("club", "season").get(pk=event.pk))
    then = as_laid_out(after)
    before = standings_view(newest) if newest is not None else then
    rows, _n_same = row_changes(before, then, hidden_names(event))
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
        cuts=cut_changes(ties, ties_then),
        tables=tuple(sorted(removed)),
        unbroken=_unbroken(ties.playoffs[kept], then.rows)
        if answer == "keep" and kept is not None and kept in ties.playoffs
        else (),
    )


def _unbroken(tie: Tie, rows: Sequence[StandingsRow]) -> tuple[UnbrokenTie, ...]:
    """Return the places that players of a play-off share with somebody who did not play in it."""
    members = {code for code, _name in tie.members}
    places: dict[int, list[StandingsRow]] = {}
    for row in rows:
        if (place := rank_in(row.facts)) is not None:
            places.setdefault(place, []).append(row)
    found = []
    for place, level in sorted(places.items()):
        others = tuple(row.name for row in level if row.entrant_id not in members)
        if others and len(others) < len(level):
            found.append(UnbrokenTie(place, len(level), others))
    return tuple(found)


def _tables(event: Event) -> frozenset[str]:
    return frozenset(Table.objects.filter(event=event).values_list("code", flat=True))
