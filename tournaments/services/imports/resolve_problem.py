"""Resolve a problem of an import: correct cells of the file, name a player, or dismiss it; or
decide between a hand of the file and the one that the event has with other content.

Using the file's hand is a correction like any other (`record_entry`): its rights, its window and
its lines in the change log and the audit. The replaced entry is stored with the import, so that
undoing the import brings the earlier revision back.
"""

from collections.abc import Collection, Mapping
from typing import Final

from django.db.models import F

from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from tournaments.documents.read.column_plan import key_of, labels_of, plan_from
from tournaments.documents.read.columns import meaning
from tournaments.documents.read.csv import Unreadable
from tournaments.documents.read.own_names import is_own_name
from tournaments.domain.imports.import_report import (
    EVENING_CANCELLED,
    HAND_EXISTS,
    HAND_INSERTED,
    HAND_NOT_IN_FILE,
    HAND_TWICE,
    OF_ONE_NAME,
    OF_PEOPLE,
    SHEET_ELSEWHERE,
    Finding,
)
from tournaments.domain.name_matching import folded
from tournaments.domain.reasons import BAD_REASON, require_reason, require_some_reason
from tournaments.domain.replay_game import TOTALS
from tournaments.errors import Conflict, Forbidden
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import (
    BROUGHT,
    HANDS,
    NAMES,
    SEATS,
    BatchState,
    Holds,
    ImportBatch,
    ImportProblem,
    ProblemState,
    Replacement,
    Upload,
)
from tournaments.selectors.clubs.clubs import list_players_of
from tournaments.selectors.clubs.find_players import named_players
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.services.clubs.aliases import keep_names
from tournaments.services.clubs.clubs import add_guest, add_player
from tournaments.services.clubs.names import lock_names
from tournaments.services.db.locks import lock_games
from tournaments.services.events.events import enter_guest
from tournaments.services.hands.hand_rows import audit_contested
from tournaments.services.hands.record_entry import RecordedHand, record_entry
from tournaments.services.imports.batches import (
    close_rounds,
    lock_batch,
    require_open,
    reread_state,
    stale_batch_problem,
)
from tournaments.services.imports.column_mappings import name_column
from tournaments.services.imports.resolve_people import name_in, name_in_file
from tournaments.services.imports.same_sheets import (
    ANOTHER_GAME,
    IS_CHOSEN,
    IS_ONE,
    ONE_SHEET,
    PLACE,
)
from tournaments.services.imports.table_changes import recorded_round_states
from tournaments.services.imports.uploads import MOVED_ON, correct_lines, correct_upload
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.seating import table_code

MOST_LINES_SHOWN: Final = 60
"""A problem of more lines is mended in the file, not on a page."""


DEALT_TWICE: Final = "Dealt twice."
PLAYED_ALL_THE_SAME: Final = "Played all the same."
REASONS: Final = {
    EVENING_CANCELLED: PLAYED_ALL_THE_SAME,
    HAND_INSERTED: "Inserted in the file.",
    HAND_NOT_IN_FILE: "The hand was played.",
    HAND_TWICE: "Another hand.",
}
"""Code → reason of a sheet that is right as it is; the others were dealt twice."""

CorrectedRows = tuple[dict[int, list[str]], tuple[str, ...]]
"""The cells of lines, and the heads of columns that are added for them."""


def rows_of(problem: ImportProblem | Finding, upload: Upload) -> dict[int, list[str]]:
    width = len(upload.heads)
    return {int(line): [*cells, *[""] * width][:width] for line, cells in problem.rows}


def has_own_name(problem: ImportProblem) -> bool:
    """Whether a problem is about a name of a file, which the club may keep for a player."""
    name = name_in(problem)
    return problem.code in OF_ONE_NAME and not name.endswith(")") and is_own_name(name)


def asks_who(problem: ImportProblem, upload: Upload) -> bool:
    """Whether naming a player resolves a problem; where a row is a hand, a name is needed."""
    is_by_name = upload.plan is not None and upload.plan["rows"] != SEATS
    return problem.code in OF_PEOPLE and (problem.code in OF_ONE_NAME or not is_by_name)


def has_player_columns(upload: Upload) -> bool:
    """Whether a row of a file is a hand, with a column for each player."""
    return upload.plan is not None and upload.plan["rows"] == HANDS


def has_names_in_rows(upload: Upload) -> bool:
    if upload.plan is not None:
        return bool(upload.plan["rows"] == NAMES)
    is_of_totals = upload.holds == Holds.TOTALS
    return is_of_totals and not {"player", "player_id"} & set(places_in(upload))


def places_in(upload: Upload) -> dict[str, int]:
    """Return the index of each column of a file by its key; a player's by `@` and its label."""
    if upload.plan is None:
        return {meaning(head): index for index, head in enumerate(upload.heads)}
    plan = plan_from(upload.plan)
    means = dict(plan.columns)
    first_added = len(upload.heads) - len(upload.added)
    places: dict[str, int] = {head: first_added + n for n, head in enumerate(upload.added)}
    for index, label in enumerate(labels_of(upload.heads)[:first_added]):
        if plan.has_numbers(label):
            key = f"@{label}"
        else:
            key = key_of(means.get(label, ""))
        places[key] = index
    return places


def with_cells(
    problem: ImportProblem, upload: Upload, cells: Mapping[int, Mapping[str, str]]
) -> CorrectedRows:
    """Return a problem's lines with changed cells, by line and column: its key, or # and index."""
    rows = rows_of(problem, upload)
    by_line = {line: changes for line, changes in cells.items() if line in rows}
    added: list[str] = []
    put_cells(rows, by_line, places_in(upload), len(upload.heads), added)
    return {line: rows[line] for line in by_line}, tuple(added)


def put_cells(
    rows: Mapping[int, list[str]],
    cells: Mapping[int, Mapping[str, str]],
    places: Mapping[str, int],
    n_heads: int,
    added: list[str],
) -> None:
    """Change cells of rows; a column that the file lacks is put behind its heads, in `added`."""
    at = {**places, **{f"#{index}": index for index in range(n_heads)}}
    at |= {key: n_heads + number for number, key in enumerate(added)}
    for line, changes in sorted(cells.items()):
        for key, text in changes.items():
            if key not in at:
                at[key] = n_heads + len(added)
                added.append(key)
            row = rows[line]
            row.extend([""] * (at[key] + 1 - len(row)))
            row[at[key]] = text


def _with_name(problem: ImportProblem, upload: Upload, player_id: str) -> CorrectedRows:
    name = folded(problem.found.strip('"'))
    rows = rows_of(problem, upload).items()
    lines = {
        line: [player_id if folded(cell) == name else cell for cell in row] for line, row in rows
    }
    return lines, ()


def written_person(problem: ImportProblem, upload: Upload) -> dict[str, str]:
    """Return the first `name` and `player_id` in a problem's lines, but for the id of a member."""
    if has_player_columns(upload) or has_names_in_rows(upload):
        return {"name": problem.found.strip('"'), "player_id": ""}
    places = places_in(upload)
    rows = rows_of(problem, upload)
    person = {"name": "", "player_id": ""}
    for key, column in (("name", "player"), ("player_id", "player_id")):
        at = places.get(column)
        cells = [row[at] for row in rows.values()] if at is not None else []
        person[key] = next((" ".join(cell.split()) for cell in cells if cell.strip()), "")
    ids = {folded(player.player_id) for player in list_players_of(problem.batch.club)}
    if folded(person["player_id"]) not in ids:
        return person
    return person | {"player_id": ""}


def _lock_problem(problem: ImportProblem) -> ImportProblem:
    lock_batch(problem.batch)
    return problem


def _require_open(problem: ImportProblem) -> None:
    require_open(problem.batch)


def use_offer(
    op: Operation, problem: ImportProblem, upload: Upload, number: int, *, keeps_name: bool = False
) -> None:
    """Name the player of an offer, or correct the cells that it changes."""
    offer = dict(enumerate(problem.offers)).get(number, {})
    if "text" not in offer:
        raise Conflict(stale_batch_problem(problem.batch))
    if "is_right" in offer:
        confirm_repeats(op, problem)
        return
    if PLACE in offer:
        place_sheet(op, problem, is_one=offer[IS_ONE])
        return
    if "player" in offer:
        player = str(offer["player"])
        name_player(op, problem, upload=upload, player=player, keeps_name=keeps_name)
        return
    cells = {int(line): put for line, put in offer["cells"].items()}
    lines, added = with_cells(problem, upload, cells)
    correct_upload(op, problem.batch, lines=lines, added=added)


@operation(
    "import_sheets",
    locks=_lock_problem,
    requires=_require_open,
    refuses=("nobody_of_that_name", "name_of_several", *MOVED_ON),
)
def name_player(
    op: Operation,
    problem: ImportProblem,
    /,
    *,
    upload: Upload,
    player: str,
    keeps_name: bool = False,
) -> None:
    """Name the player of a problem's lines by an id, a name, or the beginning of a name.

    With `keeps_name` the club keeps that the name in the file is this player's: next time it is no
    question. The answer of a host is proposed to the directors.
    """
    named = named_players(problem.batch.club).meant(player, ("player",))
    if isinstance(named, Problem):
        raise Refused(named)
    if keeps_name:
        _keep_name(op, problem, named)
    _put_player(op, problem, upload, named)


def _keep_name(op: Operation, problem: ImportProblem, player: Player) -> None:
    if has_own_name(problem):
        keep_names(op, lock_names(problem.batch.club), {name_in(problem): player})


@operation(
    "import_sheets",
    locks=_lock_problem,  # before the club, in which the player is added
    requires=_require_open,
    refuses=add_player.refuses | add_guest.refuses | frozenset(MOVED_ON),
)
def name_new_player(
    op: Operation,
    problem: ImportProblem,
    /,
    *,
    upload: Upload,
    name: str,
    player_id: str = "",
    keeps_name: bool = False,
) -> None:
    """Add a player to the club, a guest if no id is given, and name them in a problem's lines.

    With `keeps_name` another name in the file is kept as in `name_player`.
    """
    club = problem.batch.club
    code = player_id.strip()
    if code:
        player = add_player(op, club, name=name.strip() or code, player_id=code)
    else:
        player = add_guest(op, club, name=name)
        enter_guest(event=problem.batch.event, player=player)
    if keeps_name:
        _keep_name(op, problem, player)
    _put_player(op, problem, upload, player)


@operation("import_sheets", locks=_lock_problem, requires=_require_open, refuses=MOVED_ON)
def confirm_repeats(op: Operation, problem: ImportProblem, /) -> None:
    """Call repeated hands of a sheet, or its cancelled evening, right, and read the file again.

    The sheet is stored whole.
    """
    confirm_sheet(problem)
    correct_lines(op, problem.batch, {})
    op.audit(problem, {"code": problem.code})


def confirm_sheet(problem: ImportProblem) -> None:
    """Note that a sheet is right as it is; the caller holds its batch."""
    reason = REASONS.get(problem.code, DEALT_TWICE)
    open_ = ImportProblem.objects.filter(pk=problem.pk, state=ProblemState.OPEN)
    if not open_.update(state=ProblemState.SETTLED, reason=reason):
        raise Conflict(stale_batch_problem(problem.batch))


@operation("import_sheets", locks=_lock_problem, requires=_require_open, refuses=MOVED_ON)
def place_sheet(
    op: Operation, problem: ImportProblem, /, *, is_one: bool, reads_again: bool = True
) -> None:
    """Say whether the event has a sheet of a file already, and read the file again.

    The answer holds for every import of the file. It may change until hands came in by it, and once
    the import is undone.
    """
    # A command that imports the file itself does not have it read again.
    batch = problem.batch
    reread_state(batch)
    states = [ProblemState.OPEN]
    if batch.state in (BatchState.PREVIEW, BatchState.UNDONE):
        states.append(ProblemState.SETTLED)
    reason = ONE_SHEET if is_one else ANOTHER_GAME
    offers = [{**offer, IS_CHOSEN: offer[IS_ONE] == is_one} for offer in problem.offers]
    rows = ImportProblem.objects.filter(pk=problem.pk, state__in=states)
    if not rows.update(state=ProblemState.SETTLED, reason=reason, offers=offers):
        raise Conflict(stale_batch_problem(batch))
    if reads_again and batch.state != BatchState.UNDONE:
        correct_lines(op, batch, {})
    op.audit(problem, {"code": problem.code})


def answer_about_sheets(
    op: Operation, event: Event, *, digest: str, answers: Mapping[int, bool]
) -> None:
    """Answer the questions about sheets of a file: first line → whether it is one sheet."""
    problems = ImportProblem.objects.filter(
        event=event, batch__file_digest=digest, code=SHEET_ELSEWHERE
    )
    in_order = problems.select_related("batch__event__club", "batch__club").order_by("pk")
    by_line = {problem.lines[0]: problem for problem in in_order}
    for line, is_one in answers.items():
        problem = by_line.get(line)
        if problem is None:
            raise Unreadable(f"Import the file first. There is no question about line {line} yet.")
        if is_one not in [offer[IS_ONE] for offer in problem.offers]:
            raise Unreadable(
                f"Another sheet of the file is that table, so the one of line {line} is not. "
                "Import it as another game, or leave it out of the file."
            )
        is_answered = problem.reason == (ONE_SHEET if is_one else ANOTHER_GAME)
        if not is_answered:
            place_sheet(op, problem, is_one=is_one, reads_again=False)


def _put_player(op: Operation, problem: ImportProblem, upload: Upload, player: Player) -> None:
    lines: CorrectedRows = {}, ()
    if has_names_in_rows(upload):
        lines = _with_name(problem, upload, player.player_id)
    elif has_player_columns(upload):
        _name_column(op, problem, upload, player)
    else:
        cells = {"player_id": player.player_id}
        if "player" in places_in(upload):
            cells["player"] = player.name
        lines = with_cells(problem, upload, dict.fromkeys(problem.lines, cells))
    correct_lines(op, problem.batch, *lines)


def _name_column(op: Operation, problem: ImportProblem, upload: Upload, player: Player) -> None:
    name = folded(problem.found.strip('"'))
    labels = [label for label in labels_of(upload.heads) if folded(label) == name]
    if not labels:
        raise Conflict(stale_batch_problem(problem.batch))
    name_column(op, upload, labels[0], player.player_id)
    name_in_file(problem.batch, {labels[0]: player})


@operation("import_sheets", locks=_lock_problem, refuses=("reason_required", "import_moved_on"))
def dismiss_problem(op: Operation, problem: ImportProblem, /, *, reason: str) -> None:
    """Leave the rows of a problem out of the event; its round no longer waits for them."""
    require_some_reason(reason)
    batch = problem.batch
    words = " ".join(reason.split())
    open_ = ImportProblem.objects.filter(pk=problem.pk, state=ProblemState.OPEN)
    is_in_state = batch.state in (*BROUGHT, BatchState.PREVIEW)
    if not is_in_state or not open_.update(state=ProblemState.DISMISSED, reason=words[:500]):
        raise Conflict(stale_batch_problem(batch))
    if batch.state in BROUGHT and problem.round is not None:
        _close_rounds(op, batch, {problem.round})
    op.audit(problem, {"code": problem.code})


def _close_rounds(op: Operation, batch: ImportBatch, numbers: Collection[int]) -> None:
    event = batch.event
    recorded_round_states(batch, event, numbers, lambda: close_rounds(event, numbers, now=op.now))


def file_hand(problem: ImportProblem) -> JsonObject | None:
    """Return the file's hand of a conflict as it was stored; None for any other problem.

    It has `entry` and `hands`; `players` clockwise and `board` where the file gives them.
    """
    if problem.code != HAND_EXISTS or problem.hand is None:
        return None
    return next((offer for offer in problem.offers if "entry" in offer), None)


def conflict_game(problem: ImportProblem) -> Game:
    code = table_code(problem.round or 0, problem.table or 0)
    return get_game(problem.batch.event, code)


def correct_hand(
    op: Operation, problem: ImportProblem, *, based_on: int, reason: str
) -> RecordedHand:
    """Record the file's hand as the next revision of the stored one.

    Its numbers belong to seats: it is refused if others sit there by now than in the file.
    """
    hand = file_hand(problem)
    if hand is None:
        raise Conflict(stale_batch_problem(problem.batch))
    number = problem.hand or TOTALS
    players = hand.get("players", ())
    ids = dict(Player.objects.filter(pk__in=players).values_list("pk", "player_id"))
    is_whole = players and ids.keys() >= set(players)  # the file names everybody
    is_totals = number == TOTALS
    return record_entry(
        op,
        conflict_game(problem),
        number=number,
        is_totals=is_totals,
        hands=hand.get("hands") if is_totals else None,
        board=None if is_totals else hand.get("board"),
        entry=hand["entry"],
        based_on=based_on,
        reason=reason,
        source="import",
        players=[ids[player] for player in players] if is_whole else None,
    )


def _lock_round(problem: ImportProblem) -> ImportProblem:
    event = lock_batch(problem.batch).event
    lock_games(Game.objects.filter(event=event, table__round__number=problem.round or 0))
    return problem


def _audit_conflict(
    op: Operation, refusal: Conflict | Forbidden, problem: ImportProblem, **_: object
) -> None:
    if isinstance(refusal, Conflict):
        audit_contested(op, refusal, conflict_game(problem), number=problem.hand or TOTALS)


@operation(
    "import_sheets",
    locks=_lock_round,
    refuses=(*BAD_REASON, *record_entry.refuses, "import_moved_on"),
    audits_refusals=_audit_conflict,
)
def use_file_hand(
    op: Operation, problem: ImportProblem, /, *, based_on: int, reason: str
) -> RecordedHand:
    """Replace a stored hand by the file's, as a revision with its reason; resolve the problem."""
    require_reason(reason)
    batch = problem.batch
    words = reason.strip()
    rows = ImportProblem.objects.filter(pk=problem.pk, state=ProblemState.OPEN)
    if not rows.filter(batch__state=BatchState.DONE).exists():
        raise Conflict(stale_batch_problem(batch))
    hands = Hand.objects.filter(game=conflict_game(problem).pk, number=problem.hand or TOTALS)
    before = hands.values("state", "hands", "board__number").first()
    recorded = correct_hand(op, problem, based_on=based_on, reason=words)
    note_replacement(batch, recorded, before or {})
    ImportProblem.objects.filter(pk=problem.pk).update(state=ProblemState.SETTLED, reason=words)
    ImportBatch.objects.filter(pk=batch.pk, accepted__lt=F("hands")).update(
        accepted=F("accepted") + 1
    )
    _close_rounds(op, batch, {problem.round or 0})
    op.audit(problem, {"revision": recorded.hand.revision})
    return recorded


def note_replacement(batch: ImportBatch, recorded: RecordedHand, before: JsonObject) -> None:
    """Store that an import made a revision, with the state of the hand before it."""
    Replacement.objects.create(
        club_id=batch.club_id,
        batch=batch,
        entry=recorded.entry,
        state=before.get("state", ""),
        hands=before.get("hands"),
        board=before.get("board__number"),
    )
