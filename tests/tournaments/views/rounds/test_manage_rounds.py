"""Rounds on pages: made, seated, posted, closed; hands deleted and sheets checked."""

from datetime import date

import pytest
from django.test import Client

from tests.support.answers import Answer, beside, summary, text_of
from tests.support.builders import NOW, Cast, hand, league, players, table
from tests.support.pages.hand_entry import Host, hidden, typed
from tests.support.pages.rounds import EVENT, ROUND, seated, seats
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.errors import Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand, ReadBack, SeatScore
from tournaments.models.numbers import as_json
from tournaments.models.rounds import Round, Table
from tournaments.models.standings import Aggregate
from tournaments.services.publishing import publications

pytestmark = pytest.mark.both_databases
SEATED = ("Ada", "Ben", "Cem", "Dora")


@pytest.fixture
def event(cast: Cast) -> Event:
    players(cast.riverside, *SEATED, "Jörg S.", "Elsa", "Anna K.", "Anna K.")
    return league(cast.riverside)


def move(client: Client, to: str, reason: str = "") -> Answer:
    return client.post(f"{ROUND}/direct", {"to": to, "reason": reason}, follow=True)


def test_round_is_made_seated_posted_and_played(cast: Cast, event: Event) -> None:
    dirk = cast.client("dirk")
    assert 'name="number" value="1"' in dirk.get(f"{EVENT}/new-round").content.decode()
    made = dirk.post(f"{EVENT}/new-round", {"number": "1", "on": "2026-11-20"}, follow=True)
    assert made.redirect_chain == [(ROUND, 302)]
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


def test_next_tables_get_the_next_numbers_and_free_players_are_counted(
    cast: Cast, event: Event
) -> None:
    table(event, [*event.club.players.order_by("player_id")[:4]])
    dirk = cast.client("dirk")
    page = dirk.get(f"{ROUND}/new-table")
    assert "4 players of the club have no seat in this round." in text_of(page)
    assert '<option value="Jörg S.">' in page.content.decode()
    assert '<option value="Ada">' not in page.content.decode()
    typed = seats("RL05", "RL06", "RL07", "RL08", more="yes")
    assert dirk.post(f"{ROUND}/new-table", typed)["Location"] == ROUND  # all sit
    assert Table.objects.get(number=2).code == "r1t2"
    assert seated("r1t2") == ["RL05", "RL06", "RL07", "RL08"]


def test_every_seat_that_cannot_be_is_named_at_once_and_what_was_typed_stays(
    cast: Cast, event: Event
) -> None:
    table(event, [*event.club.players.order_by("player_id")[:3]])
    typed = seats("Ada", "", "Jork S.", "Anna K.", "RL06", "elsa")
    refused = cast.client("dirk").post(f"{ROUND}/new-table", typed)
    assert refused.status_code == 422
    assert beside(refused, "seat-1") == (
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


def test_empty_table_and_empty_draft_are_taken_away(cast: Cast, event: Event) -> None:
    dirk = cast.client("dirk")
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
    refused = cast.client("dirk").post(f"{EVENT}/new-round", typed)
    assert refused.status_code == 422
    assert beside(refused, field) == says
    assert Round.objects.count() == 1


def test_round_closes_with_its_tables_in_play_and_opens_again_with_a_reason(
    cast: Cast, event: Event
) -> None:
    people = [*event.club.players.order_by("player_id")]
    hand(table(event, people[:4]), 1, [4, 1, 2, 6], queen=3)
    empty = table(event, people[4:], table_number=2)
    dirk = cast.client("dirk")
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


def test_rounds_of_an_event_that_is_over_stay_as_they_are(cast: Cast, event: Event) -> None:
    hand(table(event, [*event.club.players.order_by("player_id")[:4]]), 1, [4, 1, 2, 6], queen=3)
    Round.objects.update(state="closed")
    Event.objects.update(state="closed")
    dirk = cast.client("dirk")
    says = "The event is closed. Reopen it before you change its rounds."
    assert says in summary(move(dirk, "playing", "Why not."))
    assert says in summary(dirk.post(f"{EVENT}/new-round", {"number": "2"}))
    assert says in summary(dirk.post(f"{ROUND}/new-table", seats("RL05", "RL06", "RL07")))


CLOSE = f"{EVENT}/tables/r1t1/close"
FIRST = f"{EVENT}/tables/r1t1/hands/1"


@pytest.fixture
def game(cast: Cast) -> Game:
    """A table of an open league with two hands: Ada 4 and 13, Ben 1 and 0 …"""
    return two_hands(league(cast.riverside), cast)


def two_hands(event: Event, cast: Cast) -> Game:
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 2, [0, 13, 0, 0], queen=0)
    return game


def sums() -> dict[str, tuple[int, object]]:
    """Hands and points of each entrant, by player id."""
    rows = Aggregate.objects.order_by("entrant__code")
    return {row.entrant.code: (row.hands, as_json(row.points)) for row in rows}


def void(client: Client, reason: str = "The sheet was lost.", **more: str) -> Answer:
    return client.post(f"{FIRST}/void", {"based_on": "1", "reason": reason, **more}, follow=True)


def close(client: Client, to: str, reason: str = "") -> Answer:
    return client.post(CLOSE, {"to": to, "reason": reason}, follow=True)


def test_deleted_hand_does_not_count_until_it_comes_back_as_its_next_revision(
    cast: Cast, game: Game
) -> None:
    before = {"RL01": (2, 17), "RL02": (2, 14), "RL03": (2, 2), "RL04": (2, 19)}
    assert sums() == before
    dirk = cast.client("dirk")
    page = void(dirk)
    assert page.redirect_chain == [(FIRST, 302)]
    assert "Deleted. Does not count. “The sheet was lost.”" in text_of(page)
    assert "Counts" not in text_of(page)
    assert sums() == {"RL01": (1, 13), "RL02": (1, 13), "RL03": (1, 0), "RL04": (1, 0)}
    assert SeatScore.objects.filter(entry__hand__number=1).count() == 0
    sheet = text_of(dirk.get(f"{EVENT}/tables/r1t1"))
    assert "Deleted. Does not count. “The sheet was lost.”" in sheet
    publications.publish(game.event.pk, now=NOW)
    assert "13" in text_of(cast.client("piet").get(EVENT))
    line = AuditLine.objects.get(act="void_hand")
    assert line.subject == "event:league/table:r1t1/hand:1"
    assert line.facts == {"revision": 1, "reason": "The sheet was lost."}
    assert line.user_id == cast.users["dirk"].pk
    assert "Restore as revision 2" in text_of(dirk.get(f"{FIRST}/void"))
    back = void(dirk, "It was found.", restore="yes")
    assert "Cards complete" in text_of(back)
    assert "Revision 2 Counts" in text_of(back)
    assert sums() == before
    again = void(dirk, "Lost again.", based_on="2")
    assert "Deleted. Does not count. “Lost again.”" in text_of(again)


def test_director_who_looked_at_an_older_revision_is_told(cast: Cast, game: Game) -> None:
    hand(game, 1, [4, 2, 1, 6], queen=3, based_on=1, reason="Swapped.")
    refused = void(cast.client("dirk"))
    assert "you have revision 1, the current one is 2" in summary(refused)
    assert "The sheet was lost." in refused.content.decode()
    assert Hand.objects.get(number=1).state == "accepted"


def test_game_that_a_void_hand_had_ended_is_played_on(cast: Cast) -> None:
    game = two_hands(league(cast.riverside, length="hands:2"), cast)
    game.refresh_from_db()
    assert game.state == "complete"
    void(cast.client("dirk"))
    game.refresh_from_db()
    assert game.state == "playing"


def test_host_closes_a_table_and_goes_on_with_it(cast: Cast, game: Game) -> None:
    hanna = cast.client("hanna")
    assert "Abandon" not in text_of(hanna.get(CLOSE)).replace(
        "Abandoning a table needs a reason", ""
    )
    assert "Complete" in text_of(close(hanna, "complete"))
    assert "In progress" in text_of(close(hanna, "playing"))
    operations = AuditLine.objects.filter(act="move_game").order_by("number")
    assert [(one.facts["from"], one.facts["to"]) for one in operations] == [
        ("playing", "complete"),
        ("complete", "playing"),
    ]


def test_table_closed_by_hand_stays_closed_when_a_hand_is_corrected(cast: Cast) -> None:
    game = two_hands(league(cast.riverside, length="variant"), cast)
    close(cast.client("hanna"), "complete")
    hand(game, 1, [4, 2, 1, 6], queen=3, based_on=1, reason="Swapped.")
    game.refresh_from_db()
    assert game.state == "complete"


def test_game_at_its_end_does_not_go_on(cast: Cast) -> None:
    two_hands(league(cast.riverside, length="hands:2"), cast)
    refused = close(cast.client("dirk"), "playing")
    assert "The game at table 1 of round 1 is over and cannot be reopened." in summary(refused)


@pytest.mark.parametrize(
    ("to", "points"), [("abandoned", {"RL01": (2, 17)}), ("without_hands", {"RL01": (0, 0)})]
)
def test_abandoned_table_counts_its_hands_only_if_the_director_says_so(
    cast: Cast, game: Game, to: str, points: dict[str, tuple[int, int]]
) -> None:
    dirk = cast.client("dirk")
    assert beside(close(dirk, to), "reason") == "Enter a reason in one sentence."
    assert "Abandoned" in text_of(close(dirk, to, "The light went out."))
    assert sums()["RL01"] == points["RL01"]
    game.refresh_from_db()
    assert game.state == "abandoned"
    assert "The state cannot be changed now." in text_of(dirk.get(CLOSE))
    assert AuditLine.objects.filter(act="void_hand").count() == (0 if to == "abandoned" else 2)


def test_missing_numbers_are_named_where_a_table_and_a_round_are_closed(
    cast: Cast, game: Game
) -> None:
    hand(game, 5, [4, 1, 2, 6], queen=3)
    hanna, dirk = cast.client("hanna"), cast.client("dirk")
    gap = "Table 1: no hands have the numbers 3, 4. Check whether hands were not entered."
    assert gap in text_of(close(hanna, "complete"))
    assert gap not in text_of(close(hanna, "playing"))
    closed = dirk.post(f"{EVENT}/rounds/1/direct", {"to": "closed"}, follow=True)
    page = text_of(closed)
    assert ("Round closed." in page, gap in page) == (True, True)


def test_director_closes_the_round_with_its_tables_then_the_event(cast: Cast, game: Game) -> None:
    dirk = cast.client("dirk")
    round_page = f"{EVENT}/rounds/1/direct"
    assert "Every table has hands Close round 1" in text_of(dirk.get(round_page))
    assert "Closed" in text_of(dirk.post(round_page, {"to": "closed"}, follow=True))
    assert "Round 1 is closed. Reopen it" in summary(close(dirk, "playing"))
    assert "The round is closed." in text_of(cast.client("hanna").get(CLOSE))
    assert "Closed" in text_of(dirk.post(f"{EVENT}/direct", {"to": "closed"}, follow=True))
    assert Round.objects.get().state == "closed"
    with pytest.raises(Forbidden):
        hand(game, 3, [4, 1, 2, 6], queen=3, actor=cast.actor("hanna"))


TABLE = f"{ADDRESS}/tables/r1t2"
BACK = f"{TABLE}/read-back"
"""Marit S., Jörg S., Cleo S., Carla K.; hand 1 is in: 3, 16, 3, 4."""


def game_of_table_two() -> Game:
    return Game.objects.select_related("event", "club", "snapshot", "table__round").get(
        table__code="r1t2", event__slug="league"
    )


def confirm(client: Client, page: Answer | None = None) -> Answer:
    """Say of the page as it was opened that the paper is the same."""
    sheet = hidden(page or client.get(BACK)).get("sheet", [""])
    return client.post(BACK, {"sheet": sheet[0]}, follow=True)


def test_every_hand_and_total_is_shown_and_the_answer_completes_the_table(
    evenings: Evenings,
) -> None:
    hand(game_of_table_two(), 2, [0, 13, 0, 0], queen=0)
    hanna = evenings.client("hanna")
    page = hanna.get(BACK)
    said = text_of(page)
    assert "Marit S. 16 " in said
    assert "Jörg S. 29 " in said
    assert f'href="{TABLE}/hands/2/edit"' in page.content.decode()
    assert confirm(hanna, page).redirect_chain == [(TABLE, 302)]
    assert game_of_table_two().state == "complete"
    for name, by in (("", "a host"), ("dirk", "hanna")):
        said = text_of(evenings.client(name).get(TABLE))
        assert f"Checked against the sheet by {by}," in said
    assert "Checked against the sheet by hanna," in text_of(
        evenings.client("dirk").get(f"{TABLE}/close")
    )
    line = AuditLine.objects.get(act="read_back")
    assert (line.subject, line.facts["hands"]) == ("event:league/table:r1t2", 2)


def test_sheet_that_changed_meanwhile_is_not_confirmed(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    page = hanna.get(BACK)
    hand(game_of_table_two(), 2, [0, 13, 0, 0], queen=0)
    answer = confirm(hanna, page)
    assert answer.status_code == 409
    assert "The sheet changed while you were checking it." in text_of(answer)
    assert "Jörg S. 29 " in text_of(answer)
    assert (ReadBack.objects.count(), game_of_table_two().state) == (0, "playing")
    confirm(hanna, answer)
    assert (ReadBack.objects.count(), game_of_table_two().state) == (1, "complete")


def test_two_taps_are_one_reading_and_a_later_correction_shows(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    page = hanna.get(BACK)
    for _tap in range(2):
        confirm(hanna, page)
    assert ReadBack.objects.count() == 1
    assert AuditLine.objects.filter(act="read_back").count() == 1
    assert "Checked by hanna" in text_of(hanna.get(BACK))
    hand(game_of_table_two(), 1, [3, 4, 3, 3], queen=1, based_on=1, reason="South had three.")
    assert "; changed later." in text_of(hanna.get(TABLE))
    assert "changed later" in text_of(hanna.get(BACK))
    confirm(evenings.client("dirk"))
    assert "Checked against the sheet by dirk," in text_of(hanna.get(TABLE))
    assert list(ReadBack.objects.order_by("pk").values_list("by_as", flat=True)) == [
        "hanna",
        "dirk",
    ]


def test_empty_sheet_has_nothing_to_check(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    dirk.post(f"{TABLE}/hands/1/void", {"based_on": "1", "reason": "Another table's."})
    answer = confirm(dirk)
    assert answer.status_code == 409
    assert "Nothing is entered at this table yet" in text_of(answer)
    assert ReadBack.objects.count() == 0


def test_last_hand_of_a_game_leads_to_the_reading_back(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="two", name="Two hands", length="hands:2")
    table(event, players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    new = "/clubs/riverside/events/two/tables/r1t1/hands/new"
    hanna = Host(evenings.client("hanna"), new)
    first = hanna.send(typed([4, 1, 2, 6], 4))
    assert (first.status_code, first["Location"]) == (302, new)
    hanna.page = hanna.client.get(new)
    last = hanna.send(typed([4, 1, 2, 6], 4))
    assert (last.status_code, last["Location"]) == (302, new.replace("hands/new", "read-back"))
    page = hanna.client.get(last["Location"])
    assert "Hand 2 saved." in text_of(page)
    assert Game.objects.get(event=event).state == "complete"
    answer = hanna.client.post(last["Location"], {"sheet": hidden(page)["sheet"][0]}, follow=True)
    assert "Checked against the sheet by hanna," in text_of(answer)
