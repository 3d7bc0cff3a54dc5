"""The change log says from what to what, and tells an evening by names."""

import re
from datetime import date
from typing import Any

import pytest
from django.test import Client

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.seating import press
from tests.support.pages.text import text_of
from tournaments.domain.event_settings import settings_of, tag_of
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.models.standings import Change
from tournaments.selectors.events import change_log
from tournaments.selectors.hands.disputes import get_dispute
from tournaments.services.events.change_event import change_settings
from tournaments.services.hands.disputes import open_dispute, rule_on_dispute
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.operations import Operation
from tournaments.services.people.merge_players import merge_players
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import plan_meeting
from tournaments.services.seating_plans.compute_plan import choose_plan

EVENT = "/clubs/riverside/events/league"
ROUND = f"{EVENT}/rounds/1/direct"


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publish(event.pk, now=NOW)
    return event


def test_changes_have_from_and_to_on_the_page_and_over_rest(cast: Cast, event: Event) -> None:
    dirk = cast.client("dirk")
    game = Game.objects.get(event=event)
    hand(game, 1, [5, 0, 2, 6], queen=3, based_on=1, reason="Misread.")
    dirk.post(f"{EVENT}/tables/r1t1/hands/1/void", {"based_on": "2", "reason": "Misdeal."})
    Game.objects.filter(pk=game.pk).update(state="complete")
    event.rounds.update(state="closed")
    dirk.post(ROUND, {"to": "playing", "reason": "A hand is missing."})
    page = text_of(Client().get(f"{EVENT}/changes"))
    assert "Round reopened: round 1" in page
    assert "closed → then in progress" in page
    assert "counts → then deleted" in page
    assert "→ then 5 hearts" in page
    assert "E 1 heart 1 → then" in page
    assert " S 2" not in page
    lines = Client().get(f"/api/v1{EVENT}/changes").json()["results"]
    told = {line["kind"]: (line["before"], line["after"]) for line in lines}
    assert told["reopen_round"] == ("closed", "playing")
    entry = {"hearts": [5, 0, 2, 6], "taken": [[], [], [], ["QS"]]}
    assert told["void_hand"] == (entry, "void")
    assert told["correct_hand"] == ({**entry, "hearts": [4, 1, 2, 6]}, entry)


def test_correction_of_a_side_that_pools_is_one_change(cast: Cast) -> None:
    event = league(cast.riverside, variant="partnership-hearts-pooled")
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    game = table(event, people, variant="partnership-hearts-pooled")
    hand(game, 1, [4, 9, 0, 0], queen=1)
    hand(game, 1, [0, 9, 4, 0], queen=2, based_on=1, reason="Misread.")
    for points, based_on in (([5, 21], None), ([6, 20], 1)):
        entry = {"points": points}
        record_entry(
            by_tests(), game, number=2, entry=entry, source="host", based_on=based_on,
            reason="Misread.",
        )  # fmt: skip
    page = text_of(Client().get(f"{EVENT}/changes"))
    assert "N–S points only: 5 → then points only: 6 · E–W points only: 21 →" in page
    assert "N–S 4 hearts 4 → then 4 hearts 4 spades Q Q · E–W 9 hearts 9 spades Q Q →" in page


def test_changed_settings_are_told_in_words(event: Event) -> None:
    values = {"tie_breaks": ["wins", "h2h"], "boundaries": {"cut": 4}, "min_games": 2}
    Event.objects.filter(pk=event.pk).update(settings={**event.settings, "tie_breaks": []})
    event.refresh_from_db()
    before = tag_of(settings_of(event))
    change_settings(by_tests(), event, values=values, reason="Agreed.", based_on=before)
    page = text_of(Client().get(f"{EVENT}/changes"))
    assert "Tie-breaks: none → then Tables won, Head to head" in page
    assert "Boundaries: none → then cut 4" in page
    assert "Games needed for a place: 0 → then 2" in page


def test_superseded_publication_says_when_and_by_which_change(event: Event) -> None:
    hand(Game.objects.get(event=event), 1, [5, 0, 2, 6], queen=3, based_on=1, reason="Misread.")
    publish(event.pk, now=NOW)
    text = text_of(Client().get(f"{EVENT}/publications/1"))
    assert "Superseded on 6 Nov 2025, 21:00 by publication 2 ( what changed )." in text
    assert "Hand corrected table 1 of round 1, hand 1, revision 2" in text
    assert "Superseded on" not in text_of(Client().get(f"{EVENT}/publications/2"))


def test_change_that_leaves_the_standings_is_not_said_to_wait(cast: Cast, event: Event) -> None:
    dirk, game = cast.actor("dirk"), Game.objects.get(event=event)
    open_dispute(Operation(dirk, NOW), game, number=1, words="I had 4.")
    rule_on_dispute(Operation(dirk, NOW), get_dispute(event, 1), to="rejected", ruling="No.")
    assert "Not published yet." in text_of(Client().get(f"{EVENT}/changes"))
    publish(event.pk, now=NOW)
    page = text_of(Client().get(f"{EVENT}/changes"))
    assert "The standings did not change." in page
    assert "Not published yet." not in page


DAY = "2025-11-06"
IN_WORDS = "Thursday 6 November 2025"
NIGHT = f"{EVENT}/meetings/{DAY}"
MOST_QUERIES = 10


@pytest.fixture
def dirk(cast: Cast) -> Client:
    event = league(cast.riverside)
    players(cast.riverside, "Ada A.", "Bo B.", "Cy C.", "Di D.", "Ed E.")
    plan_meeting(by_tests(), event, day=date.fromisoformat(DAY))
    return cast.client("dirk")


def log(reader: Client) -> str:
    return text_of(reader.get(f"{EVENT}/changes"))


def check_in(reader: Client, *people: str) -> None:
    for code in people:
        reader.post(f"{NIGHT}/attendance", {"here": code})


def test_members_read_who_came_was_late_and_left_by_name(cast: Cast, dirk: Client) -> None:
    check_in(dirk, "RL01")
    dirk.post(
        f"{NIGHT}/attendance", {"times": "RL02", "from_round": "2", "leaves_after_round": "3"}
    )
    dirk.post(f"{NIGHT}/attendance", {"times": "RL02", "from_round": "2"})
    dirk.post(f"{NIGHT}/attendance", {"left": "RL01"})
    dirk.post(f"{NIGHT}/attendance", {"name": "Tom T."})
    page = log(cast.client("hanna"))
    for line in (
        f"Attendance of Ada A. on {IN_WORDS}",
        "not asked → then here",
        "here → then left",
        f"Attendance of Bo B. on {IN_WORDS}",
        "not asked → then late · plays from round 2 · leaves after round 3",
        "stays until the end",
        f"Attendance of Tom T. (guest) on {IN_WORDS}",
    ):
        assert line in page, line
    assert "RL0" not in page
    assert "Not published yet" not in page
    assert "Attendance of" not in log(Client())


def test_check_ins_of_an_evening_are_one_line_and_corrections_have_their_own(
    hanna: Client, dirk: Client, django_assert_max_num_queries: Any
) -> None:
    dirk.post(f"{NIGHT}/attendance", {"expected": "RL01"})
    dirk.post(f"{NIGHT}/attendance", {"absent": "RL05"})
    check_in(dirk, "RL01", "RL02", "RL03", "RL04")
    dirk.post(f"{NIGHT}/attendance", {"undo": "RL04"})
    with django_assert_max_num_queries(MOST_QUERIES):
        page = log(hanna)
    folded = f"Attendance on {IN_WORDS}: 3 checked in, 2 answers from others"
    assert page.count("Attendance on") == 1
    assert folded in page
    assert "Ada A.: expected" in page
    assert "Ada A.: here" in page
    assert page.count("Attendance of") == 1
    assert f"Attendance of Di D. on {IN_WORDS}" in page
    assert "here → then expected" in page
    check_in(dirk, "RL04", "RL05")
    with django_assert_max_num_queries(MOST_QUERIES):
        page = log(hanna)
    assert f"Attendance on {IN_WORDS}: 5 checked in" in page
    assert page.index("5 checked in") < page.index("Attendance of Di D.")  # where the last one is
    rows = hanna.get(f"/api/v1{EVENT}/changes").json()["results"]
    assert [row["kind"] for row in rows] == ["attendance"] * 9
    assert "checked in" not in log(Client())


def test_check_ins_of_a_page_count_beyond_it(dirk: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_log, "PAGE", 1)
    check_in(dirk, "RL01", "RL02", "RL03")
    dirk.post(f"{NIGHT}/attendance", {"left": "RL01"})
    first = dirk.get(f"{EVENT}/changes")
    assert "here → then left" in text_of(first)
    older = re.search(r"\?before=\d+", first.content.decode())
    assert older
    second = dirk.get(f"{EVENT}/changes{older[0]}")
    assert f"Attendance on {IN_WORDS}: 3 checked in" in text_of(second)
    assert "?before" not in second.content.decode()


def test_plan_and_round_are_told(cast: Cast, dirk: Client) -> None:
    event = league(cast.riverside, slug="planned")
    meeting = plan_meeting(by_tests(), event, day=date(2025, 11, 7))
    plan = SeatingPlan.objects.create(
        club=event.club, event=event, meeting=meeting, state="draft", seed=1, round_count=1,
        inputs={}, rounds=[], is_ready=True, created_at=NOW,
    )  # fmt: skip
    choose_plan(cast.operation("dirk"), plan)
    at = f"/clubs/riverside/events/{event.slug}"
    page = text_of(dirk.get(f"{at}/changes"))
    assert "Seating plan chosen: Friday 7 November 2025" in page
    assert "Not published yet" not in page
    seat(dirk, "RL01", "RL02", "RL03", "RL04")
    for to in ("posted", "draft", "posted"):
        dirk.post(f"{EVENT}/rounds/1/direct", {"to": to})
    hand(Game.objects.get(), 1, [4, 1, 2, 6], queen=3)
    Game.objects.update(state="complete")
    dirk.post(f"{EVENT}/rounds/1/direct", {"to": "closed"})
    page = log(Client())
    for line in ("posted", "unposted", "closed"):
        assert f"Round {line}: round 1" in page
    assert page.count("Round posted: round 1") == 2
    assert page.index("Round closed") < page.index("Round posted")
    rows = Client().get(f"/api/v1{EVENT}/changes").json()["results"]
    assert [(row["kind"], row["before"], row["after"]) for row in rows] == [
        ("close_round", "playing", "closed"),
        ("post_round", "draft", "posted"),
        ("unpost_round", "posted", "draft"),
        ("post_round", "draft", "posted"),
    ]


def test_end_of_an_evening_says_how_it_ended_and_which_round_continued_it(
    cast: Cast, dirk: Client
) -> None:
    seat(dirk, "RL01", "RL02", "RL03", "RL04")
    dirk.post(f"{EVENT}/rounds/1/direct", {"to": "posted"})
    hand(Game.objects.get(), 1, [4, 1, 2, 6], queen=3)
    Game.objects.update(state="complete")
    dirk.post(f"{NIGHT}/end")
    page = log(Client())
    assert f"Evening of {IN_WORDS} closed" in page
    dirk.post(f"{EVENT}/rounds/1/direct", {"to": "playing", "reason": "A hand is missing."})
    assert f"Evening of {IN_WORDS} continued: round 1" in log(Client())
    rows = Client().get(f"/api/v1{EVENT}/changes?kind=end_evening").json()["results"]
    assert [(row["by"], row["facts"]) for row in rows] == [
        ("director", {"date": "2025-11-06", "by": "person"})
    ]
    Change.objects.filter(kind="end_evening").update(facts={"date": "2025-11-06", "by": "noon"})
    assert f"Evening of {IN_WORDS} ended by itself at noon" in log(Client())
    Change.objects.filter(kind="end_evening").update(facts={"date": "2025-11-06", "by": "hour"})
    assert "ended by itself, an hour after its last round" in log(Client())
    assert log(Client()).count("Not published yet") == 1  # of the round that was opened again


def test_line_names_the_player_that_a_guest_was_merged_into(cast: Cast, dirk: Client) -> None:
    dirk.post(f"{NIGHT}/attendance", {"name": "Tom T."})
    club = cast.riverside
    guest, ada = (club.players.get(name=name) for name in ("Tom T.", "Ada A."))
    merge_players(by_tests(), guest, target=ada)
    assert f"Attendance of Ada A. (guest) on {IN_WORDS}" in log(dirk)


def seat(dirk: Client, *people: str) -> str:
    """Seat the round with a table, by REST, and return the address of the round."""
    response = dirk.post(
        f"/api/v1{EVENT}/rounds",
        {"number": 1, "date": DAY, "tables": [{"number": 1, "seats": list(people)}]},
        content_type="application/json",
        headers={"Idempotency-Key": "r1"},
    )
    assert response.status_code == 201, response.content
    return f"{EVENT}/rounds/1"


def test_seats_changed_before_a_hand_are_told_by_the_names_that_the_reader_may_read(
    cast: Cast, dirk: Client
) -> None:
    check_in(dirk, "RL01", "RL02", "RL03", "RL04")
    seat(dirk, "RL01", "RL02", "RL03", "RL04")
    assert not Change.objects.filter(kind="seating").exists()  # nobody was seated by a draft
    press(dirk, f"{NIGHT}/seating", "Post round 1")
    assert Round.objects.get().state == "posted"
    assert not Change.objects.filter(kind="seating").exists()
    press(dirk, f"{NIGHT}/seating?seat=RL01&seat=RL03", "Swap Ada A. and Cy C.")
    check_in(dirk, "RL05")
    press(dirk, f"{NIGHT}/seating", "Let sit out")
    club = cast.riverside
    club.players.filter(player_id="RL01").update(public_name="A.")
    club.names_version = 1
    club.save()
    moves = (
        "Seats changed: round 1",
        "Ada A.: table 1, North → table 1, South.",
        "Cy C.: table 1, South → table 1, North.",
        "Ed E.: no seat → sitting out.",
    )
    page = log(dirk)
    for line in moves:
        assert line in page, line
    public = log(Client())
    assert "A.: table 1, North → table 1, South." in public
    assert "Ada" not in public
    rows = Client().get(f"/api/v1{EVENT}/changes").json()["results"]
    assert [(row["before"], row["after"]) for row in rows if row["kind"] == "seating"] == [
        ({"RL05": None}, {"RL05": "sits_out"}),
        ({"RL01": [1, 1], "RL03": [1, 3]}, {"RL01": [1, 3], "RL03": [1, 1]}),
    ]


def test_table_that_is_removed_and_brought_back_is_told(dirk: Client) -> None:
    seat(dirk, "RL01", "RL02", "RL03", "RL04")
    dirk.post(f"{EVENT}/rounds/1/direct", {"to": "posted"})
    table = f"{EVENT}/tables/r1t1"
    dirk.post(f"{table}/seating", {"clear": "yes"})
    assert "Ada A.: table 1, North → no seat." in log(dirk)
    dirk.post(
        f"/api/v1{table}/restore", {}, content_type="application/json",
        headers={"Idempotency-Key": "r2"},
    )  # fmt: skip
    assert "Ada A.: no seat → table 1, North." in log(dirk)
    version = Change.objects.latest("pk").version
    seats = {"seat-1": "RL02", "seat-2": "RL01", "seat-3": "RL03", "seat-4": "RL04"}
    dirk.post(f"{table}/seating", seats)
    assert "Ada A.: table 1, North → table 1, East." in log(dirk)
    assert Change.objects.latest("pk").version > version
