"""The host's page where single cards, several packs, charges, pledges and nobody's cards matter."""

import re

import pytest

from tests.support.pages.hand_entry import (
    Host,
    at_another_table,
    buttons,
    hidden,
    newest_entry,
    typed,
    values,
)
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings

EVERY_HEART = [f"{rank}H" for rank in (*range(2, 11), *"JQKA")]


def cards(*piles: str, unclaimed: str = "") -> dict[str, object]:
    fields: dict[str, object] = {f"cards-{seat}": pile for seat, pile in enumerate(piles, start=1)}
    return {**fields, "cards-0": unclaimed}


def ticked(host: Host, name: str) -> list[str]:
    return re.findall(rf'name="{name}" value="([^"]*)" checked', host.page.content.decode())


def test_cards_are_typed_in_any_order_case_and_sign(evenings: Evenings) -> None:
    host = at_another_table(evenings, "hearts")
    host.send({}, go="way:cards")
    assert "0 of 14 cards assigned" in text_of(host.page)
    piles = cards("qs, ♥2 h3 th", "4H5H6H 7h", "8h;9h JH", "♥Q K♥ a\N{WHITE HEART SUIT}")
    assert host.send(piles).status_code == 302
    assert newest_entry() == {
        "taken": [["QS", "2H", "3H", "10H"], ["4H", "5H", "6H", "7H"], ["8H", "9H", "JH"],
                  ["QH", "KH", "AH"]]
    }  # fmt: skip
    again = Host(host.client, f"{host.address.removesuffix('new')}1/edit")
    assert values(again.page, "cards")[0] == "QS 2H 3H 10H"


def test_card_that_is_none_is_said_at_its_pile(evenings: Evenings) -> None:
    host = at_another_table(evenings, "hearts")
    host.send({}, go="way:cards")
    answer = host.send(cards("QS 2H ZZ", "", "", " ".join(EVERY_HEART[1:])))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "“ZZ” is not a card" in text_of(answer)
    assert 'aria-describedby="cards-hint why-cards-1" aria-invalid="true"' in page
    assert 'id="why-cards-1"' in page
    assert values(answer, "cards")[0] == "QS 2H ZZ"


def test_card_with_nobody_is_added_to_a_pile_by_a_button(evenings: Evenings) -> None:
    host = at_another_table(evenings, "hearts")
    host.send({}, go="way:cards")
    piles = cards(" ".join(EVERY_HEART[:12]), "AH")
    refused = host.send(piles)
    assert "The queen of spades is not assigned to a player." in text_of(refused)
    mended = host.send(piles, go=buttons(refused)["Q♠ to Ben"])
    assert values(mended, "cards")[1] == "AH QS"
    assert "Complete: every card" in text_of(mended)


def test_tapped_cards_can_be_typed_on_and_typed_ones_counted(evenings: Evenings) -> None:
    host = at_another_table(evenings, "spot-hearts")
    tapped = {"card-2H": 1, "card-AH": 3, "card-QS": 3}
    assert values(host.send(tapped, go="way:cards"), "cards") == ["2H", "", "AH QS", ""]
    other = Host(evenings.client("hanna"))
    other.send({}, go="way:cards")
    other.send(cards("QS 2H 3H", "4H"), go="way:counts")
    assert (values(other.page), ticked(other, "card-QS")) == (["2", "1", "", ""], ["1"])
    assert hidden(other.page)["cards-1"] == ["QS 2H 3H"]


def test_what_is_left_goes_to_one_seat_by_one_button(evenings: Evenings) -> None:
    host = at_another_table(evenings, "four-jacks")
    assert "the rest: 3" in text_of(host.send({"card-JS": 2}, go="plus:nonsense"))
    host.send({"card-JS": 2}, go="left:4")
    assert "Complete: every card" in text_of(host.page)
    assert (ticked(host, "card-JS"), ticked(host, "card-JH")) == (["2"], ["4"])


def test_second_copy_goes_to_a_seat_and_the_first_stays(evenings: Evenings) -> None:
    host = at_another_table(evenings, "cancellation-hearts", seats=7)
    hearts = typed([4, 4, 4, 4, 4, 4, 2])
    refused = host.send({**hearts, "card-QS": ["3"]})
    assert "1 of 2 Q♠" in text_of(refused)
    host.send({**hearts, "card-QS": ["3"]}, go=buttons(refused)["Q♠ to Ben"])
    assert sorted(ticked(host, "card-QS")) == ["2", "3"]
    assert "Complete" in text_of(host.page)
    over = host.send({**hearts, "card-QS": ["1", "2", "3"]}, go="plus:nonsense")
    assert "Q♠ too often" in text_of(over)
    assert 'data-state="no"' in over.content.decode()


@pytest.mark.parametrize("way", ["points", "cards"])
def test_nobodys_cards_have_a_row_in_every_way_of_writing(evenings: Evenings, way: str) -> None:
    host = at_another_table(evenings, "cancellation-hearts", 5, last_stalled="uncounted")
    host.send({}, go=f"way:{way}")
    assert "Unclaimed" in text_of(host.page)
    if way == "points":
        fields = {f"points-{seat}": points for seat, points in enumerate((13, 9, 7, 6, 2), start=1)}
        answer = host.send({**fields, "hearts-0": 2, "card-QS": ["0"]})
        assert newest_entry()["unclaimed"] == ["2H", "2H", "QS"]
    else:
        every = " ".join(EVERY_HEART)
        answer = host.send(cards(every, f"{every} QS", unclaimed="QS"))
        assert newest_entry()["unclaimed"] == ["QS"]
    assert answer.status_code == 302
    again = Host(host.client, f"{host.address.removesuffix('new')}1/edit")
    assert "hearts-0" not in hidden(again.page)
    assert "cards-0" not in hidden(again.page)


def test_charges_and_pledges_stand_before_the_hand(evenings: Evenings) -> None:
    host = at_another_table(evenings, "turbo-hearts")
    page = text_of(host.page)
    assert page.index("Before the hand") < page.index("Ada the rest: 0")
    fields = {**typed([4, 1, 2, 6], 4), "card-JD": 1, "card-10C": 2, "charged": ["QS", "AH"]}
    assert host.send(fields).status_code == 302
    assert newest_entry()["declared"] == ["QS", "AH"]


def test_partners_of_one_pile_pledge_each_for_themselves(evenings: Evenings) -> None:
    host = at_another_table(evenings, "partnership-hearts-pooled", pledge="true")
    assert "Who pledged “no hearts”?" in text_of(host.page)
    hand = {"hearts-1": 9, "hearts-2": 4, "card-QS": 2}
    assert host.send({**hand, "pledge-3": "no-hearts", "pledge-1": "no-hearts"}).status_code == 302
    assert newest_entry()["pledges"] == ["no-hearts", None, "no-hearts", None]
    earlier = Host(host.client, host.address).page.content.decode().partition('id="earlier"')[2]
    assert re.findall(r'<th scope="row">([^<]+)</th>', earlier) == [
        "Ada &amp; Cem",
        "Ben &amp; Dora",
    ]
    again = Host(host.client, f"{host.address.removesuffix('new')}1/edit")
    assert ticked(again, "pledge-3") == ["no-hearts"]
