"""Sheets that two people type, each without seeing the other: compared, shown, decided."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW
from tests.support.module_scope import made_once
from tests.support.pages.double_entry import (
    BOTH,
    PAPER,
    PILE,
    SECOND,
    TABLE,
    again,
    decide,
    game,
    revisions,
    switch,
    typed,
)
from tests.support.pages.grid import Secretary
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import SecondTyping
from tournaments.models.jobs import Dirty
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.operations import Operation

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("event")]


def make_event(evenings: Evenings) -> Event:
    """A league of three hands at two tables with double entry; Hanna entered table 1."""
    event = league(evenings.cast.riverside, slug="twice", name="Twice", length="hands:3")
    seated = players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora", "Eva", "Fritz", "G", "H")
    table(event, seated[:4])
    table(event, seated[4:], table_number=2)
    switch(event, on=True)
    assert Secretary(evenings, "hanna", f"{TABLE}/grid").send(PAPER).status_code == 302
    return event


event_once, event = made_once("event", make_event)


def test_second_typist_sees_empty_rows_and_nothing_of_the_first(evenings: Evenings) -> None:
    dirk = again(evenings)
    assert [dirk.row(number) for number in (1, 2, 3)] == ["_ _ _ _"] * 3
    assert "c-4-1" not in dirk.fields
    page = dirk.page.content.decode().partition("<main")[2]
    page = re.sub(r'value="[^"]{30,}"', "", page)  # random keys may hold any two letters
    for told in ("13q-", "7q", "hands are in", "hanna", "data-stored", "based_on"):
        assert told not in page.partition('id="keys-head"')[0], told


def test_same_sheet_is_marked_wherever_it_stands(evenings: Evenings, event: Event) -> None:
    version = Dirty.objects.get(scope=f"event:{event.pk}").version
    dirk = typed(evenings)
    assert (dirk.page.status_code, dirk.page["Location"]) == (302, PILE)
    page = text_of(dirk.client.get(PILE))
    assert "Table 1: both entries agree." in page
    assert "1 of 2 with second entry." in page
    assert page.count("both entries agree") == 2  # said once, and at its table
    sheet = text_of(evenings.client().get(TABLE))
    assert "Both entries agree: hands 1–3." in sheet
    assert sheet.count("both entries agree") == 3
    assert [len(revisions(number)) for number in PAPER] == [1, 1, 1]
    assert Dirty.objects.get(scope=f"event:{event.pk}").version == version
    assert SecondTyping.objects.filter(agreed=True, by_as="dirk").count() == 3
    assert AuditLine.objects.get(act="type_again").facts == {"hands": 3, "differ": 0}


def test_difference_is_shown_cell_by_cell_and_changes_nothing(evenings: Evenings) -> None:
    assert typed(evenings, h3="1 2 4 6q").page["Location"] == BOTH
    for name in ("dirk", "hanna", "olga"):
        page = text_of(evenings.client(name).get(BOTH))
        assert "Hand 3 Differs: Cem, first 3, second 4; Dora, first 7q, second 6q." in page
        assert "First hanna," in page
        assert "Second dirk," in page
        assert "Both entries agree: hands 1–2." in page
    assert "1 of 2 with second entry, 1 differs." in text_of(evenings.client("hanna").get(PILE))
    assert "Double entry: hand 3 differs." in text_of(evenings.client("hanna").get(TABLE))
    assert "differs" not in text_of(evenings.client().get(TABLE))
    assert len(revisions(3)) == 1


def test_empty_page_is_no_second_typing(evenings: Evenings) -> None:
    dirk = again(evenings)
    assert dirk.send({}).status_code == 422
    assert "No entries yet." in text_of(dirk.page)
    assert SecondTyping.objects.count() == 0


def test_same_person_is_refused_in_words(evenings: Evenings) -> None:
    hanna = evenings.client("hanna")
    said = "You made the first entry of this sheet. Another person has to make the second entry."
    assert said in text_of(hanna.get(SECOND))
    answer = hanna.post(SECOND, {"key-1": "k", "way-1": "counts", "c-1-1": "13q", "go": "save"})
    assert said in text_of(answer, 409)
    assert SecondTyping.objects.count() == 0


def test_hands_that_one_entered_oneself_are_left_out(evenings: Evenings) -> None:
    dirk = evenings.cast.actor("dirk")
    hand(game(), 2, [0, 13, 0, 0], 1, actor=dirk, based_on=1, reason="Ben.", slam_choice="self")
    second = again(evenings)
    assert "c-2-1" not in second.fields
    second.send({1: PAPER[1], 3: PAPER[3]})
    assert "No second entry: hand 2." in text_of(second.client.get(BOTH))
    assert "0 of 2 with second entry." in text_of(second.client.get(PILE))


def test_correction_makes_the_agreement_stale(evenings: Evenings) -> None:
    typed(evenings)
    hand(game(), 1, [7, 3, 3, 0], 1, based_on=1, reason="North had seven.")
    assert ("1 of 2 with second entry, 1 changed later.") in text_of(
        evenings.client("hanna").get(PILE)
    )
    sheet = text_of(evenings.client("hanna").get(TABLE))
    assert "Both entries agree: hands 2–3." in sheet
    assert "Hand 1 was changed later." in sheet
    page = text_of(evenings.client("hanna").get(BOTH))
    assert "Changed later: the hand was corrected after the second entry." in page
    assert "Differs: Ada, first 7, second 6; Cem, first 3, second 4." in page
    decide(evenings, "first", reason="Looked at the paper.")
    assert "All differences are resolved." in text_of(evenings.client("hanna").get(BOTH))
    hand(game(), 1, [8, 3, 2, 0], 1, based_on=2, reason="Eight.")
    assert "Changed later:" in text_of(evenings.client("hanna").get(BOTH))


def test_hand_that_the_second_lacks_is_a_difference(evenings: Evenings) -> None:
    typed(evenings, h3="")
    page = text_of(evenings.client("olga").get(BOTH))
    assert "Hand 3 Only the first entry has this hand." in page
    assert "Use second: delete hand" in page
    assert "A director can delete the hand" in text_of(evenings.client("hanna").get(BOTH))
    assert "The second entry has no hand 3." in text_of(decide(evenings, "second"), 422)
    void_hand(evenings.cast.operation("olga"), game(), number=3, based_on=1, reason="No.")
    assert "Hand 3" not in text_of(evenings.client("hanna").get(BOTH))


def test_second_is_right_brings_a_void_hand_back_with_the_event_locked(evenings: Evenings) -> None:
    typed(evenings, h3="1 2 4 6q")
    olga = evenings.cast.actor("olga")
    void_hand(Operation(olga, NOW), game(), number=3, based_on=1, reason="No.")
    with CaptureQueriesContext(connection) as asked:
        assert decide(evenings, "second").status_code == 302
    assert [entry.revision for entry in revisions(3)] == [1, 2]
    assert game().hands.get(number=3).state == "accepted"
    locks = [one["sql"] for one in asked if " FOR NO KEY UPDATE" in one["sql"]]
    order = [sql.partition(" FROM ")[2].split()[0].strip('"') for sql in locks]
    if connection.vendor == "postgresql":  # SQLite locks everything at once
        assert order.index("tournaments_event") < order.index("tournaments_game")


def test_wrong_row_waits_and_the_good_ones_are_kept(evenings: Evenings) -> None:
    dirk = typed(evenings, h2="7 5q 0 0")
    assert dirk.page.status_code == 422
    assert dirk.why(2).startswith("Hand 2 is not saved. One heart is missing.")
    assert dirk.row(2) == "7 5q 0 0"
    assert sorted(SecondTyping.objects.values_list("number", flat=True)) == [1, 3]
    assert again(evenings).row(1) == PAPER[1]  # one's own typing stands there
    assert dirk.send({2: PAPER[2]})["Location"] == PILE
    assert SecondTyping.objects.count() == 3


def test_page_sent_twice_is_kept_once_and_typing_again_is_a_further_row(evenings: Evenings) -> None:
    dirk = again(evenings)
    fields = dirk.fields | {"go": "save"}
    for number, cells in PAPER.items():
        fields |= {f"c-{number}-{row}": text for row, text in enumerate(cells.split(), start=1)}
    for _click in range(2):
        dirk.client.post(SECOND, fields)
    assert SecondTyping.objects.count() == 3
    typed(evenings, h3="1 2 4 6q")
    dirk.client.post(SECOND, fields)  # an old page: what was typed after it stays the newest
    assert SecondTyping.objects.count() == 4
    assert "Hand 3 Differs" in text_of(dirk.client.get(BOTH))


def test_it_is_off_until_a_director_says_so(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    new = {"name": "New", "variant": "hearts", "kind": "league", "preset": "sheets"}
    dirk.post("/clubs/riverside/new-event", new)
    assert Event.objects.get(slug="new").settings["double_entry"] is False


def test_sheet_that_is_not_in_yet_is_typed_first(evenings: Evenings) -> None:
    hand(game(2), 1, [6, 3, 4, 0], 1, actor=evenings.cast.actor("hanna"))
    page = text_of(evenings.client("dirk").get(SECOND.replace("r1t1", "r1t2")))
    assert "The first entry of this sheet is not complete yet." in page


def test_pages_cost_as_many_queries_with_many_hands_as_with_one(evenings: Evenings) -> None:
    def asked() -> list[int]:
        return [
            count_queries(evenings.client("olga"), path) for path in (SECOND, BOTH, PILE, TABLE)
        ]

    typed(evenings, h3="1 2 4 6q")
    few = asked()
    typed(evenings, h1="5 4q 4 0", h2="13q- 0 0 0", h3="2 1 4 6q")
    assert len(evenings.client("olga").get(BOTH).context["differences"]) == 3
    assert asked() == few


@pytest.mark.parametrize("second", [("6 3q 4 0", "6 3q 4 0"), ("0 0 13q- 0", "0 0 13q- 0")])
def test_second_typist_is_not_asked_about_a_hand_that_repeats(
    evenings: Evenings, second: tuple[str, str]
) -> None:
    dirk = again(evenings)
    answer = dirk.send({1: second[0], 2: second[1], 3: PAPER[3]})
    assert answer.status_code == 302
    assert "Dealt twice" not in text_of(dirk.client.get(SECOND))
    assert SecondTyping.objects.count() == 3


def test_decision_that_makes_a_hand_repeat_is_not_asked_about(evenings: Evenings) -> None:
    typed(evenings, h2=PAPER[1])
    answer = decide(evenings, "second", reason="Read again.")
    assert answer.status_code == 302
    assert [entry.typed["hearts"] for entry in revisions(2)] == [[0, 0, 13, 0], [6, 3, 4, 0]]
