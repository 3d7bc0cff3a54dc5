"""Tables that an import extends, the states it changes, and the rows that its undoing removes.

A removed hand is stored with the batch as it was typed, with every revision (`UndoneHand`). What
people added since stays, with its table: a hand, a photo, a dispute, a second typing. See
docs/decisions/0013-import-and-undo-of-files.md.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import models
from django.db.models import F, Max, Model
from django.utils.dateparse import parse_datetime

from scoring.entry.typed_hand import form_of
from scoring.json_types import JsonDict
from tournaments.domain.imports.imported_sheets import TypedSheet
from tournaments.domain.seating_runs import has_hand
from tournaments.models.access import TableLink
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, EntrantState, Event
from tournaments.models.hands import Dispute, Entry, Game, Hand, SeatScore, SecondTyping, Source
from tournaments.models.imports import ImportBatch, UndoneHand
from tournaments.models.ladders import Challenge, LadderStep, RatingChange
from tournaments.models.rounds import Meeting, Round, Seat, SitOut, Sitting
from tournaments.models.standings import Aggregate, Contribution
from tournaments.policy import Actor
from tournaments.selectors.hands.game_for_update import game_now
from tournaments.selectors.hands.games import seats_of_game
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.services.db.locks import delete_table, lock_games
from tournaments.services.events.states import reopen_games
from tournaments.services.hands.apply_game import apply_game
from tournaments.services.imports.bulk_rows import ImportedSheet
from tournaments.services.imports.existing_tables import ExistingTable, runs_of
from tournaments.services.rounds.evening_hours import note_continued, set_hours

State = tuple[str, datetime | None]
"""A round's state, and when it was closed."""

OF_A_GAME: Final = (Hand, Contribution, LadderStep, RatingChange)

OF_AN_ENTRANT: Final = (EntrantMember, Aggregate, Contribution, RatingChange)
"""Rows that come with a table, a game, an entrant by themselves; any other one is somebody's."""


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
            reason="Imported again after an undone import." if row.revision > 1 else "",
            batch=batch,
            entered_by_id=actor.user_id,
            entered_as=actor.name,
            entered_at=now,
        )
        row.state = "accepted"
        row.save(update_fields=["entry", "revision", "state", "hands", "board"])
    _reseat(table, imported.sheet, seats_of_game(game))
    apply_game(game=game, stored=game_now(game))
    if game.state in {"seated", "playing", "abandoned"}:
        Game.objects.filter(pk=game.pk).update(state="complete")


def result_key(key: str | None, revision: int) -> str | None:
    """Return the key of an entry that comes again as a later revision: each has its own.

    >>> result_key("result:G087", 1), result_key("result:G087", 3)
    ('result:G087', 'result:G087~3')
    """
    if key is None or revision == 1:
        return key
    return f"{key}~{revision}"


def _row(game: Game, table: ExistingTable, number: int) -> Hand:
    if number not in table.undone:
        return Hand.objects.create(club_id=game.club_id, game=game, number=number, revision=1)
    row = Hand.objects.get(pk=table.undone[number])
    row.revision += 1
    return row


def _reseat(table: ExistingTable, sheet: TypedSheet, seats: Sequence[Seat]) -> None:
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


def are_hands_removable(game: Game, batch: ImportBatch) -> bool:
    """Whether people added nothing to the hands that a batch brought to a game."""
    hands = Hand.objects.filter(game=game, entries__batch=batch)
    return not (
        Dispute.objects.filter(hand__in=hands).exists()
        or SecondTyping.objects.filter(game=game).exists()
        or Challenge.objects.filter(game=game).exists()
    )


def remove_hands(game: Game, hands: Sequence[Hand], batch: ImportBatch) -> None:
    """Store hands with their batch, as typed, and remove them from their game."""
    ids = [hand.pk for hand in hands]
    UndoneHand.objects.bulk_create(_undone_hands(game, hands, batch), batch_size=200)
    SeatScore.objects.filter(entry__hand__in=ids).delete()
    Hand.objects.filter(pk__in=ids).update(entry=None)
    Entry.objects.filter(hand__in=ids).delete()
    Hand.objects.filter(pk__in=ids).delete()


def _undone_hands(game: Game, hands: Sequence[Hand], batch: ImportBatch) -> list[UndoneHand]:
    round_ = Round.objects.select_related("meeting").get(pk=game.table.round_id)
    sat = list(
        Sitting.objects.filter(seat__table=game.table_id)
        .order_by("seat__number", "from_hand")
        .values_list("seat__number", "player__player_id", "from_hand", "to_hand")
    )
    n_seats = Seat.objects.filter(table=game.table_id).count()
    typed: dict[int, list[JsonDict]] = {}
    ids = [hand.pk for hand in hands]
    for entry in Entry.objects.filter(hand__in=ids).select_related("batch").order_by("revision"):
        typed.setdefault(entry.hand_id, []).append(_revision(entry))
    for hand in hands:
        if hand.board is not None and hand.pk in typed:
            typed[hand.pk][-1]["board"] = hand.board.number
    return [
        UndoneHand(
            club_id=batch.club_id,
            batch=batch,
            snapshot_id=game.snapshot_id,
            round=round_.number,
            table=game.table.number,
            day=round_.meeting.date if round_.meeting is not None else None,
            number=hand.number,
            hands=hand.hands,
            state=hand.state,
            players=_seated(sat, n_seats, hand.number),
            revisions=typed.get(hand.pk, []),
        )
        for hand in hands
    ]


def _seated(sat: Sequence[tuple[int, str, int, int | None]], seats: int, number: int) -> list[str]:
    players_by_seat = {
        seat: code for seat, code, first, last in sat if has_hand(number, first, last)
    }
    return [players_by_seat.get(seat, "") for seat in range(1, seats + 1)]


def _revision(entry: Entry) -> JsonDict:
    return {
        "revision": entry.revision,
        "form": entry.form,
        "entry": entry.typed,
        "moon": entry.moon,
        "reason": entry.reason,
        "note": entry.note,
        "source": entry.source,
        "import": entry.batch.number if entry.batch is not None else None,
        "key": entry.key,
        "entered_by": entry.entered_as,
        "entered_at": entry.entered_at.isoformat(),
    }


def reset_table(game: Game) -> None:
    """Reset a table without counted hands to its state before the import.

    A table that an import created is deleted, unless people added something: then it is abandoned,
    and its players are free. A table that people seated waits for its first hand again.
    """
    table = game.table
    if Hand.objects.filter(game=game).exists():
        _abandon(game)
    elif table.batch_id is None:
        _seat_again(game)
    elif _is_used(table, (Seat, Game, TableLink)) or _is_used(game, OF_A_GAME):
        _abandon(game)
    else:
        delete_table(table)


def _is_used(row: Model, expected: Collection[type[Model]]) -> bool:
    """Whether any row points at this one, except rows of `expected` models.

    Relations without a name on this side (`related_name="+"`) count like any other.
    """
    for relation in row._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ManyToOneRel) and relation.related_model not in expected:
            model: Any = relation.related_model
            if model._base_manager.filter(**{relation.field.name: row}).exists():
                return True
    return False


def _abandon(game: Game) -> None:
    """End all sittings: players of an empty table are free for another one."""
    last = Hand.objects.filter(game=game).aggregate(last=Max("number"))["last"]
    sat = Sitting.objects.filter(seat__table_id=game.table_id)
    if last is None:
        sat.delete()
    else:
        last_hand = max(last, 1)  # totals are hand 0
        open_sittings = sat.filter(to_hand__isnull=True)
        open_sittings.filter(from_hand__lte=last_hand).update(to_hand=last_hand)
        # Who sat down after the last hand must not end before they began.
        open_sittings.filter(from_hand__gt=last_hand).update(to_hand=F("from_hand"))
    Game.objects.filter(pk=game.pk).update(state="abandoned")


def _seat_again(game: Game) -> None:
    sat = Sitting.objects.filter(seat__table=game.table_id)
    first = {row.seat_id: row for row in sat.order_by("-from_hand", "-pk")}
    players = [row.player_id for row in first.values()]
    is_twice = len(set(players)) < len(players)  # somebody changed seats at this table
    elsewhere = Sitting.objects.filter(
        round__in=sat.values("round"), player__in=players, to_hand__isnull=True
    )
    if is_twice or elsewhere.exclude(seat__table=game.table_id).exists():
        _abandon(game)
        return
    sat.exclude(pk__in=[row.pk for row in first.values()]).delete()
    sat.update(from_hand=1, to_hand=None)
    Game.objects.filter(pk=game.pk).update(state="seated")


def remove_unused_rounds(
    event: Event, batch: ImportBatch, numbers: Collection[int], now: datetime
) -> None:
    """Delete rounds, meetings and entrants that an import created and nothing uses, and update the
    state of the other rounds and the hours of their evenings. The caller holds the event's row.

    The games are locked before their states are read: a hand that is being entered changes the
    state of its round, and the state stored here would overwrite it.
    """
    concerned = models.Q(batch=batch) | models.Q(number__in=numbers)
    rounds = Round.objects.filter(concerned, event=event)
    lock_games(Game.objects.filter(table__round__in=rounds.values("pk")))
    evenings = {key for key in rounds.values_list("meeting", flat=True) if key is not None}
    for round_ in rounds.select_related("meeting", "batch"):
        _update_round(round_, batch, now)
    set_hours(event, evenings, now)
    for meeting in Meeting.objects.filter(event=event, batch__isnull=False):
        if not _is_used(meeting, ()):
            meeting.delete()
    note_continued(event, evenings, now=now)
    imported = Entrant.objects.filter(
        event=event,
        batch__isnull=False,
        kind=EntrantKind.PLAYER,
        state=EntrantState.ACTIVE,
        start_position__isnull=True,
    )
    sat = Sitting.objects.filter(seat__table__event=event).values("player")
    played = Contribution.objects.filter(event=event, games__gt=0).values("entrant")
    for entrant in imported.exclude(members__player__in=sat).exclude(pk__in=played).order_by("pk"):
        if not _is_used(entrant, OF_AN_ENTRANT):
            entrant.delete()


def _update_round(round_: Round, batch: ImportBatch, now: datetime) -> None:
    games = list(Game.objects.filter(table__round=round_).values_list("state", "hands_counted"))
    is_played = any(counted for _, counted in games)
    # A round without tables was an import's, and nobody sits out or chose rules in it.
    is_imported = round_.batch_id is not None and round_.snapshot_id is None
    if not games and is_imported and not SitOut.objects.filter(round=round_).exists():
        round_.delete()
        return
    if not is_played and round_.meeting is not None and round_.meeting.batch_id is not None:
        round_.meeting = None
    is_over = all(state in OVER for state, _ in games)
    state, closed_at = state_without(batch, round_)
    if not games:
        round_.state = "draft"
        round_.closed_at = None
    elif is_over and state == "closed":
        round_.state, round_.closed_at = "closed", closed_at or round_.closed_at or now
    elif is_over and state == "draft" and not is_played:
        round_.state = "draft"
        round_.closed_at = None
    else:
        if round_.state == "closed":
            reopen_games(round_)
        round_.state = "playing" if is_played else "posted"
        round_.closed_at = None
    round_.save(update_fields=["meeting", "state", "closed_at"])
