"""When a round ends: by its clock, by the club's last rounds, or by its hands."""

from datetime import date, datetime, timedelta

from tests.support.builders import by_tests, finished, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.models.events import Event
from tournaments.models.rounds import Round
from tournaments.selectors.events.events import get_round
from tournaments.selectors.rounds.round_progress import RoundClock, minutes_a_round, round_clock
from tournaments.services.rounds.rounds import make_round, move_round

TONIGHT = date(2025, 11, 6)


def posted(event: Event, *, number: int = 1, on: date = TONIGHT, at: datetime = NOW) -> Round:
    people = players(event.club, *(f"Player {number}{letter}" for letter in "ABCD"))
    round_ = make_round(by_tests(at), event, number=number, on=on)
    table(event, people, round_number=number, on=on)
    return move_round(by_tests(at), round_, to="posted")


def clock_at(event: Event, after: timedelta, number: int = 1) -> RoundClock:
    """The round's clock so long after it was posted."""
    found = round_clock(event, get_round(event, number), now=NOW + after)
    assert found is not None
    return found


def test_clock_runs_from_posting_warns_and_is_over(cast: Cast) -> None:
    event = league(cast.riverside, settings={"round_minutes": 40})
    posted(event)
    begun = clock_at(event, timedelta(seconds=30))
    assert (begun.minutes_left, begun.is_warning, begun.is_over) == (40, False, False)
    assert begun.ends_at == NOW + timedelta(minutes=40)
    late = clock_at(event, timedelta(minutes=35))
    assert (late.minutes_left, late.is_warning, late.is_over) == (5, True, False)
    over = clock_at(event, timedelta(minutes=40))
    assert (over.minutes_left, over.is_warning, over.is_over) == (0, False, True)
    assert round_clock(event, get_round(event, 1), now=NOW + timedelta(hours=7)) is None


def test_draft_and_closed_rounds_have_no_clock_and_posting_again_starts_it_anew(cast: Cast) -> None:
    event = league(cast.riverside, settings={"round_minutes": 40})
    round_ = posted(event)
    move_round(by_tests(NOW + timedelta(minutes=3)), round_, to="draft")
    assert round_clock(event, get_round(event, 1), now=NOW) is None
    move_round(by_tests(NOW + timedelta(minutes=9)), round_, to="posted")
    assert clock_at(event, timedelta(minutes=9)).minutes_left == 40
    finished(get_round(event, 1).tables.get().game)
    move_round(by_tests(NOW + timedelta(minutes=50)), round_, to="closed")
    assert round_clock(event, get_round(event, 1), now=NOW) is None


def test_round_of_an_evening_that_is_over_has_no_clock(cast: Cast) -> None:
    event = league(cast.riverside, settings={"round_minutes": 40})
    posted(event, on=TONIGHT - timedelta(days=7))
    assert round_clock(event, get_round(event, 1), now=NOW) is None


def test_without_a_clock_the_end_is_estimated_from_hands_and_then_from_rounds(cast: Cast) -> None:
    event = league(cast.riverside, length="hands:5")
    assert minutes_a_round(event) == 30
    assert minutes_a_round(league(cast.riverside, slug="open")) == 48
    round_ = posted(event)
    guess = clock_at(event, timedelta(minutes=28))
    assert (guess.is_estimated, guess.minutes_left, guess.is_warning) == (True, 2, False)
    finished(get_round(event, 1).tables.get().game)
    move_round(by_tests(NOW + timedelta(minutes=44)), round_, to="closed")
    assert minutes_a_round(event) == 44
    # A sheet that is entered afterwards says nothing of how long it took.
    again = posted(event, number=2)
    finished(get_round(event, 2).tables.get().game)
    move_round(by_tests(NOW + timedelta(minutes=1)), again, to="closed")
    assert minutes_a_round(event) == 44


def test_first_table_of_a_new_round_starts_its_clock(cast: Cast) -> None:
    event = league(cast.riverside, settings={"round_minutes": 40})
    table(event, players(cast.riverside, "Ann", "Ben", "Cleo", "Dora"))
    assert clock_at(event, timedelta(minutes=1)).minutes_left == 39
