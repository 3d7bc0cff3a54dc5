"""Ratings made from stored rows beside a bare loop; a correction of a ladder's first game.

What a worker does is done in this process: its task bounds itself, which a busy machine may reach.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from django.db import transaction
from django.utils import timezone

from benchmarks.corrected import at, edit, some_entries
from benchmarks.ladders import first_hand, ladder
from benchmarks.measure import Figure, Goal, compared, in_turn, once, say
from benchmarks.sizes import Sizes
from scoring.ladders.events import LadderEvent, TablePlayed
from scoring.ladders.games import MemberRating, RatedGame
from scoring.ladders.positions import after_table
from scoring.ladders.rating import METHODS
from scoring.ladders.rules import LadderRules
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Event
from tournaments.models.ladders import RatingChange
from tournaments.models.outbox import ladder_scope
from tournaments.publishing.ladders.inputs import inputs_of
from tournaments.publishing.ladders.publish import publish_ladder
from tournaments.publishing.ladders.ratings import make_ratings, store_ratings
from tournaments.publishing.publish_event import publish
from tournaments.selectors.jobs.queue import done_of, version_of
from tournaments.services.ladders.log import events_of

NAMES = {"elo": "Elo", "plackett_luce": "Plackett-Luce"}


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Rate the games of a large ladder anew by each method, and correct a smaller one."""
    large = ladder("rated", games=sizes.rated_games)
    for method in NAMES:
        yield _from_rows(large, method, sizes)
    yield from _corrected(ladder("climbed", games=sizes.ladder_games), sizes)


def _from_rows(event: Event, method: str, sizes: Sizes) -> Figure:
    event.settings = event.settings | {"ladder": {"rating": method}}
    event.save(update_fields=["settings"])
    rules, games = ladder_rules_of(event), inputs_of(event).games
    stored, bare = in_turn(
        sizes.repeats,
        f"rating {len(games):,} games, {NAMES[method]}",
        partial(once, partial(rate_anew, event)),
        partial(once, partial(bare_ratings, games, rules)),
    )
    require_rated(event, games, rules)
    name = f"{len(games):,} games of four rated anew from stored rows, histories written"
    return compared(
        "ladders",
        f"{name}, {NAMES[method]}",
        stored,
        "a bare loop over the same games in memory",
        bare,
        Goal(2),
        "s",
    )


@transaction.atomic
def rate_anew(event: Event) -> None:
    """Read an event's games, replay their ratings from the first one, and store what each did."""
    inputs = inputs_of(event)
    store_ratings(inputs, make_ratings(inputs, from_start=True))


def bare_ratings(games: Sequence[RatedGame], rules: LadderRules) -> dict[str, MemberRating]:
    """Return the ratings at the end, and nothing else: the same function, game after game."""
    method = METHODS[rules.rating]
    rate, new = method.after_game, MemberRating(method.first_values(rules))
    now: dict[str, MemberRating] = {}
    for game in games:
        before = [[now.get(member, new) for member in side] for side in game.sides]
        for side, old, values in zip(
            game.sides, before, rate(before, game.places, rules), strict=True
        ):
            for member, was, value in zip(side, old, values, strict=True):
                now[member] = MemberRating(value, was.games + 1, game.at.played_on)
    return now


def bare_positions(log: Sequence[LadderEvent]) -> tuple[str, ...]:
    """Return the list at the end, and nothing else: of a ladder where only tables are played."""
    order: tuple[str, ...] = ()
    for event in log:
        if isinstance(event, TablePlayed):
            order = after_table(order, event.tiers)
        else:
            order = getattr(event, "members", order)
    return order


def require_rated(event: Event, games: Sequence[RatedGame], rules: LadderRules) -> None:
    """Let both sides have come to the same, each member's last rating to the bit.

    Raises:
        AssertionError: they have not.
    """
    rows = RatingChange.objects.filter(event=event).order_by("sequence")
    stored = {code: after for code, after in rows.values_list("entrant__code", "after")}
    bare = {code: one.values[0] for code, one in bare_ratings(games, rules).items()}
    if stored != bare or rows.count() != sum(len(game.members) for game in games):
        raise AssertionError(f"{event.slug}: stored ratings are not those of the bare loop")


def _corrected(event: Event, sizes: Sizes) -> Iterator[Figure]:
    """Correct the first game there and back, each time until the ladder is published again."""
    say("publishing a ladder for the first time")
    publish(event.pk, now=timezone.now())
    first = once(partial(publish_ladder, event.pk, now=timezone.now()))
    _require_published(event)
    entries = some_entries()
    next(entries)
    inputs, log = inputs_of(event), events_of(event)
    games, rules = inputs.games, inputs.rules

    def correction() -> float:
        hand = first_hand(event)
        taken = once(partial(edit, at(hand), hand, next(entries)))
        taken += once(partial(publish, event.pk, now=timezone.now()))
        taken += once(partial(publish_ladder, event.pk, now=timezone.now()))
        _require_published(event)
        return taken

    def loop() -> float:
        return once(lambda: (bare_positions(log), bare_ratings(games, rules)))

    repeats = max(sizes.repeats, 5 if sizes.repeats > 1 else 1)
    mended, bare = in_turn(repeats, "correcting the first game of a ladder", correction, loop)
    number = f"{len(games):,} ladder games"
    yield compared(
        "ladders",
        f"a correction in the first of {number} to the republished ladder",
        mended,
        "a bare loop over the same games, ratings and positions",
        bare,
        None,
    )
    yield Figure("ladders", f"{number} published for the first time, once", first * 1e3, "ms")


def _require_published(event: Event) -> None:
    scope = ladder_scope(event.pk)
    if not done_of(scope) == version_of(scope) > 0:
        raise AssertionError(f"{event.slug}: the ladder was not published")
