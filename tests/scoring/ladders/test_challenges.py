"""Who may challenge whom, until when in local days, and what becomes of it."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from scoring.errors import Problem
from scoring.ladders.challenges import (
    Challenge,
    Member,
    answer_problems,
    challenge_problems,
    confirmation_problems,
    due_at,
    due_state,
    is_win,
    postponement_problems,
    result_problems,
    step_problems,
    winner,
)
from scoring.ladders.positions import Ladder
from scoring.ladders.rules import (
    AbsencePeriod,
    LadderRules,
    away_problems,
    days_away,
    deadline,
    dropping,
    idleness,
    is_away_too_long,
    iso_week,
    weeks_due,
)

ZONE = ZoneInfo("Europe/Amsterdam")
NOW = datetime(2025, 3, 12, 19, tzinfo=UTC)
LADDER = Ladder(tuple("ABCDEFGHIJKLMNOP"), 1)
RULES = LadderRules()


def asked(low: str, high: str, *before: Challenge, **changes: Any) -> list[str]:
    """The codes against a challenge; `changes` are rules, `now`, or members as `as_`."""
    known = {one.code: one for one in changes.pop("as_", [])}
    challenger, challenged = known.get(low, Member(low)), known.get(high, Member(high))
    now = changes.pop("now", NOW)
    rules = LadderRules(**changes)
    found = challenge_problems(
        challenger, challenged, ladder=LADDER, before=before, now=now, zone=ZONE, rules=rules
    )
    return [problem.code for problem in found]


def closed(low: str, high: str, state: str, at: datetime = NOW) -> Challenge:
    return Challenge(low, high, state, at - timedelta(days=2), closed_at=at)


@pytest.mark.parametrize(
    ("low", "high", "codes"),
    [
        ("H", "E", []),
        ("H", "D", ["challenge_beyond_reach"]),
        ("H", "I", ["challenge_downwards"]),
        ("H", "H", ["challenge_self"]),
        ("H", "X", ["not_on_ladder"]),
        ("X", "H", ["not_on_ladder"]),
    ],
)
def test_challenge_goes_up_to_three_places(low: str, high: str, codes: list[str]) -> None:
    assert asked(low, high) == codes


def test_reach_may_be_narrower_to_the_first_ten_places() -> None:
    assert asked("M", "J", reach_top=1) == ["challenge_beyond_reach"]
    assert asked("M", "K", reach_top=1) == []
    assert asked("C", "B", reach_top=1) == []


@pytest.mark.parametrize("code", ["H", "E"])
def test_nobody_who_is_away_or_inactive_challenges_or_is_challenged(code: str) -> None:
    gone = Member(code, is_active=False)
    away = Member(code, (AbsencePeriod(date(2025, 3, 1), date(2025, 3, 12)),))
    assert asked("H", "E", as_=[gone]) == ["challenge_inactive"]
    assert asked("H", "E", as_=[away]) == ["challenge_absent"]
    assert asked("H", "E", now=NOW + timedelta(days=1), as_=[away]) == []


@pytest.mark.parametrize("state", ["issued", "accepted", "played"])
def test_one_open_challenge_out_and_one_in(state: str) -> None:
    out, coming = Challenge("H", "G", state, NOW), Challenge("F", "E", state, NOW)
    assert asked("H", "E", out) == ["challenge_out_open"]
    assert asked("H", "E", coming) == ["challenge_in_open"]
    assert asked("H", "E", Challenge("H", "E", state, NOW)) == [
        "challenge_out_open", "challenge_in_open",
    ]  # fmt: skip
    assert asked("H", "E", Challenge("I", "H", state, NOW), Challenge("E", "D", state, NOW)) == []


@pytest.mark.parametrize("state", ["confirmed", "declined", "expired", "forfeited_c"])
def test_no_rematch_for_seven_local_days(state: str) -> None:
    for met in (closed("H", "E", state), closed("E", "H", state)):
        assert asked("H", "E", met, now=NOW) == ["challenge_rematch"]
        last = datetime(2025, 3, 19, 22, 59, tzinfo=UTC)
        assert asked("H", "E", met, now=last) == ["challenge_rematch"]
        assert asked("H", "E", met, now=last + timedelta(minutes=1)) == []
        assert asked("H", "F", met) == []
        assert asked("H", "E", met, rematch_days=0) == []


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("confirmed", "The two met less than 7 days ago."),
        ("declined", "A challenge between the two was declined less than 7 days ago."),
        ("expired", "A challenge between the two ran out without an answer less than 7 days ago."),
        ("forfeited_d", "A challenge between the two was given up less than 7 days ago."),
    ],
)
def test_rematch_is_refused_by_what_there_was_last(state: str, said: str) -> None:
    earlier = closed("H", "E", "confirmed", NOW - timedelta(minutes=5))
    found = challenge_problems(
        Member("H"), Member("E"), ladder=LADDER, before=[closed("E", "H", state), earlier],
        now=NOW, zone=ZONE, rules=RULES,
    )  # fmt: skip
    again = "They may challenge each other again after 2025-03-19."
    assert [problem.message for problem in found] == [f"{said} {again}"]


@pytest.mark.parametrize("state", ["withdrawn", "cancelled", "void"])
def test_what_was_no_match_bars_no_rematch(state: str) -> None:
    assert asked("H", "E", closed("H", "E", state)) == []


def test_one_free_challenge_anywhere_where_the_club_wants_it() -> None:
    assert asked("P", "A", free_challenge=True) == []
    assert asked("P", "A", closed("P", "N", "confirmed"), free_challenge=True) == [
        "challenge_beyond_reach"
    ]
    assert asked("P", "A", closed("P", "N", "withdrawn"), free_challenge=True) == []


def test_every_reason_is_told_at_once_in_sentences() -> None:
    found = challenge_problems(
        Member("H"),
        Member("B", is_active=False),
        ladder=LADDER,
        before=[Challenge("H", "G", "issued", NOW)],
        now=NOW,
        zone=ZONE,
        rules=RULES,
    )
    assert [problem.message for problem in found] == [
        "B is not active in the club any more.",
        "B is 6 places up, at place 2. At most 3 up may be challenged.",
        "H has an open challenge already, to G. Finish or withdraw it first.",
    ]


ALL = (
    "issued", "accepted", "played", "confirmed", "declined", "expired", "withdrawn",
    "forfeited_c", "forfeited_d", "cancelled", "void",
)  # fmt: skip

ALLOWED = {
    ("issued", "accepted"), ("issued", "declined"), ("issued", "expired"),
    ("issued", "withdrawn"), ("accepted", "played"), ("accepted", "forfeited_c"),
    ("accepted", "forfeited_d"), ("accepted", "cancelled"), ("played", "confirmed"),
    ("played", "accepted"), ("confirmed", "void"),
}  # fmt: skip


@pytest.mark.parametrize("state", ALL)
def test_what_may_follow_a_state_is_one_table(state: str) -> None:
    follow = {to for to in ALL if not step_problems(Challenge("H", "E", state, NOW), to)}
    assert follow == {to for own, to in ALLOWED if own == state}


def test_answer_after_the_deadline_is_refused_whether_the_clock_has_run_or_not() -> None:
    issued = Challenge("H", "E", "issued", NOW)
    over = datetime(2025, 3, 15, 23, tzinfo=UTC)
    assert due_at(issued, ZONE, RULES) == over
    for to in ("accepted", "declined"):
        assert answer_problems(issued, to, over - timedelta(seconds=1), ZONE, RULES) == ()
        assert codes(answer_problems(issued, to, over, ZONE, RULES)) == ["challenge_too_late"]
    assert answer_problems(issued, "withdrawn", over, ZONE, RULES) == ()
    assert codes(answer_problems(issued, "played", NOW, ZONE, RULES)) == ["challenge_state"]


def codes(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.code for problem in problems]


def test_game_has_fourteen_days_over_the_change_to_summer_time() -> None:
    # 26 March is before summer time in Amsterdam, 2 April is in it.
    accepted = Challenge("H", "E", "accepted", NOW, accepted_at=NOW)
    over = datetime(2025, 3, 26, 23, tzinfo=UTC)
    assert due_state(accepted, over - timedelta(seconds=1), ZONE, RULES) is None
    assert due_state(accepted, over, ZONE, RULES) == "forfeited_d"
    assert due_state(accepted, over, ZONE, LadderRules(unplayed="cancelled")) == "cancelled"
    later = replace(accepted, postponed_by=frozenset({"H"}))
    assert due_at(later, ZONE, RULES) == datetime(2025, 4, 2, 22, tzinfo=UTC)
    both = replace(accepted, postponed_by=frozenset({"H", "E"}))
    assert due_at(both, ZONE, RULES) == datetime(2025, 4, 9, 22, tzinfo=UTC)


def test_each_of_the_two_may_put_the_game_off_once() -> None:
    accepted = Challenge("H", "E", "accepted", NOW, accepted_at=NOW, postponed_by=frozenset("H"))
    assert codes(postponement_problems(accepted, "H")) == ["challenge_postponed"]
    assert codes(postponement_problems(accepted, "E")) == []
    assert codes(postponement_problems(accepted, "X")) == ["challenge_stranger"]
    issued = Challenge("H", "E", "issued", NOW)
    assert codes(postponement_problems(issued, "H")) == ["challenge_state"]


def test_result_confirms_itself_after_48_hours_of_silence() -> None:
    played = Challenge("H", "E", "played", NOW, accepted_at=NOW, played_at=NOW)
    assert due_state(played, NOW + timedelta(hours=47, minutes=59), ZONE, RULES) is None
    assert due_state(played, NOW + timedelta(hours=48), ZONE, RULES) == "confirmed"


def test_clock_that_steps_back_moves_nothing_and_a_late_one_moves_once() -> None:
    issued = Challenge("H", "E", "issued", NOW)
    assert due_state(issued, NOW - timedelta(minutes=10), ZONE, RULES) is None
    assert due_state(issued, NOW + timedelta(days=90), ZONE, RULES) == "expired"
    assert (
        due_state(replace(issued, state="expired"), NOW + timedelta(days=91), ZONE, RULES) is None
    )


def test_result_by_strangers_is_refused() -> None:
    accepted = Challenge("H", "E", "accepted", NOW)
    assert result_problems(accepted, ["E", "H"], by="H") == ()
    assert result_problems(accepted, ["E", "X", "H", "Y"]) == ()
    assert codes(result_problems(accepted, ["E", "X"], by="Y")) == [
        "challenge_stranger", "challenge_player_missing",
    ]  # fmt: skip
    assert codes(result_problems(accepted, ["X", "Y"])) == ["challenge_player_missing"] * 2


@pytest.mark.parametrize(("low", "high", "won"), [(1, 2, "H"), (3, 2, "E"), (2, 2, "E")])
def test_better_place_at_the_table_wins_a_tie_does_not(low: int, high: int, won: str) -> None:
    assert winner("H", "E", {"X": 1, "H": low, "E": high, "Y": 4}) == won


def test_result_is_confirmed_by_the_loser_not_the_winner() -> None:
    played = Challenge("H", "E", "played", NOW, played_at=NOW)
    assert confirmation_problems(played, "E", loser="E") == ()
    assert codes(confirmation_problems(played, "H", loser="E")) == ["challenge_not_the_loser"]
    confirmed = replace(played, state="confirmed")
    assert codes(confirmation_problems(confirmed, "E", loser="E")) == ["challenge_state"]


@pytest.mark.parametrize(
    ("state", "wins"),
    [
        ("declined", True), ("expired", True), ("forfeited_d", True), ("forfeited_c", False),
        ("cancelled", False), ("withdrawn", False), ("confirmed", False),
    ],
)  # fmt: skip
def test_refusal_counts_as_a_win_for_the_challenger(state: str, wins: bool) -> None:
    assert is_win(closed("H", "E", state), [], ZONE, RULES) is wins


def test_first_refusal_is_forgiven_where_the_club_wants_it() -> None:
    rules = LadderRules(forgive_first_refusal=True)
    now = closed("H", "E", "declined")

    def counts(*before: Challenge) -> bool:
        return is_win(now, before, ZONE, rules)

    assert not counts()
    assert not counts(closed("G", "E", "confirmed"), closed("H", "D", "declined"))
    assert not counts(closed("G", "E", "expired", NOW - timedelta(days=31)))
    assert counts(closed("G", "E", "expired", NOW - timedelta(days=30)))
    assert counts(closed("G", "E", "expired", NOW + timedelta(minutes=10)))


@pytest.mark.parametrize(
    ("zone", "since", "days", "over"),
    [
        ("Europe/Amsterdam", "2025-03-12T19:00", 3, "2025-03-15T23:00"),
        ("Europe/Amsterdam", "2025-03-28T19:00", 3, "2025-03-31T22:00"),
        ("Europe/Amsterdam", "2025-10-24T19:00", 3, "2025-10-27T23:00"),
        ("Europe/Amsterdam", "2025-03-12T23:30", 3, "2025-03-16T23:00"),
        ("America/Los_Angeles", "2025-03-12T05:00", 1, "2025-03-13T07:00"),
        ("Africa/Cairo", "2025-04-23T12:00", 1, "2025-04-24T22:00"),
        ("America/Havana", "2025-10-31T12:00", 1, "2025-11-02T04:00"),
    ],
    ids=[
        "winter", "to summer time", "to winter time", "after midnight in the zone", "west",
        "no midnight", "midnight twice",
    ],
)  # fmt: skip
def test_deadline_ends_with_the_last_local_day(zone: str, since: str, days: int, over: str) -> None:
    at = datetime.fromisoformat(since).replace(tzinfo=UTC)
    found = deadline(at, days, ZoneInfo(zone))
    assert found == datetime.fromisoformat(over).replace(tzinfo=UTC)
    last = (found - timedelta(microseconds=1)).astimezone(ZoneInfo(zone)).date()
    assert last == at.astimezone(ZoneInfo(zone)).date() + timedelta(days=days)


def test_sweep_of_a_week_is_keyed_by_the_week_across_new_year() -> None:
    assert [iso_week(date(2024, 12, day)) for day in (29, 30)] == ["2024-W52", "2025-W01"]
    assert [iso_week(day) for day in weeks_due(date(2024, 12, 18), date(2025, 1, 5))] == [
        "2024-W52", "2025-W01",
    ]  # fmt: skip


def test_sweep_runs_once_a_week_and_catches_up_with_the_weeks_it_missed() -> None:
    friday = date(2025, 9, 5)
    assert weeks_due(friday, friday) == []
    assert weeks_due(friday, date(2025, 9, 4)) == []
    assert weeks_due(date(2025, 9, 1), date(2025, 9, 15)) == [date(2025, 9, 8), date(2025, 9, 15)]
    assert weeks_due(date(2025, 9, 22), date(2025, 9, 15)) == []


MONDAY = date(2025, 3, 3)
SEASON = (date(2025, 1, 1), date(2025, 6, 30))
LATER_AWAY = [AbsencePeriod(date(2025, 3, 10), date(2025, 3, 19))]
AWAY_AT_ONCE = [AbsencePeriod(MONDAY, MONDAY + timedelta(days=2))]
"""Absence from the day of the last game on counts from the next day."""


@pytest.mark.parametrize(
    ("away", "days", "state", "idle_days"),
    [
        ([], 0, "active", 0), ([], 27, "active", 27),
        ([], 28, "warned", 28), ([], 34, "warned", 34), ([], 35, "dropping", 35),
        (LATER_AWAY, 35, "active", 25), (AWAY_AT_ONCE, 2, "active", 0),
        (AWAY_AT_ONCE, 10, "active", 8),
    ],
)  # fmt: skip
def test_idle_member_is_warned_after_28_days_not_away_and_drops_after_35(
    away: list[AbsencePeriod], days: int, state: str, idle_days: int
) -> None:
    idle = idleness(MONDAY, away, MONDAY + timedelta(days=days), RULES)
    drops_on = {0: date(2025, 4, 7), 10: date(2025, 4, 17), 2: date(2025, 4, 9)}
    assert idle == (state, idle_days, drops_on[days - idle_days])


def test_clock_that_stepped_back_makes_no_negative_days() -> None:
    assert idleness(MONDAY, [], MONDAY - timedelta(days=1), RULES)[1] == 0


def test_sweep_takes_the_idle_who_are_not_away() -> None:
    on = MONDAY + timedelta(days=35)
    rows: list[tuple[str, date, list[AbsencePeriod]]] = [
        ("A", MONDAY, []),
        ("B", MONDAY + timedelta(days=1), []),
        ("C", MONDAY - timedelta(days=40), [AbsencePeriod(on)]),
        ("D", MONDAY - timedelta(days=40), []),
    ]
    assert dropping(rows, on, RULES) == ("A", "D")


def test_absences_that_overlap_are_counted_once() -> None:
    away = [
        AbsencePeriod(date(2025, 3, 5), date(2025, 3, 9)),
        AbsencePeriod(date(2025, 3, 1), date(2025, 3, 6)),
    ]
    assert days_away(away, *SEASON) == 9
    assert days_away(away, date(2025, 3, 2), date(2025, 3, 7)) == 6


def test_thirty_days_a_season_and_not_one_more() -> None:
    before = [AbsencePeriod(date(2025, 2, 1), date(2025, 2, 20))]
    fits = AbsencePeriod(date(2025, 3, 1), date(2025, 3, 10))
    assert away_problems(fits, before, SEASON, RULES) == ()
    [problem] = away_problems(AbsencePeriod(fits.since, date(2025, 3, 11)), before, SEASON, RULES)
    assert (problem.code, dict(problem.facts)) == (
        "absence_too_long", {"found": 11, "left": 10, "most": 30}
    )  # fmt: skip
    assert (
        away_problems(AbsencePeriod(date(2025, 6, 25), date(2025, 8, 1)), before, SEASON, RULES)
        == ()
    )


def test_absence_that_ends_before_it_begins_is_refused() -> None:
    [problem] = away_problems(AbsencePeriod(MONDAY, date(2025, 3, 2)), [], SEASON, RULES)
    assert problem.code == "absence_backwards"


def test_open_absence_is_too_long_from_its_31st_day_on() -> None:
    away = [AbsencePeriod(date(2025, 2, 1))]
    assert not is_away_too_long(away, SEASON[0], date(2025, 3, 2), RULES)
    assert is_away_too_long(away, SEASON[0], date(2025, 3, 3), RULES)
    back = [AbsencePeriod(date(2025, 2, 1), date(2025, 3, 5))]
    assert not is_away_too_long(back, SEASON[0], date(2025, 3, 6), RULES)
