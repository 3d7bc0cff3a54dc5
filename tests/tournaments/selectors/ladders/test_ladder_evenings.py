"""What an evening did to a ladder, as its page, its texts, mails and its feed say it."""

from datetime import datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, publish_all
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import answer, issue, result
from tests.support.scenarios.ladders import ladder
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.selectors.chat_text import result_text
from tournaments.selectors.events.events import event_url
from tournaments.selectors.ladders import ladder_evenings as selector
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.selectors.ladders.ladder_evenings import (
    LadderEvening,
    ladder_evening,
    named_moves,
)
from tournaments.selectors.ladders.ladders import moves_with_explanation
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.services.clubs.clubs import add_player
from tournaments.services.events.events import entrant_for
from tournaments.services.ladders.challenges import answer_challenge

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def played(
    cast: Cast, event: Event, low: str, high: str, finish: str, *, number: int, now: datetime
) -> None:
    """Have a member challenge another, play and confirm: all at one moment."""
    issue(cast, event, low, high, now=now)
    answer(cast, event, high, "accepted", now=now, number=number)
    result(cast, event, low, finish, now=now, number=number)
    loser = high if finish.index(low) < finish.index(high) else low
    answer(cast, event, loser, "confirmed", now=now, number=number)


def evening_of(event: Event) -> LadderEvening:
    publish_all(event, now=NOW)
    return ladder_evening(event, Meeting.objects.get(event=event).date)


def in_short(evening: LadderEvening) -> list[str]:
    return [f"{each.player_id} {each.place_before} → {each.place_after}" for each in evening.moves]


@pytest.fixture
def night(cast: Cast, clock: time_machine.Traveller) -> Event:
    """A ladder of four that begins today: C is ahead of A, D loses to B, and E joins."""
    clock.move_to(NOW)
    event = ladder(cast, "ABCD", now=NOW, free_challenge=True)
    played(cast, event, "C", "A", "CAB", number=1, now=NOW)
    played(cast, event, "D", "B", "BDA", number=2, now=NOW)
    entrant_for(
        event=event,
        player=add_player(by_tests(NOW), cast.riverside, name="Member E", player_id="E"),
    )
    return event


def test_each_member_has_one_line_from_the_place_before_and_joins_come_last(night: Event) -> None:
    evening = evening_of(night)
    assert in_short(evening) == ["C 3 → 1", "A 1 → 2", "B 2 → 3", "D – → 4", "E – → 5"]
    assert evening.first == "Member C"


def test_challenges_of_an_evening_are_listed_also_one_that_moved_nobody(night: Event) -> None:
    assert [row.sentence for row in evening_of(night).challenges] == [
        "Member C – Member A: Member C won",
        "Member D – Member B: Member B won",
    ]


def test_who_goes_up_and_down_again_has_no_line(cast: Cast, night: Event) -> None:
    played(cast, night, "B", "A", "BAC", number=3, now=NOW)
    assert in_short(evening_of(night)) == ["C 3 → 1", "A 1 → 3", "D – → 4", "E – → 5"]


def test_challenge_that_is_confirmed_the_next_day_is_of_the_evening_it_was_played(
    cast: Cast, night: Event, clock: time_machine.Traveller
) -> None:
    issue(cast, night, "B", "C", now=NOW)
    answer(cast, night, "C", "accepted", now=NOW, number=3)
    result(cast, night, "B", "BCD", now=NOW, number=3)
    evening = evening_of(night)
    waiting = "Member B – Member C: Member B is ahead, not confirmed yet"
    assert evening.challenges[2].sentence == waiting
    assert evening.first == "Member C"
    tomorrow = NOW + timedelta(days=1)
    clock.move_to(tomorrow)
    answer(cast, night, "C", "confirmed", now=tomorrow, number=3)
    evening = evening_of(night)
    assert in_short(evening)[:3] == ["B 2 → 1", "C 3 → 2", "A 1 → 3"]
    assert evening.first == "Member B"
    assert in_short(ladder_evening(night, tomorrow.date())) == []


def test_voided_challenge_is_listed_with_its_reason_and_on_its_own_page(
    cast: Cast, night: Event
) -> None:
    answer_challenge(by_tests(NOW), challenge_at(night, 1), to="void", reason="Wrong cards")
    evening = evening_of(night)
    assert evening.challenges[0].sentence == "Member C – Member A: voided, “Wrong cards”"
    assert evening.first == "Member A"
    page = Client().get(event_url("challenge", night, 1))
    assert "Reason: “Wrong cards”" in text_of(page)


def test_page_text_and_mail_say_the_same(cast: Cast, night: Event) -> None:
    publish_all(night, now=NOW)
    meeting = Meeting.objects.get(event=night)
    page = text_of(Client().get(event_url("evening", night, meeting.date.isoformat())))
    chat = result_text(night, meeting, now=NOW)
    mail = notice_text("digest", {"meeting": meeting.pk}, cast.users["A"], now=NOW)
    assert mail is not None
    assert "You moved from place 1 to place 2 of the ladder." in mail.paragraphs
    assert "First on the ladder after this evening 1 Member C" in page
    for text in (chat, " ".join(mail.paragraphs)):
        assert "First: Member C" in text
    for text in (page, chat, " ".join(mail.paragraphs)):
        assert "Member D – Member B: Member B won" in text
    assert "Member A 1→2" in chat
    assert ("Member A", "place 1 → 2") in mail.rows


def test_own_line_of_a_mail_is_there_also_after_the_last_that_is_named(night: Event) -> None:
    moves = evening_of(night).moves
    assert [move.player_id for move in named_moves(moves, "D", 4)] == ["C", "A", "B", "D"]
    assert [move.player_id for move in named_moves(moves, "D", 3)] == ["C", "A", "B", "D"]
    assert [move.player_id for move in named_moves(moves, "D", 2)] == ["C", "A", "D"]


def test_members_that_are_not_named_are_counted_and_one_may_be_named_all_the_same(
    night: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    evening_of(night)
    day = Meeting.objects.get(event=night).date
    monkeypatch.setattr(selector, "MOST_MOVED", 4)
    evening = ladder_evening(night, day)
    assert (in_short(evening)[-1], evening.n_more) == ("D – → 4", 1)
    evening = ladder_evening(night, day, also="E")
    assert (in_short(evening)[-1], evening.n_more) == ("E – → 5", 0)


def test_evenings_cost_as_many_queries_with_four_challenges_as_with_two(
    cast: Cast, night: Event
) -> None:
    evening_of(night)
    day = Meeting.objects.get(event=night).date
    with CaptureQueriesContext(connection) as few:
        ladder_evening(night, day)
    played(cast, night, "B", "A", "BAC", number=3, now=NOW)
    played(cast, night, "D", "C", "CDB", number=4, now=NOW)
    evening_of(night)
    with CaptureQueriesContext(connection) as many:
        ladder_evening(night, day)
    assert len(many) == len(few) <= 16


def test_moves_name_the_challenge_also_where_its_game_decided_it(night: Event) -> None:
    publish_all(night, now=NOW)
    moves = [each for each in moves_with_explanation(night) if each["before"] is not None]
    assert {(each["player_id"], each["challenge"]) for each in moves} == {
        ("A", 1), ("B", 1), ("C", 1)
    }  # fmt: skip
    assert all(each["table"] == "r1t1" for each in moves)
