"""Likely causes: each mistake is made on random legal hands, and has to be found again."""

from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from scoring.cards import card_name
from scoring.engine.deal_points import Hand, unit_points
from scoring.entry.hand_reader import read_entry
from scoring.errors import Problem, Refused
from scoring.game.game import new_game
from scoring.game.score_hand import score
from scoring.numbers import Score, real, score_json
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import Prepared, prepare
from tests.support.answers import Json
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.play import HEARTS, problems
from tests.support.scoring.random_hands import Dealt, hands, settled

bounded = settings(
    deadline=None,
    max_examples=5,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)


def with_rules(fits: Callable[[Prepared], bool]) -> list[str]:
    found = []
    for variant in VARIANTS:
        rules = catalogue().rules(variant)
        if fits(prepare(rules, rules.keys.players[0])):
            found.append(variant)
    return found


PLAIN = with_rules(lambda ready: ready.plain)
CARDS = with_rules(lambda ready: not ready.keys.settle)
NAMED = with_rules(
    lambda ready: (
        ready.plain
        and not ready.keys.settle
        and any(
            ready.worth_of(1 << place) != ready.zero
            for place in range(len(ready.deck.cards))
            if (ready.named if ready.short_form else ready.counting) >> place & 1
        )
    )
)
HEARTS_ALIKE = with_rules(lambda ready: ready.plain and ready.short_form)
BONUS = with_rules(
    lambda ready: ready.plain and any(real(rule.value) < 0 for rule in ready.keys.values)
)
KITTY = with_rules(lambda ready: bool(ready.keys.deck.kitty))
CANCELLING = with_rules(lambda ready: ready.keys.same_card.rule == "cancel")
CHARGED = with_rules(lambda ready: bool(ready.keys.chargeable))
BOTH_WAYS = with_rules(
    lambda ready: any(
        "others" in slam.pay.mode or slam.pay.mode == "choose" for slam in ready.slams
    )
)


def refusal(dealt: Dealt, entry: Json) -> tuple[Problem, ...]:
    """The problems of the entry; a mistake that makes another legal hand is nobody's to find."""
    rules = dealt.rules
    state = new_game(rules, dealt.seats)
    found: tuple[Problem, ...] = ()
    try:
        score(rules, read_entry(entry, rules, dealt.seats, state.teams), state)
    except Refused as refused:
        found = refused.problems
    assume(found)
    return found


def texts(found: Sequence[Problem]) -> list[str]:
    assert found
    hinted = (hint for problem in found for hint in problem.suggestions)
    return [hint.text for hint in hinted if hint.code != "correction"]


def starts(found: Sequence[Problem]) -> list[str]:
    """The causes without the seat."""
    return [text.split(" (seat")[0] for text in texts(found)]


def points(dealt: Dealt, by_unit: Sequence[Score]) -> Json:
    return dealt.beside | {"points": [score_json(point) for point in by_unit]}


def ordinary(data: st.DataObject, variant: str) -> tuple[Dealt, list[Score]]:
    """A hand in which nobody shot, and its scores."""
    dealt = data.draw(hands(variant))
    hand = settled(dealt, dealt.entry, new_game(dealt.rules, dealt.seats))
    assume(hand.moon is None)
    return dealt, list(hand.scores)


def worth(dealt: Dealt, card: str) -> Score:
    return dealt.ready.worth_of(dealt.ready.deck.first[card])


def named(dealt: Dealt) -> list[str]:
    """The cards that stand on the sheet by themselves, those that are worth something."""
    hidden = dealt.ready.hearts if dealt.ready.short_form else 0
    names = dealt.ready.deck.names(dealt.ready.counting & ~hidden)
    return [card for card in names if worth(dealt, card) != dealt.ready.zero]


def holder(dealt: Dealt, card: str) -> int:
    return next(
        unit
        for unit, side in enumerate(dealt.sides)
        if any(card in dealt.piles[seat] for seat in side)
    )


@pytest.mark.parametrize("variant", HEARTS_ALIKE)
@bounded
@given(data=st.data())
def test_heart_too_few_or_many_in_points_is_found_first(variant: str, data: st.DataObject) -> None:
    dealt, scores = ordinary(data, variant)
    unit = data.draw(st.sampled_from([n for n, point in enumerate(scores) if point]))
    off = data.draw(st.sampled_from([1, -1]))
    scores[unit] = scores[unit] + dealt.ready.heart_value * off
    found = refusal(dealt, points(dealt, scores))
    assume(found[0].code == "wrong_total")
    expected = "one heart too many" if off > 0 else "one heart missing"
    assert starts(found)[0] == expected


@pytest.mark.parametrize("variant", NAMED)
@bounded
@given(data=st.data())
def test_named_card_twice_or_missing_is_found_in_points(variant: str, data: st.DataObject) -> None:
    dealt, scores = ordinary(data, variant)
    assume(named(dealt))
    card = data.draw(st.sampled_from(named(dealt)))
    twice = data.draw(st.booleans())
    unit = data.draw(st.integers(0, len(scores) - 1)) if twice else holder(dealt, card)
    scores[unit] = scores[unit] + (worth(dealt, card) if twice else -worth(dealt, card))
    found = refusal(dealt, points(dealt, scores))
    assume(found[0].code == "wrong_total")
    alike = [name for name in named(dealt) if worth(dealt, name) == worth(dealt, card)]
    several = len(dealt.ready.deck.copies[card]) > 1
    says = (
        "the {} counted twice"
        if twice
        else "one {} missing"
        if several
        else "the {} counted for nobody"
    )
    told = {text.replace(" or one like it", "") for text in starts(found)}
    assert {says.format(card_name(name)) for name in alike} & told


@pytest.mark.parametrize("variant", BONUS)
@bounded
@given(data=st.data())
def test_bonus_counted_the_other_way_is_found(variant: str, data: st.DataObject) -> None:
    dealt, scores = ordinary(data, variant)
    card = next(card for card in named(dealt) if worth(dealt, card) < 0)  # type: ignore[operator]
    unit = holder(dealt, card)
    scores[unit] = scores[unit] - worth(dealt, card) - worth(dealt, card)
    found = texts(refusal(dealt, points(dealt, scores)))
    told = any("wrong sign" in text or "the other way" in text for text in found[:2])
    assert told, (card, scores, found)


@pytest.mark.parametrize("variant", CARDS)
@bounded
@given(data=st.data())
def test_card_left_off_is_found_in_points_of_any_rules(variant: str, data: st.DataObject) -> None:
    dealt, scores = ordinary(data, variant)
    lost = data.draw(st.sampled_from(sorted(card for pile in dealt.piles for card in pile)))
    piles = [list(pile) for pile in dealt.piles]
    next(pile for pile in piles if lost in pile).remove(lost)
    scores = list(points_without(dealt, piles))
    found = refusal(dealt, points(dealt, scores))
    assume(found[0].code == "wrong_total")
    causes = texts(found)
    assert any("missing" in text or "for nobody" in text for text in causes), (lost, scores, causes)


def points_without(dealt: Dealt, piles: list[list[str]]) -> Iterator[Score]:
    """The points of piles that are not all the cards, as somebody counts them."""
    tricks = dealt.beside.get("tricks")
    for side in dealt.sides:
        pile = 0
        for seat in side:
            for card in piles[seat]:
                bits = dealt.ready.deck.copies[card]
                pile |= next(bit for bit in bits if not bit & pile)
        counted = sum(tricks[seat] for seat in side) if tricks else None
        declared = frozenset(dealt.beside.get("declared", ()))
        hand = Hand(pile, dealt.ready.counting, declared, False, counted)
        yield unit_points(dealt.ready, hand, (), None, None)


@pytest.mark.parametrize("variant", CHARGED)
@bounded
@given(data=st.data())
def test_charge_that_was_not_marked_is_found(variant: str, data: st.DataObject) -> None:
    dealt, scores = ordinary(data, variant)
    assume(dealt.beside.get("declared"))
    bare = {"points": [score_json(point) for point in scores]}
    found = texts(refusal(dealt, bare))
    charged = dealt.beside["declared"]
    assume(len(charged) == 1)
    assert any(
        card_name(charged[0]) in text and text.endswith("was charged, and is not marked as charged")
        for text in found
    )


@pytest.mark.parametrize("variant", BOTH_WAYS)
@bounded
@given(data=st.data())
def test_settlement_either_way_is_found_with_the_shooter(variant: str, data: st.DataObject) -> None:
    dealt = data.draw(hands(variant))
    state = new_game(dealt.rules, dealt.seats)
    hand = settled(dealt, dealt.entry, state, 1)
    assume(hand.moon is not None)
    unit = dealt.sides.index(hand.moon.by) if hand.moon else 0
    off = settled(dealt, dealt.entry, state, 0)  # the other way, where both are open
    shooter = -dealt.ready.slams[0].self_amount
    beside = dealt.ready.counting & ~dealt.ready.slams[0].needs
    assume(len({holder(dealt, card) for card in dealt.ready.deck.names(beside)}) <= 1)
    assume(hand.scores[unit] == dealt.ready.zero)  # nothing beside the moon
    scores = list(hand.scores)
    scores[unit] = off.scores[unit] if off != hand else shooter
    found = refusal(dealt, points(dealt, scores))
    assert texts(found)[0].startswith("both settlements: seat")
    assert found[0].suggestions[0].at == ("points", unit)


def missing(dealt: Dealt, cards: Sequence[str]) -> list[list[str]]:
    """The piles without these cards."""
    left = list(cards)
    piles = []
    for pile in dealt.piles:
        kept = []
        for card in pile:
            if card in left:
                left.remove(card)
            else:
                kept.append(card)
        piles.append(kept)
    return piles


def some(data: st.DataObject, dealt: Dealt, most: int) -> list[str]:
    number = data.draw(st.integers(1, most))
    return data.draw(st.randoms(use_true_random=True)).sample(dealt.cards, number)


@pytest.mark.parametrize("variant", KITTY)
@bounded
@given(data=st.data())
def test_kitty_given_to_nobody_is_found(variant: str, data: st.DataObject) -> None:
    dealt = data.draw(hands(variant))
    size = len(dealt.ready.deck.cards) - dealt.ready.hand_size * dealt.seats
    assume(size)
    lost = some(data, dealt, min(size, 8))
    listed = {"kitty": lost} if data.draw(st.booleans()) else {}
    entry = dealt.entry | {"taken": missing(dealt, lost)} | listed
    found = texts(refusal(dealt, entry))
    assert "the kitty counted for nobody" in found
    if listed or len(lost) == size > 1:
        assert found[0] == "the kitty counted for nobody"


@pytest.mark.parametrize("variant", CANCELLING)
@bounded
@given(data=st.data())
def test_cancelled_last_trick_with_nobody_is_found(variant: str, data: st.DataObject) -> None:
    dealt = data.draw(hands(variant))
    lost = some(data, dealt, dealt.seats)
    assume(len(lost) > 1)
    found = texts(refusal(dealt, dealt.entry | {"taken": missing(dealt, lost)}))
    assert "the cards of the last trick counted for nobody" in found


@pytest.mark.parametrize("variant", VARIANTS)
@bounded
@given(data=st.data())
def test_card_left_off_or_written_twice_is_named(variant: str, data: st.DataObject) -> None:
    dealt = data.draw(hands(variant))
    (card,) = some(data, dealt, 1)
    piles = missing(dealt, [card])
    found = starts(refusal(dealt, dealt.entry | {"taken": piles}))
    many = len(dealt.ready.deck.copies[card]) > 1
    said = [f"the {card_name(card)} counted for nobody", f"one {card_name(card)} missing"][many]
    assert found[0] == ("one heart missing" if card.endswith("H") else said)
    twice = [*dealt.piles[0], card], *dealt.piles[1:]
    assert texts(refusal(dealt, dealt.entry | {"taken": list(twice)}))[0] == (
        f"the {card_name(card)} counted twice"
    )


@pytest.mark.parametrize("variant", VARIANTS)
@bounded
@given(data=st.data())
def test_card_written_for_another_is_found(variant: str, data: st.DataObject) -> None:
    dealt = data.draw(hands(variant))
    one, other = data.draw(st.randoms(use_true_random=True)).sample(dealt.cards, 2)
    assume(one != other)
    piles = missing(dealt, [one])
    piles[next(seat for seat, pile in enumerate(dealt.piles) if one in pile)].append(other)
    found = refusal(dealt, dealt.entry | {"taken": piles})
    belongs = "a heart" if one.endswith("H") else f"the {card_name(one)}"
    assert texts(found)[0] == f"the {card_name(other)} written where {belongs} belongs"


@pytest.mark.parametrize(
    ("entry", "hints"),
    [
        ({"hearts": [12, 0, 0, 0], "taken": [[], ["QS"], ["QS"], []]},
         ["the queen of spades written where a heart belongs"]),
        ({"hearts": [7, 4, 1, 2], "taken": [["QS"], [], [], []]}, ["one heart too many"]),
        ({"hearts": [7, 4, 1, 1], "taken": [[], [], [], []]},
         ["the queen of spades counted for nobody"]),
        ({"taken": [HEARTS, ["QS"], [], []], "points": [13, 10, 0, 0]},
         ["seat E 13 instead of 10"]),
    ],
)  # fmt: skip
def test_wrong_sheet_names_its_likely_cause(entry: dict[str, object], hints: list[str]) -> None:
    assert texts(problems(entry))[: len(hints)] == hints


@pytest.mark.parametrize(
    ("points", "hints"),
    [
        ([12, 12, 2, 0], ["nobody has enough points for the queen of spades"]),
        ([27, -1, 0, 0], ["no cards make 27 for seat N", "no cards make −1 for seat E"]),
    ],
)
def test_right_total_that_cannot_be_says_what_is_wrong(points: list[int], hints: list[str]) -> None:
    assert texts(problems({"points": points})) == hints


@pytest.mark.parametrize(
    ("variant", "points", "hint"),
    [
        ("super-hearts", [7, 5, 5, 3], "the points of the cards; paid out it is −4, −2, −2, 8"),
        ("omnibus-hearts", [13, 13, 10, 0], "seat S −10 instead of 10: the wrong sign"),
        ("spot-hearts", [21, 25, 45, 29], "the nine of hearts counted for nobody"),
        ("hearts-kitty-4", [13, 11, 0, 0], "the kitty counted for nobody"),
        ("cancellation-hearts-3", [0, *[52] * 10],
         "78 for a moon under these rules, not 52"),
    ],
)  # fmt: skip
def test_points_of_other_rules_name_their_cause(variant: str, points: list[int], hint: str) -> None:
    assert texts(problems({"points": points}, variant, seats=len(points)))[0] == hint


def test_nothing_is_put_right_by_itself_and_few_causes_are_given() -> None:
    (problem,) = problems({"points": [0, -300, 0, 20]}, "gong-zhu")
    assert problem.code == "wrong_total"
    assert 1 < len(texts([problem])) <= 4
