"""A season over two leagues: its table by hand, what follows what, who may, what is refused."""

import json
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from scoring.errors import Refused
from scoring.standings.tie_breaks import USUAL
from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import Cast, enter_the_cast
from tests.support.pages.text import beside, text_of
from tests.support.seasons import assign_event, autumn_season
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, event_scope, season_scope
from tournaments.models.standings import Publication
from tournaments.selectors.jobs.queue import list_claimable_scopes
from tournaments.services.events.entrants import add_entrant
from tournaments.services.events.seasons import SEASON_PRESETS, change_season
from tournaments.tasks import publish_event, publish_season
from tournaments.views.events.seasons import TABLES

SEASON = "/clubs/riverside/seasons/autumn"
FORM = {"name": "Autumn", "starts_on": "2025-09-01", "ends_on": "2025-12-31"}

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@dataclass(frozen=True, slots=True)
class Autumn:
    """Two leagues of the same four people, a hand each: 4, 1, 2, 19 and then 13, 13, 0, 0."""

    cast: Cast
    season: Season
    first: Game
    second: Game

    def publish(self) -> Publication | None:
        """Do what the workers would."""
        for event in Event.objects.order_by("pk"):
            publish_event(event.pk)
        publish_season(self.season.pk)
        return Publication.objects.filter(season=self.season).order_by("-number").first()

    def change(self, **more: Any) -> Season:
        wanted: dict[str, Any] = {**FORM, "preset": "places", **more}
        return change_season(by_tests(), self.season, **wanted)


@pytest.fixture
def autumn(db: None) -> Autumn:
    cast = enter_the_cast()
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    season = autumn_season(cast.riverside)
    promotion = {"boundaries": {"promotion": 1}}
    gold = league(cast.riverside, slug="gold", name="Gold")
    silver = league(cast.riverside, slug="silver", name="Silver", settings=promotion)
    for event in (gold, silver):
        assign_event(event, season)
    first = table(gold, people)
    second = table(silver, people, on=date(2025, 11, 13))
    hand(first, 1, [4, 1, 2, 6], queen=3)
    hand(second, 1, [0, 13, 0, 0], queen=0)
    return Autumn(cast, season, first, second)


def test_every_preset_of_a_season_has_its_words() -> None:
    assert [key for key, _ in TABLES] == ["", *SEASON_PRESETS]


def figures(publication: Publication | None, key: str) -> list[tuple[int, str, object]]:
    assert publication is not None
    rows = json.loads(bytes(publication.body))["rows"]
    return [(row["rank"], row["player_id"], row["values"][key]) for row in rows]


def test_points_for_places_of_two_events_add_up(autumn: Autumn) -> None:
    published = autumn.publish()
    assert figures(published, "placement_points") == [
        (1, "RL03", "7"),  # 3 and 4
        (2, "RL02", "13/2"),  # 5 and 1.5
        (3, "RL04", "5"),  # 1 and 4
        (4, "RL01", "7/2"),  # 2 and 1.5
    ]
    assert published is not None
    body = json.loads(bytes(published.body))
    assert body["season"] == {
        "slug": "autumn",
        "name": "Autumn",
        "starts_on": "2025-09-01",
        "ends_on": "2025-12-31",
        "events": ["gold", "silver"],
        "variants": ["hearts"],
        "uncounted_lines": [],
    }
    assert body["as_of"] == {"meeting": "2025-11-13", "round": None, "hands": 2}
    assert [body["rows"][0][key] for key in ("tables", "hands", "points")] == [2, 2, 2]


def test_season_made_with_a_lot_keeps_it_until_another_table_is_chosen(autumn: Autumn) -> None:
    settings = {**autumn.season.settings, "tie_breaks": [*USUAL, "lot"]}
    Season.objects.update(settings=settings)
    autumn.season.refresh_from_db()
    autumn.change(preset="places", name="Fall")
    assert Season.objects.get().settings == settings
    autumn.change(preset="wins")
    assert "lot" not in Season.objects.get().settings["tie_breaks"]


def test_points_a_hand_are_those_of_all_hands_of_both_events(autumn: Autumn) -> None:
    autumn.change(preset="sheets")
    assert figures(autumn.publish(), "raw_per_hand") == [
        (1, "RL03", "1"),
        (2, "RL02", "7"),
        (3, "RL01", "17/2"),
        (4, "RL04", "19/2"),
    ]


def test_event_that_is_withdrawn_takes_the_publications_that_count_it_along(autumn: Autumn) -> None:
    autumn.publish()
    at, api = f"{SEASON}/publications/1", f"/api/v1{SEASON}/publications/1"
    director, stranger = autumn.cast.client("dirk"), autumn.cast.client()
    files = [f"{api}.{form}" for form in ("csv", "xlsx", "pdf", "png")]
    assert [stranger.get(path).status_code for path in (at, *files)] == [200] * 5
    visibility = "/clubs/riverside/events/silver/visibility"
    director.post(visibility, {"visibility": "held"})
    for reader, status in ((stranger, 404), (autumn.cast.client("piet"), 404), (director, 200)):
        assert [reader.get(path).status_code for path in (at, api, *files)] == [status] * 6
    assert all("private" in director.get(path)["Cache-Control"] for path in (api, *files))
    assert "not_published" in stranger.get(f"/api/v1{SEASON}/standings").content.decode()
    assert stranger.get(f"{SEASON}/standings.csv").status_code == 404
    assert stranger.get(SEASON).status_code == 200
    without = autumn.publish()
    assert without is not None
    assert without.number == 2
    assert stranger.get(f"/api/v1{SEASON}/standings").json()["season"]["events"] == ["gold"]
    director.post(visibility, {"visibility": "public"})
    assert stranger.get(api).status_code == 200
    assert figures(autumn.publish(), "placement_points")[0] == (1, "RL03", "7")


def test_correction_in_one_event_publishes_the_season_again(autumn: Autumn) -> None:
    before = autumn.publish()
    assert before is not None
    hand(autumn.first, 1, [1, 4, 2, 6], queen=3, based_on=1, reason="North and East were swapped.")
    publish_event(autumn.first.event_id)
    assert [scope.prefix for scope in list_claimable_scopes(timezone.now())].count("season:") == 1
    after = autumn.publish()
    assert after is not None
    assert (before.number, after.number) == (1, 2)
    assert figures(after, "placement_points")[1:] == [
        (2, "RL01", "13/2"),
        (3, "RL04", "5"),
        (4, "RL02", "7/2"),
    ]
    first = Publication.objects.get(season=autumn.season, number=1)
    assert (bytes(first.body), first.digest) == (bytes(before.body), before.digest)


def test_same_table_makes_no_new_publication(autumn: Autumn) -> None:
    autumn.publish()
    autumn.change()
    again = autumn.publish()
    assert again is not None
    assert again.number == 1
    row = Dirty.objects.get(scope=season_scope(autumn.season.pk))
    assert row.done == row.version


def test_event_that_leaves_or_is_not_public_does_not_count(autumn: Autumn) -> None:
    autumn.publish()
    autumn.change(events=["silver"])
    left = figures(autumn.publish(), "placement_points")
    assert sorted((code, points) for _, code, points in left) == [
        ("RL01", "3/2"), ("RL02", "3/2"), ("RL03", "4"), ("RL04", "4"),
    ]  # fmt: skip
    Event.objects.filter(slug="silver").update(visibility="members")
    autumn.change(name="Autumn of members")
    assert figures(autumn.publish(), "placement_points") == []


def test_penalty_counts_where_the_event_ranks_by_the_same_value(autumn: Autumn) -> None:
    penalize(autumn.first.event, "RL03", "2", "Came late.")
    published = autumn.publish()
    assert figures(published, "placement_points")[0] == (1, "RL03", "7")
    assert published is not None
    told = json.loads(bytes(published.body))["season"]["uncounted_lines"]
    assert told == [{"event": "gold", "primary": "raw_per_hand", "lines": 1}]
    page = text_of(autumn.cast.client().get(SEASON))
    assert (
        "1 penalty, bonus or value from before of Gold does not count here, because that event is "
        "ranked by " in page
    )
    autumn.change(preset="sheets")
    assert figures(autumn.publish(), "raw_per_hand")[0] == (1, "RL03", "3")


def test_poisoned_season_is_parked_and_its_events_go_on(autumn: Autumn) -> None:
    autumn.publish()
    Season.objects.update(settings={"primary": "nothing-we-know"})
    hand(autumn.first, 2, [4, 1, 2, 6], queen=3)
    publish_event(autumn.first.event_id)
    scope = season_scope(autumn.season.pk)
    for _ in range(3):
        publish_season(autumn.season.pk)
        Dirty.objects.filter(scope=scope).update(due_at=timezone.now() - timedelta(seconds=1))
    row = Dirty.objects.get(scope=scope)
    assert (row.parked, row.attempts, row.error) == (True, 3, "KeyError: 'nothing-we-know'")
    gold = Dirty.objects.get(scope=event_scope(autumn.first.event_id))
    assert (gold.done, gold.parked) == (gold.version, False)
    assert Publication.objects.filter(season=autumn.season).count() == 1
    Season.objects.update(settings=autumn.season.settings)
    dirk = autumn.cast.client("dirk")
    assert "KeyError" in text_of(dirk.get(f"{SEASON}/change"))
    dirk.post(f"{SEASON}/change", {"try_again": "yes"})
    again = autumn.publish()
    assert again is not None
    assert again.number == 2


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ({"name": ""}, "no_name"),
        ({"starts_on": "1.9.2025"}, "bad_day"),
        ({"ends_on": "2025-08-31"}, "ends_before_it_starts"),
        ({"preset": "totals"}, "bad_setting"),
        ({"events": ["gold", "elsewhere"]}, "season_of_another_club"),
    ],
)
def test_season_that_cannot_be_is_refused_and_nothing_is_written(
    autumn: Autumn, typed: dict[str, object], code: str
) -> None:
    lines = AuditLine.objects.count()
    with pytest.raises(Refused) as refused:
        autumn.change(**typed)
    assert [problem.code for problem in refused.value.problems] == [code]
    season = Season.objects.get()
    assert (season.name, str(season.ends_on), season.settings) == (
        "Autumn", "2025-12-31", autumn.season.settings,
    )  # fmt: skip
    assert AuditLine.objects.count() == lines


def test_events_whose_totals_go_both_ways_share_no_table_of_points(autumn: Autumn) -> None:
    autumn.change(preset="sheets")
    other = league(autumn.cast.riverside, slug="high", variant="gong-zhu")
    with pytest.raises(Refused) as refused:
        assign_event(other, autumn.season)
    assert [problem.code for problem in refused.value.problems] == ["season_goes_both_ways"]


def test_director_makes_a_season_on_its_pages(autumn: Autumn) -> None:
    dirk = autumn.cast.client("dirk")
    refused = dirk.post("/clubs/riverside/new-season", {**FORM, "slug": "autumn"})
    assert beside(refused, "slug", 422) == "autumn is already taken."
    spring = {"name": "Spring", "starts_on": "2026-01-01", "ends_on": "2026-05-31"}
    response = dirk.post("/clubs/riverside/new-season", {**spring, "preset": "wins"}, follow=True)
    assert response.redirect_chain == [("/clubs/riverside/seasons/spring/change", 302)]
    typed = {**spring, "preset": "", "events": ["silver"]}
    dirk.post("/clubs/riverside/seasons/spring/change", typed)
    season = Season.objects.get(slug="spring")
    assert season.settings == {}
    assert list(season.events.values_list("slug", flat=True)) == ["silver"]
    line = AuditLine.objects.get(act="put_event", facts__was="autumn")
    assert (line.subject, line.facts) == ("event:silver", {"season": "spring", "was": "autumn"})


def test_page_shows_divisions_table_and_who_would_go_up_and_down(autumn: Autumn) -> None:
    published = autumn.publish()
    assert published is not None
    text = text_of(autumn.cast.client().get(SEASON))
    assert "Publication 1 of" in text
    assert "Gold" in text
    assert "Up to Gold: Ruth K. (1=)" in text
    assert "Down to Silver: Omar B. (4)" in text
    assert "A tie at the cut-off is not resolved yet." in text
    assert autumn.cast.client().get(f"{SEASON}/standings.csv").content == bytes(published.csv)
    assert f"{SEASON}" in autumn.cast.client().get("/clubs/riverside").content.decode()
    assert autumn.cast.client().get(f"{SEASON}/publications/1").status_code == 200
    assert autumn.cast.client().get(f"{SEASON}/publications/2").status_code == 404


def test_rest_serves_the_stored_bytes_and_304(autumn: Autumn) -> None:
    at = f"/api/v1{SEASON}"
    client = autumn.cast.client()
    assert client.get(f"{at}/standings").json()["errors"][0]["code"] == "not_published"
    published = autumn.publish()
    assert published is not None
    listed = client.get("/api/v1/clubs/riverside/seasons").json()["results"]
    assert [one["slug"] for one in listed] == ["autumn"]
    assert client.get(at).json() == {
        "slug": "autumn",
        "name": "Autumn",
        "starts_on": "2025-09-01",
        "ends_on": "2025-12-31",
        "table": "places",
        "events": ["gold", "silver"],
        "publication": 1,
    }
    answer = client.get(f"{at}/standings")
    assert answer.content == bytes(published.body)
    assert (answer["ETag"], answer["Cache-Control"]) == (published.etag, "no-cache")
    unchanged = client.get(f"{at}/standings", headers={"If-None-Match": published.etag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert client.get(f"{at}/publications/1").content == bytes(published.body)
    assert client.get(f"{at}/publications/1.csv").content == bytes(published.csv)


@pytest.mark.parametrize("who", ["", "nora"])
def test_season_of_a_private_club_and_of_another_one_is_missing(autumn: Autumn, who: str) -> None:
    autumn.publish()
    Club.objects.filter(slug="riverside").update(is_public=False)
    client = autumn.cast.client(who)
    for path in (SEASON, f"{SEASON}/standings.csv", f"{SEASON}/publications/1"):
        assert client.get(path).status_code == 404
        assert client.get(f"/api/v1{path}").status_code == 404
    assert client.get(SEASON.replace("riverside", "hilltop")).status_code == 404


# --- pairs ------------------------------------------------------------------------------------


@pytest.fixture
def nights(db: None) -> Cast:
    """Two nights with a pair-1 and a pair-2 each: of other people, and on the second night a
    third pair that is the first one of the first night."""
    cast = enter_the_cast()
    names = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal")
    people = players(cast.riverside, *names)
    season = autumn_season(cast.riverside)
    for number, tables in (
        (1, (people[:4],)),
        (2, (people[4:], [people[2], people[1], people[0], people[3]])),
    ):
        event = league(cast.riverside, slug=f"night-{number}", variant="partnership-hearts")
        for at, seated in enumerate(tables, 1):
            for pair in (seated[0::2], seated[1::2]):
                add_entrant(by_tests(), event, kind="pair", players=pair)
            hand(table(event, seated, table_number=at), 1, [4, 1, 2, 6], queen=3)
        assign_event(event, season)
    return cast


def published_season() -> Json:
    for event in Event.objects.order_by("pk"):
        publish_event(event.pk)
    publish_season(Season.objects.get().pk)
    newest = Publication.objects.filter(season__isnull=False).order_by("-number")[0]
    found: dict[str, Any] = json.loads(bytes(newest.body))
    return found


def test_pair_of_a_season_is_the_set_of_its_players(nights: Cast) -> None:
    codes = list(Entrant.objects.order_by("event", "code").values_list("event__slug", "code"))
    assert codes == [
        *(("night-1", f"pair-{n}") for n in (1, 2)),
        *(("night-2", f"pair-{n}") for n in (1, 2, 3, 4)),
    ]
    rows = {
        row["player_id"]: (row["player"], row["tables"], row["points"])
        for row in published_season()["rows"]
    }
    assert rows == {
        "pair-1": ("Ann & Cleo", 2, 12),
        "pair-2": ("Ben & Dan", 2, 40),
        "RL05+RL07": ("Eve & Gus", 1, 6),
        "RL06+RL08": ("Fay & Hal", 1, 20),
    }
    page = text_of(nights.client().get(SEASON))
    assert all(name in page for name in ("4 pairs, ", "Ann & Cleo", "Eve & Gus", "Fay & Hal"))
    csv = nights.client().get(f"{SEASON}/standings.csv").content.decode()
    assert [line.split(",")[1] for line in csv.split("\r\n")[1:5]] == [
        row["player_id"] for row in published_season()["rows"]
    ]


def test_pairs_of_a_season_keep_their_codes_when_another_night_is_played(nights: Cast) -> None:
    before = {row["player"]: row["player_id"] for row in published_season()["rows"]}
    people = list(nights.riverside.players.order_by("player_id"))
    event = league(nights.riverside, slug="night-3", variant="partnership-hearts")
    seated = [people[0], people[5], people[1], people[4]]
    for pair in (seated[0::2], seated[1::2]):
        add_entrant(by_tests(), event, kind="pair", players=pair)
    hand(table(event, seated), 1, [4, 1, 2, 6], queen=3)
    assign_event(event, Season.objects.get())
    after = {row["player"]: row["player_id"] for row in published_season()["rows"]}
    assert {name: after[name] for name in before} == before
    assert {after[name] for name in after if name not in before} == {"RL01+RL02", "RL05+RL06"}
