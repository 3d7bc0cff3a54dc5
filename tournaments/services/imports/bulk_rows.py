"""Rows that an import creates: rounds, entrants and rules, and new tables in bulk."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from operator import attrgetter
from typing import Final

from django.db.models import Model

from scoring.entry.typed_hand import form_of
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.imported_sheets import SheetHand, SheetRules, TypedSheet
from tournaments.domain.replay_game import TOTALS, PlayedHand, Replay
from tournaments.domain.seating_runs import SeatRun
from tournaments.models.columns import UNIT
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event
from tournaments.models.hands import Entry, Game, Hand, SeatScore, Source
from tournaments.models.imports import ImportBatch
from tournaments.models.rounds import Meeting, Round, Seat, Sitting, Table
from tournaments.models.standings import Contribution
from tournaments.policy import Actor
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.selectors.events.entrants import find_guests
from tournaments.selectors.rules.rule_sets import sides_of, store_snapshot
from tournaments.services.clubs.names import codes_for
from tournaments.services.db.bulk import (
    JSON,
    Value,
    add_to_aggregates,
    stored_time,
    take_ids,
    write_rows,
)
from tournaments.services.hands.apply_game import moon_json, score_columns
from tournaments.services.imports.existing_tables import ExistingTable, Run, runs_of
from tournaments.services.rounds.seating import table_code
from tournaments.services.rounds.seating_checks import playing_stage
from tournaments.services.totals.contributions import ADDED, OWN, game_values
from tournaments.services.totals.counted_games import recompute_counted


@dataclass
class RowsOfEvent:
    """Row ids of rounds, entrants and rules, each read or created once in an import.

    `entrants` maps a player's row id to the entrant's, `redated` are rounds that got their meeting
    now. The caller's transaction holds the event; none of it is good after a failed one.
    """

    entrants: dict[int, int] = field(default_factory=dict)
    redated: list[int] = field(default_factory=list)
    _rounds: dict[int, int] = field(default_factory=dict)
    _snapshots: dict[str, int] = field(default_factory=dict)

    def snapshot(self, event: Event, ruled: SheetRules) -> int:
        key = ruled.rules.content_hash
        if key not in self._snapshots:
            snapshot = store_snapshot(event=event, variant=ruled.name, options=ruled.options)
            self._snapshots[key] = snapshot.pk
        return self._snapshots[key]

    def round(self, event: Event, batch: ImportBatch, number: int, day: date | None) -> int:
        """Return the round's row id; creates round and meeting if they are missing."""
        if number in self._rounds:
            return self._rounds[number]
        meeting = None
        if day is not None:
            meeting, _ = Meeting.objects.get_or_create(
                event=event,
                date=day,
                defaults={"club_id": event.club_id, "batch": batch, "gathers": False},
            )
        row, _ = Round.objects.get_or_create(
            event=event,
            number=number,
            defaults={
                "club_id": event.club_id,
                "stage": playing_stage(event),
                "meeting": meeting,
                "state": "playing",
                "batch": batch,
            },
        )
        if row.meeting_id is None and meeting is not None:
            Round.objects.filter(pk=row.pk).update(meeting=meeting)
            self.redated.append(row.pk)
        self._rounds[number] = row.pk
        return row.pk

    def load_entrants(self, event: Event, batch: ImportBatch, players: Iterable[int]) -> None:
        """Read the entrants of these players; enter players who are new to the event."""
        unknown = set(players) - set(self.entrants)
        if not unknown:
            return
        members = EntrantMember.objects.filter(event=event, player__in=unknown)
        self.entrants.update(members.values_list("player_id", "entrant_id"))
        if missing := sorted(unknown - set(self.entrants)):
            self._enter(event, batch, missing)

    def _enter(self, event: Event, batch: ImportBatch, players: Sequence[int]) -> None:
        ids = dict(event.club.players.filter(pk__in=players).values_list("pk", "player_id"))
        codes = codes_for(event, set(ids.values()))
        guests = find_guests(event, players)
        entrants = Entrant.objects.bulk_create(
            [
                Entrant(
                    club_id=event.club_id,
                    event=event,
                    code=codes[ids[player]],
                    batch=batch,
                    guest=player in guests,
                )
                for player in players
            ]
        )
        EntrantMember.objects.bulk_create(
            [
                EntrantMember(club_id=event.club_id, event=event, entrant=entrant, player_id=player)
                for player, entrant in zip(players, entrants, strict=True)
            ]
        )
        require_not_merged(players)
        self.entrants.update(zip(players, (entrant.pk for entrant in entrants), strict=True))


COLUMNS: Final[Mapping[type[Model], Sequence[str]]] = {
    Table: ("id", "club_id", "event_id", "round_id", "number", "code", "batch_id"),
    Seat: ("id", "club_id", "table_id", "number", "side"),
    Sitting: (
        "club_id", "seat_id", "round_id", "player_id", "substitute_for_id", "from_hand", "to_hand",
    ),
    Game: (
        "id", "club_id", "event_id", "table_id", "snapshot_id", "state", "progress",
        "hands_counted",
    ),
    Hand: (
        "id", "club_id", "game_id", "number", "state", "revision", "entry_id", "hands", "board_id",
    ),
    Entry: (
        "id", "hand_id", "form", "typed", "verified", "moon", "key", "club_id", "revision",
        "body_hash", "reason", "note", "source", "batch_id", "entered_by_id", "entered_as",
        "entered_at",
    ),
    SeatScore: (
        "club_id", "entry_id", "seat_id", "score", "score_im", "total", "total_im", "moons",
    ),
    Contribution: ("club_id", "event_id", "game_id", "entrant_id", *ADDED, *OWN),
}  # fmt: skip
"""The tables of an import in the order in which they are written, with their columns."""

VALUES = attrgetter(*ADDED, *OWN)


@dataclass(frozen=True, slots=True)
class ImportedSheet:
    """A sheet, the event's table, the hands that can stand, and the game as played with them."""

    sheet: TypedSheet
    ruled: SheetRules
    table: ExistingTable | None
    accepted: Sequence[SheetHand]
    played: Replay


@dataclass
class TableRows:
    """The rows of some new tables; `boards` has the row of a board's number."""

    event: Event
    batch: ImportBatch
    rows: RowsOfEvent
    boards: Mapping[int, int]
    actor: Actor
    now: datetime

    def __post_init__(self) -> None:
        event, actor = self.event, self.actor
        self.club_id = event.club_id
        groups = Entrant.objects.filter(event=event).exclude(kind=EntrantKind.PLAYER)
        self.groups = frozenset(groups.values_list("pk", flat=True))
        self.settings = settings_of(event)
        self.entry_tail: tuple[Value, ...] = (
            event.club_id,
            1,
            "",
            "",
            "",
            Source.IMPORT.value,
            self.batch.pk,
            actor.user_id,
            actor.name,
            stored_time(self.now),
        )
        self.values: dict[type[Model], list[tuple[Value, ...]]] = {model: [] for model in COLUMNS}
        self.deltas: dict[int, dict[str, int]] = {}

    def write(self, tables: Sequence[ImportedSheet]) -> None:
        table_ids = iter(take_ids(Table, len(tables)))
        seat_ids = iter(take_ids(Seat, sum(table.sheet.seats for table in tables)))
        game_ids = iter(take_ids(Game, len(tables)))
        count = sum(len(table.accepted) for table in tables)
        hand_ids = iter(take_ids(Hand, count))
        entry_ids = iter(take_ids(Entry, count))
        for table in tables:
            seats = [next(seat_ids) for _ in range(table.sheet.seats)]
            table_id, game_id = next(table_ids), next(game_ids)
            self._table(table, table_id, game_id, seats)
            pairs = zip(table.accepted, table.played.hands, strict=True)
            for (hand, played), hand_id, entry_id in zip(pairs, hand_ids, entry_ids, strict=False):
                self._hand(game_id, hand, played, hand_id, entry_id, seats)
        for model, columns in COLUMNS.items():
            write_rows(model, columns, self.values[model])
        add_to_aggregates(club_id=self.club_id, event_id=self.event.pk, deltas=self.deltas)
        if self.settings.keeps:
            recompute_counted(event=self.event, entrants=self.deltas)

    def _table(
        self, table: ImportedSheet, table_id: int, game_id: int, seats: Sequence[int]
    ) -> None:
        club_id = self.club_id
        event_id = self.event.pk
        sheet = table.sheet
        round_id = self.rows.round(self.event, self.batch, sheet.round, sheet.day)
        code = table_code(sheet.round, sheet.table)
        self.values[Table].append(
            (table_id, club_id, event_id, round_id, sheet.table, code, self.batch.pk)
        )
        sides = sides_of(table.ruled.rules, len(seats))
        for number, (seat_id, side) in enumerate(zip(seats, sides, strict=True), start=1):
            self.values[Seat].append((seat_id, club_id, table_id, number, side))
        runs = runs_of(sheet.sat, sheet.seats)
        for seat, player, first, last in runs:
            self.values[Sitting].append((club_id, seats[seat], round_id, player, None, first, last))
        snapshot_id = self.rows.snapshot(self.event, table.ruled)
        progress = JSON(table.played.state.as_json())
        self.values[Game].append(
            (
                game_id,
                club_id,
                event_id,
                table_id,
                snapshot_id,
                "complete",
                progress,
                len(table.played.hands),
            )
        )
        self._contribute(table, game_id, runs)

    def _contribute(self, table: ImportedSheet, game_id: int, runs: Iterable[Run]) -> None:
        chairs = [
            SeatRun(seat + 1, player, first, last, entrant=entrant, is_group=entrant in self.groups)
            for seat, player, first, last in runs
            for entrant in [self.rows.entrants[player]]
        ]
        values_by_entrant = game_values(
            table.ruled.rules,
            table.played,
            chairs,
            placement=self.settings.placement,
            hands=next((hand.hands for hand in table.accepted if hand.number == TOTALS), None),
        )
        for entrant_id, values in values_by_entrant.items():
            columns = VALUES(values)
            self.values[Contribution].append(
                (self.club_id, self.event.pk, game_id, entrant_id, *columns)
            )
            sums = self.deltas.setdefault(entrant_id, {})
            for name, change in zip(
                (*ADDED, f"place_{values.place}"), (*columns[: len(ADDED)], 1), strict=True
            ):
                if change:
                    sums[name] = sums.get(name, 0) + change

    def _hand(
        self,
        game_id: int,
        hand: SheetHand,
        played: PlayedHand,
        hand_id: int,
        entry_id: int,
        seats: Sequence[int],
    ) -> None:
        club_id = self.club_id
        self.values[Hand].append(
            (
                hand_id,
                club_id,
                game_id,
                hand.number,
                "accepted",
                1,
                entry_id,
                hand.hands,
                self.boards.get(hand.board or 0),
            )
        )
        moon = moon_json(played)
        shooters = played.score.moon.by if played.score.moon else ()
        self.values[Entry].append(
            (
                entry_id,
                hand_id,
                form_of(hand.entry),
                JSON(hand.entry),
                played.score.verified,
                JSON(moon) if moon else None,
                hand.key,
                *self.entry_tail,
            )
        )
        scores = played.score.seat_scores
        totals = played.totals
        for index, seat_id in enumerate(seats):
            score = scores[index]
            total = totals[index]
            if type(score) is int and type(total) is int:  # nearly all; a hand has four of each
                values: tuple[Value, ...] = (score * UNIT, None, total * UNIT, None)
            else:
                values = (*score_columns(score), *score_columns(total))
            self.values[SeatScore].append(
                (club_id, entry_id, seat_id, *values, int(index in shooters))
            )
