"""A result that one side says is wrong: who is told, who rules, and what waits meanwhile."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models import F

from tests.support.builders import by_tests
from tests.support.cast import NOW, Cast
from tests.support.scenarios.challenges import (
    LATER,
    answer,
    codes,
    issue,
    played,
    run_clock,
)
from tests.support.scenarios.ladders import member, order, totals
from tournaments.models.access import PersonalLink
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, Hand
from tournaments.models.ladders import Challenge
from tournaments.models.notices import Notice
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.hands.disputes import (
    get_dispute,
    labels_of_person,
    list_open_of_opener,
)
from tournaments.selectors.ladders.challenge_results import problems_of_results
from tournaments.selectors.ladders.challenges import ChallengeRow, challenge_at, challenge_line
from tournaments.services.clubs.personal_links import renew_personal_link
from tournaments.services.hands.disputes import MOST_OPEN, rule_on_dispute, withdraw_dispute
from tournaments.services.ladders.challenges import enter_result
from tournaments.services.ladders.result_problems import dispute_result
from tournaments.services.operations import Operation

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def dispute(cast: Cast, event: Event, who: str | Actor, words: str = "I had 10.") -> Challenge:
    actor = member(cast, who) if isinstance(who, str) else who
    return dispute_result(Operation(actor, LATER), challenge_at(event, 1), words=words)


def line_for(cast: Cast, event: Event, who: str) -> ChallengeRow:
    row = challenge_at(event, 1)
    return challenge_line(event, row, actor=member(cast, who), now=LATER, anew=True)


def notices(kind: str = "challenge_answered") -> list[tuple[str, str]]:
    rows = Notice.objects.filter(kind=kind).order_by("user__username")
    return [(row.user.username, row.facts["to"]) for row in rows.select_related("user")]


def entered_by(cast: Cast, event: Event, actor: Actor) -> Challenge:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    Notice.objects.all().delete()
    op = Operation(actor, LATER)
    return enter_result(op, challenge_at(event, 1), points=totals(*"HIE"))


def test_a_result_is_shown_with_its_points_its_table_and_what_it_changes(
    cast: Cast, event: Event
) -> None:
    played(cast, event)
    line = line_for(cast, event, "E")
    assert line.result is not None
    assert (line.result["table"], str(line.result["played_on"])) == ("r1t1", "2025-11-06")
    assert [(row["player_id"], row["points"], row["place"]) for row in line.result["players"]] == [
        ("H", 10, 1),
        ("I", 20, 2),
        ("E", 48, 3),
    ]
    assert [(row["player_id"], row["place"], row["place_after_win"]) for row in line.stake] == [
        ("H", 8, 5),
        ("E", 5, 6),
    ]
    assert line.dispute is None
    assert line.may == ("confirmed", "accepted", "dispute")


def test_either_side_says_that_it_is_wrong_and_nobody_else(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    assert codes(lambda: dispute(cast, event, "E")) == ["challenge_state"]
    answer(cast, event, "E", "accepted")
    assert codes(lambda: dispute(cast, event, "E")) == ["challenge_state"]
    enter_result(Operation(member(cast, "H"), LATER), challenge_at(event, 1), points=totals(*"HIE"))
    assert codes(lambda: dispute(cast, event, "F")) == ["challenge_stranger"]
    assert codes(lambda: dispute(cast, event, cast.actor("dirk"))) == ["challenge_stranger"]
    assert codes(lambda: dispute(cast, event, "E", " ")) == ["reason_required"]
    assert not Dispute.objects.exists()
    dispute(cast, event, "E")
    assert codes(lambda: dispute(cast, event, "E")) == ["dispute_exists"]
    dispute(cast, event, "H", "I had 9.")
    assert [(row.hand.number, row.words) for row in Dispute.objects.order_by("number")] == [
        (0, "I had 10."),
        (0, "I had 9."),
    ]
    assert line_for(cast, event, "E").dispute == 1


def test_the_other_side_and_the_directors_are_told_of_a_dispute(cast: Cast, event: Event) -> None:
    played(cast, event)
    Notice.objects.all().delete()
    dispute(cast, event, "E")
    usernames = {name for name, to in notices() if to == "disputed"}
    opponent, own = member(cast, "H").user_id, member(cast, "E").user_id
    told = set(Notice.objects.values_list("user_id", flat=True))
    assert opponent in told
    assert own not in told
    assert {"dirk", "olga"} <= usernames
    assert AuditLine.objects.filter(act="dispute_result").count() == 1


def test_a_disputed_result_waits_for_the_ruling_and_not_for_the_clock(
    cast: Cast, event: Event
) -> None:
    played(cast, event)
    dispute(cast, event, "E")
    late = LATER + timedelta(hours=60)
    run_clock(event, late)
    assert (Challenge.objects.get().state, order(event)) == ("played", "ABCDEFGHIJ")
    assert line_for(cast, event, "E").due_at is None
    op = Operation(cast.actor("dirk"), late + timedelta(minutes=1))
    rule_on_dispute(op, get_dispute(event, 1), to="rejected", ruling="The sheet is right.")
    run_clock(event, late + timedelta(minutes=9))
    assert Challenge.objects.get().state == "played"  # looked at again after ten minutes
    run_clock(event, late + timedelta(minutes=10))
    row = Challenge.objects.get()
    assert (row.state, row.confirmed_as) == ("confirmed", "clock")
    assert row.closed_at == late + timedelta(minutes=1)
    assert order(event) == "ABCDHEFGIJ"


def test_a_withdrawn_dispute_leaves_the_deadline_as_it_was(cast: Cast, event: Event) -> None:
    played(cast, event)
    dispute(cast, event, "E")
    withdraw_dispute(Operation(member(cast, "E"), LATER), get_dispute(event, 1))
    assert line_for(cast, event, "E").due_at == LATER + timedelta(hours=48)
    run_clock(event, LATER + timedelta(hours=48))
    assert Challenge.objects.get().state == "confirmed"


def test_a_disputed_result_is_confirmed_by_nobody_until_its_problem_is_closed(
    cast: Cast, event: Event
) -> None:
    played(cast, event)
    dispute(cast, event, "E")
    by_loser = codes(lambda: answer(cast, event, "E", "confirmed"))
    by_director = codes(lambda: answer(cast, event, cast.actor("dirk"), "confirmed"))
    assert (by_loser, by_director) == (["result_is_disputed"], ["result_is_disputed"])
    assert "confirmed" not in line_for(cast, event, "E").may
    withdraw_dispute(Operation(member(cast, "E"), LATER), get_dispute(event, 1))
    assert "confirmed" in line_for(cast, event, "E").may
    assert answer(cast, event, "E", "confirmed").state == "confirmed"


def test_an_upheld_problem_holds_the_result_until_its_hand_is_corrected(
    cast: Cast, event: Event
) -> None:
    played(cast, event)
    dispute(cast, event, "E")
    ruled_at = LATER + timedelta(minutes=1)
    op = Operation(cast.actor("dirk"), ruled_at)
    rule_on_dispute(op, get_dispute(event, 1), to="upheld", ruling="E had 10.")
    assert line_for(cast, event, "E").dispute == 1
    late = LATER + timedelta(hours=60)
    run_clock(event, late)
    assert Challenge.objects.get().state == "played"
    Hand.objects.filter(disputes__number=1).update(revision=F("revision") + 1)
    assert line_for(cast, event, "E").dispute is None
    run_clock(event, late + timedelta(minutes=10))
    assert Challenge.objects.get().state == "confirmed"


def test_a_person_has_ten_open_problems_in_an_event(cast: Cast, event: Event) -> None:
    played(cast, event)
    hand = Challenge.objects.get().game.hands.get()  # type: ignore[union-attr]
    label = member(cast, "E").label

    def add(number: int) -> None:
        Dispute.objects.create(
            club=event.club, event=event, hand=hand, number=number, revision=99,
            words="x", opened_label=label, opened_at=NOW,
        )  # fmt: skip

    for number in range(1, MOST_OPEN + 1):
        add(number)
    assert codes(lambda: dispute(cast, event, "E")) == ["too_many_disputes"]
    Dispute.objects.filter(number=MOST_OPEN).delete()
    dispute(cast, event, "E")


def test_account_and_personal_link_have_ten_open_problems_together(
    cast: Cast, event: Event
) -> None:
    played(cast, event)
    hand = Challenge.objects.get().game.hands.get()  # type: ignore[union-attr]
    player = Player.objects.get(player_id="E")
    link = renew_personal_link(by_tests(), player)
    link = renew_personal_link(by_tests(), player)
    labels = [f"person:{pk}" for pk in PersonalLink.objects.values_list("pk", flat=True)]
    assert len(labels) == 2, "of the renewed link, too"
    for number in range(1, MOST_OPEN + 1):
        Dispute.objects.create(
            club=event.club, event=event, hand=hand, number=number, revision=99,
            words="x", opened_label=labels[number % 2], opened_at=NOW,
        )  # fmt: skip
    assert codes(lambda: dispute(cast, event, "E")) == ["too_many_disputes"]
    Dispute.objects.filter(number=MOST_OPEN).delete()
    Dispute.objects.filter(number=1).update(opened_label=member(cast, "F").label)
    Dispute.objects.filter(number=2).update(opened_label="link:1")
    dispute(cast, event, "E")
    own = labels_of_person(event.club_id, f"person:{link.pk}")
    assert own == {*labels, member(cast, "E").label}
    assert labels_of_person(event.club_id, "link:1") == {"link:1"}
    assert labels_of_person(event.club_id, "") == frozenset()
    assert len(list_open_of_opener(event, labels[0])) == MOST_OPEN - 2


def test_what_a_director_entered_is_withdrawn_by_a_host_alone(cast: Cast, event: Event) -> None:
    entered_by(cast, event, cast.actor("dirk"))
    assert Challenge.objects.get().result_as == "director"
    assert codes(lambda: answer(cast, event, "E", "accepted")) == ["result_of_a_director"]
    assert codes(lambda: answer(cast, event, "H", "accepted")) == ["result_of_a_director"]
    assert line_for(cast, event, "E").may == ("confirmed", "dispute")
    dispute(cast, event, "E")
    row = answer(cast, event, cast.actor("dirk"), "accepted")
    assert (row.state, row.result_as) == ("accepted", "")


def test_a_result_of_an_earlier_release_is_withdrawn_by_a_side(cast: Cast, event: Event) -> None:
    entered_by(cast, event, cast.actor("dirk"))
    Challenge.objects.update(result_as="")
    assert answer(cast, event, "E", "accepted").state == "accepted"


def test_a_withdrawal_is_told_and_logged(cast: Cast, event: Event) -> None:
    entered_by(cast, event, member(cast, "H"))
    assert Challenge.objects.get().result_as == "player"
    Notice.objects.all().delete()
    answer(cast, event, "E", "accepted")
    told = set(Notice.objects.values_list("user_id", flat=True))
    assert member(cast, "H").user_id in told
    assert member(cast, "E").user_id not in told
    assert {"dirk", "olga"} <= {name for name, to in notices() if to == "withdrawn_result"}
    change = Change.objects.get(event=event, kind="void_result")
    assert (change.by, change.facts["challenge"], change.facts["table"]) == ("player", 1, "r1t1")


@pytest.mark.parametrize("hours", [(1, 2), (2, 1)])
def test_result_with_two_problems_waits_from_the_later_ruling_on(
    cast: Cast, event: Event, hours: tuple[int, int]
) -> None:
    row = played(cast, event)
    hand = Hand.objects.get(game=row.game_id)
    for number, hour in enumerate(hours, 1):
        Dispute.objects.create(
            club=event.club, event=event, hand=hand, number=number, revision=hand.revision,
            state="rejected", words="x", opened_at=NOW, ruled_at=NOW + timedelta(hours=hour),
        )  # fmt: skip
    problems = problems_of_results([row])[row.game_id or 0]
    assert (problems.open_number, problems.ruled_at) == (None, NOW + timedelta(hours=2))
    Dispute.objects.update(state="open", ruled_at=None)
    assert problems_of_results([row])[row.game_id or 0].open_number == 1


def test_name_of_who_confirms_is_kept_up_to_its_length(cast: Cast, event: Event) -> None:
    played(cast, event)
    actor = replace(member(cast, "E"), name="E" * 121)
    row = answer(cast, event, actor, "confirmed")
    assert row.confirmed_name == "E" * 120


def test_token_that_may_enter_may_enter_a_result(cast: Cast, event: Event) -> None:
    row = entered_by(cast, event, replace(member(cast, "H"), scope="enter"))
    assert row.state == "played"
