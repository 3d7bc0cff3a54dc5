"""An evening at which players change while hands are entered."""

from tests.support.builders import by_tests, counts, hand, league, pairs, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.at_once import Action, Within, get_game
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, Sitting
from tournaments.selectors.rounds.tables import table_seating
from tournaments.services.hands.change_players import change_players
from tournaments.services.hands.plan_player_changes import PlayerChange
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.verification.event import verify_event

HEARTS = [2, 6, 3, 2]


class Night:
    """A round of two tables with two hands each, and what people do there at one moment."""

    variant = "hearts"

    def __init__(self, within: Within) -> None:
        self.within = within
        with within():
            self.event = league(enter_the_cast().riverside, variant=self.variant)
            self.people = players(self.event.club, *(f"Player {at}" for at in range(1, 11)))

    def begin(self, number: int) -> None:
        self.number = number
        with self.within():
            for at in (0, 4):
                game = table(
                    self.event, self.people[at : at + 4], round_number=number,
                    table_number=1 + at // 4,
                )  # fmt: skip
                hand(game, 1, HEARTS, 3)
                hand(game, 2, HEARTS, 1)

    def game(self, at: int = 1) -> Game:
        return get_game(event=self.event, table__code=f"r{self.number}t{at}")

    def round(self) -> Round:
        rounds = Round.objects.select_related("event", "club")
        return rounds.get(event=self.event, number=self.number)

    def swap(self, other: str, hands: str = "keep", tag: str | None = None, at: int = 1) -> Action:
        return self.change(PlayerChange("swap", 1, other, hands), tag, at)

    def change(self, wanted: PlayerChange, tag: str | None = None, at: int = 1) -> Action:
        def action() -> None:
            change_players(
                by_tests(), self.game(at), change=wanted, reason="Wrong seats.", tag=tag,
            )  # fmt: skip

        return action

    def enter(self, number: int, at: int = 1, based_on: int | None = None) -> Action:
        def action() -> None:
            record_entry(
                by_tests(), self.game(at), number=number, entry=counts(HEARTS, 2),
                source="host", based_on=based_on, reason="Read again." if based_on else "",
            )  # fmt: skip

        return action

    def holds(self) -> None:
        with self.within():
            event = Event.objects.select_related("club").get(pk=self.event.pk)
            verification = verify_event(event, repair=False, now=NOW, report=lambda words: None)
            assert verification.found.differences == []
            sat = Sitting.objects.filter(round__event=event, round__number=self.number)
            assert sat.filter(to_hand=None).count() == 8

    def north(self) -> str:
        with self.within():
            sat = table_seating(self.event, f"r{self.number}t1")["sittings"]
            return str([sitting["player_id"] for sitting in sat if sitting["seat"] == 1][-1])


class PairsNight(Night):
    """The same with pairs: 1 and 3 sit North and South, 2 and 4 East and West, 9 and 10 nowhere."""

    variant = "partnership-hearts-pooled"

    def __init__(self, within: Within) -> None:
        super().__init__(within)
        with within():
            pairs(self.event, [self.people[at] for at in (0, 2, 1, 3, 4, 6, 5, 7, 8, 9)])

    def move_side(self, action: str, *side: str, at: int = 1) -> Action:
        return self.change(PlayerChange(action, 1, side=side), at=at)

    def holds(self) -> None:
        super().holds()
        with self.within():
            pairs = dict(EntrantMember.objects.values_list("player_id", "entrant__code"))
            sat = Sitting.objects.filter(round__event=self.event, round__number=self.number)
            rows = sat.filter(to_hand=None).order_by("seat__table", "seat__number")
            codes = [pairs[player] for player in rows.values_list("player_id", flat=True)]
            assert codes[0::4] + codes[1::4] == codes[2::4] + codes[3::4]
            assert all(code.startswith("pair-") for code in codes)
