"""The pages of a ladder as each reader sees them: what is there, what may be done, refusals."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from tests.support.answers import Json
from tests.support.builders import finished, league, publish_all, table, worker_runs
from tests.support.builders import ladder as empty_ladder
from tests.support.cast import NOW, Cast
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.ladders import ladder, member, order, totals
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.services.ladders.answer_challenge import answer_challenge
from tournaments.services.ladders.challenge_results import enter_result
from tournaments.services.ladders.issue_challenge import issue_challenge

pytestmark = pytest.mark.django_db

EVENT = "/clubs/riverside/events/ladder"


@pytest.fixture
def cast(clock: time_machine.Traveller, cast: Cast) -> Cast:
    """The cast, while time stands still."""
    return cast


@pytest.fixture
def rungs(cast: Cast) -> Event:
    """A ladder of ten, of which four have played one table."""
    event = ladder(cast, now=NOW)
    seated = [Player.objects.get(player_id=code) for code in "GHIJ"]
    finished(table(event, seated))
    publish_all(event)
    return event


def sent(cast: Cast, event: Event, low: str = "E", high: str = "C") -> Challenge:
    return issue_challenge(
        actor=member(cast, low), event=event, challenged=high, now=timezone.now()
    )


def accepted(cast: Cast, event: Event) -> Challenge:
    made = sent(cast, event)
    actor, now = member(cast, "C"), timezone.now()
    return answer_challenge(actor=actor, event=event, number=made.number, to="accepted", now=now)


def buttons(page: str) -> set[str]:
    """What stands on the buttons of forms that move a challenge."""
    forms = re.findall(r'action="[^"]*/challenges/\d+/move">(.*?)</form>', page, re.S)
    texts = {
        re.sub(r"<[^>]*>", " ", one.partition("<button")[2].partition(">")[2]) for one in forms
    }
    return {" ".join(one.split()) for one in texts}


def test_list_has_places_moves_stories_and_what_it_is_made_of(cast: Cast, rungs: Event) -> None:
    said = text_of(cast.client().get(f"{EVENT}/ladder"))
    assert "As of Thursday 6 November 2025, publication 1 of 6 Nov 2025, 21:00." in said
    assert "take their place. Members in between move down one place." in said
    assert "Challenge at most 3 places up." in said
    assert "1 unchanged Member A opening position on 6 November" in said
    assert "7 1 up 1, was 8 Member H 8 → to 7 , won a table with" in said
    assert "1 game counted" in said
    assert "#5 means the member" not in said
    assert "Your place" not in said


def test_member_is_told_the_own_place_and_whom_to_challenge(cast: Cast, rungs: Event) -> None:
    page = cast.client("E").get(f"{EVENT}/ladder")
    said = text_of(page)
    assert "Your place Place 5 of 10." in said
    assert "Member E (you)" in said
    offered = re.findall(r'name="challenged" value="(\w)"', page.content.decode())
    assert offered == ["D", "C", "B"]


def test_one_press_sends_a_challenge_and_both_see_it_with_its_deadline(
    cast: Cast, rungs: Event
) -> None:
    done = cast.client("E").post(f"{EVENT}/challenges/new", {"challenged": "C"}, follow=True)
    assert done.redirect_chain == [(f"{EVENT}/challenges/1", 302)]
    assert "Challenge 1 sent." in text_of(done)
    own = text_of(cast.client("E").get(f"{EVENT}/ladder"))
    assert "Answer by Member C due Sun 9 Nov, 24:00 (3 days left)" in own
    assert "Challenges Member C: answer by Sun 9 Nov, 24:00" in own
    assert "Challenged by Member E: answer by Sun 9 Nov, 24:00" in own
    anybody = cast.client().get(f"{EVENT}/ladder")
    assert "Answer by Member C due Sun 9 Nov, 24:00" in text_of(anybody)
    assert buttons(anybody.content.decode()) == set()


@pytest.mark.parametrize("page", ["ladder", "ladder/members/C", "challenges", "challenges/1"])
def test_challenged_finds_accept_and_decline_and_nobody_else_does(
    cast: Cast, rungs: Event, page: str
) -> None:
    sent(cast, rungs)
    found = {
        name: {one.partition(" (")[0] for one in buttons(body)}
        for name in ("C", "E", "A", "", "nora")
        if (body := cast.client(name).get(f"{EVENT}/{page}").content.decode())
    }
    own = {"ladder/members/C": set[str]()}.get(page, {"Withdraw challenge"})
    assert found == {"C": {"Accept", "Decline"}, "E": own, "A": set(), "": set(), "nora": set()}


def test_player_page_has_own_open_challenges_with_accept_and_decline(
    cast: Cast, rungs: Event
) -> None:
    sent(cast, rungs)
    page = "/clubs/riverside/players/C"
    own = cast.client("C").get(page)
    assert "Challenges on Ladder" in text_of(own)
    assert {"Accept (challenge 1)", "Decline (challenge 1)"} == buttons(own.content.decode())
    assert buttons(cast.client("E").get(page).content.decode()) == set()
    pressed = {"to": "accepted", "back": "player:C"}
    done = cast.client("C").post(f"{EVENT}/challenges/1/move", pressed, follow=True)
    assert done.redirect_chain == [(page, 302)]
    assert "Challenge accepted." in text_of(done)
    assert Challenge.objects.get().state == "accepted"


def test_accepted_game_may_be_put_off_once_and_called_off_by_both(cast: Cast, rungs: Event) -> None:
    accepted(cast, rungs)
    page, move = f"{EVENT}/challenges/1", f"{EVENT}/challenges/1/move"
    assert "Play by Thu 20 Nov, 24:00" in text_of(cast.client("E").get(page))
    done = cast.client("E").post(move, {"to": "postpone"}, follow=True)
    assert "Game postponed." in text_of(done)
    assert "Play by Thu 27 Nov, 24:00" in text_of(done)
    again = cast.client("E").post(move, {"to": "postpone"})
    assert again.status_code == 422
    assert "Member E has already postponed this game once." in summary(again)
    asked = cast.client("E").post(move, {"to": "cancelled"}, follow=True)
    assert "You asked to cancel the challenge." in text_of(asked)
    other = cast.client("C").get(page)
    assert "Agree to cancel" in buttons(other.content.decode())
    cast.client("C").post(move, {"to": "cancelled"})
    assert Challenge.objects.get().state == "cancelled"


def test_result_by_totals_waits_for_the_loser_and_moves_the_list(cast: Cast, rungs: Event) -> None:
    accepted(cast, rungs)
    form = f"{EVENT}/challenges/1/result"
    typed = {
        **{"player-1": "E", "points-1": "20", "player-2": "C", "points-2": "30"},
        **{"player-3": "A", "points-3": "40", "player-4": "B", "points-4": "40"},
    }
    done = cast.client("E").post(form, typed, follow=True)
    assert done.redirect_chain == [(f"{EVENT}/challenges/1", 302)]
    assert "Played: Member E finished ahead. Member C or a host confirms the result." in text_of(
        done
    )
    assert "Confirm result" not in buttons(done.content.decode())
    loser = cast.client("C").get(f"{EVENT}/challenges/1").content.decode()
    assert buttons(loser) == {"Confirm result", "Withdraw result"}
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
        told = text_of(cast.client().get(f"{EVENT}/{page}"))
        assert "#5 means the member at place 5 before that move" in told
    assert order(rungs).startswith("ABECD")


def test_form_of_a_result_says_how_many_play(cast: Cast, rungs: Event) -> None:
    accepted(cast, rungs)
    page = cast.client("E").get(f"{EVENT}/challenges/1/result")
    assert "Enter a total for each of 3 to 6 players. Leave the other rows empty." in text_of(page)
    assert page.content.decode().count('name="points-') == 6


def test_table_that_was_played_may_be_the_result(cast: Cast, rungs: Event) -> None:
    accepted(cast, rungs)
    seated = [Player.objects.get(player_id=code) for code in "ECAB"]
    finished(table(rungs, seated, round_number=2))
    form = f"{EVENT}/challenges/1/result"
    page = cast.client("C").get(form).content.decode()
    assert '<option value="r2t1">Round 2, table 1, 6 Nov</option>' in page
    cast.client("C").post(form, {"table": "r2t1"})
    assert Challenge.objects.get().state == "played"


def test_refused_result_stands_beside_its_field_with_what_was_typed(
    cast: Cast, rungs: Event
) -> None:
    accepted(cast, rungs)
    form = f"{EVENT}/challenges/1/result"
    nothing = cast.client("E").post(form, {"player-1": "E", "player-2": "C"})
    assert nothing.status_code == 422
    assert "Give either the table or the totals of all players." in summary(nothing)
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
        ("E", "E", "Nobody can challenge themselves."),
        ("E", "A", "Member A is 4 places up, at place 1. At most 3 up may be challenged."),
        ("E", "F", "Member F is at place 6, below 5. One challenges upwards only."),
        ("E", "Z", "Z is not an entrant of this event."),
        ("E", "", "is not an entrant of this event."),
    ],
)
def test_challenge_that_may_not_be_is_refused_beside_its_field(
    cast: Cast, rungs: Event, who: str, whom: str, says: str
) -> None:
    answer = cast.client(who).post(f"{EVENT}/challenges/new", {"challenged": whom})
    assert answer.status_code == 422
    assert says in beside(answer, "challenged")
    assert not Challenge.objects.exists()


def test_second_challenge_too_soon_is_refused_by_what_became_of_the_first(
    cast: Cast, rungs: Event
) -> None:
    sent(cast, rungs)
    answer_challenge(actor=member(cast, "C"), event=rungs, number=1, to="declined", now=NOW)
    answer = cast.client("E").post(f"{EVENT}/challenges/new", {"challenged": "C"})
    assert answer.status_code == 422
    assert "A challenge between the two was declined less than 7 days ago." in summary(answer)
    assert "again after 13 Nov 2025." in summary(answer)


def test_answer_after_the_deadline_is_refused_in_local_time(
    cast: Cast, rungs: Event, clock: time_machine.Traveller
) -> None:
    sent(cast, rungs)
    clock.shift(timedelta(days=4))
    answer = cast.client("C").post(f"{EVENT}/challenges/1/move", {"to": "accepted"})
    assert answer.status_code == 422
    assert "The deadline was 9 Nov 2025, 24:00. Later answers and results do not count." in summary(
        answer
    )


@pytest.mark.parametrize(("who", "is_own"), [("hanna", False), ("E", True)])
def test_challenge_of_a_host_begins_with_no_two_of_the_same(
    cast: Cast, rungs: Event, who: str, is_own: bool
) -> None:
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
    assert refused.status_code == 422
    assert "Choose the challenged member." in summary(refused)


def test_member_who_is_withdrawn_is_named(cast: Cast, rungs: Event) -> None:
    said = {"withdrawn": "withdrawn and removed from the ladder.", "active": "reinstated."}
    for to, words in said.items():
        answer = cast.client("dirk").post(
            f"{EVENT}/entrants/F/direct", {"to": to, "reason": "Moved away."}, follow=True
        )
        assert f"Member F {words}" in text_of(answer)


def test_strangers_are_shown_no_form_and_their_posts_change_nothing(
    cast: Cast, rungs: Event
) -> None:
    sent(cast, rungs)
    for name, status in (("", 302), ("nora", 404), ("piet", 403), ("A", 422)):
        answer = cast.client(name).post(f"{EVENT}/challenges/1/move", {"to": "accepted"})
        assert (name, answer.status_code) in {(name, status), ("nora", 403)}
    new = {"challenged": "A"}
    assert cast.client("piet").post(f"{EVENT}/challenges/new", new).status_code == 403
    assert cast.client("").post(f"{EVENT}/absences/new", {}).status_code == 302
    assert [one.state for one in Challenge.objects.all()] == ["issued"]


def test_host_sends_and_answers_for_others(cast: Cast, rungs: Event) -> None:
    hanna = cast.client("hanna")
    form = hanna.get(f"{EVENT}/challenges/new").content.decode()
    assert 'name="challenger"' in form
    hanna.post(f"{EVENT}/challenges/new", {"challenger": "E", "challenged": "C"})
    page = hanna.get(f"{EVENT}/challenges/1").content.decode()
    assert {"Accept", "Decline", "Withdraw challenge"} <= buttons(page)
    hanna.post(f"{EVENT}/challenges/1/move", {"to": "accepted"})
    off = {"to": "postpone", "by": "challenged"}
    done = hanna.post(f"{EVENT}/challenges/1/move", off, follow=True)
    assert "Member C has postponed the game." in text_of(done)


def test_name_that_ends_with_a_stop_gets_no_second_one(cast: Cast, rungs: Event) -> None:
    Player.objects.filter(player_id="E").update(name="Farid S.")
    sent(cast, rungs)
    page = f"{EVENT}/challenges/1"
    assert "no answer counts as a win for Farid S. Number 1" in text_of(cast.client("").get(page))
    again = cast.client("E").post(f"{EVENT}/challenges/new", {"challenged": "D"})
    assert "Farid S. has an open challenge already" in beside(again, "challenged") + summary(again)
    other = cast.client("D").post(f"{EVENT}/challenges/new", {"challenged": "C"})
    assert "already, by Farid S. Wait until" in beside(other, "challenged") + summary(other)
    cast.client("C").post(f"{EVENT}/challenges/1/move", {"to": "declined"})
    publish_all(rungs)
    said = text_of(cast.client().get(page))
    assert "on 6 Nov 2025, 21:00. It counts as a win for Farid S. Number 1" in said


@pytest.mark.parametrize(
    ("who", "says"), [("olga", "an owner (olga)"), ("C", "the loser, Member C")]
)
def test_confirmed_result_says_who_confirmed_it(
    cast: Cast, rungs: Event, who: str, says: str
) -> None:
    accepted(cast, rungs)
    points = totals("E", "C", "A", "B")
    enter_result(actor=member(cast, "E"), event=rungs, number=1, points=points, now=NOW)
    move = {"to": "confirmed"}
    done = cast.client(who).post(f"{EVENT}/challenges/1/move", move, follow=True)
    said = f"Member E finished ahead; confirmed on 6 Nov 2025, 21:00 by {says}."
    assert said in text_of(done)


def test_director_makes_a_confirmed_one_void_with_a_reason(cast: Cast, rungs: Event) -> None:
    accepted(cast, rungs)
    points = totals("E", "C", "A", "B")
    enter_result(actor=member(cast, "E"), event=rungs, number=1, points=points, now=NOW)
    answer_challenge(actor=member(cast, "C"), event=rungs, number=1, to="confirmed", now=NOW)
    dirk, move = cast.client("dirk"), f"{EVENT}/challenges/1/move"
    refused = dirk.post(move, {"to": "void"})
    assert refused.status_code == 422
    assert beside(refused, "reason")
    dirk.post(move, {"to": "void", "reason": "The wrong two played."})
    assert Challenge.objects.get().state == "void"


def test_absence_is_told_shown_and_ended(cast: Cast, rungs: Event) -> None:
    piet, form = cast.client("C"), f"{EVENT}/absences/new"
    refused = piet.post(form, {"since": "2025-11-08", "until": "2025-11-07"})
    assert "The absence ends before it begins." in beside(refused, "until")
    assert beside(piet.post(form, {"since": ""}), "since") == (
        "Enter the first day of the absence."
    )
    piet.post(form, {"since": "2025-11-06", "until": "2025-11-12"})
    assert "Away until 12 Nov 2025, place kept" in text_of(cast.client("E").get(f"{EVENT}/ladder"))
    assert "6 Nov 2025 – 12 Nov 2025" in text_of(cast.client("E").get(f"{EVENT}/ladder/members/C"))
    offered = cast.client("E").get(f"{EVENT}/ladder").content.decode()
    assert 'name="challenged" value="C"' not in offered
    again = piet.post(f"{EVENT}/absences/end", {"player_id": "C"}, follow=True)
    assert "Absence ended." in text_of(again)
    assert not LadderAbsence.objects.filter(until__gte=NOW.date()).exists()


AWAY_ON = ("ladder", "ladder/members/C", "absences")


@pytest.mark.parametrize("who", ["", "nora"])
@pytest.mark.parametrize("page", AWAY_ON)
def test_who_is_away_is_told_to_members_of_the_club_only(
    cast: Cast, rungs: Event, page: str, who: str
) -> None:
    cast.client("C").post(f"{EVENT}/absences/new", {"since": "2025-11-06", "until": "2025-11-12"})
    assert LadderAbsence.objects.count() == 1
    said = text_of(cast.client(who).get(f"{EVENT}/{page}"))
    assert "12 Nov" not in said
    assert "Away" not in said
    assert page == "absences" or "Absences" not in said
    assert "12 Nov 2025" in text_of(cast.client("E").get(f"{EVENT}/{page}"))


def test_step_of_more_moves_than_a_page_holds_stands_on_one_page(
    cast: Cast, rungs: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.views.ladders.ladders.MOVES", 3)
    pages, at = [], "?"
    while at:
        page = cast.client().get(f"{EVENT}/ladder/moves{at}").content.decode()
        pages.append(page)
        older = re.search(r"\?before=\d+", page)
        at = older.group() if older else ""
    assert all(f"Member {code}" in pages[-1] for code in "ABCDEFGHIJ")
    assert len(pages) == 2


def test_host_tells_an_absence_for_anybody(cast: Cast, rungs: Event) -> None:
    typed = {"player_id": "D", "since": "2025-11-06"}
    done = cast.client("hanna").post(f"{EVENT}/absences/new", typed, follow=True)
    assert "Member D" in text_of(done)
    other = cast.client("E").post(f"{EVENT}/absences/end", {"player_id": "D"})
    assert other.status_code == 403
    assert LadderAbsence.objects.get().until is None


def test_member_page_has_the_rating_as_chart_and_table(cast: Cast, rungs: Event) -> None:
    page = cast.client().get(f"{EVENT}/ladder/members/H")
    body = page.content.decode()
    assert f'src="{EVENT}/charts/ratings/H"' in body
    assert "Rating of Member H after each game, newest first" in text_of(page)
    chart = cast.client().get(f"{EVENT}/charts/ratings/H")
    assert chart["Content-Type"] == "image/svg+xml"
    assert b"Rating from 1500 before game 1 to 1532.0 after game 1" in chart.content
    assert b"style=" not in chart.content
    assert cast.client().get(f"{EVENT}/charts/ratings/A").status_code == 404
    assert cast.client().get(f"{EVENT}/ladder/members/Z").status_code == 404


def test_moves_lead_to_the_table_that_made_them(cast: Cast, rungs: Event) -> None:
    body = cast.client().get(f"{EVENT}/ladder/moves").content.decode()
    assert f'<a href="{EVENT}/tables/r1t1">won a table with' in body
    assert "opening position on 6 November" in body


def test_ratings_say_who_is_provisional(cast: Cast, rungs: Event) -> None:
    said = text_of(cast.client().get(f"{EVENT}/ratings"))
    assert "Provisional: ranked after 10 games" in said
    assert "? no rank yet Member H 1532.0?" in said


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        (
            {},
            "A member’s first 10 games use K 64, later games use K 32. The gains and losses at "
            "a table are equal if all players have the same K.",
        ),
        ({"k_new": 32}, "not the margin. The gains and losses at a table are equal."),
        ({"new_games": 0}, "not the margin. The gains and losses at a table are equal."),
    ],
)
def test_ratings_say_when_what_one_wins_the_others_lose(cast: Cast, rules: Json, says: str) -> None:
    event = ladder(cast, now=NOW, **rules)
    finished(table(event, [Player.objects.get(player_id=code) for code in "GHIJ"]))
    publish_all(event)
    assert says in text_of(cast.client().get(f"{EVENT}/ratings"))


def test_what_if_says_what_each_place_would_bring(cast: Cast, rungs: Event) -> None:
    page = cast.client().get(f"{EVENT}/ladder/what-if?player=A&player=B&player=C&player=D")
    assert "Member A 1500.0 +32.0 +10.7 −10.7 −32.0" in text_of(page)
    alone = cast.client().get(f"{EVENT}/ladder/what-if?player=A")
    assert alone.status_code == 422
    assert "There are 1 at the table." in summary(alone)
    assert cast.client().get(f"{EVENT}/ladder/what-if").status_code == 200


def test_what_if_finds_members_by_name_and_unticks_nobody(cast: Cast, rungs: Event) -> None:
    at, public = f"{EVENT}/ladder/what-if", cast.client()

    def listed(query: str) -> dict[str, bool]:
        answer = public.get(f"{at}?{query}")
        assert answer.status_code == 200
        boxes = re.findall(r'name="player" value="(.)"( checked)?', answer.content.decode())
        return {code: bool(checked) for code, checked in boxes}

    everybody = listed("")
    assert len(everybody) > 3
    # One is ticked, which is no table yet: a search rates nothing and refuses nothing.
    assert listed("q=C&player=A&search=yes") == {"A": True, "C": False}
    assert listed("player=A&search=yes") == {**everybody, "A": True}
    assert listed("q=zzz&search=yes") == {}
    assert "Nobody found." in text_of(public.get(f"{at}?q=zzz&search=yes"))


def test_director_changes_the_rules_with_a_reason_and_each_refusal_at_its_field(
    cast: Cast, rungs: Event
) -> None:
    assert "Maximum distance of a challenge 3" in text_of(
        cast.client().get(f"{EVENT}/ladder/rules")
    )
    dirk, change = cast.client("dirk"), f"{EVENT}/ladder/rules/change"
    page = dirk.get(change).content.decode()
    based_on = re.search(r'name="based_on" value="(\w+)"', page)
    assert based_on is not None
    typed = {"based_on": based_on[1], "rule": "swap", "rating": "elo", "unplayed": "cancelled"}
    refused = dirk.post(change, {**typed, "reach": "0", "reason": "Asked for."})
    assert refused.status_code == 422
    assert beside(refused, "reach") == "0 is not allowed. Expected: a whole number from 1 to 1000."
    assert beside(dirk.post(change, {**typed, "reach": "2"}), "reason")
    done = dirk.post(change, {**typed, "reach": "2", "reason": "Asked for."}, follow=True)
    assert "Maximum distance of a challenge 2 changed" in text_of(done)
    rungs.refresh_from_db()
    assert rungs.settings["ladder"] == {"rule": "swap", "unplayed": "cancelled", "reach": 2}
    for name, status in (("", 302), ("hanna", 403), ("C", 403)):
        assert cast.client(name).get(change).status_code == status


def test_publication_stays_as_it_was(cast: Cast, rungs: Event) -> None:
    sent(cast, rungs)
    answer_challenge(actor=member(cast, "C"), event=rungs, number=1, to="declined", now=NOW)
    publish_all(rungs)
    first = text_of(cast.client().get(f"{EVENT}/ladder/publications/1"))
    assert "Superseded by 2" in first
    assert "3 unchanged Member C opening position" in first
    second = text_of(cast.client().get(f"{EVENT}/ladder/publications/2"))
    assert "Member E 5 → to 3 , Member C (#3) declined on 6 November" in second
    assert cast.client().get(f"{EVENT}/ladder/publications/3").status_code == 404
    listed = cast.client().get(f"{EVENT}/ladder.csv").content.decode()
    assert listed.splitlines()[3].startswith("3,E,Member E,2,")


def test_ladder_without_members_says_what_will_be_here(cast: Cast) -> None:
    empty_ladder(cast.riverside)
    said = text_of(cast.client().get(f"{EVENT}/ladder"))
    assert "No members on the ladder yet" in said
    assert "Add player" not in said
    assert "Add player" in text_of(cast.client("dirk").get(f"{EVENT}/ladder"))
    for page, says in (
        ("ratings", "No rated games yet"),
        ("ladder/moves", "No moves yet"),
        ("challenges", "No challenges"),
        ("absences", "Members only"),
        ("ladder/what-if", "No members on the ladder yet"),
    ):
        assert says in text_of(cast.client().get(f"{EVENT}/{page}"))
    assert "No absences" in text_of(cast.client("dirk").get(f"{EVENT}/absences"))


@pytest.mark.parametrize(
    "page",
    [
        *("ladder", "ladder.csv", "ladder/publications/1", "ladder/members/RL01", "ladder/moves"),
        *("ladder/rules", "ladder/what-if", "ratings", "challenges", "challenges/1", "absences"),
    ],
)
def test_league_has_no_ladder(cast: Cast, page: str) -> None:
    league(cast.riverside)
    answer = cast.client("dirk").get(f"/clubs/riverside/events/league/{page}")
    assert answer.status_code == 404
    assert "This event is not a ladder." in text_of(answer)


def test_ladder_that_is_held_back_is_nobodys_but_a_directors(cast: Cast) -> None:
    empty_ladder(cast.riverside, visibility="held")
    statuses = {
        name: cast.client(name).get(f"{EVENT}/ladder").status_code
        for name in ("", "nora", "piet", "hanna", "dirk", "olga")
    }
    assert statuses == {
        "": 404, "nora": 404, "piet": 404, "hanna": 404, "dirk": 200, "olga": 200,
    }  # fmt: skip


def test_pages_of_a_ladder_lead_to_it(cast: Cast, rungs: Event) -> None:
    link = f'href="{EVENT}/ladder"'
    for page in (EVENT, "/clubs/riverside", f"{EVENT}/challenges", f"{EVENT}/ratings"):
        assert link in cast.client().get(page).content.decode()
    assert link in cast.client("dirk").get(f"{EVENT}/direct").content.decode()


def test_club_shows_the_places_of_its_ladder_and_not_a_table_of_points(
    cast: Cast, rungs: Event
) -> None:
    page = cast.client().get("/clubs/riverside")
    said = text_of(page)
    first = " ".join(f"{place} Member {code}" for place, code in enumerate("ABCDEF", start=1))
    assert f"Place Member {first} 7 Member H" in said
    assert "Full ladder (10 places)" in said
    assert f'href="{EVENT}/ladder"' in page.content.decode()
    assert "No members on the ladder yet" not in said
