"""Making rounds, seating their tables by name or id, and their states, as each role may."""

from datetime import date

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.rounds import EVENT, ROUND, seated, seats
from tests.support.pages.text import beside, summary, text_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round, Table

SEATED = ("Ada", "Ben", "Cem", "Dora")


@pytest.fixture
def event(cast: Cast) -> Event:
    players(cast.riverside, *SEATED, "Jörg S.", "Elsa", "Anna K.", "Anna K.")
    return league(cast.riverside)


def move(client: Client, to: str, reason: str = "") -> Answer:
    return client.post(f"{ROUND}/direct", {"to": to, "reason": reason}, follow=True)


def test_round_is_made_seated_posted_and_played(dirk: Client, event: Event) -> None:
    assert 'name="number" value="1"' in dirk.get(f"{EVENT}/new-round").content.decode()
    response = dirk.post(f"{EVENT}/new-round", {"number": "1", "on": "2026-11-20"}, follow=True)
    assert response.redirect_chain == [(ROUND, 302)]
    round_ = Round.objects.get()
    assert (round_.state, round_.meeting and round_.meeting.date) == ("draft", date(2026, 11, 20))
    assert "Round 1 has no tables yet. Seat a table first." in summary(move(dirk, "posted"))
    more = dirk.post(f"{ROUND}/new-table", seats("rl01", "BEN", "Cem (RL03)", " dora ", more="yes"))
    assert more["Location"] == f"{ROUND}/new-table"
    assert seated() == ["RL01", "RL02", "RL03", "RL04"]
    assert "Round posted." in text_of(move(dirk, "posted"))
    assert "The round is a draft again." in text_of(move(dirk, "draft"))
    move(dirk, "posted")
    hand(Game.objects.get(), 1, [4, 1, 2, 6], queen=3)
    round_.refresh_from_db()
    assert round_.state == "playing"
    assert [line.act for line in AuditLine.objects.order_by("number")][-6:] == [
        *("make_round", "seat_table", "move_round", "move_round", "move_round", "enter_hand")
    ]


def test_next_tables_get_next_numbers_and_count_free_players(dirk: Client, event: Event) -> None:
    table(event, [*event.club.players.order_by("player_id")[:4]])
    page = dirk.get(f"{ROUND}/new-table")
    assert "4 players of the club have no seat in this round." in text_of(page)
    assert '<option value="Jörg S.">' in page.content.decode()
    assert '<option value="Ada">' not in page.content.decode()
    typed = seats("RL05", "RL06", "RL07", "RL08", more="yes")
    assert dirk.post(f"{ROUND}/new-table", typed)["Location"] == ROUND  # all sit
    assert Table.objects.get(number=2).code == "r1t2"
    assert seated("r1t2") == ["RL05", "RL06", "RL07", "RL08"]


def test_every_impossible_seat_is_named_and_what_was_typed_stays(cast: Cast, event: Event) -> None:
    table(event, [*event.club.players.order_by("player_id")[:3]])
    typed = seats("Ada", "", "Jork S.", "Anna K.", "RL06", "elsa")
    refused = cast.client("dirk").post(f"{ROUND}/new-table", typed)
    assert beside(refused, "seat-1", 422) == (
        "Ada sits at table 1 of this round. Swap the players, or free table 1 first."
    )
    assert beside(refused, "seat-2") == "Enter a player for seat 2."
    assert beside(refused, "seat-3") == "“Jork S.” is not on the club's list of players."
    assert 'value="seat-3=Jörg S. (RL05)"' in refused.content.decode()
    assert beside(refused, "seat-4") == (
        "“Anna K.” matches several players. Choose one, or enter the id: RL07, RL08."
    )
    assert beside(refused, "seat-6") == (
        "Elsa (RL06) is entered twice. Choose another player for one seat."
    )
    assert 'value="Jork S."' in refused.content.decode()
    assert Table.objects.count() == 1


def test_empty_table_and_empty_draft_are_taken_away(dirk: Client, event: Event) -> None:
    dirk.post(f"{EVENT}/new-round", {"number": "1"})
    dirk.post(f"{ROUND}/new-table", seats("RL01", "RL02", "RL03", "RL04"))
    assert "Round 1 has tables" in summary(dirk.post(f"{ROUND}/direct", {"remove": "yes"}))
    assert "Table 1 removed." in text_of(
        dirk.post(f"{EVENT}/tables/r1t1/seating", {"clear": "y"}, follow=True)
    )
    gone = dirk.post(f"{ROUND}/direct", {"remove": "yes"}, follow=True)
    assert "Round 1 deleted." in text_of(gone)
    assert (Round.objects.count(), Table.objects.count(), Game.objects.count()) == (0, 0, 0)
    operations = list(AuditLine.objects.order_by("number").values_list("act", flat=True))
    assert operations[-2:] == ["clear_table", "remove_round"]


@pytest.mark.parametrize(
    ("typed", "field", "says"),
    [
        ({"number": "0"}, "number", "A round cannot have the number 0. Expected: 1 to 9999."),
        ({"number": "seven"}, "number", "Enter a number from 1."),
        ({"number": "1"}, "number", "Round 1 already exists."),
        ({"number": "2", "on": "Friday"}, "on", "Enter the date as 2026-11-20."),
    ],
)
def test_round_that_cannot_be_is_refused_beside_its_field(
    cast: Cast, event: Event, typed: dict[str, str], field: str, says: str
) -> None:
    table(event, [*event.club.players.order_by("player_id")[:4]])
    assert beside(cast.client("dirk").post(f"{EVENT}/new-round", typed), field, 422) == says
    assert Round.objects.count() == 1


def test_round_closes_with_its_tables_and_reopens_for_a_reason(dirk: Client, event: Event) -> None:
    people = [*event.club.players.order_by("player_id")]
    hand(table(event, people[:4]), 1, [4, 1, 2, 6], queen=3)
    empty = table(event, people[4:], table_number=2)
    refused = move(dirk, "closed")
    assert "Open tables in round 1: 2." in summary(refused)
    assert "cannot be a draft again" not in text_of(refused)
    assert Game.objects.get(table__number=1).state == "playing"
    dirk.post(f"{EVENT}/tables/{empty.table.code}/seating", {"clear": "y"})
    assert "Next step : Every table has hands" in text_of(dirk.get(ROUND))
    assert "Round closed." in text_of(move(dirk, "closed"))
    assert Game.objects.get().state == "complete"
    assert move(dirk, "closed").status_code == 200  # a second tap
    late = dirk.post(f"{ROUND}/new-table", seats("RL05", "RL06", "RL07"))
    assert "Round 1 is closed. Reopen it" in summary(late)
    assert beside(move(dirk, "playing"), "reason") == "Enter a reason in one sentence."
    assert "Round reopened." in text_of(move(dirk, "playing", "A sheet was found."))
    facts = [line.facts for line in AuditLine.objects.filter(act="move_round").order_by("number")]
    assert facts[-1] == {"from": "closed", "to": "playing", "reason": "A sheet was found."}


def test_rounds_of_an_event_that_is_over_stay_as_they_are(dirk: Client, event: Event) -> None:
    hand(table(event, [*event.club.players.order_by("player_id")[:4]]), 1, [4, 1, 2, 6], queen=3)
    Round.objects.update(state="closed")
    Event.objects.update(state="closed")
    says = "The event is closed. Reopen it before you change its rounds."
    assert says in summary(move(dirk, "playing", "Why not."))
    assert says in text_of(dirk.post(f"{EVENT}/new-round", {"number": "2"}, follow=True))
    assert says in summary(dirk.post(f"{ROUND}/new-table", seats("RL05", "RL06", "RL07")))
