"""Shooting the moon and the sun: who shot, which settlements are open, what each pays."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from scoring.entry.hand_reader import read_entry
from scoring.errors import Refused
from scoring.game.game import GameState, HandScore, new_game, play
from scoring.numbers import score_json
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import Prepared, ReadySlam, prepare
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.play import HEARTS, MOON, PLAIN, played, problems, refused, scored
from tests.support.scoring.random_hands import option_sets

OTHERS: dict[str, Any] = MOON | {"slam_choice": "others"}
SELF: dict[str, Any] = MOON | {"slam_choice": "self"}
ALL_TRICKS = {"tricks": [13, 0, 0, 0]}
CLOSE = {"start_totals": [90, 95, 63, 70]}
ABOUT_MOONS = ("moon", "new_moon_from", "sun", "spare_partner", "big_moon")
TOTALS = 45


@pytest.mark.parametrize(
    ("options", "entry", "expected"),
    [
        ({"moon": "others"}, OTHERS, [0, 26, 26, 26]),
        ({"moon": "others-unless-shooter-loses"}, MOON, [0, 26, 26, 26]),
        ({"moon": "others-unless-other-wins"}, OTHERS, [0, 26, 26, 26]),
        ({"moon_amount": 30}, SELF, [-30, 0, 0, 0]),
        ({"moon_amount": 30}, OTHERS, [0, 30, 30, 30]),
        ({"moon_self_amount": 16}, SELF, [-16, 0, 0, 0]),
        ({"moon_self_amount": 16}, OTHERS, [0, 26, 26, 26]),
        ({"queen_of_spades": 7}, OTHERS, [0, 20, 20, 20]),
        ({"moon_needs_all_tricks": False}, OTHERS, [0, 26, 26, 26]),
        ({"sun": "double"}, SELF | ALL_TRICKS, [-52, 0, 0, 0]),
        ({"sun": "double"}, SELF | {"tricks": [12, 0, 1, 0]}, [-26, 0, 0, 0]),
        ({"pledge": True}, OTHERS | {"pledges": ["no-hearts", "no-hearts", None, None]},
         [10, 16, 26, 26]),
        ({"ten_of_clubs": "double"}, {"taken": [[*HEARTS, "QS"], ["10C"], [], []],
         "slam_choice": "others"}, [0, 52, 26, 26]),
        ({"bonus_floor": "hand"}, SELF, [0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_moon_pays_what_the_option_says(options: Json, entry: Json, expected: list[int]) -> None:
    assert scored(entry, **options) == expected


def test_sun_without_the_first_trick_needs_that_trick_to_be_the_lost_one() -> None:
    lost_one = OTHERS | {"tricks": [12, 1, 0, 0]}
    option: dict[str, Any] = {"sun": "double-except-first"}
    assert scored(lost_one | {"first_trick_by": 1}, **option) == [0, 52, 52, 52]
    assert scored(lost_one | {"first_trick_by": 0}, **option) == [0, 26, 26, 26]
    assert scored(OTHERS | ALL_TRICKS, **option) == [0, 52, 52, 52]
    assert refused(lost_one, **option) == ["tricks_needed"]
    assert refused(OTHERS, **option) == ["tricks_needed"]


@pytest.mark.parametrize(
    ("options", "entry", "code"),
    [
        ({}, MOON, "choice_required"),
        ({"moon": "others"}, SELF, "choice_forbidden"),
        ({"moon": "self"}, OTHERS, "choice_forbidden"),
        ({"moon": "void"}, OTHERS, "choice_forbidden"),
        ({"moon": "face"}, SELF, "choice_forbidden"),
        ({"moon": "none"}, SELF, "choice_forbidden"),
        ({"moon": "others-then-continue"}, SELF, "choice_forbidden"),
        ({"moon": "others-unless-shooter-loses"}, SELF, "choice_forbidden"),
        ({"moon": "others-unless-other-wins"}, SELF, "choice_forbidden"),
        ({}, MOON | {"slam_choice": "both"}, "choice_forbidden"),
        ({}, PLAIN | {"slam_choice": "self"}, "choice_forbidden"),
        ({}, OTHERS | {"shooter": 1}, "wrong_shooter"),
        ({}, PLAIN | {"shooter": 1}, "wrong_shooter"),
        ({}, OTHERS | {"shooter": 7}, "wrong_shooter"),
        ({}, OTHERS | {"shooter": True}, "wrong_shooter"),
        ({"sun": "double"}, OTHERS, "tricks_needed"),
        ({"moon_needs_all_tricks": True}, OTHERS, "tricks_needed"),
        ({"no_trick_bonus": -5}, PLAIN, "tricks_needed"),
    ],
)
def test_moon_that_is_settled_otherwise_is_refused(options: Json, entry: Json, code: str) -> None:
    assert refused(entry, **options)[0] == code


def test_open_choice_names_each_settlement_with_its_scores() -> None:
    (problem,) = problems(MOON)
    assert problem.message == (
        "Seat N took everything. How is it settled? Take 26 off seat N or give 26 to each other?"
    )
    assert [
        (hint.facts["choice"], hint.facts["scores"], hint.facts["by"])
        for hint in problem.suggestions
    ] == [("self", [-26, 0, 0, 0], [0]), ("others", [0, 26, 26, 26], [0])]


def test_old_moon_that_would_lose_may_be_taken_off_but_need_not() -> None:
    option: dict[str, Any] = {"moon": "others-unless-shooter-loses", "start": CLOSE}
    assert scored(MOON, **option) == [-26, 0, 0, 0]
    assert scored(SELF, **option) == [-26, 0, 0, 0]
    assert scored(OTHERS, **option) == [0, 26, 26, 26]


def test_old_moon_that_makes_another_win_must_be_taken_off() -> None:
    option: dict[str, Any] = {"moon": "others-unless-other-wins", "start": CLOSE}
    assert scored(MOON, **option) == [-26, 0, 0, 0]
    assert refused(OTHERS, **option) == ["choice_forbidden"]


def test_moon_that_stands_keeps_the_game_open_once() -> None:
    _, state = played(MOON, start=CLOSE, moon="others-then-continue")
    assert state.totals == (90, 121, 89, 96)
    assert state.held_open


def test_new_moon_waits_for_its_score() -> None:
    option: dict[str, Any] = {"new_moon_from": {"score": 50, "who": "self"}}
    start = {"start_totals": [49, 90, 0, 0]}
    assert refused(SELF, start=start, **option) == ["choice_forbidden"]
    assert scored(MOON, start=start, **option) == [0, 26, 26, 26]


@pytest.mark.parametrize(
    ("options", "entry", "expected"),
    [
        ({}, {"hearts": [13, 0, 0, 0], "taken": [["QS", "JD"], [], [], []],
              "slam_choice": "self"}, [-36, 0, 0, 0]),
        ({}, {"hearts": [13, 0, 0, 0], "taken": [["QS", "JD"], [], [], []],
              "slam_choice": "others"}, [-10, 26, 26, 26]),
        ({"moon": "void"}, {"hearts": [13, 0, 0, 0], "taken": [["QS"], ["JD"], [], []]},
         [0, -10, 0, 0]),
        ({"bonus_floor": "hand"}, {"hearts": [3, 5, 5, 0], "taken": [["QS"], ["JD"], [], []]},
         [16, 0, 5, 0]),
        ({"sun": "double"}, {"hearts": [13, 0, 0, 0], "taken": [["QS", "JD"], [], [], []],
              "slam_choice": "others"} | ALL_TRICKS, [-10, 52, 52, 52]),
        ({"moon_needs": "*H,QS,JD"}, {"hearts": [13, 0, 0, 0],
              "taken": [["QS"], ["JD"], [], []]}, [26, -10, 0, 0]),
    ],
)  # fmt: skip
def test_bonus_card_counts_beside_the_moon(
    options: dict[str, object], entry: dict[str, object], expected: list[int]
) -> None:
    assert scored(entry, "omnibus-hearts", **options) == expected


def test_moon_made_is_told_with_seat_and_settlement() -> None:
    made = played(OTHERS)[0].moon
    assert made is not None
    assert (made.id, made.by, made.choice, made.inferred) == ("moon", (0,), "others", False)
    assert played(PLAIN)[0].moon is None


class Moon(NamedTuple):
    """A slam that somebody shot, with the cards beside it at one seat."""

    rules: Rules
    ready: Prepared
    state: GameState
    slam: ReadySlam
    entry: dict[str, Any]

    def played(self, **more: object) -> tuple[HandScore, GameState]:
        return self.scored(self.entry | more)

    def scored(self, entry: Json) -> tuple[HandScore, GameState]:
        typed = read_entry(entry, self.rules, self.ready.seats, self.state.teams)
        assert typed.as_json() == entry  # kept as it was typed
        return play(self.rules, self.state, typed)


def moons(variant: str) -> Iterator[Moon]:
    """Every slam under every option about moons, cards beside it with the shooter or another."""
    for options in option_sets(variant):
        if options and not next(iter(options)).startswith(ABOUT_MOONS):
            continue
        rules = catalogue().rules(variant, options)
        seats = rules.keys.players[0]
        ready = prepare(rules, seats)
        state = new_game(rules, seats, start_totals=[TOTALS] * len(new_game(rules, seats).totals))
        for slam in ready.slams:
            beside = ready.deck.names(ready.counting & ~slam.needs)
            for holder in (seats - 1, 0) if beside or slam.slam.all_tricks != "no" else (0,):
                yield Moon(rules, ready, state, slam, entry_of(ready, slam, holder))


def entry_of(ready: Prepared, slam: ReadySlam, holder: int) -> Json:
    shooter = ready.seats - 1
    piles: list[list[str]] = [[] for _ in range(ready.seats)]
    piles[shooter] += ready.deck.names(slam.needs)
    piles[holder] += ready.deck.names(ready.counting & ~slam.needs)
    entry: dict[str, Any] = {"taken": piles}
    if ready.wants_tricks:
        tricks = [0] * ready.seats
        lost = 2 if slam.slam.all_tricks == "no" else int(holder != shooter)
        tricks[holder if holder != shooter else 0] = lost
        tricks[shooter] = ready.hand_size - lost
        entry |= {"tricks": tricks, "first_trick_by": 0 if lost == 1 else shooter}
    return entry


def ways(moon: Moon) -> list[tuple[HandScore, GameState]]:
    """The hand settled in each way that is open: the only one, or each that is asked about."""
    try:
        return [moon.played()]
    except Refused as refused:
        (problem,) = refused.problems
    assert (problem.code, problem.at) == ("choice_required", ("slam_choice",))
    settled = [moon.played(slam_choice=choice) for choice in problem.facts["choices"]]
    assert len(settled) > 1
    said = [(hint.code, hint.facts["scores"], hint.facts["totals"]) for hint in problem.suggestions]
    assert said == [
        ("settle", list(map(score_json, hand.scores)), list(map(score_json, after.totals)))
        for hand, after in settled
    ]
    return settled


def recognised(moon: Moon, hand: HandScore) -> str:
    """Whether the settlement, written as points, tells the moon; else why not."""
    points = {"points": [score_json(score) for score in hand.scores]}
    try:
        told, _ = moon.scored(points)
    except Refused as refused:
        (problem,) = refused.problems
        assert (problem.code, problem.facts) == ("choice_required", {"unknown": True})
        assert list(moon_by(hand)) in [list(hint.facts["by"]) for hint in problem.suggestions]
        return "it is asked who shot"
    assert (told.scores, told.verified) == (hand.scores, "sum")
    if told.moon is None:
        return "a hand without a moon makes these points too"
    if not told.moon.by:
        return "it pays nobody"
    assert told.moon.inferred
    if told.moon.by != moon_by(hand):
        return "somebody else"
    same = (told.moon.id, told.moon.choice) == (hand.moon and hand.moon.id, choice_of(hand))
    return "" if same else "another slam pays the same"


def moon_by(hand: HandScore) -> tuple[int, ...]:
    return hand.moon.by if hand.moon else ()


def choice_of(hand: HandScore) -> str | None:
    return hand.moon.choice if hand.moon else None


REGISTER = {
    "it pays nobody": "void, or taken off where cards are worth nothing",
    "it is asked who shot": "slate and a won match pay nobody, but who shot decides the game",
    "another slam pays the same": "a punished sun without a passer pays like a moon",
    "a hand without a moon makes these points too": "the plainer story is booked",
}

PLAINER = {
    "black-lady-low-hand", "black-lady-sweepstakes", "four-jacks", "gong-zhu", "gong-zhu-exposed",
    "golden-ten", "hearts-chip-pool", "hearts-traditional", "huse-hearts-two",
    "partnership-hearts-pooled", "super-hearts",
}  # fmt: skip

WITH_MOONS = [variant for variant in VARIANTS if next(moons(variant), None)]


@pytest.mark.parametrize("variant", WITH_MOONS)
def test_open_moon_is_asked_and_a_written_settlement_is_recognised(variant: str) -> None:
    told = 0
    for moon in moons(variant):
        for hand, _ in ways(moon):
            if hand.moon is None or moon.slam.pay.mode == "face":
                continue
            why = recognised(moon, hand)
            told += not why
            assert not why or why in REGISTER, (moon.rules.options, moon.entry, hand)
            if why.startswith("a hand without"):
                assert variant in PLAINER, (moon.rules.options, moon.entry, hand.scores)
    assert told or variant in PLAINER


def test_all_variants_with_a_moon_of_their_own_are_looked_at() -> None:
    own = [variant for variant in VARIANTS if catalogue().rules(variant).keys.slams]
    assert len(own) == 38
    assert set(own) <= set(WITH_MOONS)
