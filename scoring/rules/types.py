"""The parts that a rule set is made of, as typed values; docs/rules-engine.md says their meaning.

Pure data, no behaviour. `schema.py` reads them, the steps obey them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from scoring.numbers import Score

Amount: TypeAlias = Score | Literal["slam"]
Operation: TypeAlias = Literal["mul", "set", "add", "floor"]


@dataclass(frozen=True, slots=True)
class Teams:
    """Whether partners share a pile (`pooled`), the result (`individual`), or nothing (`none`)."""

    mode: str = "none"
    shape: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class DeckRule:
    """The cards in play; maps go from a number of seats, or `*`, to the value for it."""

    base: str
    packs: Mapping[str, int] = field(default_factory=dict)
    remove: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    add: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kitty: int | Literal["rest"] = 0
    kitty_to: str = "first_trick"
    kitty_mode: str = "add"


@dataclass(frozen=True, slots=True)
class Value:
    """The points of the cards of a selector; among several that match, the last counts."""

    cards: str
    value: Score
    name: str = ""


@dataclass(frozen=True, slots=True)
class When:
    """A condition on one unit's hand; every part that is given must hold."""

    declared: str | None = None
    has: str | None = None
    has_all: str | None = None
    only: str | None = None
    not_only: str | None = None
    slam: bool | None = None
    tricks: int | None = None


@dataclass(frozen=True, slots=True)
class Modifier:
    """Changes card values (`on` a selector) or the sum of a unit that meets `when`."""

    when: When
    on: str
    op: Operation
    by: Score


@dataclass(frozen=True, slots=True)
class SelfFrom:
    """The score from which a shooter may take the points off."""

    score: Score
    who: str


@dataclass(frozen=True, slots=True)
class Pay:
    """The settlement of a slam."""

    mode: str = "span"
    self_amount: Amount = "slam"
    others_amount: Amount = "slam"
    passer: Amount = 0
    factor: int = 1
    outside: bool = False
    modifiers: bool = False
    self_from: SelfFrom | None = None
    spare_partner: bool = False
    set_self: Score | None = None
    set_others: Score | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether every moon is paid in one way, without a choice, the totals or a partner."""
        is_open = self.mode == "choose" or self.mode.startswith("others_")
        return not (is_open or self.self_from or self.spare_partner)


@dataclass(frozen=True, slots=True)
class Slam:
    """A moon or a sun: which cards must all be held, whether tricks count, how it is settled."""

    id: str
    needs: str
    pay: Pay
    all_tricks: str = "no"
    span: int = 1


@dataclass(frozen=True, slots=True)
class HandBonus:
    """Added to a unit's hand: on a condition, or by a pledge that was kept or broken."""

    when: When = When()
    add: Score = 0
    pledge: str | None = None
    none_of: str = "*"
    kept: Score = 0
    broken: Score = 0


@dataclass(frozen=True, slots=True)
class Reset:
    """A running total of exactly `at` is set to `set`, or changed by `add`."""

    at: Score
    set: Score | None = None
    add: Score | None = None


@dataclass(frozen=True, slots=True)
class Running:
    """Changes of running totals after a deal."""

    floor: Score | None = None
    resets: tuple[Reset, ...] = ()


@dataclass(frozen=True, slots=True)
class Settle:
    """Turns deal points into what is paid."""

    stake: str
    winners: str
    pays: str
    ante: int = 0
    clean: str | None = None
    remainder: str = "exact"
    all_to_one: str = "split"


@dataclass(frozen=True, slots=True)
class Lives:
    """Lives at the start, and the hand score at which one is lost."""

    start: int
    lose_at: Score


@dataclass(frozen=True, slots=True)
class Finish:
    """One test for the end of a game; any that holds ends it.

    With a `step` the limit rises by so much while more than one unit is at it; who is at it alone
    ends the game. `declare` lets a player stop a hand by declaring to be at the limit.
    """

    kind: str
    op: str = ">="
    value: Score = 0
    step: int = 0
    declare: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The rules of winning once the game is over."""

    order: str = "low"
    decide: str = "best_wins"
    measure: str = "unit"
    tie: str = "continue"

    @property
    def by_side(self) -> bool:
        """Whether an outcome numbers sides, not units."""
        return self.measure == "team_sum" or self.decide == "crosser_team_loses"


@dataclass(frozen=True, slots=True)
class SameCard:
    """The effect of identical cards in one trick."""

    rule: str | None = None
    stalled: str = "next_winner"
    stalled_lead: str = "same"
    void_on: str = "all_led_cancelled"
    last_stalled: str = "previous_winner"


@dataclass(frozen=True, slots=True)
class Meld:
    """A combination that scores when a player shows it.

    `most` is how often the pack allows it in one hand, over all seats; `cards` says which it is.
    """

    id: str
    name: str
    cards: str
    points: int
    most: int


@dataclass(frozen=True, slots=True)
class Rounding:
    """Trick points go to a multiple of `to`: up where the rest is `up_from` or more, else down."""

    to: int
    up_from: int


@dataclass(frozen=True, slots=True)
class Play:
    """The play of the hand; shown to players, never scored.

    `passing` is the cycle of all tables; `passing_with` has the cycles of numbers of seats, or of
    `*`, which replace it. None and "" mean that the rules leave it open.
    """

    passing: tuple[str, ...] = ()
    passing_with: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pass_count: int | None = None
    second_pass: bool = False
    optional_pass: bool = False
    not_passed: tuple[str, ...] = ()
    lead: str | None = None
    hearts: str | None = None
    queen_breaks: bool | None = None
    queen_waits: bool = False
    first_trick_points: bool | None = None
    queen_first: bool | None = None
    queen_under: bool = False
    vacated_seat: str | None = None
    notes: str = ""
