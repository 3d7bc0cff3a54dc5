"""The entry of a hand, seat by seat, and who entered or deleted it.

The entry's shape is that of docs/api.md. Nothing is scored or checked here.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter
from typing import Any, Final, TypeAlias

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Subquery
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from scoring.entry.codec import BY_SEAT, OF_A_SEAT, OF_A_UNIT
from tournaments.domain.seating_runs import has_hand
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import ROLES, Membership, Player, Role
from tournaments.models.events import Event
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Change
from tournaments.policy import PUBLIC
from tournaments.selectors.audit import event_subjects
from tournaments.selectors.events.change_log import MOVE_KIND

HandKey: TypeAlias = tuple[str, int]
"""Code of a table and number of a hand."""

Bylines: TypeAlias = Mapping[int, str]
"""By account, what is shown in the place of the name that is stored."""

SUITS: Final = {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}
"""Last letter of a card code → name of the suit's sign."""

_SUIT_ORDER: Final = ("heart", "spade", "diamond", "club")
_SIGNS: Final = {"spade": "♠", "heart": "♥", "diamond": "♦", "club": "♣"}

TABLE_LABELS: Final = {
    "shooter": _("marked as the shooter"),
    "slam_choice": _("chosen by the shooter"),
    "unclaimed": _("not taken"),
    "kitty": _("in the kitty"),
    "declared": _("declared"),
    "passer": _("passed to the shooter"),
    "first_trick_by": _("took the first trick"),
    "last_trick": _("took the last trick"),
    "declared_out": _("declared out"),
    "points": _("points"),
    "hearts": _("hearts"),
    "taken": _("taken"),
}
"""Keys of an entry that concern the whole table, in words."""

SLAM_CHOICES: Final = {
    "self": _("points off their own total"),
    "others": _("points to each other player"),
}
"""What a shooter may choose, in words."""

_COUNTED: Final = frozenset({"hearts", "taken", "trick_points"})
"""Fields with the cards, or the points in tricks, of a seat."""

_SOMEBODY: Final = _("an official")
"""Somebody who has left the club, or runs the site."""


@dataclass(frozen=True, slots=True)
class SuitPile:
    """Cards of one suit in a seat's pile: how many, or which ranks.

    `suit` is the name of a sign, or empty where the card has none; then `text` is the card's code.
    `n` of `of` equal cards are meant where several packs are played; `of` is 0 elsewhere.
    """

    text: str
    suit: str
    is_count: bool = False
    n: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class SeatEntry:
    """The display of one seat: its piles, points as written, and other values by their key.

    `is_total`: no cards of the hand were counted, for any seat; `melds`: how often each was shown.
    """

    piles: tuple[SuitPile, ...] = ()
    points: Any = None
    others: tuple[tuple[str, str], ...] = ()
    is_total: bool = False
    tricks: int | None = None
    melds: tuple[tuple[str, int], ...] = ()
    trick_points: int | None = None

    @property
    def meld_words(self) -> tuple[str, ...]:
        words = []
        for meld, times in self.melds:
            name = meld.replace("_", " ")
            words.append(f"{times}× {name}" if times > 1 else name)
        return tuple(words)


@dataclass(frozen=True, slots=True)
class DisplayedEntry:
    """An entry laid out: one `SeatEntry` a seat, and what concerns the whole table by its key."""

    seats: tuple[SeatEntry, ...]
    table: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Deletion:
    """Why a hand does not count: deleted for a reason, or gone to another table (`moved_to`)."""

    reason: str
    moved_to: HandKey | None = None


def displayed_entry(
    entry: Mapping[str, object],
    seats: int,
    *,
    sides: Sequence[Sequence[int]] = (),
    copies: Mapping[str, int] | None = None,
) -> DisplayedEntry:
    """Return `entry` as typed, cut by seat.

    Args:
        entry: the entry's JSON; lists in seat order where they have one element a seat.
        seats: number of seats at the table.
        sides: the seats of each side that shares one pile and one score; each of them then has
            what the side has.
        copies: how many there are of each named card, where there are several packs.

    >>> hand = displayed_entry({"hearts": [4, 9], "taken": [[], ["QS"]], "slam_choice": "self"}, 2)
    >>> [[(pile.text, pile.suit) for pile in seat.piles] for seat in hand.seats]
    [[('4', 'heart')], [('9', 'heart'), ('Q', 'spade')]]
    >>> hand.table
    (('slam_choice', 'self'),)
    """
    lengths = dict.fromkeys(BY_SEAT, seats)
    if sides:
        lengths.update(dict.fromkeys(OF_A_UNIT, len(sides)))
    values_by_seat: dict[str, Sequence[Any]] = {}
    table: list[tuple[str, str]] = []
    for key, value in entry.items():
        if key in lengths and isinstance(value, list) and len(value) == lengths[key]:
            values_by_seat[key] = value
        else:
            table.append((key, _words(value)))

    seat_entries: dict[int, SeatEntry] = {}
    for unit, side in enumerate(sides):
        side_values = {}
        for key, values in values_by_seat.items():
            if key in OF_A_UNIT:
                side_values[key] = values[unit]
            else:
                side_values[key] = _together(key, values, side)
        seat_entries.update(dict.fromkeys(side, _seat_entry(side_values, copies or {})))
    if not sides:
        for seat in range(seats):
            seat_values = {key: values[seat] for key, values in values_by_seat.items()}
            seat_entries[seat] = _seat_entry(seat_values, copies or {})
    return DisplayedEntry(
        seats=tuple(seat_entries[seat] for seat in range(seats)), table=tuple(table)
    )


def entry_words(
    entry: Mapping[str, object], labels: Sequence[str], sides: Sequence[Sequence[int]] = ()
) -> list[str]:
    """Return an entry in words, one for each seat or side and for each value of the whole table.

    Args:
        labels: what the seats are called, in seat order.
        sides: the seats of each side that shares one pile and one score.

    >>> entry_words({"hearts": [4, 9], "taken": [[], ["QS"]], "slam_choice": "self"}, ["N", "S"])
    ['N 4♥', 'S 9♥ ♠Q', 'chosen by the shooter: points off their own total']
    >>> entry_words({"hearts": [4, 6, 0, 3]}, ["N", "E", "S", "W"], [[0, 2], [1, 3]])
    ['N–S 4♥', 'E–W 9♥']
    """
    hand = displayed_entry(entry, len(labels), sides=sides)
    words = []
    for side in sides or [[seat] for seat in range(len(labels))]:
        name = "–".join(labels[seat] for seat in side)
        words.append(f"{name} {_seat_words(hand.seats[side[0]])}")
    for key, value in hand.table:
        words.append(_table_words(key, value, labels))
    return words


def different_words(
    entry: Mapping[str, object],
    other_entry: Mapping[str, object],
    labels: Sequence[str],
    sides: Sequence[Sequence[int]] = (),
) -> tuple[list[str], list[str]]:
    """Return the words of two entries in which they differ, of each entry its own.

    >>> different_words({"points": [0, 26]}, {"points": [26, 0], "shooter": 1}, ["N", "S"])
    (['N 0', 'S 26'], ['N 26', 'S 0', 'marked as the shooter: S'])
    """
    words = entry_words(entry, labels, sides)
    other_words = entry_words(other_entry, labels, sides)
    return (
        [text for text in words if text not in other_words],
        [text for text in other_words if text not in words],
    )


def _table_words(key: str, value: str, labels: Sequence[str]) -> str:
    """Return a value of the whole table in words, a seat by its label."""
    if key in OF_A_SEAT and value.isdecimal() and int(value) < len(labels):
        value = labels[int(value)]
    elif key == "slam_choice":
        value = str(SLAM_CHOICES.get(value, value))
    return f"{TABLE_LABELS.get(key, key)}: {value}"


def _seat_words(seat: SeatEntry) -> str:
    parts = [_pile_words(pile) for pile in seat.piles]
    parts += seat.meld_words
    if seat.trick_points is not None:
        n = seat.trick_points
        parts.append(ngettext("%(n)s trick point", "%(n)s trick points", n) % {"n": n})
    if seat.points is not None:
        parts.append(str(seat.points))
    parts += (f"{key} {value}" for key, value in seat.others)
    return " ".join(parts) or gettext("nothing")


def _pile_words(pile: SuitPile) -> str:
    sign = _SIGNS.get(pile.suit, "")
    if pile.n > 1:
        return f"{pile.n}×{sign}{pile.text}"
    if pile.is_count:
        return f"{pile.text}{sign}"
    return f"{sign}{pile.text}"


def _together(key: str, values: Sequence[Any], side: Sequence[int]) -> Any:
    """Return what the seats of a side have together: all their cards, or the sum of a number."""
    side_values = [values[seat] for seat in side if values[seat] not in (None, "")]
    if key == "taken":
        cards = []
        for pile in side_values:
            if isinstance(pile, list):
                cards += pile
        return cards
    if not all(isinstance(value, int) for value in side_values):
        return ", ".join(str(value) for value in side_values)
    if not side_values:
        return None
    return sum(side_values)


def _seat_entry(values: Mapping[str, Any], copies: Mapping[str, int]) -> SeatEntry:
    """Return the display of one seat; `values` are its own, by the key of the entry.

    What a host sees beside another entry was not checked: a number may be any text.
    """
    suit_piles: list[SuitPile] = []
    hearts = values.get("hearts")
    if hearts:
        suit_piles.append(SuitPile(str(hearts), "heart", is_count=isinstance(hearts, int)))
    suit_piles += piles(values.get("taken"), copies)
    others = []
    for key in ("tricks", "pledges", "clean"):
        if values.get(key) is not None:
            others.append((key, _words(values[key])))
    melds: tuple[tuple[str, int], ...] = ()
    if isinstance(values.get("melds"), list):
        melds = tuple(Counter(str(meld) for meld in values["melds"]).items())
    return SeatEntry(
        piles=tuple(suit_piles),
        points=values.get("points"),
        others=tuple(others),
        is_total="points" in values and values.keys().isdisjoint(_COUNTED),
        tricks=_whole_number(values.get("tricks")),
        melds=melds,
        trick_points=_whole_number(values.get("trick_points")),
    )


def _whole_number(value: object) -> int | None:
    if isinstance(value, int):
        return value
    return None


def piles(cards: Any, copies: Mapping[str, int]) -> list[SuitPile]:
    """Return cards by suit, and those that there are several of by themselves, with their number.

    Args:
        cards: codes, in any spelling that an entry has.
        copies: how many there are of a card, where there are several.

    >>> [(pile.n, pile.of, pile.text) for pile in piles(["QS", "QS"], {"QS": 2})]
    [(2, 2, 'Q')]
    """
    if not isinstance(cards, list):
        return []
    ranks_by_suit: dict[str, list[str]] = defaultdict(list)
    several: dict[str, SuitPile] = {}
    without_sign: list[SuitPile] = []
    for card in cards:
        code = str(card)
        rank, letter = code[:-1], code[-1:]
        if rank == "T":
            rank = "10"
        if letter not in SUITS or not rank:
            without_sign.append(SuitPile(code, suit=""))
            continue
        suit = SUITS[letter]
        n_copies = copies.get(f"{rank}{letter}", 1)
        if n_copies <= 1:
            ranks_by_suit[suit].append(rank)
        elif code in several:
            several[code] = replace(several[code], n=several[code].n + 1)
        else:
            several[code] = SuitPile(rank, suit, n=1, of=n_copies)

    single: list[SuitPile] = []
    for suit in _SUIT_ORDER:
        if suit in ranks_by_suit:
            single.append(SuitPile(" ".join(ranks_by_suit[suit]), suit))
    return [*single, *several.values(), *without_sign]


def _words(value: object) -> str:
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_words(part) for part in value) or "–"
    if value is None:
        return "–"
    return str(value)


def bylines(event: Event, users: Collection[int | None]) -> Bylines:
    """Return the displayed names for these stored accounts; one query at most.

    A login name is half of what a stranger needs to sign in, so it is not shown. The public reads a
    player's public name only, in the events that they played in.
    """
    user_ids = {user for user in users if user is not None}
    if not user_ids or str(getattr(event, "role", PUBLIC)) in ROLES:
        return {}
    seated = Sitting.objects.filter(seat__table__event=event, player=OuterRef("pk"))
    player = Player.objects.filter(Exists(seated), club=event.club_id, user=OuterRef("pk"))
    role = Membership.objects.filter(club=event.club_id, user=OuterRef("pk"))
    rows = User.objects.filter(pk__in=user_ids).values_list(
        "pk",
        Subquery(player.order_by("pk").values("public_name")[:1]),
        Subquery(role.values("role")[:1]),
    )
    role_names = {**ROLES, str(Role.OWNER): ROLES[Role.DIRECTOR]}
    names = {}
    for user_id, public_name, user_role in rows:
        names[user_id] = public_name or str(role_names.get(user_role or "", _SOMEBODY))
    return names


def holder_at(sittings: Sequence[Sitting], hand: int | None) -> Sitting | None:
    """Return which of the sittings of one seat, by first hand, has it at a hand; no query.

    None, for now, means the last one.
    """
    for sitting in reversed(sittings):
        if hand is None or has_hand(hand, sitting.from_hand, sitting.to_hand):
            return sitting
    return None


def find_deletions(event: Event, hands: Collection[HandKey]) -> Mapping[HandKey, Deletion]:
    """Return the newest deletion or move of each of these void hands of an event; three queries,
    none without hands.

    A hand that was never deleted, nor given to another table, is not in it.
    """
    if not hands:
        return {}
    hands_by_subject: dict[str, HandKey] = {}
    for event_subject in event_subjects(event):
        for code, number in hands:
            hands_by_subject[f"{event_subject}/table:{code}/hand:{number}"] = (code, number)
    lines = AuditLine.objects.filter(
        club=event.club_id, act="void_hand", subject__in=hands_by_subject
    )
    deletions: list[tuple[datetime, HandKey, Deletion]] = []
    for subject, facts, at in lines.order_by("number").values_list("subject", "facts", "at"):
        deletion = Deletion(reason=str(facts["reason"]))
        deletions.append((at, hands_by_subject[subject], deletion))

    for change in Change.objects.filter(event=event, kind=MOVE_KIND).order_by("pk"):
        for code, number, to_code, to_number in change.facts["hands"]:
            if (code, number) in hands:
                deletion = Deletion(reason=change.reason, moved_to=(to_code, to_number))
                deletions.append((change.at, (code, number), deletion))

    # Of several the newest stays: it is stored last.
    oldest_first = sorted(deletions, key=itemgetter(0))
    return {key: deletion for _at, key, deletion in oldest_first}
