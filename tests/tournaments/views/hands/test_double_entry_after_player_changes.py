"""Sheets that two people typed, and whose players a director changed after that."""

from typing import Any

import pytest

from tests.support.builders import hand, league, players, table
from tests.support.pages.change_players import hidden
from tests.support.pages.double_entry import (
    BOTH,
    PAPER,
    PILE,
    TABLE,
    again,
    decide,
    game,
    revisions,
    switch,
    typed,
)
from tests.support.pages.grid import Secretary
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings
from tournaments.models.events import Event
from tournaments.models.standings import Aggregate

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("event")]

PLAYERS = f"{TABLE}/change-players"
AGREED = "Both entries agree: hands 1–3."


@pytest.fixture
def event(evenings: Evenings) -> Event:
    """A league with double entry; Hanna entered table 1: Ada, Ben, Cem and Dora."""
    made = league(
        evenings.cast.riverside,
        slug="twice",
        name="Twice",
        length="hands:3",
        settings={"primary": "raw_total"},
    )
    people = players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora", "Eva", "Fritz", "Gus")
    table(made, people[:4])
    switch(made, on=True)
    assert Secretary(evenings, "hanna", f"{TABLE}/grid").send(PAPER).status_code == 302
    return made


def change(evenings: Evenings, player: str, **more: str) -> Any:
    olga = evenings.client("olga")
    asked = {"act": "swap", "seat": "1", "seat-1": player, "from_hand": "1", "hands": "keep"}
    page = olga.get(PLAYERS)
    response = olga.post(PLAYERS, {"tag": hidden(page, "tag"), **asked, **more, "go": "look"})
    assert response.status_code == 200, text_of(response)
    names = ("previewed", "act", "seat", "seat-1", "from_hand", "hands", "tag", "split")
    sent = {name: hidden(response, name) for name in names}
    return olga.post(PLAYERS, {**sent, "reason": "Wrong seats.", "go": "save"}, follow=True)


def undo(evenings: Evenings, line: int) -> Any:
    olga = evenings.client("olga")
    response = olga.get(f"{PLAYERS}?undo={line}")
    sent = {name: hidden(response, name) for name in ("previewed", "tag", "undo")}
    return olga.post(PLAYERS, {**sent, "reason": "It was right.", "go": "save"}, follow=True)


def last_line() -> int:
    return game().event.changes.latest("pk").pk


def points(event: Event) -> dict[str, int]:
    rows = Aggregate.objects.filter(event=event, games__gt=0)
    found = rows.values_list("entrant__members__player__name", "points")
    return {name: total // 360360 for name, total in found}


def differences(evenings: Evenings) -> str:
    return text_of(evenings.client("olga").get(BOTH))


@pytest.mark.parametrize("hands", ["remap", "keep"])
def test_entries_still_agree_after_a_swap(evenings: Evenings, event: Event, hands: str) -> None:
    typed(evenings)
    before = points(event)
    change(evenings, "Ben", hands=hands)
    if hands == "remap":
        assert points(event) == before
    page = differences(evenings)
    assert AGREED in page
    assert "ifference" not in page.replace("no differences", "").replace("All differences", "")
    assert again(evenings).row(1) == ("3q 6 4 0" if hands == "remap" else PAPER[1])
    undo(evenings, last_line())
    assert AGREED in differences(evenings)
    assert points(event) == before
    assert again(evenings).row(1) == PAPER[1]


def test_difference_and_decision_follow_the_people(evenings: Evenings, event: Event) -> None:
    typed(evenings, h1="5 4q 4 0")
    change(evenings, "Ben", hands="remap")
    page = differences(evenings)
    assert "Differs: Ben, first 3q, second 4q; Ada, first 6, second 5." in page
    assert "Changed later" not in page
    before = points(event)
    decide(evenings, "second")
    assert revisions(1)[-1].typed == {"hearts": [4, 5, 4, 0], "taken": [["QS"], [], [], []]}
    after = points(event)
    assert (after["Ada"] - before["Ada"], after["Ben"] - before["Ben"]) == (-1, 1)
    assert "All differences are resolved." in differences(evenings)


def test_decision_stays_decided_when_the_scores_follow_the_people(evenings: Evenings) -> None:
    typed(evenings, h1="5 4q 4 0", h2="0 13q- 0 0")
    decide(evenings, "first", reason="The 6 is a 6.")
    decide(evenings, "second")
    change(evenings, "Ben", hands="remap")
    page = differences(evenings)
    assert "All differences are resolved." in page
    assert "Hand 1: Double entry: the first entry is right. The 6 is a 6. (olga," in page
    assert "double entry resolved" in text_of(evenings.client("hanna").get(PILE))


def test_decision_on_the_page_of_the_seats_before_is_refused(evenings: Evenings) -> None:
    typed(evenings, h1="5 4q 4 0")
    olga = evenings.client("olga")
    page = olga.get(BOTH)
    sent = {name: hidden(page, name) for name in ("hand", "second", "revision")}
    change(evenings, "Ben", hands="remap")
    answer = olga.post(BOTH, {**sent, "stands": "second", "reason": "Mine."})
    assert "Not resolved yet" in text_of(answer, 409)
    assert 'value="Mine."' in answer.content.decode()
    assert len(revisions(1)) == 2


@pytest.mark.parametrize("act", ["replace", "substitute"])
def test_deleted_hands_are_entered_again_by_two(evenings: Evenings, event: Event, act: str) -> None:
    typed(evenings, h3="1 2 4 6q")
    change(evenings, "Gus", act=act, hands="void")
    assert points(event) == {}
    page = differences(evenings)
    assert "Hand 1" not in page
    assert "differs" not in text_of(evenings.client("hanna").get(PILE))
    hand(game(), 1, [7, 3, 3, 0], 1, actor=evenings.cast.actor("olga"), based_on=1, reason="New.")
    page = differences(evenings)
    assert "Changed later" not in page
    assert "Differs" not in page
    assert "Hand 1" not in page


def test_undoing_the_change_brings_both_entries_of_deleted_hands_back(evenings: Evenings) -> None:
    typed(evenings, h2="0 12 1q 0", h3="1 2 4 6q")
    decide(evenings, "first", reason="Looked at the paper.")
    before = differences(evenings)
    change(evenings, "Gus", act="replace", hands="void")
    undo(evenings, last_line())
    page = differences(evenings)
    assert "Both entries agree: hand 1." in page
    assert "Changed later" not in page
    assert page.count("Differs: Cem, first 3, second 4; Dora, first 7q, second 6q.") == 1
    assert ("Looked at the paper." in page) == ("Looked at the paper." in before)


def test_second_entry_of_seats_changed_meanwhile_is_shown_not_kept(evenings: Evenings) -> None:
    dirk = again(evenings)
    change(evenings, "Ben", hands="remap")
    answer = dirk.send(PAPER)
    assert answer.status_code == 409
    assert "Players have changed seats since this page was opened: Ben, Ada." in text_of(answer)
    assert dirk.row(1) == PAPER[1]
    assert again(evenings).row(1) == "_ _ _ _"
    assert dirk.send({1: "3q 6 4 0", 2: "0 0 13q- 0", 3: "2 1 3 7q"})["Location"] == PILE
