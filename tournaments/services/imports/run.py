"""Bringing typed sheets into an event: batch by batch, whole tables at a time.

`take` judges a chunk of sheets and stores the hands that can stand in one transaction, so that a
hand is there whole or not at all whenever the process dies; run again, the import completes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import IntegrityError, OperationalError
from django.db.models import Q

from scoring.entry.typed_hand import StoredEntry
from tournaments.domain.counters import count_entries
from tournaments.domain.event_settings import preset_settings, settings_of
from tournaments.domain.imports.import_report import Finding
from tournaments.domain.imports.imported_sheets import (
    NOBODY,
    OutlineNotes,
    SheetRules,
    TypedHand,
    TypedSheet,
    same_entry,
)
from tournaments.domain.replay_game import TOTALS, of_a_file
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.imports import BatchState, ImportBatch
from tournaments.models.standings import Contribution
from tournaments.policy import Actor
from tournaments.selectors.events.settings_checks import required_game
from tournaments.selectors.rounds.tables import groups_of, side_shape
from tournaments.services.db.locks import lock_games
from tournaments.services.db.transactions import join_acts, may_repeat
from tournaments.services.imports.batches import (
    close_batch,
    note_rounds,
    open_batch,
    require_importable,
    require_state,
)
from tournaments.services.imports.bulk_rows import NewTable, RowsOfEvent, Signature, TableRows
from tournaments.services.imports.existing_tables import (
    Elsewhere,
    ExistingHand,
    ExistingTable,
    Key,
    existing_rounds,
    existing_tables,
    hand_exists,
    mixing_conflict,
    placement_conflict,
    playoff_conflict,
    rounds_of_playoffs,
    seated_elsewhere,
    sheet_conflicts,
    sheet_notes,
    split_sides,
)
from tournaments.services.imports.table_changes import extend_table
from tournaments.services.imports.validate_sheet import (
    FileBoards,
    ValidatedSheet,
    unmarked_moon,
    validate_sheet,
)
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.rounds.seating import table_code
from tournaments.services.rounds.seating_checks import end_abandoned_sittings, has_pairs
from tournaments.services.standings.counted_games import (
    lock_aggregates,
    recompute_counted_in_rounds,
)


@dataclass(slots=True)
class HandCounts:
    """Hands that are, or would be, in the event after the run, and those that it adds."""

    accepted: int = 0
    added: int = 0


@dataclass(frozen=True, slots=True)
class ImportedSheet:
    """A sheet with what the event has of it and what became of its hands."""

    sheet: TypedSheet
    ruled: SheetRules
    there: ExistingTable | None
    judged: ValidatedSheet


class SheetImport:
    """One file on its way into one event.

    Args:
        event: where the hands go; None where a dry run would make it first.
        rules_for: the rules by what a sheet calls them.
        write: False for a dry run, which judges everything and writes nothing.
        batch: the batch of a file that was uploaded; else one is opened with the first hand.
        file_rounds: the numbers of the rounds that the file has sheets of.

    Attributes:
        already: (round, table, hand) of the last chunk that the event had with the same content.
        touched: the numbers of the rounds that got hands.
    """

    def __init__(
        self,
        *,
        actor: Actor,
        event: Event | None,
        rules_for: Callable[[str], SheetRules],
        file_name: str,
        digest: str,
        now: datetime,
        write: bool,
        names: Callable[[int], str] = str,
        batch: ImportBatch | None = None,
        file_rounds: Collection[int] = (),
    ) -> None:
        self.actor = actor
        self.file_rounds = file_rounds
        self.event = event
        self.rules_for = rules_for
        self.file_name = file_name
        self.digest = digest
        self.now = now
        self.writing = write
        self.names = names
        self.counts = HandCounts()
        self.notes = OutlineNotes()
        self.batch = batch
        self._kept_batch = batch
        self._there = 0
        self.already: set[tuple[int, int, int]] = set()
        self._boards = FileBoards()
        self.rounds = existing_rounds(event)
        self._played_off = rounds_of_playoffs(event)
        self._rows = RowsOfEvent()
        self.touched: set[int] = set()
        self._budget = of_a_file()
        self._held_to = required_game(event) if event is not None else None
        is_of_pairs = event is not None and has_pairs(event)
        self._groups = groups_of(event) if event is not None and is_of_pairs else None
        settings = settings_of(event) if event is not None else preset_settings("sheets")
        self._settings = settings
        self._chips, self._open_ended = settings.start_totals, settings.is_open_ended

    def take(self, sheets: Sequence[TypedSheet]) -> list[Finding]:
        """Judge some sheets, store what can stand, and return what is said about the others.

        Raises:
            Forbidden: import_sheets.
            Conflict: event_not_open, import_moved_on.
        """
        try:
            return self._take(sheets)
        except (IntegrityError, OperationalError) as fault:
            if isinstance(fault, OperationalError) and not may_repeat(fault):
                raise
            # Somebody seated one of these tables at this very moment: now it is there to be seen.
            self._forget()
            return self._take(sheets)

    def _forget(self) -> None:
        """Forget rows that a chunk made and that went with its transaction."""
        self._rows.forget()
        self.batch = self._kept_batch
        self.rounds = existing_rounds(self.event)
        self._played_off = rounds_of_playoffs(self.event)
        self._held_to = required_game(self.event) if self.event is not None else None

    def _take(self, sheets: Sequence[TypedSheet]) -> list[Finding]:
        findings: list[Finding] = []
        accepted = self.counts.accepted
        with self._transaction():
            event = self._locked()
            keys = [(sheet.round, sheet.table) for sheet in sheets]
            self._lock_games(event, keys)
            self._boards.read(event, is_locking=self.writing)
            there = existing_tables(event, keys)
            known = set(self.rounds) & {sheet.round for sheet in sheets}
            elsewhere = seated_elsewhere(event, known)
            judged = []
            self._there = 0
            self.already.clear()
            for sheet in sheets:
                one, said = self._judge(sheet, there.get((sheet.round, sheet.table)), elsewhere)
                findings.extend(said)
                if one is not None:
                    judged.append(one)
            added = sum(len(one.judged.taken) for one in judged)
            self._note(judged)
            if event is not None and self.writing and added:
                self._store(event, judged, added)
        self._kept_batch = self.batch
        self.counts.added += added
        self.counts.accepted = accepted + added + self._there
        return findings

    def _note(self, judged: Sequence[ImportedSheet]) -> None:
        """Note which tables get hands, for what is said before the import."""
        for one in judged:
            number = one.sheet.round
            if one.judged.taken:
                day = one.sheet.day or self.rounds.get(number)
                is_new = number not in self.rounds
                self.notes.add(number, one.sheet.table, day, is_new=is_new)
            for hand in one.judged.taken:
                if hand.number == TOTALS:
                    self.notes.add_totals(hand.hands)

    def finish(
        self,
        *,
        findings: Sequence[Finding],
        rows: int,
        hands: int,
        unfinished: Collection[int] = (),
    ) -> ImportBatch | None:
        """Close the import: keep what waits, settle what is settled, and write one audit line.

        Nothing is written where nothing is new.

        Args:
            unfinished: rounds that stay open because hands of theirs were refused.
        """
        if self.event is None or not self.writing:
            return None
        return close_batch(
            actor=self.actor,
            event=self.event,
            batch=self.batch,
            file_name=self.file_name,
            digest=self.digest,
            findings=findings,
            counts=(rows, hands, self.counts.accepted),
            rounds=self.touched,
            unfinished=unfinished,
            now=self.now,
        )

    def _transaction(self) -> AbstractContextManager[object]:
        return join_acts("import_sheets") if self.writing else nullcontext()

    def _locked(self) -> Event | None:
        """Return the event, locked while hands are stored, if it still takes hands.

        A batch that was made before has to be running still: somebody may have undone it.
        """
        if self.event is None:
            return None
        events = Event.objects.select_related("club")
        if self.writing:
            events = events.select_for_update(of=("self",), no_key=True)
        event = events.get(pk=self.event.pk)
        require_importable(self.actor, event)
        if self.writing and self.batch is not None:
            require_state(self.batch, BatchState.RUNNING)
        return event

    def _lock_games(self, event: Event | None, keys: Sequence[Key]) -> None:
        """Lock the tables that may grow, and those of rounds that may get a date."""
        if event is None or not self.writing:
            return
        undated = [number for number, _ in keys if self.rounds.get(number) is None]
        grown = Q(table__code__in=[table_code(*key) for key in keys])
        lock_games(Game.objects.filter(grown | Q(table__round__number__in=undated), event=event))

    # --- judging ---------------------------------------------------------------------------

    def _judge(
        self,
        sheet: TypedSheet,
        there: ExistingTable | None,
        elsewhere: Elsewhere,
    ) -> tuple[ImportedSheet | None, list[Finding]]:
        ruled = self.rules_for(sheet.variant)
        said = self._about_sheet(sheet, ruled, there, elsewhere)
        hold = bool(said)
        said.extend(sheet_notes(sheet, there.sat() if there else {}, self.names))
        fresh: list[TypedHand] = []
        for hand in sheet.hands:
            old = there.hands.get(hand.number) if there else None
            if old is None or there is None:
                fresh.append(replace(hand, is_held=True) if hold else hand)
            elif not self._is_same(hand, old, there):
                if not hold:  # what does not fit as a whole is said once, of the sheet
                    said.append(hand_exists(sheet, hand, there, self.names))
            else:
                self._there += 1
                self.already.add((sheet.round, sheet.table, hand.number))
                said.extend(unmarked_moon(sheet, hand, old.moon))
        if not fresh:
            return None, said
        fresh, of_boards = self._boards.checked(sheet, fresh, ruled.rules, self.names)
        said.extend(of_boards)
        before: list[tuple[int, Mapping[str, object]]] = []
        if there is not None:
            before = [
                (number, StoredEntry(old.typed))
                for number, old in there.hands.items()
                if old.state == "accepted"
            ]
        judged = validate_sheet(
            replace(sheet, hands=tuple(fresh)),
            ruled.rules,
            before=before if not hold else (),
            chips=self._chips,
            open_ended=self._open_ended,
            budget=self._budget,
        )
        if judged.taken and self._held_to is not None:
            self._held_to.hold(ruled.name, ruled.options, ruled.rules, sheet.seats)
        return ImportedSheet(sheet, ruled, there, judged), [*said, *judged.findings]

    def _about_sheet(
        self,
        sheet: TypedSheet,
        ruled: SheetRules,
        there: ExistingTable | None,
        elsewhere: Elsewhere,
    ) -> list[Finding]:
        """Return why all hands of a sheet wait."""
        day = self.rounds.get(sheet.round)
        said = [
            *sheet_conflicts(sheet, ruled, there, elsewhere, day, self.names),
            *playoff_conflict(sheet, self._played_off),
        ]
        if self._held_to is not None and (there is None or not there.hands):
            said.extend(mixing_conflict(sheet, ruled, self._held_to))
        if there is None or not there.hands:
            said.extend(placement_conflict(sheet, ruled, self._settings))
        if self._groups is not None and side_shape(ruled.rules, sheet.seats):
            said.extend(split_sides(sheet, ruled, there, self._groups, self.names))
        return said

    def _is_same(self, hand: TypedHand, old: ExistingHand, there: ExistingTable) -> bool:
        same_people = there.players(hand.number) == hand.players
        is_hand = hand.number != TOTALS
        same_length = is_hand or hand.hands is None or hand.hands == old.hands
        same_board = hand.board in (None, old.board)
        return (
            old.state == "accepted"
            and same_people
            and same_length
            and same_board
            and same_entry(old.typed, hand.entry, old.moon)
        )

    # --- storing ---------------------------------------------------------------------------

    def _store(self, event: Event, judged: Sequence[ImportedSheet], added: int) -> None:
        batch = self.opened(event)
        signature = Signature(batch.pk, self.actor.user_id, self.actor.name, self.now)
        filled = [one for one in judged if one.judged.taken]
        self._rows.bring_entrants(event, batch, _sitters(filled))
        for one in filled:
            self._rows.round(event, batch, one.sheet.round, one.sheet.day)
        lock_aggregates(event, self._counting(filled), make=True)
        new = [self._new_table(event, batch, one) for one in filled if one.there is None]
        end_abandoned_sittings({table.round_id for table in new if table}, _sitters(filled))
        boards = self._boards.rows
        rows = TableRows(event, signature, self._rows.entrants, boards)
        rows.write([table for table in new if table])
        for one in filled:
            if one.there is not None:
                extend_table(
                    there=one.there,
                    sheet=one.sheet,
                    taken=one.judged.taken,
                    snapshot_id=self._rows.snapshot(event, one.ruled),
                    signature=signature,
                    boards=boards,
                )
            self.touched.add(one.sheet.round)
        recompute_counted_in_rounds(event=event, rounds=self._rows.redated)
        self._rows.redated.clear()
        mark_changed(event=event, by=added, now=self.now)
        count_entries("import", added)

    def opened(self, event: Event) -> ImportBatch:
        """Return the batch of the file, opened where nothing needed one before.

        The caller's transaction holds the event.
        """
        if self.batch is None:
            self.batch = open_batch(
                actor=self.actor,
                event=event,
                file_name=self.file_name,
                digest=self.digest,
                now=self.now,
            )
            note_rounds(self.batch, self.file_rounds)
        return self.batch

    def _counting(self, filled: Sequence[ImportedSheet]) -> set[int]:
        """Return the entrants whose sums move: all are locked before one of them is written."""
        grown = [one.there.game.pk for one in filled if one.there is not None]
        games = Q(game__in=grown) | Q(game__table__round__in=self._rows.redated)
        there = Contribution.objects.filter(games)
        players = {
            player for one in filled for hand in one.judged.taken for player in hand.players
        } - {NOBODY}
        return {self._rows.entrants[player] for player in players} | set(
            there.values_list("entrant_id", flat=True)
        )

    def _new_table(self, event: Event, batch: ImportBatch, one: ImportedSheet) -> NewTable | None:
        played = one.judged.played
        if played is None:
            return None
        return NewTable(
            one.sheet,
            one.ruled.rules,
            self._rows.snapshot(event, one.ruled),
            self._rows.round(event, batch, one.sheet.round, one.sheet.day),
            one.judged.taken,
            played,
        )


def _sitters(filled: Iterable[ImportedSheet]) -> set[int]:
    """Return the row ids of the players who sit at these tables."""
    sat = {player for one in filled for own in one.sheet.sat.values() for player in own}
    return sat - {NOBODY}
