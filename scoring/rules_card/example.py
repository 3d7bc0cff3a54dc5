"""The worked example of a rules card: hands made up here, scored by the engine, and why."""

from collections.abc import Iterator, Sequence

from scoring.cards import bits_of
from scoring.engine.check_sheet import capture
from scoring.engine.deal_points import (
    apply,
    bonus_sum,
    changed_values,
    deal_points,
    hand_of,
    is_met,
)
from scoring.engine.melds import meld_points, rounded, trick_points
from scoring.entry.hand_reader import read_entry, unit_sides
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand
from scoring.game.game import GameState, new_game, play
from scoring.json_types import JsonDict
from scoring.numbers import Complex, Score, as_complex
from scoring.rules.compiled_rules import Prepared, ReadyModifier, ReadySlam, ValueClass
from scoring.rules.dealing import uneven
from scoring.rules_card.counting import only_clean
from scoring.rules_card.wording import (
    Row,
    Section,
    Sentence,
    Text,
    deck_order,
    joined,
    points,
    row,
    sign,
    signed,
    some_cards,
)

_SHARES = (5, 2, 6)
"""Shares of thirteen cards for the units that take any."""


def ordinary(ready: Prepared) -> JsonDict:
    """The entry of a hand in which nobody shoots."""
    units = len(unit_sides(ready.rules, ready.seats, None))
    takers = (0, 1) if units == 2 else tuple(unit for unit in range(min(units, 4)) if unit != 1)
    piles = [0] * units
    suits = dict.fromkeys(card[-1] for card in ready.deck.cards)
    masks = (ready.deck.mask(f"*{suit}") & ready.counting for suit in suits)
    suit = max(masks, key=int.bit_count)
    many = bits_of(suit)
    start = 0
    for place, taker in enumerate(takers):
        share = _SHARES[place % len(_SHARES)]
        if place == len(takers) - 1:
            end = len(many)
        else:
            end = start + -(-len(many) * share // 13)
        piles[taker] |= sum(many[start:end])
        start = min(end, len(many))
    dearest = sorted(
        bits_of(ready.counting & ~suit), key=lambda bit: -as_complex(ready.worth_of(bit)).norm
    )
    for place, bit in enumerate(dearest):
        doubler = ready.worth_of(bit) == ready.zero
        piles[takers[0] if doubler else takers[(place + 1) % len(takers)]] |= bit
    return _entry(ready, piles)


def shot(ready: Prepared, slam: ReadySlam) -> JsonDict:
    """The entry of a hand in which the first unit takes all that the slam needs."""
    sides = unit_sides(ready.rules, ready.seats, None)
    needs_tricks = slam.slam.all_tricks != "no"
    counting = ready.counting & ~ready.idle
    needs = counting if needs_tricks else slam.needs
    entry = _entry(ready, [needs, counting & ~needs, *[0] * (len(sides) - 2)])
    if ready.idle:
        entry["unclaimed"] = ready.deck.names(ready.idle)
    if needs_tricks:
        entry["tricks"] = [ready.hand_size] + [0] * (ready.seats - 1)
    elif ready.wants_tricks:
        entry["tricks"] = _tricks(ready, (sides[0][0], sides[1][0]))
    if slam.pay.mode == "punish":
        entry["passer"] = sides[1][0]
    return entry


def _entry(ready: Prepared, piles: Sequence[int]) -> JsonDict:
    by_seat = [0] * ready.seats
    for side, pile in zip(unit_sides(ready.rules, ready.seats, None), piles, strict=True):
        by_seat[side[0]] = pile
    entry: JsonDict = {"taken": [ready.deck.names(pile) for pile in by_seat]}
    if ready.wants_tricks:
        takers = [seat for seat, pile in enumerate(by_seat) if pile]
        entry["tricks"] = _tricks(ready, takers)
    if ready.keys.chargeable:
        entry["declared"] = [ready.keys.chargeable[0]]
    pledge = next((bonus.pledge for bonus in ready.keys.hand_bonus if bonus.pledge), None)
    if pledge:
        entry["pledges"] = [pledge if seat < 2 else None for seat in range(ready.seats)]
    return entry


def _tricks(ready: Prepared, takers: Sequence[int]) -> list[int]:
    """Tricks that match the piles: some for each of these seats, none for the others."""
    counts = [0] * ready.seats
    for trick in range(ready.hand_size):
        counts[takers[trick % len(takers)]] += 1
    return counts


def example(ready: Prepared) -> Section | None:
    """A hand without a moon seat by seat, then each settlement of one; None for an uneven deal."""
    if uneven(ready.rules, ready.seats):
        return None
    state = new_game(ready.rules, ready.seats)
    if ready.keys.melds:
        rows = list(_with_melds(ready, state))
    else:
        rows = list(_ordinary(ready, state))
        for slam in sorted(ready.slams, key=lambda slam: slam.slam.all_tricks != "no")[:1]:
            rows += _moon(ready, slam, state)
    return Section("example", Sentence("A worked example"), tuple(rows))


def _ordinary(ready: Prepared, state: GameState) -> Iterator[Row]:
    entry = ordinary(ready)
    captured, _ = capture(read_entry(entry, ready.rules, ready.seats))
    score, after = play(ready.rules, state, entry, open_ended=True)
    booked = score.scores
    lives = after.lives
    before = deal_points(ready, captured, state, None, None)
    if captured.declared:
        cards = tuple(sign(card) for card in sorted(captured.declared))
        yield row("example-charged", "Charged", Sentence("{cards}", cards=cards))
    for units in _alike(captured, booked):
        unit = units[0]
        sentence = _took(ready, captured, unit)
        number = points(before[unit])
        worked = number if only_clean(ready.keys) else _worked(ready, captured, unit)
        if worked.endswith(f"→ {number}"):
            sentence = Sentence("{took}: {sum}", took=sentence, sum=worked)
        elif worked != number:
            sentence = Sentence("{took}: {sum} = {n}", took=sentence, sum=worked, n=number)
        elif ready.keys.settle is not None and not only_clean(ready.keys):
            sentence = Sentence("{took}: {n} in cards", took=sentence, n=number)
        if lives and lives[unit] < state.lives[unit]:
            sentence = Sentence("{took}; a life is lost", took=sentence)
        yield Row(
            f"example-{unit}", _names(captured, ready, units), (sentence,), points(booked[unit])
        )


def _with_melds(ready: Prepared, state: GameState) -> Iterator[Row]:
    ids = [meld.id for meld in ready.keys.melds]
    share = ready.trick_total // ready.seats
    rest = ready.trick_total - share * (ready.seats - 1)
    entry = {
        "melds": [ids[seat :: ready.seats][:2] for seat in range(ready.seats)],
        "trick_points": [share + 12, *[share] * (ready.seats - 2), rest - 12],
    }
    hand = read_entry(entry, ready.rules, ready.seats)
    booked = play(ready.rules, state, entry, open_ended=True)[0].scores
    name_of = {meld.id: meld.name for meld in ready.keys.melds}
    names = seat_names(ready.seats)
    tricks = trick_points(hand)
    melds = meld_points(hand)
    for seat, score in enumerate(booked):
        meld_names = tuple(name_of[meld] for meld in hand.melds[seat])
        rounded_points = rounded(tricks[seat], ready.keys.rounding)
        facts = {
            "melds": meld_names or Sentence("no meld"),
            "tricks": str(tricks[seat]),
            "sum": _added([str(melds[seat]), str(rounded_points)]),
            "n": points(score),
        }
        sentence = Sentence("{melds}; {tricks} trick points: {sum} = {n}", **facts)
        yield Row(f"example-{seat}", names[seat], (sentence,), points(score))


def _alike(captured: CapturedHand, booked: Sequence[Score]) -> list[tuple[int, ...]]:
    """The units one by one, except that those that took nothing are grouped."""
    units_by_value: dict[object, tuple[int, ...]] = {}
    for unit, pile in enumerate(captured.piles):
        tricks = captured.tricks[unit] if captured.tricks else None
        pledges = captured.pledges[unit] if captured.pledges else ()
        key = unit if pile else (booked[unit], tricks, pledges)
        units_by_value[key] = (*units_by_value.get(key, ()), unit)
    return list(units_by_value.values())


def _names(captured: CapturedHand, ready: Prepared, units: Sequence[int]) -> Text:
    names = seat_names(ready.seats)
    seats = tuple(names[seat] for unit in units for seat in captured.sides[unit])
    if not names[0].isdigit():
        return Sentence("{seats}", seats=seats)
    return Sentence("seat {seats}" if len(seats) == 1 else "seats {seats}", seats=seats)


def _took(ready: Prepared, captured: CapturedHand, unit: int) -> Text:
    cards = some_cards(ready.deck, captured.piles[unit], ready.hearts if ready.short_form else 0)
    took = cards
    if captured.tricks is not None:
        number = captured.tricks[unit]
        words = {0: "{cards}, no trick", 1: "{cards} in one trick"}
        took = Sentence(words.get(number, "{cards} in {n} tricks"), cards=cards, n=number)
    if captured.pledges and captured.pledges[unit]:
        return Sentence("{took}, after a pledge", took=took)
    return took


def _worked(ready: Prepared, captured: CapturedHand, unit: int) -> str:
    """The sum as written by hand: the cards' points, then the modifiers, in order."""
    hand = hand_of(ready, captured, unit, None)
    classes: Sequence[ValueClass] = ready.worth
    if ready.card_modifiers:
        classes = changed_values(ready.classes, ready.card_modifiers, hand)
    piles = [(mask & hand.pile, value) for mask, value in classes if mask & hand.pile]
    terms = [
        value * pile.bit_count()
        for pile, value in sorted(piles, key=lambda item: deck_order(ready.deck, item[0]))
        if value != ready.zero
    ]
    if ready.keys.trick_value and hand.tricks:
        terms.append(ready.keys.trick_value * hand.tricks)
    text = _added([points(term) for term in terms])
    total = sum(terms, ready.zero)
    for modifier in ready.sum_modifiers:
        if is_met(modifier.when, hand):
            before, total = total, apply(modifier.op, total, modifier.by)
            text = _changed(text, modifier, changes=before != total)
    bonus = bonus_sum(ready, hand, captured.pledges[unit] if captured.pledges else ())
    if bonus == ready.zero:
        return text
    return _added([text, points(bonus)])


def _added(terms: Sequence[str]) -> str:
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
    if isinstance(modifier.by, Complex) and modifier.by.re and modifier.by.im:
        by = f"({by})"
    return f"{inner} × {by}"


_MOONS = {
    "self": "Moon of {who}, taken off",
    "others": "Moon of {who}, given to the others",
    None: "Moon of {who}",
}
"""Settlement → the heading of its row."""


def _moon(ready: Prepared, slam: ReadySlam, state: GameState) -> Iterator[Row]:
    moon = shot(ready, slam)
    pay = slam.pay
    captured, _ = capture(read_entry(moon, ready.rules, ready.seats))
    choices = ("self", "others") if pay.mode == "choose" and pay.self_from is None else (None,)
    for choice in choices:
        entry = moon if choice is None else moon | {"slam_choice": choice}
        booked = play(ready.rules, state, entry, open_ended=True)[0].scores
        heading = Sentence(_MOONS[choice], who=_names(captured, ready, [0]))
        sentences = tuple(_booked(captured, ready, booked, pay.mode == "win_match"))
        yield Row(f"example-moon-{choice}", heading, sentences)


def _booked(
    captured: CapturedHand, ready: Prepared, booked: Sequence[Score], wins: bool
) -> Iterator[Text]:
    if beside := captured.piles[1] & ready.counting:
        cards = some_cards(ready.deck, beside, ready.hearts if ready.short_form else 0)
        yield Sentence("{who} took {cards}.", who=_names(captured, ready, [1]), cards=cards)
    groups: dict[Score, list[int]] = {}
    for unit, score in enumerate(booked):
        groups.setdefault(score, []).append(unit)
    parts = [
        Sentence("{who}: {n}", who=_names(captured, ready, units), n=signed(score))
        for score, units in groups.items()
    ]
    yield Sentence("{scores}.", scores=joined("{these}; {those}", parts))
    if wins:
        yield Sentence("The game is over.")
