"""Fields for one of many people are searched by how a name begins; a few people stand in a list."""

import pytest
from django.utils import timezone

from tests.support.builders import TESTS, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.seating import pressed
from tests.support.pages.text import beside, text_of
from tests.support.scenarios.ladders import ladder
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge, LadderAbsence
from tournaments.models.meetings import SitOut
from tournaments.models.standings import LedgerLine
from tournaments.services.events.entrants import add_entrant

pytestmark = [pytest.mark.django_db]

LEAGUE, LADDER = "/clubs/riverside/events/league", "/clubs/riverside/events/ladder"
NAMES = ("John Smith", "Johanna B.", "Zoë Łukasz", "Petra Holm", "Petra Hansen", "Ida", "Li")
LINE = {"kind": "penalty", "amount": "2", "reason": "Late."}


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    """Sixteen: one more than a list holds."""
    return players(cast.riverside, *NAMES, *(f"Guest {n:02d}" for n in range(8, 17)))


def entered(cast: Cast, people: list[Player]) -> Event:
    """All compete, and the guests of them sit down in round 1."""
    event = league(cast.riverside)
    for one in people:
        add_entrant(actor=TESTS, event=event, kind="player", players=[one], now=NOW)
    table(event, people[12:])
    return event


def test_penalty_is_given_by_the_beginning_of_a_name(cast: Cast, people: list[Player]) -> None:
    entered(cast, people)
    dirk, new = cast.client("dirk"), f"{LEAGUE}/ledger/new"
    page = dirk.get(f"{LEAGUE}/ledger").content.decode()
    assert 'list="people-entrant"' in page
    assert '<option value="Zoë Łukasz (RL03)">' in page
    assert '<select name="entrant"' not in page
    dirk.post(new, {**LINE, "entrant": "zoe"})
    assert LedgerLine.objects.get().entrant.code == "RL03"
    # Several: buttons in the place of the field, and what was typed besides stays.
    asked = dirk.post(new, {**LINE, "entrant": "Petra"})
    assert asked.status_code == 422
    assert beside(asked, "entrant").startswith("“Petra” matches several players.")
    assert "Late.</textarea>" in asked.content.decode()
    hansen = pressed(asked, "pick", "Petra Hansen")
    dirk.post(new, {**LINE, "entrant": "Petra", "pick": hansen})
    assert LedgerLine.objects.last().entrant.code == "RL05"  # type: ignore[union-attr]
    assert "John Smith (RL01)" in text_of(dirk.post(new, {**LINE, "entrant": "Jon Smith"}))
    assert dirk.post(new, {**LINE, "entrant": ""}).status_code == 422
    assert LedgerLine.objects.count() == 2


def test_a_few_people_stand_in_a_list(cast: Cast, people: list[Player]) -> None:
    entered(cast, people[1:])
    page = cast.client("dirk").get(f"{LEAGUE}/ledger").content.decode()
    assert '<select name="entrant"' in page
    assert "people-entrant" not in page


def test_who_sits_out_is_searched_among_the_free(cast: Cast, people: list[Player]) -> None:
    more = players(cast.riverside, *(f"Late {n}" for n in range(5)))
    event = entered(cast, people)
    for one in more:
        add_entrant(actor=TESTS, event=event, kind="player", players=[one], now=NOW)
    dirk, page = cast.client("dirk"), f"{LEAGUE}/rounds/1/sit-outs"
    assert 'list="people-entrant"' in dirk.get(page).content.decode()
    assert dirk.post(page, {"entrant": "Guest 14", "reason": "bye"}).status_code == 422
    dirk.post(page, {"entrant": "johan", "reason": "bye"})
    assert SitOut.objects.get().entrant.code == "RL02"


def test_challenges_and_absences_are_searched(cast: Cast) -> None:
    ladder(cast, "ABCDEFGHIJKLMNOPQ", now=timezone.now())
    hanna = cast.client("hanna")
    new = f"{LADDER}/challenges/new"
    assert '<option value="3 Member C (C)">' in hanna.get(new).content.decode()
    # The list says "3 Member C": place, name and code each lead there.
    asked = hanna.post(new, {"challenger": "member e", "challenged": "member"})
    assert asked.status_code == 422
    assert "4 Member D (D)" in text_of(asked)
    chosen = pressed(asked, "pick", "4 Member D")
    hanna.post(new, {"challenger": "member e", "challenged": "member", "pick": chosen})
    sent = Challenge.objects.get()
    assert (sent.challenger.code, sent.challenged.code) == ("E", "D")
    hanna.post(f"{LADDER}/absences/new", {"player_id": "member q", "since": "2030-01-01"})
    assert LadderAbsence.objects.get().entrant.code == "Q"
