"""Reads one entered hand, in any of its shapes, under some rules.

Pure. Nothing is coerced, and nothing is raised for the content of an entry: the problems are
collected in `TypedHand.problems`, and the engine raises them together with all others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scoring.cards import card_name, read_card
from scoring.entry.codec import OF_A_UNIT
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CardsEntry, MeldsEntry, Sides, StoredEntry, TypedHand, form_of
from scoring.errors import Path, Problem, Refused, Suggestion, shown, similar
from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import Score, is_whole
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules

MOST_PROBLEMS: Final = 60
"""An entry with more flaws of shape than this is no hand; the rest of them is not listed."""

_MOST_COUNTED: Final = 10**6
"""The largest number of tricks, or of trick points, of one seat."""

_NOBODY: Final = -1
"""In the place of a seat: the cards that nobody gets."""

_ORDINARY: Final = frozenset({"hearts", "taken"})
"""Fields of an ordinary hand."""


@dataclass(slots=True)
class CardsReader:
    """Reads an entry of cards: what each seat took, tricks, charges and pledges.

    Attributes:
        used: mask of the cards that were read so far.
        over: card → the seats that have one more of it than the pack.
        summable: whether the sum of the cards can be checked.
    """

    ready: Prepared
    sides: Sides
    entry: object
    problems: list[Problem] = field(default_factory=list)
    used: int = 0
    over: dict[str, list[int]] = field(default_factory=dict)
    summable: bool = True

    def read(self) -> TypedHand:
        """Return the hand as typed."""
        entry = self.entry
        if not isinstance(entry, Mapping):
            problem = Problem("bad_entry", (), {"why": f"Found: {shown(entry)}."})
            return TypedHand(
                entry=entry,
                form="cards",
                ready=self.ready,
                sides=self.sides,
                cards=(0,) * self.ready.seats,
                summable=False,
                problems=(problem,),
            )
        self.unknown(entry, CardsEntry.__optional_keys__)
        cards = self.taken(entry.get("taken"))
        hearts = self.hearts(entry.get("hearts"))
        form = form_of(entry)
        if self.problems or not _ORDINARY.issuperset(entry):
            return self.rest(entry, form, cards=cards, hearts=hearts)
        return TypedHand(
            entry=entry,
            form=form,
            ready=self.ready,
            sides=self.sides,
            cards=cards,
            hearts=hearts,
            ordinary=len(self.sides) == self.ready.seats,
        )

    def unknown(self, entry: JsonObject, fields: frozenset[str]) -> None:
        """Note fields that a hand does not have."""
        for key in entry:
            if key not in fields:
                name = shown(key)
                self.note("unknown_field", name, found=name)

    def note(
        self, code: str, *at: str | int, hints: tuple[Suggestion, ...] = (), **facts: object
    ) -> None:
        """Record a problem, up to a maximum number."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(code, at, facts, hints))

    def rest(
        self, entry: JsonObject, form: str, cards: tuple[int, ...], hearts: tuple[int, ...] | None
    ) -> TypedHand:
        """Read the fields that an ordinary hand does not have."""
        hand = TypedHand(
            entry=entry,
            form=form,
            ready=self.ready,
            sides=self.sides,
            cards=cards,
            hearts=hearts,
            points=self.points(entry.get("points")),
            clean=self.clean(entry.get("clean")),
            tricks=self.tricks(entry.get("tricks")),
            declared=self.declared(entry.get("declared")),
            unclaimed=self.unclaimed(entry.get("unclaimed")),
            pledges=self.pledges(entry.get("pledges")),
            choice=self.choice(entry.get("slam_choice")),
            shooter=self.seat(entry, "shooter", "wrong_shooter"),
            passer=self.seat(entry, "passer"),
            first_trick_by=self.seat(entry, "first_trick_by"),
            summable=self.kitty(entry.get("kitty")),
        )
        has_points_only = form == "points" and len(entry) == 1
        is_ordinary = has_points_only and not self.problems and not self.ready.pooled
        return hand._replace(problems=tuple(self.problems), ordinary=is_ordinary)

    def per_seat(self, value: object, name: str) -> list[Any] | None:
        """The list, when it has one entry for each seat, or unit; None without such a list."""
        if value is None:
            return None
        expected = len(self.sides) if name in OF_A_UNIT else self.ready.seats
        length_or_text: int | str
        if not isinstance(value, list | tuple):
            length_or_text = shown(value)
        elif len(value) != expected:
            length_or_text = len(value)
        else:
            return list(value)
        self.note("seat_count", name, field=name, found=length_or_text, expected=expected)
        self.summable = False
        return None

    def valid(
        self, name: str, values: Sequence[Any], wrong: Sequence[int], most: int | None = None
    ) -> tuple[Any, ...] | None:
        """The values, or None with those noted that are wrong; `wrong` are their places."""
        for place in wrong:
            self.bad_count(name, place, value=values[place], most=most)
        if wrong:
            return None
        return tuple(values)

    def bad_count(self, name: str, place: int, value: object, most: int | None = None) -> None:
        """Note a number that no seat can have."""
        seats = seat_names(self.ready.seats)
        facts: JsonDict = {"field": name, "found": shown(value), "seat": seats[place]}
        if most is not None:
            facts["most"] = most
        hints: tuple[Suggestion, ...] = ()
        if isinstance(value, str) and value.isascii():
            guess = "0" if value in ("O", "o") else value.strip(" ")
            if guess.isdigit() and len(guess) < 4:
                hint_facts = {"guess": guess, "found": shown(value)}
                hints = (Suggestion("not_a_number", (name, place), hint_facts),)
        self.note("bad_count", name, place, hints=hints, **facts)

    def taken(self, value: object) -> tuple[int, ...]:
        """The cards of each seat, as masks."""
        lists = self.per_seat(value, "taken")
        if lists is None:
            return (0,) * self.ready.seats
        piles = tuple(
            self.pile(cards, ("taken", seat), seat=seat) for seat, cards in enumerate(lists)
        )
        if self.over:
            self.too_many(piles)
        return piles

    def pile(self, cards: object, at: Path, *, seat: int) -> int:
        """The cards of one list, as a mask."""
        if not isinstance(cards, list | tuple):
            self.note("unknown_card", *at, found=shown(cards))
            self.summable = False
            return 0
        first = self.ready.first_bits
        used = self.used
        pile = 0
        for place, code in enumerate(cards):
            bit = first.get(code) if type(code) is str else None
            if bit is None or used & bit:
                bit = self.another(code, used, at=(*at, place), seat=seat)
            used |= bit
            pile |= bit
        self.used = used
        return pile

    def another(self, code: object, used: int, *, at: Path, seat: int) -> int:
        """The next free copy of the card, or 0 with the problem noted."""
        card = read_card(code)
        copies = self.ready.deck.copies.get(card, ()) if card else ()
        if not card or not copies:
            self.note("unknown_card", *at, found=shown(code))
            return 0
        for bit in copies:
            if not used & bit:
                return bit
        self.over.setdefault(card, []).append(seat)
        return 0

    def too_many(self, piles: tuple[int, ...]) -> None:
        """Note the cards that are written more often than the pack has them."""
        names = seat_names(self.ready.seats)
        for card, seats_over in self.over.items():
            copies = self.ready.deck.copies[card]
            holders = {seat for seat in seats_over if seat != _NOBODY}
            for seat, pile in enumerate(piles):
                if any(pile & bit for bit in copies):
                    holders.add(seat)
            at: Path = ("unclaimed",)
            if seats_over[-1] != _NOBODY:
                at = ("taken", seats_over[-1])
            facts = {
                "what": card_name(card),
                "card": card,
                "seats": [names[seat] for seat in sorted(holders)],
                "found": len(copies) + len(seats_over),
                "expected": len(copies),
            }
            twice = Suggestion("counted_twice", at, {"card": card_name(card)})
            self.note("too_many_copies", *at, hints=(twice,), **facts)
        self.over.clear()

    def hearts(self, value: object) -> tuple[int, ...] | None:
        """The hearts of each seat, if their number is enough."""
        ready = self.ready
        if value is not None and not ready.short_form:
            self.note("short_form_not_allowed", "hearts", **self.why_no_hearts())
        counts = self.per_seat(value, "hearts")
        if counts is None:
            return None
        wrong = _outside(counts, ready.heart_count)
        hearts = self.valid("hearts", counts, wrong=wrong, most=ready.heart_count or None)
        if not ready.short_form:
            return None
        if self.used & ready.hearts:
            self.note("short_form_not_allowed", "hearts", why="mixed")
            return None
        return hearts

    def why_no_hearts(self) -> JsonDict:
        """Why a number of hearts is not enough: none counts, or they have different values."""
        ready = self.ready
        cards = dict.fromkeys(ready.deck.names(ready.counting & ready.deck.mask("*H")))
        if not cards:
            return {"why": "none"}
        worth = {card: ready.worth_of(ready.deck.first[card]) for card in cards}
        whole = {card: value for card, value in worth.items() if isinstance(value, int)}
        if len(set(whole.values())) < 2:
            return {"why": "values"}
        low = min(whole, key=lambda card: whole[card])
        high = max(whole, key=lambda card: whole[card])
        return {
            "why": "values",
            "low": [card_name(low), whole[low]],
            "high": [card_name(high), whole[high]],
        }

    def points(self, value: object) -> tuple[Score, ...] | None:
        """The points of each unit."""
        values = self.per_seat(value, "points")
        if values is None:
            return None
        is_stored = isinstance(self.entry, StoredEntry)
        points = [self.ready.rules.number(point, stored=is_stored) for point in values]
        wrong = [unit for unit, point in enumerate(points) if point is None]
        if self.valid("points", values, wrong=wrong) is None:
            return None
        return tuple(point for point in points if point is not None)

    def clean(self, value: object) -> tuple[bool, ...] | None:
        """The units that took nothing, where the rules ask no more."""
        if value is not None and not self.ready.clean_form:
            self.note("short_form_not_allowed", "clean", why="clean")
        marks = self.per_seat(value, "clean")
        if marks is None:
            return None
        wrong = [unit for unit, mark in enumerate(marks) if not isinstance(mark, bool)]
        valid = self.valid("clean", marks, wrong=wrong)
        if not self.ready.clean_form:
            return None
        return valid

    def tricks(self, value: object) -> tuple[int, ...] | None:
        """The tricks of each seat."""
        counts = self.per_seat(value, "tricks")
        if counts is None:
            return None
        wrong = []
        too_large = []
        for seat, count in enumerate(counts):
            if not is_whole(count) or count < 0:
                wrong.append(seat)
            elif count > _MOST_COUNTED:
                too_large.append(seat)
        return self.valid("tricks", counts, wrong=[*wrong, *too_large])

    def declared(self, value: object) -> frozenset[str]:
        """The charged cards."""
        cards: set[str] = set()
        for place, code in enumerate(_list(value)):
            card = read_card(code)
            if card is None or card not in self.ready.keys.chargeable or card in cards:
                self.note("not_chargeable", "declared", place, found=shown(code))
            else:
                cards.add(card)
        return frozenset(cards)

    def unclaimed(self, value: object) -> int:
        """The cards that nobody gets, as a mask."""
        if value in (None, [], ()):
            return 0
        allowed = self.ready.may_be_unclaimed
        if not allowed:
            same_card = self.ready.keys.same_card
            facts: JsonDict = {}
            if same_card.rule == "cancel":
                facts["last_stalled"] = same_card.last_stalled
            self.note("unclaimed_not_allowed", "unclaimed", **facts)
        pile = self.pile(value, ("unclaimed",), seat=_NOBODY)
        if allowed and pile & ~allowed:
            self.note("unclaimed_not_allowed", "unclaimed", jokers=True)
        self.too_many(())
        return pile

    def kitty(self, value: object) -> bool:
        """Whether the sum may be checked; of the kitty only the cards are read."""
        for place, code in enumerate(_list(value)):
            card = read_card(code)
            if card is None or card not in self.ready.deck.copies:
                self.note("unknown_card", "kitty", place, found=shown(code))
        return self.summable

    def pledges(self, value: object) -> tuple[str | None, ...]:
        """The pledge of each seat."""
        pledge_ids = {bonus.pledge for bonus in self.ready.keys.hand_bonus if bonus.pledge}
        pledges = self.per_seat(value, "pledges") or ()
        names = seat_names(self.ready.seats)
        for seat, pledge in enumerate(pledges):
            if pledge is None or (isinstance(pledge, str) and pledge in pledge_ids):
                continue
            self.note("unknown_pledge", "pledges", seat, seat=names[seat], found=shown(pledge))
        return tuple(pledges)

    def choice(self, value: object) -> str | None:
        """The settlement of a moon."""
        if value is None:
            return None
        if value in ("self", "others"):
            return str(value)
        self.note("choice_forbidden", "slam_choice", found=shown(value), why="unknown")
        return None

    def seat(self, entry: JsonObject, name: str, code: str = "unknown_seat") -> int | None:
        """A seat that the entry names; None where it names none."""
        value = entry.get(name)
        if value is None:
            return None
        if type(value) is int and 0 <= value < self.ready.seats:
            return value
        self.note(code, name, found=shown(value), field=name)
        return None


class MeldReader(CardsReader):
    """Reads a hand of rules with melds: what each seat showed, and the points of its tricks."""

    def read(self) -> TypedHand:
        """Return the hand as typed."""
        entry = self.entry
        if not isinstance(entry, Mapping):
            return super().read()
        self.unknown(entry, MeldsEntry.__optional_keys__)
        cards = self.taken(entry.get("taken"))
        points = self.points(entry.get("points"))
        hand = TypedHand(
            entry=entry,
            form="points" if points and form_of(entry) == "points" else "melds",
            ready=self.ready,
            sides=self.sides,
            cards=cards,
            points=points,
            melds=self.melds(entry.get("melds")),
            trick_points=self.trick_points(entry.get("trick_points")),
            last_trick=self.seat(entry, "last_trick"),
            declared_out=self.seat(entry, "declared_out"),
            summable=self.summable,
        )
        return hand._replace(problems=tuple(self.problems))

    def melds(self, value: object) -> tuple[tuple[str, ...], ...]:
        """The melds of each seat, those that these rules know."""
        lists = self.per_seat(value, "melds") or ()
        return tuple(self.melds_of(seat, melds) for seat, melds in enumerate(lists))

    def melds_of(self, seat: int, value: object) -> tuple[str, ...]:
        """The melds of one seat."""
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            self.unknown_meld(value, ("melds", seat))
            return ()
        meld_ids = {meld.id for meld in self.ready.keys.melds}
        known_melds = []
        for place, name in enumerate(value):
            if type(name) is str and name in meld_ids:
                known_melds.append(name)
            else:
                self.unknown_meld(name, ("melds", seat, place))
        return tuple(known_melds)

    def unknown_meld(self, value: object, at: Path) -> None:
        """Note a text that is no meld, with similar melds."""
        meld_ids = [meld.id for meld in self.ready.keys.melds]
        similar_ids = similar(value, meld_ids, most=2)
        hints = tuple(Suggestion("closest", at, {"name": meld_id}) for meld_id in similar_ids)
        self.note("unknown_meld", *at, hints=hints, found=shown(value))

    def trick_points(self, value: object) -> tuple[int, ...] | None:
        """The points of each seat's tricks, before they are rounded."""
        counts = self.per_seat(value, "trick_points")
        if counts is None:
            return None
        wrong = _outside(counts, _MOST_COUNTED)
        return self.valid("trick_points", counts, wrong=wrong, most=self.ready.trick_total)


def _outside(counts: Sequence[object], most: int) -> list[int]:
    """The places of what is no whole number from 0 to `most`."""
    places = []
    for place, count in enumerate(counts):
        if type(count) is not int or not 0 <= count <= most:
            places.append(place)
    return places


def _list(value: object) -> Sequence[object]:
    """A list, or anything else as the only member of one."""
    if isinstance(value, list | tuple):
        return value
    if value is None:
        return ()
    return (value,)


def unit_sides(rules: Rules, seats: int, teams: Sequence[Sequence[int]] | None) -> Sides:
    """The seats of each unit: a pooled side is one unit, otherwise each seat is."""
    if rules.keys.teams.mode != "pooled":
        return tuple((seat,) for seat in range(seats))
    return tuple(tuple(side) for side in teams or rules.keys.teams.shape)


def require_seats(rules: Rules, seats: object) -> int:
    """The number of seats, when the rules are for so many."""
    least, most = rules.keys.players
    if type(seats) is int and least <= seats <= most:
        return seats
    facts = {"found": shown(seats), "least": least, "most": most}
    raise Refused(Problem("seat_count", ("seats",), facts))


def read_entry(
    entry: object, rules: Rules, seats: int, teams: Sequence[Sequence[int]] | None = None
) -> TypedHand:
    """One hand as typed (docs/api.md, and `clean`), read under these rules.

    Args:
        entry: the entry's JSON; lists in it are in seat order, `points` in unit order.
        seats: players at the table; rules for other numbers refuse. Problems of the entry itself
            are in `TypedHand.problems`.
        teams: the sides' seats, where the rules have sides; default is the shape of the rules.
    """
    ready = prepare(rules, require_seats(rules, seats))
    sides = unit_sides(rules, seats, teams)
    if rules.keys.melds:
        return MeldReader(ready, sides, entry=entry).read()
    return CardsReader(ready, sides, entry=entry).read()
