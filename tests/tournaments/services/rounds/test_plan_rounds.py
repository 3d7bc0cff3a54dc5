"""Rounds of a chosen plan are made whole, and what their seating checks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, counts, hand, league, pairs, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.imports.imports import imported, rows, said, written
from tests.support.pages.hand_entry import TABLE, stored, typed
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings
from tests.support.scenarios.planned_evenings import PlannedEvening, planned_evening
from tests.support.scenarios.table_links import linked
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.rounds import Round, Seat, SitOut, Table
from tournaments.selectors.events.events import variant_names
from tournaments.selectors.rounds.round_seating import round_seating, snapshot_for
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.disputes import file_disputed
from tournaments.services.rounds.arrange_round import SeatingTarget, arrange_round
from tournaments.services.rounds.plan_rounds import make_round_of_plan, redraw_round
from tournaments.services.rounds.rounds import change_round_game, move_round
from tournaments.services.rounds.seating import people_at, reseat_table, seat_table

pytestmark = pytest.mark.django_db

ROUNDS = [([(1, 2, 3, 4), (5, 6, 7, 8)], [9]), ([(9, 5, 1, 6), (2, 7, 3, 8)], [4])]
POOLED = "partnership-hearts-pooled"
ONE_ROUND = [([(1, 2, 3, 4), (5, 6, 7, 8)], [9])]


@pytest.fixture
def evening(cast: Cast) -> PlannedEvening:
    night = planned_evening(cast, ROUNDS)
    night.here(*range(1, 10))
    return night


def tables(round_: Round) -> list[list[str]]:
    people = Game.objects.filter(table__round=round_).order_by("table__number")
    return [
        list(
            game.table.seats.order_by("number").values_list(
                "sittings__player__player_id", flat=True
            )
        )
        for game in people.select_related("table")
    ]


def code_of(refused: pytest.ExceptionInfo[Conflict]) -> str:
    return refused.value.problem.code


def test_round_is_made_whole_with_seats_in_order_and_sit_outs(evening: PlannedEvening) -> None:
    made = evening.seat()
    assert tables(made) == [["RL01", "RL02", "RL03", "RL04"], ["RL05", "RL06", "RL07", "RL08"]]
    assert list(SitOut.objects.values_list("entrant__code", "reason")) == [("RL09", "bye")]
    assert (made.state, made.number, made.plan_round) == ("draft", 1, 1)
    line = AuditLine.objects.get(act="make_round_of_plan")
    assert line.facts["sit_outs"] == {"RL09": "bye"}
    assert line.facts["tables"]["2"] == ["RL05", "RL06", "RL07", "RL08"]


def test_second_tap_returns_the_round_that_was_made(evening: PlannedEvening) -> None:
    first = evening.seat()
    again = make_round_of_plan(by_tests(), evening.plan, plan_round=1)
    assert (again.pk, Round.objects.count()) == (first.pk, 1)
    assert AuditLine.objects.filter(act="make_round_of_plan").count() == 1


def test_next_round_waits_for_the_tables_of_the_one_before(evening: PlannedEvening) -> None:
    move_round(by_tests(), evening.seat(), to="posted")
    hand(Game.objects.get(table__code="r1t1"), 1, [4, 1, 2, 6], 3)
    Game.objects.filter(table__code="r1t1").update(state="complete")
    with pytest.raises(Conflict) as refused:
        evening.seat()
    assert code_of(refused) == "previous_round_open"
    assert refused.value.problem.facts["tables"] == "2"


def test_who_left_and_who_came_are_named_before_anything_happens(evening: PlannedEvening) -> None:
    evening.here(2, state="left")
    with pytest.raises(Conflict) as refused:
        evening.seat()
    assert code_of(refused) == "planned_players_changed"
    assert refused.value.problem.facts["gone"] == "Bruno K. (RL02)"
    assert Round.objects.count() == 0
    assert tables(evening.seat(adjust=True))[0] == ["RL01", "RL09", "RL03", "RL04"]
    assert SitOut.objects.count() == 0


def test_plan_that_was_superseded_makes_no_round(evening: PlannedEvening) -> None:
    evening.plan.state = "superseded"
    evening.plan.save()
    with pytest.raises(Conflict, match="plan_not_chosen"):
        evening.seat()


def test_posting_names_who_has_no_seat_and_sets_the_clock(evening: PlannedEvening) -> None:
    made = evening.seat()
    SitOut.objects.all().delete()
    with pytest.raises(Conflict) as refused:
        move_round(by_tests(), made, to="posted")
    assert code_of(refused) == "present_without_seat"
    assert refused.value.problem.facts["players"] == "Ines S. (RL09)"
    evening.here(9, state="left")
    assert move_round(by_tests(), made, to="posted").posted_at == NOW
    assert move_round(by_tests(), made, to="draft").posted_at is None


def test_posting_names_who_left_and_has_a_seat(evening: PlannedEvening) -> None:
    made = evening.seat()
    evening.here(3, state="left")
    with pytest.raises(Conflict, match="seated_player_left"):
        move_round(by_tests(), made, to="posted")


def test_seats_are_exchanged_between_tables_in_one_act(evening: PlannedEvening) -> None:
    made = evening.seat()
    seating = round_seating(made)
    one, two = (table.players for table in seating.tables)
    target = SeatingTarget({1: (two[0], *one[1:]), 2: (one[0], *two[1:])}, {evening.row(9): "bye"})
    arrange_round(by_tests(), made, target=target, tag=seating.tag)
    assert tables(made) == [["RL05", "RL02", "RL03", "RL04"], ["RL01", "RL06", "RL07", "RL08"]]
    with pytest.raises(Conflict, match="round_seating_outdated"):
        arrange_round(by_tests(), made, target=target, tag=seating.tag)


def test_table_with_hands_keeps_its_people(evening: PlannedEvening) -> None:
    made = evening.seat()
    move_round(by_tests(), made, to="posted")
    hand(Game.objects.get(table__code="r1t1"), 1, [4, 1, 2, 6], 3)
    one, two = (table.players for table in round_seating(made).tables)
    with pytest.raises(Conflict, match="table_has_hands"):
        arrange_round(by_tests(), made, target=SeatingTarget({1: two, 2: one}))
    assert tables(made)[0] == ["RL01", "RL02", "RL03", "RL04"]


def test_another_plan_seats_a_round_anew_until_it_has_a_hand(evening: PlannedEvening) -> None:
    made = evening.seat()
    first = evening.plan
    outside = [evening.row(n) for n in range(1, 7)]
    rounds = [{"tables": [[evening.row(n) for n in (9, 8, 7)]], "sitting_out": outside}]
    first.state = "superseded"
    first.save()
    other = type(first).objects.create(
        club=first.club, event=first.event, meeting=first.meeting, state="chosen", seed=8,
        round_count=1, inputs={}, rounds=rounds, is_ready=True, created_at=NOW,
    )  # fmt: skip
    done = redraw_round(by_tests(), made, plan=other)
    assert tables(made) == [["RL09", "RL08", "RL07"]]
    assert (done.plan_id, done.plan_round, SitOut.objects.count()) == (other.pk, 1, 6)


@pytest.fixture
def evening_of_one_round(cast: Cast) -> PlannedEvening:
    night = planned_evening(cast, ONE_ROUND)
    night.here(*range(1, 10))
    return night


@pytest.fixture
def raw_points(cast: Cast) -> Event:
    """An event that ranks by raw points, so that its tables play one game."""
    event = create_event(
        by_tests(), cast.riverside, slug="raw", name="Raw", variant="hearts",
        settings={"length": "open", "primary": "raw_total"},
    )  # fmt: skip
    return move_event(by_tests(), event, to="open")


def games() -> list[tuple[str, str]]:
    rows = Game.objects.order_by("table__number")
    return [*rows.values_list("table__code", "snapshot__variant")]


def sides() -> list[str]:
    return [*Seat.objects.order_by("table__number", "number").values_list("side", flat=True)]


def test_round_with_its_tables_changes_its_game(evening_of_one_round: PlannedEvening) -> None:
    round_ = evening_of_one_round.seat()
    change_round_game(by_tests(), round_, variant=POOLED)
    assert games() == [("r1t1", POOLED), ("r1t2", POOLED)]
    assert sides() == ["NS", "EW"] * 4
    assert snapshot_for(evening_of_one_round.event, 1).variant == POOLED
    line = AuditLine.objects.get(act="change_round_game")
    assert line.facts == {"round": 1, "variant": POOLED, "options": {}}
    change_round_game(by_tests(), round_)
    assert games() == [("r1t1", "hearts"), ("r1t2", "hearts")]
    assert sides() == [""] * 8
    assert Round.objects.get().snapshot is None
    assert variant_names(evening_of_one_round.event) == ("Hearts (American)",)


def test_first_hand_and_new_seats_wait_for_the_game(evening_of_one_round: PlannedEvening) -> None:
    """As on PostgreSQL, where they have read the table before they wait for its row."""
    round_ = evening_of_one_round.seat()
    Round.objects.update(state="posted")
    first, second = Game.objects.select_related("snapshot", "event", "table__round", "club")
    change_round_game(by_tests(), round_, variant="hearts", options={"jack_of_diamonds": -10})
    with pytest.raises(Refused, match="missing_cards"):
        hand(first, 1, [4, 1, 2, 6], queen=3)
    change_round_game(by_tests(), round_, variant=POOLED)
    reseat_table(by_tests(), second, players=people_at(second)[::-1])
    assert sides() == ["NS", "EW"] * 4


def test_game_that_does_not_compare_with_the_event_is_refused(raw_points: Event) -> None:
    round_ = table(raw_points, players(raw_points.club, "Ada", "Ben", "Cem", "Dora")).table.round
    with pytest.raises(Refused, match="games_not_mixed"):
        change_round_game(by_tests(), round_, variant="omnibus")
    assert games() == [("r1t1", "hearts")]
    assert Round.objects.get().snapshot is None


def test_game_for_other_numbers_of_players_is_refused(evening_of_one_round: PlannedEvening) -> None:
    round_ = table(evening_of_one_round.event, evening_of_one_round.people[:3]).table.round
    with pytest.raises(Refused, match="seat_count"):
        change_round_game(by_tests(), round_, variant=POOLED)
    assert games() == [("r1t1", "hearts")]


def test_game_of_partners_breaks_no_pair(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    pairs(event, people)
    round_ = table(event, people).table.round
    with pytest.raises(Refused) as refused:
        change_round_game(by_tests(), round_, variant=POOLED)
    assert {problem.code for problem in refused.value.problems} == {"side_of_two_pairs"}
    assert games() == [("r1t1", "hearts")]


def test_only_directors_make_rounds(evening: PlannedEvening, cast: Cast) -> None:
    with pytest.raises(Forbidden):
        make_round_of_plan(cast.operation("hanna"), evening.plan)


RIGHT = typed([4, 1, 2, 6], queen=3)
SAID = "Table 2 was abandoned and takes no hands. Ask the director."
REST = f"/api/v1{TABLE}/hands"
CODE = "table_abandoned"


def game() -> Game:
    games = Game.objects.select_related("event", "club", "snapshot", "table__round")
    return games.get(table__code="r1t2", table__event__slug="league")


@pytest.fixture
def abandon(evenings: Evenings) -> Callable[..., None]:
    """Abandon table 2 of round 1, which has one hand."""

    def do(*, hands_count: bool = True) -> None:
        move_game(by_tests(), game(), to="abandoned", reason="Fire alarm.", hands_count=hands_count)

    return do


def test_rest_refuses_new_hands_by_code(evenings: Evenings, abandon: Callable[..., None]) -> None:
    hanna = evenings.client("hanna")
    abandon()
    body = json.dumps({"number": 2, "entry": counts([4, 1, 2, 6], 3)})
    for headers in ({}, {"Idempotency-Key": "k-1"}):
        answer = hanna.post(REST, body, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, CODE)
        assert answer.json()["errors"][0]["message"].startswith(SAID)
    assert (stored(2), game().hands_counted, game().state) == ([], 1, "abandoned")


@pytest.mark.parametrize("name", ["hanna", "dirk"])
def test_page_for_the_next_hand_says_it_and_has_no_form(
    evenings: Evenings, abandon: Callable[..., None], name: str
) -> None:
    client = evenings.client(name)
    abandon()
    for path in (f"{TABLE}/hands/new", f"{TABLE}/hands/new?number=2"):
        page = client.get(path)
        assert (page.status_code, SAID in text_of(page)) == (200, True)
        assert "Enter hand" not in text_of(page)
        assert 'name="hearts-1"' not in page.content.decode()
    assert 'name="hearts-1"' in client.get(f"{TABLE}/hands/1/edit").content.decode()
    assert "Table 2 Abandoned" in text_of(client.get("/my-tables"))


def test_links_page_says_it_and_offers_no_hand(cast: Cast) -> None:
    night = linked(cast)
    phone = night.holder()
    assert "Enter hand 2" in text_of(phone.get("/t"))
    move_game(by_tests(), night.game, to="abandoned", reason="Fire alarm.")
    page = text_of(phone.get("/t"))
    assert "Table 1 was abandoned and takes no hands. Ask the director." in page
    assert "Enter hand 2" not in page
    assert "takes no hands" in text_of(phone.get(f"{night.table}/hands/new"))


def test_sheet_with_a_wrong_total_waits(evenings: Evenings, abandon: Callable[..., None]) -> None:
    abandon()
    entry = counts([4, 1, 2, 5], 3)
    with pytest.raises(Conflict, match=CODE):
        file_disputed(by_tests(), game(), number=2, entry=entry, key=None, reason="Look.")
    assert stored(2) == []


def test_import_holds_its_new_hand_and_skips_the_one_that_is_there(
    evenings: Evenings, abandon: Callable[..., None], tmp_path: Path
) -> None:
    abandon()
    cast = {"N": "RL05,Marit S.", "E": "RL06,Jörg S.", "S": "RL07,Cleo S.", "W": "RL08,Carla K."}
    where = {"round_": 1, "table": 2, "day": "2025-11-06", "variant": "hearts", "cast": cast}
    there = rows(1, [3, 3, 3, 4], "E", **where)  # type: ignore[arg-type]
    fresh = rows(2, [4, 1, 2, 6], "W", **where)  # type: ignore[arg-type]
    report = imported(written(tmp_path, there, fresh))
    assert ("table_abandoned", "ask") in [(code, what) for code, what, _ in said(report)]
    assert (report.accepted, stored(2), game().state) == (1, [], "abandoned")
    again = imported(written(tmp_path, there, name="again.csv"))
    assert CODE not in [code for code, _, _ in said(again)]


def test_stored_hand_may_be_corrected(evenings: Evenings, abandon: Callable[..., None]) -> None:
    abandon()
    hand(
        game(),
        1,
        [3, 3, 4, 3],
        1,
        based_on=1,
        reason="Swapped.",
        actor=evenings.cast.actor("hanna"),
    )
    assert (game().hands_counted, game().state) == (1, "abandoned")


def test_hand_that_does_not_count_is_restored_by_a_director_only(
    evenings: Evenings, abandon: Callable[..., None]
) -> None:
    file_disputed(
        by_tests(), game(), number=2, entry=counts([4, 1, 2, 5], 3), key=None, reason="Look."
    )
    abandon(hands_count=False)
    for number in (1, 2):
        assert Hand.objects.get(game=game(), number=number).state != "accepted"
        with pytest.raises(Forbidden):
            hand(
                game(), number, [4, 1, 2, 6], 3, based_on=1, reason="Counts.",
                actor=evenings.cast.actor("hanna"),
            )  # fmt: skip
    assert Entry.objects.filter(hand__game=game()).count() == 2
    hand(
        game(), 1, [4, 1, 2, 6], 3, based_on=1, reason="Counts.", actor=evenings.cast.actor("dirk")
    )
    assert game().hands_counted == 1


def test_cards_that_do_not_come_out_even_seat_nobody() -> None:
    cast = enter_the_cast()
    event = create_event(
        by_tests(), cast.riverside, name="Threes", variant="hearts",
        options={"removed_cards": {"3": ["3C"]}},
    )  # fmt: skip
    event = move_event(by_tests(), event, to="open")
    people = players(cast.riverside, "A A.", "B B.", "C C.", "D D.", "E E.")
    with pytest.raises(Refused) as refused:
        seat_table(by_tests(), event, round_number=1, players=people)
    (problem,) = refused.value.problems
    assert (problem.code, problem.at) == ("seat_count", ("players",))
    assert problem.message == "The 52 cards of these rules cannot be dealt evenly to 5 players."
    assert not Table.objects.exists()
    seat_table(by_tests(), event, round_number=1, players=people[:3])
    assert Table.objects.get().code == "r1t1"
