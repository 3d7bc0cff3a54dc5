"""Calendars: a club's for everybody, an account's by its private link."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from icalendar import Calendar

from config.logs import without_tokens
from tests.support.builders import by_tests, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.forms import as_shown
from tests.support.scenarios.ladders import ladder, member
from tournaments.models.access import CalendarLink
from tournaments.models.events import Event
from tournaments.selectors.access.personal_links import personal_path
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.attendance.set_attendance import set_attendance
from tournaments.services.clubs.personal_links import renew_personal_link, revoke_personal_link
from tournaments.services.ladders.challenges import issue_challenge
from tournaments.services.operations import Operation
from tournaments.services.rounds.meetings import change_meeting, plan_meeting

CLUB, PAGE = "/clubs/riverside/calendar.ics", "/account/calendar"
THURSDAY = date(2025, 11, 13)


def calendar(client: Client, path: str = CLUB) -> dict[str, Any]:
    with time_machine.travel(NOW):
        answer = client.get(path)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/calendar")
    return entries(answer.content)


def entries(content: bytes) -> dict[str, Any]:
    read = Calendar.from_ical(content)
    assert read["VERSION"] == "2.0"
    found: dict[str, Any] = {str(one["UID"]): one for one in read.walk("VEVENT")}
    assert len(found) == len(read.walk("VEVENT"))
    for one in found.values():
        assert not one.errors
        assert one["DTSTAMP"].dt.tzinfo is not None
    return found


def only(found: dict[str, Any]) -> Any:
    (one,) = found.values()
    return one


def planned(event: Event, day: date = THURSDAY, at: time | None = time(19, 30)) -> None:
    plan_meeting(by_tests(), event, day=day, at=at, place="Boathouse")


def own_link(client: Client) -> str:
    page = client.post(PAGE)
    assert page.status_code == 200
    match = re.search(r'id="calendar-address" value="([^"]+)"', page.content.decode())
    assert match is not None
    return urlsplit(match[1]).path


def test_evening_with_a_limit_says_how_many_places_are_free(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(event.club, "Ada A.", "Bo B.", "Cy C.")
    plan_meeting(by_tests(), event, day=THURSDAY, capacity=3)
    for player, text in zip(
        people,
        (
            "2 places free.",
            "1 place free.",
            "All places are taken. A new answer is on the waiting list.",
        ),
        strict=True,
    ):
        meeting = meeting_on(event, THURSDAY)
        set_attendance(by_tests(), meeting, player=player, state="expected")
        assert str(only(calendar(Client()))["DESCRIPTION"]) == text
    change_meeting(by_tests(), meeting_on(event, THURSDAY), capacity=0)
    assert "DESCRIPTION" not in only(calendar(Client()))


def test_free_places_need_one_query_for_all_evenings(cast: Cast) -> None:
    event = league(cast.riverside)
    counts = []
    for n in (1, 5):
        for at in range(n):
            day = THURSDAY + timedelta(days=10 * n + at)
            plan_meeting(by_tests(), event, day=day, capacity=3)
        with CaptureQueriesContext(connection) as queries:
            calendar(Client())
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_evening_has_its_local_time_and_its_place(cast: Cast, olga: Client) -> None:
    form = olga.get("/clubs/riverside/settings").context["settings"]
    olga.post("/clubs/riverside/settings", {**as_shown(form), "time_zone": "America/New_York"})
    planned(league(cast.riverside))
    planned(league(cast.riverside, slug="whole-day"), at=None)
    found = calendar(cast.client()).values()
    whole_day, one = sorted(found, key=lambda each: each["DTSTART"].dt != THURSDAY)
    assert whole_day["DTSTART"].dt == THURSDAY
    assert one["DTSTART"].dt == datetime(2025, 11, 14, 0, 30, tzinfo=UTC)
    assert one["SUMMARY"] == "League (Riverside)"
    assert one["LOCATION"] == "Boathouse"
    assert one["STATUS"] == "CONFIRMED"
    assert one["SEQUENCE"] == 0
    assert one["LAST-MODIFIED"].dt == NOW
    assert str(one["URL"]).endswith("/clubs/riverside/events/league/meetings")


def test_evening_ends_after_its_rounds_or_three_hours_and_a_day_with_its_day(cast: Cast) -> None:
    event = league(cast.riverside, settings={"round_minutes": 50})
    people = players(cast.riverside, "Ada", "Bea", "Cleo", "Dora")
    for number in (1, 2):
        table(event, people, round_number=number, on=date(2025, 11, 6))
    planned(event)
    planned(league(cast.riverside, slug="other"))
    planned(league(cast.riverside, slug="whole-day"), at=None)
    found = [one for one in calendar(cast.client()).values() if one["DTSTART"].dt != NOW.date()]
    lengths = {one["DTEND"].dt - one["DTSTART"].dt for one in found}
    assert lengths == {timedelta(minutes=100), timedelta(hours=3), timedelta(days=1)}
    assert {str(one["TRANSP"]) for one in found} == {"OPAQUE"}


def test_calendar_of_a_person_has_the_clubs_evenings_with_the_personal_link(cast: Cast) -> None:
    planned(league(cast.riverside, visibility="members"))
    planned(league(cast.riverside, slug="held", visibility="held"))
    planned(league(cast.hilltop, slug="elsewhere"))
    link = renew_personal_link(by_tests(), players(cast.riverside, "Ada A.")[0])
    path = personal_path(link)
    one = only(calendar(Client(), f"{path}/calendar.ics"))
    assert str(one["URL"]) == f"http://testserver{path}"
    assert one["SUMMARY"] == "League (Riverside)"
    answer = Client().get(f"{path}/calendar.ics")
    assert "private" in answer["Cache-Control"]
    assert answer["X-Robots-Tag"] == "noindex"
    assert path not in cast.client().get(CLUB).content.decode()
    revoke_personal_link(by_tests(), link.player)
    assert Client().get(f"{path}/calendar.ics").status_code == 410
    assert "/my/…" in without_tokens(None, "", f"Not found: {path}/calendar.ics")


def test_moved_and_cancelled_evening_keeps_its_id_and_counts_its_changes(cast: Cast) -> None:
    event = league(cast.riverside)
    planned(event)
    before = only(calendar(cast.client()))
    later, friday = NOW + timedelta(hours=1), date(2025, 11, 14)
    change_meeting(by_tests(later), meeting_on(event, THURSDAY), day=friday)
    moved = only(calendar(cast.client()))
    assert moved["UID"] == before["UID"]
    assert moved["SEQUENCE"] == 1
    assert moved["LAST-MODIFIED"].dt == later
    assert moved["DTSTART"].dt.date() == friday
    meeting, reason = meeting_on(event, friday), "The hall is closed."
    change_meeting(by_tests(later), meeting, state="cancelled", reason=reason)
    gone = only(calendar(cast.client()))
    assert gone["UID"] == before["UID"]
    assert gone["STATUS"] == "CANCELLED"
    assert gone["SEQUENCE"] == 2
    assert "The hall is closed." in gone["DESCRIPTION"]
    change_meeting(by_tests(later), meeting, place="Boathouse")
    assert only(calendar(cast.client()))["SEQUENCE"] == 2


def test_club_calendar_answers_304_until_something_changes(cast: Cast) -> None:
    event = league(cast.riverside)
    planned(event)
    client = cast.client()
    with time_machine.travel(NOW):
        answer = client.get(CLUB)
        assert answer["Cache-Control"] == "no-cache"
        held = {"If-None-Match": answer["ETag"]}
        assert client.get(CLUB, headers=held).status_code == 304
        planned(event, date(2025, 11, 20))
        assert client.get(CLUB, headers=held).status_code == 200


@pytest.mark.parametrize("visibility", ["members", "held"])
@pytest.mark.parametrize("name", ["", "piet", "olga"])
def test_club_calendar_has_public_events_only(cast: Cast, visibility: str, name: str) -> None:
    planned(league(cast.riverside))
    planned(league(cast.riverside, slug="secret", name="Secret", visibility=visibility))
    found = calendar(cast.client(name))
    assert [str(one["SUMMARY"]) for one in found.values()] == ["League (Riverside)"]


def test_calendar_of_a_private_club_is_not_there(cast: Cast) -> None:
    cast.riverside.is_public = False
    cast.riverside.save()
    for name in ("", "piet", "olga"):
        answer = cast.client(name).get(CLUB)
        assert answer.status_code == 404
        assert answer["Cache-Control"] == "no-store"


def test_deadline_of_a_challenge_ends_on_its_last_day_with_public_names(cast: Cast) -> None:
    event = ladder(cast, "ABCD", now=NOW, respond_days=3)
    issue_challenge(Operation(member(cast, "C"), NOW), event, challenger="C", challenged="B")
    one = only(calendar(cast.client()))
    assert one["SUMMARY"] == "Answer challenge: Member C – Member B"
    assert one["DTEND"].dt - one["DTSTART"].dt == timedelta(minutes=30)
    assert one["DTEND"].dt > NOW
    assert str(one["URL"]).endswith("/events/ladder/challenges/1")


def test_number_of_queries_does_not_grow_with_evenings(cast: Cast) -> None:
    event = league(cast.riverside)
    planned(event)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            calendar(cast.client())
        return len(captured)

    one = queries()
    for n in range(1, 30):
        planned(event, THURSDAY + timedelta(days=7 * n))
    assert queries() == one <= 5


def piet_plays(cast: Cast) -> tuple[Event, Event]:
    people = players(cast.riverside, "Piet P.", "Bea", "Cleo", "Dora", "Else")
    link(people[0], cast.users["piet"])
    event = league(cast.riverside, slug="own", name="Own", visibility="members")
    table(event, people[:4])
    other = league(cast.riverside, slug="other", name="Other")
    table(other, people[1:5])
    planned(event)
    planned(other)
    return event, other


def test_private_calendar_has_own_evenings_with_what_one_answered(cast: Cast, piet: Client) -> None:
    own, _other = piet_plays(cast)
    path = own_link(piet)
    found = [one for one in calendar(Client(), path).values() if one.get("LOCATION")]
    assert [str(one["SUMMARY"]) for one in found] == ["Own (Riverside)"]
    assert str(found[0]["URL"]).endswith(f"/events/own/meetings/{THURSDAY}/check-in")
    with time_machine.travel(NOW):
        piet.post(f"/clubs/riverside/events/own/meetings/{THURSDAY}/coming", {"answer": "no"})
    found = [one for one in calendar(Client(), path).values() if one.get("LOCATION")]
    assert "Your answer: you do not come." in found[0]["DESCRIPTION"]
    assert own.visibility == "members"


def test_private_calendar_follows_what_the_account_may_read(cast: Cast) -> None:
    own, _other = piet_plays(cast)
    path = own_link(cast.client("piet"))
    Event.objects.filter(pk=own.pk).update(visibility="held")
    assert calendar(Client(), path) == {}
    Event.objects.filter(pk=own.pk).update(visibility="public")
    assert calendar(Client(), path) != {}
    cast.users["piet"].club_memberships.all().delete()
    assert calendar(Client(), path) == {}
    User.objects.filter(pk=cast.users["piet"].pk).update(is_active=False)
    assert Client().get(path).status_code == 404


def test_private_calendar_has_own_challenges_only(cast: Cast) -> None:
    event = ladder(cast, "ABCDEF", now=NOW)
    for one, other in (("C", "B"), ("F", "E")):
        actor = member(cast, one)
        issue_challenge(Operation(actor, NOW), event, challenger=one, challenged=other)
    assert [
        str(one["SUMMARY"]) for one in calendar(Client(), own_link(cast.client("B"))).values()
    ] == ["Answer challenge: Member C – Member B"]


def test_link_is_shown_once_kept_as_a_hash_and_replaced(piet: Client) -> None:
    path = own_link(piet)
    token = path.removeprefix("/calendar/").removesuffix(".ics")
    assert len(token) >= 43
    again = piet.get(PAGE).content.decode()
    assert token not in again
    assert "You have a calendar link since" in again
    assert token not in str(vars(CalendarLink.objects.get()))
    assert len(piet.get("/account/data").json()["account"]["calendar_links"]) == 1
    second = own_link(piet)
    assert Client().get(path).status_code == 404
    assert Client().get(second).status_code == 200


def test_revoked_link_opens_nothing(piet: Client) -> None:
    path = own_link(piet)
    held = Client().get(path)
    assert held["Cache-Control"] == "private, no-cache"
    assert held["X-Robots-Tag"] == "noindex"
    assert not held.cookies
    page = piet.post(PAGE, {"revoke": "yes"}, follow=True)
    assert "Calendar link revoked. It no longer works." in page.content.decode()
    gone = Client().get(path, headers={"If-None-Match": held["ETag"]})
    assert gone.status_code == 404
    assert gone["Cache-Control"] == "no-store"
    assert piet.post(PAGE, {"revoke": "yes"}).status_code == 404


def test_token_is_in_no_line_of_the_log(
    cast: Cast, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    path = own_link(cast.client("piet"))
    line = without_tokens(None, "", f'{{"event": "Not Found: {path}"}}')
    assert line == '{"event": "Not Found: /calendar/…"}'
    Client().get(path)
    token = path.removeprefix("/calendar/").removesuffix(".ics")
    assert token not in caplog.text + "".join(capsys.readouterr())
