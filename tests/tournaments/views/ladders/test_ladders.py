"""The pages of a ladder as each reader sees them: places, moves, rules, refusals."""

import re

import pytest

from tests.support.builders import ladder as empty_ladder
from tests.support.builders import league, publish_all
from tests.support.cast import NOW, Cast
from tests.support.pages.ladders import EVENT, sent
from tests.support.pages.text import beside, text_of
from tests.support.scenarios.ladders import member
from tournaments.models.events import Event
from tournaments.services.ladders.challenges import answer_challenge

pytestmark = pytest.mark.usefixtures("clock")


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
