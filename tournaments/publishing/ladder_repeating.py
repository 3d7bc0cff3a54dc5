"""A ladder once more, from its log and its games: are the stored rows and bytes what follows?"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from tournaments.models.events import Event
from tournaments.models.ladders import LadderMove, LadderState, RatingChange
from tournaments.models.outbox import Dirty, event_scope, ladder_scope
from tournaments.models.standings import Publication
from tournaments.publishing.ladder_positions import move_rows, store_moves, stored_moves
from tournaments.publishing.ladder_ratings import COLUMNS, rating_rows, store_ratings
from tournaments.publishing.ladders import Made, make, publish_ladder, state_values
from tournaments.publishing.publications import with_head
from tournaments.publishing.repeating import Served
from tournaments.selectors.work import is_recounted
from tournaments.services.dirty import mark_due
from tournaments.services.ladder_log import locked_state


@dataclass(frozen=True, slots=True)
class LadderSeen:
    """How a ladder stood: its newest publication, and how many stored rows were not as they should
    be. `state` is the row with the end of the replay, 1 where it differs."""

    served: Served
    moves: int = 0
    ratings: int = 0
    state: int = 0

    @property
    def differs(self) -> bool:
        """Whether anything stored is not what follows."""
        return self.served == Served.DIFFERS or bool(self.moves or self.ratings or self.state)

    def as_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "publication": self.served.value,
            "moves": self.moves,
            "ratings": self.ratings,
            "state": self.state,
        }


def look_at_ladder(event: Event, *, mend: bool, now: datetime) -> LadderSeen:
    """Replay a ladder from its first step and game, and compare what is stored, bit for bit.

    Where that is wanted, rows that differ are written again, and the bytes as those of standings
    are (publishing/repeating.py). One that is behind is left to the workers, and published here
    where it is mended.

    Returns:
        How it stood before.
    """
    found = _compare(event, mend=mend, now=now)
    if mend and (found.differs or found.served == Served.BEHIND):
        publish_ladder(event.pk, now=now)
    return found


@transaction.atomic
def _compare(event: Event, *, mend: bool, now: datetime) -> LadderSeen:
    if not LadderState.objects.filter(event=event).exists():
        return LadderSeen(Served.BEHIND if mend else Served.NONE)
    state = locked_state(event)
    scopes = (event_scope(event.pk), ladder_scope(event.pk))
    # Held, so that no hand comes in between what is read of the games and of the ladder.
    list(Dirty.objects.select_for_update().filter(scope__in=scopes).order_by("pk").values("pk"))
    behind = Dirty.objects.filter(scope__in=scopes, done__lt=F("version")).exists()
    if behind or is_recounted(event.pk):
        return LadderSeen(Served.BEHIND)
    newest = Publication.objects.filter(ladder=event).order_by("-number").first()
    if newest is None:
        return LadderSeen(Served.NONE)
    made = make(event, from_start=True)
    found = LadderSeen(
        Served.SAME if _bytes(made, newest) == _there(newest) else Served.DIFFERS,
        moves=_unlike(
            stored_moves(LadderMove.objects.filter(event=event)),
            move_rows(made.inputs, made.positions.moves),
        ),
        ratings=_unlike(
            RatingChange.objects.filter(event=event)
            .order_by("sequence", "entrant")
            .values_list(*COLUMNS),
            rating_rows(made.inputs, made.ratings),
        ),
        state=int(any(getattr(state, key) != value for key, value in state_values(made).items())),
    )
    if mend and found.differs:
        _mend(made, state, newest, now)
    return found


def _there(newest: Publication) -> tuple[bytes, bytes]:
    return bytes(newest.body), bytes(newest.csv)


def _bytes(made: Made, newest: Publication) -> tuple[bytes, bytes]:
    """The bytes that the newest publication should have."""
    body = with_head(
        made.bytes.body, number=newest.number, version=newest.version, now=newest.published_at
    )
    return body, made.bytes.csv


def _unlike(there: Any, rows: Any) -> int:
    """How many rows are in one of two lists only."""
    return len(set(there) ^ set(rows))


def _mend(made: Made, state: LadderState, newest: Publication, now: datetime) -> None:
    store_moves(made.inputs, made.positions)
    store_ratings(made.inputs, made.ratings)
    LadderState.objects.filter(pk=state.pk).update(turn=state.turn + 1, **state_values(made))
    body, table = _bytes(made, newest)
    if body.split(b"}", 1)[0].endswith(f'"digest":"{newest.digest}"'.encode()):
        Publication.objects.filter(pk=newest.pk).update(body=body, csv=table)
    else:
        mark_due(ladder_scope(made.inputs.event.pk), now=now)
