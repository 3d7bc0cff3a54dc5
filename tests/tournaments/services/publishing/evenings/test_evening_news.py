"""What is said of the result of an evening: once, to whom, and of which results."""

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from tests.support.builders import by_tests, hand, ladder, league, link, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tests.support.scenarios.challenges import answer, issue, result
from tests.support.scenarios.ladders import ladder as challenge_ladder
from tests.support.scenarios.ladders import member
from tests.support.webhooks import HOOK
from tournaments.domain.etags import digest_of
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Deadline, Outbox
from tournaments.models.ladders import Challenge
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import StoredHistory
from tournaments.models.webhooks import WebhookEvent
from tournaments.selectors.chat_text import result_text
from tournaments.selectors.events.events import event_url
from tournaments.selectors.events.meetings import is_over, meeting_on
from tournaments.selectors.notices.pending_results import list_pending_results
from tournaments.selectors.standings.evening_results import results_of
from tournaments.services.clubs.clubs import change_player
from tournaments.services.clubs.personal_links import set_contact
from tournaments.services.events.change_event import change_event
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.ladders.result_problems import dispute_result
from tournaments.services.operations import Operation
from tournaments.services.people.merge_players import merge_players
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import plan_meeting
from tournaments.services.rounds.rounds import move_round
from tournaments.services.webhooks.manage import create_webhook

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TONIGHT = date(2025, 11, 6)
FOURTH_DAY = NOW + timedelta(days=4)
SCHEME: Mapping[str, object] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ("wins",),
}


@pytest.fixture
def night(cast: Cast) -> Event:
    """A to H play; E has an account, A and H an address, and H leaves after the first round.

    A draft round is left over, with X, who has an address too.
    """
    create_webhook(by_tests(), cast.riverside, url=HOOK, kinds=["evening.closed"])
    event = league(cast.riverside, settings=SCHEME)
    people = players(cast.riverside, *"ABCDEFGHX")
    for player in (people[0], people[7], people[8]):
        set_contact(by_tests(), player, email=f"{player.name}@river.example", has_consent=True)
    User.objects.filter(username="piet").update(email="piet@river.example")
    link(people[4], cast.users["piet"])
    seats = {(1, 1): "ABCD", (1, 2): "EFGH", (2, 1): "ABEF"}
    for (number, at), names in seats.items():
        seated = [player for player in people if player.name in names]
        game = table(event, seated, round_number=number, table_number=at, on=TONIGHT)
        hand(game, 1, [0, 2, 4, 7], queen=3)
    table(event, [people[8], *people[1:4]], round_number=3, on=TONIGHT)
    Round.objects.filter(event=event, number=3).update(state="draft")
    return event


def the_meeting(event: Event) -> Meeting:
    return meeting_on(event, TONIGHT)


def draw(event: Event, now: datetime = NOW) -> int:
    """Draw the result of the evening as workers do; return its number."""
    publish(event.pk, now=now)
    make_all(event.pk)
    result = publish_result(the_meeting(event), now=now)
    assert result is not None
    return result.number


def mails() -> list[tuple[str, str]]:
    """The reader and the number of each message."""
    rows = Outbox.objects.filter(kind="digest").select_related("user", "player").order_by("pk")
    told = []
    for row in rows:
        reader = row.user.username if row.user is not None else str(row.player)
        told.append((row.key.partition(":")[2], reader))
    return sorted(told)


def webhooks() -> list[object]:
    rows = WebhookEvent.objects.filter(kind="evening.closed").order_by("number")
    return [row.data["number"] for row in rows]


def correct(event: Event, hearts: list[int], based_on: int = 1, now: datetime = NOW) -> None:
    game = Game.objects.get(event=event, table__code="r1t1")
    why = "The sheet says so."
    hand(game, 1, hearts, queen=3, based_on=based_on, reason=why, now=now)


ALL = [("", "A"), ("", "H"), ("", "piet")]


def test_first_result_is_told_once_to_all_who_sat_also_to_who_left_early(night: Event) -> None:
    assert draw(night) == 1
    assert mails() == ALL
    assert webhooks() == [1]
    assert draw(night) == 1
    assert mails() == ALL
    assert webhooks() == [1]


def test_message_has_ids_and_links_and_no_name(night: Event) -> None:
    draw(night)
    data = WebhookEvent.objects.get(kind="evening.closed").data
    site = f"{settings.SITE_URL}/clubs/riverside/events/league/meetings/2025-11-06"
    rest = site.replace("/clubs", "/api/v1/clubs")
    assert data == {
        "club": "riverside",
        "event": "league",
        "day": "2025-11-06",
        "number": 1,
        "corrects": None,
        "links": {
            "page": site,
            "text": f"{rest}/result.txt",
            "json": f"{rest}/results/1",
            "picture": f"{rest}/results/1.png",
        },
    }


def test_correction_is_told_again_and_a_new_name_is_not(night: Event) -> None:
    draw(night)
    player = Player.objects.get(club=night.club, name="B")
    change_player(by_tests(), player, name="Bertha")
    assert draw(night) == 2
    assert (mails(), webhooks()) == (ALL, [1])
    correct(night, [7, 2, 4, 0])
    assert draw(night) == 3
    assert mails() == sorted([*ALL, ("3", "A"), ("3", "H"), ("3", "piet")])
    assert webhooks() == [1, 3]
    told = WebhookEvent.objects.filter(kind="evening.closed").order_by("number")
    assert [row.data["corrects"] for row in told] == [None, 2]


def test_points_of_the_season_that_an_upgrade_adds_are_a_number_and_told_to_nobody(
    night: Event,
) -> None:
    values = {**night.settings, "primary": "evening_points"}
    Event.objects.filter(pk=night.pk).update(settings=values)
    night.refresh_from_db()
    publish(night.pk, now=NOW)
    make_all(night.pk)
    tables = StoredHistory.objects.filter(event=night, kind="evening")
    of_now = tables.get()
    body = json.loads(bytes(of_now.body))
    body["columns"] = [column for column in body["columns"] if column["key"] != "evening_points"]
    for row in body["rows"]:
        assert row.pop("evening_points")
    # 0.6.0 stored tables without the column.
    before = compact(body)
    tables.update(body=before, digest=digest_of(before))
    assert publish_result(the_meeting(night), now=NOW) == results_of(the_meeting(night)).get()
    assert (mails(), webhooks()) == (ALL, [1])

    tables.update(body=of_now.body, digest=of_now.digest)
    result = publish_result(the_meeting(night), now=NOW + timedelta(minutes=15))
    assert result is not None
    assert result.number == 2
    assert (mails(), webhooks()) == (ALL, [1])


def test_two_records_of_one_person_that_are_merged_are_no_correction(night: Event) -> None:
    draw(night)
    spare = players(night.club, "Anna A.")[0]
    merge_players(by_tests(), Player.objects.get(club=night.club, name="B"), target=spare)
    assert draw(night) == 2
    assert (mails(), webhooks()) == (ALL, [1])


def test_withdrawn_result_that_counts_again_is_told_again(night: Event) -> None:
    draw(night)
    correct(night, [7, 2, 4, 0])
    draw(night)
    correct(night, [0, 2, 4, 7], based_on=2)
    assert draw(night) == 3
    assert webhooks() == [1, 2, 3]


def test_nobody_is_told_of_an_evening_of_four_days_ago(night: Event) -> None:
    assert draw(night, now=FOURTH_DAY) == 1
    assert (mails(), webhooks()) == ([], [])


def test_evening_of_three_days_ago_is_told(night: Event) -> None:
    draw(night, now=FOURTH_DAY - timedelta(days=1))
    assert (mails(), webhooks()) == (ALL, [1])


def test_correction_on_the_fourth_day_has_a_number_and_is_told_to_nobody(night: Event) -> None:
    draw(night)
    correct(night, [7, 2, 4, 0])
    assert draw(night, now=FOURTH_DAY) == 2
    assert (mails(), webhooks()) == (ALL, [1])


def test_held_event_sends_nothing(night: Event) -> None:
    change_event(by_tests(), night, visibility="held")
    night.refresh_from_db()
    assert draw(night) == 1
    assert (mails(), webhooks()) == ([], [])


def test_killed_worker_leaves_neither_number_nor_message(night: Event) -> None:
    """Both are stored in one transaction, so another worker does both, once."""

    def end_of_worker() -> None:
        with transaction.atomic():
            draw(night)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        end_of_worker()
    assert not results_of(the_meeting(night)).exists()
    assert (mails(), webhooks()) == ([], [])
    assert draw(night) == 1
    assert (mails(), webhooks()) == (ALL, [1])


def test_evening_that_0_5_0_reported_is_not_reported_again(night: Event) -> None:
    draw(night)
    results_of(the_meeting(night)).delete()
    WebhookEvent.objects.all().delete()
    assert draw(night) == 1
    assert mails() == ALL


def test_evening_of_a_ladder_is_told_once_without_a_number(cast: Cast) -> None:
    create_webhook(by_tests(), cast.riverside, url=HOOK, kinds=["evening.closed"])
    event = ladder(cast.riverside, slug="rungs")
    people = players(cast.riverside, *"ABCD")
    set_contact(by_tests(), people[0], email="a@river.example", has_consent=True)
    game = table(event, people, on=TONIGHT)
    publish_result(the_meeting(event), now=NOW)
    assert webhooks() == [], "no hand was played"
    hand(game, 1, [0, 2, 4, 7], queen=3)
    Round.objects.filter(event=event).update(state="closed", closed_at=NOW)
    for _again in range(2):
        assert publish_result(the_meeting(event), now=NOW) is None
        assert (mails(), webhooks()) == ([("", "A")], [None])
    assert "json" not in WebhookEvent.objects.get(kind="evening.closed").data["links"]


def ladder_night(cast: Cast, clock: time_machine.Traveller) -> tuple[Event, datetime]:
    """H is ahead of E at a table of a gathering evening, and E has not confirmed it yet."""
    create_webhook(by_tests(), cast.riverside, url=HOOK, kinds=["evening.closed"])
    event = challenge_ladder(cast, now=NOW)
    played_at = NOW + timedelta(days=1)
    clock.move_to(played_at)
    plan_meeting(by_tests(), event, day=played_at.date())
    issue(cast, event, "H", "E", now=played_at)
    answer(cast, event, "E", "accepted", now=played_at)
    result(cast, event, "H", "HIE", now=played_at)
    return event, played_at


def test_evening_of_a_ladder_is_told_when_its_results_are_confirmed(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    event, played_at = ladder_night(cast, clock)
    over_at = played_at + timedelta(hours=1)
    clock.move_to(over_at)
    work_on_evenings(event, over_at)
    meeting = meeting_on(event, played_at.date())
    assert is_over(meeting)
    assert webhooks() == []
    unconfirmed = "1 result is not confirmed yet, and may still move members."
    text = result_text(event, meeting, now=over_at).replace("\n  ", " ")
    assert unconfirmed in text
    assert "Nobody moved" not in text
    page = text_of(Client().get(event_url("evening", event, meeting.date.isoformat())))
    assert unconfirmed in page
    assert "Nobody moved" not in page
    assert list_pending_results(event.club, now=over_at) == []

    confirmed_at = over_at + timedelta(hours=1)
    clock.move_to(confirmed_at)
    work_on_evenings(event, confirmed_at)
    assert webhooks() == []
    answer(cast, event, "E", "confirmed", now=confirmed_at)
    for minutes in (0, 5, 10):
        work_on_evenings(event, confirmed_at + timedelta(minutes=minutes))
    assert webhooks() == [None]
    text = result_text(event, meeting, now=confirmed_at)
    assert "Member H 8→5" in text
    assert "confirmed" not in text


def test_evening_of_a_ladder_whose_result_stays_disputed_is_told_to_nobody(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    event, played_at = ladder_night(cast, clock)
    e_disputes = Operation(member(cast, "E"), played_at)
    dispute_result(e_disputes, Challenge.objects.get(), words="I had 20.")
    for days in range(5):
        at = played_at + timedelta(days=days, hours=1)
        clock.move_to(at)
        work_on_evenings(event, at)
    assert Challenge.objects.get().state == "played"
    assert webhooks() == []
    assert not Deadline.objects.filter(event=event, kind="evening_result", done_at=None).exists()


def test_night_from_its_last_round_to_a_correction_and_a_new_name(night: Event) -> None:
    for number in (1, 2):
        round_ = Round.objects.get(event=night, number=number)
        close_tables(by_tests(), round_)
        move_round(by_tests(), round_, to="closed")
    work_on_evenings(night, NOW + timedelta(minutes=30))
    assert (mails(), webhooks()) == ([], []), "21:30"

    work_on_evenings(night, NOW + timedelta(minutes=61))
    assert (mails(), webhooks()) == (ALL, [1]), "22:01"

    corrected_at = NOW + timedelta(hours=2)
    correct(night, [7, 2, 4, 0], now=corrected_at)
    work_on_evenings(night, corrected_at)
    work_on_evenings(night, corrected_at + timedelta(minutes=14))
    assert webhooks() == [1], "23:14"
    work_on_evenings(night, corrected_at + timedelta(minutes=15))
    second = [("2", "A"), ("2", "H"), ("2", "piet")]
    assert (mails(), webhooks()) == (sorted([*ALL, *second]), [1, 2]), "23:15"

    renamed_at = NOW + timedelta(hours=3)
    player = Player.objects.get(club=night.club, name="B")
    change_player(by_tests(renamed_at), player, name="Bertha")
    work_on_evenings(night, renamed_at)
    work_on_evenings(night, renamed_at + timedelta(minutes=15))
    assert numbers(night) == [3, 2, 1]
    assert (mails(), webhooks()) == (sorted([*ALL, *second]), [1, 2])

    work_on_evenings(night, NOW + timedelta(hours=9))
    assert numbers(night) == [3, 2, 1]


def test_hand_that_comes_next_morning_is_told_if_it_changes_places_or_values(
    night: Event,
) -> None:
    for number in (1, 2):
        round_ = Round.objects.get(event=night, number=number)
        close_tables(by_tests(), round_)
        move_round(by_tests(), round_, to="closed")
    work_on_evenings(night, NOW + timedelta(hours=1))
    morning = NOW + timedelta(hours=12)
    game = Game.objects.get(event=night, table__code="r2t1")
    hand(game, 2, [1, 2, 4, 6], queen=1, now=morning)
    for wait in (0, 15):
        work_on_evenings(night, morning + timedelta(minutes=wait))
    assert webhooks() == [1, 2]


def numbers(event: Event) -> list[int]:
    return [result.number for result in results_of(the_meeting(event))]
