"""The seating page of an evening: what to do next, what a change leads to, and doing it."""

import re
from typing import Any

import pytest

from tests.support.builders import by_tests, hand
from tests.support.cast import Cast
from tests.support.pages.change_players import hidden
from tests.support.pages.seating import HIDDEN, press
from tests.support.pages.text import text_of
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.models.hands import Game
from tournaments.models.rounds import Attendance, Round, SitOut
from tournaments.selectors.rounds.rematches import list_rematches
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.drafts import move_drawn_round
from tournaments.services.operations import Operation
from tournaments.services.rounds.rounds import change_round_game, move_round
from tournaments.views.rounds import rounds

PAGE = "/clubs/riverside/events/league/meetings/2025-11-06/seating"
ROUND = "/clubs/riverside/events/league/rounds/1"
ROUNDS: list[tuple[list[tuple[int, ...]], list[int]]] = [
    ([(1, 2, 3), (5, 6, 7, 8)], []),
    ([(5, 1, 6), (2, 7, 3, 8)], []),
]


class Director:
    def __init__(self, cast: Cast) -> None:
        self.client = cast.client("dirk")

    def get(self, query: str = "") -> Any:
        """Return the page of the current round, or of the step that seats the first one."""
        return self.client.get(PAGE + query, follow=True)

    def look(self, query: str = "") -> str:
        return text_of(self.get(query))

    def press(self, button: str, query: str = "") -> Any:
        return press(self.client, PAGE + query, button)


@pytest.fixture
def evening(cast: Cast) -> PlannedEvening:
    night = planned_evening(cast, ROUNDS)
    night.here(1, 2, 3, 5, 6, 7, 8)
    return night


@pytest.fixture
def dirk(cast: Cast) -> Director:
    return Director(cast)


def people(number: int = 1) -> list[list[str]]:
    seated = round_seating(Round.objects.get(number=number))
    ids = dict(Attendance.objects.values_list("player_id", "player__player_id"))
    return [[ids[player] for player in table.players] for table in seated.tables]


def test_round_is_seated_and_posted_in_two_presses(evening: PlannedEvening, dirk: Director) -> None:
    assert "Seat round 1" in dirk.look()
    answer = dirk.press("Seat round 1")
    assert "Round 1 is seated. Post it to announce it to the players." in text_of(answer)
    assert answer.redirect_chain[-1][0] == ROUND
    assert "Next step : 2 tables are seated Post round 1" in text_of(answer)
    assert "Round posted." in text_of(dirk.press("Post round 1"))
    assert Round.objects.get().state == "posted"
    again = dirk.client.post(f"{ROUND}/direct", {"to": "posted"}, follow=True)
    assert (again.status_code, Round.objects.get().state) == (200, "posted")


def test_step_that_seats_a_plan_names_who_is_not_checked_in(
    evening: PlannedEvening, dirk: Director
) -> None:
    assert "Not checked in yet" not in dirk.look()
    Attendance.objects.filter(player__player_id__in=["RL05", "RL02"]).update(state="expected")
    assert "Not checked in yet: Bruno K. and Edda K. Seat round 1" in dirk.look()


def test_two_taps_at_once_post_a_round_and_neither_is_refused(
    evening: PlannedEvening, dirk: Director, monkeypatch: pytest.MonkeyPatch
) -> None:
    dirk.press("Seat round 1")

    def after_the_other_tap(op: Operation, round_: Round, **given: Any) -> Round:
        move_drawn_round(op, Round.objects.get(), **given)
        return move_drawn_round(op, round_, **given)

    monkeypatch.setattr(rounds, "move_drawn_round", after_the_other_tap)
    answer = dirk.client.post(f"{ROUND}/direct", {"to": "posted"}, follow=True)
    assert (answer.status_code, Round.objects.get().state) == (200, "posted")
    assert "cannot change" not in text_of(answer)
    monkeypatch.setattr(rounds, "move_drawn_round", move_drawn_round)
    hand(Game.objects.earliest("pk"), 1, [5, 4, 4], 0)
    refused = dirk.client.post(f"{ROUND}/direct", {"to": "draft"})
    assert "The state playing cannot change to draft here." in text_of(refused)


def test_walk_in_is_the_next_step_with_its_ways(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    evening.here(4)
    page = dirk.look()
    assert "Seat Dario D. in round 1" in page
    assert "Table 1 Table 1 then has 4 players. Dario D. then has 1 seat this evening." in page
    assert "Sitting out Dario D. then has 0 seats this evening." in page
    assert "Nobody meets again" not in page
    assert page.index("Add to table 1") < page.index("Let sit out")
    dirk.press("Add to table 1")
    assert people()[0] == ["RL01", "RL02", "RL03", "RL04"]


def test_posting_without_a_seat_leads_to_the_seats(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    evening.here(4)
    refused = dirk.client.post(f"{ROUND}/direct", {"to": "posted"})
    assert "Round 1 has no seat for Dario D. (RL04)." in text_of(refused)
    assert f'<a href="{ROUND}">Seats of round 1</a>' in refused.content.decode()


def test_walk_ins_with_no_seat_sit_out_at_a_press(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    evening.here(4, 9)
    assert "Let these 2 sit out" in dirk.look()
    refused = dirk.client.post(f"{ROUND}/direct", {"to": "posted"}).content.decode()
    (ids,) = re.findall(r'name="sit_out" value="([^"]*)"', refused)
    done = dirk.client.post(f"{ROUND}/direct", {"sit_out": ids}, follow=True)
    assert done.redirect_chain[-1][0] == ROUND
    assert set(SitOut.objects.values_list("entrant__code", "reason")) == {
        ("RL04", "rest"),
        ("RL09", "rest"),
    }
    assert "Let these" not in text_of(done)
    assert "Round posted." in text_of(dirk.press("Post round 1"))


def test_seat_of_who_left_is_given_away(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    evening.here(6, state="left")
    page = dirk.look()
    assert "Give away the seat of Farid S. in round 1" in page
    assert "Table 2 goes on with 3 players" in page
    dirk.press("Seat this way")
    assert people() == [["RL01", "RL02", "RL03"], ["RL05", "RL07", "RL08"]]
    assert list(SitOut.objects.values_list("entrant__code", "reason")) == [("RL06", "left")]


def test_two_picked_show_who_meets_again_by_a_swap(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    query = "?seat=RL03&seat=RL05"
    page = dirk.look(query)
    assert "Cleo S. and Edda K. picked." in page
    # Edda and Alma, Cleo with Greta and Hugo share a table in round 2.
    planned = "Alma D. and Edda K.; Cleo S. and Greta D.; Cleo S. and Hugo K."
    assert f". Players who meet again in the plan: {planned}" in page
    assert people()[0] == ["RL01", "RL02", "RL03"]
    dirk.press("Swap Cleo S. and Edda K.", query)
    assert people() == [["RL01", "RL02", "RL05"], ["RL03", "RL06", "RL07", "RL08"]]


def test_swap_says_who_met_in_a_posted_round(evening: PlannedEvening, dirk: Director) -> None:
    evening.play(evening.seat())
    evening.seat()
    page = dirk.look("?seat=RL01&seat=RL02")
    assert ". Players who meet again: Alma D. and Cleo S." in page
    assert "in the plan" not in page


def test_swap_that_changes_nothing_says_that_nobody_else_meets_again(
    evening: PlannedEvening, dirk: Director
) -> None:
    evening.play(evening.seat())
    assert list_rematches(evening.seat())
    table = people(2)[0]
    page = dirk.look(f"?seat={table[0]}&seat={table[1]}")
    assert "Nobody else meets again." in page
    assert "Nobody meets again" not in page


def test_one_picked_is_moved_or_taken_out(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    dirk.press("Move to table 1", "?seat=RL08")
    assert people() == [["RL01", "RL02", "RL03", "RL08"], ["RL05", "RL06", "RL07"]]
    dirk.press("Seat this way", "?seat=RL01&as=leave")
    assert people()[0] == ["RL02", "RL03", "RL08"]
    assert list(SitOut.objects.values_list("entrant__code", "reason")) == [("RL01", "rest")]


def test_two_who_are_taken_out_are_not_swapped(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    query = "?seat=RL06&seat=RL08&as=leave"
    page = dirk.look(query)
    assert "Farid S. and Hugo K. picked." in page
    assert "Swap" not in page
    dirk.press("Seat this way", query)
    assert {person for table in people() for person in table}.isdisjoint({"RL06", "RL08"})
    resting = set(SitOut.objects.values_list("entrant__code", "reason"))
    assert {("RL06", "rest"), ("RL08", "rest")} <= resting


def test_waiting_players_form_a_table(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    assert "Form a table" not in dirk.look()
    assert "Remove table 1?" in dirk.look("?close=1")
    dirk.press("Remove table", "?close=1")
    assert people() == [["RL05", "RL06", "RL07", "RL08"]]
    assert SitOut.objects.count() == 3
    link = re.search(r'href="[^"]*(\?seat=[^"]*)">Form a table', dirk.get().content.decode())
    assert link
    query = link[1].replace("&amp;", "&")
    assert query == "?seat=RL01&seat=RL02&seat=RL03"
    page = dirk.look(query)
    assert "Alma D., Bruno K. and Cleo S. picked." in page
    assert "New table 3: Alma D., Bruno K. and Cleo S." in page
    dirk.press("Form a table", query)
    assert people() == [["RL05", "RL06", "RL07", "RL08"], ["RL01", "RL02", "RL03"]]
    assert not SitOut.objects.exists()
    assert "You picked 3 players." in text_of(dirk.get(query), 422)


def test_picked_players_form_a_table_of_any_size(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    dirk.press("Remove table", "?close=1")
    dirk.press("Remove table", "?close=2")
    five = "&".join(f"seat=RL0{number}" for number in (1, 2, 3, 5, 6))
    assert "New table 1: Alma D., Bruno K., Cleo S., Edda K. and Farid S." in dirk.look(f"?{five}")
    change_round_game(by_tests(), Round.objects.get(), variant="partnership-hearts-pooled")
    assert "There are 5 seats. These rules are played by 4." in dirk.look(f"?{five}")


def test_change_that_was_looked_at_before_another_one_is_refused(
    evening: PlannedEvening, dirk: Director
) -> None:
    evening.seat()
    html = dirk.get("?seat=RL03&seat=RL05").content.decode()
    way = re.search(r'name="way" value="([^"]*)"', html)
    tag = re.search(r'name="tag" value="([^"]*)"', html)
    assert way
    assert tag
    dirk.press("Move to table 1", "?seat=RL08")
    before = people()
    sent = {"do": "change", "about": "swap:RL03,RL05", "round": "1", "way": way[1], "tag": tag[1]}
    assert "The seating of round 1 has changed." in text_of(dirk.client.post(PAGE, sent), 422)
    assert people() == before


def test_table_with_hands_asks_what_becomes_of_it(evening: PlannedEvening, dirk: Director) -> None:
    move_round(by_tests(), evening.seat(), to="posted")
    hand(Game.objects.get(table__code="r1t2"), 1, [4, 1, 2, 6], 3)
    page = dirk.get("?seat=RL06&seat=RL01")
    assert "Hands of this table have been entered. Choose what becomes of them." in text_of(page)
    link = re.search(r'href="([^"]*change-players[^"]*|[^"]*\?seat=2[^"]*)"', page.content.decode())
    assert link
    address = link[1].replace("&amp;", "&")
    form = dirk.client.get(address)
    assert 'value="Alma D. (RL01)"' in form.content.decode()
    assert f'<a href="{ROUND}">Cancel</a>' in form.content.decode()
    names = ("tag", "back", "act", "seat", "seat-1", "from_hand", "hands", "previewed")
    typed = {"act": "swap", "seat": "2", "seat-1": "RL01", "from_hand": "1", "hands": "keep"}
    sent = {**typed, "tag": hidden(form, "tag"), "back": hidden(form, "back"), "go": "look"}
    response = dirk.client.post(address.partition("?")[0], sent)
    assert "Not saved yet" in text_of(response)
    sent = {name: hidden(response, name) for name in names}
    saved = dirk.client.post(
        address.partition("?")[0], {**sent, "reason": "Swapped.", "go": "save"}
    )
    assert saved["Location"] == ROUND
    sent = {**sent, "back": "//evil.example", "previewed": ""}
    assert (
        "//evil.example" not in dirk.client.post(address.partition("?")[0], sent).content.decode()
    )


def test_next_round_lists_changes_before_seating(evening: PlannedEvening, dirk: Director) -> None:
    evening.play(evening.seat())
    evening.here(8, state="left")
    evening.here(4)
    page = dirk.look()
    assert "Not there: Hugo K. Here and not in the plan: Dario D." in page
    assert "Tables with 3, 4 players. Dario D.: table 2." in page
    assert Round.objects.count() == 1
    dirk.press("Seat round 2")
    assert people(2) == [["RL05", "RL01", "RL06"], ["RL02", "RL07", "RL03", "RL04"]]


def test_three_picked_or_unknown_are_refused(evening: PlannedEvening, dirk: Director) -> None:
    evening.seat()
    assert "You picked 3 players." in dirk.look("?seat=RL01&seat=RL02&seat=RL03")
    assert dirk.get("?seat=XX99").status_code == 422
    assert dirk.get("?seat=RL09").status_code == 422
    assert dirk.get("?close=9").status_code == 422
    assert dirk.client.post(PAGE, {"do": "what"}).status_code == 422


@pytest.fixture
def played(evening: PlannedEvening) -> PlannedEvening:
    move_round(by_tests(), evening.seat(), to="posted")
    for number in (1, 2):
        hand(Game.objects.get(table__code="r1t2"), number, [4, 1, 2, 6], 3)
    return evening


def asked(dirk: Director) -> dict[str, str]:
    html = dirk.get("?redraw=yes").content.decode()
    form = re.search(r'<form[^>]*redraw=yes".*?</form>', html, re.S)
    assert form
    return dict(HIDDEN.findall(form[0]))


def test_redraw_asks_what_becomes_of_hands(played: PlannedEvening, dirk: Director) -> None:
    assert "Redraw round 1" in dirk.look()
    page = dirk.look("?redraw=yes")
    assert "Table 2: 2 hands. Stays as it is, or is abandoned:" in page
    assert "The players of table 1 sit down anew among themselves." in page
    assert "2 hands do not count." in page
    before = people()
    sent = asked(dirk) | {"scope": "unplayed", "reason": "Wrong seats."}
    answer = dirk.client.post(PAGE + "?redraw=yes", sent, follow=True)
    assert "Round 1 is redrawn." in text_of(answer)
    assert people()[1] == before[1]
    assert people()[0] != before[0]


def test_evening_without_a_plan_leads_to_a_round_by_hand(cast: Cast, dirk: Director) -> None:
    planned_evening(cast, ROUNDS).plan.delete()
    assert "No plan is chosen" in dirk.look()


def test_closed_evening_leads_to_the_standings(evening: PlannedEvening, dirk: Director) -> None:
    evening.play(evening.seat())
    evening.seat(adjust=True)
    assert 'type="checkbox" name="seat"' in dirk.get().content.decode()
    evening.play(Round.objects.get(number=2))
    html = dirk.get().content.decode()
    assert 'type="checkbox"' not in html
    assert "Next step : All planned rounds are closed Standings" in dirk.look()
    assert '<a class="btn pri" href="/clubs/riverside/events/league">Standings</a>' in html


def test_seat_to_give_away_is_the_one_act_while_others_wait(
    evening: PlannedEvening, dirk: Director
) -> None:
    evening.seat()
    evening.here(6, state="left")
    evening.here(4, 9)
    page = dirk.look()
    assert "Give away the seat of Farid S. in round 1" in page
    assert "sit out" not in page
