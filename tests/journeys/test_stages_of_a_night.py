"""Two qualifying rounds and a final of four, planned and begun on pages by a director: a tie at the
line holds it up until a bonus breaks it."""

import re

import pytest
from django.test import Client

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import beside, summary, text_of
from tests.support.scenarios.cuts import NAMES, close
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db

ADDRESS = "/clubs/riverside/events/league"
FINAL = {
    "name": "Final",
    "movement": "knockout",
    "rounds": "1",
    "table_sizes": "4",
    "takes": "winners",
    "advance": "best",
    "qualifiers": "4",
    "carry": "none",
}


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, *NAMES)


def qualifying(event: Event, people: list[Player]) -> None:
    """After two rounds: RL01 2, RL05 4, RL02 6, then RL03 and RL06 with 10 each."""
    for number, queen in ((1, 3), (2, 3)):
        one = table(event, people[:4], round_number=number)
        two = table(event, people[4:], round_number=number, table_number=2)
        hand(one, 1, [1, 3, 5, 4], queen)
        hand(two, 1, [2, 5, 5, 1] if number == 1 else [2, 5, 6, 0], queen)
        close(event, number)


def test_director_plans_begins_and_plays_a_final(cast: Cast, people: list[Player]) -> None:
    event = league(cast.riverside, settings={"playoff": "extra_hands"})
    dirk = cast.client("dirk")
    first = {"name": "Qualifying", "movement": "individual", "rounds": "2", "table_sizes": "4"}
    dirk.post(f"{ADDRESS}/stages/1/plan", first)
    page = dirk.post(f"{ADDRESS}/stages/add", FINAL, follow=True)
    assert page.redirect_chain == [(f"{ADDRESS}/stages", 302)]
    assert "the best 4 of Qualifying" in text_of(page)
    settings = text_of(dirk.get(f"{ADDRESS}/settings"))
    assert "Only games of this stage count" in settings
    assert "Change stages" in settings

    early = dirk.post(f"{ADDRESS}/stages/2/plan", {"act": "begin"})
    assert early.status_code == 422
    qualifying(event, people)
    tied = dirk.post(f"{ADDRESS}/stages/2/plan", {"act": "begin"})
    assert tied.status_code == 422
    assert "Ruth K. and Lena M. are tied at the cut after place 4" in summary(tied)
    line = {"entrant": "RL03", "kind": "bonus", "amount": "1", "reason": "Helped with the room."}
    assert dirk.post(f"{ADDRESS}/ledger/new", line).status_code == 302
    publish(event.pk, now=NOW)
    begun = dirk.post(f"{ADDRESS}/stages/2/plan", {"act": "begin"}, follow=True)
    assert begun.redirect_chain == [(f"{ADDRESS}/direct", 302)]
    read = text_of(cast.client().get(f"{ADDRESS}/stages"))
    assert "Elsa D. · Ivo T. · Ruth K. · Xenia S." in read
    assert "Begin stage" not in read

    final = table(event, [people[0], people[1], people[2], people[4]], round_number=3)
    hand(final, 1, [6, 4, 1, 2], queen=0)
    close(event, 3)
    rows = cast.client().get(f"/api/v1{ADDRESS}/standings").json()["rows"]
    assert [row["player_id"] for row in rows[:4]] == ["RL03", "RL05", "RL02", "RL01"]
    assert [row["values"]["raw_per_hand"] for row in rows[1:4]] == ["2", "4", "19"]
    bracket = cast.client().get(f"{ADDRESS}/stages/2/bracket")
    assert re.search(r"<svg[^>]+role=\"img\"", bracket.content.decode())
    assert "1. Ruth K." in text_of(bracket)
    changes = text_of(cast.client().get(f"{ADDRESS}/changes"))
    assert "Stage planned" in changes
    assert "Stage begun" in changes


def test_stage_without_enough_people_is_refused_and_can_be_made_smaller(
    cast: Cast, people: list[Player]
) -> None:
    event = league(cast.riverside)
    dirk = cast.client("dirk")
    assert dirk.post(f"{ADDRESS}/stages/add", {**FINAL, "qualifiers": "6"}).status_code == 302
    nobody = dirk.post(f"{ADDRESS}/stages/2/plan", {"act": "begin"})
    assert nobody.status_code == 422, "nobody has played"
    hand(table(event, people[:4]), 1, [1, 3, 5, 4], 3)
    close(event, 1)
    refused = dirk.post(f"{ADDRESS}/stages/2/plan", {"act": "begin"})
    assert refused.status_code == 422
    assert "Only 4 entrants can qualify, not 6. Enter a smaller number." in summary(refused)
    assert text_of(dirk.get(f"{ADDRESS}/stages")).count("Begin stage") == 1, "it is still planned"
    dirk.post(f"{ADDRESS}/stages/2/plan", {**FINAL, "qualifiers": "3"})
    begun = dirk.post(f"{ADDRESS}/stages/2/plan", {"act": "begin"}, follow=True)
    assert begun.redirect_chain == [(f"{ADDRESS}/direct", 302)]


def test_bad_plan_is_refused_beside_its_field(cast: Cast) -> None:
    league(cast.riverside)
    dirk = cast.client("dirk")
    page = dirk.post(f"{ADDRESS}/stages/add", {**FINAL, "rounds": "many", "qualifiers": "1"})
    assert page.status_code == 422
    assert beside(page, "rounds").startswith("“many” is not a valid number of rounds.")
    assert "does not say who goes on" in beside(page, "advance")
    assert 'value="many"' in page.content.decode()


def test_two_directors_who_change_a_stage_see_what_the_other_one_saved(cast: Cast) -> None:
    league(cast.riverside)
    dirk = cast.client("dirk")
    address = f"{ADDRESS}/stages/2/plan"
    dirk.post(f"{ADDRESS}/stages/add", FINAL)
    tag = dirk.get(address).context["form"]["based_on"].value()
    first = {**FINAL, "rounds": "3", "carry": "half", "based_on": tag}
    assert dirk.post(address, first).status_code == 302
    second = dirk.post(address, {**FINAL, "name": "Last table", "based_on": tag})
    assert second.status_code == 422
    assert "Somebody changed this stage meanwhile." in summary(second)
    meanwhile = text_of(second).partition("Saved meanwhile")[2].partition("Save stage”")[0]
    assert "Name of the stage Final Number of rounds 3" in meanwhile
    assert "What counts Earlier games count half" in meanwhile
    assert "Number of qualifiers" not in meanwhile
    assert 'value="Last table"' in second.content.decode()
    again = second.context["form"]["based_on"].value()
    assert again != tag
    mine = {**FINAL, "name": "Last table", "based_on": again}
    assert dirk.post(address, mine).status_code == 302
    assert "Last table" in text_of(dirk.get(f"{ADDRESS}/stages"))


def test_planned_stages_are_moved_and_removed_by_buttons(cast: Cast) -> None:
    league(cast.riverside)
    dirk = cast.client("dirk")
    for name in ("Middle", "Last"):
        dirk.post(f"{ADDRESS}/stages/add", {**FINAL, "name": name})
    up, gone = press(dirk, 3, "up"), press(dirk, 2, "remove")
    assert dirk.post(f"{ADDRESS}/stages/3/plan", up).status_code == 302
    assert re.search("Last.*Middle", text_of(dirk.get(f"{ADDRESS}/stages")))
    late = dirk.post(f"{ADDRESS}/stages/2/plan", gone)
    assert late.status_code == 422
    assert "Somebody changed this stage meanwhile." in summary(late)
    assert dirk.post(f"{ADDRESS}/stages/3/plan", up).status_code == 422
    assert dirk.post(f"{ADDRESS}/stages/2/plan", press(dirk, 2, "remove")).status_code == 302
    read = text_of(dirk.get(f"{ADDRESS}/stages"))
    assert "Middle" in read
    assert "Change Last" not in read


def press(client: Client, number: int, act: str) -> dict[str, str]:
    """Return what a button of a stage sends, as the page of all stages has it now."""
    html = client.get(f"{ADDRESS}/stages").content.decode()
    form = html.partition(f'action="{ADDRESS}/stages/{number}/plan"')[2].partition("</form>")[0]
    (tag,) = re.findall(r'name="based_on" value="([^"]+)"', form)
    return {"act": act, "based_on": tag}


def test_stage_cannot_begin_before_somebody_has_a_place(cast: Cast) -> None:
    event = league(cast.riverside)
    dirk = cast.client("dirk")
    dirk.post(f"{ADDRESS}/stages/add", FINAL)
    publish(event.pk, now=NOW)
    refused = dirk.post(f"{ADDRESS}/stages/2/plan", press(dirk, 2, "begin"))
    assert refused.status_code == 422
    said = "No entrant has a place in the standings yet. Play and close a round, wait until"
    assert said in text_of(refused)
