"""The end of a table: checked against the paper, closed, abandoned; hands deleted and restored."""

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.hand_entry import Host, hidden, typed
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.errors import Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.columns import as_json
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand, ReadBack, SeatScore
from tournaments.models.rounds import Round
from tournaments.models.standings import Aggregate
from tournaments.services.publishing import publications

pytestmark = pytest.mark.both_databases

EVENT = "/clubs/riverside/events/league"


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
    rows = Aggregate.objects.order_by("entrant__code")
    return {row.entrant.code: (row.hands, as_json(row.points)) for row in rows}


def void(client: Client, reason: str = "The sheet was lost.", **more: str) -> Answer:
    return client.post(f"{FIRST}/void", {"based_on": "1", "reason": reason, **more}, follow=True)


def close(client: Client, to: str, reason: str = "") -> Answer:
    return client.post(CLOSE, {"to": to, "reason": reason}, follow=True)


def test_deleted_hand_does_not_count_until_it_comes_back_as_its_next_revision(
    cast: Cast, game: Game, dirk: Client
) -> None:
    before = {"RL01": (2, 17), "RL02": (2, 14), "RL03": (2, 2), "RL04": (2, 19)}
    assert sums() == before
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


def test_host_closes_a_table_and_goes_on_with_it(hanna: Client, game: Game) -> None:
    assert "Abandon" not in text_of(hanna.get(CLOSE)).replace(
        "Abandoning a table needs a reason", ""
    )
    assert "Complete" in text_of(close(hanna, "complete"))
    ended = text_of(hanna.get(CLOSE))
    assert "wins: the lowest total" in ended, "the page that ends a table says who has won"
    assert ended.count(" 1st ") == 1
    assert "In progress" in text_of(close(hanna, "playing"))
    operations = AuditLine.objects.filter(act="move_game").order_by("number")
    assert [(operation.facts["from"], operation.facts["to"]) for operation in operations] == [
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
    dirk: Client, game: Game, to: str, points: dict[str, tuple[int, int]]
) -> None:
    assert beside(close(dirk, to), "reason") == "Enter a reason in one sentence."
    assert "Abandoned" in text_of(close(dirk, to, "The light went out."))
    assert sums()["RL01"] == points["RL01"]
    game.refresh_from_db()
    assert game.state == "abandoned"
    assert "The state cannot be changed now." in text_of(dirk.get(CLOSE))
    assert AuditLine.objects.filter(act="void_hand").count() == (0 if to == "abandoned" else 2)


def test_missing_numbers_are_named_when_closing(hanna: Client, dirk: Client, game: Game) -> None:
    hand(game, 5, [4, 1, 2, 6], queen=3)
    gap = "Table 1: no hands have the numbers 3, 4. Check whether hands were not entered."
    assert gap in text_of(close(hanna, "complete"))
    assert gap not in text_of(close(hanna, "playing"))
    closed = dirk.post(f"{EVENT}/rounds/1/direct", {"to": "closed"}, follow=True)
    page = text_of(closed)
    assert ("Round closed." in page, gap in page) == (True, True)


def test_director_closes_the_round_with_its_tables_then_the_event(cast: Cast, game: Game) -> None:
    dirk = cast.client("dirk")
    round_page = f"{EVENT}/rounds/1/direct"
    assert "1 is still open and closes with the round Close round 1" in text_of(
        dirk.get(round_page)
    )
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
    sheet = hidden(page or client.get(BACK)).get("sheet", [""])
    return client.post(BACK, {"sheet": sheet[0]}, follow=True)


def test_every_hand_and_total_is_shown_and_the_answer_completes_it(evenings: Evenings) -> None:
    hand(game_of_table_two(), 2, [0, 13, 0, 0], queen=0)
    hanna = evenings.client("hanna")
    page = hanna.get(BACK)
    text = text_of(page)
    assert "Marit S. 16 " in text
    assert "Jörg S. 29 " in text
    assert f'href="{TABLE}/hands/2/edit"' in page.content.decode()
    assert confirm(hanna, page).redirect_chain == [(TABLE, 302)]
    assert game_of_table_two().state == "complete"
    for name, by in (("", "a host"), ("dirk", "hanna")):
        text = text_of(evenings.client(name).get(TABLE))
        assert f"Checked against the sheet by {by}," in text
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
    assert "The sheet changed while you were checking it." in text_of(answer, 409)
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
    assert "Nothing is entered at this table yet" in text_of(confirm(dirk), 409)
    assert ReadBack.objects.count() == 0


def test_last_hand_of_a_game_leads_to_the_reading_back(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="two", name="Two hands", length="hands:2")
    table(event, players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    new = "/clubs/riverside/events/two/tables/r1t1/hands/new"
    hanna = Host(evenings.client("hanna"), new)
    first = hanna.send(typed([4, 1, 2, 6], 4))
    assert (first.status_code, first["Location"]) == (302, new)
    hanna.page = hanna.client.get(new)
    last = hanna.send(typed([4, 1, 6, 2], 4))
    assert (last.status_code, last["Location"]) == (302, new.replace("hands/new", "read-back"))
    page = hanna.client.get(last["Location"])
    assert "Hand 2 saved." in text_of(page)
    assert Game.objects.get(event=event).state == "complete"
    answer = hanna.client.post(last["Location"], {"sheet": hidden(page)["sheet"][0]}, follow=True)
    assert "Checked against the sheet by hanna," in text_of(answer)
