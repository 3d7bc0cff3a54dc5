"""Adding many people at once: what each pasted line would do, doing it, and undoing it."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import count
from typing import Final

from django.db import transaction
from django.db.models import ProtectedError

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from tournaments.documents.read.people_list import LeftOut, PastedPlayer, left_out_text
from tournaments.domain.name_matching import (
    LONGEST_NAME,
    comma_problem,
    one_line,
    split_contact,
)
from tournaments.domain.notices import email_problem
from tournaments.domain.people.public_names import new_player
from tournaments.domain.people.who_is_meant import Alias, Judge, Judged, Verdict, letters_of
from tournaments.errors import Conflict
from tournaments.models.access import Contact
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.selectors.clubs.find_players import (
    MOST_CANDIDATES,
    Roll,
    aliases_of,
    get_roll,
    label_of,
    name_of_several,
)
from tournaments.selectors.clubs.members import (
    PASTE,
    UNDO,
    is_undone,
    list_pasted_players,
    pasted_addresses,
)
from tournaments.services.clubs.aliases import keep_names
from tournaments.services.clubs.clubs import is_usable_number
from tournaments.services.clubs.names import LONGEST_CODE, group_codes, group_problem, lock_names
from tournaments.services.clubs.personal_links import store_addresses
from tournaments.services.db.locks import lock_club
from tournaments.services.db.transactions import unless_taken
from tournaments.services.operations import Operation, operation

MOST_LINES: Final = 1000


@dataclass(frozen=True, slots=True)
class RosterLine:
    """The plan for one line: `new`, `there` (a member already), `likely` (a name that is short for
    that of a member, or of several), `twice`, `no_name`, or a problem.

    A line that is `no_name`, such as a question, is left out, and so is one that is `likely`, until
    somebody says who is meant. `like` names the member that the line matches, or one with a nearly
    equal name; `member` is the row of a member who is `there`, 0 without one. `candidates` are the
    id and the label of each player who may be meant. `called_so_on` is the day on which somebody
    said that the name means this member.
    """

    line: int
    name: str
    player_id: str
    outcome: str
    like: str = ""
    problem: Problem | None = None
    left_out: tuple[LeftOut, ...] = ()
    email: str = ""
    member: int = 0
    joined: date | None = None
    candidates: tuple[tuple[str, str], ...] = ()
    called_so_on: date | None = None

    @property
    def may_be_another(self) -> bool:
        """Whether the name alone says that this is a known player."""
        is_known = self.outcome in ("there", "twice") or bool(self.candidates)
        return is_known and not self.player_id

    @property
    def left_out_text(self) -> str:
        return left_out_text(self.left_out)


@dataclass(frozen=True, slots=True)
class Roster:
    """The effect of a pasted list on a club's list; `digest` is that of its preview.

    `has_consent`: the people agreed to get mails, so that their addresses are stored.
    """

    lines: tuple[RosterLine, ...]
    has_consent: bool = False

    @property
    def new(self) -> tuple[RosterLine, ...]:
        return tuple(line for line in self.lines if line.outcome == "new")

    @property
    def for_members(self) -> tuple[RosterLine, ...]:
        """The lines of members whose address is stored if they have none."""
        if not self.has_consent:
            return ()
        return tuple(line for line in self.lines if line.outcome == "there" and line.email)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(line.problem for line in self.lines if line.problem)

    @property
    def digest(self) -> str:
        lines = [
            [line.line, line.name, line.player_id, line.outcome, line.email, str(line.joined)]
            for line in self.lines
        ]
        return hashlib.sha256(json.dumps(lines).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Known:
    """Somebody whom a line may mean: a player of the club, or of an earlier line (`line`)."""

    label: str
    line: int = 0
    player: Player | None = None

    @property
    def member(self) -> int:
        return self.player.pk if self.player is not None else 0


def plan_players(
    club: Club, pasted: Sequence[PastedPlayer], *, has_consent: bool = False
) -> Roster:
    players = _Players(get_roll(club), aliases_of(club))
    groups = group_codes(club)
    codes = (*(person.player_id for person in pasted), *players.ids, *groups)
    taken_ids = {code.casefold() for code in codes}
    free_ids = (code for n in count(1) if (code := f"P{n:04d}").casefold() not in taken_ids)
    lines = []
    for raw in pasted:
        person = replace(raw, name=one_line(raw.name), player_id=one_line(raw.player_id))
        line = _roster_line(person, players, groups)
        if has_consent and (problem := email_problem(line.email, person.at("email"))):
            line = replace(line, outcome="problem", problem=line.problem or problem)
        if line.outcome == "new":
            line = replace(line, player_id=line.player_id or next(free_ids))
            players.add_new(line)
        elif line.outcome == "there" and line.email:
            players.addressed.add(line.member)
        lines.append(line)
    return Roster(tuple(lines), has_consent)


def _lock_club(line: AuditLine) -> AuditLine:
    lock_club(line.club)
    return line


@operation(
    "edit_players",
    locks=lock_names,
    refuses=(
        *("line_without_name", "line_too_long", "one_or_several_people", "player_id_is_a_code"),
        *("player_id_too_long", "player_id_not_usable", "player_id_twice", "player_id_of_another"),
        *("too_many_lines", "list_changed", "nobody_to_add", "contact_in_name", "bad_email"),
        "name_of_several",
    ),
)
def add_roster(
    op: Operation,
    club: Club,
    /,
    *,
    pasted: Sequence[PastedPlayer],
    seen: str,
    has_consent: bool = False,
) -> AuditLine:
    """Add a list of up to 1,000 people to the players of a club, all or none.

    With `has_consent` the people agreed to get mails: their addresses are stored, also those of
    players who are there and have none. Without it no address is stored.

    A name that is likely short for that of a player is left out, unless it `is_namesake`.
    Each line of the answer has the outcome for one person. `POST C/rosters/{number}/undo` removes
    the new players again. If somebody changes the players at the same moment, the answer is 409
    (`list_changed`): send the request again.
    """
    if len(pasted) > MOST_LINES:
        facts = {"found": len(pasted), "expected": MOST_LINES}
        raise Refused(Problem("too_many_lines", ("names",), facts))
    roster = plan_players(club, pasted, has_consent=has_consent)
    if roster.problems:
        raise Refused(*roster.problems)
    if roster.digest != seen:
        raise Conflict(Problem("list_changed", ("names",)))
    people = [
        new_player(club=club, player_id=line.player_id, name=line.name, joined=line.joined)
        for line in roster.new
    ]
    with unless_taken(Conflict(Problem("list_changed", ("names",)))):
        players = Player.objects.bulk_create(people)
    codes, rows = [row.player_id for row in players], [row.pk for row in players]
    audited: JsonDict = {"players": codes, "rows": rows}
    if has_consent and (addresses := _addresses(roster, players)):
        op.require("manage_contacts", club)
        audited["addresses"] = store_addresses(op, club, addresses)
    chosen = _chosen(club, pasted)
    n_kept = keep_names(op, club, chosen) if chosen else 0
    if not (players or audited.get("addresses") or n_kept):
        raise Refused(Problem("nobody_to_add", ("names",)))
    return op.audit(club, audited, name=PASTE)


def _chosen(club: Club, pasted: Sequence[PastedPlayer]) -> dict[str, Player]:
    """Return the players whom somebody chose for names of a list."""
    ids = {person.name: person.player_id for person in pasted if person.is_chosen}
    players = Player.objects.filter(club=club, player_id__in=ids.values())
    by_id = {player.player_id: player for player in players}
    return {name: by_id[code] for name, code in ids.items() if code in by_id}


def _addresses(roster: Roster, players: Sequence[Player]) -> dict[Player, str]:
    """Return the addresses of a list by player: of the new ones, and of those who are there."""
    new = zip(players, roster.new, strict=True)
    members = Player.objects.in_bulk([line.member for line in roster.for_members])
    present = [line for line in roster.for_members if line.member in members]
    return {
        **{members[line.member]: line.email for line in present},
        **{player: line.email for player, line in new if line.email},
    }


@dataclass(frozen=True, slots=True)
class UndoneRoster:
    """Numbers of the players that an undo removed and kept, and how many addresses it deleted."""

    removed: Sequence[str]
    kept: Sequence[str]
    addresses: int


@operation("edit_players", locks=_lock_club, refuses=("already_undone",))
def undo_roster(op: Operation, line: AuditLine, /) -> UndoneRoster:
    """Undo the adding of a list of people; those who were seated or entered since stay.

    The addresses that came with the list are removed, but for those that were changed since. An
    address of a removed player goes with the player.
    """
    if is_undone(line):
        raise Conflict(Problem("already_undone"))
    # A player who is being entered is found here, and stays (`require_not_merged`).
    addresses = line.facts.get("addresses", [])
    rows = {*line.facts["rows"], *addresses}
    held = Player.objects.select_for_update().filter(club=line.club, pk__in=rows)
    list(held.order_by("pk").values_list("pk"))
    _n_rows, by_model = pasted_addresses(line).delete()
    n_addresses = by_model.get(Contact._meta.label, 0)
    removed: list[str] = []
    kept: list[str] = []
    for player in list_pasted_players(line):
        try:
            with transaction.atomic():
                _n_rows, by_model = player.delete()
        except ProtectedError:
            kept.append(player.player_id)
        else:
            removed.append(player.player_id)
            n_addresses += by_model.get(Contact._meta.label, 0)
    facts = {"undoes": line.number, "removed": removed, "kept": kept, "addresses": n_addresses}
    op.audit(line.club, facts, name=UNDO)
    return UndoneRoster(removed, kept, n_addresses)


class _Players:
    """The players on the club's list, and those that the pasted lines add.

    `addressed` are the rows of players for whom an earlier line has an address.
    """

    def __init__(self, roll: Roll, aliases: Sequence[Alias]) -> None:
        self.addressed: set[int] = set()
        self._judge: Judge[_Known] = Judge()
        self._new_by_letters: dict[str, str] = {}
        self._ids: set[str] = set()
        self._erased: dict[str, _Known] = {}
        for player in roll.players:
            self._add(player, player)
        for player, final in roll.merged.items():
            self._add(player, final)
        for player in roll.erased:
            self._erased[player.player_id.casefold()] = _Known(label_of(player))
        for alias in aliases:
            self._judge.add_alias(alias)

    def _add(self, player: Player, final: Player) -> None:
        self._judge.add(
            _Known(label_of(final), player=final),
            key=final.pk,
            player_id=player.player_id,
            name=player.name,
            nickname=player.nickname,
        )
        self._ids.add(player.player_id)

    def add_new(self, line: RosterLine) -> None:
        known = _Known(f"{line.name} ({line.player_id})", line=line.line)
        # A negative key is no player's row: the line has none before it is added.
        self._judge.add(
            known, key=-line.line, player_id=line.player_id, name=line.name, is_offered=False
        )
        self._new_by_letters.setdefault(letters_of(line.name), known.label)
        self._ids.add(line.player_id)

    @property
    def ids(self) -> Collection[str]:
        return (*self._ids, *self._erased)

    def with_id(self, player_id: str) -> _Known | None:
        return self._judge.with_id(player_id) or self._erased.get(player_id.casefold())

    def judge(self, name: str, player_id: str = "") -> Judged[_Known]:
        return self._judge.judge(name, player_id)

    def like(self, name: str) -> str:
        """Return who has nearly this name: of the club, or of an earlier line; or nobody."""
        judged = self._judge.judge(name)
        labels = [known.label for known in judged.people[:MOST_CANDIDATES]]
        return " · ".join(labels) or self._new_by_letters.get(letters_of(name), "")


def _roster_line(person: PastedPlayer, players: _Players, groups: dict[str, str]) -> RosterLine:
    name, player_id = person.name, person.player_id
    line = partial(
        RosterLine,
        person.line,
        name,
        player_id,
        left_out=person.left_out,
        email=person.email,
        joined=person.joined,
    )
    if not (person.is_name or person.as_written):
        return line("no_name")
    if problem := _shape_problem(person):
        return line("problem", problem=problem)
    holder = players.with_id(player_id) if player_id else None
    if holder is not None:
        if person.is_chosen or players.judge(name, player_id).verdict == Verdict.MEMBER:
            return line(_outcome(holder, person, players), holder.label, member=holder.member)
        code = "player_id_twice" if holder.line else "player_id_of_another"
        facts = {
            "player_id": player_id,
            "line": person.line,
            "who": holder.label,
            "other": holder.line,
        }
        return line("problem", problem=Problem(code, person.at("player_id"), facts))
    if not (player_id or person.is_namesake):
        judged = players.judge(name)
        members = [known.player for known in judged.people if known.player is not None]
        candidates = tuple((member.player_id, label_of(member)) for member in members)
        candidates = candidates[:MOST_CANDIDATES]
        if judged.member is not None:
            known = judged.member
            day = judged.alias.day if judged.alias is not None else None
            outcome = _outcome(known, person, players)
            return line(outcome, known.label, member=known.member, called_so_on=day)
        if judged.is_whole and members:
            problem = name_of_several(name, members, person.at("name"))
            return line("problem", problem=problem, candidates=candidates)
        if judged.people:
            return line("likely", players.like(name), candidates=candidates)
    if problem := group_problem(player_id, groups):
        return line("problem", problem=replace(problem, at=person.at("name")))
    like = "" if person.is_namesake else players.like(name)
    return line("new", like)


def _outcome(known: _Known, person: PastedPlayer, players: _Players) -> str:
    """Return `twice` for a new player of an earlier line, and for a second address of a member."""
    has_another = bool(person.email) and known.member in players.addressed
    return "twice" if known.line or has_another else "there"


def _shape_problem(person: PastedPlayer) -> Problem | None:
    line, name, number = person.line, person.name, person.player_id
    if not name:
        return Problem("line_without_name", person.at("name"), {"line": line, "player_id": number})
    if split_contact(name)[1]:
        return Problem("contact_in_name", person.at("name"), {"found": name[:LONGEST_NAME]})
    if len(name) > LONGEST_NAME:
        facts = {"line": line, "found": len(name), "expected": LONGEST_NAME}
        return Problem("line_too_long", person.at("name"), facts)
    if len(number) > LONGEST_CODE:
        facts = {"line": line, "found": len(number), "expected": LONGEST_CODE}
        return Problem("player_id_too_long", person.at("player_id"), facts)
    if number and not is_usable_number(number):
        return Problem("player_id_not_usable", person.at("player_id"), {"found": number})
    if person.as_written:
        return None
    return comma_problem(name, person.at("name"))
