"""A hand that the event has with other content than a file: both side by side, and the choice."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from scoring.errors import Refused
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, ImportProblem, ProblemState
from tournaments.previewing.run_preview import HandRef, preview
from tournaments.selectors.hands.entry_display import SeatEntry, displayed_hand
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import (
    HandView,
    SeatView,
    TableSheet,
    hand_of,
    table_words,
)
from tournaments.services.imports.dismiss import dismiss_problem
from tournaments.services.imports.resolve_conflict import (
    FileHand,
    correct_hand,
    file_hand,
    use_file_hand,
)
from tournaments.services.rounds.seating import table_code
from tournaments.views.hands.preview_correction import PreviewText, preview_text, preview_text_of
from tournaments.views.http.layout import PageRequest


@dataclass(frozen=True, slots=True)
class ComparedSeat:
    """A seat in the stored hand and in the file's; scores are None where nothing is booked."""

    seat: SeatView
    stored: SeatEntry
    score: Any
    own: SeatEntry
    own_score: Any
    has_own_scores: bool

    @property
    def took_differs(self) -> bool:
        """Whether the file says something else of the seat."""
        return self.stored != self.own

    @property
    def score_differs(self) -> bool:
        """Whether the seat is booked something else with the file's hand."""
        return self.has_own_scores and self.score != self.own_score


@dataclass(frozen=True, slots=True)
class ConflictView:
    """Both hands. `effect` says what the file's hand would change, or why it cannot be used."""

    sheet: TableSheet
    stored: HandView
    seats: tuple[ComparedSeat, ...]
    own_table: tuple[tuple[str | Promise, str | Promise], ...]
    stored_table: tuple[tuple[str | Promise, str | Promise], ...]
    effect: PreviewText
    is_open: bool
    is_imported: bool

    @property
    def may_use(self) -> bool:
        """Whether the file's hand can take the place of the stored one now."""
        return self.is_open and self.is_imported and self.effect.preview is not None

    @property
    def tables_differ(self) -> bool:
        """Whether what is said of the whole table differs."""
        return self.own_table != self.stored_table


def conflict_of(request: PageRequest, event: Event, problem: ImportProblem) -> ConflictView | None:
    """Return both hands of a conflict; None where there are no two."""
    own = file_hand(problem)
    if own is None or problem.round is None or problem.table is None or problem.hand is None:
        return None
    code = table_code(problem.round, problem.table)
    try:
        sheet = table_sheet(event, code)
        stored = hand_of(sheet, problem.hand)
    except Missing:
        return None
    at = HandRef(event, code, problem.hand)

    def change() -> object:
        return correct_hand(
            actor=request.actor,
            problem=problem,
            event=event,
            based_on=stored.revision,
            reason=likely_reason(problem),
            now=timezone.now(),
        )

    is_imported = problem.batch.state == BatchState.DONE
    shown = preview_text_of(at, change) if is_imported else _preview_before_import(at, change)
    return _both(problem, sheet, stored, own, shown)


def _preview_before_import(at: HandRef, change: Callable[[], object]) -> PreviewText:
    """Return what the file's hand would change before its file is imported, or why it cannot be.

    The round is closed until then, and opens with the problem: that is no reason against it.
    """
    try:
        return preview_text(preview(at, change, now=timezone.now()))
    except Refused as refused:
        return PreviewText(None, tuple(map(sentence, refused.problems)))
    except (Conflict, Forbidden):
        return PreviewText(None)


def _both(
    problem: ImportProblem, sheet: TableSheet, stored: HandView, own: FileHand, shown: PreviewText
) -> ConflictView:
    n_seats, sides = len(sheet.seats), _sides(stored)
    typed = displayed_hand(own.entry, n_seats, sides=sides)
    changes = shown.preview.hands if shown.preview is not None else ()
    then = next((one.hand_then.cells for one in changes if one.number == stored.number), ())
    seats = tuple(
        ComparedSeat(
            cell.seat,
            cell.typed,
            cell.score,
            mine,
            then[index].score if then else None,
            bool(then),
        )
        for index, (cell, mine) in enumerate(zip(stored.cells, typed.seats, strict=True))
    )
    places = tuple(cell.seat for cell in stored.cells)
    return ConflictView(
        sheet=sheet,
        stored=stored,
        seats=seats,
        own_table=table_words(typed, places)
        + _length(stored, own.hands)
        + _board(stored.board if own.board is None else own.board),
        stored_table=table_words(displayed_hand(stored.entry, n_seats, sides=sides), places)
        + _length(stored, stored.n_hands)
        + _board(stored.board),
        effect=shown,
        is_open=problem.state == ProblemState.OPEN,
        is_imported=problem.batch.state == BatchState.DONE,
    )


def _sides(stored: HandView) -> tuple[tuple[int, ...], ...]:
    """Return the seats (from 0) of each side that has one score; nothing where each has its own."""
    places = [cell.seat for cell in stored.cells]
    sides = {cell.column.seats: None for cell in stored.cells if cell.side is not None}
    return tuple(tuple(places.index(seat) for seat in seats) for seats in sides)


def _length(stored: HandView, hands: int | None) -> tuple[tuple[str, str], ...]:
    """Return how many hands totals stand for, as a line below them."""
    if stored.number != TOTALS:
        return ()
    return ((_("hands played"), "–" if hands is None else str(hands)),)


def _board(number: int | None) -> tuple[tuple[str, str], ...]:
    """Return the board of a hand of a duplicate event, as a line below it."""
    return () if number is None else ((_("board"), str(number)),)


def likely_reason(problem: ImportProblem) -> str:
    """Return the reason that is written in advance for using the file's hand."""
    facts = {"number": problem.batch.number, "file": problem.batch.file_name[:200]}
    return _("Import %(number)s: as in %(file)s.") % facts


def keep_stored(request: PageRequest, problem: ImportProblem, reason: str) -> None:
    """Leave the stored hand as it is; the file's stays out."""
    dismiss_problem(
        actor=request.actor,
        problem=problem,
        reason=reason or _("Stored hand kept."),
        now=timezone.now(),
    )
    messages.success(request, _("Stored hand kept. The file's hand is not imported."))


def use_files(request: PageRequest, problem: ImportProblem, based_on: int, reason: str) -> None:
    """Make the file's hand the next revision of the stored one."""
    done = use_file_hand(
        actor=request.actor, problem=problem, based_on=based_on, reason=reason, now=timezone.now()
    )
    text = _("The file's hand now counts as revision %(number)s.")
    messages.success(request, text % {"number": done.hand.revision})
