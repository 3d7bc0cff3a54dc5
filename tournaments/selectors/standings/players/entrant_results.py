"""What lies behind an entrant's row: every table that counted, and what they sum up to."""

from dataclasses import dataclass
from datetime import date

from scoring.numbers import ScoreJson
from scoring.play_order import Played, in_play_order
from tournaments.errors import Missing
from tournaments.models.events import Entrant, Event
from tournaments.models.numbers import as_json
from tournaments.models.standings import Contribution
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.events.entrants import EntrantMemberRow, entrant_names
from tournaments.selectors.hands.games import hands_of_games, known_moons


@dataclass(frozen=True, slots=True)
class EntrantTable:
    """One table of an entrant: what it added to the entrant's row."""

    code: str
    table: int
    round: int
    date: date | None
    variant_name: str
    hands: int
    points: ScoreJson | None
    place: str
    moons: int | None
    is_win: bool


@dataclass(frozen=True, slots=True)
class EntrantHistory:
    """An entrant of an event with all tables that count, the newest first, and their sums.

    There are no points where some table has complex ones, as in the standings.
    """

    entrant_id: str
    name: str
    kind: str
    members: tuple[EntrantMemberRow, ...]
    is_withdrawn: bool
    tables: tuple[EntrantTable, ...]
    hands: int
    points: ScoreJson | None
    wins: int
    moons: int | None


def entrant_history(event: Event, entrant_id: str) -> EntrantHistory:
    """Return every table of an entrant in `event`, in five queries whatever their number.

    Raises:
        Missing: nobody competes in the event under that id.
    """
    entrant = (
        Entrant.objects.filter(event=event, code=entrant_id)
        .prefetch_related("members__player")
        .first()
    )
    if entrant is None:
        raise Missing("player", {"player": entrant_id})
    rows = list(
        Contribution.objects.filter(event=event, entrant=entrant)
        .select_related("game__table__round__meeting", "game__snapshot")
        .defer("game__progress")
    )
    rows = in_play_order(rows, _row_played)[::-1]
    totals = hands_of_games([row.game_id for row in rows])
    return EntrantHistory(
        entrant_id=entrant.code,
        name=entrant_names([entrant], name_column(event))[entrant.pk],
        kind=entrant.kind,
        members=tuple(
            EntrantMemberRow(one.player.player_id, name_of(one.player, name_column(event)))
            for one in entrant.members.all()
        ),
        is_withdrawn=entrant.state == "withdrawn",
        tables=tuple(_played(row, row.game_id in totals) for row in rows),
        hands=sum(row.hands for row in rows),
        points=(
            as_json(sum(row.points for row in rows))
            if all(row.game.snapshot.has_points for row in rows)
            else None
        ),
        wins=sum(row.place == 1 for row in rows),
        moons=known_moons(sum(row.moons for row in rows), is_unknown=bool(totals)),
    )


def _row_played(row: Contribution) -> Played:
    table = row.game.table
    meeting = table.round.meeting
    day = meeting.date.isoformat() if meeting is not None else None
    return (table.round.number, table.number), day


def _played(row: Contribution, is_totals: bool) -> EntrantTable:
    table = row.game.table
    meeting = table.round.meeting
    return EntrantTable(
        code=table.code,
        table=table.number,
        round=table.round.number,
        date=meeting.date if meeting else None,
        variant_name=row.game.snapshot.variant_name,
        hands=row.hands,
        points=as_json(row.points) if row.game.snapshot.has_points else None,
        place=f"{row.place}{'=' if row.shared > 1 else ''}",
        moons=known_moons(row.moons, is_unknown=is_totals),
        is_win=row.place == 1,
    )
