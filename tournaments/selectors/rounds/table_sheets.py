"""The paper sheets of tables: printing, entry, photos and checks.

Takes an event from `selectors.events.events.get_event`, which checks permissions; only users who
may enter a hand at the table see that a photo exists.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from django.db.models import Prefetch
from django.utils.translation import gettext as _

from scoring.json_types import JsonDict
from tournaments.domain.event_settings import settings_of
from tournaments.errors import first_or_missing
from tournaments.models.events import Event, StageKind
from tournaments.models.hands import Hand, ReadBack
from tournaments.models.rounds import Picture, Round, Seat, SheetPhoto, Sitting, Table
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.hands.double_entry import SheetDoubleEntry
from tournaments.selectors.hands.entry_display import bylines
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.selectors.rounds.rounds import TableCard, round_cards


def printed_tables(event: Event, round_: Round) -> list[tuple[Table, list[str]]]:
    """Return the tables of a round that have seats, by number, with the names in their seats.

    An empty seat has an empty name. Four queries; `seats` and snapshots are read.
    """
    tables = Table.objects.filter(event=event, round=round_).select_related("game")
    seats = Prefetch("seats", Seat.objects.order_by("number"))
    rows = list(tables.prefetch_related("game__snapshot", seats).order_by("number"))
    column = name_column(event)
    sittings = Sitting.objects.filter(round=round_, to_hand__isnull=True).select_related("player")
    names = {sitting.seat_id: name_of(sitting.player, column) for sitting in sittings}
    return [
        (table, [names.get(seat.pk, "") for seat in table.seats.all()])
        for table in rows
        if table.seats.all()
    ]


def photos_at(event: Event, code: str) -> Sequence[SheetPhoto]:
    """Return the photos of a table by number, the ones taken away included; one query."""
    return tuple(SheetPhoto.objects.filter(table__event=event, table__code=code).order_by("number"))


def stored_photos(event: Event, code: str) -> Sequence[SheetPhoto]:
    return tuple(photo for photo in photos_at(event, code) if photo.removed_at is None)


def may_enter_sheet(event: Event, sheet: TableSheet) -> bool:
    """Whether the reader may save something at a table now, as `require_open` decides it."""
    is_over = event.state == "final" and sheet.round_state != "closed" and sheet.counts
    if event.state == "draft" or sheet.round_state == "draft" or is_over:
        return False
    is_played = event.is_open or not sheet.counts
    is_open = is_played and sheet.round_state != "closed"
    return may_do(event, "enter_hand" if is_open else "correct_closed")


def get_photo(event: Event, code: str, number: int) -> SheetPhoto:
    photos = SheetPhoto.objects.select_related("club", "table__game__event", "table__round")
    rows = photos.filter(table__event=event, table__code=code, number=number)
    return first_or_missing(rows, "photo", table=code)


def picture_at(event: Event, code: str, number: int) -> bytes:
    pictures = Picture.objects.filter(
        photo__table__event=event, photo__table__code=code, photo__number=number
    )
    rows = pictures.values_list("jpeg", flat=True)
    return bytes(first_or_missing(rows, "photo", table=code, photo=number))


def digest_of_hands(hands: Iterable[tuple[int, str, int]]) -> str:
    """Return the digest of a sheet: SHA-256 over number, state and revision of each hand.

    >>> digest_of_hands([(2, "accepted", 1), (1, "void", 2)])[:12]
    'a00aeddc6bb3'
    """
    text = "\n".join(f"{number} {state} {revision}" for number, state, revision in sorted(hands))
    return hashlib.sha256(text.encode()).hexdigest()


def sheet_digest(sheet: TableSheet) -> str:
    return digest_of_hands((hand.number, hand.state, hand.revision) for hand in sheet.hands)


def sheet_verification_of(event: Event, sheet: TableSheet) -> JsonDict | None:
    """Return the last verification of a table's sheet, or None; one query.

    It `is_current` if nothing changed since.
    """
    read_backs = ReadBack.objects.filter(game__event=event, game__table__code=sheet.code)
    rows = list(read_backs.order_by("at", "pk"))
    if not rows:
        return None
    digest = sheet_digest(sheet)
    matching = next((row for row in rows if row.sheet == digest), None)
    latest = matching or rows[-1]
    names = bylines(event, {latest.by_id})
    by = names.get(latest.by_id or 0, latest.by_as)
    return {"by": by, "at": latest.at, "is_current": matching is not None}


def rounds_on(event: Event, day: date) -> Sequence[Round]:
    """Return the rounds of an evening by number, without those of play-offs."""
    return tuple(rounds_of(event).filter(meeting__date=day).exclude(stage__kind=StageKind.PLAYOFF))


IN: Final = frozenset({"complete", "checked", "abandoned", "final"})


class StackedSheet:
    """One sheet to enter; `of` is its expected number of hands, if known. `names` are in the order
    of the seats.

    `both` has the two entries of it, if the event requires double entry. `missing` are the numbers
    that no hand has, until the sheet was checked as it is, and `on_paper` the last number then.
    """

    def __init__(
        self, card: TableCard, both: SheetDoubleEntry | None, on_paper: int, *, is_open_ended: bool
    ) -> None:
        self.code, self.number, self.names = card.code, card.number, card.people
        self.state = card.state
        self.on_paper = on_paper
        self.missing = card.missing_numbers if on_paper else ()
        self.hands, self.of, self.has_totals = card.hands, card.of, card.has_totals
        self.is_in = self._is_in(card, is_open_ended=is_open_ended)
        self.both = both

    @property
    def is_unconfirmed(self) -> bool:
        """Whether hands are in that may be all of them, and nobody has confirmed the sheet."""
        return self.is_in and self.state not in IN

    @property
    def gap(self) -> str:
        """How many hands the paper has and how many are stored, if a number was left out."""
        if not self.missing:
            return ""
        text = _("Hands on paper: %(paper)s, stored: %(n)s. Missing: %(hands)s.")
        facts = {"paper": self.on_paper, "n": self.on_paper - len(self.missing)}
        return text % {**facts, "hands": ", ".join(map(str, self.missing))}

    def _is_in(self, card: TableCard, *, is_open_ended: bool) -> bool:
        """Whether nothing of the sheet is left to enter."""
        if self.missing and card.state == "complete":
            return False
        if card.state in IN:
            return True
        if self.missing:
            return False
        if card.of is not None:
            return card.hands >= card.of
        # Without an expected number of hands, any hand may be the last one.
        return is_open_ended and card.counts and card.hands > 0

    @property
    def may_be_typed_again(self) -> bool:
        """Whether its first typing is in."""
        return self.is_in or (self.of is not None and self.hands >= self.of)


def sheet_stack(
    event: Event, round_: Round, twice: Mapping[str, SheetDoubleEntry] | None = None
) -> tuple[StackedSheet, ...]:
    """Return the sheets of a round by table, in as many queries as `round_cards`.

    Two more where the number of a hand is missing. In an open-ended event a game without a number
    of hands lasts as long as its sheet; so one hand is enough to be in. One of a play-off lasts
    until that is decided.

    Args:
        twice: code → what two people typed, where the event asks for that.
    """
    is_open_ended = settings_of(event).is_open_ended
    cards = round_cards(event, round_)
    on_paper = _on_paper(event, [card.code for card in cards if card.missing_numbers])
    return tuple(
        StackedSheet(
            card,
            None if twice is None else twice.get(card.code, SheetDoubleEntry()),
            on_paper.get(card.code, 0),
            is_open_ended=is_open_ended,
        )
        for card in cards
    )


def _on_paper(event: Event, codes: Sequence[str]) -> dict[str, int]:
    """Return the last number of each of these tables whose sheet was not checked as it is."""
    if not codes:
        return {}
    at_tables = {"game__event": event, "game__table__code__in": codes}
    hands: dict[str, list[tuple[int, str, int]]] = {code: [] for code in codes}
    for hand in Hand.objects.filter(**at_tables).select_related("game__table"):
        hands[hand.game.table.code].append((hand.number, hand.state, hand.revision))
    checked = set(ReadBack.objects.filter(**at_tables).values_list("game__table__code", "sheet"))
    return {
        code: max(stored)[0]
        for code, stored in hands.items()
        if (code, digest_of_hands(stored)) not in checked
    }


def double_entry_counts(sheets: Sequence[StackedSheet]) -> dict[str, int]:
    """Return how many sheets have a second entry, and how many of them differ or changed since."""
    entries = [sheet.both for sheet in sheets if sheet.both is not None]
    return {
        "n_twice": sum(entry.is_typed_twice for entry in entries),
        "n_differ": sum("differs" in entry.numbers for entry in entries),
        "n_changed": sum("changed" in entry.numbers for entry in entries),
    }


def next_missing(sheets: Sequence[StackedSheet], after: int) -> StackedSheet | None:
    """Return the next missing sheet after a table; after the last table, the first missing one."""
    missing = [sheet for sheet in sheets if not sheet.is_in and sheet.number != after]
    later = [sheet for sheet in missing if sheet.number > after]
    return next(iter(later or missing), None)
