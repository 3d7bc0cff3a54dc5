"""The course of a hand on a rules card: the deck, the deal, passing, the first lead and the play.

Pure. See docs/rules-engine.md, "Rules cards".
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from scoring.entry.sheet import seat_names
from scoring.option_labels import option_labels
from scoring.rules.compiled_rules import Prepared, prepare, value_for
from scoring.rules.dealing import has_count, kitty_size, passing_ring, uneven
from scoring.rules.rules import Keys, Rules
from scoring.rules.schema import WAYS
from scoring.rules.types import Play
from scoring.rules_card.wording import (
    Row,
    Section,
    Sentence,
    Text,
    either,
    joined,
    jokers_text,
    row,
    sign,
)
from scoring.sentences.hands import LAST_STALLED

_PACKS = {
    "std52": "pack of 52",
    "low32": "pack of 32",
    "low28": "pack of 28",
    "low24": "pack of 24",
    "500x60": "pack of 60",
    "rook56": "Rook pack of 56",
}
_RANKS = {
    "low32": "Seven to ace in each suit.", "low28": "Eight to ace in each suit.",
    "low24": "Nine to ace in each suit.",
    "500x60": "Two to ace in each suit, with 11 and 12 after the ten.",
    "rook56": "1 to 14 in red, yellow, green and black.",
}  # fmt: skip
_AIMS = {
    "low": "To have the lowest total.",
    "high": "To have the highest total.",
    "abs_low": "To stay nearest to 0.",
}
_AIMS_OF_SIDES = {
    "low": "To have the lowest sum of totals as a side.",
    "high": "To have the highest sum of totals as a side.",
    "abs_low": "To stay nearest to 0 as a side.",
}  # fmt: skip
_AIMS_OF_LOSERS = {
    "low": "To keep the totals of one's side low.",
    "high": "To keep the totals of one's side high.",
    "abs_low": "To keep the totals of one's side near 0.",
}  # fmt: skip
_AIMS_WITH_LIVES = {
    "low": "To have the lowest total, and a life left.",
    "high": "To have the highest total, and a life left.",
    "abs_low": "To stay nearest to 0, and to have a life left.",
}  # fmt: skip

_WAYS = {
    "left": "left", "right": "right", "across": "across", "hold": "no pass",
    "dealer's call": "as the dealer calls",
    "second left": "to the second player on the left",
    "second right": "to the second player on the right",
    "scatter": "instead one card to each other player",
    "split": "split evenly among the other players",
    "mix": "shuffled together and dealt out again",
    "mix with the kitty":
        "shuffled together with the kitty and dealt out again, as many to the kitty as before",
}  # fmt: skip
_EVERY_HAND = {
    "left": "Before each hand everyone passes {cards} to the left.",
    "right": "Before each hand everyone passes {cards} to the right.",
    "across": "Before each hand everyone passes {cards} across.",
    "hold": "No cards are passed.",
    "dealer's call": "Before each hand everyone passes {cards} as the dealer calls.",
    "second left":
        "Before each hand everyone passes {cards} to the second player on the left.",
    "second right":
        "Before each hand everyone passes {cards} to the second player on the right.",
    "scatter": "Before each hand everyone passes one card to each other player.",
    "split": "Before each hand everyone passes {cards}, split evenly among the other players.",
    "mix":
        "Before each hand everyone puts down {cards}, which are shuffled together and dealt out "
        "again.",
    "mix with the kitty":
        "Before each hand everyone puts down {cards}, which are shuffled together with the kitty "
        "and dealt out again, as many to the kitty as before.",
}  # fmt: skip
_LEADS = {
    "left of dealer": "The player left of the dealer leads to the first trick.",
    "right of dealer": "The player right of the dealer leads to the first trick.",
    "eldest": "Eldest hand, left of the dealer, leads to the first trick.",
    "2C nearest clockwise to dealer":
        "Of those who hold 2♣ the nearest one clockwise from the dealer leads it to the first "
        "trick.",
    "2S, later the taker of Q♠":
        "In the first hand the player who holds 2♠ leads it to the first trick; later the player "
        "who took Q♠ in the hand before leads.",
}  # fmt: skip
_QUEEN_BREAKS = {True: "Q♠ breaks hearts as well.", False: "Q♠ does not break hearts."}
_QUEEN_WAITS = (
    "Q♠ may not be played before hearts are broken, unless a player may play nothing else."
)
_QUEEN_FIRST = {
    True: "A player who cannot follow suit must throw it at the first chance.",
    False: "It need not be thrown at the first chance.",
}
_QUEEN_UNDER = "When spades are led, Q♠ must be played if A♠ or K♠ is already in the trick."
_USUAL_COUNT = 3

_JOKER = "X"
"""Suit of a joker that stands for no other card."""

_CARD = re.compile(r"\b(10|[2-9JQKA])([CDHS])\b")


def players(ready: Prepared) -> Section:
    """The section on players and cards; a row for each number of players."""
    rules = ready.rules
    numbers = ready.rules.table_sizes
    rows = [row("aim", "Aim", _aim(rules))]
    if rules.keys.teams.mode != "none":
        rows.append(row("sides", "Sides", *_sides(ready)))
    if ranks := _RANKS.get(rules.keys.deck.base):
        rows.append(Row("pack", Sentence("Pack"), (Sentence(ranks),)))
    deals = {number: _deal(rules, number) for number in numbers}
    if len(numbers) > 1 and len(set(map(str, deals.values()))) == 1:
        heading = Sentence("{least} to {most} players", least=numbers[0], most=numbers[-1])
        rows.append(Row("players", heading, (deals[ready.seats],)))
    else:
        rows += [
            Row(f"players-{number}", Sentence("{n} players", n=number), (deal,))
            for number, deal in deals.items()
        ]
    if any(kitty_size(prepare(rules, number)) for number in numbers):
        rows.append(row("kitty", "Kitty", *_kitty(ready)))
    if same := tuple(_same_cards(ready)):
        rows.append(Row("same_card", Sentence("Identical cards"), same))
    return Section("players", Sentence("Players and cards"), tuple(rows))


def _aim(rules: Rules) -> Sentence:
    """The aim of a player; the own total is not all where sides or lives decide."""
    keys = rules.keys
    order = rules.keys.result.order
    if keys.result.decide == "crosser_team_loses":
        return Sentence(_AIMS_OF_LOSERS[order])
    if keys.result.measure == "team_sum":
        return Sentence(_AIMS_OF_SIDES[order])
    return Sentence(_AIMS_WITH_LIVES[order] if keys.lives is not None else _AIMS[order])


def _sides(ready: Prepared) -> Iterator[Sentence]:
    teams = ready.keys.teams
    names = seat_names(ready.seats)
    sides = [Sentence("{seats}", seats=tuple(names[seat] for seat in side)) for side in teams.shape]
    yield Sentence("{sides}.", sides=joined("{these} against {those}", sides))
    if teams.mode == "pooled":
        yield Sentence(
            "Partners have one pile and one score: every rule below about a player's "
            "cards, points and total applies to a side."
        )
    else:
        yield Sentence("Everybody has their own pile and score.")


def _deal(rules: Rules, seats: int) -> Sentence:
    ready = prepare(rules, seats)
    pack = _pack(ready)
    kitty = kitty_size(ready)
    if uneven(rules, seats):
        text = "{pack}; these cards do not come out even, so not played with {n}."
        return Sentence(text, pack=pack, n=seats)
    if rules.keys.melds:  # some are dealt, the others are drawn
        return Sentence("{pack}.", pack=pack)
    if rules.keys.tricks == "variable":
        return Sentence("{pack}: {n} left over." if kitty else "{pack}.", pack=pack, n=kitty)
    text = "{pack}: {each} cards each, {n} left over." if kitty else "{pack}: {each} cards each."
    return Sentence(text, pack=pack, each=ready.hand_size, n=kitty)


def _pack(ready: Prepared) -> Text:
    deck = ready.keys.deck
    seats = ready.seats
    number = value_for(deck.packs, seats, 1)
    name = _PACKS[deck.base]
    several = "{n} " + name.replace("pack", "packs")
    pack = Sentence(f"a {name}" if number == 1 else several, n=number)
    missing = tuple(sign(card) for card in value_for(deck.remove, seats, ()))
    more = tuple(_added(value_for(deck.add, seats, ())))
    if missing and more:
        return Sentence("{pack} without {gone}, with {more}", pack=pack, gone=missing, more=more)
    if missing:
        return Sentence("{pack} without {gone}", pack=pack, gone=missing)
    if not more:
        return pack
    return Sentence("{pack} with {more}", pack=pack, more=more)


def _added(added: tuple[str, ...]) -> Iterator[Text]:
    if jokers := sum(card[-1] == "X" for card in added):
        yield jokers_text(jokers)
    for card in added:
        if card[-1] != "X":
            yield Sentence("a joker as {card}", card=sign(card)) if card[0] == "0" else sign(card)


def _kitty(ready: Prepared) -> Iterator[Sentence]:
    deck = ready.keys.deck
    yield Sentence(
        {
            "first_trick": "The cards left over go to the winner of the first trick.",
            "first_penalty": (
                "The cards left over go to the winner of the first trick with a card that counts."
            ),
            "one_each_first_two": (
                "The cards left over go one each to the winners of the first two tricks."
            ),
        }[deck.kitty_to]
    )
    single = deck.kitty_to == "one_each_first_two"
    if deck.kitty_mode == "exchange":
        yield Sentence(
            "Each of them takes theirs into the hand and puts another card on their own pile "
            "instead."
            if single
            else "That player takes them into the hand and puts as many cards on their own pile "
            "instead."
        )
    else:
        yield Sentence(
            "Each counts as taken by the player who gets it."
            if single
            else "They count as taken by that player."
        )
    if ready.keys.same_card.rule == "cancel" and not single:
        yield Sentence("Where nobody wins that trick they wait with its cards.")


def _same_cards(ready: Prepared) -> Iterator[Sentence]:
    same = ready.keys.same_card
    if same.rule == "later":
        yield Sentence("Of two identical cards in a trick the later one is higher.")
    elif same.rule == "earlier":
        yield Sentence("Of two identical cards in a trick the earlier one is higher.")
    elif same.rule == "cancel":
        yield Sentence(
            "Two identical cards in a trick cancel each other: neither can win it, but both count."
        )
        if max(map(len, ready.deck.copies.values())) > 2:
            yield Sentence("A third one keeps its rank.")
        if max(map(len, ready.deck.copies.values())) > 3:
            yield Sentence("A fourth one cancels the third, and so on in the order of play.")
        yield Sentence("The highest card left of the suit that was led takes the trick.")
        yield Sentence(
            "Two such pairs in one trick, or no card of the suit left: nobody wins it."
            if same.void_on == "two_pairs"
            else "Where no card of the suit is left nobody wins the trick."
        )
        yield Sentence(
            "Its cards wait for the winner of the next trick; the same player leads again."
        )
        yield Sentence(LAST_STALLED[same.last_stalled])


_FIRST_TRICK = {
    True: "Cards that count may be played to it.",
    False: "Cards that count may not be played to it, unless a player has nothing else.",
}


def play(ready: Prepared) -> Section:
    """The section on passing, leading, and other rules of play."""
    words = ready.keys.play
    entries = [
        ("passing", "Passing", tuple(_passing(ready))),
        ("lead", "First lead", tuple(_lead(ready))),
        ("hearts", "Hearts", tuple(_hearts(words))),
        ("first_trick", "First trick", _sentences(_FIRST_TRICK, words.first_trick_points)),
        ("queen", "Q♠", tuple(_queen(words))),
        ("charged", "Charged cards", tuple(_charged(ready.keys))),
        ("jokers", "Jokers", tuple(_jokers(ready))),
        ("seat", "Seats", tuple(_vacated(ready.keys))),
        ("notes", "Also", tuple(map(_as_written, filter(None, words.notes.split(";"))))),
    ]
    if ready.keys.tricks == "variable":
        fixed = Sentence("How many tricks a hand has is not fixed.")
        stays = "A card that counts and stays in a hand counts for the player who holds it."
        entries.append(("tricks", "Tricks", (fixed, Sentence(stays))))
    rows = [row(key, heading, *texts) for key, heading, texts in entries if texts]
    return Section("play", Sentence("Play"), tuple(rows))


def _sentences(texts: Mapping[bool, str], choice: bool | None) -> tuple[Text, ...]:
    if choice is None:
        return ()
    return (Sentence(texts[choice]),)


def _chosen(option: str, value: str) -> Text:
    """The sentence of a choice of an option; any other value as it is written."""
    choice = option_labels()[option].choices.get(value)
    if choice:
        return Sentence(choice.sentence)
    return _as_written(value)


def _hearts(words: Play) -> Iterator[Text]:
    if words.hearts:
        yield _chosen("hearts", words.hearts)
    if words.queen_waits:
        yield Sentence(_QUEEN_WAITS)
    elif (words.hearts or "").startswith("when broken"):
        yield from _sentences(_QUEEN_BREAKS, words.queen_breaks)


def _queen(words: Play) -> Iterator[Text]:
    yield from _sentences(_QUEEN_FIRST, words.queen_first)
    if words.queen_under:
        yield Sentence(_QUEEN_UNDER)


def _charged(keys: Keys) -> Iterator[Text]:
    """Source: John McLeod's Hearts page (pagat), Turbo Hearts."""
    if keys.chargeable:
        yield Sentence(
            "A charged card may not be played to the first trick of its suit, unless its holder "
            "has no other card of that suit."
        )


def _jokers(ready: Prepared) -> Iterator[Text]:
    """The play of jokers: two that count like hearts are hearts; of others much is left open."""
    jokers = [card for card in ready.deck.copies if card[-1] == _JOKER]
    if not jokers:
        return
    if len(jokers) == 2 and _are_hearts(ready):
        yield Sentence("The jokers are hearts: one is the highest heart, the other the lowest.")
        yield Sentence("Agree beforehand which is which.")
        yield Sentence("A joker that is led calls for hearts, and is led when a heart may be led.")
        return
    yield Sentence("A player who leads a joker names the suit that the others follow.")
    yield Sentence(
        "Agree beforehand whether a player who can follow suit may play one, and whether it can "
        "take a trick."
    )


def _are_hearts(ready: Prepared) -> bool:
    """Whether jokers count, and are worth what every heart is worth."""
    both = ready.deck.mask(f"*{_JOKER},*H")
    return not ready.idle and any(not both & ~cards for cards, _worth in ready.worth)


def _vacated(keys: Keys) -> Iterator[Text]:
    seat = keys.play.vacated_seat
    if seat and (seat != "left of shooter" or keys.slams):
        yield _chosen("vacated_seat", seat)


def _not_passed(words: Play) -> Iterator[Text]:
    if words.not_passed:
        cards = tuple(map(sign, words.not_passed))
        yield Sentence("Cards that may not be passed: {cards}.", cards=cards)


def reminders(keys: Keys) -> Iterator[Text]:
    """The rules of play that players forget, for a line of a sheet."""
    words = keys.play
    yield from _not_passed(words)
    if words.hearts == "when broken, or only hearts and QS":
        yield _chosen("hearts", words.hearts)
    if words.queen_waits:
        yield Sentence(_QUEEN_WAITS)
    if words.queen_under:
        yield Sentence(_QUEEN_UNDER)
    yield from _vacated(keys)


def pass_text(words: Play, seats: int, way: str) -> Text:
    """The passing of one hand, in the few words of a sheet.

    The number of cards is named unless it is the usual three.

    >>> str(pass_text(Play(pass_count=4, second_pass=True, optional_pass=True), 4, "left"))
    '4 left + across (optional)'
    """
    text = Sentence(way) if way in WAYS else way
    if way == "hold":
        return text
    if words.pass_count not in (None, _USUAL_COUNT) and has_count(way):
        text = Sentence("{n} {way}", n=words.pass_count, way=text)
    if words.second_pass and seats % 2 == 0:
        text = Sentence("{way} + across", way=text)
    if not words.optional_pass:
        return text
    return Sentence("{way} (optional)", way=text)


def cycle_text(cycle: Sequence[str]) -> Text:
    """The ways of passing one after another, each by its name."""
    names = {way: Sentence("no pass" if way == "hold" else way) for way in WAYS}
    return joined("{these}, {those}", (names.get(way, way) for way in cycle or ("hold",)))


def _passing(ready: Prepared) -> Iterator[Text]:
    words = ready.keys.play
    seats = ready.seats
    ring = passing_ring(words, seats)
    yield from _ring(ring, words, seats)
    others: dict[tuple[str, ...], list[str]] = {}
    for number in ready.rules.table_sizes:
        if passing_ring(words, number) != ring:
            others.setdefault(passing_ring(words, number), []).append(str(number))
    for other, numbers in others.items():
        ways = [_way(way, int(numbers[0])) for way in other] or [Sentence("no pass")]
        text = joined("{these}; {those}", ways)
        yield Sentence("With {numbers} players: {ways}.", numbers=either(numbers), ways=text)
    yield from _not_passed(words)


def _ring(ring: tuple[str, ...], words: Play, seats: int) -> Iterator[Text]:
    if set(ring) <= {"hold"}:
        yield Sentence("No cards are passed.")
        return
    cards = Sentence("some cards")
    if (count := words.pass_count) is not None:
        cards = Sentence("1 card" if count == 1 else "{n} cards", n=count)
    if len(ring) == 1:
        text = _EVERY_HAND.get(ring[0], "Before each hand everyone passes cards: {way}.")
        yield Sentence(text, cards=cards, way=_parts(ring[0]))
    else:
        hands = [
            Sentence("hand {n} {way}", n=hand, way=_way(way, seats))
            for hand, way in enumerate(ring, 1)
        ]
        yield Sentence(
            "Before a hand everyone passes {cards}: {ways}; then again from the start.",
            cards=cards,
            ways=joined("{these}; {those}", hands),
        )
    if words.second_pass and seats % 2 == 0:
        yield Sentence("After each pass everyone passes {cards} across as well.", cards=cards)
    if words.optional_pass:
        yield Sentence("A player may decline to pass.")


def _way(way: str, seats: int) -> Text:
    if seats == 2 and way in ("left", "right", "across"):
        return Sentence("to the other player")
    if way in _WAYS:
        return Sentence(_WAYS[way])
    return Sentence("instead {way}", way=_parts(way))


def _parts(way: str) -> Sentence:
    return Sentence("{parts}", parts=tuple(way.split(", ")))


def _lead(ready: Prepared) -> Iterator[Text]:
    words = ready.keys.play
    lead = words.lead or ""
    if lead == "left of dealer, any card":
        yield Sentence(_any_card(words))
    elif lead in _LEADS:
        yield Sentence(_LEADS[lead])
    elif _CARD.fullmatch(lead):
        yield from _card_leads(ready, lead)
    elif lead:
        yield _as_written(lead)


def _any_card(words: Play) -> str:
    if words.first_trick_points is False:
        return (
            "The player left of the dealer leads to the first trick, any card that does not count."
        )
    if words.queen_waits:
        return "The player left of the dealer leads to the first trick, any card but a heart or Q♠."
    if (words.hearts or "").startswith(("when broken", "from trick 3")):
        return "The player left of the dealer leads to the first trick, any card but a heart."
    return "The player left of the dealer leads to the first trick, any card."


def _card_leads(ready: Prepared, card: str) -> Iterator[Text]:
    """The holder of one card leads; the card may be out, left over, or there twice."""
    copies = len(ready.deck.copies.get(card, ()))
    if copies:
        yield Sentence("The player who holds {card} leads it to the first trick.", card=sign(card))
    if copies > 1:
        yield Sentence("There are {n} of it: agree beforehand which holder leads.", n=copies)
    elif copies and kitty_size(ready):
        yield Sentence("Where it is left over, agree on who leads.")
    if copies == 0:
        yield Sentence(
            "The player who holds {lowest} leads it to the first trick, as {card} is not in the "
            "pack.",
            card=sign(card),
            lowest=_lowest(ready, card),
        )
        return
    for number in ready.rules.table_sizes:
        other = prepare(ready.rules, number)
        if card not in other.deck.copies:
            yield Sentence(
                "With {n} players {card} is not in the pack: {lowest} leads.",
                n=number,
                card=sign(card),
                lowest=_lowest(other, card),
            )


def _lowest(ready: Prepared, card: str) -> str:
    suit = [other for other in ready.deck.copies if other[-1] == card[-1] and other[0] != "0"]
    if suit:
        return sign(suit[0])
    return sign(card)


def _as_written(text: str) -> Text:
    words = _CARD.sub(lambda match: sign(match[0]), text.strip())
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")
