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
from tournaments.publishing.ladders.positions import move_rows, store_moves, stored_moves
from tournaments.publishing.ladders.publish import (
    ComputedLadder,
    make,
    publish_ladder,
    state_values,
)
from tournaments.publishing.ladders.ratings import COLUMNS, rating_rows, store_ratings
from tournaments.publishing.standings.publication_head import with_head
from tournaments.publishing.verify_publication import PublicationVerification
from tournaments.selectors.db.isolation import snapshot_read
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.log import locked_state


@dataclass(frozen=True, slots=True)
class LadderVerification:
    """How a ladder stood: its newest publication, and how many stored rows were not as they should
    be. `state` is the row with the end of the replay, 1 where it differs."""

    served: PublicationVerification
    moves: int = 0
    ratings: int = 0
    state: int = 0

    @property
    def differs(self) -> bool:
        """Whether anything stored is not what follows."""
        return self.served == PublicationVerification.DIFFERS or bool(
            self.moves or self.ratings or self.state
        )

    def as_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "publication": self.served.value,
            "moves": self.moves,
            "ratings": self.ratings,
            "state": self.state,
        }


def look_at_ladder(event: Event, *, mend: bool, now: datetime) -> LadderVerification:
    """Replay a ladder from its first step and game, and compare what is stored, bit for bit.

    Where that is wanted, rows that differ are written again, and the bytes as those of standings
    are (publishing/verify_publication.py). One that is behind is left to the workers, and published
    here where it is mended.

    Returns:
        How it stood before.
    """
    if mend and not LadderState.objects.filter(event=event).exists():
        found = LadderVerification(PublicationVerification.BEHIND)
    else:
        with snapshot_read():
            found, _ = _compare(event)
        if mend and found.differs:
            found = _mended(event, now)
    if mend and (found.differs or found.served == PublicationVerification.BEHIND):
        publish_ladder(event.pk, now=now)
    return found


@transaction.atomic
def _mended(event: Event, now: datetime) -> LadderVerification:
    """Compare again while no hand comes in between games and ladder, and mend what differs."""
    locked_state(event)
    rows = Dirty.objects.select_for_update().filter(scope__in=_scopes(event))
    list(rows.order_by("pk").values("pk"))
    found, made = _compare(event)
    if made is not None and found.differs:
        _mend(made, now)
    return found


def _scopes(event: Event) -> tuple[str, str]:
    return event_scope(event.pk), ladder_scope(event.pk)


def _compare(event: Event) -> tuple[LadderVerification, ComputedLadder | None]:
    """Compare what is stored with a computation, as the caller's transaction reads both."""
    state = LadderState.objects.filter(event=event).first()
    if state is None:
        return LadderVerification(PublicationVerification.NONE), None
    behind = Dirty.objects.filter(scope__in=_scopes(event), done__lt=F("version")).exists()
    if behind or is_recounted(event.pk):
        return LadderVerification(PublicationVerification.BEHIND), None
    newest = _newest(event)
    if newest is None:
        return LadderVerification(PublicationVerification.NONE), None
    made = make(event, from_start=True)
    found = LadderVerification(
        PublicationVerification.SAME
        if _bytes(made, newest) == _there(newest)
        else PublicationVerification.DIFFERS,
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
    return found, made


def _newest(event: Event) -> Publication | None:
    return Publication.objects.filter(ladder=event).order_by("-number").first()


def _there(newest: Publication) -> tuple[bytes, bytes]:
    return bytes(newest.body), bytes(newest.csv)


def _bytes(made: ComputedLadder, newest: Publication) -> tuple[bytes, bytes]:
    """The bytes that the newest publication should have."""
    body = with_head(
        made.bytes.body, number=newest.number, version=newest.version, now=newest.published_at
    )
    return body, made.bytes.csv


def _unlike(there: Any, rows: Any) -> int:
    """How many rows are in one of two lists only."""
    return len(set(there) ^ set(rows))


def _mend(made: ComputedLadder, now: datetime) -> None:
    event = made.inputs.event
    state, newest = locked_state(event), _newest(event)
    store_moves(made.inputs, made.positions)
    store_ratings(made.inputs, made.ratings)
    LadderState.objects.filter(pk=state.pk).update(turn=state.turn + 1, **state_values(made))
    if newest is None:
        return
    body, table = _bytes(made, newest)
    if body.split(b"}", 1)[0].endswith(f'"digest":"{newest.digest}"'.encode()):
        Publication.objects.filter(pk=newest.pk).update(body=body, csv=table)
    else:
        mark_due(ladder_scope(event.pk), now=now)
