"""Reads a pasted list of entrants: "Ida", "Ada & Ben", "Spades: Ada, Ben, Cy, Dee", one a line."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from scoring.errors import Problem
from tournaments.domain.imports.name_matching import comma_parts, folded, one_line
from tournaments.models.clubs import Club, Player
from tournaments.presenters.rounds.resolve_sides import BETWEEN
from tournaments.services.clubs.clubs import name_problems
from tournaments.services.clubs.find_players import NamedPlayers, named_players
from tournaments.services.events.entrants import EntrantLine

_IN_TEAM: Final = re.compile(rf"\s*,\s*|{BETWEEN.pattern}")


@dataclass(frozen=True, slots=True)
class EntrantList:
    """Lines of entrants, their problems, and one for each name that nobody of the club has."""

    lines: tuple[EntrantLine, ...]
    problems: tuple[Problem, ...]
    unknown: tuple[Problem, ...]


def read_entrants(club: Club, texts: Iterable[str]) -> EntrantList:
    """Return the entrants of lines; a name that nobody has is that of a new player."""
    people = named_players(club)
    lines: list[EntrantLine] = []
    problems: list[Problem] = []
    names: dict[str, str] = {}
    unknown: dict[str, Problem] = {}
    for number, text in enumerate(texts, start=1):
        name, players = _parts(text, people)
        members: list[Player | str] = []
        for player in players:
            meant = people.meant(player, at := ("names", number))
            if not isinstance(meant, Problem):
                members.append(meant)
            elif meant.code != "nobody_of_that_name" or len(comma_parts(player)) > 1:
                problems.append(meant)
            else:
                # A player who is spelled in two ways is one person, as in the club's list.
                new = names.setdefault(folded(player), one_line(player))
                members.append(new)
                unknown.setdefault(new, meant)
                problems += [replace(problem, at=at) for problem in name_problems(new)]
        lines.append(EntrantLine(number, tuple(members), name))
    return EntrantList(tuple(lines), tuple(problems), tuple(unknown.values()))


def _parts(text: str, people: NamedPlayers) -> tuple[str, list[str]]:
    """Return the name of a pair or a team, "" without one, and the names of its players.

    The name of a player of the club is not divided, whatever characters are in it.
    """
    if isinstance(people.meant(text, ()), Player):
        return "", [text]
    name, colon, players = text.rpartition(":")
    between = _IN_TEAM if colon else BETWEEN
    return name.strip(), [part for part in between.split(players.strip()) if part]
