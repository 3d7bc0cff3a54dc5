"""What a change of one hand would do, computed by doing it: the very service and the very
rendering, in a transaction that is rolled back (docs/decisions/0021-preview-by-doing-it.md).

`preview` tells it, `save_as_previewed` does it if it still is what was told."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import Final, TypeVar

from scoring.errors import Problem
from tournaments.domain.etags import digest_of
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.standings import Publication
from tournaments.selectors.clubs.names import FULL_NAME, hides_names
from tournaments.selectors.events.change_log import corrected_hands
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.hands.score_sheet import game_at, table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, TableSheet, hand_of
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.standings.standings import stored_publication
from tournaments.selectors.standings.standings_view import StandingsView, standings_view
from tournaments.services.db.transactions import dry_run, join_acts
from tournaments.services.hands.record_entry import lock_table_totals
from tournaments.services.previewing.diff import (
    Crossing,
    HandChange,
    Preview,
    RowChange,
    SeatChange,
    rank_in,
)
from tournaments.services.previewing.other_effects import Consequences
from tournaments.services.previewing.snapshot import (
    consequences,
    current_snapshot,
    lock_for_snapshot,
    snapshot_in_dry_run,
)
from tournaments.services.publishing.standings import DraftStandings, draft_standings
from tournaments.services.publishing.standings import render_draft as as_bytes

T = TypeVar("T")
MOST_ROWS: Final = 100
"""Rows of the standings that a preview lists; the others that change are counted."""
TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class HandRef:
    """The hand that something is about: `number` at the table `code` of `event`.

    `more` are further hands of that table that are corrected with it, and `boards` the numbers of
    the boards that they name.
    """

    event: Event
    code: str
    number: int
    more: tuple[int, ...] = ()
    boards: tuple[int, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        """All hands that it is about."""
        return (self.number, *self.more)


class PreviewOutdated(Conflict):
    """What was looked at is not what would happen now; `preview` is."""

    def __init__(self, preview: Preview) -> None:
        there = {**preview.as_json(), "digest": preview.digest}
        super().__init__(Problem("preview_outdated"), there=there)
        self.preview = preview


class _Moved(Exception):
    """The event changed between the look and the save."""


def preview(at: HandRef, change: Callable[[], object], *, now: datetime) -> Preview:
    """Return what `change` would do; nothing is kept of it.

    Args:
        now: when it would be done.

    Raises:
        What `change` raises: it is refused in a preview as it would be when it is saved.
    """
    return _tried(at, change, now)[0]


def _one(_made: object) -> int:
    return 1


def save_as_previewed(
    at: HandRef,
    change: Callable[[], T],
    *,
    digest: str,
    now: datetime,
    n_changes: Callable[[T], int] = _one,
) -> T:
    """Do `change`, if it does what was previewed under `digest`.

    Args:
        n_changes: how many hands it changed, of what it gave.

    Raises:
        PreviewOutdated: it would do something else now; nothing is saved.
        What `change` raises.
    """
    for _ in range(TRIES):
        shown, made = _tried(at, change, now)
        if getattr(made, "replayed", False):
            return change()
        if shown.digest != digest:
            break
        try:
            with join_acts("save_as_previewed"):
                _hold_all(at)
                done = change()
                if event_version(at.event) != shown.version + n_changes(done):
                    raise _Moved
                return done
        except _Moved:
            continue
    raise PreviewOutdated(shown)


def _tried(at: HandRef, change: Callable[[], T], now: datetime) -> tuple[Preview, T]:
    """Look, do it for trial, look again; once more where somebody else entered meanwhile."""
    for _ in range(TRIES):
        version = event_version(at.event)
        before, newest = standings_now(at.event, version)
        sheet = table_sheet(at.event, at.code)
        beyond = current_snapshot(at.event, at.code, now=now)
        with dry_run():
            lock_for_snapshot(at.event)
            _hold_all(at)
            made = change()
            fresh = Event.objects.select_related("club", "season").get(pk=at.event.pk)
            after, n_corrected = draft_standings(fresh), corrected_hands(fresh)
            sheet_then = table_sheet(at.event, at.code)
            beyond_then = snapshot_in_dry_run(fresh, at.code, now=now)
            is_whole = event_version(at.event) == version
        if is_whole:
            break
    tables = (before, as_laid_out(after))
    told = _compare(at, (sheet, sheet_then), tables, newest, version)
    found = consequences(at.event, beyond, beyond_then)
    told = replace(told, n_corrected=n_corrected, beyond=found)
    if told.under_review:
        told = replace(told, publication_then=told.publication)
    return told, made


def _hold_all(at: HandRef) -> None:
    """Lock what several hands would take one after the other, before the first of them."""
    if at.more:
        lock_table_totals(game_at(at.event, at.code), at.boards)


def standings_now(event: Event, version: int) -> tuple[StandingsView, Publication | None]:
    """Return the standings that readers see: as published, unless a change is on its way.

    While they are under review readers see the newest publication, whatever was corrected since.
    """
    newest = stored_publication(event)
    row = Dirty.objects.filter(scope=event_scope(event.pk))
    done = row.values_list("done", flat=True).first()
    if newest is not None and done == version:
        return standings_view(newest), newest
    fresh = Event.objects.select_related("club", "season").get(pk=event.pk)
    return as_laid_out(draft_standings(fresh)), newest


def as_laid_out(table: DraftStandings) -> StandingsView:
    """Return the rows of a draft of the standings as a page shows them."""
    body = as_bytes(table).body
    return standings_view(Publication(number=0, version=0, digest=digest_of(body), body=body))


def _compare(
    at: HandRef,
    sheets: tuple[TableSheet, TableSheet],
    tables: tuple[StandingsView, StandingsView],
    newest: Publication | None,
    version: int,
) -> Preview:
    event = at.event
    (sheet, then), (before, after) = sheets, tables
    names = hidden_names(event)
    rows, n_same = row_changes(before, after, names)
    moved = [row for row in rows if {"rank", "tied"} & set(row.changed)]
    published = newest.number if newest is not None else None
    is_same = before.digest == after.digest
    hands = []
    for number in at.numbers:
        hand, hand_then = (hand_of(sheet, number) for sheet in sheets)
        seats = _seat_changes(sheet, then, hand, hand_then)
        hands.append(HandChange(number, hand, hand_then, seats))
    return Preview(
        table=sheet.code,
        state=event.state,
        hands=tuple(hands),
        other_hands=_other_hands(sheet, then, at.numbers),
        table_state=sheet.state,
        table_state_then=then.state,
        rows=tuple(sorted(rows[:MOST_ROWS], key=attrgetter("order"))),
        n_rows=len(rows),
        n_moved=len(moved),
        n_same=n_same,
        head=str(after.columns[0].head),
        crossings=crossings_between(event, before, after, names),
        n_corrected=0,
        beyond=Consequences(),
        publication=published,
        publication_then=published if is_same else (published or 0) + 1,
        version=version,
    )


def _seat_changes(
    sheet: TableSheet, then: TableSheet, hand: HandView, hand_then: HandView
) -> tuple[SeatChange, ...]:
    cells, cells_then = (
        {cell.seat.number: cell for cell in each.cells} for each in (hand, hand_then)
    )
    ends_then = {finish.seat.number: finish for finish in then.finishes}
    return tuple(
        SeatChange(
            end.seat,
            cells.get(end.seat.number),
            cells_then.get(end.seat.number),
            end,
            ends_then[end.seat.number],
        )
        for end in sheet.finishes
    )


def _other_hands(sheet: TableSheet, then: TableSheet, numbers: Collection[int]) -> tuple[int, ...]:
    """Further hands of the table that book something else then: they are settled by the totals."""
    scores = {hand.number: [cell.score for cell in hand.cells] for hand in sheet.hands}
    return tuple(
        hand.number
        for hand in then.hands
        if hand.number not in numbers
        and scores.get(hand.number) != [cell.score for cell in hand.cells]
    )


def hidden_names(event: Event) -> Mapping[str, str]:
    """Return the full names of entrants, by code, where publications may not have them."""
    return names_in(event, FULL_NAME) if hides_names(event.club) else {}


def row_changes(
    before: StandingsView, after: StandingsView, names: Mapping[str, str]
) -> tuple[list[RowChange], int]:
    """Return the rows that a reader sees differ, those with other figures first, and how many
    others there are.

    Args:
        names: of entrants whom the rows do not name in full (`hidden_names`).
    """
    old, new = (
        {row.entrant_id: row for row in (*view.rows, *view.provisional_rows)}
        for view in (before, after)
    )
    found, n_same = [], 0
    for code in {**new, **old}:
        row, then = old.get(code), new.get(code)
        changed = _changed(row.facts if row else {}, then.facts if then else {})
        shown = then or row
        name = names.get(code) or (shown.name if shown else "")
        row_change = RowChange(code, name, row, then, changed)
        if changed and row_change.is_visible:
            found.append(row_change)
        else:
            n_same += 1
    found.sort(key=lambda row: not row.has_own_figures)
    return found, n_same


def _changed(row: Mapping[str, object], then: Mapping[str, object]) -> tuple[str, ...]:
    """The keys that differ; of facts of a reason the sentences say it."""
    keys = (key for key in {**row, **then} if key != "reason_facts")
    return tuple(key for key in keys if row.get(key) != then.get(key))


def crossings_between(
    event: Event,
    before: StandingsView,
    after: StandingsView,
    names: Mapping[str, str],
    *,
    boundaries_then: Mapping[str, int] | None = None,
) -> tuple[Crossing, ...]:
    """Return each cut-off, with who comes above it and who falls below.

    Args:
        boundaries_then: the lines of `after`; else those of the event. A line that only one of
            the two has is crossed by nobody.
    """
    boundaries = settings_of(event).boundaries
    then = boundaries if boundaries_then is None else boundaries_then
    found = []
    for boundary in sorted(boundaries.keys() & then.keys()):
        above = _above(before, boundaries[boundary])
        above_then = _above(after, then[boundary])
        found.append(
            Crossing(
                boundary,
                then[boundary],
                _named(above_then, above, names),
                _named(above, above_then, names),
            )
        )
    return tuple(found)


def _named(
    here: Mapping[str, str], there: Mapping[str, str], names: Mapping[str, str]
) -> tuple[str, ...]:
    """The names of those who are `here` and not `there`."""
    return tuple(names.get(code, name) for code, name in here.items() if code not in there)


def _above(view: StandingsView, places: int) -> dict[str, str]:
    """Who stands above a line, ties at it included; who withdrew is passed over."""
    there = [row for row in view.rows if not row.is_withdrawn]
    if len(there) <= places:
        return {row.entrant_id: row.name for row in there}
    last = rank_in(there[places - 1].facts) or 0
    return {row.entrant_id: row.name for row in there if (rank_in(row.facts) or 0) <= last}
