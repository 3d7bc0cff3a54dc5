"""A rules card: one page about one rule set for players, and two of them side by side."""

from collections.abc import Iterator

from scoring.entry.hand_reader import require_seats
from scoring.entry.sheet import Box, boxes
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from scoring.rules_card.counting import counting, melds, only_clean, settling
from scoring.rules_card.deck import players
from scoring.rules_card.ending import ending
from scoring.rules_card.example import example
from scoring.rules_card.moons import moons
from scoring.rules_card.playing import play
from scoring.rules_card.wording import (
    Card,
    Pair,
    Row,
    Section,
    Sentence,
    Text,
    all_cards,
    each_card,
    points,
    row,
    run_sign,
    runs,
    sign,
)


def writing(ready: Prepared) -> Section:
    """The section on the sheet: the boxes to fill after each hand, and the total."""
    sheet_boxes = boxes(ready.rules, ready.seats)
    rows = [*_hearts(ready, sheet_boxes), *_cards(ready, sheet_boxes)]
    rows += [
        row(f"box-{box.key}", _LABELS[box.kind], _said(ready, box))
        for box in sheet_boxes
        if box.kind in _LABELS
    ]
    rows.append(row("check", "Check", *_check(ready)))
    return Section("sheet", Sentence("On the sheet"), tuple(rows))


_LABELS = {
    "clean": "Or only", "tricks": "Tricks", "charged": "Charged", "pledge": "Pledges",
    "moon": "Moon", "first_trick": "First trick", "passer": "Passer", "unclaimed": "Nobody's",
    "melds": "Melds", "trick_points": "Trick points", "last_trick": "Last trick",
    "declared_out": "Declared out",
}  # fmt: skip


def _hearts(ready: Prepared, sheet_boxes: tuple[Box, ...]) -> Iterator[Row]:
    for box in sheet_boxes:
        if box.kind == "hearts":
            card = ready.deck.names(ready.hearts)[0]
            text = (
                "how many hearts {each} took; together {n}"
                if card[-1] == "H"
                else "how many of {cards} {each} took; together {n}"
            )
            cards = ", ".join(run_sign(run) for run in runs(ready.deck, ready.hearts))
            number = box.maximum or 0
            sentence = Sentence(text, n=number, cards=cards, each=_each(ready))
            yield row("box-hearts", "Hearts", sentence)


def _each(ready: Prepared) -> Text:
    return Sentence("each side" if ready.pooled else "each player")


def _cards(ready: Prepared, sheet_boxes: tuple[Box, ...]) -> Iterator[Row]:
    """Single cards are named together; several copies are counted."""
    mask = 0
    for box in sheet_boxes:
        if box.kind == "card" and box.card:
            mask |= sum(ready.deck.copies[box.card])
    if not mask:
        return
    copies = max(box.maximum or 1 for box in sheet_boxes if box.kind == "card")
    if copies == 1:
        sentence = Sentence("who took {cards}", cards=each_card(ready.deck, mask))
    else:
        signs = tuple(run_sign(run) for run in runs(ready.deck, mask))
        sentence = Sentence("how many {cards} {each} took", cards=signs, each=_each(ready))
    yield row("box-cards", "Cards", sentence)


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
        return Sentence("which of {cards} were charged", cards=cards)
    if box.kind == "tricks" and box.maximum:
        if ready.keys.same_card.rule == "cancel":
            return Sentence("how many each player took; together {n} at most", n=box.maximum)
        return Sentence("how many each player took; together {n}", n=box.maximum)
    if box.kind == "moon" and box.choices:
        return Sentence("who shot, and what the shooter chose")
    return Sentence(_SAYS[box.kind])


def _check(ready: Prepared) -> Iterator[Text]:
    if ready.keys.melds:
        yield Sentence("The trick points total {n}.", n=ready.trick_total)
        if any(test.declare for test in ready.keys.finish):
            yield Sentence("If somebody declared out they total {n} at most.", n=ready.trick_total)
        return
    if only_clean(ready.keys):
        cards = all_cards(ready.deck, ready.counting)
        yield Sentence("Somebody took every one of them: {cards}.", cards=cards)
        return
    if ready.plain and not ready.unclaimed_allowed:
        text = "The points of a hand total {n}."
        if any(slam.pay.mode != "face" for slam in ready.slams):
            text = "The points of a hand total {n}, moons aside."
    else:
        text = "The values of all cards, as listed above, total {n}."
        if ready.keys.trick_value:
            text = "The values of all cards and tricks, as listed above, total {n}."
    yield Sentence(text, n=points(ready.deal_total))


USUAL_SEATS = 4


def usual_seats(rules: Rules) -> int:
    """The number of players that a card is for where nobody asks: four, or what is nearest."""
    least, most = rules.keys.players
    return min(max(least, USUAL_SEATS), most)


def rules_card(rules: Rules, seats: int | None = None) -> Card:
    """The card of these rules for so many players; by default for `usual_seats`."""
    ready = prepare(rules, usual_seats(rules) if seats is None else require_seats(rules, seats))
    sections: tuple[Section | None, ...] = (
        players(ready),
        play(ready),
        counting(ready),
        melds(rules),
        settling(ready),
        None if rules.keys.melds else moons(ready),
        ending(rules),
        example(ready),
        writing(ready),
    )
    filled = tuple(section for section in sections if section is not None and section.rows)
    return Card(rules.id, rules.name, rules.content_hash, ready.seats, filled)


def compare(card: Card, other: Card) -> tuple[Pair, ...]:
    """Two cards row by row, in the order of the left one; a row of one card only stands alone.

    Rows are the same rule where section and key are; `Pair.same` tells whether both say the same.
    """
    pairs = []
    for key in _merged([part.key for part in card.sections], [part.key for part in other.sections]):
        section, other_section = card.section(key), other.section(key)
        heading = (section or other_section or card.sections[0]).heading
        rows = {rule.key: rule for rule in section.rows} if section else {}
        other_rows = {rule.key: rule for rule in other_section.rows} if other_section else {}
        for row_key in _merged(list(rows), list(other_rows)):
            mine, theirs = rows.get(row_key), other_rows.get(row_key)
            if rule := mine or theirs:
                pairs.append(Pair(heading, row_key, rule.heading, mine, theirs))
    return tuple(pairs)


def _merged(first: list[str], second: list[str]) -> list[str]:
    """Both lists in one; what only the right one has stands after what it follows there."""
    merged = list(first)
    for place, key in enumerate(second):
        if key not in merged:
            before = [merged.index(other) for other in second[:place] if other in merged]
            merged.insert(max(before, default=-1) + 1, key)
    return merged
