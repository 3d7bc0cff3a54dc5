"""The entry schema: the boxes of a sheet, and the names under which columns and melds are read.

Pure. Forms, importers, printed sheets and the API ask here, never the variant.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scoring.cards import EVERY_CARD, RANK_NAMES, SUIT_NAMES, card_sign
from scoring.json_types import is_list
from scoring.numbers import Real, Score, as_complex, real
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules

NAMED_SEATS: Final = "NESW"
"""The names of the seats of a table of up to four, clockwise."""

MOST_OF_A_MELD: Final = 20
"""A larger number of melds is a slip: no pack allows it."""

NOTHING: Final = frozenset({"", "-", "–", "—", "0", "none", "keine"})
"""Words of a cell that lists nothing."""

_NICKNAMES: Final = {
    "QS": ("lady", "black lady", "black maria", "queen", "spade queen", "q of spades", "pig"),
    "JD": ("jack", "diamond jack", "bonus", "omnibus", "j of diamonds"),
    "10D": ("ten", "diamond ten", "bonus"),
    "10C": ("club ten", "doubler"),
}
"""Card → further heads of its column."""

_HEARTS: Final = ("heart", "♥", "h", "hearts taken", "number of hearts")
"""Further heads of the column for the number of hearts."""

_PART: Final = r"[0-9]{1,9}(?:/[1-9][0-9]{0,8})?"
_COMPLEX: Final = re.compile(rf"(-?{_PART})\s*([+-])\s*({_PART}|)i")
"""A complex number: its real part, the sign, and the imaginary part, empty for 1."""

_OPEN_MODES: Final = frozenset(
    {"choose", "others_unless_shooter_loses", "others_unless_other_wins"}
)
"""Payments of a moon that may be settled in two ways."""

_POINTS: Final = re.compile(r"_[0-9]+$")
"""The points at the end of a meld's label."""

_TIMES: Final = re.compile(r"([0-9]{1,2})\s*[x×*]?\s*([^0-9].*)")
"""A number and a name: `2x dix`."""

_NUMBER: Final = re.compile(r"[0-9]{1,2}[x×*]?")
_BLANKS: Final = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Box:
    """One field that a sheet has for every seat (or side, or hand).

    Attributes:
        key: the box's name in forms and its first column head (`queen_spades`).
        kind: hearts, card, cards, tricks, charged, pledge, moon, first_trick, passer, unclaimed,
            clean, melds, trick_points, last_trick, declared_out or points.
        card: the card that a box of kind `card` counts.
        label: the text over the box on paper.
        maximum: the largest sum over all seats, for a number.
        columns: heads under which an importer reads it; case and blanks are ignored.
        choices: the allowed values, if there is a list (pledge ids, charged cards,
            settlements, the only cards that may be unclaimed).
        per: `seat`, or `hand` for one value per hand.
        labels: what each of the choices is called, where they have names of their own.
        is_required: whether every hand needs it.
    """

    key: str
    kind: str
    card: str | None
    label: str
    maximum: int | None
    columns: tuple[str, ...]
    choices: tuple[str, ...] = ()
    per: str = "seat"
    labels: tuple[str, ...] = ()
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class MoonPayment:
    """The points that the one moon of some rules books, where they are always the same.

    `ways` is settlement → what the shooter and what everybody else gets; `usual` is taken where
    none is written, empty where one must be. `face` is what the cards of the moon are worth;
    `outside` says that the others count beside the settlement.
    """

    ways: Mapping[str, tuple[int, int]]
    usual: str
    face: int
    outside: bool


def seat_names(seats: int) -> tuple[str, ...]:
    """The names of the seats, clockwise.

    >>> seat_names(4), seat_names(5)
    (('N', 'E', 'S', 'W'), ('1', '2', '3', '4', '5'))
    """
    if seats <= len(NAMED_SEATS):
        return tuple(NAMED_SEATS[:seats])
    return tuple(str(number) for number in range(1, seats + 1))


def card_key(card: str) -> str:
    """The column name of a card.

    >>> card_key("QS"), card_key("10C"), card_key("1X")
    ('queen_spades', 'ten_clubs', 'one_jokers')
    """
    return f"{RANK_NAMES[card[:-1]]}_{SUIT_NAMES[card[-1]]}"


def card_columns(card: str) -> tuple[str, ...]:
    """Every head under which the card is read: `queen_spades`, `QS`, `Q♠`, `SQ`, `lady`."""
    rank_code, suit_code = card[:-1], card[-1]
    codes = [card, f"{suit_code}{rank_code}"]
    if rank_code == "10":
        codes += [f"T{suit_code}", f"{suit_code}T"]
    rank = RANK_NAMES[rank_code]
    suit = SUIT_NAMES[suit_code]
    singular = suit.removesuffix("s")
    heads = [
        card_key(card),
        f"{rank} of {suit}",
        f"{rank}_{singular}",
        f"{singular}_{rank}",
        f"{suit}_{rank}",
        *codes,
        card_sign(card),
        *_NICKNAMES.get(card, ()),
    ]
    return tuple(dict.fromkeys(heads))


def own_card_heads() -> Mapping[str, str]:
    """The two heads that name one card in every variant, its name and its code → the card.

    >>> own_card_heads()["queen_spades"], own_card_heads()["10R"]
    ('QS', '10R')
    """
    heads = {}
    for card in EVERY_CARD:
        heads[card_key(card)] = card
        heads[card] = card
    return heads


def complex_points(text: str) -> list[int | str] | None:
    """The `[re, im]` that is written as a sum with `i`, or `None`.

    >>> complex_points("-26+10i"), complex_points("5 - i"), complex_points("7")
    ([-26, 10], [5, -1], None)
    """
    match = _COMPLEX.fullmatch(text.replace("\u2212", "-"))
    if match is None:
        return None
    real_text, sign, imaginary_text = match.groups()
    imaginary_text = imaginary_text or "1"
    if sign == "-":
        imaginary_text = f"-{imaginary_text}"
    return [_part(real_text), _part(imaginary_text)]


def _part(text: str) -> int | str:
    """A part of a complex number as it stands in an entry: a fraction is a text."""
    if "/" in text:
        return text
    return int(text)


def points_text(points: object) -> str:
    """Points of an entry as a person writes them; the inverse of `complex_points`.

    >>> points_text(26), points_text("26/3"), points_text([-26, 10])
    ('26', '26/3', '-26+10i')
    """
    if not is_list(points) or len(points) != 2:
        return str(points)
    real_part, imaginary_part = points
    sign = "" if str(imaginary_part).startswith("-") else "+"
    return f"{real_part}{sign}{imaginary_part}i"


def hand_total(rules: Rules, seats: int) -> Score:
    """The points of all counting cards of a hand and of tricks that count: a sheet's checksum."""
    ready = prepare(rules, seats)
    return ready.trick_total or ready.deal_total


def written_total(
    rules: Rules, seats: int, hearts: int, cards: Sequence[str], tricks: int = 0
) -> Score:
    """The points of so many hearts, cards and tricks by their faces: a sheet's running sum.

    A number of hearts counts where the sheet has a box for it; a code that is no card of this pack
    is worth nothing.
    """
    ready = prepare(rules, seats)
    total = ready.zero + ready.keys.trick_value * tricks
    if ready.short_form:
        total = total + ready.heart_value * hearts
    for card in cards:
        total = total + ready.worth_of(ready.deck.first.get(card, 0))
    return total


def trick_values(rules: Rules, seats: int) -> tuple[Mapping[str, int], int]:
    """The points of each card of a trick and of the last trick; nothing without melds."""
    ready = prepare(rules, seats)
    if not ready.keys.melds:
        return {}, 0
    card_points = {card: int(real(ready.worth_of(bit))) for card, bit in ready.deck.first.items()}
    return card_points, ready.keys.last_trick


def heart_cards(rules: Rules, seats: int) -> tuple[str, ...]:
    """The hearts that the box for their number covers, a code for each copy."""
    ready = prepare(rules, seats)
    if not ready.short_form:
        return ()
    return tuple(ready.deck.names(ready.hearts))


def moon_cards(rules: Rules, seats: int) -> frozenset[str]:
    """The cards that the first slam of one hand needs; empty under rules without a slam."""
    ready = prepare(rules, seats)
    if not ready.slams:
        return frozenset()
    return frozenset(ready.deck.names(ready.slams[0].needs))


def adds_faces(rules: Rules, seats: int) -> bool:
    """Whether a hand without a moon adds just what its cards say to the totals."""
    running = rules.keys.running
    return prepare(rules, seats).plain and running.floor is None and not running.resets


def moon_payment(rules: Rules, seats: int) -> MoonPayment | None:
    """The points that a moon books; None if only the scorer knows, or there is no moon."""
    ready = prepare(rules, seats)
    if len(ready.slams) != 1 or not adds_faces(rules, seats):
        return None
    slam = ready.slams[0]
    pay = slam.pay
    if pay.spare_partner or pay.self_from is not None or slam.slam.all_tricks != "no":
        return None
    self_amount, others_amount, face = slam.self_amount, slam.others_amount, slam.dealt
    if not (
        isinstance(self_amount, int) and isinstance(others_amount, int) and isinstance(face, int)
    ):
        return None

    ways = {"self": (-self_amount, 0), "others": (0, others_amount)}
    if pay.mode == "choose":
        usual = ""
    elif pay.mode in ways:
        usual = pay.mode
        ways = {usual: ways[usual]}
    else:
        return None
    return MoonPayment(ways=ways, usual=usual, face=face, outside=pay.outside)


def boxes(rules: Rules, seats: int) -> tuple[Box, ...]:
    """The boxes of a sheet of these rules, in the order of the paper."""
    return tuple(_boxes(prepare(rules, seats)))


def _box(
    key: str,
    label: str,
    *heads: str,
    maximum: int | None = None,
    choices: tuple[str, ...] = (),
    labels: tuple[str, ...] = (),
    per: str = "seat",
    is_required: bool = False,
) -> Box:
    """A box whose kind is its key, which is a column head too."""
    return Box(
        key=key,
        kind=key,
        card=None,
        label=label,
        maximum=maximum,
        columns=(key, *heads),
        choices=choices,
        per=per,
        labels=labels,
        is_required=is_required,
    )


def _boxes(ready: Prepared) -> Iterator[Box]:
    if ready.keys.melds:
        yield from _meld_boxes(ready)
        return
    if ready.short_form:
        yield _box("hearts", "Hearts", *_HEARTS, maximum=ready.heart_count)
    yield from _card_boxes(ready)
    yield _box("cards", "Cards", "taken", "captured")
    if ready.clean_form:
        yield _box("clean", "Took nothing", "took nothing")
    if ready.wants_tricks:
        yield _box(
            "tricks",
            "Tricks",
            "trick",
            "number of tricks",
            maximum=ready.hand_size if ready.keys.tricks == "equal" else None,
            is_required=ready.looks_at_tricks,
        )
    yield from _hand_boxes(ready)
    yield _box("points", "Points", "score", "pts", "penalty")


def _meld_boxes(ready: Prepared) -> Iterator[Box]:
    ids = tuple(meld.id for meld in ready.keys.melds)
    labels = tuple(f"{meld.name} {meld.points}" for meld in ready.keys.melds)
    yield _box("melds", "Melds", "meld", choices=ids, labels=labels)
    yield _box(
        "trick_points",
        "Trick points",
        "trick points",
        "points of tricks",
        maximum=ready.trick_total,
    )
    yield _box("cards", "Cards", "taken", "captured")
    if ready.keys.last_trick:
        yield _box("last_trick", "Last trick", "last trick", "won the last trick", per="hand")
    if any(test.declare for test in ready.keys.finish):
        yield _box("declared_out", "Declared out", "declared out", "out", per="hand")
    yield _box("points", "Points", "score", "pts")


def _card_boxes(ready: Prepared) -> Iterator[Box]:
    """A box for each card that counts; hearts that are only counted have none."""
    boxed = ready.counting
    if ready.short_form:
        boxed &= ~ready.hearts
    copies = ready.deck.copies
    cards = [card for card, bits in copies.items() if bits[0] & boxed]
    for card in sorted(cards, key=lambda card: _weight(ready, card)):
        columns = card_columns(card)
        yield Box(
            key=columns[0],
            kind="card",
            card=card,
            label=card_sign(card),
            maximum=len(copies[card]),
            columns=columns,
        )


def _weight(ready: Prepared, card: str) -> tuple[bool, Real]:
    """Sort key: hearts first, in the order of the pack; then the dearest card."""
    if card[-1] == "H":
        return False, 0
    value = ready.worth_of(ready.deck.copies[card][0])
    return True, -as_complex(value).norm


def _hand_boxes(ready: Prepared) -> Iterator[Box]:
    keys = ready.keys
    if keys.chargeable:
        cards = keys.chargeable
        yield _box("charged", "Charged", "declared", "exposed", choices=cards, per="hand")
    pledges = tuple(bonus.pledge for bonus in keys.hand_bonus if bonus.pledge)
    if pledges:
        yield _box("pledge", "Pledge", "pledges", choices=pledges)
    modes = {slam.pay.mode for slam in ready.slams}
    if modes:
        settlements = () if modes.isdisjoint(_OPEN_MODES) else ("self", "others")
        yield _box(
            "moon",
            "Moon",
            "slam",
            "shot the moon",
            "shooter",
            choices=settlements,
            per="hand",
        )
    if any(slam.slam.all_tricks == "except_first" for slam in (*ready.slams, *ready.spans)):
        yield _box(
            "first_trick",
            "First trick",
            "first trick",
            "first_trick_by",
            "won the first trick",
            per="hand",
        )
    if "punish" in modes:
        label = "Passed to the shooter"
        yield _box("passer", label, "passed to the shooter", "passed", per="hand")
    unclaimed = ready.may_be_unclaimed
    if unclaimed:
        only_cards: tuple[str, ...] = ()
        if unclaimed == ready.idle:
            only_cards = tuple(dict.fromkeys(ready.deck.names(unclaimed)))
        yield _box(
            "unclaimed", "Unclaimed", "nobody", "not counted", choices=only_cards, per="hand"
        )


def meld_codes(melds: Sequence[str]) -> dict[str, str]:
    """Code → meld, in the order of the sheet: the first letters of a meld's words.

    Two melds with the same first letters have more letters of their last word.

    >>> meld_codes(["flush", "royal_marriage", "marriage"])
    {'f': 'flush', 'rm': 'royal_marriage', 'm': 'marriage'}
    """
    melds_by_code: dict[str, str] = {}
    for meld in melds:
        words = meld.split("_")
        start = "".join(word[0] for word in words[:-1])
        last = words[-1]
        codes = [start + last[:n_letters] for n_letters in range(1, len(last) + 1)]
        free_codes = [code for code in codes if code not in melds_by_code]
        code = free_codes[0] if free_codes else meld
        melds_by_code[code] = meld
    return melds_by_code


def meld_names(box: Box) -> dict[str, str]:
    """Every word under which a meld of the sheet is read → the meld; an id comes before a code."""
    codes = meld_codes(box.choices)
    labels = {_word(label): meld for meld, label in zip(box.choices, box.labels, strict=True)}
    labels_without_points = {_POINTS.sub("", label): meld for label, meld in labels.items()}
    ids = {_word(meld): meld for meld in box.choices}
    return {**codes, **labels, **labels_without_points, **ids}


def melds_in(text: str, names: Mapping[str, str]) -> list[str]:
    """The melds that a cell lists, each as often as it was shown; other words stay as written.

    They are separated by commas or semicolons, else by blanks; then the longest known name
    is read.

    >>> names = {"flush": "flush", "rm": "royal_marriage", "royal_marriage": "royal_marriage"}
    >>> melds_in("flush 2x rm", names), melds_in("Royal marriage, 2 dix", names)
    (['flush', 'royal_marriage', 'royal_marriage'], ['royal_marriage', 'dix', 'dix'])
    >>> melds_in("2 royal marriage flush", names), melds_in("-", names)
    (['royal_marriage', 'royal_marriage', 'flush'], [])
    """
    parts: Iterable[str]
    if "," in text or ";" in text:
        parts = re.split("[,;]", text)
    else:
        parts = _parts(text.split(), names)
    melds: list[str] = []
    for part in parts:
        word = part.strip().casefold()
        if word in NOTHING:
            continue
        name = _word(word)
        number = 1
        times = _TIMES.fullmatch(word)
        if times is not None and name not in names:
            name = _word(times[2])
            number = min(int(times[1]), MOST_OF_A_MELD)
        melds += [names.get(name, name)] * number
    return melds


def _parts(words: Sequence[str], names: Mapping[str, str]) -> Iterator[str]:
    """Words without commas, put together to names: a number belongs to the name after it."""
    most_words = max((name.count("_") + 1 for name in names), default=1)
    place = 0
    while place < len(words):
        times = ""
        if _NUMBER.fullmatch(words[place]) and place + 1 < len(words):
            times = f"{words[place]} "
            place += 1
        n_words = min(most_words, len(words) - place)
        while n_words > 1 and _word(" ".join(words[place : place + n_words])) not in names:
            n_words -= 1
        name = " ".join(words[place : place + n_words])
        yield f"{times}{name}"
        place += n_words


def _word(text: str) -> str:
    """A name as it is compared: without case, its words joined by `_`."""
    return _BLANKS.sub("_", text.strip().casefold())
