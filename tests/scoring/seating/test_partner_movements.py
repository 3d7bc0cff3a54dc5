"""Whist, pairs and teams: every head-count, the claims counted again, and what is refused."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import Refused
from scoring.json_types import JsonDict
from scoring.seating.checker import faults_of_partners, opponent_counts, partner_counts
from scoring.seating.movements.plan_movement import movement_facts, plan_movement
from scoring.seating.movements.whist import published_movements, whist_set
from scoring.seating.plan_json import plan_as_json
from scoring.seating.requests import PlannedRound, Presence, SeatingPlan, SeatingRequest
from tests.support.lengths import short_or_long
from tests.support.scoring.plan_checker import faults_of_plan

EXACT = (
    4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29, 32, 33, 36, 37, 40, 41, 49, 53,
)  # fmt: skip
"""Head-counts from 4 to 60 with a full set in which all are partners once, opponents twice."""


def request(movement: str, players: int, rounds: int, **more: object) -> SeatingRequest:
    fields = {"seed": 5} | more
    return SeatingRequest(tuple(range(1, players + 1)), rounds, movement=movement, **fields)  # type: ignore[arg-type]


def faults(asked: SeatingRequest) -> tuple[SeatingPlan, tuple[str, ...]]:
    plan = plan_movement(asked)
    document: JsonDict = plan_as_json(plan)
    return plan, (*faults_of_plan(asked, plan), *faults_of_partners(document, plan.rounds))


@pytest.mark.parametrize("players", EXACT)
def test_whist_of_a_full_set_has_each_partner_once_and_each_opponent_twice(players: int) -> None:
    rounds = [
        PlannedRound(tuple((a, c, b, d) for a, b, c, d in tables)) for tables in whist_set(players)
    ]
    pairs = players * (players - 1) // 2
    assert (len(partner_counts(rounds)), set(partner_counts(rounds).values())) == (pairs, {1})
    assert (len(opponent_counts(rounds)), set(opponent_counts(rounds).values())) == (pairs, {2})


def test_published_movements_have_sources_and_balanced_sit_outs() -> None:
    for players, movement in published_movements().items():
        assert movement.source
        out: Counter[int] = Counter(dict.fromkeys(range(players), 0))
        rounds = movement.rounds()
        assert len(rounds) == movement.full_set == players - (players % 4 == 0)
        for tables in rounds:
            seated = [point for table in tables for point in table]
            assert len(set(seated)) == len(seated) == players - players % 4
            out.update(set(range(players)) - set(seated))
            assert max(out.values()) - min(out.values()) <= 1, players


@pytest.mark.parametrize("players", [*range(4, 61, short_or_long(7, 1))])
def test_no_head_count_of_whist_is_refused(players: int) -> None:
    plan, found = faults(request("whist", players, short_or_long(6, 20), moves=3000))
    assert found == ()
    assert plan.cost.sit_out_spread <= 1
    assert {len(round_.sitting_out) for round_ in plan.rounds} == {players % 4}


@pytest.mark.parametrize("variation", ["all_play_all", "mitchell"])
def test_pairs_meet_once_on_sides_that_differ_by_one(variation: str) -> None:
    for pairs in range(2, 31, short_or_long(3, 1)):
        length = movement_facts("pairs", pairs, variation=variation).rounds
        plan, found = faults(request("pairs", 2 * pairs, length, variation=variation))
        assert found == (), pairs
        assert plan.figures is not None
        assert (plan.figures.opponent_excess, plan.cost.sit_out_spread <= 1) == (0, True)
        if variation == "all_play_all":
            assert plan.cost.repeats == (length - 1) * 2 * (pairs // 2) or pairs % 2
            sides = Counter(
                (player, seat % 2)
                for planned in plan.rounds
                for table in planned.tables
                for seat, player in enumerate(table)
            )
            widest = max(abs(sides[one, 0] - sides[one, 1]) for one in range(1, 2 * pairs + 1))
            assert widest <= 1, pairs


@pytest.mark.parametrize("variation", ["one_table", "two_tables"])
def test_teams_meet_once_and_each_match_has_its_tables(variation: str) -> None:
    tables = 1 if variation == "one_table" else 2
    for teams in range(2, 21, short_or_long(3, 1)):
        rounds = movement_facts("teams", teams).rounds
        plan, found = faults(request("teams", 4 * teams, rounds, variation=variation))
        assert found == (), teams
        for planned in plan.rounds:
            assert [len(match.tables) for match in planned.matches] == [tables] * (teams // 2)
        met = Counter(frozenset(match.units) for round_ in plan.rounds for match in round_.matches)
        assert (len(met), set(met.values())) == (teams * (teams - 1) // 2, {1})


def test_team_short_of_a_player_has_a_match_without_tables() -> None:
    plan, found = faults(request("teams", 8, 2, presence={8: Presence(2)}, variation="two_tables"))
    assert found == ()
    assert [match.tables for match in plan.rounds[0].matches] == [()]
    assert (plan.rounds[0].tables, plan.rounds[0].sitting_out) == ((), (1, 2, 3, 4, 5, 6, 7))
    assert [match.tables for match in plan.rounds[1].matches] == [(1, 2)]


def test_fixed_player_of_a_team_sits_at_that_table_of_the_match() -> None:
    for player in range(1, 9):
        for table in (1, 2):
            seats, found = faults(
                request("teams", 8, 1, fixed_tables={player: table}, variation="two_tables")
            )
            assert found == ()
            assert player in seats.rounds[0].tables[table - 1], (player, table)


@st.composite
def requests(draw: st.DrawFn) -> SeatingRequest:
    movement = draw(st.sampled_from(["whist", "pairs", "teams"]))
    size = {"whist": 1, "pairs": 2, "teams": draw(st.integers(2, 4))}[movement]
    players = tuple(range(1, size * draw(st.integers(4 if size == 1 else 2, 24 // size)) + 1))
    lot = draw(st.permutations(players))
    units = tuple(lot[at : at + size] for at in range(0, len(lot), size)) if size > 1 else ()
    late = draw(st.dictionaries(st.sampled_from(players), st.just(Presence(2)), max_size=1))
    variation = draw(st.sampled_from(["", "mitchell"])) if movement == "pairs" else ""
    return request(
        movement, len(players), draw(st.integers(1, 6)), units=tuple(map(tuple, units)),
        variation=variation, presence={} if len(players) < 9 else late, moves=500,
        seed=draw(st.integers(0, 2**32)),
    )  # fmt: skip


@given(requests())
def test_nobody_is_twice_in_a_round_and_claims_hold(asked: SeatingRequest) -> None:
    assert faults(asked)[1] == ()


@given(requests(), st.randoms(use_true_random=False))
def test_order_of_entry_changes_nothing_but_lots(asked: SeatingRequest, lots: object) -> None:
    players = list(asked.players)
    lots.shuffle(players)  # type: ignore[attr-defined]
    other = plan_movement(replace(asked, players=tuple(players)))
    assert plan_as_json(other) == plan_as_json(plan_movement(asked))
    turned = plan_movement(replace(asked, units=asked.units[::-1]))
    assert turned.figures == plan_movement(asked).figures


def test_checker_finds_partners_that_changed_and_figures_that_are_wrong() -> None:
    plan = plan_movement(request("pairs", 8, 3))
    document = plan_as_json(plan)
    (a, b, c, d), *others = plan.rounds[0].tables
    wrong = PlannedRound(((b, a, c, d), *others))
    assert faults_of_partners(document, (wrong, *plan.rounds[1:])) == (
        "Round 1, table 1: partners are not of one pair or team.",
    )
    assert faults_of_partners(document | {"full_set": 4}, plan.rounds) == (
        "full_set is 4 in the plan; the rounds have 3.",
    )
    whist = plan_movement(request("whist", 8, 7))
    again = (*whist.rounds[:6], whist.rounds[0])
    assert faults_of_partners(plan_as_json(whist), again) == (
        "partner_excess is 0 in the plan; the rounds have 4.",
        "opponent_excess is 0 in the plan; the rounds have 4.",
    )


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (request("whist", 3, 1), "too_few_to_seat"),
        (request("whist", 8, 0), "bad_round_count"),
        (request("whist", 8, 3, sizes=(3, 5)), "no_tables_of_four"),
        (request("whist", 8, 3, together=((1, 2),)), "together_not_in_whist"),
        (request("whist", 8, 3, variation="mitchell"), "unknown_variation"),
        (request("pairs", 9, 3), "players_left_over"),
        (request("pairs", 2, 3), "too_few_in_movement"),
        (request("pairs", 5, 3, units=((1, 2), (3, 4, 5))), "pair_of_another_size"),
        (request("pairs", 5, 3, units=((1, 2), (3, 4))), "player_without_unit"),
        (request("pairs", 4, 3, units=((1, 2), (3, 4), (4, 1))), "player_in_two_units"),
        (request("teams", 7, 3, units=((1, 2, 3, 4), (5, 6, 7)), variation="two_tables"),
         "team_too_small"),
        (request("teams", 9, 3), "players_left_over"),
    ],
)  # fmt: skip
def test_request_that_no_movement_can_meet_is_refused(asked: SeatingRequest, code: str) -> None:
    with pytest.raises(Refused) as refused:
        plan_movement(asked)
    assert {problem.code for problem in refused.value.problems} == {code}
    assert all(problem.message for problem in refused.value.problems)


def test_odd_number_of_players_gets_proposals() -> None:
    with pytest.raises(Refused) as refused:
        plan_movement(request("pairs", 9, 3))
    assert refused.value.problems[0].message == (
        "9 players cannot be divided into pairs of 2: 1 left over. Add 1, leave 1 out, or use "
        "whist, where partners change."
    )


def test_facts_of_a_movement_are_known_before_it_is_planned() -> None:
    facts = movement_facts("pairs", 7, variation="mitchell")
    assert (facts.rounds, facts.tables, facts.sitting_out, facts.is_exact) == (4, 3, 1, True)
    with pytest.raises(Refused, match="too_few_in_movement"):
        movement_facts("teams", 1)
