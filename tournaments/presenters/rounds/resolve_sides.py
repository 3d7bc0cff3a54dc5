"""Who is meant by what was typed for the sides of a table: a pair's name, or both its players."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from scoring.errors import Path, Problem, Refused, Suggestion
from tournaments.domain.imports.name_matching import folded
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantKind, Event
from tournaments.models.meetings import Round
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import entrant_names
from tournaments.selectors.rounds.seatings import seated_in
from tournaments.services.clubs.find_players import NamedPlayers, label_of, named_players
from tournaments.services.rounds.seating import already_seated
from tournaments.services.rounds.stage_rosters import not_in_stage, players_in

BETWEEN: Final = re.compile(r"\s*(?:[&+/;]|\s(?:and|und|et|y|en|e)\s)\s*")
"""Text between the names of two partners."""
TOGETHER: Final = " & "


class Groups:
    """The pairs and teams of an event, to be found by what is typed."""

    def __init__(self, event: Event) -> None:
        rows = Entrant.objects.filter(event=event).exclude(kind=EntrantKind.PLAYER)
        self.every = list(rows.prefetch_related("members__player").order_by("code"))
        names = entrant_names(self.every, FULL_NAME)
        self.label = {one.pk: f"{names[one.pk]} ({one.code})" for one in self.every}
        self._known: dict[str, list[Entrant]] = {}
        for one in self.every:
            for text in dict.fromkeys((names[one.pk], one.code, self.label[one.pk])):
                self._known.setdefault(folded(text), []).append(one)

    def meant(self, text: str) -> Sequence[Entrant]:
        """Return the pairs or teams that a text may mean: its name, code, or its beginning."""
        wanted = folded(text)
        if exact := self._known.get(wanted):
            return exact
        begun = [one for known, rows in self._known.items() if known.startswith(wanted)
                 for one in rows]  # fmt: skip
        return list(dict.fromkeys(begun))

    def free(self, round_: Round) -> tuple[str, ...]:
        """Return the labels of those of whom nobody sits in a round."""
        taken = seated_in(round_)
        return tuple(
            self.label[one.pk]
            for one in self.every
            if not any(member.player_id in taken for member in one.members.all())
        )

    def pair_of(self, player: str) -> str:
        """Return the label of the pair of a player, written as `label_of` does; "" without one."""
        for entrant in self.every:
            members = [label_of(member.player) for member in entrant.members.all()]
            if entrant.kind == EntrantKind.PAIR and player in members:
                return self.label[entrant.pk]
        return ""


def players_on_sides(
    *,
    event: Event,
    round_: Round,
    typed: Sequence[str],
    shape: Sequence[Sequence[int]],
    but_table: int | None = None,
) -> tuple[Player, ...]:
    """Return the players that are meant, clockwise from seat 1.

    Args:
        typed: what stands for each side: the name or code of a pair, or the names of its players.
        shape: the seats (from 0) of each side.
        but_table: the row of a table whose own people are seated anew.

    Raises:
        Refused: side_is_empty, side_not_understood, team_needs_names, nobody_of_that_name,
            name_of_several, same_player_twice, player_already_seated, not_in_stage; all that are
            found, each at ("side", number).
    """
    groups, people, inside = Groups(event), named_players(event.club), players_in(round_.stage_id)
    seated = seated_in(round_)
    own = dict(round_.tables.values_list("number", "pk"))
    problems: list[Problem] = []
    found: dict[int, Player] = {}
    for number, (text, seats) in enumerate(zip(typed, shape, strict=True), start=1):
        at = ("side", number)
        meant = side_players(text.strip(), len(seats), groups, people, at, number)
        if isinstance(meant, Problem):
            problems.append(meant)
            continue
        for seat, player in zip(seats, meant, strict=True):
            there = seated.get(player.pk)
            if player in found.values():
                facts: dict[str, int | str] = {
                    "player": player.name,
                    "player_id": player.player_id,
                }
                problems.append(Problem("same_player_twice", at, facts))
            elif there is not None and own.get(there[0]) != but_table:
                problems.append(already_seated(round_, player, at))
            elif problem := not_in_stage(round_, player, inside, at):
                problems.append(problem)
            else:
                found[seat] = player
    if problems:
        raise Refused(*problems)
    return tuple(found[seat] for seat in sorted(found))


def side_text(event: Event, players: Sequence[Player]) -> str:
    """Return how the players of a side are written: as their pair, or both names."""
    groups = Groups(event)
    rows = {player.pk for player in players}
    for one in groups.every:
        members = {member.player_id for member in one.members.all()}
        if rows and rows == members:
            return groups.label[one.pk]
    return TOGETHER.join(label_of(player) for player in players)


def with_label(text: str, name: str, label: str) -> str:
    """Return the text of a side with the label of a player in place of a name; else the label.

    >>> with_label("Kay und Lee", "Lee", "Lee (RL02)"), with_label("Kay", "", "Kay (RL01)")
    ('Kay & Lee (RL02)', 'Kay (RL01)')
    """
    parts = BETWEEN.split(text)
    if name not in parts:
        return label
    return TOGETHER.join(label if part == name else part for part in parts)


def side_players(
    text: str, seats: int, groups: Groups, people: NamedPlayers, at: Path, number: int
) -> Problem | Sequence[Player]:
    """Return the players that are meant by what is written for a side, or the problem with it.

    Args:
        text: the name or code of a pair, or the names of its players.
        seats: how many sit on the side.
        at, number: where the problem is placed, and the number of the side.
    """
    if not text:
        return Problem("side_is_empty", at, {"side": number})
    pairs = groups.meant(text)
    if len(pairs) == 1:
        members = sorted(pairs[0].members.all(), key=lambda one: one.pk)
        if len(members) == seats:
            return [one.player for one in members]
        label = groups.label[pairs[0].pk]
        return Problem("team_needs_names", at, {"team": label, "n": len(members)})
    parts = [part for part in BETWEEN.split(text) if part]
    if len(parts) != seats:
        offered = tuple(
            Suggestion("closest", facts={"name": groups.label[one.pk]}) for one in pairs[:8]
        )
        code = "side_of_several" if pairs else "side_not_understood"
        return Problem(code, at, {"found": text}, offered)
    players: list[Player] = []
    for index, part in enumerate(parts):
        meant = people.meant(part, at, but=_rows(players))
        if isinstance(meant, Problem):
            return _whole(meant, parts, index)
        players.append(meant)
    return players


def _rows(players: Sequence[Player]) -> Collection[int]:
    return [player.pk for player in players]


def _whole(problem: Problem, parts: Sequence[str], index: int) -> Problem:
    """Return a problem of one name with suggestions for the whole side."""
    offered = tuple(
        Suggestion(
            one.code,
            facts={
                "name": TOGETHER.join(
                    str(one.facts["name"]) if at == index else part for at, part in enumerate(parts)
                )
            },
        )
        for one in problem.suggestions
    )
    return Problem(problem.code, problem.at, problem.facts, offered)
