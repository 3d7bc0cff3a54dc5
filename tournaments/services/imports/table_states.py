"""Which states an import changed of tables and rounds that people had made.

An import completes a table that it adds hands to, and closes a round whose tables are all over. The
states before are kept with the batch, so that undoing it brings them back.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from scoring.json_types import JsonDict
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Round

State = tuple[str, datetime | None]
"""A round's state, and when it was closed."""


def note_game(batch_id: int, game: Game) -> None:
    """Keep the state that a game had before a batch added hands to it; the first one counts."""
    kept = _kept(batch_id)
    kept.setdefault("games", {}).setdefault(str(game.pk), game.state)
    _keep(batch_id, kept)


def was_played_on(batch: ImportBatch, game: Game) -> bool:
    """Whether a game that is over now was not, before the batch added hands to it."""
    before = _kept(batch.pk).get("games", {}).get(str(game.pk))
    return before in ("seated", "playing") and game.state in ("complete", "checked", "final")


def recorded_round_states(
    batch: ImportBatch, event: Event, numbers: Collection[int], change: Callable[[], object]
) -> None:
    """Do what changes the states of rounds, and keep how they were before and after it.

    What was kept already stays, unless people changed the round since. Rounds that the batch itself
    made have no state before it. The caller holds the event's row.
    """
    before = _rounds(event, numbers)
    change()
    after = _rounds(event, numbers)
    kept = _kept(batch.pk)
    rounds = kept.setdefault("rounds", {})
    for number, (state, made_by) in before.items():
        there = rounds.get(number)
        if there is not None and there["after"] == state:
            there["after"] = after[number][0]
        else:
            first = ["closed", None] if made_by == batch.pk else state
            rounds[number] = {"before": first, "after": after[number][0]}
    _keep(batch.pk, kept)


def rounds_noted(batch: ImportBatch) -> set[int]:
    """Return the numbers of the rounds whose states a batch may have changed."""
    return {int(number) for number in _kept(batch.pk).get("rounds", {})}


def state_without(batch: ImportBatch, round_: Round) -> State:
    """Return the state that a round whose games are all over has without the batch.

    It is the one before the batch, where nobody changed the round since; else the one that people
    gave it. A round stays open that is open without the batch's doing.
    """
    now = _stored(round_.state, round_.closed_at)
    there = _kept(batch.pk).get("rounds", {}).get(str(round_.number))
    if there is None:
        is_made = round_.batch_id == batch.pk
        there = {"before": ["closed", None] if is_made else now, "after": now}
    state, closed_at = there["before"] if there["after"] == now else now
    return state, parse_datetime(closed_at) if closed_at else None


def _rounds(event: Event, numbers: Collection[int]) -> dict[str, tuple[list[Any], int | None]]:
    rows = Round.objects.filter(event=event, number__in=numbers).order_by("number")
    return {
        str(number): (_stored(state, closed_at), batch_id)
        for number, state, closed_at, batch_id in rows.values_list(
            "number", "state", "closed_at", "batch_id"
        )
    }


def _stored(state: str, closed_at: datetime | None) -> list[Any]:
    return [state, closed_at.isoformat() if closed_at is not None else None]


def _kept(batch_id: int) -> JsonDict:
    found = ImportBatch.objects.filter(pk=batch_id).values_list("states_before", flat=True)
    return dict(found.first() or {})


def _keep(batch_id: int, kept: dict[str, object]) -> None:
    ImportBatch.objects.filter(pk=batch_id).update(states_before=kept)
