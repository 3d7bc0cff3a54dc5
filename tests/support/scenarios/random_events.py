"""Small events at random, made by the operations that pages and REST use: nothing is set by hand.

Tables of any variant and size, over several rounds; hands with moons that are settled either way,
corrections, deleted hands, hands that somebody says are wrong, sheets with totals only, and ties.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.test import Client

from scoring.entry.sheet import hand_total
from scoring.numbers import real
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.builders import by_tests, players
from tests.support.cast import NOW, Cast
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.random_hands import dealt_at
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.publishing import publications
from tournaments.services.rounds.seating import seat_table

PRIMARIES = ("beaten_mean", "wins", "raw_total", "raw_per_hand")
FIRST = (
    "partnership-hearts-pooled",
    "cancellation-hearts",
    "partnership-hearts-individual",
    "hearts",
    "complex-hearts",
    "hearts-chip-pool",
)
"""What the first events play: the short form has sides, large tables, and odd numbers too."""
MOST_TRIES = 30


@dataclass
class SmallEvent:
    """An event that was played at random; `codes` are its tables with the hands of each."""

    cast: Cast
    event: Event
    seed: int
    codes: dict[str, list[int]] = field(default_factory=dict)
    totals_only: list[str] = field(default_factory=list)
    operations: set[str] = field(default_factory=set)

    @property
    def base(self) -> str:
        return f"/clubs/{self.event.club.slug}/events/{self.event.slug}"


def small_event(cast: Cast, people: Sequence[Player], seed: int) -> SmallEvent:
    """Play the event of a seed: two or three rounds of one or two tables."""
    chance = random.Random(seed)  # noqa: S311 - deals cards, keeps no secret
    variant = FIRST[seed] if seed < len(FIRST) else chance.choice(VARIANTS)
    rules = catalogue().rules(variant, {})
    is_complex = rules.keys.number == "complex"
    primary = PRIMARIES[seed % 2] if is_complex else PRIMARIES[seed % len(PRIMARIES)]
    settings: dict[str, Any] = {"length": "open", "primary": primary, "mixed_raw": True}
    settings["tie_breaks"] = []
    if rules.keys.settle is not None and rules.keys.settle.stake == "ante":
        settings["start_totals"] = 20
    event = create_event(
        by_tests(), cast.riverside, slug=f"small-{seed}", name=f"Small {seed}",
        variant=variant, settings=settings,
    )  # fmt: skip
    event = move_event(by_tests(), event, to="open")
    made = SmallEvent(cast, event, seed)
    client = cast.client("dirk")
    least, most = max(rules.keys.players[0], 2), min(rules.keys.players[1], 11)
    for round_ in range(1, chance.randint(2, 3) + 1):
        free = list(people)
        chance.shuffle(free)
        for number in range(1, chance.randint(1, 2) + 1):
            seats = chance.randint(min(max(least, 4), most), most)
            if len(free) < seats:
                break
            seated, free = free[:seats], free[seats:]
            game = seat_table(
                by_tests(),
                event,
                round_number=round_,
                table_number=number,
                players=seated,
                on=NOW.date(),
                variant="",
                options=None,
            )
            _play(made, client, chance, rules, game, seats)
    publications.publish(event.pk, now=NOW)
    _correct(made, client, chance, rules)
    publications.publish(event.pk, now=NOW)
    return made


def _play(
    made: SmallEvent, client: Client, chance: random.Random, rules: Rules, game: Game, seats: int
) -> None:
    code = game.table.code
    numbers = made.codes.setdefault(code, [])
    if len(made.codes) == 2 and not rules.keys.teams.shape and rules.keys.number != "complex":
        total = 6 * int(real(hand_total(rules, seats)))
        points = [total // seats] * seats  # a tie
        points[1] += total - sum(points)
        fields = {f"points-{seat}": str(n) for seat, n in enumerate(points, start=1)}
        page = client.post(
            f"{made.base}/tables/{code}/totals",
            {**fields, "hands": "6", "based_on": "", "go": "save"},
        )
        if page.status_code == 302:
            made.totals_only.append(code)
            made.operations.add("totals")
            numbers.append(0)
            return
    for number in range(1, chance.randint(2, 4) + 1):
        if _enter(made, client, chance, rules, code, number, seats):
            numbers.append(number)
    if numbers and chance.random() < 0.6:
        move_game(by_tests(), Game.objects.get(pk=game.pk), to="complete")


def entries(chance: random.Random, rules: Rules, seats: int) -> Iterator[Json]:
    """Entries of legal hands, one after another; a moon is settled one way or the other."""
    for _ in range(MOST_TRIES):
        dealt = dealt_at(chance, rules, seats)
        entry = dealt.counts if dealt.ready.short_form else dealt.entry
        yield entry
        for choice in chance.sample(("self", "others"), 2):
            yield entry | {"slam_choice": choice}


def _enter(
    made: SmallEvent, client: Client, chance: random.Random, rules: Rules, code: str, number: int,
    seats: int,
) -> bool:  # fmt: skip
    """Enter a hand over REST; what the rules refuse (a moon without its settlement) is changed."""
    address = f"/api/v1{made.base}/tables/{code}/hands"
    for entry in entries(chance, rules, seats):
        body = {"number": number, "entry": entry}
        answer = client.post(address, body, content_type="application/json")
        if answer.status_code == 201:
            if answer.json()["moon"]:
                made.operations.add(f"moon {answer.json()['moon']['choice']}")
            return True
        assert answer.status_code == 422, (code, entry, answer.json())
    return False


def _correct(made: SmallEvent, client: Client, chance: random.Random, rules: Rules) -> None:
    played = [(code, n) for code, numbers in made.codes.items() for n in numbers if n]
    chance.shuffle(played)
    for code, number in played[:2]:
        address = f"/api/v1{made.base}/tables/{code}/hands/{number}"
        hand = client.get(address).json()
        for entry in entries(chance, rules, len(hand["seats"])):
            answer = client.put(
                address,
                {"entry": entry, "reason": "Read again."},
                content_type="application/json",
                headers={"If-Match": f'"{hand["revision"]}"'},
            )
            if answer.status_code == 200:
                made.operations.add("corrected")
                break
    for code, number in played[2:3]:
        hand = client.get(f"/api/v1{made.base}/tables/{code}/hands/{number}").json()
        answer = client.post(
            f"{made.base}/tables/{code}/hands/{number}/void",
            {"reason": "It was never played.", "based_on": hand["revision"], "go": "save"},
        )
        after = client.get(f"/api/v1{made.base}/tables/{code}/hands/{number}").json()
        if after["state"] == "void":
            made.operations.add("deleted")
    for code, number in played[3:4]:
        answer = client.post(
            f"/api/v1{made.base}/disputes",
            {"table": code, "hand": number, "words": "That is not what I took."},
            content_type="application/json",
        )
        if answer.status_code == 201:
            made.operations.add("disputed")
    row = client.get(f"/api/v1{made.base}/standings").json()["rows"][0]
    answer = client.post(
        f"/api/v1{made.base}/ledger",
        {"entrant": row["player_id"], "kind": "penalty", "amount": "5/2", "reason": "Late."},
        content_type="application/json",
    )
    if answer.status_code == 201:
        made.operations.add("penalty")
    client.post(
        f"/api/v1{made.base}/opening-values",
        {"values": [{"entrant": row["player_id"], "date": "2025-10-02", "value": "5/2",
                     "games": 1, "hands": 4, "penalty": "1/2"}], "reason": "The list on paper."},
        content_type="application/json",
    )  # fmt: skip


def people_of(cast: Cast) -> list[Player]:
    return players(cast.riverside, *(f"Person {number:02}" for number in range(1, 23)))
