"""What counts on a rules card: card values, modifiers, bonuses, melds, and settlements."""

from collections.abc import Iterator
from dataclasses import replace

from scoring.cards import rank_of
from scoring.numbers import Real, Score, as_complex
from scoring.rules.compiled_rules import Prepared, ReadyBonus, ReadyModifier, ReadyWhen
from scoring.rules.rules import Keys, Rules
from scoring.rules.types import Settle
from scoring.rules_card.wording import (
    Row,
    Section,
    Sentence,
    Text,
    all_cards,
    each_card,
    either,
    no_cards,
    points,
    row,
    run_sign,
    runs,
    sign,
    signed,
)


def counting(ready: Prepared) -> Section:
    """The section on the values of cards, and what changes them."""
    if only_clean(ready.keys):
        cards = each_card(ready.deck, ready.counting)
        penalty = row("penalty", "Penalty cards", Sentence("{cards}.", cards=cards))
        return Section("counting", Sentence("What counts"), (penalty,))
    rows = [*_values(ready), *_tricks(ready), _total(ready)]
    if ready.keys.chargeable:
        text = "The player who holds {cards} may charge it before play, by showing it."
        cards = either(sign(card) for card in ready.keys.chargeable)
        rows.append(row("charging", "Charging", Sentence(text, cards=cards)))
    rows += _each_its_key([*_modifiers(ready), *(_bonus(ready, bonus) for bonus in ready.bonuses)])
    if ready.keys.number == "complex":
        rows.append(row("number", "Numbers", Sentence("Points are complex numbers: i × i = −1.")))
    return Section("counting", Sentence("What counts"), tuple(rows))


def only_clean(keys: Keys) -> bool:
    """Whether only taking none of some cards matters: card points are not scored."""
    settle = keys.settle
    return (
        settle is not None
        and settle.winners == "clean"
        and settle.pays == "pot"
        and settle.stake != "deal_points"
    )


def _values(ready: Prepared) -> list[Row]:
    pile = ready.counting
    for mask, _ in ready.worth:
        pile |= mask
    pips = _pips(ready, pile)
    rows = []
    for run in pips:
        worth = Sentence("the number on the card")
        rows.append(Row(f"value-{'-'.join(run)}", run_sign(run), (worth,)))
        for card in run:
            pile &= ~sum(ready.deck.copies[card])
    # Cards of one value share a row; hearts, and cards that count only beside one, have their own.
    beside = ~(ready.hearts | ready.idle)
    parts = (~0,) if ready.keys.melds else (ready.hearts, ready.idle, beside)
    groups = [
        (mask & part & pile, value)
        for mask, value in ready.classes
        for part in parts
        if mask & part & pile
    ]
    for mask, value in sorted(groups, key=lambda group: _weight(ready, *group)):
        nothing = () if value != ready.zero else (Sentence("nothing by itself"),)
        if mask & ready.idle:
            nothing = (Sentence("Taken in a trick with a heart; in another trick nothing."),)
        key = f"value-{_selector(ready, mask)}"
        cards = each_card(ready.deck, mask)
        rows.append(Row(key, cards, nothing, points(value)))
    return rows


def _selector(ready: Prepared, mask: int) -> str:
    """The cards of a mask as a key that does not depend on the number of copies."""
    names = list(dict.fromkeys(ready.deck.names(mask)))
    suit = f"*{names[0][-1]}"
    if len(names) > 1 and mask == ready.deck.mask(suit):
        return suit
    return "-".join(names)


def _each_its_key(rows: list[Row]) -> Iterator[Row]:
    """Key rows by their condition, so that a comparison pairs equal ones."""
    times: dict[str, int] = {}
    for rule in rows:
        key = f"{rule.key}-{'-'.join(str(rule.heading).lower().replace(',', '').split())}"
        times[key] = times.get(key, 0) + 1
        yield replace(rule, key=key if times[key] == 1 else f"{key}-{times[key]}")


def _pips(ready: Prepared, pile: int) -> list[tuple[str, ...]]:
    mask = 0
    for card, bits in ready.deck.copies.items():
        if card[:-1].isdigit() and bits[0] & pile and ready.worth_of(bits[0]) == rank_of(card):
            mask |= sum(bits)
    return [run for run in runs(ready.deck, mask) if len(run) > 1]


def _weight(ready: Prepared, mask: int, value: Score) -> tuple[bool, Real]:
    """Hearts first, cheap to dear, then the dearest card."""
    heavy = as_complex(value).norm
    hearts = bool(mask & ready.hearts) and not ready.keys.melds
    return not hearts, heavy if hearts else -heavy


def _tricks(ready: Prepared) -> Iterator[Row]:
    keys = ready.keys
    if keys.trick_value:
        yield row("trick_value", "Each trick", figure=points(keys.trick_value))
    if keys.last_trick:
        yield row("last_trick", "The last trick", figure=str(keys.last_trick))
    if keys.rounding is not None:
        sentence = Sentence(
            "The points of a player's tricks go up to the next multiple of {to} where {up} or more "
            "are over, else down.",
            to=keys.rounding.to,
            up=keys.rounding.up_from,
        )
        yield row("rounding", "Rounding", sentence)


def _total(ready: Prepared) -> Row:
    if ready.keys.melds:
        text = "All cards of a hand and the last trick together"
        return row("total", text, figure=points(ready.trick_total))
    text = "All cards of a hand together"
    if ready.keys.trick_value:
        text = "All cards and tricks of a hand together"
    return row("total", text, figure=points(ready.deal_total))


def _modifiers(ready: Prepared) -> Iterator[Row]:
    earlier_ones: list[ReadyModifier] = []
    for modifier in (*ready.card_modifiers, *ready.sum_modifiers):
        effect = modifier_text(ready, modifier, _goes_on(modifier, earlier_ones))
        yield Row("modifier", condition_text(ready, modifier.when), (effect,))
        earlier_ones.append(modifier)


def _goes_on(modifier: ReadyModifier, earlier_ones: list[ReadyModifier]) -> bool:
    """Whether an earlier one does the same to the same cards where this one holds too."""
    return any(
        earlier.on == modifier.on
        and earlier.op == modifier.op
        and earlier.when.has == modifier.when.has
        and earlier.when.declared is None
        and modifier.when.declared is not None
        for earlier in earlier_ones
    )


def condition_text(ready: Prepared, when: ReadyWhen) -> Text:
    """A condition as the head of a rule."""
    deeds = tuple(_deeds(ready, when))
    who = Sentence("A player who {deeds}", deeds=deeds) if deeds else None
    if when.declared is None:
        return who or Sentence("Always")
    if who is None:
        return Sentence("If {card} was charged", card=sign(when.declared))
    return Sentence("{who}, if {card} was charged", who=who, card=sign(when.declared))


def _deeds(ready: Prepared, when: ReadyWhen) -> Iterator[Text]:
    if when.has is not None:
        yield Sentence("takes {cards}", cards=_any_of(ready, when.has))
    if when.has_all is not None:
        yield Sentence("takes {cards}", cards=all_cards(ready.deck, when.has_all))
    if when.only is not None and when.only == when.has:
        yield Sentence("takes no other card that counts")
    elif when.only is not None:
        yield Sentence("takes no card that counts but {cards}", cards=_any_of(ready, when.only))
    if when.not_only is not None and when.not_only == when.has:
        yield Sentence("takes another card that counts")
    elif when.not_only is not None:
        yield Sentence(
            "takes a card that counts beside {cards}", cards=_any_of(ready, when.not_only)
        )
    if when.slam is not None:
        yield Sentence("shoots the moon" if when.slam else "does not shoot the moon")
    if when.tricks is not None:
        text = "takes no trick" if when.tricks == 0 else "takes exactly {n} tricks"
        yield Sentence(text, n=when.tricks)


def _any_of(ready: Prepared, mask: int) -> Text:
    names = list(dict.fromkeys(ready.deck.names(mask)))
    if len(names) == 1:
        return sign(names[0])
    return Sentence("any of {cards}", cards=all_cards(ready.deck, mask))


def modifier_text(ready: Prepared, modifier: ReadyModifier, again: bool) -> Text:
    """The effect of a modifier where its condition holds."""
    if modifier.op == "add":
        by = signed(modifier.by)
    else:
        by = points(modifier.by)
    if modifier.on is None:
        return Sentence(_sum_words(modifier, again), by=by)
    cards = each_card(ready.deck, modifier.on)
    if _looks_beside(modifier):
        cards = Sentence("{cards} in the same pile", cards=cards)
    return Sentence(_card_words(modifier), cards=cards, by=by)


def _looks_beside(modifier: ReadyModifier) -> bool:
    """Whether the condition is about other cards than those that change."""
    when = modifier.when
    conditions = (when.has, when.has_all, when.slam, when.tricks, when.only, when.not_only)
    of_condition = (when.has or 0) | (when.has_all or 0)
    itself = not (modifier.on or 0) & ~of_condition
    return any(part is not None for part in conditions) and not itself


def _card_words(modifier: ReadyModifier) -> str:
    if modifier.op == "mul" and modifier.by == 2:
        return "{cards} counts double."
    if modifier.op == "mul" and modifier.by == -1:
        return "{cards} changes its sign, minus to plus or plus to minus."
    return {
        "mul": "{cards} counts {by} times.",
        "set": "{cards} counts {by}.",
        "add": "{cards} counts {by} more.",
        "floor": "{cards} counts at least {by}.",
    }[modifier.op]


def _sum_words(modifier: ReadyModifier, again: bool) -> str:
    if modifier.op == "mul" and modifier.by == 2:
        more = "Their points of the hand count double once more, so four times."
        return more if again else "Their points of the hand count double."
    return {
        "mul": "Their points of the hand are multiplied by {by}.",
        "set": "Their hand counts {by}, whatever was taken.",
        "add": "Their points of the hand change by {by}.",
        "floor": "The cards of a hand never count less than {by}.",
    }[modifier.op]


def _bonus(ready: Prepared, ready_bonus: ReadyBonus) -> Row:
    when, bonus, none_of = ready_bonus
    if bonus.pledge is None:
        sentence = Sentence("Their points of the hand change by {by}.", by=signed(bonus.add))
        return Row("bonus", condition_text(ready, when), (sentence,), signed(bonus.add))
    none = no_cards(ready.deck, none_of)
    sentence = Sentence(
        "Before a hand a player may pledge to take {none}: {kept} when kept, {broken} "
        "when broken, beside what the cards count.",
        none=none,
        kept=signed(bonus.kept),
        broken=signed(bonus.broken),
    )
    return Row(
        "bonus", Sentence("Pledge: {name}", name=bonus.pledge.replace("-", " ")), (sentence,)
    )


def melds(rules: Rules) -> Section:
    """The section on melds, a row for each, in the order of the rules."""
    rows = []
    for meld in rules.keys.melds:
        times = "At most {n} times in a hand." if meld.most > 1 else "At most once in a hand."
        often = Sentence(times, n=meld.most)
        cards = Sentence("{cards}.", cards=meld.cards[:1].upper() + meld.cards[1:])
        rows.append(Row(f"meld-{meld.id}", meld.name, (cards, often), str(meld.points)))
    if rows:
        score = Sentence("A hand scores the melds of a player and the points of the tricks.")
        rows.append(row("meld-score", "Score of a hand", score))
    return Section("melds", Sentence("Melds"), tuple(rows))


def settling(ready: Prepared) -> Section | None:
    """The section on payments, for rules that settle a hand by payments; otherwise None."""
    settle = ready.keys.settle
    if settle is None:
        return None
    each_hand = row("settle", "Each hand", *_settle(ready, settle))
    return Section("settle", Sentence("What is written"), (each_hand,))


def _settle(ready: Prepared, rule: Settle) -> Iterator[Text]:
    yield from _stake(rule)
    yield _winners(ready, rule)
    if rule.pays == "difference":
        yield Sentence("Each other player pays the winner the difference between their points.")
        if rule.winners == "lowest_positive":
            yield Sentence("Players with exactly 0 neither pay nor win.")
        yield Sentence("Several winners share what is paid.")
        return
    yield Sentence("The winner gets the pool; several winners share it equally.")
    if rule.remainder == "stay":
        yield Sentence("A remainder that cannot be shared evenly stays in the pool.")
    else:
        yield Sentence("It is shared exactly, in fractions where needed.")
    if rule.winners == "clean" and rule.all_to_one == "carry":
        yield Sentence("Where only one player took any of them, nobody wins.")
    elif rule.winners == "clean":
        yield Sentence("Where only one player took any of them, all others share.")
    if rule.winners != "lowest":
        yield Sentence("Where nobody wins, the pool stays for the next hand.")


def _stake(rule: Settle) -> Iterator[Text]:
    yield Sentence("Payments are written, not the points of the cards.")
    if rule.stake == "ante":
        text = "Before each hand every player puts 1 chip into the pool."
        if rule.ante != 1:
            text = "Before each hand every player puts {n} chips into the pool."
        yield Sentence(text, n=rule.ante)
        yield Sentence(
            "A total is what a player has in chips; agree on how many everybody begins with."
        )
    elif rule.stake == "deal_points":
        yield Sentence("The points of all players together go into the pool.")
    elif rule.pays == "pot":
        yield Sentence("Nothing is put into the pool.")


def _winners(ready: Prepared, rule: Settle) -> Text:
    if rule.winners == "clean":
        none = no_cards(ready.deck, ready.clean)
        return Sentence("A player who takes {none} wins the hand.", none=none)
    return Sentence(
        {
            "lowest": "The lowest points of the hand win it.",
            "lowest_nonpositive": "The lowest points win the hand, if they are 0 or less.",
            "lowest_positive": "The lowest points above 0 win the hand.",
        }[rule.winners]
    )
