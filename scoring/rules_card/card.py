"""A rules card: one page about one rule set for players, and two of them side by side."""

from collections.abc import Iterator

from scoring.entry.hand_reader import require_seats
from scoring.entry.sheet import Box, boxes
from scoring.numbers import Complex, Score
from scoring.rules.compiled_rules import Prepared, ReadySlam, prepare
from scoring.rules.rules import Rules
from scoring.rules.types import SelfFrom
from scoring.rules_card.counting import counting, melds, only_clean, settling
from scoring.rules_card.ending import ending
from scoring.rules_card.example import example
from scoring.rules_card.playing import play, players
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
    signed,
)

_NAMES = {
    "moon": "Shooting the moon",
    "sun": "Shooting the sun",
    "slate": "A clean slate",
    "punish": "Punishing the passer",
    "big-moon": "The big moon",
}
_AMOUNTS = (
    "choose",
    "self",
    "others",
    "others_unless_shooter_loses",
    "others_unless_other_wins",
    "others_then_continue",
    "self_plus",
    "punish",
)
_OFF_MODES = ("choose", "self", "others_unless_shooter_loses", "others_unless_other_wins")

_LABELS = {
    "clean": "Or only", "tricks": "Tricks", "charged": "Charged", "pledge": "Pledges",
    "moon": "Moon", "first_trick": "First trick", "passer": "Passer", "unclaimed": "Nobody's",
    "melds": "Melds", "trick_points": "Trick points", "last_trick": "Last trick",
    "declared_out": "Declared out",
}  # fmt: skip


def moons(ready: Prepared) -> Section:
    """The section on moons, a row for each slam, in the order in which they are tried."""
    rows = []
    for slam in (*ready.slams, *ready.spans):
        name = slam.slam.id
        heading = Sentence(_NAMES[name]) if name in _NAMES else name
        sentences = (_deal if slam.slam.span == 1 else _span)(ready, slam)
        rows.append(Row(f"slam-{name}", heading, tuple(sentences)))
    if len(ready.slams) > 1:
        note = Sentence("Where several of these fit, the first one above counts.")
        rows.append(row("slam-order", "Order", note))
    if not rows:
        none = Sentence("Taking everything has no award.")
        rows.append(row("slam-none", "No award", none))
    return Section("moon", Sentence("The moon"), tuple(rows))


def _deal(ready: Prepared, slam: ReadySlam) -> Iterator[Text]:
    who = _who(ready, slam)
    give = _give(ready, slam)
    yield from _paid(slam, who, give)
    if slam.pay.self_from is not None and slam.pay.mode in _OFF_MODES:
        yield _first(slam.pay.self_from, give)
    if slam.pay.mode == "face":
        return
    changes = any((modifier.on or 0) & slam.needs for modifier in ready.card_modifiers)
    if slam.pay.mode in _AMOUNTS and changes:
        yield Sentence("That number stays the same, whatever changes the value of these cards.")
    if only_clean(ready.keys):
        yield Sentence(
            "Those points are not written: the payment for the hand stays the same."
            if slam.pay.mode in _AMOUNTS
            else "The payment for the hand stays the same."
        )
    if beside := ready.counting & ~slam.needs:
        yield Sentence(
            "Not needed for it, and counts as always for the player who took it: {cards}."
            if slam.pay.outside
            else "Not needed for it, and counts nothing in such a hand: {cards}.",
            cards=all_cards(ready.deck, beside),
        )
    if ready.sum_modifiers:
        yield Sentence(
            "The rules above that change the points of a hand change these too."
            if slam.pay.modifiers
            else "The rules above that change the points of a hand do not change these."
        )
    if ready.bonuses:
        yield Sentence("Bonuses of the hand are added.")
    if slam.needs & ready.may_be_unclaimed:
        yield Sentence("While one of the cards that it needs is nobody's, nobody shoots.")
    if slam.slam.all_tricks != "no" and not _falls_through(ready, slam):
        yield Sentence("Without the tricks the cards count as always.")


def _falls_through(ready: Prepared, slam: ReadySlam) -> bool:
    """Whether one who lacks the tricks for this slam has made a later one all the same."""
    later = ready.slams[ready.slams.index(slam) + 1 :] if slam in ready.slams else ()
    return any(other.slam.all_tricks == "no" and not other.needs & ~slam.needs for other in later)


def _who(ready: Prepared, slam: ReadySlam) -> Text:
    cards = all_cards(ready.deck, slam.needs)
    return Sentence(
        {
            "no": "A player who takes {cards}",
            "all": "A player who takes {cards} and every trick",
            "except_first": "A player who takes {cards} and every trick after the first",
        }[slam.slam.all_tricks],
        cards=cards,
    )


_PAYS = {
    "choose": "{who} chooses: {take}, or {give}.",
    "self": "{who} gets {take}. The others score nothing for it.",
    "others": "{who} gives {give}. The shooter scores nothing for it.",
    "face": "{who} has no award: the cards count as always.",
    "self_plus": "{who} scores {own}, the others nothing for it.",
    "void": "{who}: these cards do not count.",
    "reset_self": "{who}: their own total becomes 0, the others score nothing.",
    "win_match": "{who} wins the game at once.",
    "punish":
        "{who}: the player who passed cards to the shooter scores {passer}, each other player "
        "{others}; where nobody passed, all others {others}.",
}  # fmt: skip
_EXCEPTIONS = {
    "others_unless_shooter_loses":
        "Only where that would end the game and not win it for the shooter, the shooter may "
        "choose instead: {take}.",
    "others_unless_other_wins":
        "Where that would win the game for another, it is instead: {take}.",
    "others_then_continue":
        "Where that would end the game and not win it for the shooter, play goes on until "
        "the next moon, whatever the totals.",
}  # fmt: skip


def _paid(slam: ReadySlam, who: Text, give: Text) -> Iterator[Text]:
    mode = slam.pay.mode
    facts = {
        "who": who,
        "give": give,
        "take": _off(slam.self_amount),
        "own": points(slam.self_amount),
        "others": signed(slam.others_amount),
        "passer": signed(slam.amount(slam.pay.passer)),
    }
    texts = [_PAYS["others" if mode.startswith("others") else mode]]
    if mode in _EXCEPTIONS:
        texts.append(_EXCEPTIONS[mode])
    for text in texts:
        # Without the facts it does not name: cards side by side compare sentences with their facts.
        used = {key: fact for key, fact in facts.items() if f"{{{key}}}" in text}
        yield Sentence(text, **used)


def _off(score: Score) -> Text:
    if not isinstance(score, Complex) and score < 0:
        return Sentence("{n} added to their own total", n=points(-score))
    number = points(score)
    if isinstance(score, Complex) and score.re and score.im:
        number = f"({number})"
    return Sentence("{n} off their own total", n=number)


def _give(ready: Prepared, slam: ReadySlam) -> Text:
    number = points(slam.others_amount)
    if ready.pooled:
        return Sentence("{n} to the other side", n=number)
    if ready.seats == 2:
        return Sentence("{n} to the other player", n=number)
    if slam.pay.spare_partner:
        return Sentence("{n} to each opponent, none to the partner", n=number)
    if ready.keys.teams.mode == "individual":
        return Sentence("{n} to each other player, the partner too", n=number)
    return Sentence("{n} to each other player", n=number)


def _first(bar: SelfFrom, give: Text) -> Text:
    return Sentence(
        "Points may be taken off only where the shooter's own total was {n} or more before the "
        "hand; otherwise it is {give}."
        if bar.who == "self"
        else "Points may be taken off only where some total was {n} or more before the hand; "
        "otherwise it is {give}.",
        n=points(bar.score),
        give=give,
    )


def _span(ready: Prepared, slam: ReadySlam) -> Iterator[Text]:
    who = Sentence("{who} in {n} hands running", who=_who(ready, slam), n=slam.slam.span)
    pay = slam.pay
    if pay.set_self is not None:
        yield Sentence("{who}: their own total becomes {n}.", who=who, n=points(pay.set_self))
    else:
        yield Sentence("{who}: their own total stays.", who=who)
    if pay.set_others is not None:
        yield Sentence("That of each other player becomes {n}.", n=points(pay.set_others))


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
    if box.kind == "unclaimed" and box.choices:
        return Sentence("the jokers taken in a trick without a heart")
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
    if ready.plain and not ready.may_be_unclaimed:
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
    """The default number of players of a card: four, or the nearest possible one."""
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
    """Compare two cards row by row, in the order of the left one; a row of one card has no pair.

    Rows with equal section and key are the same rule; `Pair.same` is whether their texts agree.
    """
    pairs = []
    for key in _merged([part.key for part in card.sections], [part.key for part in other.sections]):
        heading: Text = ""
        rows: dict[str, Row] = {}
        other_rows: dict[str, Row] = {}
        other_section = other.section(key)
        if other_section is not None:
            heading = other_section.heading
            other_rows = {rule.key: rule for rule in other_section.rows}
        section = card.section(key)
        if section is not None:
            heading = section.heading  # of both, that of the left card
            rows = {rule.key: rule for rule in section.rows}
        for row_key in _merged(list(rows), list(other_rows)):
            mine = rows.get(row_key)
            theirs = other_rows.get(row_key)
            if rule := mine or theirs:
                pairs.append(Pair(heading, row_key, rule.heading, mine, theirs))
    return tuple(pairs)


def _merged(first: list[str], second: list[str]) -> list[str]:
    """Merge both lists; items of the right one alone stay behind their predecessor."""
    merged = list(first)
    for place, key in enumerate(second):
        if key not in merged:
            before = [merged.index(other) for other in second[:place] if other in merged]
            merged.insert(max(before, default=-1) + 1, key)
    return merged
