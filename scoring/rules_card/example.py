"""The worked example of a rules card: hands made up here, scored by the engine, and why.

Pure. No number of it is written down anywhere: it changes with the rules.
"""

from collections.abc import Iterator, Sequence

from scoring.diagnosis.shooter_hypotheses import sum_of
from scoring.engine.adjust import bonus_sum
from scoring.engine.check_sheet import capture
from scoring.engine.melds import meld_points, rounded, trick_points
from scoring.engine.modifiers import Hand, apply, changed_values, is_met
from scoring.entry.entry import read_entry
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand
from scoring.game.deal_points import deal_points, hand_of
from scoring.game.game import GameState, new_game, play
from scoring.numbers import Complex, Score
from scoring.rules.compiled_rules import Prepared, ReadyModifier, ReadySlam, ValueClass, prepare
from scoring.rules.dealing import uneven
from scoring.rules.rules import Rules
from scoring.rules_card.counting import only_clean
from scoring.rules_card.deals import Deal, ordinary, shot, with_melds
from scoring.rules_card.parts import Row, Section, Text
from scoring.rules_card.wording import (
    in_order,
    joined,
    make_sentence,
    points,
    sign,
    signed,
    some_cards,
)


def example(rules: Rules, seats: int) -> Section | None:
    """A hand without a moon seat by seat, then a moon in each way it may be settled.

    None where these rules cannot be dealt to so many.
    """
    if uneven(rules, seats):
        return None
    ready, state = prepare(rules, seats), new_game(rules, seats)
    if rules.keys.melds:
        rows = list(_with_melds(ready, state))
        return Section("example", make_sentence("A worked example"), tuple(rows))
    rows = list(_ordinary(ready, state))
    slam = next(
        (slam for slam in ready.slams if slam.slam.all_tricks == "no"),
        ready.slams[0] if ready.slams else None,
    )
    if slam is not None:
        rows += _moon(ready, slam, state)
    return Section("example", make_sentence("A worked example"), tuple(rows))


def _ordinary(ready: Prepared, state: GameState) -> Iterator[Row]:
    deal = ordinary(ready)
    captured, _ = capture(read_entry(deal.entry, ready.rules, ready.seats))
    hand, after = play(ready.rules, state, deal.entry, open_ended=True)
    booked, lives = hand.scores, after.lives
    before = deal_points(ready, captured, state, None, None)
    if captured.declared:
        cards = tuple(sign(card) for card in sorted(captured.declared))
        yield Row(
            "example-charged", make_sentence("Charged"), (make_sentence("{cards}", cards=cards),)
        )
    for units in _alike(captured, booked):
        unit = units[0]
        sentence = _took(ready, captured, unit)
        number = points(before[unit])
        worked = number if only_clean(ready.keys) else _worked(ready, captured, unit)
        if worked.endswith(f"→ {number}"):
            sentence = make_sentence("{took}: {sum}", took=sentence, sum=worked)
        elif worked != number:
            sentence = make_sentence("{took}: {sum} = {n}", took=sentence, sum=worked, n=number)
        elif ready.keys.settle is not None and not only_clean(ready.keys):
            sentence = make_sentence("{took}: {n} in cards", took=sentence, n=number)
        if lives and lives[unit] < state.lives[unit]:
            sentence = make_sentence("{took}; a life is lost", took=sentence)
        yield Row(f"example-{unit}", _names(deal, ready, units), (sentence,), points(booked[unit]))


def _with_melds(ready: Prepared, state: GameState) -> Iterator[Row]:
    """A hand with a few melds: what each seat showed, its trick points, and the sum."""
    entry = with_melds(ready)
    typed = read_entry(entry, ready.rules, ready.seats)
    booked = play(ready.rules, state, entry, open_ended=True)[0].scores
    named = {meld.id: meld.name for meld in ready.keys.melds}
    names, tricks, melds = seat_names(ready.seats), trick_points(typed), meld_points(typed)
    for seat, score in enumerate(booked):
        shown = tuple(named[meld] for meld in typed.melds[seat])
        kept = rounded(tricks[seat], ready.keys.rounding)
        facts = {
            "melds": shown or make_sentence("no meld"), "tricks": str(tricks[seat]),
            "sum": _added([str(melds[seat]), str(kept)]), "n": points(score),
        }  # fmt: skip
        sentence = make_sentence("{melds}; {tricks} trick points: {sum} = {n}", **facts)
        yield Row(f"example-{seat}", names[seat], (sentence,), points(score))


def _alike(captured: CapturedHand, booked: Sequence[Score]) -> list[tuple[int, ...]]:
    """The units one by one, but those that took nothing together."""
    found: dict[object, tuple[int, ...]] = {}
    for unit, pile in enumerate(captured.piles):
        tricks = captured.tricks[unit] if captured.tricks else None
        pledges = captured.pledges[unit] if captured.pledges else ()
        key = unit if pile else (booked[unit], tricks, pledges)
        found[key] = (*found.get(key, ()), unit)
    return list(found.values())


def _names(deal: Deal, ready: Prepared, units: Sequence[int]) -> Text:
    names = seat_names(ready.seats)
    seats = tuple(names[seat] for unit in units for seat in deal.sides[unit])
    if not names[0].isdigit():
        return make_sentence("{seats}", seats=seats)
    return make_sentence("seat {seats}" if len(seats) == 1 else "seats {seats}", seats=seats)


def _took(ready: Prepared, captured: CapturedHand, unit: int) -> Text:
    cards = some_cards(ready.deck, captured.piles[unit], ready.hearts if ready.short_form else 0)
    took: Text = cards
    if captured.tricks is not None:
        number = captured.tricks[unit]
        words = {0: "{cards}, no trick", 1: "{cards} in one trick"}
        took = make_sentence(words.get(number, "{cards} in {n} tricks"), cards=cards, n=number)
    if captured.pledges and captured.pledges[unit]:
        return make_sentence("{took}, after a pledge", took=took)
    return took


def _worked(ready: Prepared, captured: CapturedHand, unit: int) -> str:
    """The sum as one would write it: the cards' points, then what changes them, in order."""
    hand = hand_of(ready, captured, unit, None)
    classes: Sequence[ValueClass] = ready.worth
    if ready.card_modifiers:
        classes = changed_values(ready.classes, ready.card_modifiers, hand)
    piles = [(mask & hand.pile, value) for mask, value in classes if mask & hand.pile]
    terms = [
        value * pile.bit_count()
        for pile, value in sorted(piles, key=lambda item: in_order(ready.deck, item[0]))
        if value != ready.zero
    ]
    if ready.keys.trick_value and hand.tricks:
        terms.append(ready.keys.trick_value * hand.tricks)
    text = _added([points(term) for term in terms])
    total = sum_of([ready.zero, *terms])
    for modifier in ready.sum_modifiers:
        if is_met(modifier.when, hand):
            before, total = total, apply(modifier.op, total, modifier.by)
            text = _changed(text, modifier, changes=before != total)
    bonus = _bonus(ready, captured, hand, unit)
    return text if bonus == ready.zero else _added([text, points(bonus)])


def _added(terms: Sequence[str]) -> str:
    """Terms with a plus or minus between them.

    >>> _added(["5", "−10", "13i"]), _added([])
    ('5 − 10 + 13i', '0')
    """
    text = terms[0] if terms else "0"
    for term in terms[1:]:
        text += f" − {term[1:]}" if term.startswith("−") else f" + {term}"
    return text


def _changed(text: str, modifier: ReadyModifier, *, changes: bool) -> str:
    by = points(modifier.by)
    if modifier.op == "set" or (modifier.op == "floor" and changes):
        return f"{text} → {by}"
    if modifier.op == "floor":
        return text
    if modifier.op == "add":
        return _added([text, by])
    inner = f"({text})" if " " in text and not text.endswith(")") else text
    mixed = isinstance(modifier.by, Complex) and modifier.by.re and modifier.by.im
    return f"{inner} × {f'({by})' if mixed else by}"


def _bonus(ready: Prepared, captured: CapturedHand, hand: Hand, unit: int) -> Score:
    pledges = captured.pledges[unit] if captured.pledges else ()
    return bonus_sum(hand.pile, pledges, ready.bonuses, lambda when: is_met(when, hand), ready.zero)


def _moon(ready: Prepared, slam: ReadySlam, state: GameState) -> Iterator[Row]:
    """One row for each settlement that is open to the shooter in a first hand."""
    deal = shot(ready, slam)
    pay = slam.pay
    choices = ("self", "others") if pay.mode == "choose" and pay.self_from is None else (None,)
    who = _names(deal, ready, [0])
    for choice in choices:
        entry = deal.entry if choice is None else deal.entry | {"slam_choice": choice}
        booked = play(ready.rules, state, entry, open_ended=True)[0].scores
        heading = {
            "self": make_sentence("Moon of {who}, taken off", who=who),
            "others": make_sentence("Moon of {who}, given to the others", who=who),
            None: make_sentence("Moon of {who}", who=who),
        }[choice]
        yield Row(
            f"example-moon-{choice}",
            heading,
            tuple(_booked(deal, ready, booked, pay.mode == "win_match")),
        )


def _booked(deal: Deal, ready: Prepared, booked: Sequence[Score], wins: bool) -> Iterator[Text]:
    beside = deal.piles[1] & ready.counting
    if beside:
        cards = some_cards(ready.deck, beside, ready.hearts if ready.short_form else 0)
        yield make_sentence("{who} took {cards}.", who=_names(deal, ready, [1]), cards=cards)
    groups: dict[Score, list[int]] = {}
    for unit, score in enumerate(booked):
        groups.setdefault(score, []).append(unit)
    parts = [
        make_sentence("{who}: {n}", who=_names(deal, ready, units), n=signed(score))
        for score, units in groups.items()
    ]
    yield make_sentence("{scores}.", scores=joined("{these}; {those}", parts))
    if wins:
        yield make_sentence("The game is over.")
