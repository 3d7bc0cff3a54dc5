"""Challenges through the services: who may, what is refused, what moves, what the clock does."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from scoring.errors import Refused
from scoring.ladders.replay import replay
from tests.builders import TESTS, hand, table
from tests.cast import NOW, Cast, enter_the_cast
from tests.ladders import ladder, member, order, totals
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.models.audit import AuditLine
from tournaments.models.changes import Change
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game
from tournaments.models.ladders import Challenge, LadderStep
from tournaments.models.outbox import Deadline, Dirty, ladder_scope
from tournaments.models.standings import Contribution
from tournaments.policy import Actor, OpenedTable
from tournaments.publishing.ladders import publish_ladder
from tournaments.selectors.challenges import challenge_at
from tournaments.services.absences import end_absence, tell_absence
from tournaments.services.challenge_answers import answer_challenge, postpone_challenge
from tournaments.services.challenge_lines import challenge_line
from tournaments.services.challenge_results import give_result
from tournaments.services.challenges import issue_challenge
from tournaments.services.clocks import meet_deadline
from tournaments.services.dirty import mark_due
from tournaments.services.event_settings import ladder_rules_of
from tournaments.services.games import move_game
from tournaments.services.ladder_follow import follow
from tournaments.services.ladder_log import events_of

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def cast(db: None) -> Cast:
    return enter_the_cast()


@pytest.fixture
def event(cast: Cast) -> Event:
    return ladder(cast, now=NOW)


def issue(cast: Cast, event: Event, low: str, high: str, now: datetime = NOW) -> Challenge:
    return issue_challenge(actor=member(cast, low), event=event, challenged=high, now=now)


def answer(
    cast: Cast, event: Event, who: str | Actor, to: str, now: datetime = LATER, number: int = 1
) -> Challenge:
    actor = member(cast, who) if isinstance(who, str) else who
    return answer_challenge(actor=actor, event=event, number=number, to=to, now=now)


def result(
    cast: Cast, event: Event, who: str, finish: str, now: datetime = LATER, number: int = 1
) -> Challenge:
    return give_result(
        actor=member(cast, who), event=event, number=number, points=totals(*finish), now=now
    )


def run_clock(event: Event, now: datetime) -> int:
    """Run every deadline of the event that is due, as the pump does; returns how many did."""
    due = Deadline.objects.filter(event=event, done_at=None, due_at__lte=now)
    return sum(
        meet_deadline(pk, now=now)
        for pk in due.order_by("due_at", "pk").values_list("pk", flat=True)
    )


def codes(act: Callable[[], Any]) -> list[str]:
    """The codes of what is refused; nothing is written then."""
    before = [AuditLine.objects.count(), *Challenge.objects.order_by("pk").values_list("state")]
    try:
        act()
    except Refused as refused:
        found = [problem.code for problem in refused.problems]
    except (Conflict, Forbidden, Missing) as refused:
        found = [refused.problem.code]
    else:
        return []
    after = [AuditLine.objects.count(), *Challenge.objects.order_by("pk").values_list("state")]
    assert after == before
    return found


# --- section 4.1 -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "after"),
    [
        ("take_place", "ABCDHEFGIJ"),
        ("swap", "ABCDHFGEIJ"),
        ("halfway", "ABCDEHFGIJ"),
        ("one_up", "ABCDEFHGIJ"),
    ],
)
def test_lower_who_wins_moves_by_the_rule_of_the_ladder(cast: Cast, rule: str, after: str) -> None:
    event = ladder(cast, now=NOW, rule=rule)
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    assert order(event) == "ABCDEFGHIJ", "nothing moves before it is confirmed"
    answer(cast, event, "E", "confirmed")
    assert order(event) == after
    assert Challenge.objects.get().confirmed_as == "loser"


def test_higher_who_wins_moves_nobody(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "E", "EIH")
    answer(cast, event, "H", "confirmed")
    assert order(event) == "ABCDEFGHIJ"


def test_level_at_the_table_is_not_enough(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    give_result(
        actor=member(cast, "E"), event=event, number=1, now=LATER,
        points={"H": 10, "E": 10, "I": 30},
    )  # fmt: skip
    answer(cast, event, "H", "confirmed")
    assert order(event) == "ABCDEFGHIJ"


def test_positions_are_read_when_the_result_is_confirmed(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    issue_challenge(
        actor=cast.actor("dirk"), event=event, challenger="E", challenged="D", now=LATER
    )
    answer(cast, event, cast.actor("dirk"), "declined", number=2)
    assert order(event) == "ABCEDFGHIJ"
    answer(cast, event, "E", "confirmed")
    assert order(event) == "ABCHEDFGIJ", "to where E stands now, not where E stood"


def test_challenger_who_is_above_by_then_moves_nobody(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    result(cast, event, "H", "HIE")
    people = list(Player.objects.filter(player_id__in="EFGH").order_by("-player_id"))
    game = table(event, people, round_number=2)
    hand(game, 1, [0, 1, 2, 10], queen=3)
    move_game(actor=TESTS, game=game, to="complete", now=LATER)
    follow(event, LATER)
    assert order(event) == "ABCDHGFEIJ", "H won a table meanwhile"
    answer(cast, event, "E", "confirmed")
    assert order(event) == "ABCDHGFEIJ"


@pytest.mark.parametrize(
    ("to", "who", "after"),
    [("declined", "E", "ABCDHEFGIJ"), ("withdrawn", "H", "ABCDEFGHIJ")],
)
def test_what_an_answer_counts_as(cast: Cast, event: Event, to: str, who: str, after: str) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, who, to)
    assert order(event) == after


@pytest.mark.parametrize(
    ("to", "who", "after"),
    [("forfeited_d", "E", "ABCDHEFGIJ"), ("forfeited_c", "H", "ABCDEFGHIJ")],
)
def test_giving_up_counts_for_the_challenger_only(
    cast: Cast, event: Event, to: str, who: str, after: str
) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    answer(cast, event, who, to)
    assert order(event) == after


def test_first_refusal_is_forgiven_where_the_ladder_says_so(cast: Cast) -> None:
    event = ladder(cast, now=NOW, forgive_first_refusal=True)
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "declined")
    assert order(event) == "ABCDEFGHIJ"
    issue(cast, event, "G", "E", LATER)
    answer(cast, event, "E", "declined", number=2)
    assert order(event) == "ABCDGEFHIJ"


# --- refusals --------------------------------------------------------------------------------


def test_challenge_that_cannot_be_is_refused_with_its_own_code(cast: Cast, event: Event) -> None:
    assert codes(lambda: issue(cast, event, "H", "H")) == ["challenge_self"]
    assert codes(lambda: issue(cast, event, "H", "D")) == ["challenge_beyond_reach"]
    assert codes(lambda: issue(cast, event, "E", "H")) == ["challenge_downwards"]
    assert codes(lambda: issue(cast, event, "H", "Z")) == ["unknown_entrant"]
    tell_absence(actor=member(cast, "G"), event=event, since=date(2025, 11, 6), now=NOW)
    assert codes(lambda: issue(cast, event, "H", "G")) == ["challenge_absent"]
    assert codes(lambda: issue(cast, event, "G", "F")) == ["challenge_absent"]
    end_absence(actor=member(cast, "G"), event=event, now=NOW)
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
    assert codes(lambda: issue(cast, event, "C", "B")) == ["challenge_inactive"]


def test_league_and_closed_ladder_take_no_challenge(cast: Cast, event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(state="closed")
    assert codes(lambda: issue(cast, event, "H", "E")) == ["event_not_open"]
    Event.objects.filter(pk=event.pk).update(state="open", kind="league")
    assert codes(lambda: issue(cast, event, "H", "E")) == ["unknown_ladder"]


def test_answer_after_the_deadline_is_refused_though_no_job_has_run(
    cast: Cast, event: Event
) -> None:
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
        return postpone_challenge(actor=actor, event=event, number=1, now=LATER, by=by)

    assert codes(lambda: put("H")) == ["challenge_state"]
    answer(cast, event, "E", "accepted")
    put("H")
    assert codes(lambda: put("H")) == ["challenge_postponed"]
    assert codes(lambda: put("F")) == ["challenge_stranger"]
    assert codes(lambda: put("dirk")) == ["challenge_side_needed"]
    put("dirk", "challenged")
    assert codes(lambda: put("E")) == ["challenge_postponed"]
    assert Deadline.objects.get(kind="challenge").due_at == datetime(2025, 12, 5, tzinfo=UTC)


def test_token_that_only_reads_is_told_of_nothing_that_it_may_do(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    own = member(cast, "E")
    assert "postpone" in challenge_line(event, challenge_at(event, 1), actor=own, now=LATER).may
    reads = replace(own, scope="read")
    assert challenge_line(event, challenge_at(event, 1), actor=reads, now=LATER).may == ()


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


# --- results ---------------------------------------------------------------------------------


def played(cast: Cast, event: Event, finish: str = "HIE") -> Challenge:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    return result(cast, event, "H", finish)


def test_typed_result_makes_a_table_of_its_own(cast: Cast, event: Event) -> None:
    row = played(cast, event)
    game = Game.objects.select_related("table__round__meeting").get(event=event)
    assert row.game_id == game.pk
    assert (game.state, game.table.code, game.table.round.state) == ("complete", "r1t1", "closed")
    assert game.table.round.meeting is not None
    assert game.table.round.meeting.date == date(2025, 11, 6)
    line = challenge_line(event, challenge_at(event, 1), actor=member(cast, "E"), now=LATER)
    assert (line.table, line.winner, line.due_state) == ("r1t1", "H", "confirmed")
    assert line.may == ("confirmed", "accepted")
    assert AuditLine.objects.filter(actor=member(cast, "H").label, act="enter_hand").exists()


def test_result_that_cannot_be_is_refused(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    assert codes(lambda: result(cast, event, "H", "HIE")) == ["challenge_state"]
    answer(cast, event, "E", "accepted")

    def typed(finish: Sequence[str], who: str = "H", played_on: date | None = None) -> Challenge:
        return give_result(
            actor=member(cast, who), event=event, number=1, points=totals(*finish), now=LATER,
            played_on=played_on,
        )  # fmt: skip

    def untyped(table: str = "") -> Challenge:
        return give_result(actor=member(cast, "H"), event=event, number=1, now=LATER, table=table)

    assert codes(lambda: typed("HIE", "F")) == ["challenge_stranger"]
    assert codes(lambda: typed("HIJ")) == ["challenge_player_missing"]
    assert codes(lambda: typed("HE")) == ["seat_count"]
    assert codes(lambda: typed(["H", "E", "Z"])) == ["unknown_player"]
    for wrong in (date(2025, 11, 5), date(2025, 11, 7)):
        assert codes(partial(typed, "HIE", played_on=wrong)) == ["challenge_bad_day"]

    assert codes(untyped) == ["challenge_result_needed"]
    assert codes(lambda: untyped("r9t9")) == ["unknown_table"]
    assert codes(lambda: answer(cast, event, "H", "played")) == ["challenge_result_missing"]
    assert not Game.objects.filter(event=event).exists()


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


def test_silence_confirms_after_two_days(cast: Cast, event: Event) -> None:
    played(cast, event)
    run_clock(event, LATER + timedelta(hours=47, minutes=59))
    assert Challenge.objects.get().state == "played"
    run_clock(event, LATER + timedelta(hours=48))
    row = Challenge.objects.get()
    assert (row.state, row.confirmed_as) == ("confirmed", "clock")
    assert order(event) == "ABCDHEFGIJ"


def test_result_taken_back_counts_for_nothing_and_gives_the_time_anew(
    cast: Cast, event: Event
) -> None:
    played(cast, event)
    later = NOW + timedelta(days=1)
    answer(cast, event, "E", "accepted", later)
    row = Challenge.objects.get()
    assert (row.state, row.game_id, row.accepted_at) == ("accepted", None, later)
    game = Game.objects.get(event=event)
    assert (game.state, Contribution.objects.filter(game=game).count()) == ("abandoned", 0)
    result(cast, event, "E", "EIH", later)
    answer(cast, event, "H", "confirmed", later)
    assert order(event) == "ABCDEFGHIJ"


def test_director_makes_a_confirmed_one_void_with_a_reason(cast: Cast, event: Event) -> None:
    played(cast, event)
    answer(cast, event, "E", "confirmed")
    assert order(event) == "ABCDHEFGIJ"

    def void(who: Actor, reason: str = "") -> Challenge:
        return answer_challenge(
            actor=who, event=event, number=1, to="void", reason=reason, now=LATER
        )

    assert codes(lambda: void(cast.actor("hanna"), "No.")) == ["forbidden"]
    assert codes(lambda: void(cast.actor("dirk"))) == ["reason_required"]
    void(cast.actor("dirk"), "It was not the table of this challenge.")
    assert order(event) == "ABCDEFGHIJ"


# --- who may ---------------------------------------------------------------------------------

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
    """What is refused of a move, which is taken back where it is not."""
    with transaction.atomic():
        point = transaction.savepoint()
        found = codes(lambda: answer(cast, event, actor, to))
        transaction.savepoint_rollback(point)
    return found


def test_players_challenge_for_themselves_and_hosts_for_anybody(cast: Cast, event: Event) -> None:

    def send(actor: Actor, low: str = "") -> Challenge:
        return issue_challenge(actor=actor, event=event, challenger=low, challenged="E", now=NOW)

    assert codes(lambda: send(member(cast, "H"), "G")) == ["forbidden"]
    assert codes(lambda: send(cast.actor("piet"))) == ["forbidden"]
    assert codes(lambda: send(cast.actor("nora"), "H")) == ["forbidden"]
    assert codes(lambda: send(Actor("public"), "H")) == ["forbidden"]
    assert codes(lambda: send(cast.actor("hanna"))) == ["challenger_needed"]
    assert send(cast.actor("hanna"), "H").challenger.code == "H"


# --- a table that is there -------------------------------------------------------------------


def at_a_table(event: Event, codes: str, number: int = 1, on: date = date(2025, 11, 6)) -> Game:
    """A table of the event that ends in the order in which they sit."""
    people = [Player.objects.get(player_id=code) for code in codes]
    game = table(event, people, round_number=number, on=on)
    hand(game, 1, [0, 1, 2, 10], queen=3)
    return game


def link(cast: Cast, event: Event, code: str = "r1t1", who: str = "H") -> Challenge:
    return give_result(actor=member(cast, who), event=event, number=1, table=code, now=LATER)


def test_table_that_was_played_becomes_the_game_and_moves_the_two_alone(
    cast: Cast, event: Event
) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    game = at_a_table(event, "HGFE")
    assert codes(lambda: link(cast, event)) == ["challenge_game_open"]
    move_game(actor=TESTS, game=game, to="complete", now=LATER)
    publish_ladder_now(event)
    assert order(event) == "ABCDHGFEIJ", "a table challenge, as long as nobody says other"
    assert codes(lambda: link(cast, event, who="G")) == ["challenge_stranger"]
    link(cast, event)
    assert order(event) == "ABCDEFGHIJ", "it waits to be confirmed"
    publish_ladder_now(event)
    answer(cast, event, "E", "confirmed")
    publish_ladder_now(event)
    assert order(event) == "ABCDHEFGIJ"
    assert replayed(event) == "ABCDHEFGIJ"


def test_table_given_back_is_a_table_challenge_again(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    game = at_a_table(event, "HGFE")
    move_game(actor=TESTS, game=game, to="complete", now=LATER)
    publish_ladder_now(event)
    link(cast, event)
    answer(cast, event, "E", "accepted")
    game.refresh_from_db()
    assert (game.state, Challenge.objects.get().game_id) == ("complete", None)
    assert order(event) == replayed(event) == "ABCDHGFEIJ"


def test_table_of_others_or_of_another_day_is_not_the_game(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    for number, (seats, on) in enumerate(
        (("ABCD", date(2025, 11, 6)), ("HGFE", date(2025, 11, 5)), ("HEIJ", date(2025, 11, 6))), 1
    ):
        game = at_a_table(event, seats, number, on)
        move_game(actor=TESTS, game=game, to="complete", now=LATER)
    assert codes(lambda: link(cast, event, "r1t1")) == ["challenge_player_missing"] * 2
    assert codes(lambda: link(cast, event, "r2t1")) == ["challenge_game_early"]
    link(cast, event, "r3t1")
    issue(cast, event, "J", "I", LATER)
    answer(cast, event, "I", "accepted", number=2)
    again = partial(
        give_result, actor=member(cast, "J"), event=event, number=2, table="r3t1", now=LATER
    )
    assert codes(again) == ["challenge_game_taken"]


def test_holder_of_the_tables_link_confirms_its_result_and_does_nothing_else(
    cast: Cast, event: Event
) -> None:
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


def publish_ladder_now(event: Event) -> None:
    mark_due(ladder_scope(event.pk), now=LATER)
    publish_ladder(event.pk, now=LATER)


def replayed(event: Event) -> str:
    """The list as a replay from the first step makes it."""
    return "".join(replay(events_of(event), ladder_rules_of(event)).ladder.order)
