"""What to write on the sheet, on a rules card: the boxes of the entry schema, and the check.

Pure. See docs/rules-cards.md.
"""

from collections.abc import Iterator

from scoring.entry.sheet import Box, boxes
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from scoring.rules_card.counting import only_clean
from scoring.rules_card.parts import Row, Section, Text
from scoring.rules_card.wording import (
    all_cards,
    each_card,
    make_sentence,
    points,
    run_sign,
    runs,
    sign,
)


def writing(rules: Rules, seats: int) -> Section:
    """What a sheet asks for after each hand, and what its total must be."""
    ready = prepare(rules, seats)
    asked = boxes(rules, seats)
    rows = [*_hearts(ready, asked), *_cards(ready, asked)]
    rows += [
        Row(f"box-{box.key}", make_sentence(_LABELS[box.kind]), (_said(ready, box),))
        for box in asked
        if box.kind in _LABELS
    ]
    rows.append(Row("check", make_sentence("Check"), tuple(_check(ready))))
    return Section("sheet", make_sentence("On the sheet"), tuple(rows))


_LABELS = {
    "clean": "Or only", "tricks": "Tricks", "charged": "Charged", "pledge": "Pledges",
    "moon": "Moon", "first_trick": "First trick", "passer": "Passer", "unclaimed": "Nobody's",
    "melds": "Melds", "trick_points": "Trick points", "last_trick": "Last trick",
    "declared_out": "Declared out",
}  # fmt: skip


def _hearts(ready: Prepared, asked: tuple[Box, ...]) -> Iterator[Row]:
    for box in asked:
        if box.kind == "hearts":
            card = ready.deck.names(ready.hearts)[0]
            text = (
                "how many hearts {each} took; together {n}"
                if card[-1] == "H"
                else "how many of {cards} {each} took; together {n}"
            )
            cards = ", ".join(run_sign(run) for run in runs(ready.deck, ready.hearts))
            number = box.maximum or 0
            sentence = make_sentence(text, n=number, cards=cards, each=_each(ready))
            yield Row("box-hearts", make_sentence("Hearts"), (sentence,))


def _each(ready: Prepared) -> Text:
    """Whose piles are written down."""
    return make_sentence("each side") if ready.pooled else make_sentence("each player")


def _cards(ready: Prepared, asked: tuple[Box, ...]) -> Iterator[Row]:
    """Single cards are named together; several copies are counted."""
    mask = 0
    for box in asked:
        if box.kind == "card" and box.card:
            mask |= sum(ready.deck.copies[box.card])
    if not mask:
        return
    copies = max(box.maximum or 1 for box in asked if box.kind == "card")
    if copies == 1:
        sentence = make_sentence("who took {cards}", cards=each_card(ready.deck, mask))
    else:
        signs = tuple(run_sign(run) for run in runs(ready.deck, mask))
        sentence = make_sentence("how many {cards} {each} took", cards=signs, each=_each(ready))
    yield Row("box-cards", make_sentence("Cards"), (sentence,))


_SAYS = {
    "clean": "who took none of these cards", "pledge": "who pledged what", "moon": "who shot",
    "tricks": "how many each player took", "first_trick":
    "who won it, where somebody took all the others", "passer": "who passed cards to the shooter",
    "unclaimed": "the cards of a last trick that nobody won",
    "melds": "the melds that each player showed", "last_trick": "who won it, if cards are written",
    "trick_points": "the points of each player's tricks, before they are rounded",
    "declared_out": "who stopped the hand, if anybody did",
}  # fmt: skip


def _said(ready: Prepared, box: Box) -> Text:
    if box.kind == "charged":
        cards = tuple(sign(card) for card in box.choices)
        return make_sentence("which of {cards} were charged", cards=cards)
    if box.kind == "tricks" and box.maximum:
        if ready.keys.same_card.rule == "cancel":
            return make_sentence("how many each player took; together {n} at most", n=box.maximum)
        return make_sentence("how many each player took; together {n}", n=box.maximum)
    if box.kind == "moon" and box.choices:
        return make_sentence("who shot, and what the shooter chose")
    return make_sentence(_SAYS[box.kind])


def _check(ready: Prepared) -> Iterator[Text]:
    total = points(ready.deal_total)
    if ready.keys.melds:
        yield make_sentence("The trick points total {n}.", n=ready.trick_total)
        if any(test.declare for test in ready.keys.finish):
            yield make_sentence(
                "If somebody declared out they total {n} at most.", n=ready.trick_total
            )
        return
    if only_clean(ready.keys):
        yield make_sentence("Somebody took every one of them: {cards}.",
                  cards=all_cards(ready.deck, ready.counting))  # fmt: skip
    elif ready.plain and not ready.unclaimed_allowed:
        text = (
            "The points of a hand total {n}, moons aside."
            if any(slam.pay.mode != "face" for slam in ready.slams)
            else "The points of a hand total {n}."
        )
        yield make_sentence(text, n=total)
    else:
        text = "The values of all cards, as listed above, total {n}."
        if ready.keys.trick_value:
            text = "The values of all cards and tricks, as listed above, total {n}."
        yield make_sentence(text, n=total)
