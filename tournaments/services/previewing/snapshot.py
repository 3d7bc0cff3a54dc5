"""What standings, ladders and ties hold at one moment, and the difference between two moments."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import F

from tournaments.domain.event_settings import settings_of
from tournaments.domain.standings.ladder_documents import LadderDocument
from tournaments.models.events import Event, EventKind, StageKind
from tournaments.models.hands import Game
from tournaments.models.ladders import Challenge, ChallengeState
from tournaments.models.outbox import Dirty, event_scope, ladder_scope, playoffs_scope
from tournaments.models.playoffs import Playoff, PlayoffState, is_unanswered
from tournaments.models.standings import Contribution, Publication
from tournaments.selectors.clubs.names import FULL_NAME, hides_names
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.events.stages import ordinary_stages, stage_title, stored_cuts
from tournaments.selectors.ladders.log import UNFINISHED, winner_at
from tournaments.selectors.standings.reasons import question_with_names
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import dry_run
from tournaments.services.ladders.log import locked_state, sync_log
from tournaments.services.previewing.other_effects import (
    ChallengeChange,
    Consequences,
    CutChange,
    CutSnapshot,
    LadderChanges,
    Named,
    PlaceChange,
    PlayoffChange,
    RatedChange,
    Tie,
)
from tournaments.services.publishing.ladders import LadderReading, compute_ladder, read_ladder
from tournaments.services.publishing.reviews import review_cuts
from tournaments.services.publishing.schedule_playoffs import may_need_playoffs, schedule_playoffs

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
    ladder_document: LadderDocument = json.loads(body)
    return {**ladder_document, "publication": None}


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
    number: int,
    challenge_snapshot: ChallengeSnapshot,
    then: ChallengeSnapshot,
    names: Mapping[str, str],
) -> ChallengeChange:
    def named(code: str) -> Named:
        return code, names.get(code, code)

    return ChallengeChange(
        number=number,
        challenger=named(challenge_snapshot.challenger),
        challenged=named(challenge_snapshot.challenged),
        state=challenge_snapshot.state,
        state_then=then.state,
        winner=named(challenge_snapshot.winner) if challenge_snapshot.winner else None,
        winner_then=named(then.winner) if then.winner else None,
    )


@dataclass(frozen=True, slots=True)
class TiesSnapshot:
    """The play-offs, the cuts and the knock-outs of an event at one moment, by number."""

    playoffs: Mapping[int, Tie]
    cuts: Mapping[int, CutSnapshot]


def has_ties(event: Event) -> bool:
    """Whether a change of the event's hands may touch a play-off or a cut."""
    return may_need_playoffs(event, settings_of(event))


def ties_as_stored(event: Event) -> TiesSnapshot | None:
    """Return what is stored, if that is what a worker would find now."""
    scopes = (event_scope(event.pk), playoffs_scope(event.pk))
    behind = Dirty.objects.filter(scope__in=scopes).exclude(done=F("version"))
    return None if behind.exists() else ties_stored(event)


def ties_in_dry_run(event: Event, *, now: datetime) -> TiesSnapshot:
    """Return what a worker would find; only in a dry run, for it writes what it finds.

    In the worker's own order (`tasks.look_for_playoffs`): the one changes what the other reads.
    """
    schedule_playoffs(event.pk, now=now)
    review_cuts(event.pk, now=now)
    return ties_stored(event)


def playoff_changes(before: TiesSnapshot, after: TiesSnapshot) -> tuple[PlayoffChange, ...]:
    """Return what becomes of each play-off, those that come with the change last."""
    numbers = sorted({*before.playoffs, *after.playoffs})
    return tuple(PlayoffChange(before.playoffs.get(n), after.playoffs.get(n)) for n in numbers)


def cut_changes(before: TiesSnapshot, after: TiesSnapshot) -> tuple[CutChange, ...]:
    """Return what becomes of each cut, and of each knock-out whose rounds are asked about."""
    found = [CutChange(one, after.cuts[at]) for at, one in sorted(before.cuts.items())]
    return tuple(one for one in found if one.now.through or one.now.asked or one.then.asked)


def ties_stored(event: Event) -> TiesSnapshot:
    """Return the play-offs and the cuts as they are stored."""
    names = names_in(event, FULL_NAME)
    rows = Playoff.objects.filter(event=event).exclude(state=PlayoffState.VOID)
    ties = {
        row.number: _tie(row, names)
        for row in rows.order_by("number").prefetch_related("members__entrant")
    }
    stages = ordinary_stages(event)
    through = {
        stored_cut.stage.pk: sorted(stored_cut.codes) for stored_cut in stored_cuts(event, stages)
    }
    cuts = {
        stage.number: CutSnapshot(
            stage.number,
            stage_title(stage),
            tuple((code, names[code]) for code in through.get(stage.pk, ())),
            "cut_would_change" if stage.asked else "",
            facts := (stage.asked or {}).get("facts"),
            question_with_names(facts, names),
        )
        for stage in stages
        if stage.cut or stage.kind == StageKind.KNOCKOUT
    }
    return TiesSnapshot(ties, cuts)


def _tie(row: Playoff, names: Mapping[str, str]) -> Tie:
    codes = sorted(member.entrant.code for member in row.members.all())
    members: tuple[Named, ...] = tuple((code, names[code]) for code in codes)
    return Tie(
        number=row.number,
        members=members,
        kinds=tuple(line["kind"] for line in row.boundaries),
        state=row.state,
        asked=row.asked["code"] if row.asked and is_unanswered(row.asked) else "",
        tiers=tuple(tuple(tier) for tier in (row.result or {}).get("order", ())),
    )


@dataclass(frozen=True, slots=True)
class EffectsSnapshot:
    """The ladder of an event, its play-offs and its cuts, where it has any."""

    ladder: LadderSnapshot | None = None
    ties: TiesSnapshot | None = None


def current_snapshot(event: Event, code: str, *, now: datetime) -> EffectsSnapshot:
    """Return what stands now: as stored, unless the workers are behind.

    Args:
        code: of the table that is about to be changed.
    """
    is_ladder, is_tied = has_ladder(event), has_ties(event)
    ladder = ladder_as_published(event, code) if is_ladder else None
    ties = ties_as_stored(event) if is_tied else None
    if (is_ladder and ladder is None) or (is_tied and ties is None):
        with dry_run():
            lock_for_snapshot(event)
            return snapshot_in_dry_run(event, code, now=now)
    return EffectsSnapshot(ladder, ties)


def lock_for_snapshot(event: Event) -> None:
    """Lock the rows of `snapshot_in_dry_run` before those of any game: the order of all locks."""
    if has_ladder(event):
        lock_event(event)
        locked_state(event)
    if has_ties(event):
        lock_event(event)
        lock_games(Game.objects.filter(event=event, counts=False))  # those of play-offs


def snapshot_in_dry_run(event: Event, code: str, *, now: datetime) -> EffectsSnapshot:
    """Return what the workers would make of the rows as they are; only in a dry run, and held."""
    return EffectsSnapshot(
        ladder_in_dry_run(event, code, now=now) if has_ladder(event) else None,
        ties_in_dry_run(event, now=now) if has_ties(event) else None,
    )


def consequences(event: Event, before: EffectsSnapshot, after: EffectsSnapshot) -> Consequences:
    """Return what lies between two moments."""
    ladder = None
    if before.ladder is not None and after.ladder is not None:
        ladder = ladder_changes(event, before.ladder, after.ladder)
    if before.ties is None or after.ties is None:
        return Consequences(ladder)
    return Consequences(
        ladder, playoff_changes(before.ties, after.ties), cut_changes(before.ties, after.ties)
    )
