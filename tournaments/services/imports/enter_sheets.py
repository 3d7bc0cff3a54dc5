"""Entering the sheets of one request: an import without a file, in one transaction.

Refused hands go back to who sent them, and no problem of theirs is kept; a round of theirs stays
open until they are entered.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from tournaments.domain.imports.import_report import Finding
from tournaments.domain.imports.imported_sheet import TypedSheet
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.policy import Actor
from tournaments.services.db.event_lock import lock_event, lock_games
from tournaments.services.db.transactions import atomic_act
from tournaments.services.imports.rules import RuleBook
from tournaments.services.imports.run import SheetImport

NAME = "sheets.json"
"""What an import is called whose sheets came in a request."""


@dataclass(frozen=True, slots=True)
class StoredSheets:
    """What was stored of some sheets, and what is said about the others.

    `there` are (round, table, hand) that the event had already with the same content.
    """

    batch: int | None
    added: int
    findings: Sequence[Finding]
    there: frozenset[tuple[int, int, int]]


class NotAllEntered(Exception):
    """Not every hand can be entered, and so none was; `findings` say why."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(len(findings))
        self.findings = findings


@atomic_act
def enter_typed_sheets(
    *,
    actor: Actor,
    event: Event,
    sheets: Sequence[TypedSheet],
    rules_for: RuleBook,
    names: Callable[[int], str],
    digest: str,
    is_all: bool,
    is_refused: bool,
    unfinished: Collection[int],
    now: datetime,
) -> StoredSheets:
    """Enter hands of some sheets, making meetings, rounds and tables where they are missing.

    Args:
        names: a player's key → name and id.
        digest: of the request; an import under it that was interrupted goes on.
        is_all: every hand is entered, or none.
        is_refused: the caller refused something already; with `is_all` nothing is stored then.
        unfinished: rounds that stay open, because the caller refused something of theirs.

    Raises:
        Forbidden: import_sheets.
        Conflict: event_not_open.
        NotAllEntered: with `is_all`; nothing was stored.
    """
    running = SheetImport(
        actor=actor,
        event=event,
        rules_for=rules_for,
        file_name=NAME,
        digest=digest,
        now=now,
        write=not (is_all and is_refused),
        names=names,
        file_rounds={sheet.round for sheet in sheets},
    )
    if running.writing:  # at the end rounds are closed, and no game is locked after a sum
        lock_event(event)
        rounds = running.file_rounds
        lock_games(Game.objects.filter(event=event, table__round__number__in=rounds))
    findings = [said for said in running.take(sheets) if said.waits]
    if is_all and (findings or is_refused):
        raise NotAllEntered(findings)
    open_ = {said.spot.round for said in findings if said.spot.round is not None}
    hands = sum(len(sheet.hands) for sheet in sheets)
    batch = running.finish(
        findings=(), rows=hands, hands=hands, unfinished={*open_, *unfinished} & running.touched
    )
    return StoredSheets(
        batch.number if batch is not None else None,
        running.counts.added,
        findings,
        frozenset(running.already),
    )
