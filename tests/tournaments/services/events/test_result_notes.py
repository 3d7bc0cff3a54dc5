"""What a player writes about their own values, and the answer."""

import pytest

from scoring.errors import Refused
from tests.support.builders import bring, finished, league, link, players, table
from tests.support.cast import NOW, Cast
from tournaments.delivery.mail.sender import notification_text
from tournaments.domain.notices import Channels
from tournaments.errors import Conflict, Forbidden
from tournaments.models.access import Contact
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.models.standings import ResultNote
from tournaments.policy import command
from tournaments.selectors.access.personal_links import person_with_link
from tournaments.selectors.notices.notice_text import notice_lines, notice_text
from tournaments.selectors.notices.notifications import find_subscription
from tournaments.selectors.standings.result_notes import list_notes_of_player
from tournaments.selectors.waiting import list_waiting
from tournaments.services.clubs.personal_links import make_personal_links
from tournaments.services.events.result_notes import (
    MOST_OPEN,
    answer_result_note,
    send_result_note,
)
from tournaments.services.notices.notifications import (
    save_notifications,
    stop_mails,
    unsubscribe,
)
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player
from tournaments.services.people.merge_players import merge_players

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside, settings={"primary": "raw_total"})
    people = players(event.club, "Ada Alder", "Ben Birch", "Cleo Cedar", "Dan Dogwood")
    finished(table(event, people))
    for name in ("piet", "hanna"):
        cast.users[name].email = f"{name}@club.example"
        cast.users[name].save()
    link(people[0], cast.users["piet"])
    bring(event, people[0].player_id, "12")
    return event


def own(event: Event) -> Player:
    return Player.objects.get(club=event.club, name="Ada Alder")


def by_link(cast: Cast, player: Player) -> Operation:
    links = make_personal_links(Operation(command("tests"), NOW), cast.riverside)
    mine = next(each for each in links if each.player_id == player.pk)
    return Operation(person_with_link(mine), NOW)


def test_note_waits_for_directors_and_its_answer_reaches_the_player(
    cast: Cast, event: Event
) -> None:
    note = send_result_note(cast.operation("piet"), event, about="value:1", words="It was 15.")
    (line,) = [
        line for line in list_waiting([(cast.riverside, "director")], now=NOW)
        if line.kind == "result_note"
    ]  # fmt: skip
    assert line.title == "Ada Alder writes that a value is wrong"
    assert line.path == "/clubs/riverside/events/league/result-notes/1/answer"
    assert list_waiting([(cast.riverside, "host")], now=NOW) == []
    answer_result_note(cast.operation("dirk"), note, answer="It is 15 now.")
    assert list_waiting([(cast.riverside, "director")], now=NOW) == []
    (mail,) = Outbox.objects.filter(kind="note_answered")
    assert mail.user_id == cast.users["piet"].pk
    with pytest.raises(Conflict) as refusal:
        answer_result_note(cast.operation("dirk"), note, answer="Again.")
    assert refusal.value.problem.code == "result_note_answered"


def test_same_note_again_is_one_note(cast: Cast, event: Event) -> None:
    for _again in range(2):
        send_result_note(cast.operation("piet"), event, about="sum", words="It is 20.")
    send_result_note(cast.operation("piet"), event, about="sum", words="It is 21.")
    assert ResultNote.objects.count() == 2


def test_person_has_ten_open_notes_by_account_and_link_together(cast: Cast, event: Event) -> None:
    ben = Player.objects.get(club=event.club, name="Ben Birch")
    op = by_link(cast, ben)
    for number in range(MOST_OPEN - 1):
        send_result_note(op, event, about="sum", words=f"Note {number}.")
    link(ben, cast.users["hanna"])
    last = send_result_note(cast.operation("hanna"), event, about="sum", words="The tenth.")
    for operation in (op, cast.operation("hanna")):
        with pytest.raises(Conflict) as refusal:
            send_result_note(operation, event, about="sum", words="The eleventh.")
        assert refusal.value.problem.code == "too_many_result_notes"
    send_result_note(cast.operation("piet"), event, about="sum", words="Of another person.")
    answer_result_note(cast.operation("dirk"), last, answer="Seen.", all_of_person=True)
    assert ResultNote.objects.filter(state="open").count() == 1
    send_result_note(op, event, about="sum", words="The eleventh.")


def test_only_own_values_of_an_event_in_which_one_competes(cast: Cast, event: Event) -> None:
    unknown_value = ("value:2", "Wrong.", "bad_choice")
    for about, words, code in (unknown_value, ("sum", " ", "reason_required")):
        with pytest.raises(Refused) as refusal:
            send_result_note(cast.operation("piet"), event, about=about, words=words)
        assert [problem.code for problem in refusal.value.problems] == [code]
    other = league(cast.riverside, slug="other")
    for name, where in (("dirk", event), ("piet", other), ("nora", event)):
        with pytest.raises(Forbidden):
            send_result_note(cast.operation(name), where, about="sum", words="Wrong.")
    assert not ResultNote.objects.exists()


def test_link_of_one_club_writes_nothing_in_another(cast: Cast, event: Event) -> None:
    elsewhere = players(cast.hilltop, "Ada Alder")[0]
    links = make_personal_links(Operation(command("tests"), NOW), cast.hilltop)
    mine = next(each for each in links if each.player_id == elsewhere.pk)
    with pytest.raises(Forbidden):
        send_result_note(Operation(person_with_link(mine), NOW), event, about="sum", words="Wrong.")


def test_notes_are_erased_with_the_person(cast: Cast, event: Event) -> None:
    send_result_note(cast.operation("piet"), event, about="sum", words="It is 20.")
    ada = own(event)
    erase_player(cast.operation("olga"), ada, confirmed=ada.player_id, reason="Asked.")
    assert not ResultNote.objects.exists()


def test_note_of_a_merged_record_is_answered_to_the_record_that_stays(
    cast: Cast, event: Event
) -> None:
    eve = players(event.club, "Eve Elder")[0]
    ben = Player.objects.get(club=event.club, name="Ben Birch")
    op = by_link(cast, ben)
    note = send_result_note(op, event, about="sum", words="It is 20.")
    merge_players(cast.operation("dirk"), ben, target=eve)
    link(eve, cast.users["hanna"])
    answer_result_note(cast.operation("dirk"), note, answer="Seen.")
    (mail,) = Outbox.objects.filter(kind="note_answered")
    text = notice_text("note_answered", mail.payload["facts"], cast.users["hanna"])
    assert text is not None
    assert text.title == "Your note about League was answered"
    assert text.paragraphs == ("You wrote: “It is 20.”", "Answer: “Seen.”")
    assert [row.number for row in list_notes_of_player(event, eve)] == [1]
    assert notice_text("note_answered", mail.payload["facts"], cast.users["piet"]) is None


def test_an_answer_is_a_kind_of_its_own_by_mail_and_as_a_notice(cast: Cast, event: Event) -> None:
    user = cast.users["piet"]
    on = {"note_answered": Channels(by_mail=True, as_notice=True)}
    save_notifications(cast.operation("piet"), club=cast.riverside, wanted=on)
    note = send_result_note(cast.operation("piet"), event, about="sum", words="It is 20.")
    answer_result_note(cast.operation("dirk"), note, answer="Seen.")
    mail = Outbox.objects.get(kind="note_answered", user=user)
    to, text = notification_text(mail, cast.riverside, user)
    assert (to, text is not None) == (user.email, True)
    notice = Notice.objects.get(user=user)
    assert notice.kind == "dispute_decided", "a kind that 0.5.0 knows"
    assert notice.facts == {"note": note.pk, "message": "note_answered", "dispute": 0}
    ((_row, line),) = notice_lines([notice])
    assert line.title == "Your note about League was answered"


def test_mails_about_disputes_are_stopped_without_those_about_notes(
    cast: Cast, event: Event
) -> None:
    user = cast.users["piet"]
    unsubscribe(cast.riverside, "dispute_decided", user.pk)
    note = send_result_note(cast.operation("piet"), event, about="sum", words="It is 20.")
    answer_result_note(cast.operation("dirk"), note, answer="Seen.")
    mail = Outbox.objects.get(user=user)
    _to, text = notification_text(mail, cast.riverside, user)
    assert text is not None
    token = text.unsubscribe_url.rstrip("/").rpartition("/")[2]
    assert find_subscription(token) == (cast.riverside, "note_answered", user.pk)


def test_a_person_without_an_account_gets_the_answer_and_stops_it_alone(
    cast: Cast, event: Event
) -> None:
    ben = Player.objects.get(club=event.club, name="Ben Birch")
    Contact.objects.create(club=event.club, player=ben, email="ben@riverside.example")
    stop_mails(ben, "challenge")
    op = by_link(cast, ben)
    note = send_result_note(op, event, about="sum", words="It is 20.")
    answer_result_note(cast.operation("dirk"), note, answer="Seen.")
    assert Outbox.objects.get(player=ben).kind == "note_answered"
    stop_mails(ben, "note_answered")
    again = send_result_note(op, event, about="sum", words="It is 21.")
    answer_result_note(cast.operation("dirk"), again, answer="Seen.")
    assert Outbox.objects.filter(player=ben).count() == 1
