"""A table: its players by hand, its sides, its walk-over, its address.

The tag shows whether the table has changed since it was read.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, TypedDict

from django.db.models import Q, QuerySet

from scoring.errors import Problem
from scoring.json_types import JsonObject
from scoring.rules.rules import Rules
from tournaments.domain.etags import mark_of_text
from tournaments.domain.name_matching import sort_key
from tournaments.domain.seating_runs import has_hand
from tournaments.errors import Missing, first_or_missing
from tournaments.models.clubs import Club
from tournaments.models.events import (
    Entrant,
    EntrantKind,
    EntrantMember,
    Event,
    Snapshot,
    StageKind,
)
from tournaments.models.hands import Game, GameState, Hand
from tournaments.models.playoffs import WalkOver
from tournaments.models.rounds import MatchTable, Round, Sitting, Table
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import POSTED, may_do, role_column, role_from
from tournaments.selectors.clubs.names import FULL_NAME, name_column, names_by_id
from tournaments.selectors.db.statements import RowMapper, cut, one_row
from tournaments.selectors.events.change_log import CHANGE_KIND
from tournaments.selectors.events.entrants import WITH_PLAYERS, entrant_names, names_in
from tournaments.selectors.events.events import is_readable, tables_of_event


class SittingDocument(TypedDict):
    """A player at a seat, from one hand to another; None = still there."""

    seat: int
    player_id: str
    name: str
    from_hand: int
    to_hand: int | None
    substitute_for: str | None


class SeatingDocument(TypedDict):
    """Who sits at a table, by seat and hand, and the numbers of its hands that are not deleted."""

    code: str
    number: int
    round: int
    sittings: Sequence[SittingDocument]
    hands: Sequence[int]
    tag: str


Stretches: TypeAlias = Mapping[int, Sequence[tuple[str, int, int | None]]]
_PARTS: Final = (
    RowMapper(Club, "c"),
    RowMapper(Event, "e"),
    RowMapper(Table, "t"),
    RowMapper(Round, "r"),
    RowMapper(Game, "g"),
    RowMapper(Snapshot, "s", without=("options", "rules")),  # known to the process after one hand
)


def side_shape(rules: Rules, seats: int) -> Sequence[Sequence[int]]:
    """Return the seats (from 0) of each side; empty where the rules have none at so many seats."""
    shape = rules.keys.teams.shape
    if not shape or sum(len(side) for side in shape) != seats:
        return ()
    return tuple(tuple(side) for side in shape)


class PlayingGroups:
    """The pairs and teams that players, or all of an event, belong to; two queries.

    `of` is the row of each player's own, `names` what these are called.
    """

    def __init__(self, event: Event, players: Collection[int] | None = None) -> None:
        self.of = get_group_of_players(event, players)
        entrants = Entrant.objects.filter(pk__in=set(self.of.values()))
        self.names = entrant_names(entrants.prefetch_related(WITH_PLAYERS), FULL_NAME)

    def split(
        self, rules: Rules, seats: Sequence[int | None], called: Callable[[int], str]
    ) -> Iterator[Problem]:
        """Yield a question for each side that is not one pair or team.

        Args:
            seats: the row of the player in each seat, clockwise; None if unknown.
            called: player names by row.
        """
        shape = side_shape(rules, len(seats))
        sides = [[row for seat in side if (row := seats[seat]) is not None] for side in shape]
        for number, side in enumerate(sides, start=1):
            at = ("side", number)
            names = " and ".join(map(called, side))
            pairs = list(dict.fromkeys(self.of[row] for row in side if row in self.of))
            alone = [called(row) for row in side if row not in self.of]
            if len(pairs) > 1:
                yield Problem("side_of_two_pairs", at, {"names": names})
            elif pairs and alone:
                facts = {"pair": self.names[pairs[0]], "alone": " and ".join(alone)}
                yield Problem("side_with_a_partner", at, {"names": names, **facts})
            elif len(alone) > 1:
                yield Problem("side_of_singles", at, {"names": names})
        groups = [{self.of.get(row) for row in side} for side in sides]
        for pair in dict.fromkeys(self.of[row] for side in sides for row in side if row in self.of):
            of_pair = [group for group in groups if pair in group]
            if len(of_pair) > 1 and all(group == {pair} for group in of_pair):
                yield Problem("pair_on_both_sides", ("side", 1), {"pair": self.names[pair]})


def get_group_of_players(event: Event, players: Collection[int] | None = None) -> dict[int, int]:
    members = EntrantMember.objects.filter(event=event).exclude(entrant__kind=EntrantKind.PLAYER)
    if players is not None:
        members = members.filter(player__in=players)
    return dict(members.values_list("player_id", "entrant_id"))


def table_seating(event: Event, code: str) -> SeatingDocument:
    """Return who sits at a table; three queries."""
    tables = tables_of_event(event).select_related("round").filter(code=code)
    table = first_or_missing(tables, "table", table=code)
    rows = Sitting.objects.filter(seat__table=table).order_by("seat__number", "from_hand")
    sittings: list[SittingDocument] = [
        {
            "seat": seat,
            "player_id": player_id,
            "name": name,
            "from_hand": first,
            "to_hand": last,
            "substitute_for": substituted,
        }
        for seat, player_id, name, first, last, substituted in rows.values_list(
            *("seat__number", "player__player_id", f"player__{name_column(event)}"),
            *("from_hand", "to_hand", "substitute_for__player_id"),
        )
    ]
    hands = list(
        Hand.objects.filter(game__table=table)
        .order_by("number")
        .values_list("number", "state", "revision")
    )
    stand = [[row["seat"], row["player_id"], row["from_hand"], row["to_hand"]] for row in sittings]
    return {
        "code": code,
        "number": table.number,
        "round": table.round.number,
        "sittings": sittings,
        "hands": [number for number, state, _ in hands if state != "void"],
        "tag": mark_of_text(json.dumps([stand, hands], separators=(",", ":"))),
    }


def get_stretches(tables: Collection[int]) -> Stretches:
    """Return who sat at each of some tables: (player id, first hand, last or None); one query."""
    stretches: dict[int, list[tuple[str, int, int | None]]] = defaultdict(list)
    sittings = Sitting.objects.filter(seat__table__in=tables)
    for table, player, first, last in sittings.values_list(
        "seat__table_id", "player__player_id", "from_hand", "to_hand"
    ):
        stretches[table].append((player, first, last))
    return stretches


def players_at(stretches: Stretches, table: int, hand: int) -> Iterator[str]:
    """Yield the ids of those who sat at a table at a hand; `stretches` are of `get_stretches`."""
    for player, first, last in stretches.get(table, ()):
        if has_hand(hand, first, last):
            yield player


def abandoned_without_hands() -> Q:
    """Sittings at tables that were abandoned and have no hand that counts or may: who sits there is
    free for another table of the round."""
    played = Hand.objects.exclude(state="void").values("game")
    return Q(seat__table__game__state="abandoned") & ~Q(seat__table__game__in=played)


def get_places_in_round(round_: Round) -> dict[int, tuple[int, str]]:
    """Return who sits at a table of a round: player → the table's number and code; one query."""
    rows = Sitting.objects.filter(round=round_, to_hand__isnull=True).exclude(
        abandoned_without_hands()
    )
    places = rows.values_list("player_id", "seat__table__number", "seat__table__code")
    return {player: (number, code) for player, number, code in places}


def player_changes(event: Event, code: str) -> QuerySet[Change]:
    return Change.objects.filter(event=event, kind=CHANGE_KIND, table=code).order_by("-id")


def player_names(event: Event, facts_of_changes: Iterable[JsonObject]) -> dict[str, str]:
    """Return the names of the players that lines of the change log name, by id; one query."""
    ids = {
        move[end]
        for facts in facts_of_changes
        for move in facts.get("moves", ())
        for end in ("from", "to")
    }
    return names_by_id(event, ids)


def walk_overs_at(event: Event, table_id: int) -> list[dict[str, str]]:
    """Return who missed or gave up a table or its match, by name; three queries."""
    rows = WalkOver.objects.filter(table__in=tables_of_match(table_id))
    return _list_entrants(event, list(rows.values_list("entrant__code", flat=True)))


def decided_by_walk_over(round_: Round) -> frozenset[str]:
    """Return the codes of tables that ended by a walk-over, all of a forfeited match; one query."""
    given_up = WalkOver.objects.filter(round=round_).values("table")
    of_matches = MatchTable.objects.filter(match__forfeited_by__isnull=False).values("table")
    ended = Table.objects.filter(round=round_, game__state=GameState.ABANDONED)
    ended = ended.filter(Q(pk__in=given_up) | Q(pk__in=of_matches))
    return frozenset(ended.values_list("code", flat=True))


def entrants_at(event: Event, table_id: int) -> list[dict[str, str]]:
    """Return the entrants who sit at a table and did not give it up, by name; four queries."""
    sitting = Sitting.objects.filter(seat__table=table_id, to_hand__isnull=True)
    members = EntrantMember.objects.filter(event=event, player__in=sitting.values("player"))
    withdrawn = WalkOver.objects.filter(table__in=tables_of_match(table_id)).values("entrant")
    codes = members.exclude(entrant__in=withdrawn).values_list("entrant__code", flat=True)
    return _list_entrants(event, set(codes))


def tables_of_match(table_id: int) -> list[int]:
    """Return the tables of the match that is played at a table, else the table alone; one query."""
    rows = MatchTable.objects.filter(match__tables__table=table_id).order_by("table__number")
    return list(rows.values_list("table_id", flat=True)) or [table_id]


def may_walk_over(event: Event, code: str) -> Table | None:
    """Return a table of a knock-out or match, where a walk-over is possible; else None."""
    table = Table.objects.filter(event=event, code=code).select_related("round__stage").first()
    if table is None or table.round.state in ("draft", "closed"):
        return None
    is_knockout = table.round.stage.kind == StageKind.KNOCKOUT
    return table if is_knockout or MatchTable.objects.filter(table=table).exists() else None


def _list_entrants(event: Event, codes: Collection[str]) -> list[dict[str, str]]:
    if not codes:
        return []
    names = names_in(event)
    rows = [{"entrant_id": code, "name": names.get(code, code)} for code in codes]
    return sorted(rows, key=lambda row: (sort_key(row["name"]), row["entrant_id"]))


_GAME: Final = f"""
    SELECT {role_column("c.id", "c.requires_second_factor")},
        {", ".join(map(str, _PARTS))}
    FROM tournaments_club c
    JOIN tournaments_event e ON e.club_id = c.id
    LEFT JOIN tournaments_table t ON t.event_id = e.id AND t.code = %s
    LEFT JOIN tournaments_round r ON r.id = t.round_id
    LEFT JOIN tournaments_game g ON g.table_id = t.id
    LEFT JOIN tournaments_snapshot s ON s.id = g.snapshot_id
    WHERE c.slug = %s AND e.slug = %s
"""  # noqa: S608 - names of our own columns


def game_at_address(actor: Actor, club: str, event: str, code: str) -> Game:
    """Return the game at an address, its event with the actor's `role`, in one query."""
    row = one_row(_GAME, (actor.user_id, code, club, event))
    if row is None:
        raise Missing("event", {"club": club, "event": event})
    the_club, the_event, table, round_, game, snapshot = cut(row[1:], *_PARTS)
    role = role_from(actor, the_club.pk, row[0], table_id=table.pk if table is not None else None)
    if not is_readable(actor, the_event, the_club, role):
        raise Missing("event", {"club": club, "event": event})
    the_event.club, the_event.role = the_club, role
    if game is None or not (round_.state in POSTED or may_do(the_event, "read_draft")):
        raise Missing("table", {"table": code})
    table.round, table.event, table.club = round_, the_event, the_club
    game.table, game.event, game.club, game.snapshot = table, the_event, the_club, snapshot
    readable: Game = game
    return readable
