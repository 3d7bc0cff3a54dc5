"""A position ladder: the events that it replays, the list they make, and the story of each move.

Pure. Places are counted from 1 at the top. The `number` of an event is the stored order: it never
comes from a clock, and a corrected event keeps it. See docs/algorithms/position-ladder.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, zip_longest
from types import MappingProxyType
from typing import Final, TypeAlias

from scoring.errors import Problem, listed
from scoring.json_types import JsonObject
from scoring.ladders.rules import LadderRules

Order: TypeAlias = tuple[str, ...]
Tiers: TypeAlias = tuple[tuple[str, ...], ...]

LANDING: Final[Mapping[str, Callable[[int, int], int]]] = {
    "take_place": min,
    "halfway": lambda place, above: (place + above) // 2,
    "one_up": lambda place, above: place - 1,
}
"""Rule → where a winner from `place` lands who beat the one at `above`, both from 1.

The members between move down by one. `swap` is no landing: it exchanges the two places.
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

_BEAT: Final = {
    "played": "beat {}",
    "declined": "{} declined",
    "expired": "{} did not answer",
    "forfeited_d": "{} forfeited",
}
"""How a challenge was won → the words for its winner."""

_LOST: Final = {
    "played": "lost to {}",
    "declined": "declined {}",
    "expired": "did not answer {}",
    "forfeited_d": "forfeited to {}",
}
"""How a challenge was won → the words for its loser."""

LEAST_AT_TABLE: Final = 3

MOST_AT_TABLE: Final = 11

_REMOVALS: Final = {"left": "left the ladder", "away": "away too long, off the ladder"}
"""Why a member was removed → the words, where there are special ones."""

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
    # A ladder is longer than a table, so that only the members at the table are looked up.
    places = {member: order.index(member) for member in chain(*tiers) if member in order}
    finished: list[str] = []
    for tier in tiers:
        level = places.keys() & set(tier)
        finished.extend(sorted(level, key=places.__getitem__))

    changed = list(order)
    free_places = sorted(places[member] for member in finished)
    for place, member in zip(free_places, finished, strict=True):
        changed[place] = member
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
        if member not in dropping:
            continue
        place = changed.index(member)
        landing = place
        for below in changed[place + 1 : place + 1 + places]:
            if below in dropping:
                break
            landing += 1
        changed.insert(landing, changed.pop(place))
    return tuple(changed)


def tiers_of(places: Mapping[str, int]) -> Tiers:
    """The members who finished level, best first, from each one's place.

    >>> tiers_of({"C": 2, "F": 1, "E": 2, "D": 4})
    (('F',), ('C', 'E'), ('D',))
    """
    members_at: dict[int, list[str]] = {}
    for member in sorted(places):
        members_at.setdefault(places[member], []).append(member)
    return tuple(tuple(members_at[place]) for place in sorted(members_at))


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
    last: int | None = None
    if after is None:
        last = ladder.number
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
    order = ladder.order
    dropped = ladder.dropped
    match event:
        case Opened():
            # A member may be named twice, or be on the list already: the first place counts.
            order = tuple(dict.fromkeys((*order, *event.members)))
        case Joined():
            if event.member not in order:
                order = (*order, event.member)
        case Removed():
            order = tuple(member for member in order if member != event.member)
        case ChallengeWon():
            if {event.winner, event.loser} <= set(order) and event.winner != event.loser:
                order = after_win(order, event.winner, event.loser, rules.rule)
        case TablePlayed():
            order = after_table(order, event.tiers)
        case WeekSwept():
            idle = []
            for member in dict.fromkeys(event.idle):
                if member in order and (member, event.week) not in dropped:
                    idle.append(member)
            order = after_drops(order, idle, rules.idle_drop)
            dropped |= {(member, event.week) for member in idle}
    after = Ladder(order, event.number, dropped)
    return LadderReplay(after, _moves(ladder, after, event))


def _moves(before: Ladder, after: Ladder, event: LadderEvent) -> tuple[Move, ...]:
    if before.order == after.order:
        return ()
    changed = []
    for member, member_before in zip_longest(after.order, before.order):
        if member is not None and member != member_before:
            changed.append(member)
    if len(before.order) > len(after.order):
        changed += [member for member in before.order if member not in after.order]

    tiers: Tiers = ()
    if isinstance(event, TablePlayed):
        tiers = tuple(
            tuple(member for member in tier if member in before.order) for tier in event.tiers
        )
    moves = []
    for member in changed:
        kind, facts = _story(event, member, before, tiers)
        move = Move(
            number=event.number,
            member=member,
            before=before.place(member),
            after=after.place(member),
            on=event.on,
            kind=kind,
            facts=facts,
        )
        moves.append(move)
    return tuple(moves)


def _story(event: LadderEvent, member: str, before: Ladder, tiers: Tiers) -> tuple[str, JsonObject]:
    """The kind of a member's move by an event, and its facts.

    `tiers` are those of a table, without members who are not on the ladder.
    """
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
            how = {"how": event.how, "ref": event.ref}
            winner = {"member": event.winner, "place": before.place(event.winner), **how}
            loser = {"member": event.loser, "place": before.place(event.loser), **how}
            if member == event.winner:
                return "beat", loser
            if member == event.loser:
                return "lost", winner
            return "passed", {**winner, "beat": loser["place"]}
        case TablePlayed():
            rank = next(rank for rank, tier in enumerate(tiers) if member in tier)
            ahead = tuple(chain(*tiers[:rank]))
            return "table", {
                "finished": len(ahead) + 1,
                "ahead": ahead,
                "level": tuple(other for other in tiers[rank] if other != member),
                "behind": tuple(chain(*tiers[rank + 1 :])),
                "ref": event.ref,
            }
        case WeekSwept() if member in event.idle:
            return "idle", {"week": event.week}
        case WeekSwept():
            return "passed_idle", {"week": event.week}


def table_problems(ladder: Ladder, tiers: Tiers, rules: LadderRules) -> tuple[Problem, ...]:
    """The problems of a table challenge with this finish.

    `ladder_member_twice` and `not_on_ladder` one a member, `ladder_table_size`, `ladder_span`.
    """
    members = list(chain(*tiers))
    problems = []
    for at, member in enumerate(members):
        if member in members[:at]:
            problems.append(Problem("ladder_member_twice", facts={"member": member}))
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
    if places and rules.max_span is not None:
        span = max(places) - min(places)
        if span > rules.max_span:
            facts = {"found": span, "most": rules.max_span}
            problems.append(Problem("ladder_span", facts=facts))
    return tuple(problems)


def explain_move(move: Move, names: Mapping[str, str] | None = None) -> str:
    """The cause of a move in a few words: how far, by what, when.

    `names` maps codes to the names to show; a code that is not in it is shown itself.

    >>> facts = {"member": "D", "place": 4, "how": "played", "ref": "G7"}
    >>> explain_move(Move(9, "J", 10, 4, date(2025, 3, 12), "beat", facts))
    'up 6: beat D (#4) on 12 March'
    """
    distance = ""
    if move.up > 0:
        distance = f"up {move.up}: "
    elif move.up < 0:
        distance = f"down {-move.up}: "
    words = _words(move.kind, move.facts, names or {})
    return f"{distance}{words} on {move.on.day} {_MONTHS[move.on.month - 1]}"


def _words(kind: str, facts: JsonObject, names: Mapping[str, str]) -> str:
    """The words of a kind of move, without how far and when."""
    match kind:
        case "opened":
            return "opening position"
        case "joined":
            return "joined"
        case "removed":
            return _REMOVALS.get(facts["why"], "taken off the ladder")
        case "closed_up":
            return f"{_other(facts, names)} left"
        case "beat":
            return _BEAT[facts["how"]].format(_other(facts, names))
        case "lost":
            return _LOST[facts["how"]].format(_other(facts, names))
        case "passed":
            return f"passed by {_other(facts, names)}, who won against #{facts['beat']}"
        case "table":
            return _finish_at_table(facts, names)
        case "idle":
            return "no game for too long"
        case "passed_idle":
            return "went past who is idle"
        case _:
            raise ValueError(f"a ladder has no moves of the kind {kind}")


def _named(members: Sequence[str], names: Mapping[str, str]) -> str:
    return listed(names.get(member, member) for member in members)


def _other(facts: JsonObject, names: Mapping[str, str]) -> str:
    """The other member of a story, with the place before the event."""
    member = facts["member"]
    return f"{names.get(member, member)} (#{facts['place']})"


def _finish_at_table(facts: JsonObject, names: Mapping[str, str]) -> str:
    ahead, level, behind = facts["ahead"], facts["level"], facts["behind"]
    if not ahead and not level:
        return f"won a table with {_named(behind, names)}"
    place = facts["finished"]
    if not behind and not level:
        words = "last"
    else:
        words = {1: "first", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")
    words += " at a table"
    if level:
        words += f" tied with {_named(level, names)}"
    if ahead:
        words += f" behind {_named(ahead, names)}"
    return words
