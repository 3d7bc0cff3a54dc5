"""Settings of a club, and what the rules, tables and sheets of an event allow in its settings."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.db.models import Count, IntegerField, Max, Min, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from scoring.duplicate.deals import plays_boards
from scoring.errors import Problem
from scoring.json_types import JsonDict
from scoring.rules.options import scoring_options
from scoring.rules.rules import Rules, score_alike
from scoring.standings.counting import Facts, Scheme, refusals, warnings
from scoring.standings.metrics import PRIMARIES
from scoring.standings.rank import required_games
from tournaments.domain.club_settings import CLUB_SETTINGS, ON_FRONT
from tournaments.domain.event_settings import Settings, as_stored, bad_setting, settings_of
from tournaments.domain.seating_preferences import read_preferences
from tournaments.domain.standings.criteria import placement_problems, size_of
from tournaments.errors import refuse_any
from tournaments.models.clubs import Club, ClubVisibility
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game, Hand, HandState
from tournaments.models.rounds import Seat
from tournaments.models.standings import Aggregate, Contribution
from tournaments.policy import MAY
from tournaments.selectors.clubs.clubs import get_front
from tournaments.selectors.events.events import READING, has_evening_tables
from tournaments.selectors.rules.rule_sets import (
    VariantChoices,
    option_label,
    rules_of,
    store_snapshot,
    value_text,
)

EMPTIED: Final = Q(state="abandoned", hands_counted=0)
"""A game that counts nothing and takes no further hand."""

OF_PRIMARY: Final = frozenset(
    {
        *("primary", "placement", "mixed_raw", "min_games", "min_third", "duplicate"),
        *("drop_worst", "best_of"),
    }
)
OF_EVENINGS: Final = frozenset({"primary", "drop_worst", "best_of", "period_evenings"})
"""Settings that others of evenings fit, or contradict."""


_OF_EVENINGS_CODES: Final = frozenset(
    {
        "only_with_evening_points",
        "evenings_not_dropped_by_game",
        "periods_without_evenings",
        "more_than_a_period",
    }
)


def default_snapshot(event: Event) -> Snapshot:
    return store_snapshot(event=event, variant=event.variant, options=event.options)


@dataclass(slots=True)
class OneGame:
    """The single game behind the raw points of an event, as far as its tables show it.

    `seats` is 0 while no table shows their number.
    """

    variant: str
    options: Mapping[str, object]
    rules: Rules
    seats: int = 0
    is_played: bool = False
    """Whether a table plays it; else it is the event's own so far."""

    def hold(self, variant: str, options: Mapping[str, object], rules: Rules, seats: int) -> None:
        """Take the first table that is brought as the one that the next are held to."""
        if not (self.is_played and self.seats):
            self.variant, self.options, self.rules, self.seats = variant, options, rules, seats
            self.is_played = True

    def problems(
        self, variant: str, options: Mapping[str, object], rules: Rules, seats: int = 0
    ) -> list[Problem]:
        """Return why a table of these rules and this many seats would not compare; 0 = unknown."""
        problems: list[Problem] = []
        scored = scoring_options(options)
        expected = scoring_options(self.options)
        is_same = (variant, scored) == (self.variant, expected)
        if not is_same and not score_alike(rules, self.rules):
            facts = {
                "found": variant_text(rules.name, options),
                "expected": variant_text(self.rules.name, self.options),
            }
            problems.append(Problem("games_not_mixed", ("variant",), facts))
        if seats and self.seats and seats != self.seats:
            sizes = {"found": seats, "expected": self.seats}
            problems.append(Problem("sizes_not_mixed", ("players",), sizes))
        return problems


def count_games(snapshots: Iterable[Snapshot]) -> int:
    games: list[OneGame] = []
    for rules in snapshots:
        game = OneGame(rules.variant, rules.options, rules_of(rules))
        if all(other.problems(game.variant, game.options, game.rules) for other in games):
            games.append(game)
    return len(games)


def variant_text(name: str, options: Mapping[str, object]) -> str:
    """Return a variant's name with the options that are set over it.

    >>> variant_text("Omnibus Hearts", {"target": 61}), variant_text("Spot Hearts", {})
    ('Omnibus Hearts with “Points limit: 61”', 'Spot Hearts')
    """
    if not options:
        return name
    texts = ", ".join(
        f"“{option_label(key)}: {value_text(key, value)}”" for key, value in sorted(options.items())
    )
    return gettext("%(game)s with %(options)s") % {"game": name, "options": texts}


def may_mix(event: Event) -> bool:
    settings = settings_of(event)
    return settings.mixed_raw or not PRIMARIES[settings.games_ranked_by].is_raw


def required_game(event: Event, but: Collection[Game] = ()) -> OneGame | None:
    """Return the game that the event's tables are held to; None where they may mix.

    While there is no table, that is the event's own.
    """
    if may_mix(event):
        return None
    games = Game.objects.filter(event=event, counts=True).exclude(EMPTIED)
    games = games.exclude(pk__in=[game.pk for game in but])
    sized = games.annotate(n_seats=Count("table__seats")).order_by("-n_seats")
    first = sized.select_related("snapshot").first()
    if first is None:
        default = default_snapshot(event)
        return OneGame(default.variant, default.options, rules_of(default))
    played = first.snapshot
    return OneGame(played.variant, played.options, rules_of(played), first.n_seats, is_played=True)


def require_comparable(
    *, event: Event, rules: Snapshot, seats: int = 0, but: Collection[Game] = ()
) -> None:
    """Check that a table, or the tables of a round, can play under `rules` with these seats.

    The event's row stays locked, so that two tables do not begin two games at one moment.
    """
    if not may_mix(event):
        Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event.pk)
    refuse_any(comparing_problems(event=event, rules=rules, seats=seats, but=but))


def comparing_problems(
    *, event: Event, rules: Snapshot, seats: int, but: Collection[Game] = ()
) -> Sequence[Problem]:
    """Return why tables under `rules` with so many seats would not compare with the others."""
    if problems := placement_problems(settings_of(event), rules_of(rules), seats, event.kind):
        return problems
    held_to = required_game(event, but)
    if held_to is None:
        return ()
    return held_to.problems(rules.variant, rules.options, rules_of(rules), seats)


def rules_facts(every: Iterable[Rules]) -> Facts:
    """Return the facts given by rules alone, before any table plays them."""
    rule_sets = list(every)
    return Facts(
        sizes=(),
        is_complex=any(rules.keys.number == "complex" for rules in rule_sets),
        has_sides=any(rules.keys.teams.mode != "none" for rules in rule_sets),
    )


def scheme_of(settings: Settings, seed: str) -> Scheme:
    return Scheme(
        primary=settings.primary,
        tie_breaks=settings.tie_breaks,
        placement={int(size): points for size, points in settings.placement.items()},
        mixed_raw=settings.mixed_raw,
        drop_worst=settings.drop_worst,
        best_of=settings.best_of,
        min_games=settings.min_games,
        bye_award=settings.bye_award,
        seed=seed,
        duplicate=settings.duplicate,
        evening_ranking=settings.evening_ranking,
        min_unit=settings.min_unit,
        period_evenings=settings.period_evenings,
        best_periods=settings.best_periods,
        excused=settings.excused,
    )


def setting_refusals(
    settings: Settings,
    facts: Facts,
    *,
    seed: str,
    changed: Collection[str],
    tie_breaks_before: Sequence[str] = (),
) -> list[Problem]:
    """Return why the tables do not allow the chosen settings; earlier problems are not repeated."""
    return [
        Problem(problem.code, ("settings", *problem.at), problem.facts, problem.suggestions)
        for problem in refusals(scheme_of(settings, seed), facts)
        if _is_chosen(problem, settings, changed, tie_breaks_before)
    ]


def new_refusals(
    event: Event, before: Settings, settings: Settings, changed: Collection[str]
) -> list[Problem]:
    """Return why the tables do not allow a change of the event's settings.

    What the settings `before` did not fit either, such as unequal hands under totals, forbids only
    a change of the very setting that does not fit.
    """
    problems = setting_refusals(
        settings,
        facts_of(event, settings),
        seed=event.seed,
        changed=changed,
        tie_breaks_before=before.tie_breaks,
    )
    if not problems:
        return problems
    earlier = setting_refusals(
        before, facts_of(event, before), seed=event.seed, changed=as_stored(before)
    )
    return [problem for problem in problems if problem not in earlier or problem.at[1] in changed]


def _is_chosen(
    problem: Problem, settings: Settings, changed: Collection[str], tie_breaks_before: Sequence[str]
) -> bool:
    key, *place = problem.at
    if key == "primary":
        return not OF_PRIMARY.isdisjoint(changed)
    if key == "evening_ranking":
        return not (OF_PRIMARY | {"evening_ranking"}).isdisjoint(changed)
    if key == "bye_award":
        return not frozenset({"bye_award", "primary", "evening_ranking"}).isdisjoint(changed)
    if problem.code in _OF_EVENINGS_CODES:
        return not (OF_EVENINGS | {str(key)}).isdisjoint(changed)
    if key == "tie_breaks" and place:
        return settings.tie_breaks[int(place[0])] not in tie_breaks_before
    return key in changed


def fitting_settings(settings: Settings, facts: Facts, *, seed: str) -> Settings:
    idle = _unanswerable_criteria(settings, facts, seed=seed)
    return replace(
        settings, tie_breaks=tuple(key for key in settings.tie_breaks if key not in idle)
    )


def unusable_criteria(settings: Settings, facts: Facts, *, seed: str) -> dict[str, Problem]:
    """Return the criteria of the chain that separate nobody, each with the reason."""
    idle = _unanswerable_criteria(settings, facts, seed=seed)
    if settings.primary in settings.tie_breaks:
        idle[settings.primary] = Problem("criterion_is_primary", ("tie_breaks",))
    return idle


def _unanswerable_criteria(settings: Settings, facts: Facts, *, seed: str) -> dict[str, Problem]:
    return {
        settings.tie_breaks[int(problem.at[1])]: problem
        for problem in refusals(scheme_of(settings, seed), facts)
        if problem.at[0] == "tie_breaks" and len(problem.at) > 1
    }


def tie_break_warnings(settings: Settings) -> list[Problem]:
    """Return the warnings for a tie-break order; none of them forbids the choice."""
    has_playoff = bool(settings.boundaries) and settings.playoff not in ("share", "criteria")
    return warnings(settings.tie_breaks, has_playoff=has_playoff)


def evening_warnings(event: Event, settings: Settings) -> list[Problem]:
    """Return the warning that the list of an evening is shorter than its places; one query."""
    if not settings.counts_evenings or not settings.evening_points:
        return []
    played = Contribution.objects.filter(event=event, game__table__round__meeting__isnull=False)
    sizes = played.values("game__table__round__meeting__date").annotate(
        n_players=Count("entrant", distinct=True)
    )
    largest = sizes.order_by("-n_players", "-game__table__round__meeting__date").first()
    n_places = len(settings.evening_points)
    if largest is None or largest["n_players"] <= n_places:
        return []
    facts = {
        "found": n_places,
        "players": largest["n_players"],
        "without": largest["n_players"] - n_places,
        "day": largest["game__table__round__meeting__date"].isoformat(),
    }
    return [Problem("evening_list_short", ("evening_points",), facts)]


def game_problems(
    offered: VariantChoices,
    variant: str,
    options: Mapping[str, object] | None,
    values: Mapping[str, object],
) -> Iterator[Problem]:
    """Yield why settings do not go with a game: nobody has chips by which it ends, or no boards."""
    rules = offered.rules_named(variant, options)
    if rules is None:
        return
    by_chips = any(test.kind in ("chips_all", "chips_out") for test in rules.keys.finish)
    if by_chips and values.get("length", "variant") == "variant" and not values.get("start_totals"):
        yield bad_setting("start_totals", 0, "a number of chips from 1, for this game ends by them")
    if values.get("duplicate") is True and not plays_boards(rules):
        expected = "a game for four players with all 52 cards of one pack dealt"
        yield bad_setting("duplicate", rules.name, expected)


def facts_of(event: Event, settings: Settings) -> Facts:
    """Return the facts of the event's tables; five queries, one more for a third of the most games,
    and one for the stages of a tournament.

    For an event without a table they come from its rules.
    """
    tables = (
        Game.objects.filter(event=event, counts=True).exclude(EMPTIED).annotate(n_seats=_sized())
    )
    kinds = set(tables.order_by().values_list("snapshot_id", "n_seats").distinct())
    snapshots = Snapshot.objects.filter(event=event).in_bulk({snapshot for snapshot, _ in kinds})
    played = [(snapshots[snapshot], n_seats) for snapshot, n_seats in kinds]
    totals = Aggregate.objects.filter(event=event)
    most = totals.aggregate(games=Max("games"))["games"] if settings.min_third else 0
    needed = required_games([most or 0], settings.min_games, third=settings.min_third)
    hands = totals.filter(games__gte=max(1, needed)).aggregate(
        least=Min("hands"), most=Max("hands")
    )
    own = Snapshot.objects.filter(event=event, variant=event.variant, options=event.options)
    of_rules = [snapshot for snapshot, _ in played] or own.order_by("pk")[:1]
    facts = rules_facts(map(rules_of, of_rules))
    return replace(
        facts,
        variants=count_games(snapshots.values()) or 1,
        sizes=tuple(sorted({size_of(rules_of(snapshot), n) for snapshot, n in played if n})),
        has_points_only=has_points_only(event),
        has_unknown_hands=Aggregate.objects.filter(event=event, uncounted__gt=0).exists(),
        hands_differ=hands["least"] != hands["most"],
        hands_differ_in_evening=_needs_equal_evenings(settings) and _hands_differ_in_evening(event),
        has_evening_tables=has_evening_tables(event),
    )


def _needs_equal_evenings(settings: Settings) -> bool:
    if not settings.counts_evenings:
        return False
    return "equal_hands" in PRIMARIES[settings.evening_ranking].needs


def _hands_differ_in_evening(event: Event) -> bool:
    """Whether two played different numbers of hands in one evening; one query."""
    played = Contribution.objects.filter(event=event, game__table__round__meeting__isnull=False)
    sums = played.values("game__table__round__meeting", "entrant").annotate(n_hands=Sum("hands"))
    hands_by_evening: dict[int, set[int]] = defaultdict(set)
    for meeting, n_hands in sums.order_by().values_list("game__table__round__meeting", "n_hands"):
        hands_by_evening[meeting].add(n_hands)
    return any(len(hands) > 1 for hands in hands_by_evening.values())


def sizes_of(event: Event) -> dict[tuple[int, int], int]:
    """Return how many finish at each table of the event, by (round, table); two queries."""
    games = Game.objects.filter(event=event, counts=True).annotate(n_seats=_sized())
    rules = {snapshot.pk: rules_of(snapshot) for snapshot in Snapshot.objects.filter(event=event)}
    rows = games.values_list("table__round__number", "table__number", "snapshot_id", "n_seats")
    return {(number, table): size_of(rules[pk], n) for number, table, pk, n in rows}


def _sized() -> Coalesce:
    seats = Seat.objects.filter(table=OuterRef("table")).order_by().values("table")
    counted = seats.annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def has_points_only(event: Event) -> bool:
    """Whether a sheet of the event has totals only, so that its moons are unknown."""
    totals = Hand.objects.filter(number=0, state=HandState.ACCEPTED)
    return totals.filter(game__event=event, game__counts=True).exists()


def current_facts(event: Event) -> Facts:
    return facts_of(event, settings_of(event))


def club_settings(club: Club, *, role: str | None = None) -> JsonDict:
    front = get_front(club)
    event = front.front_event
    is_read = event is not None and (role is None or role in MAY[READING[event.visibility]])
    of_club = {
        key: getattr(club, key)
        for key in CLUB_SETTINGS
        if key not in ON_FRONT and key != "visibility"
    }
    return {
        **of_club,
        "seating": read_preferences(club.seating),
        "visibility": str(ClubVisibility.PUBLIC if club.is_public else ClubVisibility.MEMBERS),
        **{key: getattr(front, key) for key in ON_FRONT},
        "how_to_join": front.how_to_join.splitlines(),
        "front_event": event.slug if event is not None and is_read else None,
    }
