"""Publish a ladder: its list and its ratings as numbered bytes, JSON and CSV."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import OuterRef, Subquery

from scoring.ladders.positions import explain_move
from scoring.ladders.rating import Change, MemberRating, Ratings, rating_rows, replay
from scoring.ladders.rules import LadderRules
from tournaments.domain.standings.ladder_documents import (
    LadderOwnRating,
    LadderPlaceDocument,
    LadderRatingDocument,
)
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.events import Entrant, Event, EventKind
from tournaments.models.jobs import Dirty, ladder_scope
from tournaments.models.ladders import LadderState, RatingChange
from tournaments.models.standings import Publication
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.jobs.queue import is_recounted
from tournaments.selectors.ladders.ladders import change, figure, rating_text
from tournaments.selectors.ladders.log import stored_ratings
from tournaments.services.db.bulk import write_rows
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_step
from tournaments.services.jobs.schedule import ensure_sweeps
from tournaments.services.ladders.log import lock_ladder_state, sync_log
from tournaments.services.publishing.evening_results import (
    list_announced_evenings,
    schedule_corrected_moves,
)
from tournaments.services.publishing.ladder_positions import (
    LadderInputs,
    digests_of_games,
    first_changed,
    make_positions,
    store_moves,
)
from tournaments.services.publishing.publications import (
    newest_publication,
    settle_scope,
    store_publication,
)
from tournaments.services.publishing.rank_and_render import Rendered, write_csv


class ReplayedRatings(NamedTuple):
    """The ratings after all games, and the changes from the game `first` on.

    `last_changes` are everybody's by code: the rating before and after. `blocks` are digests of the
    blocks of games.
    """

    first: int
    changes: Sequence[Change]
    by_code: Ratings
    last_changes: Mapping[str, tuple[MemberRating, MemberRating]]
    blocks: Sequence[str]


class ComputedLadder:
    """A ladder replayed: its positions and its ratings."""

    def __init__(self, inputs: LadderInputs, *, from_start: bool) -> None:
        self.inputs = inputs
        self.positions = make_positions(inputs, from_start=from_start)
        self.ratings = make_ratings(inputs, from_start=from_start)


RATING_COLUMNS: Final = (
    "club_id",
    "event_id",
    "game_id",
    "entrant_id",
    "sequence",
    "games",
    "before",
    "before_spread",
    "after",
    "after_spread",
)
_TYPED: Final = frozenset({"player_id", "player", "story"})

PARTS: Final = 3
"""The parts of a computation: its log, replaying, storing."""


def make_ratings(inputs: LadderInputs, *, from_start: bool) -> ReplayedRatings:
    """Replay the ratings from the first changed game."""
    blocks = digests_of_games(inputs.games, inputs.ids)
    state = inputs.state
    before = state.inputs.get("ratings", {})
    same_rules = state.rules == inputs.rules.as_json() and not from_start
    first = first_changed(before, inputs.games, inputs.ids, blocks) if same_rules else 0
    last = _get_last_ratings(inputs, before=first) if first else {}
    if first and first == before.get("games", 0):
        start = stored_ratings(state)
    else:
        start = {code: after for code, (_, after) in last.items()}
    ratings, changes = replay(inputs.games[first:], inputs.rules, after=start)
    last |= {member: (before, after) for _game, member, before, after in changes}
    return ReplayedRatings(first, changes, ratings, last, blocks)


def _get_last_ratings(
    inputs: LadderInputs, *, before: int
) -> dict[str, tuple[MemberRating, MemberRating]]:
    changes = RatingChange.objects.filter(entrant=OuterRef("pk"), sequence__lt=before)
    last = Subquery(changes.order_by("-sequence").values("pk")[:1])
    members = Entrant.objects.filter(event=inputs.event).annotate(last=last)
    rows = RatingChange.objects.filter(pk__in=members.values("last")).select_related("entrant")
    ratings = {}
    for row in rows:
        values, values_then = [row.before], [row.after]
        if row.before_spread is not None and row.after_spread is not None:
            values.append(row.before_spread)
            values_then.append(row.after_spread)
        on = inputs.games[row.sequence].played_on
        ratings[row.entrant.code] = (
            MemberRating(tuple(values), row.games),
            MemberRating(tuple(values_then), row.games + 1, on),
        )
    return ratings


def store_ratings(inputs: LadderInputs, changes: Sequence[Change], *, first: int) -> None:
    """Replace the stored changes from the game `first` on; in the caller's transaction."""
    RatingChange.objects.filter(event=inputs.event, sequence__gte=first).delete()
    write_rows(RatingChange, RATING_COLUMNS, ladder_rating_rows(inputs, changes, first=first))


def ladder_rating_rows(
    inputs: LadderInputs, changes: Sequence[Change], *, first: int
) -> list[tuple[Any, ...]]:
    """Return the rows of the changes from the game `first` on, in the order of `RATING_COLUMNS`."""
    club, event = inputs.event.club_id, inputs.event.pk
    entrants, ids = inputs.entrants, inputs.ids
    sequence = first - 1
    last_game = None
    rows = []
    for game, member, before, after in changes:
        if game is not last_game:
            sequence, last_game = sequence + 1, game
        old = before.values
        new = after.values
        spreads = (old[1], new[1]) if len(old) > 1 else (None, None)
        rows.append(
            (
                club,
                event,
                ids[sequence],
                entrants[member],
                sequence,
                before.games,
                old[0],
                spreads[0],
                new[0],
                spreads[1],
            )
        )
    return rows


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


def _render_ladder(computed: ComputedLadder) -> Rendered:
    inputs = computed.inputs
    event = inputs.event
    club = inputs.event.club
    rules = inputs.rules
    # Steps need not be in the order of their days.
    days = [step.on for step in inputs.log] + [game.played_on for game in inputs.games]
    on = max(days, default=None)
    names = {code: entrant.name for code, entrant in inputs.names.items()}
    rows: list[LadderPlaceDocument] = []
    for place, code in enumerate(computed.positions.ladder.order, 1):
        move = computed.positions.last_moves.get(code)
        rows.append(
            {
                "place": place,
                "player_id": code,
                "player": names.get(code, code),
                "up": move.up if move else None,
                "story": explain_move(move, names) if move else None,
                "moved_on": move.on.isoformat() if move else None,
                **_rating(computed.ratings.by_code.get(code), rules),
            }
        )
    body = {
        "club": {"slug": club.slug, "name": club.name},
        "event": {"slug": event.slug, "name": event.name, "kind": event.kind, "state": event.state},
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
        "ratings": _rating_documents(computed),
    }
    return Rendered(compact(body), write_csv(rows, COLUMNS, _TYPED))


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


def _rating_documents(computed: ComputedLadder) -> list[LadderRatingDocument]:
    """Return the members who played shortly before the last rated game: a ladder that rests still
    shows its ratings."""
    inputs, ratings = computed.inputs, computed.ratings
    documents: list[LadderRatingDocument] = []
    last_day = inputs.games[-1].played_on if inputs.games else None
    rows = rating_rows(ratings.by_code, last_day, inputs.rules) if last_day else ()
    for rank, member, _shown in rows:
        before, after = ratings.last_changes[member]
        member_rating = ratings.by_code[member]
        rating = _rating(member_rating, inputs.rules)
        documents.append(
            {
                "rank": rank,
                "player_id": member,
                "player": inputs.names[member].name,
                "rating": rating["rating"],
                "spread": round(after.values[1], 3) if len(after.values) > 1 else None,
                "rating_shown": rating["rating_shown"],
                "games": member_rating.games,
                "provisional": rank is None,
                "change": change(before.values, after.values, inputs.rules),
                "last_played": rating["last_played"],
            }
        )
    return documents


def publish_ladder(
    event_id: int, *, now: datetime, tell: Callable[[int], None] = lambda _: None
) -> Publication | None:
    """Publish an event's ladder if it is behind, and return the newest publication.

    A computation with the digest of the newest publication makes no new one. While the event is
    counted again it waits. Returns None where nothing was ever published.

    Args:
        tell: called with how many of the `PARTS` are done, before each of the others.
    """
    row = Dirty.objects.filter(scope=ladder_scope(event_id)).first()
    newest = newest_publication(ladder=event_id)
    if row is None or (newest is not None and row.done >= row.version):
        return newest
    event = Event.objects.select_related("club").filter(pk=event_id, kind=EventKind.LADDER).first()
    if event is None:
        settle_scope(ladder_scope(event_id), row.version, now=now)
        return newest
    if is_recounted(event_id):
        return newest
    tell(0)
    sync_log(event, now)
    ensure_sweeps(event, now=now)
    tell(1)
    computed, rendered = read_and_compute_ladder(event)
    tell(2)
    return _store(computed, rendered, row.version, now)


def read_and_compute_ladder(
    event: Event, *, from_start: bool = False
) -> tuple[ComputedLadder, Rendered]:
    """Read the inputs of an event's ladder, compute and render it; nothing is written."""
    with snapshot_read():
        computed = ComputedLadder(LadderInputs(event), from_start=from_start)
    return computed, _render_ladder(computed)


def compute_ladder(inputs: LadderInputs) -> Rendered:
    """Return the bytes of the ladder replayed from the start; no query."""
    return _render_ladder(ComputedLadder(inputs, from_start=True))


@atomic_step
def _store(
    computed: ComputedLadder, rendered: Rendered, version: int, now: datetime
) -> Publication | None:
    """Store a computation, unless another one was stored since its inputs were read."""
    event = computed.inputs.event
    announced = list_announced_evenings(event, now)
    if announced:
        lock_event(event)  # before the ladder's own rows: whoever announces holds it too
    is_stored = store_rows(computed)
    newest = newest_publication(ladder=event.pk)
    if not is_stored:
        return newest
    schedule_corrected_moves(event, announced, now=now)
    publication = store_publication(
        newest,
        rendered,
        owner={"ladder": event},
        version=version,
        audit_number=computed.inputs.audit_number,
        now=now,
    )
    settle_scope(ladder_scope(event.pk), version, now=now)
    return publication


def store_rows(computed: ComputedLadder) -> bool:
    """Store moves, ratings and state; False where the stored state is newer than the inputs."""
    state = lock_ladder_state(computed.inputs.event)
    if state.turn != computed.inputs.state.turn:
        return False
    positions, ratings = computed.positions, computed.ratings
    store_moves(computed.inputs, positions.moves, after=positions.after)
    store_ratings(computed.inputs, ratings.changes, first=ratings.first)
    LadderState.objects.filter(pk=state.pk).update(turn=state.turn + 1, **state_values(computed))
    return True


def state_values(computed: ComputedLadder) -> dict[str, object]:
    """Return the columns of the state after a computation, but for `turn`."""
    inputs = computed.inputs
    ladder = computed.positions.ladder
    # JSON writes doubles exactly.
    ratings = {
        code: [list(rating.values), rating.games, rating.last_played.isoformat()]
        for code, rating in sorted(computed.ratings.by_code.items())
        if rating.last_played is not None
    }
    return {
        "number": ladder.number,
        "order": list(ladder.order),
        "dropped": [list(pair) for pair in sorted(ladder.dropped)],
        "ratings": ratings,
        "rules": inputs.rules.as_json(),
        "inputs": {
            "steps": computed.positions.digest,
            "ratings": {"games": len(inputs.games), "blocks": list(computed.ratings.blocks)},
        },
    }
