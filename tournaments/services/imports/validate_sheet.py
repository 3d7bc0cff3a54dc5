"""Check a typed sheet and its boards: its valid hands, and the problems of the others."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from operator import itemgetter
from typing import Final

from django.utils.translation import gettext

from scoring.budget import Budget
from scoring.entry.codec import NUMBERS
from scoring.entry.hand_reader import require_seats
from scoring.errors import Problem, Refused, listed, with_minus_signs
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.alike import ALIKE, IS_RIGHT, SETTLED, WHOLE_NUMBER
from tournaments.domain.imports.import_report import (
    EVENING_CANCELLED,
    HANDS_REPEATED,
    Finding,
    Offer,
    Spot,
    finding,
    from_problem,
)
from tournaments.domain.imports.imported_sheets import NOBODY, SheetHand, TypedSheet
from tournaments.domain.repeated_hands import HandLine, repeated_hands
from tournaments.domain.replay_game import TOTALS, HandRefused, PlayedHand, Replay, of_a_row, replay
from tournaments.domain.seating_runs import has_hand
from tournaments.models.boards import Board, DealPrinting
from tournaments.models.events import Event
from tournaments.models.hands import Hand, HandState
from tournaments.models.rounds import Sitting
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
    """The boards of an event and who has played them; `rows` has the row of a board's number."""

    is_needed: bool = False
    rows: dict[int, int] = field(default_factory=dict)
    _boards: dict[int, Board] = field(default_factory=dict)
    _at_table: dict[tuple[int, str], int] = field(default_factory=dict)
    _by_player: dict[tuple[int, int], str] = field(default_factory=dict)
    _printed: frozenset[tuple[int, int]] = frozenset()

    def read(self, event: Event | None, *, is_locking: bool) -> None:
        """Read the boards of an event, locked after its games, and the hands played with them.

        Earlier hands of the file itself stay noted.
        """
        self.is_needed = event is not None and settings_of(event).duplicate
        if event is None or not self.is_needed:
            return
        boards = Board.objects.filter(event=event).select_related("deal").order_by("pk")
        if is_locking:
            boards = boards.select_for_update(of=("self",), no_key=True)
        self._boards = {board.number: board for board in boards}
        self.rows = {board.number: board.pk for board in self._boards.values()}
        self._read_hands(event)
        printings = DealPrinting.objects.filter(
            deal__event=event, printed_by__club_players__club=event.club_id
        )
        pairs = printings.values_list("deal_id", "printed_by__club_players")
        self._printed = frozenset(pairs.distinct())

    def checked(
        self, sheet: TypedSheet, hands: Sequence[SheetHand], rules: Rules, names: Names
    ) -> tuple[list[SheetHand], list[Finding]]:
        """Return new hands of a sheet, held if their boards do not fit, and the problems."""
        if not self.is_needed:
            return list(hands), []
        checked_hands, findings = [], []
        for hand in hands:
            problems = list(self._problems(sheet, hand, rules, names))
            findings += [from_problem(problem, sheet.spot(hand)) for problem in problems]
            checked_hands.append(replace(hand, is_held=True) if problems else hand)
            if not problems:
                code = table_code(sheet.round, sheet.table)
                board = hand.board or 0
                self._at_table.setdefault((board, code), hand.number)
                for player in {*hand.players} - {NOBODY}:
                    self._by_player.setdefault((board, player), code)
        return checked_hands, findings

    def _read_hands(self, event: Event) -> None:
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
                if has_hand(number, first, last):
                    self._by_player.setdefault((board, player), code)

    def _problems(
        self, sheet: TypedSheet, hand: SheetHand, rules: Rules, names: Names
    ) -> Iterator[Problem]:
        if hand.number == TOTALS:
            yield Problem("totals_without_boards")
            return
        if hand.board is None:
            yield Problem("board_needed", ("board",))
            return
        board = self._boards.get(hand.board)
        if board is None:
            facts = {"found": hand.board, "known": known_boards(sorted(self._boards))}
            yield Problem("no_such_board", ("board",), facts)
            return
        if not is_table_for_boards(rules, sheet.seats):
            yield Problem("board_not_for_table", ("board",), {"found": sheet.seats})
        yield from place_problems(sheet.round, sheet.table, board)
        yield from self._repeated(table_code(sheet.round, sheet.table), hand, board, names)
        for player in hand.players:
            if (board.deal_id, player) in self._printed:
                facts = {"board": board.number, "player": names(player)}
                yield Problem("board_known_to_player", ("board",), facts)
                return

    def _repeated(
        self, code: str, hand: SheetHand, board: Board, names: Names
    ) -> Iterator[Problem]:
        played_as = self._at_table.get((board.number, code), hand.number)
        if played_as != hand.number:
            yield Problem(
                "board_played_at_table", ("board",), {"board": board.number, "hand": played_as}
            )
            return
        for player in hand.players:
            table = self._by_player.get((board.number, player), code)
            if table != code:
                facts = {"board": board.number, "player": names(player), "table": table}
                yield Problem("board_played_by_player", ("board",), facts)
                return


WAYS: Final = {"self": "taken off that seat", "others": "added to the others"}
"""The choice of a moon, in words."""

MOST_OFFERED: Final = 6
"""Maximum number of corrections offered for one hand of a file."""

Before = Sequence[tuple[int, Mapping[str, object]]]


def validate_sheet(
    sheet: TypedSheet,
    rules: Rules,
    *,
    before: Before,
    sat: Mapping[int, tuple[int, ...]],
    chips: int,
    open_ended: bool,
    budget: Budget,
) -> tuple[list[SheetHand], Replay | None, list[Finding]]:
    """Judge the hands of a sheet; `before` are those of the game, `sat` who sat at them.

    Returns:
        The hands that may go in (held ones are checked, but not among them), the whole game as
        played with them, and the findings.
    """
    try:
        ready = prepare(rules, require_seats(rules, sheet.seats))
    except Refused as refused:
        return [], None, [from_problem(refused.problems[0], sheet.spot())]
    findings: list[Finding] = []
    for hand in sheet.hands:
        if hand.is_held:
            findings.extend(_refusals(sheet, hand, _judge_alone(rules, sheet, hand, budget)))
    accepted = [hand for hand in sheet.hands if not hand.is_held]
    numbers = [number for number, _ in before] + [hand.number for hand in accepted]
    if TOTALS in numbers and len(numbers) > 1:  # a sheet with totals only is alone in its game
        for hand in accepted:
            findings.extend(_refusals(sheet, hand, (Problem("totals_alone"),)))
        return [], None, findings
    while True:
        hands = [*before, *((hand.number, hand.entry) for hand in accepted)]
        try:
            played = replay(
                rules,
                sheet.seats,
                sorted(hands, key=itemgetter(0)),
                chips=chips,
                open_ended=open_ended,
                new={hand.number: of_a_row(budget) for hand in accepted},
                hands_of_totals=next((hand.hands for hand in accepted), None),
            )
        except HandRefused as refused_hand:
            wrong_hand = next((h for h in accepted if h.number == refused_hand.number), None)
            if wrong_hand is None:
                raise
            findings.extend(_refusals(sheet, wrong_hand, refused_hand.problems))
            accepted.remove(wrong_hand)
            continue
        wrong = _wrong_marks(sheet, accepted, ready, played)
        if not wrong:
            break
        findings.extend(mismatch for _, mismatch in wrong)
        accepted = [hand for hand in accepted if hand not in [bad for bad, _ in wrong]]
    findings += [
        note
        for hand, result in _moons(accepted, played)
        for note in unmarked_moon(sheet, hand, moon_json(result))
    ]
    findings += _repeats(sheet, before, sat, accepted)
    return accepted, played, findings


def _repeats(
    sheet: TypedSheet,
    before: Before,
    sat: Mapping[int, tuple[int, ...]],
    accepted: Sequence[SheetHand],
) -> Iterator[Finding]:
    """Yield a note for each new hand that is the same as the one before it."""
    by_number = {hand.number: hand for hand in accepted}
    stored = [HandLine(number, entry, sat.get(number)) for number, entry in before]
    new = [HandLine(hand.number, hand.entry, hand.players, board=hand.board) for hand in accepted]
    for number, other in repeated_hands([*stored, *new]).items():
        if number in by_number:
            spot = sheet.spot(by_number[number])
            yield finding("hand_repeated", spot, found=str(number), expected=str(other))


def ask_repeats(sheet: TypedSheet, findings: Sequence[Finding]) -> Finding | None:
    """Return the question about a sheet of which `findings` call hands repeated one after another.

    Two hands that are alike occur, and so do two such pairs in an evening of few different hands.
    The same hand three times is rather a line that was copied.
    """
    notes = [note for note in findings if note.code == "hand_repeated"]
    repeated = {str(note.spot.hand) for note in notes}
    if not any(note.expected in repeated for note in notes):
        return None
    numbers = listed([note.spot.hand for note in notes])
    question = finding(HANDS_REPEATED, sheet.spot(), found=numbers, expected="other hands")
    offer: Offer = {
        "text": gettext("Dealt twice: store the sheet"),
        "is_right": True,
        ALIKE: IS_RIGHT,
    }
    return replace(question, offers=(offer,))


def ask_cancelled(sheet: TypedSheet, day: date | None) -> Finding:
    """Return the question about a sheet whose evening is cancelled."""
    found = day.isoformat() if day is not None else ""
    question = finding(EVENING_CANCELLED, sheet.spot(), found=found)
    offer: Offer = {
        "text": gettext("Played all the same: store the sheet"),
        "is_right": True,
        ALIKE: IS_RIGHT,
    }
    return replace(question, offers=(offer,))


def _judge_alone(
    rules: Rules, sheet: TypedSheet, hand: SheetHand, budget: Budget
) -> Sequence[Problem]:
    try:
        number = min(hand.number, 1)  # totals are judged as totals
        replay(
            rules,
            sheet.seats,
            [(number, hand.entry)],
            open_ended=True,
            new={number: of_a_row(budget)},
            hands_of_totals=hand.hands,
        )
    except HandRefused as refused:
        return refused.problems
    return ()


def _refusals(sheet: TypedSheet, hand: SheetHand, problems: Sequence[Problem]) -> list[Finding]:
    """Return a finding for each mistake; a mark on the wrong hand is one mistake, not two."""
    names = sheet.names
    codes = {problem.code for problem in problems}
    doubled = {"choice_forbidden"} if "wrong_shooter" in codes else set()
    return [
        replace(
            from_problem(
                problem, Spot(_lines(hand, problem), sheet.round, sheet.table, hand.number), names
            ),
            offers=(*_settlements(hand, problem, names), *_corrections(hand, problem, names)),
        )
        for problem in problems
        if problem.code not in doubled
    ]


def _settlements(hand: SheetHand, problem: Problem, names: Sequence[str]) -> tuple[Offer, ...]:
    offers: list[Offer] = []
    for suggestion in problem.suggestions:
        by, choice = suggestion.facts.get("by"), suggestion.facts.get("choice")
        if suggestion.code != "settle" or not choice or not by or len(by) != 1:
            continue
        text = f"{names[by[0]]}: {WAYS[str(choice)]}"
        answer = f"{SETTLED}{choice}"
        # Without scores, the loops below leave the points as they are.
        scores = suggestion.facts["scores"] if "points" in hand.entry else ()
        if hand.columns:  # a hand is one line; `@` is a column of a player
            pairs = zip(hand.columns, scores, strict=False)
            row = {f"@{head}": str(score) for head, score in pairs}
            row |= {"moon": hand.columns[by[0]], "moon_choice": str(choice)}
            offers.append({"text": text, ALIKE: answer, "cells": {str(hand.lines[0]): row}})
            continue
        cells: dict[str, dict[str, str]] = {}
        for line, score in zip(hand.seat_lines, scores, strict=False):
            cells[str(line)] = {"points": str(score)}
        cells.setdefault(str(hand.seat_lines[by[0]]), {})["moon"] = str(choice)
        offers.append({"text": text, ALIKE: answer, "cells": cells})
    return tuple(offers)


def _corrections(hand: SheetHand, problem: Problem, names: Sequence[str]) -> tuple[Offer, ...]:
    """Return the corrections that the scorer has tried as the cells that they change.

    Only numbers of a seat's own line, which every file has in one way: hearts, tricks, points.
    """
    offers: list[Offer] = []
    for suggestion in problem.suggestions:
        changes = suggestion.facts.get("changes", ())
        if suggestion.code != "correction" or hand.columns or len(hand.seat_lines) < len(names):
            continue
        are_numbers = all(change["what"] in NUMBERS for change in changes)
        points = hand.entry.get("points")
        is_by_side = isinstance(points, list) and len(points) != len(names)
        if not are_numbers or is_by_side:
            continue
        cells: dict[str, dict[str, str]] = {}
        words = []
        for change in changes:
            seat = int(change["place"])
            to = str(change["to"])
            cells.setdefault(str(hand.seat_lines[seat]), {})[change["what"]] = to
            facts = {**change, "name": names[seat], "to": to}
            text = gettext("{name}: {to} instead of {found} ({what})")
            words.append(with_minus_signs(text.format_map(facts)))
        offer: dict[str, object] = {"text": ", ".join(words), "cells": cells}
        if problem.code == "bad_count":
            offer[ALIKE] = WHOLE_NUMBER
        offers.append(offer)
    return tuple(offers[:MOST_OFFERED])


def _lines(hand: SheetHand, problem: Problem) -> tuple[int, ...]:
    """Return the line of a cell that cannot be read; what cannot be true concerns all lines."""
    match problem.at:
        case (str(key), int(seat)) if problem.code == "bad_count":
            values = hand.entry.get(key)
            if isinstance(values, list) and isinstance(values[seat], str):
                return (hand.seat_lines[seat],)
    return hand.lines


def _moons(accepted: Sequence[SheetHand], played: Replay) -> list[tuple[SheetHand, PlayedHand]]:
    by_number = {hand.number: hand for hand in accepted}
    return [
        (by_number[played_hand.number], played_hand)
        for played_hand in played.hands
        if played_hand.score.moon is not None and played_hand.number in by_number
    ]


def _wrong_marks(
    sheet: TypedSheet, accepted: Sequence[SheetHand], ready: Prepared, played: Replay
) -> list[tuple[SheetHand, Finding]]:
    wrong = []
    for hand, played_hand in _moons(accepted, played):
        if hand.mark is None or hand.mark.amount is None or played_hand.score.moon is None:
            continue
        expected = _amount(ready, played_hand.score.moon.id, hand.mark.choice)
        if expected is not None and expected != hand.mark.amount:
            mismatch = finding(
                "moon_amount", sheet.spot(hand), found=hand.mark.text, expected=str(expected)
            )
            wrong.append((hand, mismatch))
    return wrong


def _amount(ready: Prepared, moon: str, choice: str | None) -> object:
    slam = next((slam for slam in ready.slams if slam.slam.id == moon), None)
    return slam and (slam.self_amount if choice == "self" else slam.others_amount)


def unmarked_moon(
    sheet: TypedSheet, hand: SheetHand, moon: Mapping[str, object] | None
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
            sheet.spot(hand),
            found=" and ".join(shooters),
            expected=WAYS.get(str(moon["choice"]), "as the points say"),
        )
    ]
