"""Results of challenges, and what an entrant who withdraws leaves open."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial

import pytest

from scoring.ladders.positions import replay
from tests.support.builders import by_tests, hand
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in
from tests.support.scenarios.challenges import (
    LATER,
    answer,
    codes,
    issue,
    played,
    result,
    run_clock,
)
from tests.support.scenarios.ladders import member, order, seated, totals
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import Deadline, ladder_scope
from tournaments.models.ladders import Challenge, LadderStep, RatingChange
from tournaments.models.rounds import Attendance, Meeting
from tournaments.models.standings import Contribution
from tournaments.policy import Actor
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.ladders.challenges import ChallengeRow, challenge_at, challenge_line
from tournaments.selectors.ladders.log import events_of
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.jobs.queue import mark_due
from tournaments.services.ladders.challenges import answer_challenge, enter_result
from tournaments.services.ladders.log import sync_log
from tournaments.services.ladders.members import move_entrant
from tournaments.services.operations import Operation
from tournaments.services.publishing.ladders import publish_ladder

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HOUR_LATER = NOW + timedelta(hours=1)


def test_typed_result_makes_a_table_of_its_own(cast: Cast, event: Event) -> None:
    row = played(cast, event)
    game = Game.objects.select_related("table__round__meeting").get(event=event)
    assert row.game_id == game.pk
    assert (game.state, game.table.code, game.table.round.state) == ("complete", "r1t1", "closed")
    assert game.table.round.meeting is not None
    assert game.table.round.meeting.date == date(2025, 11, 6)
    line = challenge_line(event, challenge_at(event, 1), actor=member(cast, "E"), now=LATER)
    assert (line.table, line.winner, line.due_state) == ("r1t1", "H", "confirmed")
    assert line.may == ("confirmed", "accepted", "dispute")
    assert AuditLine.objects.filter(actor=member(cast, "H").label, act="enter_hand").exists()


def test_result_that_cannot_be_is_refused(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    assert codes(lambda: result(cast, event, "H", "HIE")) == ["challenge_state"]
    answer(cast, event, "E", "accepted")

    def typed(finish: Sequence[str], who: str = "H", played_on: date | None = None) -> Challenge:
        return enter_result(
            Operation(member(cast, who), LATER),
            challenge_at(event, 1),
            points=totals(*finish),
            played_on=played_on,
        )

    def untyped(table: str = "") -> Challenge:
        return enter_result(
            Operation(member(cast, "H"), LATER), challenge_at(event, 1), table=table
        )

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


def test_impossible_totals_are_disputed_and_count_once_corrected(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")

    def typed(who: Actor, last: int, disputed: str | None = None) -> Challenge:
        points = {"H": 10, "I": 20, "E": last}
        row = challenge_at(event, 1)
        return enter_result(Operation(who, LATER), row, points=points, disputed=disputed)

    dirk = cast.actor("dirk")
    assert codes(lambda: typed(dirk, 21)) == ["impossible_totals"]
    assert codes(lambda: typed(member(cast, "H"), 21, "Smudged.")) == ["forbidden"]
    assert codes(lambda: typed(dirk, 22, "Smudged.")) == ["adds_up"]
    assert "reason_required" in codes(lambda: typed(dirk, 21, ""))
    assert typed(dirk, 21, "Smudged.").state == "accepted"
    hand_ = Hand.objects.get(game__event=event)
    assert (hand_.number, hand_.state, hand_.entry and hand_.entry.reason) == (
        *(0, "disputed"), "Smudged.",
    )  # fmt: skip
    assert codes(lambda: enter_result(Operation(dirk, LATER), challenge_at(event, 1), table="r1t1"))
    game = Game.objects.select_related("event", "club", "snapshot", "table__round").get()
    entry = {"points": [10, 20, 22]}
    record_totals(
        Operation(dirk, LATER), game, entry=entry, source="host", based_on=1, reason="It was 22."
    )
    game.refresh_from_db()
    if game.state == "playing":
        move_game(Operation(dirk, LATER), game, to="complete")
    row = enter_result(Operation(dirk, LATER), challenge_at(event, 1), table="r1t1")
    assert row.state == "played"


def test_silence_confirms_after_two_days(cast: Cast, event: Event) -> None:
    played(cast, event)
    run_clock(event, LATER + timedelta(hours=47, minutes=59))
    assert Challenge.objects.get().state == "played"
    run_clock(event, LATER + timedelta(hours=48))
    row = Challenge.objects.get()
    assert (row.state, row.confirmed_as) == ("confirmed", "clock")
    assert order(event) == "ABCDHEFGIJ"


def test_withdrawn_result_does_not_count_and_gives_the_time_anew(cast: Cast, event: Event) -> None:
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
            Operation(who, LATER), challenge_at(event, 1), to="void", reason=reason
        )

    assert codes(lambda: void(cast.actor("hanna"), "No.")) == ["forbidden"]
    assert codes(lambda: void(cast.actor("dirk"))) == ["reason_required"]
    void(cast.actor("dirk"), "It was not the table of this challenge.")
    assert order(event) == "ABCDEFGHIJ"


def at_a_table(event: Event, codes: str, number: int = 1, on: date = date(2025, 11, 6)) -> Game:
    """A table of the event that ends in the order in which they sit."""
    game = seated(event, codes, round_number=number, on=on)
    hand(game, 1, [0, 1, 2, 10], queen=3)
    return game


def line_of_first(cast: Cast, event: Event) -> ChallengeRow:
    return challenge_line(event, challenge_at(event, 1), actor=member(cast, "E"), now=LATER)


def link(cast: Cast, event: Event, code: str = "r1t1", who: str = "H") -> Challenge:
    return enter_result(Operation(member(cast, who), LATER), challenge_at(event, 1), table=code)


def test_played_table_becomes_the_game_and_moves_the_two_alone(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    game = at_a_table(event, "HGFE")
    assert codes(lambda: link(cast, event)) == ["challenge_game_open"]
    move_game(by_tests(LATER), game, to="complete")
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


def test_result_of_a_table_without_a_hand_that_counts_is_none(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    game = at_a_table(event, "HGFE")
    move_game(by_tests(LATER), game, to="complete")
    link(cast, event)
    result = line_of_first(cast, event).result
    assert result is not None
    assert [row["player_id"] for row in result["players"]] == [*"HGFE"]
    game.refresh_from_db()
    void_hand(
        Operation(cast.actor("dirk"), LATER), game, number=1, based_on=1, reason="Not played."
    )
    assert line_of_first(cast, event).result is None


def test_table_given_back_is_a_table_challenge_again(cast: Cast, event: Event) -> None:
    issue(cast, event, "H", "E")
    answer(cast, event, "E", "accepted")
    game = at_a_table(event, "HGFE")
    move_game(by_tests(LATER), game, to="complete")
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
        move_game(by_tests(LATER), at_a_table(event, seats, number, on), to="complete")
    assert codes(lambda: link(cast, event, "r1t1")) == ["challenge_player_missing"] * 2
    assert codes(lambda: link(cast, event, "r2t1")) == ["challenge_game_early"]
    link(cast, event, "r3t1")
    answer(cast, event, "E", "confirmed")
    event.settings["ladder"] = {"rematch_days": 0}
    event.save()
    issue(cast, event, "E", "H", LATER)
    answer(cast, event, "H", "accepted", number=2)
    second, by = challenge_at(event, 2), Operation(member(cast, "E"), LATER)
    again = partial(enter_result, by, second, table="r3t1")
    assert codes(again) == ["challenge_game_taken"], "a game decides once between the same two"


def two_at_a_table(cast: Cast, event: Event, seats: str = "HDEB") -> Game:
    """Challenges of H to E (1) and of D to B (2), both accepted; all four played one table."""
    for number, (low, high) in enumerate((("H", "E"), ("D", "B")), 1):
        issue(cast, event, low, high)
        answer(cast, event, high, "accepted", number=number)
    game = at_a_table(event, seats)
    move_game(by_tests(LATER), game, to="complete")
    return game


def test_game_of_two_challenges_counts_once_and_moves_both(cast: Cast, event: Event) -> None:
    game = two_at_a_table(cast, event)
    publish_ladder_now(event)
    assert order(event) == "AHCDEFGBIJ"
    for number, who in enumerate("HD", 1):
        enter_result(Operation(member(cast, who), LATER), challenge_at(event, number), table="r1t1")
    publish_ladder_now(event)
    assert order(event) == "ABCDEFGHIJ", "the table moves nobody by itself any more"
    answer(cast, event, "B", "confirmed", number=2)
    answer(cast, event, "E", "confirmed", number=1)
    publish_ladder_now(event)
    assert order(event) == replayed(event) == "ADBCHEFGIJ"
    assert list(LadderStep.objects.filter(kind="challenge").order_by("number").values_list(
        "challenge__number", flat=True)) == [2, 1]  # fmt: skip
    assert [*RatingChange.objects.values_list("game").distinct()] == [(game.pk,)]
    assert RatingChange.objects.count() == 4


def test_clock_confirms_challenges_of_a_game_in_order(cast: Cast, event: Event) -> None:
    two_at_a_table(cast, event)
    for number, who in ((2, "D"), (1, "H")):
        enter_result(Operation(member(cast, who), LATER), challenge_at(event, number), table="r1t1")
    run_clock(event, LATER + timedelta(hours=48))
    steps = LadderStep.objects.filter(kind="challenge").order_by("number")
    assert list(steps.values_list("challenge__number", flat=True)) == [1, 2]
    assert states() == ["confirmed", "confirmed"]


def test_totals_stay_while_another_challenge_names_their_table(cast: Cast, event: Event) -> None:
    for number, (low, high) in enumerate((("H", "E"), ("D", "B")), 1):
        issue(cast, event, low, high)
        answer(cast, event, high, "accepted", number=number)
    result(cast, event, "H", "HDEB")
    assert codes(partial(result, cast, event, "D", "HDEB", number=2)) == ["challenge_game_exists"]
    enter_result(Operation(member(cast, "D"), LATER), challenge_at(event, 2), table="r1t1")
    game = Game.objects.get(event=event)
    answer(cast, event, "E", "accepted", number=1)
    game.refresh_from_db()
    assert (game.state, order(event)) == ("complete", "ABCDEFGHIJ")
    answer(cast, event, "B", "accepted", number=2)
    game.refresh_from_db()
    assert game.state == "abandoned", "no challenge names it any more"


def publish_ladder_now(event: Event) -> None:
    mark_due(ladder_scope(event.pk), now=LATER)
    publish_ladder(event.pk, now=LATER)


def replayed(event: Event) -> str:
    """The list as a replay from the first step makes it."""
    return "".join(replay(events_of(event), ladder_rules_of(event)).ladder.order)


def withdraw(event: Event, who: str) -> None:
    move_entrant(
        by_tests(HOUR_LATER), get_entrant(event, who), to="withdrawn", reason="Moved away."
    )


def test_check_out_lets_who_withdraws_leave_the_newest_evening(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    people = list(Player.objects.filter(player_id__in="CE"))
    for day in (date(2025, 10, 30), NOW.date()):
        check_in(Meeting.objects.create(club=event.club, event=event, date=day), people)
    move_entrant(
        by_tests(HOUR_LATER), get_entrant(event, "C"), to="withdrawn", reason="Ill.", check_out=True
    )
    absences = Attendance.objects.filter(state="left")
    assert list(absences.values_list("player__player_id", "meeting__date")) == [("C", NOW.date())]
    assert states() == ["withdrawn"]
    assert AuditLine.objects.filter(act="take_attendance", subject="player:C").count() == 1


def states() -> list[str]:
    return list(Challenge.objects.order_by("number").values_list("state", flat=True))


def test_what_is_open_ends_and_nobody_wins_by_it(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    issue(cast, event, "C", "A")
    issue(cast, event, "G", "E")
    answer(cast, event, "C", "accepted", NOW)
    withdraw(event, "C")
    assert states() == ["cancelled", "withdrawn", "issued"]
    sync_log(event, HOUR_LATER)
    assert order(event) == "ABDEFGHIJ"
    assert list(Deadline.objects.filter(done_at=None, kind="challenge").values_list("key")) == [
        ("3",)
    ]
    lines = AuditLine.objects.filter(act="move_challenge", subject__endswith="challenge:1")
    assert lines.order_by("-pk")[0].facts == {
        "from": "accepted",
        "to": "cancelled",
        "reason": "Moved away.",
    }


def test_who_stayed_may_challenge_somebody_else_at_once(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    answer(cast, event, "C", "accepted", NOW)
    withdraw(event, "C")
    issue(cast, event, "E", "B", HOUR_LATER)
    assert states() == ["cancelled", "issued"]


def test_what_was_played_is_still_to_be_confirmed(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    answer(cast, event, "C", "accepted", NOW)
    result(cast, event, "E", "ECD", NOW)
    withdraw(event, "C")
    assert states() == ["played"]


def test_time_that_had_run_out_before_comes_first(cast: Cast, event: Event) -> None:
    issue(cast, event, "E", "C")
    move_entrant(
        by_tests(NOW + timedelta(days=9)),
        get_entrant(event, "C"),
        to="withdrawn",
        reason="Moved away.",
    )
    assert states() == ["expired"]
