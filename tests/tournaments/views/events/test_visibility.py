"""Who may read an event, changed at any time: released, withdrawn, and said before it is done."""

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.services.publishing.publications import publish

AT = "/clubs/riverside/events/league"
RESULTS = (
    *(AT, f"{AT}/standings.csv", f"{AT}/publications", f"{AT}/publications/1"),
    *(f"{AT}/tables/r1t1", f"{AT}/changes", f"{AT}/players/RL01"),
    *(f"/api/v1{AT}", f"/api/v1{AT}/standings", f"/api/v1{AT}/standings.csv"),
    *(f"/api/v1{AT}/publications/1", f"/api/v1{AT}/publications/1.csv"),
    *(f"/api/v1{AT}/publications", f"/api/v1{AT}/history", f"/api/v1{AT}/tables/r1t1/hands"),
)
READERS = ("", "nora", "piet", "hanna", "dirk")


@pytest.fixture
def game(cast: Cast) -> Game:
    """A league with one table of two hands, two publications, and readers of everything."""
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    made = table(league(cast.riverside), people)
    for number, points in enumerate(([4, 1, 2, 6], [0, 13, 0, 0]), 1):
        hand(made, number, points, 3)
        publish(made.event_id, now=NOW)
    return made


def change(client: Client, to: str) -> Answer:
    return client.post(f"{AT}/visibility", {"visibility": to}, follow=True)


def readable(cast: Cast, path: str) -> dict[str, int]:
    return {name: cast.client(name).get(path).status_code for name in READERS}


def test_results_that_are_withdrawn_are_missing_at_every_address_at_once(
    cast: Cast, game: Game
) -> None:
    stranger = cast.client()
    tags = {path: stranger.get(path).headers.get("ETag", "") for path in RESULTS}
    assert {stranger.get(path).status_code for path in RESULTS} == {200}
    for visibility, readers in (("members", {"piet", "hanna", "dirk"}), ("held", {"dirk"})):
        change(cast.client("dirk"), visibility)
        for path in RESULTS:
            expected = {name: 200 if name in readers else 404 for name in READERS}
            assert readable(cast, path) == expected, (visibility, path)
            known = stranger.get(path, headers={"If-None-Match": tags[path]})
            assert known.status_code == 404, path
    assert AT not in stranger.get("/clubs/riverside").content.decode()
    assert stranger.get("/api/v1/clubs/riverside/events").json()["results"] == []
    assert stranger.get("/clubs/riverside/players/RL01").status_code == 404


@pytest.mark.parametrize("path", [path for path in RESULTS if "publications/1" in path])
def test_no_cache_gives_a_publication_without_asking(cast: Cast, game: Game, path: str) -> None:
    public = cast.client().get(path)
    assert public.headers["Cache-Control"] == "no-cache"
    again = cast.client().get(path, headers={"If-None-Match": public["ETag"]})
    assert (again.status_code, again["Cache-Control"]) == (304, "no-cache")
    change(cast.client("dirk"), "members")
    assert "private" in cast.client("piet").get(path).headers["Cache-Control"]


def test_held_results_are_released_with_one_button_that_says_what_it_does(
    cast: Cast, game: Game
) -> None:
    change(cast.client("dirk"), "held")
    shown = text_of(cast.client("dirk").get(f"{AT}/direct"))
    says = "Everybody will be able to read 2 publications and 1 score sheet. Release results"
    assert says in shown
    released = change(cast.client("dirk"), "public")
    assert "Saved. Everybody can read it, without signing in." in text_of(released)
    assert "Release results" not in text_of(released)
    assert set(readable(cast, f"/api/v1{AT}/publications/1").values()) == {200}
    lines = AuditLine.objects.filter(act="change_visibility").order_by("number")
    assert [(line.subject, line.facts) for line in lines] == [
        ("event:league", {"from": "public", "to": "held"}),
        ("event:league", {"from": "held", "to": "public"}),
    ]


def test_page_says_of_each_choice_who_reads_what(cast: Cast, game: Game) -> None:
    shown = text_of(cast.client("dirk").get(f"{AT}/visibility"))
    assert "Public: Everybody can read it, without signing in." in shown
    assert "Only members will be able to read 2 publications and 1 score sheet." in shown
    assert "Only directors will be able to read 2 publications and 1 score sheet." in shown
    change(cast.client("dirk"), "held")
    cast.riverside.is_public = False
    cast.riverside.save()
    shown = text_of(cast.client("dirk").get(f"{AT}/visibility"))
    assert "Everybody" not in shown
    assert shown.count("Members will be able to read 2 publications and 1 score sheet.") == 2


def test_event_that_is_final_is_withdrawn_and_released_too(cast: Cast, game: Game) -> None:
    Event.objects.update(state="final")
    change(cast.client("dirk"), "held")
    assert readable(cast, f"{AT}/publications/2")[""] == 404
    change(cast.client("dirk"), "public")
    assert readable(cast, f"{AT}/publications/2")[""] == 200


def test_only_directors_change_who_reads(cast: Cast, game: Game) -> None:
    for name, status in (("", 302), ("nora", 403), ("piet", 403), ("hanna", 403)):
        answer = cast.client(name).post(f"{AT}/visibility", {"visibility": "held"})
        assert answer.status_code == status, name
    wrong = cast.client("dirk").post(f"{AT}/visibility", {"visibility": "everybody"})
    assert wrong.status_code == 422
    assert Event.objects.get().visibility == "public"
