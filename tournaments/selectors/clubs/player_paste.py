"""Pasted lists of people: who came with one, and whether it was undone. Kept in the change log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tournaments.errors import Missing
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player

PASTE: Final = "paste_players"
UNDO: Final = "undo_paste_players"


@dataclass(frozen=True, slots=True)
class AddedPlayers:
    """The people of one pasted list who are still on the club's list."""

    number: int
    count: int
    players: tuple[Player, ...]
    is_undone: bool


def pasted_line(club: Club, number: int) -> AuditLine:
    """Return the audit line of a pasted list.

    Raises:
        Missing: the club has no pasted list under that number.
    """
    line = AuditLine.objects.filter(club=club, act=PASTE, number=number).first()
    if line is None:
        raise Missing("roster", {"number": number})
    return line


def players_added(line: AuditLine) -> Sequence[Player]:
    """Return who came with a pasted list and is still there, by their own number."""
    rows = Player.objects.filter(club=line.club_id, pk__in=line.facts["rows"])
    return tuple(rows.order_by("player_id"))


def is_undone(line: AuditLine) -> bool:
    """Whether the pasted list was undone."""
    later = AuditLine.objects.filter(club=line.club_id, act=UNDO, number__gt=line.number)
    return later.filter(facts__undoes=line.number).exists()


def added_players(club: Club, number: int) -> AddedPlayers:
    """Return one pasted list as its page prints it.

    Raises:
        Missing: the club has no pasted list under that number.
    """
    line = pasted_line(club, number)
    return AddedPlayers(
        number, len(line.facts["rows"]), tuple(players_added(line)), is_undone(line)
    )
