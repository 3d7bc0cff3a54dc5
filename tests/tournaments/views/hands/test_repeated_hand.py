"""A hand that is the same as the one before it: asked on the page and in the grid."""

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.change_players import hidden
from tests.support.pages.text import text_of
from tournaments.models.hands import Game, Hand
from tournaments.views.hands.phone_queue import HEADER

EVENT = "/clubs/riverside/events/league"
NEW = f"{EVENT}/tables/r1t1/hands/new"
GRID = f"{EVENT}/tables/r1t1/grid"
ASKS = "Hand 3 is the same as hand 2. Dealt twice?"


@pytest.fixture
def game(cast: Cast) -> Game:
    event = league(cast.riverside, settings={"primary": "raw_total"})
    found = table(event, players(cast.riverside, "Anna", "Bob", "Cleo", "Dirk"))
    hand(found, 1, [4, 3, 3, 3], queen=0)
    hand(found, 2, [5, 3, 4, 1], queen=1)
    return found


def typed(client: Client, hearts: list[int], queen: int, **more: str) -> dict[str, str]:
    page = client.get(NEW)
    fields = {f"hearts-{row}": str(n) for row, n in enumerate(hearts, start=1)}
    kept = {name: hidden(page, name) for name in ("key", "number", "way")}
    return {**kept, **fields, "card-QS": str(queen), "go": "save", **more}


def numbers() -> list[int]:
    hands = Hand.objects.exclude(state="void").order_by("number")
    return list(hands.values_list("number", flat=True))


def test_question_keeps_what_was_typed_and_saves_or_leaves_out(hanna: Client, game: Game) -> None:
    fields = typed(hanna, [5, 3, 4, 1], queen=2)
    response = hanna.post(NEW, fields)
    assert response.status_code == 409
    words = text_of(response)
    assert ASKS in words
    assert "Save hand 3" in words
    assert "Leave out" in words
    assert hidden(response, "hearts-1") == "5"
    assert numbers() == [1, 2]
    back = hanna.post(NEW, {**fields, "go": "set:"})
    assert 'value="5"' in back.content.decode()
    saved = hanna.post(NEW, {**fields, "go": "save:repeated"}, follow=True)
    assert "Hand 3 saved." in text_of(saved)
    assert numbers() == [1, 2, 3]
    assert "The same as hand 2." in text_of(hanna.get(f"{EVENT}/tables/r1t1"))


def test_hand_that_is_sent_again_is_one_hand_and_not_asked_about(hanna: Client, game: Game) -> None:
    fields = typed(hanna, [2, 3, 4, 4], queen=2)
    assert hanna.post(NEW, fields).status_code == 302
    assert hanna.post(NEW, fields).status_code == 302
    assert numbers() == [1, 2, 3]


def test_second_phone_that_enters_the_same_hand_as_the_next_one_is_asked(
    hanna: Client, game: Game
) -> None:
    fields = typed(hanna, [2, 3, 4, 4], queen=2)
    hanna.post(NEW, fields)
    other = typed(hanna, [2, 3, 4, 4], queen=2)
    assert "Hand 4 is the same as hand 3. Dealt twice?" in text_of(hanna.post(NEW, other))
    assert numbers() == [1, 2, 3]


def test_phone_that_sends_later_gets_the_question(hanna: Client, game: Game) -> None:
    fields = typed(hanna, [5, 3, 4, 1], queen=2)
    answer = hanna.post(NEW, fields, headers={HEADER: "?"})
    assert (answer.status_code, answer.json()) == (409, {"state": "question", "reason": ASKS})
    assert hanna.post(NEW, {**fields, "repeated": "1"}, headers={HEADER: "?"}).json()["state"] == (
        "sent"
    )
    assert numbers() == [1, 2, 3]


def test_correction_that_makes_a_hand_equal_to_its_neighbour_is_asked_about(
    hanna: Client, game: Game
) -> None:
    edit = f"{EVENT}/tables/r1t1/hands/1/edit"
    fields = typed(hanna, [5, 3, 4, 1], queen=2, number="1", based_on="1", reason="Read again.")
    response = hanna.post(edit, fields)
    assert "Hand 1 is the same as hand 2. Dealt twice?" in text_of(response)
    assert Hand.objects.get(number=1).revision == 1
    hanna.post(edit, {**fields, "go": "save:repeated"})
    assert Hand.objects.get(number=1).revision == 2


def in_grid(client: Client, cells: dict[int, list[str]], **more: str) -> Answer:
    page = client.get(GRID)
    sent = {}
    for number in range(1, 6):
        for name in (f"way-{number}", f"key-{number}"):
            sent[name] = hidden(page, name)
        if number < 3:
            sent[f"based_on-{number}"] = hidden(page, f"based_on-{number}")
            for row in range(1, 5):
                sent[f"c-{number}-{row}"] = value_in(page, f"c-{number}-{row}")
    for number, texts in cells.items():
        sent |= {f"c-{number}-{row}": text for row, text in enumerate(texts, start=1)}
    return client.post(GRID, {**sent, "go": "save", **more})


def value_in(page: Answer, name: str) -> str:
    return page.content.decode().partition(f'name="{name}" value="')[2].partition('"')[0]


def test_grid_asks_at_the_row_and_saves_the_others(hanna: Client, game: Game) -> None:
    rows = {3: ["5", "3q", "4", "1"], 4: ["1", "2", "4q", "6"]}
    asked = in_grid(hanna, rows)
    assert ASKS in text_of(asked)
    assert numbers() == [1, 2, 4]
    assert 'value="repeat:3"' in asked.content.decode()
    assert 'value="theirs:3"' in asked.content.decode()
    saved = in_grid(hanna, {3: ["5", "3q", "4", "1"]}, go="repeat:3")
    assert saved.status_code in (200, 302)
    assert numbers() == [1, 2, 3, 4]


def test_first_form_names_the_players_and_later_ones_do_not(
    cast: Cast, hanna: Client, game: Game
) -> None:
    table(game.event, players(cast.riverside, "Elsa", "Finn", "Gus", "Hedi"), table_number=2)
    first = text_of(hanna.get(f"{EVENT}/tables/r1t2/hands/new"))
    assert "Players at table 2: Elsa · Finn · Gus · Hedi." in first
    assert "Players at table 1" not in text_of(hanna.get(NEW))
