"""Remove the hands of an undone import, and the rows it created that nothing else uses.

A removed hand is stored with the batch as it was typed, with every revision (`UndoneHand`). What
people added since stays, with its table: a hand, a photo, a dispute, a second typing. See
docs/decisions/0031-what-an-undone-import-leaves.md."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import models
from django.db.models import F, Max, Model

from tournaments.domain.replay_game import TOTALS
from tournaments.models.access import TableLink
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, EntrantState, Event
from tournaments.models.hands import Dispute, Entry, Game, Hand, SeatScore, SecondTyping
from tournaments.models.imports import ImportBatch, UndoneHand
from tournaments.models.ladders import Challenge, LadderStep, RatingChange
from tournaments.models.meetings import Meeting, Round, Seat, SitOut, Sitting
from tournaments.models.standings import Aggregate, Contribution
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.services.db.locks import delete_table, lock_games
from tournaments.services.events.states import reopen_games
from tournaments.services.imports.table_changes import state_without

OF_A_TABLE: Final = (Seat, Game, TableLink)
OF_A_GAME: Final = (Hand, Contribution, LadderStep, RatingChange)
OF_AN_ENTRANT: Final = (EntrantMember, Aggregate, Contribution, RatingChange)
"""Rows that come with a table, a game, an entrant by themselves; any other one is somebody's."""


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
    typed: dict[int, list[dict[str, Any]]] = {}
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
    """Return the player ids of a hand by seat, empty for open seats."""
    players_by_seat = {seat: code for seat, code, first, last in sat if _has(number, first, last)}
    return [players_by_seat.get(seat, "") for seat in range(1, seats + 1)]


def _has(number: int, first: int, last: int | None) -> bool:
    if number == TOTALS:
        return last is None
    return first <= number and (last is None or number <= last)


def _revision(entry: Entry) -> dict[str, Any]:
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
    elif _is_used(table, OF_A_TABLE) or _is_used(game, OF_A_GAME):
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
    last, open_ = last or 1, sat.filter(to_hand__isnull=True)
    open_.filter(from_hand__lte=last).update(to_hand=last)
    open_.filter(from_hand__gt=last).update(to_hand=F("from_hand"))
    Game.objects.filter(pk=game.pk).update(state="abandoned")


def _seat_again(game: Game) -> None:
    """Seat the first players of a table again, as before its first hand."""
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
    state of the other rounds. The caller holds the event's row.

    The games are locked before their states are read: a hand that is being entered changes the
    state of its round, and the state stored here would overwrite it.
    """
    concerned = models.Q(batch=batch) | models.Q(number__in=numbers)
    rounds = Round.objects.filter(concerned, event=event)
    lock_games(Game.objects.filter(table__round__in=rounds.values("pk")))
    for round_ in rounds.select_related("meeting", "batch"):
        _update_round(round_, batch, now)
    for meeting in Meeting.objects.filter(event=event, batch__isnull=False):
        if not _is_used(meeting, ()):
            meeting.delete()
    _remove_unused_entrants(event)


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
        round_.state, round_.closed_at = "draft", None
    elif is_over and state == "closed":
        round_.state, round_.closed_at = "closed", closed_at or round_.closed_at or now
    elif is_over and state == "draft" and not is_played:
        round_.state, round_.closed_at = "draft", None
    else:
        if round_.state == "closed":
            reopen_games(round_)
        round_.state, round_.closed_at = "playing" if is_played else "posted", None
    round_.save(update_fields=["meeting", "state", "closed_at"])


def _remove_unused_entrants(event: Event) -> None:
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
