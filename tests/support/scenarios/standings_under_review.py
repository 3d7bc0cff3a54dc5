"""A decided event of which the standings are under review."""

from tests.support.builders import by_tests, league, players, table
from tests.support.cast import Cast
from tests.support.scenarios.playoffs import close, look, play
from tournaments.models.events import Event
from tournaments.services.hands.record_entry import record_totals

EVENT = "/clubs/riverside/events/league"
API = f"/api/v1{EVENT}"
TOTALS = f"{EVENT}/tables/r1t1/totals"
ONE = f"{EVENT}/playoffs/1"


def decided(cast: Cast, **settings: object) -> Event:
    wanted = {"boundaries": {"title": 1}, "playoff": "extra_hands", **settings}
    event = league(cast.riverside, settings=wanted)
    game = table(event, players(cast.riverside, "A", "B", "C", "D"))
    record_totals(by_tests(), game, entry={"points": [20, 20, 20, 44]}, hands=4, source="host")
    close(event)
    play(event, 1, {"A": 1, "B": 4, "C": 21})
    look(event)
    return event
