"""The pages of a ladder: places, moves, rules, absences, ratings, warnings, and how they follow."""

import re
from collections.abc import Callable
from datetime import date, timedelta

import pytest
import time_machine

from tests.support.answers import Json
from tests.support.builders import by_tests, finished, league, publish_all
from tests.support.builders import ladder as empty_ladder
from tests.support.cast import NOW, Cast
from tests.support.pages.ladders import EVENT, accepted, sent
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.ladders import ladder, member, seated
from tournaments.models.events import Event
from tournaments.models.ladders import LadderAbsence
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.events.events import move_event
from tournaments.services.ladders.challenges import answer_challenge
from tournaments.services.ladders.members import report_absence
from tournaments.services.operations import Operation

pytestmark = pytest.mark.usefixtures("clock")


def test_list_has_places_moves_stories_and_what_it_is_made_of(cast: Cast, rungs: Event) -> None:
    text = text_of(cast.client().get(f"{EVENT}/ladder"))
    assert "As of Thursday 6 November 2025, publication 1 of 6 Nov 2025, 21:00." in text
    assert "take their place. Members in between move down one place." in text
    assert "Challenge at most 3 places up." in text
    assert "1 unchanged Member A opening position on 6 November" in text
    assert "7 1 up 1, was 8 Member H 8 → to 7 , won a table with" in text
    assert "1 game counted" in text
    assert "#5 means the member" not in text
    assert "Your place" not in text


def test_member_is_told_the_own_place_and_whom_to_challenge(cast: Cast, rungs: Event) -> None:
    page = cast.client("E").get(f"{EVENT}/ladder")
    text = text_of(page)
    assert "Your place Place 5 of 10." in text
    assert "Member E (you)" in text
    assert re.findall(r'name="challenged" value="(\w)"', page.content.decode()) == ["D", "C", "B"]


def test_step_of_more_moves_than_a_page_holds_stands_on_one_page(
    cast: Cast, rungs: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.views.ladders.ladders.MOVES", 3)
    pages, at = [], "?"
    while at:
        page = cast.client().get(f"{EVENT}/ladder/moves{at}").content.decode()
        pages.append(page)
        older = re.search(r'href="(\?before=\d+)"', page)
        at = older[1] if older else ""
    assert all(f"Member {code}" in pages[-1] for code in "ABCDEFGHIJ")
    assert len(pages) == 2


def test_director_changes_rules_with_a_reason_or_is_told_why(cast: Cast, rungs: Event) -> None:
    assert "Maximum distance of a challenge 3" in text_of(
        cast.client().get(f"{EVENT}/ladder/rules")
    )
    dirk, change = cast.client("dirk"), f"{EVENT}/ladder/rules/change"
    based_on = re.search(r'name="based_on" value="(\w+)"', dirk.get(change).content.decode())
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
    answer_challenge(Operation(member(cast, "C"), NOW), challenge_at(rungs, 1), to="declined")
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
    text = text_of(cast.client().get(f"{EVENT}/ladder"))
    assert "No members on the ladder yet" in text
    assert "Add player" not in text
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


def test_league_has_no_ladder(cast: Cast) -> None:
    league(cast.riverside)
    for page in (
        *("ladder", "ladder.csv", "ladder/publications/1", "ladder/members/RL01", "ladder/moves"),
        *("ladder/rules", "ladder/what-if", "ratings", "challenges", "challenges/1", "absences"),
    ):
        answer = cast.client("dirk").get(f"/clubs/riverside/events/league/{page}")
        assert answer.status_code == 404, page
        assert "This event is not a ladder." in text_of(answer), page


def test_club_shows_places_of_its_ladder_and_no_table_of_points(cast: Cast, rungs: Event) -> None:
    page = cast.client().get("/clubs/riverside")
    text = text_of(page)
    assert "Place Member 1 Member A 2 Member B 3 Member C Full ladder" in text
    assert "Full ladder (10 places)" in text
    assert f'href="{EVENT}/ladder"' in page.content.decode()
    assert "No members on the ladder yet" not in text


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
def test_who_is_away_is_told_to_members_only(cast: Cast, rungs: Event, page: str, who: str) -> None:
    cast.client("C").post(f"{EVENT}/absences/new", {"since": "2025-11-06", "until": "2025-11-12"})
    assert LadderAbsence.objects.count() == 1
    text = text_of(cast.client(who).get(f"{EVENT}/{page}"))
    assert "12 Nov" not in text
    assert "Away" not in text
    assert page == "absences" or "Absences" not in text
    assert "12 Nov 2025" in text_of(cast.client("E").get(f"{EVENT}/{page}"))


def test_host_tells_an_absence_for_anybody(cast: Cast, rungs: Event) -> None:
    typed = {"player_id": "D", "since": "2025-11-06"}
    done = cast.client("hanna").post(f"{EVENT}/absences/new", typed, follow=True)
    assert "Member D" in text_of(done)
    assert cast.client("E").post(f"{EVENT}/absences/end", {"player_id": "D"}).status_code == 403
    assert LadderAbsence.objects.get().until is None


LADDER = f"{EVENT}/ladder"
LIVE = {"HX-Request": "true"}


def play(cast: Cast, event: Event) -> None:
    finished(seated(event, "CDEF", table_number=2))
    publish_all(event)


def decline(cast: Cast, event: Event) -> None:
    answer_challenge(Operation(member(cast, "C"), NOW), challenge_at(event, 1), to="declined")


@pytest.mark.parametrize(
    ("before", "change"), [((), sent), ((), accepted), ((sent,), decline), ((), play)]
)
def test_each_change_of_a_ladder_is_another_live_part(
    cast: Cast,
    rungs: Event,
    before: tuple[Callable[[Cast, Event], object], ...],
    change: Callable[[Cast, Event], object],
) -> None:
    for operation in before:
        operation(cast, rungs)
    client = cast.client()
    first = client.get(LADDER, headers=LIVE)
    assert b"<html" not in first.content
    change(cast, rungs)
    other = client.get(LADDER, headers={**LIVE, "If-None-Match": first["ETag"]})
    assert other.status_code == 200
    assert other["ETag"] != first["ETag"]


def test_final_ladder_asks_no_more(cast: Cast) -> None:
    event = ladder(cast, now=NOW)
    publish_all(event)
    for state, seconds in (("closed", 5), ("final", 0)):
        first = cast.client().get(LADDER, headers=LIVE)
        move_event(by_tests(), event, to=state)
        publish_all(event)
        event.refresh_from_db()
        page = cast.client().get(LADDER, headers={**LIVE, "If-None-Match": first["ETag"]})
        assert f'data-live="{seconds}"' in page.content.decode()


def test_ratings_and_moves_of_members_are_on_their_pages(cast: Cast, rungs: Event) -> None:
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
    body = cast.client().get(f"{EVENT}/ladder/moves").content.decode()
    assert f'<a href="{EVENT}/tables/r1t1">won a table with' in body
    assert "opening position on 6 November" in body
    text = text_of(cast.client().get(f"{EVENT}/ratings"))
    assert "Provisional: ranked after 10 games" in text
    assert "? no rank yet Member H 1532.0?" in text


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
    finished(seated(event, "GHIJ"))
    publish_all(event)
    assert says in text_of(cast.client().get(f"{EVENT}/ratings"))


def test_what_if_says_what_each_place_would_bring(cast: Cast, rungs: Event) -> None:
    page = cast.client().get(f"{EVENT}/ladder/what-if?player=A&player=B&player=C&player=D")
    assert "Member A 1500.0 +32.0 +10.7 −10.7 −32.0" in text_of(page)
    alone = cast.client().get(f"{EVENT}/ladder/what-if?player=A")
    assert "There are 1 at the table." in summary(alone, 422)
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


DROPS = "Idle: drops on 15 Dec 2025"
SAID = "You have not played here for 32 days. You drop on {day} unless you play before"


@pytest.fixture
def idle(cast: Cast, clock: time_machine.Traveller) -> Event:
    """ABCDEF of 6 November 2025, a Thursday; nobody has played until 8 December, and E was away.

    F is idle like the others, and has nobody to fall behind.
    """
    event = ladder(cast, "ABCDEF", now=NOW)
    report_absence(by_tests(), event, player_id="E", since=NOW.date(), until=date(2025, 12, 4))
    publish_all(event, now=NOW)
    clock.shift(timedelta(days=32))
    return event


def test_member_is_told_when_they_drop(cast: Cast, idle: Event) -> None:
    client = cast.client("A")
    assert SAID.format(day="15 Dec 2025") in text_of(client.get(LADDER))
    text = text_of(client.get(f"{LADDER}/members/A"))
    assert SAID.format(day="Monday 15 December 2025") in text
    other = text_of(client.get(f"{LADDER}/members/B"))
    assert "No game here for 32 days: drops on Monday 15 December 2025" in other
    for path in (LADDER, f"{LADDER}/members/A"):
        assert "drop" not in text_of(cast.client().get(path)).lower(), "others learn of nobody"


def test_host_sees_everybody_who_is_warned_but_who_is_away(cast: Cast, idle: Event) -> None:
    assert text_of(cast.client("hanna").get(LADDER)).count(DROPS) == 4  # neither E nor F
    report_absence(by_tests(NOW + timedelta(days=32)), idle, player_id="B", since=date(2025, 12, 1))
    assert text_of(cast.client("hanna").get(LADDER)).count(DROPS) == 3


def test_week_before_nobody_is_warned_and_no_time_runs_on_a_closed_ladder(
    cast: Cast, idle: Event, clock: time_machine.Traveller
) -> None:
    clock.shift(timedelta(days=-7))
    assert "drops on" not in text_of(cast.client("hanna").get(LADDER))
    clock.shift(timedelta(days=7))
    move_event(by_tests(NOW + timedelta(days=32)), idle, to="closed")
    assert "drops on" not in text_of(cast.client("hanna").get(LADDER))
