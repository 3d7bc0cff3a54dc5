"""What a correction changes is shown before it is saved, and is what then happens."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.comparisons.stored_rows import rows_of_everything
from tests.support.module_scope import made_once
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.standings import Change
from tournaments.selectors.standings.standings_view import (
    StandingsCell,
    StandingsColumn,
    StandingsRow,
)
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.previewing.diff import RowChange
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round

EVENT = "/clubs/riverside/events/league"
FIRST = f"{EVENT}/tables/r1t1/hands/1"
EDIT = f"{FIRST}/edit"
SWAPPED = typed([4, 6, 2, 1], queen=4)
"""East and West exchanged: Ben has 6 and Dora 14, in the place of 1 and 19."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Two tables of a round that is closed and published."""

    cast: Cast
    event: Event
    first: Game
    second: Game

    def dirk(self) -> Host:
        return Host(self.cast.client("dirk"), EDIT)


def make_closed(cast: Cast) -> Closed:
    event = league(cast.riverside, settings={"boundaries": {"cut": 2, "title": 6}})
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hedi")
    first, second = table(event, people[:4]), table(event, people[4:], table_number=2)
    hand(first, 1, [4, 1, 2, 6], queen=3)
    hand(second, 1, [3, 3, 3, 4], queen=1)
    for game in (first, second):
        move_game(by_tests(), game, to="complete")
    move_round(by_tests(), first.table.round, to="closed")
    publish(event.pk, now=NOW)
    return Closed(cast, event, first, second)


closed_once, closed = made_once("closed", make_closed)


def test_correction_of_a_closed_round_is_shown_and_nothing_is_written(closed: Closed) -> None:
    host, before = closed.dirk(), rows_of_everything()
    assert "Preview revision 2" in text_of(closed.cast.client("dirk").get(EDIT))
    answer = host.send(SWAPPED)
    page = text_of(answer, 200)
    assert "Correct hand 1 Not saved yet" in page
    assert "Table 1, round 1." in page
    assert "Qualification: changed. Emil and Gus come in. Ben goes out." in page
    assert "Title: unchanged." in page
    assert "Ada 4 · Ben 1 → then 6 · Cem 2 · Dora 19 → then 14" in page
    assert "Publication 2 replaces publication 1, which stays at its address" in page
    assert "Save as revision 2" in page
    assert "Preview revision 2" not in page
    assert answer.content.decode().count('class="num diff"') >= 4
    back = host.send({"reason": "Exchanged."}, go="back").content.decode()
    assert 'name="hearts-2" value="6"' in back
    assert "Exchanged." in back
    assert rows_of_everything() == before


def test_standings_that_changed_meanwhile_are_shown_instead_of_saving(closed: Closed) -> None:
    host = closed.dirk()
    host.send(SWAPPED)
    hand(closed.second, 1, [0, 3, 6, 4], queen=1, based_on=1, reason="Gus had six.")
    before = rows_of_everything()
    page = text_of(host.send({"reason": "Exchanged."}), 409)
    assert "Not saved: the standings have changed" in page
    assert "Qualification: changed. Cem comes in. Ben goes out." in page
    assert "Exchanged." in page
    assert rows_of_everything() == before
    assert host.send({"reason": "Exchanged."}).status_code == 302
    assert Hand.objects.get(game=closed.first, number=1).revision == 2


def test_open_round_is_saved_at_once_and_shown_on_request(db: None) -> None:
    cast = enter_the_cast()
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publish(event.pk, now=NOW)
    host = Host(cast.client("hanna"), EDIT)
    looked = host.send(SWAPPED, go="look")
    assert "3 places change , 4 rows differ, 0 rows stay as they are." in text_of(looked)
    assert Entry.objects.count() == 1
    assert host.send({"reason": "Exchanged."}).status_code == 302
    again = Host(cast.client("hanna"), EDIT)
    assert again.send(typed([4, 1, 2, 6], queen=4), reason="No, it was right.").status_code == 302
    assert [entry.revision for entry in Entry.objects.order_by("revision")] == [1, 2, 3]


def test_undo_of_a_correction_is_shown_and_says_by_itself_why(closed: Closed) -> None:
    hand(closed.first, 1, [4, 6, 2, 1], queen=3, based_on=1, reason="Exchanged.")
    dirk = closed.cast.client("dirk")
    assert "Undo correction" in text_of(dirk.get(FIRST))
    response = dirk.post(f"{FIRST}/undo", {"based_on": 2})
    page = text_of(response, 200)
    assert "Reason for the change log: “Undo: as in revision 1”" in page
    assert "Save as revision 3" in page
    assert Entry.objects.filter(hand__game=closed.first).count() == 2
    digest = response.content.decode().partition('name="previewed" value="')[2][:64]
    for _tap in range(2):
        assert dirk.post(f"{FIRST}/undo", {"based_on": 2, "previewed": digest}).status_code == 302
    third = Entry.objects.filter(hand__game=closed.first).latest("revision")
    assert (third.revision, third.reason) == (3, "Undo: as in revision 1")
    assert third.typed["hearts"] == [4, 1, 2, 6]
    line = Change.objects.latest("pk")
    assert (line.kind, line.number, line.reason) == ("correct_hand", 1, "Undo: as in revision 1")


def void(client: Client, **fields: object) -> Answer:
    response = client.get(f"{FIRST}/void")
    digest = response.content.decode().partition('name="previewed" value="')[2][:64]
    sent = {"based_on": 1, "previewed": digest, "reason": "The sheet was lost.", **fields}
    return client.post(f"{FIRST}/void", sent)


def test_void_shows_first_what_it_changes_and_its_undo_restores_the_hand(closed: Closed) -> None:
    dirk = closed.cast.client("dirk")
    before = rows_of_everything()
    page = text_of(dirk.get(f"{FIRST}/void"))
    assert "After deleted: does not count" in page
    assert "Ada 4 → then –" in page
    assert rows_of_everything() == before
    assert dirk.post(f"{FIRST}/void", {"based_on": 1, "reason": "Lost."}).status_code == 422
    assert rows_of_everything() == before
    assert void(dirk).status_code == 302
    assert Hand.objects.get(game=closed.first).state == "void"
    assert text_of(dirk.get(FIRST)).count("Restore hand") == 1
    response = dirk.post(f"{FIRST}/undo", {"based_on": 1})
    digest = response.content.decode().partition('name="previewed" value="')[2][:64]
    assert dirk.post(f"{FIRST}/undo", {"based_on": 1, "previewed": digest}).status_code == 302
    restored = Hand.objects.get(game=closed.first)
    assert (restored.state, restored.revision) == ("accepted", 2)
    assert list(Change.objects.order_by("pk").values_list("kind", "by", "reason"))[-2:] == [
        ("void_hand", "director", "The sheet was lost."),
        ("restore_hand", "director", "Undo: as in revision 1"),
    ]


def test_undo_in_an_old_window_is_told_of_the_revisions_since(closed: Closed) -> None:
    dirk = closed.cast.client("dirk")
    hand(closed.first, 1, [4, 6, 2, 1], queen=3, based_on=1, reason="Exchanged.")
    undone(dirk, 2)
    hand(closed.first, 1, [4, 6, 1, 2], queen=3, based_on=3, reason="It was, and South had one.")
    before = rows_of_everything()
    page = text_of(dirk.post(f"{FIRST}/undo", {"based_on": 2}, follow=True))
    assert "you have revision 2, the current one is 4" in page
    assert "says again" not in page
    assert rows_of_everything() == before


def undone(client: Client, revision: int) -> None:
    """Undo a revision, once its preview was looked at."""
    response = client.post(f"{FIRST}/undo", {"based_on": revision})
    digest = response.content.decode().partition('name="previewed" value="')[2][:64]
    sent = {"based_on": revision, "previewed": digest}
    assert client.post(f"{FIRST}/undo", sent, follow=True).status_code == 200


def test_director_corrects_a_final_event_which_says_how_many_hands_were(closed: Closed) -> None:
    for state in ("closed", "final"):
        move_event(by_tests(), closed.event, to=state)
    host = closed.dirk()
    page = text_of(host.send(SWAPPED))
    assert "The event is final. It stays final, with a note that 1 hand was corrected." in page
    assert host.send({"reason": "Exchanged."}).status_code == 302
    game = Game.objects.get(pk=closed.first.pk)
    assert (game.state, Event.objects.get().state) == ("final", "final")


def test_correction_that_another_hand_cannot_stand_is_refused_with_its_sentence(db: None) -> None:
    """Without the jack's ten off in hand 1 Ada has 100 after hand 5, so hand 6 comes too late."""
    cast = enter_the_cast()
    event = league(cast.riverside, length="variant", variant="omnibus-hearts")
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [0, 4, 4, 5], queen=1, taken=[["JD"], ["QS"], [], []])
    for number in range(2, 7):
        hand(game, number, [12, 0, 1, 0], queen=0, taken=[["QS"], [], ["JD"], []])
    move_round(by_tests(), game.table.round, to="closed")
    dirk, before = cast.client("dirk"), rows_of_everything()
    page = dirk.get(f"{FIRST}/void")
    assert "Not possible now" in text_of(page)
    assert "Hand 6 would become impossible without this hand. The game is over." in text_of(page)
    assert dirk.post(f"{FIRST}/void", {"based_on": 1, "reason": "Lost."}).status_code == 422
    assert rows_of_everything() == before


@pytest.mark.parametrize(
    "differs",
    [{"place": "2"}, {"name": "Ann M."}, {"why": "Fewer wins."}, {"is_withdrawn": True}],
    ids=str,
)
def test_row_is_listed_for_each_thing_that_differs_in_it(differs: dict[str, Any]) -> None:
    column = StandingsColumn("raw_total", "Points", "", decides=True, sort={}, is_first=True)
    cells = (StandingsCell(column, 12, 12),)
    row = StandingsRow(
        "1", "A", "Ann", (), cells, "", "", is_withdrawn=False, is_guest=False, facts={}
    )
    same = RowChange("A", "Ann", row, row, ())
    other = RowChange("A", "Ann", row, replace(row, **differs), ())
    assert (same.is_visible, other.is_visible) == (False, True)
