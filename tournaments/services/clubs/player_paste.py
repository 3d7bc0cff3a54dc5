"""Adding many people at once: what each pasted line would do, doing it, and undoing it."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from typing import Final

from django.db import IntegrityError, transaction
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
from tournaments.services.clubs.names import lock_names
from tournaments.services.clubs.slugs import group_codes, group_problem
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require

LONGEST_ID: Final = 40
MOST_LINES: Final = 1000


@dataclass(frozen=True, slots=True)
class PastedPlayer:
    """One person as pasted: the line's number from 1, the name, and an id where one is given.

    `as_written` is set where a person said that a name with a comma is the name of one person.
    `left_out` holds the cells that are not stored.
    """

    line: int
    name: str
    player_id: str = ""
    as_written: bool = False
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class RosterLine:
    """What becomes of one line: `new`, `there` (a member already), `twice`, or a problem.

    `like` names who the line may mean: the member it is, or one who is written nearly the same.
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
    """What a pasted list would do to a club's list; `digest` is what a person saw of it."""

    lines: tuple[RosterLine, ...]

    @property
    def new(self) -> tuple[RosterLine, ...]:
        """The people that would be added."""
        return tuple(line for line in self.lines if line.outcome == "new")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What must be mended before any of it is added."""
        return tuple(line.problem for line in self.lines if line.problem)

    @property
    def digest(self) -> str:
        """A fingerprint of all lines and what becomes of them."""
        seen = [[line.line, line.name, line.player_id, line.outcome] for line in self.lines]
        return hashlib.sha256(json.dumps(seen).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class UndonePaste:
    """What an undo did: the people that are off the list, and those who have sat down since."""

    removed: tuple[str, ...]
    kept: tuple[str, ...]


def plan_players(club: Club, pasted: Sequence[PastedPlayer]) -> Roster:
    """Return what adding the pasted people would do, without doing it."""
    known_players = _Seen(Player.objects.filter(club=club).order_by("player_id"))
    given = {one.player_id.casefold() for one in pasted if one.player_id}
    groups = group_codes(club)
    free = _free_ids(given | set(known_players.by_id) | {code.casefold() for code in groups})
    lines = []
    for raw in pasted:
        one = replace(raw, name=one_line(raw.name), player_id=one_line(raw.player_id))
        roster_line = _judged(one, known_players)
        if roster_line.outcome == "new" and (problem := group_problem(one.player_id, groups)):
            problem = replace(problem, at=("names", one.line))
            roster_line = RosterLine(one.line, one.name, one.player_id, "problem", problem=problem)
        if roster_line.outcome == "new":
            code = roster_line.player_id or next(free)
            roster_line = RosterLine(
                roster_line.line, roster_line.name, code, "new", roster_line.like
            )
            known_players.keep(roster_line)
        lines.append(replace(roster_line, left_out=one.left_out))
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
    actor: Actor, club: Club, pasted: Sequence[PastedPlayer], seen: str, now: datetime
) -> AuditLine:
    require(actor, club, "edit_players")
    if len(pasted) > MOST_LINES:
        facts = {"found": len(pasted), "expected": MOST_LINES}
        raise Refused(Problem("too_many_lines", ("names",), facts))
    club = lock_names(club)
    roster = plan_players(club, pasted)
    if roster.problems:
        raise Refused(*roster.problems)
    if roster.digest != seen:
        raise Conflict(Problem("list_changed", ("names",)))
    if not roster.new:
        raise Refused(Problem("nobody_to_add", ("names",)))
    people = [new_player(club=club, player_id=one.player_id, name=one.name) for one in roster.new]
    try:
        with transaction.atomic():
            made = Player.objects.bulk_create(people)
    except IntegrityError as taken:
        raise Conflict(Problem("list_changed", ("names",))) from taken
    return append_audit(
        club=club,
        actor=actor,
        act=PASTE,
        subject=f"club:{club.slug}",
        facts={"players": [one.player_id for one in made], "rows": [one.pk for one in made]},
        now=now,
    )


@atomic_act
def undo_pasted_players(*, actor: Actor, club: Club, number: int, now: datetime) -> UndonePaste:
    """Take the people of a pasted list off the club's list again.

    Whoever has been seated or entered since stays, because results hang on them.
    """
    require(actor, club, "edit_players")
    Club.objects.select_for_update(no_key=True).get(pk=club.pk)
    line = get_pasted_line(club, number)
    if is_undone(line):
        raise Conflict(Problem("already_undone"))
    # Whoever is just being entered is in by then, and stays (`require_not_merged`).
    held = Player.objects.select_for_update().filter(club=club, pk__in=line.facts["rows"])
    list(held.order_by("pk").values_list("pk"))
    removed, kept = [], []
    for player in list_pasted_players(line):
        try:
            with transaction.atomic():
                player.delete()
            removed.append(player.player_id)
        except ProtectedError:
            kept.append(player.player_id)
    facts = {"undoes": number, "removed": removed, "kept": kept}
    append_audit(
        club=club, actor=actor, act=UNDO, subject=f"club:{club.slug}", facts=facts, now=now
    )
    return UndonePaste(tuple(removed), tuple(kept))


class _Seen:
    """Who is on the list, and who of the pasted lines will be."""

    def __init__(self, members: Iterable[Player]) -> None:
        self.by_id: dict[str, tuple[str, str, int]] = {}
        self.by_name: dict[str, tuple[str, int]] = {}
        self.by_letters: dict[str, str] = {}
        for member in members:
            self._keep(member.name, member.player_id, 0)

    def keep(self, line: RosterLine) -> None:
        self._keep(line.name, line.player_id, line.line)

    def _keep(self, name: str, code: str, line: int) -> None:
        who = f"{name} ({code})"
        self.by_id[code.casefold()] = (name, who, line)
        self.by_name.setdefault(name.casefold(), (who, line))
        self.by_letters.setdefault(_letters(name), who)


def _judged(one: PastedPlayer, seen: _Seen) -> RosterLine:
    problem = _shape_problem(one)
    if problem is None and not one.as_written:
        problem = comma_problem(one.name, ("names", one.line))
    if problem:
        return RosterLine(one.line, one.name, one.player_id, "problem", problem=problem)
    if one.player_id and (holder := seen.by_id.get(one.player_id.casefold())):
        return _under_known_id(one, *holder)
    if not one.player_id and (there := seen.by_name.get(one.name.casefold())):
        who, line = there
        return RosterLine(one.line, one.name, "", "twice" if line else "there", who)
    return RosterLine(
        one.line, one.name, one.player_id, "new", seen.by_letters.get(_letters(one.name), "")
    )


def _under_known_id(one: PastedPlayer, name: str, who: str, line: int) -> RosterLine:
    if name.casefold() == one.name.casefold():
        return RosterLine(one.line, one.name, one.player_id, "twice" if line else "there", who)
    facts: dict[str, int | str] = {"player_id": one.player_id, "line": one.line}
    code = "player_id_twice" if line else "player_id_of_another"
    problem = Problem(code, ("names", one.line), facts | {"who": who, "other": line})
    return RosterLine(one.line, one.name, one.player_id, "problem", problem=problem)


def _shape_problem(one: PastedPlayer) -> Problem | None:
    at = ("names", one.line)
    if not one.name:
        return Problem("line_without_name", at, {"line": one.line, "player_id": one.player_id})
    for code, text, longest in (
        ("line_too_long", one.name, LONGEST_NAME),
        ("player_id_too_long", one.player_id, LONGEST_ID),
    ):
        if len(text) > longest:
            facts = {"line": one.line, "found": len(text), "expected": longest}
            return Problem(code, at, facts)
    if one.player_id and not is_usable_number(one.player_id):
        return Problem("player_id_not_usable", at, {"found": one.player_id})
    return None


def _letters(name: str) -> str:
    return "".join(letter for letter in without_accents(name) if letter.isalnum()) or name


def _free_ids(taken: set[str]) -> Iterator[str]:
    return (code for n in count(1) if (code := f"P{n:04d}").casefold() not in taken)
