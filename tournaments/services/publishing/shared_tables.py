"""The games in which a substitute took over, as another setting of `substitutes` counts them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from scoring.standings.rows import GameResult, Key, Worth
from tournaments.domain.event_settings import Settings
from tournaments.domain.replay_game import TOTALS, entries_of, replay_game
from tournaments.domain.seating_runs import SeatRun
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game, Hand, HandState
from tournaments.models.rounds import Seat, Sitting
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.selectors.standings.bulk_reads import stored_chairs
from tournaments.selectors.standings.counted_values import WORTH, worth_of
from tournaments.services.totals.contributions import game_values


def with_table_owners(
    event: Event, games: Sequence[GameResult], settings: Settings
) -> list[GameResult]:
    """Return `games` with the tables that a substitute shared counted as `settings` say.

    These games are replayed; five queries, whatever their number.
    """
    replayed = _replay_shared(event, settings)
    results = []
    for game in games:
        worths = replayed.get(game.key)
        if worths is None:
            results.append(game)
            continue
        sides = {code: worth.side for code, worth in game.chairs.items()}
        chairs = {
            code: replace(worth, side=sides.get(code)) for code, worth in sorted(worths.items())
        }
        results.append(replace(game, chairs=chairs))
    return results


def _replay_shared(event: Event, settings: Settings) -> Mapping[Key, Mapping[str, Worth]]:
    """Return what each game with a substitute is worth, by round and table and by entrant."""
    shared = Sitting.objects.filter(round__event=event, substitute_for__isnull=False)
    rows = Game.objects.filter(event=event, counts=True, table__in=shared.values("seat__table"))
    games = list(rows.select_related("snapshot", "table__round").order_by("pk"))
    if not games:
        return {}
    seats: dict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(table__game__in=games).order_by("number"):
        seats[seat.table_id].append(seat)
    hands: dict[int, list[Hand]] = defaultdict(list)
    accepted = Hand.objects.filter(game__in=games, state=HandState.ACCEPTED, entry__isnull=False)
    for hand in accepted.select_related("entry").order_by("number"):
        hands[hand.game_id].append(hand)
    chairs: Mapping[int, Sequence[SeatRun]] = stored_chairs(
        event, first=games[0].pk, last=games[-1].pk
    )
    codes = dict(Entrant.objects.filter(event=event).values_list("pk", "code"))
    worths = {}
    for game in games:
        game.event = event
        rules = rules_of(game.snapshot)
        of_game = hands[game.pk]
        played = replay_game(
            game=game, rules=rules, seats=seats[game.table_id], entries=entries_of(of_game)
        )
        values = game_values(
            rules,
            played,
            chairs.get(game.pk, ()),
            placement=settings.placement,
            hands=next((hand.hands for hand in of_game if hand.number == TOTALS), None),
            owners=settings.table_owners,
        )
        columns = attrgetter(*WORTH)
        key = (game.table.round.number, game.table.number)
        worths[key] = {codes[entrant]: worth_of(columns(row)) for entrant, row in values.items()}
    return worths
