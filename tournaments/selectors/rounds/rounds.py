"""The tables of a round, the matches of teams in it, and tables that were removed."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from operator import itemgetter
from typing import Final, TypedDict

from django.db.models import (
    Count,
    Exists,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    prefetch_related_objects,
)

from scoring.entry.sheet import seat_names
from scoring.numbers import ScoreJson
from scoring.standings.rows import SIDES, match_points, team_place_points
from tournaments.domain.event_settings import settings_of
from tournaments.domain.figures import exact_json, place_text
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.columns import as_json
from tournaments.models.events import EntrantKind, EntrantMember, Event
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Match, MatchTable, Meeting, Round, RoundState, Sitting, Table
from tournaments.models.standings import Contribution
from tournaments.selectors.audit import event_subjects, is_about
from tournaments.selectors.clubs.clubs import readable_rounds
from tournaments.selectors.clubs.names import NameColumn, name_column, name_of
from tournaments.selectors.events.entrants import entrant_names, names_in
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.events.meetings import meeting_on, posted_rounds_of
from tournaments.selectors.hands.games import (
    hands_in_rounds,
    hands_of_games_in,
    known_moons,
    missing_numbers,
)
from tournaments.selectors.rounds.playoffs_of_evening import list_playoffs
from tournaments.selectors.rounds.round_progress import OVER


@dataclass(frozen=True, slots=True)
class NamedPlayer:
    """A player by id and name, who prints as the name."""

    player_id: str
    player: str

    def __str__(self) -> str:
        return self.player


@dataclass(frozen=True, slots=True)
class CardLine:
    """One entrant's result at a table; while nothing counts there it has a seat and no place.

    `hands` are those that the entrant played, None while nothing counts. `plays_for` names whom a
    player substitutes, `replaced_by` who took over the seat of the entrant or a member of it.
    """

    place: str
    entrant_id: str
    name: str
    points: ScoreJson | None
    moons: int | None
    is_win: bool
    seat: str = ""
    hands: int | None = None
    plays_for: Sequence[NamedPlayer] = ()
    replaced_by: Sequence[NamedPlayer] = ()
    is_group: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """A player who took over a seat at a table, and whose it was."""

    substitute: Player
    replaced: Player


class TableCard:
    """One table of a round in short.

    `lines` are by place once there is a result, until then by seat; `people` are names of who sat
    there, always by seat. `has_points` is False where scores are complex numbers: results have
    places then, and no points. `has_totals`: totals of the whole game stand in the place of hands.
    `of` is how many hands its game has, where that is fixed; `counts` is False for one of a
    play-off. `missing_numbers`: no hand has them, and a later hand is stored.
    """

    def __init__(
        self,
        table: Table,
        seated: Sequence[CardLine],
        scored: Sequence[CardLine],
        totals: Mapping[int, int | None],
        of: int | None,
        *,
        missing_numbers: tuple[int, ...],
    ) -> None:
        game = table.game
        snapshot = table.game.snapshot
        self.code, self.number, self.state = table.code, table.number, game.state
        self.has_totals = game.pk in totals
        self.of = of
        self.missing_numbers = missing_numbers
        self.hands = totals[game.pk] or 0 if self.has_totals else game.hands_counted
        self.lines = tuple(scored or seated)
        self.people = tuple(line.name for line in seated)
        self.variant, self.variant_name = snapshot.variant, snapshot.variant_name
        self.has_points, self.counts = snapshot.has_points, game.counts

    @property
    def has_shared_seat(self) -> bool:
        """Whether two players in the lines had one seat, and so have its place."""
        return any(line.hands and line.plays_for for line in self.lines)


FORFEIT: Final = (2, 0)


class MatchTeam(TypedDict):
    """A team of a match; its points are None before all tables of the match are over."""

    entrant_id: str
    name: str
    place_points: ScoreJson | None
    match_points: int | None


class MatchRow(TypedDict):
    """A match; `forfeited_by` is the code of a team that was short of people."""

    number: int
    tables: Sequence[str]
    teams: Sequence[MatchTeam]
    forfeited_by: str | None


class Removal(TypedDict):
    """A removed table, its players clockwise; `line` is that of the audit trail, `rules` a hash."""

    line: int
    round: int
    number: int
    code: str
    people: Sequence[str]
    rules: str


class NamedRemoval(Removal):
    """A removed table with the names of its players."""

    names: Sequence[str]


def tables_of(event: Event, round_: Round) -> QuerySet[Table]:
    return _tables_in(event, Round.objects.filter(pk=round_.pk))


def _tables_in(event: Event, rounds: QuerySet[Round]) -> QuerySet[Table]:
    tables = Table.objects.filter(event=event, round__in=rounds)
    return tables.select_related("round", "game__snapshot").order_by("round__number", "number")


def round_cards(event: Event, round_: Round) -> Sequence[TableCard]:
    """Return the results of a round's tables in short.

    Five queries, two more with boards and one more where the number of a hand is missing.
    """
    cards = _cards(event, Round.objects.filter(pk=round_.pk))
    return tuple(card for _number, card in cards)


def evening_cards(event: Event, meeting: Meeting) -> Mapping[int, Sequence[TableCard]]:
    """Return the results of an evening's tables in short, by the numbers of its posted rounds.

    Play-offs of ties in these rounds are among them. As many queries as `round_cards`, and two.
    """
    by_round: dict[int, list[TableCard]] = {}
    is_of_evening = Q(meeting=meeting)
    if playoffs := list_playoffs(meeting):
        is_of_evening |= Q(stage__playoff__in=playoffs)
    rounds = Round.objects.filter(is_of_evening, event=event).exclude(state=RoundState.DRAFT)
    for number, card in _cards(event, rounds):
        by_round.setdefault(number, []).append(card)
    return by_round


def _cards(event: Event, rounds: QuerySet[Round]) -> Sequence[tuple[int, TableCard]]:
    """Return the results of tables with the number of their round, in the order of both."""
    before = Hand.objects.filter(game=OuterRef("game"), number=OuterRef("number") - 1)
    after_gap = Hand.objects.filter(~Exists(before), game=OuterRef("game"), number__gt=1)
    tables = list(
        _tables_in(event, rounds).annotate(has_gap=Exists(after_gap), n_seats=Count("seats"))
    )
    labels = {table.pk: seat_names(table.n_seats) for table in tables if table.n_seats}
    numbers: dict[int, list[int]] = {}
    hands = Hand.objects.filter(game__table__in=[table.pk for table in tables if table.has_gap])
    for game, number in hands.values_list("game", "number"):
        numbers.setdefault(game, []).append(number)
    totals = hands_in_rounds(rounds)
    seated: dict[int, list[CardLine]] = {}
    sides: dict[int, list[tuple[str, int]]] = {}
    column = name_column(event)
    substitutions: dict[int, list[Substitution]] = {}
    sittings = Sitting.objects.filter(round__in=rounds)
    sittings = sittings.select_related("seat", "player", "substitute_for")
    for sitting in sittings.order_by("seat__number", "from_hand"):
        name = name_of(sitting.player, column)
        seat = sitting.seat
        if sitting.substitute_for is not None:
            substitution = Substitution(sitting.player, replaced=sitting.substitute_for)
            substitutions.setdefault(seat.table_id, []).append(substitution)
        label = labels[seat.table_id][seat.number - 1]
        line = CardLine("", sitting.player.player_id, name, None, 0, False, label)
        seated.setdefault(seat.table_id, []).append(line)
        sides.setdefault(seat.table_id, []).append((seat.side, sitting.player_id))
    games = {table.game.pk: table.game for table in tables}
    scored = _results(event, games, sides, substitutions, frozenset(totals))
    lengths = hands_of_games_in(event, list(games.values()))
    cards: list[tuple[int, TableCard]] = []
    for table in tables:
        card = TableCard(
            table,
            seated.get(table.pk, ()),
            scored.get(table.pk, ()),
            totals,
            lengths[table.game.pk],
            missing_numbers=missing_numbers(numbers.get(table.game.pk, ())),
        )
        cards.append((table.round.number, card))
    return cards


def games_of(cards: Iterable[TableCard]) -> tuple[str, ...]:
    return tuple(sorted({card.variant_name for card in cards}))


def _results(
    event: Event,
    games: Mapping[int, Game],
    sides: Mapping[int, Sequence[tuple[str, int]]],
    substitutions: Mapping[int, Sequence[Substitution]],
    totals: frozenset[int],
) -> dict[int, list[CardLine]]:
    """Return the results of games by table, without substitutes: theirs is that of the pair."""
    rows = list(
        Contribution.objects.filter(event=event, game__in=list(games))
        .select_related("entrant")
        .prefetch_related(
            Prefetch("entrant__members", EntrantMember.objects.select_related("player"))
        )
        .order_by("place", "entrant__code")
    )
    of_groups = {
        member.player_id
        for row in rows
        if row.entrant.kind != EntrantKind.PLAYER
        for member in row.entrant.members.all()
    }
    substitutes = {
        (table, player)
        for table, seated in sides.items()
        for side, player in seated
        if side and player not in of_groups
        if of_groups & {other for its_side, other in seated if its_side == side}
    }
    column = name_column(event)
    names = entrant_names((row.entrant for row in rows), column)
    lines: dict[int, list[CardLine]] = {}
    for row in rows:
        game = games[row.game_id]
        members = [member.player_id for member in row.entrant.members.all()]
        if any((game.table_id, player) in substitutes for player in members):
            continue
        at_table = substitutions.get(game.table_id, ())
        replaced = [part.replaced for part in at_table if part.substitute.pk in members]
        substituted_by = [part.substitute for part in at_table if part.replaced.pk in members]
        line = CardLine(  # partners, and two in one chair, do not tie with each other
            place=place_text(row.place, is_tied=row.shared > 1),
            entrant_id=row.entrant.code,
            name=names[row.entrant_id],
            points=as_json(row.points) if game.snapshot.has_points else None,
            moons=known_moons(row.moons, is_unknown=row.game_id in totals),
            is_win=row.place == 1,
            hands=row.hands,
            plays_for=_named(replaced, column),
            replaced_by=_named(substituted_by, column),
            is_group=row.entrant.kind != EntrantKind.PLAYER,
        )
        lines.setdefault(game.table_id, []).append(line)
    return lines


def get_substitutes(event: Event, meeting: Meeting) -> Mapping[str, Sequence[NamedPlayer]]:
    """Return for whom substitutes played on an evening, by the id of the substitute; one query."""
    column = name_column(event)
    sittings = Sitting.objects.filter(round__in=posted_rounds_of(meeting))
    sittings = sittings.exclude(substitute_for=None).select_related("player", "substitute_for")
    replaced: dict[str, list[Player]] = {}
    for sitting in sittings.order_by("round__number", "seat__number", "from_hand"):
        if sitting.substitute_for is not None:
            replaced.setdefault(sitting.player.player_id, []).append(sitting.substitute_for)
    return {player_id: _named(players, column) for player_id, players in replaced.items()}


def _named(players: Iterable[Player], column: NameColumn) -> Sequence[NamedPlayer]:
    return [NamedPlayer(player.player_id, name_of(player, column)) for player in players]


def meeting_with_rounds(event: Event, day: date) -> Meeting:
    meeting = meeting_on(event, day)
    prefetch_related_objects([meeting], Prefetch("rounds", rounds_of(event)))
    return meeting


def rounds_with_tables(event: Event) -> QuerySet[Round]:
    return rounds_of(event).annotate(n_tables=Count("tables"))


def match_rows(event: Event, round_: Round) -> list[MatchRow]:
    """Return the matches of a round by number; one query where it has none, else six at most."""
    matches = Match.objects.filter(round=round_).order_by("number")
    return _rows(event, list(matches.select_related("first", "second", "forfeited_by")))


def match_points_by_round(event: Event) -> Sequence[tuple[int, str, int]]:
    """Return (round, code of a team, match points) of each match that has a result, in order."""
    rows = Match.objects.filter(readable_rounds(event, "round__"), event=event)
    rows = rows.order_by("round__number", "number")
    matches = list(rows.select_related("first", "second", "forfeited_by", "round"))
    return [
        (match.round.number, team["entrant_id"], team["match_points"])
        for match, row in zip(matches, _rows(event, matches), strict=True)
        for team in row["teams"]
        if team["match_points"] is not None
    ]


def _rows(event: Event, matches: Sequence[Match]) -> list[MatchRow]:
    if not matches:
        return []
    tables: dict[int, list[tuple[int, str, bool]]] = defaultdict(list)
    rows = MatchTable.objects.filter(match__in=matches).order_by("table__number")
    for match, table, code, state in rows.values_list(
        "match_id", "table_id", "table__code", "table__game__state"
    ):
        tables[match].append((table, code, state in OVER))
    all_tables = [table for of_match in tables.values() for table, _code, _over in of_match]
    results = Contribution.objects.filter(game__table__in=all_tables)
    finishes = {
        (table, entrant): (place, shared)
        for table, entrant, place, shared in results.values_list(
            "game__table_id", "entrant_id", "place", "shared"
        )
    }
    scheme = settings_of(event).placement.get("2", SIDES)
    names = names_in(event)
    return [_row(match, tables[match.pk], finishes, tuple(scheme), names) for match in matches]


def _row(
    match: Match,
    tables: Sequence[tuple[int, str, bool]],
    finishes: Mapping[tuple[int, int], tuple[int, int]],
    scheme: tuple[int, ...],
    names: Mapping[str, str],
) -> MatchRow:
    sides = (match.first, match.second)
    earned: tuple[Fraction | None, ...] = (None, None)
    points: tuple[int | None, ...] = (None, None)
    played = [
        [finishes[table, side.pk] for table, _code, _over in tables if (table, side.pk) in finishes]
        for side in sides
    ]
    if match.forfeited_by is not None:
        points = FORFEIT if match.forfeited_by_id == match.second_id else FORFEIT[::-1]
    elif tables and all(
        is_over and all((table, side.pk) in finishes for side in sides)
        for table, _code, is_over in tables
    ):
        first, second = (team_place_points(team_finishes, scheme) for team_finishes in played)
        earned = (first, second)
        points = match_points(first, second)
    return {
        "number": match.number,
        "tables": [code for _table, code, _over in tables],
        "teams": [
            {
                "entrant_id": side.code,
                "name": names.get(side.code, side.code),
                "place_points": None if side_points is None else exact_json(side_points),
                "match_points": matches_won,
            }
            for side, side_points, matches_won in zip(sides, earned, points, strict=True)
        ],
        "forfeited_by": match.forfeited_by.code if match.forfeited_by is not None else None,
    }


def removed_tables(event: Event, round_: Round) -> list[NamedRemoval]:
    """Return the tables of a round that were removed and are not there again, with names."""
    codes = set(Table.objects.filter(round=round_).values_list("code", flat=True))
    newest = {table["code"]: table for table in list_removals(event, f"r{round_.number}t")}
    removed = [table for code, table in newest.items() if code not in codes and table["people"]]
    ids = {code for table in removed for code in table["people"]}
    rows = Player.objects.filter(club=event.club_id, player_id__in=ids)
    names = dict(rows.values_list("player_id", "name"))
    return [
        {**table, "names": [names.get(code, code) for code in table["people"]]}
        for table in sorted(removed, key=itemgetter("number"))
    ]


def list_removals(event: Event, begin: str) -> Iterator[Removal]:
    """Yield the removals of tables whose code begins so, the oldest first."""
    tables = is_about(event_subjects(event), f"table:{begin}")
    lines = AuditLine.objects.filter(tables, club=event.club_id, act="clear_table")
    for line in lines.order_by("number"):
        code = line.subject.partition("/table:")[2]
        round_number, _, number = code.removeprefix("r").partition("t")
        if "rules" in line.facts:
            yield {
                "line": line.number,
                "round": int(round_number),
                "number": int(number),
                "code": code,
                "people": line.facts["players"],
                "rules": line.facts["rules"],
            }
