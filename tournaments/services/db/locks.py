"""Lock the rows of an event and of an account, in the project's lock order."""

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import QuerySet

from tournaments.errors import Forbidden, first_or_missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, Table
from tournaments.policy import Actor


def lock_club(club: Club) -> Club:
    list(Club.objects.select_for_update(no_key=True).filter(pk=club.pk).values_list("pk"))
    return club


def lock_event(event: Event) -> Event:
    """Lock the event's row and return its current state, with its club."""
    events = Event.objects.select_for_update(of=("self",), no_key=True)
    return events.select_related("club").get(pk=event.pk)


def lock_games(games: QuerySet[Game]) -> list[int]:
    """Lock games in ascending id and return their ids; on SQLite the transaction holds everything.

    Read their data afterwards, in separate statements: a row joined to the locking statement may be
    out of date.
    """
    locked = games.select_for_update(of=("self",), no_key=True).order_by("pk")
    return list(locked.values_list("pk", flat=True))


def delete_table(table: Table) -> None:
    """Delete a table and all that belongs to it; the caller holds its game's row.

    Its own row is locked first, so that a concurrently added link or photo is either deleted with
    the table or finds no table.
    """
    Table.objects.select_for_update(of=("self",)).filter(pk=table.pk).first()
    table.delete()


def lock_for_hand(game: Game, *, seats: bool = False) -> None:
    """Lock what a hand goes into: its game's row, so that hands of one table queue.

    A hand of a play-off may end its rounds and make others: it takes the event's row and all games
    of its stage.

    `seats`: whether the hand seats its table, which enters people into the event.
    """
    if not connection.features.has_select_for_update:
        return  # on SQLite the transaction itself is the lock
    if seats or not game.counts:
        lock_event(game.event)
    if game.counts:
        lock_games(Game.objects.filter(pk=game.pk))
    else:
        lock_games(Game.objects.filter(table__round__stage=game.table.round.stage_id))


def lock_round(round_: Round) -> Round:
    """Lock a round with its event and games, and return its current state.

    Creating a table locks the event's row, so that none is added meanwhile.
    """
    lock_event(round_.event)
    lock_games(Game.objects.filter(table__round=round_))
    rounds = Round.objects.select_for_update(of=("self",), no_key=True).filter(pk=round_.pk)
    return first_or_missing(
        rounds.select_related("event__club", "club", "stage"), "round", round=round_.number
    )


def lock_game(game: Game, *, seats: bool = False) -> Game:
    """Lock the game's row, and return its current state with related rows.

    Two statements, as a row joined to the locking one may be out of date.

    `seats`: whether the event's row is locked before it (`lock_for_hand`).
    """
    lock_for_hand(game, seats=seats)
    games = Game.objects.select_related("event", "club", "snapshot", "table__round")
    return first_or_missing(games.filter(pk=game.pk), "table", table=game.table.code)


def lock_account(actor: Actor, right: str) -> None:
    """Lock the row of the actor's account, in a transaction; an actor without one locks nothing.

    Taken before all other locks, those of clubs too, so that an operation and the deletion of its
    account run one after the other. Rows that only reference the account do not wait.

    `right`: what to refuse if the account was deleted meanwhile.
    """
    if actor.user_id is None:
        return
    rows = User.objects.select_for_update(no_key=True).filter(pk=actor.user_id)
    if not rows.values_list("pk", flat=True).first():
        raise Forbidden(right)
