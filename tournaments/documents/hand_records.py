"""Hand records: the deals of boards that may be shown, six on a page, laid out as at the table."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from scoring.duplicate.deals import SEATS, DealtBoard
from scoring.rules.dealing import pass_of
from tournaments.documents.typesetting import THIN, Drawn, Frame, PrintedDocument, add_box, text_at
from tournaments.domain.sheets.sheet_geometry import PAPERS, Rect
from tournaments.models.events import Event
from tournaments.selectors.boards import suits_of
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.hands.score_sheet import pass_in_words
from tournaments.selectors.rules.rule_sets import rules_of

COLUMNS: Final = 2
ROWS: Final = 3
MARGIN: Final = 12.0
TITLE: Final = 12.0
LINE: Final = 4.4
HAND: Final = 4 * LINE
"""Height of the four suits of a hand, in millimetres."""

PLACES: Final = {"N": (1, 0), "W": (0, 1), "E": (2, 1), "S": (1, 2)}
"""Position of each hand: its third of the width, and its row."""


def hand_record_document(
    event: Event, boards: Sequence[DealtBoard], *, is_before_play: bool = False
) -> PrintedDocument:
    """Return the hand records of some boards; the caller has made sure that they may be shown."""
    width, height = PAPERS["a4"]
    frame = Frame(width, height)
    play = rules_of(default_snapshot(event)).keys.play
    kind = _("secret deals, only for dealing") if is_before_play else _("hand records")
    title = f"{event.club.name}: {event.name}, {kind}"
    pages = []
    each = COLUMNS * ROWS
    for start in range(0, len(boards), each):
        texts = [text_at(Rect(MARGIN, 6, width - 2 * MARGIN, 6), title, 10, least=5, clip=True)]
        for place, board in zip(_boxes(), boards[start : start + each], strict=False):
            how = pass_in_words(play, 4, pass_of(play, 4, board.number))
            texts += _texts(board, how, place)
        pages.append({"kind": "sheet", "frame": 0, "texts": texts, "images": []})
    for place in _boxes():
        add_box(frame, place, THIN, radius=1.5)
    return PrintedDocument(title, get_language() or "en", pages, (frame,))


def _boxes() -> Iterator[Rect]:
    width, height = PAPERS["a4"]
    across = (width - 2 * MARGIN) / COLUMNS
    down = (height - TITLE - 2 * MARGIN) / ROWS
    for row in range(ROWS):
        for column in range(COLUMNS):
            yield Rect(
                MARGIN + column * across + 1.5,
                MARGIN + TITLE / 2 + row * down + 1.5,
                across - 3,
                down - 3,
            )


def _texts(board: DealtBoard, passing: str, place: Rect) -> Iterator[Drawn]:
    heading = _("Board %(number)s") % {"number": board.number}
    about = [_("Dealer %(seat)s") % {"seat": board.dealer}]
    if passing:
        about.append(_("pass %(direction)s") % {"direction": passing})
    top = place.y + 3
    yield text_at(Rect(place.x + 3, top, 30, 6), heading, 13, least=8, weight="bold")
    yield text_at(Rect(place.x + 3, top + 6.5, 30, 5), ", ".join(about), 8, least=5)
    third = (place.width - 4) / 3
    for seat, cards in zip(SEATS, board.hands, strict=True):
        column, row = PLACES[seat]
        x = place.x + 2 + column * third
        y = top + row * (HAND + 7)
        yield from _hand(seat, suits_of(cards), x, y, third)


def _hand(
    seat: str, suits: Sequence[tuple[str, str]], x: float, y: float, width: float
) -> Iterator[Drawn]:
    look: dict[str, Any] = {"least": 5}
    yield text_at(Rect(x, y, width, LINE), seat, 9, weight="bold", **look)
    for at, (sign, ranks) in enumerate(suits, 1):
        yield text_at(Rect(x, y + at * LINE, width, LINE), f"{sign} {ranks}", 9, **look)
