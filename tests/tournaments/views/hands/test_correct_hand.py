"""The host's page where a hand is there already: sent twice, by two hosts, corrected, undone."""

import pytest

from tests.support.builders import hand, league, players, table
from tests.support.pages.hand_entry import (
    NEW,
    TABLE,
    Host,
    buttons,
    edit,
    hidden,
    stored,
    typed,
    values,
)
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.hands import Game, Hand


@pytest.fixture
def hanna(evenings: Evenings) -> Host:
    return Host(evenings.client("hanna"))


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
    assert "This hand was already entered" in page
    assert "hanna" in page
    assert answer.content.decode().count('class="num diff"') == 4
    assert len(stored()) == 1
    assert dirk.send({"reason": "The table says two for Cleo."}).status_code == 302
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
    assert "Hand 2 was already entered with the same numbers." in text_of(dirk.client.get(TABLE))
    assert len(stored()) == 1


def test_form_sent_again_with_other_numbers_is_no_silent_change(hanna: Host) -> None:
    fields = {**hidden(hanna.page), "go": "save"}
    hanna.client.post(NEW, {**fields, **typed([4, 1, 2, 6], queen=4)})
    assert hanna.client.post(NEW, {**fields, **typed([4, 2, 1, 6], queen=4)}).status_code == 409
    assert len(stored()) == 1


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
        assert client.post(f"{TABLE}/hands/1/undo", {"based_on": 2}).status_code == 302
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
    assert "you have revision 2, the current one is 3" in text_of(page)
    assert len(stored(1)) == 3


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
    assert answer.status_code == 422
    page = text_of(answer)
    assert "Not saved: hand 5 would become impossible" in page
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


def test_hand_that_is_not_there_cannot_be_corrected(evenings: Evenings) -> None:
    client = evenings.client("hanna")
    assert client.get(f"{TABLE}/hands/7/edit").status_code == 404
    assert client.get(f"{ADDRESS}/tables/r9t9/hands/new").status_code == 404
