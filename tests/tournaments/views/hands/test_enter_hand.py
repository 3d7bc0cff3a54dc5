"""The host's page without a script: typed, refused, mended, saved, corrected, undone."""

import re

import pytest

from tests.support.builders import hand, league, players, table
from tests.support.pages.hand_entry import (
    NEW,
    TABLE,
    Host,
    at_another_table,
    buttons,
    edit,
    hidden,
    points,
    stored,
    typed,
    values,
)
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings
from tournaments.models.hands import Game, Hand


@pytest.fixture
def hanna(evenings: Evenings) -> Host:
    return Host(evenings.client("hanna"))


def test_empty_sheet_shows_whose_deal_it_is_and_how_everybody_stands(hanna: Host) -> None:
    page = text_of(hanna.page)
    assert "Table 2 hand 2" in page
    assert "Pass right Dealer Jörg S." in page
    assert "Marit S. the rest: 0 3 so far, 1st=" in page
    assert "Jörg S. the rest: 0 16 so far, 4th" in page
    assert "0 of 13 hearts, Q♠ open" in page


def test_rules_of_play_that_players_forget_stand_below_the_pass(evenings: Evenings) -> None:
    chosen = {"not_passed": ["2C", "QS"], "vacated_seat": "left of shooter"}
    event = league(evenings.cast.riverside, slug="own")
    people = players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora")
    table(event, people, variant="hearts", options=chosen)
    address = "/clubs/riverside/events/own/tables/r1t1/hands/new"
    page = text_of(evenings.client("hanna").get(address))
    assert (
        "Cards that may not be passed: 2♣ and Q♠. After a game that a moon has ended, the" in page
    )


def test_hand_is_stored_as_typed_and_the_next_one_is_opened(hanna: Host) -> None:
    answer = hanna.send(typed([4, 1, 2, 6], queen=4))
    assert (answer.status_code, answer["Location"]) == (302, NEW)
    entry = stored()[0]
    assert entry.typed == {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}
    assert (entry.source, entry.entered_as, entry.revision) == ("host", "hanna", 1)
    page = text_of(hanna.client.get(NEW))
    assert "Hand 2 saved." in page
    assert "Table 2 hand 3" in page
    assert "Pass across Dealer Cleo S." in page
    assert "Carla K. the rest: 0 23 so far, 4th" in page


def test_row_left_empty_took_nothing_when_the_sum_says_so(hanna: Host) -> None:
    assert hanna.send(typed(["13", "", "", ""], queen=2)).status_code == 302
    assert stored()[0].typed["hearts"] == [13, 0, 0, 0]


def test_hand_of_25_points_is_refused_with_the_reason_and_stays_as_typed(hanna: Host) -> None:
    answer = hanna.send(typed([7, 4, 1, 0], queen=3))
    assert (
        "Not saved. One heart is missing. You entered 7, 4, 1 and 0: that is 12, there are 13 in "
        "play. The hand totals 25 points instead of 26." in text_of(answer, 422)
    )
    assert values(answer) == ["7", "4", "1", "0"]
    assert 'name="card-QS" value="3" checked' in answer.content.decode()
    assert not stored()
    assert buttons(answer)["+1 to Jörg S."] == "set:hearts-2=5"


@pytest.mark.parametrize(
    ("fields", "says", "button"),
    [
        (
            typed([4, 1, 2, 7], 1),
            "There is one heart too many.",
            ("−1 from Carla K.", [4, 1, 2, 6]),
        ),
        (
            typed([4, 1, 2, 6]),
            ("The queen of spades is not assigned to a player."),
            ("Q♠ to Cleo S.", None),
        ),
        (
            typed([4, "O", 3, 6], 1),
            "Jörg S.: hearts are written as O. It must be a whole number from 0 to 13.",
            ("0 instead of O", [4, 0, 3, 6]),
        ),
    ],
)
def test_refusal_says_its_cause_and_offers_the_mending(
    hanna: Host, fields: dict[str, object], says: str, button: tuple[str, list[int] | None]
) -> None:
    answer = hanna.send(fields)
    assert f"Not saved. {says}" in text_of(answer, 422)
    words, mended = button
    after = hanna.send(fields, go=buttons(answer)[words])
    assert "Complete" in text_of(after)
    if mended:
        assert values(after) == [str(number) for number in mended]


def test_count_that_is_no_number_is_marked_at_its_field(hanna: Host) -> None:
    answer = hanna.send(typed([4, "six", 2, 6], queen=1)).content.decode()
    field = re.search(r'<input id="hearts-2"[^>]*>', answer)
    assert field is not None
    assert 'value="six"' in field[0]
    assert 'aria-invalid="true" aria-describedby="why-hearts-2"' in field[0]
    assert 'id="why-hearts-2"' in answer


def test_buttons_of_the_form_work_without_a_script(hanna: Host) -> None:
    fields = typed(["4", "", "2", ""])
    assert values(hanna.send(fields, go="plus:hearts-1")) == ["5", "", "2", ""]
    assert values(hanna.send(fields, go="plus:hearts-3:-1")) == ["4", "", "1", ""]
    assert values(hanna.send(fields, go="rest:4")) == ["4", "", "2", "7"]
    assert values(hanna.send(fields, go="plus:nonsense-9")) == ["4", "", "2", ""]
    assert not stored()


def test_moon_is_asked_for_with_the_totals_that_each_settlement_would_give(hanna: Host) -> None:
    answer = hanna.send(typed([0, 0, 13, 0], queen=3))
    assert "Cleo S. shot the moon" in text_of(answer, 422)
    offered = buttons(answer)
    assert list(offered) == [
        "Take 26 off Cleo S. Marit S. 3 → becomes 3 Jörg S. 16 → becomes 16 "
        "Cleo S. 3 → becomes −23 Carla K. 4 → becomes 4",
        "Give 26 to each of the others Marit S. 3 → becomes 29 Jörg S. 16 → becomes 42 "
        "Cleo S. 3 → becomes 3 Carla K. 4 → becomes 30",
        "No moon: back to the hand",
    ]
    back = hanna.send({}, go=offered["No moon: back to the hand"])
    assert (back.status_code, values(back)) == (200, ["0", "0", "13", "0"])
    hanna.send(typed([0, 0, 13, 0], queen=3))
    others = next(value for words, value in offered.items() if words.startswith("Give"))
    assert hanna.send({}, go=others).status_code == 302
    assert stored()[0].typed == {
        "hearts": [0, 0, 13, 0],
        "taken": [[], [], ["QS"], []],
        "slam_choice": "others",
    }


def test_points_alone_are_another_way_and_the_counts_travel_along(hanna: Host) -> None:
    other = hanna.send(typed([4, 1, "", ""], queen=1), go="way:points")
    assert values(other, "points") == ["", "", "", ""]
    assert hidden(other)["hearts-1"] == ["4"]
    assert values(hanna.send(points(1, 2, 3, 4), go="way:counts")) == ["4", "1", "", ""]
    hanna.send({}, go="way:points")
    assert hanna.send(points(4, 14, 2, 6)).status_code == 302
    assert stored()[0].typed == {"points": [4, 14, 2, 6]}


def test_wrong_points_and_those_of_an_open_moon_are_asked_about(hanna: Host) -> None:
    hanna.send({}, go="way:points")
    page = text_of(hanna.send(points(39, 0, 0, 0)))
    assert "Likely: the queen of spades counted twice (Marit S.)." in page
    assert "seat N" not in page
    answer = hanna.send(points(26, 0, 0, 0))
    assert answer.status_code == 422
    settled = "Marit S. 0, Jörg S. 26, Cleo S. 26, Carla K. 26"
    assert hanna.send(points(26, 0, 0, 0), go=buttons(answer)[settled]).status_code == 302
    assert stored()[0].typed == {"points": [0, 26, 26, 26]}


def test_running_totals_become_points_by_a_button(hanna: Host) -> None:
    answer = hanna.send({}, go="way:points")
    assert "Read as running totals" in text_of(answer)
    answer = hanna.send(points(16, 16, 16, 4), go="running")  # after 3, 16, 3 and 4
    assert values(answer, "points") == ["13", "0", "13", "0"]
    assert "The totals of the hands before are subtracted." in text_of(answer)
    assert hanna.send(points(13, 0, 13, 0)).status_code == 302
    assert stored()[0].typed == {"points": [13, 0, 13, 0]}


def test_running_total_that_two_hands_explain_is_left_to_the_host(evenings: Evenings) -> None:
    host = at_another_table(evenings, "dirty-nasty-filthy", resets="50-to-0,100-to-50")
    for line in ((3, 7, 28, 29), (7, 3, 28, 29)):
        host.page = host.client.get(host.address)
        host.send({}, go="way:points")
        assert host.send(points(*line)).status_code == 302
    host.page = host.client.get(host.address)
    host.send({}, go="way:points")
    answer = host.send(points(0, 0, 76, 75), go="running")
    assert values(answer, "points") == ["", "", "20", "17"]
    assert "Write the points of the hand where the field is empty." in text_of(answer)


def test_second_host_sees_both_entries_and_chooses(evenings: Evenings, hanna: Host) -> None:
    dirk, olga = Host(evenings.client("dirk")), Host(evenings.client("olga"))
    assert hanna.send(typed([8, 5, 0, 0], queen=2)).status_code == 302
    same = olga.send(typed([8, 5, 0, 0], queen=2))
    assert (same.status_code, same["Location"]) == (302, TABLE)
    assert "Hand 2 was already entered with the same numbers." in text_of(olga.client.get(TABLE))
    answer = dirk.send(typed([6, 5, 2, 0], queen=2))
    page = text_of(answer, 409)
    assert "This hand was already entered" in page
    assert "hanna" in page
    assert answer.content.decode().count('class="num diff"') == 4
    assert len(stored()) == 1
    assert dirk.send({"reason": "The table says two for Cleo."}).status_code == 302
    first, second = stored()
    assert first.typed["hearts"] == [8, 5, 0, 0]
    assert (second.typed["hearts"], second.reason) == ([6, 5, 2, 0], "The table says two for Cleo.")


def test_correction_shows_what_was_typed_and_wants_a_reason(evenings: Evenings) -> None:
    host = edit(evenings.client("hanna"))
    assert values(host.page) == ["3", "3", "3", "4"]
    assert 'name="card-QS" value="2" checked' in host.page.content.decode()
    assert "Enter a reason in one sentence." in text_of(host.send(typed([3, 3, 4, 3], queen=2)))
    answer = host.send(typed([3, 3, 4, 3], queen=2), reason="South and West were swapped.")
    assert (answer.status_code, answer["Location"]) == (302, TABLE)
    assert [entry.revision for entry in stored(1)] == [1, 2]
    assert stored(1)[1].reason == "South and West were swapped."


def test_correction_of_a_hand_that_changed_meanwhile_shows_both(evenings: Evenings) -> None:
    slow, quick = edit(evenings.client("hanna")), edit(evenings.client("dirk"))
    quick.send(typed([3, 3, 4, 3], queen=2), reason="South had four.")
    answer = slow.send(typed([4, 3, 3, 3], queen=2), reason="North had four.")
    assert answer.status_code == 409
    assert hidden(answer)["based_on"] == ["2"]
    slow.address = NEW
    assert slow.send({"reason": "North had four."}).status_code == 302
    assert stored(1)[2].typed["hearts"] == [4, 3, 3, 3]


def test_undo_is_a_revision_of_its_own_and_a_second_tap_changes_nothing(evenings: Evenings) -> None:
    client = evenings.client("hanna")
    edit(client).send(typed([3, 3, 4, 3], queen=2), reason="South had four.")
    for _tap in range(2):
        answer = client.post(f"{TABLE}/hands/1/undo", {"based_on": 2}, follow=True)
        assert "Hand 1 is back to revision 1." in text_of(answer)
    entries = stored(1)
    assert [entry.typed["hearts"] for entry in entries] == [
        [3, 3, 3, 4],
        [3, 3, 4, 3],
        [3, 3, 3, 4],
    ]
    assert entries[2].reason == "Undo: as in revision 1"


def test_correction_that_a_later_hand_cannot_stand_names_that_hand(evenings: Evenings) -> None:
    people = players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora")
    game = table(league(evenings.cast.riverside, slug="short", length="variant"), people)
    hand(game, 1, [12, 1, 0, 0], queen=0)
    hand(game, 2, [12, 0, 1, 0], queen=0)
    hand(game, 3, [12, 1, 0, 0], queen=0)
    hand(game, 4, [1, 12, 0, 0], queen=1)
    hand(game, 5, [3, 3, 3, 4], queen=2)
    address = "/clubs/riverside/events/short/tables/r1t1/hands"
    host = Host(evenings.client("hanna"), f"{address}/4/edit")
    answer = host.send(typed([12, 1, 0, 0], queen=1), reason="North and East were swapped.")
    page = text_of(answer, 422)
    assert "Not saved: hand 5 would become impossible" in page
    assert "The game is over. This hand comes after its end." in page
    assert f'href="{address}/5/edit"' in answer.content.decode()


def test_missing_hand_is_the_next_one_where_no_more_are_allowed(evenings: Evenings) -> None:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    event, client = game.event, evenings.client("hanna")
    event.settings = {**event.settings, "length": "hands:3"}
    event.save()
    host = Host(client, f"{NEW}?number=3")
    host.address = NEW
    after = client.get(host.send(typed([3, 3, 3, 4], queen=1))["Location"])
    assert "hand 2 of 3" in text_of(after)
    assert "Undo hand 3" in text_of(after)
    sheet = text_of(client.get(TABLE))
    assert "Enter hand 2" in sheet
    assert "Enter hand 4" not in sheet
    assert client.get(f"{NEW}?number=4")["Location"] == NEW
    host = Host(client)
    after = client.get(host.send(typed([4, 3, 3, 3], queen=1))["Location"])
    assert "Hand 2 saved." in text_of(after)
    assert "Undo hand 2" in text_of(after)
    assert "Undo hand 3" not in text_of(after)


def test_hand_number_left_out_can_be_entered(evenings: Evenings) -> None:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    hand(game, 3, [3, 3, 3, 4], queen=1)
    client = evenings.client("hanna")
    assert f'href="{NEW}?number=2"' in client.get(TABLE).content.decode()
    host = Host(client, f"{NEW}?number=2")
    assert hidden(host.page)["number"] == ["2"]
    assert host.send(typed([4, 1, 2, 6], queen=4)).status_code == 302
    assert len(stored(2)) == 1


def test_void_hand_is_a_directors_to_restore(evenings: Evenings) -> None:
    Hand.objects.filter(game__table__code="r1t2", number=1).update(state="void")
    host, director = edit(evenings.client("hanna")), edit(evenings.client("dirk"))
    fields = typed([3, 3, 4, 3], queen=2)
    assert host.send(fields, reason="It was right.").status_code == 403
    assert director.send(fields, reason="It was right.").status_code == 302


def test_moon_and_a_missing_reason_are_both_said(evenings: Evenings) -> None:
    host = edit(evenings.client("hanna"))
    answer = host.send(typed([13, 0, 0, 0], queen=1))
    question = "Marit S. took everything. How is it settled? Take 26 off Marit S. or give"
    assert question in text_of(answer)
    assert "Enter a reason in one sentence." in text_of(answer)
    settled = "Marit S. 0, Jörg S. 26, Cleo S. 26, Carla K. 26"
    done = host.send(
        typed([13, 0, 0, 0], queen=1), go=buttons(answer)[settled], reason="It was a moon."
    )
    assert done.status_code == 302
    assert stored(1)[1].typed["slam_choice"] == "others"


def test_form_of_one_hand_cannot_be_sent_for_another(hanna: Host) -> None:
    fields = {**hidden(hanna.page), **typed([4, 1, 2, 6], queen=4), "go": "save"}
    hanna.client.post(NEW, fields)
    answer = hanna.client.post(NEW, {**fields, "number": 3})
    assert answer.status_code == 409
    assert hidden(answer)["key"] != fields["key"]
    assert not stored(3)


def test_hand_just_saved_is_undone_by_a_button_and_entered_again(evenings: Evenings) -> None:
    host = Host(evenings.client("hanna"))
    saved = host.client.get(host.send(typed([4, 1, 2, 6], 3))["Location"])
    assert f'action="{TABLE}/hands/2/undo-entry"' in saved.content.decode()
    form = host.client.post(f"{TABLE}/hands/2/undo-entry", follow=True)
    assert "Hand 2 is undone. Enter it again." in text_of(form)
    assert form.context["screen"].number == 2
    assert Host(host.client).send(typed([4, 1, 6, 2], 3)).status_code == 302
    assert [(entry.revision, entry.reason) for entry in stored()] == [(1, ""), (2, "")]


def test_hand_is_corrected_where_it_can_no_longer_be_undone(evenings: Evenings) -> None:
    host = Host(evenings.client("hanna"))
    Host(evenings.client("dirk")).send(typed([4, 1, 2, 6], 3))
    page = text_of(host.client.get(NEW))
    assert ("Correct hand 2" in page, "Undo hand 2" in page) == (True, False)
    response = host.client.post(f"{TABLE}/hands/2/undo-entry", follow=True)
    assert "Hand 2 can no longer be undone." in text_of(response)


def add_what_no_page_shows() -> dict[str, object]:
    """Put a kitty and tricks into the entry of hand 1, as over REST."""
    unshown = {"kitty": ["2C"], "tricks": [4, 3, 3, 3]}
    entry = stored(1)[0]
    entry.typed = {**entry.typed, **unshown}
    entry.save()
    return unshown


def test_correction_keeps_kitty_and_tricks_the_page_does_not_show(evenings: Evenings) -> None:
    unshown = add_what_no_page_shows()
    edit(evenings.client("hanna")).send(typed([3, 3, 4, 3], queen=3), reason="Cleo had the queen.")
    corrected = stored(1)[1].typed
    assert {key: corrected.get(key) for key in unshown} == unshown
    assert corrected["hearts"] == [3, 3, 4, 3]


def test_director_saves_a_hand_beyond_the_length_as_additional(evenings: Evenings) -> None:
    event = Game.objects.get(table__code="r1t2").event
    event.settings = {**event.settings, "length": "hands:1"}
    event.save()
    instead = Host(evenings.client("hanna")).client.get(NEW)
    assert "The game at this table is over." in text_of(instead)
    dirk = Host(evenings.client("dirk"))
    answer = dirk.send(typed([4, 1, 2, 6], queen=4))
    assert answer.status_code == 422
    assert buttons(answer)["Save additional hand"] == "save:additional"
    assert dirk.send(typed([4, 1, 2, 6], queen=4), go="save:additional").status_code == 302
    assert len(stored()) == 1


def test_gap_in_the_numbers_is_named_where_the_sheet_is_checked(evenings: Evenings) -> None:
    hand(Game.objects.get(table__code="r1t2"), 4, [4, 1, 2, 6], queen=3)
    page = text_of(evenings.client("hanna").get(f"{TABLE}/read-back"))
    assert "No hands have the numbers 2, 3. Check whether hands were not entered." in page


def test_hand_is_restored_with_its_reason_and_by_who_has_seen_it(evenings: Evenings) -> None:
    director = evenings.client("dirk")
    void = f"{TABLE}/hands/1/void"
    director.post(void, {"based_on": "1", "reason": "Misdeal."})
    assert Hand.objects.get(game__table__code="r1t2", number=1).state == "void"
    n_stored = len(stored(1))
    late = director.post(void, {"based_on": "7", "reason": "It was right.", "restore": "yes"})
    assert late.status_code in (409, 422)
    assert len(stored(1)) == n_stored
    sent = {"based_on": "1", "reason": "It was right.", "restore": "yes"}
    assert director.post(void, sent).status_code == 302
    assert stored(1)[-1].reason == "It was right."
    n_stored = len(stored(1))
    undone = director.post(f"{TABLE}/hands/1/undo", {"based_on": "2"}, follow=True)
    assert "is the same, so there is nothing to undo" in text_of(undone)
    assert len(stored(1)) == n_stored
