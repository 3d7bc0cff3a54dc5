"""The state of standings, ladders and ties at one moment, and the difference of two moments."""

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
from tournaments.models.jobs import Dirty, event_scope, ladder_scope, playoffs_scope
from tournaments.models.ladders import Challenge, ChallengeState
from tournaments.models.playoffs import Playoff, is_unanswered
from tournaments.models.standings import Contribution, Publication
from tournaments.selectors.clubs.names import FULL_NAME, hides_names
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.ladders.log import UNFINISHED, winner_at
from tournaments.selectors.stages import (
    stage_title,
    stages_of,
    stored_cuts,
    valid_playoffs,
)
from tournaments.selectors.standings.reasons import question_with_names
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import dry_run
from tournaments.services.ladders.log import lock_ladder_state, sync_log
from tournaments.services.previewing.diff import (
    Consequences,
    CutChange,
    CutSnapshot,
    LadderChanges,
    PlaceChange,
    PlayoffChange,
    RatingChange,
    Tie,
)
from tournaments.services.previewing.documents import (
    PreviewedChallenge,
    PreviewedPlace,
    PreviewedRating,
)
from tournaments.services.publishing.ladder_positions import LadderInputs, inputs_of
from tournaments.services.publishing.ladders import compute_ladder
from tournaments.services.publishing.publications import newest_publication
from tournaments.services.publishing.reviews import review_cuts
from tournaments.services.publishing.schedule_playoffs import may_need_playoffs, schedule_playoffs

MOST_PLACES: Final = 100
MOST_RATINGS: Final = 10
"""Maximum number of listed changes of ratings, the largest first; the others are counted."""


PLAYED: Final = (ChallengeState.PLAYED, ChallengeState.CONFIRMED, ChallengeState.VOID)

ChallengeSnapshot = tuple[str, str, str, str | None]
"""The codes of challenger and challenged, the state, the code of the winner."""
LadderSnapshot = tuple[Publication | LadderInputs, Mapping[int, ChallengeSnapshot]]
"""A ladder at one moment: its publication where that is up to date, else the rows that it is
computed from; and the challenges played at the table that is changed, by number."""
TiesSnapshot = tuple[Mapping[int, Tie], Mapping[int, CutSnapshot]]
"""The play-offs, by number, and the cuts and knock-outs of an event, by the number of the stage."""


def publication_numbers(
    newest: Publication | None, *, is_same: bool
) -> tuple[int | None, int | None]:
    """Return the number of the newest publication, now and after a change."""
    number = newest.number if newest is not None else None
    return number, number if is_same else (number or 0) + 1


def _ladder_document(source: Publication | LadderInputs) -> LadderDocument:
    """Return a ladder as it is, or would be, published, without a query."""
    rendered = compute_ladder(source) if isinstance(source, LadderInputs) else source
    document: LadderDocument = json.loads(bytes(rendered.body))
    return {**document, "publication": None}


def _find_ladder_as_published(event: Event, code: str) -> LadderSnapshot | None:
    newest = newest_publication(ladder=event.pk)
    scopes = (event_scope(event.pk), ladder_scope(event.pk))
    rows = Dirty.objects.filter(scope__in=scopes).values_list("version", "done")
    if newest is None or len(rows) != len(scopes) or any(done != due for due, done in rows):
        return None
    return newest, _list_challenges(event, code)


def _ladder_changes(event: Event, before: LadderSnapshot, after: LadderSnapshot) -> LadderChanges:
    (source, challenges), (source_then, challenges_then) = before, after
    body, then = _ladder_document(source), _ladder_document(source_then)
    names = _names(then) | _names(body)
    if hides_names(event.club):
        names |= names_in(event, FULL_NAME)
    places, ratings = _places(body, then, names), _ratings(body, then, names)
    published, published_then = publication_numbers(
        newest_publication(ladder=event.pk), is_same=body == then
    )
    return LadderChanges(
        places=tuple(places[:MOST_PLACES]),
        n_places=len(places),
        ratings=tuple(ratings[:MOST_RATINGS]),
        n_ratings=len(ratings),
        challenges=tuple(
            _challenge_change(number, challenge, challenges_then[number], names)
            for number, challenge in challenges.items()
            if challenges_then[number] != challenge
        ),
        publication=published,
        publication_then=published_then,
    )


def _names(body: LadderDocument) -> dict[str, str]:
    rows = (*body.get("rows", ()), *body.get("ratings", ()))
    return {row["player_id"]: row["player"] for row in rows}


def _places(
    body: LadderDocument, then: LadderDocument, names: Mapping[str, str]
) -> list[PlaceChange]:
    """Return the members that change places, in the new order; those that leave come last."""
    before, after = (
        {row["player_id"]: row["place"] for row in document.get("rows", ())}
        for document in (body, then)
    )
    changes: list[PlaceChange] = []
    for code in {**after, **before}:
        place, place_then = before.get(code), after.get(code)
        if place != place_then:
            up = 0 if place is None or place_then is None else place - place_then
            change: PreviewedPlace = {
                "player_id": code,
                "player": names[code],
                "before": place,
                "after": place_then,
            }
            changes.append((change, up, -up))
    return changes


def _ratings(
    body: LadderDocument, then: LadderDocument, names: Mapping[str, str]
) -> list[RatingChange]:
    before, after = _ratings_by_code(body), _ratings_by_code(then)
    unrated = (None, "–")
    changes: list[RatingChange] = []
    for code in {**after, **before}:
        rating, text = before.get(code, unrated)
        rating_then, text_then = after.get(code, unrated)
        if rating != rating_then:
            change: PreviewedRating = {
                "player_id": code,
                "player": names[code],
                "before": rating,
                "after": rating_then,
            }
            changes.append((change, text, text_then))

    def order(change: RatingChange) -> tuple[float, str]:
        rating = change[0]
        return -abs((rating["after"] or 0.0) - (rating["before"] or 0.0)), rating["player_id"]

    return sorted(changes, key=order)


def _ratings_by_code(body: LadderDocument) -> dict[str, tuple[float, str]]:
    rows = (*body.get("ratings", ()), *body.get("rows", ()))
    return {
        row["player_id"]: (row["rating"], row["rating_shown"] or "")
        for row in rows
        if row["rating"] is not None
    }


def _challenge_change(
    number: int, now: ChallengeSnapshot, then: ChallengeSnapshot, names: Mapping[str, str]
) -> tuple[PreviewedChallenge, dict[str, object]]:
    challenger, challenged, state, winner = now
    _, _, state_then, winner_then = then
    challenge: PreviewedChallenge = {
        "number": number,
        "before": {"state": state, "winner": winner},
        "after": {"state": state_then, "winner": winner_then},
    }
    return challenge, {
        "challenger": names.get(challenger, challenger),
        "challenged": names.get(challenged, challenged),
        "winner": names.get(winner, winner) if winner else "",
        "winner_then": names.get(winner_then, winner_then) if winner_then else "",
        "is_void_then": state_then == "void" != state,
    }


def _list_challenges(event: Event, code: str) -> dict[int, ChallengeSnapshot]:
    rows = Challenge.objects.filter(event=event, game__table__code=code, state__in=PLAYED)
    challenges = {}
    for challenge in rows.select_related("challenger", "challenged").order_by("number"):
        games = Contribution.objects.filter(game=challenge.game_id, games__gt=0)
        over = games.exclude(game__state__in=UNFINISHED)
        places = dict(over.values_list("entrant__code", "place"))
        challenges[challenge.number] = (
            challenge.challenger.code,
            challenge.challenged.code,
            challenge.state,
            winner_at(challenge, places),
        )
    return challenges


def _has_ties(event: Event) -> bool:
    return may_need_playoffs(event, settings_of(event))


def ties_in_dry_run(event: Event, *, now: datetime) -> TiesSnapshot:
    """Return the ties that a worker would detect; only in a dry run, because it writes them.

    In the order of `tasks.schedule_event_playoffs`: the second step reads the first's changes.
    """
    schedule_playoffs(event.pk, now=now)
    review_cuts(event.pk, now=now)
    return ties_stored(event)


def playoff_changes(before: TiesSnapshot, after: TiesSnapshot) -> tuple[PlayoffChange, ...]:
    """Return the outcome of each play-off, those created by the change last."""
    (playoffs, _), (playoffs_then, _) = before, after
    numbers = sorted({*playoffs, *playoffs_then})
    return tuple(PlayoffChange(playoffs.get(n), playoffs_then.get(n)) for n in numbers)


def cut_changes(before: TiesSnapshot, after: TiesSnapshot) -> tuple[CutChange, ...]:
    """Return the outcome of each cut, and of each knock-out with questions about its rounds."""
    (_, cuts), (_, cuts_then) = before, after
    changes = [CutChange(cut, cuts_then[number]) for number, cut in sorted(cuts.items())]
    return tuple(cut for cut in changes if cut.now.through or cut.now.asked or cut.then.asked)


def ties_stored(event: Event) -> TiesSnapshot:
    names = names_in(event, FULL_NAME)
    rows = valid_playoffs(event)
    ties = {
        row.number: _tie(row, names)
        for row in rows.order_by("number").prefetch_related("members__entrant")
    }
    stages = list(stages_of(event))
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
    return ties, cuts


def _tie(row: Playoff, names: Mapping[str, str]) -> Tie:
    codes = sorted(member.entrant.code for member in row.members.all())
    members = tuple((code, names[code]) for code in codes)
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
    """Return the current state of the table `code`: as stored, unless the workers are behind."""
    is_ladder, is_tied = event.kind == EventKind.LADDER, _has_ties(event)
    ladder = _find_ladder_as_published(event, code) if is_ladder else None
    scopes = (event_scope(event.pk), playoffs_scope(event.pk))
    behind = Dirty.objects.filter(scope__in=scopes).exclude(done=F("version"))
    is_behind = is_tied and behind.exists()
    if (is_ladder and ladder is None) or is_behind:
        with dry_run():
            lock_for_snapshot(event)
            return snapshot_in_dry_run(event, code, now=now)
    return EffectsSnapshot(ladder, ties_stored(event) if is_tied else None)


def lock_for_snapshot(event: Event) -> None:
    """Lock the rows of `snapshot_in_dry_run` before those of any game: the order of all locks."""
    if event.kind == EventKind.LADDER:
        lock_event(event)
        lock_ladder_state(event)
    if _has_ties(event):
        lock_event(event)
        lock_games(Game.objects.filter(event=event, counts=False))  # those of play-offs


def snapshot_in_dry_run(event: Event, code: str, *, now: datetime) -> EffectsSnapshot:
    """Return what the workers would make of the rows; only in a dry run with the locks, for it
    writes the ladder's log and the play-offs.

    The ladder is only read here: its replay waits until the locks are released.
    """
    ladder = None
    if event.kind == EventKind.LADDER:
        sync_log(event, now)
        ladder = inputs_of(event), _list_challenges(event, code)
    return EffectsSnapshot(ladder, ties_in_dry_run(event, now=now) if _has_ties(event) else None)


def consequences(event: Event, before: EffectsSnapshot, after: EffectsSnapshot) -> Consequences:
    ladder = None
    if before.ladder is not None and after.ladder is not None:
        ladder = _ladder_changes(event, before.ladder, after.ladder)
    if before.ties is None or after.ties is None:
        return Consequences(ladder)
    return Consequences(
        ladder, playoff_changes(before.ties, after.ties), cut_changes(before.ties, after.ties)
    )
