"""Enter the sheets of one request: read like the rows of a file, stored in one transaction."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from scoring.entry.hand_reader import read_entry
from scoring.errors import SENTENCES as OF_THE_SCORER
from scoring.errors import Problem, Refused
from tournaments.documents.read.people import ClubPlayer, People
from tournaments.domain.imports.import_report import Finding
from tournaments.domain.imports.imported_sheets import NOBODY, SheetRules, TypedHand, TypedSheet
from tournaments.domain.imports.sent_sheets import (
    EnteredSheets,
    SentHand,
    SentSheet,
    SheetResult,
    all_problems,
)
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.policy import Actor
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.imports.existing_tables import Key, existing_rounds, seated_players
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.targets import RuleBook, Target

NAME = "sheets.json"
"""The name of an import whose sheets came in a request."""


@dataclass(frozen=True, slots=True)
class StoredSheets:
    """The batch and the number of the hands stored, and problems of the others.

    `existing` are (round, table, hand) that the event had already with the same content.
    """

    batch: int | None
    added: int
    findings: Sequence[Finding]
    existing: frozenset[tuple[int, int, int]]


class NotAllEntered(Exception):
    """Some hands cannot be entered, so none was; `findings` say why."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(len(findings))
        self.findings = findings


@atomic_act
def enter_typed_sheets(
    *,
    actor: Actor,
    event: Event,
    sheets: Sequence[TypedSheet],
    rules_for: RuleBook,
    names: Callable[[int], str],
    digest: str,
    is_all: bool,
    is_refused: bool,
    unfinished: Collection[int],
    now: datetime,
) -> StoredSheets:
    """Enter hands of some sheets; creates meetings, rounds and tables that are missing.

    Args:
        names: a player's key → name and id.
        digest: of the request; an interrupted import with the same digest continues.
        is_all: every hand is entered, or none.
        is_refused: the caller refused something already; with `is_all` nothing is stored then.
        unfinished: rounds that stay open, because the caller refused something of theirs.
    """
    running = SheetImport(
        actor=actor,
        event=event,
        rules_for=rules_for,
        file_name=NAME,
        digest=digest,
        now=now,
        write=not (is_all and is_refused),
        names=names,
        file_rounds={sheet.round for sheet in sheets},
    )
    if running.writing:  # at the end rounds are closed, and no game is locked after a sum
        lock_event(event)
        rounds = running.file_rounds
        lock_games(Game.objects.filter(event=event, table__round__number__in=rounds))
    findings = [finding for finding in running.take(sheets) if finding.waits]
    if is_all and (findings or is_refused):
        raise NotAllEntered(findings)
    open_ = {finding.spot.round for finding in findings if finding.spot.round is not None}
    hands = sum(len(sheet.hands) for sheet in sheets)
    batch = running.finish(
        findings=(), rows=hands, hands=hands, unfinished={*open_, *unfinished} & running.touched
    )
    return StoredSheets(
        batch.number if batch is not None else None,
        running.n_added,
        findings,
        frozenset(running.already),
    )


_Keys = tuple[int, ...]
"""The players at a table, clockwise; `NOBODY` where it cannot be read who."""


def enter_sheets(
    *,
    target: Target,
    event: Event,
    sheets: Sequence[SentSheet],
    digest: str,
    is_all: bool,
    now: datetime,
) -> EnteredSheets:
    """Enter the sheets of a request into an event.

    Args:
        target: the event's target; its actor may import into it.
        digest: of the request.
        is_all: every hand is entered, or none.
    """
    reading = _Reading(target, event, sheets)
    typed_sheets = reading.typed_sheets()
    results = reading.results
    refused_indexes = [index for index, result in enumerate(results) if not result.is_entered]
    rounds = [number for index in refused_indexes if (number := sheets[index].round) is not None]
    stored = StoredSheets(None, 0, (), frozenset())
    try:
        if typed_sheets:
            stored = enter_typed_sheets(
                actor=target.actor,
                event=event,
                sheets=typed_sheets,
                rules_for=reading.rules_for,
                names=reading.people.name_of,
                digest=digest,
                is_all=is_all,
                is_refused=bool(refused_indexes),
                unfinished=rounds,
                now=now,
            )
    except NotAllEntered as refused:
        reading.add_findings(refused.findings)
    else:
        reading.add_findings(stored.findings)
        reading.note_existing(stored.existing)
    if is_all and not all(result.is_entered for result in results):
        raise Refused(*all_problems(results))
    return EnteredSheets(stored.batch, stored.added, results)


@dataclass(slots=True)
class _Reading:
    """The sheets of one request while they are being read.

    Each sheet is line `index + 1` for the services, so their findings name the sheet.
    """

    target: Target
    event: Event
    sheets: Sequence[SentSheet]
    people: People = field(init=False)
    rules_for: RuleBook = field(init=False)
    results: list[SheetResult] = field(init=False)
    _at: dict[Key, int] = field(init=False, default_factory=dict)
    _seated: dict[Key, tuple[int, ...]] | None = None

    def __post_init__(self) -> None:
        event = self.event
        self.people = People([ClubPlayer(*row) for row in self.target.members()])
        self.rules_for = RuleBook(event.variant, event.options, offered=self.target.offered())
        self.results = [SheetResult(list(sheet.problems)) for sheet in self.sheets]

    def typed_sheets(self) -> list[TypedSheet]:
        """Return the sheets that can be judged; all hands of those with problems are held."""
        self._compare_keys()
        self._compare_days()
        seated = [self._people_of(index) for index in range(len(self.sheets))]
        self._compare_people(seated)
        typed = []
        for index, sheet in enumerate(self.sheets):
            self._read_numbers(index)
            ruled = self._ruled(index)
            typed_sheet = (
                self._typed(index, sheet, seated[index], ruled) if ruled is not None else None
            )
            if typed_sheet is not None:
                typed.append(typed_sheet)
        return typed

    def add_findings(self, findings: Sequence[Finding]) -> None:
        """Add the services' findings to their sheets and hands."""
        had_problems = [bool(result.problems) for result in self.results]
        for finding in findings:
            spot = finding.spot
            index = self._at.get((spot.round or 0, spot.table or 0))
            if index is None:
                index = spot.lines[0] - 1
            if had_problems[index] and finding.code in ("hand_exists", "players_disagree"):
                continue  # nobody knows yet who sat there
            self._add(index, self._place(index, spot.hand), _problem_of(finding))

    def note_existing(self, places: frozenset[tuple[int, int, int]]) -> None:
        """Note the hands that the event had already."""
        for round_, table, number in places:
            index = self._at[round_, table]
            place = self._place(index, number)
            if place is not None:
                self.results[index].existing.add(place)

    def _add(self, index: int, place: int | None, problem: Problem) -> None:
        result = self.results[index]
        if place is None:
            result.problems.append(problem)
        else:
            result.by_hand.setdefault(place, []).append(problem)

    def _place(self, index: int, number: int | None) -> int | None:
        hands = enumerate(self.sheets[index].hands)
        return next(
            (at for at, hand in hands if number is not None and hand.number == number), None
        )

    def _compare_keys(self) -> None:
        """Report sheets of the same table; each table has one sheet in a request."""
        counted = Counter((sheet.round, sheet.table) for sheet in self.sheets)
        for index, sheet in enumerate(self.sheets):
            if sheet.round is None or sheet.table is None:
                continue
            self._at.setdefault((sheet.round, sheet.table), index)
            if counted[sheet.round, sheet.table] > 1:
                facts = {"table": sheet.table, "round": sheet.round}
                self._add(index, None, Problem("repeated_sheet", ("table",), facts))

    def _compare_days(self) -> None:
        """Report sheets whose date is not that of the round's first sheet."""
        days: dict[int, date] = {}
        round_days = existing_rounds(self.event)
        for index, sheet in enumerate(self.sheets):
            if sheet.day is None or sheet.round is None or round_days.get(sheet.round) is not None:
                continue  # what the event has is compared by the services
            first = days.setdefault(sheet.round, sheet.day)
            if first != sheet.day:
                facts = {"found": sheet.day.isoformat(), "expected": first.isoformat()}
                self._add(index, None, Problem("dates_disagree", ("date",), facts))

    def _people_of(self, index: int) -> _Keys | None:
        sheet = self.sheets[index]
        if sheet.problems:
            return None
        if sheet.players is None:
            keys = self._seated_now((sheet.round or 0, sheet.table or 0))
            if not keys or NOBODY in keys:
                self._add(index, None, Problem("players_needed", ("players",)))
                return None
            return keys
        keys, problems = self._named(sheet.players)
        for problem in problems:
            self._add(index, None, problem)
        return keys

    def _seated_now(self, key: Key) -> tuple[int, ...]:
        if self._seated is None:
            self._seated = dict(seated_players(self.event))
        return self._seated.get(key, ())

    def _named(self, players: Sequence[str]) -> tuple[tuple[int, ...], list[Problem]]:
        """Return the keys of players by their ids or names; report unknown and repeated ones."""
        keys: list[int] = []
        problems = []
        for seat, text in enumerate(players):
            person = self.people.person(text, "") if self.people.has_id(text) else None
            person = person or self.people.person("", text)
            at = ("players", seat)
            key = person.member.key if person.member is not None else NOBODY
            if person.member is None:
                code = person.code if person.code == "ambiguous_name" else "unknown_player"
                facts = {"player": text, "like": person.expected or person.suggestion or ""}
                problems.append(Problem(code, at, facts))
            elif key in keys:
                facts = {"player": person.member.name, "player_id": person.member.player_id}
                problems.append(Problem("same_player_twice", at, facts))
                key = NOBODY
            keys.append(key)
        return tuple(keys), problems

    def _compare_people(self, seated: Sequence[_Keys | None]) -> None:
        """Report players at two tables of a round; both sheets wait."""
        tables: dict[tuple[int, int], list[int]] = {}
        for index, found in enumerate(seated):
            for key in {*(found or ())} - {NOBODY}:
                tables.setdefault((self.sheets[index].round or 0, key), []).append(index)
        for (_, key), indexes in tables.items():
            numbers = sorted({self.sheets[index].table or 0 for index in indexes})
            if len(numbers) < 2:
                continue
            facts = {"player": self.people.name_of(key), "tables": " and ".join(map(str, numbers))}
            for index in indexes:
                found = seated[index]
                at = ("players", found.index(key) if found is not None else 0)
                self._add(index, None, Problem("player_at_two_tables", at, facts))

    def _read_numbers(self, index: int) -> None:
        """Report the problems of each hand, and numbers that several hands have."""
        hands = self.sheets[index].hands
        counted = Counter(hand.number for hand in hands)
        for place, hand in enumerate(hands):
            for problem in hand.problems:
                self._add(index, place, problem)
            if hand.board is not None and not self.target.has_boards:
                board_problem = Problem("board_not_expected", ("board",), {"found": hand.board})
                self._add(index, place, board_problem)
            if hand.number is not None and counted[hand.number] > 1:
                facts = {"number": hand.number}
                self._add(index, place, Problem("repeated_hand", ("number",), facts))

    def _ruled(self, index: int) -> SheetRules | None:
        sheet = self.sheets[index]
        if sheet.problems:
            return None
        try:
            return self.rules_for(sheet.variant)
        except Refused as refused:
            for problem in refused.problems:
                self._add(index, None, replace(problem, at=("variant",)))
        return None

    def _typed(
        self, index: int, sheet: SentSheet, seated: _Keys | None, ruled: SheetRules
    ) -> TypedSheet | None:
        """Return a sheet for the services; None if none of its hands can be judged."""
        if seated is None or sheet.round is None or sheet.table is None:
            return None
        if self._at[sheet.round, sheet.table] != index:
            return None
        least, most = ruled.rules.keys.players
        if not least <= len(seated) <= most:
            facts = {"found": len(seated), "least": least, "most": most}
            self._add(index, None, Problem("seat_count", ("players",), facts))
            return None
        is_held = bool(self.results[index].problems)
        hands = []
        sat: dict[int, tuple[int, ...]] = {}
        for place, hand in enumerate(sheet.hands):
            keys = self._players_of(index, place, hand, seated)
            if hand.number is not None and hand.number not in sat:
                sat[hand.number] = keys
            self._judge_form(index, place, hand, ruled, len(seated))
            if place not in self.results[index].by_hand:
                hands.append(_typed_hand(index, hand, keys, is_held))
        if not hands:
            return None
        hands.sort(key=lambda hand: hand.number)
        return TypedSheet(
            sheet.round, sheet.table, (index + 1,), sheet.day, ruled.name, len(seated),
            tuple(hands), dict(sorted(sat.items())),
        )  # fmt: skip

    def _players_of(self, index: int, place: int, hand: SentHand, seated: _Keys) -> tuple[int, ...]:
        """Return the players of a hand; those of the sheet if it names nobody."""
        if hand.players is None:
            return seated
        if len(hand.players) != len(seated):
            n = len(seated)
            facts = {"found": len(hand.players), "least": n, "most": n}
            self._add(index, place, Problem("seat_count", ("players",), facts))
            return seated
        keys, problems = self._named(hand.players)
        for problem in problems:
            self._add(index, place, problem)
        return keys

    def _judge_form(
        self, index: int, place: int, hand: SentHand, ruled: SheetRules, seats: int
    ) -> None:
        """Report an entry that is not an object."""
        if not isinstance(hand.entry, Mapping) and not hand.problems:
            for problem in read_entry(hand.entry, ruled.rules, seats).problems:
                self._add(index, place, _in_hand(problem))


def _typed_hand(index: int, hand: SentHand, keys: tuple[int, ...], is_held: bool) -> TypedHand:
    if hand.number is None or not isinstance(hand.entry, dict):
        raise AssertionError("a hand without a number or an entry has problems")
    line = (index + 1,)
    return TypedHand(
        hand.number, line, line * len(keys), hand.entry, keys, None, is_held, board=hand.board
    )


def _problem_of(finding: Finding) -> Problem:
    """Return a finding of a sheet or a hand as a refusal of the request."""
    if finding.problem is not None:
        if finding.problem.code == "seat_count" and finding.spot.hand is None:
            return replace(finding.problem, at=("players",))
        return _in_hand(finding.problem) if finding.spot.hand is not None else finding.problem
    if finding.code == "player_at_two_tables":
        facts: dict[str, str | int] = {"player": finding.found, "tables": finding.expected}
        return Problem(finding.code, ("players",), facts)
    if finding.code == "hand_exists":
        facts = {
            "number": finding.spot.hand or 0,
            "found": finding.found,
            "expected": finding.expected,
        }
        return Problem(finding.code, ("number",), facts)
    facts = {"found": finding.found, "expected": finding.expected}
    facts |= {"number": finding.spot.table or 0, "round": finding.spot.round or 0}
    return Problem(finding.code, _PLACES.get(finding.code, ()), facts)


_PLACES: Mapping[str, tuple[str | int, ...]] = {
    "dates_disagree": ("date",),
    "players_disagree": ("players",),
    "table_abandoned": ("table",),
    "round_of_a_playoff": ("round",),
    "sheet_does_not_fit": (),
}


def _in_hand(problem: Problem) -> Problem:
    """Return a problem of the scorer with a path that begins at the hand, not at its entry."""
    is_of_hand = problem.code not in OF_THE_SCORER or problem.at[:1] in (("players",), ("board",))
    return problem if is_of_hand else replace(problem, at=("entry", *problem.at))
