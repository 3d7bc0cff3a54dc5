"""Enter the sheets of one request: read like the rows of a file, stored in one transaction."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Final

from scoring.entry.hand_reader import read_entry
from scoring.errors import SENTENCES as OF_THE_SCORER
from scoring.errors import Problem, Refused, listed
from scoring.game.running_totals import find_slips, hands_in, unclear_lines
from scoring.rules.rules import Rules
from tournaments.domain.imports.import_report import SENTENCES as OF_FILES
from tournaments.domain.imports.import_report import Finding
from tournaments.domain.imports.imported_sheets import (
    NOBODY,
    SentHand,
    SentSheet,
    SheetHand,
    SheetResult,
    SheetRules,
    TypedSheet,
    all_problems,
)
from tournaments.domain.sentences import hands, requests
from tournaments.errors import Conflict, Missing, problems_of
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch
from tournaments.selectors.hands.score_sheet import get_game
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.hands.check_entry import ADDITIONAL
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.imports.existing_tables import (
    Key,
    existing_rounds,
    hidden_rounds,
    seated_players,
)
from tournaments.services.imports.run import SheetImport
from tournaments.services.imports.targets import RuleBook, Target
from tournaments.services.operations import Operation, operation
from tournaments.services.rounds.seating import table_code

NAME = "sheets.json"
"""The name of an import whose sheets came in a request."""

MOST_READINGS: Final = 3
"""Ways to read a hand that a message names."""

REFUSALS: Final = (
    *(*OF_THE_SCORER, *OF_FILES, *requests.REQUESTS, *requests.IMPORTS),
    *(*hands.HANDS, *hands.SEATS, *hands.ROUNDS, *hands.DUPLICATE),
)
"""Error codes of the sheets of a request: their form, places and hands."""

_Keys = tuple[int, ...]
"""The players at a table, clockwise; `NOBODY` where it cannot be read who."""

_PLACES: Mapping[str, tuple[str | int, ...]] = {
    "player_at_two_tables": ("players",),
    "hand_exists": ("number",),
    "hand_moved_away": ("number",),
    "dates_disagree": ("date",),
    "evening_cancelled": ("date",),
    "players_disagree": ("players",),
    "table_abandoned": ("table",),
    "round_of_a_playoff": ("round",),
    "round_is_draft": ("round",),
}


@operation("import_sheets", refuses=REFUSALS)
def enter_sheets(
    op: Operation,
    event: Event,
    /,
    *,
    target: Target,
    sheets: Sequence[SentSheet],
    digest: str,
    is_all: bool,
    name: str = NAME,
    cancelled_evenings: bool = False,
) -> tuple[int | None, int, Sequence[SheetResult]]:
    """Enter the sheets of an evening; missing meetings, rounds and tables are created.

    With the mode `all` every hand is entered (201) or none (422, with a pointer to each problem).
    With `each` the answer is 200 with the status of each sheet and hand: a refused hand does not
    keep out the others of its sheet. The sheets form one import. Games that get hands are complete,
    and a round whose tables are all complete is closed, unless one of its hands was refused. A hand
    that the event has with the same content is not entered again. More than 200 sheets or 2,000
    hands are refused (413). A sheet of a cancelled evening is refused (`evening_cancelled`), unless
    `cancelled_evenings` says that it was played all the same.
    """
    # It returns the number of the import called `name` (None where nothing is new), how many hands
    # are new with it, and the outcome of each sheet.
    if any(hand.additional for sheet in sheets for hand in sheet.hands):
        op.require(ADDITIONAL, event)
    if any(hand.disputed is not None for sheet in sheets for hand in sheet.hands):
        op.require(file_disputed.right, event)
    reading = _Reading(op, target, event, sheets, name)
    typed_sheets = reading.typed_sheets()
    batch = None
    n_added = 0
    if typed_sheets:
        batch, running, findings = _store(
            reading, typed_sheets, digest, is_all, takes_cancelled=cancelled_evenings
        )
        n_added = running.n_added
        reading.add_findings(findings)
        reading.note_existing(running.already)
    if not is_all or all(result.is_entered for result in reading.results):
        n_added += reading.file_disputed()
    if is_all and not all(result.is_entered for result in reading.results):
        raise Refused(*all_problems(reading.results))
    return batch.number if batch is not None else None, n_added, reading.results


def _store(
    reading: "_Reading",
    sheets: Sequence[TypedSheet],
    digest: str,
    is_all: bool,
    *,
    takes_cancelled: bool,
) -> tuple[ImportBatch | None, SheetImport, list[Finding]]:
    """Store the hands that can stand; rounds stay open of which something was refused."""
    event = reading.event
    outcomes = zip(reading.sheets, reading.results, strict=True)
    refused_sheets = [sheet for sheet, result in outcomes if not result.is_entered]
    running = SheetImport(
        op=reading.op,
        event=event,
        rules_for=reading.rules_for,
        file_name=reading.name,
        digest=digest,
        writing=not (is_all and refused_sheets),
        names=reading.people.name_of,
        file_rounds={sheet.round for sheet in sheets},
        takes_cancelled=takes_cancelled,
    )
    if running.writing:  # at the end rounds are closed, and no game is locked after a sum
        lock_event(event)
        lock_games(Game.objects.filter(event=event, table__round__number__in=running.file_rounds))
    findings = [finding for finding in running.take(sheets) if finding.waits]
    if is_all and (findings or refused_sheets):  # the caller refuses all
        return None, running, findings
    unfinished = {finding.spot.round for finding in findings}
    unfinished |= {sheet.round for sheet in refused_sheets}
    hands = sum(len(sheet.hands) for sheet in sheets)
    batch = running.finish(
        findings=(),
        rows=hands,
        hands=hands,
        unfinished={number for number in running.touched if number in unfinished},
    )
    return batch, running, findings


@dataclass
class _Reading:
    """The sheets of one request while they are being read.

    Each sheet is line `index + 1` for the services, so their findings name the sheet.
    """

    op: Operation
    target: Target
    event: Event
    sheets: Sequence[SentSheet]
    name: str

    def __post_init__(self) -> None:
        event = self.event
        self.people = self.target.people()
        self.rules_for = RuleBook(event.variant, event.options, offered=self.target.offered())
        self.results = [SheetResult(list(sheet.problems)) for sheet in self.sheets]
        self._at: dict[Key, int] = {}

    @cached_property
    def _seated(self) -> Mapping[Key, _Keys]:
        return seated_players(self.event, hidden_rounds(self.op.actor, self.event))

    def typed_sheets(self) -> list[TypedSheet]:
        """Return the sheets that can be judged; all hands of those with problems are held."""
        self._compare_keys()
        self._compare_days()
        seated = [self._people_of(index) for index in range(len(self.sheets))]
        self._compare_people(seated)
        typed = []
        for index, sheet in enumerate(self.sheets):
            self._read_numbers(index)
            ruled = self._find_rules(index)
            if ruled is not None and (read := self._typed(index, sheet, seated[index], ruled)):
                typed.append(read)
        return typed

    def add_findings(self, findings: Sequence[Finding]) -> None:
        had_problems = [bool(result.problems) for result in self.results]
        for finding in findings:
            spot = finding.spot
            index = self._at.get((spot.round or 0, spot.table or 0), spot.lines[0] - 1)
            if had_problems[index] and finding.code in ("hand_exists", "players_disagree"):
                continue  # nobody knows yet who sat there
            self._add(index, self._place(index, spot.hand), _problem_of(finding))

    def note_existing(self, places: Collection[tuple[int, int, int]]) -> None:
        for round_, table, number in places:
            index = self._at[round_, table]
            place = self._place(index, number)
            if place is not None:
                self.results[index].existing.add(place)

    def file_disputed(self) -> int:
        """Store the hands that are sent as disputed at their tables; return how many are new."""
        n_new = 0
        for sheet, result in zip(self.sheets, self.results, strict=True):
            for place, hand in enumerate(sheet.hands):
                if hand.disputed is None or result.problems or place in result.by_hand:
                    continue
                try:
                    is_new = self._file(sheet, hand, hand.disputed)
                except (Refused, Conflict, Missing) as refusal:
                    result.by_hand[place] = [*map(_in_hand, problems_of(refusal))]
                    continue
                n_new += is_new
                result.existing |= set() if is_new else {place}
        return n_new

    def _file(self, sheet: SentSheet, hand: SentHand, reason: str) -> bool:
        game = get_game(self.event, table_code(sheet.round or 0, sheet.table or 0))
        number = hand.number or 0
        entry = hand.entry if isinstance(hand.entry, dict) else {}
        stored = Hand.objects.filter(game=game, number=number, state="disputed")
        if entry in stored.values_list("entry__typed", flat=True):
            return False
        file_disputed(self.op, game, number=number, entry=entry, key=None, reason=reason)
        return True

    def _add(self, index: int, place: int | None, problem: Problem) -> None:
        result = self.results[index]
        if place is None:
            result.problems.append(problem)
        else:
            result.by_hand.setdefault(place, []).append(problem)

    def _place(self, index: int, number: int | None) -> int | None:
        numbers = [hand.number for hand in self.sheets[index].hands]
        if number is not None and number in numbers:
            return numbers.index(number)
        return None

    def _compare_keys(self) -> None:
        counted = Counter((sheet.round, sheet.table) for sheet in self.sheets)
        for index, sheet in enumerate(self.sheets):
            if sheet.round is None or sheet.table is None:
                continue
            self._at.setdefault((sheet.round, sheet.table), index)
            if counted[sheet.round, sheet.table] > 1:
                facts = {"table": sheet.table, "round": sheet.round}
                self._add(index, None, Problem("repeated_sheet", ("table",), facts))

    def _compare_days(self) -> None:
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
        if sheet.players is not None:
            return self._find_players(index, None, sheet.players)
        keys = self._seated.get((sheet.round or 0, sheet.table or 0), ())
        if not keys or NOBODY in keys:
            self._add(index, None, Problem("players_needed", ("players",)))
            return None
        return keys

    def _find_players(self, index: int, place: int | None, players: Sequence[str]) -> _Keys:
        """Return the keys of players by their ids or names; report unknown and repeated ones."""
        keys: list[int] = []
        for seat, text in enumerate(players):
            person = self.people.person(text, "") if self.people.has_id(text) else None
            person = person or self.people.person("", text)
            at = ("players", seat)
            key = person.member.key if person.member is not None else NOBODY
            if person.member is None:
                code = person.code if person.code == "ambiguous_name" else "unknown_player"
                facts = {"player": text, "like": person.expected or person.suggestion or ""}
                self._add(index, place, Problem(code, at, facts))
            elif key in keys:
                facts = {"player": person.member.name, "player_id": person.member.player_id}
                self._add(index, place, Problem("same_player_twice", at, facts))
                key = NOBODY
            keys.append(key)
        return tuple(keys)

    def _compare_people(self, seated: Sequence[_Keys | None]) -> None:
        tables: dict[tuple[int, int], list[int]] = {}
        for index, keys in enumerate(seated):
            for key in {*(keys or ())} - {NOBODY}:
                tables.setdefault((self.sheets[index].round or 0, key), []).append(index)
        for (_, key), indexes in tables.items():
            numbers = sorted({self.sheets[index].table or 0 for index in indexes})
            if len(numbers) < 2:
                continue
            facts = {"player": self.people.name_of(key), "tables": " and ".join(map(str, numbers))}
            for index in indexes:
                at = ("players", (seated[index] or ()).index(key))
                self._add(index, None, Problem("player_at_two_tables", at, facts))

    def _read_numbers(self, index: int) -> None:
        hands = self.sheets[index].hands
        counted = Counter(hand.number for hand in hands)
        for place, hand in enumerate(hands):
            problems = list(hand.problems)
            if hand.board is not None and not self.target.has_boards:
                problems.append(Problem("board_not_expected", ("board",), {"found": hand.board}))
            if hand.number is not None and counted[hand.number] > 1:
                problems.append(Problem("repeated_hand", ("number",), {"number": hand.number}))
            for problem in problems:
                self._add(index, place, problem)

    def _find_rules(self, index: int) -> SheetRules | None:
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
        sent = self._hands_of_totals(index, ruled.rules) if sheet.running else sheet.hands
        is_held = bool(self.results[index].problems)
        hands = []
        sat: dict[int, tuple[int, ...]] = {}
        for place, hand in enumerate(sent):
            keys = self._players_of(index, place, hand, seated)
            if hand.number is not None and hand.number not in sat:
                sat[hand.number] = keys
            if not isinstance(hand.entry, Mapping) and not hand.problems:
                for problem in read_entry(hand.entry, ruled.rules, len(seated)).problems:
                    self._add(index, place, _in_hand(problem))
            if place not in self.results[index].by_hand and hand.disputed is None:
                hands.append(_typed_hand(index, hand, keys, is_held))
        if not hands:
            return None
        hands.sort(key=lambda hand: hand.number)
        return TypedSheet(
            sheet.round,
            sheet.table,
            (index + 1,),
            sheet.day,
            ruled.name,
            len(seated),
            tuple(hands),
            dict(sorted(sat.items())),
        )

    def _hands_of_totals(self, index: int, rules: Rules) -> Sequence[SentHand]:
        """Return the hands of a sheet with running totals, each with its own points.

        A total that makes two hands impossible is reported, one that could come from other points,
        and a hand without whole points; then no hand is entered, as those after it have no points
        of their own.
        """
        hands = self.sheets[index].hands
        lines = {hand.number: _points_in(hand) for hand in hands}
        if None in lines or len(set(map(len, lines.values()))) > 1 or not all(lines.values()):
            for place, hand in enumerate(hands):
                if not _points_in(hand):
                    self._add(index, place, Problem("points_needed", ("entry", "points")))
            self._add(index, None, Problem("points_needed", ("hands",)))
            return hands
        numbers = sorted(number for number in lines if number is not None)
        totals = [lines[number] for number in numbers]
        for slip in find_slips(rules, totals):
            facts = {"found": totals[slip.line][slip.place], "expected": slip.likely}
            problem = Problem("running_total_wrong", ("entry", "points", slip.place), facts)
            self._add(index, self._place(index, numbers[slip.line]), problem)
        for unclear in unclear_lines(rules, totals):
            readings = [", ".join(map(str, points)) for points in unclear.readings[:MOST_READINGS]]
            sent_totals = listed(map(str, totals[unclear.line]))
            texts = {"found": sent_totals, "expected": " / ".join(readings)}
            problem = Problem("running_total_unclear", ("entry", "points"), texts)
            self._add(index, self._place(index, numbers[unclear.line]), problem)
        points = dict(zip(numbers, hands_in(rules, totals), strict=True))
        return [
            replace(hand, entry={"points": list(points[hand.number])}) if hand.number else hand
            for hand in hands
        ]

    def _players_of(self, index: int, place: int, hand: SentHand, seated: _Keys) -> tuple[int, ...]:
        """Return the players of a hand; those of the sheet if it names nobody."""
        if hand.players is None:
            return seated
        if len(hand.players) != len(seated):
            n = len(seated)
            facts = {"found": len(hand.players), "least": n, "most": n}
            self._add(index, place, Problem("seat_count", ("players",), facts))
            return seated
        return self._find_players(index, place, hand.players)


def _points_in(hand: SentHand) -> tuple[int, ...]:
    """Return the points of a hand if it has nothing else and they are whole numbers."""
    entry = hand.entry
    points = entry["points"] if isinstance(entry, dict) and entry.keys() == {"points"} else ()
    whole = isinstance(points, list) and all(type(each) is int for each in points)
    if not whole:
        return ()
    return tuple(points)


def _typed_hand(index: int, hand: SentHand, keys: tuple[int, ...], is_held: bool) -> SheetHand:
    if hand.number is None or not isinstance(hand.entry, dict):
        raise AssertionError("a hand without a number or an entry has problems")
    line = (index + 1,)
    return SheetHand(
        hand.number,
        line,
        line * len(keys),
        hand.entry,
        keys,
        None,
        is_held,
        board=hand.board,
        additional=hand.additional,
    )


def _problem_of(finding: Finding) -> Problem:
    spot, problem = finding.spot, finding.problem
    if problem is not None:
        if problem.code == "seat_count" and spot.hand is None:
            return replace(problem, at=("players",))
        if spot.hand is None:
            return problem
        return _in_hand(problem)
    facts: dict[str, str | int] = {"found": finding.found, "expected": finding.expected}
    if finding.code == "player_at_two_tables":
        facts = {"player": finding.found, "tables": finding.expected}
    elif finding.code == "hand_exists":
        facts |= {"number": spot.hand or 0}
    else:
        facts |= {"number": spot.table or 0, "round": spot.round or 0}
    return Problem(finding.code, _PLACES.get(finding.code, ()), facts)


def _in_hand(problem: Problem) -> Problem:
    """Return a problem of the scorer with a path that begins at the hand, not at its entry."""
    is_of_hand = problem.code not in OF_THE_SCORER or problem.at[:1] in (("players",), ("board",))
    if is_of_hand:
        return problem
    return replace(problem, at=("entry", *problem.at))
