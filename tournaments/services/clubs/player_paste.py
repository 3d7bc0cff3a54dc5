"""Adding many people at once: what each pasted line would do, doing it, and undoing it."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import count
from typing import Final

from django.db import transaction
from django.db.models import ProtectedError

from scoring.errors import Problem, Refused
from tournaments.domain.name_matching import LONGEST_NAME, comma_problem, one_line, without_accents
from tournaments.domain.people.public_names import new_player
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.policy import Actor
from tournaments.selectors.clubs.members import (
    PASTE,
    UNDO,
    get_pasted_line,
    is_undone,
    list_pasted_players,
)
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.clubs import is_usable_number
from tournaments.services.clubs.names import group_codes, group_problem, lock_names
from tournaments.services.db.transactions import atomic_act, unless_taken
from tournaments.services.permissions import require

LONGEST_ID: Final = 40
MOST_LINES: Final = 1000


@dataclass(frozen=True, slots=True)
class PastedPlayer:
    """One pasted person: the line's number from 1, the name, and the id, if any.

    `as_written` is set if the user confirmed that a name with a comma is one person's. `left_out`
    holds the cells that are not stored.
    """

    line: int
    name: str
    player_id: str = ""
    as_written: bool = False
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class RosterLine:
    """The plan for one line: `new`, `there` (a member already), `twice`, or a problem.

    `like` names the member that the line matches, or one with a nearly equal name.
    """

    line: int
    name: str
    player_id: str
    outcome: str
    like: str = ""
    problem: Problem | None = None
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Roster:
    """The effect of a pasted list on a club's list; `digest` is that of its preview."""

    lines: tuple[RosterLine, ...]

    @property
    def new(self) -> tuple[RosterLine, ...]:
        return tuple(line for line in self.lines if line.outcome == "new")

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(line.problem for line in self.lines if line.problem)

    @property
    def digest(self) -> str:
        lines = [[line.line, line.name, line.player_id, line.outcome] for line in self.lines]
        return hashlib.sha256(json.dumps(lines).encode()).hexdigest()


def plan_players(club: Club, pasted: Sequence[PastedPlayer]) -> Roster:
    players = _Players(Player.objects.filter(club=club).order_by("player_id"))
    pasted_ids = {person.player_id.casefold() for person in pasted if person.player_id}
    groups = group_codes(club)
    taken_ids = pasted_ids | players.by_id.keys() | {code.casefold() for code in groups}
    free_ids = (code for n in count(1) if (code := f"P{n:04d}").casefold() not in taken_ids)
    lines = []
    for raw in pasted:
        person = replace(raw, name=one_line(raw.name), player_id=one_line(raw.player_id))
        line = replace(_roster_line(person, players), left_out=person.left_out)
        if line.outcome == "new" and (problem := group_problem(person.player_id, groups)):
            problem = replace(problem, at=("names", person.line))
            line = replace(line, outcome="problem", like="", problem=problem)
        if line.outcome == "new":
            line = replace(line, player_id=line.player_id or next(free_ids))
            players.add(line.name, line.player_id, line.line)
        lines.append(line)
    return Roster(tuple(lines))


def add_pasted_players(
    *, actor: Actor, club: Club, pasted: Sequence[PastedPlayer], seen: str, now: datetime
) -> int:
    """Add the people of a pasted list, all or none; one audit line for all of them.

    Args:
        seen: the digest of the plan that the person looked at.

    Returns:
        The number of the audit line, under which `undo_pasted_players` undoes it.
    """
    return _add(actor, club, pasted, seen, now).number


@atomic_act
def _add(
    actor: Actor, club: Club, pasted: Sequence[PastedPlayer], digest: str, now: datetime
) -> AuditLine:
    require(actor, club, "edit_players")
    if len(pasted) > MOST_LINES:
        facts = {"found": len(pasted), "expected": MOST_LINES}
        raise Refused(Problem("too_many_lines", ("names",), facts))
    club = lock_names(club)
    roster = plan_players(club, pasted)
    if roster.problems:
        raise Refused(*roster.problems)
    if roster.digest != digest:
        raise Conflict(Problem("list_changed", ("names",)))
    if not roster.new:
        raise Refused(Problem("nobody_to_add", ("names",)))
    people = [
        new_player(club=club, player_id=line.player_id, name=line.name) for line in roster.new
    ]
    with unless_taken(Conflict(Problem("list_changed", ("names",)))):
        players = Player.objects.bulk_create(people)
    added = {
        "players": [player.player_id for player in players],
        "rows": [player.pk for player in players],
    }
    return append_audit(club, actor, PASTE, f"club:{club.slug}", facts=added, now=now)


@atomic_act
def undo_pasted_players(
    *, actor: Actor, club: Club, number: int, now: datetime
) -> tuple[list[str], list[str]]:
    """Take the people of a pasted list off the club's list again.

    Returns:
        The numbers of the removed players, and of those who stay, as they were seated or entered.
    """
    require(actor, club, "edit_players")
    Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    line = get_pasted_line(club, number)
    if is_undone(line):
        raise Conflict(Problem("already_undone"))
    # A player who is being entered is found here, and stays (`require_not_merged`).
    held = Player.objects.select_for_update().filter(club=club, pk__in=line.facts["rows"])
    list(held.order_by("pk").values_list("pk"))
    removed, seated = [], []
    for player in list_pasted_players(line):
        try:
            with transaction.atomic():
                player.delete()
            removed.append(player.player_id)
        except ProtectedError:
            seated.append(player.player_id)
    facts = {"undoes": number, "removed": removed, "kept": seated}
    append_audit(club, actor, UNDO, f"club:{club.slug}", facts=facts, now=now)
    return removed, seated


class _Players:
    """The players on the list, and those that the pasted lines add; a line of 0: on the list."""

    def __init__(self, members: Iterable[Player]) -> None:
        self.by_id: dict[str, tuple[str, str, int]] = {}
        self.by_name: dict[str, tuple[str, int]] = {}
        self.by_letters: dict[str, str] = {}
        for member in members:
            self.add(member.name, member.player_id, 0)

    def add(self, name: str, code: str, line: int) -> None:
        label = f"{name} ({code})"
        self.by_id[code.casefold()] = (name, label, line)
        self.by_name.setdefault(name.casefold(), (label, line))
        self.by_letters.setdefault(_letters(name), label)


def _roster_line(person: PastedPlayer, players: _Players) -> RosterLine:
    at, name, player_id = ("names", person.line), person.name, person.player_id
    line = partial(RosterLine, person.line, name, player_id)
    problem = _shape_problem(person)
    if problem is None and not person.as_written:
        problem = comma_problem(name, at)
    if problem:
        return line("problem", problem=problem)
    if player_id and (holder := players.by_id.get(player_id.casefold())):
        holder_name, label, earlier = holder
        if holder_name.casefold() == name.casefold():
            return line("twice" if earlier else "there", label)
        code = "player_id_twice" if earlier else "player_id_of_another"
        facts = {"player_id": player_id, "line": person.line, "who": label, "other": earlier}
        return line("problem", problem=Problem(code, at, facts))
    if not player_id and (namesake := players.by_name.get(name.casefold())):
        label, earlier = namesake
        return line("twice" if earlier else "there", label)
    return line("new", players.by_letters.get(_letters(name), ""))


def _shape_problem(person: PastedPlayer) -> Problem | None:
    at, line = ("names", person.line), person.line
    if not person.name:
        return Problem("line_without_name", at, {"line": line, "player_id": person.player_id})
    for code, text, longest in (
        ("line_too_long", person.name, LONGEST_NAME),
        ("player_id_too_long", person.player_id, LONGEST_ID),
    ):
        if len(text) > longest:
            return Problem(code, at, {"line": line, "found": len(text), "expected": longest})
    if person.player_id and not is_usable_number(person.player_id):
        return Problem("player_id_not_usable", at, {"found": person.player_id})
    return None


def _letters(name: str) -> str:
    return "".join(letter for letter in without_accents(name) if letter.isalnum()) or name
