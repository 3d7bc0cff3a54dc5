"""Score sheets to print, one for each table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.entry.sheet import hand_total, points_text, seat_names
from scoring.numbers import score_json
from scoring.rules.dealing import pass_of
from scoring.rules.rules import Rules
from tournaments.documents.typesetting import (
    HAIR,
    THICK,
    THIN,
    Drawn,
    Frame,
    add_area,
    add_box,
    add_line,
    code_image,
    name_at,
    text_at,
)
from tournaments.domain.sheets.sheet_fields import LONGEST_RUN, PrintOptions, SheetForm, sheet_form
from tournaments.domain.sheets.sheet_geometry import (
    MARK_CELL,
    NAME,
    NUMBER,
    PASS,
    SEAT,
    Rect,
    SheetCell,
    SheetGeometry,
    sheet_geometry,
    sheet_pages,
    white_runs,
)
from tournaments.selectors.hands.score_sheet import pass_in_words, reminders_in_words
from tournaments.selectors.hands.score_sheet_views import SeatView, SideView

MOST_NAMED: Final = 4
"""More kinds of cards than this are not listed in the check column."""


@dataclass(frozen=True, slots=True)
class SheetToPrint:
    """One table's sheet: its title and lines below it, its rules, and its players.

    `code` is the club, the event and the table for the code; `names` are by seat, empty for a line
    to write on. If the table `plays_boards`, each hand has a place for the number of its board
    instead of the dealer.
    """

    title: str
    lines: tuple[str, ...]
    rules: Rules
    names: tuple[str, ...]
    code: str
    teams: tuple[tuple[int, ...], ...] | None = None
    hands: int | None = None
    plays_boards: bool = False


_TOTALS: Final = ("sign", "hundreds", "tens", "units")


def code_text(code: str, options: PrintOptions, seats: int, rows: int, first_hand: int) -> str:
    """Return the text of the QR code of a page: which sheet it is, and nothing secret.

    `BL1:<club>:<event>:<table>:<layout>:<first hand>`; the layout has all that the positions on the
    sheet depend on beside the rules of its table. A blank sheet has no club and no event, and its
    variant in the place of the table. See docs/score-sheets.md.

    Args:
        rows: the hands on this page; `first_hand` is the number of the first of them.

    >>> code_text("riverside:league:r3t2", PrintOptions(), 4, 8, 1)
    'BL1:riverside:league:r3t2:boxes-a4-4-8:1'
    """
    return f"BL1:{code}:{options.layout}-{options.paper}-{seats}-{rows}:{first_hand}"


@dataclass(slots=True)
class SheetSet:
    """The pages of many sheets, and the frames that they share."""

    options: PrintOptions
    frames: list[Frame] = field(default_factory=list)
    pages: list[dict[str, Any]] = field(default_factory=list)
    _known: dict[object, int] = field(default_factory=dict)

    def add(self, sheet: SheetToPrint) -> None:
        form = sheet_form(sheet.rules, len(sheet.names), sheet.teams)
        options = self.options
        pages = sheet_pages(form, layout=options.layout, paper=options.paper, hands=sheet.hands)
        for page in pages:
            self._add_page(sheet, form, page, pages)

    def _add_page(
        self, sheet: SheetToPrint, form: SheetForm, page: range, pages: Sequence[range]
    ) -> None:
        options = self.options
        geometry = sheet_geometry(form, layout=options.layout, paper=options.paper, rows=len(page))
        key = (sheet.rules.content_hash, form, page, sheet.plays_boards)
        if key not in self._known:
            self._known[key] = len(self.frames)
            self.frames.append(_frame(sheet, form, geometry, page, options.layout))
        text = code_text(sheet.code, options, len(sheet.names), len(page), page.start)
        self.pages.append(
            {
                "kind": "sheet",
                "frame": self._known[key],
                "texts": [*_head(sheet, geometry, page, pages), *_names(sheet, form, geometry)],
                "images": [code_image(geometry.code, text, _("Code of this sheet"))],
            }
        )


def _head(
    sheet: SheetToPrint, geometry: SheetGeometry, page: range, pages: Sequence[range]
) -> list[Drawn]:
    head = geometry.head
    name = sheet.title
    if len(pages) > 1:
        facts = {"title": name, "page": pages.index(page) + 1, "n": len(pages)}
        name = _("%(title)s, page %(page)s of %(n)s") % facts
    title = Rect(head.x, head.y, head.width, 6.5)
    below = (head.height - title.height) / max(len(sheet.lines), 3)
    places = (
        Rect(head.x, title.bottom + at * below, head.width, below) for at in range(len(sheet.lines))
    )
    return [
        text_at(title, name, 15, least=8, weight="bold", clip=True),
        *(
            text_at(place, line, 9, least=5, clip=True)
            for place, line in zip(places, sheet.lines, strict=True)
        ),
    ]


def _names(sheet: SheetToPrint, form: SheetForm, geometry: SheetGeometry) -> list[Drawn]:
    return [
        name_at(
            Rect(place.x + 0.6, place.y + 0.4, place.width - 1.2, place.height - 0.6),
            " & ".join(filter(None, (sheet.names[seat] for seat in side))),
            11,
            weight="bold",
            align="center",
        )
        for side, place in zip(form.units, geometry.names, strict=True)
    ]


def _frame(
    sheet: SheetToPrint, form: SheetForm, geometry: SheetGeometry, page: range, layout: str
) -> Frame:
    frame = Frame(geometry.width, geometry.height)
    for mark, place in enumerate(geometry.marks):
        _add_mark(frame, mark, place)
    _add_grid(frame, geometry)
    first_column = _("Hand, board") if sheet.plays_boards else _("Hand, pass, dealer")
    _add_column_heads(frame, form, geometry, first_column)
    for at, row in enumerate(geometry.rows):
        number = page.start + at
        _add_hand(frame, sheet.rules, form, geometry, row, number)
        x = row.x + NUMBER
        width = PASS - 0.5
        middle = row.y + row.height / 2
        if sheet.plays_boards:
            frame.texts.append(text_at(Rect(x, middle - 4.6, width, 4), _("Board"), 8, least=5))
            add_line(frame, x, middle + 3.6, x + width - 1, middle + 3.6, HAIR)
        else:
            dealer = seat_names(form.seats)[(number - 1) % form.seats]
            play = sheet.rules.keys.play
            passing = pass_in_words(play, form.seats, pass_of(play, form.seats, number))
            deals = _("%(seat)s deals") % {"seat": dealer}
            if passing:
                above = Rect(x, middle - 4.6, width, 4.4)
                frame.texts.append(text_at(above, passing, 9, least=4.5, lines=2, weight="bold"))
            below = Rect(x, middle + 0.2 if passing else middle - 2, width, 4)
            frame.texts.append(text_at(below, deals, 8, least=5))
    for cell in (*geometry.cells, *geometry.labels):
        _add_cell(frame, cell, layout)
    _add_total_row(frame, geometry, page)
    _add_foot(frame, form, geometry, layout, reminders_in_words(sheet.rules.keys))
    return frame


def _add_mark(frame: Frame, mark: int, place: Rect) -> None:
    add_area(frame, place, "black")
    for column, row, width, height in white_runs(mark):
        x, y = place.x + column * MARK_CELL, place.y + row * MARK_CELL
        add_area(frame, Rect(x, y, width * MARK_CELL, height * MARK_CELL), "white")


def _add_grid(frame: Frame, geometry: SheetGeometry) -> None:
    table = geometry.table
    first = geometry.rows[0].y
    add_box(frame, table, THICK)
    for column in (*geometry.columns, geometry.hand_column, geometry.check_column):
        if column is not None:
            add_line(frame, column.x, table.y, column.x, table.bottom, THIN)
    add_line(frame, table.x, first, table.right, first, THICK)
    for row in geometry.rows[1:]:
        add_line(frame, table.x, row.y, table.right, row.y, HAIR)
    total = geometry.total_row
    add_line(frame, total.x, total.y, total.right, total.y, THICK)


def _add_column_heads(
    frame: Frame, form: SheetForm, geometry: SheetGeometry, first_column: str
) -> None:
    first = geometry.rows[0].y
    table = geometry.table
    height = first - table.y
    frame.texts.append(
        text_at(
            Rect(table.x + 1, table.y, NUMBER + PASS - 2, height), first_column, 8, least=5, lines=3
        )
    )
    check = geometry.check_column
    frame.texts.append(text_at(Rect(check.x + 1, table.y, check.width - 2, height), _("Check"), 8))
    if geometry.hand_column is not None:
        hand_column = geometry.hand_column
        place = Rect(hand_column.x + 0.5, table.y, hand_column.width - 1, NAME + SEAT)
        words = {
            "charged": _("Charged"),
            "slam_choice": _("Moon"),
            "unclaimed": _("Nobody's cards"),
        }
        names = dict.fromkeys(field_.key.partition(":")[0] for field_ in form.of_hand)
        text = ", ".join(words[key] for key in names)
        frame.texts.append(text_at(place, text, 8, least=5, lines=3, align="center"))
    seats = _seats(form.seats)
    for side, column in zip(form.units, geometry.columns, strict=True):
        label = SideView(tuple(seats[seat] for seat in side)).title
        place = Rect(column.x + 0.5, table.y + NAME, column.width - 1, SEAT)
        frame.texts.append(text_at(place, label, 8, least=5, align="center"))


def _seats(n_seats: int) -> tuple[SeatView, ...]:
    labels = seat_names(n_seats)
    return tuple(SeatView(number, label, "", "", "") for number, label in enumerate(labels, 1))


def seat_titles(n_seats: int) -> tuple[str, ...]:
    return tuple(str(seat.title) for seat in _seats(n_seats))


def _add_hand(
    frame: Frame, rules: Rules, form: SheetForm, geometry: SheetGeometry, row: Rect, number: int
) -> None:
    place = Rect(row.x + 0.5, row.y, NUMBER - 1, row.height)
    frame.texts.append(text_at(place, str(number), 12, weight="bold", align="center"))
    middle = row.y + row.height / 2
    check = geometry.check_column
    box = Rect(check.x + 1, middle - 2, 4, 4)
    add_box(frame, box, THIN)
    words = Rect(box.right + 1, row.y, check.right - box.right - 1.5, row.height)
    frame.texts.append(text_at(words, _check_text(rules, form), 8, least=5, lines=2))


_NO_CARDS: Final = ("tricks", "first_trick", "passer", "declared_out")
"""Marks and counts of a seat that are no cards."""


def _check_text(rules: Rules, form: SheetForm) -> str:
    total = points_text(score_json(hand_total(rules, form.seats)))
    cards = [field_ for field_ in form.of_unit if field_.kind != "write"]
    cards = [field_ for field_ in cards if field_.kind == "count" or field_.most == 1]
    cards = [field_ for field_ in cards if field_.key not in _NO_CARDS]
    cards = [field_ for field_ in cards if not field_.key.startswith("pledge")]
    if len(cards) > MOST_NAMED or not cards:
        return f"= {total}".replace("-", "−")
    terms = " + ".join(
        f"{field_.most if field_.most > 1 else ''}{field_.label}" for field_ in cards
    )
    return f"{terms}\n= {total}".replace("-", "−")


def _add_cell(frame: Frame, cell: SheetCell, layout: str) -> None:
    place = cell.place
    if cell.part == "label":
        size = 8.0 if cell.row < 0 else 7.0
        frame.texts.append(text_at(place, cell.text, size, least=5, align="center"))
        return
    is_bubble = layout == "bubbles" and cell.part not in ("write", *_TOTALS)
    add_box(frame, place, THIN, radius=place.width / 2 if is_bubble else 0.4)
    if cell.part == "sign":
        frame.texts.append(text_at(place, "±", 7, align="center", grey=True))
    elif cell.part == "write":
        inset = Rect(place.x + 0.6, place.y, place.width, place.height)
        frame.texts.append(text_at(inset, cell.text, 8, grey=True))
    elif cell.text:
        size = 5.5 if is_bubble else 8
        frame.texts.append(text_at(place, cell.text, size, least=4, align="center", grey=True))


def _add_total_row(frame: Frame, geometry: SheetGeometry, page: range) -> None:
    row = geometry.total_row
    last = page.stop - 1
    text = _("Total after hand %(number)s") % {"number": last}
    place = Rect(row.x + 1, row.y, NUMBER + PASS - 2, row.height)
    frame.texts.append(text_at(place, text, 9, least=5, lines=2, weight="bold"))


def _add_foot(
    frame: Frame, form: SheetForm, geometry: SheetGeometry, layout: str, reminders: str
) -> None:
    foot = geometry.foot
    words = Rect(foot.x, foot.y, foot.width, foot.height - 8.5)
    text = " ".join(filter(None, [reminders, *_instructions(form, layout)]))
    frame.texts.append(text_at(words, text, 7.5, least=5.5, lines=4, valign="t"))
    width = (foot.width - 6) / 2
    for at, caption in enumerate((_("kept by"), _("checked by a second seat"))):
        x = foot.x + at * (width + 6)
        y = foot.bottom - 3.6
        add_line(frame, x, y, x + width, y, HAIR)
        frame.texts.append(text_at(Rect(x, y + 0.3, width, 3.2), caption, 7))


def _instructions(form: SheetForm, layout: str) -> list[str]:
    if layout == "boxes":
        sentences = [_("Write one digit in each box and tick each card taken.")]
    else:
        sentences = [_("Fill the bubble of each card taken.")]
        if any(field_.kind == "count" and field_.most > LONGEST_RUN for field_ in form.of_unit):
            sentences.append(_("For 13, fill 10 and 3."))
    sentences.append(_("Σ is the running total."))
    if any(field_.key.startswith("slam_choice") for field_ in form.of_hand):
        sentences.append(_("Moon: − takes the points off the shooter, + gives them to the others."))
    if any(field_.key == "first_trick" for field_ in form.of_unit):
        sentences.append(_("1. marks who won the first trick."))
    if any(field_.key == "trick_points" for field_ in form.of_unit):
        sentences.append(_("Write the melds shown and the points of the tricks before rounding."))
    if any(field_.key == "declared_out" for field_ in form.of_unit):
        sentences.append(_("out marks who declared out."))
    if any(field_.key == "passer" for field_ in form.of_unit):
        sentences.append(_("P marks who passed cards to the shooter."))
    if any(field_.key == "tricks" for field_ in form.of_unit):
        sentences.append(_("T is the number of tricks."))
    sentences.append(_("To correct, cross out, write beside it and initial twice."))
    return sentences
