"""Previews of a change of players, computed by making it and rolling it back."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import Finish, TableSheet
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.rounds.tables import SittingView, TableSeating, table_seating
from tournaments.services.db.transactions import join_acts
from tournaments.services.hands.plan_player_changes import ChangedPlayers
from tournaments.services.previewing.diff import StandingsEffects
from tournaments.services.previewing.documents import (
    PlayerEnd,
    PreviewedSitting,
    SeatsPreviewDocument,
    TableDifferenceDocument,
)
from tournaments.services.previewing.run_preview import TRIES, try_change


@dataclass(frozen=True, kw_only=True)
class SeatsPreview(StandingsEffects):
    tables: tuple[tuple[dict[str, object], TableDifferenceDocument], ...]
    """Each table for the page and for REST."""

    def as_json(self) -> SeatsPreviewDocument:
        return {
            "event": {"state": self.state, "corrected": self.n_corrected},
            "tables": [document for _, document in self.tables],
            **StandingsEffects.as_json(self),
        }


class SeatsPreviewOutdated(Conflict):
    """The previewed change is not what would happen now; `preview` is."""

    def __init__(self, preview: SeatsPreview) -> None:
        document = {**preview.as_json(), "digest": preview.digest}
        super().__init__(Problem("preview_outdated"), there=document)
        self.preview = preview


class _EventMoved(Exception):
    """The event changed between the preview and the change."""


def preview_players(
    event: Event, code: str, change: Callable[[], ChangedPlayers], *, now: datetime
) -> SeatsPreview:
    """Return what `change` would do to the table `code` and beyond; nothing is stored."""

    def read_tables(changed: ChangedPlayers) -> list[tuple[TableSheet, TableSeating]]:
        return [(table_sheet(event, code), table_seating(event, code)) for code in changed.codes]

    _, tables, tables_then, effects = try_change(event, code, change, read_tables, now=now)
    return SeatsPreview(
        **vars(effects),
        tables=tuple(map(_table_difference, tables, tables_then)),
    )


def change_as_previewed(
    event: Event, code: str, change: Callable[[], ChangedPlayers], *, digest: str, now: datetime
) -> ChangedPlayers:
    """Do `change`, if it does what was previewed under `digest`; else nothing is saved."""
    for _ in range(TRIES):
        preview = preview_players(event, code, change, now=now)
        if preview.digest != digest:
            break
        try:
            with join_acts("change_as_previewed"):
                changed = change()
                if event_version(event) != preview.version + 1:
                    raise _EventMoved
                return changed
        except _EventMoved:
            continue
    raise SeatsPreviewOutdated(preview)


def _table_difference(
    now: tuple[TableSheet, TableSeating], then: tuple[TableSheet, TableSeating]
) -> tuple[dict[str, object], TableDifferenceDocument]:
    """Return a table now and then, for the page and for REST.

    `gone` are hands that do not count then, `back` hands that count again, `revised` hands whose
    scores move to other seats: each gets a further revision. `split` are the sittings of seats that
    several people share then.
    """
    (sheet, seating), (sheet_then, seating_then) = now, then
    finishes_then = {finish.seat.number: finish for finish in sheet_then.finishes}
    hands_then = {hand.number: hand for hand in sheet_then.hands}
    pairs = [(hand, hands_then[hand.number]) for hand in sheet.hands if hand.number in hands_then]
    seats = []
    for finish in sheet.finishes:
        number = finish.seat.number
        finish_then = finishes_then[number]
        sittings, sittings_then = (
            [sitting for sitting in each.sittings if sitting.seat == number]
            for each in (seating, seating_then)
        )
        seats.append((finish, finish_then, sittings != sittings_then or finish != finish_then))
    gone = [old.number for old, new in pairs if new.state == "void" != old.state]
    back = [old.number for old, new in pairs if old.state == "void" != new.state]
    revised = [
        old.number for old, new in pairs if old.revision != new.revision and old.state != "void"
    ]
    n_people = Counter(sitting.seat for sitting in seating_then.sittings)
    page = {
        "number": sheet.number,
        "seats": seats,
        "split": [sitting for sitting in seating_then.sittings if n_people[sitting.seat] > 1],
        "gone": gone,
        "back": back,
        "revised": revised,
    }
    return page, {
        "table": sheet.code,
        "seats": [
            {
                "seat": finish.seat.number,
                "before": _end_json(finish),
                "after": _end_json(finish_then),
            }
            for finish, finish_then, _ in seats
        ],
        "sittings": {
            "before": [_sitting_json(sitting) for sitting in seating.sittings],
            "after": [_sitting_json(sitting) for sitting in seating_then.sittings],
        },
        "hands": {"deleted": gone, "restored": back, "revised": revised},
    }


def _sitting_json(sitting: SittingView) -> PreviewedSitting:
    return {
        "seat": sitting.seat,
        "player_id": sitting.player_id,
        "from_hand": sitting.from_hand,
        "to_hand": sitting.to_hand,
        "substitute_for": sitting.substitute_for or None,
    }


def _end_json(finish: Finish) -> PlayerEnd:
    return {
        "player_id": finish.seat.player_id or None,
        "total": finish.total,
        "place": finish.place,
        "tied": finish.is_tied,
    }
