"""The evening and the standings on a big screen: long names and reasons are whole, and all fits."""

from typing import Final

import pytest
from django.utils import timezone

from tests.support.browser import DESK
from tests.support.builders import hand, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.history import make_all
from tests.support.walks import Walks
from tournaments.models.hands import Game
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCREEN: Final = "/clubs/riverside/events/league"
SIZES: Final = ((1280, 720), (1920, 1080), (1024, 768))
NAMES: Final = (
    "Friedrich-Christoph Weber", "Bartholomäus von Grünewald", "Maximiliane-Theresia Hohe",
    "Konstantin Alexander Prill", "Wilhelmina Charlotte Oberl", "Eleonora Katharina Leuthe",
    "Schwarzenbergerinnenstädt", "Annegret Vandenberghenius",
)  # fmt: skip
CUT: Final = """all => all.filter(one => one.scrollWidth > one.clientWidth + 1
    && getComputedStyle(one).overflowX !== "visible"
    && !one.closest(".vh")).map(one => one.innerText)"""


@pytest.fixture
def event(db: None) -> None:
    now = timezone.now()
    riverside = enter_the_cast().riverside
    ranking = {"primary": "placement_points", "tie_breaks": ("lot",)}
    event = league(riverside, name="Thursday league", settings=ranking)
    people = players(riverside, *NAMES)
    for n in range(2):
        game = table(event, people[4 * n : 4 * n + 4], table_number=n + 1, on=now.date())
        hand(game, 1, [4, 1, 2, 6], queen=3)
    Game.objects.update(state="complete")
    publish(event.pk, now=now)
    make_all(event.pk)


@pytest.mark.parametrize(
    "path", ["screen?page=1", "projector?page=1", "projector?table=season&page=1"]
)
def test_names_and_reasons_are_whole_on_each_screen(event: None, walks: Walks, path: str) -> None:
    page = walks(DESK).page
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{SCREEN}/{path}")
        assert "who came before" in page.locator("main").inner_text()
        assert page.locator("main *").evaluate_all(CUT) == []
        sides = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert sides == [width, height]
