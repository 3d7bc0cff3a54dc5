"""The standings of one stage: its own games alone, the same on the page and over REST."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import hand, players, table
from tests.support.cast import Cast, enter_the_cast
from tests.support.history import make_all
from tests.support.pages.text import text
from tests.support.rest.requests import codes
from tests.support.scenarios.cuts import NAMES, before_a_cut, close, correct, cut, published
from tournaments.models.events import Event
from tournaments.models.standings import StoredHistory

pytestmark = pytest.mark.django_db

PAGES = "/clubs/riverside/events/league"
E = f"/api/v1{PAGES}"


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def played(cast: Cast) -> Event:
    """Round 1 of eight, a cut after the best four, and a final round in which RL03 is best."""
    people = players(cast.riverside, *NAMES)
    event = before_a_cut(people)
    cut(event, 4, "Final")
    final = table(event, [people[0], people[1], people[4], people[5]], round_number=2)
    hand(final, 1, [6, 4, 1, 2], queen=0)
    close(event, 2)
    make_all(event.pk)
    return event


def rows(cast: Cast, stage: int) -> list[tuple[str, int, str]]:
    body = cast.client().get(f"{E}/stages/{stage}/standings").json()
    return [(row["player_id"], row["rank"], row["values"]["raw_per_hand"]) for row in body["rows"]]


def test_each_stage_counts_its_own_games(cast: Cast) -> None:
    event = played(cast)
    assert rows(cast, 1) == [
        ("RL01", 1, "1"), ("RL05", 2, "2"), ("RL02", 3, "3"), ("RL06", 4, "4"),
        ("RL03", 5, "5"), ("RL07", 6, "6"), ("RL08", 7, "14"), ("RL04", 8, "17"),
    ]  # fmt: skip
    assert rows(cast, 2) == [
        ("RL05", 1, "1"), ("RL06", 2, "2"), ("RL02", 3, "4"), ("RL01", 4, "19"),
    ]  # fmt: skip
    body = cast.client().get(f"{E}/stages/2/standings").json()
    assert (body["as_of"]["round"], body["as_of"]["hands"]) == (2, 1)
    correct(event, "r1t2", [2, 5, 5, 1])
    make_all(event.pk)
    assert {code: value for code, _rank, value in rows(cast, 1)}["RL06"] == "5"


def test_penalty_counts_in_the_event_and_not_in_the_stage(cast: Cast) -> None:
    event = played(cast)
    line = {"entrant": "RL05", "kind": "penalty", "amount": "9", "reason": "Late."}
    assert cast.client("dirk").post(f"{PAGES}/ledger/new", line).status_code == 302
    close_again(event)
    assert {
        row["player_id"]: row["values"]
        for row in cast.client().get(f"{E}/standings").json()["rows"]
    }["RL05"]["raw_per_hand"] != "1.5"
    assert rows(cast, 2)[0] == ("RL05", 1, "1")


def close_again(event: Event) -> None:
    published(event)
    make_all(event.pk)


def test_page_has_what_rest_has_and_is_reached_from_the_stages(cast: Cast) -> None:
    played(cast)
    client = cast.client()
    stages = client.get(f"{PAGES}/stages")
    assert f'href="{PAGES}/stages/2/standings"' in stages.content.decode()
    page = text(client.get(f"{PAGES}/stages/2/standings"))
    assert "Standings of Final" in page
    assert "Only the games of this stage count here." in page
    names = [page.index(name) for name in ("Ivo T.", "Lena M.", "Xenia S.", "Elsa D.")]
    assert names == sorted(names)
    assert client.get(f"{PAGES}/stages/2/standings", {"sort": "player"}).status_code == 200
    etag = client.get(f"{E}/stages/2/standings").headers["ETag"]
    assert client.get(f"{E}/stages/2/standings", headers={"If-None-Match": etag}).status_code == 304


def test_stage_without_games_says_so_and_one_stage_has_the_standings_of_the_event(
    cast: Cast,
) -> None:
    event = before_a_cut(players(cast.riverside, *NAMES))
    make_all(event.pk)
    assert [one[0] for one in rows(cast, 1)][:2] == ["RL01", "RL05"]
    cut(event, 4, "Final")
    close_again(event)
    missing = cast.client().get(f"{E}/stages/2/standings")
    assert (missing.status_code, codes(missing)) == (404, ["stage_without_standings"])
    page = cast.client().get(f"{PAGES}/stages/2/standings")
    assert page.status_code == 404
    assert "No hand of this stage counts yet" in text(page)
    assert cast.client().get(f"{E}/stages/9/standings").status_code == 404
    assert len(rows(cast, 1)) == 8


def test_reading_computes_nothing(cast: Cast) -> None:
    event = played(cast)
    with CaptureQueriesContext(connection) as asked:
        cast.client().get(f"{E}/stages/2/standings")
    assert not any("contribution" in one["sql"] for one in asked)
    assert StoredHistory.objects.filter(event=event, kind="stage").count() == 2
