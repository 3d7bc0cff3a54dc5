"""The list of a season so far on its page: an evening is a game, and what is missing is asked."""

import pytest

from tests.support.builders import bring, league, players
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.standings import OpeningValue

pytestmark = pytest.mark.django_db

PAGE = "/clubs/riverside/events/league/opening-values/list"
EVENINGS = "Name\t2025-10-02\t2025-10-09\nAda Alder\t3\t5\nBen Birch\t2\t\n"
TOTALS = "Name\tTotal\nAda Alder\t8\nBen Birch\t2\n"


def test_evening_of_a_list_is_one_game_and_the_preview_says_so(cast: Cast) -> None:
    settings = {"primary": "placement_points", "min_games": 2}
    event = league(cast.riverside, settings=settings)
    players(event.club, "Ada Alder", "Ben Birch")
    dirk = cast.client("dirk")
    preview = text_of(dirk.post(PAGE, {"text": EVENINGS}))
    assert "Each evening of a player counts as one game." in preview
    assert "A place needs a number of games" not in preview
    typed = {"text": EVENINGS, "evenings": "each", "reason": "The list.", "add": "yes"}
    assert "3 values added." in text_of(dirk.post(PAGE, typed, follow=True))
    assert set(OpeningValue.objects.values_list("games", flat=True)) == {1}
    totals = text_of(dirk.post(PAGE, {"text": TOTALS}))
    assert "Each evening of a player counts as one game." not in totals
    assert "A place needs a number of games" in totals


def test_list_that_an_older_release_stored_without_games_adds_nothing_again(cast: Cast) -> None:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    ada, _ben = players(event.club, "Ada Alder", "Ben Birch")
    bring(event, ada.player_id, "3", hands=0)
    OpeningValue.objects.update(games=None, hands=None)
    typed = {"text": EVENINGS, "evenings": "each", "reason": "The list.", "add": "yes"}
    page = text_of(cast.client("dirk").post(PAGE, typed, follow=True))
    assert "2 values added." in page


@pytest.mark.parametrize(
    ("primary", "needed"), [("index_per_game", "games"), ("raw_per_hand", "hands")]
)
def test_preview_asks_once_for_what_the_standings_need(
    cast: Cast, primary: str, needed: str
) -> None:
    event = league(cast.riverside, settings={"primary": primary})
    players(event.club, "Ada Alder", "Ben Birch")
    dirk = cast.client("dirk")
    assert f"These standings need the number of {needed}" in text_of(dirk.get(PAGE))
    page = dirk.post(PAGE, {"text": TOTALS})
    assert page.status_code == 422
    (problem,) = page.context["form"].non_field_errors()
    assert needed in problem
    counted = f"Name\tTotal\t{needed.title()}\nAda Alder\t8\t4\nBen Birch\t2\t1\n"
    assert dirk.post(PAGE, {"text": counted}).status_code == 200


RESULTS = "Datum\tName\tPunkte\n2.10.2025\tAda Alder\t3\n\tBen Birch\t2\n9.10.2025\tAda Alder\t5\n"


def test_list_of_results_is_no_season_and_says_so_at_once(cast: Cast) -> None:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    players(event.club, "Ada Alder", "Ben Birch")
    dirk = cast.client("dirk")
    page = text_of(dirk.post(PAGE, {"text": RESULTS}))
    assert "This list has a column of dates, and Ada Alder has several rows." in page
    once = RESULTS.replace("9.10.2025\tAda Alder\t5\n", "")
    assert "column of dates" not in text_of(dirk.post(PAGE, {"text": once}))
    undated = (
        RESULTS.replace("Datum", "Note").replace("2.10.2025", "Guest").replace("9.10.2025", "")
    )
    assert "column of dates" not in text_of(dirk.post(PAGE, {"text": undated}))


def test_people_of_one_name_are_refused_once(cast: Cast) -> None:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    players(event.club, "Ada Alder", "Ben Birch")
    Player.objects.filter(name="Ben Birch").update(name="Ada Alder")
    text = "Name\tTotal\nAda Alder\t8\nAda  Alder\t2\n"
    page = cast.client("dirk").post(
        PAGE, {"text": text, "reason": "The list.", "add": "yes", "add_missing": "on"}
    )
    problems = page.context["form"].non_field_errors()
    assert len(problems) == 1


def test_values_from_before_are_linked_where_one_looks(cast: Cast) -> None:
    league(cast.riverside, settings={"primary": "placement_points"})
    dirk, event = cast.client("dirk"), "/clubs/riverside/events/league"
    link = f'href="{event}/opening-values"'
    for page in ("", "/entrants", "/imports", "/direct"):
        assert link in dirk.get(f"{event}{page}").content.decode(), page


@pytest.mark.parametrize("title", ["Standings of spring 2026", "Wertung Frühjahr 2026"])
@pytest.mark.parametrize("blank", ["", ";;;\n"])
@pytest.mark.parametrize("place", ["#", "Name"])
def test_title_above_a_list_is_skipped(cast: Cast, title: str, blank: str, place: str) -> None:
    event = league(cast.riverside, settings={"primary": "placement_points"})
    players(event.club, "Ada Alder", "Ben Birch")
    rows = ["Name;2025-10-02;2025-10-09;Total", "Ada Alder;3;5;8", "Ben Birch;2;;2"]
    if place == "#":
        first, *others = rows
        rows = [f"#;{first}", *(f"{n};{row}" for n, row in enumerate(others, start=1))]
    content = f"{title};;;\n{blank}" + "\n".join(rows)
    typed = {"text": content, "evenings": "each", "reason": "The list.", "add": "yes"}
    assert "3 values added." in text_of(cast.client("dirk").post(PAGE, typed, follow=True))
