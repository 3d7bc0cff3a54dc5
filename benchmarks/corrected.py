"""Leagues of another day, and hands in them that are corrected by the real services.

A correction falls on a table that was played out long ago, anywhere in the league, as it does when
somebody finds a mistake a week later.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

from django.utils import timezone

from benchmarks.leagues import CLUB, SEED, bring_in, double, write_league
from benchmarks.measure import say
from benchmarks.sizes import Sizes
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.policy import command
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.operations import Operation

REASON = "the sheet says so"


def league(folder: Path, slug: str, sizes: Sizes, hands: int, doublings: int) -> Event:
    """Bring in a league of `hands` hands: a part of them from a file, the rest by doubling."""
    say(f"bringing in a league of {hands:,} hands")
    file = write_league(
        folder / f"{slug}.csv", players=sizes.standings_players, hands=hands >> doublings
    )
    bring_in(file, slug)
    event = Event.objects.get(club__slug=CLUB, slug=slug)
    for _ in range(doublings):
        double(event)
    return event


def hands_of_event(event: Event) -> int:
    return Hand.objects.filter(game__event=event, state="accepted").count()


def some_hands(event: Event, number: int) -> list[Hand]:
    """Return so many hands anywhere in the league, no two of one table, always the same ones."""
    chance = Random(SEED)
    games = list(Game.objects.filter(event=event, hands_counted__gt=0).order_by("pk"))
    found = []
    for game in chance.sample(games, number):
        hands = list(Hand.objects.filter(game=game, state="accepted").order_by("number"))
        found.append(chance.choice(hands))
    return found


def some_entries() -> Iterator[Mapping[str, object]]:
    """Yield what four hosts type, hand after hand; never a moon, always the same."""
    chance = Random(SEED)
    while True:
        hearts = [0, 0, 0, 0]
        for _ in range(13):
            hearts[chance.randrange(4)] += 1
        taken: list[list[str]] = [[], [], [], []]
        taken[hearts.index(min(hearts))] = ["QS"]
        yield {"hearts": hearts, "taken": taken}


def at(hand: Hand) -> Game:
    around = Game.objects.select_related("event", "club", "snapshot", "table__round__event")
    return around.get(pk=hand.game_id)


def edit(game: Game, hand: Hand, entry: Mapping[str, object]) -> None:
    record_entry(
        Operation(command("bench"), timezone.now()),
        game,
        number=hand.number,
        entry=entry,
        source="api",
        based_on=hand.revision,
        reason=REASON,
    )


def void(game: Game, hand: Hand) -> None:
    void_hand(
        Operation(command("bench"), timezone.now()),
        game,
        number=hand.number,
        based_on=hand.revision,
        reason=REASON,
    )


def enter(game: Game, number: int, entry: Mapping[str, object]) -> None:
    record_entry(
        Operation(command("bench"), timezone.now()), game, number=number, entry=entry, source="api"
    )
