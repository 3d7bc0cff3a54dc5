"""Who is told where they sit when a round is posted, and posted again."""

from datetime import date, timedelta

import pytest
from django.contrib.auth.models import User

from tests.support.builders import by_tests, league, link, players, table
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.jobs import Outbox
from tournaments.models.notices import Notice
from tournaments.models.rounds import Round, Sitting
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.services.clubs.personal_links import set_contact
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)


@pytest.fixture
def people(cast: Cast, event: Event) -> list[Player]:
    """The first has an account at table 1, the second an address at table 2."""
    people = players(cast.riverside, *(f"P{n} K." for n in range(1, 9)))
    link(people[0], cast.users["piet"])
    set_contact(by_tests(), people[4], email="e@home.example", has_consent=True)
    return people


@pytest.fixture
def round_(event: Event, people: list[Player], meeting_day: date) -> Round:
    first = table(event, people[:4], on=meeting_day)
    table(event, people[4:], on=meeting_day, table_number=2)
    round_ = Round.objects.get(pk=first.table.round_id)
    Round.objects.filter(pk=round_.pk).update(state="draft", posted_at=None)
    return round_


@pytest.fixture
def meeting_day() -> date:
    return date(2025, 11, 6)


def move(round_: Round, to: str, minutes: int) -> None:
    op = by_tests(NOW + timedelta(minutes=minutes))
    move_round(op, Round.objects.get(pk=round_.pk), to=to, reason="Again.")


def swap(first: Player, second: Player) -> None:
    """Let two players exchange their seats."""
    sittings = [Sitting.objects.get(player=player) for player in (first, second)]
    Sitting.objects.filter(pk__in=[row.pk for row in sittings]).delete()
    for row, player in zip(sittings, (second, first), strict=True):
        row.pk = None
        row.player = player
        row.save(force_insert=True)


def titles(person: User) -> list[str]:
    """Return the titles of the notices of an account, the oldest first."""
    found = []
    for notice in Notice.objects.filter(user=person, kind="next_table").order_by("pk"):
        text = notice_text(notice.kind, notice.facts, person)
        found.append(text.title if text is not None else "")
    return found


def mails(player: Player) -> list[dict[str, int]]:
    rows = Outbox.objects.filter(player=player, kind="next_table").order_by("pk")
    return [row.payload["facts"] for row in rows]


def test_a_round_posted_again_tells_only_who_has_another_table(
    cast: Cast, people: list[Player], round_: Round
) -> None:
    piet = cast.users["piet"]
    move(round_, "posted", 0)
    assert titles(piet) == ["Your next table: table 1, seat N"]
    assert len(mails(people[4])) == 1
    move(round_, "draft", 1)
    move(round_, "posted", 2)
    assert titles(piet) == ["Your next table: table 1, seat N"], "nothing changed"
    assert len(mails(people[4])) == 1
    move(round_, "draft", 3)
    swap(people[0], people[5])
    move(round_, "posted", 4)
    assert titles(piet)[1:] == ["Changed: table 2, seat E, not table 1"]
    assert len(mails(people[4])) == 1, "the others at a table are not told again"
    move(round_, "draft", 5)
    swap(people[0], people[5])
    move(round_, "posted", 6)
    assert titles(piet)[2:] == ["Changed: table 1, seat N, not table 2"]


def test_a_notice_speaks_of_the_past_once_the_round_is_closed(cast: Cast, round_: Round) -> None:
    move(round_, "posted", 1)
    Round.objects.filter(pk=round_.pk).update(state="closed")
    assert titles(cast.users["piet"]) == ["You sat at table 1, seat N"]


def test_a_mail_names_the_table_that_was_told_before(people: list[Player], round_: Round) -> None:
    move(round_, "posted", 0)
    move(round_, "draft", 1)
    swap(people[0], people[4])
    move(round_, "posted", 2)
    first, second = mails(people[4])
    assert "was" not in first
    assert second["was"] == 2


def test_a_message_of_0_5_0_is_followed_by_one_without_the_table_before(
    cast: Cast, people: list[Player], round_: Round
) -> None:
    move(round_, "posted", 0)
    notice = Notice.objects.get(user=cast.users["piet"], kind="next_table")
    Notice.objects.filter(pk=notice.pk).update(key=notice.key.rpartition(":")[0])
    move(round_, "draft", 1)
    move(round_, "posted", 2)
    assert titles(cast.users["piet"]) == ["Your next table: table 1, seat N"] * 2
