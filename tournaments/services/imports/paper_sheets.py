"""A sheet of a finished evening, entered from paper: what it needs is made with it."""

import hashlib
from collections.abc import Sequence
from datetime import date
from typing import Final
from zoneinfo import ZoneInfo

from scoring.errors import Problem, Refused
from tournaments.domain.imports.imported_sheets import SentHand, SentSheet
from tournaments.errors import refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Round, Table
from tournaments.selectors.rounds.round_seating import already_seated
from tournaments.selectors.rounds.table_sheets import rounds_on
from tournaments.selectors.rounds.tables import get_places_in_round
from tournaments.services.db.bulk import next_number
from tournaments.services.db.locks import lock_event
from tournaments.services.events.events import move_event
from tournaments.services.imports.enter_sheets import enter_sheets
from tournaments.services.imports.existing_tables import seated_players
from tournaments.services.imports.targets import Target
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.seating import table_code

REFUSED: Final = ("date_in_future", "event_not_open", "player_already_seated")


class SheetRefused(Exception):
    """A sheet cannot be entered, so nothing was; paths of `problems` begin at the sheet."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(len(problems))
        self.problems = problems


@operation("import_sheets", locks=lock_event, refuses=REFUSED)
def enter_paper_sheet(
    op: Operation,
    event: Event,
    /,
    *,
    day: date,
    place: int,
    players: Sequence[Player],
    hands: Sequence[SentHand],
    variant: str = "",
) -> tuple[str, bool]:
    """Enter a sheet of the evening of `day` as an import, and open an event that is a draft.

    Args:
        place: of the round among those of the evening, from 1; a later one is the next new round.

    Returns:
        The code of the table, and whether a hand is new. It is the table of the round where these
        players sit in these seats, or else the next one.
    """
    today = op.now.astimezone(ZoneInfo(event.club.time_zone)).date()
    if day > today:
        facts = {"found": day.isoformat(), "expected": today.isoformat()}
        raise Refused(Problem("date_in_future", ("date",), facts))
    if event.state == "draft":
        event = move_event(op, event, to="open")
    rounds = rounds_on(event, day)
    round_ = rounds[place - 1] if place <= len(rounds) else None
    number = round_.number if round_ else next_number(Round.objects.filter(event=event))
    keys = tuple(player.pk for player in players)
    seated = {key: sat for key, sat in seated_players(event).items() if key[0] == number}
    same = [table for (_round, table), sat in seated.items() if sat == keys]
    if round_ and not same:
        places = get_places_in_round(round_)
        refuse_any(
            already_seated(round_, player, ("seat", seat))
            for seat, player in enumerate(players, start=1)
            if player.pk in places
        )
    in_round = Table.objects.filter(event=event, round__number=number)
    table = same[0] if same else next_number(in_round)
    sheet = SentSheet(
        number, table, day, variant, tuple(player.player_id for player in players), tuple(hands)
    )
    code = table_code(number, table)
    club = event.club
    target = Target(op.actor, club.slug, event.slug, club, event, False, club.time_zone)
    digest = hashlib.sha256(repr(sheet).encode()).hexdigest()
    try:
        _batch, added, _results = enter_sheets(
            target=target, event=event, sheets=[sheet], digest=digest, is_all=True, now=op.now,
            name=f"paper sheet {code}",
        )  # fmt: skip
    except Refused as refused:
        problems = [
            Problem(problem.code, problem.at[2:], problem.facts, problem.suggestions)
            for problem in refused.problems
        ]
        raise SheetRefused(problems) from refused
    return code, bool(added)
