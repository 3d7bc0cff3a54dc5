"""Challenges through the services: who may, what moves, what is refused, what the clock does."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from tests.support.builders import finished
from tests.support.cast import NOW, Cast
from tests.support.scenarios.challenges import (
    LATER,
    answer,
    codes,
    issue,
    played,
    result,
    run_clock,
)
from tests.support.scenarios.ladders import ladder, member, order, seated
from tournaments.errors import Forbidden
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Deadline, Dirty, ladder_scope
from tournaments.models.ladders import Challenge, LadderStep
from tournaments.models.standings import Change
from tournaments.policy import Actor, OpenedTable
from tournaments.selectors.ladders.challenges import challenge_at, challenge_line
from tournaments.selectors.ladders.ladders import choices_of
from tournaments.services.events.change_event import change_settings
from tournaments.services.ladders import challenges
from tournaments.services.ladders import transaction as transaction_service
from tournaments.services.ladders.challenges import issue_challenge, postpone_challenge
from tournaments.services.ladders.log import sync_log
from tournaments.services.ladders.members import end_absence, report_absence
from tournaments.services.ladders.transaction import LadderTransaction
from tournaments.services.operations import Operation

pytestmark = pytest.mark.django_db


def test_lower_who_wins_moves_by_the_rule_of_the_ladder(cast: Cast) -> None:
    event = ladder(cast, now=NOW, rule="halfway")
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    assert order(event) == "ABCDEFGHIJ", "nothing moves before it is confirmed"
    answer(cast, event, "E", "confirmed")
    assert order(event) == "ABCDEHFGIJ"
    assert Challenge.objects.get().confirmed_as == "loser"


def test_erased_by_an_earlier_release_is_not_challenged_now(cast: Cast, event: Event) -> None:
    Player.objects.filter(player_id="C").update(erased_at=NOW)
    assert codes(lambda: issue(cast, event, "E", "C")) == ["not_on_ladder"]
    rivals = choices_of(event, Entrant.objects.get(event=event, code="E"), now=NOW, anew=True)
    assert [rival["player_id"] for rival in rivals["rivals"]] == ["D", "B"]
    sync_log(event, LATER)
    sync_log(event, LATER)
    assert order(event) == "ABDEFGHIJ"


def test_positions_are_read_when_the_result_is_confirmed(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    issue_challenge(cast.operation("dirk", LATER), event, challenger="E", challenged="D")
    answer(cast, event, cast.actor("dirk"), "declined", number=2)
    assert order(event) == "ABCEDFGHIJ"
    answer(cast, event, "E", "confirmed")
    assert order(event) == "ABCHEDFGIJ", "to where E stands now, not where E stood"


def test_challenger_who_is_above_by_then_moves_nobody(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    finished(seated(event, "HGFE", round_number=2), [0, 1, 2, 10])
    sync_log(event, LATER)
    assert order(event) == "ABCDHGFEIJ", "H won a table meanwhile"
    answer(cast, event, "E", "confirmed")
    assert order(event) == "ABCDHGFEIJ"


@pytest.mark.parametrize(
    ("to", "who", "after"), [("declined", "E", "ABCDHEFGIJ"), ("withdrawn", "H", "ABCDEFGHIJ")]
)
def test_what_an_answer_counts_as(cast: Cast, event: Event, to: str, who: str, after: str) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, who, to)
    assert order(event) == after


def test_challenge_that_cannot_be_is_refused_with_its_own_code(cast: Cast, event: Event) -> None:
    assert codes(lambda: issue(cast, event, "H", "H")) == ["challenge_self"]
    assert codes(lambda: issue(cast, event, "H", "D")) == ["challenge_beyond_reach"]
    assert codes(lambda: issue(cast, event, "E", "H")) == ["challenge_downwards"]
    assert codes(lambda: issue(cast, event, "H", "Z")) == ["unknown_entrant"]
    report_absence(Operation(member(cast, "G"), NOW), event, since=date(2025, 11, 6))
    assert codes(lambda: issue(cast, event, "H", "G")) == ["challenge_absent"]
    assert codes(lambda: issue(cast, event, "G", "F")) == ["challenge_absent"]
    end_absence(Operation(member(cast, "G"), NOW), event)
    issue(cast, event, "H", "G")
    assert codes(lambda: issue(cast, event, "H", "G")) == [
        "challenge_out_open",
        "challenge_in_open",
    ]
    assert codes(lambda: issue(cast, event, "I", "G")) == ["challenge_in_open"]
    assert codes(lambda: issue(cast, event, "H", "F")) == ["challenge_out_open"]
    answer(cast, event, "G", "declined")
    assert codes(lambda: issue(cast, event, "G", "H", LATER)) == ["challenge_rematch"]
    Entrant.objects.filter(code="B").update(state="withdrawn")
    assert codes(lambda: issue(cast, event, "C", "B")) == ["not_on_ladder"]


def test_league_and_closed_ladder_take_no_challenge(cast: Cast, event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(state="closed")
    assert codes(lambda: issue(cast, event, "H", "E")) == ["event_not_open"]
    Event.objects.filter(pk=event.pk).update(state="open", kind="league")
    assert codes(lambda: issue(cast, event, "H", "E")) == ["unknown_ladder"]


def test_answer_after_the_deadline_is_refused_before_any_job_ran(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    over = datetime(2025, 11, 10, tzinfo=UTC)
    assert Deadline.objects.get(kind="challenge").due_at == over
    assert codes(lambda: answer(cast, event, "E", "accepted", over)) == ["challenge_too_late"]
    assert codes(lambda: answer(cast, event, "H", "withdrawn", over)) == ["challenge_state"]
    run_clock(event, over + timedelta(hours=5))
    assert codes(lambda: answer(cast, event, "E", "accepted", over)) == ["challenge_too_late"]
    row = Challenge.objects.get()
    assert (row.state, row.closed_at) == ("expired", over)
    assert order(event) == "ABCDHEFGIJ"


def test_other_rules_move_the_deadlines_of_what_waits(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    change_settings(cast.operation("dirk", LATER), event, values={"ladder": {"respond_days": 1}})
    assert Deadline.objects.get(kind="challenge").due_at == datetime(2025, 11, 8, tzinfo=UTC)
    run_clock(event, datetime(2025, 11, 8, tzinfo=UTC))
    assert Challenge.objects.get().state == "expired"


def test_result_after_the_deadline_is_refused_and_ends_as_the_ladder_says(cast: Cast) -> None:
    event = ladder(cast, now=NOW, unplayed="forfeited_c")
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    over = datetime(2025, 11, 21, tzinfo=UTC)
    assert Deadline.objects.get(kind="challenge").due_at == over
    assert codes(lambda: result(cast, event, "H", "HIE", over)) == ["challenge_too_late"]
    run_clock(event, over)
    assert Challenge.objects.get().state == "forfeited_c"
    assert order(event) == "ABCDEFGHIJ"
    assert not Game.objects.filter(event=event).exists()


def test_each_may_put_the_game_off_once(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")

    def put(who: str, by: str = "") -> Challenge:
        actor = member(cast, who) if len(who) == 1 else cast.actor(who)
        return postpone_challenge(Operation(actor, LATER), challenge_at(event, 1), by=by)

    assert codes(lambda: put("H")) == ["challenge_state"]
    answer(cast, event, "E", "accepted")
    put("H")
    assert codes(lambda: put("H")) == ["challenge_postponed"]
    assert codes(lambda: put("F")) == ["challenge_stranger"]
    assert codes(lambda: put("dirk")) == ["challenge_side_needed"]
    put("dirk", "challenged")
    assert codes(lambda: put("E")) == ["challenge_postponed"]
    assert Deadline.objects.get(kind="challenge").due_at == datetime(2025, 12, 5, tzinfo=UTC)


def test_two_call_it_off_together_and_a_director_alone(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    assert answer(cast, event, "H", "cancelled").state == "accepted"
    assert codes(lambda: answer(cast, event, "H", "cancelled")) == ["challenge_cancel_asked"]
    assert codes(lambda: answer(cast, event, cast.actor("hanna"), "cancelled")) == ["forbidden"]
    assert answer(cast, event, "E", "cancelled").state == "cancelled"
    assert order(event) == "ABCDEFGHIJ"
    issue(cast, event, "H", "E", LATER)
    answer(cast, event, "E", "accepted", number=2)
    assert answer(cast, event, cast.actor("dirk"), "cancelled", number=2).state == "cancelled"
    assert not LadderStep.objects.exclude(kind="opened").exists()


def test_token_that_only_reads_is_told_of_nothing_that_it_may_do(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    own = member(cast, "E")
    assert "postpone" in challenge_line(event, challenge_at(event, 1), actor=own, now=LATER).may
    reads = replace(own, scope="read")
    assert challenge_line(event, challenge_at(event, 1), actor=reads, now=LATER).may == ()


def test_only_who_lost_or_a_host_confirms(cast: Cast, event: Event) -> None:
    played(cast, event)
    assert codes(lambda: answer(cast, event, "H", "confirmed")) == ["challenge_not_the_loser"]
    assert codes(lambda: answer(cast, event, "I", "confirmed")) == ["challenge_stranger"]
    assert codes(lambda: answer(cast, event, cast.actor("piet"), "confirmed")) == ["forbidden"]
    answer(cast, event, cast.actor("hanna"), "confirmed")
    assert Challenge.objects.get().confirmed_as == "host"
    assert codes(lambda: answer(cast, event, "E", "confirmed")) == ["challenge_state"]
    assert Dirty.objects.filter(scope=ladder_scope(event.pk), version__gte=1).exists()
    assert list(Change.objects.filter(kind="challenge").values_list("by")) == [("host",)]


MOVES = [
    ("issued", "accepted", "challenged"),
    ("issued", "declined", "challenged"),
    ("issued", "withdrawn", "challenger"),
    ("accepted", "forfeited_c", "challenger"),
    ("accepted", "forfeited_d", "challenged"),
]


PEOPLE = {
    "challenger": "H", "challenged": "E", "stranger": "F",
    "piet": "piet", "hanna": "hanna", "dirk": "dirk", "olga": "olga", "nora": "nora",
}  # fmt: skip


@pytest.mark.parametrize(("begin", "to", "side"), MOVES)
def test_each_of_the_two_moves_their_own_part_and_hosts_everything(
    cast: Cast, event: Event, begin: str, to: str, side: str
) -> None:
    issue(cast, event, "H", "E")
    if begin == "accepted":
        answer(cast, event, "E", "accepted")
    other = "challenged" if side == "challenger" else "challenger"
    expected = {
        side: [], other: ["challenge_not_yours"], "stranger": ["challenge_stranger"],
        "piet": ["forbidden"], "nora": ["forbidden"], "hanna": [], "dirk": [], "olga": [],
    }  # fmt: skip
    for name, refused in expected.items():
        who = PEOPLE[name]
        actor = member(cast, who) if len(who) == 1 else cast.actor(who)
        assert tried(cast, event, actor, to) == refused, name
    assert tried(cast, event, Actor("public"), to) == ["forbidden"]


def tried(cast: Cast, event: Event, actor: Actor, to: str) -> list[str]:
    """What is refused of a transition, which is rolled back where it is not."""
    with transaction.atomic():
        point = transaction.savepoint()
        found = codes(lambda: answer(cast, event, actor, to))
        transaction.savepoint_rollback(point)
    return found


def test_players_challenge_for_themselves_and_hosts_for_anybody(cast: Cast, event: Event) -> None:

    def send(actor: Actor, low: str = "") -> Challenge:
        return issue_challenge(Operation(actor, NOW), event, challenger=low, challenged="E")

    assert codes(lambda: send(member(cast, "H"), "G")) == ["forbidden"]
    assert codes(lambda: send(cast.actor("piet"))) == ["forbidden"]
    assert codes(lambda: send(cast.actor("nora"), "H")) == ["forbidden"]
    assert codes(lambda: send(Actor("public"), "H")) == ["forbidden"]
    assert codes(lambda: send(cast.actor("hanna"))) == ["challenger_needed"]
    assert send(cast.actor("hanna"), "H").challenger.code == "H"


def test_holder_of_the_table_link_confirms_its_result_only(cast: Cast, event: Event) -> None:
    played(cast, event)
    game = Game.objects.select_related("table").get(event=event)
    here, elsewhere = (
        Actor("link", at=OpenedTable(1, event.pk, table_id, "r1t1"))
        for table_id in (game.table_id, game.table_id + 1)
    )
    assert codes(lambda: answer(cast, event, elsewhere, "confirmed")) == ["forbidden"]
    assert codes(lambda: answer(cast, event, here, "accepted")) == ["forbidden"]
    answer(cast, event, here, "confirmed")
    assert Challenge.objects.get().confirmed_as == "link"


def test_holder_of_a_link_confirms_nothing_whose_table_changed_meanwhile(
    cast: Cast, event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is withdrawn and given anew between the first look and the lock."""
    played(cast, event)
    before = Game.objects.select_related("table").get(event=event)
    here = Actor("link", at=OpenedTable(1, event.pk, before.table_id, "r1t1"))
    begin = transaction_service.begin_transaction

    def meanwhile(*asked: Any, **more: Any) -> LadderTransaction:
        monkeypatch.setattr(challenges, "begin_transaction", begin)
        answer(cast, event, "E", "accepted")
        assert result(cast, event, "H", "EIH").game_id != before.pk
        return begin(*asked, **more)

    monkeypatch.setattr(challenges, "begin_transaction", meanwhile)
    with pytest.raises(Forbidden):
        answer(cast, event, here, "confirmed")
    assert Challenge.objects.get().state == "played"


def test_who_confirmed_a_result_stays_when_it_is_void_later(cast: Cast, event: Event) -> None:
    """Members read the name, everybody else the role."""
    played(cast, event)
    answer(cast, event, cast.actor("hanna"), "confirmed")
    row = Challenge.objects.get()
    assert (row.confirmed_as, row.confirmed_name) == ("host", "Hanna")
    challenges.answer_challenge(
        cast.operation("dirk", LATER), challenge_at(event, 1), to="void", reason="Another one."
    )
    row = Challenge.objects.get()
    assert (row.state, row.confirmed_as, row.confirmed_by) == (
        *("void", "host"),
        cast.users["hanna"],
    )
    at = "/clubs/riverside/events/ladder/challenges/1"
    for who, name in (("piet", "Hanna"), ("", "a host")):
        page = cast.client(who).get(at).content.decode()
        assert "It was confirmed on" in page
        assert f"by {name}" in page
        body = cast.client(who).get(f"/api/v1{at}").json()
        assert (body["confirmed_as"], body["confirmed_by"]) == ("host", name)
