"""The page that gives hands to the table at which they were played."""

from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.answers import Answer
from tests.support.builders import by_tests, counts, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.change_players import hidden
from tests.support.pages.text import summary, text_of
from tournaments.models.hands import Game, Hand
from tournaments.models.standings import Change
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish

EVENT = "/clubs/riverside/events/league"
PAGE = f"{EVENT}/tables/r1t2/move-hands"


@pytest.fixture
def game(cast: Cast) -> Game:
    """Two tables; at the second, hands 1 and 2 of the first were entered."""
    event = league(cast.riverside, settings={"primary": "raw_total"})
    people = players(cast.riverside, "Anna", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Gus", "Hedi")
    table(event, people[:4])
    second = table(event, people[4:8], table_number=2)
    hand(second, 1, [2, 6, 3, 2], queen=3)
    hand(second, 2, [5, 3, 4, 1], queen=1)
    publish(event.pk, now=NOW)
    return second


def asked(client: Client, **typed: str) -> Answer:
    form = {"act": "move", "to": "r1t1", "from_hand": "1", "go": "look", **typed}
    return client.post(PAGE, {"tag": hidden(client.get(PAGE), "tag"), **form})


def saved(client: Client, shown: Answer, **more: str) -> Answer:
    html = shown.content.decode()
    names = ("previewed", "act", "to", "from_hand", "tag", "undo")
    sent = {
        name: unescape(hidden(shown, name)) for name in names if f'name="{name}" value=' in html
    }
    return client.post(PAGE, {**sent, "reason": "Wrong link.", "go": "save", **more}, follow=True)


def standing(code: str) -> list[int]:
    hands = Hand.objects.filter(game__table__code=code).exclude(state="void")
    return list(hands.order_by("number").values_list("number", flat=True))


def test_hands_are_shown_then_moved_then_moved_back(dirk: Client, game: Game) -> None:
    assert f'href="{PAGE}"' in dirk.get(f"{EVENT}/tables/r1t2").content.decode()
    assert "Round 1, table 1: Anna, Bob, Cleo, Dirk" in text_of(dirk.get(PAGE))
    shown = asked(dirk)
    words = text_of(shown)
    assert "Hands 1, 2 leave this table." in words
    assert "Hands 1, 2 come from the other table." in words
    assert standing("r1t1") == []
    assert (saved(dirk, shown, reason="").status_code, standing("r1t1")) == (422, [])
    assert "Hands moved." in text_of(saved(dirk, shown))
    assert (standing("r1t1"), standing("r1t2")) == ([1, 2], [])
    told = "2 hands of round 1, table 2 went to round 1, table 1."
    for code in ("r1t1", "r1t2"):
        words = text_of(dirk.get(f"{EVENT}/tables/{code}"))
        assert f"{told} “Wrong link.”" in words
    assert words.count("“Wrong link.”") == 3
    log = text_of(dirk.get(f"{EVENT}/changes"))
    assert "Hands moved" in log
    assert told in log
    line = Change.objects.get()
    saved(dirk, dirk.get(f"{PAGE}?undo={line.pk}"), reason="It was right.")
    assert (standing("r1t1"), standing("r1t2")) == ([], [1, 2])


def test_hand_that_is_entered_meanwhile_is_seen_before_anything_moves(
    dirk: Client, game: Game
) -> None:
    shown = asked(dirk)
    hand(game, 3, [13, 0, 0, 0], queen=1)
    answer = saved(dirk, shown)
    assert answer.status_code in (409, 422)
    assert standing("r1t2") == [1, 2, 3]
    assert hidden(answer, "reason") == "Wrong link."
    again = asked(dirk, reason="Wrong link.")
    assert ">Wrong link.</textarea>" in again.content.decode()


def test_one_hand_is_told_as_one(dirk: Client, game: Game) -> None:
    saved(dirk, asked(dirk, from_hand="2"))
    told = "1 hand of round 1, table 2 went to round 1, table 1."
    assert told in text_of(dirk.get(f"{EVENT}/changes"))
    assert told in text_of(dirk.get(f"{EVENT}/tables/r1t2"))


def test_refusal_is_shown_at_its_field(dirk: Client, game: Game) -> None:
    refused = asked(dirk, from_hand="3")
    assert "Table 2 has no hand from hand 3 on." in summary(refused, 422)
    assert standing("r1t2") == [1, 2]


def test_only_directors_move_hands(hanna: Client, game: Game) -> None:
    assert hanna.get(PAGE).status_code == 403
    assert PAGE not in hanna.get(f"{EVENT}/tables/r1t2").content.decode()


def test_sheet_and_hand_say_where_a_hand_went(dirk: Client, game: Game) -> None:
    first = Game.objects.get(table__code="r1t1")
    hand(first, 1, [13, 0, 0, 0], queen=1)
    saved(dirk, asked(dirk))
    sheet = dirk.get(f"{EVENT}/tables/r1t2")
    words = text_of(sheet)
    assert "Moved to table 1, hand 2. Does not count here. “Wrong link.” As entered" in words
    assert "Moved to table 1, hand 3." in words
    assert "Deleted." not in words
    assert f'href="{EVENT}/tables/r1t1/hands/2"' in sheet.content.decode()
    assert f"{EVENT}/tables/r1t2/hands/1/edit" not in sheet.content.decode()
    there = dirk.get(f"{EVENT}/tables/r1t1").content.decode()
    assert f'href="{EVENT}/tables/r1t1/hands/2/edit"' in there
    page = dirk.get(f"{EVENT}/tables/r1t2/hands/1")
    assert "Moved to table 1, hand 2. Does not count here. “Wrong link.”" in text_of(page)
    assert "Restore hand" not in text_of(page)
    assert "Correct hand" not in text_of(page)


def test_hand_that_was_deleted_by_a_director_reads_as_deleted(dirk: Client, game: Game) -> None:
    saved(dirk, asked(dirk, from_hand="2"))
    hand(game, 2, [13, 0, 0, 0], queen=1)
    later = Operation(by_tests().actor, timezone.now())
    void_hand(later, game, number=2, based_on=2, reason="Never dealt.")
    words = text_of(dirk.get(f"{EVENT}/tables/r1t2"))
    assert "Deleted. Does not count. “Never dealt.”" in words
    assert "Moved to table" not in words


def test_new_hand_in_a_moved_number_reads_as_a_new_one(dirk: Client, game: Game) -> None:
    saved(dirk, asked(dirk))
    hand(game, 1, [13, 0, 0, 0], queen=1)
    words = text_of(dirk.get(f"{EVENT}/tables/r1t2"))
    assert "Revision 2" not in words
    assert "corrected" not in words
    assert "Hand 1 left +13 total 13 13 hearts 13 +13" in words
    page = text_of(dirk.get(f"{EVENT}/tables/r1t2/hands/1"))
    assert "Undo correction" not in page
    log = text_of(dirk.get(f"{EVENT}/changes"))
    assert "Hand entered table 2 of round 1, hand 1, revision 2" in log
    assert "Hand restored" not in log
    assert "deleted → then counts" not in log
    record_entry(
        by_tests(),
        game,
        source="host",
        number=1,
        entry=counts([12, 1, 0, 0], 1),
        based_on=2,
        reason="Typo.",
    )
    words = text_of(dirk.get(f"{EVENT}/tables/r1t2"))
    assert "Revision 3" in words
    assert "1 hand corrected" in words


def test_undo_is_offered_only_while_it_can_be_done(dirk: Client, game: Game) -> None:
    saved(dirk, asked(dirk))
    offer = f'href="{PAGE}?undo={Change.objects.get().pk}"'
    assert offer in dirk.get(f"{EVENT}/tables/r1t2").content.decode()
    hand(Game.objects.get(table__code="r1t1"), 3, [13, 0, 0, 0], queen=1)
    page = dirk.get(f"{EVENT}/tables/r1t2")
    assert offer not in page.content.decode()
    assert (
        "Hands of table 1 were entered or changed since. Move the hands back as a new change."
        in text_of(page)
    )
    assert "Move the hands back" not in text_of(Client().get(f"{EVENT}/tables/r1t2"))
