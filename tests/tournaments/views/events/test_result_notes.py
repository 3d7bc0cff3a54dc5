"""Notes about values on the pages of a member, of a personal link, and of directors."""

import re

import pytest

from tests.support.builders import bring, finished, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.standings import ResultNote
from tournaments.policy import command
from tournaments.selectors.access.personal_links import personal_path
from tournaments.services.clubs.personal_links import make_personal_links
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db

EVENT = "/clubs/riverside/events/league"


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside, settings={"primary": "raw_total"})
    people = players(event.club, "Ada Alder", "Ben Birch", "Cleo Cedar", "Dan Dogwood")
    finished(table(event, people))
    link(people[0], cast.users["piet"])
    bring(event, people[1].player_id, "12")
    publish(event.pk, now=NOW)
    return event


def test_member_sends_a_note_and_reads_the_answer(cast: Cast, event: Event) -> None:
    ada = Player.objects.get(club=event.club, name="Ada Alder")
    page, note = f"{EVENT}/players/{ada.player_id}", f"{EVENT}/result-notes/new"
    piet, dirk = cast.client("piet"), cast.client("dirk")
    assert f'href="{note}"' in piet.get(page).content.decode()
    for other in (dirk, cast.client()):
        assert f'href="{note}"' not in other.get(page).content.decode()
    refused = piet.post(note, {"about": "table:r1t1", "words": ""})
    assert refused.status_code == 422
    assert "Describe the problem in one sentence." in text_of(refused)
    typed = {"about": "table:r1t1", "words": "I had 3 at this table."}
    text = text_of(piet.post(note, typed, follow=True))
    assert "Your note was sent to the directors." in text
    assert "Table r1t1 : “I had 3 at this table.” Not answered yet" in text
    assert "I had 3" not in text_of(cast.client().get(page))
    waiting = text_of(dirk.get("/clubs/riverside/manage"))
    assert "Ada Alder writes that a value is wrong" in waiting
    answer = f"{EVENT}/result-notes/1/answer"
    assert "I had 3 at this table." in text_of(dirk.get(answer))
    answered = text_of(dirk.post(answer, {"answer": "It is 3 now."}, follow=True))
    assert "Note answered. Ada Alder reads the answer." in answered
    assert "Answer: “It is 3 now.”" in text_of(piet.get(page))
    assert "Answer: “It is 3 now.”" in text_of(piet.get("/me"))


def test_holder_of_a_personal_link_sends_a_note_and_reads_the_answer(
    cast: Cast, event: Event
) -> None:
    ben = Player.objects.get(club=event.club, name="Ben Birch")
    links = make_personal_links(Operation(command("tests"), NOW), cast.riverside)
    mine = next(each for each in links if each.player_id == ben.pk)
    own, public = personal_path(mine), cast.client()
    page = f"{own}/events/league"
    assert f'href="{page}"' in public.get(own).content.decode()
    read = text_of(public.get(page))
    assert "From before" in read
    assert "In the standings" in read
    day = re.search(r"From before (\d+ \w+ \d{4})", read)
    assert day is not None
    assert f"Value 1 from before, {day[1]}" in read
    typed = {"about": "value:1", "words": "It was 15."}
    text = text_of(public.post(page, typed, follow=True))
    assert "Value 1 from before : “It was 15.” Not answered yet" in text
    typed = {"answer": "It is 15 now.", "all_of_person": "on"}
    cast.client("dirk").post(f"{EVENT}/result-notes/1/answer", typed)
    assert ResultNote.objects.get().state == "answered"
    for path in (own, page):
        assert "Answer: “It is 15 now.”" in text_of(public.get(path))


def test_values_of_an_event_of_others_are_not_on_the_page_of_a_link(
    cast: Cast, event: Event
) -> None:
    league(cast.hilltop, slug="hill")
    ben = Player.objects.get(club=event.club, name="Ben Birch")
    links = make_personal_links(Operation(command("tests"), NOW), cast.riverside)
    mine = next(each for each in links if each.player_id == ben.pk)
    league(cast.riverside, slug="other")
    for slug in ("hill", "other"):
        assert cast.client().get(f"{personal_path(mine)}/events/{slug}").status_code == 404
