"""The grid of a pile as a browser without a script has it: typed, refused, saved."""

import re

import pytest

from tests.support.builders import hand, league, players, table
from tests.support.pages.grid import GOOD, GRID, TABLE, Secretary, hearts, stored
from tests.support.pages.hand_entry import hidden
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import Dirty
from tournaments.models.rounds import Round


@pytest.fixture
def hanna(evenings: Evenings) -> Secretary:
    return Secretary(evenings)


def test_grid_shows_what_is_in_and_rows_to_type_in(hanna: Secretary) -> None:
    page = text_of(hanna.page)
    assert "Table 2 1 hand entered" in page
    assert "Table 2 of 2 in this round. All sheets are entered." in page
    assert hanna.row(1) == "3 3q 3 4"
    assert hanna.row(2) == "_ _ _ _"
    assert "Hand 1, Jörg S. 3 ♥ + Q♠ = 16" in page
    assert hanna.fields["based_on-1"] == "1"
    assert "c-8-1" in hanna.fields
    assert "c-9-1" not in hanna.fields
    assert "q Q♠ queen of spades" in page


def test_good_rows_are_saved_through_the_same_service(hanna: Secretary) -> None:
    answer = hanna.send({2: GOOD, 3: "0 0 13q- 0"})
    assert (answer.status_code, answer["Location"]) == (302, GRID)
    entry = stored(2)[0]
    assert entry.typed == {"hearts": [6, 3, 4, 0], "taken": [[], ["QS"], [], []]}
    assert (entry.source, entry.entered_as, entry.revision) == ("host", "hanna", 1)
    assert entry.key is not None
    assert entry.key.startswith("grid-")
    assert stored(3)[0].typed["slam_choice"] == "self"
    assert "Table 2 saved: 3 hands entered." in text_of(hanna.client.get(GRID))


def test_unchanged_rows_are_left(hanna: Secretary) -> None:
    version = Dirty.objects.get(scope__startswith="event:").version
    hanna.send({1: "03 3Q 3 4"})
    assert len(stored(1)) == 1
    assert Dirty.objects.get(scope__startswith="event:").version == version


def test_wrong_row_keeps_no_good_one_out_and_stays_as_typed(hanna: Secretary) -> None:
    answer = hanna.send({2: GOOD, 3: "7 5q 0 0", 4: "4 5 q 4", 5: "4 x 0 9"})
    assert answer.status_code == 422
    assert [hanna.row(n) for n in (2, 3, 4, 5)] == [GOOD, "7 5q 0 0", "4 5 0q 4", "4 x 0 9"]
    assert [len(stored(n)) for n in (2, 3, 4, 5)] == [1, 0, 1, 0]
    assert hanna.why(3).startswith("Hand 3 is not saved. One heart is missing. You entered 7, 5, 0")
    assert hanna.why(5) == (
        "Hand 5, Jörg S.: “x” cannot be read. Enter the number of hearts, then a letter for "
        "each card. See Keys."
    )
    assert hanna.why(2) == ""
    page = text_of(answer)
    assert "2 hands are not saved. 2 correct hands are saved." in page
    assert "All sheets are entered." not in page
    assert 'id="c-3-1" name="c-3-1" value="7"' in answer.content.decode()
    hanna.send({3: "7 6q 0 0", 5: "4 0 0 9q"})
    assert [len(stored(n)) for n in (2, 3, 4, 5)] == [1, 1, 1, 1]


def test_offered_correction_is_saved_at_once(hanna: Secretary) -> None:
    hanna.send({2: "7 5q 0 0"})
    assert hanna.send({}, go=hanna.buttons(2)["+1 to Cleo S."]).status_code == 302
    assert hearts(2) == [7, 5, 1, 0]


def test_correction_of_a_hand_asks_for_the_reason_and_is_not_stored(hanna: Secretary) -> None:
    hanna.send({1: "7 5q 0 0"})
    hanna.send({}, go=hanna.buttons(1)["+1 to Cleo S."])
    assert hanna.why(1).startswith("Hand 1 is not saved. Enter a reason")
    assert len(stored(1)) == 1
    assert_not_shown_as_stored(hanna, 1)


def test_row_that_is_not_stored_counts_as_missing_and_marks_the_form(hanna: Secretary) -> None:
    assert "data-dirty" not in hanna.page.content.decode()
    hanna.send({2: GOOD}, go="back")
    assert_not_shown_as_stored(hanna, 2)
    hanna.send({1: "4 3q 3 3", 2: ""}, go="more")
    assert_not_shown_as_stored(hanna, 1)


def assert_not_shown_as_stored(hanna: Secretary, number: int) -> None:
    page = hanna.page.content.decode()
    row = page.partition(f'<tr data-hand="{number}"')[2].partition("</tr>")[0]
    assert re.search(r'class="sum-ok" hidden', row)
    assert re.search(r'class="tag unsaved">not saved', row)
    assert re.search(r'class="stored" hidden', row)
    assert "1 hand not saved" in text_of(hanna.page)
    assert "1 sheet is missing." in text_of(hanna.page)
    assert re.search(r'<form id="grid"[^>]* data-dirty>', page)


def test_sheet_without_a_hand_in_between_is_missing(hanna: Secretary) -> None:
    hanna.send({2: "7 5q 0 0", 3: GOOD})
    gap = "Hands on paper: 3, stored: 2. Missing: 2."
    hanna.page = hanna.client.get(GRID)
    assert "1 sheet is missing." in text_of(hanna.page)
    assert gap in text_of(hanna.page)
    hanna.send({2: "7 5q 1 0"})
    assert "All sheets are entered." in text_of(hanna.client.get(GRID))


def test_hand_that_is_missing_is_named_until_somebody_checked_the_sheet(hanna: Secretary) -> None:
    gap = "Hands on paper: 3, stored: 2. Missing: 2."
    assert gap in text_of(hanna.client.get(hanna.send({3: GOOD}, go="next")["Location"]))
    check = f"{TABLE}/read-back"
    (digest,) = re.findall(r'name="sheet" value="(\w+)"', hanna.client.get(check).content.decode())
    hanna.client.post(check, {"sheet": digest})
    assert gap not in text_of(hanna.client.get(GRID))
    assert "All sheets are entered." in text_of(hanna.client.get(GRID))
    hanna.page = hanna.client.get(GRID)
    hanna.send({4: "1 2 3 7q"})
    assert "Hands on paper: 4, stored: 3. Missing: 2." in text_of(hanna.client.get(GRID))


def test_director_saves_a_wrong_row_as_disputed(evenings: Evenings, hanna: Secretary) -> None:
    hanna.send({2: "7 5q 0 0"})
    assert "A director can save it as disputed." in hanna.why(2)
    hanna.send({}, go="file:2", **{"question-2": "Cleo has the sheet."})
    assert not stored(2)
    dirk = Secretary(evenings, "dirk")
    dirk.send({2: "7 5q 0 0", 3: GOOD})
    file = dirk.buttons(2)["Save as disputed"]
    dirk.send({}, go=file)
    assert "Enter a reason" in dirk.why(2)
    assert dirk.send({}, go=file, **{"question-2": "Cleo has it."}).status_code == 302
    entry = stored(2)[0]
    assert (entry.hand.state, entry.reason) == ("disputed", "Cleo has it.")
    assert hearts(2) == [7, 5, 0, 0]


def test_row_that_is_right_is_not_saved_as_disputed(evenings: Evenings) -> None:
    dirk = Secretary(evenings, "dirk")
    dirk.send({2: GOOD}, **{"question-2": "Really?"})
    assert "The total of hand 2 is correct." in dirk.why(2)
    assert not stored(2)
    assert dirk.send({}).status_code == 302


def test_moon_is_asked_for_at_its_row_and_the_server_says_the_settlements(hanna: Secretary) -> None:
    hanna.send({2: "0 13q 0 0", 3: GOOD})
    assert len(stored(3)) == 1
    assert not stored(2)
    assert hanna.why(2).startswith("Hand 2 is not saved. Jörg S. took everything.")
    assert "Hand 2 is not saved. Jörg S. took everything. </a>" in " ".join(
        hanna.page.content.decode().replace("</a>", " </a>").split()
    )
    assert re.search(r'value="row:2:save:[^"]*" autofocus>', hanna.page.content.decode())
    (choice,) = [value for words, value in hanna.buttons(2).items() if "−26" in words]
    assert hanna.send({}, go=choice).status_code == 302
    assert stored(2)[0].typed["slam_choice"] == "self"


def test_totals_count_settled_moons_and_say_which_hands_they_leave_out(hanna: Secretary) -> None:
    assert "Total 3 16 3 4 of 26" in text_of(hanna.page)
    assert "without hand" not in text_of(hanna.page)
    hanna.send({2: "0 13q- 0 0", 3: GOOD, 4: "4 _ _ _"})
    assert "Total 9 6 7 4 of 26, without hand 4" in text_of(hanna.page)
    hanna.send({4: "", 5: "13q 0 0 0", 6: "0 13q+ 0 0"})
    assert "Total 35 6 33 30 of 104, without hand 5" in text_of(hanna.page)


def test_changed_hand_asks_why_and_becomes_the_next_revision(hanna: Secretary) -> None:
    hanna.send({1: "4 3q 3 3", 2: GOOD})
    assert hanna.why(1).startswith("Hand 1 is not saved. Enter a reason in one sentence.")
    assert len(stored(2)) == 1
    hanna.send({}, reason="North and West were swapped.")
    assert [entry.revision for entry in stored(1)] == [1, 2]
    assert stored(1)[-1].reason == "North and West were swapped."
    assert hearts(1) == [4, 3, 3, 3]


def test_emptied_row_takes_no_hand_away(hanna: Secretary) -> None:
    assert hanna.send({1: ""}, reason="It was another table's.").status_code == 422
    assert "Hand 1 is stored, but its row is now empty." in hanna.why(1)
    hanna.send({}, go=hanna.buttons(1)["Show hand"])
    assert hanna.row(1) == "3 3q 3 4"
    assert len(stored(1)) == 1


def test_hand_of_another_is_shown_not_overwritten(evenings: Evenings, hanna: Secretary) -> None:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    hand(game, 2, [5, 4, 4, 0], queen=1, actor=evenings.cast.actor("dirk"))
    answer = hanna.send({2: GOOD, 3: "1 3q 4 5"})
    assert answer.status_code == 422
    assert len(stored(3)) == 1
    assert hearts(2) == [5, 4, 4, 0]
    assert hanna.row(2) == GOOD
    assert "Dirk has saved hand 2 as revision 1." in hanna.why(2)
    assert "stored: 4q" in text_of(answer)
    assert AuditLine.objects.filter(act="enter_hand_refused").count() == 1
    assert "Save mine as revision 2" in hanna.why(2)
    hanna.send({}, reason="Typed from the paper.")
    assert hearts(2) == [5, 4, 4, 0]
    assert hanna.row(2) == GOOD
    hanna.send({}, reason="", **{"mine-2": "1"})
    assert hearts(2) == [6, 3, 4, 0]
    assert stored(2)[-1].reason == "Two entries of one hand: this one was chosen."


def test_theirs_may_be_left_where_both_wrote(hanna: Secretary) -> None:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    hand(game, 1, [4, 3, 3, 3], queen=1, based_on=1, reason="Typed wrong.")
    hanna.send({1: "3 4q 3 3"}, reason="Counted again.")
    assert hearts(1) == [4, 3, 3, 3]
    hanna.send({}, go=hanna.buttons(1)["Keep stored hand"])
    assert hanna.row(1) == "4 3q 3 3"
    assert hanna.send({}).status_code == 302
    assert len(stored(1)) == 2


def test_hand_that_another_changed_and_i_did_not_is_no_conflict(hanna: Secretary) -> None:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    hand(game, 1, [4, 3, 3, 3], queen=1, based_on=1, reason="Typed wrong.")
    assert hanna.send({2: GOOD}).status_code == 302
    assert hearts(1) == [4, 3, 3, 3]
    assert len(stored(2)) == 1


def test_page_sent_twice_is_saved_once(hanna: Secretary) -> None:
    fields = {**hanna.fields, "go": "save"}
    for row, text in enumerate(GOOD.split(), start=1):
        fields[f"c-2-{row}"] = text
    for _time in range(2):
        assert hanna.client.post(GRID, fields).status_code == 302
    assert len(stored(2)) == 1


def test_next_table_is_the_next_one_whose_sheet_is_missing(evenings: Evenings) -> None:
    seated = players(evenings.cast.riverside, *(f"Guest {n}." for n in range(1, 13)))
    for number in (3, 4, 5):
        start = (number - 3) * 4
        table(evenings.event, seated[start : start + 4], table_number=number)
    secretary = Secretary(evenings, address=f"{ADDRESS}/tables/r1t4/grid")
    assert "Table 4 of 5 in this round. 3 sheets are missing." in text_of(secretary.page)
    ways = []
    for _time in range(3):
        answer = secretary.send({1: GOOD}, go="next")
        ways.append(answer["Location"].removeprefix(ADDRESS))
        secretary.address = answer["Location"]
        secretary.page = secretary.client.get(secretary.address)
    assert ways == ["/tables/r1t5/grid", "/tables/r1t3/grid", "/rounds/1"]
    assert "All sheets of round 1 are entered." in text_of(secretary.page)


def test_pile_says_which_sheets_are_missing_and_where_to_begin(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="eight", name="Eight", length="hands:8")
    seated = players(evenings.cast.riverside, *(f"Guest {n}." for n in range(1, 9)))
    hand(table(event, seated[:4]), 1, [6, 3, 4, 0], queen=1)
    table(event, seated[4:], table_number=2)
    address = "/clubs/riverside/events/eight"
    page = evenings.client("hanna").get(f"{address}/rounds/1/pile")
    assert "Next step : 2 sheets of 2 to enter Enter sheets" in text_of(page)
    assert f'href="{address}/tables/r1t1/grid"' in page.content.decode()
    assert "1 of 8" in text_of(page)
    secretary = Secretary(evenings, address=f"{address}/tables/r1t1/grid")
    assert "1 of 8 hands entered" in text_of(secretary.page)
    assert "c-8-1" in secretary.fields
    assert "c-9-1" not in secretary.fields


def test_director_closes_the_round_after_its_last_sheet(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="short", name="Short", length="hands:1")
    seated = players(evenings.cast.riverside, *(f"Guest {n}." for n in range(1, 9)))
    table(event, seated[:4])
    table(event, seated[4:], table_number=2)
    address = "/clubs/riverside/events/short"
    pile, dirk = f"{address}/rounds/1/pile", evenings.client("dirk")
    first = Secretary(evenings, address=f"{address}/tables/r1t1/grid")
    assert "Save, next table" in text_of(first.page)
    assert "Close round 1" not in text_of(dirk.get(pile))
    assert first.send({1: GOOD}, go="next")["Location"].endswith("/r1t2/grid")
    last = Secretary(evenings, address=f"{address}/tables/r1t2/grid")
    assert "Save, next table" not in text_of(last.page)
    assert "Save, back to round" in text_of(last.page)
    assert last.send({1: GOOD}, go="next")["Location"] == f"{address}/rounds/1"
    assert "Close round 1" not in text_of(evenings.client("hanna").get(pile))
    page = dirk.get(pile)
    assert "Next step : All sheets are in Close round 1" in text_of(page)
    act = re.search(rf'action="({address}/rounds/1/direct[^"]*)"', page.content.decode())
    assert act is not None
    dirk.post(act[1], {"to": "closed"})
    assert Round.objects.get(event=event).state == "closed"
    assert "Close round 1" not in text_of(dirk.get(pile))


def test_round_closes_with_tables_without_an_end_after_the_last_sheet(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="open", name="Open")
    hand(
        table(event, players(evenings.cast.riverside, "Una", "Vic", "Wim", "Xia")),
        1,
        [6, 3, 4, 0],
        queen=1,
    )
    address = "/clubs/riverside/events/open"
    pile, dirk = f"{address}/rounds/1/pile", evenings.client("dirk")
    page = dirk.get(pile)
    assert "1 is still open and closes with the round Close round 1" in text_of(page)
    assert "1 hand entered, sheet not confirmed" in text_of(page)
    dirk.post(f"{address}/rounds/1/direct", {"to": "closed"})
    assert "Complete" in text_of(dirk.get(f"{address}/tables/r1t1"))


def test_points_are_typed_where_only_they_are_known(hanna: Secretary) -> None:
    hanna.send({}, go="way:points")
    assert hanna.fields["way-1"] == "counts"
    assert hanna.fields["way-2"] == "points"
    hanna.send({2: "16 3 7 0", 3: "0 26 26 26", 4: "12 12 2 1"})
    assert stored(2)[0].typed == {"points": [16, 3, 7, 0]}
    assert stored(3)[0].typed == {"points": [0, 26, 26, 26]}
    assert not stored(4)
    assert "Hand 4 is not saved." in hanna.why(4)
    assert hanna.row(4) == "12 12 2 1"


def test_points_in_a_row_of_hearts_are_asked_about_and_kept(hanna: Secretary) -> None:
    page = hanna.page.content.decode()
    assert page.index('value="way:points"') < page.index('<table class="t entry">')
    hanna.send({2: "8 6 7 5"})
    right = "Hand 2 is not saved. Are these points? They total 26, but a number here counts hearts."
    assert hanna.why(2).startswith(right)
    hanna.send({2: "16 3 7 0"})
    assert not stored(2)
    assert "Are these points? No cell can have more than 13 hearts." in hanna.why(2)
    assert (
        "way:points" in hanna.page.content.decode().partition('id="why-2"')[2].partition("</tr>")[0]
    )
    hanna.send({}, go="way:points")
    assert (hanna.fields["way-2"], hanna.row(2)) == ("points", "16 3 7 0")
    hanna.send({})
    assert stored(2)[0].typed == {"points": [16, 3, 7, 0]}


def test_next_sheet_is_written_as_the_last_one(hanna: Secretary) -> None:
    hanna.send({}, go="way:points")
    answer = hanna.send({2: "16 3 7 0"}, go="next")
    assert answer["Location"].endswith("/rounds/1/pile?way=points")
    assert f'href="{GRID}?way=points"' in hanna.client.get(answer["Location"]).content.decode()
    hanna.page = hanna.client.get(f"{GRID}?way=points")
    assert hanna.fields["way-3"] == "points"
    assert "points of this seat; all seats total 26, except after a moon" in text_of(hanna.page)
    assert "number of hearts" not in text_of(hanna.page)
    assert hanna.send({3: "7 16 3 0"})["Location"] == f"{GRID}?way=points"
    hanna.page = hanna.client.get(f"{GRID}?way=points")
    hanna.send({}, go="way:counts")
    assert hanna.fields["way-4"] == "counts"
    assert hanna.send({4: GOOD})["Location"] == GRID


def test_cursor_stands_in_the_first_row_that_is_not_right(hanna: Secretary) -> None:
    def focused() -> str:
        found = re.search(r'<input id="([^"]*)"[^>]* autofocus', hanna.page.content.decode())
        return found[1] if found else ""

    assert focused() == "c-2-1"
    hanna.send({2: "5 2 0 1", 3: "0 _ _ _"}, go="way:points")
    assert focused() == "c-2-1"
    hanna.send({2: "5 20 1 0", 3: "0 26 _ 26"}, go="way:points")
    assert focused() == "c-3-3"


def test_moon_in_points_is_right_and_counts_in_the_totals(hanna: Secretary) -> None:
    hanna.send({}, go="way:points")
    before = re.findall(r'class="foot-sum">([^<]*)<', hanna.page.content.decode())
    hanna.send({2: "26 0 26 26"}, go="more")
    after = re.findall(r'class="foot-sum">([^<]*)<', hanna.page.content.decode())
    assert [int(b) - int(a) for a, b in zip(before, after, strict=True)] == [26, 0, 26, 26]
    assert "correct: wrong: 78 moon by Jörg S." in text_of(hanna.page)
    assert "without hand" not in text_of(hanna.page)
    hanna.send({})
    assert stored(2)[0].typed == {"points": [26, 0, 26, 26]}
    saved = hanna.client.get(GRID)
    assert re.findall(r'class="foot-sum">([^<]*)<', saved.content.decode()) == after
    assert "78 moon by Jörg S." in text_of(saved)


def test_more_rows_come_where_a_game_goes_on(hanna: Secretary) -> None:
    hanna.send({8: GOOD}, go="more")
    assert hanna.row(8) == GOOD
    assert "c-12-1" in hanna.fields
    assert not stored(8)


def test_round_that_is_closed_keeps_what_a_host_types(evenings: Evenings, hanna: Secretary) -> None:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    type(game.table.round).objects.filter(pk=game.table.round_id).update(state="closed")
    hanna.send({2: GOOD})
    assert "Round 1 is closed. A director can correct it with a reason." in hanna.why(2)
    assert hanna.row(2) == GOOD
    dirk = Secretary(evenings, "dirk")
    assert "The round is closed." in text_of(dirk.page)
    assert dirk.send({2: GOOD}).status_code == 302


def test_grid_of_a_closed_round_says_so_before_anybody_types(evenings: Evenings) -> None:
    evenings.event.rounds.filter(number=1).update(state="closed")
    page = Secretary(evenings).page.content.decode()
    assert "Round 1 is closed. A director can correct it" in page
    assert 'name="c-2-1"' not in page


def test_sheet_with_totals_only_has_no_grid(evenings: Evenings) -> None:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    Hand.objects.filter(game=game).update(number=0)
    assert evenings.client("hanna").get(GRID)["Location"] == TABLE


def test_corrections_of_a_closed_round_show_first_what_they_change(evenings: Evenings) -> None:
    """Two rows at once: one preview, one reason, all or nothing."""
    evenings.event.rounds.filter(number=1).update(state="closed")
    hand(Game.objects.get(table__code="r1t2", table__event__slug="league"), 2, [5, 5, 2, 1], 3)
    dirk = Secretary(evenings, "dirk")
    typed = {1: "4 3q 3 3", 2: "6 3q 4 0"}
    assert dirk.send({**typed, 2: "6 3q 9 0"}).status_code == 422
    assert (len(stored(1)), len(stored(2))) == (1, 1)
    dirk = Secretary(evenings, "dirk")
    shown = dirk.send(typed)
    page = text_of(shown)
    assert shown.status_code == 200
    assert "Correct table 2 Not saved yet" in page
    assert "Hand 1, before revision 1" in page
    assert "Hand 2, after revision 2" in page
    assert "What will change" in page
    assert (len(stored(1)), len(stored(2))) == (1, 1)
    kept = {name: one[0] for name, one in hidden(shown).items()}
    assert dirk.client.post(GRID, {**kept, "go": "save", "reason": ""}).status_code == 422
    back = dirk.client.post(GRID, {**kept, "go": "back"})
    assert 'name="c-1-1" value="4"' in back.content.decode()
    assert len(stored(1)) == 1
    other = dirk.client.post(GRID, {**kept, "go": "save", "reason": "Misread."}, follow=True)
    assert "Table 2 saved: 2 hands entered." in text_of(other)
    assert [one.reason for one in (stored(1)[-1], stored(2)[-1])] == ["Misread."] * 2
    assert list(hearts(2)) == [6, 3, 4, 0]
    again = dirk.client.post(GRID, {**kept, "go": "save", "reason": "Misread."}, follow=True)
    assert "nothing new" in text_of(again)
    assert (len(stored(1)), len(stored(2))) == (2, 2)


def test_anybody_may_look_at_what_a_correction_of_the_grid_changes(hanna: Secretary) -> None:
    assert "Correct table 2 Not saved yet" in text_of(hanna.send({1: "4 3q 3 3"}, go="look"))
    assert len(stored(1)) == 1
    hanna.page = hanna.client.get(GRID)
    assert "No stored hand is changed." in text_of(hanna.send({}, go="look"))


def test_corrected_row_keeps_the_kitty_that_the_grid_does_not_show(hanna: Secretary) -> None:
    entry = stored(1)[0]
    entry.typed = {**entry.typed, "kitty": ["2C"]}
    entry.save()
    hanna.send({1: "4 2q 3 4"}, reason="Read again.")
    assert (stored(1)[1].typed["hearts"], stored(1)[1].typed["kitty"]) == ([4, 2, 3, 4], ["2C"])
