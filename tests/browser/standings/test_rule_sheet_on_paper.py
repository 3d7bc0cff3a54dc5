"""The rules of two leagues on paper: one sheet each, without navigation."""

import re
from collections.abc import Mapping
from datetime import time, timedelta
from typing import Final

import pytest
from playwright.sync_api import expect

from scoring.standings.tie_breaks import USUAL
from tests.support.browser import DESK
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.history import make_all
from tests.support.walks import Walks
from tournaments.domain.event_settings import best_evenings
from tournaments.models.rounds import Meeting
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SHEET_OF_PAPER: Final = re.compile(rb"/Type\s*/Page[^s]")
A4: Final = re.compile(rb"/MediaBox\s*\[\s*0 0 (?:594|595)[\d.]* (?:841|842)[\d.]*\s*\]")
PERIODS: Final[Mapping[str, object]] = {
    "primary": "evening_points",
    "best_of": best_evenings(4),
    "period_evenings": 6,
    "best_periods": 5,
    "excused": "lowest",
    "guests": "evening",
    "substitutes": "regular",
    "min_third": True,
    "correction_window_h": 48,
    "tie_breaks": ("evenings", *USUAL),
}
TWELVE_EVENINGS: Final[Mapping[str, object]] = {
    "primary": "placement_points",
    "best_of": best_evenings(10),
    "substitutes": "regular",
    "tie_breaks": ("evenings", "h2h"),
}


@pytest.mark.parametrize(
    ("settings", "n_evenings", "n_rounds"), [(PERIODS, 42, 3), (TWELVE_EVENINGS, 12, 2)]
)
def test_rules_of_a_league_are_one_sheet(
    db: None, walks: Walks, settings: Mapping[str, object], n_evenings: int, n_rounds: int
) -> None:
    riverside = enter_the_cast().riverside
    event = league(riverside, name="Tuesday league, autumn 2026", settings=settings)
    people = players(riverside, "Ada", "Ben", "Cleo", "Dora")
    for number in range(1, n_rounds + 1):
        hand(table(event, people, round_number=number, on=NOW.date()), 1, [4, 1, 2, 6], queen=1)
    for week in range(1, n_evenings):
        day = NOW.date() + timedelta(weeks=week)
        Meeting.objects.create(club=riverside, event=event, date=day)
    Meeting.objects.filter(event=event).update(time=time(20))
    Meeting.objects.filter(event=event, date=NOW.date()).update(ended_at=NOW)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    page = walks(DESK).page
    page.goto("/clubs/riverside/events/league/how-it-counts")
    expect(page.get_by_role("heading", name="For example")).to_be_visible()
    expect(page.get_by_text("An evening begins at 20:00.")).to_be_visible()
    paper = page.pdf(prefer_css_page_size=True)
    assert len(SHEET_OF_PAPER.findall(paper)) == 1
    assert A4.search(paper)
    page.emulate_media(media="print")
    expect(page.get_by_role("navigation")).to_have_count(0)
    expect(page.get_by_text("evenings won").first).to_be_visible()
