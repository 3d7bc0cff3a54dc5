"""A clock is a day off at the client, or steps back at the server; order and rights stay."""

import json
import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from config.health import READINESS
from tests.support.audit import line_digest
from tests.support.browser import PHONE
from tests.support.builders import counts, hand, league, players, table
from tests.support.cast import Cast, enter_the_cast
from tests.support.events_behind import list_events_behind
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import text_of
from tests.support.scenarios.table_links import EVENT, Linked, linked
from tests.support.walks import Walks
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Entry, Game
from tournaments.models.jobs import Dirty
from tournaments.models.standings import Publication
from tournaments.services.jobs.queue import record_failure, record_heartbeat
from tournaments.services.publishing import publications

AT = f"{EVENT}/tables/r1t1"
NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
EARLIER = NOON - timedelta(minutes=10)
WHY = "East and South were swapped."


@pytest.fixture
def game(cast: Cast) -> Game:
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    return table(league(cast.riverside), people, on=NOON.date())


def publish(game: Game) -> Publication:
    made = publications.publish(game.event_id, now=timezone.now())
    assert made is not None
    return made


def correct(client: Client, based_on: int, hearts: list[int], **headers: str) -> int:
    body = {"entry": counts(hearts, 3), "reason": WHY}
    answer = client.put(
        f"/api/v1{AT}/hands/1", json.dumps(body), content_type="application/json",
        headers={"If-Match": f'"{based_on}"', **headers},
    )  # fmt: skip
    return answer.status_code


def test_what_comes_after_the_clock_stepped_back_still_comes_after(cast: Cast, game: Game) -> None:
    with time_machine.travel(NOON, tick=False):
        hanna = cast.client("hanna")
        hand(game, 1, [4, 1, 2, 6], queen=3, actor=cast.actor("hanna"), now=timezone.now())
        first = publish(game)
    with time_machine.travel(EARLIER, tick=False):
        assert correct(hanna, 1, [4, 2, 1, 6]) == 200
        second = publish(game)
        page = text_of(cast.client("dirk").get(f"{EVENT}/rounds/1/board"))
        assert "Table 1, hand 1 revision 2 hanna over REST 11:50" in page
        assert page.index("11:50") < page.index("12:00"), "the newest comes first all the same"
        text = text_of(hanna.get(f"{AT}/hands/1"))
        assert text.index("Revision 2") < text.index("Revision 1")
        assert hanna.get(f"/api/v1{EVENT}/standings").json()["publication"]["number"] == 2
        assert "Published 5 Mar 2026, 11:50." in text_of(hanna.get(EVENT))
        listed = hanna.get(f"/api/v1{EVENT}/publications").json()["results"]
        assert [one["number"] for one in listed] == [2, 1]
        assert correct(hanna, 1, [4, 1, 2, 6]) == 412, "what was seen is a number, not a time"
    revisions = Entry.objects.order_by("revision")
    assert [(revision.revision, revision.entered_at) for revision in revisions] == [
        (1, NOON),
        (2, EARLIER),
    ]
    assert (first.number, second.number) == (1, 2)
    assert first.version < second.version
    lines = list(AuditLine.objects.filter(club=cast.riverside).order_by("number"))
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    digest = ""
    for line in lines:
        assert line.digest == line_digest(digest, line)
        digest = line.digest


def test_work_due_before_the_step_is_done_at_once(game: Game) -> None:
    with time_machine.travel(NOON, tick=False):
        hand(game, 1, [4, 1, 2, 6], queen=3, now=timezone.now())
        record_failure(Dirty.objects.get().scope, ValueError("once"), now=timezone.now())
        assert list_events_behind(timezone.now()) == ()
    with time_machine.travel(EARLIER, tick=False):
        assert [event_id for event_id, _ in list_events_behind(timezone.now())] == [game.event_id]


def test_probes_and_pages_say_no_time_below_nothing(cast: Cast, game: Game) -> None:
    with time_machine.travel(NOON, tick=False):
        record_heartbeat(name="worker", now=timezone.now())
        hand(game, 1, [4, 1, 2, 6], queen=3, now=timezone.now())
        publish(game)
        hand(game, 2, [4, 1, 2, 6], queen=3, now=timezone.now())
    with time_machine.travel(EARLIER, tick=False):
        dirk = cast.client("dirk")
        READINESS.forget()
        assert dirk.get("/readyz").json()["faults"] == []
        for path in ("", "/rounds/1/board", "/tables/r1t1", "/publications", "/direct", "/links"):
            page = text_of(dirk.get(f"{EVENT}{path}"))
            assert not re.search(r"[-−]\d+ (s|seconds?|minutes?|hours?)\b", page), path


@pytest.mark.parametrize("days", [-1, 1])
def test_clients_clock_is_never_asked(cast: Cast, game: Game, days: int) -> None:
    with time_machine.travel(NOON, tick=False):
        hanna = cast.client("hanna")
        hand(game, 1, [4, 1, 2, 6], queen=3, now=timezone.now())
        said = format_datetime(NOON + timedelta(days=days), usegmt=True)
        assert correct(hanna, 1, [4, 2, 1, 6], Date=said) == 200
    assert Entry.objects.get(revision=2).entered_at == NOON


def opens(at: Linked) -> int:
    """What a link answers to a phone that opens it now, whose own clock says another day."""
    said = format_datetime(timezone.now() - timedelta(days=1), usegmt=True)
    return Client().get(f"/t/{at.secrets.token}", headers={"Date": said}, follow=True).status_code


def test_link_ends_by_the_servers_clock_alone(cast: Cast) -> None:
    with time_machine.travel(NOON, tick=False):
        at = linked(cast)
        phone = at.holder()
        assert phone.get(f"{at.table}/hands/new").status_code == 200
        assert opens(at) == 200
    with time_machine.travel(EARLIER, tick=False):
        assert phone.get(f"{at.table}/hands/new").status_code == 200
    with time_machine.travel(NOON + timedelta(hours=24, seconds=1), tick=False):
        assert opens(at) == 404
        assert phone.get(f"{at.table}/hands/new").status_code != 200
        late = Host(phone, f"{at.table}/hands/new").send(typed([4, 1, 2, 6], queen=4))
        assert late.status_code != 302 or "/hands/" not in late["Location"]
    assert Entry.objects.filter(hand__game=at.game).count() == 1


@pytest.fixture
def dirk(db: None) -> Client:
    cast = enter_the_cast()
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    table(league(cast.riverside), people)
    return cast.client("dirk")


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hours", [-27, 27])
def test_phone_whose_clock_is_a_day_off_enters_a_hand_and_shows_the_servers_time(
    dirk: Client, walks: Walks, hours: int
) -> None:
    walk = walks(PHONE, by=dirk)
    page = walk.page
    wrong = timezone.now() + timedelta(hours=hours)
    page.clock.install(time=wrong)
    page.goto(f"{AT}/hands/new")
    for number, hearts in enumerate((4, 1, 2, 6), start=1):
        page.locator(f"[name=hearts-{number}]").fill(str(hearts))
    page.locator("[name=card-QS][value='4']").check(force=True)
    page.get_by_role("button", name="Save hand 1").click()
    expect(page.get_by_text("Hand 1 saved.")).to_be_visible()
    page.goto(f"{EVENT}/rounds/1/board")
    with page.expect_response(lambda answer: answer.status == 304):
        page.clock.run_for(3_000)
    told = page.locator("[data-contact]").inner_text()
    now = timezone.now()
    times = {f"Updated {now - timedelta(minutes=n):%H:%M}" for n in range(3)}
    assert told in times
    assert f"Updated {wrong:%H:%M}" not in times
    assert walk.wrong == []
