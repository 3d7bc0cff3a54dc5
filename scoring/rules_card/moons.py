"""Moons and suns on a rules card: what must be taken, and how it is settled.

Pure. See docs/rules-cards.md and docs/algorithms/moon.md.
"""

from collections.abc import Iterator

from scoring.numbers import Complex, Score
from scoring.rules.compiled_rules import Prepared, ReadySlam
from scoring.rules.types import SelfFrom
from scoring.rules_card.counting import only_clean
from scoring.rules_card.wording import Row, Section, Sentence, Text, all_cards, points, row, signed

_NAMES = {
    "moon": "Shooting the moon", "sun": "Shooting the sun", "slate": "A clean slate",
    "punish": "Punishing the passer", "big-moon": "The big moon",
}  # fmt: skip
_AMOUNTS = (
    "choose", "self", "others", "others_unless_shooter_loses", "others_unless_other_wins",
    "others_then_continue", "self_plus", "punish",
)  # fmt: skip
_OFF_MODES = ("choose", "self", "others_unless_shooter_loses", "others_unless_other_wins")


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
    yield from _beside(ready, slam)
    if ready.sum_modifiers:
        yield Sentence(
            "The rules above that change the points of a hand change these too."
            if slam.pay.modifiers
            else "The rules above that change the points of a hand do not change these."
        )
    if ready.bonuses:
        yield Sentence("Bonuses of the hand are added.")
    if ready.unclaimed_allowed:
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
        "who": who, "give": give, "take": _off(slam.self_amount), "own": points(slam.self_amount),
        "others": signed(slam.others_amount), "passer": signed(slam.amount(slam.pay.passer)),
    }  # fmt: skip
    texts = [_PAYS["others" if mode.startswith("others") else mode]]
    if mode in _EXCEPTIONS:
        texts.append(_EXCEPTIONS[mode])
    for text in texts:
        yield Sentence(text, **{key: facts[key] for key in facts if f"{{{key}}}" in text})


def _off(score: Score) -> Text:
    if not isinstance(score, Complex) and score < 0:
        return Sentence("{n} added to their own total", n=points(-score))
    has_two_parts = isinstance(score, Complex) and score.re and score.im
    number = f"({points(score)})" if has_two_parts else points(score)
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
        n=points(bar.score), give=give,
    )  # fmt: skip


def _beside(ready: Prepared, slam: ReadySlam) -> Iterator[Text]:
    if beside := ready.counting & ~slam.needs:
        yield Sentence(
            "Not needed for it, and counts as always for the player who took it: {cards}."
            if slam.pay.outside
            else "Not needed for it, and counts nothing in such a hand: {cards}.",
            cards=all_cards(ready.deck, beside),
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
