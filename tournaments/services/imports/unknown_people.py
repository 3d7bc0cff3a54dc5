"""Add the people of a file whom its club does not have, all at once or those chosen."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from tournaments.documents.read.people_list import ID, PastedPlayer
from tournaments.domain.imports.import_report import Finding
from tournaments.domain.name_matching import folded, one_line, one_person, player_name_problems
from tournaments.models.clubs import Club
from tournaments.models.imports import ImportBatch, ImportProblem, ProblemState
from tournaments.services.clubs.clubs import is_usable_number
from tournaments.services.clubs.names import lock_names
from tournaments.services.clubs.player_paste import MOST_LINES, add_roster, plan_players
from tournaments.services.imports.batches import lock_batch, require_open
from tournaments.services.imports.uploads import MOVED_ON, correct_lines
from tournaments.services.operations import Operation, operation

_WITH_ID: Final = re.compile(r"(?:(?P<name>.+) \()?(?P<code>[^\s()]+)\)?")
"""How a report names somebody of an unknown id."""


def unknown_people(problems: Iterable[ImportProblem | Finding]) -> list[PastedPlayer]:
    """Return the people whom problems of a file call unknown, each once, up to 1,000.

    `line` is the position of the first problem about the person, or the number among those of a
    report. A name that is nearly a member's, or cannot be a player's, is left to be decided by
    itself.
    """
    people: dict[str, PastedPlayer] = {}
    for number, problem in enumerate(problems, start=1):
        if not is_unknown(problem):
            continue
        line = problem.position if isinstance(problem, ImportProblem) else number
        found = one_line(problem.found.strip('"'))
        match = _WITH_ID.fullmatch(found)
        code = match["code"] if match and ID.fullmatch(match["code"]) else ""
        written = (match["name"] or code) if match and code else found
        name = one_person(written) or written
        if player_name_problems(name) or (code and not is_usable_number(code)):
            continue
        person = PastedPlayer(line, name, code, as_written=True)
        people.setdefault(code.casefold() or folded(name), person)
    return list(people.values())[:MOST_LINES]


def is_unknown(problem: ImportProblem | Finding) -> bool:
    is_open = isinstance(problem, Finding) or problem.state == ProblemState.OPEN
    return is_open and problem.code == "unknown_player" and not problem.suggestion


def add_people(op: Operation, club: Club, people: Sequence[PastedPlayer]) -> int:
    """Add people of a file to the players of a club; return how many are new."""
    roster = plan_players(club, people)
    add_roster(op, club, pasted=people, seen=roster.digest)
    return len(roster.new)


@operation(
    "edit_players",
    locks=lock_batch,  # before the club, in which the players are added
    requires=require_open,
    refuses=add_roster.refuses | frozenset(MOVED_ON),
)
def add_unknown_players(
    op: Operation, batch: ImportBatch, /, *, names: Collection[str] | None = None
) -> int:
    """Add the unknown people of a file to the club, all or those of `names`, and read it again.

    They are the people of `unknown_player` problems without a suggestion. The work goes on in the
    background, as after a correction.
    """
    op.require("import_sheets", batch.event)
    people = unknown_people(batch.problems.order_by("position"))
    chosen = [person for person in people if names is None or person.name in names]
    n_added = add_people(op, lock_names(batch.club), chosen)
    correct_lines(op, batch, {})
    return n_added
