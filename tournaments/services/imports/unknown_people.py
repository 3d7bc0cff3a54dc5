"""Add the people of a file whom its club does not have, all at once or those chosen."""

from collections.abc import Collection, Iterable

from tournaments.documents.read.people import turned
from tournaments.documents.read.people_list import PastedPlayer
from tournaments.domain.name_matching import folded, one_line, player_name_problems
from tournaments.models.imports import ImportBatch, ImportProblem, ProblemState, Upload
from tournaments.services.clubs.clubs import is_usable_number
from tournaments.services.clubs.names import lock_names
from tournaments.services.clubs.player_paste import MOST_LINES, add_roster, plan_players
from tournaments.services.imports.batches import lock_batch, require_open
from tournaments.services.imports.resolve_problem import asks_who, person_in
from tournaments.services.imports.uploads import MOVED_ON, correct_lines
from tournaments.services.operations import Operation, operation


def unknown_people(problems: Iterable[ImportProblem], upload: Upload | None) -> list[PastedPlayer]:
    """Return the people whom problems of a file call unknown, each once, up to 1,000.

    `line` is the position of the first problem about the person. A name that is nearly a member's,
    or cannot be a player's, is left to be decided by itself.
    """
    people: dict[str, PastedPlayer] = {}
    for problem in problems:
        if upload is None or not is_unknown(problem) or not asks_who(problem, upload):
            continue
        person = person_in(problem, upload)
        code = one_line(person["player_id"])
        name = one_line(turned(person["name"])) or code
        if player_name_problems(name) or (code and not is_usable_number(code)):
            continue
        new = PastedPlayer(problem.position, name, code, as_written=True)
        people.setdefault(code.casefold() or folded(name), new)
    return list(people.values())[:MOST_LINES]


def is_unknown(problem: ImportProblem) -> bool:
    is_open = problem.state == ProblemState.OPEN
    return is_open and problem.code == "unknown_player" and not problem.suggestion


@operation(
    "edit_players",
    locks=lock_batch,  # before the club, in which the players are added
    requires=require_open,
    refuses=add_roster.refuses | frozenset(MOVED_ON),
)
def add_unknown_players(
    op: Operation,
    batch: ImportBatch,
    /,
    *,
    upload: Upload | None,
    names: Collection[str] | None = None,
) -> int:
    """Add the unknown people of a file to the club, all or those of `names`, and read it again.

    They are the people of `unknown_player` problems without a suggestion. The work goes on in the
    background, as after a correction.
    """
    op.require("import_sheets", batch.event)
    club = lock_names(batch.club)
    people = unknown_people(batch.problems.order_by("position"), upload)
    chosen = [person for person in people if names is None or person.name in names]
    roster = plan_players(club, chosen)
    add_roster(op, club, pasted=chosen, seen=roster.digest)
    correct_lines(op, batch, {})
    return len(roster.new)
