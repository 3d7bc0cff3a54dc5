"""Tables that an import extends, and the states of tables and rounds that it changes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from scoring.entry.typed_hand import form_of
from scoring.json_types import JsonDict
from tournaments.domain.imports.imported_sheets import TypedSheet
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand, Source
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Round, Seat, Sitting
from tournaments.policy import Actor
from tournaments.selectors.hands.game_for_update import game_now
from tournaments.services.hands.apply_game import apply_game
from tournaments.services.imports.bulk_rows import ImportedSheet
from tournaments.services.imports.existing_tables import ExistingTable, runs_of

State = tuple[str, datetime | None]
"""A round's state, and when it was closed."""


def was_played_on(batch: ImportBatch, game: Game) -> bool:
    """Whether a game that is over was still going before the batch added hands to it."""
    before = _states_before(batch.pk).get("games", {}).get(str(game.pk))
    return before in ("seated", "playing") and game.state in ("complete", "checked", "final")


def recorded_round_states(
    batch: ImportBatch, event: Event, numbers: Collection[int], change: Callable[[], object]
) -> None:
    """Change the states of rounds, and record them before and after the change.

    A state recorded earlier stays, unless people changed the round since. Rounds that the batch
    itself created have no earlier state. The caller holds the event's row.
    """
    before = _rounds(event, numbers)
    change()
    after = _rounds(event, numbers)
    states = _states_before(batch.pk)
    rounds = states.setdefault("rounds", {})
    for number, (state, made_by) in before.items():
        note = rounds.get(number)
        if note is not None and note["after"] == state:
            note["after"] = after[number][0]
        else:
            first = ["closed", None] if made_by == batch.pk else state
            rounds[number] = {"before": first, "after": after[number][0]}
    _store_states(batch.pk, states)


def rounds_noted(batch: ImportBatch) -> set[int]:
    """Return the numbers of the rounds whose states a batch may have changed."""
    return {int(number) for number in _states_before(batch.pk).get("rounds", {})}


def state_without(batch: ImportBatch, round_: Round) -> State:
    """Return the state that a round whose games are all over has without the batch.

    It is the one before the batch, where nobody changed the round since; else the one that people
    gave it. A round stays open that is open without the batch's doing.
    """
    now = _stored(round_.state, round_.closed_at)
    note = _states_before(batch.pk).get("rounds", {}).get(str(round_.number))
    if note is None:
        note = {"before": ["closed", None] if round_.batch_id == batch.pk else now, "after": now}
    state, closed_at = note["before"] if note["after"] == now else now
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


def _states_before(batch_id: int) -> JsonDict:
    states = ImportBatch.objects.filter(pk=batch_id).values_list("states_before", flat=True)
    return dict(states.first() or {})


def _store_states(batch_id: int, states: dict[str, object]) -> None:
    ImportBatch.objects.filter(pk=batch_id).update(states_before=states)


AGAIN = "Imported again after an undone import."


def extend_table(
    table: ExistingTable,
    imported: ImportedSheet,
    *,
    snapshot_id: int,
    boards: Mapping[int, int],
    batch: ImportBatch,
    actor: Actor,
    now: datetime,
) -> None:
    """Add hands to a table that the event has already, the way single entries do.

    A hand that went when an earlier import was undone comes back as its next revision. The caller
    holds the game, and the sums of everybody at the table.
    """
    game = Game.objects.select_related("event", "table__round").get(pk=table.game.pk)
    states = _states_before(batch.pk)  # the first one of a game counts
    states.setdefault("games", {}).setdefault(str(game.pk), game.state)
    _store_states(batch.pk, states)
    if not table.hands and game.snapshot_id != snapshot_id:
        game.snapshot_id = snapshot_id  # an emptied table may come back under other rules
        game.save(update_fields=["snapshot"])
    for hand in imported.accepted:
        row = _row(game, table, hand.number)
        row.hands = hand.hands
        row.board_id = boards.get(hand.board or 0)
        row.entry = Entry.objects.create(
            club_id=game.club_id,
            hand=row,
            revision=row.revision,
            form=form_of(hand.entry),
            typed=hand.entry,
            key=result_key(hand.key, row.revision),
            source=Source.IMPORT,
            reason=AGAIN if row.revision > 1 else "",
            batch=batch,
            entered_by_id=actor.user_id,
            entered_as=actor.name,
            entered_at=now,
        )
        row.state = "accepted"
        row.save(update_fields=["entry", "revision", "state", "hands", "board"])
    seats = list(Seat.objects.filter(table_id=game.table_id).order_by("number"))
    _reseat(table, imported.sheet, seats)
    apply_game(game=game, stored=game_now(game))
    if game.state in {"seated", "playing", "abandoned"}:
        Game.objects.filter(pk=game.pk).update(state="complete")


def result_key(key: str | None, revision: int) -> str | None:
    """Return the key of an entry that comes again as a later revision: each has its own.

    >>> result_key("result:G087", 1), result_key("result:G087", 3)
    ('result:G087', 'result:G087~3')
    """
    return key if key is None or revision == 1 else f"{key}~{revision}"


def _row(game: Game, table: ExistingTable, number: int) -> Hand:
    """Return the row of a hand, with the number of its next revision."""
    if number not in table.undone:
        return Hand.objects.create(club_id=game.club_id, game=game, number=number, revision=1)
    row = Hand.objects.get(pk=table.undone[number])
    row.revision += 1
    return row


def _reseat(table: ExistingTable, sheet: TypedSheet, seats: Sequence[Seat]) -> None:
    """Bring the sittings in line with who sat in the hands of the event and of the sheet."""
    runs = runs_of({**sheet.sat, **table.sat()}, len(seats))
    if sorted(runs, key=str) == sorted(table.runs, key=str):
        return
    Sitting.objects.filter(seat__in=seats).delete()
    Sitting.objects.bulk_create(
        [
            Sitting(
                club_id=seats[0].club_id,
                seat=seats[seat],
                round_id=table.game.table.round_id,
                player_id=player,
                from_hand=first,
                to_hand=last,
            )
            for seat, player, first, last in runs
        ]
    )
