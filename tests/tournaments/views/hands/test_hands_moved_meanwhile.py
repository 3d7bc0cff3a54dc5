"""Entries of pages that were opened before hands of their table were moved: asked about."""

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.change_players import hidden
from tests.support.pages.text import text_of
from tournaments.models.hands import Game, Hand
from tournaments.services.hands.move_hands import move_hands
from tournaments.views.hands.phone_queue import HEADER

EVENT = "/clubs/riverside/events/league"
AT = f"{EVENT}/tables/r1t2"
NEW = f"{AT}/hands/new"
GRID = f"{AT}/grid"
TOTALS = f"{AT}/totals"
ASKS = (
    "Since you opened table 2, hands were moved between it and table 1 of round 1. Check at which "
    "of the two tables your entry was played."
)
MOVED = "2 hands of round 1, table 2 went to round 1, table 1."


@pytest.fixture
def game(cast: Cast) -> Game:
    """Two tables; at the second, hands 1 and 2 of the first were entered."""
    event = league(cast.riverside, settings={"primary": "raw_total"})
    people = players(cast.riverside, "Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Gus", "Hedi")
    table(event, people[:4])
    second = table(event, people[4:8], table_number=2)
    hand(second, 1, [2, 6, 3, 2], queen=3)
    hand(second, 2, [5, 3, 4, 1], queen=1)
    return second


def move(game: Game) -> None:
    to = Game.objects.get(table__code="r1t1")
    move_hands(by_tests(), game, to=to, reason="They sat at table 1.")


def typed(page: Answer, **more: str) -> dict[str, str]:
    """Hand 3 as its form posts it."""
    kept = {name: hidden(page, name) for name in ("key", "number", "way", "seated", "moves")}
    fields = {f"hearts-{row}": str(n) for row, n in enumerate((1, 0, 12, 0), start=1)}
    return {**kept, **fields, "card-QS": "1", "go": "save", **more}


def standing() -> list[int]:
    hands = Hand.objects.filter(game__table__code="r1t2").exclude(state="void")
    return list(hands.order_by("number").values_list("number", flat=True))


def test_question_says_what_happened_and_saves_or_leaves_out(hanna: Client, game: Game) -> None:
    fields = typed(hanna.get(NEW))
    move(game)
    response = hanna.post(NEW, fields)
    assert response.status_code == 409
    words = text_of(response)
    assert ASKS in words
    assert f"{MOVED} “They sat at table 1.”" in words
    assert "Leave out" in words
    assert f'href="{EVENT}/tables/r1t1"' in response.content.decode()
    entry = "Elsa 1 heart 1 spades Q Q Finn nothing Gus 12 hearts 12 Hedi nothing"
    assert f"Your entry {entry} Save hand 3 here" in words
    assert hidden(response, "hearts-3") == "12"
    assert hanna.post(NEW, fields).status_code == 409, "an answer that is not given is asked again"
    assert standing() == []
    saved = hanna.post(NEW, {**fields, "moves": hidden(response, "moves")}, follow=True)
    assert "Hand 3 saved." in text_of(saved)
    assert standing() == [3]


def test_phone_that_sends_later_gets_the_question_and_keeps_the_hand(
    hanna: Client, game: Game
) -> None:
    fields = typed(hanna.get(NEW))
    move(game)
    answer = hanna.post(NEW, fields, headers={HEADER: "?"})
    assert (answer.status_code, answer.json()) == (
        409,
        {"state": "question", "reason": f"{ASKS} {MOVED}"},
    )
    assert standing() == []
    assert (
        hanna.post(NEW, {**fields, "moves": "1"}, headers={HEADER: "?"}).json()["state"] == "sent"
    )
    assert standing() == [3]


def test_form_that_is_changed_before_it_is_saved_keeps_what_it_knew(
    hanna: Client, game: Game
) -> None:
    fields = typed(hanna.get(NEW))
    move(game)
    changed = hanna.post(NEW, {**fields, "go": "way:points"})
    assert hidden(changed, "moves") == "0"


def test_page_of_an_older_release_stores_as_before(hanna: Client, game: Game) -> None:
    fields = typed(hanna.get(NEW))
    del fields["moves"]
    move(game)
    assert hanna.post(NEW, fields).status_code == 302
    assert standing() == [3]


def test_correction_of_a_hand_that_went_away_is_asked_about(hanna: Client, game: Game) -> None:
    page = hanna.get(f"{AT}/hands/2/edit")
    fields = typed(page, based_on="1", reason="The queen.")
    move(game)
    response = hanna.post(f"{AT}/hands/2/edit", fields)
    assert response.status_code == 409
    assert ASKS in text_of(response)
    assert standing() == []


def grid_of(client: Client) -> dict[str, str]:
    page = client.get(GRID)
    cells = {f"c-{n}-{row}": "" for n in range(1, 5) for row in range(1, 5)}
    for row, text in enumerate(("1", "0", "12q", "0"), start=1):
        cells[f"c-3-{row}"] = text
    keys = {f"key-{n}": f"grid-{n}" for n in range(3, 5)}
    return {**cells, **keys, "way-3": "counts", "moves": hidden(page, "moves"), "go": "save"}


def test_grid_asks_once_for_all_its_rows(hanna: Client, game: Game) -> None:
    sent = grid_of(hanna)
    move(game)
    response = hanna.post(GRID, sent)
    assert response.status_code == 422
    words = text_of(response)
    assert words.count(ASKS) == 1
    assert MOVED in words
    assert standing() == []
    longer = hanna.post(GRID, {**sent, "go": "more"})
    assert hidden(longer, "moves") == "0"
    hanna.post(GRID, {**sent, "moves": hidden(response, "moves")})
    assert standing() == [3]


def test_totals_are_asked_about(hanna: Client, game: Game, cast: Cast) -> None:
    to = Game.objects.get(table__code="r1t1")
    move(game)
    page = hanna.get(TOTALS)
    sent = {f"points-{row}": str(n) for row, n in enumerate((20, 3, 2, 1), start=1)}
    sent |= {name: hidden(page, name) for name in ("key", "seated", "moves")}
    assert sent["moves"] == "1"
    move_hands(by_tests(), to, to=game, reason="It was right.")
    move_hands(by_tests(), game, to=to, reason="It was not.")
    response = hanna.post(TOTALS, {**sent, "hands": "1"})
    assert response.status_code == 422
    assert ASKS in text_of(response)
    assert "“It was not.”" in text_of(response)
    assert hanna.post(
        TOTALS, {**sent, "hands": "1", "moves": hidden(response, "moves")}
    ).status_code == (302)
    assert standing() == [0]


def test_moved_hands_are_not_on_the_page_of_a_players_evening(hanna: Client, game: Game) -> None:
    meeting = game.table.round.meeting
    assert meeting is not None
    page = f"{EVENT}/meetings/{meeting.date}/players/RL05"
    assert "Points of each hand" in text_of(hanna.get(page))
    move(game)
    assert "Points of each hand" not in text_of(hanna.get(page), 200)


def test_sentence_that_names_the_players_ends_with_one_full_stop(
    cast: Cast, hanna: Client, game: Game
) -> None:
    people = players(cast.riverside, "Ida J.", "Kai L.", "Mia N.", "Ole P.")
    table(game.event, people, table_number=3)
    first = text_of(hanna.get(f"{EVENT}/tables/r1t3/hands/new"))
    assert "Players at table 3: Ida J. · Kai L. · Mia N. · Ole P. If other people" in first
