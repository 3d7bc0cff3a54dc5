"""An open night: people who are checked in, and the plan "open" chosen."""

from collections.abc import Sequence
from datetime import timedelta

from scoring.json_types import JsonDict
from tests.support.builders import by_tests, hand, players
from tests.support.cast import NOW
from tests.support.evenings import check_in, evening
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.hands.close_tables import move_game
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.form_tables import form_tables
from tournaments.services.seating_plans.make_plans import make_plans


class OpenNightEvening:
    """The night of some people; the players are RL01, RL02 … in the order in which they came."""

    def __init__(self, event: Event, head_count: int, *, sizes: Sequence[int] = (4, 3)) -> None:
        self.event = event
        self.meeting, self.people = evening(event, head_count)
        (self.plan,) = make_plans(by_tests(), self.meeting, movement="open", seed=7, sizes=sizes)
        choose_plan(by_tests(), self.plan)

    def come(self, *names: str) -> None:
        came = players(self.event.club, *names)
        check_in(self.meeting, came, at=NOW + timedelta(minutes=len(self.people)))
        self.people += came

    def form(self, *picked: str, single: bool = False) -> list[JsonDict]:
        return form_tables(by_tests(), self.meeting, players=picked, is_single=single)

    def end(self, code: str) -> None:
        games = Game.objects.select_related("event", "club", "table__round")
        game = games.get(event=self.event, table__code=code)
        others = game.table.seats.count() - 1
        hand(game, 1, [13 - 2 * others, *(2,) * others], 1)
        game.refresh_from_db()
        move_game(by_tests(), game, to="complete")


def ids(table: JsonDict) -> set[str]:
    return set(table["seats"])
