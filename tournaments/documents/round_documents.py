"""Print a round as one PDF: seating lists, table cards and score sheets."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any, Final

from django.utils import formats
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from scoring.rules.rules import Rules
from tournaments.documents.score_sheets import SheetSet, SheetToPrint, seat_titles
from tournaments.documents.typesetting import (
    HAIR,
    Drawn,
    Frame,
    PrintedDocument,
    add_line,
    code_image,
    name_at,
    text_at,
)
from tournaments.domain.board_movement import boards_at, in_words
from tournaments.domain.event_settings import settings_of
from tournaments.domain.name_matching import sort_key
from tournaments.domain.replay_game import teams_of
from tournaments.domain.sheets.sheet_fields import CARDS, LIST, SHEETS, PrintOptions
from tournaments.domain.sheets.sheet_geometry import PAPERS, Rect
from tournaments.models.events import Event
from tournaments.models.rounds import Round, Table
from tournaments.selectors.access.table_links import list_linked_tables, printable_secret
from tournaments.selectors.boards import boards_in_round
from tournaments.selectors.events.entrants import sit_outs_in
from tournaments.selectors.hands.games import hands_of_games_in
from tournaments.selectors.rounds.round_names import label_of_round, names_on_page, round_title
from tournaments.selectors.rounds.table_sheets import printed_tables
from tournaments.selectors.rules.rule_sets import rules_of

SIZES: Final = (22, 20, 18, 16, 14, 13, 12, 11)
"""Font sizes, in points."""
ONE_COLUMN: Final = 12
"""Longest list of names with one column."""
LINE: Final = 1.25
HEADING: Final = 1.9
"""Height of a line and of a table's heading, in font sizes."""
HEAD: Final = 54.0
"""Millimetres of a page that its margins and its title take."""
SIDES: Final = 30.0
GUTTER: Final = 12.0
"""Millimetres beside a page's columns, and between them with the space before a seat."""
LETTER: Final = 0.5
"""Approximate width of a letter, in font sizes."""
NARROWED: Final = 14
"""The type does not become smaller than this for the sake of long names."""
MM_OF_A_POINT: Final = 25.4 / 72

CODE: Final = 44.0


def seating_pages(
    tables: Sequence[tuple[Table, Sequence[str]]],
    sitting_out: Sequence[str],
    *,
    title: str,
    subtitle: str,
    paper: str,
) -> list[dict[str, Any]]:
    """Return the lists by name and by table; the first one includes who sits out."""
    return [
        _page(_by_name(tables, sitting_out), f"{title} · {_('by name')}", subtitle, paper),
        _page(_by_table(tables), f"{title} · {_('by table')}", subtitle, paper),
    ]


def _page(groups: list[dict[str, Any]], title: str, subtitle: str, paper: str) -> dict[str, Any]:
    width, height = PAPERS[paper]
    return {
        "kind": "list",
        "title": title,
        "subtitle": subtitle,
        "width": width,
        "height": height,
        "groups": groups,
        **_set(groups, width, height),
    }


def _set(groups: Sequence[dict[str, Any]], width: float, height: float) -> dict[str, Any]:
    """Return the size of the type, and how many groups are in the left column.

    It is the largest size in which everything fits a page; `left` is None if none fits and the list
    continues over pages. Widths are estimated, not measured: a long name takes two lines, and a
    page can grow.
    """
    high = [LINE * len(group["rows"]) + (HEADING if group["title"] else 0) for group in groups]
    n_columns = 2 if sum(len(group["rows"]) for group in groups) > ONE_COLUMN else 1
    room = (height - HEAD) / MM_OF_A_POINT
    needed = sum(high) / n_columns + (max(high, default=0) if n_columns > 1 else 0)
    column = (width - SIDES - (n_columns - 1) * GUTTER) / n_columns / MM_OF_A_POINT
    long = max(
        (LETTER * sum(map(len, row)) for group in groups for row in group["rows"]), default=0
    )
    sizes = [size for size in SIZES if size <= NARROWED or size * long <= column]
    size = next((size for size in sizes if size * needed <= room), None)
    if size is None:
        return {"size": SIZES[-1], "left": None}
    if n_columns == 1:
        return {"size": size, "left": len(groups)}
    ends = list(accumulate(high))
    middles = (end - height_ / 2 for end, height_ in zip(ends, high, strict=True))
    return {"size": size, "left": sum(middle < ends[-1] / 2 for middle in middles)}


def _by_name(
    tables: Sequence[tuple[Table, Sequence[str]]], sitting_out: Sequence[str]
) -> list[dict[str, Any]]:
    """Return one group for each line, so that columns break anywhere."""
    rows = [
        (name, _("Table %(number)s · %(seat)s") % {"number": table.number, "seat": title})
        for table, names in tables
        for name, title in zip(names, seat_titles(len(names)), strict=True)
        if name
    ]
    rows += [(name, _("Sitting out")) for name in sitting_out]
    return [{"title": "", "rows": [row]} for row in sorted(rows, key=lambda row: sort_key(row[0]))]


def _by_table(tables: Sequence[tuple[Table, Sequence[str]]]) -> list[dict[str, Any]]:
    return [
        {
            "title": _("Table %(number)s") % {"number": table.number},
            "rows": [
                (name or "–", title)
                for name, title in zip(names, seat_titles(len(names)), strict=True)
            ],
        }
        for table, names in tables
    ]


ON_A_PAGE: Final = 4
MARGIN: Final = 11.0


def card_frame(paper: str) -> Frame:
    """Return the page of four cards, with the lines to cut along."""
    width, height = PAPERS[paper]
    frame = Frame(width, height)
    add_line(frame, width / 2, 0, width / 2, height, HAIR)
    add_line(frame, 0, height / 2, width, height / 2, HAIR)
    return frame


def card_pages(
    tables: Sequence[Table],
    names: Mapping[str, Sequence[str]],
    *,
    frame: int,
    paper: str,
    rounds: Mapping[int, str],
    entrance: str,
) -> Iterator[dict[str, Any]]:
    width, height = (side / 2 for side in PAPERS[paper])
    for start in range(0, len(tables), ON_A_PAGE):
        texts: list[Drawn] = []
        images: list[Drawn] = []
        for at, table in enumerate(tables[start : start + ON_A_PAGE]):
            row, column = divmod(at, 2)
            place = Rect(
                column * width + MARGIN,
                row * height + MARGIN,
                width - 2 * MARGIN,
                height - 2 * MARGIN,
            )
            people = names.get(table.code, ())
            texts += _texts(table, people, place, rounds=rounds, entrance=entrance)
            images += _code(table, place, entrance)
        yield {"kind": "sheet", "frame": frame, "texts": texts, "images": images}


def _texts(
    table: Table,
    names: Sequence[str],
    place: Rect,
    *,
    rounds: Mapping[int, str],
    entrance: str,
) -> Iterator[Drawn]:
    about = [table.event.name, round_title(table.round.number, rounds)]
    if table.round.meeting is not None:
        about.append(formats.date_format(table.round.meeting.date, "j M Y"))
    yield text_at(Rect(place.x, place.y, place.width, 5), " · ".join(about), 10, least=5, clip=True)
    title = _("Table %(number)s") % {"number": table.number}
    yield text_at(
        Rect(place.x, place.y + 6, place.width, 16), title, 40, least=16, weight="bold", clip=True
    )
    below = Rect(place.x, place.bottom - CODE, place.width, CODE)
    middle = Rect(place.x, place.y + 24, place.width, below.y - place.y - 26)
    yield from _players(names, middle)
    yield from _opening(table, below, entrance)


def _players(names: Sequence[str], place: Rect) -> Iterator[Drawn]:
    line = min(7.0, place.height / max(len(names), 1))
    for at, (name, seat) in enumerate(zip(names, seat_titles(len(names)), strict=True)):
        y = place.y + at * line
        yield name_at(Rect(place.x, y, place.width - 17, line), name, min(13, line * 1.9))
        yield text_at(Rect(place.right - 16, y, 16, line), seat, min(10, line * 1.7), align="right")


def _code(table: Table, place: Rect, entrance: str) -> Iterator[Drawn]:
    link_secrets = printable_secret(table.link) if table.link is not None else None
    if link_secrets is not None:
        box = Rect(place.x - 4, place.bottom - CODE + 2, CODE, CODE)
        alt = _("QR code that opens table %(number)s") % {"number": table.number}
        yield code_image(box, f"{entrance}/{link_secrets.token}", alt)


def _opening(table: Table, place: Rect, entrance: str) -> Iterator[Drawn]:
    link = table.link
    link_secrets = printable_secret(link) if link is not None else None
    if link is None or link_secrets is None:
        text = _("No link for this table. Create it under Table links, then print again.")
        yield text_at(place, text, 10, least=6, lines=4, valign="b", grey=True)
        return
    right = Rect(place.x + CODE - 2, place.y, place.width - CODE + 2, place.height)
    expires = formats.date_format(link.expires_at.astimezone(table.club.zone), "j M, H:i")
    lines = (
        (_("Scan, or open"), 9, "regular"),
        (entrance.partition("//")[2], 10, "bold"),
        (_("and enter"), 9, "regular"),
        (link_secrets.code_in_print, 15, "bold"),
        (_("until %(when)s") % {"when": expires}, 8, "regular"),
    )
    for at, (text, size, weight) in enumerate(lines):
        line_place = Rect(right.x, right.y + 6 + at * 7, right.width, 7)
        yield text_at(line_place, text, size, least=4, weight=weight)


def round_document(
    event: Event,
    round_: Round,
    parts: Sequence[str],
    *,
    options: PrintOptions,
    entrance: str,
    now: datetime,
) -> PrintedDocument:
    """Return parts of the printed documents of a round; a fixed number of queries.

    Args:
        parts: of `domain.print_options.PARTS`; cards carry the tables' links, so the caller must
            have the right to manage them.
        entrance: the whole address where codes of links are typed.
    """
    tables = printed_tables(event, round_)
    pages: list[dict[str, Any]] = []
    sheets = SheetSet(options)
    if LIST in parts:
        out = [sit_out.name for sit_out in sit_outs_in(event, round_)]
        title = round_title(round_.number, names_on_page(event))
        about = [event.name, event.club.name]
        if round_.meeting is not None:
            about.append(formats.date_format(round_.meeting.date, "l j F Y"))
        pages += seating_pages(
            tables, out, title=title, subtitle=", ".join(about), paper=options.paper
        )
    if CARDS in parts:
        sheets.frames.append(card_frame(options.paper))
        linked = list_linked_tables(event, now, round_number=round_.number)
        names_by_code = {table.code: names for table, names in tables}
        pages += card_pages(
            linked,
            names_by_code,
            frame=0,
            paper=options.paper,
            rounds=names_on_page(event),
            entrance=entrance,
        )
    if SHEETS in parts:
        boards = boards_in_round(event, round_.number) if settings_of(event).duplicate else ()
        hands = hands_of_games_in(event, [table.game for table, _names in tables])
        for table, names in tables:
            table_boards = boards_at(boards, round_.number, table.number)
            of_game = hands[table.game.pk]
            sheets.add(_sheet(event, round_, table, names, table_boards, of_game))
    pages += sheets.pages
    about_round = _("round %(number)s") % {"number": label_of_round(event, round_)}
    title = f"{event.club.name}: {event.name}, {about_round}"
    return PrintedDocument(title, get_language() or "en", pages, sheets.frames)


def blank_sheet(rules: Rules, seats: int, *, options: PrintOptions) -> PrintedDocument:
    """Return an empty sheet of some rules: no event, and lines for the names."""
    sheets = SheetSet(options)
    about = _("%(n)s players") % {"n": seats}
    sheets.add(
        SheetToPrint(
            rules.name, (about, _("Date:"), _("Table:")), rules, ("",) * seats, f"::{rules.id}"
        )
    )
    return PrintedDocument(rules.name, get_language() or "en", sheets.pages, sheets.frames)


def _sheet(
    event: Event,
    round_: Round,
    table: Table,
    names: Sequence[str],
    boards: Sequence[int],
    hands: int | None,
) -> SheetToPrint:
    rules = rules_of(table.game.snapshot)
    day = formats.date_format(round_.meeting.date, "l j F Y") if round_.meeting else ""
    played = table.game.snapshot.variant_name
    if hands is not None:
        text = ngettext("%(game)s, %(n)s hand", "%(game)s, %(n)s hands", hands)
        played = text % {"game": played, "n": hands}
    if boards:
        played += ", " + _("boards %(numbers)s") % {"numbers": in_words(boards)}
    number = round_title(round_.number, names_on_page(event))
    teams = teams_of(list(table.seats.all()), rules)
    return SheetToPrint(
        title=_("Table %(number)s") % {"number": table.number},
        lines=(", ".join(filter(None, (number, day))), f"{event.name}, {event.club.name}", played),
        rules=rules,
        names=tuple(names),
        code=f"{event.club.slug}:{event.slug}:{table.code}",
        teams=tuple(map(tuple, teams)) if teams else None,
        hands=hands,
        plays_boards=settings_of(event).duplicate and table.game.counts,
    )
