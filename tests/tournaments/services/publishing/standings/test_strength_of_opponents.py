"""Strength of opponents as published: over what they played here, dropped games too."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest

from tests.support.answers import Json
from tests.support.builders import by_tests, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.standings import StoredHistory
from tournaments.services.events.opening_values import NewOpeningValue, add_opening_values
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.publishing.publications import publish
from tournaments.services.verification.event import verify_event
from tournaments.services.verification.games import no_report

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NAMES = ("Anna A.", "Bert B.", "Cora C.", "Dora D.", "Emil E.", "Fred F.", "Gerd G.", "Hans H.")
ROUNDS: Sequence[Sequence[Mapping[str, int]]] = (
    ({"A": 18, "B": 27, "C": 40, "D": 45}, {"E": 18, "F": 27, "G": 40, "H": 45}),
    ({"A": 20, "E": 20, "B": 45, "F": 45},),
    ({"C": 10, "G": 50, "D": 35, "H": 35},),
)
"""Points in five hands. A and E made the same; A met C, who was better than G later."""


def played(cast: Cast, **settings: object) -> Event:
    event = league(cast.riverside, settings={"tie_breaks": ["sos"], **settings})
    people = dict(zip("ABCDEFGH", players(cast.riverside, *NAMES), strict=True))
    for number, tables in enumerate(ROUNDS, 1):
        for at, points in enumerate(tables, 1):
            seated = [people[code] for code in points]
            day = date(2025, 11, 6) + timedelta(days=7 * number)
            game = table(event, seated, round_number=number, table_number=at, on=day)
            entry = {"points": list(points.values())}
            record_totals(by_tests(), game, entry=entry, source="host", hands=5)
    return event


def rows_of(event: Event) -> dict[str, Json]:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    body = json.loads(bytes(publication.body))
    rows = {row["player"][0]: row for row in body["rows"]}
    make_all(event.pk)
    last = StoredHistory.objects.get(event=event, kind="as_of", key="3")
    assert json.loads(bytes(last.body))["rows"] == body["rows"], "as of the last round"
    return rows


@pytest.mark.parametrize("rule", [
    {"drop_worst": 1}, {"best_of": {"unit": "meeting", "min": 1, "per": 1}}, {},
])  # fmt: skip
def test_index_a_game_counts_dropped_games_of_opponents_too(
    cast: Cast, rule: Mapping[str, object]
) -> None:
    event = played(cast, primary="index_per_game", **rule)
    rows = rows_of(event)
    assert rows["E"]["rank"] - rows["A"]["rank"] == 1
    assert rows["E"]["decided_by"] == "sos"
    # Points below the mean of a table, over both games of each: A met 3 in six times, E met -17.
    assert (rows["A"]["values"]["sos"], rows["E"]["values"]["sos"]) == ("5/13", "-85/39")
    settings = cast.client("dirk").get("/api/v1/clubs/riverside/events/league/settings").json()
    assert settings["no_effect"] == []
    assert not verify_event(event, repair=False, now=NOW, report=no_report).differs


@pytest.mark.parametrize("rule", [{}, {"best_of": {"unit": "meeting", "min": 9, "per": 1}}])
def test_value_from_before_makes_no_opponent_stronger(
    cast: Cast, rule: Mapping[str, object]
) -> None:
    event = played(cast, primary="placement_points", **rule)
    before = rows_of(event)
    gerd = Player.objects.get(club=cast.riverside, name="Gerd G.")
    value = NewOpeningValue(gerd.player_id, date(2025, 9, 4), "40", games=2)
    add_opening_values(by_tests(), event, values=[value], reason="The list on paper.")
    after = rows_of(event)
    assert after["G"]["placement_points"] == before["G"]["placement_points"] + 40
    for code in "AE":
        assert after[code]["values"]["sos"] == before[code]["values"]["sos"]
    assert (after["A"]["rank"], after["E"]["rank"]) == (2, 3)
