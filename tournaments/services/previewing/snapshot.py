"""The state of standings, ladders and ties at one moment, and the difference of two moments."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple, TypedDict

from django.db.models import F

from tournaments.domain.event_settings import settings_of
from tournaments.domain.standings.ladder_documents import LadderDocument
from tournaments.models.events import Event, EventKind, Stage, StageKind
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, event_scope, ladder_scope, playoffs_scope
from tournaments.models.ladders import Challenge, ChallengeState
from tournaments.models.playoffs import Playoff
from tournaments.models.standings import Contribution, Publication
from tournaments.selectors.clubs.names import FULL_NAME, hides_names
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.ladders.log import UNFINISHED, winner_at
from tournaments.selectors.stages import stages_of, stored_cuts, valid_playoffs
from tournaments.services.db.locks import lock_event, lock_games
from tournaments.services.db.transactions import dry_run
from tournaments.services.ladders.log import lock_ladder_state, sync_log
from tournaments.services.previewing.diff import (
    ChallengeChange,
    CutChange,
    LadderChanges,
    PlaceChange,
    PlayoffChange,
    RatingDifference,
    codes_of,
)
from tournaments.services.previewing.documents import PreviewedPlace, PreviewedRating
from tournaments.services.publishing.ladder_positions import LadderInputs
from tournaments.services.publishing.ladders import compute_ladder
from tournaments.services.publishing.publications import newest_publication
from tournaments.services.publishing.reviews import review_cuts
from tournaments.services.publishing.schedule_playoffs import may_need_playoffs, schedule_playoffs

MOST_PLACES: Final = 100
MOST_RATINGS: Final = 10
"""Maximum number of listed changes of ratings, the largest first; the others are counted."""


PLAYED: Final = (ChallengeState.PLAYED, ChallengeState.CONFIRMED, ChallengeState.VOID)


class ChallengeSnapshot(TypedDict):
    """A challenge at one moment, with the codes of its members and its winner."""

    challenger: str
    challenged: str
    state: str
    winner: str | None


class LadderSnapshot(NamedTuple):
    """A ladder at one moment: its publication where that is up to date, else the rows that it is
    computed from; and the challenges played at the table that is changed, by number."""

    source: Publication | LadderInputs
    challenges: Mapping[int, ChallengeSnapshot]


class TiesSnapshot(NamedTuple):
    """The play-offs of an event, by number; its cuts and knock-outs with the codes of those who
    qualified, by the number of the stage; and the names of its entrants, by code."""

    playoffs: Mapping[int, Playoff]
    cuts: Mapping[int, tuple[Stage, Sequence[str]]]
    names: Mapping[str, str]


class EffectsSnapshot(NamedTuple):
    """The ladder of an event, and its ties, where it has any."""

    ladder: LadderSnapshot | None
    ties: TiesSnapshot | None


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
    return LadderSnapshot(newest, _list_challenges(event, code))


def ladder_changes(
    event: Event, before: LadderSnapshot | None, after: LadderSnapshot | None
) -> LadderChanges | None:
    """Return the changes of a ladder; None in an event without one."""
    if before is None or after is None:
        return None
    body = _ladder_document(before.source)
    then = _ladder_document(after.source)
    names = _names(then) | _names(body)
    if hides_names(event.club):
        names |= names_in(event, FULL_NAME)
    places = _places(body, then, names)
    ratings = _ratings(body, then, names)
    challenges = [
        _challenge_change(number, challenge, after.challenges[number], names)
        for number, challenge in before.challenges.items()
        if after.challenges[number] != challenge
    ]
    published, published_then = publication_numbers(
        newest_publication(ladder=event.pk), is_same=body == then
    )
    return {
        "document": {
            "places": {
                "changed": len(places),
                "results": [place for place, _, _ in places[:MOST_PLACES]],
            },
            "ratings": {
                "changed": len(ratings),
                "results": [rating for rating, _, _ in ratings[:MOST_RATINGS]],
            },
            "challenges": [challenge["document"] for challenge in challenges],
            "publication": {"before": published, "after": published_then},
        },
        "places": places[:MOST_PLACES],
        "n_more_places": len(places[MOST_PLACES:]),
        "ratings": ratings[:MOST_RATINGS],
        "n_more_ratings": len(ratings[MOST_RATINGS:]),
        "challenges": challenges,
    }


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
        place = before.get(code)
        place_then = after.get(code)
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
) -> list[RatingDifference]:
    before, after = _ratings_by_code(body), _ratings_by_code(then)
    unrated = (None, "–")
    changes: list[RatingDifference] = []
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

    def order(change: RatingDifference) -> tuple[float, str]:
        rating, *_ = change
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
) -> ChallengeChange:
    winner = now["winner"]
    winner_then = then["winner"]
    return {
        "document": {
            "number": number,
            "before": {"state": now["state"], "winner": winner},
            "after": {"state": then["state"], "winner": winner_then},
        },
        "challenger": names.get(now["challenger"], now["challenger"]),
        "challenged": names.get(now["challenged"], now["challenged"]),
        "winner": names.get(winner, winner) if winner else "",
        "winner_then": names.get(winner_then, winner_then) if winner_then else "",
        "is_void_then": then["state"] == "void" != now["state"],
    }


def _list_challenges(event: Event, code: str) -> dict[int, ChallengeSnapshot]:
    rows = Challenge.objects.filter(event=event, game__table__code=code, state__in=PLAYED)
    challenges: dict[int, ChallengeSnapshot] = {}
    for challenge in rows.select_related("challenger", "challenged").order_by("number"):
        games = Contribution.objects.filter(game=challenge.game_id, games__gt=0)
        over = games.exclude(game__state__in=UNFINISHED)
        places = dict(over.values_list("entrant__code", "place"))
        challenges[challenge.number] = {
            "challenger": challenge.challenger.code,
            "challenged": challenge.challenged.code,
            "state": challenge.state,
            "winner": winner_at(challenge, places),
        }
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


def playoff_changes(
    before: TiesSnapshot | None, after: TiesSnapshot | None
) -> tuple[PlayoffChange, ...]:
    """Return the outcome of each play-off, those created by the change last."""
    if before is None or after is None:
        return ()
    names = {**after.names, **before.names}
    return tuple(
        PlayoffChange(
            before.playoffs.get(number),
            after.playoffs.get(number),
            tuple(names[code] for code in codes_of(playoff)),
        )
        for number, playoff in sorted({**after.playoffs, **before.playoffs}.items())
    )


def cut_changes(before: TiesSnapshot | None, after: TiesSnapshot | None) -> tuple[CutChange, ...]:
    """Return the outcome of each cut, and of each knock-out with questions about its rounds."""
    if before is None or after is None:
        return ()
    names = {**before.names, **after.names}
    changes = []
    for number, (stage, through) in sorted(before.cuts.items()):
        stage_then, through_then = after.cuts[number]
        if through or stage.asked or stage_then.asked:
            changes.append(CutChange(stage, stage_then, through, through_then, names))
    return tuple(changes)


def ties_stored(event: Event) -> TiesSnapshot:
    names = names_in(event, FULL_NAME)
    rows = valid_playoffs(event).prefetch_related("members__entrant")
    stages = list(stages_of(event))
    through = {cut.stage.pk: sorted(cut.codes) for cut in stored_cuts(event, stages)}
    cuts = {
        stage.number: (stage, through.get(stage.pk, ()))
        for stage in stages
        if stage.cut or stage.kind == StageKind.KNOCKOUT
    }
    return TiesSnapshot({row.number: row for row in rows}, cuts, names)


def current_snapshot(event: Event, code: str, *, now: datetime) -> EffectsSnapshot:
    """Return the current state of the table `code`: as stored, unless the workers are behind."""
    is_ladder = event.kind == EventKind.LADDER
    is_tied = _has_ties(event)
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
        ladder = LadderSnapshot(LadderInputs(event), _list_challenges(event, code))
    ties = ties_in_dry_run(event, now=now) if _has_ties(event) else None
    return EffectsSnapshot(ladder, ties)
