"""Column mappings: proposed for an upload, checked, stored for the club, renamed and deleted."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from scoring.entry.sheet import Box, boxes
from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from scoring.rules.rules import Rules
from tournaments.documents.read.apply_plan import SelectedPlan
from tournaments.documents.read.cells import day, whole
from tournaments.documents.read.column_plan import (
    ColumnPlan,
    labels_of,
    plan_from,
    problems_of,
    values_of,
)
from tournaments.documents.read.columns import BOARD_BOX
from tournaments.documents.read.guess_columns import guess
from tournaments.documents.read.marked_cells import MARKS, Marks, marks_of
from tournaments.documents.read.one_way import is_read_one_way, unread_columns
from tournaments.documents.read.own_names import is_own_name
from tournaments.documents.read.readings import Reading, Readings, read_as
from tournaments.documents.read.ways import RUNNING_TOTALS, with_ways
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Conflict, first_or_missing, refuse_any
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.imports import DATES, PLAYER, ColumnMap, Holds, ImportBatch, Upload
from tournaments.selectors.clubs.find_players import named_players
from tournaments.selectors.imports import (
    has_several_rounds,
    likely_round,
    maps_of,
    why_no_mapping,
)
from tournaments.selectors.rules.rule_sets import offered_in
from tournaments.services.clubs.aliases import keep_names
from tournaments.services.clubs.names import lock_names
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_club
from tournaments.services.imports.batches import lock_batch, require_open
from tournaments.services.imports.targets import RuleBook, target_of
from tournaments.services.imports.uploads import MOVED_ON, map_upload
from tournaments.services.operations import Operation, operation

RIGHT: Final = "import_sheets"
LONGEST_NAME: Final = 120
BAD_NAME: Final = ("no_name", "name_too_long", "mapping_name_taken")
NO_MAPPING: Final = (
    *("columns_not_assigned", "import_being_read", "import_without_file", "mapping_not_needed"),
    *("mapping_reads_nothing", "mapping_stored"),
)
"""Error codes of an import that has no columns to store."""

BAD_PLAN: Final = (
    *("bad_mapping", "bad_setting", "column_gone", "column_needed", "two_columns", "value_needed"),
)


@dataclass(frozen=True, slots=True)
class ProposedColumns:
    """The plan proposed for a file.

    Attributes:
        mapping: the name of the stored mapping that has exactly it; empty without one.
        readings: those of which a person has to choose one; none where the plan is clear.
        has_usual_numbers: whether they are read as points of each hand, or as running totals.
    """

    plan: ColumnPlan
    mapping: str = ""
    readings: tuple[Reading, ...] = ()
    has_usual_numbers: bool = True


def _lock_club(mapping: ColumnMap) -> ColumnMap:
    lock_club(mapping.club)
    return mapping


def _check_new_plan(club: Club, *, plan: ColumnPlan, **_: object) -> None:
    refuse_any(problems_of(plan, [label for label, _ in plan.columns]))


@operation(RIGHT, locks=lock_club, check=_check_new_plan, refuses=(*BAD_NAME, *BAD_PLAN))
def save_mapping(op: Operation, club: Club, /, *, name: str, plan: ColumnPlan) -> ColumnMap:
    """Store a mapping, by which files with these columns are read; no file is needed.

    A stored mapping with the same columns is replaced, its name too.
    """
    return _save(op, club, name, plan)


def _save(op: Operation, club: Club, name: str, plan: ColumnPlan) -> ColumnMap:
    mapping = ColumnMap.objects.filter(club=club, heads_key=plan.key).first()
    words = _name(club, name, mapping)
    document = plan.as_json()
    if mapping is None:
        number = next_number(ColumnMap.objects.filter(club=club))
        mapping = ColumnMap(club=club, number=number, heads_key=plan.key)
    elif (mapping.name, mapping.plan) == (words, document):
        return mapping
    mapping.name = words
    mapping.plan = document
    mapping.made_as = op.actor.name
    mapping.changed_at = op.now
    mapping.save()
    op.audit(mapping, {"columns": len(plan.columns)}, name="keep_mapping")
    return mapping


@operation(RIGHT, locks=_lock_club, refuses=BAD_NAME)
def rename_mapping(op: Operation, mapping: ColumnMap, /, *, name: str) -> ColumnMap:
    """Rename a column mapping; no two mappings of a club have the same name."""
    words = _name(mapping.club, name, mapping)
    if words != mapping.name:
        ColumnMap.objects.filter(pk=mapping.pk).update(name=words)
        mapping.name = words
        op.audit(mapping)
    return mapping


@operation(RIGHT, name="forget_mapping")
def delete_mapping(op: Operation, mapping: ColumnMap, /) -> None:
    """Delete a mapping of a club. Files that were read with it stay as they are."""
    if ColumnMap.objects.filter(pk=mapping.pk).delete()[0]:
        op.audit(mapping)


def name_column(op: Operation, upload: Upload, column: str, player_id: str) -> None:
    """Set the player of a column, in the file's own mapping and in the stored one."""
    upload.plan = _with_player(upload.plan or {}, column, player_id)
    Upload.objects.filter(pk=upload.pk).update(plan=upload.plan)
    # No row is 0: without a stored mapping there is none to change.
    mappings = ColumnMap.objects.filter(club_id=upload.club_id, pk=upload.column_map_id or 0)
    mapping = mappings.select_for_update(of=("self",), no_key=True).select_related("club").first()
    if mapping is not None:
        mapping.plan = _with_player(mapping.plan, column, player_id)
        mapping.changed_at = op.now
        mapping.save(update_fields=["plan", "changed_at"])
        op.audit(mapping, {"columns": len(mapping.plan["columns"])}, name="keep_mapping")


def _with_player(plan: JsonObject, column: str, player_id: str) -> dict[str, object]:
    columns = {**plan.get("columns", {}), column: "player"}
    players = {**plan.get("players", {}), column: player_id}
    return {**plan, "columns": columns, "players": players}


def _name(club: Club, name: str, mapping: ColumnMap | None) -> str:
    words = " ".join(name.replace("\0", "").split())
    if not words:
        raise Refused(Problem("no_name", ("name",)))
    if len(words) > LONGEST_NAME:
        facts = {"found": len(words), "expected": LONGEST_NAME}
        raise Refused(Problem("name_too_long", ("name",), facts))
    mappings = ColumnMap.objects.filter(club=club)
    if mapping is not None:
        mappings = mappings.exclude(pk=mapping.pk)
    if any(
        other.casefold() == words.casefold() for other in mappings.values_list("name", flat=True)
    ):
        raise Refused(Problem("mapping_name_taken", ("name",), {"found": words}))
    return words


def file_heads(upload: Upload) -> list[str]:
    """Return the heads that a file came with, without those that corrections added."""
    return list(upload.heads[: len(upload.heads) - len(upload.added)])


def unread_labels(upload: Upload) -> list[str]:
    """Return the columns of a file, with something in them, that its plan does not read."""
    if upload.plan is None:
        return []
    labels = labels_of(file_heads(upload))
    return unread_columns(plan_from(upload.plan), labels, upload.sample)


def lacks_heads(upload: Upload) -> bool:
    """Whether the first row holds numbers or dates instead of heads."""
    return any(whole(head).value is not None or day(head).value.options for head in upload.heads)


def boxes_of(upload: Upload, event: Event) -> tuple[Box, ...]:
    """Return the boxes of the sheets in a file: those of its variant, or of the event.

    Totals of games have none.
    """
    if upload.holds == Holds.TOTALS:
        return ()
    rules = _rules_of(upload, event)
    sheet_boxes = boxes(rules, rules.keys.players[1])
    if not settings_of(event).duplicate:
        return sheet_boxes
    return (*sheet_boxes, BOARD_BOX)


def _rules_of(upload: Upload, event: Event) -> Rules:
    offered = offered_in(event)
    return RuleBook(event.variant, event.options, upload.variant, offered=offered)("").rules


def marks_in(upload: Upload, event: Event, plan: ColumnPlan) -> Marks:
    """Return the marks in the cells of players of a file, with the plans that may read them."""
    if upload.holds == Holds.TOTALS:
        return Marks({})
    return marks_of(plan, file_heads(upload), upload.sample, _rules_of(upload, event))


def proposed_columns(
    upload: Upload, event: Event, sheet_boxes: Sequence[Box], rows: str
) -> ProposedColumns:
    """Return the plan of a file's columns.

    It is the plan that was entered, that of a mapping which nearly fits, or a likely one; of `rows`
    where a person asks for that layout.
    """
    heads = file_heads(upload)
    labels = labels_of(heads)
    if upload.plan is not None and rows in ("", upload.plan["rows"]):
        name = upload.column_map.name if upload.column_map is not None else ""
        plan = plan_from(upload.plan).of_file(labels, lambda label: False)
        return ProposedColumns(plan, name, _other_readings(upload, event, plan))
    people = target_of(event).people(upload.named)
    likely = guess(heads, upload.sample, people, sheet_boxes, rows)
    if upload.holds == Holds.TOTALS:
        likely = replace(likely, given={})
    for mapping in maps_of(event.club):
        plan = plan_from(mapping.plan)
        if plan.missing(labels) or rows not in ("", plan.rows):
            continue
        strange = plan.strange(labels, people.called)
        proposal = _filled_in(plan.of_file(labels, people.called), strange, likely)
        proposal = _with_only_marks(upload, event, proposal)
        name = mapping.name if proposal.key == plan.key else ""
        stored = readings_of(upload, event, proposal)
        if stored is None or stored.may_be(proposal):
            return ProposedColumns(proposal, name)
        return ProposedColumns(proposal, name, stored.all)
    likely = _with_only_marks(upload, event, likely)
    readings = readings_of(upload, event, likely)
    if readings is None:
        return ProposedColumns(likely)
    if readings.others:
        return ProposedColumns(likely, readings=readings.all)
    first = readings.first
    has_usual_numbers = first.ways in ((), (RUNNING_TOTALS,))
    return ProposedColumns(first.plan, has_usual_numbers=has_usual_numbers)


def readings_of(upload: Upload, event: Event, plan: ColumnPlan) -> Readings | None:
    """Return how the first rows of a file can be read by a plan of its columns.

    None for totals of games, and for a plan that does not fit the file.
    """
    heads = file_heads(upload)
    if upload.holds == Holds.TOTALS or problems_of(plan, labels_of(heads)):
        return None
    return read_as(with_ways(plan, ()), heads, upload.sample, _rules_of(upload, event))


def _other_readings(upload: Upload, event: Event, plan: ColumnPlan) -> tuple[Reading, ...]:
    """Return the readings of a file that an earlier answer does not fit, to choose from."""
    readings = readings_of(upload, event, plan)
    if readings is None or readings.allows(plan):
        return ()
    return readings.all


def _with_only_marks(upload: Upload, event: Event, plan: ColumnPlan) -> ColumnPlan:
    """Return a plan that reads the marks of a file, if only one way makes its rows hands."""
    if MARKS in plan.given:
        return plan
    plans = marks_in(upload, event, plan).plans
    if len(plans) != 1:
        return plan
    return plans[0]


def only_plan(upload: Upload, event: Event) -> SelectedPlan | None:
    """Return the plan of a file that can be read in one way only; None where a question is left.

    Totals of games are always asked about, as no rule of a game tells that they are right, and so
    is a spreadsheet of which sheets are left out. Numbers with an unusual meaning are shown before
    they are read.
    """
    if upload.holds == Holds.TOTALS or upload.other_sheets:
        return None
    proposed = proposed_columns(upload, event, boxes_of(upload, event), "")
    if proposed.readings or not proposed.has_usual_numbers:
        return None
    plan = proposed.plan
    labels = labels_of(file_heads(upload))
    has_day = upload.day is not None
    rules = _rules_of(upload, event)
    if not is_read_one_way(plan, labels, upload.sample, rules, has_day=has_day):
        return None
    if "date" not in plan.means and has_several_rounds(event, upload.day):
        return None
    round_ = likely_round(upload.batch, upload.day)
    return SelectedPlan(plan, values_of(plan, {"round": str(round_)}))


def _filled_in(plan: ColumnPlan, strange: Collection[str], likely: ColumnPlan) -> ColumnPlan:
    if likely.rows != plan.rows:
        return plan
    guessed = dict(likely.columns)
    columns = [
        (label, guessed[label])
        if label in strange and (guessed[label] == PLAYER or guessed[label] not in plan.means)
        else (label, means)
        for label, means in plan.columns
    ]
    filled = replace(plan, columns=tuple(columns))
    if "date" in filled.means - plan.means:  # the file has several evenings by now
        return replace(filled, given={**likely.given, **plan.given})
    return filled


def ids_of(club: Club, typed: Mapping[str, str], labels: Sequence[str]) -> dict[str, str]:
    ids = {}
    problems = []
    people = named_players(club)
    for label, text in typed.items():
        player = people.meant(text, ("player", labels.index(label)))
        if isinstance(player, Problem):
            problems.append(player)
        else:
            ids[label] = player.player_id
    refuse_any(problems)
    return ids


def other_names_in(upload: Upload, event: Event, labels: Sequence[str]) -> list[str]:
    """Return the heads of a file that may be other names of players, which a club can keep."""
    people = target_of(event).people(upload.named)
    heads = {" ".join(head.split()) for head in file_heads(upload)}
    return [
        label
        for label in labels
        if label in heads and is_own_name(label) and not people.is_called(label)
    ]


def _named_by_heads(upload: Upload, event: Event, plan: ColumnPlan) -> dict[str, Player]:
    """Return the players whom a plan names for heads that do not mean them yet."""
    people = target_of(event).people(upload.named)
    ids = {}
    for label in other_names_in(upload, event, list(plan.players)):
        member = people.called(label)
        if member is None or member.player_id != plan.players[label]:
            ids[label] = plan.players[label]
    players = Player.objects.filter(club=event.club, player_id__in=ids.values())
    by_id = {player.player_id: player for player in players}
    return {label: by_id[code] for label, code in ids.items()}


def _check_plan(
    batch: ImportBatch,
    *,
    upload: Upload,
    plan: ColumnPlan,
    values: Mapping[str, str],
    is_told: bool,
    **_: object,
) -> dict[str, object]:
    """Refuse a plan that does not fit the file, and return the values that it leaves to enter."""
    problems = problems_of(plan, labels_of(file_heads(upload)))
    if not problems and not is_told:
        problems = list(_unclear(upload, batch.event, plan))
    try:
        values = values_of(plan, values, of_games=upload.holds == Holds.TOTALS)
    except Refused as refused:
        places = {(problem.code, problem.at) for problem in problems}
        problems += [p for p in refused.problems if (p.code, p.at) not in places]
    refuse_any(problems)
    return {"values": values}


def _unclear(upload: Upload, event: Event, plan: ColumnPlan) -> Iterator[Problem]:
    """Yield the problem that the numbers of a file may be written otherwise than a plan has it."""
    readings = readings_of(upload, event, plan)
    if readings is None or not readings.is_possible:
        return
    if readings.others or not readings.allows(plan):
        yield readings.problem


@operation(
    RIGHT,
    locks=lock_batch,
    requires=require_open,
    check=_check_plan,
    refuses=(*BAD_PLAN, "reading_needed", *MOVED_ON),
)
def map_columns(
    op: Operation,
    batch: ImportBatch,
    /,
    *,
    upload: Upload,
    plan: ColumnPlan,
    values: Mapping[str, str],
    day: date | None,
    is_told: bool,
    keeps_names: bool = False,
) -> ImportBatch:
    """Assign meanings to the columns of an import's file, which is then checked, not yet imported.

    The check runs in the background; read the import until `finished` is true, then confirm it.
    """
    # `values` stand for missing columns; `is_told` says that somebody chose the reading. With
    # `keeps_names` the club keeps who is meant by the heads, as by `name_player`.
    if keeps_names:
        names = _named_by_heads(upload, batch.event, plan)
        if names:
            keep_names(op, lock_names(batch.club), names)
    map_upload(op, batch, plan.as_json(), values, day)
    return batch


def _lock_upload(upload: Upload) -> Upload:
    """Lock the club, and return the file of an import as it is then; it may be gone."""
    lock_club(upload.club)
    uploads = Upload.objects.select_related("batch", "club", "column_map").defer("content")
    return first_or_missing(uploads.filter(pk=upload.pk), "import")


def _require_mapping(upload: Upload) -> None:
    problem = why_no_mapping(upload.batch, upload)
    if problem is not None:
        raise Conflict(problem)


@operation(
    RIGHT,
    locks=_lock_upload,
    requires=_require_mapping,
    refuses=(*BAD_NAME, *NO_MAPPING, "import_moved_on"),
)
def store_mapping(op: Operation, upload: Upload, /, *, name: str) -> ColumnMap:
    """Store the meanings of an import's columns as a mapping, by which later files are read.

    They are stored once the import was read by them, and at least one of its hands is right.
    """
    plan = plan_from(upload.plan)
    if plan.given.get("round") != DATES:  # a number is that of this file
        given = {key: text for key, text in plan.given.items() if key != "round"}
        plan = replace(plan, given=given)
    mapping = _save(op, upload.club, name, plan)
    Upload.objects.filter(pk=upload.pk).update(column_map=mapping)
    return mapping
