"""What is printed for a round, as one PDF: seating lists, table cards, score sheets."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import formats
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from scoring.rules.rules import Rules
from tournaments.domain.board_movement import boards_at, in_words
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import teams_of
from tournaments.domain.sheets.print_options import CARDS, LIST, SHEETS, PrintOptions
from tournaments.domain.sheets.sheet_code import SheetCode
from tournaments.models.events import Event
from tournaments.models.meetings import Round
from tournaments.printing.score_sheets import SheetSet, SheetToPrint
from tournaments.printing.seating_lists import seating_pages
from tournaments.printing.table_cards import card_frame, card_pages
from tournaments.printing.typesetting import PrintedDocument
from tournaments.selectors.access.linked_tables import linked_tables
from tournaments.selectors.boards.boards import boards_in_round
from tournaments.selectors.events.adjustments import sit_outs_in
from tournaments.selectors.rounds.printed_tables import PrintedTable, printed_tables
from tournaments.services.rules.rule_sets import rules_of


def round_document(
    event: Event,
    round_: Round,
    parts: Sequence[str],
    *,
    options: PrintOptions,
    entrance: str,
    now: datetime,
) -> PrintedDocument:
    """Return some parts of what is printed for a round; a fixed number of queries.

    Args:
        parts: of `domain.print_options.PARTS`; cards carry the tables' links, so whoever asks
            may manage them.
        entrance: the whole address where codes of links are typed.
    """
    tables = printed_tables(event, round_)
    pages: list[dict[str, Any]] = []
    sheets = SheetSet(options)
    if LIST in parts:
        out = [one.name for one in sit_outs_in(event, round_)]
        title = _("Round %(number)s") % {"number": round_.number}
        pages += seating_pages(
            tables, out, title=title, subtitle=_about(event, round_), paper=options.paper
        )
    if CARDS in parts:
        sheets.frames.append(card_frame(options.paper))
        linked = linked_tables(event, now, round_number=round_.number)
        names = {table.code: table.names for table in tables}
        pages += card_pages(linked, names, frame=0, paper=options.paper, entrance=entrance)
    if SHEETS in parts:
        number, has_boards = round_.number, settings_of(event).duplicate
        boards = boards_in_round(event, number) if has_boards else ()
        for table in tables:
            here = boards_at(boards, number, table.number)
            sheets.add(_sheet(event, round_, table, options, here))
    pages += sheets.pages
    title = f"{event.club.name}: {event.name}, {_('round %(number)s') % {'number': round_.number}}"
    return PrintedDocument(title, get_language() or "en", pages, sheets.frames)


def blank_sheet(rules: Rules, seats: int, *, options: PrintOptions) -> PrintedDocument:
    """Return an empty sheet of some rules: no event, and lines for the names.

    Raises:
        ValueError: the rules are not for so many players.
    """
    sheets = SheetSet(options)
    code = SheetCode("", "", rules.id, options.layout, options.paper, seats, 0, 1)
    about = _("%(n)s players") % {"n": seats}
    sheets.add(
        SheetToPrint(rules.name, (about, _("Date:"), _("Table:")), rules, ("",) * seats, code)
    )
    return PrintedDocument(rules.name, get_language() or "en", sheets.pages, sheets.frames)


def _about(event: Event, round_: Round) -> str:
    day = formats.date_format(round_.meeting.date, "l j F Y") if round_.meeting else ""
    return ", ".join(filter(None, (event.name, event.club.name, day)))


def _sheet(
    event: Event,
    round_: Round,
    table: PrintedTable,
    options: PrintOptions,
    boards: Sequence[int],
) -> SheetToPrint:
    rules = rules_of(table.snapshot)
    day = formats.date_format(round_.meeting.date, "l j F Y") if round_.meeting else ""
    played = table.snapshot.variant_name
    if table.hands is not None:
        played = _("%(game)s, %(n)s hands") % {"game": played, "n": table.hands}
    if boards:
        played += ", " + _("boards %(numbers)s") % {"numbers": in_words(boards)}
    seats = len(table.seats)
    code = SheetCode(
        event.club.slug, event.slug, table.code, options.layout, options.paper, seats, 0, 1
    )
    number = _("Round %(number)s") % {"number": round_.number}
    teams = teams_of(table.seats, rules)
    return SheetToPrint(
        title=_("Table %(number)s") % {"number": table.number},
        lines=(", ".join(filter(None, (number, day))), f"{event.name}, {event.club.name}", played),
        rules=rules,
        names=table.names,
        code=code,
        teams=tuple(map(tuple, teams)) if teams else None,
        hands=table.hands,
        plays_boards=table.plays_boards,
    )
