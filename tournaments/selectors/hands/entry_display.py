"""The entry of a hand, seat by seat, and who entered or deleted it.

The entry's shape is that of docs/api.md. Nothing is scored or checked here.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, TypeAlias

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Subquery
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.entry.codec import BY_SEAT, OF_A_UNIT
from tournaments.domain.seating_runs import has_hand
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import ROLES, Membership, Player, Role
from tournaments.models.events import Event
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Change
from tournaments.policy import PUBLIC
from tournaments.selectors.audit import event_subjects
from tournaments.selectors.events.change_log import MOVE_KIND

SUITS: Final = {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}
"""Last letter of a card code → name of the suit's sign."""


_SIGNS: Final = {"spade": "♠", "heart": "♥", "diamond": "♦", "club": "♣"}
_COUNTED: Final = frozenset({"hearts", "taken", "trick_points"})
"""Fields with the cards, or the points in tricks, of a seat."""


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
        words = ((meld.replace("_", " "), times) for meld, times in self.melds)
        return tuple(f"{times}× {meld}" if times > 1 else meld for meld, times in words)


@dataclass(frozen=True, slots=True)
class DisplayedEntry:
    """An entry laid out: one `SeatEntry` a seat, and what concerns the whole table by its key."""

    seats: tuple[SeatEntry, ...]
    table: tuple[tuple[str, str], ...]


HandKey: TypeAlias = tuple[str, int]
"""Code of a table and number of a hand."""


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
    lengths = dict.fromkeys(BY_SEAT, seats) | (
        dict.fromkeys(OF_A_UNIT, len(sides)) if sides else {}
    )
    seat_values = {
        key: value
        for key, value in entry.items()
        if key in lengths and isinstance(value, list) and len(value) == lengths[key]
    }
    rest = tuple((key, _words(value)) for key, value in entry.items() if key not in seat_values)
    if not sides:
        return DisplayedEntry(
            tuple(_seat(seat_values, index, copies or {}) for index in range(seats)), rest
        )
    of_seat = {}
    for unit, side in enumerate(sides):
        together = {
            key: [value[unit] if key in OF_A_UNIT else _together(key, value, side)]
            for key, value in seat_values.items()
        }
        of_seat.update(dict.fromkeys(side, _seat(together, 0, copies or {})))
    return DisplayedEntry(tuple(of_seat[index] for index in range(seats)), rest)


def entry_words(
    entry: Mapping[str, object], labels: Sequence[str], sides: Sequence[Sequence[int]] = ()
) -> list[str]:
    """Return an entry in words, one for each seat or side and for each value of the whole table.

    Args:
        labels: what the seats are called, in seat order.
        sides: the seats of each side that shares one pile and one score.

    >>> entry_words({"hearts": [4, 9], "taken": [[], ["QS"]], "slam_choice": "self"}, ["N", "S"])
    ['N 4♥', 'S 9♥ ♠Q', 'slam choice self']
    >>> entry_words({"hearts": [4, 6, 0, 3]}, ["N", "E", "S", "W"], [[0, 2], [1, 3]])
    ['N–S 4♥', 'E–W 9♥']
    """
    hand = displayed_entry(entry, len(labels), sides=sides)
    seats = [
        f"{'–'.join(labels[seat] for seat in side)} {_seat_words(hand.seats[side[0]])}"
        for side in sides or [[seat] for seat in range(len(labels))]
    ]
    return seats + [f"{key.replace('_', ' ')} {value}" for key, value in hand.table]


def different_words(
    entry: Mapping[str, object],
    other_entry: Mapping[str, object],
    labels: Sequence[str],
    sides: Sequence[Sequence[int]] = (),
) -> tuple[list[str], list[str]]:
    """Return the words of two entries in which they differ, of each entry its own.

    >>> different_words({"points": [0, 26]}, {"points": [26, 0], "shooter": 1}, ["N", "S"])
    (['N 0', 'S 26'], ['N 26', 'S 0', 'shooter 1'])
    """
    mine, theirs = (entry_words(each, labels, sides) for each in (entry, other_entry))
    return (
        [words for words in mine if words not in theirs],
        [words for words in theirs if words not in mine],
    )


def _seat_words(seat: SeatEntry) -> str:
    parts = [_pile_words(pile) for pile in seat.piles]
    parts += seat.meld_words
    if seat.trick_points is not None:
        parts.append(gettext("%(n)s trick points") % {"n": seat.trick_points})
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


def _together(key: str, value: Sequence[object], side: Sequence[int]) -> Any:
    mine = [value[seat] for seat in side if value[seat] not in (None, "")]
    if key == "taken":
        return [card for cards in mine if isinstance(cards, list) for card in cards]
    if all(isinstance(count, int) for count in mine):
        return sum(mine) if mine else None
    return ", ".join(map(str, mine))


def _seat(
    seat_values: Mapping[str, Sequence[Any]], index: int, copies: Mapping[str, int]
) -> SeatEntry:
    suit_piles: list[SuitPile] = []
    if "hearts" in seat_values and seat_values["hearts"][index]:
        count = seat_values["hearts"][
            index
        ]  # what a host sees beside another entry may be no number
        suit_piles.append(SuitPile(str(count), "heart", is_count=isinstance(count, int)))
    if "taken" in seat_values:
        suit_piles += piles(seat_values["taken"][index], copies)
    marks = tuple(
        (key, _words(seat_values[key][index]))
        for key in ("tricks", "pledges", "clean")
        if key in seat_values and seat_values[key][index] is not None
    )
    is_total = "points" in seat_values and not seat_values.keys() & _COUNTED
    tricks = seat_values["tricks"][index] if "tricks" in seat_values else None
    melds = seat_values["melds"][index] if "melds" in seat_values else None
    in_tricks = seat_values["trick_points"][index] if "trick_points" in seat_values else None
    return SeatEntry(
        tuple(suit_piles),
        seat_values["points"][index] if "points" in seat_values else None,
        marks,
        is_total,
        tricks if isinstance(tricks, int) else None,
        tuple(Counter(map(str, melds)).items()) if isinstance(melds, list) else (),
        in_tricks if isinstance(in_tricks, int) else None,
    )


def piles(cards: Any, copies: Mapping[str, int]) -> list[SuitPile]:
    """Return cards by suit, and those that there are several of by themselves, with their number.

    Args:
        cards: codes, in any spelling that an entry has.
        copies: how many there are of a card, where there are several.

    >>> [(one.n, one.of, one.text) for one in piles(["QS", "QS"], {"QS": 2})]
    [(2, 2, 'Q')]
    """
    if not isinstance(cards, list):
        return []
    by_suit: dict[str, list[str]] = {}
    several: dict[str, SuitPile] = {}
    signless: list[SuitPile] = []
    for code in map(str, cards):
        rank, letter = code[:-1], code[-1:]
        rank = "10" if rank == "T" else rank
        of = copies.get(rank + letter, 1)
        if letter in SUITS and rank and of > 1:
            n = several[code].n + 1 if code in several else 1
            several[code] = SuitPile(rank, SUITS[letter], n=n, of=of)
        elif letter in SUITS and rank:
            by_suit.setdefault(SUITS[letter], []).append(rank)
        else:
            signless.append(SuitPile(code, ""))
    order = ("heart", "spade", "diamond", "club")
    plain = [SuitPile(" ".join(by_suit[suit]), suit) for suit in order if suit in by_suit]
    return [*plain, *several.values(), *signless]


def _words(value: object) -> str:
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_words(part) for part in value) or "–"
    if value is None:
        return "–"
    return str(value)


_SOMEBODY: Final = _("an official")
"""Somebody who has left the club, or runs the site."""


Bylines = Mapping[int, str]
"""By account, what is shown in the place of the name that is stored."""


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
    by_role = {**ROLES, str(Role.OWNER): ROLES[Role.DIRECTOR]}
    return {pk: name or str(by_role.get(role or "", _SOMEBODY)) for pk, name, role in rows}


def holder_at(sittings: Sequence[Sitting], hand: int | None) -> Sitting | None:
    """Return which of the sittings of one seat, by first hand, has it at a hand; no query.

    None, for now, means the last one.
    """
    holders = (
        sitting
        for sitting in reversed(sittings)
        if hand is None or has_hand(hand, sitting.from_hand, sitting.to_hand)
    )
    return next(holders, None)


def find_deletions(event: Event, hands: Collection[HandKey]) -> Mapping[HandKey, Deletion]:
    """Return the newest deletion or move of each of these void hands of an event; three queries,
    none without hands.

    A hand that was never deleted, nor given to another table, is not in it.
    """
    if not hands:
        return {}
    about = {
        f"{event_subject}/table:{code}/hand:{number}": (code, number)
        for event_subject in event_subjects(event)
        for code, number in hands
    }
    lines = AuditLine.objects.filter(club=event.club_id, act="void_hand", subject__in=about)
    rows = [
        (at, about[subject], Deletion(str(facts["reason"])))
        for subject, facts, at in lines.order_by("number").values_list("subject", "facts", "at")
    ]
    moves = Change.objects.filter(event=event, kind=MOVE_KIND).order_by("pk")
    rows += [
        (move.at, (code, number), Deletion(move.reason, (to_code, to_number)))
        for move in moves
        for code, number, to_code, to_number in move.facts["hands"]
        if (code, number) in hands
    ]
    return {key: deletion for _, key, deletion in sorted(rows, key=itemgetter(0))}
