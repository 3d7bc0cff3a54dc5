"""Import batches of an event and what waits in them for a person; for hosts and directors."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain, groupby

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.utils.translation import ngettext

from scoring.errors import Problem, listed
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.import_report import NOT_READ, WAITING, topic_of
from tournaments.domain.messages import sentence
from tournaments.domain.references import reference_of
from tournaments.domain.replay_game import TOTALS
from tournaments.domain.standings.criteria import tie_break_named
from tournaments.errors import Missing, first_or_missing
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Entry, Game, Hand
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
from tournaments.models.rounds import Round
from tournaments.policy import may
from tournaments.selectors.clubs.clubs import actor_of, may_do
from tournaments.selectors.events.settings_checks import current_facts, unusable_criteria
from tournaments.selectors.hands.played_hands import EnteredHand, Under, choice_of, shooter_of
from tournaments.selectors.jobs.queue import get_import_progress

RIGHT = "import_sheets"

LISTED_ROUNDS = 100
"""So many rounds of an import are linked on its page; the evenings of the event list all."""

WORKED_ON = (BatchState.READING, BatchState.RUNNING)


def is_interrupted(batch: ImportBatch) -> bool:
    """Whether a batch is unfinished and no process works on it.

    Its command was stopped, or the workers gave up.
    """
    if batch.state != BatchState.RUNNING:
        return False
    has_file = Upload.objects.filter(batch=batch).exists()
    return not has_file or bool(get_import_progress(batch.pk).fault)


def why_no_mapping(batch: ImportBatch, upload: Upload | None) -> Problem | None:
    """Return why the columns of an import cannot be stored as a mapping; None if they can."""
    facts = {"number": batch.number}
    if upload is None:
        return Problem("import_without_file", facts=facts)
    if batch.state in WORKED_ON:
        return Problem("import_being_read", facts=facts)
    if batch.state == BatchState.MAPPING:
        return Problem("columns_not_assigned", facts=facts)
    if batch.state not in (BatchState.PREVIEW, BatchState.DONE):
        return Problem("import_moved_on", facts=facts)
    if upload.column_map is not None:
        return Problem("mapping_stored", facts={**facts, "found": upload.column_map.name})
    if not upload.plan:
        return Problem("mapping_not_needed", facts=facts)
    if batch.accepted == 0:
        return Problem("mapping_reads_nothing", facts=facts)
    return None


def why_no_import(event: Event) -> str:
    """Return why an event takes no files now, in a sentence; empty if it does."""
    if event.is_open:
        return ""
    return sentence(Problem("event_not_open", facts={"state": event.state}))


def _undo_problem(event: Event, batch: ImportBatch) -> Problem | None:
    if not event.is_open:
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
    return may(str(getattr(event, "role", "public")), RIGHT)


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
    batch = batches_of(event).filter(number=number).first()
    if batch is None:
        raise Missing("import", {"import": number})
    return batch


def import_view(
    event: Event, batch: ImportBatch, upload: Upload | None, problems: Sequence[ImportProblem]
) -> JsonDict:
    """Return one import of `event` as its page shows it; the file is None if it is not stored.

    `fault` is why the workers gave it up, `undone` how many hands an undo removed and stored as
    typed, `undo_total` the same with those still to remove. `rounds` are the first rounds that it
    brought hands into, `n_replaced` is how many hands of the event it replaced.
    """
    state = batch.state
    n_replaced = replaced_by(batch)
    undone = undone_hands(batch).count()
    still_there = hands_of(batch).count() if state == BatchState.UNDOING else 0
    brought = Exists(hands_of(batch).filter(game__table__round=OuterRef("pk")))
    rounds = Round.objects.filter(brought, event=event).order_by("number")
    is_over = state == BatchState.DONE or is_interrupted(batch)
    problem = _undo_problem(event, batch)
    is_preview = state == BatchState.PREVIEW
    is_open = event.is_open
    asks_columns = state == BatchState.MAPPING
    what_keeps_it = sentence(problem) if is_over and problem is not None else ""
    file_name = batch.file_name
    skipped = [row.lines for row in problems if row.severity == ProblemClass.SKIP]
    return {
        "upload": upload,
        "fault": get_import_progress(batch.pk).fault,
        "is_worked_on": state == BatchState.UNDOING or (upload is not None and state in WORKED_ON),
        "is_open": is_open,
        "is_preview": is_preview,
        "asks_columns": asks_columns,
        "rounds": list(rounds.values_list("number", flat=True)[:LISTED_ROUNDS])
        if state == BatchState.DONE
        else (),
        "n_replaced": n_replaced,
        "already": max(0, batch.accepted - batch.added - n_replaced),
        "may_keep_mapping": why_no_mapping(batch, upload) is None,
        "mapping_name": file_name.rpartition(".")[0] or file_name,
        "may_settle": is_open and state in (BatchState.PREVIEW, BatchState.DONE),
        "may_be_undone": is_over and problem is None,
        "what_keeps_it": why_no_import(event) if is_preview or asks_columns else what_keeps_it,
        "undone": undone,
        "undo_total": undone + still_there,
        "undone_by": _undone_by(batch) if state == BatchState.UNDONE else "",
        "why_not_undone": why_not_undone(batch),
        "waiting_hands": batch.hands - batch.accepted,
        "skipped": len(set(chain.from_iterable(skipped))),
        "is_read_in_part": any(row.code in NOT_READ for row in problems),
    }


def may_be_undone(event: Event, batch: ImportBatch) -> bool:
    is_over = batch.state == BatchState.DONE or is_interrupted(batch)
    return is_over and _undo_problem(event, batch) is None


def _undone_by(batch: ImportBatch) -> str:
    if batch.undo_by is not None:
        return actor_of(batch.undo_by).name
    return reference_of(batch.undo_label).key


def hands_of(batch: ImportBatch) -> QuerySet[Hand]:
    entries = Entry.objects.filter(hand=OuterRef("pk"), batch=batch)
    return Hand.objects.filter(Exists(entries)).exclude(state="void")


def problems_in_order(batch: ImportBatch) -> QuerySet[ImportProblem]:
    return ImportProblem.objects.filter(batch=batch).order_by("position")


def undone_hands(batch: ImportBatch) -> QuerySet[UndoneHand]:
    """Return the hands that the undo of an import removed, as they were typed."""
    hands = UndoneHand.objects.filter(batch=batch).select_related("snapshot")
    return hands.order_by("round", "table", "number", "pk")


def problems_of(batch: ImportBatch) -> Sequence[ImportProblem]:
    """Return the problems of an import in the order of the file, open ones first."""
    return sorted(problems_in_order(batch), key=lambda problem: problem.state != ProblemState.OPEN)


def kinds_of(problem: ImportProblem) -> tuple[str, ...]:
    """Return the kinds of a problem by which a list of them is filtered."""
    if problem.severity not in WAITING:
        return ("all", "notes")
    is_open = problem.state == ProblemState.OPEN
    return ("all", *(("open",) if is_open else ()), topic_of(problem.code))


def problems_by_hand(problems: Iterable[ImportProblem]) -> list[list[ImportProblem]]:
    """Return problems by the hand that they are about, those with open problems first."""

    def place(row: ImportProblem) -> list[int]:
        return [number or 0 for number in (row.round, row.table, row.hand)]

    groups = [list(rows) for _, rows in groupby(sorted(problems, key=place), key=place)]
    return sorted(groups, key=lambda rows: "open" not in kinds_of(rows[0]))


def next_open(problem: ImportProblem) -> ImportProblem | None:
    """Return the open problem that comes after another one in the file, or else the first one."""

    others = ImportProblem.objects.filter(batch=problem.batch, state=ProblemState.OPEN)
    place = problem.lines[:1], problem.position
    places = [((row.lines[:1], row.position), row) for row in others.exclude(pk=problem.pk)]
    return min(places, key=lambda row: (row[0] < place, row[0]), default=(place, None))[1]


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
    problem.batch, problem.club = batch, batch.club
    return problem


def batch_to_undo(batch_id: int) -> ImportBatch | None:
    batches = ImportBatch.objects.filter(pk=batch_id, state=BatchState.UNDOING)
    return batches.select_related("event", "club").first()


def file_of(batch: ImportBatch) -> Upload | None:
    """Return a batch's file without its content; None for a command's batch."""
    return Upload.objects.filter(batch=batch).select_related("column_map").defer("content").first()


def fault_of(batch: ImportBatch) -> str:
    """Return why a batch's file cannot be read or imported; empty if it can."""
    return Upload.objects.filter(batch=batch).values_list("error", flat=True).first() or ""


def likely_round(batch: ImportBatch, day: date | None) -> int:
    """Return the likely round of a file without one, and with a date if one is known.

    It is that of the file when it came before, the only one of its date, or the next.
    """
    before = Upload.objects.filter(
        batch__event_id=batch.event_id,
        batch__file_digest=batch.file_digest,
        batch__state__in=BROUGHT,
    )
    for values in before.order_by("-pk").values_list("given", flat=True):
        if str(values.get("round", "")).isdecimal():
            return int(values["round"])
    rounds = Round.objects.filter(event_id=batch.event_id)
    if day is not None:
        of_day = list(rounds.filter(meeting__date=day).values_list("number", flat=True))
        if len(of_day) == 1:
            return of_day[0]
    last = rounds.aggregate(n=Max("number"))["n"]
    return (last or 0) + 1


def has_several_rounds(event: Event, day: date | None) -> bool:
    """Whether an event has more than one round on a date; without a date it has none."""
    if day is None:
        return False
    return Round.objects.filter(event=event, meeting__date=day).count() > 1


def earlier_reading(upload: Upload, heads: Sequence[str]) -> Upload | None:
    """Return the last upload of the same content that was imported by columns somebody assigned.

    It has these heads, and was read as the same kind of file and of the same sheet.
    """
    batch = upload.batch
    before = Upload.objects.filter(
        batch__event_id=batch.event_id,
        batch__file_digest=batch.file_digest,
        batch__state__in=BROUGHT,
        holds=upload.holds,
        sheet=upload.sheet,
        reads_hidden=upload.reads_hidden,
        variant=upload.variant,
        heads=[head.replace("\0", "") for head in heads],
        added=[],
        plan__isnull=False,
    )
    return before.exclude(pk=upload.pk).defer("content").order_by("-pk").first()


def count_imported_hands(batch: ImportBatch) -> dict[str, int]:
    """Return how many hands undoing an import would change.

    `hands` would be removed, `corrected` of them were corrected since; `replaced` hands would get
    their earlier entry back.
    """
    counts = hands_of(batch).aggregate(
        hands=Count("pk"), corrected=Count("pk", filter=~Q(entry__batch=batch))
    )
    return {**counts, "replaced": replaced_by(batch)}


def replaced_by(batch: ImportBatch) -> int:
    """Return how many earlier hands have the content of a batch's file."""
    replaced = Replacement.objects.filter(batch=batch, entry__hand__entry=F("entry"))
    return replaced.values("entry__hand").distinct().count()


def maps_of(club: Club) -> QuerySet[ColumnMap]:
    """Return a club's column mappings, the one changed last first."""
    return ColumnMap.objects.filter(club=club).order_by("-changed_at", "-number")


def map_at(club: Club, number: int) -> ColumnMap:
    return first_or_missing(maps_of(club).filter(number=number), "mapping")


def undone_under(batch: ImportBatch) -> Under:
    """Return the rules of the hands that undoing the import removed, as `played_under` does."""
    table_sizes: dict[int, set[int]] = {}
    rows = UndoneHand.objects.filter(batch=batch).values_list("snapshot", "players")
    for snapshot, players in rows:
        table_sizes.setdefault(snapshot, set()).add(len(players))
    snapshots = Snapshot.objects.filter(pk__in=table_sizes).order_by("pk")
    return {row.pk: (row, frozenset(table_sizes[row.pk])) for row in snapshots}


def undone_totals(batch: ImportBatch) -> bool:
    return undone_hands(batch).exclude(state="void").filter(number=TOTALS).exists()


def undone_played(batch: ImportBatch) -> Iterator[EnteredHand]:
    """Yield the hands that were undone, as they were entered last, in the order of their sheets.

    Hands that had been deleted before are left out.
    """
    names = dict(Player.objects.filter(club=batch.club_id).values_list("player_id", "name"))
    for hand in undone_hands(batch).exclude(state="void"):
        last = hand.revisions[-1]
        yield EnteredHand(
            hand.day,
            hand.round,
            hand.table,
            hand.number,
            hand.snapshot_id,
            len(hand.players),
            last["entry"],
            shooter_of(last.get("moon")),
            choice_of(last.get("moon")),
            tuple((code, names.get(code, "")) for code in hand.players),
            hand.hands,
            last.get("board"),
        )


def lost_criteria(event: Event, outline: JsonObject) -> tuple[str, ...]:
    """Return the keys of the event's tie-breaks that an import makes useless, in order.

    Tie-breaks that have no effect already are left out.
    """
    settings = settings_of(event)
    if not outline["has_totals"] or not settings.tie_breaks:
        return ()
    before = current_facts(event)
    after = replace(
        before,
        has_points_only=True,
        has_unknown_hands=before.has_unknown_hands or outline["has_unknown_hands"],
    )
    idle = unusable_criteria(settings, before, seed=event.seed)
    lost = unusable_criteria(settings, after, seed=event.seed)
    return tuple(key for key in settings.tie_breaks if key in lost and key not in idle)


def loses_places(event: Event, outline: JsonObject) -> bool:
    """Whether players lose their place by an import: it has games of an unknown number of hands.

    The standings rank by points per hand, or by another value that needs this number.
    """
    has_unknown_hands = outline["has_totals"] and outline["has_unknown_hands"]
    return bool(has_unknown_hands and settings_of(event).needs_hands)


def lost_criteria_text(event: Event, outline: JsonObject) -> str:
    """Return the lost tie-breaks as a warning; empty if there are none."""
    names = [tie_break_named(key).name for key in lost_criteria(event, outline)]
    if not names:
        return ""
    return ngettext(
        "After this import the tie-break %(names)s has no effect: the file has totals, no hands.",
        "After this import the tie-breaks %(names)s have no effect: the file has totals, no hands.",
        len(names),
    ) % {"names": listed(names)}
