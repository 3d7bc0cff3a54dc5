"""The page of a club: what it is, when and where it plays, how to join; then what it played."""

import re
from datetime import date, timedelta

import pytest
import time_machine

from tests.support.answers import Answer
from tests.support.builders import (
    by_tests,
    finished,
    ladder,
    league,
    link,
    players,
    publish_all,
    table,
)
from tests.support.cast import NOW, Cast
from tests.support.pages.filled_buttons import filled_buttons
from tests.support.pages.forms import as_shown
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.events.change_event import archive_event, change_settings
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import make_round, move_round

AT = "/clubs/riverside"
SETTINGS = f"{AT}/settings"
TEXTS = {
    "when_where": "Thursdays at 19:30, in the boathouse",
    "welcomes_visitors": "on",
    "about": "We play Hearts.\r\n\r\n\r\nSince <b>1987</b> & every week.",
    "how_to_join": "Come at 19:00.\r\n\r\n  Play as a guest. ",
    "fee": "3 € an evening",
    "contact": "hearts@riverside.example",
}


def save(cast: Cast, **more: str) -> Answer:
    olga = cast.client("olga")
    shown = as_shown(olga.get(SETTINGS).context["settings"])
    return olga.post(SETTINGS, {**shown, **more}, follow=True)


def leading(answer: Answer) -> str:
    match = re.search(r'<h2 id="leading">\s*<a [^>]*>([^<]*)', answer.content.decode())
    return match[1] if match else ""


def plan(event: Event, on: date) -> None:
    make_round(by_tests(), event, on=on)


def test_owners_texts_answer_what_when_and_how_to_join(cast: Cast) -> None:
    league(cast.riverside)
    assert "Club settings saved." in text_of(save(cast, **TEXTS))
    page = cast.client().get(AT)
    words = text_of(page)
    for text in (
        "We play Hearts.", "Thursdays at 19:30, in the boathouse", "Visitors are welcome",
        "How to join Come at 19:00. Play as a guest.",
        "Come at 19:00. Play as a guest. Fee 3 € an evening",
        "Since <b>1987</b> & every week.",
    ):  # fmt: skip
        assert text in words
    html = page.content.decode()
    assert "<b>1987</b>" not in html
    assert 'href="mailto:hearts@riverside.example"' in html
    assert "@" not in re.sub("hearts@riverside.example", "", words)  # nobody else's address


def test_club_without_texts_shows_its_dates_only(evenings: Evenings) -> None:
    with time_machine.travel(NOW + timedelta(days=30)):
        words = text_of(evenings.client().get(AT))
    assert "No evening is planned. The last one was on Thursday 13 November 2025." in words
    for text in ("How to join", "Visitors are welcome", "Fee", "Contact", "when and where"):
        assert text not in words
    assert "Say when and where you meet" in text_of(evenings.client("olga").get(AT))


def test_club_without_standings_promises_none_and_members_need_not_join(cast: Cast) -> None:
    league(cast.riverside)
    visitor = text_of(cast.client().get(AT))
    assert "A club for the card game Hearts. Next evening" in visitor
    assert "To join, ask a member" in visitor
    assert "To join, ask a member" not in text_of(cast.client("piet").get(AT))


def test_next_evening_is_the_first_that_is_planned_in_the_clubs_own_time_zone(cast: Cast) -> None:
    save(cast, time_zone="Pacific/Auckland")
    open_, other = league(cast.riverside), league(cast.riverside, slug="b", name="Winter league")
    plan(open_, date(2025, 11, 6))
    plan(open_, date(2025, 11, 20))
    plan(other, date(2025, 11, 13))
    with time_machine.travel(NOW):  # it is the 7th in Auckland
        page = cast.client().get(AT)
        assert "Next evening Thursday 13 November Winter league" in text_of(page)
        assert (
            '<time class="day" aria-hidden="true" datetime="2025-11-13"> <b>THU</b><span>13</span>'
            in (page.content.decode())
        )
    with time_machine.travel(NOW + timedelta(days=6)):
        assert "Today Thursday 13 November" in text_of(cast.client().get(AT))


def test_owner_chooses_the_first_event_and_else_the_running_league_is(evenings: Evenings) -> None:
    cast, seated = evenings.cast, list(Player.objects.all()[:4])
    finished(table(ladder(cast.riverside, name="Challenge ladder"), seated, on=date(2025, 12, 1)))
    cup = league(cast.riverside, slug="cup", name="Winter cup")
    assert leading(cast.client().get(AT)) == "Autumn league"
    save(cast, front_event="cup")
    assert leading(cast.client().get(AT)) == "Winter cup"
    archive_event(by_tests(), cup, reason="Nobody came.")
    assert leading(cast.client().get(AT)) == "Autumn league"
    assert "Club settings saved." in text_of(save(cast, fee="4 €"))  # it may stay chosen
    Event.objects.filter(slug="league").update(state="closed")
    assert leading(cast.client().get(AT)) == "Challenge ladder"


@pytest.mark.parametrize(("visibility", "readers"), [("members", "piet"), ("held", "dirk")])
def test_first_event_that_a_visitor_may_not_read_is_nowhere_on_the_page(
    evenings: Evenings, visibility: str, readers: str
) -> None:
    cast = evenings.cast
    closed = league(cast.riverside, slug="committee", name="Committee cup", visibility=visibility)
    plan(closed, date(2025, 11, 20))
    save(cast, front_event="committee")
    with time_machine.travel(NOW + timedelta(days=10)):
        for name in ("", "nora"):
            page = cast.client(name).get(AT)
            assert leading(page) == "Autumn league"
            assert "No evening is planned." in text_of(page)
            assert "committee" not in page.content.decode().lower()
            assert "Thursday 20 November" not in text_of(cast.client(name).get("/"))
        assert leading(cast.client(readers).get(AT)) == "Committee cup"
        assert "Thursday 20 November" in text_of(cast.client(readers).get("/"))


def test_first_event_has_its_cut_off_and_last_results_no_lone_game(evenings: Evenings) -> None:
    cast, event = evenings.cast, evenings.event
    change_settings(by_tests(), event, values={"boundaries": {"cut": 2}}, reason="Two play on.")
    publish(event.pk, now=NOW + timedelta(hours=1))
    page = cast.client("hanna").get(AT)
    words = text_of(page)
    assert "Qualification: first 2 places" in words
    assert "After 2 evenings, as of Thursday 13 November 2025. Ranked by Average a hand" in words
    assert "Last tables, 13 Nov 2025" in words
    assert "Report a problem" not in page.content.decode()
    Event.objects.update(kind="ladder")
    assert "Last tables" not in text_of(cast.client().get(AT))


def test_events_are_in_groups_and_ladders_show_who_leads(cast: Cast) -> None:
    club = cast.riverside
    people = players(club, "Ada", "Ben", "Cem", "Dora")
    league(club, name="Autumn league")
    rung = ladder(club, name="Challenge ladder")
    finished(table(rung, people))
    publish_all(rung)
    league(club, slug="old", name="Spring league")
    Event.objects.filter(slug="old").update(state="final")
    coming = league(club, slug="next", name="Winter league")
    Event.objects.filter(pk=coming.pk).update(state="draft")
    with time_machine.travel(NOW):
        words = text_of(cast.client().get(AT))
    groups = words[words.index("Running") :]
    assert "Autumn league League" in groups
    assert groups.index("Running") < groups.index("Coming") < groups.index("Finished")
    assert groups.index("Coming") < groups.index("Winter league") < groups.index("Finished")
    assert groups.index("Spring league") > groups.index("Finished")
    assert re.search(r"Ladders Challenge ladder 1 \w+ · 2 \w+ · 3 \w+ 4 members, 1 game", words)


def test_member_reads_the_own_place_and_at_the_evening_the_way_to_the_table(cast: Cast) -> None:
    save(cast, **TEXTS)
    people, event = players(cast.riverside, "Ada", "Ben", "Cem", "Dora"), league(cast.riverside)
    link(people[0], cast.users["piet"])
    finished(table(event, people))
    publish(event.pk, now=NOW)
    round_ = make_round(by_tests(), event, on=NOW.date())
    table(event, people, round_number=round_.number)
    tonight, way = "Tonight: round 2, find your table", f'href="{AT}/events/league/rounds/2"'
    with time_machine.travel(NOW):
        assert tonight not in text_of(cast.client().get(AT)), "the round is a draft"
        move_round(by_tests(), round_, to="posted")
        visitor, member = cast.client().get(AT), cast.client("piet").get(AT)
    assert "Place 3 of 4 in League" in text_of(member)
    assert "Place 3" not in text_of(visitor)
    for page in (visitor, member):
        assert tonight in text_of(page)
        assert way in page.content.decode()
    labels = [button.label for button in filled_buttons(member.content.decode(), AT)]
    assert labels == [tonight]
    with time_machine.travel(NOW + timedelta(days=1)):
        pages = [cast.client(name).get(AT).content.decode() for name in ("", "piet")]
    later = [[button.label for button in filled_buttons(page, AT)] for page in pages]
    assert later == [["How to join"], []]


def test_site_lists_each_club_with_when_where_and_next_evening(cast: Cast) -> None:
    save(cast, **TEXTS)
    plan(league(cast.riverside), date(2025, 11, 13))
    with time_machine.travel(NOW):
        page = cast.client().get("/")
        queries = count_queries(cast.client(), "/")
    words = text_of(page)
    assert (
        "Riverside Visitors are welcome Thursdays at 19:30, in the boathouse "
        "Next evening: Thursday 13 November 2025"
    ) in words
    assert "Hilltop No evening is planned." in words
    first = cast.client().get(AT)
    again = cast.client().get(AT, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, first["Cache-Control"]) == (304, "no-cache")
    for action in ("Read standings", "See your own place", "Run a club", "Sign in"):
        assert action in words
    assert queries == 4
    save(cast, visibility="members")
    assert "Riverside" not in text_of(cast.client().get("/"))
    assert "Riverside Visitors are welcome Members only" in text_of(cast.client("piet").get("/"))


def test_member_who_is_not_in_the_first_event_reads_one_place_of_another(cast: Cast) -> None:
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    link(people[0], cast.users["piet"])
    for slug in ("one", "two"):
        event = league(cast.riverside, slug=slug, name=f"League {slug}")
        finished(table(event, people))
        publish(event.pk, now=NOW)
    league(cast.riverside, slug="cup", name="Winter cup")
    save(cast, front_event="cup")
    with time_machine.travel(NOW):
        page = text_of(cast.client("piet").get(AT))
    assert page.count("Place 3 of 4 in League") == 1
