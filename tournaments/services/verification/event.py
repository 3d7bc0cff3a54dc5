"""Verifies an event and its ladder: all that follows from the entries, to the bytes published."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F

from tournaments.domain.etags import digest_of
from tournaments.domain.standings.standings_documents import compact, with_head
from tournaments.models.events import Entrant, Event, EventKind
from tournaments.models.hands import Game
from tournaments.models.ladders import LadderMove, LadderState, RatingChange
from tournaments.models.outbox import Dirty, event_scope, ladder_scope
from tournaments.models.standings import Publication
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.selectors.standings.bulk_reads import number_of_games
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.log import locked_state
from tournaments.services.publishing.ladder_positions import move_rows, store_moves, stored_moves
from tournaments.services.publishing.ladders import (
    RATING_COLUMNS,
    ComputedLadder,
    ladder_rating_rows,
    publish_ladder,
    read_and_compute_ladder,
    state_values,
    store_ratings,
)
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.standings import Rendered, draft_standings, render_draft
from tournaments.services.standings.publication_files import drop_files
from tournaments.services.verification.differences import Difference, PublicationState, Verification
from tournaments.services.verification.games import Report, verify_games
from tournaments.services.verification.totals import recount_now, verify_totals


def verify_publication(event: Event, *, repair: bool, now: datetime) -> PublicationState:
    """Compare what is served with what is made now, without the member `publication`.

    Where it differs and that is wanted, a new publication is made; bytes that are not those of
    their own digest are written again in its place. One that is behind is left to the workers, and
    published here where it is repaired.

    Returns:
        How it compared before.
    """
    found = _compare(event, repair=repair, now=now)
    if repair and found in (PublicationState.DIFFERS, PublicationState.BEHIND):
        publish(event.pk, now=now)
    return found


def _compare(event: Event, *, repair: bool, now: datetime) -> PublicationState:
    with snapshot_read():
        scope = event_scope(event.pk)
        waits_for_answer = Dirty.objects.filter(scope=scope, under_review_since__isnull=False)
        if is_behind(event, [scope]) or waits_for_answer.exists():
            return PublicationState.BEHIND
        newest = Publication.objects.filter(event=event).order_by("-number").first()
        if newest is None:
            return PublicationState.NONE
        fresh = Event.objects.select_related("club", "season").get(pk=event.pk)
        table = draft_standings(fresh)
    rendered = render_draft(table)
    publication_state = compare_publication(newest, rendered)
    if repair and publication_state == PublicationState.DIFFERS:
        _repair(event, newest, rendered, now)
    return publication_state


@transaction.atomic
def _repair(event: Event, newest: Publication, made: Rendered, now: datetime) -> None:
    if not repair_publication(newest, made):
        mark_changed(event=event, now=now)


def is_behind(event: Event, scopes: Collection[str]) -> bool:
    """Whether one of the scopes of an event is still to be worked off."""
    behind = Dirty.objects.filter(scope__in=scopes, done__lt=F("version"))
    return behind.exists() or is_recounted(event.pk)


def compare_publication(newest: Publication, rendered: Rendered) -> PublicationState:
    """Compare a publication, byte for byte, with what is made now."""
    stored, expected = bytes(newest.body), _body(newest, rendered)
    if _FACTS in expected and _FACTS not in stored:
        stored, expected = _without_reasons(stored), _without_reasons(expected)
    same = (stored, bytes(newest.csv)) == (expected, rendered.csv)
    return PublicationState.SAME if same else PublicationState.DIFFERS


_FACTS: Final = b'"reason_facts":'


def _without_reasons(body: bytes) -> bytes:
    """What a publication says besides reasons and titles, for those from before there were facts.

    The head says instead of its digest whether that is the one of the bytes.
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


def repair_publication(newest: Publication, rendered: Rendered) -> bool:
    """Write bytes again that are not those of their own digest.

    What was published meanwhile has a row of its own and stays.

    Returns:
        False where the digest is another one, so that a new publication has to be made.
    """
    body = _body(newest, rendered)
    if not body.split(b"}", 1)[0].endswith(f'"digest":"{newest.digest}"'.encode()):
        return False
    Publication.objects.filter(pk=newest.pk).update(body=body, csv=rendered.csv)
    drop_files(newest.pk)
    return True


def _body(newest: Publication, rendered: Rendered) -> bytes:
    """Return the bytes that the publication should have."""
    return with_head(
        rendered.body,
        number=newest.number,
        version=newest.version,
        now=newest.published_at,
        redacted=newest.is_redacted,
    )


def verify_ladder(event: Event, *, repair: bool, now: datetime) -> Verification:
    """Replay a ladder from its first step and game, and compare what is stored, bit for bit.

    Where that is wanted, rows that differ are written again, and the bytes as those of standings
    are. One that is behind is left to the workers, and published here where it is
    repaired.

    Returns:
        How it compared before: each move and rating that is in one of the two only, and the state
        at the end.
    """
    if repair and not LadderState.objects.filter(event=event).exists():
        verification = Verification(publication=PublicationState.BEHIND)
    else:
        with snapshot_read():
            verification, _ = _compare_ladder(event)
        if repair and verification.differs:
            verification = _repair_locked(event, now)
    if repair and (verification.differs or verification.publication == PublicationState.BEHIND):
        publish_ladder(event.pk, now=now)
    return verification


@transaction.atomic
def _repair_locked(event: Event, now: datetime) -> Verification:
    """Compare again while no hand comes in between games and ladder, and repair what differs."""
    locked_state(event)
    rows = Dirty.objects.select_for_update().filter(scope__in=_scopes(event))
    list(rows.order_by("pk").values("pk"))
    found, made = _compare_ladder(event)
    if made is not None and found.differs:
        _repair_ladder(made, now)
    return found


def _scopes(event: Event) -> tuple[str, str]:
    return event_scope(event.pk), ladder_scope(event.pk)


def _compare_ladder(event: Event) -> tuple[Verification, ComputedLadder | None]:
    """Compare what is stored with a computation, as the caller's transaction reads both."""
    state = LadderState.objects.filter(event=event).first()
    if state is None:
        return Verification(), None
    if is_behind(event, _scopes(event)):
        return Verification(publication=PublicationState.BEHIND), None
    newest = _newest(event)
    if newest is None:
        return Verification(), None
    computed_ladder = read_and_compute_ladder(event, from_start=True)
    verification = Verification(publication=compare_publication(newest, computed_ladder.bytes))
    moves = stored_moves(LadderMove.objects.filter(event=event))
    verification.add(
        *_differing_rows(
            "moves", moves, move_rows(computed_ladder.inputs, computed_ladder.positions.moves)
        )
    )
    ratings = RatingChange.objects.filter(event=event).values_list(*RATING_COLUMNS)
    verification.add(
        *_differing_rows(
            "ratings", ratings, ladder_rating_rows(computed_ladder.inputs, computed_ladder.ratings)
        )
    )
    now = state_values(computed_ladder)
    before = {key: getattr(state, key) for key in now}
    if before != now:
        verification.add(Difference(None, None, "state", before, now))
    return verification, computed_ladder


def _newest(event: Event) -> Publication | None:
    return Publication.objects.filter(ladder=event).order_by("-number").first()


def _differing_rows(
    what: str, stored: Iterable[object], found: Iterable[object]
) -> Iterator[Difference]:
    """Yield the rows that are in one of two lists only."""
    before, now = set(stored), set(found)
    yield from (Difference(None, None, what, row, None) for row in before - now)
    yield from (Difference(None, None, what, None, row) for row in now - before)


def _repair_ladder(computed_ladder: ComputedLadder, now: datetime) -> None:
    event = computed_ladder.inputs.event
    state, newest = locked_state(event), _newest(event)
    store_moves(computed_ladder.inputs, computed_ladder.positions)
    store_ratings(computed_ladder.inputs, computed_ladder.ratings)
    LadderState.objects.filter(pk=state.pk).update(
        turn=state.turn + 1, **state_values(computed_ladder)
    )
    if newest is not None and not repair_publication(newest, computed_ladder.bytes):
        mark_due(ladder_scope(event.pk), now=now)


LADDER_PARTS: Final = ("moves", "ratings", "state")
"""What is compared of a ladder."""


@dataclass(frozen=True, slots=True)
class EventVerification:
    """What a replay of one event found."""

    event: Event
    found: Verification
    ladder: Verification | None = None

    @property
    def refused(self) -> int:
        """How many differences no replay repairs: entries that the rules refuse."""
        return self.found.counts["refused"]

    @property
    def differs(self) -> bool:
        """Whether anything stored is not what follows from the entries."""
        return self.found.differs or (self.ladder is not None and self.ladder.differs)

    def as_json(self) -> Mapping[str, object]:
        """Return it for programs; at most a thousand differences, all counted in `differing`."""
        return {
            "club": self.event.club.slug,
            "event": self.event.slug,
            "games": self.found.games,
            "hands": self.found.hands,
            "publication": self.found.publication.value,
            **({"ladder": _ladder_json(self.ladder)} if self.ladder is not None else {}),
            "differing": self.found.differing,
            "differences": [
                {
                    "at": at,
                    "what": one.what,
                    "stored": one.stored,
                    "found": one.found,
                }
                for at, one in named(self.found.differences)
            ],
        }

    def lines(self) -> Iterable[str]:
        """Yield it for people: one line, and one more a difference."""
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
        for at, one in named(self.found.differences):
            yield f"  {at}: {one.what} stored {one.stored}, from the entries {one.found}"


def _ladder_json(verification: Verification) -> Mapping[str, object]:
    counts = {what: verification.counts[what] for what in LADDER_PARTS}
    return {"publication": verification.publication.value, **counts}


def verify_event(event: Event, *, repair: bool, now: datetime, report: Report) -> EventVerification:
    """Compare all that follows from the event's entries, and repair it where that is wanted.

    Args:
        report: is given sentences on progress, and on what is waited for.
    """
    if repair and recount_now(event.pk, now=now):
        report("was being counted again; that is done now")
    found, games = Verification(), number_of_games(event)
    for done in verify_games(event, found, repair=repair, report=report):
        report(f"{done:,} of {games:,} games")
    report("the totals")
    verify_totals(event, found, repair=repair)
    report("the publication")
    found.publication = verify_publication(event, repair=repair, now=now)
    if event.kind != EventKind.LADDER:
        return EventVerification(event, found)
    report("the ladder")
    return EventVerification(event, found, verify_ladder(event, repair=repair, now=now))


def named(differences: Iterable[Difference]) -> list[tuple[str, Difference]]:
    """Return differences with where they are: table, hand, entrant."""
    found = list(differences)
    played = {one.game_id for one in found if one.game_id is not None}
    people = {one.entrant for one in found if one.entrant is not None}
    tables = dict(Game.objects.filter(pk__in=played).values_list("pk", "table__code"))
    codes = dict(Entrant.objects.filter(pk__in=people).values_list("pk", "code"))
    return [(_place(one, tables, codes), one) for one in found]


def _place(difference: Difference, tables: Mapping[int, str], codes: Mapping[int, str]) -> str:
    words = []
    if difference.game_id is not None:
        words.append(f"table {tables.get(difference.game_id, '?')}")
    if difference.number is not None:
        words.append(f"hand {difference.number}")
    if difference.entrant is not None:
        words.append(codes.get(difference.entrant, "?"))
    return ", ".join(words)
