"""A season started in the middle: opening values count as what they are."""

import json
from datetime import date, timedelta
from typing import Any

import pytest

from tests.support.answers import Json
from tests.support.builders import TESTS, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.standings import Contribution
from tournaments.services.events.opening_values import (
    NewOpeningValue,
    add_opening_values,
)
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.verification.event import verify_event
from tournaments.services.verification.games import no_report

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OP = Operation(TESTS, NOW)
FIRST_DAY = date(2026, 10, 6)
EVENINGS = (
    (18, 27, 40, 45), (22, 48, 30, 30), (20, 34, 35, 41), (43, 12, 37, 38), (31, 31, 32, 36),
    (15, 29, 34, 52),
)  # fmt: skip
BEST_3: dict[str, Any] = {"best_of": {"unit": "meeting", "min": 3, "per": 1}}


def day(number: int) -> date:
    return FIRST_DAY + timedelta(days=7 * (number - 1))


def season(cast: Cast, slug: str, settings: dict[str, Any], first: int = 1) -> Event:
    """A season of six evenings, entered from evening `first` on."""
    event = league(cast.riverside, slug=slug, settings=settings)
    people = list(Player.objects.filter(club=cast.riverside).order_by("player_id")[:4])
    people = people or players(cast.riverside, "Ann", "Ben", "Cai", "Dora")
    for number in range(first, 7):
        game = table(event, people, round_number=number - first + 1, on=day(number))
        points = {"points": list(EVENINGS[number - 1])}
        record_totals(OP, game, entry=points, source="host", hands=5)
    return event


def body_of(event: Event) -> Json:
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    body: Json = json.loads(bytes(publication.body))
    return body


def brought(whole: Event, field: str, until: int) -> list[NewOpeningValue]:
    """What each entrant made on each evening of a season up to one, in the unit of its ranking."""
    rows = Contribution.objects.filter(event=whole, game__table__round__number__lte=until)
    return [
        NewOpeningValue(
            row.entrant.code,
            row.game.table.round.meeting.date,  # type: ignore[union-attr]  # each has one
            f"{getattr(row, field)}/360360",
            games=1,
            wins=int(row.place == 1),
            hands=row.hands,
        )
        for row in rows.select_related("entrant", "game__table__round__meeting").order_by("pk")
    ]


ALIKE = ("player_id", "rank", "tied", "tables", "hands", "wins", "dropped", "values")


@pytest.mark.parametrize("rule", [BEST_3, {"drop_worst": 2}, {}])
@pytest.mark.parametrize(
    ("primary", "field"),
    [
        ("placement_points", "place_points"), ("wins", "win_share"), ("raw_per_hand", "points"),
        ("raw_total", "points"),
    ],
)  # fmt: skip
def test_season_started_in_the_middle_equals_the_season_by_hands(
    cast: Cast, primary: str, field: str, rule: dict[str, Any]
) -> None:
    settings = {"primary": primary, **rule}
    whole = season(cast, "whole", settings)
    started = season(cast, "started", settings, first=4)
    add_opening_values(OP, started, values=brought(whole, field, 3), reason="The list on paper.")
    expected, standings = body_of(whole), body_of(started)
    for row, other in zip(standings["rows"], expected["rows"], strict=True):
        assert {key: row[key] for key in ALIKE} == {key: other[key] for key in ALIKE}
        assert [one["counts"] for one in row["opening_values"]].count(True) <= 3
    assert not verify_event(started, repair=False, now=NOW, report=no_report).differs
