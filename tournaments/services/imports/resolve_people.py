"""The unknown people of a file: those whom names likely mean are taken, the others are added."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tournaments.documents.read.columns import is_sum
from tournaments.documents.read.people_list import ID, PastedPlayer
from tournaments.domain.imports.import_report import Finding
from tournaments.domain.name_matching import folded, one_line, one_person, player_name_problems
from tournaments.errors import Conflict
from tournaments.models.clubs import Club, Player
from tournaments.models.imports import ImportBatch, ImportProblem, ProblemState, Upload
from tournaments.services.clubs.aliases import keep_names
from tournaments.services.clubs.clubs import is_usable_number
from tournaments.services.clubs.names import lock_names
from tournaments.services.clubs.player_paste import MOST_LINES, add_roster, plan_players
from tournaments.services.imports.batches import lock_batch, require_open, stale_batch_problem
from tournaments.services.imports.uploads import MOVED_ON, correct_lines
from tournaments.services.operations import Operation, operation

_WITH_ID: Final = re.compile(r"(?:(?P<name>.+) \()?(?P<code>[^\s()]+)\)?")
"""How a report names somebody of an unknown id."""


@dataclass(frozen=True, slots=True)
class LikelyPerson:
    """A name of a file, and the player whom it is likely short for.

    `position` is that of the first problem about the name, or its number among those of a report.
    """

    position: int
    name: str
    player_id: str
    label: str


def is_unknown(problem: ImportProblem | Finding) -> bool:
    """Whether a problem is about somebody who is not in the club: no member is like them.

    Of very many unknown people of a large club the first ones are compared with its members.
    """
    is_unsure = any("is_unsure" in offer for offer in problem.offers)
    return is_about_unknown(problem) and not problem.suggestion and not is_unsure


def is_about_unknown(problem: ImportProblem | Finding) -> bool:
    """Whether a problem waits for who is meant by a name that is no member's."""
    is_open = isinstance(problem, Finding) or problem.state == ProblemState.OPEN
    return is_open and problem.code == "unknown_player"


def likely_people(problems: Iterable[ImportProblem | Finding]) -> list[LikelyPerson]:
    """Return the names of a file that are likely short for one player each.

    Whom two names are likely short for is neither: each is resolved by itself. So is a name beside
    which its likely player sits in one of the hands.
    """
    about: dict[str, list[tuple[int, ImportProblem | Finding]]] = {}
    for number, problem in enumerate(problems, start=1):
        if is_about_unknown(problem):
            position = problem.position if isinstance(problem, ImportProblem) else number
            about.setdefault(folded(name_in(problem)), []).append((position, problem))
    people: list[LikelyPerson] = []
    for of_name in about.values():
        offers = [_likely_offer(problem) for _position, problem in of_name]
        if all(offers):
            position, first = of_name[0]
            player_id = str(offers[0]["player"])
            people.append(LikelyPerson(position, name_in(first), player_id, str(offers[0]["text"])))
    n_names = Counter(person.player_id for person in people)
    return [person for person in people if n_names[person.player_id] == 1]


def name_in(problem: ImportProblem | Finding) -> str:
    """Return the text of a file that a problem is about."""
    return one_line(problem.found.strip('"'))


def _likely_offer(problem: ImportProblem | Finding) -> Mapping[str, object]:
    return next((offer for offer in problem.offers if offer.get("is_likely")), {})


@operation("import_sheets", locks=lock_batch, requires=require_open, refuses=MOVED_ON)
def take_likely_people(
    op: Operation, batch: ImportBatch, /, *, names: Collection[str] | None = None
) -> int:
    """Take the names of a file for the players whom they are likely short for, and read it again.

    All of them, or those of `names`. The answer is kept for the club: next time these names are
    these players. A host's answer counts for this file, and is proposed to the directors.
    """
    likely = likely_people(batch.problems.order_by("position"))
    chosen = [person for person in likely if names is None or person.name in names]
    meant = _players_meant(batch.club, chosen)
    name_in_file(batch, meant)
    keep_names(op, lock_names(batch.club), meant)
    correct_lines(op, batch, {})
    op.audit(batch, {"names": len(meant)})
    return len(meant)


@operation("import_sheets", locks=lock_names)
def keep_likely_names(op: Operation, club: Club, /, people: Sequence[LikelyPerson]) -> int:
    """Keep for the club that names are short for the players whom they are likely short for.

    A file that is read afterwards takes these players.
    """
    n_kept = keep_names(op, club, _players_meant(club, people))
    op.audit(club, {"names": n_kept})
    return n_kept


def _players_meant(club: Club, people: Collection[LikelyPerson]) -> dict[str, Player]:
    """Return the players whom names are likely short for, without those who are gone by now."""
    ids = {person.player_id for person in people}
    players = Player.objects.filter(club=club, player_id__in=ids, merged_into=None)
    by_id = {player.player_id: player for player in players}
    return {person.name: by_id[person.player_id] for person in people if person.player_id in by_id}


def name_in_file(batch: ImportBatch, players: Mapping[str, Player]) -> None:
    """Store who is meant by names of a file, for reading it again; the caller holds the batch."""
    upload = Upload.objects.defer("content").filter(batch=batch).first()
    if upload is None:
        raise Conflict(stale_batch_problem(batch))
    named = {name: player.player_id for name, player in players.items()}
    Upload.objects.filter(pk=upload.pk).update(named={**upload.named, **named})


def unknown_people(club: Club, problems: Iterable[ImportProblem | Finding]) -> list[PastedPlayer]:
    """Return the people of a file who can be added to a club at once, each once, up to 1,000.

    Problems of the file call them unknown. `line` is the position of the first problem about the
    person, or the number among those of a report. A name that may be a member's or that of another
    unknown person, or cannot be a player's, is left to be decided by itself.
    """
    people: dict[str, PastedPlayer] = {}
    asked: set[str] = set()
    for number, problem in enumerate(problems, start=1):
        if not is_about_unknown(problem):
            continue
        cell_text = name_in(problem)
        if not is_unknown(problem):
            asked.add(folded(cell_text))
            continue
        line = problem.position if isinstance(problem, ImportProblem) else number
        match = _WITH_ID.fullmatch(cell_text)
        code = match["code"] if match and ID.fullmatch(match["code"]) else ""
        written = (match["name"] or code) if match and code else cell_text
        name = one_person(written) or written
        if player_name_problems(name) or (code and not is_usable_number(code)):
            continue
        if is_sum([written]):
            continue
        person = PastedPlayer(line, name, code, as_written=True)
        people.setdefault(code.casefold() or folded(name), person)
    certain = [person for key, person in people.items() if key not in asked]
    return _new_people(club, certain[:MOST_LINES])


def _new_people(club: Club, people: Sequence[PastedPlayer]) -> list[PastedPlayer]:
    """Return those who are no player of the club, nor anybody before them in another spelling."""
    if not people:
        return []
    roster = plan_players(club, people)
    new = {line.line for line in roster.new if not line.like}
    return [person for person in people if person.line in new]


def add_people(op: Operation, club: Club, people: Sequence[PastedPlayer]) -> int:
    """Add people to the club, but for those who are likely players of it by now."""
    certain = _new_people(club, people)
    roster = plan_players(club, certain)
    add_roster(op, club, pasted=certain, seen=roster.digest)
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
    people = unknown_people(batch.club, batch.problems.order_by("position"))
    chosen = [person for person in people if names is None or person.name in names]
    n_added = add_people(op, lock_names(batch.club), chosen)
    correct_lines(op, batch, {})
    return n_added
