"""Publishes a ladder: its list and its ratings as numbered bytes, JSON and CSV."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from types import MappingProxyType
from typing import Any, Final

from django.db.models import OuterRef, QuerySet, Subquery

from scoring.json_types import JsonDict
from scoring.ladders.rating import Change, Ratings, rating_rows, replay
from scoring.ladders.rating_methods import MemberRating
from scoring.ladders.replay import explain_move
from scoring.ladders.rules import LadderRules
from tournaments.domain.csv_safety import escape_formula
from tournaments.domain.standings.ladder_documents import (
    LadderOwnRating,
    LadderPlaceDocument,
    LadderRatingDocument,
)
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.audit import AuditHead
from tournaments.models.events import Entrant, Event, EventKind
from tournaments.models.ladders import LadderState, RatingChange
from tournaments.models.outbox import Dirty, ladder_scope
from tournaments.models.standings import Publication
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.selectors.ladders.ladders import change, figure, rating_text
from tournaments.selectors.ladders.log import stored_ratings
from tournaments.services.db.bulk import write_rows
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.deadlines import ensure_sweeps
from tournaments.services.ladders.log import locked_state, sync_log
from tournaments.services.publishing.entrant_rows import NamedEntrant, names_of
from tournaments.services.publishing.ladder_positions import (
    ComputedPositions,
    LadderInputs,
    digests_of_games,
    first_changed,
    inputs_of,
    make_positions,
    store_moves,
)
from tournaments.services.publishing.publications import PublicationSource, store_publication
from tournaments.services.publishing.standings import Rendered


@dataclass(frozen=True, slots=True)
class ComputedRatings:
    """What a computation found: from game `first` on these `changes`, and where that ends.

    `last` is each one's last change before and after, by code; `blocks` the digests of the games.
    """

    first: int
    changes: Sequence[Change]
    ratings: Ratings
    blocks: Sequence[str]
    last: Mapping[str, tuple[MemberRating, MemberRating]] = field(default_factory=dict)


def make_ratings(inputs: LadderInputs, *, from_start: bool = False) -> ComputedRatings:
    """Return the ratings of the games as they are, replayed from the first one that changed.

    Args:
        from_start: replay all of them, whatever is stored.
    """
    blocks = digests_of_games(inputs.games, inputs.ids)
    state, event = inputs.state, inputs.event
    before = state.inputs.get("ratings", {})
    same_rules = state.rules == inputs.rules.as_json() and not from_start
    first = first_changed(before, inputs.games, inputs.ids, blocks) if same_rules else 0
    last = _last_before(event, first, inputs) if first else {}
    if first and first == before.get("games", 0):
        start = stored_ratings(state)
    else:
        start = Ratings(MappingProxyType({code: after for code, (_, after) in last.items()}))
    ratings, changes = replay(inputs.games[first:], inputs.rules, after=start)
    last |= {member: (before, after) for _game, member, before, after in changes}
    return ComputedRatings(first, changes, ratings, blocks, last)


def as_stored(ratings: Ratings) -> JsonDict:
    """Return ratings as a state holds them: every bit, since JSON writes doubles exactly."""
    return {
        code: [list(one.values), one.games, one.last_played.isoformat()]
        for code, one in sorted(ratings.members.items())
        if one.last_played is not None
    }


def _last_before(
    event: Event, first: int, inputs: LadderInputs
) -> dict[str, tuple[MemberRating, MemberRating]]:
    """Each one's last change by a game before number `first`, as stored; one query."""
    rows = last_changes(event, before=first)
    return {
        row.entrant.code: rated_pair(row, inputs.games[row.sequence].at.played_on) for row in rows
    }


def last_changes(event: Event, *, before: int | None = None) -> QuerySet[RatingChange]:
    """Return each member's last change, by a game before number `before` where that is given."""
    rating_changes = RatingChange.objects.filter(entrant=OuterRef("pk")).order_by("-sequence")
    if before is not None:
        rating_changes = rating_changes.filter(sequence__lt=before)
    members = Entrant.objects.filter(event=event).annotate(
        last=Subquery(rating_changes.values("pk")[:1])
    )
    return RatingChange.objects.filter(pk__in=members.values("last")).select_related("entrant")


def rated_pair(row: RatingChange, on: date) -> tuple[MemberRating, MemberRating]:
    """Return a member's rating before and after a game of the day `on`, as stored."""
    before, after = [row.before], [row.after]
    if row.before_spread is not None and row.after_spread is not None:
        before.append(row.before_spread)
        after.append(row.after_spread)
    return MemberRating(tuple(before), row.games), MemberRating(tuple(after), row.games + 1, on)


def store_ratings(inputs: LadderInputs, computed_ratings: ComputedRatings) -> None:
    """Replace what is stored from the first changed game on; in the caller's transaction."""
    event = inputs.event
    RatingChange.objects.filter(event=event, sequence__gte=computed_ratings.first).delete()
    write_rows(RatingChange, RATING_COLUMNS, list(ladder_rating_rows(inputs, computed_ratings)))


def ladder_rating_rows(
    inputs: LadderInputs, computed_ratings: ComputedRatings
) -> list[tuple[Any, ...]]:
    """Return the rows of these changes, in the order of `COLUMNS`."""
    club, event = inputs.event.club_id, inputs.event.pk
    entrants, ids = inputs.entrants, inputs.ids
    sequence, at, rows = computed_ratings.first - 1, None, []
    for game, member, before, after in computed_ratings.changes:
        if game is not at:
            sequence, at = sequence + 1, game
        was, now = before.values, after.values
        pair = (was[1], now[1]) if len(was) > 1 else (None, None)
        rows.append(
            (club, event, ids[sequence], entrants[member], sequence, before.games,
             was[0], pair[0], now[0], pair[1])
        )  # fmt: skip
    return rows


RATING_COLUMNS: Final = (
    "club_id", "event_id", "game_id", "entrant_id", "sequence", "games",
    "before", "before_spread", "after", "after_spread",
)  # fmt: skip


COLUMNS: Final = {
    "place": ("#", "Place"),
    "player_id": ("Id", "Player id"),
    "player": ("Player", "Player"),
    "up": ("±", "Places up by the last move"),
    "story": ("Last move", "Last move"),
    "moved_on": ("On", "Day of the last move"),
    "games": ("G", "Rated games"),
    "last_played": ("Played", "Day of the last rated game"),
    "rating": ("Rating", "Rating"),
    "provisional": ("?", "Too few games for a rank"),
}
"""Key → short head, title: the columns of the list and of its CSV, in this order."""


def render_ladder(
    inputs: LadderInputs,
    names: Mapping[str, NamedEntrant],
    positions: ComputedPositions,
    ratings: ComputedRatings,
) -> Rendered:
    """Return the bytes of a ladder; no query."""
    event, club, rules = inputs.event, inputs.event.club, inputs.rules
    on = _as_of(inputs)
    rows = _rows(names, positions, ratings, rules)
    body = {
        "club": {"slug": club.slug, "name": club.name},
        "event": {
            "slug": event.slug,
            "name": event.name,
            "kind": event.kind,
            "state": event.state,
        },
        "as_of": {
            "on": on.isoformat() if on else None,
            "steps": len(inputs.log),
            "games": len(inputs.games),
        },
        "rules": rules.as_json(),
        "columns": [
            {"key": key, "short": short, "title": title} for key, (short, title) in COLUMNS.items()
        ],
        "rows": rows,
        "ratings": _ratings(names, inputs, ratings, rules),
    }
    return Rendered(compact(body), ladder_csv(rows))


def _as_of(inputs: LadderInputs) -> date | None:
    """The last day on which anything happened; steps need not be in the order of their days."""
    days = [event.on for event in inputs.log]
    days += [game.at.played_on for game in inputs.games]
    return max(days, default=None)


def _rows(
    names: Mapping[str, NamedEntrant],
    positions: ComputedPositions,
    ratings: ComputedRatings,
    rules: LadderRules,
) -> list[LadderPlaceDocument]:
    shown_names = {code: named.name for code, named in names.items()}
    ladder_place_documents: list[LadderPlaceDocument] = []
    for place, code in enumerate(positions.ladder.order, 1):
        move, rated = positions.last.get(code), ratings.ratings.members.get(code)
        ladder_place_documents.append(
            {
                "place": place,
                "player_id": code,
                "player": shown_names.get(code, code),
                "up": move.up if move else None,
                "story": explain_move(move, shown_names) if move else None,
                "moved_on": move.on.isoformat() if move else None,
                **_rating(rated, rules),
            }
        )
    return ladder_place_documents


def _rating(rated: MemberRating | None, rules: LadderRules) -> LadderOwnRating:
    if rated is None:
        return {
            "games": 0,
            "last_played": None,
            "rating": None,
            "rating_shown": None,
            "provisional": True,
        }
    return {
        "games": rated.games,
        "last_played": rated.last_played.isoformat() if rated.last_played else None,
        "rating": figure(rated.values, rules),
        "rating_shown": rating_text(rated.values, rules),
        "provisional": rated.games < rules.provisional_games,
    }


def _ratings(
    names: Mapping[str, NamedEntrant],
    inputs: LadderInputs,
    computed_ratings: ComputedRatings,
    rules: LadderRules,
) -> list[LadderRatingDocument]:
    """Rows of who has played lately, seen from the last rated game: a ladder that rests keeps
    showing its ratings."""
    ladder_rating_documents: list[LadderRatingDocument] = []
    if not inputs.games:
        return ladder_rating_documents
    played_on = inputs.games[-1].at.played_on
    for rank, member, _rating_shown in rating_rows(computed_ratings.ratings, played_on, rules):
        before, after = computed_ratings.last[member]
        rating = computed_ratings.ratings.members[member]
        ladder_own_rating = _rating(rating, rules)
        ladder_rating_documents.append(
            {
                "rank": rank,
                "player_id": member,
                "player": names[member].name,
                "rating": ladder_own_rating["rating"],
                "spread": round(after.values[1], 3) if len(after.values) > 1 else None,
                "rating_shown": ladder_own_rating["rating_shown"],
                "games": rating.games,
                "provisional": rank is None,
                "change": change(before.values, after.values, rules),
                "last_played": ladder_own_rating["last_played"],
            }
        )
    return ladder_rating_documents


def ladder_csv(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Return the list as CSV; what a person typed never starts a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_cell(row[key], key) for key in COLUMNS])
    return text.getvalue().encode()


def _cell(value: object, key: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "" if value is None else str(value)
    return escape_formula(text) if key in _TYPED else text


_TYPED: Final = frozenset({"player_id", "player", "story"})


@dataclass(frozen=True, slots=True)
class LadderReading:
    """What a computation is made of, and how far the audit chain was."""

    inputs: LadderInputs
    names: Mapping[str, NamedEntrant]
    audit_number: int


@dataclass(frozen=True, slots=True)
class ComputedLadder:
    """All that a computation found, with what it was made of."""

    inputs: LadderInputs
    positions: ComputedPositions
    ratings: ComputedRatings
    bytes: Rendered
    audit_number: int


PARTS: Final = 3
"""A computation has so many parts: its log, replaying, storing."""


def _nobody(done: int) -> None:
    """Tell nobody how far a computation is."""


def publish_ladder(
    event_id: int, *, now: datetime, tell: Callable[[int], None] = _nobody
) -> Publication | None:
    """Publish an event's ladder if it is behind, and return the newest publication.

    A computation with the digest of the current publication makes no new one. While the event is
    counted again it waits. Returns None where nothing was ever published.

    Args:
        tell: called with how many of the `PARTS` are done, before each of the others.
    """
    row = Dirty.objects.filter(scope=ladder_scope(event_id)).first()
    if row is None or (_newest(event_id) is not None and row.done >= row.version):
        return _newest(event_id)
    event = Event.objects.select_related("club").filter(pk=event_id, kind=EventKind.LADDER).first()
    if event is None:
        _settle(event_id, row.version, now)
        return _newest(event_id)
    if is_recounted(event_id):
        return _newest(event_id)
    tell(0)
    sync_log(event, now)
    ensure_sweeps(event, now=now)
    tell(1)
    computed_ladder = read_and_compute_ladder(event)
    tell(2)
    return _store(computed_ladder, row.version, now)


def read_and_compute_ladder(event: Event, *, from_start: bool = False) -> ComputedLadder:
    """Read what an event's ladder is made of, and compute it; nothing is written.

    Args:
        from_start: replay everything, whatever is stored.
    """
    with snapshot_read():
        read = read_ladder(event)
        positions = make_positions(read.inputs, from_start=from_start)
        ratings = make_ratings(read.inputs, from_start=from_start)
    return _made(read, positions, ratings)


def read_ladder(event: Event) -> LadderReading:
    """Read all that an event's ladder is made of, as it is now; for `compute_ladder`."""
    head = AuditHead.objects.filter(club_id=event.club_id).values_list("number", flat=True)
    fresh = Event.objects.select_related("club").get(pk=event.pk)
    return LadderReading(inputs_of(fresh), names_of(fresh), head.first() or 0)


def compute_ladder(read: LadderReading) -> ComputedLadder:
    """Return the ladder replayed from the start; nothing is asked of the database."""
    positions = make_positions(read.inputs, from_start=True)
    return _made(read, positions, make_ratings(read.inputs, from_start=True))


def _made(
    read: LadderReading, positions: ComputedPositions, ratings: ComputedRatings
) -> ComputedLadder:
    rendered = render_ladder(read.inputs, read.names, positions, ratings)
    return ComputedLadder(read.inputs, positions, ratings, rendered, read.audit_number)


@atomic_act
def _store(made: ComputedLadder, version: int, now: datetime) -> Publication | None:
    """Store what was computed, unless another computation has stored since it was read."""
    event = made.inputs.event
    state = locked_state(event)
    newest = _newest(event.pk)
    if state.turn != made.inputs.state.turn:
        return newest
    store_moves(made.inputs, made.positions)
    store_ratings(made.inputs, made.ratings)
    LadderState.objects.filter(pk=state.pk).update(turn=state.turn + 1, **state_values(made))
    owner = {"club_id": event.club_id, "ladder": event}
    source = PublicationSource(owner, version, made.audit_number, event.club.names_version)
    stored = store_publication(newest, made.bytes, source, now=now)
    _settle(event.pk, version, now)
    return stored


def state_values(computed_ladder: ComputedLadder) -> dict[str, object]:
    """Return what a state holds after a computation, but how many there were."""
    ladder = computed_ladder.positions.ladder
    return {
        "number": ladder.number,
        "order": list(ladder.order),
        "dropped": [list(one) for one in sorted(ladder.dropped)],
        "ratings": as_stored(computed_ladder.ratings.ratings),
        "rules": computed_ladder.inputs.rules.as_json(),
        "inputs": {
            "steps": computed_ladder.positions.digest,
            "ratings": {
                "games": len(computed_ladder.inputs.games),
                "blocks": list(computed_ladder.ratings.blocks),
            },
        },
    }


def _settle(event_id: int, version: int, now: datetime) -> None:
    """Note what is done; a version that was marked meanwhile stays behind."""
    rows = Dirty.objects.filter(scope=ladder_scope(event_id), done__lt=version)
    done: dict[str, Any] = {"done": version, "done_at": now, "attempts": 0, "due_at": None}
    rows.update(**done, parked=False, error="")


def _newest(event_id: int) -> Publication | None:
    return Publication.objects.filter(ladder_id=event_id).order_by("-number").first()
