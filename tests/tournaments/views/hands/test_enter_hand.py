"""The host's page as a browser without a script sees it: what is typed, refused, mended, saved."""

import re

import pytest

from tests.support.pages.hand_entry import NEW, Host, buttons, hidden, points, stored, typed, values
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings


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


def test_hand_of_twenty_five_points_is_refused_with_the_reason_and_keeps_what_was_typed(
    hanna: Host,
) -> None:
    answer = hanna.send(typed([7, 4, 1, 0], queen=3))
    assert answer.status_code == 422
    assert (
        "Not saved. One heart is missing. You entered 7, 4, 1 and 0: that is 12, there are 13 in "
        "play. The hand totals 25 points instead of 26." in text_of(answer)
    )
    assert values(answer) == ["7", "4", "1", "0"]
    assert 'name="card-QS" value="3" checked' in answer.content.decode()
    assert not stored()
    assert buttons(answer)["+1 to Jörg S."] == "set:hearts-2=5"


def test_mending_button_changes_one_pile_and_saves_nothing_by_itself(hanna: Host) -> None:
    refused = hanna.send(typed([7, 4, 1, 0], queen=3))
    mended = hanna.send(typed([7, 4, 1, 0], queen=3), go=buttons(refused)["+1 to Jörg S."])
    assert mended.status_code == 200
    assert values(mended) == ["7", "5", "1", "0"]
    assert "Complete: 13 hearts, Q♠" in text_of(mended)
    assert not stored()
    assert hanna.send(typed([7, 5, 1, 0], queen=3)).status_code == 302


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
    assert answer.status_code == 422
    assert f"Not saved. {says}" in text_of(answer)
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


def test_every_problem_of_a_hand_is_said_at_once(hanna: Host) -> None:
    page = text_of(hanna.send(typed([4, 1, 2, 5])))
    assert "One heart is missing." in page
    assert "The queen of spades is not assigned to a player." in page


def test_buttons_of_the_form_work_without_a_script(hanna: Host) -> None:
    fields = typed(["4", "", "2", ""])
    assert values(hanna.send(fields, go="plus:hearts-1")) == ["5", "", "2", ""]
    assert values(hanna.send(fields, go="plus:hearts-3:-1")) == ["4", "", "1", ""]
    assert values(hanna.send(fields, go="rest:4")) == ["4", "", "2", "7"]
    assert values(hanna.send(fields, go="plus:nonsense-9")) == ["4", "", "2", ""]
    assert not stored()


def test_moon_is_asked_for_with_the_totals_that_each_settlement_would_give(hanna: Host) -> None:
    answer = hanna.send(typed([0, 0, 13, 0], queen=3))
    assert answer.status_code == 422
    assert "Cleo S. shot the moon" in text_of(answer)
    offered = buttons(answer)
    assert list(offered) == [
        "Take 26 off Cleo S. Marit S. 3 → becomes 3 Jörg S. 16 → becomes 16 "
        "Cleo S. 3 → becomes −23 Carla K. 4 → becomes 4",
        "Give 26 to each other Marit S. 3 → becomes 29 Jörg S. 16 → becomes 42 "
        "Cleo S. 3 → becomes 3 Carla K. 4 → becomes 30",
        "No moon: back to the hand",
    ]
    others = next(value for words, value in offered.items() if words.startswith("Give"))
    assert hanna.send({}, go=others).status_code == 302
    assert stored()[0].typed == {
        "hearts": [0, 0, 13, 0],
        "taken": [[], [], ["QS"], []],
        "slam_choice": "others",
    }


def test_no_moon_leads_back_to_the_counts(hanna: Host) -> None:
    asked = hanna.send(typed([0, 0, 13, 0], queen=3))
    back = hanna.send({}, go=buttons(asked)["No moon: back to the hand"])
    assert (back.status_code, values(back)) == (200, ["0", "0", "13", "0"])


def test_points_alone_are_another_way_and_the_counts_travel_along(hanna: Host) -> None:
    other = hanna.send(typed([4, 1, "", ""], queen=1), go="way:points")
    assert values(other, "points") == ["", "", "", ""]
    assert hidden(other)["hearts-1"] == ["4"]
    assert values(hanna.send(points(1, 2, 3, 4), go="way:counts")) == ["4", "1", "", ""]
    hanna.send({}, go="way:points")
    assert hanna.send(points(4, 14, 2, 6)).status_code == 302
    assert stored()[0].typed == {"points": [4, 14, 2, 6]}


def test_points_of_twenty_five_are_refused_and_mended(hanna: Host) -> None:
    hanna.send({}, go="way:points")
    answer = hanna.send(points(4, 14, 2, 5))
    assert "The points total 25. The total of a hand is 26." in text_of(answer)
    mended = hanna.send(points(4, 14, 2, 5), go=buttons(answer)["Carla K.: 6 instead of 5"])
    assert values(mended, "points") == ["4", "14", "2", "6"]
    assert hanna.send(points(4, 14, 2, 6)).status_code == 302


def test_points_that_cannot_be_are_refused(hanna: Host) -> None:
    hanna.send({}, go="way:points")
    page = text_of(hanna.send(points(12, 12, 2, 0)))
    assert "no way to share out the cards gives 12, 12, 2, 0" in page
    assert "Likely: nobody's points have room for the queen of spades." in page


def test_wrong_points_say_what_is_likely_with_the_players_name(hanna: Host) -> None:
    hanna.send({}, go="way:points")
    page = text_of(hanna.send(points(39, 0, 0, 0)))
    assert "Likely: the queen of spades counted twice (Marit S.)." in page
    assert "seat N" not in page


def test_settlement_of_other_rules_is_refused_with_the_one_of_these(hanna: Host) -> None:
    hanna.send({}, go="way:points")
    answer = hanna.send(points(52, 0, 52, 52))
    assert "Likely: 26 for a moon under these rules, not 52." in text_of(answer)


def test_points_of_a_moon_that_is_not_settled_are_asked_about(hanna: Host) -> None:
    hanna.send({}, go="way:points")
    answer = hanna.send(points(26, 0, 0, 0))
    assert answer.status_code == 422
    settled = "Marit S. 0, Jörg S. 26, Cleo S. 26, Carla K. 26"
    assert hanna.send(points(26, 0, 0, 0), go=buttons(answer)[settled]).status_code == 302
    assert stored()[0].typed == {"points": [0, 26, 26, 26]}
