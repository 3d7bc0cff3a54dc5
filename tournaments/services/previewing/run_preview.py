"""Previews of a correction, computed by the real service and the real rendering in a transaction
that is rolled back (docs/decisions/0021-preview-by-rollback.md).

`preview` shows the effects, `save_as_previewed` makes the change if the effects are the same."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from operator import attrgetter
from typing import Final, TypeVar

from scoring.errors import Problem
from tournaments.domain.etags import digest_of
from tournaments.domain.event_settings import settings_of
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.standings import Publication
from tournaments.selectors.clubs.names import FULL_NAME, hides_names
from tournaments.selectors.events.change_log import corrected_hands
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.hands.score_sheet import get_game, table_sheet
from tournaments.selectors.hands.score_sheet_views import Finish, HandView, TableSheet, hand_of
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.standings.publications import stored_publication
from tournaments.selectors.standings.standings_view import (
    StandingsRow,
    StandingsView,
    standings_view,
)
from tournaments.services.db.transactions import dry_run, join_operations
from tournaments.services.drafts import outdated_drafts
from tournaments.services.hands.record_entry import lock_table_totals
from tournaments.services.previewing.diff import (
    Preview,
    PreviewedCorrection,
    RowChange,
    ScoreChange,
    rank_in,
)
from tournaments.services.previewing.documents import (
    BoundaryDocument,
    CorrectionDocument,
    NumberedHandPair,
    PreviewedGame,
    PreviewedHand,
    SeatEnd,
)
from tournaments.services.previewing.evening_changes import (
    evening_change,
    evening_table_now,
    find_evening_of_table,
    find_evening_on_day,
)
from tournaments.services.previewing.snapshot import (
    current_snapshot,
    cut_changes,
    ladder_changes,
    lock_for_snapshot,
    playoff_changes,
    publication_numbers,
    snapshot_in_dry_run,
)
from tournaments.services.publishing.rank_and_render import (
    DraftStandings,
    draft_body,
    draft_standings,
    standings_as_stored,
)

T = TypeVar("T")
V = TypeVar("V")
MOST_ROWS: Final = 100
"""Rows of the standings that a preview lists; the others that change are counted."""
TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class ChosenHands:
    """The hand `number` of the table `code`, and `more` that change with it, with `boards`."""

    event: Event
    code: str
    number: int
    more: tuple[int, ...] = ()
    boards: tuple[int, ...] = ()

    @property
    def numbers(self) -> tuple[int, ...]:
        return (self.number, *self.more)


class PreviewOutdated(Conflict):
    """The previewed change is not what would happen now; `preview` is."""

    def __init__(self, preview: Preview) -> None:
        document = {**preview.as_json(), "digest": preview.digest}
        super().__init__(Problem("preview_outdated"), there=document)
        self.preview = preview


class _EventMoved(Exception):
    """The event changed between the preview and the change."""


def preview(at: ChosenHands, change: Callable[[], object], *, now: datetime) -> Preview:
    """Return what `change` would do at the time `now`; nothing is stored."""
    return _preview(at, change, now)[0]


def save_as_previewed(
    at: ChosenHands,
    change: Callable[[], T],
    *,
    digest: str,
    now: datetime,
    n_changes: Callable[[T], int] = lambda _: 1,
) -> T:
    """Do `change`, which revises `n_changes` hands, if it does what `digest` previewed."""

    return do_as_previewed(
        "save_as_previewed",
        at.event,
        lambda: _preview(at, change, now),
        change,
        digest,
        lock=lambda: _lock_totals(at),
        n_changes=n_changes,
    )


def do_as_previewed(
    name: str,
    event: Event,
    attempt: Callable[[], tuple[Preview, object]],
    change: Callable[[], T],
    digest: str,
    *,
    lock: Callable[[], object] = lambda: None,
    n_changes: Callable[[T], int] = lambda _: 1,
) -> T:
    """Do `change` as the operation `name`, if the preview that `attempt` makes has this digest."""
    for _ in range(TRIES):
        preview, previewed = attempt()
        if getattr(previewed, "replayed", False):
            return change()
        if preview.digest != digest:
            break
        try:
            with join_operations(name):
                lock()
                outcome = change()
                if event_version(event) != preview.version + n_changes(outcome):
                    raise _EventMoved
                return outcome
        except _EventMoved:
            continue
    raise PreviewOutdated(preview)


def _preview(at: ChosenHands, change: Callable[[], T], now: datetime) -> tuple[Preview, T]:
    def make() -> T:
        _lock_totals(at)
        return change()

    def read_sheet(_outcome: T) -> TableSheet:
        return table_sheet(at.event, at.code)

    outcome, sheet, then, effects = try_change(at.event, at.code, make, read_sheet, now=now)
    pairs = [(hand_of(sheet, number), hand_of(then, number)) for number in at.numbers]
    hands: list[NumberedHandPair] = [
        {"number": hand.number, "before": _hand_json(hand), "after": _hand_json(hand_then)}
        for hand, hand_then in pairs
    ]
    document: CorrectionDocument = {
        "table": sheet.code,
        "number": at.number,
        "event": {"state": effects.state, "corrected": effects.n_corrected},
        "hand": {"before": hands[0]["before"], "after": hands[0]["after"]},
        "hands": hands,
        "game": _game(sheet, then, at.numbers),
    }
    corrections = [PreviewedCorrection(*pair, _seats(sheet, then, *pair)) for pair in pairs]
    return replace(effects, document=document, hands=corrections), outcome


def _hand_json(hand: HandView) -> PreviewedHand:
    return {
        "state": hand.state,
        "revision": hand.revision,
        "entry": dict(hand.entry),
        "scores": [cell.score for cell in hand.cells],
    }


def _seats(
    sheet: TableSheet, then: TableSheet, hand: HandView, hand_then: HandView
) -> list[ScoreChange]:
    cells, cells_then = (
        {cell.seat.number: cell for cell in each.cells} for each in (hand, hand_then)
    )
    seats: list[ScoreChange] = []
    for end, end_then in ends_of(sheet, then):
        if end.seat != end.column.seats[0]:
            continue
        cell = cells.get(end.seat.number)
        cell_then = cells_then.get(end.seat.number)
        score, score_then = (each.score if each else None for each in (cell, cell_then))
        typed, typed_then = (each and each.typed for each in (cell, cell_then))
        seats.append(
            {
                "column": end.column,
                "cell": cell,
                "cell_then": cell_then,
                "took_differs": typed != typed_then,
                "score": score,
                "score_then": score_then,
                "score_differs": score != score_then,
                "end": end,
                "end_then": end_then,
                "total_differs": end.total != end_then.total,
                "place_differs": (end.place, end.is_tied) != (end_then.place, end_then.is_tied),
            }
        )
    return seats


def ends_of(sheet: TableSheet, then: TableSheet) -> list[tuple[Finish, Finish]]:
    ends_then = {finish.seat.number: finish for finish in then.finishes}
    return [(finish, ends_then[finish.seat.number]) for finish in sheet.finishes]


def end_json(finish: Finish) -> SeatEnd:
    return {"total": finish.total, "place": finish.place, "tied": finish.is_tied}


def _game(sheet: TableSheet, then: TableSheet, numbers: Collection[int]) -> PreviewedGame:
    ends = ends_of(sheet, then)
    scores = {hand.number: [cell.score for cell in hand.cells] for hand in sheet.hands}
    return {
        "state": {"before": sheet.state, "after": then.state},
        "seats": [
            {
                "seat": end.seat.number,
                "player_id": end.seat.player_id or None,
                "before": end_json(end),
                "after": end_json(end_then),
            }
            for end, end_then in ends
        ],
        "other_hands": [
            hand.number
            for hand in then.hands
            if hand.number not in numbers
            and scores.get(hand.number) != [cell.score for cell in hand.cells]
        ],
        "places_stay": all(
            (end.place, end.is_tied) == (end_then.place, end_then.is_tied) for end, end_then in ends
        ),
    }


def _lock_totals(at: ChosenHands) -> None:
    """Lock what several hands would lock one after the other, before the first of them."""
    if at.more:
        lock_table_totals(get_game(at.event, at.code), at.boards)


def try_change(
    event: Event,
    code: str,
    change: Callable[[], T],
    read: Callable[[T], V],
    *,
    now: datetime,
    day: date | None = None,
) -> tuple[T, V, V, Preview]:
    """Run `change` at the table `code` in a dry run; again after a concurrent entry.

    Return its result, the results of `read` without and with it, and its effects.

    Args:
        code: empty for a change at no table.
        day: that of the evening of a change at no table; one of a table is its round's.
    """
    for _ in range(TRIES):
        version = event_version(event)
        before, newest = standings_now(event, version)
        snapshot = current_snapshot(event, code, now=now)
        drafts = outdated_drafts(event)
        meeting = find_evening_of_table(event, code) if code else find_evening_on_day(event, day)
        evening = evening_table_now(event, meeting.date) if meeting is not None else None
        with dry_run():
            lock_for_snapshot(event)
            outcome = change()
            fresh = Event.objects.select_related("club", "season").get(pk=event.pk)
            draft = draft_standings(fresh)
            n_corrected = corrected_hands(fresh)
            evening_then = evening_table_now(fresh, meeting.date) if meeting is not None else None
            tables_then = read(outcome)
            snapshot_then = snapshot_in_dry_run(fresh, code, now=now)
            drafts_then = outdated_drafts(fresh, Publication(body=draft_body(draft)))
            is_whole = event_version(event) == version
        tables = read(outcome)
        if is_whole:
            break
    after = as_laid_out(draft)
    names = hidden_names(event)
    rows, n_same = row_changes(before, after, names)
    published, published_then = publication_numbers(newest, is_same=before.digest == after.digest)
    effects = Preview(
        state=event.state,
        rows=tuple(sorted(rows[:MOST_ROWS], key=attrgetter("order"))),
        n_rows=len(rows),
        n_moved=sum(1 for row in rows if {"rank", "tied"} & set(row.changed)),
        n_same=n_same,
        head=str(after.columns[0].head),
        crossings=crossings_between(event, before, after, names),
        n_corrected=n_corrected,
        ladder=ladder_changes(event, snapshot.ladder, snapshot_then.ladder),
        evening=evening_change(event, meeting, evening, evening_then, names, now=now),
        playoffs=playoff_changes(snapshot.ties, snapshot_then.ties),
        cuts=cut_changes(snapshot.ties, snapshot_then.ties),
        drafts=tuple(row for n, row in drafts_then.items() if row != drafts.get(n)),
        publication=published,
        publication_then=published_then,
        version=version,
    )
    return outcome, tables, tables_then, effects


def standings_now(event: Event, version: int) -> tuple[StandingsView, Publication | None]:
    """Return the standings that readers see: as published, unless a publication is due.

    During a review readers see the newest publication, without later corrections.
    """
    newest = stored_publication(event)
    row = Dirty.objects.filter(scope=event_scope(event.pk))
    done = row.values_list("done", flat=True).first()
    if newest is not None and done == version:
        return standings_view(newest, is_full=True), newest
    return as_laid_out(standings_as_stored(event.pk)), newest


def as_laid_out(table: DraftStandings) -> StandingsView:
    """Return the rows of a draft of the standings as a page shows them."""
    body = draft_body(table)
    draft = Publication(number=0, version=0, digest=digest_of(body), body=body)
    return standings_view(draft, is_full=True)


def hidden_names(event: Event) -> Mapping[str, str]:
    """Return the full names of entrants, by code, where publications may not have them."""
    if not hides_names(event.club):
        return {}
    return names_in(event, FULL_NAME)


def rows_by_code(view: StandingsView) -> dict[str, StandingsRow]:
    return {row.entrant_id: row for row in (*view.rows, *view.provisional_rows)}


def row_changes(
    before: StandingsView, after: StandingsView, names: Mapping[str, str]
) -> tuple[list[RowChange], int]:
    """Return the visibly different rows, those with changed figures first, and the number of the
    others; `names` are those that the rows do not show in full (`hidden_names`).
    """
    old, new = rows_by_code(before), rows_by_code(after)
    changes = []
    n_same = 0
    for code in {**new, **old}:
        row, then = old.get(code), new.get(code)
        facts = row.facts if row else {}
        facts_then = then.facts if then else {}
        keys = (key for key in {**facts, **facts_then} if key != "reason_facts")
        changed = tuple(key for key in keys if facts.get(key) != facts_then.get(key))
        latest = then or row
        name = names.get(code) or (latest.name if latest else "")
        row_change = RowChange(code, name, row, then, changed)
        if changed and row_change.is_visible:
            changes.append(row_change)
        else:
            n_same += 1
    changes.sort(key=lambda row: not row.has_own_figures)
    return changes, n_same


def crossings_between(
    event: Event,
    before: StandingsView,
    after: StandingsView,
    names: Mapping[str, str],
    *,
    boundaries_then: Mapping[str, int] | None = None,
) -> list[BoundaryDocument]:
    """Return each cut-off, with the entrants that rise above it and that fall below it.

    `boundaries_then` are the lines of `after`, else those of the event. A line that only one of the
    two has has no crossings.
    """
    boundaries = settings_of(event).boundaries
    then = boundaries if boundaries_then is None else boundaries_then
    crossings: list[BoundaryDocument] = []
    for boundary in sorted(boundaries.keys() & then.keys()):
        above = _names_above(before, boundaries[boundary])
        above_then = _names_above(after, then[boundary])
        comes_in, goes_out = (
            [names.get(code, name) for code, name in upper.items() if code not in lower]
            for upper, lower in ((above_then, above), (above, above_then))
        )
        crossings.append(
            {"boundary": boundary, "places": then[boundary], "in": comes_in, "out": goes_out}
        )
    return crossings


def _names_above(view: StandingsView, places: int) -> dict[str, str]:
    """Return the entrants above a line by code, including ties at it, without withdrawn ones."""
    rows = [row for row in view.rows if not row.is_withdrawn]
    if len(rows) > places:
        last = rank_in(rows[places - 1].facts) or 0
        rows = [row for row in rows if (rank_in(row.facts) or 0) <= last]
    return {row.entrant_id: row.name for row in rows}
