"""Publications of a league by evening points, in turn with the same league by place points.

41 people play 30 evenings of three rounds, and the best 20 evenings count. Each hand that is
corrected is of another evening, so that one evening is ranked again.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

from django.utils import timezone

from benchmarks.corrected import at, edit, some_entries, some_hands
from benchmarks.leagues import CLUB, NOW, SEED, bring_in
from benchmarks.measure import Figure, Goal, compared, once, say
from benchmarks.sizes import Sizes
from tournaments.models.events import Event
from tournaments.policy import command
from tournaments.services.events.change_event import change_settings
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.verification.event import recount_now

FIRST: Final = 2
"""Corrections before the measurement."""
PEOPLE: Final = 41
ROUNDS: Final = 3
BEGIN: Final = date(2025, 1, 7)
HEAD: Final = (
    "date,round,table,variant,hand,seat,player_id,player,hearts,queen_spades,jack_diamonds,moon,"
    "points"
)
BEST: Final = {"unit": "meeting", "min": 20, "per": 1}


def figures(folder: Path, sizes: Sizes) -> Iterator[Figure]:
    """Correct a hand of each league in turn, and have it published."""
    n_evenings = min(30, sizes.posts)
    say(f"publishing corrected hands of a league of {n_evenings} evenings")
    file = write_evenings(folder / "evenings.csv", n_evenings)
    plain = _league(file, "plain", {"primary": "placement_points"})
    evenings = _league(file, "evenings", {"primary": "evening_points"})
    entries = some_entries()
    number = FIRST + max(sizes.repeats, sizes.posts // 10)
    chosen = [(event, some_hands(event, number)) for event in (evenings, plain)]
    seconds: list[list[float]] = []
    for index in range(number):
        pair = []
        for event, hands in chosen:
            edit(at(hands[index]), hands[index], next(entries))
            pair.append(once(partial(publish, event.pk, now=timezone.now())))
        seconds.append(pair)
    mine, others = zip(*seconds[FIRST:], strict=True)
    name = f"publication of a league by evening points, {PEOPLE} people, {n_evenings} evenings"
    yield compared("publishing evening points", name, mine, "by place points", others, Goal(2))


def write_evenings(file: Path, n_evenings: int) -> Path:
    """Write a league of evenings, a hand at each table; always the same bytes."""
    chance = Random(SEED)
    lines = [HEAD]
    people = [f"E{number:03d}" for number in range(1, PEOPLE + 1)]
    round_number = 0
    for evening in range(n_evenings):
        day = BEGIN + timedelta(weeks=evening)
        for _ in range(ROUNDS):
            round_number += 1
            seated = chance.sample(people, PEOPLE)
            for table in range(PEOPLE // 4):
                hearts = [1, 2, 4, 6]
                chance.shuffle(hearts)
                queen = chance.randrange(4)
                for seat in range(4):
                    code = seated[4 * table + seat]
                    has_queen = int(seat == queen)
                    points = hearts[seat] + 13 * has_queen
                    place = f"{day},{round_number},{table + 1},hearts,1,{'NESW'[seat]}"
                    lines.append(
                        f"{place},{code},Person {code},{hearts[seat]},{has_queen},,,{points}"
                    )
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _league(file: Path, slug: str, values: dict[str, object]) -> Event:
    bring_in(file, slug)
    event = Event.objects.select_related("club").get(club__slug=CLUB, slug=slug)
    change_settings(
        Operation(command("bench"), NOW),
        event,
        values={**values, "best_of": BEST, "tie_breaks": ["h2h", "wins", "countback"]},
        reason="To compare them.",
    )
    recount_now(event.pk, now=timezone.now())
    publish(event.pk, now=timezone.now())
    return event
