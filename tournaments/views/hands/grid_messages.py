"""What the grid says of rows that are not stored, and of sheets that were entered before.

It stands among the services because the rules must be asked whether two entries say the same.

Pure: made from what was typed and what was found, without a query.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.imports.imported_sheets import same_entry
from tournaments.domain.messages import sentence
from tournaments.domain.replay_game import teams_of
from tournaments.domain.seating.seating_runs import BY_SEAT, OF_A_SEAT
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Seat, Sitting
from tournaments.selectors.hands.double_entry import is_same_hand
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.views.hands.corrections import field_problems_of
from tournaments.views.hands.grid_cells import CellGrammar
from tournaments.views.hands.grid_form import GridDraft, RowNote, RowOutcome, note_of
from tournaments.views.hands.grid_hints import how_to_write
from tournaments.views.hands.grid_rows import RowTexts, read_row

FEWEST: Final = 2
"""So many equal hands are no chance: deals repeat themselves, sheets do not."""
_PER_SEAT: Final = BY_SEAT
_OF_A_SEAT: Final = OF_A_SEAT


@dataclass(frozen=True, slots=True)
class RepeatedSheet:
    """A sheet whose hands are about to be entered again.

    `new` are the numbers they would get, `there` those that they have; `by` and `at` are the first
    entry's. `same_table` says that they stand on this very sheet under other numbers.
    """

    new: tuple[int, ...]
    there: tuple[int, ...]
    code: str
    table: int
    round: int
    by: str
    at: datetime
    same_table: bool


@dataclass(frozen=True, slots=True)
class _Stored:
    game: int
    code: str
    table: int
    round: int
    number: int
    entry: Mapping[str, Any]
    by: str
    at: datetime


def repeated_sheets(
    game: Game, new: Mapping[int, Mapping[str, object]]
) -> tuple[RepeatedSheet, ...]:
    """Return the sheets that have two or more of these new hands already.

    Args:
        game: whose sheet is entered.
        new: hand number → entry, for the hands that are not there yet.

    Looked at are the other numbers of the same table, every table of the event where the same
    people play, however they sit, and the same numbers at the other tables of the round: a sheet
    entered at the wrong one.
    """
    if len(new) < FEWEST:
        return ()
    comparison = _Comparison(game)
    pairs_of_game: dict[int, list[tuple[int, _Stored]]] = defaultdict(list)
    for hand in comparison.stored(new):
        for number, entry in new.items():
            if comparison.is_same(number, entry, hand):
                pairs_of_game[hand.game].append((number, hand))
    repeated = [_repeated(game, pairs) for pairs in pairs_of_game.values()]
    reported = [
        sheet for sheet in repeated if len(sheet.new) >= FEWEST and len(sheet.there) >= FEWEST
    ]
    return tuple(sorted(reported, key=lambda sheet: (-len(sheet.new), sheet.round, sheet.table)))


def _repeated(game: Game, pairs: Sequence[tuple[int, _Stored]]) -> RepeatedSheet:
    """Pair each new hand with one that is there, in order, each once."""
    stored_of: dict[int, _Stored] = {}
    for number, hand in sorted(pairs, key=lambda pair: (pair[0], pair[1].number)):
        if number not in stored_of and hand.number not in {
            pair.number for pair in stored_of.values()
        }:
            stored_of[number] = hand
    pair = pairs[0][1]
    first = min(stored_of.values(), key=lambda hand: hand.at)
    return RepeatedSheet(
        new=tuple(sorted(stored_of)),
        there=tuple(stored_of[number].number for number in sorted(stored_of)),
        code=pair.code,
        table=pair.table,
        round=pair.round,
        by=first.by,
        at=first.at,
        same_table=pair.game == game.pk,
    )


class _Comparison:
    """One sheet against those that are there, each table's people in its own seats."""

    def __init__(self, game: Game) -> None:
        self.game, self.rules = game, rules_of(game.snapshot)
        self.seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
        self.teams = teams_of(self.seats, self.rules)
        self.people = _people([game.table_id])[game.table_id]
        self.sat: dict[int, list[int]] = {}

    def stored(self, new: Mapping[int, object]) -> list[_Stored]:
        """The hands that may be the same ones: of this table, these people, or this round."""
        tables = Sitting.objects.filter(
            player__in=[player for player in self.people if player],
            round__event=self.game.event_id,
        ).values_list("seat__table_id", flat=True)
        games = dict(
            Game.objects.filter(event=self.game.event_id, snapshot=self.game.snapshot_id)
            .filter(table__in={*tables, self.game.table_id})
            .values_list("pk", "table_id")
        )
        round_games = Game.objects.filter(
            table__round=self.game.table.round_id, snapshot=self.game.snapshot_id
        ).values_list("pk", "table_id")
        self.table_of = {**games, **dict(round_games)}
        self.sat = _people(self.table_of.values())
        rows = (
            Hand.objects.filter(game__in=self.table_of, state="accepted", number__gt=0)
            .select_related("entry", "game__table__round")
            .order_by("game", "number")
        )
        return [
            _Stored(
                hand.game_id,
                hand.game.table.code,
                hand.game.table.number,
                hand.game.table.round.number,
                hand.number,
                hand.entry.typed,
                hand.entry.entered_as,
                hand.entry.entered_at,
            )
            for hand in rows
            if hand.entry is not None
        ]

    def is_same(self, number: int, entry: Mapping[str, object], hand: _Stored) -> bool:
        """Whether a new hand says what a stored one says."""
        if hand.game == self.game.pk:
            return number != hand.number and self._says(entry, hand.entry)
        players = self.sat[self.table_of[hand.game]]
        if sorted(players) == sorted(self.people) and len(set(players)) == len(players):
            turned = self._turned(entry, players)
            return turned is not None and self._says(turned, hand.entry)
        return number == hand.number and self._says(entry, hand.entry)

    def _says(self, entry: Mapping[str, object], stored: Mapping[str, object]) -> bool:
        if same_entry(stored, entry):
            return True
        if set(entry) & {"points", "clean"} == set(stored) & {"points", "clean"}:
            cards = {"hearts", "taken"}
            if set(entry) & cards == set(stored) & cards:
                return False
        return is_same_hand(self.rules, len(self.seats), entry, stored, teams=self.teams)

    def _turned(self, entry: JsonObject, players: Sequence[int]) -> dict[str, object] | None:
        """The entry as the same people sit elsewhere; None where sides would be torn apart."""
        order = [players.index(player) for player in self.people]
        if order == list(range(len(order))):
            return dict(entry)
        if self.teams:
            return None
        turned = dict(entry)
        for name in _PER_SEAT:
            values = entry.get(name)
            if isinstance(values, list) and len(values) == len(order):
                new_values = list(values)
                for place, value in zip(order, values, strict=True):
                    new_values[place] = value
                turned[name] = new_values
        for name in _OF_A_SEAT:
            if isinstance(entry.get(name), int):
                turned[name] = order[entry[name]]
        return turned


def _people(tables: Iterable[int]) -> dict[int, list[int]]:
    """Table → who sits there, by seat; 0 where nobody does."""
    seats: dict[int, dict[int, int]] = {table: {} for table in tables}
    rows = Seat.objects.filter(table__in=seats).order_by("number")
    for table, number in rows.values_list("table_id", "number"):
        seats[table][number] = 0
    sat = Sitting.objects.filter(seat__table__in=seats).order_by("from_hand")
    for table, number, player in sat.values_list("seat__table_id", "seat__number", "player_id"):
        seats[table][number] = player
    return {table: list(players.values()) for table, players in seats.items()}


_BESIDE: Final[Mapping[str, str | Promise]] = {
    "tricks": gettext_lazy("Enter a number for each seat with spaces between."),
    "pledge": gettext_lazy("Enter the seat, or the seat and the pledge with a colon between."),
    "unclaimed": gettext_lazy("Enter the cards as for a seat."),
    "first_trick": gettext_lazy("Enter the number of a seat."),
    "passer": gettext_lazy("Enter the number of a seat."),
}
"""Kind of a column beside the seats → what is written there."""


def conflict(
    grammar: CellGrammar, theirs: RowTexts, *, by: str, hand: int, revision: int
) -> RowOutcome:
    """Return what is said of a hand that somebody else wrote meanwhile: nothing is chosen."""
    facts = {"name": by or "–", "hand": hand, "number": revision}
    note = RowNote(
        _("%(name)s has saved hand %(hand)s as revision %(number)s.") % facts,
        _(
            "That revision counts, and your entry is not saved. Check the paper sheet, then "
            "choose one."
        ),
        ((_("Keep stored hand"), f"theirs:{hand}"),),
    )
    cells = dict(zip(grammar.sheet.rows, theirs.cells, strict=True))
    return RowOutcome("conflict", (note,), theirs=cells)


def row_emptied(draft: GridDraft) -> RowOutcome:
    """Return what is said of a hand whose row was emptied: it is not taken away so."""
    note = RowNote(
        _("Hand %(hand)s is stored, but its row is now empty.") % {"hand": draft.number},
        _("Hands cannot be deleted here. A director can delete the hand."),
        ((_("Show hand"), f"theirs:{draft.number}"),),
    )
    return RowOutcome("refused", (note,))


def unread_cells(
    grammar: CellGrammar, names: Mapping[int, str], draft: GridDraft, wrong: Sequence[str]
) -> RowOutcome:
    """Return what is said of cells that cannot be read: what would be right."""
    notes = [_unread(grammar, names, draft, name) for name in wrong]
    return RowOutcome("refused", (*notes, *_asked_points(grammar, draft)), tuple(wrong))


def _asked_points(grammar: CellGrammar, draft: GridDraft) -> tuple[RowNote, ...]:
    """Ask whether points were written where cards are expected: more hearts than there are."""
    n_hearts = len(grammar.sheet.hearts)
    if draft.way != "counts" or draft.based_on is not None or "points" not in grammar.sheet.ways:
        return ()
    plain = [cell.strip() for cell in draft.texts.cells]
    if not any(text.isdecimal() and int(text) > n_hearts for text in plain):
        return ()
    more = _("No cell can have more than %(n)s hearts.") % {"n": n_hearts}
    button = (_("Enter points only"), "way:points")
    return (RowNote(_("Are these points?"), more, (button,)),)


def _unread(grammar: CellGrammar, names: Mapping[int, str], draft: GridDraft, name: str) -> RowNote:
    row = int(name) if name.isdecimal() else 0
    cells = dict(zip(grammar.sheet.rows, draft.texts.cells, strict=True))
    text = cells[row] if row else draft.texts.beside[name]
    facts = {"hand": draft.number, "text": text, "name": names.get(row, name)}
    return RowNote(
        _("Hand %(hand)s, %(name)s: “%(text)s” cannot be read.") % facts,
        how_to_write(grammar.sheet) if row else str(_BESIDE.get(name, "")),
    )


def refused_cells(
    grammar: CellGrammar, names: Mapping[int, str], draft: GridDraft, problems: Sequence[Problem]
) -> RowOutcome:
    """Return what is said of a hand that cannot stand, at the cells at fault if there are such."""
    sheet = grammar.sheet
    fields = read_row(grammar, draft.way, draft.texts)[0]
    field_problems = [
        field_problems_of(problem, sheet, draft.way, names, fields) for problem in problems
    ]
    notes = [note_of(found_problem, draft.number) for found_problem in field_problems]
    head = _("Hand %(hand)s is not saved.") % {"hand": draft.number}
    notes[0] = replace(notes[0], first=f"{head} {notes[0].first}")
    places = [
        found_problem.field.rpartition("-")[2]
        for found_problem in field_problems
        if found_problem.field
    ]
    wrong = tuple(place for place in places if place in map(str, sheet.rows))
    notes += _asked_points(grammar, draft)
    return RowOutcome("refused", tuple(notes), wrong if len(wrong) == len(field_problems) else ())


def later_hand_refused(draft: GridDraft, later: int, problems: Sequence[Problem]) -> RowOutcome:
    """Return what is said where a hand would leave another one, `later`, unable to stand."""
    text = _("Hand %(hand)s is not saved, because hand %(later)s would become impossible.")
    facts = {"hand": draft.number, "later": later}
    return RowOutcome("refused", (RowNote(text % facts, " ".join(map(sentence, problems))),))
