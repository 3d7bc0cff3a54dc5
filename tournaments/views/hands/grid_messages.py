"""The notes at rows of the grid that are not stored, and at sheets that were entered before."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.entry.codec import BY_SEAT, OF_A_SEAT, same_entry
from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.messages import sentence
from tournaments.domain.replay_game import teams_of
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Seat, Sitting
from tournaments.selectors.hands.double_entry import is_same_hand
from tournaments.selectors.hands.games import seats_of_game
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.hands.apply_game import entry_of
from tournaments.views.hands.corrections import field_problems_of
from tournaments.views.hands.grid_cells import CellGrammar
from tournaments.views.hands.grid_hints import how_to_write
from tournaments.views.hands.grid_rows import GridDraft, RowNote, RowOutcome, RowTexts, read_row

FEWEST: Final = 2
"""Least number of equal hands that mean a repeated sheet and not chance."""


def repeated_sheets(game: Game, new: Mapping[int, Mapping[str, object]]) -> list[dict[str, object]]:
    """Return the sheets that have two or more of these new hands, number → entry, already.

    Looked at are the other numbers of the same table, every table of the event where the same
    people play, however they sit, and the same numbers at the other tables of the round: a sheet
    entered at the wrong one.

    Each has its `table`, the numbers that its hands would get (`new`) and have (`there`), the
    `first` entry, and whether it is this very sheet (`same_table`).
    """
    if len(new) < FEWEST:
        return []
    comparison = _Comparison(game)
    pairs_of_game: dict[int, list[tuple[int, Hand]]] = defaultdict(list)
    for hand in comparison.stored_hands():
        for number, entry in new.items():
            if comparison.is_same(number, entry, hand):
                pairs_of_game[hand.game_id].append((number, hand))
    paired = [_paired(pairs) for pairs in pairs_of_game.values()]
    in_order = sorted(
        ((next(iter(hands.values())).game.table, hands) for hands in paired),
        key=lambda sheet: (-len(sheet[1]), sheet[0].round.number, sheet[0].number),
    )
    return [
        {
            "new": sorted(hands),
            "there": [hands[number].number for number in sorted(hands)],
            "table": table,
            "first": min(map(entry_of, hands.values()), key=attrgetter("entered_at")),
            "same_table": table.pk == game.table_id,
        }
        for table, hands in in_order
        if len(hands) >= FEWEST
    ]


def _paired(pairs: Sequence[tuple[int, Hand]]) -> dict[int, Hand]:
    hands: dict[int, Hand] = {}
    for number, hand in sorted(pairs, key=lambda pair: (pair[0], pair[1].number)):
        if number not in hands and hand not in hands.values():
            hands[number] = hand
    return hands


class _Comparison:
    """One sheet against those that are there, each table's people in its own seats."""

    def __init__(self, game: Game) -> None:
        self.game, self.rules = game, rules_of(game.snapshot)
        self.seats = seats_of_game(game)
        self.teams = teams_of(self.seats, self.rules)
        self.people = _get_people([game.table_id])[game.table_id]
        self.sat: dict[int, list[int]] = {}

    def stored_hands(self) -> QuerySet[Hand]:
        """Return what may be the same hands: of this table, these people, or this round."""
        tables = Sitting.objects.filter(
            player__in=[player for player in self.people if player], round__event=self.game.event_id
        ).values_list("seat__table_id", flat=True)
        games = Game.objects.filter(snapshot=self.game.snapshot_id).values_list("pk", "table_id")
        of_people = games.filter(event=self.game.event_id, table__in={*tables, self.game.table_id})
        of_round = games.filter(table__round=self.game.table.round_id)
        table_of = dict([*of_people, *of_round])
        self.sat = _get_people(table_of.values())
        rows = Hand.objects.filter(game__in=table_of, state="accepted", number__gt=0)
        return (
            rows.filter(entry__isnull=False)
            .select_related("entry", "game__table__round")
            .order_by("game", "number")
        )

    def is_same(self, number: int, entry: Mapping[str, object], hand: Hand) -> bool:
        stored = entry_of(hand).typed
        if hand.game_id == self.game.pk:
            return number != hand.number and self._is_same_entry(entry, stored)
        players = self.sat[hand.game.table_id]
        if sorted(players) == sorted(self.people) and len(set(players)) == len(players):
            turned = self._entry_turned(entry, players)
            return turned is not None and self._is_same_entry(turned, stored)
        return number == hand.number and self._is_same_entry(entry, stored)

    def _is_same_entry(self, entry: Mapping[str, object], stored: Mapping[str, object]) -> bool:
        if same_entry(stored, entry):
            return True
        if set(entry) & {"points", "clean"} == set(stored) & {"points", "clean"}:
            cards = {"hearts", "taken"}
            if set(entry) & cards == set(stored) & cards:
                return False
        return is_same_hand(self.rules, len(self.seats), entry, stored, teams=self.teams)

    def _entry_turned(self, entry: JsonObject, players: Sequence[int]) -> dict[str, object] | None:
        """The entry as the same people sit elsewhere; None where sides would be torn apart."""
        order = [players.index(player) for player in self.people]
        if order == list(range(len(order))):
            return dict(entry)
        if self.teams:
            return None
        turned = dict(entry)
        for name in BY_SEAT:
            values = entry.get(name)
            if isinstance(values, list) and len(values) == len(order):
                new_values = list(values)
                for place, value in zip(order, values, strict=True):
                    new_values[place] = value
                turned[name] = new_values
        for name in OF_A_SEAT:
            if isinstance(entry.get(name), int):
                turned[name] = order[entry[name]]
        return turned


def _get_people(tables: Iterable[int]) -> dict[int, list[int]]:
    """Table → its players by seat; 0 for an empty seat."""
    seats: dict[int, dict[int, int]] = {table: {} for table in tables}
    rows = Seat.objects.filter(table__in=seats).order_by("number")
    for table, number in rows.values_list("table_id", "number"):
        seats[table][number] = 0
    sat = Sitting.objects.filter(seat__table__in=seats).order_by("from_hand")
    for table, number, player in sat.values_list("seat__table_id", "seat__number", "player_id"):
        seats[table][number] = player
    return {table: list(players.values()) for table, players in seats.items()}


_BESIDE: Final = {
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
    facts = {"name": by or _("Somebody"), "hand": hand, "number": revision}
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
    note = RowNote(
        _("Hand %(hand)s is stored, but its row is now empty.") % {"hand": draft.number},
        _("Hands cannot be deleted here. A director can delete the hand."),
        ((_("Show hand"), f"theirs:{draft.number}"),),
    )
    return RowOutcome("refused", (note,))


def unread_cells(
    grammar: CellGrammar, names: Mapping[int, str], draft: GridDraft, wrong: Sequence[str]
) -> RowOutcome:
    cells = dict(zip(grammar.sheet.rows, draft.texts.cells, strict=True))
    notes = []
    for name in wrong:
        row = int(name) if name.isdecimal() else 0
        text = cells[row] if row else draft.texts.beside[name]
        facts = {"hand": draft.number, "text": text, "name": names.get(row, name)}
        notes.append(
            RowNote(
                _("Hand %(hand)s, %(name)s: “%(text)s” cannot be read.") % facts,
                how_to_write(grammar.sheet) if row else str(_BESIDE.get(name, "")),
            )
        )
    return RowOutcome("refused", tuple(notes), tuple(wrong))


def _points_question(grammar: CellGrammar, draft: GridDraft, total: int | None) -> RowNote | None:
    """Return the question about a row of plain numbers that are no hearts; `total`: of a hand."""
    n_hearts = len(grammar.sheet.hearts)
    if draft.way != "counts" or draft.based_on is not None or "points" not in grammar.sheet.ways:
        return None
    texts = [cell.strip() or "0" for cell in draft.texts.cells]
    if not all(map(str.isdecimal, texts)):
        return None
    numbers = [*map(int, texts)]
    if max(numbers) > n_hearts:
        more = _("No cell can have more than %(n)s hearts.") % {"n": n_hearts}
    elif sum(numbers) == total:
        more = _("They total %(n)s, but a number here counts hearts.") % {"n": total}
    else:
        return None
    first = _("Hand %(hand)s is not saved. Are these points?") % {"hand": draft.number}
    return RowNote(first, more, ((_("Enter points"), "way:points"),))


def refused_cells(
    grammar: CellGrammar,
    names: Mapping[int, str],
    draft: GridDraft,
    problems: Sequence[Problem],
    total: int | None,
) -> RowOutcome:
    """Return the messages of a refused hand; `total` are the points of a hand in this game."""
    if question := _points_question(grammar, draft, total):
        return RowOutcome("refused", (question,))
    sheet, number = grammar.sheet, draft.number
    fields = read_row(grammar, draft.way, draft.texts)[0]
    texts = [field_problems_of(problem, sheet, draft.way, names, fields) for problem in problems]
    notes = [
        RowNote(
            text.first,
            text.rest,
            tuple((words, f"row:{number}:{button}") for words, button in text.mends),
            is_question=text.code == "choice_required",
        )
        for text in texts
    ]
    head = _("Hand %(hand)s is not saved.") % {"hand": number}
    notes[0] = replace(notes[0], first=f"{head} {notes[0].first}")
    places = [text.field.rpartition("-")[2] for text in texts if text.field]
    wrong = tuple(place for place in places if place in map(str, sheet.rows))
    return RowOutcome("refused", tuple(notes), wrong if len(wrong) == len(texts) else ())


def later_hand_refused(draft: GridDraft, later: int, problems: Sequence[Problem]) -> RowOutcome:
    """Return the message for a hand that would make another one, `later`, invalid."""
    text = _("Hand %(hand)s is not saved, because hand %(later)s would become impossible.")
    facts = {"hand": draft.number, "later": later}
    return RowOutcome("refused", (RowNote(text % facts, " ".join(map(sentence, problems))),))
