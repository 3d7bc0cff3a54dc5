"""A sheet of a finished evening, entered from paper: what it needs is made with it."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from scoring.errors import Problem, Refused
from tournaments.domain.imports.imported_sheets import SentHand, SentSheet
from tournaments.errors import refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Round, Table
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.meetings import club_day
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


class SheetRefused(Exception):
    """A sheet cannot be entered, so nothing was; its problems have paths within the sheet."""


@operation(
    "import_sheets",
    locks=lock_event,
    refuses=("date_in_future", "event_not_open", "player_already_seated"),
)
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
    on_cancelled: bool = False,
) -> tuple[str, bool]:
    """Enter a sheet of the evening of `day` as an import, and open an event that is a draft.

    Args:
        place: of the round among those of the evening, from 1; a later one is the next new round.
        on_cancelled: whether the sheet was played although its evening is cancelled.

    Returns:
        The code of the table, and whether a hand is new. It is the table of the round where these
        players sit in these seats, or else the next one.
    """
    club = event.club
    today = club_day(club, op.now)
    if day > today:
        facts = {"found": day.isoformat(), "expected": today.isoformat()}
        raise Refused(Problem("date_in_future", ("date",), facts))
    if event.state == "draft":
        event = move_event(op, event, to="open")
    event.role = get_role(op.actor, club.pk)  # type: ignore[attr-defined]  # places count no draft for a host
    round_ = dict(enumerate(rounds_on(event, day), start=1)).get(place)
    number = round_.number if round_ else next_number(Round.objects.filter(event=event))
    keys = tuple(player.pk for player in players)
    sat = seated_players(event).items()
    table = next((at for (n, at), seated in sat if n == number and seated == keys), 0)
    if round_ and not table:
        places = get_places_in_round(round_)
        refuse_any(
            already_seated(round_, player, ("seat", seat))
            for seat, player in enumerate(players, start=1)
            if player.pk in places
        )
    table = table or next_number(Table.objects.filter(event=event, round__number=number))
    ids = tuple(player.player_id for player in players)
    code = table_code(number, table)
    sheet = SentSheet(number, table, day, variant, ids, tuple(hands))
    try:
        _batch, n_added, _results = enter_sheets(
            op,
            event,
            target=Target(club.slug, event.slug, club, event, False, club.time_zone),
            sheets=[sheet],
            digest=hashlib.sha256(repr(sheet).encode()).hexdigest(),
            is_all=True,
            name=f"paper sheet {code}",
            cancelled_evenings=on_cancelled,
        )
    except Refused as refused:
        raise SheetRefused(
            *(replace(problem, at=problem.at[2:]) for problem in refused.problems)
        ) from refused
    return code, bool(n_added)
