"""The game of a round: all its tables take it, before the first hand and where it compares."""

import pytest

from scoring.errors import Refused
from tests.support.builders import TESTS, hand, league, pairs, players, table
from tests.support.cast import NOW, Cast
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Round, Seat
from tournaments.selectors.events.events import variant_names
from tournaments.selectors.rounds.round_seating import snapshot_for
from tournaments.services.events.events import create_event, move_event
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import change_round_game
from tournaments.services.rounds.seating import people_at, reseat_table

pytestmark = pytest.mark.django_db

POOLED = "partnership-hearts-pooled"
ROUNDS = [([(1, 2, 3, 4), (5, 6, 7, 8)], [9])]


@pytest.fixture
def evening(cast: Cast) -> PlannedEvening:
    night = planned_evening(cast, ROUNDS)
    night.here(*range(1, 10))
    return night


@pytest.fixture
def raw_points(cast: Cast) -> Event:
    """An event that ranks by raw points, so that its tables play one game."""
    event = create_event(
        actor=TESTS, club=cast.riverside, slug="raw", name="Raw", variant="hearts",
        settings={"length": "open", "primary": "raw_total"}, now=NOW,
    )  # fmt: skip
    return move_event(actor=TESTS, event=event, to="open", now=NOW)


def games() -> list[tuple[str, str]]:
    rows = Game.objects.order_by("table__number")
    return [*rows.values_list("table__code", "snapshot__variant")]


def sides() -> list[str]:
    return [*Seat.objects.order_by("table__number", "number").values_list("side", flat=True)]


def test_round_of_a_plan_plays_the_game_that_is_chosen_for_it(evening: PlannedEvening) -> None:
    make_round_of_plan(actor=TESTS, plan=evening.plan, now=NOW, variant="omnibus")
    assert games() == [("r1t1", "omnibus-hearts"), ("r1t2", "omnibus-hearts")]
    assert snapshot_for(evening.event, 1).variant == "omnibus-hearts"


def test_round_and_all_its_tables_change_their_game_at_once(evening: PlannedEvening) -> None:
    round_ = evening.seat()
    change_round_game(actor=TESTS, round_=round_, now=NOW, variant=POOLED)
    assert games() == [("r1t1", POOLED), ("r1t2", POOLED)]
    assert sides() == ["NS", "EW"] * 4
    assert snapshot_for(evening.event, 1).variant == POOLED
    line = AuditLine.objects.get(act="change_round_game")
    assert line.facts == {"round": 1, "variant": POOLED, "options": {}}
    change_round_game(actor=TESTS, round_=round_, now=NOW)
    assert games() == [("r1t1", "hearts"), ("r1t2", "hearts")]
    assert sides() == [""] * 8
    assert Round.objects.get().snapshot is None
    assert variant_names(evening.event) == ("Hearts (American)",)


def test_round_keeps_its_game_after_its_first_hand(evening: PlannedEvening) -> None:
    round_ = evening.seat()
    Round.objects.update(state="posted")
    hand(Game.objects.get(table__number=2), 1, [4, 1, 2, 6], queen=3)
    with pytest.raises(Conflict) as refused:
        change_round_game(actor=TESTS, round_=round_, now=NOW, variant="omnibus")
    assert (refused.value.problem.code, refused.value.problem.facts) == (
        "table_has_hands",
        {"table": "r1t2"},
    )
    assert games() == [("r1t1", "hearts"), ("r1t2", "hearts")]


def test_first_hand_and_new_seats_wait_for_the_game_and_see_it(evening: PlannedEvening) -> None:
    """As on PostgreSQL, where they have read the table before they wait for its row."""
    round_ = evening.seat()
    Round.objects.update(state="posted")
    first, second = Game.objects.select_related("snapshot", "event", "table__round", "club")
    change_round_game(
        actor=TESTS, round_=round_, now=NOW, variant="hearts", options={"jack_of_diamonds": -10}
    )
    with pytest.raises(Refused) as refused:
        hand(first, 1, [4, 1, 2, 6], queen=3)
    assert refused.value.problems[0].code == "missing_cards"
    change_round_game(actor=TESTS, round_=round_, now=NOW, variant=POOLED)
    reseat_table(actor=TESTS, game=second, players=people_at(second)[::-1], now=NOW)
    assert sides() == ["NS", "EW"] * 4


def test_game_that_does_not_compare_with_the_event_is_refused(raw_points: Event) -> None:
    people = players(raw_points.club, "Ada", "Ben", "Cem", "Dora")
    round_ = table(raw_points, people).table.round
    with pytest.raises(Refused) as refused:
        change_round_game(actor=TESTS, round_=round_, now=NOW, variant="omnibus")
    assert refused.value.problems[0].code == "games_not_mixed"
    assert games() == [("r1t1", "hearts")]
    assert Round.objects.get().snapshot is None


def test_game_for_other_numbers_of_players_is_refused(evening: PlannedEvening) -> None:
    round_ = table(evening.event, evening.people[:3]).table.round
    with pytest.raises(Refused) as refused:
        change_round_game(actor=TESTS, round_=round_, now=NOW, variant=POOLED)
    assert refused.value.problems[0].code == "seat_count"
    assert games() == [("r1t1", "hearts")]


def test_game_of_partners_breaks_no_pair(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    pairs(event, people)
    round_ = table(event, people).table.round
    with pytest.raises(Refused) as refused:
        change_round_game(actor=TESTS, round_=round_, now=NOW, variant=POOLED)
    assert {problem.code for problem in refused.value.problems} == {"side_of_two_pairs"}
    assert games() == [("r1t1", "hearts")]


def test_hosts_do_not_choose_the_game_of_a_round(cast: Cast, evening: PlannedEvening) -> None:
    round_ = evening.seat()
    with pytest.raises(Forbidden):
        change_round_game(actor=cast.actor("hanna"), round_=round_, now=NOW, variant="omnibus")
