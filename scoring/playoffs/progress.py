"""The rules of play-offs, their allowed steps and state after each hand, and the members' results.

Pure. See docs/algorithms/playoffs.md.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from itertools import chain
from types import MappingProxyType
from typing import Final, TypeAlias

from scoring.errors import Problem, Refused, listed, shown
from scoring.standings.tie_breaks import drawn

PLAYED: Final = {"extra_hands": 1, "table": 4, "sudden_death": 1}
"""Policy of an event that plays ties off → after how many hands one looks whether it is decided.

The other policies, `share` and `criteria`, play nothing.
"""


@dataclass(frozen=True, slots=True)
class PlayoffRules:
    """The rules by which a tie is played off.

    Totals are compared after every `block` hands, not before `min_hands`. `duel` is
    how two play (`fillers`, or `two_hands`: a variant for two), `many` how 6 to 11 do
    (`cancellation`, or `heats`: two tables and the top of each meet). `finished` is the effect of a
    correction on a finished play-off whose group it changes: `ask`, `redo` or `keep`.
    """

    min_hands: int = 1
    block: int = 1
    max_hands: int = 8
    duel: str = "fillers"
    many: str = "cancellation"
    finished: str = "ask"


PLAYOFF_CHOICES: Final = {
    "duel": ("fillers", "two_hands"),
    "many": ("cancellation", "heats"),
    "finished": ("ask", "redo", "keep"),
}
MOST_HANDS: Final = 100
_NAMES: Final = tuple(field.name for field in fields(PlayoffRules))

Points: TypeAlias = int | Fraction


@dataclass(frozen=True, slots=True)
class HandPlayed:
    """A completed hand: points by code. Fillers may be included; they do not count."""

    scores: Mapping[str, Points]


@dataclass(frozen=True, slots=True)
class MemberLeft:
    """A member is absent or gives up (`no_show`, `withdrawn`) and is placed last of the group."""

    member: str
    why: str = "no_show"


@dataclass(frozen=True, slots=True)
class HeatsPlayed:
    """The heats are over; these meet, the others come after them."""

    through: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayoffExtended:
    """The director allows more hands than `max_hands`."""

    hands: int


@dataclass(frozen=True, slots=True)
class LotsDrawn:
    """The director draws lots among those still undecided, by this seed."""

    seed: str


PlayoffEvent: TypeAlias = HandPlayed | MemberLeft | HeatsPlayed | PlayoffExtended | LotsDrawn


@dataclass(frozen=True, slots=True)
class Tier:
    """Members who are tied so far: their totals since they last began from 0, and their hands.

    `leg` counts the hands since then, `played` all of the play-off that counted for them.
    """

    members: tuple[str, ...]
    totals: Mapping[str, Points] = field(default_factory=lambda: MappingProxyType({}))
    leg: int = 0
    played: int = 0


def playoff_rules(policy: str, typed: Mapping[str, object] | None = None) -> PlayoffRules:
    """Return the rules of an event's play-offs.

    Args:
        policy: one of `PLAYED`; with `sudden_death` the first hand that separates decides,
            regardless of the other settings.
        typed: setting → value, over the policy's defaults.

    >>> playoff_rules("table").block, playoff_rules("extra_hands", {"min_hands": 2}).min_hands
    (4, 2)
    """
    settings = dict(typed or {})
    problems = [problem for key, value in settings.items() if (problem := _problem(key, value))]
    if problems:
        raise Refused(*problems)
    if policy == "sudden_death":
        settings |= {"min_hands": 1, "block": 1}
    return PlayoffRules(**{"block": PLAYED[policy], **settings})  # type: ignore[arg-type]  # looked at


def _problem(key: str, value: object) -> Problem | None:
    if key not in _NAMES:
        facts = {"found": shown(key), "known": listed(_NAMES)}
        return Problem("unknown_playoff_rule", (key,), facts)
    if key in PLAYOFF_CHOICES:
        good = isinstance(value, str) and value in PLAYOFF_CHOICES[key]
        expected = "one of " + ", ".join(PLAYOFF_CHOICES[key])
    else:
        good = type(value) is int and 1 <= value <= MOST_HANDS
        expected = f"a whole number from 1 to {MOST_HANDS}"
    facts = {"rule": key, "found": shown(value), "expected": expected}
    if good:
        return None
    return Problem("bad_playoff_rule", (key,), facts)


LARGEST_TABLE: Final = 5
LARGEST_CANCELLATION: Final = 11
USUAL_SEATS: Final = 4


Plan: TypeAlias = tuple[str, tuple[tuple[str, ...], ...], int]
"""A group's play-off: its kind, the members at each table by seat, how many of each meet later.

The kind is `fillers` (neutral players sit down with them, whose scores do not count), `two_hands`,
`table`, `cancellation`, `heats` or `lot`."""


def plan(members: Sequence[str], cuts: Sequence[int], rules: PlayoffRules, *, seed: str) -> Plan:
    """Return the tables for those still undecided.

    `cuts`: how many of them come above each line, ascending.

    One table, or heats. Heats need every table to be larger than the seats above the last line;
    where they are not, 6 to 11 play one cancellation table. More than 11 who cannot be halved by
    heats draw lots.

    >>> plan(["A", "C", "E"], [1], PlayoffRules(), seed="7f3c")[0]
    'table'
    """
    seated = tuple(sorted(members, key=lambda code: drawn(seed, code)))
    count = len(seated)
    through = max(cuts)
    if count == 2:
        return rules.duel, (seated,), 0
    if count <= LARGEST_TABLE:
        return "table", (seated,), 0
    if count <= LARGEST_CANCELLATION and rules.many == "cancellation":
        return "cancellation", (seated,), 0
    n_tables = 2 if count <= LARGEST_CANCELLATION else -(-count // USUAL_SEATS)
    tables = tuple(seated[start::n_tables] for start in range(n_tables))
    if through < min(len(table) for table in tables):
        return "heats", tables, through
    if count <= LARGEST_CANCELLATION:
        return "cancellation", (seated,), 0
    return "lot", (), 0


@dataclass(frozen=True, slots=True)
class Progress:
    """A play-off after some events: the group in tiers, best first, and who is gone, last first."""

    tiers: tuple[Tier, ...]
    cuts: tuple[int, ...]
    gone: tuple[str, ...] = ()
    extended: int = 0
    by_lot: str | None = None

    @property
    def undecided(self) -> tuple[Tier, ...]:
        """The tiers that a line still runs through; their members play on."""
        return tuple(tier for tier, _ in self.cut_tiers)

    @property
    def cut_tiers(self) -> list[tuple[Tier, list[int]]]:
        """Each undecided tier with how many of it come above each line through it."""
        tiers_cut = []
        ahead = 0
        for tier in self.tiers:
            size = len(tier.members)
            if cuts := [cut - ahead for cut in self.cuts if ahead < cut < ahead + size]:
                tiers_cut.append((tier, cuts))
            ahead += size
        return tiers_cut

    @property
    def is_decided(self) -> bool:
        """Whether every line runs between two tiers."""
        return not self.undecided

    @property
    def order(self) -> tuple[tuple[str, ...], ...]:
        """The group, best first; those of one tuple stay tied, and no line is between them."""
        placed = tuple(tier.members for tier in self.tiers if tier.members)
        return (*placed, *((member,) for member in reversed(self.gone)))

    def is_exhausted(self, rules: PlayoffRules) -> bool:
        """Whether undecided members have played `max_hands`: then extend, or draw lots."""
        return any(self.is_over_for(tier, rules) for tier in self.undecided)

    def is_over_for(self, tier: Tier, rules: PlayoffRules) -> bool:
        """Whether these members have played all their hands."""
        return tier.played >= rules.max_hands + self.extended


def progress(
    members: Iterable[str],
    cuts: Sequence[int],
    events: Iterable[PlayoffEvent],
    rules: PlayoffRules,
    *,
    low_wins: bool = True,
) -> Progress:
    """The state of a play-off after its events.

    `cuts`: how many of them come above each line.

    The group in tiers. A hand counts for those undecided who are all in it.

    >>> hands = [HandPlayed({"A": 3, "B": 3, "C": 20}), HandPlayed({"A": 5, "B": 10})]
    >>> progress("ABC", [1], hands, PlayoffRules()).order
    (('A',), ('B',), ('C',))
    """
    now = Progress((Tier(tuple(sorted(members))),), tuple(sorted(cuts)))
    for event in events:
        now = _after(now, event, rules, low_wins=low_wins)
    return now


def _after(now: Progress, event: PlayoffEvent, rules: PlayoffRules, *, low_wins: bool) -> Progress:
    match event:
        case HandPlayed():
            return _divided(now, lambda tier: _after_hand(event.scores, rules, low_wins, tier))
        case MemberLeft():
            return _after_gone(now, event.member)
        case HeatsPlayed():
            return _divided(now, lambda tier: _after_heats(event.through, tier))
        case PlayoffExtended():
            return replace(now, extended=now.extended + event.hands)
        case LotsDrawn():
            if now.is_decided:
                return now  # a correction has separated them, so the lots decide nothing
            after = _divided(now, lambda tier: _after_lots(event.seed, tier))
            return replace(after, by_lot=event.seed)


def _divided(now: Progress, parts: Callable[[Tier], Iterable[Tier]]) -> Progress:
    """The play-off with the parts of each undecided tier, best first, in its place."""
    undecided = now.undecided
    tiers = (parts(tier) if tier in undecided else (tier,) for tier in now.tiers)
    return replace(now, tiers=tuple(chain.from_iterable(tiers)))


def _after_hand(
    scores: Mapping[str, Points], rules: PlayoffRules, low_wins: bool, tier: Tier
) -> list[Tier]:
    if not set(tier.members) <= set(scores):
        return [tier]
    totals = {member: tier.totals.get(member, 0) + scores[member] for member in tier.members}
    leg, played = tier.leg + 1, tier.played + 1
    if played < rules.min_hands or leg % rules.block:
        return [Tier(tier.members, MappingProxyType(totals), leg, played)]
    return [  # those of one total together, from 0, best first
        Tier(tuple(sorted(code for code in totals if totals[code] == total)), played=played)
        for total in sorted(set(totals.values()), reverse=not low_wins)
    ]


def _after_gone(now: Progress, member: str) -> Progress:
    if not any(member in tier.members for tier in now.undecided):
        return now
    tiers = (
        replace(tier, members=tuple(other for other in tier.members if other != member))
        for tier in now.tiers
        if tier.members != (member,)
    )
    return replace(now, tiers=tuple(tiers), gone=(*now.gone, member))


def _after_heats(through: Collection[str], tier: Tier) -> list[Tier]:
    parts = [
        tuple(member for member in tier.members if (member in through) is goes_on)
        for goes_on in (True, False)
    ]
    return [Tier(part, played=tier.played) for part in parts if part]


def _after_lots(seed: str, tier: Tier) -> list[Tier]:
    order = sorted(tier.members, key=lambda member: drawn(seed, member))
    return [Tier((member,), played=tier.played) for member in order]


PLAYOFF_STEPS: Final = {
    "detected": frozenset({"scheduled", "void"}),
    "scheduled": frozenset({"in_play", "by_lot", "decided", "void"}),
    "in_play": frozenset({"in_play", "decided", "by_lot", "void"}),
    "decided": frozenset({"void"}),
    "by_lot": frozenset({"void"}),
}
"""State → the states that may follow. A walk-over decides what is scheduled; void is the end."""

FINISHED: Final = frozenset({"decided", "by_lot"})


def step_problems(state: str, to: str) -> tuple[Problem, ...]:
    """The problems of a play-off's going from `state` to `to`.

    `playoff_void` where it was voided, else `playoff_state`.

    >>> step_problems("decided", "in_play")[0].message
    'The play-off is decided. It cannot become in_play.'
    """
    if to in PLAYOFF_STEPS.get(state, ()):
        return ()
    if state == "void":
        return (Problem("playoff_void"),)
    return (Problem("playoff_state", facts={"found": state, "wanted": to}),)


def _open_problems(state: str, to: str) -> tuple[Problem, ...]:
    if state in FINISHED:
        return (Problem("playoff_over"),)
    return step_problems(state, to)


def state_after(now: Progress) -> str:
    """Return the state a play-off is in after a hand, a walk-over or lots."""
    if not now.is_decided:
        return "in_play"
    return "by_lot" if now.by_lot else "decided"


def hand_problems(
    state: str, now: Progress, scores: Mapping[str, Points], rules: PlayoffRules
) -> tuple[Problem, ...]:
    """The problems of a hand's counting for a play-off.

    Args:
        now: its state before the hand.
        scores: points by code, without neutral players; members who are placed or out may play.

    `playoff_void`, `playoff_over` or `playoff_state` alone, else `playoff_stranger` one a stranger,
    `playoff_hand_incomplete` one a member who is missing, `playoff_hands_over`.
    """
    if problems := _open_problems(state, "in_play"):
        return problems
    strangers = [code for code in scores if code not in chain(*now.order)]
    problems = tuple(Problem("playoff_stranger", facts={"member": code}) for code in strangers)
    tables = tuple(tier for tier in now.undecided if set(tier.members) & set(scores))
    if not tables:
        tables = now.undecided  # nobody of any tier is in the hand: they are all missing
    problems += tuple(
        Problem("playoff_hand_incomplete", facts={"member": code})
        for tier in tables
        for code in tier.members
        if code not in scores
    )
    if any(now.is_over_for(tier, rules) for tier in tables):
        most = rules.max_hands + now.extended
        problems += (Problem("playoff_hands_over", facts={"most": most}),)
    return problems


def gone_problems(state: str, now: Progress, member: str) -> tuple[Problem, ...]:
    """The problems of placing a member last: `playoff_placed`, or by the state."""
    if problems := _open_problems(state, "decided"):
        return problems
    if any(member in tier.members for tier in now.undecided):
        return ()
    return (Problem("playoff_placed", facts={"member": member}),)


def lot_problems(state: str, now: Progress) -> tuple[Problem, ...]:
    """The problems of drawing lots: only what is scheduled or in play, and undecided."""
    if problems := _open_problems(state, "by_lot"):
        return problems
    if not now.is_decided:
        return ()
    return (Problem("playoff_over"),)


def explain_playoff(
    members: Iterable[str],
    cuts: Sequence[int],
    events: Sequence[PlayoffEvent],
    rules: PlayoffRules,
    *,
    low_wins: bool = True,
) -> tuple[Progress, dict[str, tuple[str, ...]], list[Mapping[str, str]]]:
    """The state of a play-off as `progress`, and for each member the course and running totals.

    The course has the totals at each comparison, in order, then `lot` or `gone`. The running totals
    are one mapping an event: what those still undecided had after it since they last began from 0;
    empty after what is no hand.

    >>> hands = [HandPlayed({"A": 3, "B": 3, "C": 20}), HandPlayed({"A": 5, "B": 10})]
    >>> explain_playoff("ABC", [1], hands, PlayoffRules())[1]
    {'A': ('3', '5'), 'B': ('3', '10'), 'C': ('20',)}
    """
    group = sorted(members)
    courses: dict[str, list[str]] = {member: [] for member in group}
    running: list[Mapping[str, str]] = []
    now = progress(group, cuts, (), rules, low_wins=low_wins)
    for event in events:
        after = _after(now, event, rules, low_wins=low_wins)
        for member, words in _words(now, event, after).items():
            courses[member].append(words)
        running.append({member: str(total) for member, total in _totals(now, event).items()})
        now = after
    return now, {member: tuple(course) for member, course in courses.items()}, running


def _words(before: Progress, event: PlayoffEvent, after: Progress) -> Mapping[str, str]:
    playing = [member for tier in before.undecided for member in tier.members]
    if isinstance(event, MemberLeft):
        if event.member not in playing:
            return {}
        return {event.member: "gone"}
    if isinstance(event, LotsDrawn):
        return dict.fromkeys(playing, "lot")
    begun = {member: tier for tier in after.tiers for member in tier.members}
    return {
        member: str(total)
        for member, total in _totals(before, event).items()
        if begun[member].leg == 0
    }


def _totals(before: Progress, event: PlayoffEvent) -> Mapping[str, Points]:
    if not isinstance(event, HandPlayed):
        return {}
    return {
        member: tier.totals.get(member, 0) + event.scores[member]
        for tier in before.undecided
        if set(tier.members) <= set(event.scores)
        for member in tier.members
    }
