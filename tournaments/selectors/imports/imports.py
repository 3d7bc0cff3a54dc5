"""Import batches of an event and what waits in them for a person; for hosts and directors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Max, Q, QuerySet

from scoring.errors import Problem
from tournaments.domain.imports.imported_sheets import ImportOutline, outline_from
from tournaments.domain.messages import sentence
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import (
    BROUGHT,
    BatchState,
    ColumnMap,
    ImportBatch,
    ImportProblem,
    ProblemClass,
    ProblemState,
    Replacement,
    UndoneHand,
    Upload,
)
from tournaments.models.meetings import Round
from tournaments.policy import may
from tournaments.selectors.clubs.clubs import actor_of, may_do
from tournaments.selectors.hands.games import TOTALS
from tournaments.selectors.hands.played_hands import EnteredHand, Under, choice_of, shooter_of
from tournaments.selectors.jobs.queue import get_import_progress

ACT = "import_sheets"

LISTED_ROUNDS = 6
"""So many rounds of an import are linked on its page; a longer file is a season."""

WORKED_ON = (BatchState.READING, BatchState.RUNNING)


def is_interrupted(batch: ImportBatch) -> bool:
    """Whether a batch is unfinished and nobody works on it.

    A command was ended, or the workers gave it up.
    """
    if batch.state != BatchState.RUNNING:
        return False
    has_file = Upload.objects.filter(batch=batch).exists()
    return not has_file or bool(get_import_progress(batch.pk).fault)


@dataclass(frozen=True, slots=True)
class ImportView:
    """One import as its page shows it.

    `upload` is None for a file that is not stored; `fault` is why the workers gave it up. `is_left`
    is whether it is unfinished and nobody works on it. `undone` is how many hands an undo removed
    and stored as they were typed, `undo_total` the same with those still to remove, `undo_problem`
    what keeps it from being undone. `is_open` is whether its event takes hands, `rounds` are the
    first rounds that it brought hands into, `n_replaced` is how many hands of the event it
    replaced.
    """

    batch: ImportBatch
    upload: Upload | None
    problems: Sequence[ImportProblem]
    is_worked_on: bool
    fault: str
    is_left: bool = False
    undone: int = 0
    undo_total: int = 0
    undo_problem: Problem | None = None
    is_open: bool = True
    rounds: Sequence[int] = ()
    n_replaced: int = 0

    @property
    def already(self) -> int:
        """Return how many hands of the file were in its event before, with the same content."""
        return max(0, self.batch.accepted - self.batch.added - self.n_replaced)

    @property
    def outline(self) -> ImportOutline | None:
        """Return the evenings, tables and rounds that it would create; None if it was not read."""
        outline = self.upload.outline if self.upload is not None else None
        return outline_from(outline) if outline and self.is_preview else None

    @property
    def is_preview(self) -> bool:
        """Whether none of its hands are in the event yet."""
        return self.batch.state == BatchState.PREVIEW

    @property
    def asks_columns(self) -> bool:
        """Whether its columns have to be mapped."""
        return self.batch.state == BatchState.MAPPING

    @property
    def may_keep_mapping(self) -> bool:
        """Whether its columns were mapped for this file only, and hands could be read by that."""
        is_read = self.batch.state in (BatchState.PREVIEW, BatchState.DONE)
        is_own = self.upload is not None and bool(self.upload.plan) and not self.upload.column_map
        return is_own and is_read and self.batch.accepted > 0

    @property
    def mapping_name(self) -> str:
        """Return a likely name for its mapping: the file's name."""
        file_name = self.batch.file_name
        return file_name.rpartition(".")[0] or file_name

    @property
    def may_settle(self) -> bool:
        """Whether its problems can be resolved now."""
        return self.is_open and self.batch.state in (BatchState.PREVIEW, BatchState.DONE)

    @property
    def may_be_undone(self) -> bool:
        """Whether it can be undone."""
        return self._is_over and self.undo_problem is None

    @property
    def _is_over(self) -> bool:
        return self.batch.state == BatchState.DONE or self.is_left

    @property
    def undone_by(self) -> str:
        """Return the name of the person who undid it; empty if it was not undone."""
        if self.batch.state != BatchState.UNDONE:
            return ""
        if self.batch.undo_by is not None:
            return actor_of(self.batch.undo_by).name
        return self.batch.undo_label.partition(":")[2]

    @property
    def what_keeps_it(self) -> str:
        """Return why nothing can be done with it now, in a sentence; empty if something can."""
        if self.is_preview or self.asks_columns:
            return "" if self.is_open else sentence(event_problem(self.batch.event))
        return sentence(self.undo_problem) if self._is_over and self.undo_problem else ""

    @property
    def why_not_undone(self) -> str:
        """Return why its undoing was stopped, in a sentence; empty if it was not."""
        return why_not_undone(self.batch)

    @property
    def waiting_hands(self) -> int:
        """Return how many hands of the file are not, or would not be, in the event."""
        return self.batch.hands - self.batch.accepted

    @property
    def skipped(self) -> int:
        """Return how many lines of the file were left out."""
        left_out = [
            problem.lines for problem in self.problems if problem.severity == ProblemClass.SKIP
        ]
        return len({line for lines in left_out for line in lines})


def event_problem(event: Event) -> Problem:
    """Return the problem of an event that takes no hands."""
    return Problem("event_not_open", facts={"state": event.state})


def why_no_import(event: Event) -> str:
    """Return why an event takes no files now, in a sentence; empty if it does."""
    return "" if event.state == "open" else sentence(event_problem(event))


def undo_problem(event: Event, batch: ImportBatch) -> Problem | None:
    """Return what keeps the actor that `event` was read for from undoing an import of it."""
    if event.state != "open":
        return Problem("undo_needs_open_event", facts={"state": event.state})
    if has_final_games(batch) and not may_do(event, "correct_closed"):
        return Problem("undo_needs_director")
    return None


def has_final_games(batch: ImportBatch) -> bool:
    """Whether hands of a batch are in final games: undoing those needs a right of its own."""
    replaced = Replacement.objects.filter(batch=batch).values("entry__hand__game")
    concerned = Q(hands__entries__batch=batch) | Q(pk__in=replaced)
    return Game.objects.filter(concerned, state="final").exists()


def why_not_undone(batch: ImportBatch) -> str:
    """Return why the undoing of a batch was stopped, in a sentence; empty if it was not."""
    return sentence(Problem(**batch.stopped)) if batch.stopped else ""


def may_import(event: Event) -> bool:
    """Whether the actor that `event` was read for may import into it, and see its imports."""
    return may(str(getattr(event, "role", "public")), ACT)


def batches_of(event: Event) -> QuerySet[ImportBatch]:
    """Return an event's imports, newest first, each with `n_open` problems."""
    if not may_import(event):
        raise Missing("import")
    is_open = Q(problems__state=ProblemState.OPEN)
    batches = ImportBatch.objects.filter(event=event)
    batches = batches.select_related("event__club", "club", "undo_by")
    return batches.annotate(n_open=Count("problems", filter=is_open)).order_by("-number")


def batches_with_progress(event: Event) -> QuerySet[ImportBatch]:
    """Return an event's imports, newest first, with `n_problems` and files without content."""
    batches = batches_of(event).annotate(n_problems=Count("problems"))
    return batches.select_related("upload").defer("upload__content", "upload__mends")


def batch_at(event: Event, number: int) -> ImportBatch:
    """Return one import of `event`."""
    batch = batches_of(event).filter(number=number).first()
    if batch is None:
        raise Missing("import", {"import": number})
    return batch


def import_at(event: Event, number: int) -> ImportView:
    """Return one import of `event` as its page shows it."""
    batch = batch_at(event, number)
    upload = file_of(batch)
    progress = get_import_progress(batch.pk)
    is_worked_on = batch.state == BatchState.UNDOING or (
        upload is not None and batch.state in WORKED_ON
    )
    undone = undone_hands(batch).count()
    is_undoing = batch.state == BatchState.UNDOING
    return ImportView(
        batch,
        upload,
        problems_of(batch),
        is_worked_on,
        progress.fault,
        is_interrupted(batch),
        undone,
        undone + (_still_there(batch) if is_undoing else 0),
        undo_problem(event, batch),
        event.state == "open",
        _rounds_of(batch) if batch.state == BatchState.DONE else (),
        replaced_by(batch),
    )


def _rounds_of(batch: ImportBatch) -> Sequence[int]:
    hands = Hand.objects.filter(entries__batch=batch).exclude(state="void")
    numbers = hands.values_list("game__table__round__number", flat=True)
    return list(numbers.distinct().order_by("game__table__round__number")[:LISTED_ROUNDS])


def _still_there(batch: ImportBatch) -> int:
    """Return how many hands of a batch have not been removed yet."""
    hands = Hand.objects.filter(entries__batch=batch).exclude(state="void")
    return hands.distinct().count()


def problems_in_order(batch: ImportBatch) -> QuerySet[ImportProblem]:
    """Return the problems of an import in the order of the file."""
    return ImportProblem.objects.filter(batch=batch).order_by("position")


def undone_hands(batch: ImportBatch) -> QuerySet[UndoneHand]:
    """Return the hands that the undo of an import removed, as they were typed."""
    hands = UndoneHand.objects.filter(batch=batch).select_related("snapshot")
    return hands.order_by("round", "table", "number", "pk")


def problems_of(batch: ImportBatch) -> Sequence[ImportProblem]:
    """Return the problems of an import in the order of the file, open ones first."""
    return sorted(problems_in_order(batch), key=lambda problem: problem.state != ProblemState.OPEN)


def next_open(batch: ImportBatch, line: int) -> ImportProblem | None:
    """Return the open problem at `line` of the file or after it, or else the first one."""
    waiting = [problem for problem in problems_of(batch) if problem.state == ProblemState.OPEN]
    return next(
        (problem for problem in waiting if problem.lines and problem.lines[0] >= line),
        next(iter(waiting), None),
    )


def upload_of(batch_id: int) -> Upload | None:
    """Return the file of a batch with all that processing it needs; None if it is gone."""
    uploads = Upload.objects.select_related(
        "batch__made_by", "batch__event", "batch__club", "column_map"
    )
    return uploads.filter(batch_id=batch_id).first()


def problem_at(batch: ImportBatch, position: int) -> ImportProblem:
    problem = ImportProblem.objects.filter(batch=batch, position=position).first()
    if problem is None:
        raise Missing("problem", {"import": batch.number})
    problem.batch = batch
    return problem


def batch_to_undo(batch_id: int) -> ImportBatch | None:
    """Return a batch whose hands are being removed, else None."""
    batches = ImportBatch.objects.filter(pk=batch_id, state=BatchState.UNDOING)
    return batches.select_related("event", "club").first()


def file_of(batch: ImportBatch) -> Upload | None:
    """Return a batch's file without its content; None for a command's batch."""
    uploads = Upload.objects.filter(batch=batch).select_related("column_map")
    return uploads.defer("content").first()


def fault_of(batch: ImportBatch) -> str:
    """Return why a batch's file cannot be read or imported; empty if it can."""
    return Upload.objects.filter(batch=batch).values_list("error", flat=True).first() or ""


def likely_round(batch: ImportBatch) -> int:
    """Return the likely round of a file without one: as it came before, or the next."""
    before = Upload.objects.filter(
        batch__event_id=batch.event_id,
        batch__file_digest=batch.file_digest,
        batch__state__in=BROUGHT,
    )
    for values in before.order_by("-pk").values_list("given", flat=True):
        if str(values.get("round", "")).isdecimal():
            return int(values["round"])
    last = Round.objects.filter(event_id=batch.event_id).aggregate(n=Max("number"))["n"]
    return (last or 0) + 1


def count_imported_hands(batch: ImportBatch) -> dict[str, int]:
    """Return how many hands undoing an import would change.

    `hands` would be removed, `corrected` of them were corrected since; `replaced` hands would get
    their earlier entry back.
    """
    hands = Hand.objects.filter(entries__batch=batch).exclude(state="void").distinct()
    return {
        "hands": hands.count(),
        "corrected": hands.exclude(entry__batch=batch).count(),
        "replaced": replaced_by(batch),
    }


def replaced_by(batch: ImportBatch) -> int:
    """Return how many earlier hands have the content of a batch's file."""
    replaced = Replacement.objects.filter(batch=batch, entry__hand__entry=F("entry"))
    return replaced.values("entry__hand").distinct().count()


def maps_of(club: Club) -> QuerySet[ColumnMap]:
    """Return a club's column mappings, the one changed last first."""
    return ColumnMap.objects.filter(club=club).order_by("-changed_at", "-number")


def map_at(club: Club, number: int) -> ColumnMap:
    """Return one column mapping of a club."""
    mapping = maps_of(club).filter(number=number).first()
    if mapping is None:
        raise Missing("mapping")
    return mapping


def undone_under(batch: ImportBatch) -> Under:
    """Return the rules of the undone hands of an import."""
    table_sizes: dict[int, set[int]] = {}
    rows = UndoneHand.objects.filter(batch=batch).values_list("snapshot", "players")
    for snapshot, players in rows:
        table_sizes.setdefault(snapshot, set()).add(len(players))
    snapshots = Snapshot.objects.filter(pk__in=table_sizes).order_by("pk")
    return {
        snapshot_row.pk: (snapshot_row, frozenset(table_sizes[snapshot_row.pk]))
        for snapshot_row in snapshots
    }


def undone_totals(batch: ImportBatch) -> bool:
    """Whether the undo of an import removed a sheet of totals only."""
    return undone_hands(batch).exclude(state="void").filter(number=TOTALS).exists()


def undone_played(batch: ImportBatch) -> Iterator[EnteredHand]:
    """Yield the hands that were undone, as they were entered last, in the order of their sheets.

    Hands that had been deleted before are left out.
    """
    names = dict(Player.objects.filter(club=batch.club_id).values_list("player_id", "name"))
    for hand in undone_hands(batch).exclude(state="void"):
        last = hand.revisions[-1]
        yield EnteredHand(
            hand.day, hand.round, hand.table, hand.number, hand.snapshot_id, len(hand.players),
            last["entry"], shooter_of(last.get("moon")), choice_of(last.get("moon")),
            tuple((code, names.get(code, "")) for code in hand.players), hand.hands,
            last.get("board"),
        )  # fmt: skip
