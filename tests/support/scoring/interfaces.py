"""One entry through each interface: written as its texts, and read again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scoring.entry.codec import texts_of
from scoring.entry.hand_reader import unit_sides
from scoring.entry.sheet import boxes, meld_names, seat_names
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tournaments.documents.read import cells
from tournaments.documents.read.columns import ColumnIndex
from tournaments.documents.read.entries import EntryReader, SheetPlaces
from tournaments.documents.read.people import Pairs, People, RowPerson
from tournaments.documents.read.sheet_rows import RowReader, SheetRow
from tournaments.views.hands import grid_cells
from tournaments.views.hands.grid_cells import grammar_of
from tournaments.views.hands.hand_form_fields import (
    EntryFields,
    entry_of,
    fields_of,
    sheet_of,
    way_of,
)

NOBODY = RowPerson(None, "")


@dataclass(frozen=True)
class Sheet:
    """The sheet of some rules; `teams` are the seats of each side, if they are not the usual."""

    rules: Rules
    seats: int
    teams: Sequence[Sequence[int]] | None = None

    @cached_property
    def fields(self) -> EntryFields:
        return sheet_of(self.rules, self.seats, self.sides)

    @property
    def sides(self) -> Sequence[Sequence[int]]:
        return unit_sides(self.rules, self.seats, self.teams)

    def form(self, entry: Json, way: str = "") -> Json:
        """Through the fields of the form, in the entry's way of writing or another."""
        way = way or way_of(self.fields, entry)
        return entry_of(self.fields, way, fields_of(self.fields, entry, way))

    def grid(self, entry: Json) -> Json:
        grammar = grammar_of(self.fields)
        way, texts = grid_cells.texts_of(grammar, entry)
        return grid_cells.entry_in(grammar, way, texts)

    def columns(self, entry: Json) -> Json:
        """Through the columns of a file."""
        sheet_boxes = boxes(self.rules, self.seats)
        counted = {box.card: box for box in sheet_boxes if box.card}
        melds = next((meld_names(box) for box in sheet_boxes if box.kind == "melds"), {})
        texts = texts_of(entry, self.seats, sides=self.sides, cards=counted)
        heads = [f"cards-{box.card}" if box.card else box.kind for box in sheet_boxes]
        at = {head: index for index, head in enumerate(heads)}
        index = ColumnIndex(
            len(heads),
            {head: place for head, place in at.items() if "-" not in head} | {"seat": len(heads)},
            {card: at[f"cards-{card}"] for card in counted},
        )
        reader = RowReader(index, People([]), Pairs([]))
        rows = [
            SheetRow(
                seat,
                [*(texts.get(head, [""] * self.seats)[seat] for head in heads), "", ""],
                1,
                seat,
                NOBODY,
                cells.day(""),
                "",
            )
            for seat in range(self.seats)
        ]
        read = EntryReader(
            reader, counted, seat_names(self.seats), rows, lambda *note: None, melds
        ).read(rows)
        places = SheetPlaces(reader, self.rules, self.seats)
        by_seat = places.by_seat(read)
        assert not by_seat.bad_points
        return dict(by_seat.entry)


INTERFACES: Mapping[str, Callable[[Sheet, Json], Json]] = {
    "form": Sheet.form, "grid": Sheet.grid, "columns": Sheet.columns
}  # fmt: skip
