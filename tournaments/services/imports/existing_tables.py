"""What an event has already of the imported sheets, and why a sheet or a hand does not fit it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from django.db.models import Q
from django.utils.translation import gettext, ngettext

from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.rules.rules import score_alike
from tournaments.domain.imports import alike
from tournaments.domain.imports.alike import ALIKE
from tournaments.domain.imports.evenings import Evenings
from tournaments.domain.imports.import_report import ASK, Finding, Spot, finding
from tournaments.domain.imports.imported_sheets import (
    AS_WRITTEN,
    NOBODY,
    SheetHand,
    SheetRules,
    TypedSheet,
)
from tournaments.domain.messages import sentence
from tournaments.domain.replay_game import TOTALS
from tournaments.domain.seating_runs import has_hand
from tournaments.models.events import Event, StageKind
from tournaments.models.hands import Entry, Game, Hand, HandState
from tournaments.models.imports import BatchState
from tournaments.models.rounds import Meeting, MeetingState, Round, RoundState, Sitting
from tournaments.models.standings import Change
from tournaments.policy import Actor, may
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import MOVE_KIND
from tournaments.selectors.hands.entry_display import different_words, entry_words
from tournaments.selectors.rounds.tables import PlayingGroups
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.rounds.seating import table_code

UNDONE = (BatchState.UNDOING, BatchState.UNDONE)

Key = tuple[int, int]
"""The numbers of a round and a table."""

HandPlace = tuple[str, int]
"""The code of a table and the number of a hand."""

Run = tuple[int, int, int, int | None]
"""Seat (index from 0), player, first hand, last hand or None while the player sits there."""

Elsewhere = Mapping[tuple[int, int], set[int]]
"""The tables at which a player sits: (round, player) → table numbers."""

Names = Callable[[int], str]
"""A player's key → name and id."""


@dataclass(slots=True)
class ExistingTable:
    """A table of the event with its game.

    `undone` are hands (number → row id) that went when their import was undone.
    """

    game: Game
    seats: int
    hands: dict[int, Hand] = field(default_factory=dict)
    undone: dict[int, int] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)

    def players(self, number: int) -> tuple[int, ...]:
        seated = [NOBODY] * self.seats
        for seat, player, first, last in self.runs:
            if has_hand(number, first, last):
                seated[seat] = player
        return tuple(seated)

    def players_by_seat(self, number: int) -> dict[int, int]:
        return dict(enumerate(self.players(number), start=1))

    def sat(self) -> dict[int, tuple[int, ...]]:
        return {number: self.players(number) for number in self.hands}


def stored_entry(hand: Hand) -> tuple[JsonDict, JsonDict | None]:
    """Return a stored hand as it was typed, and the moon that the engine found in it."""
    if hand.entry is None:
        return ({}, None)
    return (hand.entry.typed or {}, hand.entry.moon)


def existing_tables(event: Event | None, keys: Collection[Key]) -> dict[Key, ExistingTable]:
    if event is None:
        return {}
    codes = [f"r{round_}t{table}" for round_, table in keys]
    games = Game.objects.filter(event=event, table__code__in=codes)
    games = games.select_related("table__round", "snapshot", "event", "club")
    tables = {game.pk: ExistingTable(game, game.table.seats.count()) for game in games}
    undone = _undone(tables)
    for hand in Hand.objects.filter(game_id__in=tables).select_related("entry", "board"):
        table = tables[hand.game_id]
        if hand.pk in undone:
            table.undone[hand.number] = hand.pk
        else:
            table.hands[hand.number] = hand
    by_table = {table.game.table_id: table for table in tables.values()}
    for table_id, seat, player, first, last in Sitting.objects.filter(
        seat__table_id__in=by_table
    ).values_list("seat__table_id", "seat__number", "player_id", "from_hand", "to_hand"):
        by_table[table_id].runs.append((seat - 1, player, first, last))
    return {
        (table.game.table.round.number, table.game.table.number): table for table in tables.values()
    }


def seated_players(event: Event | None, hidden: Collection[int] = ()) -> dict[Key, tuple[int, ...]]:
    tables: dict[Key, dict[int, int]] = {}
    if event is None:
        return {}
    rows = Sitting.objects.filter(seat__table__event=event, to_hand__isnull=True)
    rows = rows.exclude(round__number__in=hidden)
    for round_, table, seat, player in rows.values_list(
        "round__number", "seat__table__number", "seat__number", "player_id"
    ):
        tables.setdefault((round_, table), {})[seat] = player
    return {
        key: tuple(seats.get(seat, NOBODY) for seat in range(1, max(seats) + 1))
        for key, seats in tables.items()
    }


def find_evenings(actor: Actor, event: Event | None) -> Evenings:
    """Return the evenings of an event, without the drafted rounds that `actor` may not know."""
    if event is None:
        return Evenings()
    hidden = hidden_rounds(actor, event)
    rounds = existing_rounds(event)
    tables: dict[Key, set[int]] = {}
    rows = Sitting.objects.filter(seat__table__event=event).exclude(round__number__in=hidden)
    for round_, table, player in rows.values_list(
        "round__number", "seat__table__number", "player_id"
    ).distinct():
        tables.setdefault((round_, table), set()).add(player)
    known = {number: day for number, day in rounds.items() if number not in hidden}
    closed = hidden | rounds_of_playoffs(event)
    return Evenings(known, tables, closed=closed, planned=evening_days(event))


def evening_days(event: Event | None) -> frozenset[date]:
    """Return the days of an event's evenings, held or planned."""
    if event is None:
        return frozenset()
    meetings = Meeting.objects.filter(event=event).exclude(state=MeetingState.CANCELLED)
    return frozenset(meetings.values_list("date", flat=True))


def _undone(games: Collection[int]) -> set[int]:
    last = dict(
        Entry.objects.filter(hand__game__in=games, hand__state="void", batch__isnull=False)
        .order_by("revision")
        .values_list("hand_id", "batch__state")
    )
    return {hand for hand, state in last.items() if state in UNDONE}


def rounds_of_playoffs(event: Event | None) -> frozenset[int]:
    if event is None:
        return frozenset()
    rounds = Round.objects.filter(event=event, stage__kind=StageKind.PLAYOFF)
    return frozenset(rounds.values_list("number", flat=True))


def hidden_rounds(actor: Actor, event: Event | None) -> frozenset[int]:
    """Return the numbers of drafted rounds, of which `actor` may not know the seats."""
    if event is None or may(get_role(actor, event.club_id), "read_draft"):
        return frozenset()
    drafts = Round.objects.filter(event=event, state=RoundState.DRAFT)
    return frozenset(drafts.values_list("number", flat=True))


def existing_rounds(event: Event | None) -> dict[int, date | None]:
    if event is None:
        return {}
    return dict(Round.objects.filter(event=event).values_list("number", "meeting__date"))


def hands_moved_away(event: Event | None, keys: Collection[Key]) -> dict[HandPlace, Hand]:
    """Return the hands that people moved from tables to others, by their places before that.

    The row of a moved hand goes when its import is undone, but the hand stays where it was moved.
    Two queries at most.
    """
    moved: dict[HandPlace, HandPlace] = {}
    if event is None:
        return {}
    codes = [table_code(*key) for key in keys]
    changes = Change.objects.filter(event=event, kind=MOVE_KIND).order_by("pk")
    at_tables = changes.filter(Q(facts__from__in=codes) | Q(facts__to__in=codes))
    for facts in at_tables.values_list("facts", flat=True):
        moves = [((code, n), (to, at)) for code, n, to, at in facts["hands"]]
        moved.update(moves)
        # A place to which a hand was moved has a hand again.
        for _, now in moves:
            moved.pop(now, None)
    if not moved:
        return {}
    hands = Hand.objects.filter(
        game__event=event,
        game__table__code__in={code for code, _ in moved.values()},
        state=HandState.ACCEPTED,
    ).select_related("entry", "game__table__round")
    by_place = {(hand.game.table.code, hand.number): hand for hand in hands}
    return {place: by_place[now] for place, now in moved.items() if now in by_place}


def seated_elsewhere(
    event: Event | None, rounds: Collection[int]
) -> dict[tuple[int, int], set[int]]:
    tables: dict[tuple[int, int], set[int]] = {}
    if event is None or not rounds:
        return tables
    emptied = Q(seat__table__game__hands_counted=0, seat__table__game__state="abandoned")
    sat = Sitting.objects.filter(round__event=event, round__number__in=rounds).exclude(emptied)
    for round_, player, table in sat.values_list(
        "round__number", "player_id", "seat__table__number"
    ):
        tables.setdefault((round_, player), set()).add(table)
    return tables


def runs_of(sat: Mapping[int, Sequence[int]], seats: int) -> list[Run]:
    """Return who sat where from which hand to which, from who sat in each hand.

    The first player of a seat sat there from the beginning, the last one sits there still; seats
    without a known player are empty.

    >>> runs_of({1: (7, 8), 2: (7, 9)}, 2)
    [(0, 7, 1, None), (1, 8, 1, 1), (1, 9, 2, None)]
    """
    numbers = sorted(sat)
    runs: list[Run] = []
    for seat in range(seats):
        runs.extend(_seat_runs(seat, [(number, sat[number][seat]) for number in numbers]))
    return runs


def _seat_runs(seat: int, players: Iterable[tuple[int, int]]) -> list[Run]:
    runs: list[Run] = []
    now = NOBODY
    first = 1
    before = 0
    for number, player in players:
        if player != now:
            if now != NOBODY:
                runs.append((seat, now, first, max(first, before)))
            first = 1 if not before else number
            now = player
        before = number
    if now != NOBODY:
        runs.append((seat, now, first, None))
    return runs


def sheet_conflicts(
    sheet: TypedSheet,
    ruled: SheetRules,
    table: ExistingTable | None,
    elsewhere: Elsewhere,
    meeting_day: date | None,
    names: Names,
) -> list[Finding]:
    """Return why no hand of the sheet may join what the event has already."""
    spot = sheet.spot()
    findings = _clashes(sheet, elsewhere, names)
    if table is not None:
        # Without hands a table takes a sheet: an undone import leaves it if people added something.
        is_given_up = table.game.state == "abandoned" and table.hands
        if is_given_up and any(hand.number not in table.hands for hand in sheet.hands):
            findings.append(finding("table_abandoned", spot))
        rules = rules_of(table.game.snapshot)
        if table.hands and rules != ruled.rules and not score_alike(rules, ruled.rules):
            findings.append(
                finding("sheet_does_not_fit", spot, found=ruled.rules.name, expected=rules.name)
            )
        elif table.seats != sheet.seats:
            seats = {"found": f"{sheet.seats} seats", "expected": f"{table.seats} seats"}
            findings.append(finding("sheet_does_not_fit", spot, **seats))
    if meeting_day is not None and sheet.day is not None and meeting_day != sheet.day:
        days = {"found": sheet.day.isoformat(), "expected": meeting_day.isoformat()}
        findings.append(finding("dates_disagree", spot, **days))
    return findings


def split_sides(
    sheet: TypedSheet,
    ruled: SheetRules,
    table: ExistingTable | None,
    groups: PlayingGroups,
    names: Names,
) -> list[Finding]:
    """Return questions about sides that are not one pair or team, as when a table is seated.

    Each is asked once, however many hands of the sheet raise it.
    """
    if sheet.keeps_sides or not groups.of:
        return []
    seated = set()
    if table is not None:
        seated = {table.players(number) for number in (TOTALS, *table.hands)}
    by_sentence: dict[str, Problem] = {}
    for players in dict.fromkeys(hand.players for hand in sheet.hands):
        seats = [None if player == NOBODY else player for player in players]
        people = [player for player in players if player != NOBODY]
        is_twice_at_table = len(set(people)) < len(people)  # asked as such
        if players in seated or is_twice_at_table:
            continue
        for problem in groups.split(ruled.rules, seats, names):
            by_sentence[sentence(problem)] = problem
    spot = sheet.spot()
    offer = {
        "text": gettext("seat them as written"),
        ALIKE: alike.AS_WRITTEN,
        "cells": {str(line): {"sides": AS_WRITTEN} for line in sheet.lines},
    }
    return [
        Finding(
            problem.code,
            ASK,
            spot,
            f"{spot.place}: {text}",
            str(problem.facts.get("names") or problem.facts["pair"]),
            gettext("one pair on each side"),
            offers=(offer,),
            problem=problem,
        )
        for text, problem in by_sentence.items()
    ]


def hand_moved(sheet: TypedSheet, hand: SheetHand, moved: Hand) -> Finding:
    table = moved.game.table
    return finding(
        "hand_moved_away",
        sheet.spot(hand),
        found=table.code,
        to_round=table.round.number,
        to_table=table.number,
        number=moved.number,
    )


def hand_exists(sheet: TypedSheet, hand: SheetHand, table: ExistingTable, names: Names) -> Finding:
    spot = sheet.spot(hand)
    sat = table.players(hand.number)
    if sat != hand.players and NOBODY not in hand.players:
        return _players_disagree(sheet, hand, sat, spot, names)
    file_text, event_text = _different_words(sheet, hand, table)
    offer: JsonDict = {"entry": hand.entry, "hands": hand.hands}
    if hand.board is not None:
        offer["board"] = hand.board
    if sat == table.players(max(hand.number, 1)):  # as a revision compares them
        offer["players"] = list(hand.players)
    problem = finding("hand_exists", spot, found=file_text, expected=event_text)
    return replace(problem, offers=(offer,))


def is_of_others(sheet: TypedSheet, table: ExistingTable) -> bool:
    """Whether nobody of a sheet sat at its table, where others did."""
    people = {player for seats in sheet.sat.values() for player in seats} - {NOBODY}
    seated = {player for _, player, _, _ in table.runs}
    return bool(people and seated) and not people & seated


def other_people(sheet: TypedSheet, table: ExistingTable, names: Names) -> Finding:
    """Return that others sat at the table of a sheet: once, whatever hands it has."""
    hand = sheet.hands[0]
    sat = table.players(hand.number)
    if table.seats != sheet.seats or NOBODY in sat:
        sat = table.players(min(table.hands))
    return _players_disagree(sheet, hand, sat, sheet.spot(), names)


def _players_disagree(
    sheet: TypedSheet, hand: SheetHand, sat: Sequence[int], spot: Spot, names: Names
) -> Finding:
    seats = zip(sheet.names, hand.players, sat, strict=False)
    odd = [(label, file, event) for label, file, event in seats if file != event]
    file_people = []
    event_people = []
    for label, in_file, in_event in odd:
        # A file without seats has the names of its players there, which would stand twice.
        seat = "" if sheet.labels else f"{label} "
        file_people.append(f"{seat}{names(in_file)}")
        event_people.append(f"{seat}{names(in_event) if in_event else 'nobody'}")
    file_text = ", ".join(file_people)
    event_text = ", ".join(event_people)
    return finding("players_disagree", spot, found=file_text, expected=event_text)


def _different_words(sheet: TypedSheet, hand: SheetHand, table: ExistingTable) -> tuple[str, str]:
    stored_hand = table.hands[hand.number]
    teams = rules_of(table.game.snapshot).keys.teams
    names = sheet.names
    sides = teams.shape if teams.mode == "pooled" else ()
    file_words, event_words = different_words(
        hand.entry, stored_entry(stored_hand)[0], names, sides
    )
    if hand.hands is not None and hand.hands != stored_hand.hands and hand.number == TOTALS:
        file_words.append(_hands_words(hand.hands))
        event_words.append(_hands_words(stored_hand.hands))
    board = stored_hand.board.number if stored_hand.board is not None else None
    if hand.board not in (None, board):
        file_words.append(gettext("board %(n)s") % {"n": hand.board})
        event_words.append(gettext("board %(n)s") % {"n": board or "–"})
    if not file_words and not event_words:
        file_words = event_words = entry_words(hand.entry, names, sides)
    state = {"void": gettext("deleted"), "disputed": gettext("disputed")}.get(stored_hand.state)
    of_state = f" ({state})" if state else ""
    return ", ".join(file_words) or "–", (", ".join(event_words) or "–") + of_state


def _hands_words(number: int | None) -> str:
    if number is None:
        return gettext("number of hands unknown")
    return ngettext("%(n)s hand", "%(n)s hands", number) % {"n": number}


def _clashes(sheet: TypedSheet, elsewhere: Elsewhere, names: Names) -> list[Finding]:
    findings = []
    players = {player for seats in sheet.sat.values() for player in seats} - {NOBODY}
    for player in sorted(players):
        other_tables = elsewhere.get((sheet.round, player), set()) - {sheet.table}
        if other_tables:
            lines = [
                line
                for hand in sheet.hands
                for line, seated in zip(hand.seat_lines, hand.players, strict=True)
                if seated == player
            ]
            spot = Spot(tuple(sorted(set(lines))) or sheet.lines, sheet.round)
            tables = " and ".join(str(number) for number in sorted({*other_tables, sheet.table}))
            findings.append(
                finding("player_at_two_tables", spot, found=names(player), expected=tables)
            )
    return findings


def sheet_notes(
    sheet: TypedSheet, event_hands: Mapping[int, tuple[int, ...]], names: Names
) -> list[Finding]:
    """Return notes on a sheet; `event_hands` has the players of the hands that the event has."""
    sat = {**sheet.sat, **event_hands}
    numbers = sorted(sat)
    gaps = numbers[:1] != [1] or numbers[-1] != len(numbers)
    findings = _gaps(sheet, numbers) if gaps else []
    first, *rest = sat.values()
    if any(players != first for players in rest):
        findings.extend(_changes(sheet, sat, sheet.sat.keys() - event_hands.keys(), names))
    return findings


def _lines(sheet: TypedSheet, number: int) -> tuple[int, ...]:
    lines = [hand.lines for hand in sheet.hands if hand.number == number]
    if not lines:
        return sheet.lines
    return lines[0]


def _gaps(sheet: TypedSheet, numbers: Sequence[int]) -> list[Finding]:
    findings = []
    for before, number in zip([0, *numbers], numbers, strict=False):
        if number > before + 1 and number in sheet.sat:
            spot = Spot(_lines(sheet, number), sheet.round, sheet.table, number)
            after = str(before) if before else "none"
            findings.append(finding("hand_jump", spot, found=str(number), expected=after))
    return findings


def _changes(
    sheet: TypedSheet, sat: Mapping[int, tuple[int, ...]], new_hands: Collection[int], names: Names
) -> list[Finding]:
    findings = []
    labels = sheet.names
    before: dict[int, int] = {}
    for number in sorted(sat):
        seated = {seat: player for seat, player in enumerate(sat[number]) if player != NOBODY}
        for seat, player in seated.items():
            if number in new_hands and before.get(seat, player) != player:
                spot = Spot(_lines(sheet, number), sheet.round, sheet.table, number)
                facts = {"found": names(player), "expected": names(before[seat])}
                findings.append(finding("player_changes", spot, seat=labels[seat], **facts))
        before |= seated
    return findings
