"""`Smith, John` is asked about when it is added, lists of people never part names by commas alone,
and players are found by the beginnings of their names."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.errors import Refused
from tests.support.builders import TESTS, players
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.services.clubs.clubs import add_guest, add_guest_once, add_player

ADD = "/clubs/riverside/add-players"
PLAYERS = "/clubs/riverside/players"
TEMPLATES = Path(__file__).resolve().parents[4] / "templates"


def names() -> list[str]:
    return list(Player.objects.order_by("player_id").values_list("name", flat=True))


def test_a_pasted_name_with_a_comma_is_asked_about_by_buttons(cast: Cast) -> None:
    dirk = cast.client("dirk")
    typed = "Smith, John\nIda\nRL09; Holm, Petra\nAnn, Bo\nSammy Davis, Jr."
    asked = dirk.post(ADD, {"names": typed})
    said = text_of(asked)
    assert "“Smith, John” has a comma. Is this one person, or are these 2 people?" in said
    assert "One person: John Smith" in said
    assert 'name="add"' not in asked.content.decode()
    page = dirk.post(ADD, {"names": typed, "person": "one:1"}).content.decode()
    typed = page.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0].strip()
    assert typed.splitlines()[:2] == ["John Smith", "Ida"]
    for answer in ("one:3", "several:4"):
        page = dirk.post(ADD, {"names": typed, "person": answer}).content.decode()
        typed = page.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0].strip()
    assert 'name="add"' in page
    found = re.search(r'name="seen" value="(\w+)"', page)
    assert found is not None
    dirk.post(ADD, {"names": typed, "seen": found[1], "add": "yes"})
    assert sorted(names()) == [
        *("Ann", "Bo", "Ida", "John Smith", "Petra Holm", "Sammy Davis, Jr.")
    ]


def test_a_name_is_kept_with_its_comma_and_after_an_id(cast: Cast) -> None:
    dirk = cast.client("dirk")
    typed = "Hans Meier, jun.\nP0009, Karl Meier, jun., 16.10.2026\nIda"
    asked = dirk.post(ADD, {"names": typed}).content.decode()
    assert re.findall(r'name="person" value="([\w:]+)">\s*([^<]+)<', asked) == [
        ("written:1", "One person: Hans Meier, jun."),
        ("one:1", "One person: jun. Hans Meier"),
        ("several:1", "2 people"),
        ("written:2", "One person: Karl Meier, jun."),
        ("one:2", "One person: jun. Karl Meier"),
        ("several:2", "2 people"),
    ]
    page = dirk.post(ADD, {"names": typed, "person": "written:1"}).content.decode()
    kept = re.findall(r'name="as_written" value="([^"]+)"', page)
    sent = {"names": typed, "as_written": kept}
    page = dirk.post(ADD, {**sent, "person": "written:2"}).content.decode()
    kept = re.findall(r'name="as_written" value="([^"]+)"', page)
    found = re.search(r'name="seen" value="(\w+)"', page)
    assert found is not None
    dirk.post(ADD, {"names": typed, "as_written": kept, "seen": found[1], "add": "yes"})
    assert sorted(Player.objects.values_list("player_id", "name")) == [
        ("P0001", "Hans Meier, jun."),
        ("P0002", "Ida"),
        ("P0009", "Karl Meier, jun."),
    ]


@pytest.mark.parametrize("add", [add_guest, add_guest_once, add_player])
def test_name_of_one_person_keeps_its_comma(cast: Cast, add: Callable[..., Player]) -> None:
    add(actor=TESTS, club=cast.riverside, name="Tom, Rita's brother", now=NOW)
    assert names() == ["Tom, Rita's brother"]


@pytest.mark.parametrize("add", [add_guest, add_player])
def test_name_that_cannot_be_kept_whole_is_refused(cast: Cast, add: Callable[..., Player]) -> None:
    with pytest.raises(Refused) as refused:
        add(actor=TESTS, club=cast.riverside, name="Q" * 121, now=NOW)
    (problem,) = refused.value.problems
    facts = {"found": 121, "expected": 120}
    assert (problem.code, problem.at, problem.facts) == ("name_too_long", ("name",), facts)
    assert names() == []


def test_pasted_line_with_several_commas_is_one_person_or_several(cast: Cast) -> None:
    dirk = cast.client("dirk")
    said = text_of(dirk.post(ADD, {"names": "Ann, Bo, Cy"}))
    assert "“Ann, Bo, Cy” has a comma. Is this one person, or are these 3 people?" in said
    assert "One person: Ann, Bo, Cy" in said
    assert "3 people" in said
    long = text_of(dirk.post(ADD, {"names": "Q" * 121}))
    assert "Line 1: the name has 121 characters. The maximum is 120." in long


def test_players_are_searched_without_a_script(cast: Cast) -> None:
    players(cast.riverside, "John Smith", "Zoë Łukasz", "Petra Holm")
    page = text_of(cast.client("piet").get(PLAYERS, {"q": "luk zo"}))
    assert "1 of 3 players found." in page
    assert "Zoë Łukasz" in page
    assert "Petra Holm" not in page
    assert "Petra Holm" in text_of(cast.client("piet").get(PLAYERS, {"q": "rl03"}))
    assert "No players found" in text_of(cast.client("piet").get(PLAYERS, {"q": "xyz"}))
    assert "3 players, sorted by id." in text_of(cast.client("piet").get(PLAYERS))


def test_no_template_joins_people_by_commas() -> None:
    """What is joined by commas or parted by them in a loop is no list of people."""
    people = re.compile(r"(players|names|members|went_on|sit_outs|lines|people)\|join:\", \"")
    loops = re.compile(
        r"{{ [\w.]*(player|name|label)(\|[\w:\"–.]+)? }}{% if not forloop.last %}, {% endif %}"
    )
    assert {
        path.name
        for path in TEMPLATES.rglob("*.html")
        for line in path.read_text(encoding="utf-8").splitlines()
        if people.search(line) or loops.search(line)
    } == set()
