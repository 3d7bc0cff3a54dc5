"""The page of a player over all events of a club, and the same over REST: who reads what of it."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from tests.support.builders import by_tests, hand, league, table
from tests.support.cast import NOW
from tests.support.history import make_all
from tests.support.pages.queries import count_queries
from tests.support.scenarios.evenings import Evenings
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.selectors.standings.player_results import PlayerResult, records_over
from tournaments.services.events.change_event import archive_event
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.publishing.publications import publish
from tournaments.views.clubs import players

PAGE = "/clubs/riverside/players/RL01"
REST = f"/api/v1{PAGE}"


def another(evenings: Evenings, slug: str, *, visibility: str = "public") -> Event:
    """A published event of one table at which Elsa (RL01) is last, with 38 points in two hands."""
    event = league(evenings.cast.riverside, slug=slug, name=f"Cup {slug}", visibility=visibility)
    people = list(Player.objects.filter(club=evenings.cast.riverside).order_by("player_id")[:4])
    game = table(event, people)
    hand(game, 1, [6, 4, 2, 1], queen=0)
    hand(game, 2, [6, 4, 2, 1], queen=0)
    publish(event.pk, now=NOW + timedelta(days=1))
    make_all(event.pk)
    return event


def shown(client: Client, path: str = PAGE) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", client.get(path).content.decode()))


def test_page_lists_place_score_and_date_of_each_event(evenings: Evenings) -> None:
    another(evenings, "june")
    page = shown(evenings.client())
    assert re.search(r"Cup june 6 Nov 2025 4 of 4 Average a hand: 19\.0+ 1 0", page)
    assert re.search(
        r"by event, oldest first Event Date Place Cup june 6 Nov 2025 .* 13 Nov 2025", page
    )
    results = evenings.client().get(f"{REST}/results").json()["results"]
    assert [result["event"] for result in results] == ["june", "league"]
    june = results[0]
    assert (june["place"], june["rank"], june["of"], june["on"]) == ("4", 4, 4, "2025-11-06")
    assert (june["score_key"], float(june["score"])) == ("average_per_hand", 19)
    standings = evenings.client().get("/api/v1/clubs/riverside/events/league/standings").json()
    row = next(one for one in standings["rows"] if one["player_id"] == "RL01")
    assert results[1]["rank"] == row["rank"]
    assert results[1]["publication"] == standings["publication"]["number"]


def test_records_and_opponents_are_those_of_all_events(evenings: Evenings) -> None:
    public = evenings.client()
    before = public.get(f"{REST}/records").json()
    met = {
        result["player_id"]: result for result in public.get(f"{REST}/opponents").json()["results"]
    }
    another(evenings, "june")
    after = public.get(f"{REST}/records").json()
    assert (after["events"], after["games"]) == (before["events"] + 1, before["games"] + 1)
    assert after["hands"] == before["hands"] + 2
    highest = next(record for record in after["records"] if record["key"] == "highest_game")
    assert (highest["value"], highest["event"], highest["tables"]) == ("38", "june", ["r1t1"])
    now = {
        result["player_id"]: result for result in public.get(f"{REST}/opponents").json()["results"]
    }
    for code in ("RL02", "RL03", "RL04"):
        assert now[code]["games"] == met[code]["games"] + 1
        assert now[code]["behind"] == met[code]["behind"] + 1
        assert now[code]["events"] == 2
    assert "38 Cup june, Round 1, table 1" in re.sub(r"\s+", " ", shown(public))


def test_event_with_totals_only_takes_no_moons_from_the_others(evenings: Evenings) -> None:
    moons = evenings.client().get(f"{REST}/records").json()["moons"]
    event = league(evenings.cast.riverside, slug="paper", name="Paper cup")
    people = list(Player.objects.filter(club=evenings.cast.riverside).order_by("player_id")[:4])
    record_totals(
        by_tests(), table(event, people), entry={"points": [60, 84, 6, 58]}, hands=8,
        source="host",
    )  # fmt: skip
    publish(event.pk, now=NOW + timedelta(days=1))
    make_all(event.pk)
    after = evenings.client().get(f"{REST}/records").json()
    assert after["moons"] == moons is not None
    match = re.search(r"Moons \S+ in (\d+) hands", shown(evenings.client()))
    assert match is not None
    assert int(match[1]) == after["hands"] - 8


def test_best_place_is_one_of_its_own_before_a_shared_one() -> None:
    def result(event: str, rank: int, place: str, of: int) -> PlayerResult:
        return PlayerResult(1, event, event, NOW, False, "RL01", "player", None, rank, place, of)

    results = [
        result("cup", 1, "1=", 12), result("small", 1, "1", 8), result("big", 1, "1", 40),
        result("bad", 3, "3", 90),
    ]  # fmt: skip
    _, (best,) = records_over(results, {})
    assert (best.key, best.value, best.event, best.of, best.times) == (
        "best_place",
        "1",
        "big",
        40,
        3,
    )


@pytest.mark.parametrize(
    ("visibility", "readers"), [("members", {"piet", "dirk"}), ("held", {"dirk"})]
)
def test_event_shows_nothing_of_itself_to_whoever_may_not_read_it(
    evenings: Evenings, visibility: str, readers: set[str]
) -> None:
    another(evenings, "secret", visibility=visibility)
    for name in ("", "nora", "piet", "dirk"):
        client = evenings.client(name)
        may = name in readers
        for path in (PAGE, f"{REST}/results", f"{REST}/results.csv", f"{REST}/records"):
            assert ("secret" in client.get(path).content.decode()) is may, (name, path)
        met = client.get(f"{REST}/opponents").json()["results"]
        assert max(one["events"] for one in met) == (2 if may else 1)
        chart = client.get("/clubs/riverside/charts/places/RL01").content.decode()
        assert chart.count("Place in each event: ") == 1
        assert (re.search(r"Place in each event: \d+=?, \d", chart) is not None) is may


def test_event_in_the_archive_is_not_on_the_page(evenings: Evenings) -> None:
    archive_event(by_tests(), another(evenings, "old"), reason="Over.")
    for path in (PAGE, f"{REST}/results", f"{REST}/records"):
        assert "Cup old" not in evenings.client("dirk").get(path).content.decode()


def test_names_of_opponents_are_those_that_the_reader_gets(evenings: Evenings) -> None:
    Player.objects.filter(player_id="RL02").update(public_name="Z.")
    for path in (PAGE, f"{REST}/opponents"):
        assert "Zoë" not in evenings.client().get(path).content.decode()
        assert "Zoë K." in evenings.client("piet").get(path).content.decode()


def test_merged_opponent_counts_as_who_has_the_records(evenings: Evenings) -> None:
    player = Player.objects.get(player_id="RL03")
    Player.objects.filter(player_id="RL02").update(merged_into=player)
    found = evenings.client().get(f"{REST}/opponents").json()["results"]
    codes = [one["player_id"] for one in found]
    assert "RL02" not in codes
    assert codes.count("RL03") == 1
    assert next(one["games"] for one in found if one["player_id"] == "RL03") >= 2


def test_older_events_on_next_pages(evenings: Evenings, monkeypatch: pytest.MonkeyPatch) -> None:
    for slug in ("a", "b"):
        another(evenings, slug)
    monkeypatch.setattr(players, "PAGE", 2)
    first = evenings.client().get(PAGE).content.decode()
    older = re.search(r'href="([^"]+\?before=[^"#]+)', first)
    assert older is not None
    assert "Autumn league" not in first.partition('id="results"')[2].partition("</section>")[0]
    second = evenings.client().get(older[1]).content.decode()
    listed = second.partition('id="results"')[2].partition("</section>")[0]
    assert "Autumn league" in listed
    assert "Cup b" not in listed
    assert "Newest events" in listed
    assert "Cup b" in evenings.client().get(f"{PAGE}?before=never").content.decode()


def test_queries_do_not_grow_with_events(evenings: Evenings) -> None:
    another(evenings, "first")

    few = count_queries(evenings.client(), PAGE)
    for number in range(4):
        another(evenings, f"cup-{number}")
    assert count_queries(evenings.client(), PAGE) == few


def test_reader_finds_link_calendar_and_data_on_the_page(evenings: Evenings) -> None:
    answer = evenings.client().get(PAGE)
    text = answer.content.decode()
    assert 'popovertarget="share"' in text
    assert 'value="http://testserver/clubs/riverside/players/RL01"' in text
    assert "webcal://testserver/clubs/riverside/calendar.ics" in text
    assert f'href="http://testserver{REST}/results.csv"' in text
    assert "no-cache" in answer["Cache-Control"]
    assert evenings.client().get(PAGE, headers={"If-None-Match": answer["ETag"]}).status_code == 304
