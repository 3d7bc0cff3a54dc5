"""Answer all open findings of one kind of an import alike, in one step."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from scoring.errors import Problem, Refused, listed, shown
from tournaments.domain.imports.alike import (
    LEAVE_OUT,
    USE_FILE,
    answers_of,
    is_open,
    offer_of,
)
from tournaments.domain.imports.import_report import Finding
from tournaments.domain.reasons import BAD_REASON, require_reason, require_some_reason
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.imports import BatchState, ImportBatch, ImportProblem, ProblemState, Upload
from tournaments.models.standings import Contribution
from tournaments.selectors.imports import file_of
from tournaments.services.db.locks import lock_games
from tournaments.services.imports.batches import (
    lock_batch,
    require_open,
    reread_state,
    stale_batch_problem,
)
from tournaments.services.imports.resolve_problem import (
    CorrectedRows,
    confirm_sheet,
    dismiss_problem,
    place_sheet,
    places_in,
    put_cells,
    rows_of,
    use_file_hand,
)
from tournaments.services.imports.same_sheets import IS_ONE, PLACE
from tournaments.services.imports.uploads import MOVED_ON, correct_lines
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.seating import table_code
from tournaments.services.totals.counted_games import lock_aggregates

NOTHING_TO_ANSWER: Final = "nothing_to_answer"
NOTHING_CORRECTED: Final[Mapping[int, Sequence[str]]] = MappingProxyType({})


@operation(
    "import_sheets",
    locks=lock_batch,
    requires=require_open,
    refuses=(NOTHING_TO_ANSWER, "bad_parameter", *MOVED_ON, *BAD_REASON, *use_file_hand.refuses),
)
def answer_alike(
    op: Operation, batch: ImportBatch, /, *, code: str, answer: str, reason: str = ""
) -> int:
    """Answer all open problems of one code alike, and read the file again; returns their number.

    The answers that fit all of them are `alike` of the import. `leave_out` and `use_file` need a
    reason. Either all are answered, or none.
    """
    reread_state(batch)
    problems = list(batch.problems.filter(code=code, state=ProblemState.OPEN).order_by("position"))
    if not problems:
        raise Refused(Problem(NOTHING_TO_ANSWER, ("code",), {"found": shown(code)}))
    answers = answers_of(problems)
    if answer not in answers:
        facts = {"parameter": "answer", "found": shown(answer), "expected": listed(answers)}
        raise Refused(Problem("bad_parameter", ("answer",), facts))
    for problem in problems:
        problem.batch = batch
    if answer == LEAVE_OUT:
        require_some_reason(reason)
        for problem in problems:
            dismiss_problem(op, problem, reason=reason)
    elif answer == USE_FILE:
        _use_file_hands(op, batch, problems, reason)
    else:
        _take_offers(op, batch, problems, answer)
    op.audit(batch, {"code": code, "answer": answer, "problems": len(problems)})
    return len(problems)


def _take_offers(
    op: Operation, batch: ImportBatch, problems: Sequence[ImportProblem], answer: str
) -> None:
    for problem in problems:
        offer = offer_of(problem, answer)
        if PLACE in offer:
            place_sheet(op, problem, is_one=bool(offer[IS_ONE]), reads_again=False)
        elif "is_right" in offer:
            confirm_sheet(problem)
    upload = file_of(batch)
    if upload is None:
        raise Conflict(stale_batch_problem(batch))
    correct_lines(op, batch, *corrections_of(problems, upload, answer))


def corrections_of(
    problems: Sequence[ImportProblem | Finding],
    upload: Upload,
    answer: str,
    corrected: Mapping[int, Sequence[str]] = NOTHING_CORRECTED,
) -> CorrectedRows:
    """Return the lines of findings with the cells that an answer changes in them.

    Lines that are `corrected` already keep what was changed there.
    """
    places = places_in(upload)
    rows: dict[int, list[str]] = {}
    added: list[str] = []
    changed: dict[int, list[str]] = {}
    for problem in problems:
        cells = offer_of(problem, answer).get("cells", {})
        if not is_open(problem) or not isinstance(cells, Mapping):
            continue
        for line, row in rows_of(problem, upload).items():
            rows.setdefault(line, list(corrected.get(line, row)))
        by_line = {int(line): put for line, put in cells.items() if int(line) in rows}
        put_cells(rows, by_line, places, len(upload.heads), added)
        changed |= {line: rows[line] for line in by_line}
    return changed, tuple(added)


def _use_file_hands(
    op: Operation, batch: ImportBatch, problems: Sequence[ImportProblem], reason: str
) -> None:
    """Replace the stored hands by the file's; refused if one was entered after the file was read.

    All tables, and then all sums of their entrants, are locked before the first hand is written.
    """
    require_reason(reason)
    if batch.state != BatchState.DONE:
        raise Conflict(stale_batch_problem(batch))
    tables = [table_code(problem.round or 0, problem.table or 0) for problem in problems]
    games = Game.objects.filter(event=batch.event, table__code__in=tables)
    lock_games(games)
    lock_aggregates(
        batch.event,
        set(Contribution.objects.filter(game__in=games).values_list("entrant_id", flat=True)),
    )
    hands = Hand.objects.filter(game__in=games).values_list("game__table__code", "number", "pk")
    keys = {(code, number): pk for code, number, pk in hands}
    for problem, table in zip(problems, tables, strict=True):
        hand = keys.get((table, problem.hand or TOTALS))
        latest = Entry.objects.filter(hand=hand).order_by("-revision").first()
        if latest is None or batch.ended_at is None or latest.entered_at > batch.ended_at:
            raise Conflict(stale_batch_problem(batch))
        use_file_hand(op, problem, based_on=latest.revision, reason=reason)
