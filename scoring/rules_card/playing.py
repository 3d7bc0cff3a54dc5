"""How a hand goes, on a rules card: passing, the first lead, and what else is said of the play.

Pure. See docs/rules-cards.md.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.dealing import has_count, passing_ring
from scoring.rules.schema import WAYS
from scoring.rules.types import Play
from scoring.rules_card.deck import kitty_size
from scoring.rules_card.wording import Section, Sentence, Text, either, joined, row, sign

_WAYS = {
    "left": "left", "right": "right", "across": "across", "hold": "no pass",
    "dealer's call": "as the dealer calls",
    "second left": "to the second player on the left",
    "second right": "to the second player on the right",
    "scatter": "instead one card to each other player",
    "split": "split evenly among the other players",
    "mix": "shuffled together and dealt out again",
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
_HEARTS = {
    "when broken": "Hearts may be led once a heart has been thrown on another suit.",
    "any time": "Hearts may be led at any time.",
    "from trick 3": "Hearts may be led from the third trick.",
}
_QUEEN_BREAKS = {True: "Q♠ breaks hearts as well.", False: "Q♠ does not break hearts."}
_FIRST_TRICK = {
    True: "Cards that count may be played to it.",
    False: "Cards that count may not be played to it, unless a player has nothing else.",
}
_QUEEN_FIRST = {
    True: "A player who cannot follow suit must throw it at the first chance.",
    False: "It need not be thrown at the first chance.",
}
_USUAL_COUNT = 3
_CARD = re.compile(r"\b(10|[2-9JQKA])([CDHS])\b")


def play(ready: Prepared) -> Section:
    """Passing, leading, and what else is said of the play."""
    words = ready.keys.play
    entries: list[tuple[str, str, tuple[Text, ...]]] = [
        ("passing", "Passing", tuple(_passing(ready))),
        ("lead", "First lead", tuple(_lead(ready))),
        ("hearts", "Hearts", tuple(_hearts(words))),
        ("first_trick", "First trick", _sentences(_FIRST_TRICK, words.first_trick_points)),
        ("queen", "Q♠", _sentences(_QUEEN_FIRST, words.queen_first)),
        ("notes", "Also", tuple(map(_as_written, filter(None, words.notes.split(";"))))),
    ]
    if ready.keys.tricks == "variable":
        fixed = Sentence("How many tricks a hand has is not fixed.")
        stays = "A card that counts and stays in a hand counts for the player who holds it."
        entries.append(("tricks", "Tricks", (fixed, Sentence(stays))))
    rows = [row(key, heading, *texts) for key, heading, texts in entries if texts]
    return Section("play", Sentence("Play"), tuple(rows))


def _sentences(texts: Mapping[bool, str], choice: bool | None) -> tuple[Text, ...]:
    return () if choice is None else (Sentence(texts[choice]),)


def _hearts(words: Play) -> Iterator[Text]:
    if words.hearts:
        text = _HEARTS.get(words.hearts)
        yield Sentence(text) if text else _as_written(words.hearts)
    if words.hearts == "when broken":
        yield from _sentences(_QUEEN_BREAKS, words.queen_breaks)


def pass_text(words: Play, seats: int, way: str) -> Text:
    """The passing of one hand, in the few words of a sheet.

    The number of cards is named unless it is the usual three.

    >>> str(pass_text(Play(pass_count=4, second_pass=True, optional_pass=True), 4, "left"))
    '4 left + across (optional)'
    """
    text: Text = Sentence(way) if way in WAYS else way
    if way == "hold":
        return text
    if words.pass_count not in (None, _USUAL_COUNT) and has_count(way):
        text = Sentence("{n} {way}", n=words.pass_count, way=text)
    if words.second_pass and seats % 2 == 0:
        text = Sentence("{way} + across", way=text)
    return Sentence("{way} (optional)", way=text) if words.optional_pass else text


def cycle_text(cycle: Sequence[str]) -> Text:
    """The ways of passing one after another, each by its name."""
    names = {way: Sentence("no pass" if way == "hold" else way) for way in WAYS}
    return joined("{these}, {those}", (names.get(way, way) for way in cycle or ("hold",)))


def _passing(ready: Prepared) -> Iterator[Text]:
    words, seats = ready.keys.play, ready.seats
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


def _ring(ring: tuple[str, ...], words: Play, seats: int) -> Iterator[Text]:
    if set(ring) <= {"hold"}:
        yield Sentence("No cards are passed.")
        return
    cards = _cards(words.pass_count)
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
            cards=cards, ways=joined("{these}; {those}", hands),
        )  # fmt: skip
    if words.second_pass and seats % 2 == 0:
        yield Sentence("After each pass everyone passes {cards} across as well.", cards=cards)
    if words.optional_pass:
        yield Sentence("A player may decline to pass.")


def _cards(count: int | None) -> Sentence:
    if count is None:
        return Sentence("some cards")
    return Sentence("1 card" if count == 1 else "{n} cards", n=count)


def _way(way: str, seats: int) -> Text:
    if seats == 2 and way in ("left", "right", "across"):
        return Sentence("to the other player")
    return Sentence(_WAYS[way]) if way in _WAYS else Sentence("instead {way}", way=_parts(way))


def _parts(way: str) -> Sentence:
    """Cards that go several ways, as one lists them."""
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
    """The first lead with any card that the other rules of play allow."""
    if words.first_trick_points is False:
        return (
            "The player left of the dealer leads to the first trick, any card that does not count."
        )
    if words.hearts in ("when broken", "from trick 3"):
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
            card=sign(card), lowest=_lowest(ready, card),
        )  # fmt: skip
        return
    for number in ready.rules.table_sizes:
        other = prepare(ready.rules, number)
        if card not in other.deck.copies:
            yield Sentence(
                "With {n} players {card} is not in the pack: {lowest} leads.",
                n=number, card=sign(card), lowest=_lowest(other, card),
            )  # fmt: skip


def _lowest(ready: Prepared, card: str) -> str:
    suit = [other for other in ready.deck.copies if other[-1] == card[-1] and other[0] != "0"]
    return sign(suit[0]) if suit else sign(card)


def _as_written(text: str) -> Text:
    """Words of the variant for players, as a sentence."""
    words = _CARD.sub(lambda match: sign(match[0]), text.strip())
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")
