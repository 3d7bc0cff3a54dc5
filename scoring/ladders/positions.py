"""A position ladder: the events that it replays, the list they make, and the story of each move.

Pure. Places are counted from 1 at the top. The `number` of an event is the stored order: it never
comes from a clock, and a corrected event keeps it. See docs/algorithms/position-ladder.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, takewhile, zip_longest
from types import MappingProxyType
from typing import Final, TypeAlias

from scoring.errors import Problem, listed
from scoring.json_types import JsonObject
from scoring.ladders.rules import LadderRules

Order: TypeAlias = tuple[str, ...]
Tiers: TypeAlias = tuple[tuple[str, ...], ...]

LANDING: Final[Mapping[str, Callable[[int, int], int]]] = {
    "take_place": min,  # the place of who was beaten, and the others move down
    "halfway": lambda place, above: (place + above) // 2,  # the better half
    "one_up": lambda place, above: place - 1,
}
"""Rule → where a winner from `place` lands who beat the one at `above`, both from 1.

`swap` is the only rule that moves the loser elsewhere.
"""


@dataclass(frozen=True, slots=True)
class Opened:
    """The list begins with these members, from the top: imported opening positions."""

    number: int
    on: date
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A member joins at the bottom."""

    number: int
    on: date
    member: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A member leaves the list; `why` is `left`, `away` (too long) or `merged`."""

    number: int
    on: date
    member: str
    why: str = "left"


@dataclass(frozen=True, slots=True)
class ChallengeWon:
    """A challenge counts as a win; `how` is `played`, `declined`, `expired` or `forfeited_d`.

    `ref` identifies the game or the challenge. Only a win of the lower member moves anybody.
    """

    number: int
    on: date
    winner: str
    loser: str
    how: str = "played"
    ref: str = ""


@dataclass(frozen=True, slots=True)
class TablePlayed:
    """Several members played one game; `tiers` has who finished level, best first."""

    number: int
    on: date
    tiers: Tiers
    ref: str = ""


@dataclass(frozen=True, slots=True)
class WeekSwept:
    """These members were idle in the ISO week `week` (`2025-W36`) and drop once for it."""

    number: int
    on: date
    week: str
    idle: tuple[str, ...]


LadderEvent: TypeAlias = Opened | Joined | Removed | ChallengeWon | TablePlayed | WeekSwept
_WAYS: Final = {
    "beat": {
        "played": "beat {}",
        "declined": "{} declined",
        "expired": "{} did not answer",
        "forfeited_d": "{} forfeited",
    },
    "lost": {
        "played": "lost to {}",
        "declined": "declined {}",
        "expired": "did not answer {}",
        "forfeited_d": "forfeited to {}",
    },
}


def after_win(order: Order, winner: str, loser: str, rule: str) -> Order:
    """The order after `winner` beat `loser`; unchanged where the winner was above.

    A permutation of `order`; nobody rises but the winner.

    >>> "".join(after_win(tuple("ABCDEFGHIJ"), "H", "E", "take_place"))
    'ABCDHEFGIJ'
    >>> "".join(after_win(tuple("ABCDEFGHIJ"), "H", "E", "swap"))
    'ABCDHFGEIJ'
    """
    low, high = order.index(winner), order.index(loser)
    if low < high:
        return order
    if rule == "swap":
        return (*order[:high], winner, *order[high + 1 : low], loser, *order[low + 1 :])
    landing = LANDING[rule](low + 1, high + 1) - 1
    return (*order[:landing], winner, *order[landing:low], *order[low + 1 :])


def after_table(order: Order, tiers: Tiers) -> Order:
    """The order after a table: its members' places dealt out again as they finished.

    `tiers`: members who finished level, best first; ties keep their old order. Members who are
    not on the ladder are ignored.

    A permutation of `order`; members who were not at the table do not move.

    >>> "".join(after_table(tuple("ABCDEFGHIJ"), (("F",), ("C", "E"), ("D",))))
    'ABFCEDGHIJ'
    """
    # A ladder is longer than a table: what few members ask of it is looked up for them alone.
    place = {member: order.index(member) for tier in tiers for member in tier if member in order}
    dealt = [
        member for tier in tiers for member in sorted(place.keys() & {*tier}, key=place.__getitem__)
    ]
    changed = list(order)
    for index, member in zip(sorted(map(place.__getitem__, dealt)), dealt, strict=True):
        changed[index] = member
    return tuple(changed)


def after_drops(order: Order, idle: Sequence[str], places: int) -> Order:
    """The order after each of `idle` dropped `places`, from the bottom up.

    An idle member drops past those who are not idle, so that two of them never change places
    with each other: neither in the middle nor at the bottom, where the lower one cannot drop.

    >>> "".join(after_drops(tuple("ABCDE"), ["B", "C"], 1))
    'ADBCE'
    >>> "".join(after_drops(tuple("ABCDE"), ["D", "E"], 1))
    'ABCDE'
    """
    dropping = frozenset(idle)
    changed = list(order)
    for member in reversed(order):
        if member in dropping:
            place = changed.index(member)
            below = changed[place + 1 : place + 1 + places]
            passed = len(list(takewhile(lambda other: other not in dropping, below)))
            changed.insert(place + passed, changed.pop(place))
    return tuple(changed)


def tiers_of(places: Mapping[str, int]) -> Tiers:
    """The members who finished level, best first, from each one's place.

    >>> tiers_of({"C": 2, "F": 1, "E": 2, "D": 4})
    (('F',), ('C', 'E'), ('D',))
    """
    return tuple(
        tuple(sorted(member for member in places if places[member] == rank))
        for rank in sorted(set(places.values()))
    )


@dataclass(frozen=True, slots=True)
class Ladder:
    """The list after event `number`: the members from the top, and each one's weeks of drops."""

    order: Order = ()
    number: int = 0
    dropped: frozenset[tuple[str, str]] = frozenset()

    def place(self, member: str) -> int | None:
        """The member's place from 1, or None if not on the list."""
        if member not in self.order:
            return None
        return self.order.index(member) + 1


@dataclass(frozen=True, slots=True)
class Move:
    """One member's change of place by one event. `before` or `after` is None off the list.

    `kind` and `facts` are the story as data (see `explain_move`); places in `facts` are those
    before the event.
    """

    number: int
    member: str
    before: int | None
    after: int | None
    on: date
    kind: str
    facts: JsonObject = field(default_factory=lambda: MappingProxyType({}))

    @property
    def up(self) -> int:
        """The number of places up (down is negative); 0 if the member joined or left."""
        if self.before is None or self.after is None:
            return 0
        return self.before - self.after


@dataclass(frozen=True, slots=True)
class LadderReplay:
    """The list at the end, and every move on the way, in order of event, then of place."""

    ladder: Ladder
    moves: tuple[Move, ...]


def replay(
    events: Iterable[LadderEvent], rules: LadderRules, *, after: Ladder | None = None
) -> LadderReplay:
    """The list that these events make, with the moves; their numbers ascend.

    `after` is a list to go on from; events up to its `number` are skipped, so that a replay from
    any point takes the same events as one from the beginning.
    """
    ladder = after or Ladder()
    moves: list[Move] = []
    last = ladder.number if after is None else None
    for event in events:
        if last is not None and event.number <= last:
            raise ValueError(f"event {event.number} after {last}")
        last = event.number
        if event.number > ladder.number:
            step = applied(ladder, event, rules)
            ladder = step.ladder
            moves.extend(step.moves)
    return LadderReplay(ladder, tuple(moves))


def applied(ladder: Ladder, event: LadderEvent, rules: LadderRules) -> LadderReplay:
    """The list after one event, and the moves it made.

    >>> start = applied(Ladder(), Opened(1, date(2025, 1, 7), tuple("ABC")), LadderRules())
    >>> step = applied(start.ladder, ChallengeWon(2, date(2025, 3, 12), "C", "A"), LadderRules())
    >>> "".join(step.ladder.order), [(m.member, m.before, m.after) for m in step.moves]
    ('CAB', [('C', 3, 1), ('A', 1, 2), ('B', 2, 3)])
    """
    order, dropped = ladder.order, ladder.dropped
    match event:
        case Opened():
            order += tuple(dict.fromkeys(code for code in event.members if code not in order))
        case Joined():
            order += () if event.member in order else (event.member,)
        case Removed():
            order = tuple(member for member in order if member != event.member)
        case ChallengeWon():
            if {event.winner, event.loser} <= set(order) and event.winner != event.loser:
                order = after_win(order, event.winner, event.loser, rules.rule)
        case TablePlayed():
            order = after_table(order, event.tiers)
        case WeekSwept():
            fresh = [
                member
                for member in dict.fromkeys(event.idle)
                if member in order and (member, event.week) not in dropped
            ]
            order = after_drops(order, fresh, rules.idle_drop)
            dropped |= {(member, event.week) for member in fresh}
    after = Ladder(order, event.number, dropped)
    return LadderReplay(after, _moves(ladder, after, event))


def _moves(before: Ladder, after: Ladder, event: LadderEvent) -> tuple[Move, ...]:
    if before.order == after.order:
        return ()
    pairs = zip_longest(after.order, before.order)
    changed = [member for member, was in pairs if member != was and member is not None]
    if len(before.order) > len(after.order):
        changed += [member for member in before.order if member not in after.order]
    # Worked out once for all who moved at a table: of a long list few are there.
    finish = event.tiers if isinstance(event, TablePlayed) else ()
    tiers = tuple(tuple(member for member in tier if member in before.order) for tier in finish)
    return tuple(
        Move(
            event.number,
            member,
            before.place(member),
            after.place(member),
            event.on,
            *_story(event, member, before, tiers),
        )
        for member in changed
    )


def _story(event: LadderEvent, member: str, before: Ladder, tiers: Tiers) -> tuple[str, JsonObject]:
    """The kind of a member's move by an event, and its facts; `tiers` are those of its table."""
    match event:
        case Opened():
            return "opened", {}
        case Joined():
            return "joined", {}
        case Removed() if member == event.member:
            return "removed", {"why": event.why}
        case Removed():
            return "closed_up", {"member": event.member, "place": before.place(event.member)}
        case ChallengeWon():
            facts = {"how": event.how, "ref": event.ref}
            high = {"member": event.loser, "place": before.place(event.loser), **facts}
            low = {"member": event.winner, "place": before.place(event.winner), **facts}
            if member == event.winner:
                return "beat", high
            if member == event.loser:
                return "lost", low
            return "passed", {**low, "beat": high["place"]}
        case TablePlayed():
            tier = next(index for index, group in enumerate(tiers) if member in group)
            ahead = tuple(chain(*tiers[:tier]))
            return "table", {
                "finished": len(ahead) + 1,
                "ahead": ahead,
                "level": tuple(other for other in tiers[tier] if other != member),
                "behind": tuple(chain(*tiers[tier + 1 :])),
                "ref": event.ref,
            }
        case WeekSwept():
            kind = "idle" if member in event.idle else "passed_idle"
            return kind, {"week": event.week}


LEAST_AT_TABLE: Final = 3
MOST_AT_TABLE: Final = 11


def table_problems(ladder: Ladder, tiers: Tiers, rules: LadderRules) -> tuple[Problem, ...]:
    """The problems of a table challenge with this finish.

    `ladder_member_twice` and `not_on_ladder` one a member, `ladder_table_size`, `ladder_span`.
    """
    members = [member for tier in tiers for member in tier]
    problems = [
        Problem("ladder_member_twice", facts={"member": member})
        for at, member in enumerate(members)
        if member in members[:at]
    ]
    places = []
    for member in dict.fromkeys(members):
        place = ladder.place(member)
        if place is None:
            problems.append(Problem("not_on_ladder", facts={"member": member}))
        else:
            places.append(place)
    if not LEAST_AT_TABLE <= len(members) <= MOST_AT_TABLE:
        facts = {"found": len(members), "least": LEAST_AT_TABLE, "most": MOST_AT_TABLE}
        problems.append(Problem("ladder_table_size", facts=facts))
    if places and rules.max_span is not None and max(places) - min(places) > rules.max_span:
        facts = {"found": max(places) - min(places), "most": rules.max_span}
        problems.append(Problem("ladder_span", facts=facts))
    return tuple(problems)


_MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def explain_move(move: Move, names: Mapping[str, str] | None = None) -> str:
    """The cause of a move in a few words: how far, by what, when.

    `names` maps codes to the names to show; a code that is not in it is shown itself.

    >>> facts = {"member": "D", "place": 4, "how": "played", "ref": "G7"}
    >>> explain_move(Move(9, "J", 10, 4, date(2025, 3, 12), "beat", facts))
    'up 6: beat D (#4) on 12 March'
    """
    words = _SAYINGS[move.kind](move.facts, names or {})
    way = ""
    if move.up > 0:
        way = f"up {move.up}: "
    elif move.up < 0:
        way = f"down {-move.up}: "
    return f"{way}{words} on {move.on.day} {_MONTHS[move.on.month - 1]}"


def _named(members: Sequence[str], names: Mapping[str, str]) -> str:
    return listed(names.get(member, member) for member in members)


def _other(facts: JsonObject, names: Mapping[str, str]) -> str:
    return f"{names.get(facts['member'], facts['member'])} (#{facts['place']})"


def _table(facts: JsonObject, names: Mapping[str, str]) -> str:
    ahead, level, behind = facts["ahead"], facts["level"], facts["behind"]
    if not ahead and not level:
        return f"won a table with {_named(behind, names)}"
    beside = f" tied with {_named(level, names)}" if level else ""
    after = f" behind {_named(ahead, names)}" if ahead else ""
    place = facts["finished"]
    words = {1: "first", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")
    last = not behind and not level
    return f"{'last' if last else words} at a table{beside}{after}"


_REMOVALS: Final = {"left": "left the ladder", "away": "away too long, off the ladder"}

_SAYINGS: Final[Mapping[str, Callable[[JsonObject, Mapping[str, str]], str]]] = {
    "opened": lambda facts, names: "opening position",
    "joined": lambda facts, names: "joined",
    "removed": lambda facts, names: _REMOVALS.get(facts["why"], "taken off the ladder"),
    "closed_up": lambda facts, names: f"{_other(facts, names)} left",
    "beat": lambda facts, names: _WAYS["beat"][facts["how"]].format(_other(facts, names)),
    "lost": lambda facts, names: _WAYS["lost"][facts["how"]].format(_other(facts, names)),
    "passed": lambda facts, names: (
        f"passed by {_other(facts, names)}, who won against #{facts['beat']}"
    ),
    "table": _table,
    "idle": lambda facts, names: "no game for too long",
    "passed_idle": lambda facts, names: "went past who is idle",
}
"""Kind of a move → its words, without how far and when."""
