"""Evenings on which tables play several games: made on pages, shown on pages and by REST."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import imported
from tests.support.pages.queries import count_queries
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.planned_evenings import planned_evening
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, Seat
from tournaments.services.events.events import create_event, move_event
from tournaments.services.publishing import publications

EVENT = "/clubs/riverside/events/league"
ROUND = f"{EVENT}/rounds/1"
WITH_JACK = [["JD"], [], [], ["QS"]]
"""What the four of an Omnibus table took beside their hearts."""
NAMES = ("Ada", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hal", "Ida", "Jo")


@pytest.fixture
def mixing(cast: Cast) -> Event:
    players(cast.riverside, *NAMES)
    return league(cast.riverside)


def event_by(cast: Cast, primary: str) -> Event:
    players(cast.riverside, *NAMES)
    event = create_event(
        by_tests(), cast.riverside, slug="league", name="League", variant="hearts",
        settings={"length": "open", "primary": primary},
    )  # fmt: skip
    return move_event(by_tests(), event, to="open")


def seats(*typed: str, **more: str) -> dict[str, str]:
    return {f"seat-{n}": text for n, text in enumerate(typed, start=1)} | more


def games() -> list[tuple[str, str, Json]]:
    found = Game.objects.order_by("table__code").select_related("table", "snapshot")
    return [(one.table.code, one.snapshot.variant, one.snapshot.options) for one in found]


def test_new_round_plays_a_game_of_its_own_and_its_tables_follow(cast: Cast, mixing: Event) -> None:
    dirk = cast.client("dirk")
    page = dirk.get(f"{EVENT}/new-round").content.decode()
    choices = page.partition('<select name="variant"')[2].partition("</select>")[0]
    assert '<option value="" selected>Hearts (American)</option>' in choices
    assert '<option value="omnibus-hearts">Omnibus Hearts</option>' in choices
    dirk.post(f"{EVENT}/new-round", {"number": "1", "variant": "omnibus"})
    assert "Game Omnibus Hearts" in text_of(dirk.get(f"{ROUND}/direct"))
    dirk.post(f"{ROUND}/new-table", seats("Ada", "Ben", "Cem", "Dora"))
    dirk.post(f"{ROUND}/new-table", seats("Emil", "Fay", "Gus", variant="Spot Hearts"))
    assert games() == [("r1t1", "omnibus-hearts", {}), ("r1t2", "spot-hearts", {})]
    assert AuditLine.objects.get(act="make_round").facts == {
        "round": 1,
        "variant": "omnibus-hearts",
    }


def test_game_of_a_round_is_changed_for_all_tables(cast: Cast) -> None:
    evening = planned_evening(cast, [([(1, 2, 3, 4), (5, 6, 7, 8)], [])])
    evening.here(*range(1, 9))
    dirk, seating = cast.client("dirk"), f"{EVENT}/meetings/{evening.meeting.date}/seating"
    dirk.post(seating, {"plan_round": "1"})
    address = f"{ROUND}/direct"
    asked = dirk.get(address).content.decode()
    choices = asked.partition('<select name="variant"')[2].partition("</select>")[0]
    assert '<option value="" selected>Hearts (American)</option>' in choices
    dirk.post(address, {"variant": "omnibus-hearts"})
    assert games() == [("r1t1", "omnibus-hearts", {}), ("r1t2", "omnibus-hearts", {})]
    asked = dirk.get(address).content.decode()
    assert '<option value="omnibus-hearts" selected>Omnibus Hearts</option>' in asked
    saved = dirk.post(address, {"variant": "spot-hearts"}, follow=True)
    assert "Game of the round changed." in text_of(saved)
    assert "Game Spot Hearts" in text_of(saved)
    assert games() == [("r1t1", "spot-hearts", {}), ("r1t2", "spot-hearts", {})]
    dirk.post(address, {"variant": ""})
    assert "Hearts (American) 0 Seated" not in text_of(dirk.get(address))
    ada = seats(*(player.player_id for player in evening.people[:4]), variant="omnibus-hearts")
    dirk.post(f"{EVENT}/tables/r1t1/seating", ada)
    assert "Omnibus Hearts 0 Seated" in text_of(dirk.get(address)), "it differs from its round"
    dirk.post(address, {"variant": ""})
    dirk.post(address, {"to": "posted"})
    hand(Game.objects.earliest("pk"), 1, [4, 1, 2, 6], queen=3)
    refused = dirk.post(address, {"variant": "omnibus-hearts"})
    assert "so its seats and rules cannot change." in summary(refused)
    assert "Change game" not in text_of(refused)


def test_options_of_a_tables_game_are_shown_before_seating(dirk: Client, mixing: Event) -> None:
    dirk.post(f"{EVENT}/new-round", {"number": "1"})
    typed = seats("Ada", "Ben", "Cem", "Dora", "Emil", variant="omnibus")
    looked = dirk.post(f"{ROUND}/new-table", typed | {"look": "yes"})
    assert looked.status_code == 200
    assert 'name="options-target"' in looked.content.decode()
    assert 'value="Emil"' in looked.content.decode()
    assert Game.objects.count() == 0
    dirk.post(f"{ROUND}/new-table", typed | {"options-target": "61"})
    assert games() == [("r1t1", "omnibus-hearts", {"target": 61})]


@pytest.mark.parametrize("address", [f"{EVENT}/new-round", f"{ROUND}/new-table"])
def test_game_of_no_name_is_refused_beside_its_field_and_nothing_is_made(
    dirk: Client, mixing: Event, address: str
) -> None:
    dirk.post(f"{EVENT}/new-round", {"number": "1"})
    typed = seats("Ada", "Ben", "Cem", "Dora", variant="omnibuss harts", number="2")
    for look in ({}, {"look": "yes"}):
        refused = dirk.post(address, typed | look)
        assert "omnibuss harts" in beside(refused, "variant", 422)
        assert '<option value="omnibuss harts" selected>' in refused.content.decode()
    assert (Round.objects.count(), Game.objects.count()) == (1, 0)


def test_game_of_a_table_changes_until_its_first_hand_only(dirk: Client, mixing: Event) -> None:
    game = table(mixing, [*mixing.club.players.order_by("player_id")[:4]])
    address = f"{EVENT}/tables/r1t1/seating"
    assert "Game: Hearts (American). Choose another?" in text_of(dirk.get(address))
    four = seats("RL01", "RL02", "RL03", "RL04")
    dirk.post(address, four | {"variant": "omnibus"})
    assert games() == [("r1t1", "omnibus-hearts", {})]
    dirk.post(address, seats("RL04", "RL03", "RL02", "RL01"))
    assert games() == [("r1t1", "omnibus-hearts", {})], "left empty, it stays"
    refused = dirk.post(address, seats("RL01", "RL02", variant="hearts"))
    assert "There are 2 seats. These rules are played by 3 to 6." in summary(refused)
    assert games() == [("r1t1", "omnibus-hearts", {})]
    game.refresh_from_db()
    hand(game, 1, [4, 1, 2, 6], queen=3, taken=WITH_JACK)
    late = dirk.post(address, four | {"variant": "hearts"})
    assert "so its seats and rules cannot change." in summary(late)
    assert games() == [("r1t1", "omnibus-hearts", {})]


@pytest.mark.parametrize("primary", ["raw_per_hand", "raw_total"])
def test_raw_points_of_one_game_take_no_table_of_another(cast: Cast, primary: str) -> None:
    event = event_by(cast, primary)
    table(event, [*event.club.players.order_by("player_id")[:4]])
    dirk = cast.client("dirk")
    says = (
        "This event ranks by raw points and its tables play Hearts (American). Points of "
        "{found} cannot be compared with them. Play Hearts (American) here, or choose an event "
        "that allows different games or ranks by tables won or opponents beaten."
    )
    refused = dirk.post(f"{ROUND}/new-table", seats(*NAMES[4:8], variant="omnibus"))
    assert (refused.status_code, beside(refused, "variant")) == (
        422,
        says.format(found="Omnibus Hearts"),
    )
    refused = dirk.post(f"{EVENT}/new-round", {"number": "2", "variant": "omnibus"})
    assert beside(refused, "variant") == says.format(found="Omnibus Hearts")
    with_options = seats(*NAMES[4:8], **{"variant": "hearts", "options-target": "61"})
    refused = dirk.post(f"{ROUND}/new-table", with_options)
    found = "Hearts (American) with “Points limit: 61”"
    assert beside(refused, "variant") == says.format(found=found)
    refused = dirk.post(f"{EVENT}/tables/r1t1/seating", seats(*NAMES[:5]))
    assert "Seat 5" not in summary(refused), "the only table may still grow"
    assert games() == [("r1t1", "hearts", {})]
    assert Seat.objects.count() == 5


def test_raw_points_take_no_table_of_another_size(cast: Cast) -> None:
    event = event_by(cast, "raw_per_hand")
    table(event, [*event.club.players.order_by("player_id")[:4]])
    refused = cast.client("dirk").post(f"{ROUND}/new-table", seats(*NAMES[4:9]))
    assert summary(refused, 422).startswith(
        "Not saved yet This event ranks by raw points and its tables have 4 seats. Points of a "
        "table of 5 cannot be compared with them. Seat 4 players, or choose an event"
    )
    assert Game.objects.count() == 1


def test_first_table_of_raw_points_plays_the_events_own_game(cast: Cast, dirk: Client) -> None:
    event_by(cast, "raw_total")
    dirk.post(f"{EVENT}/new-round", {"number": "1"})
    assert "its tables play Hearts (American). Points of Omnibus Hearts" in beside(
        dirk.post(f"{ROUND}/new-table", seats(*NAMES[:4], variant="omnibus")), "variant"
    )
    assert Game.objects.count() == 0


def omnibus_rows(table_number: int, people: int) -> str:
    """A hand of Omnibus at a table whose people have ids from `people` on."""
    heads = [f"RL{people + n:02d},{NAMES[people + n - 1]}" for n in range(4)]
    counts = ("4,0,1", "1,0,0", "2,0,0", "6,1,0")
    return "".join(
        f"2025-11-13,2,{table_number},omnibus-hearts,1,{seat},{who},{cards},,\n"
        for seat, who, cards in zip("NESW", heads, counts, strict=True)
    )


HEAD = (
    "date,round,table,variant,hand,seat,player_id,player,"
    "hearts,queen_spades,jack_diamonds,moon,points\n"
)


def test_sheet_of_another_game_waits_if_raw_points_do_not_mix(cast: Cast, tmp_path: Path) -> None:
    event = event_by(cast, "raw_per_hand")
    table(event, [*event.club.players.order_by("player_id")[:4]])
    file = tmp_path / "thursday.csv"
    file.write_text(HEAD + omnibus_rows(1, 1), encoding="utf-8")
    for dry_run in (True, False):
        report: Any = imported(file, dry_run=dry_run).as_json()
        assert (report["accepted"], len(report["problems"])) == (0, 1)
        said = report["problems"][0]
        assert (said["code"], said["class"]) == ("games_not_mixed", "ask")
        assert (said["found"], said["expected"]) == ("Omnibus Hearts", "Hearts (American)")
        assert said["message"].startswith("Table 1: this event ranks by raw points")
    assert games() == [("r1t1", "hearts", {})]


def test_sheets_of_one_file_are_held_to_the_first_of_them(cast: Cast, tmp_path: Path) -> None:
    event_by(cast, "raw_per_hand")
    five = "".join(
        f"2025-11-13,2,3,hearts,1,{seat},RL{seat:02d},{NAMES[seat - 1]},{cards},,\n"
        for seat, cards in zip(range(1, 6), ("4,0,", "1,0,", "2,0,", "6,1,", "0,0,"), strict=True)
    )
    four = "".join(
        f"2025-11-13,2,4,hearts,1,{seat},RL{n:02d},{NAMES[n - 1]},{cards},,\n"
        for n, seat, cards in zip(range(6, 10), "NESW", ("4,0,", "1,0,", "2,0,", "6,1,"),
                                  strict=True)
    )  # fmt: skip
    file = tmp_path / "sizes.csv"
    file.write_text(HEAD + five + four, encoding="utf-8")
    report: Any = imported(file).as_json()
    assert report["accepted"] == 1
    assert [problem["code"] for problem in report["problems"]] == ["sizes_not_mixed"]
    assert games() == [("r2t3", "hearts", {})]


def two_games(cast: Cast, event: Event) -> None:
    """Table 1 plays the event's Hearts, table 2 Omnibus; a hand of each is in and published."""
    people = [*event.club.players.order_by("player_id")]
    first = table(event, people[:4])
    second = table(event, people[4:8], table_number=2, variant="omnibus")
    hand(first, 1, [4, 1, 2, 6], queen=3)
    hand(second, 1, [4, 1, 2, 6], queen=3, taken=WITH_JACK)
    publications.publish(event.pk, now=NOW)


def test_evening_of_two_games_says_so_wherever_it_is_shown(cast: Cast, mixing: Event) -> None:
    two_games(cast, mixing)
    public, dirk, hanna = cast.client(), cast.client("dirk"), cast.client("hanna")
    says = "Several games: Hearts (American), Omnibus Hearts."
    assert says in text_of(public.get(EVENT))
    assert says in text_of(public.get(f"{EVENT}/publications/1"))
    text = text_of(public.get(ROUND))
    assert "Several games: Hearts (American), Omnibus Hearts." in text
    assert "Table 2 Omnibus Hearts, 1 hand" in text
    assert "Round 1 Hearts (American), Omnibus Hearts" in text_of(public.get(f"{EVENT}/meetings"))
    assert "Omnibus Hearts, 1 hand." in text_of(public.get(f"{EVENT}/tables/r1t2"))
    assert "Omnibus Hearts" in text_of(hanna.get(f"{EVENT}/tables/r1t2/hands/new"))
    assert "Hearts (American)" in text_of(hanna.get(f"{EVENT}/tables/r1t1/hands/new"))
    directed = text_of(dirk.get(f"{ROUND}/direct"))
    assert "Dora Hearts (American) 1" in directed
    assert "Hal Omnibus Hearts 1" in directed


def test_game_no_table_played_is_not_among_the_standings(cast: Cast, mixing: Event) -> None:
    people = [*mixing.club.players.order_by("player_id")]
    hand(table(mixing, people[:4], variant="omnibus"), 1, [4, 1, 2, 6], queen=3, taken=WITH_JACK)
    publications.publish(mixing.pk, now=NOW)
    assert Snapshot.objects.count() == 2
    text = text_of(cast.client().get(EVENT))
    assert "1 hand." in text
    assert "several games" not in text


def test_evenings_cost_as_many_queries_for_many_games_as_one(cast: Cast, mixing: Event) -> None:
    two_games(cast, mixing)
    few = count_queries(cast.client(), f"{EVENT}/meetings")
    people = [*mixing.club.players.order_by("player_id")]
    for number, variant in enumerate(("spot-hearts", "omnibus", "hearts"), start=2):
        table(mixing, people[:4], round_number=number, variant=variant)
    assert count_queries(cast.client(), f"{EVENT}/meetings") == few
