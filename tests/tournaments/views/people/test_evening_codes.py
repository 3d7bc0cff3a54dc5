"""The short code of a personal card opens one evening, until noon, and nothing else."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client

from tests.support.builders import by_tests, hand, players, table
from tests.support.cast import Cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tournaments.errors import Forbidden
from tournaments.models.access import PersonalLink
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Attendance, Meeting
from tournaments.policy import EVENING
from tournaments.selectors.access import evening_codes
from tournaments.selectors.access.evening_codes import (
    code_in_print,
    find_evening_of_codes,
    find_link_by_evening_code,
)
from tournaments.selectors.access.personal_links import person_with_link, personal_path
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.own_attendance import state_attendance_tonight
from tournaments.services.clubs.personal_links import renew_personal_link, revoke_personal_link
from tournaments.services.operations import Operation
from tournaments.services.people.merge_players import merge_players
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

pytestmark = pytest.mark.django_db

ZONE = ZoneInfo("Europe/Berlin")
DAY = date(2025, 11, 13)
TONIGHT = "/clubs/riverside/tonight"


def at(clock: str, *, days: int = 0) -> datetime:
    """Return a moment of the day of the evening, or of days after it, where the club is."""
    return datetime.combine(DAY + timedelta(days=days), time.fromisoformat(clock), ZONE)


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


@pytest.fixture
def club(cast: Cast) -> Club:
    Club.objects.filter(pk=cast.riverside.pk).update(time_zone=ZONE.key)
    cast.riverside.refresh_from_db()
    return cast.riverside


@pytest.fixture
def meeting(event: Event, club: Club) -> Meeting:
    return plan_meeting(by_tests(), Event.objects.get(pk=event.pk), day=DAY, at=time(19, 30))


@pytest.fixture
def link(meeting: Meeting) -> PersonalLink:
    ada = players(meeting.club, "Ada Adams", "Bo Brown")[0]
    return renew_personal_link(by_tests(), ada)


def typed(code: str, client: Client | None = None, address: str = TONIGHT) -> Client:
    client = client or Client()
    client.post(address, {"code": code})
    return client


def page(client: Client) -> str:
    return text_of(client.get(TONIGHT))


def states() -> dict[str, str]:
    return dict(Attendance.objects.values_list("player__name", "state"))


def test_code_of_a_card_answers_checks_in_and_shows_the_table(
    cast: Cast, link: PersonalLink, meeting: Meeting
) -> None:
    card = text_of(cast.client("dirk").get("/clubs/riverside/personal-links"))
    code = code_in_print(link)
    assert f"code {code} at testserver{TONIGHT}" in card
    with time_machine.travel(at("18:00"), tick=False):
        client = typed(code.replace("-", " ").lower())
        assert "You have not answered yet." in page(client)
        client.post(TONIGHT, {"meeting": meeting.pk, "answer": "late", "from_round": "2"})
        assert "You come late, from round 2." in page(client)
        client.post(TONIGHT, {"check_in": "yes"})
        assert states() == {"Ada Adams": "here"}
        seated = [link.player, *players(meeting.club, "C", "D", "E")]
        hand(table(meeting.event, seated, on=DAY), 1, [4, 2, 1, 6], queen=3)
        assert "Table 1" in page(client)
        Game.objects.update(state="complete")
        end_evening(Operation(by_tests().actor, at("18:00")), meeting_on(meeting.event, DAY))
        publish(meeting.event_id, now=at("18:00"))
        make_all(meeting.event_id)
        text = page(client)
        assert "Won by D" in text
        assert "It closes by itself: 14 Nov 2025, 12:00." in text
        client.post(TONIGHT, {"leave": "yes"})
        assert "Code of your card" in page(client)


def test_it_opens_no_other_page(link: PersonalLink, meeting: Meeting) -> None:
    with time_machine.travel(at("18:00"), tick=False):
        client = typed(code_in_print(link))
        assert client.cookies[evening_codes.COOKIE]["httponly"]
        assert client.get("/me").status_code == 302
        assert client.get(f"/my/{code_in_print(link)}").status_code == 404
        members = client.get("/clubs/riverside/players").status_code
        assert members == Client().get("/clubs/riverside/players").status_code


@pytest.mark.parametrize(
    ("begins", "moment", "opens"),
    [
        (time(19, 30), at("11:59"), None),
        (time(19, 30), at("12:00"), DAY),
        (None, at("11:59"), None),
        (None, at("12:00"), DAY),
        (time(19, 30), at("11:59", days=1), DAY),
        (time(19, 30), at("12:00", days=1), None),
        (time(10, 0), at("07:59"), None),
        (time(10, 0), at("08:00"), DAY),
        (time(14, 0), at("11:59"), None),
    ],
)
def test_it_works_from_noon_to_noon(
    club: Club, event: Event, begins: time | None, moment: datetime, opens: date | None
) -> None:
    plan_meeting(by_tests(), event, day=DAY, at=begins)
    evening = find_evening_of_codes(club, moment)
    assert (evening.day if evening is not None else None) == opens
    if evening is not None:
        assert evening.until == at("12:00", days=1)


def test_the_evening_of_today_follows_that_of_yesterday_at_noon(
    club: Club, meeting: Meeting
) -> None:
    plan_meeting(by_tests(), meeting.event, day=DAY + timedelta(days=1), at=time(19, 30))
    days = [
        evening.day.day if (evening := find_evening_of_codes(club, moment)) else None
        for moment in (at("11:59", days=1), at("12:00", days=1), at("12:00", days=2))
    ]
    assert days == [13, 14, None]


def test_cancelled_evening_and_that_of_another_club_open_nothing(
    cast: Cast, link: PersonalLink, meeting: Meeting
) -> None:
    theirs = find_evening_of_codes(cast.hilltop, at("18:00"))
    change_meeting(by_tests(), meeting_on(meeting.event, DAY), state="cancelled", reason="Storm.")
    assert (theirs, find_evening_of_codes(meeting.club, at("18:00"))) == (None, None)


def test_what_opens_nothing_reads_alike(cast: Cast, link: PersonalLink, meeting: Meeting) -> None:
    """A wrong code, a right one too early, and a club that nobody has."""
    code = code_in_print(link)
    answers = set()
    for moment, address, sent in (
        (at("18:00"), TONIGHT, "222-222"),
        (at("11:59"), TONIGHT, code),
        (at("18:00"), "/clubs/hilltop/tonight", code),
        (at("18:00"), "/clubs/nowhere/tonight", code),
        (at("18:00"), TONIGHT, ""),
    ):
        with time_machine.travel(moment, tick=False):
            answer = Client().post(address, {"code": sent})
            assert evening_codes.COOKIE not in answer.cookies
            answers.add((answer.status_code, text_of(answer).replace(sent, "")))
    assert len(answers) == 1
    assert "opens no evening now" in answers.pop()[1]


def test_page_closes_at_noon_with_a_new_card_and_on_another_day(
    link: PersonalLink, meeting: Meeting
) -> None:
    code = code_in_print(link)
    plan_meeting(by_tests(), meeting.event, day=DAY + timedelta(days=1), at=time(19, 30))
    with time_machine.travel(at("18:00"), tick=False):
        client, other = typed(code), typed(code)
    with time_machine.travel(at("11:59", days=1), tick=False):
        assert "Ada Adams" in page(client)
    with time_machine.travel(at("12:00", days=1), tick=False):
        assert "Ada Adams" not in page(client), "its cookie is of the evening before"
    with time_machine.travel(at("18:00"), tick=False):
        revoke_personal_link(by_tests(), link.player)
        assert "Ada Adams" not in page(other)
        assert "Ada Adams" not in page(typed(code))


def test_card_of_a_merged_player_opens_the_one_that_was_kept(
    link: PersonalLink, meeting: Meeting
) -> None:
    merge_players(by_tests(), link.player, target=Player.objects.get(name="Bo Brown"))
    with time_machine.travel(at("18:00"), tick=False):
        client = typed(code_in_print(link))
        assert "Bo Brown" in page(client)


def test_two_cards_of_one_code_open_nobody(
    link: PersonalLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    renew_personal_link(by_tests(), Player.objects.get(name="Bo Brown"))
    assert find_link_by_evening_code(link.club, code_in_print(link)) == link
    monkeypatch.setattr(evening_codes, "_code_of", lambda seed: "AAABBB")
    assert find_link_by_evening_code(link.club, "AAA-BBB") is None


def test_holder_of_a_code_acts_on_its_day_only(link: PersonalLink, meeting: Meeting) -> None:
    later = plan_meeting(by_tests(), meeting.event, day=DAY + timedelta(days=7))
    actor = person_with_link(link, role=EVENING, evening=DAY)
    op = Operation(actor, at("18:00"))
    with pytest.raises(Forbidden):
        state_attendance_tonight(op, later, state="absent")
    change_meeting(by_tests(), meeting_on(meeting.event, DAY), day=DAY + timedelta(days=1))
    with pytest.raises(Forbidden):
        state_attendance_tonight(op, meeting, state="absent")
    assert states() == {}


def wrong(n: int, address: str, *, first: int = 0) -> list[int]:
    """Send wrong codes from a network, fewer a minute than one network may."""
    sent = []
    for at_ in range(n):
        moment = at("18:00") + timedelta(seconds=4 * (first + at_))
        with time_machine.travel(moment, tick=False):
            answer = Client(REMOTE_ADDR=address).post(TONIGHT, {"code": "222222"})
            sent.append(answer.status_code)
    return sent


def test_sixty_wrong_codes_of_a_club_end_all_but_those_of_its_hall(
    link: PersonalLink, meeting: Meeting
) -> None:
    code = code_in_print(link)
    with time_machine.travel(at("18:00"), tick=False):
        typed(code, Client(REMOTE_ADDR="192.0.2.1"))
    assert wrong(61, "198.51.100.1") == [422] * 60 + [429]
    with time_machine.travel(at("18:30"), tick=False):
        strange = Client(REMOTE_ADDR="203.0.113.9")
        answer = strange.post(TONIGHT, {"code": code})
        assert (answer.status_code, evening_codes.COOKIE in answer.cookies) == (429, False)
        assert "Too many wrong codes were sent" in text_of(answer)
        assert "Ada Adams" in page(typed(code, Client(REMOTE_ADDR="192.0.2.1")))


def test_twenty_wrong_codes_a_minute_end_those_of_a_network(
    link: PersonalLink, meeting: Meeting
) -> None:
    with time_machine.travel(at("18:00"), tick=False):
        client = Client(REMOTE_ADDR="192.0.2.1")
        sent = [client.post(TONIGHT, {"code": "222222"}).status_code for _ in range(21)]
        assert sent == [422] * 20 + [429]
        assert client.post(TONIGHT, {"code": code_in_print(link)}).status_code == 429
        assert "Ada Adams" in page(typed(code_in_print(link), Client(REMOTE_ADDR="192.0.2.2")))


def test_code_on_the_wall_knows_the_phone_that_has_opened_a_personal_link(
    link: PersonalLink, meeting: Meeting
) -> None:
    wall = f"/clubs/riverside/events/{meeting.event.slug}/meetings/{DAY}/arrive"
    elsewhere = wall.replace("riverside", "hilltop")
    phone = Client()
    assert "Type the code of my card" in text_of(phone.get(wall))
    assert text_of(phone.get(wall)) == text_of(phone.get(elsewhere)).replace("hilltop", "riverside")
    own = personal_path(link)
    phone.get(own)
    assert phone.get(wall).headers["Location"] == own
    assert phone.get(elsewhere).status_code == 200, "the link is of another club"
    renew_personal_link(by_tests(), link.player)
    assert phone.get(wall).status_code == 200, "the link that it has opened was renewed"


def test_code_on_the_wall_leads_to_the_evening_that_a_short_code_has_opened(
    link: PersonalLink, meeting: Meeting
) -> None:
    wall = f"/clubs/riverside/events/{meeting.event.slug}/meetings/{DAY}/arrive"
    with time_machine.travel(at("18:00"), tick=False):
        phone = typed(code_in_print(link))
        assert phone.get(wall).headers["Location"] == TONIGHT
        phone.post(TONIGHT, {"leave": "yes"})
        assert phone.get(wall).status_code == 200


def test_account_checks_in_at_the_code_on_the_wall_whatever_the_phone_has_opened(
    cast: Cast, link: PersonalLink, meeting: Meeting
) -> None:
    wall = f"/clubs/riverside/events/{meeting.event.slug}/meetings/{DAY}/arrive"
    phone = cast.client("piet")
    phone.get(personal_path(link))
    assert phone.get(wall).headers["Location"] == wall.replace("arrive", "check-in")
