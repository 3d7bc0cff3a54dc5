"""Ladders of any size, ratings made from stored rows, and a correction of a ladder's first game."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from datetime import date, timedelta
from functools import partial
from itertools import count, islice
from random import Random

from django.db import connection, transaction
from django.utils import timezone

from benchmarks.corrected import at, edit, enter, some_entries
from benchmarks.databases import on_postgresql
from benchmarks.leagues import CLUB, NOW, SEED
from benchmarks.measure import Figure, Goal, compared, in_turn, once, say
from benchmarks.sizes import Sizes
from scoring.ladders.positions import LadderEvent, TablePlayed, after_table
from scoring.ladders.rating import METHODS, MemberRating, RatedGame
from scoring.ladders.rules import LadderRules
from tournaments.domain.event_settings import ladder_rules_of, settings_of
from tournaments.domain.people.public_names import new_player
from tournaments.domain.replay_game import replay
from tournaments.domain.seating_runs import SeatRun
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, EntrantMember, Event, EventKind
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import ladder_scope
from tournaments.models.ladders import RatingChange
from tournaments.models.rounds import Meeting, Round, Table
from tournaments.models.standings import PLACES, Aggregate, Contribution
from tournaments.policy import command
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.jobs.queue import get_versions
from tournaments.selectors.ladders.log import events_of
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.clubs.clubs import create_club
from tournaments.services.db.bulk import SUMS, take_ids, write_rows
from tournaments.services.events.events import create_event, move_event
from tournaments.services.operations import Operation
from tournaments.services.publishing.ladder_positions import LadderInputs
from tournaments.services.publishing.ladders import make_ratings, publish_ladder, store_ratings
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.seating import seat_table
from tournaments.services.totals.contributions import GameValues, game_values

BENCH = command("bench")
SEATS = 4
TABLES = 40
"""Number of tables in a round; an evening has one round."""


MEMBERS = 200
HANDS = 300
"""Number of different hands, which are repeated."""


FIRST_DAY = date(2018, 1, 2)


def ladder(slug: str, *, games: int, rating: str = "elo") -> Event:
    """Make a ladder of so many games, each of one hand; always the same."""
    say(f"making a ladder of {games:,} games")
    event = _event(slug, rating)
    people = _members(event)
    _first_game(event, people[:SEATS])
    _further_games(event, games - 1)
    _add_up(event)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return event


def first_hand(event: Event) -> Hand:
    """Return the hand of the first game, as it is now."""
    return Hand.objects.get(game__event=event, game__table__code="r1t1")


def _event(slug: str, rating: str) -> Event:
    club = Club.objects.filter(slug=CLUB).first()
    club = club or create_club(Operation(BENCH, NOW), slug=CLUB, name="Bench", time_zone="UTC")
    event = create_event(
        Operation(BENCH, NOW), club, slug=slug, name=slug.capitalize(), kind=EventKind.LADDER,
        variant="hearts",
        settings={"length": "hands:1", "primary": "beaten_mean", "ladder": {"rating": rating}},
    )  # fmt: skip
    return move_event(Operation(BENCH, NOW), event, to="open")


def _members(event: Event) -> Sequence[Player]:
    """Put everybody on the list, in the order of their ids."""
    club = event.club
    codes = [f"L{number:03}" for number in range(1, MEMBERS + 1)]
    there = set(Player.objects.filter(club=club).values_list("player_id", flat=True))
    Player.objects.bulk_create(
        new_player(club=club, player_id=code, name=f"Member {code}")
        for code in sorted({*codes} - there)
    )
    people = list(Player.objects.filter(club=club, player_id__in=codes).order_by("player_id"))
    Entrant.objects.bulk_create(
        Entrant(club=club, event=event, code=one.player_id, start_position=place)
        for place, one in enumerate(people, 1)
    )
    entrants = Entrant.objects.filter(event=event).order_by("code")
    EntrantMember.objects.bulk_create(
        EntrantMember(club=club, event=event, entrant=entrant, player=player)
        for entrant, player in zip(entrants, people, strict=True)
    )
    return people


def _first_game(event: Event, people: Sequence[Player]) -> None:
    game = seat_table(
        Operation(BENCH, NOW), event, round_number=1, table_number=1, players=people, on=FIRST_DAY
    )
    enter(game, 1, next(some_entries()))


@transaction.atomic
def _further_games(event: Event, number: int) -> None:
    club, places = event.club_id, list(islice(_places(), 1, number + 1))
    rounds = _rounds(event, places[-1][0] if places else 1)
    tables, games = take_ids(Table, number), take_ids(Game, number)
    rules = default_snapshot(event).pk
    write_rows(
        Table, ("id", "club_id", "event_id", "round_id", "number", "code"),
        [(pk, club, event.pk, rounds[of], at, f"r{of}t{at}")
         for pk, (of, at) in zip(tables, places, strict=True)],
    )  # fmt: skip
    write_rows(
        Game,
        ("id", "club_id", "event_id", "table_id", "snapshot_id", "state", "hands_counted",
         "counts"),
        [(pk, club, event.pk, table, rules, "complete", 1, True)
         for pk, table in zip(games, tables, strict=True)],
    )  # fmt: skip
    entrants = list(
        Entrant.objects.filter(event=event).order_by("code").values_list("pk", flat=True)
    )
    seated = _seated(entrants, places)
    worths, chance = _worths(event), Random(SEED)
    names = [field.name for field in fields(GameValues)]
    write_rows(
        Contribution, ("club_id", "event_id", "game_id", "entrant_id", *names, "is_dropped"),
        [(club, event.pk, game, entrant, *worth, False)
         for game, people in zip(games, seated, strict=True)
         for entrant, worth in zip(people, chance.choice(worths), strict=True)],
    )  # fmt: skip


def _places() -> Iterator[tuple[int, int]]:
    for number in count():
        yield 1 + number // TABLES, 1 + number % TABLES


def _rounds(event: Event, last: int) -> dict[int, int]:
    """Make the rounds up to number `last`, each on an evening of its own; ids by number."""
    first = Round.objects.get(event=event)
    numbers = range(2, last + 1)
    meetings = Meeting.objects.bulk_create(
        Meeting(club_id=event.club_id, event=event, date=FIRST_DAY + timedelta(days=one))
        for one in numbers
    )
    made = Round.objects.bulk_create(
        Round(club_id=event.club_id, event=event, stage_id=first.stage_id, meeting=meeting,
              number=number, state="closed")
        for number, meeting in zip(numbers, meetings, strict=True)
    )  # fmt: skip
    return {1: first.pk} | {one.number: one.pk for one in made}


def _seated(entrants: Sequence[int], places: Sequence[tuple[int, int]]) -> Sequence[Sequence[int]]:
    """Who plays at each table: everybody once a round at most, drawn from the seed."""
    chance, found, order = Random(SEED), [], list(entrants)
    for _, table in places:
        if table == 1:
            chance.shuffle(order)
        found.append(order[SEATS * (table - 1) : SEATS * table])
    return found


def _worths(event: Event) -> list[list[tuple[int, ...]]]:
    """What each of some seeded hands is worth to its four seats."""
    rules, placement = rules_of(default_snapshot(event)), settings_of(event).placement
    chairs = [SeatRun(seat + 1, seat, entrant=seat) for seat in range(SEATS)]
    found = []
    for entry in islice(some_entries(), HANDS):
        played = replay(rules, SEATS, [(1, entry)], open_ended=True)
        values = game_values(rules, played, chairs, placement=placement)
        found.append([astuple(values[seat]) for seat in range(SEATS)])
    return found


def _add_up(event: Event) -> None:
    """Let the sums be those of the games."""
    Aggregate.objects.filter(event=event).delete()
    places = [f"place_{place}" for place in range(1, PLACES + 1)]
    own = [name for name in SUMS if name not in places]
    sums = [f"SUM({name})" for name in own]
    cast = "::int" if on_postgresql() else ""
    counts = [f"SUM((place = {place}){cast})" for place in range(1, PLACES + 1)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {Aggregate._meta.db_table} "
            f"(club_id, event_id, entrant_id, {', '.join([*own, *places])}) "
            f"SELECT {event.club_id}, {event.pk}, entrant_id, {', '.join([*sums, *counts])} "
            f"FROM {Contribution._meta.db_table} WHERE event_id = %s GROUP BY entrant_id",
            [event.pk],
        )


NAMES = {"elo": "Elo", "plackett_luce": "Plackett-Luce"}


def figures(sizes: Sizes) -> Iterator[Figure]:
    large = ladder("rated", games=sizes.rated_games)
    for method in NAMES:
        yield _from_rows(large, method, sizes)
    yield from _corrected(ladder("climbed", games=sizes.ladder_games), sizes)


def _from_rows(event: Event, method: str, sizes: Sizes) -> Figure:
    event.settings = event.settings | {"ladder": {"rating": method}}
    event.save(update_fields=["settings"])
    rules, games = ladder_rules_of(event), LadderInputs(event).games
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
    inputs = LadderInputs(event)
    ratings = make_ratings(inputs, from_start=True)
    store_ratings(inputs, ratings.changes, first=ratings.first)


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
                now[member] = MemberRating(value, was.games + 1, game.played_on)
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
    """Let both sides have come to the same, each member's last rating to the bit."""
    rows = RatingChange.objects.filter(event=event).order_by("sequence")
    stored = {code: after for code, after in rows.values_list("entrant__code", "after")}
    bare = {code: rating.values[0] for code, rating in bare_ratings(games, rules).items()}
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
    inputs, log = LadderInputs(event), events_of(event)
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
    version, done = get_versions(scope)
    if not done == version > 0:
        raise AssertionError(f"{event.slug}: the ladder was not published")
