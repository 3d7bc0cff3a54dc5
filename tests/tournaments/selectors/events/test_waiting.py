"""What waits for a person, as Manage, "Me", the notices and REST list it."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine

from tests.support.builders import by_tests, counts, finished, hand, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text_of
from tournaments.errors import Forbidden
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import ResultNote
from tournaments.selectors.waiting import (
    KIND_TITLES,
    KINDS,
    MOST_COUNTED,
    MOST_WAITING,
    Waiting,
    group_waiting,
    list_waiting,
)
from tournaments.services.clubs.members import claim_player
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.people.erase_player import ask_erasure
from tournaments.services.rounds.rounds import make_round, move_round

pytestmark = pytest.mark.django_db

WAITING = "/api/v1/clubs/riverside/waiting"
HAND = counts((13, 0, 0, 0), 0)


def closed_table(event: Event) -> Game:
    people = players(event.club, "Ada Alder", "Ben Birch", "Cleo Cedar", "Dan Dogwood")
    game = finished(table(event, people))
    move_round(by_tests(), game.table.round, to="closed")
    game.refresh_from_db()
    return game


def kinds(cast: Cast, role: str, *, after: timedelta = timedelta()) -> list[str]:
    return [line.kind for line in list_waiting([(cast.riverside, role)], now=NOW + after)]


@time_machine.travel(NOW, tick=False)
def test_hand_that_came_after_its_round_closed_is_shown_until_it_is_entered(cast: Cast) -> None:
    game = closed_table(league(cast.riverside))
    for _again in range(2):
        with pytest.raises(Forbidden):
            record_entry(cast.operation("hanna"), game, number=2, entry=HAND, source="phone")
    text = "Hand 2 came after round 1 was closed: table 1"
    dirk, hanna = cast.client("dirk"), cast.client("hanna")
    for page in (
        "/clubs/riverside/manage",
        "/clubs/riverside/events/league/direct",
        "/me",
        "/notices",
    ):
        assert text_of(dirk.get(page)).count(text) >= 1, page
        assert text not in text_of(hanna.get(page)), page
    (line,) = dirk.get(WAITING).json()["results"]
    assert line == {
        "kind": "refused_hand",
        "event": "league",
        "title": text,
        "n_of_kind": 1,
        "path": "/clubs/riverside/events/league/tables/r1t1",
        "since": "2025-11-06T21:00:00Z",
        "due_at": None,
        "day": None,
    }
    assert hanna.get(WAITING).json()["results"] == []
    hand(game, 2, (1, 2, 3, 7), 0)
    assert dirk.get(WAITING).json()["results"] == []


def test_each_role_reads_what_it_may_decide(cast: Cast) -> None:
    event = league(cast.riverside)
    make_round(by_tests(), event, number=1, on=date(2025, 11, 6))
    piet, hanna = players(cast.riverside, "Piet Pine", "Hanna Hazel")
    link(piet, cast.users["piet"])
    ask_erasure(cast.operation("piet"), piet)
    claim_player(cast.operation("hanna"), hanna)
    assert kinds(cast, "owner") == ["erasure", "claim", "draft_round"]
    assert kinds(cast, "director") == ["claim", "draft_round"]
    assert kinds(cast, "host") == kinds(cast, "player") == kinds(cast, "public") == []


def test_open_round_waits_from_the_next_day_and_the_event_six_weeks_later(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(event.club, "Ada Alder", "Ben Birch", "Cleo Cedar", "Dan Dogwood")
    game = finished(table(event, people, on=date(2025, 11, 6)))
    assert kinds(cast, "director") == []
    assert kinds(cast, "director", after=timedelta(days=1)) == ["open_round"]
    move_round(by_tests(), game.table.round, to="closed")
    assert kinds(cast, "director", after=timedelta(weeks=6)) == []
    assert kinds(cast, "director", after=timedelta(weeks=6, days=1)) == ["past_event"]


def add_notes(event: Event, numbers: range) -> None:
    (player,) = players(event.club, f"Writer {numbers.start}")
    ResultNote.objects.bulk_create(
        ResultNote(
            club=event.club, event=event, player=player, number=number, about="sum", words="No.",
            at=NOW,
        )
        for number in numbers
    )  # fmt: skip


def test_number_of_lines_and_of_queries_has_a_bound(cast: Cast) -> None:
    event = league(cast.riverside)
    make_round(by_tests(), event, number=1, on=date(2025, 11, 6))
    add_notes(event, range(1, 2))
    olga = cast.client("olga")
    pages = (WAITING, "/clubs/riverside/manage", "/me", "/notices")
    few = [count_queries(olga, page) for page in pages]
    add_notes(event, range(2, 3 * MOST_WAITING))
    for number in range(2, 3 * MOST_WAITING):
        make_round(by_tests(), event, number=number, on=date(2025, 11, 6))
    assert [count_queries(olga, page) for page in pages] == few
    assert "59 notes say that a value is wrong" in text_of(olga.get("/me"))
    rows = olga.get(WAITING).json()["results"]
    assert sum(row["kind"] == "draft_round" for row in rows) == MOST_WAITING
    counts = {row["n_of_kind"] for row in rows if row["kind"] == "draft_round"}
    assert counts == {3 * MOST_WAITING - 1}


def test_page_has_one_line_a_kind_the_oldest_first(cast: Cast) -> None:
    event = league(cast.riverside)
    (piet,) = players(cast.riverside, "Piet Pine")
    claim_player(cast.operation("piet", NOW - timedelta(days=3)), piet)
    for number in (1, 2):
        make_round(by_tests(), event, number=number, on=date(2025, 11, 4 + number))
    lines = list_waiting([(cast.riverside, "director")], now=NOW)
    groups = group_waiting(lines)
    assert [(group.kind, group.n, group.title) for group in groups] == [
        ("claim", 1, "piet wants to be linked to Piet Pine"),
        ("draft_round", 2, "2 rounds are drafts"),
    ]
    assert [line.title for line in groups[1].lines] == ["Round 1 is a draft", "Round 2 is a draft"]
    page = text_of(cast.client("dirk").get("/clubs/riverside/manage"))
    assert "2 rounds are drafts The oldest: 5 Nov 2025" in page


def test_kind_that_is_due_comes_before_the_older_ones(cast: Cast) -> None:
    old = Waiting("claim", cast.riverside, None, "old", "/", since=NOW - timedelta(days=9))
    due = Waiting("challenge", cast.riverside, None, "due", "/", due_at=NOW)
    bare = Waiting("refused_address", cast.riverside, None, "bare", "/")
    assert [group.title for group in group_waiting([bare, old, due])] == ["due", "old", "bare"]


def test_more_than_are_counted_says_so(cast: Cast) -> None:
    line = Waiting("claim", cast.riverside, None, "old", "/")
    for n, is_more in ((MOST_COUNTED - 1, False), (MOST_COUNTED, True)):
        (group,) = group_waiting([replace(line, n_of_kind=n)])
        assert group.is_more == is_more


def test_each_kind_that_can_wait_has_its_line(cast: Cast) -> None:
    assert {kind for kind, _right, _find in KINDS} - KIND_TITLES.keys() == {"round"}


def test_day_of_the_oldest_is_that_of_its_club(cast: Cast) -> None:
    cast.riverside.time_zone = "America/New_York"
    late = datetime(2026, 11, 30, 0, 8, tzinfo=UTC)
    line = Waiting("claim", cast.riverside, None, "late", "/", since=late, n_of_kind=2)
    (group,) = group_waiting([line])
    assert (group.since, group.since_day) == (late, date(2026, 11, 29))


def test_tasks_are_of_the_clubs_in_which_the_role_decides_them(cast: Cast) -> None:
    here, elsewhere = (league(club) for club in (cast.riverside, cast.hilltop))
    for event in (here, elsewhere):
        make_round(by_tests(), event, number=1, on=date(2025, 11, 6))
        add_notes(event, range(1, 2))
    roles = [(cast.riverside, "director"), (cast.hilltop, "player")]
    lines = list_waiting(roles, now=NOW)
    assert [(line.kind, line.event) for line in lines] == [
        ("result_note", here),
        ("draft_round", here),
    ]
