"""Which rules the tables of one event may mix: raw points compare only within one game.

Where an event ranks by raw points and does not say `mixed_raw`, all its tables play one variant
with one set of options that touch scores, at one number of seats (docs/algorithms/standings.md).
Rules that differ only in how a hand is played are one game. Any other primary value is comparable
between games by itself.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q
from django.utils.translation import gettext

from scoring.errors import Problem, Refused
from scoring.rules.options import scoring_options
from scoring.rules.rules import Rules, score_alike
from scoring.standings.metrics import PRIMARIES
from tournaments.domain.event_settings import settings_of
from tournaments.domain.option_text import option_label, value_text
from tournaments.domain.placement_points import placement_problems
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.events.events import default_snapshot

EMPTIED: Final = Q(state="abandoned", hands_counted=0)
"""A game that counts nothing and takes no further hand."""


@dataclass(slots=True)
class OneGame:
    """The one game that the raw points of an event come from, as far as its tables say it.

    `seats` is 0 while no table says how many there are.
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
        found: list[Problem] = []
        scored, expected = scoring_options(options), scoring_options(self.options)
        is_same = (variant, scored) == (self.variant, expected)
        if not is_same and not score_alike(rules, self.rules):
            facts = {
                "found": variant_text(rules.name, options),
                "expected": variant_text(self.rules.name, self.options),
            }
            found.append(Problem("games_not_mixed", ("variant",), facts))
        if seats and self.seats and seats != self.seats:
            sizes: dict[str, int | str] = {"found": seats, "expected": self.seats}
            found.append(Problem("sizes_not_mixed", ("players",), sizes))
        return found


def count_games(snapshots: Iterable[Snapshot]) -> int:
    """Count the games that tables under these rules play."""
    games: list[OneGame] = []
    for rules in snapshots:
        game = OneGame(rules.variant, rules.options, rules_of(rules))
        if all(other.problems(game.variant, game.options, game.rules) for other in games):
            games.append(game)
    return len(games)


def variant_text(name: str, options: Mapping[str, object]) -> str:
    """Return a variant's name with the options that are set over it.

    >>> named("Omnibus Hearts", {"target": 61}), named("Spot Hearts", {})
    ('Omnibus Hearts with “Points limit: 61”', 'Spot Hearts')
    """
    if not options:
        return name
    chosen = ", ".join(
        f"“{option_label(key)}: {value_text(key, value)}”" for key, value in sorted(options.items())
    )
    return gettext("%(game)s with %(options)s") % {"game": name, "options": chosen}


def may_mix(event: Event) -> bool:
    """Whether the event's tables may play different games at different numbers of seats."""
    settings = settings_of(event)
    return settings.mixed_raw or not PRIMARIES[settings.primary].is_raw


def required_game(event: Event, but: Collection[Game] = ()) -> OneGame | None:
    """Return the game that the event's tables are held to; None where they may mix.

    While there is no table, that is the event's own.

    Args:
        but: tables whose rules or seats are about to change.
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
    """Let a table, or the tables of a round, play under `rules` with so many seats.

    The event's row stays locked, so that two tables do not begin two games at one moment.

    Raises:
        Refused: games_not_mixed, sizes_not_mixed, size_without_list.
    """
    if may_mix(event):
        if problems := comparing_problems(event=event, rules=rules, seats=seats, but=but):
            raise Refused(*problems)
        return
    Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event.pk)
    if problems := comparing_problems(event=event, rules=rules, seats=seats, but=but):
        raise Refused(*problems)


def comparing_problems(
    *, event: Event, rules: Snapshot, seats: int = 0, but: Collection[Game] = ()
) -> Sequence[Problem]:
    """Return why tables under `rules` with so many seats would not compare with the others."""
    if problems := placement_problems(settings_of(event), rules_of(rules), seats):
        return problems
    held_to = required_game(event, but)
    if held_to is None:
        return ()
    return held_to.problems(rules.variant, rules.options, rules_of(rules), seats)
