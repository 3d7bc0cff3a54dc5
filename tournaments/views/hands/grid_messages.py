"""What is said under a row of the grid that is not in: why, and what there is to do about it.

Pure: made from what was typed and what was found, without a query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.errors import Problem
from tournaments.forms.hands.corrections import field_problems_of
from tournaments.forms.hands.grid import GridDraft, RowNote, RowOutcome, note_of
from tournaments.forms.hands.grid_cell_grammar import CellGrammar
from tournaments.forms.hands.grid_hints import how_to_write
from tournaments.forms.hands.grid_rows import RowTexts, read_row
from tournaments.messages import sentence

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
    notes = [_unread(grammar, names, draft, one) for one in wrong]
    return RowOutcome("refused", (*notes, *_asked_points(grammar, draft)), tuple(wrong))


def _asked_points(grammar: CellGrammar, draft: GridDraft) -> tuple[RowNote, ...]:
    """Ask whether points were written where cards are expected: more hearts than there are."""
    n_hearts = len(grammar.sheet.hearts)
    if draft.way != "counts" or draft.based_on is not None or "points" not in grammar.sheet.ways:
        return ()
    plain = [one.strip() for one in draft.texts.cells]
    if not any(one.isdecimal() and int(one) > n_hearts for one in plain):
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
    found = [field_problems_of(problem, sheet, draft.way, names, fields) for problem in problems]
    notes = [note_of(one, draft.number) for one in found]
    head = _("Hand %(hand)s is not saved.") % {"hand": draft.number}
    notes[0] = replace(notes[0], first=f"{head} {notes[0].first}")
    places = [one.field.rpartition("-")[2] for one in found if one.field]
    wrong = tuple(place for place in places if place in map(str, sheet.rows))
    notes += _asked_points(grammar, draft)
    return RowOutcome("refused", tuple(notes), wrong if len(wrong) == len(found) else ())


def later_hand_refused(draft: GridDraft, later: int, problems: Sequence[Problem]) -> RowOutcome:
    """Return what is said where a hand would leave another one, `later`, unable to stand."""
    text = _("Hand %(hand)s is not saved, because hand %(later)s would become impossible.")
    facts = {"hand": draft.number, "later": later}
    return RowOutcome("refused", (RowNote(text % facts, " ".join(map(sentence, problems))),))
