"""Stages that a director plans, changes, moves and removes on pages."""

import re

from django.test import Client

from tests.support.builders import league
from tests.support.cast import Cast
from tests.support.pages.text import beside, summary, text_of

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


def test_bad_plan_is_refused_beside_its_field(cast: Cast, dirk: Client) -> None:
    league(cast.riverside)
    page = dirk.post(f"{ADDRESS}/stages/add", {**FINAL, "rounds": "many", "qualifiers": "1"})
    assert beside(page, "rounds", 422).startswith("“many” is not a valid number of rounds.")
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
    assert "Somebody changed this stage meanwhile." in summary(second, 422)
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


def test_planned_stages_are_moved_and_removed_by_buttons(cast: Cast, dirk: Client) -> None:
    league(cast.riverside)
    for name in ("Middle", "Last"):
        dirk.post(f"{ADDRESS}/stages/add", {**FINAL, "name": name})
    up, gone = press(dirk, 3, "up"), press(dirk, 2, "remove")
    assert dirk.post(f"{ADDRESS}/stages/3/plan", up).status_code == 302
    assert re.search("Last.*Middle", text_of(dirk.get(f"{ADDRESS}/stages")))
    late = dirk.post(f"{ADDRESS}/stages/2/plan", gone)
    assert "Somebody changed this stage meanwhile." in summary(late, 422)
    assert dirk.post(f"{ADDRESS}/stages/3/plan", up).status_code == 422
    assert dirk.post(f"{ADDRESS}/stages/2/plan", press(dirk, 2, "remove")).status_code == 302
    read = text_of(dirk.get(f"{ADDRESS}/stages"))
    assert "Middle" in read
    assert "Change Last" not in read


def press(client: Client, number: int, act: str) -> dict[str, str]:
    html = client.get(f"{ADDRESS}/stages").content.decode()
    form = html.partition(f'action="{ADDRESS}/stages/{number}/plan"')[2].partition("</form>")[0]
    (tag,) = re.findall(r'name="based_on" value="([^"]+)"', form)
    return {"act": act, "based_on": tag}
