"""Tables of the past where rounds are not numbered in the order of their evenings."""

import json
from collections.abc import Container
from datetime import UTC, date, datetime, time, timedelta
from random import Random

import pytest

from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.models.standings import StoredHistory
from tournaments.selectors.standings.history import NothingPlayed, table_as_of
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.history import make_piece
from tournaments.services.publishing.publications import publish

HEARTS, CODES = [4, 1, 2, 6], ["RL01", "RL02", "RL03", "RL04"]


class Shuffled:
    """Four rounds on days in any order, three penalties on any days, and a count of its own."""

    def __init__(self, event: Event, people: list[Player], seed: int) -> None:
        chance, first = Random(seed), date(2025, 11, 1)  # noqa: S311 - a seeded chance
        self.event, self.taken = event, list[tuple[int, date, list[int]]]()
        for number, at in enumerate(chance.sample(range(12), 4), 1):
            hearts, queen = chance.sample(HEARTS, 4), chance.randrange(4)
            on = first + timedelta(at)
            hand(table(event, people, round_number=number, on=on), 1, hearts, queen=queen)
            points = [taken + 13 * (seat == queen) for seat, taken in enumerate(hearts)]
            self.taken.append((number, on, points))
        self.lines = [
            (chance.choice(CODES), first + timedelta(chance.randrange(14)), amount)
            for amount in (1, 2, 3)
        ]
        for code, given, amount in self.lines:
            noon = datetime.combine(given, time(12), UTC)
            penalize(event, code, str(amount), "Late.", now=noon)

    def on_day(self, day: date) -> dict[str, int]:
        rounds = {number for number, on, _ in self.taken if on <= day}
        return self._totals(rounds, [line for line in self.lines if line[1] <= day])

    def after_round(self, last: int) -> dict[str, int]:
        """A penalty belongs to the last evening up to its day; before the first to all rounds."""

        def round_of(given: date) -> int:
            return max(((on, n) for n, on, _ in self.taken if on <= given), default=(None, 0))[1]

        return self._totals(
            range(last + 1), [line for line in self.lines if round_of(line[1]) <= last]
        )

    def _totals(self, rounds: Container[int], lines: list[tuple[str, date, int]]) -> dict[str, int]:
        totals = dict.fromkeys(CODES, 0)
        for number, _, points in self.taken:
            for code, taken in zip(CODES, points, strict=True):
                totals[code] += taken * (number in rounds)
        for code, _, amount in lines:
            totals[code] += amount
        return totals

    def stored(self, *, number: int | None = None, day: date | None = None) -> dict[str, int]:
        _, found = table_as_of(self.event, number=number, day=day)
        rows = json.loads(found.body)["rows"]
        values = {row["player_id"]: int(row["values"]["raw_total"]) for row in rows}
        assert list(values.values()) == sorted(values.values())
        return values


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"primary": "raw_total"})


@pytest.mark.parametrize("seed", range(3))
def test_as_of_a_day_counts_what_was_up_to_it_and_as_of_a_round_what_is_numbered_up_to_it(
    cast: Cast, event: Event, seed: int
) -> None:
    shuffled = Shuffled(event, players(cast.riverside, "E", "F", "G", "H"), seed)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    for last in range(1, 5):
        assert shuffled.stored(number=last) == shuffled.after_round(last)
    first = min(on for _, on, _ in shuffled.taken)
    for later in range(16):
        day = first + timedelta(later)
        assert shuffled.stored(day=day) == shuffled.on_day(day), day
    with pytest.raises(NothingPlayed):
        shuffled.stored(day=first - timedelta(1))


def test_tables_of_days_are_made_in_pieces_and_go_together(cast: Cast, event: Event) -> None:
    people = players(cast.riverside, "E", "F", "G", "H")
    for number, day in ((1, 20), (2, 10), (3, 3)):
        game = table(event, people, round_number=number, on=date(2025, 11, day))
        hand(game, 1, HEARTS, queen=number)
    publish(event.pk, now=NOW)
    while make_piece(event.pk, clock=lambda: NOW, budget=1):
        pass
    rows = StoredHistory.objects.filter(event=event, kind="as_of").order_by("key")
    keys = ["1", "2", "2025-11-03", "2025-11-10", "3"]
    assert list(rows.values_list("key", flat=True)) == keys
    Meeting.objects.filter(event=event, date=date(2025, 11, 3)).update(date=date(2025, 11, 27))
    StoredHistory.objects.filter(event=event, kind="todo").delete()
    make_all(event.pk)
    assert list(rows.values_list("key", flat=True)) == ["1", "2", "2025-11-10", "3"]


def test_during_the_making_no_day_has_the_table_of_an_earlier(cast: Cast, event: Event) -> None:
    people = players(cast.riverside, "E", "F", "G", "H")
    days = [date(2025, 11, day) for day in (24, 17, 10, 3)]
    for number, day in enumerate(days, 1):
        hand(table(event, people, round_number=number, on=day), 1, HEARTS, queen=number % 4)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    before = {day: table_as_of(event, day=day)[1].body for day in days}
    penalize(event, "RL01", "5", "Late.", now=datetime(2025, 11, 3, 12, tzinfo=UTC))
    publish(event.pk, now=NOW)
    left = True
    while left:
        left = make_piece(event.pk, clock=lambda: NOW, budget=1)
        found = {day: table_as_of(event, day=day)[1] for day in days[1:]}
        assert [str(table.day) for table in found.values()] == [*map(str, found)]
    assert all(found[day].body != before[day] for day in found)


def test_without_a_game_that_counts_no_day_has_a_table(cast: Cast, event: Event) -> None:
    people = players(cast.riverside, "E", "F", "G", "H")
    games = [table(event, people, round_number=n, on=date(2025, 11, 20 - n)) for n in (1, 2)]
    for game in games:
        hand(game, 1, HEARTS, queen=1)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    for game in games:
        void_hand(by_tests(), game, number=1, based_on=1, reason="Test.")
    publish(event.pk, now=NOW)
    make_all(event.pk)
    assert not StoredHistory.objects.filter(event=event, kind="as_of").exists()
    with pytest.raises(NothingPlayed):
        table_as_of(event, day=date(2025, 11, 20))
