"""Nights at random, entered by operations, beside what stands on their sheets.

People come late, leave early, sit out and are substituted in the middle of a table; there are
moons, ties, penalties and bonuses, an older evening of the same event, and corrections afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from random import Random
from typing import Any, Final

from tests.support.builders import by_tests, hand, league, penalize, table
from tests.support.cast import NOW, Cast
from tests.support.evening_recount import Evening, Sheet
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Round
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.events.adjustments import sit_out
from tournaments.services.events.events import enter_players
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.plan_player_changes import PlayerChange
from tournaments.services.hands.void_hand import void_hand

TONIGHT: Final = date(2025, 11, 6)
LAST_WEEK: Final = date(2025, 10, 30)
PRIMARIES: Final = ("placement_points", "raw_per_hand", "wins", "beaten_mean", "index_per_game")
TIE_BREAKS: Final = ("wins", "countback", "h2h", "moons_shot")


@dataclass(frozen=True, slots=True)
class DrawnHand:
    """What the chairs take, and what it makes; `shooter` is the chair that shot the moon."""

    hearts: list[int]
    queen: int
    points: list[int]
    shooter: int | None = None


@dataclass
class RandomNight:
    """One event of a night; `evening` has what stands on its sheets."""

    event: Event
    people: Sequence[Player]
    chance: Random
    primary: str
    tie_breaks: Sequence[str]
    bye_award: str
    evening: Evening = field(default_factory=Evening)
    games: list[tuple[Game, Sheet]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """What happened, in the words of the test."""

    def play(self, rounds: int) -> None:
        """Play last week's table, which counts in the season alone, and tonight's rounds."""
        old = table(self.event, self.people[:4], round_number=1, on=LAST_WEEK)
        hand(old, 1, [0, 1, 5, 7], queen=3)
        move_game(by_tests(), old, to="complete")
        penalize(self.event, self.people[0].player_id, "3", "Of the season.")
        late = self.chance.choice(self.people)
        leaves = self.chance.choice([player for player in self.people if player != late])
        for number in range(2, rounds + 2):
            here = [player for player in self.people if number > 2 or player != late]
            if number > 2:
                here.remove(leaves)
            self._play_round(number, here)
            if number == 2 and rounds > 1:
                self._state(late, "here")
                self._state(leaves, "left")
                self.seen |= {"late", "left"}
        self._give_lines()

    def _state(self, player: Player, state: str) -> None:
        set_attendance(by_tests(), meeting_on(self.event, TONIGHT), player=player, state=state)

    def _play_round(self, number: int, here: list[Player]) -> None:
        self.chance.shuffle(here)
        spare = len(here) % 4
        sizes = [4] * (len(here) // 4)
        if spare == 3:
            sizes.append(3)
            spare = 0
        at = 0
        outside = here[len(here) - spare :]
        for table_number, size in enumerate(sizes, 1):
            seated = here[at : at + size]
            at += size
            self._play_table(number, table_number, seated, outside)
        round_ = Round.objects.get(event=self.event, number=number)
        enter_players(event=self.event, players=outside)
        for player in outside:
            sit_out(by_tests(), round_, entrant=player.player_id, reason="bye")
            self.evening.byes[player.player_id] += 1
            self.seen.add("bye")

    def _play_table(
        self, number: int, table_number: int, seated: list[Player], outside: list[Player]
    ) -> None:
        game = table(self.event, seated, round_number=number, table_number=table_number, on=TONIGHT)
        sheet = Sheet([[(player.player_id, 1)] for player in seated])
        self.evening.sheets.append(sheet)
        self.games.append((game, sheet))
        n_hands = self.chance.randint(1, 3)
        comes = 0
        if outside and n_hands > 1 and self.chance.random() < 0.5:
            comes = self.chance.randint(2, n_hands)
        for at in range(1, n_hands + 1):
            if at == comes:
                self._substitute(game, sheet, outside.pop(), at)
            sheet.hands.append(None)
            self._enter(game, sheet, at)
        move_game(by_tests(), game, to="complete")

    def _substitute(self, game: Game, sheet: Sheet, player: Player, at: int) -> None:
        chair = self.chance.randrange(len(sheet.chairs))
        change = PlayerChange("substitute", chair + 1, player.player_id, from_hand=at)
        change_players(by_tests(), game, change=change, reason="The bus leaves.")
        sheet.chairs[chair].append((player.player_id, at))
        self.seen.add("substitute")

    def _enter(
        self, game: Game, sheet: Sheet, number: int, *, now: datetime = NOW, **more: Any
    ) -> None:
        """Enter a hand, or correct it, and write it on the sheet."""
        before = sheet.hands[number - 1]
        drawn = self._draw(len(sheet.chairs))
        while drawn.points == before:
            drawn = self._draw(len(sheet.chairs))
        sheet.hands[number - 1] = drawn.points
        sheet.shooters.pop(number, None)
        if drawn.shooter is not None:
            sheet.shooters[number] = drawn.shooter
            more["slam_choice"] = "others"
            self.seen.add("moon")
        hand(game, number, drawn.hearts, queen=drawn.queen, now=now, **more)

    def _draw(self, size: int) -> DrawnHand:
        queen = self.chance.randrange(size)
        if self.chance.random() < 0.1:
            hearts = [13 * (seat == queen) for seat in range(size)]
            points = [26 * (seat != queen) for seat in range(size)]
            return DrawnHand(hearts, queen, points, shooter=queen)
        hearts = [0] * size
        for _heart in range(12):
            hearts[self.chance.randrange(size)] += 1
        # Nobody has all thirteen, so that no other hand is a moon.
        hearts[hearts.index(min(hearts))] += 1
        points = [taken + 13 * (seat == queen) for seat, taken in enumerate(hearts)]
        return DrawnHand(hearts, queen, points)

    def _give_lines(self) -> None:
        played = sorted({code for sheet in self.evening.sheets for code in _people_of(sheet)})
        for _line in range(self.chance.randint(0, 3)):
            code = self.chance.choice(played)
            kind = self.chance.choice(["penalty", "bonus"])
            amount = self.chance.choice(["1/2", "1", "2"])
            penalize(self.event, code, amount, "Late.", kind=kind, meeting=TONIGHT)
            if kind == "bonus":
                self.evening.ledger[code] += Fraction(amount)
            else:
                self.evening.ledger[code] -= Fraction(amount)
            self.seen.add(kind)

    def correct(self, now: datetime) -> None:
        """Enter a hand of tonight anew, or delete it."""
        game, sheet = self.chance.choice(self.games)
        game.refresh_from_db()
        number = self.chance.randint(1, len(sheet.hands))
        stored = Hand.objects.get(game=game, number=number)
        if self.chance.random() < 0.25:
            why = "It was played last week."
            op = by_tests(now)
            void_hand(op, game, number=number, based_on=stored.revision, reason=why)
            sheet.hands[number - 1] = None
            self.seen.add("deleted")
            return
        why = "The sheet says so."
        self._enter(game, sheet, number, now=now, based_on=stored.revision, reason=why)
        self.seen.add("corrected")


def _people_of(sheet: Sheet) -> list[str]:
    return [player for chair in sheet.chairs for player, _first in chair]


def random_night(cast: Cast, people: Sequence[Player], chance: Random, *, slug: str) -> RandomNight:
    """Make an event whose ranking is drawn; nothing is played yet."""
    primary = chance.choice(PRIMARIES)
    breaks = [key for key in TIE_BREAKS if key != primary]
    tie_breaks = chance.sample(breaks, chance.randint(0, 3))
    awards = ["none", "own_mean"]
    if primary == "placement_points":
        awards.append("scheme_mean")
    bye_award = chance.choice(awards)
    # What the season leaves out, or asks for, counts in no evening.
    season: Mapping[str, object] = chance.choice([{}, {"drop_worst": 1}, {"min_games": 3}])
    settings = {
        "primary": primary,
        "tie_breaks": tuple(tie_breaks),
        "bye_award": bye_award,
        **season,
    }
    event = league(cast.riverside, slug=slug, settings=settings)
    return RandomNight(event, people, chance, primary, tie_breaks, bye_award)
