"""Verify an event and its ladder: everything computed from the entries, up to published bytes."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F

from tournaments.domain.etags import digest_of
from tournaments.domain.standings.counting_release import COUNTING, RELEASES
from tournaments.domain.standings.standings_documents import compact, with_head
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, event_scope, ladder_scope, recount_scope
from tournaments.models.ladders import LadderMove, LadderState, RatingChange
from tournaments.models.standings import (
    EVENING_PLACES,
    Aggregate,
    Contribution,
    Publication,
    StoredHistory,
)
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.jobs.queue import get_publication_progress, is_recounted
from tournaments.selectors.standings.bulk_reads import SUMS, game_ids, number_of_games, summed
from tournaments.selectors.standings.counted_otherwise import (
    get_newest_counting,
    is_counted_otherwise,
    keeps_figures,
)
from tournaments.services.db.bulk import add_to_aggregates, in_parts
from tournaments.services.db.transactions import atomic_step
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.log import lock_ladder_state
from tournaments.services.publishing.ladder_positions import move_rows, stored_moves
from tournaments.services.publishing.ladders import (
    RATING_COLUMNS,
    ComputedLadder,
    ladder_rating_rows,
    publish_ladder,
    read_and_compute_ladder,
    state_values,
    store_rows,
)
from tournaments.services.publishing.publication_files import drop_files
from tournaments.services.publishing.publications import newest_publication, publish
from tournaments.services.publishing.rank_and_render import (
    Rendered,
    render_draft,
    standings_as_stored,
)
from tournaments.services.totals.counted_games import (
    CountedTotals,
    CountingScheme,
    flip_marks,
    games_by_entrant,
    lock_aggregates,
    store_counted,
    wrong_marks,
)
from tournaments.services.verification import games
from tournaments.services.verification.evenings import verify_evenings
from tournaments.services.verification.games import (
    OTHERS,
    Difference,
    PublicationState,
    Report,
    TableKinds,
    Verification,
    locked_event,
    verify_games,
    verify_locked_games,
)

_FACTS: Final = b'"reason_facts":'
_OF_STANDINGS: Final = b'"provisional_rows":'


def verify_totals(event: Event, verification: Verification, *, repair: bool) -> None:
    """Compare the sums; those that depend on formulas only where this release has counted them.

    What an older release has counted is compared as a publication (`verify_publication`).
    """
    counting = get_newest_counting(event.pk)
    is_older = counting is not None and counting < COUNTING
    differing = {entrant for entrant, computed, stored in summed(event) if computed != stored}
    for entrants in in_parts(_list_entrant_ids(event), games.LOCKED):
        counted = {entrant_id for entrant_id, *_ in _differing_counted(event, entrants)}
        if is_older:
            verification.has_older_sums |= bool(counted)
        else:
            differing.update(counted)
    for entrants in in_parts(sorted(differing), games.LOCKED):
        verification.add_differences(
            _verify_locked_totals(event, entrants, repair=repair, with_counted=not is_older)
        )


def _list_entrant_ids(event: Event) -> list[int]:
    return sorted(Entrant.objects.filter(event=event).values_list("pk", flat=True))


@transaction.atomic
def _verify_locked_totals(
    event: Event, entrants: Sequence[int], *, repair: bool, with_counted: bool = True
) -> Verification:
    verification = Verification()
    if repair:
        event = locked_event(event)
    lock_aggregates(event, entrants)
    deltas = {}
    for entrant_id, computed, stored in summed(event, entrants):
        if computed != stored:
            verification.add(Difference(None, None, "sums", stored, computed, entrant_id))
            sums = zip(SUMS, stored, computed, strict=True)
            deltas[entrant_id] = {name: new - old for name, old, new in sums if new != old}
    if repair and deltas:
        add_to_aggregates(club_id=event.club_id, event_id=event.pk, deltas=deltas)
    counted = _differing_counted(event, entrants) if with_counted else ()
    for entrant_id, before, now, _ in counted:
        verification.add(Difference(None, None, "kept", before, now, entrant_id))
    if repair and counted:
        store_counted(event, {entrant_id: now for entrant_id, _, now, _ in counted})
        flip_marks([row for *_, wrong in counted for row in wrong])
    return verification


def _differing_counted(
    event: Event, entrants: Sequence[int]
) -> Sequence[tuple[int, object, CountedTotals | None, Sequence[int]]]:
    """Return entrants whose counted games differ: stored, computed, and the rows marked wrong."""
    scheme = CountingScheme(event)
    sums = Aggregate.objects.filter(event=event, entrant_id__in=entrants)
    stored = dict(sums.values_list("entrant_id", "kept"))
    if scheme.settings.keeps or any(counted is not None for counted in stored.values()):
        games = dict(games_by_entrant(event, entrants))
    else:
        # Nothing is counted here, so only a mark that is left over can be wrong.
        marked = Contribution.objects.filter(entrant_id__in=entrants, is_dropped=True)
        games = dict(games_by_entrant(event, set(marked.values_list("entrant_id", flat=True))))
    differing = []
    for entrant_id, before in sorted(stored.items()):
        played = games.get(entrant_id, [])
        without = scheme.without(played)
        now = scheme.count(played, without)
        wrong = wrong_marks(played, without)
        if before != now or wrong:
            differing.append((entrant_id, before, now, wrong))
    return differing


def recount_steps(event_id: int) -> Iterator[Mapping[str, int]]:
    """Count an event again from where an earlier call ended; yield the progress."""
    version, progress = get_publication_progress(recount_scope(event_id))
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        return
    state = {"version": version, "done": 0, "of": number_of_games(event), "after": 0}
    if progress and progress["version"] == version:
        state = dict(progress)
    kinds = TableKinds(event)
    while ids := game_ids(event, after=state["after"], limit=games.LOCKED):
        verify_locked_games(event, kinds, first=ids[0], last=ids[-1], repair=True)
        state |= {"done": state["done"] + len(ids), "after": ids[-1]}
        yield dict(state)
    for entrants in in_parts(_list_entrant_ids(event), games.LOCKED):
        _verify_locked_totals(event, entrants, repair=True)
        yield dict(state)


@atomic_step
def finish_recount(
    event_id: int, version: int, *, now: datetime, took_ms: int | None = None
) -> None:
    """Note that the event is counted up to `version`, and have it published."""
    event = Event.objects.filter(pk=event_id).first()
    if event is not None:
        mark_changed(event=event, now=now)
    queue.finish_job(recount_scope(event_id), version, now=now, took_ms=took_ms)
    queue.release_job(event_scope(event_id))  # a worker may have had to leave it


def recount_now(event_id: int, *, now: datetime) -> bool:
    """Count an event again in this process, if that is pending; return whether it was.

    Safe beside a worker that does the same.
    """
    version, _ = get_publication_progress(recount_scope(event_id))
    if not is_recounted(event_id):
        return False
    for _ in recount_steps(event_id):
        pass
    finish_recount(event_id, version, now=now)
    return True


def verify_publication(event: Event, *, repair: bool, now: datetime) -> PublicationState:
    """Compare the served bytes with bytes made now, but for `publication`; return how it was.

    With `repair` a new publication is made where they differ; bytes that do not have their own
    digest are written again instead.
    """
    state = _compare(event, repair=repair, now=now)
    if repair and state in (*OTHERS, PublicationState.BEHIND):
        publish(event.pk, now=now)
    return state


def _compare(event: Event, *, repair: bool, now: datetime) -> PublicationState:
    with snapshot_read():
        scope = event_scope(event.pk)
        under_review = Dirty.objects.filter(scope=scope, under_review_since__isnull=False)
        if _is_behind(event, [scope]) or under_review.exists():
            return PublicationState.BEHIND
        newest = newest_publication(event=event.pk)
        if newest is None:
            return PublicationState.NONE
        table = standings_as_stored(event.pk, is_anew=True)
        is_kept = keeps_figures(event, newest)
    rendered = render_draft(table)
    state = _compare_publication(newest, rendered)
    if state == PublicationState.DIFFERS and is_kept:
        return PublicationState.KEPT
    if state == PublicationState.DIFFERS and is_counted_otherwise(newest):
        state = PublicationState.COUNTED_ANEW
    if repair and state in OTHERS:
        with transaction.atomic():
            StoredHistory.objects.filter(event=event, kind=EVENING_PLACES).delete()
            if not _repair_publication(newest, rendered):
                mark_changed(event=event, now=now)
    return state


def _is_behind(event: Event, scopes: Collection[str]) -> bool:
    behind = Dirty.objects.filter(scope__in=scopes, done__lt=F("version"))
    return behind.exists() or is_recounted(event.pk)


def _compare_publication(newest: Publication, rendered: Rendered) -> PublicationState:
    stored = bytes(newest.body)
    expected = _body(newest, rendered)
    if _FACTS not in stored and _OF_STANDINGS in stored:
        stored, expected = _without_reasons(stored), _without_reasons(expected)
    same = (stored, bytes(newest.csv)) == (expected, rendered.csv)
    return PublicationState.SAME if same else PublicationState.DIFFERS


def _without_reasons(body: bytes) -> bytes:
    """Return a publication without reasons and titles, for those from before there were facts.

    In the head, `digest` is whether that is the digest of the bytes.
    """
    document = json.loads(body)
    head = document.pop("publication")
    head["digest"] = head["digest"] == digest_of(compact(document))
    for row in (*document["rows"], *document["provisional_rows"]):
        for key in ("reason", "ahead", "reason_facts"):
            row.pop(key, None)
    for column in document["columns"]:
        del column["title"]  # 0.3.0 says "Win share" for "Tables won"
    return compact([head, document])


def _repair_publication(newest: Publication, rendered: Rendered) -> bool:
    """Rewrite bytes that do not match their digest.

    Return False if the new digest differs, so that a new publication is needed.
    """
    body = _body(newest, rendered)
    if not body.split(b"}", 1)[0].endswith(f'"digest":"{newest.digest}"'.encode()):
        return False
    Publication.objects.filter(pk=newest.pk).update(body=body, csv=rendered.csv)
    drop_files(newest.pk)
    return True


def _body(newest: Publication, rendered: Rendered) -> bytes:
    return with_head(
        rendered.body,
        number=newest.number,
        version=newest.version,
        now=newest.published_at,
        redacted=newest.is_redacted,
    )


def verify_ladder(event: Event, *, repair: bool, now: datetime) -> Verification:
    """Replay a ladder from its first step and game, and compare it with the stored rows bit by bit.

    Return the differences before any repair. One that is behind is left to the workers without
    `repair`.
    """
    if repair and not LadderState.objects.filter(event=event).exists():
        verification = Verification(publication=PublicationState.BEHIND)
    else:
        with snapshot_read():
            verification, _ = _compare_ladder(event)
        if repair and verification.differs:
            verification = _lock_and_repair(event, now)
    if repair and (verification.differs or verification.publication == PublicationState.BEHIND):
        publish_ladder(event.pk, now=now)
    return verification


@transaction.atomic
def _lock_and_repair(event: Event, now: datetime) -> Verification:
    """Compare again while no hand is entered between games and ladder, and repair differences."""
    lock_ladder_state(event)
    scopes = (event_scope(event.pk), ladder_scope(event.pk))
    rows = Dirty.objects.select_for_update().filter(scope__in=scopes)
    list(rows.order_by("pk").values("pk"))
    verification, computed = _compare_ladder(event)
    if computed is not None and verification.differs:
        newest = newest_publication(ladder=event.pk)
        ladder, rendered = computed
        store_rows(ladder)
        if newest is not None and not _repair_publication(newest, rendered):
            mark_due(ladder_scope(event.pk), now=now)
    return verification


def _compare_ladder(
    event: Event,
) -> tuple[Verification, tuple[ComputedLadder, Rendered] | None]:
    state = LadderState.objects.filter(event=event).first()
    if state is None:
        return Verification(), None
    if _is_behind(event, (event_scope(event.pk), ladder_scope(event.pk))):
        return Verification(publication=PublicationState.BEHIND), None
    newest = newest_publication(ladder=event.pk)
    if newest is None:
        return Verification(), None
    computed, rendered = read_and_compute_ladder(event, from_start=True)
    inputs = computed.inputs
    compared = _compare_publication(newest, rendered)
    if compared == PublicationState.DIFFERS and is_counted_otherwise(newest):
        compared = PublicationState.COUNTED_ANEW
    verification = Verification(publication=compared)
    moves = stored_moves(LadderMove.objects.filter(event=event))
    verification.add(*_differing_rows("moves", moves, move_rows(inputs, computed.positions.moves)))
    ratings = RatingChange.objects.filter(event=event).values_list(*RATING_COLUMNS)
    computed_rows = ladder_rating_rows(
        inputs, computed.ratings.changes, first=computed.ratings.first
    )
    verification.add(*_differing_rows("ratings", ratings, computed_rows))
    now = state_values(computed)
    before = {key: getattr(state, key) for key in now}
    if before != now:
        verification.add(Difference(None, None, "state", before, now))
    return verification, (computed, rendered)


def _differing_rows(
    what: str, stored: Iterable[object], computed: Iterable[object]
) -> Iterator[Difference]:
    before, now = set(stored), set(computed)
    yield from (Difference(None, None, what, row, None) for row in before - now)
    yield from (Difference(None, None, what, None, row) for row in now - before)


LADDER_PARTS: Final = ("moves", "ratings", "state")


@dataclass(frozen=True, slots=True)
class EventVerification:
    event: Event
    found: Verification
    ladder: Verification | None = None

    @property
    def refused(self) -> int:
        """The number of entries that the rules refuse: no replay repairs these."""
        return self.found.counts["refused"]

    @property
    def differs(self) -> bool:
        return self.found.differs or (self.ladder is not None and self.ladder.differs)

    def as_json(self) -> Mapping[str, object]:
        """Return it for programs; at most a thousand differences, all counted in `differing`."""
        ladder = None
        if self.ladder is not None:
            ladder = {
                "publication": self.ladder.publication.value,
                **{what: self.ladder.counts[what] for what in LADDER_PARTS},
            }
        return {
            "club": self.event.club.slug,
            "event": self.event.slug,
            "games": self.found.games,
            "hands": self.found.hands,
            "publication": self.found.publication.value,
            **({"ladder": ladder} if ladder is not None else {}),
            "differing": self.found.differing,
            "differences": [
                {
                    "at": at,
                    "what": difference.what,
                    "stored": difference.stored,
                    "found": difference.found,
                }
                for at, difference in with_places(self.found.differences)
            ],
        }

    def lines(self) -> Iterable[str]:
        """Yield it for people: one line, and one for each difference."""
        name = f"{self.event.club.slug}/{self.event.slug}"
        size = f"{self.found.games:,} games, {self.found.hands:,} hands"
        if self.ladder is not None:
            rows = ", ".join(f"{self.ladder.counts[what]:,} {what}" for what in LADDER_PARTS)
            what = f"differing: {rows}" if self.ladder.differs else "no difference"
            yield f"{name}: ladder: {what}; publication: {self.ladder.publication}"
        differing = (
            f"{self.found.differing:,} differences" if self.found.differs else "no difference"
        )
        yield f"{name}: {size}: {differing}; publication: {self.found.publication}"
        for at, difference in with_places(self.found.differences):
            values = f"stored {difference.stored}, from the entries {difference.found}"
            yield f"  {at}: {difference.what} {values}"


def lines_of_countings(verifications: Sequence[EventVerification]) -> Iterator[str]:
    """Yield which events this release counts anew, and which are over and keep their standings."""
    release = RELEASES[COUNTING]
    heads = {
        PublicationState.COUNTED_ANEW: (
            f"Running events whose standings are counted anew by {release}"
        ),
        PublicationState.KEPT: (
            "Events that are over and keep the standings of the release that published them"
        ),
    }
    for state, head in heads.items():
        names = [
            f"{verification.event.club.slug}/{verification.event.slug}"
            for verification in verifications
            if verification.found.publication == state
        ]
        if names:
            yield f"{head} ({len(names)}): {', '.join(names)}"


def verify_event(event: Event, *, repair: bool, now: datetime, report: Report) -> EventVerification:
    """Compare everything computed from the event's entries, and repair it with `repair`."""
    if repair and recount_now(event.pk, now=now):
        report("was being counted again; that is done now")
    verification = Verification()
    games = number_of_games(event)
    for n_compared in verify_games(event, verification, repair=repair, report=report):
        report(f"{n_compared:,} of {games:,} games")
    report("the totals")
    verify_totals(event, verification, repair=repair)
    report("the publication")
    state = verify_publication(event, repair=repair, now=now)
    if state == PublicationState.SAME and verification.has_older_sums:
        state = PublicationState.KEPT if event.is_over else PublicationState.COUNTED_ANEW
    verification.publication = state
    report("the evenings")
    verify_evenings(event, verification, repair=repair, now=now)
    if not event.is_ladder:
        return EventVerification(event, verification)
    report("the ladder")
    return EventVerification(event, verification, verify_ladder(event, repair=repair, now=now))


def with_places(differences: Sequence[Difference]) -> list[tuple[str, Difference]]:
    """Return differences with their places: table, hand, entrant, evening."""
    games = {each.game_id for each in differences if each.game_id is not None}
    entrants = {each.entrant for each in differences if each.entrant is not None}
    tables = dict(Game.objects.filter(pk__in=games).values_list("pk", "table__code"))
    codes = dict(Entrant.objects.filter(pk__in=entrants).values_list("pk", "code"))

    def place(difference: Difference) -> str:
        words = []
        if difference.game_id is not None:
            words.append(f"table {tables.get(difference.game_id, '?')}")
        if difference.number is not None:
            words.append(f"hand {difference.number}")
        if difference.entrant is not None:
            words.append(codes.get(difference.entrant, "?"))
        if difference.evening:
            words.append(f"evening {difference.evening}")
        return ", ".join(words)

    return [(place(difference), difference) for difference in differences]
