"""The host's page at other tables, for other people, under other rules."""

import pytest

from tests.support.answers import Answer
from tests.support.builders import by_tests, table
from tests.support.pages.hand_entry import (
    NEW,
    TABLE,
    Host,
    at_another_table,
    buttons,
    edit,
    newest_entry,
    points,
    stored,
    typed,
    values,
)
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scoring.play import rules
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Round, Sitting
from tournaments.services.rounds.seating import seat_open_table
from tournaments.views.hands.form_feedback import running_total
from tournaments.views.hands.hand_form_fields import Fields, sheet_of


@pytest.fixture
def hanna(evenings: Evenings) -> Host:
    return Host(evenings.client("hanna"))


def closed(evenings: Evenings) -> None:
    Round.objects.filter(event=evenings.event, number=1).update(state="closed")


def test_complete_table_of_a_closed_round_does_not_reopen(evenings: Evenings, hanna: Host) -> None:
    closed(evenings)
    Game.objects.update(state="complete")
    answer = hanna.send(typed([3, 3, 4, 3], queen=2))
    assert "Not saved. Round 1 is closed." in text_of(answer)
    assert "Another hand reopens it" not in text_of(answer)


def test_closed_round_is_a_directors(evenings: Evenings) -> None:
    host, director = edit(evenings.client("hanna")), edit(evenings.client("dirk"))
    closed(evenings)
    answer = host.send(typed([3, 3, 4, 3], queen=2), reason="South had four.")
    assert "Round 1 is closed. A director can correct it" in text_of(answer, 403)
    assert values(answer) == ["3", "3", "4", "3"]
    assert len(stored(1)) == 1
    assert "Enter hand" not in text_of(host.client.get(TABLE))
    assert f'href="{TABLE}/dispute?hand=1"' in answer.content.decode()
    for page in (host.client.get(f"{TABLE}/hands/1/edit"), host.client.get(f"{TABLE}/hands/new")):
        assert "Round 1 is closed. A director can correct it" in text_of(page)
        assert "Report a problem" in text_of(page)
        assert 'name="hearts-1"' not in page.content.decode()
    looked = director.send(typed([3, 3, 4, 3], queen=2), reason="South had four.")
    assert (looked.status_code, len(stored(1))) == (200, 1)
    done = director.send(typed([3, 3, 4, 3], queen=2), reason="South had four.")
    assert (done.status_code, len(stored(1))) == (302, 2)


def test_event_that_is_no_longer_open_is_said_and_keeps_what_was_typed(evenings: Evenings) -> None:
    host = Host(evenings.client("dirk"))
    Event.objects.filter(pk=evenings.event.pk).update(state="draft")
    answer = host.send(typed([4, 1, 2, 6], queen=4))
    assert "Hands can be entered while it is open" in text_of(answer, 409)
    assert values(answer) == ["4", "1", "2", "6"]


def test_bonus_card_is_beside_the_queen(evenings: Evenings) -> None:
    host = at_another_table(evenings, "omnibus-hearts")
    assert "0 of 13 hearts, Q♠ open, J♦ open" in text_of(host.page)
    assert host.send({**typed([4, 1, 2, 6], queen=4), "card-JD": 1}).status_code == 302
    assert newest_entry()["taken"] == [["JD"], [], [], ["QS"]]


def test_only_jokers_can_be_unclaimed_if_they_count_in_tricks_of_hearts(evenings: Evenings) -> None:
    host = at_another_table(evenings, "joker-hearts", jokers_with_hearts=1)
    page = host.page.content.decode()
    ids = ("card-1X-0-0", "card-2X-0-0", "card-QS-0-0", "hearts-0")
    assert [f'id="{one}"' in page for one in ids] == [True, True, False, False]
    fields = {**typed([4, 1, 2, 6], queen=4), "card-1X": 1}
    refused = host.send(fields)
    assert "The joker 2 is not assigned to a player." in text_of(refused)
    assert "taken in a trick without a heart: write it as unclaimed" in text_of(refused)
    heartless = host.send({**typed([4, 1, 0, 8], queen=4), "card-1X": 1, "card-2X": 3})
    assert "has a joker but no heart" in text_of(heartless)
    assert host.send({**fields, "card-2X": 0}).status_code == 302
    assert newest_entry() == {
        "hearts": [4, 1, 2, 6], "taken": [["1X"], [], [], ["QS"]], "unclaimed": ["2X"],
    }  # fmt: skip


def test_single_cards_are_tapped_where_single_cards_matter(evenings: Evenings) -> None:
    host = at_another_table(evenings, "spot-hearts")
    assert "0 of 14 cards assigned" in text_of(host.page)
    ranks = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
    fields = {f"card-{rank}H": 1 + place % 4 for place, rank in enumerate(ranks)}
    refused = host.send(fields)
    assert "The queen of spades is not assigned to a player." in text_of(refused)
    assert 'name="card-10H" value="1" checked' in refused.content.decode()
    assert "Complete: every card" in text_of(host.send(fields, go=buttons(refused)["Q♠ to Cem"]))
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


def seats(*names: str) -> dict[str, str]:
    return {f"seat-{number}": name for number, name in enumerate(names, start=1)}


@pytest.fixture
def empty(evenings: Evenings) -> Host:
    """Hanna at table 1 of round 3, where nobody was told to sit."""
    people = [*evenings.cast.riverside.players.order_by("player_id")]
    table(evenings.event, [people[1], *people[4:7]], round_number=3)
    Sitting.objects.filter(seat__table__code="r3t1").delete()
    return Host(evenings.client("hanna"), f"{ADDRESS}/tables/r3t1/hands/new")


def test_host_says_who_plays_at_an_empty_table_and_goes_on_to_the_hand(empty: Host) -> None:
    assert "Seat players" in text_of(empty.client.get(empty.address.removesuffix("/hands/new")))
    assert "Seat players at table 1, round 3" in text_of(empty.page)
    assert '<option value="Zoë K.">' in empty.page.content.decode()
    refused = empty.client.post(empty.address, seats("RL02", "Narit S.", "rl01"))
    assert refused.status_code == 422
    assert 'value="seat-2=Marit S. (RL05)"' in refused.content.decode()
    assert 'value="rl01"' in refused.content.decode()
    assert not Sitting.objects.filter(seat__table__code="r3t1").exists()
    done = empty.client.post(
        empty.address, seats("RL02", "Marit S.", "Jörg S. (RL06)", "rl08"), follow=True
    )
    assert "Table 1 seated." in text_of(done)
    assert "Table 1 hand 1" in text_of(done)
    sat = Sitting.objects.filter(seat__table__code="r3t1").order_by("seat__number")
    assert [one.player.player_id for one in sat] == ["RL02", "RL05", "RL06", "RL08"]
    assert AuditLine.objects.filter(act="seat_table").latest("number").facts["players"] == [
        *("RL02", "RL05", "RL06", "RL08")
    ]


def test_whoever_was_seated_meanwhile_stays(evenings: Evenings, empty: Host) -> None:
    game = Game.objects.get(table__code="r3t1")
    people = [*evenings.cast.riverside.players.order_by("player_id")]
    assert seat_open_table(by_tests(), game, players=people[4:8])
    assert not seat_open_table(by_tests(), game, players=people[:4])
    done = empty.client.post(empty.address, seats("RL02", "RL05", "RL06", "RL08"), follow=True)
    assert "Table 1 hand 1" in text_of(done)
    sat = Sitting.objects.filter(seat__table__code="r3t1").order_by("seat__number")
    assert [one.player.player_id for one in sat] == ["RL05", "RL06", "RL07", "RL08"]


def test_hand_of_an_empty_table_is_refused_until_somebody_sits_there(empty: Host) -> None:
    answer = empty.client.post(empty.address, typed([4, 1, 2, 6], queen=4))
    assert "Seat players at table 1, round 3" in text_of(answer, 409)
    assert not Hand.objects.filter(game__table__code="r3t1").exists()


def test_table_that_cannot_be_seated_by_its_host_says_so(empty: Host) -> None:
    Sitting.objects.filter(seat__table__code="r1t2").delete()
    for answer in at_empty_table(empty, NEW):
        assert "No players seated yet" in text_of(answer, 409)
    assert "Seat players" not in text_of(empty.client.get(NEW.removesuffix("/hands/new")))
    assert not stored()


def test_table_of_a_draft_does_not_exist_for_its_host(empty: Host) -> None:
    Round.objects.filter(number=3).update(state="draft")
    assert {answer.status_code for answer in at_empty_table(empty, empty.address)} == {404}
    assert not stored()


def at_empty_table(host: Host, address: str) -> list[Answer]:
    return [
        host.client.get(address),
        host.client.post(address, seats("RL02", "RL05", "RL06", "RL08")),
        host.client.post(address, typed([4, 1, 2, 6], queen=4)),
    ]


def test_side_that_pools_has_one_row(evenings: Evenings) -> None:
    host = at_another_table(evenings, "partnership-hearts-pooled")
    assert values(host.page) == ["", ""]
    assert "Ada & Cem" in text_of(host.page)
    assert "+1 to Ada & Cem" in buttons(host.send({"hearts-1": 9, "hearts-2": 3, "card-QS": 2}))
    assert host.send({"hearts-1": 9, "hearts-2": 4, "card-QS": 2}).status_code == 302
    assert newest_entry() == {"hearts": [9, 4, 0, 0], "taken": [[], ["QS"], [], []]}
    assert values(Host(host.client, f"{host.address.removesuffix('new')}1/edit").page) == ["9", "4"]
    host.page = host.client.get(host.address)
    asked = host.send({"hearts-1": 13, "hearts-2": 0, "card-QS": 1})
    choice = next(value for words, value in buttons(asked).items() if words.startswith("Give"))
    assert host.send({}, go=choice).status_code == 302
    host.send({}, go="way:points")
    assert host.send(points(13, 13)).status_code == 302
    assert newest_entry() == {"points": [13, 13]}


def test_two_entries_of_a_hand_are_shown_once_for_each_side(evenings: Evenings) -> None:
    host = at_another_table(evenings, "partnership-hearts-pooled")
    Host(evenings.client("dirk"), host.address).send({"hearts-1": 5, "hearts-2": 8, "card-QS": 1})
    asked = host.send({"hearts-1": 5, "hearts-2": 8, "card-QS": 2})
    shown = text_of(asked).partition("First entry")[2]
    assert "Ada & Cem 5 hearts 5 spades Q Q (differs) Ben & Dora 8 hearts 8 (differs)" in shown
    assert "Ada & Cem 5 hearts 5 (differs) Ben & Dora 8 hearts 8 spades Q Q (differs)" in shown
    assert "nothing" not in shown


HEARTS: Fields = {"hearts-1": ["9"], "hearts-2": ["4"], "card-QS": ["1"]}
MOON: Fields = {"hearts-1": ["13"], "card-QS": ["1"]}


def line(fields: Fields, tricks: str = "", **options: object) -> tuple[str, str]:
    sheet = sheet_of(rules("hearts", **options), 4, None)
    counts = {f"tricks-{row}": [text] for row, text in enumerate(tricks.split(), start=1)}
    running = running_total(sheet, "counts", fields | counts, 26)
    return running.state, running.text


def test_hand_is_not_complete_while_tricks_are_missing_that_every_hand_needs() -> None:
    assert line(HEARTS, no_trick_bonus=5) == ("need", "The tricks are missing.")
    assert line(HEARTS, "6 4 2", no_trick_bonus=5) == ("need", "12 of 13 tricks.")
    assert line(HEARTS, "6 4 2 1", no_trick_bonus=5) == ("ok", "Complete: 13 hearts, Q♠")


def test_moon_that_needs_all_tricks_is_not_complete_without_them() -> None:
    assert line(MOON, moon_needs_all_tricks=True) == ("need", "The tricks are missing.")
    assert line(HEARTS, moon_needs_all_tricks=True) == ("ok", "Complete: 13 hearts, Q♠")
    assert line(MOON)[0] == "ok"
