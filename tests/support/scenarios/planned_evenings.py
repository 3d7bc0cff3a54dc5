"""An evening with attendance and a chosen plan: 9 players, tables of 5 and 4 in three rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from tests.support.builders import by_tests, hand, league, players
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Attendance, Meeting, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round

DAY = date(2025, 11, 6)
NAMES = ("Alma D.", "Bruno K.", "Cleo S.", "Dario D.", "Edda K.", "Farid S.", "Greta D.")
MORE = ("Hugo K.", "Ines S.")
SETTINGS = {"primary": "beaten_mean"}


@dataclass(frozen=True, slots=True)
class PlannedEvening:
    """The evening; `people` are in the order of their ids, RL01 first."""

    event: Event
    meeting: Meeting
    plan: SeatingPlan
    people: Sequence[Player]

    def row(self, number: int) -> int:
        return self.people[number - 1].pk

    def here(self, *numbers: int, state: str = "here", **more: object) -> None:
        for number in numbers:
            Attendance.objects.update_or_create(
                club=self.event.club,
                meeting=self.meeting,
                player=self.people[number - 1],
                defaults={"state": state, "stated_at": NOW, "arrived_at": NOW, **more},
            )

    def seat(self, *, adjust: bool = False) -> Round:
        return make_round_of_plan(by_tests(), self.plan, adjust=adjust)

    def play(self, round_: Round) -> None:
        move_round(by_tests(), round_, to="posted")
        for game in Game.objects.filter(table__round=round_).select_related("event", "table"):
            seats = game.table.seats.count()
            hand(game, 1, [13 - 2 * (seats - 1), *(2,) * (seats - 1)], 1)
        Game.objects.filter(table__round=round_).update(state="complete")
        round_.refresh_from_db()
        move_round(by_tests(), round_, to="closed")


def planned_evening(
    cast: Cast, rounds: Sequence[tuple[Sequence[Sequence[int]], Sequence[int]]]
) -> PlannedEvening:
    """Make an evening with a chosen plan.

    `rounds`: tables of numbers of players, and who sits out.
    """
    event = league(cast.riverside, settings=SETTINGS)
    people = players(cast.riverside, *NAMES, *MORE)
    meeting = Meeting.objects.create(club=event.club, event=event, date=DAY)
    stored = [
        {
            "tables": [[people[one - 1].pk for one in table] for table in tables],
            "sitting_out": [people[one - 1].pk for one in outside],
        }
        for tables, outside in rounds
    ]
    plan = SeatingPlan.objects.create(
        club=event.club,
        event=event,
        meeting=meeting,
        state="chosen",
        seed=7,
        round_count=len(stored),
        inputs={"sizes": [4, 3]},
        rounds=stored,
        is_ready=True,
        created_at=NOW,
        chosen_at=NOW,
    )
    return PlannedEvening(event, meeting, plan, people)
