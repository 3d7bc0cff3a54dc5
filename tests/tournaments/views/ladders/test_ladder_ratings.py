"""Ratings of a ladder on its pages, and what a result would change."""

import re

import pytest

from tests.support.answers import Json
from tests.support.builders import finished, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.pages.ladders import EVENT
from tests.support.pages.text import summary, text_of
from tests.support.scenarios.ladders import ladder
from tournaments.models.clubs import Player
from tournaments.models.events import Event

pytestmark = pytest.mark.usefixtures("clock")


def test_member_page_has_the_rating_as_chart_and_table(cast: Cast, rungs: Event) -> None:
    page = cast.client().get(f"{EVENT}/ladder/members/H")
    body = page.content.decode()
    assert f'src="{EVENT}/charts/ratings/H"' in body
    assert "Rating of Member H after each game, newest first" in text_of(page)
    chart = cast.client().get(f"{EVENT}/charts/ratings/H")
    assert chart["Content-Type"] == "image/svg+xml"
    assert b"Rating from 1500 before game 1 to 1532.0 after game 1" in chart.content
    assert b"style=" not in chart.content
    assert cast.client().get(f"{EVENT}/charts/ratings/A").status_code == 404
    assert cast.client().get(f"{EVENT}/ladder/members/Z").status_code == 404


def test_moves_lead_to_the_table_that_made_them(cast: Cast, rungs: Event) -> None:
    body = cast.client().get(f"{EVENT}/ladder/moves").content.decode()
    assert f'<a href="{EVENT}/tables/r1t1">won a table with' in body
    assert "opening position on 6 November" in body


def test_ratings_say_who_is_provisional(cast: Cast, rungs: Event) -> None:
    said = text_of(cast.client().get(f"{EVENT}/ratings"))
    assert "Provisional: ranked after 10 games" in said
    assert "? no rank yet Member H 1532.0?" in said


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        (
            {},
            "A member’s first 10 games use K 64, later games use K 32. The gains and losses at "
            "a table are equal if all players have the same K.",
        ),
        ({"k_new": 32}, "not the margin. The gains and losses at a table are equal."),
        ({"new_games": 0}, "not the margin. The gains and losses at a table are equal."),
    ],
)
def test_ratings_say_when_what_one_wins_the_others_lose(cast: Cast, rules: Json, says: str) -> None:
    event = ladder(cast, now=NOW, **rules)
    finished(table(event, [Player.objects.get(player_id=code) for code in "GHIJ"]))
    publish_all(event)
    assert says in text_of(cast.client().get(f"{EVENT}/ratings"))


def test_what_if_says_what_each_place_would_bring(cast: Cast, rungs: Event) -> None:
    page = cast.client().get(f"{EVENT}/ladder/what-if?player=A&player=B&player=C&player=D")
    assert "Member A 1500.0 +32.0 +10.7 −10.7 −32.0" in text_of(page)
    alone = cast.client().get(f"{EVENT}/ladder/what-if?player=A")
    assert alone.status_code == 422
    assert "There are 1 at the table." in summary(alone)
    assert cast.client().get(f"{EVENT}/ladder/what-if").status_code == 200


def test_what_if_finds_members_by_name_and_unticks_nobody(cast: Cast, rungs: Event) -> None:
    at, public = f"{EVENT}/ladder/what-if", cast.client()

    def listed(query: str) -> dict[str, bool]:
        answer = public.get(f"{at}?{query}")
        assert answer.status_code == 200
        boxes = re.findall(r'name="player" value="(.)"( checked)?', answer.content.decode())
        return {code: bool(checked) for code, checked in boxes}

    everybody = listed("")
    assert len(everybody) > 3
    # One is ticked, which is no table yet: a search rates nothing and refuses nothing.
    assert listed("q=C&player=A&search=yes") == {"A": True, "C": False}
    assert listed("player=A&search=yes") == {**everybody, "A": True}
    assert listed("q=zzz&search=yes") == {}
    assert "Nobody found." in text_of(public.get(f"{at}?q=zzz&search=yes"))
