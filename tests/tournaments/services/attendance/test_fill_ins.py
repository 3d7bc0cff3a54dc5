"""Asking for one more: who is told, who is in, when it ends; the page of its link."""

import re
from datetime import date, datetime, time, timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from scoring.errors import Refused
from tests.support.builders import by_tests, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in
from tests.support.pages.text import text_of
from tournaments.delivery.mail.sender import compose
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.access import FillInRequest, PersonalLink, personal_token
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.models.rounds import Attendance, Meeting, Round
from tournaments.selectors.access.personal_links import (
    person_with_link,
    personal_path,
    printable_token,
)
from tournaments.selectors.attendance.fill_ins import (
    fill_in_path,
    find_own_fill_in,
    list_fill_ins,
    list_willing,
    open_fill_in,
    own_fill_in_path,
    takes_fill_ins,
)
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.fill_ins import answer_fill_in, ask_fill_in, end_fill_in
from tournaments.services.attendance.own_attendance import state_own_attendance
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.clubs.personal_links import renew_personal_link, set_contact
from tournaments.services.operations import Operation
from tournaments.services.people.merge_players import merge_players
from tournaments.services.rounds.meetings import plan_meeting
from tournaments.services.rounds.rounds import make_round

EVENING = date(2025, 11, 13)
OP = by_tests()

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    """Ana has an account and Ben an address; Cleo has neither; Dirk is not willing."""
    people = players(cast.riverside, "Ana K.", "Ben K.", "Cleo K.", "Dirk K.")
    Player.objects.filter(pk__in=[person.pk for person in people[:3]]).update(fills_in=True)
    cast.users["piet"].email = "piet@riverside.example"
    cast.users["piet"].save()
    link(people[0], cast.users["piet"])
    set_contact(OP, people[1], email="ben@riverside.example", has_consent=True)
    return people


@pytest.fixture
def meeting(cast: Cast, people: list[Player]) -> Meeting:
    plan_meeting(OP, league(cast.riverside), day=EVENING, place="Hall")
    return meeting_on(cast.riverside.events.get(), EVENING)


def ask(meeting: Meeting) -> FillInRequest:
    return ask_fill_in(OP, meeting)


def state_of(player: Player) -> tuple[str, str]:
    row = Attendance.objects.get(player=player)
    return row.state, row.answer


def test_willing_players_are_told_both_ways(meeting: Meeting, people: list[Player]) -> None:
    assert sorted(ask(meeting).asked) == [people[0].pk, people[1].pk]
    mails = Outbox.objects.filter(kind="fill_in").order_by("pk")
    assert [(mail.user_id is not None, mail.player_id) for mail in mails] == [
        (True, None),
        (False, people[1].pk),
    ]
    assert Notice.objects.filter(kind="fill_in").count() == 1
    with time_machine.travel(NOW):
        message = compose(mails[1])
    assert message is not None
    assert message.subject == "We need one more on Thursday 13 November 2025. Can you fill in?"
    own = find_own_fill_in(str(message.body).partition("/fill-in/for/")[2].split()[0])
    assert own is not None
    assert (own[0].meeting, own[1].player) == (meeting, people[1])
    assert "Ben" not in str(AuditLine.objects.get(act="ask_fill_in").facts)


def test_who_answered_or_is_here_is_not_asked(meeting: Meeting, people: list[Player]) -> None:
    check_in(meeting, people[:1])
    check_in(meeting, people[1:2], state="absent")
    Attendance.objects.filter(player=people[1]).update(answer="absent")
    assert list(list_willing(meeting)) == [people[2]]
    Attendance.objects.update(state="expected", answer="")
    assert list(list_willing(meeting)) == people[:3], "their check-in was undone"


def test_one_request_is_open_at_a_time_until_a_host_ends_it(meeting: Meeting) -> None:
    request = ask(meeting)
    with pytest.raises(Conflict, match=r"^fill_in_is_open$"):
        ask(meeting)
    end_fill_in(OP, meeting)
    with pytest.raises(Missing):
        end_fill_in(OP, meeting)
    with pytest.raises(Conflict, match=r"^fill_in_is_over$"):
        answer_fill_in(OP, request, player="RL03")
    assert not Attendance.objects.exists()
    assert ask(meeting).pk != request.pk


def test_first_who_answers_is_in(cast: Cast, meeting: Meeting, people: list[Player]) -> None:
    request = ask(meeting)
    by_link = Operation(person_with_link(renew_personal_link(OP, people[1])), NOW)
    answer_fill_in(by_link, request)
    assert answer_fill_in(by_link, request).filled_by == people[1], "a second tap"
    with pytest.raises(Conflict, match=r"^fill_in_found$"):
        answer_fill_in(cast.operation("piet"), request)
    assert state_of(people[1]) == ("expected", "expected")
    assert Attendance.objects.count() == 1


def test_who_comes_already_is_no_more(cast: Cast, meeting: Meeting, people: list[Player]) -> None:
    request = ask(meeting)
    check_in(meeting, people[:1])
    with pytest.raises(Conflict, match=r"^comes_already$"):
        answer_fill_in(cast.operation("piet"), request)
    request.refresh_from_db()
    assert request.filled_at is None


def test_posted_round_and_end_of_day_end_a_request(meeting: Meeting, people: list[Player]) -> None:
    request = ask(meeting)
    later = by_tests(NOW + timedelta(days=8))
    with pytest.raises(Conflict, match=r"^fill_in_is_over$"):
        answer_fill_in(later, request, player="RL03")
    table(meeting.event, people, on=EVENING)
    with pytest.raises(Conflict, match=r"^fill_in_is_over$"):
        answer_fill_in(OP, request, player="RL03")
    with pytest.raises(Conflict, match=r"^evening_is_seated$"):
        ask(meeting)
    mail = Outbox.objects.filter(kind="fill_in").first()
    assert mail is not None
    assert compose(mail) is None


def test_request_of_an_event_that_is_held_meanwhile_tells_nobody_of_it(meeting: Meeting) -> None:
    path = fill_in_path(ask(meeting))
    Event.objects.update(visibility="held")
    assert Client().get(path).status_code == 404
    assert compose(Outbox.objects.get(kind="fill_in", player__isnull=False)) is None
    with pytest.raises(Conflict, match=r"^evening_is_seated$"):
        ask(meeting_on(Event.objects.get(), EVENING))


def test_stranger_and_player_of_another_club_are_refused(cast: Cast, meeting: Meeting) -> None:
    request = ask(meeting)
    for name in ("nora", "dirk"):
        with pytest.raises(Forbidden):
            answer_fill_in(cast.operation(name), request, player="RL03")
    with pytest.raises(Missing):
        answer_fill_in(OP, request, player="RL04")  # not willing
    assert not Attendance.objects.exists()


def test_statements_do_not_grow_with_willing_players(cast: Cast, meeting: Meeting) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            ask(meeting)
        end_fill_in(OP, meeting)
        return len(captured)

    before = statements()
    for player in players(cast.riverside, *(f"More {n}" for n in range(1, 21))):
        Player.objects.filter(pk=player.pk).update(fills_in=True)
        set_contact(OP, player, email=f"{player.pk}@riverside.example", has_consent=True)
    assert statements() <= before


@pytest.fixture
def path(cast: Cast, meeting: Meeting) -> str:
    return fill_in_path(ask(meeting))


def test_link_of_a_chat_lets_a_willing_person_choose_the_name(
    cast: Cast, path: str, people: list[Player]
) -> None:
    set_names_policy(OP, cast.riverside, policy="initial")
    with time_machine.travel(NOW, tick=False):
        page = text_of(Client().get(path))
        for words in ("We need one more", "Thursday 13 November", "Hall", "Choose your name"):
            assert words in page
        assert "Dirk" not in page, "not willing"
        assert Client().post(path, {"player": "RL04"}).status_code == 200
        assert not Attendance.objects.exists()
        assert Client().post(path, {"player": "RL03"}).status_code == 302
        assert state_of(people[2]) == ("expected", "expected")
        late = Client().post(path, {"player": "RL02"})
    assert "Found, thank you" in text_of(late)
    assert "Choose your name" not in text_of(late)
    assert re.search(r"<h1>\s*Fill-in\s*</h1>", late.content.decode())
    assert Attendance.objects.count() == 1


def test_names_of_a_chat_are_those_of_the_public_and_at_most_fifty(cast: Cast, path: str) -> None:
    set_names_policy(OP, cast.riverside, policy="number")
    more = players(cast.riverside, *(f"More {n}" for n in range(1, 61)))
    Player.objects.filter(pk__in=[one.pk for one in more]).update(fills_in=True)
    with time_machine.travel(NOW, tick=False):
        page = Client().get(path).content.decode()
        assert "Ana" not in page
        ids = re.findall(r'type="radio" name="player" value="(\w+)"', page)
        assert (len(ids), ids) == (50, sorted(ids)), "the order of full names shows nothing"
        found = Client().get(path, {"q": "RL64"}).content.decode()
    assert found.count('type="radio"') == 1


def own_path_of(link: PersonalLink) -> str:
    return own_fill_in_path(FillInRequest.objects.get(), link)


def test_own_link_in_a_mail_answers_with_one_press(path: str, people: list[Player]) -> None:
    own = own_path_of(renew_personal_link(OP, people[1]))
    with time_machine.travel(NOW, tick=False):
        assert "Choose your name" not in text_of(Client().get(own))
        assert not Attendance.objects.exists(), "a mail scanner follows links"
        response = Client().post(own, follow=True)
    assert "You are in" in text_of(response)
    assert state_of(people[1]) == ("expected", "expected")
    assert AuditLine.objects.latest("number").subject == "player:RL02"


def test_own_link_of_a_request_answers_it_and_opens_nothing_else(
    cast: Cast, path: str, people: list[Player]
) -> None:
    link = renew_personal_link(OP, people[1])
    own = own_path_of(link)
    token = own.rpartition("/")[2]
    with time_machine.travel(NOW, tick=False):
        page = Client().get(own).content.decode()
        assert printable_token(link) not in own + page, "the page may be passed on"
        for other in (f"/my/{token}", f"/my/confirm/{token}", f"/will-you-come/{token}"):
            assert Client().get(other).status_code == 404, other
        assert Client().get(f"{path}?me={token}").status_code == 404
        renew_personal_link(OP, people[1])
        assert Client().post(own).status_code == 404, "the personal link ended"
    assert not Attendance.objects.exists()


def test_links_of_an_earlier_request_answer_the_one_that_is_open(
    cast: Cast, path: str, meeting: Meeting, people: list[Player]
) -> None:
    """A further request tells only who was not asked yet, and needs the others too."""
    own = own_path_of(renew_personal_link(OP, people[1]))
    end_fill_in(OP, meeting)
    with time_machine.travel(NOW, tick=False):
        assert "Nobody is needed any more" in text_of(Client().get(own))
        second = ask(meeting)
        assert "Nobody is needed any more" in text_of(Client().get(path)), "that of a chat"
        assert "I come" in text_of(cast.client("piet").get(path))
        assert "You are in" in text_of(Client().post(own, follow=True))
    second.refresh_from_db()
    assert second.filled_by == people[1]


def test_own_link_of_a_merged_player_answers_for_the_player_that_was_kept(
    path: str, people: list[Player]
) -> None:
    own = own_path_of(renew_personal_link(OP, people[1]))
    merge_players(OP, people[1], target=people[2])
    with time_machine.travel(NOW, tick=False):
        assert "You are in" in text_of(Client().post(own, follow=True))
    assert state_of(people[2]) == ("expected", "expected")


def test_mail_of_the_release_before_works_until_its_evening_is_over(
    path: str, people: list[Player]
) -> None:
    link = renew_personal_link(OP, people[1])
    old = f"{path}?me={printable_token(link)}"
    last_moment = datetime.combine(EVENING, time(23, 59, 59), tzinfo=OP.now.tzinfo)
    with time_machine.travel(last_moment, tick=False):
        opened = Client().get(old)
        assert opened["Location"] == own_path_of(link), "the address bar loses the whole link"
        assert "Ben K." in text_of(Client().get(old, follow=True))
    with time_machine.travel(last_moment + timedelta(days=1), tick=False):
        page = text_of(Client().get(old))
        assert "Nobody is needed any more" in page
        assert "Ben" not in page
    with time_machine.travel(NOW, tick=False):
        assert "You are in" in text_of(Client().post(old, follow=True))
    assert state_of(people[1]) == ("expected", "expected")


def test_own_page_leads_a_willing_person_to_the_request(path: str, people: list[Player]) -> None:
    for one, is_asked in ((people[2], True), (people[3], False)):
        link = renew_personal_link(OP, one)
        with time_machine.travel(NOW, tick=False):
            page = Client().get(personal_path(link)).content.decode()
        assert (f'href="{own_path_of(link)}"' in page) is is_asked


def test_guessed_links_are_limited(path: str, settings: object) -> None:
    with time_machine.travel(NOW, tick=False):
        guesses = [
            Client().get(f"/fill-in/{personal_token(str(n))}").status_code for n in range(40)
        ]
        assert guesses[0] == 404
        assert guesses[-1] == 429
        assert Client().get(f"{path}?me=guessed").status_code == 429
        assert Client().get("/fill-in/for/guessed").status_code == 429


def test_hosts_ask_and_end_on_attendance_and_see_who_came(
    cast: Cast, meeting: Meeting, people: list[Player]
) -> None:
    page = f"/clubs/riverside/events/league/meetings/{EVENING}/attendance"
    hanna = cast.client("hanna")
    with time_machine.travel(NOW, tick=False):
        assert "Ask for fill-ins" in text_of(hanna.get(page))
        hanna.post(page, {"fill_in": "ask"})
        text = text_of(hanna.get(page))
        assert "Asked by mail or notice: Ana K. and Ben K." in text
        assert "Not asked, ask them yourself: Cleo K." in text
        assert "/fill-in/" in hanna.get(page).content.decode()
        answer_fill_in(cast.operation("piet"), FillInRequest.objects.get())
        text = text_of(hanna.get(page))
        assert "Ana K. comes as fill-in" in text
        hanna.post(page, {"fill_in": "ask"})
        hanna.post(page, {"fill_in": "end"})
    assert FillInRequest.objects.filter(ended_at=None, filled_at=None).count() == 0
    assert cast.client("piet").post(page, {"fill_in": "ask"}).status_code == 403


def test_further_request_tells_only_who_was_not_asked_yet(
    meeting: Meeting, people: list[Player]
) -> None:
    ask(meeting)
    for _time in range(6):
        end_fill_in(OP, meeting)
        ask(meeting)
    assert Outbox.objects.filter(kind="fill_in").count() == 2
    assert Notice.objects.filter(kind="fill_in").count() == 1
    set_contact(OP, people[2], email="cleo@riverside.example", has_consent=True)
    end_fill_in(OP, meeting)
    assert sorted(ask(meeting).asked) == [player.pk for player in people[:3]]
    newest = Outbox.objects.filter(kind="fill_in").latest("pk")
    assert (Outbox.objects.filter(kind="fill_in").count(), newest.player) == (3, people[2])


def test_another_evening_asks_everybody_again(meeting: Meeting, people: list[Player]) -> None:
    ask(meeting)
    event = meeting.event
    plan_meeting(OP, event, day=EVENING + timedelta(days=7), place="Hall")
    other = ask(meeting_on(event, EVENING + timedelta(days=7)))
    assert sorted(other.asked) == [people[0].pk, people[1].pk]
    assert Outbox.objects.filter(kind="fill_in").count() == 4


def test_who_was_asked_is_not_asked_again_after_a_merge(
    cast: Cast, meeting: Meeting, people: list[Player]
) -> None:
    ask(meeting)
    merge_players(cast.operation("dirk"), people[1], target=people[2])
    Player.objects.filter(pk=people[2].pk).update(fills_in=True)
    end_fill_in(OP, meeting)
    assert sorted(ask(meeting).asked) == [people[0].pk, people[2].pk]
    assert Outbox.objects.filter(kind="fill_in").count() == 2


def test_statements_of_a_request_do_not_grow_with_earlier_ones(meeting: Meeting) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            ask(meeting)
        end_fill_in(OP, meeting)
        return len(queries)

    statements()
    few = statements()
    for _time in range(12):
        statements()
    assert statements() == few


def test_several_who_are_missing_are_asked_for_at_once(
    cast: Cast, meeting: Meeting, people: list[Player]
) -> None:
    for wrong in (0, 10):
        with pytest.raises(Refused, match="bad_number_wanted"):
            ask_fill_in(OP, meeting, wanted=wrong)
    request = ask_fill_in(OP, meeting, wanted=2)
    n_mails = Outbox.objects.count()
    answer_fill_in(cast.operation("piet"), request)
    ben = Operation(person_with_link(renew_personal_link(OP, people[1])), NOW)
    second = answer_fill_in(ben, request)
    assert (second.filled_by, second.wanted) == (people[1], 1)
    assert answer_fill_in(cast.operation("piet"), request).filled_by == people[0], "a second tap"
    with pytest.raises(Conflict, match=r"^fill_in_found$"):
        answer_fill_in(OP.as_site("fill_in_link"), request, player="RL03")
    assert Outbox.objects.count() == n_mails, "who was asked is asked once"
    assert [row.filled_by for row in FillInRequest.objects.order_by("pk")] == people[:2]


def test_the_link_of_a_chat_leads_to_those_who_are_still_wanted(
    cast: Cast, meeting: Meeting, people: list[Player]
) -> None:
    request = ask_fill_in(OP, meeting, wanted=2)
    path = fill_in_path(request)
    answer_fill_in(cast.operation("piet"), request)
    with time_machine.travel(datetime(2025, 11, 13, 17, tzinfo=NOW.tzinfo), tick=False):
        page = text_of(Client().get(path))
        assert "We need one more" in page
        assert "Choose your name" in page
        Client().post(path, {"player": "RL03"})
        over = text_of(Client().get(path))
    assert "Cleo K. was faster. You are not needed tonight." in over


def test_each_of_several_reads_that_they_are_in_and_may_withdraw(
    cast: Cast, meeting: Meeting, people: list[Player]
) -> None:
    """The second of three was asked again, and who withdrew stood there as coming."""
    request = ask_fill_in(OP, meeting, wanted=3)
    answer_fill_in(cast.operation("piet"), request)
    ben = renew_personal_link(OP, people[1])
    answer_fill_in(Operation(person_with_link(ben), NOW), request)
    attendance = "/clubs/riverside/events/league/meetings/2025-11-13/attendance"
    with time_machine.travel(NOW, tick=False):
        own = own_fill_in_path(request, ben)
        assert "You are in. See you there." in text_of(Client().get(own))
        assert "Ben K. comes as fill-in" in text_of(cast.client("dirk").get(attendance))
        state_own_attendance(Operation(person_with_link(ben), NOW), meeting, state="absent")
        assert "You are in." not in text_of(Client().get(own))
        page = text_of(cast.client("dirk").get(attendance))
    assert "Ben K. was a fill-in and withdrew." in page
    assert "Ana K. comes as fill-in" in page


def test_an_ended_request_asks_for_nobody_of_the_others(cast: Cast, meeting: Meeting) -> None:
    request = ask_fill_in(OP, meeting, wanted=3)
    answer_fill_in(cast.operation("piet"), request)
    end_fill_in(OP, meeting)
    with pytest.raises(Conflict, match=r"^fill_in_found$"):
        answer_fill_in(OP.as_site("fill_in_link"), request, player="RL03")


@pytest.mark.parametrize(
    ("wanted", "words"),
    [(1, "We need one more: fill in"), (2, "We need 2 more: fill in")],
)
def test_personal_page_says_how_many_are_wanted(
    meeting: Meeting, people: list[Player], wanted: int, words: str
) -> None:
    link = renew_personal_link(OP, people[1])
    path = f"/my/{printable_token(link)}"
    with time_machine.travel(datetime(2025, 11, 13, 17, tzinfo=NOW.tzinfo), tick=False):
        assert "fill in" not in text_of(Client().get(path))
        ask_fill_in(OP, meeting, wanted=wanted)
        assert words in text_of(Client().get(path))


@pytest.mark.parametrize(
    ("state", "fills_in", "is_offered"),
    [
        ("", True, True),
        ("waiting", True, True),
        ("expected", True, False),
        ("absent", True, False),
        ("", False, False),
    ],
)
def test_both_pages_of_a_player_offer_to_fill_in(
    cast: Cast,
    meeting: Meeting,
    people: list[Player],
    *,
    state: str,
    fills_in: bool,
    is_offered: bool,
) -> None:
    Player.objects.filter(pk__in=[person.pk for person in people]).update(fills_in=fills_in)
    personal = f"/my/{printable_token(renew_personal_link(OP, people[0]))}"
    with time_machine.travel(NOW, tick=False):
        request = ask_fill_in(OP, meeting)
        if state:
            check_in(meeting, people[:1], state=state)
            Attendance.objects.update(answer=state)
        pages = (cast.client("piet").get("/me"), Client().get(personal))
        for page in pages:
            assert ("We need one more: fill in" in text_of(page)) == is_offered
    assert (fill_in_path(request) in pages[0].content.decode()) == is_offered


@pytest.mark.parametrize("wanted", [1, 9])
def test_one_player_or_nine_can_be_asked_for(meeting: Meeting, wanted: int) -> None:
    assert ask_fill_in(OP, meeting, wanted=wanted).wanted == wanted


def test_player_whose_check_in_was_undone_may_still_fill_in(
    meeting: Meeting, people: list[Player]
) -> None:
    request = ask(meeting)
    check_in(meeting, people[2:3])
    Attendance.objects.update(state="expected", answer="")
    assert answer_fill_in(OP, request, player="RL03").filled_by == people[2]
    assert state_of(people[2]) == ("expected", "expected")


def test_evening_asks_until_its_day_is_over(meeting: Meeting) -> None:
    event = meeting_on(meeting.event, EVENING)
    end = datetime.combine(EVENING, time(23, 59, 59), tzinfo=NOW.tzinfo)
    assert takes_fill_ins(event, end)
    assert not takes_fill_ins(event, end + timedelta(seconds=1))


def test_ten_newest_requests_of_an_evening_are_listed(meeting: Meeting) -> None:
    requests = []
    for _time in range(11):
        requests.append(ask(meeting))
        end_fill_in(OP, meeting)
    assert list_fill_ins(meeting) == requests[:0:-1]


def test_link_of_another_club_answers_no_request(
    cast: Cast, meeting: Meeting, people: list[Player]
) -> None:
    request = ask(meeting)
    (stranger,) = players(cast.hilltop, "Sam T.")
    elsewhere = own_fill_in_path(request, renew_personal_link(OP, stranger))
    here = own_fill_in_path(request, renew_personal_link(OP, people[2]))
    assert find_own_fill_in(elsewhere.rpartition("/")[2]) is None
    assert find_own_fill_in(here.rpartition("/")[2]) is not None


def test_request_for_the_others_is_of_the_same_host_and_moment(
    cast: Cast, meeting: Meeting
) -> None:
    first = ask_fill_in(cast.operation("hanna"), meeting, wanted=3)
    answer_fill_in(cast.operation("piet"), first)
    further = FillInRequest.objects.get(filled_at=None)
    assert (further.asked_by, further.asked_at) == (cast.users["hanna"], first.asked_at)
    assert (further.wanted, further.asked) == (2, first.asked)


def test_event_in_the_archive_asks_nobody(meeting: Meeting) -> None:
    assert takes_fill_ins(meeting, NOW)
    meeting.event.archived_at = NOW
    assert not takes_fill_ins(meeting, NOW)


@pytest.mark.parametrize(("state", "is_open"), [("draft", True), ("posted", False)])
def test_request_is_open_until_a_round_is_posted(
    meeting: Meeting, state: str, *, is_open: bool
) -> None:
    request = ask(meeting)
    make_round(OP, meeting.event, on=EVENING)
    Round.objects.update(state=state)
    assert open_fill_in(meeting, NOW) == (request if is_open else None)


def test_mail_of_the_release_before_with_a_link_of_another_club_asks_for_the_name(
    cast: Cast, path: str
) -> None:
    (stranger,) = players(cast.hilltop, "Sam T.")
    old = f"{path}?me={printable_token(renew_personal_link(OP, stranger))}"
    with time_machine.travel(NOW, tick=False):
        page = Client().get(old)
    assert page.status_code == 200
    assert "Choose your name" in text_of(page)
    assert "Sam" not in text_of(page)


def test_names_are_searched_from_the_fifty_first_on(cast: Cast, path: str) -> None:
    players(cast.riverside, *(f"Willing {n:02d}" for n in range(47)))
    Player.objects.update(fills_in=True)
    Player.objects.filter(name="Dirk K.").update(fills_in=False)
    with time_machine.travel(NOW, tick=False):
        assert "Find your name" not in text_of(Client().get(path)), "all fifty are listed"
        Player.objects.update(fills_in=True)
        assert "Find your name" in text_of(Client().get(path))


def test_notices_keep_a_request_after_its_evening(cast: Cast, meeting: Meeting) -> None:
    ask(meeting)
    for now in (NOW, NOW + timedelta(days=30)):
        with time_machine.travel(now, tick=False):
            assert "We need one more" in text_of(cast.client("piet").get("/notices"))


def test_pages_of_a_player_say_nothing_of_a_held_event(
    cast: Cast, meeting: Meeting, people: list[Player]
) -> None:
    personal = f"/my/{printable_token(renew_personal_link(OP, people[0]))}"
    ask_fill_in(OP, meeting)
    Event.objects.update(visibility="held")
    with time_machine.travel(NOW, tick=False):
        for page in (cast.client("piet").get("/me"), Client().get(personal)):
            text = text_of(page)
            assert "fill in" not in text
            assert meeting.event.name not in text
