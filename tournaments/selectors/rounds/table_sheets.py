"""The paper sheets of tables: printing, entry, photos and checks.

Takes an event from `selectors.events.events.get_event`, which checks permissions; only users who
may enter a hand at the table see that a photo exists.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from scoring.json_types import JsonDict
from tournaments.domain.event_settings import settings_of
from tournaments.errors import first_or_missing
from tournaments.models.events import Event, Snapshot, StageKind
from tournaments.models.hands import ReadBack
from tournaments.models.rounds import Picture, Round, Seat, SheetPhoto, Sitting, Table
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.hands.double_entry import SheetDoubleEntry
from tournaments.selectors.hands.entry_display import bylines
from tournaments.selectors.hands.games import hands_of_games_in
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.selectors.rounds.rounds import TableCard, round_cards


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table with its seats in order and the names of their players, empty for an empty seat.

    `hands` is the number of hands, None if not fixed; `plays_boards`: each hand names its board.
    """

    number: int
    code: str
    snapshot: Snapshot
    seats: tuple[Seat, ...]
    names: tuple[str, ...]
    hands: int | None
    plays_boards: bool = False


def printed_tables(event: Event, round_: Round) -> Sequence[PrintedTable]:
    """Return the tables of a round that have seats, by number; six queries at most."""
    rows = Table.objects.filter(event=event, round=round_).select_related("game")
    tables = list(rows.order_by("number"))
    snapshots = Snapshot.objects.in_bulk({table.game.snapshot_id for table in tables})
    seats: dict[int, list[Seat]] = {}
    for seat in Seat.objects.filter(table__in=tables).order_by("number"):
        seats.setdefault(seat.table_id, []).append(seat)
    column = name_column(event)
    sittings = Sitting.objects.filter(round=round_, to_hand__isnull=True).select_related("player")
    names = {sitting.seat_id: name_of(sitting.player, column) for sitting in sittings}
    plays_boards = settings_of(event).duplicate
    hands = hands_of_games_in(event, [table.game for table in tables])
    return tuple(
        PrintedTable(
            number=table.number,
            code=table.code,
            snapshot=snapshots[table.game.snapshot_id],
            seats=tuple(seats[table.pk]),
            names=tuple(names.get(seat.pk, "") for seat in seats[table.pk]),
            hands=hands[table.game.pk],
            plays_boards=plays_boards and table.game.counts,
        )
        for table in tables
        if table.pk in seats
    )


def photos_at(event: Event, code: str) -> Sequence[SheetPhoto]:
    """Return the photos of a table by number, the ones taken away included; one query."""
    return tuple(SheetPhoto.objects.filter(table__event=event, table__code=code).order_by("number"))


def stored_photos(event: Event, code: str) -> Sequence[SheetPhoto]:
    return tuple(photo for photo in photos_at(event, code) if photo.removed_at is None)


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


def digest_of(hands: Iterable[tuple[int, str, int]]) -> str:
    """Return the digest of a sheet: SHA-256 over number, state and revision of each hand.

    >>> digest_of([(2, "accepted", 1), (1, "void", 2)])[:12]
    'a00aeddc6bb3'
    """
    text = "\n".join(f"{number} {state} {revision}" for number, state, revision in sorted(hands))
    return hashlib.sha256(text.encode()).hexdigest()


def sheet_digest(sheet: TableSheet) -> str:
    return digest_of((hand.number, hand.state, hand.revision) for hand in sheet.hands)


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

    `both` has the two entries of it, if the event requires double entry.
    """

    def __init__(
        self, card: TableCard, both: SheetDoubleEntry | None, *, is_open_ended: bool
    ) -> None:
        self.code, self.number, self.names = card.code, card.number, card.people
        self.state = card.state
        self.hands, self.of, self.has_totals = card.hands, card.of, card.has_totals
        self.is_in, self.both = _is_in(card, is_open_ended=is_open_ended), both

    @property
    def may_be_typed_again(self) -> bool:
        """Whether its first typing is in."""
        return self.is_in or (self.of is not None and self.hands >= self.of)


def sheet_stack(
    event: Event, round_: Round, twice: Mapping[str, SheetDoubleEntry] | None = None
) -> tuple[StackedSheet, ...]:
    """Return the sheets of a round by table, in as many queries as `round_cards`.

    In an open-ended event a game without a number of hands lasts as long as its sheet; so one hand
    is enough to be in. One of a play-off lasts until that is decided.

    Args:
        twice: code → what two people typed, where the event asks for that.
    """
    is_open_ended = settings_of(event).is_open_ended
    return tuple(
        StackedSheet(
            card,
            None if twice is None else twice.get(card.code, SheetDoubleEntry()),
            is_open_ended=is_open_ended,
        )
        for card in round_cards(event, round_)
    )


def _is_in(card: TableCard, *, is_open_ended: bool) -> bool:
    if card.state in IN and not (card.state == "complete" and card.missing_numbers):
        return True
    if card.missing_numbers or not (card.of is not None or is_open_ended):
        return False
    return card.hands >= card.of if card.of is not None else card.counts and card.hands > 0


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
