"""Challenges of a ladder and their tables on its pages: sent, answered, played, confirmed."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tests.support.builders import finished, hand, publish_all, table, worker_runs
from tests.support.cast import NOW, Cast
from tests.support.pages.ladders import EVENT, accepted, buttons, sent
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.challenges import answer, issue, run_clock
from tests.support.scenarios.ladders import ladder, member, order, seated
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.models.rounds import Round
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.ladders.challenges import answer_challenge, enter_result
from tournaments.services.operations import Operation

pytestmark = pytest.mark.usefixtures("clock")


def test_one_press_sends_a_challenge_seen_with_its_deadline(cast: Cast, rungs: Event) -> None:
    done = cast.client("E").post(f"{EVENT}/challenges/new", {"challenged": "C"}, follow=True)
    assert done.redirect_chain == [(f"{EVENT}/challenges/1", 302)]
    assert "Challenge 1 sent." in text_of(done)
    text = text_of(cast.client("E").get(f"{EVENT}/ladder"))
    assert "Answer by Member C due Sun 9 Nov, 24:00 (3 days left)" in text
    assert "Challenges Member C: answer by Sun 9 Nov, 24:00" in text
    assert "Challenged by Member E: answer by Sun 9 Nov, 24:00" in text
    anybody = cast.client().get(f"{EVENT}/ladder")
    assert "Answer by Member C due Sun 9 Nov, 24:00" in text_of(anybody)
    assert buttons(anybody.content.decode()) == set()


@pytest.mark.parametrize("page", ["ladder", "ladder/members/C", "challenges", "challenges/1"])
def test_challenged_alone_finds_accept_and_decline(cast: Cast, rungs: Event, page: str) -> None:
    sent(cast, rungs)
    found = {
        name: {button.partition(" (")[0] for button in buttons(body)}
        for name in ("C", "E", "A", "", "nora")
        if (body := cast.client(name).get(f"{EVENT}/{page}").content.decode())
    }
    own = {"ladder/members/C": set[str]()}.get(page, {"Withdraw challenge"})
    assert found == {"C": {"Accept", "Decline"}, "E": own, "A": set(), "": set(), "nora": set()}


def test_declining_and_withdrawing_ask_first_accepting_not(cast: Cast, rungs: Event) -> None:
    sent(cast, rungs)
    asked = {
        name: re.findall(r"<summary class=\"btn\">(.*?) …</summary>", body)
        for name in ("C", "E")
        if (body := cast.client(name).get(f"{EVENT}/challenges/1").content.decode())
    }
    assert asked == {"C": ["Decline"], "E": ["Withdraw challenge"]}


def test_player_page_has_ones_open_challenges_with_answers(cast: Cast, rungs: Event) -> None:
    sent(cast, rungs)
    page = "/clubs/riverside/players/C"
    response = cast.client("C").get(page)
    assert "Challenges on Ladder" in text_of(response)
    assert {"Accept (challenge 1)", "Decline (challenge 1)"} == buttons(response.content.decode())
    assert buttons(cast.client("E").get(page).content.decode()) == set()
    pressed = {"to": "accepted", "back": "player:C"}
    done = cast.client("C").post(f"{EVENT}/challenges/1/move", pressed, follow=True)
    assert done.redirect_chain == [(page, 302)]
    assert "Challenge accepted." in text_of(done)
    assert Challenge.objects.get().state == "accepted"


def test_result_by_totals_waits_for_the_loser_and_moves_the_list(cast: Cast, rungs: Event) -> None:
    accepted(cast, rungs)
    form = f"{EVENT}/challenges/1/result"
    typed = {
        **{"player-1": "E", "points-1": "20", "player-2": "C", "points-2": "30"},
        **{"player-3": "A", "points-3": "40", "player-4": "B", "points-4": "66"},
    }
    done = cast.client("E").post(form, typed, follow=True)
    assert done.redirect_chain == [(f"{EVENT}/challenges/1", 302)]
    assert "You won against Member C. Member C or a host confirms the result." in text_of(done)
    assert "Confirm result" not in buttons(done.content.decode())
    loser = cast.client("C").get(f"{EVENT}/challenges/1")
    assert buttons(loser.content.decode()) == {"Confirm result"}
    assert "It is wrong" in text_of(loser)
    cast.client("C").post(f"{EVENT}/challenges/1/move", {"to": "confirmed"})
    alone = text_of(cast.client().get(f"{EVENT}/ladder"))
    assert "The next publication follows when the worker is running again" in alone
    worker_runs()
    behind = text_of(cast.client().get(f"{EVENT}/ladder"))
    assert "The ladder is being updated. This is publication 1 of 21:00." in behind
    publish_all(rungs)
    said = text_of(cast.client().get(f"{EVENT}/ladder"))
    assert "3 2 up 2, was 5 Member E 5 → to 3 , beat Member C (#3) on 6 November" in said
    for page in ("ladder", "ladder/moves", "ladder/members/D"):
        text = text_of(cast.client().get(f"{EVENT}/{page}"))
        assert "#5 means the member at place 5 before that move" in text
    assert order(rungs).startswith("ABECD")


def test_refused_result_is_beside_its_field_with_what_was_entered(cast: Cast, rungs: Event) -> None:
    accepted(cast, rungs)
    form = f"{EVENT}/challenges/1/result"
    page = cast.client("E").get(form)
    assert "Enter a total for each of 3 to 6 players. Leave the other rows empty." in text_of(page)
    assert page.content.decode().count('name="points-') == 6
    nothing = cast.client("E").post(form, {"player-1": "E", "player-2": "C"})
    assert "Give either the table or the totals of all players." in summary(nothing, 422)
    early = {"player-1": "E", "points-1": "20", "player-2": "C", "points-2": "30",
             "player-3": "A", "points-3": "40", "played_on": "2025-11-01"}  # fmt: skip
    refused = cast.client("E").post(form, early)
    assert beside(refused, "played_on").startswith("2025-11-01 cannot be the day of this game.")
    assert 'value="20"' in refused.content.decode()
    twice = cast.client("E").post(form, {**early, "player-3": "E"})
    assert beside(twice, "player-3") == "Member E is already in seat 1."
    nobodys = cast.client("E").post(form, {**early, "player-3": ""})
    assert beside(nobodys, "player-3") == "Choose the player for these points."
    assert Challenge.objects.get().state == "accepted"


@pytest.mark.parametrize(
    ("who", "whom", "says"),
    [
        ("E", "A", "Member A is 4 places up, at place 1. At most 3 up may be challenged."),
        ("E", "Z", "Z is not an entrant of this event."),
        ("E", "", "Choose the player to challenge."),
    ],
)
def test_challenge_that_may_not_be_is_refused_beside_its_field(
    cast: Cast, rungs: Event, who: str, whom: str, says: str
) -> None:
    answer = cast.client(who).post(f"{EVENT}/challenges/new", {"challenged": whom})
    assert says in beside(answer, "challenged", 422)
    assert not Challenge.objects.exists()


def test_answer_after_the_deadline_is_refused_in_local_time(
    cast: Cast, rungs: Event, clock: time_machine.Traveller
) -> None:
    sent(cast, rungs)
    clock.shift(timedelta(days=4))
    answer = cast.client("C").post(f"{EVENT}/challenges/1/move", {"to": "accepted"})
    assert "The deadline was 9 Nov 2025, 24:00. Later answers and results do not count." in summary(
        answer, 422
    )


@pytest.mark.parametrize(("who", "is_own"), [("hanna", False), ("E", True)])
def test_challenge_presets_nobody_twice(cast: Cast, rungs: Event, who: str, is_own: bool) -> None:
    if is_own:
        Membership.objects.filter(user=cast.users["E"]).update(role="host")
    client = cast.client(who)

    def chosen(query: str = "") -> dict[str, str]:
        """What a browser sends of each list that nobody touched."""
        html = client.get(f"{EVENT}/challenges/new{query}").content.decode()
        lists = re.findall(r'<select name="(\w+)".*?</select>', html, re.S)
        texts = re.findall(r'<select name="\w+".*?</select>', html, re.S)
        found = {}
        for name, text in zip(lists, texts, strict=True):
            values = re.findall(r'<option value="([^"]*)"( selected)?', text)
            found[name] = next((value for value, is_it in values if is_it), values[0][0])
        return found

    own = "E" if is_own else ""
    assert chosen() == {"challenger": own, "challenged": ""}
    assert chosen("?to=C") == {"challenger": own, "challenged": "C"}
    if is_own:
        assert chosen("?to=E") == {"challenger": "E", "challenged": ""}
    refused = client.post(f"{EVENT}/challenges/new", {"challenger": "E", "challenged": ""})
    assert "Choose the challenged member." in summary(refused, 422)


def test_member_who_is_withdrawn_is_named(cast: Cast, rungs: Event) -> None:
    said = {"withdrawn": "withdrawn and removed from the ladder.", "active": "reinstated."}
    for to, words in said.items():
        answer = cast.client("dirk").post(
            f"{EVENT}/entrants/F/direct", {"to": to, "reason": "Moved away."}, follow=True
        )
        assert f"Member F {words}" in text_of(answer)


def test_name_that_ends_with_a_stop_gets_no_second_one(cast: Cast, rungs: Event) -> None:
    Player.objects.filter(player_id="E").update(name="Farid S.", public_name="Farid S.")
    sent(cast, rungs)
    page = f"{EVENT}/challenges/1"
    assert (
        "no answer counts as a win for Farid S. If Farid S. wins: Farid S. place 5 → 3,"
        in text_of(cast.client("").get(page))
    )
    again = cast.client("E").post(f"{EVENT}/challenges/new", {"challenged": "D"})
    assert "Farid S. has an open challenge already" in beside(again, "challenged") + summary(again)
    other = cast.client("D").post(f"{EVENT}/challenges/new", {"challenged": "C"})
    assert "already, by Farid S. Wait until" in beside(other, "challenged") + summary(other)
    cast.client("C").post(f"{EVENT}/challenges/1/move", {"to": "declined"})
    publish_all(rungs)
    text = text_of(cast.client().get(page))
    assert "on 6 Nov 2025, 21:00. It counts as a win for Farid S. Number 1" in text


def test_correction_of_the_game_leaves_who_confirmed_the_result(cast: Cast, rungs: Event) -> None:
    accepted(cast, rungs)
    game = finished(seated(rungs, "ECAB", round_number=2), [1, 4, 2, 6])
    enter_result(Operation(member(cast, "E"), NOW), challenge_at(rungs, 1), table="r2t1")
    answer_challenge(Operation(member(cast, "C"), NOW), challenge_at(rungs, 1), to="confirmed")
    confirmed = "Member E finished ahead; confirmed on 6 Nov 2025, 21:00 by the loser, Member C."
    page = f"{EVENT}/challenges/1"
    assert confirmed in text_of(cast.client().get(page))
    assert "corrected afterwards" not in text_of(cast.client().get(page))
    hand(game, 1, [6, 1, 2, 4], queen=3, based_on=1, reason="Read again.")
    publish_all(rungs)
    corrected = f"{confirmed} The game was corrected afterwards: Member C finished ahead."
    assert corrected in text_of(cast.client().get(page))
    over_rest = cast.client().get(f"/api/v1{page}").json()
    assert (over_rest["winner"], over_rest["confirmed_winner"]) == ("C", "E")
    assert (over_rest["confirmed_as"], order(rungs)[:3]) == ("loser", "ABC")


def test_end_of_a_challenge_is_the_moment_that_its_deadline_named(
    cast: Cast, rungs: Event, clock: time_machine.Traveller
) -> None:
    sent(cast, rungs)
    page = f"{EVENT}/challenges/1"
    assert "Answer by Member C due Sun 9 Nov, 24:00" in text_of(cast.client().get(page))
    clock.shift(timedelta(days=4))
    run_clock(rungs, timezone.now())
    over = text_of(cast.client().get(page))
    assert "Expired on 9 Nov 2025, 24:00 without an answer." in over
    assert "Over 9 Nov 2025, 24:00" in over


def test_two_challenges_are_decided_by_one_table_by_pages(cast: Cast, rungs: Event) -> None:
    accepted(cast, rungs)
    issue(cast, rungs, "D", "B", timezone.now())
    answer(cast, rungs, "B", "accepted", timezone.now(), number=2)
    none = text_of(cast.client("E").get(f"{EVENT}/challenges/1/result"))
    assert "No finished table since the day of the challenge has both players." in none
    finished(seated(rungs, "EDCB", round_number=2), [1, 2, 4, 6])
    for number, who in ((1, "E"), (2, "D")):
        form = f"{EVENT}/challenges/{number}/result"
        page = cast.client(who).get(form)
        assert re.findall(r'<option value="(r\d+t\d+)"', page.content.decode()) == ["r2t1"]
        assert "other players there keep their places" in text_of(page)
        done = cast.client(who).post(form, {"table": "r2t1"}, follow=True)
        loser = {"E": "C", "D": "B"}[who]
        assert f"You won against Member {loser}." in text_of(done)
    sheet = cast.client().get(f"{EVENT}/tables/r2t1")
    said = "On the ladder this table counts only for: challenge 1 , challenge 2"
    assert said in text_of(sheet)
    over_rest = cast.client().get(f"/api/v1{EVENT}/tables/r2t1").json()
    assert (over_rest["challenges"], over_rest["moves_nobody"]) == ([1, 2], None)
    for number, who in ((2, "B"), (1, "C")):
        cast.client(who).post(f"{EVENT}/challenges/{number}/move", {"to": "confirmed"})
    publish_all(rungs, now=timezone.now())
    assert set(Challenge.objects.values_list("state", flat=True)) == {"confirmed"}
    rows = cast.client().get(f"/api/v1{EVENT}/ladder").json()["rows"]
    assert "".join(row["player_id"] for row in rows)[:6] == "ADBECF"


def test_table_too_far_apart_is_named_at_seating_and_in_moves(cast: Cast, dirk: Client) -> None:
    event = ladder(cast, now=NOW, max_span=3)
    publish_all(event)
    people = list(Player.objects.filter(player_id__in="ABCG").order_by("player_id"))
    game = table(event, people, round_number=1, table_number=1)
    Round.objects.update(state="draft")
    reason = "The best and the last at the table are 6 places apart. At most 3 are allowed."
    said = f"This table moves nobody on the ladder. {reason}"
    for page in ("rounds/1", "rounds/1/direct"):
        text = text_of(dirk.get(f"{EVENT}/{page}"))
        assert "Table 1 moves nobody on the ladder. The page of the table says why." in text
    assert said in text_of(dirk.get(f"{EVENT}/tables/r1t1"))
    assert dirk.get(f"/api/v1{EVENT}/rounds/1").json()["moves_nobody"] == ["r1t1"]
    Round.objects.update(state="posted")
    finished(game)
    publish_all(event)
    Event.objects.update(settings={**event.settings, "ladder": {}})
    assert said in text_of(cast.client().get(f"{EVENT}/tables/r1t1")), "as it was decided then"
    moves = text_of(cast.client().get(f"{EVENT}/ladder/moves"))
    assert f"Tables that moved nobody 6 Nov Round 1, table 1 : {reason}" in moves
    assert cast.client().get(f"/api/v1{EVENT}/tables/r1t1").json()["moves_nobody"] == "ladder_span"


def test_foot_and_rules_name_the_distance_of_the_top_group(cast: Cast) -> None:
    publish_all(ladder(cast, now=NOW, reach_top=2, max_span=4))
    foot = text_of(cast.client().get(f"{EVENT}/ladder"))
    assert "To challenge one of the first 10: at most 2." in foot
    assert "A table whose members are more than 4 places apart moves nobody." in foot
    rules = text_of(cast.client("dirk").get(f"{EVENT}/ladder/rules/change"))
    assert "1 to 1000. Default: the general distance. If empty: the general distance." in rules
    assert "2 to 1000. Default: no limit. If empty: no limit." in rules
