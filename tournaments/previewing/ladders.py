"""What a change of a hand does to its ladder, by computing the ladder: the very log, replay and
rendering of the worker, in the dry run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tournaments.domain.standings.ladder_documents import LadderDocument
from tournaments.models.events import Event, EventKind
from tournaments.models.ladders import Challenge, ChallengeState
from tournaments.models.outbox import Dirty, event_scope, ladder_scope
from tournaments.models.standings import Contribution, Publication
from tournaments.previewing.other_effects import (
    ChallengeChange,
    LadderChanges,
    Named,
    PlaceChange,
    RatedChange,
)
from tournaments.publishing.ladders.publish import LadderReading, compute_ladder, read_ladder
from tournaments.selectors.clubs.names import FULL_NAME, hides_names
from tournaments.selectors.events.entrants import names_in
from tournaments.services.ladders.log import UNFINISHED, winner_at
from tournaments.services.ladders.sync_log import sync_log

MOST_PLACES: Final = 100
MOST_RATINGS: Final = 10
"""So many changes of ratings are listed, the largest; the others are counted."""

PLAYED: Final = (ChallengeState.PLAYED, ChallengeState.CONFIRMED, ChallengeState.VOID)


@dataclass(frozen=True, slots=True)
class LadderSnapshot:
    """A ladder at one moment: its publication where that is what stands, else the rows that it is
    made of; and the challenges played at the table that is changed."""

    made_of: Publication | LadderReading
    challenges: Mapping[int, "ChallengeSnapshot"]

    def body(self) -> LadderDocument:
        """Return the ladder as it is, or would be, published; nothing is asked of the database."""
        if isinstance(self.made_of, LadderReading):
            return _laid_out(compute_ladder(self.made_of).bytes.body)
        return _laid_out(bytes(self.made_of.body))


@dataclass(frozen=True, slots=True)
class ChallengeSnapshot:
    """A challenge at one moment; the winner by code, None where nobody has won."""

    challenger: str
    challenged: str
    state: str
    winner: str | None


def has_ladder(event: Event) -> bool:
    """Whether a change of the event's hands moves a ladder."""
    return event.kind == EventKind.LADDER


def published_ladder(event: Event) -> Publication | None:
    """Return the newest publication of the event's ladder."""
    return Publication.objects.filter(ladder=event).order_by("-number").first()


def _is_up_to_date(event: Event) -> bool:
    """Whether nothing is pending: a hand marks the event, and its publication marks the ladder."""
    scopes = (event_scope(event.pk), ladder_scope(event.pk))
    rows = Dirty.objects.filter(scope__in=scopes).values_list("version", "done")
    return len(rows) == len(scopes) and all(version == done for version, done in rows)


def ladder_as_published(event: Event, code: str) -> LadderSnapshot | None:
    """Return the ladder as it is published, if that is what it would be now."""
    newest = published_ladder(event)
    if newest is None or not _is_up_to_date(event):
        return None
    return LadderSnapshot(newest, _challenges(event, code))


def ladder_in_dry_run(event: Event, code: str, *, now: datetime) -> LadderSnapshot:
    """Return the ladder as a worker would publish it; only in a dry run, for the log is written.

    It is read only: who waits for the dry run does not wait for the replay.
    """
    sync_log(event, now)
    return LadderSnapshot(read_ladder(event), _challenges(event, code))


def ladder_changes(event: Event, before: LadderSnapshot, after: LadderSnapshot) -> LadderChanges:
    """Return what lies between a ladder now and then."""
    body, then = before.body(), after.body()
    names = _names(then) | _names(body)
    if hides_names(event.club):
        names |= names_in(event, FULL_NAME)
    places, ratings = _places(body, then, names), _ratings(body, then, names)
    newest = published_ladder(event)
    number = newest.number if newest is not None else None
    is_same = body == then
    return LadderChanges(
        places=tuple(places[:MOST_PLACES]),
        n_places=len(places),
        ratings=tuple(ratings[:MOST_RATINGS]),
        n_ratings=len(ratings),
        challenges=tuple(
            _challenge(at, one, after.challenges[at], names)
            for at, one in before.challenges.items()
            if after.challenges[at] != one
        ),
        publication=number,
        publication_then=number if is_same else (number or 0) + 1,
    )


def _laid_out(body: bytes) -> LadderDocument:
    found: LadderDocument = json.loads(body)
    return {**found, "publication": None}


def _names(body: LadderDocument) -> dict[str, str]:
    rows = (*body.get("rows", ()), *body.get("ratings", ()))
    return {row["player_id"]: row["player"] for row in rows}


def _places(
    body: LadderDocument, then: LadderDocument, names: Mapping[str, str]
) -> list[PlaceChange]:
    """Who changes places, in the order of then; who leaves the list comes last."""
    was, will = (
        {row["player_id"]: row["place"] for row in one.get("rows", ())} for one in (body, then)
    )
    return [
        PlaceChange(code, names[code], was.get(code), will.get(code))
        for code in {**will, **was}
        if was.get(code) != will.get(code)
    ]


def _ratings(
    body: LadderDocument, then: LadderDocument, names: Mapping[str, str]
) -> list[RatedChange]:
    """Whose rating changes, the largest changes first."""
    was, will = (_rated(one) for one in (body, then))
    nothing: tuple[None, str] = (None, "–")
    found = []
    for code in {**will, **was}:
        old, new = was.get(code, nothing), will.get(code, nothing)
        if old[0] != new[0]:
            found.append(RatedChange(code, names[code], old[0], new[0], old[1], new[1]))
    return sorted(found, key=lambda one: (-one.size, one.player_id))


def _rated(body: LadderDocument) -> dict[str, tuple[float, str]]:
    rows = (*body.get("ratings", ()), *body.get("rows", ()))
    return {
        row["player_id"]: (row["rating"], row["rating_shown"] or "")
        for row in rows
        if row["rating"] is not None
    }


def _challenges(event: Event, code: str) -> dict[int, ChallengeSnapshot]:
    rows = Challenge.objects.filter(event=event, game__table__code=code, state__in=PLAYED)
    found = {}
    for one in rows.select_related("challenger", "challenged").order_by("number"):
        games = Contribution.objects.filter(game=one.game_id, games__gt=0)
        over = games.exclude(game__state__in=UNFINISHED)
        places = dict(over.values_list("entrant__code", "place"))
        found[one.number] = ChallengeSnapshot(
            one.challenger.code, one.challenged.code, one.state, winner_at(one, places)
        )
    return found


def _challenge(
    number: int, one: ChallengeSnapshot, then: ChallengeSnapshot, names: Mapping[str, str]
) -> ChallengeChange:
    def named(code: str) -> Named:
        return code, names.get(code, code)

    return ChallengeChange(
        number=number,
        challenger=named(one.challenger),
        challenged=named(one.challenged),
        state=one.state,
        state_then=then.state,
        winner=named(one.winner) if one.winner else None,
        winner_then=named(then.winner) if then.winner else None,
    )
