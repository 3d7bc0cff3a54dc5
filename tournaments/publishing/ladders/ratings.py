"""The ratings of a ladder: replayed from the first game that changed, and stored from there on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any, Final

from django.db.models import OuterRef, QuerySet, Subquery

from scoring.json_types import JsonDict
from scoring.ladders.rating import Change, Ratings, replay
from scoring.ladders.rating_methods import MemberRating
from tournaments.models.events import Entrant, Event
from tournaments.models.ladders import RatingChange
from tournaments.publishing.ladders.inputs import LadderInputs, digests_of_games, first_changed
from tournaments.services.db.bulk import write_rows
from tournaments.services.ladders.log import stored_ratings


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
    done = replay(inputs.games[first:], inputs.rules, after=start)
    last |= {change.member: (change.before, change.after) for change in done.changes}
    return ComputedRatings(first, done.changes, done.ratings, blocks, last)


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
    own = RatingChange.objects.filter(entrant=OuterRef("pk")).order_by("-sequence")
    if before is not None:
        own = own.filter(sequence__lt=before)
    members = Entrant.objects.filter(event=event).annotate(last=Subquery(own.values("pk")[:1]))
    return RatingChange.objects.filter(pk__in=members.values("last")).select_related("entrant")


def rated_pair(row: RatingChange, on: date) -> tuple[MemberRating, MemberRating]:
    """Return a member's rating before and after a game of the day `on`, as stored."""
    before, after = [row.before], [row.after]
    if row.before_spread is not None and row.after_spread is not None:
        before.append(row.before_spread)
        after.append(row.after_spread)
    return MemberRating(tuple(before), row.games), MemberRating(tuple(after), row.games + 1, on)


def store_ratings(inputs: LadderInputs, made: ComputedRatings) -> None:
    """Replace what is stored from the first changed game on; in the caller's transaction."""
    event = inputs.event
    RatingChange.objects.filter(event=event, sequence__gte=made.first).delete()
    write_rows(RatingChange, COLUMNS, list(rating_rows(inputs, made)))


def rating_rows(inputs: LadderInputs, made: ComputedRatings) -> list[tuple[Any, ...]]:
    """Return the rows of these changes, in the order of `COLUMNS`."""
    club, event = inputs.event.club_id, inputs.event.pk
    entrants, ids = inputs.entrants, inputs.ids
    sequence, at, rows = made.first - 1, None, []
    for game, member, before, after in made.changes:
        if game is not at:
            sequence, at = sequence + 1, game
        was, now = before.values, after.values
        pair = (was[1], now[1]) if len(was) > 1 else (None, None)
        rows.append(
            (club, event, ids[sequence], entrants[member], sequence, before.games,
             was[0], pair[0], now[0], pair[1])
        )  # fmt: skip
    return rows


COLUMNS: Final = (
    "club_id", "event_id", "game_id", "entrant_id", "sequence", "games",
    "before", "before_spread", "after", "after_spread",
)  # fmt: skip
