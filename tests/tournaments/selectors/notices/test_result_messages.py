"""The message to a player after an evening: the evening first, then the season."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import F

from tests.support.builders import (
    hand,
    ladder,
    league,
    link,
    penalize,
    players,
    publish_all,
    table,
)
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.scenarios.challenges import answer, issue, result
from tests.support.scenarios.ladders import ladder as challenge_ladder
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import EVENING_RESULT, Dirty, Outbox, history_scope, playoffs_scope
from tournaments.models.notices import Notice
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import StoredHistory
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.notices.notice_messages import NoticeText
from tournaments.selectors.notices.notice_text import notice_text
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.services.publishing.evening_results import publish_result
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db

FIRST = date(2025, 11, 6)
SECOND = FIRST + timedelta(weeks=1)
LATER = NOW + timedelta(weeks=1)
SCHEME: Mapping[str, object] = {
    "primary": "placement_points",
    "placement": {"4": [5, 3, 2, 1]},
    "tie_breaks": ("wins",),
}


@pytest.fixture
def event(cast: Cast) -> Event:
    """Two evenings of four: Elsa wins the first, Anton the second, and Elsa leads the season.

    Piet is Anton, and Hanna is Leo.
    """
    event = league(cast.riverside, settings=SCHEME, name="Autumn league")
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    link(people[3], cast.users["piet"])
    link(people[2], cast.users["hanna"])
    sheets = ((FIRST, [0, 1, 5, 7], 3), (FIRST, [1, 0, 5, 7], 3), (SECOND, [2, 5, 6, 0], 2))
    for number, (day, hearts, queen) in enumerate(sheets, start=1):
        hand(table(event, people, round_number=number, on=day), 1, hearts, queen=queen)
    Round.objects.filter(event=event).update(state="closed", closed_at=LATER)
    return event


def settle(event: Event) -> None:
    """Publish the event and make its history, so that nothing is left to do."""
    publish(event.pk, now=LATER)
    make_all(event.pk)
    done = Dirty.objects.filter(scope__in=[history_scope(event.pk), playoffs_scope(event.pk)])
    done.update(done=F("version"))


def draw(event: Event) -> int:
    settle(event)
    Meeting.objects.filter(event=event).update(ended_at=LATER)
    result = publish_result(meeting_on(event, SECOND), now=LATER)
    assert result is not None
    return result.number


def text_for(cast: Cast, name: str, event: Event, number: int = 0) -> NoticeText | None:
    facts: dict[str, object] = {"meeting": meeting_on(event, SECOND).pk}
    if number:
        facts["number"] = number
    return notice_text("digest", facts, cast.users[name], now=LATER)


def of(text: NoticeText | None) -> NoticeText:
    assert text is not None
    return text


def was_told(cast: Cast, name: str, event: Event, number: int = 1) -> None:
    """Note that a mail about a result left, as the sender does."""
    key = str(meeting_on(event, SECOND).pk)
    if number > 1:
        key = f"{key}:{number}"
    mail = Outbox(club=event.club, user=cast.users[name], kind="digest", key=key)
    mail.payload = {}
    mail.created_at = mail.due_at = mail.sent_at = LATER
    mail.save()


def test_message_says_the_evening_first_and_then_the_season(cast: Cast, event: Event) -> None:
    text = of(text_for(cast, "hanna", event, draw(event)))
    assert text.title == "Autumn league: your results of Thursday 13 November 2025"
    assert text.headline == "You finished the evening at place 4 of 4."
    assert text.paragraphs == (
        "Reason: 1 place point behind Zoë K.",
        "Anton S. won the evening.",
        "You are at place 4 of 4 in the season.",
        "Reason: 2 place points behind Anton S.",
    )
    assert text.rows == (
        ("Round 3, table 1", "place 4, 19 points"),
        ("Place points of the evening", "1"),
        ("Points of the evening", "19"),
        ("Evening, place 1", "Anton S., 5"),
        ("Evening, place 2", "Elsa D., 3"),
        ("Evening, place 3", "Zoë K., 2"),
        ("Place points of the season", "5"),
        ("Points of the season", "29"),
        ("Season, place 1", "Elsa D., 11"),
        ("Season, place 2", "Zoë K., 10"),
        ("Season, place 3", "Anton S., 7"),
        ("Season, place 4", "Leo K., 5"),
    )
    assert (text.link, text.path) == (
        "Open evening",
        "/clubs/riverside/events/league/meetings/2025-11-13",
    )


def test_winner_is_addressed_and_may_be_behind_in_the_season(cast: Cast, event: Event) -> None:
    text = of(text_for(cast, "piet", event, draw(event)))
    assert text.headline == "You finished the evening at place 1 of 4."
    assert "You won the evening." in text.paragraphs
    assert "You are at place 3 of 4 in the season." in text.paragraphs


def test_several_who_share_the_first_place_are_all_named(cast: Cast, event: Event) -> None:
    game = Game.objects.get(event=event, table__round__number=3)
    hand(game, 1, [2, 9, 2, 0], queen=3, based_on=1, reason="The sheet says so.")
    text = of(text_for(cast, "hanna", event, draw(event)))
    assert text.headline == "You share place 1 of 4 of the evening."
    assert "won the evening" not in " ".join(text.paragraphs)
    assert "You share the first place with Elsa D." in text.paragraphs
    assert ("Evening, place 1=", "Elsa D., 4") in text.rows


def test_season_that_is_the_evening_is_not_said_twice(cast: Cast) -> None:
    event = league(cast.riverside, settings=SCHEME)
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    link(people[2], cast.users["hanna"])
    hand(table(event, people, on=SECOND), 1, [2, 5, 6, 0], queen=2)
    draw(event)
    text = of(text_for(cast, "hanna", event))
    assert text.headline == "You finished the evening at place 4 of 4."
    assert "season" not in str(text).lower()


def correct(event: Event) -> None:
    """Elsa wins the second evening."""
    game = Game.objects.get(event=event, table__round__number=3)
    hand(game, 1, [0, 5, 6, 2], queen=2, based_on=1, reason="The sheet says so.")


def test_correction_says_who_won_and_who_was_announced(cast: Cast, event: Event) -> None:
    draw(event)
    was_told(cast, "hanna", event)
    correct(event)
    text = of(text_for(cast, "hanna", event, draw(event)))
    assert text.title == "Autumn league: the result of Thursday 13 November 2025 was corrected"
    assert text.headline == "Corrected: Elsa D. won the evening; announced was Anton S."
    assert text.paragraphs == (
        "You finished the evening at place 4 of 4.",
        "That is the place that was announced.",
        "Reason for the correction: “The sheet says so.”",
        "Reason: 1 place point behind Zoë K.",
        "You share place 3 of 4 in the season.",
        "Reason: 5 place points behind Zoë K.",
    )


def test_correction_says_the_place_and_the_value_that_the_reader_was_told(
    cast: Cast, event: Event
) -> None:
    draw(event)
    was_told(cast, "piet", event)
    correct(event)
    text = of(text_for(cast, "piet", event, draw(event)))
    assert text.headline == "Corrected: Elsa D. won the evening; announced was Anton S."
    assert text.paragraphs[:2] == (
        "You finished the evening at place 2 of 4.",
        "Announced was place 1 of 4.",
    )
    assert ("Place points of the evening", "3, announced was 5") in text.rows


def test_penalty_of_the_evening_is_told_and_one_of_the_season_or_another_is_not(
    cast: Cast, event: Event
) -> None:
    penalize(event, "RL04", "3", "Came late.", meeting=SECOND)
    penalize(event, "RL04", "1", "Of the season.")
    penalize(event, "RL04", "1", "Of the first.", meeting=FIRST)
    draw(event)
    text = of(text_for(cast, "piet", event))
    assert text.headline == "You finished the evening at place 2 of 4."
    told = [line for line in text.paragraphs if "penalty" in line]
    assert told == ["Your penalty for this evening, −3: Came late."]


def test_penalty_that_corrects_a_result_is_said_with_its_reason(cast: Cast, event: Event) -> None:
    draw(event)
    was_told(cast, "piet", event)
    penalize(event, "RL04", "3", "Came late.", meeting=SECOND)
    text = of(text_for(cast, "piet", event, draw(event)))
    assert text.headline == "Corrected: Elsa D. won the evening; announced was Anton S."
    assert text.paragraphs[:4] == (
        "You finished the evening at place 2 of 4.",
        "Announced was place 1 of 4.",
        "Reason for the correction: “Came late.”",
        "Reason: 1 place point behind Elsa D.",
    )


def test_reason_of_an_earlier_correction_or_of_another_evening_is_not_the_reason(
    cast: Cast, event: Event
) -> None:
    correct(event)
    draw(event)
    was_told(cast, "piet", event)
    game = Game.objects.get(event=event, table__round__number=1)
    hand(game, 1, [1, 0, 5, 7], queen=3, based_on=1, reason="Another evening.")
    game = Game.objects.get(event=event, table__round__number=3)
    hand(game, 1, [2, 5, 6, 0], queen=2, based_on=2, reason="It was right.")
    text = of(text_for(cast, "piet", event, draw(event)))
    reasons = [line for line in text.paragraphs if line.startswith("Reason for")]
    assert reasons == ["Reason for the correction: “It was right.”"]


def ask_again(event: Event, at: datetime) -> None:
    """Set the next result, as the history job does that makes another table of the evening."""
    meeting = meeting_on(event, SECOND)
    set_deadline(event, EVENING_RESULT, at, key=str(meeting.pk))


def test_text_during_a_correction_is_of_the_result_alone_and_says_so(
    cast: Cast, event: Event
) -> None:
    draw(event)
    correct(event)
    waiting = "Result 1 is being corrected: another may follow."
    assert waiting in of(text_for(cast, "hanna", event)).paragraphs, "its table is not made yet"
    publish(event.pk, now=LATER)
    make_all(event.pk)
    ask_again(event, LATER + timedelta(minutes=15))
    text = of(text_for(cast, "hanna", event))
    assert text.headline == "You finished the evening at place 4 of 4."
    assert text.paragraphs == (
        "Reason: 1 place point behind Zoë K.",
        "Anton S. won the evening.",
        "Result 1 is being corrected: another may follow at 21:15.",
    )
    assert text.rows == (
        ("Place points of the evening", "1"),
        ("Points of the evening", "19"),
        ("Evening, place 1", "Anton S., 5"),
        ("Evening, place 2", "Elsa D., 3"),
        ("Evening, place 3", "Zoë K., 2"),
    )


def test_hand_of_another_evening_is_no_correction_of_this_one(cast: Cast, event: Event) -> None:
    draw(event)
    people = list(Player.objects.order_by("player_id"))
    hand(table(event, people, round_number=4, on=SECOND + timedelta(days=7)), 1, [0, 5, 6, 2], 2)
    settle(event)
    game = Game.objects.get(event=event, table__round__number=4)
    hand(game, 2, [0, 5, 6, 2], queen=2)
    assert "being corrected" not in str(text_for(cast, "hanna", event))
    correct(event)
    assert "being corrected" in str(text_for(cast, "hanna", event))


def test_evening_that_is_on_again_has_its_tables_and_no_result(cast: Cast, event: Event) -> None:
    draw(event)
    was_told(cast, "hanna", event)
    people = list(Player.objects.order_by("player_id"))
    hand(table(event, people, round_number=4, on=SECOND), 1, [6, 5, 0, 2], queen=0)
    publish(event.pk, now=LATER)
    make_all(event.pk)
    text = of(text_for(cast, "hanna", event))
    assert text.title.endswith("so far")
    assert text.headline == "You finished the evening at place 2 of 4."
    assert ("Round 4, table 1", "place 1, 0 points") in text.rows


def test_who_was_told_of_no_result_reads_the_new_one_as_the_first(cast: Cast, event: Event) -> None:
    User.objects.filter(username="hanna").update(email="hanna@river.example")
    draw(event)
    assert Outbox.objects.filter(user=cast.users["hanna"], sent_at=None).count() == 1
    was_told(cast, "piet", event)
    correct(event)
    text = of(text_for(cast, "hanna", event, draw(event)))
    assert text.title == "Autumn league: your results of Thursday 13 November 2025"
    assert "Corrected" not in str(text)


def test_correction_is_of_the_last_result_that_the_reader_was_told(
    cast: Cast, event: Event
) -> None:
    draw(event)
    correct(event)
    draw(event)
    was_told(cast, "hanna", event)
    game = Game.objects.get(event=event, table__round__number=3)
    hand(game, 1, [0, 5, 2, 6], queen=3, based_on=2, reason="The sheet says so.")
    number = draw(event)
    was_told(cast, "hanna", event, 2)
    text = of(text_for(cast, "hanna", event, number))
    assert text.headline == "Corrected: places or values changed. First is Elsa D., as announced."


def test_mail_that_waited_until_another_result_says_nothing(cast: Cast, event: Event) -> None:
    first = draw(event)
    correct(event)
    second = draw(event)
    assert text_for(cast, "hanna", event, first) is None
    assert text_for(cast, "hanna", event, second) is not None


def test_result_that_is_again_as_announced_says_nothing(cast: Cast, event: Event) -> None:
    draw(event)
    was_told(cast, "hanna", event)
    correct(event)
    draw(event)
    game = Game.objects.get(event=event, table__round__number=3)
    hand(game, 1, [2, 5, 6, 0], queen=2, based_on=2, reason="It was right.")
    assert text_for(cast, "hanna", event, draw(event)) is None


def test_notice_stays_in_the_list_and_says_the_newest_result(cast: Cast, event: Event) -> None:
    draw(event)
    meeting = meeting_on(event, SECOND)
    key = str(meeting.pk)
    facts = {"meeting": meeting.pk, "number": 1}
    hanna = cast.users["hanna"]
    Notice.objects.create(
        club=event.club, user=hanna, kind="digest", key=key, facts=facts, created_at=LATER
    )
    first = of(notice_text("digest", facts, hanna))
    assert "Anton S. won the evening." in first.paragraphs
    correct(event)
    number = draw(event)
    first = of(notice_text("digest", facts, hanna))
    assert "Elsa D. won the evening." in first.paragraphs
    assert not first.title.endswith("was corrected")
    facts["number"] = number
    second = of(notice_text("digest", facts, hanna))
    assert second.title.endswith("was corrected")


def test_mail_that_0_5_0_wrote_has_the_table_of_the_evening(cast: Cast, event: Event) -> None:
    publish(event.pk, now=LATER)
    make_all(event.pk)
    text = of(text_for(cast, "hanna", event))
    assert text.headline == "You finished the evening at place 4 of 4."
    StoredHistory.objects.filter(event=event, kind="evening").delete()
    text = of(text_for(cast, "hanna", event))
    assert text.headline == ""
    assert "You are at place 4 of 4 in the season." in text.paragraphs


def test_evening_that_goes_on_has_results_so_far(cast: Cast, event: Event) -> None:
    Round.objects.filter(event=event, number=3).update(state="playing", closed_at=None)
    publish(event.pk, now=LATER)
    make_all(event.pk)
    text = of(text_for(cast, "hanna", event))
    assert text.title == "Autumn league: your results of Thursday 13 November 2025 so far"


def test_evening_of_a_cup_has_its_place_after_the_evening_and_no_season(cast: Cast) -> None:
    event = league(cast.riverside, slug="cup", settings=SCHEME)
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    link(people[2], cast.users["hanna"])
    hand(table(event, people, on=SECOND), 1, [2, 5, 6, 0], queen=2)
    event.stages.update(kind="knockout")
    draw(event)
    text = of(text_for(cast, "hanna", event))
    assert text.headline == "You are at place 4 of 4 so far."
    Round.objects.filter(event=event).update(state="closed", closed_at=NOW)
    Meeting.objects.filter(event=event).update(ended_at=LATER)
    text = of(text_for(cast, "hanna", event))
    assert text.headline == "You are at place 4 of 4 after the evening."
    assert "season" not in str(text).lower()
    assert "won" not in str(text)


def test_ladder_has_its_moves_and_no_place_points(cast: Cast) -> None:
    event = ladder(cast.riverside, slug="rungs", name="Rungs")
    people = players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")
    link(people[3], cast.users["piet"])
    link(people[2], cast.users["hanna"])
    hand(table(event, people, on=SECOND), 1, [2, 5, 6, 0], queen=2)
    publish(event.pk, now=LATER)
    publish_ladder(event.pk, now=LATER)
    make_all(event.pk)
    text = of(text_for(cast, "piet", event))
    assert text.headline == "You are new on the ladder, at place 4."
    assert text.title == "Rungs: your results of Thursday 13 November 2025 so far"
    assert text.rows[1:] == (
        ("Elsa D.", "place – → 1"),
        ("Zoë K.", "place – → 2"),
        ("Leo K.", "place – → 3"),
        ("Anton S.", "place – → 4"),
    )
    assert (text.link, text.path) == (
        "Open evening", "/clubs/riverside/events/rungs/meetings/2025-11-13"
    )  # fmt: skip


def test_ladder_says_the_move_of_the_reader(cast: Cast) -> None:
    event = challenge_ladder(cast, now=NOW)
    day_after = NOW + timedelta(days=1)
    issue(cast, event, "H", "E", now=day_after)
    answer(cast, event, "E", "accepted", now=day_after)
    result(cast, event, "H", "HIE", now=day_after)
    answer(cast, event, "E", "confirmed", now=day_after)
    publish_all(event, now=LATER)
    meeting = Meeting.objects.get(event=event)
    said = []
    for name in "HEI":
        text = of(notice_text("digest", {"meeting": meeting.pk}, cast.users[name], now=LATER))
        said.append((text.headline, *text.paragraphs))
    ended = ("First: Member A", "Member H – Member E: Member H won")
    assert said == [
        ("You won against Member E.", "You moved from place 8 to place 5 of the ladder.", *ended),
        (
            "Member H finished ahead of you.",
            "You moved from place 5 to place 6 of the ladder.",
            *ended,
        ),
        ("Your place on the ladder is the same as before.", *ended),
    ]
