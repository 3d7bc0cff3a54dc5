"""Guests of an evening: a name is enough; one who is known already is checked in as a player."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from scoring.errors import Problem, Refused, Suggestion
from tournaments.domain.name_matching import folded, name_problems, one_line
from tournaments.models.clubs import Club, Player
from tournaments.models.meetings import Attendance, AttendanceState, Meeting
from tournaments.policy import Actor
from tournaments.selectors.clubs.find_players import label_of, named_players
from tournaments.services.attendance.set_attendance import (
    TAKE,
    AttendanceStatement,
    lock_attendance,
    record,
)
from tournaments.services.clubs.clubs import add_guest
from tournaments.services.clubs.names import lock_names
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.permissions import require

MOST_ASKED: Final = 5
"""Similar names that are shown."""


@atomic_act
def add_meeting_guest(
    *,
    actor: Actor,
    meeting: Meeting,
    name: str,
    now: datetime,
    is_new: bool = False,
    stated_at: datetime | None = None,
) -> Attendance:
    """Check in a guest by name, and return the row.

    The only player of exactly that name is checked in, so that a second tap adds nobody. Where a
    name is nearly the same, the caller is asked first, and answers with `is_new`, or checks the
    player in.
    """
    require(actor, meeting.club, TAKE)
    require(actor, meeting.club, "add_guest")
    words = one_line(name)
    if problems := name_problems(words):
        raise Refused(*problems)
    event = lock_event(meeting.event)
    club = lock_names(event.club)
    player = _find_known(club, meeting, words, is_new=is_new)
    is_added = player is None
    if player is None:
        player = add_guest(actor=actor, club=club, name=words, now=now)
    attendance = lock_attendance(meeting, player)
    statement = AttendanceStatement(AttendanceState.HERE, min(stated_at or now, now))
    return record(actor, attendance, statement, TAKE, now, is_guest=is_added)


def similar_players(club: Club, problems: Iterable[Problem]) -> tuple[Player, ...]:
    """Return the players whom a refusal of `add_meeting_guest` asks about, as it names them."""
    ids = next(
        (
            str(problem.facts["ids"]).split(", ")
            for problem in problems
            if problem.code == "guest_may_be_known"
        ),
        [],
    )
    players = Player.objects.filter(club=club, player_id__in=ids)
    by_id = {player.player_id: player for player in players}
    return tuple(by_id[code] for code in ids if code in by_id)


def _find_known(club: Club, meeting: Meeting, name: str, *, is_new: bool) -> Player | None:
    """Return the player of that name, None for somebody new."""
    same = [player for player in _list_players(club) if folded(player.name) == folded(name)]
    if is_new:
        guests = Attendance.objects.filter(meeting=meeting, guest=True, player__in=same)
        row = guests.select_related("player").first()
        return row.player if row is not None else None
    if len(same) == 1:
        return same[0]
    likely = same or _similar(club, name)
    if not likely:
        return None
    facts: dict[str, int | str] = {
        "found": name,
        "ids": ", ".join(player.player_id for player in likely[:MOST_ASKED]),
    }
    closest = tuple(
        Suggestion("closest", facts={"name": label_of(player)}) for player in likely[:MOST_ASKED]
    )
    raise Refused(Problem("guest_may_be_known", ("name",), facts, closest))


def _list_players(club: Club) -> list[Player]:
    rows = Player.objects.filter(club=club, merged_into=None, erased_at=None)
    return list(rows.order_by("name", "player_id"))


def _similar(club: Club, name: str) -> list[Player]:
    """Return players whose name begins so, or is nearly that."""
    match = named_players(club).meant(name, ("name",))
    if isinstance(match, Player):
        return [match]
    labels = [
        str(suggestion.facts["name"])
        for suggestion in match.suggestions
        if suggestion.code == "closest"
    ]
    by_label = {label_of(player): player for player in _list_players(club)}
    return [by_label[label] for label in labels if label in by_label]
