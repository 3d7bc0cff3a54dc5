"""The host's page as a browser without a script sees it: what is typed, refused, mended, saved."""

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any, TypeAlias

import pytest
from django.test import Client

from tests.builders import hand, league, players, table
from tests.web.conftest import ADDRESS, Evenings
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.meetings import Round, Sitting

Answer: TypeAlias = Any
"""What a test client gives back; its type has no public name."""
TABLE = f"{ADDRESS}/tables/r1t2"
NEW = f"{TABLE}/hands/new"
"""Table 2 of round 1: Marit S., Jörg S., Cleo S., Carla K.; hand 1 is in."""


def text_of(response: Answer) -> str:
    """What a page says, without its tags."""
    body = response.content.decode().partition("<main")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def hidden(response: Answer) -> dict[str, list[str]]:
    """The hidden fields of a form, as a browser sends them along."""
    found: dict[str, list[str]] = {}
    for tag in re.findall(r'<input type="hidden"[^>]*>', response.content.decode()):
        name, value = (re.search(rf'{what}="([^"]*)"', tag) for what in ("name", "value"))
        if name and value and name[1] != "csrfmiddlewaretoken":
            found.setdefault(name[1], []).append(unescape(value[1]))
    return found


def values(response: Answer, kind: str = "hearts") -> list[str]:
    """What stands in the number fields of a page."""
    page = response.content.decode()
    return re.findall(rf'name="{kind}-[1-9][0-9]*" value="([^"]*)"', page)


def buttons(response: Answer) -> dict[str, str]:
    """Words of each mending or choosing button → its value."""
    found = re.findall(
        r'<button class="btn[^"]*" name="go" value="([^"]*)">(.*?)</button>',
        response.content.decode(),
        re.DOTALL,
    )
    return {
        " ".join(unescape(re.sub(r"<[^>]*>", " ", words)).split()): unescape(value)
        for value, words in found
    }


def typed(hearts: Sequence[object], queen: int | None = None) -> dict[str, object]:
    fields: dict[str, object] = {
        f"hearts-{seat}": text for seat, text in enumerate(hearts, start=1)
    }
    return fields if queen is None else {**fields, "card-QS": queen}


class Host:
    """Somebody at one address of the host's page."""

    def __init__(self, client: Client, address: str = NEW) -> None:
        self.client, self.address = client, address
        self.page: Answer = client.get(address)

    def send(self, fields: Mapping[str, object], go: str = "save", **more: object) -> Answer:
        """Press a button with these fields in the form that is open."""
        kept = {name: value for name, value in hidden(self.page).items() if name not in fields}
        self.page = self.client.post(self.address, {**kept, **fields, "go": go, **more})
        return self.page


@pytest.fixture
def hanna(evenings: Evenings) -> Host:
    return Host(evenings.client("hanna"))


def stored(number: int = 2) -> list[Entry]:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    return list(Entry.objects.filter(hand__game=game, hand__number=number).order_by("revision"))


def test_empty_sheet_shows_whose_deal_it_is_and_how_everybody_stands(hanna: Host) -> None:
    page = text_of(hanna.page)
    assert "Table 2 hand 2" in page
    assert "Pass right Dealer Jörg S." in page
    assert "Marit S. the rest: 0 3 so far, 1=" in page
    assert "Jörg S. the rest: 0 16 so far, 4" in page
    assert "0 of 13 hearts, Q♠ open" in page


def test_hand_is_stored_as_typed_and_the_next_one_is_opened(hanna: Host) -> None:
    answer = hanna.send(typed([4, 1, 2, 6], queen=4))
    assert (answer.status_code, answer["Location"]) == (302, NEW)
    entry = stored()[0]
    assert entry.typed == {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}
    assert (entry.source, entry.entered_as, entry.revision) == ("host", "hanna", 1)
    page = text_of(hanna.client.get(NEW))
    assert "Hand 2 is saved." in page
    assert "Table 2 hand 3" in page
    assert "Pass across Dealer Cleo S." in page
    assert "Carla K. the rest: 0 23 so far, 4" in page


def test_row_left_empty_took_nothing_when_the_sum_says_so(hanna: Host) -> None:
    assert hanna.send(typed(["13", "", "", ""], queen=2)).status_code == 302
    assert stored()[0].typed["hearts"] == [13, 0, 0, 0]


def test_hand_of_twenty_five_points_is_refused_with_the_reason_and_keeps_what_was_typed(
    hanna: Host,
) -> None:
    answer = hanna.send(typed([7, 4, 1, 0], queen=3))
    assert answer.status_code == 422
    page = text_of(answer)
    assert (
        "Not saved. One heart is missing. You typed 7, 4, 1 and 0: that is 12, there are 13 in "
        "play. The hand comes to 25 points instead of 26." in page
    )
    assert values(answer) == ["7", "4", "1", "0"]
    assert 'name="card-QS" value="3" checked' in answer.content.decode()
    assert not stored()
    assert buttons(answer)["+1 to Jörg S."] == "plus:hearts-2:1"


def test_mending_button_changes_one_pile_and_saves_nothing_by_itself(hanna: Host) -> None:
    refused = hanna.send(typed([7, 4, 1, 0], queen=3))
    mended = hanna.send(typed([7, 4, 1, 0], queen=3), go=buttons(refused)["+1 to Jörg S."])
    assert mended.status_code == 200
    assert values(mended) == ["7", "5", "1", "0"]
    assert "It adds up: 13 hearts, Q♠" in text_of(mended)
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
        (typed([4, 1, 2, 6]), "The queen of spades is with nobody.", ("Q♠ to Cleo S.", None)),
        (
            typed([4, "O", 3, 6], 1),
            "Jörg S.: hearts are written as O. It must be a whole number from 0 to 13.",
            ("0 instead of O", [4, 0, 3, 6]),
        ),
    ],
)
def test_refusal_says_its_cause_and_offers_the_mending(
    hanna: Host,
    fields: dict[str, object],
    says: str,
    button: tuple[str, list[int] | None],
) -> None:
    answer = hanna.send(fields)
    assert answer.status_code == 422
    assert f"Not saved. {says}" in text_of(answer)
    words, mended = button
    after = hanna.send(fields, go=buttons(answer)[words])
    assert "It adds up" in text_of(after)
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
    assert "The queen of spades is with nobody." in page


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
    page = text_of(answer)
    assert "Cleo S. shot the moon" in page
    offered = buttons(answer)
    assert list(offered) == [
        "Take 26 off Cleo S. Marit S. 3 → becomes 3 Jörg S. 16 → becomes 16 "
        "Cleo S. 3 → becomes −23 Carla K. 4 → becomes 4",
        "Give 26 to each other Marit S. 3 → becomes 29 Jörg S. 16 → becomes 42 "
        "Cleo S. 3 → becomes 3 Carla K. 4 → becomes 30",
        "No moon: back to the counts",
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
    back = hanna.send({}, go=buttons(asked)["No moon: back to the counts"])
    assert (back.status_code, values(back)) == (200, ["0", "0", "13", "0"])


def points(*numbers: object) -> dict[str, object]:
    return {f"points-{seat}": number for seat, number in enumerate(numbers, start=1)}


def test_points_alone_are_another_way_and_the_counts_travel_along(hanna: Host) -> None:
    other = hanna.send(typed([4, 1, "", ""], queen=1), go="way:points")
    assert values(other, "points") == ["", "", "", ""]
    assert hidden(other)["hearts-1"] == ["4"]
    back = hanna.send(points(1, 2, 3, 4), go="way:counts")
    assert values(back) == ["4", "1", "", ""]
    hanna.send({}, go="way:points")
    assert hanna.send(points(4, 14, 2, 6)).status_code == 302
    assert stored()[0].typed == {"points": [4, 14, 2, 6]}


def test_points_of_twenty_five_are_refused_and_mended(hanna: Host) -> None:
    hanna.send({}, go="way:points")
    answer = hanna.send(points(4, 14, 2, 5))
    assert "The points add up to 25. A hand makes 26." in text_of(answer)
    mended = hanna.send(points(4, 14, 2, 5), go=buttons(answer)["+1 to Carla K."])
    assert values(mended, "points") == ["4", "14", "2", "6"]
    assert hanna.send(points(4, 14, 2, 6)).status_code == 302


def test_points_that_cannot_be_are_refused(hanna: Host) -> None:
    hanna.send({}, go="way:points")
    page = text_of(hanna.send(points(12, 12, 2, 0)))
    assert "no way to share out the cards gives 12, 12, 2, 0" in page


def test_points_of_a_moon_that_is_not_settled_are_asked_about(hanna: Host) -> None:
    hanna.send({}, go="way:points")
    answer = hanna.send(points(26, 0, 0, 0))
    assert answer.status_code == 422
    settled = "Marit S. 0, Jörg S. 26, Cleo S. 26, Carla K. 26"
    assert hanna.send(points(26, 0, 0, 0), go=buttons(answer)[settled]).status_code == 302
    assert stored()[0].typed == {"points": [0, 26, 26, 26]}


def test_same_form_sent_twice_is_stored_once(hanna: Host) -> None:
    fields = {**hidden(hanna.page), **typed([4, 1, 2, 6], queen=4), "go": "save"}
    for _tap in range(2):
        answer = hanna.client.post(NEW, fields)
        assert (answer.status_code, answer["Location"]) == (302, NEW)
    assert Hand.objects.filter(game__table__code="r1t2").count() == 2
    assert len(stored()) == 1


def test_second_host_sees_both_entries_and_chooses(evenings: Evenings, hanna: Host) -> None:
    dirk = Host(evenings.client("dirk"))
    assert hanna.send(typed([8, 5, 0, 0], queen=2)).status_code == 302
    answer = dirk.send(typed([6, 5, 2, 0], queen=2))
    assert answer.status_code == 409
    page = text_of(answer)
    assert "Somebody wrote this hand first" in page
    assert "hanna" in page
    assert answer.content.decode().count('class="num diff"') == 4
    assert len(stored()) == 1
    mine = dirk.send({"reason": "The table says two for Cleo."})
    assert mine.status_code == 302
    first, second = stored()
    assert first.typed["hearts"] == [8, 5, 0, 0]
    assert (second.typed["hearts"], second.reason) == ([6, 5, 2, 0], "The table says two for Cleo.")


def test_second_host_with_the_same_numbers_is_told_that_they_are_in(
    evenings: Evenings, hanna: Host
) -> None:
    dirk = Host(evenings.client("dirk"))
    hanna.send(typed([8, 5, 0, 0], queen=2))
    answer = dirk.send(typed([8, 5, 0, 0], queen=2))
    assert (answer.status_code, answer["Location"]) == (302, TABLE)
    assert "Hand 2 is there already, with the same numbers." in text_of(dirk.client.get(TABLE))
    assert len(stored()) == 1


def test_form_sent_again_with_other_numbers_is_no_silent_change(hanna: Host) -> None:
    fields = {**hidden(hanna.page), "go": "save"}
    hanna.client.post(NEW, {**fields, **typed([4, 1, 2, 6], queen=4)})
    answer = hanna.client.post(NEW, {**fields, **typed([4, 2, 1, 6], queen=4)})
    assert answer.status_code == 409
    assert len(stored()) == 1


def edit(client: Client, number: int = 1) -> Host:
    return Host(client, f"{TABLE}/hands/{number}/edit")


def test_correction_shows_what_was_typed_and_wants_a_reason(evenings: Evenings) -> None:
    host = edit(evenings.client("hanna"))
    assert values(host.page) == ["3", "3", "3", "4"]
    assert 'name="card-QS" value="2" checked' in host.page.content.decode()
    assert "A correction needs a reason, one sentence." in text_of(
        host.send(typed([3, 3, 4, 3], queen=2))
    )
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


def test_undo_is_a_revision_of_its_own_and_a_second_tap_changes_nothing(
    evenings: Evenings,
) -> None:
    client = evenings.client("hanna")
    edit(client).send(typed([3, 3, 4, 3], queen=2), reason="South had four.")
    for _tap in range(2):
        answer = client.post(f"{TABLE}/hands/1/undo", {"based_on": 2})
        assert answer.status_code == 302
    entries = stored(1)
    assert [entry.typed["hearts"] for entry in entries] == [
        [3, 3, 3, 4],
        [3, 3, 4, 3],
        [3, 3, 3, 4],
    ]
    assert entries[2].reason == "Undo: as in revision 1"


def test_undo_of_what_somebody_changed_meanwhile_is_refused(evenings: Evenings) -> None:
    client = evenings.client("hanna")
    edit(client).send(typed([3, 3, 4, 3], queen=2), reason="South had four.")
    edit(client).send(typed([3, 4, 3, 3], queen=2), reason="No, East had.")
    page = client.post(f"{TABLE}/hands/1/undo", {"based_on": 2}, follow=True)
    assert "you looked at revision 2, it is at 3" in text_of(page)
    assert len(stored(1)) == 3


def test_correction_that_a_later_hand_cannot_stand_names_that_hand(evenings: Evenings) -> None:
    people = players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora")
    event = league(evenings.cast.riverside, slug="short", length="variant")
    game = table(event, people)
    hand(game, 1, [12, 1, 0, 0], queen=0)
    hand(game, 2, [12, 0, 1, 0], queen=0)
    hand(game, 3, [12, 1, 0, 0], queen=0)
    hand(game, 4, [1, 12, 0, 0], queen=1)
    hand(game, 5, [3, 3, 3, 4], queen=2)
    address = "/clubs/riverside/events/short/tables/r1t1/hands"
    host = Host(evenings.client("hanna"), f"{address}/4/edit")
    answer = host.send(typed([12, 1, 0, 0], queen=1), reason="North and East were swapped.")
    assert answer.status_code == 422
    page = text_of(answer)
    assert "Not saved: then hand 5 could not stand" in page
    assert "The game is over. This hand comes after its end." in page
    assert f'href="{address}/5/edit"' in answer.content.decode()


def test_hand_number_left_out_can_be_entered(evenings: Evenings) -> None:
    game = Game.objects.get(table__code="r1t2", table__event__slug="league")
    hand(game, 3, [3, 3, 3, 4], queen=1)
    client = evenings.client("hanna")
    assert f'href="{NEW}?number=2"' in client.get(TABLE).content.decode()
    host = Host(client, f"{NEW}?number=2")
    assert hidden(host.page)["number"] == ["2"]
    assert host.send(typed([4, 1, 2, 6], queen=4)).status_code == 302
    assert len(stored(2)) == 1


@pytest.mark.parametrize(("name", "status"), [("", 302), ("piet", 403), ("nora", 403)])
def test_whoever_may_not_enter_gets_no_form_and_stores_nothing(
    evenings: Evenings, name: str, status: int
) -> None:
    client = evenings.client(name)
    for path in (NEW, f"{TABLE}/hands/1/edit", f"{TABLE}/hands/1/undo"):
        for answer in (client.get(path), client.post(path, {**typed([4, 1, 2, 6], 4), "key": "k"})):
            assert answer.status_code == status, path
            if not name:
                assert answer["Location"].startswith("/accounts/login/?next=")
    assert not stored()
    assert "Enter hand" not in text_of(client.get(TABLE))


@pytest.mark.parametrize("name", ["hanna", "dirk", "olga"])
def test_host_director_and_owner_find_the_way_in_on_the_sheet(
    evenings: Evenings, name: str
) -> None:
    client = evenings.client(name)
    assert f'href="{NEW}"' in client.get(TABLE).content.decode()
    page = client.get(f"{TABLE}/hands/1").content.decode()
    assert f'href="{TABLE}/hands/1/edit"' in page


def closed(evenings: Evenings) -> None:
    Round.objects.filter(event=evenings.event, number=1).update(state="closed")


def test_closed_round_is_a_directors(evenings: Evenings) -> None:
    host, director = edit(evenings.client("hanna")), edit(evenings.client("dirk"))
    closed(evenings)
    answer = host.send(typed([3, 3, 4, 3], queen=2), reason="South had four.")
    assert answer.status_code == 403
    assert "Round 1 is closed. A director may still correct it" in text_of(answer)
    assert values(answer) == ["3", "3", "4", "3"]
    assert len(stored(1)) == 1
    assert "Enter hand" not in text_of(host.client.get(TABLE))
    done = director.send(typed([3, 3, 4, 3], queen=2), reason="South had four.")
    assert done.status_code == 302


def test_event_that_is_no_longer_open_is_said_and_keeps_what_was_typed(
    evenings: Evenings,
) -> None:
    host = Host(evenings.client("dirk"))
    Event.objects.filter(pk=evenings.event.pk).update(state="draft")
    answer = host.send(typed([4, 1, 2, 6], queen=4))
    assert answer.status_code == 409
    assert "hands are entered while it is open" in text_of(answer)
    assert values(answer) == ["4", "1", "2", "6"]


def test_hand_that_is_not_there_cannot_be_corrected(evenings: Evenings) -> None:
    client = evenings.client("hanna")
    assert client.get(f"{TABLE}/hands/7/edit").status_code == 404
    assert client.get(f"{ADDRESS}/tables/r9t9/hands/new").status_code == 404


def at_another_table(evenings: Evenings, variant: str, seats: int = 4) -> Host:
    """A table of other rules, with Hanna at its page."""
    event = league(evenings.cast.riverside, slug="other", name="Other", variant=variant)
    names = ("Ada", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus")
    table(event, players(evenings.cast.riverside, *names[:seats]))
    address = "/clubs/riverside/events/other/tables/r1t1/hands/new"
    return Host(evenings.client("hanna"), address)


def newest_entry() -> dict[str, object]:
    entry: dict[str, object] = Entry.objects.latest("pk").typed
    return entry


def test_bonus_card_stands_beside_the_queen(evenings: Evenings) -> None:
    host = at_another_table(evenings, "omnibus-hearts")
    assert "0 of 13 hearts, Q♠ open, J♦ open" in text_of(host.page)
    assert host.send({**typed([4, 1, 2, 6], queen=4), "card-JD": 1}).status_code == 302
    assert newest_entry()["taken"] == [["JD"], [], [], ["QS"]]


def test_single_cards_are_tapped_where_single_cards_matter(evenings: Evenings) -> None:
    host = at_another_table(evenings, "spot-hearts")
    assert "Who took which card?" in text_of(host.page)
    assert "0 of 14 cards given out" in text_of(host.page)
    ranks = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
    fields = {f"card-{rank}H": 1 + place % 4 for place, rank in enumerate(ranks)}
    refused = host.send(fields)
    assert "The queen of spades is with nobody." in text_of(refused)
    assert 'name="card-10H" value="1" checked' in refused.content.decode()
    mended = host.send(fields, go=buttons(refused)["Q♠ to Cem"])
    assert "It adds up: every card" in text_of(mended)
    assert host.send({**fields, "card-QS": 3}).status_code == 302
    assert newest_entry() == {
        "taken": [
            ["2H", "6H", "10H", "AH"], ["3H", "7H", "JH"], ["4H", "8H", "QH", "QS"],
            ["5H", "9H", "KH"],
        ]
    }  # fmt: skip


def test_five_seats_are_rows_of_their_own(evenings: Evenings) -> None:
    host = at_another_table(evenings, "hearts", seats=5)
    assert host.send(typed([4, 1, 2, 3, 3], queen=5)).status_code == 302
    assert newest_entry()["hearts"] == [4, 1, 2, 3, 3]


def test_tampered_fields_are_refused_like_any_other_hand(hanna: Host) -> None:
    for fields in (
        typed([4, 1, 2, 6], queen=9),
        {**typed([4, 1, 2, 6], queen=4), "slam_choice": "both"},
        {**typed([4, 1, 2, 6], queen=4), "shooter": 99},
        {**typed([4, 1, 2, 6], queen=4), "number": 1000},
        {**typed([4, 1, 2, "9" * 500], queen=4)},
    ):
        assert hanna.send(fields).status_code == 422, fields
    assert not stored()
    assert hanna.client.post(NEW, {}).status_code == 422
    assert hanna.client.post(NEW, {"go": "rest:9", "based_on": "x"}).status_code == 200


def test_name_of_a_guest_is_never_markup(evenings: Evenings) -> None:
    host = Host(evenings.client("hanna"), f"{ADDRESS}/tables/r1t1/hands/new")
    page = host.send(typed([4, 1, 2, 5], queen=1)).content.decode()
    assert "<script>alert" not in page
    assert "+1 to &lt;script&gt;alert" in page


def test_void_hand_is_a_directors_to_restore(evenings: Evenings) -> None:
    Hand.objects.filter(game__table__code="r1t2", number=1).update(state="void")
    host, director = edit(evenings.client("hanna")), edit(evenings.client("dirk"))
    fields = typed([3, 3, 4, 3], queen=2)
    assert host.send(fields, reason="It was right.").status_code == 403
    assert director.send(fields, reason="It was right.").status_code == 302


def test_table_without_people_has_no_form_yet(evenings: Evenings) -> None:
    Sitting.objects.filter(seat__table__code="r1t2").delete()
    client = evenings.client("hanna")
    for answer in (client.get(NEW), client.post(NEW, typed([4, 1, 2, 6], queen=4))):
        assert answer.status_code == 409
        assert "Nobody is seated here yet" in text_of(answer)
    assert "Enter hand" not in text_of(client.get(TABLE))
    assert not stored()


def test_side_that_pools_has_one_row(evenings: Evenings) -> None:
    host = at_another_table(evenings, "partnership-hearts-pooled")
    assert values(host.page) == ["", ""]
    assert "Ada & Cem" in text_of(host.page)
    refused = host.send({"hearts-1": 9, "hearts-2": 3, "card-QS": 2})
    assert "+1 to Ada & Cem" in buttons(refused)
    assert host.send({"hearts-1": 9, "hearts-2": 4, "card-QS": 2}).status_code == 302
    assert newest_entry() == {"hearts": [9, 4, 0, 0], "taken": [[], ["QS"], [], []]}
    again = Host(host.client, f"{host.address.removesuffix('new')}1/edit")
    assert values(again.page) == ["9", "4"]
    host.page = host.client.get(host.address)
    asked = host.send({"hearts-1": 13, "hearts-2": 0, "card-QS": 1})
    choice = next(value for words, value in buttons(asked).items() if words.startswith("Give"))
    assert host.send({}, go=choice).status_code == 302
    host.send({}, go="way:points")
    assert host.send(points(13, 13)).status_code == 302
    assert newest_entry() == {"points": [13, 13]}


def test_moon_and_a_missing_reason_are_both_said(evenings: Evenings) -> None:
    host = edit(evenings.client("hanna"))
    answer = host.send(typed([13, 0, 0, 0], queen=1))
    assert "Marit S. took everything. How is it settled?" in text_of(answer)
    assert "A correction needs a reason, one sentence." in text_of(answer)
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
