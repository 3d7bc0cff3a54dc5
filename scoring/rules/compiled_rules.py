"""Rules made ready for one number of seats: the deck, and every selector as a mask of its cards.

Pure. Made once for a rule set and a number of seats (`prepare`), so that a hand builds nothing it
throws away.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeVar

from scoring.cards import build_deck, prefixes
from scoring.numbers import Score, real
from scoring.rules.rules import Rules
from scoring.rules.types import Amount, HandBonus, Modifier, Pay, Slam, When

T = TypeVar("T")

ValueClass = tuple[int, Score]
"""Some cards, as a mask, and what each of them is worth."""


@dataclass(frozen=True, slots=True)
class ReadyWhen:
    """A condition with its selectors as masks; `None` where the condition does not ask."""

    declared: str | None
    has: int | None
    has_all: int | None
    only: int | None
    not_only: int | None
    slam: bool | None
    tricks: int | None


@dataclass(frozen=True, slots=True)
class ReadyModifier:
    """A modifier with its cards as a mask; `on` is `None` for the sum."""

    when: ReadyWhen
    on: int | None
    op: str
    by: Score


ReadyBonus = tuple[ReadyWhen, HandBonus, int]
"""A hand bonus after its condition; its cards `none_of` as a mask."""


@dataclass(frozen=True, slots=True)
class ReadySlam:
    """A slam with the counting cards it needs as a mask, and their dealt value."""

    slam: Slam
    needs: int
    dealt: Score

    @property
    def pay(self) -> Pay:
        """The settlement of the slam."""
        return self.slam.pay

    def amount(self, stated: Amount) -> Score:
        """A stated amount, or the dealt value of the cards, times the factor of the slam."""
        return (self.dealt if isinstance(stated, str) else stated) * self.pay.factor

    @property
    def self_amount(self) -> Score:
        """The points that are taken off a shooter."""
        return self.amount(self.pay.self_amount)

    @property
    def others_amount(self) -> Score:
        """The points that are given to each other unit."""
        return self.amount(self.pay.others_amount)


class Prepared:
    """The facts of one rule set at a table of `seats` that the steps look up, from `prepare()`."""

    def __init__(self, rules: Rules, seats: int) -> None:
        keys = rules.keys
        self.rules, self.keys, self.seats, self.zero = rules, keys, seats, rules.zero
        self.pooled = keys.teams.mode == "pooled"
        deck = keys.deck
        self.deck = build_deck(
            deck.base,
            value_for(deck.packs, seats, 1),
            value_for(deck.remove, seats, ()),
            value_for(deck.add, seats, ()),
        )
        self.counting = self.deck.mask(keys.counting)
        # Cards that count only in a trick with a heart.
        self.idle = self.deck.mask(keys.with_hearts) & self.counting if keys.with_hearts else 0
        self.classes = self._classes()
        self.worth = tuple(item for item in self.classes if item[1] != rules.zero)
        modifiers = [self._modifier(modifier) for modifier in keys.modifiers]
        self.card_modifiers = tuple(item for item in modifiers if item.on is not None)
        self.sum_modifiers = tuple(item for item in modifiers if item.on is None)
        self.bonuses: tuple[ReadyBonus, ...] = tuple(
            (self._when(bonus.when), bonus, self.deck.mask(bonus.none_of))
            for bonus in keys.hand_bonus
        )
        ready = [self._slam(slam) for slam in keys.slams]
        self.slams = tuple(slam for slam in ready if slam.needs and slam.slam.span == 1)
        self.spans = tuple(slam for slam in ready if slam.needs and slam.slam.span > 1)
        self.hearts = self.deck.mask(keys.short_form)
        self.heart_count = self.hearts.bit_count()
        self.runs = prefixes(self.hearts)
        self.clean = self.deck.mask(keys.settle.clean) if keys.settle and keys.settle.clean else 0
        self.proven: set[tuple[Score, ...]] = set()
        self.first_bits: Mapping[str, int] = self.deck.first

    @cached_property
    def deal_total(self) -> Score:
        """The points of all counting cards and tricks together: the checksum of a hand."""
        return self.worth_of(self.counting) + self.keys.trick_value * self.hand_size

    @cached_property
    def trick_total(self) -> int:
        """The points of all tricks, the last one's included; 0 where rules have no melds."""
        if not self.keys.melds:
            return 0
        return int(real(self.deal_total)) + self.keys.last_trick

    @cached_property
    def hand_size(self) -> int:
        """Cards that each seat gets, and so the number of tricks."""
        kitty = self.keys.deck.kitty
        cards = len(self.deck.cards)
        return (cards - kitty if isinstance(kitty, int) else cards) // self.seats

    @cached_property
    def looks_at_tricks(self) -> bool:
        """Whether every hand needs its tricks counted."""
        return self.keys.trick_value > 0 or any(when.tricks is not None for when in self.conditions)

    @cached_property
    def conditions(self) -> tuple[ReadyWhen, ...]:
        """The conditions of all modifiers and bonuses."""
        modifiers = (*self.card_modifiers, *self.sum_modifiers)
        return (*(item.when for item in modifiers), *(when for when, _, _ in self.bonuses))

    @cached_property
    def wants_tricks(self) -> bool:
        """Whether some rule may ask for the tricks."""
        slams = (*self.slams, *self.spans)
        return self.looks_at_tricks or any(slam.slam.all_tricks != "no" for slam in slams)

    @cached_property
    def short_form(self) -> bool:
        """Whether a number of hearts is enough (docs/algorithms/scoring.md, "Sheet check")."""
        group = self.hearts
        if self.keys.melds or not group or group & ~self.counting:
            return False
        masks = [mask for mask, _ in self.classes] + list(self._named_masks())
        return all(mask & group in (0, group) for mask in masks)

    @cached_property
    def clean_form(self) -> bool:
        """Whether it is enough to know who took nothing: chips are paid, no other rule applies."""
        settle = self.keys.settle
        asks_more = (
            self.slams,
            self.spans,
            self.bonuses,
            self.keys.lives,
            self.keys.running.resets,
        )
        return settle is not None and settle.winners == "clean" and not any(asks_more)

    @cached_property
    def may_be_unclaimed(self) -> int:
        """The cards that may belong to nobody: any of a cancelled last trick, and idle jokers."""
        same = self.keys.same_card
        is_uncounted = same.rule == "cancel" and same.last_stalled == "uncounted"
        return self.deck.full if is_uncounted else self.idle

    @cached_property
    def hearts_beside(self) -> int:
        """The hearts of which one must be in a pile with an idle card; 0 if a sheet omits some."""
        hearts = self.deck.mask("*H")
        return hearts if self.idle and not hearts & ~self.counting else 0

    def is_heartless(self, pile: int) -> bool:
        """Whether a pile has a card that counts only beside a heart, and no heart."""
        return bool(self.hearts_beside and pile & self.idle and not pile & self.hearts_beside)

    @cached_property
    def idle_piles(self) -> tuple[int, ...]:
        """What may have been taken without a heart: each number of each kind, as a mask."""
        runs = [prefixes(kind & self.idle) for kind in self.kinds if kind & self.idle]
        return tuple(sum(choice) for choice in product(*runs))

    @cached_property
    def plain(self) -> bool:
        """Whether a hand without a slam is the sum of its cards and nothing else."""
        return not (
            self.card_modifiers
            or self.sum_modifiers
            or self.bonuses
            or self.spans
            or self.keys.settle
            or self.looks_at_tricks
            or self.keys.melds
        )

    @cached_property
    def named(self) -> int:
        """The counting cards that a number of hearts does not cover."""
        return self.counting & ~self.hearts

    @cached_property
    def heart_value(self) -> Score:
        """The points of a heart where the short form is allowed."""
        if not self.heart_count:
            return self.zero
        return self.worth_of(self.runs[1])

    def worth_of(self, pile: int, classes: Sequence[ValueClass] | None = None) -> Score:
        """The points of the cards of a pile, by default before any modifier."""
        total = self.zero
        for mask, value in self.worth if classes is None else classes:
            number = (pile & mask).bit_count()
            if number:
                total = total + value * number
        return total

    def _classes(self) -> tuple[ValueClass, ...]:
        values = {1 << place: self.zero for place in range(len(self.deck.cards))}
        for rule in self.keys.values:
            mask = self.deck.mask(rule.cards)
            values |= {bit: rule.value for bit in values if bit & mask}
        masks: dict[Score, int] = {}
        for bit, value in values.items():
            masks[value] = masks.get(value, 0) | bit
        return tuple((mask, value) for value, mask in masks.items())

    def _when(self, when: When) -> ReadyWhen:
        def mask(selector: str | None) -> int | None:
            if selector is None:
                return None
            return self.deck.mask(selector)

        return ReadyWhen(
            when.declared,
            mask(when.has),
            mask(when.has_all),
            mask(when.only),
            mask(when.not_only),
            when.slam,
            when.tricks,
        )

    def _modifier(self, modifier: Modifier) -> ReadyModifier:
        on = None if modifier.on == "sum" else self.deck.mask(modifier.on)
        return ReadyModifier(self._when(modifier.when), on, modifier.op, modifier.by)

    def _slam(self, slam: Slam) -> ReadySlam:
        needs = self.deck.mask(slam.needs) & self.counting  # no sheet tells of the others
        return ReadySlam(slam, needs, self.worth_of(needs))

    def _named_masks(self) -> Iterator[int]:
        """The masks by which a rule tells cards apart, besides their values."""
        for when in self.conditions:
            masks = (when.has, when.has_all, when.only, when.not_only)
            yield from (mask for mask in masks if mask is not None)
        yield from (item.on for item in self.card_modifiers if item.on is not None)
        # A bonus without a pledge does not look at its `none_of`.
        yield from (none_of for _, bonus, none_of in self.bonuses if bonus.pledge)
        yield from (slam.needs for slam in (*self.slams, *self.spans))
        yield from (self.clean, self.idle, self.hearts_beside)

    @cached_property
    def looks_beyond(self) -> bool:
        """Whether some rule depends on a card that a sheet need not account for."""
        whens = self.conditions
        masks = [mask for when in whens for mask in (when.has, when.has_all) if mask is not None]
        masks += [item.on for item in self.card_modifiers if item.on is not None]
        masks += [mask for mask, _ in self.worth]
        masks += [slam.needs for slam in (*self.slams, *self.spans)]
        return any(mask & ~self.counting for mask in (*masks, self.clean))

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The counting cards in groups whose members no rule can tell apart, as masks."""
        masks = [mask for mask, _ in self.classes] + list(self._named_masks())
        masks_by_rules: dict[tuple[int, ...], int] = {}
        for place in range(len(self.deck.cards)):
            bit = 1 << place
            if bit & self.counting:
                key = tuple(n for n, mask in enumerate(masks) if mask & bit)
                masks_by_rules[key] = masks_by_rules.get(key, 0) | bit
        return tuple(masks_by_rules.values())


def value_for(by_seats: Mapping[str, T], seats: int, default: T) -> T:
    """The value for a number of seats, which is that of `*` where it has none of its own."""
    return by_seats.get(str(seats), by_seats.get("*", default))


def prepare(rules: Rules, seats: int) -> Prepared:
    """The rules made ready for `seats` players; made once for equal rules.

    `ValueError` where the rules are not for so many players: ask `rules.keys.players` before.
    """
    prepared: Prepared | None = rules.prepared.get(seats)
    if prepared is None:
        least, most = rules.keys.players
        if not least <= seats <= most:
            raise ValueError(f"{seats} seats, the rules are for {least} to {most}")
        prepared = rules.prepared[seats] = Prepared(rules, seats)
    return prepared
