"""Sheets of the demo, exported and imported into a fresh event, are the same sheets.

Totals of whole games are sheets too: those of the cup and of both ladders.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from tests.support.builders import TESTS
from tests.support.cast import enter_the_cast
from tests.support.imports.imports import hand_scores, imported, said
from tests.support.lengths import short_or_long
from tournaments.documents.sheet_files import sheet_lines
from tournaments.management.demo_events import create_demo_events
from tournaments.models.events import Event
from tournaments.models.hands import Hand, SeatScore
from tournaments.models.standings import Aggregate
from tournaments.services.demo import set_up_demo_event
from tournaments.services.imports.import_players import import_players

pytestmark = [pytest.mark.django_db, pytest.mark.tier_all]

DEMO = Path(settings.BASE_DIR) / "tournaments" / "demo"
OF_TOTALS = {"ladder": 200, "cup": 3, "challenges": 2}
"""Events without a hand on a sheet → games of which the totals are stored."""


@pytest.fixture
def played() -> dict[str, Event]:
    """The events of the demo by their slugs."""
    club = enter_the_cast().riverside
    imported(DEMO / "sheets.csv", create=True)
    brought = {event.slug: event for event, _ in create_demo_events(TESTS, club, DEMO)}
    return {"league": Event.objects.get(slug="league"), **brought}


def fresh(event: Event, slug: str) -> Event:
    """An empty event under the same rules, with the same entrants."""
    plans = tomllib.loads((DEMO / "events.toml").read_text(encoding="utf-8"))["events"]
    plan: Mapping[str, Any] = next(plan for plan in plans if plan["slug"] == event.slug)
    made = set_up_demo_event(
        actor=TESTS, club=event.club, slug=slug, name=slug, kind=plan["kind"],
        variant=plan["variant"], settings=plan["settings"], now=timezone.now(),
    )  # fmt: skip
    path = DEMO / plan["players"]
    import_players(
        actor=TESTS, club=event.club, event=made, path=path, name=path.name, dry_run=False,
        now=timezone.now(),
    )  # fmt: skip
    return made


def hands(event: Event) -> list[tuple[object, ...]]:
    """What was entered for each hand, with its marks, and which moon was found."""
    stored = Hand.objects.filter(game__event=event, state="accepted").order_by(
        "game__table__round__number", "game__table__number", "number"
    )
    return list(stored.values_list("game__table__code", "number", "entry__typed", "entry__moon"))


def totals(event: Event) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """The running totals of each seat, and the sums of each entrant."""
    scores = SeatScore.objects.filter(entry__hand__game__event=event).order_by(
        "seat__table__code", "entry__hand__number", "seat__number"
    )
    sums = Aggregate.objects.filter(event=event, games__gt=0).order_by("entrant__code")
    return (
        list(scores.values_list("seat__table__code", "seat__number", "total", "moons")),
        list(sums.values_list("entrant__code", "games", "hands", "points", "place_1", "moons")),
    )


def test_exported_sheets_make_the_same_event_again(
    played: Mapping[str, Event], tmp_path: Path
) -> None:
    for slug, n_games in OF_TOTALS.items():
        assert [number for _, number, _, _ in hands(played[slug])] == [0] * n_games
    for slug, form in (
        ("league", "csv"),
        ("pairs", "csv"),
        ("cup", "xlsx"),
        ("challenges", "csv"),
        *short_or_long([], [("pairs", "xlsx"), ("ladder", "csv")]),
    ):
        event, again = played[slug], f"{slug}-{form}"
        if slug != "league":
            fresh(event, again)
        path = tmp_path / f"{again}.{form}"
        path.write_bytes("".join(sheet_lines(event)).encode())
        if form == "xlsx":
            call_command("export_sheets", club="riverside", event=slug, xlsx=path)
        report = imported(path, event=again, create=slug == "league", now=timezone.now())
        n_hands = len(hands(event))
        assert n_hands == OF_TOTALS[slug] if slug in OF_TOTALS else n_hands > 200
        assert said(report) == [], [one.message for one in report.problems[:5]]
        assert (report.hands, report.accepted, report.added) == (n_hands, n_hands, n_hands)
        made = Event.objects.get(slug=again)
        assert hands(made) == hands(event)
        assert hand_scores(again) == hand_scores(slug)
        assert totals(made) == totals(event)
        assert list(sheet_lines(made)) == list(sheet_lines(event))
