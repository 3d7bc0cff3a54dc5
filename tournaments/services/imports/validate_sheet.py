"""Check a typed sheet and its boards: which hands can stand, and what is wrong with the others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from django.db import connection
from django.utils.translation import gettext

from scoring.budget import Budget
from scoring.entry.hand_reader import require_seats
from scoring.errors import Problem, Refused, with_minus_signs
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.import_report import Finding, Offer, Spot, finding, from_problem
from tournaments.domain.imports.imported_sheets import NOBODY, TypedHand, TypedSheet
from tournaments.domain.replay_game import (
    TOTALS,
    HandRefused,
    PlayedHand,
    Replay,
    of_a_hand,
    of_a_row,
    replay,
)
from tournaments.models.deals import Board, DealPrinting
from tournaments.models.events import Event
from tournaments.models.hands import Hand, HandState
from tournaments.models.meetings import Sitting
from tournaments.services.hands.apply_game import moon_json
from tournaments.services.hands.board_of_hand import (
    is_table_for_boards,
    known_boards,
    place_problems,
)
from tournaments.services.rounds.seating import table_code

Names = Callable[[int], str]


@dataclass(slots=True)
class FileBoards:
    """The boards of an event and who has played them; empty if it has none.

    Attributes:
        rows: number of a board → its row.
    """

    is_needed: bool = False
    rows: dict[int, int] = field(default_factory=dict)
    _boards: dict[int, Board] = field(default_factory=dict)
    _at_table: dict[tuple[int, str], int] = field(default_factory=dict)
    _by_player: dict[tuple[int, int], str] = field(default_factory=dict)
    _printed: frozenset[tuple[int, int]] = frozenset()

    def read(self, event: Event | None, *, is_locking: bool) -> None:
        """Read the boards of an event, and which hands were played with them.

        Earlier hands of the file itself stay noted.

        Args:
            is_locking: whether the rows of the boards are locked, after those of games.
        """
        self.is_needed = event is not None and settings_of(event).duplicate
        if event is None or not self.is_needed:
            return
        boards = Board.objects.filter(event=event).select_related("deal").order_by("pk")
        if is_locking and connection.features.has_select_for_update:
            boards = boards.select_for_update(of=("self",), no_key=True)
        self._boards = {board.number: board for board in boards}
        self.rows = {board.number: board.pk for board in self._boards.values()}
        self._read_played(event)
        printings = DealPrinting.objects.filter(
            deal__event=event, printed_by__club_players__club=event.club_id
        )
        pairs = printings.values_list("deal_id", "printed_by__club_players")
        self._printed = frozenset(pairs.distinct())

    def checked(
        self, sheet: TypedSheet, hands: Sequence[TypedHand], rules: Rules, names: Names
    ) -> tuple[list[TypedHand], list[Finding]]:
        """Return new hands of a sheet, held if their boards do not fit, and the problems."""
        if not self.is_needed:
            return list(hands), []
        checked_hands, findings = [], []
        for hand in hands:
            problems = list(self._problems(sheet, hand, rules, names))
            spot = Spot(hand.lines, sheet.round, sheet.table, hand.number)
            findings += [from_problem(problem, spot) for problem in problems]
            checked_hands.append(replace(hand, is_held=True) if problems else hand)
            if not problems:
                self._note(table_code(sheet.round, sheet.table), hand)
        return checked_hands, findings

    def _read_played(self, event: Event) -> None:
        hands = Hand.objects.filter(game__event=event, game__counts=True, board__isnull=False)
        played = list(
            hands.exclude(state=HandState.VOID)
            .order_by("game__table__round__number", "game__table__number", "number")
            .values_list("board__number", "number", "game__table_id", "game__table__code")
        )
        sat: dict[int, list[tuple[int, int, int | None]]] = {}
        sittings = Sitting.objects.filter(seat__table__in={table for _, _, table, _ in played})
        for at, player, first, last in sittings.values_list(
            "seat__table_id", "player_id", "from_hand", "to_hand"
        ):
            sat.setdefault(at, []).append((player, first, last))
        for board, number, table, code in played:
            self._at_table.setdefault((board, code), number)
            for player, first, last in sat.get(table, ()):
                if first <= number and (last is None or number <= last):
                    self._by_player.setdefault((board, player), code)

    def _note(self, code: str, hand: TypedHand) -> None:
        board = hand.board or 0
        self._at_table.setdefault((board, code), hand.number)
        for player in hand.players:
            if player != NOBODY:
                self._by_player.setdefault((board, player), code)

    def _problems(
        self, sheet: TypedSheet, hand: TypedHand, rules: Rules, names: Names
    ) -> Iterator[Problem]:
        if hand.number == TOTALS:
            yield Problem("totals_without_boards")
            return
        if hand.board is None:
            yield Problem("board_needed", ("board",))
            return
        board = self._boards.get(hand.board)
        if board is None:
            facts: dict[str, int | str] = {
                "found": hand.board,
                "known": known_boards(sorted(self._boards)),
            }
            yield Problem("no_such_board", ("board",), facts)
            return
        if not is_table_for_boards(rules, sheet.seats):
            yield Problem("board_not_for_table", ("board",), {"found": sheet.seats})
        yield from place_problems(sheet.round, sheet.table, board)
        yield from self._repeated(table_code(sheet.round, sheet.table), hand, board, names)
        informed = next(
            (player for player in hand.players if (board.deal_id, player) in self._printed), None
        )
        if informed is not None:
            facts = {"board": board.number, "player": names(informed)}
            yield Problem("board_known_to_player", ("board",), facts)

    def _repeated(
        self, code: str, hand: TypedHand, board: Board, names: Names
    ) -> Iterator[Problem]:
        """Yield a problem if this table, or one of its players elsewhere, played the board."""
        played_as = self._at_table.get((board.number, code), hand.number)
        if played_as != hand.number:
            facts: dict[str, int | str] = {"board": board.number, "hand": played_as}
            yield Problem("board_played_at_table", ("board",), facts)
            return
        for player in hand.players:
            table = self._by_player.get((board.number, player), code)
            if table != code:
                facts = {"board": board.number, "player": names(player), "table": table}
                yield Problem("board_played_by_player", ("board",), facts)
                return


WAYS: Final = {"self": "taken off that seat", "others": "added to the others"}
"""The choice of a moon, in words."""

NUMBERS_OF_A_SEAT: Final = frozenset({"hearts", "tricks", "trick_points", "points"})
MOST_OFFERED: Final = 6
"""So many corrections of one hand are offered for a file."""

Before = Sequence[tuple[int, Mapping[str, object]]]


@dataclass(frozen=True, slots=True)
class ValidatedSheet:
    """A sheet's hands that can stand, with the whole game as played with them; and the findings."""

    accepted: tuple[TypedHand, ...]
    played: Replay | None
    findings: tuple[Finding, ...]


def validate_sheet(
    sheet: TypedSheet,
    rules: Rules,
    *,
    before: Before = (),
    chips: int = 0,
    open_ended: bool = True,
    budget: Budget | None = None,
) -> ValidatedSheet:
    """Judge the hands of a sheet.

    Args:
        before: (number, entry) of the hands that the game has already.
        chips: what each seat begins with where the rules play for chips.
        open_ended: the end condition is not applied.
        budget: that of the whole file; each of its hands has its own within. Without one each has
            that of a typed hand.

    Returns:
        The hands that may go in; held ones are checked, but not among them.
    """
    try:
        ready = prepare(rules, require_seats(rules, sheet.seats))
    except Refused as refused:
        spot = Spot(sheet.lines, sheet.round, sheet.table)
        return ValidatedSheet((), None, (from_problem(refused.problems[0], spot),))
    names = sheet.names
    findings: list[Finding] = []
    for hand in sheet.hands:
        if hand.is_held:
            refused_alone = _alone(rules, sheet, hand, budget)
            findings.extend(_refusals(sheet, hand, refused_alone, names))
    accepted = [hand for hand in sheet.hands if not hand.is_held]
    if _mixes_totals(accepted, before):
        alone = (Problem("totals_alone"),)
        return ValidatedSheet(
            (),
            None,
            (*findings, *(f for hand in accepted for f in _refusals(sheet, hand, alone, names))),
        )
    while True:
        hands = sorted([*before, *((hand.number, hand.entry) for hand in accepted)], key=_number)
        try:
            played = replay(
                rules, sheet.seats, hands, chips=chips, open_ended=open_ended,
                new={hand.number: _of_a_row(budget) for hand in accepted},
                hands_of_totals=next((hand.hands for hand in accepted), None),
            )  # fmt: skip
        except HandRefused as refused_hand:
            wrong_hand = next((h for h in accepted if h.number == refused_hand.number), None)
            if wrong_hand is None:
                raise
            findings.extend(_refusals(sheet, wrong_hand, refused_hand.problems, names))
            accepted.remove(wrong_hand)
            continue
        wrong = _wrong_marks(sheet, accepted, ready, played)
        if not wrong:
            break
        findings.extend(mismatch for _, mismatch in wrong)
        accepted = [hand for hand in accepted if hand not in [bad for bad, _ in wrong]]
    findings.extend(_silent_moons(sheet, accepted, played))
    return ValidatedSheet(tuple(accepted), played, tuple(findings))


def _mixes_totals(accepted: Sequence[TypedHand], before: Before) -> bool:
    """Whether a sheet with totals only would not be alone in its game."""
    numbers = [number for number, _ in before] + [hand.number for hand in accepted]
    return TOTALS in numbers and len(numbers) > 1 and bool(accepted)


def _of_a_row(file: Budget | None) -> Budget:
    return of_a_hand() if file is None else of_a_row(file)


def _number(hand: tuple[int, object]) -> int:
    return hand[0]


def _alone(
    rules: Rules, sheet: TypedSheet, hand: TypedHand, budget: Budget | None
) -> Sequence[Problem]:
    """Return what the scorer would refuse in a hand, were it the first of its game."""
    try:
        number = min(hand.number, 1)  # totals are judged as totals
        paid = {number: _of_a_row(budget)}
        replay(
            rules, sheet.seats, [(number, hand.entry)], open_ended=True, new=paid,
            hands_of_totals=hand.hands,
        )  # fmt: skip
    except HandRefused as refused:
        return refused.problems
    return ()


def _spot(sheet: TypedSheet, lines: tuple[int, ...], number: int) -> Spot:
    return Spot(lines, sheet.round, sheet.table, number)


def _refusals(
    sheet: TypedSheet, hand: TypedHand, problems: Sequence[Problem], names: Sequence[str]
) -> list[Finding]:
    """Return a finding for each mistake; a mark on the wrong hand is one mistake, not two."""
    codes = {problem.code for problem in problems}
    doubled = {"choice_forbidden"} if "wrong_shooter" in codes else set()
    return [
        replace(
            from_problem(problem, _spot(sheet, _lines(hand, problem), hand.number), names),
            offers=(*_settlements(hand, problem, names), *_corrections(hand, problem, names)),
        )
        for problem in problems
        if problem.code not in doubled
    ]


def _settlements(hand: TypedHand, problem: Problem, names: Sequence[str]) -> tuple[Offer, ...]:
    """Return the legal settlements of a moon as the cells that say so."""
    offers: list[Offer] = []
    for suggestion in problem.suggestions:
        by, choice = suggestion.facts.get("by"), suggestion.facts.get("choice")
        if suggestion.code != "settle" or not choice or not by or len(by) != 1:
            continue
        text = f"{names[by[0]]}: {WAYS[str(choice)]}"
        if hand.columns:
            scores = suggestion.facts["scores"] if "points" in hand.entry else ()
            put = _in_one_line(hand, by[0], str(choice), scores)
            offers.append({"text": text, "cells": put})
            continue
        cells: dict[str, dict[str, str]] = {str(line): {} for line in hand.seat_lines}
        if "points" in hand.entry:
            for line, score in zip(hand.seat_lines, suggestion.facts["scores"], strict=True):
                cells[str(line)] = {"points": str(score)}
        cells[str(hand.seat_lines[by[0]])]["moon"] = str(choice)
        offers.append({"text": text, "cells": {at: put for at, put in cells.items() if put}})
    return tuple(offers)


def _corrections(hand: TypedHand, problem: Problem, names: Sequence[str]) -> tuple[Offer, ...]:
    """Return the corrections that the scorer has tried as the cells that they change.

    Only numbers of a seat's own line, which every file has in one way: hearts, tricks, points.
    """
    offers: list[Offer] = []
    for suggestion in problem.suggestions:
        changes = suggestion.facts.get("changes", ())
        if suggestion.code != "correction" or hand.columns or len(hand.seat_lines) < len(names):
            continue
        are_numbers = all(change["what"] in NUMBERS_OF_A_SEAT for change in changes)
        points = hand.entry.get("points")
        is_by_side = isinstance(points, list) and len(points) != len(names)
        if not are_numbers or is_by_side:
            continue
        cells: dict[str, dict[str, str]] = {}
        words = []
        for change in changes:
            seat, to = int(change["place"]), str(change["to"])
            cells.setdefault(str(hand.seat_lines[seat]), {})[change["what"]] = to
            facts = {
                "name": names[seat],
                "to": to,
                "found": change["found"],
                "what": change["what"],
            }
            words.append(
                with_minus_signs(
                    gettext("{name}: {to} instead of {found} ({what})").format_map(facts)
                )
            )
        offers.append({"text": ", ".join(words), "cells": cells})
    return tuple(offers[:MOST_OFFERED])


def _in_one_line(
    hand: TypedHand, shooter: int, choice: str, scores: Sequence[object]
) -> dict[str, dict[str, str]]:
    """Return the cells of a settlement where a hand is one line; `@` is a column of a player."""
    put = {f"@{head}": str(score) for head, score in zip(hand.columns, scores, strict=False)}
    return {
        str(hand.lines[0]): {**put, "moon": hand.columns[shooter], "moon_choice": choice},
    }


def _lines(hand: TypedHand, problem: Problem) -> tuple[int, ...]:
    """Return the line of a cell that cannot be read; what cannot be true concerns all lines."""
    match problem.at:
        case (str(key), int(seat)) if problem.code == "bad_count":
            values = hand.entry.get(key)
            if isinstance(values, list) and isinstance(values[seat], str):
                return (hand.seat_lines[seat],)
    return hand.lines


def _moons(accepted: Sequence[TypedHand], played: Replay) -> list[tuple[TypedHand, PlayedHand]]:
    by_number = {hand.number: hand for hand in accepted}
    return [
        (by_number[played_hand.number], played_hand)
        for played_hand in played.hands
        if played_hand.score.moon is not None and played_hand.number in by_number
    ]


def _wrong_marks(
    sheet: TypedSheet,
    accepted: Sequence[TypedHand],
    ready: Prepared,
    played: Replay,
) -> list[tuple[TypedHand, Finding]]:
    """Return the hands whose mark states another amount than the rules."""
    wrong = []
    for hand, played_hand in _moons(accepted, played):
        if hand.mark is None or hand.mark.amount is None or played_hand.score.moon is None:
            continue
        expected = _amount(ready, played_hand.score.moon.id, hand.mark.choice)
        if expected is not None and expected != hand.mark.amount:
            mismatch = finding(
                "moon_amount",
                _spot(sheet, hand.lines, hand.number),
                found=hand.mark.text,
                expected=str(expected),
            )
            wrong.append((hand, mismatch))
    return wrong


def _amount(ready: Prepared, moon: str, choice: str | None) -> object:
    for slam in ready.slams:
        if slam.slam.id == moon:
            return slam.self_amount if choice == "self" else slam.others_amount
    return None


def _silent_moons(
    sheet: TypedSheet, accepted: Sequence[TypedHand], played: Replay
) -> list[Finding]:
    return [
        note
        for hand, played_hand in _moons(accepted, played)
        for note in unmarked_moon(sheet, hand, moon_json(played_hand))
    ]


def unmarked_moon(
    sheet: TypedSheet, hand: TypedHand, moon: Mapping[str, object] | None
) -> list[Finding]:
    """Return a note for a moon (as stored) that only the points of a sheet tell."""
    cards_tell = {"hearts", "taken"} & set(hand.entry) and "points" not in hand.entry
    if moon is None or hand.mark is not None or cards_tell:
        return []
    names = sheet.names
    by = moon["by"]
    shooters = [names[seat - 1] for seat in by] if isinstance(by, list) else []
    return [
        finding(
            "moon_mark_missing",
            _spot(sheet, hand.lines, hand.number),
            found=" and ".join(shooters),
            expected=WAYS.get(str(moon["choice"]), "as the points say"),
        )
    ]
