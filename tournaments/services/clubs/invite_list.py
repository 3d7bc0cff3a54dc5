"""Invite a list of people: match each name to a player, then invite the confirmed ones.

A name of exactly one player matches that player; the user decides on any other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from scoring.errors import Problem, Refused
from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import NameIndex, folded
from tournaments.domain.notices import email_problem
from tournaments.models.access import Invitation
from tournaments.models.clubs import Club, Player
from tournaments.selectors.access.invitations import list_pending_invitations
from tournaments.selectors.clubs.find_players import NamedPlayers, label_of
from tournaments.services.clubs.clubs import add_player
from tournaments.services.clubs.invitations import BAD_INVITE, MOST_A_MINUTE, Invite, invite_many
from tournaments.services.db.locks import lock_club
from tournaments.services.operations import Operation, operation

Choices: TypeAlias = Mapping[str, str]
"""By key of a line: the id of a player, or one of the following."""
NEW: Final = "new"
NOBODY: Final = "none"
LINES: Final = "names"
MOST_CANDIDATES: Final = 6


@dataclass(frozen=True, slots=True)
class InviteLine:
    """One person as pasted: line from 1, name, e-mail address if given, and role if chosen."""

    line: int
    name: str
    email: str = ""
    role: str = ""

    @property
    def key(self) -> str:
        """The key of the choices for this person; it stays when lines move."""
        return mark_of_text(folded(self.name or self.email))


@dataclass(frozen=True, slots=True)
class PlannedInvite:
    """The plan for one line: a player, a new one, none of the list, a question or a problem.

    `candidates` are the players that a name may mean; `replaces`: the new invitation revokes a
    pending one of the player.
    """

    asked: InviteLine
    player: Player | None = None
    choice: str = ""
    candidates: tuple[Player, ...] = ()
    is_question: bool = False
    problem: Problem | None = None
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class InvitePlan:
    """The plan for a list; `is_limited`: not all unknown names were compared with players."""

    lines: tuple[PlannedInvite, ...]
    is_limited: bool = False

    @property
    def clear(self) -> tuple[PlannedInvite, ...]:
        return tuple(line for line in self.lines if not line.is_question and not line.problem)

    @property
    def questions(self) -> tuple[PlannedInvite, ...]:
        return tuple(line for line in self.lines if line.is_question)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(line.problem for line in self.lines if line.problem)

    @property
    def with_mail(self) -> int:
        return sum(bool(line.asked.email) for line in self.lines)

    @property
    def with_card(self) -> int:
        return len(self.lines) - self.with_mail


def plan_invites(
    club: Club, lines: Sequence[InviteLine], choices: Choices, *, suggests: bool = True
) -> InvitePlan:
    """Return the plan for a list; `suggests`: with the players that unclear names may mean."""
    if len(lines) > MOST_A_MINUTE:
        facts = {"found": len(lines), "expected": MOST_A_MINUTE, "seconds": 60}
        raise Refused(Problem("too_many_invitations", (LINES,), facts))
    people = _People(club, suggests=suggests)
    planned = tuple(_in_order(people, lines, choices))
    return InvitePlan(planned, people.named.is_limited)


@operation(
    "manage_members",
    locks=lock_club,
    refuses=(
        *("nobody_to_invite", "name_not_decided", "invited_twice", "player_is_linked"),
        *BAD_INVITE,
    ),
)
def invite_list(
    op: Operation, club: Club, /, *, role: str, asked: Sequence[InviteLine], choices: Choices
) -> Sequence[Invitation]:
    """Invite the people of a list; each name must be a player's, or be decided in `choices`."""
    if not asked:
        raise Refused(Problem("nobody_to_invite", (LINES,)))
    plan = plan_invites(club, asked, choices, suggests=False)
    undecided = [
        Problem("name_not_decided", (LINES, line.asked.line), {"found": line.asked.name})
        for line in plan.questions
        if not line.choice
    ]
    if plan.problems or undecided:
        raise Refused(*plan.problems, *undecided)
    people = []
    for line in plan.lines:
        player = line.player
        name = line.asked.name
        email = line.asked.email
        if line.choice == NEW:
            player = add_player(op, club, name=name)
        people.append(Invite(player, name, email, (LINES, line.asked.line), line.asked.role))
    return invite_many(op, club, role=role, people=people)


def uninvited_players(club: Club) -> Sequence[Player]:
    """Return the active players who have neither an account nor a pending invitation, by name."""
    invited = list_pending_invitations().filter(club=club, player__isnull=False).values("player")
    rows = Player.objects.filter(
        club=club, is_active=True, user__isnull=True, merged_into__isnull=True, erased_at=None
    )
    return list(rows.exclude(pk__in=invited).order_by("sort_key", "player_id"))


class _People:
    def __init__(self, club: Club, *, suggests: bool) -> None:
        self.suggests = suggests
        players = Player.objects.filter(club=club, merged_into=None, erased_at=None)
        self.players = list(players.order_by("sort_key", "player_id"))
        self.named = NamedPlayers(self.players)
        self.by_id = {player.player_id: player for player in self.players}
        self.invited = set(
            list_pending_invitations()
            .filter(club=club, player__isnull=False)
            .values_list("player_id", flat=True)
        )
        texts = (
            (text, player)
            for player in self.players
            for text in {player.name, label_of(player), player.player_id}
        )
        self._exact = NameIndex(texts)

    def exactly(self, name: str) -> Sequence[Player]:
        return self._exact.get(name)

    def near(self, name: str) -> tuple[Player, ...]:
        if not self.suggests:
            return ()
        player = self.named.meant(name, (LINES,))
        if isinstance(player, Player):
            return (player,)
        labels = [str(hint.facts["name"]) for hint in player.suggestions if hint.code == "closest"]
        near = [player for label in labels for player in self.exactly(label)]
        return tuple(dict.fromkeys(near))[:MOST_CANDIDATES]


def _in_order(
    people: _People, lines: Sequence[InviteLine], choices: Choices
) -> Iterator[PlannedInvite]:
    players: set[Player] = set()
    names: set[str] = set()
    for line in lines:
        planned = _plan_line(people, line, choices)
        at = (LINES, line.line)
        player = planned.player
        if planned.problem is None and player is not None:
            facts = {"player": label_of(player)}
            if player.user_id is not None:
                problem = Problem("player_is_linked", at, facts)
                planned = PlannedInvite(line, player, problem=problem)
            elif player in players:
                planned = PlannedInvite(line, player, problem=Problem("invited_twice", at, facts))
            players.add(player)
        elif planned.problem is None and line.name:
            if line.key in names:
                problem = Problem("invited_twice", at, {"player": line.name})
                planned = PlannedInvite(line, problem=problem)
            names.add(line.key)
        yield planned


def _plan_line(people: _People, line: InviteLine, choices: Choices) -> PlannedInvite:
    if problem := email_problem(line.email, (LINES, line.line)):
        return PlannedInvite(line, problem=problem)
    if not line.name:
        return PlannedInvite(line, choice=NOBODY)
    exact = people.exactly(line.name)
    if len(exact) == 1:
        return PlannedInvite(line, exact[0], replaces=exact[0].pk in people.invited)
    candidates = tuple(exact) or people.near(line.name)
    choice = choices.get(line.key, "")
    player = people.by_id.get(choice)
    if player is None and choice not in (NEW, NOBODY):
        choice = ""
    replaces = player is not None and player.pk in people.invited
    return PlannedInvite(line, player, choice, candidates, is_question=True, replaces=replaces)
