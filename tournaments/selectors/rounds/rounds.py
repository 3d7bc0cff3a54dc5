"""A round's tables in short: who sat there, and what became of it.

Takes an event that `selectors.events.events.event_at` has let the actor read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet

from scoring.numbers import ScoreJson
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Hand
from tournaments.models.meetings import Meeting, Round, Sitting, Table
from tournaments.models.numbers import as_json
from tournaments.models.standings import Contribution
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.events.entrants import entrant_names
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.events.meetings import meetings_of
from tournaments.selectors.hands.totals_only import hands_in_round, known_moons
from tournaments.selectors.rounds.game_length import hands_of_games_in


@dataclass(frozen=True, slots=True)
class CardLine:
    """One entrant's result at a table; `place` is empty while nothing counts there."""

    place: str
    entrant_id: str
    name: str
    points: ScoreJson | None
    moons: int | None
    is_win: bool


@dataclass(frozen=True, slots=True)
class TableCard:
    """One table of a round in short.

    `has_points` is False where scores are complex numbers: results have places then, and no points.
    """

    code: str
    number: int
    state: str
    hands: int
    lines: tuple[CardLine, ...]
    """By place once there is a result; until then by seat."""
    people: tuple[str, ...]
    """Names of who sat there, always by seat."""
    variant: str
    variant_name: str
    has_points: bool = True
    has_totals: bool = False
    """Whether totals of the whole game stand in the place of hands."""
    of: int | None = None
    """How many hands its game has, where that is fixed."""
    counts: bool = True
    """Whether its game counts; one of a play-off does not."""
    has_gap: bool = False
    """Whether a hand is stored and the one before it is not."""


def tables_of(event: Event, round_: Round) -> QuerySet[Table]:
    """Return the tables of one round by number, each with its game and snapshot."""
    tables = Table.objects.filter(event=event, round=round_)
    return tables.select_related("game__snapshot").order_by("number")


def round_cards(event: Event, round_: Round) -> Sequence[TableCard]:
    """Return the results of a round's tables in short, in five queries.

    Two more where boards say how many hands a game has.
    """
    before = Hand.objects.filter(game=OuterRef("game"), number=OuterRef("number") - 1)
    after_gap = Hand.objects.filter(~Exists(before), game=OuterRef("game"), number__gt=1)
    tables = list(tables_of(event, round_).annotate(has_gap=Exists(after_gap)))
    totals = hands_in_round(round_)
    seated: dict[int, list[CardLine]] = {}
    column = name_column(event)
    for sitting in _sittings(round_):
        name = name_of(sitting.player, column)
        line = CardLine("", sitting.player.player_id, name, None, 0, False)
        seated.setdefault(sitting.seat.table_id, []).append(line)
    scored = _results(event, round_, frozenset(totals))
    lengths = hands_of_games_in(event, [table.game for table in tables])
    return tuple(
        TableCard(
            code=table.code,
            number=table.number,
            state=table.game.state,
            hands=totals[table.game.pk] or 0
            if table.game.pk in totals
            else table.game.hands_counted,
            lines=tuple(scored.get(table.pk) or seated.get(table.pk) or ()),
            people=tuple(line.name for line in seated.get(table.pk) or ()),
            variant=table.game.snapshot.variant,
            variant_name=table.game.snapshot.variant_name,
            has_points=table.game.snapshot.has_points,
            has_totals=table.game.pk in totals,
            of=lengths[table.game.pk],
            counts=table.game.counts,
            has_gap=table.has_gap,
        )
        for table in tables
    )


def games_of(cards: Iterable[TableCard]) -> tuple[str, ...]:
    """Return the names of the games that tables play, each once, by name."""
    return tuple(sorted({card.variant_name for card in cards}))


def _results(event: Event, round_: Round, totals: frozenset[int]) -> dict[int, list[CardLine]]:
    rows = list(
        Contribution.objects.filter(event=event, game__table__round=round_)
        .select_related("entrant", "game__snapshot")
        .prefetch_related(
            Prefetch("entrant__members", EntrantMember.objects.select_related("player"))
        )
        .order_by("place", "entrant__code")
    )
    names = entrant_names((row.entrant for row in rows), name_column(event))
    lines: dict[int, list[CardLine]] = {}
    for row in rows:
        line = CardLine(  # partners, and two in one chair, do not tie with each other
            place=f"{row.place}{'=' if row.shared > 1 else ''}",
            entrant_id=row.entrant.code,
            name=names[row.entrant_id],
            points=as_json(row.points) if row.game.snapshot.has_points else None,
            moons=known_moons(row.moons, is_unknown=row.game_id in totals),
            is_win=row.place == 1,
        )
        lines.setdefault(row.game.table_id, []).append(line)
    return lines


def _sittings(round_: Round) -> QuerySet[Sitting]:
    seated = Sitting.objects.filter(round=round_).select_related("seat", "player")
    return seated.order_by("seat__number", "from_hand")


def meetings_with_rounds(event: Event) -> QuerySet[Meeting]:
    """Return an event's meetings, the newest first, each with its `rounds` in order."""
    return meetings_of(event).prefetch_related(Prefetch("rounds", Round.objects.order_by("number")))


def rounds_with_tables(event: Event) -> QuerySet[Round]:
    """Return an event's rounds by number, each with its meeting and its number of tables."""
    return rounds_of(event).annotate(n_tables=Count("tables"))
