"""What a change of who played would do, computed by doing it and rolling it back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import TypeVar

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.selectors.events.change_log import corrected_hands
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import Finish, TableSheet
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.rounds.tables import SittingView, table_seating
from tournaments.services.db.transactions import dry_run, join_acts
from tournaments.services.hands.plan_player_changes import ChangedPlayers
from tournaments.services.previewing.diff import StandingsEffects
from tournaments.services.previewing.documents import (
    PlayerEnd,
    PreviewedSitting,
    SeatsPreviewDocument,
    TableDifferenceDocument,
)
from tournaments.services.previewing.run_preview import (
    MOST_ROWS,
    TRIES,
    as_laid_out,
    crossings_between,
    hidden_names,
    row_changes,
    standings_now,
)
from tournaments.services.previewing.snapshot import (
    consequences,
    current_snapshot,
    lock_for_snapshot,
    snapshot_in_dry_run,
)
from tournaments.services.publishing.standings import draft_standings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SeatDifference:
    """A seat of a table: who has it, with total and place, now and then."""

    seat: Finish
    seat_then: Finish
    stays: bool
    """Whether the same people have it for the same hands."""

    @property
    def differs(self) -> bool:
        """Whether anything about the seat is another thing then."""
        return not self.stays or self.seat != self.seat_then


@dataclass(frozen=True, slots=True)
class TableDifference:
    """A table now and then; `sittings` say who sits where for which hands."""

    code: str
    number: int
    seats: tuple[SeatDifference, ...]
    sittings: tuple[SittingView, ...]
    sittings_then: tuple[SittingView, ...]
    gone: tuple[int, ...]
    """Hands that do not count then."""
    back: tuple[int, ...]
    """Hands that count again."""
    revised: tuple[int, ...]
    """Hands whose scores move to other seats: each gets a further revision."""

    @property
    def split(self) -> tuple[SittingView, ...]:
        """Who shares a seat with somebody else then."""
        seats = [one.seat for one in self.sittings_then]
        return tuple(one for one in self.sittings_then if seats.count(one.seat) > 1)

    def as_json(self) -> TableDifferenceDocument:
        """Return what REST gives."""
        return {
            "table": self.code,
            "seats": [
                {
                    "seat": seat.seat.seat.number,
                    "before": _end(seat.seat),
                    "after": _end(seat.seat_then),
                }
                for seat in self.seats
            ],
            "sittings": {
                "before": [_sitting(sitting) for sitting in self.sittings],
                "after": [_sitting(one) for one in self.sittings_then],
            },
            "hands": {
                "deleted": list(self.gone),
                "restored": list(self.back),
                "revised": list(self.revised),
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatsPreview(StandingsEffects):
    """All that a change of who played would change. `digest` names it."""

    tables: tuple[TableDifference, ...]

    def as_json(self) -> SeatsPreviewDocument:
        """Return what REST gives, but for `digest`."""
        return {
            "event": {"state": self.state, "corrected": self.n_corrected},
            "tables": [table.as_json() for table in self.tables],
            **StandingsEffects.as_json(self),
        }


class SeatsPreviewOutdated(Conflict):
    """What was looked at is not what would happen now; `preview` is."""

    def __init__(self, preview: SeatsPreview) -> None:
        there = {**preview.as_json(), "digest": preview.digest}
        super().__init__(Problem("preview_outdated"), there=there)
        self.preview = preview


class _EventMoved(Exception):
    """The event changed between the look and the save."""


def preview_players(
    event: Event, code: str, change: Callable[[], ChangedPlayers], *, now: datetime
) -> SeatsPreview:
    """Return what `change` would do to the table `code` and beyond; nothing is kept of it.

    Raises:
        What `change` raises.
    """
    for _ in range(TRIES):
        version = event_version(event)
        before, newest = standings_now(event, version)
        beyond = current_snapshot(event, code, now=now)
        with dry_run():
            lock_for_snapshot(event)
            done = change()
            fresh = Event.objects.select_related("club", "season").get(pk=event.pk)
            after, n_corrected = draft_standings(fresh), corrected_hands(fresh)
            then = [(table_sheet(event, code), table_seating(event, code)) for code in done.codes]
            beyond_then = snapshot_in_dry_run(fresh, code, now=now)
            is_whole = event_version(event) == version
        now_there = [(table_sheet(event, code), table_seating(event, code)) for code in done.codes]
        if is_whole:
            break
    laid = as_laid_out(after)
    names = hidden_names(event)
    rows, n_same = row_changes(before, laid, names)
    published = newest.number if newest is not None else None
    is_same = before.digest == laid.digest
    return SeatsPreview(
        tables=tuple(
            _table(sheet, sheet_then, seating.sittings, seating_then.sittings)
            for (sheet, seating), (sheet_then, seating_then) in zip(now_there, then, strict=True)
        ),
        state=event.state,
        rows=tuple(sorted(rows[:MOST_ROWS], key=attrgetter("order"))),
        n_rows=len(rows),
        n_moved=len([row for row in rows if {"rank", "tied"} & set(row.changed)]),
        n_same=n_same,
        head=str(laid.columns[0].head),
        crossings=crossings_between(event, before, laid, names),
        n_corrected=n_corrected,
        beyond=consequences(event, beyond, beyond_then),
        publication=published,
        publication_then=published if is_same else (published or 0) + 1,
        version=version,
    )


def change_as_previewed(
    event: Event, code: str, change: Callable[[], ChangedPlayers], *, digest: str, now: datetime
) -> ChangedPlayers:
    """Do `change`, if it does what was previewed under `digest`.

    Raises:
        SeatsPreviewOutdated: it would do something else now; nothing is saved.
        What `change` raises.
    """
    for _ in range(TRIES):
        preview = preview_players(event, code, change, now=now)
        if preview.digest != digest:
            break
        try:
            with join_acts("change_as_previewed"):
                done = change()
                if event_version(event) != preview.version + 1:
                    raise _EventMoved
                return done
        except _EventMoved:
            continue
    raise SeatsPreviewOutdated(preview)


def _table(
    sheet: TableSheet,
    then: TableSheet,
    sittings: Sequence[SittingView],
    sittings_then: Sequence[SittingView],
) -> TableDifference:
    ends_then = {finish.seat.number: finish for finish in then.finishes}
    hands_then = {hand.number: hand for hand in then.hands}
    both = [(hand, hands_then[hand.number]) for hand in sheet.hands if hand.number in hands_then]
    return TableDifference(
        code=sheet.code,
        number=sheet.number,
        seats=tuple(
            SeatDifference(
                end,
                ends_then[end.seat.number],
                _of_seat(sittings, end.seat.number) == _of_seat(sittings_then, end.seat.number),
            )
            for end in sheet.finishes
        ),
        sittings=tuple(sittings),
        sittings_then=tuple(sittings_then),
        gone=tuple(one.number for one, two in both if two.state == "void" != one.state),
        back=tuple(one.number for one, two in both if one.state == "void" != two.state),
        revised=tuple(
            one.number for one, two in both if one.revision != two.revision and one.state != "void"
        ),
    )


def _of_seat(sittings: Sequence[SittingView], seat: int) -> list[SittingView]:
    return [sitting for sitting in sittings if sitting.seat == seat]


def _sitting(sitting_view: SittingView) -> PreviewedSitting:
    return {
        "seat": sitting_view.seat,
        "player_id": sitting_view.player_id,
        "from_hand": sitting_view.from_hand,
        "to_hand": sitting_view.to_hand,
        "substitute_for": sitting_view.substitute_for or None,
    }


def _end(end: Finish) -> PlayerEnd:
    return {
        "player_id": end.seat.player_id or None,
        "total": end.total,
        "place": end.place,
        "tied": end.is_tied,
    }
