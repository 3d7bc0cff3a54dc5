"""The list of a position ladder as the replay of its events, with the story of each move.

See docs/algorithms/position-ladder.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, zip_longest
from types import MappingProxyType
from typing import Final

from scoring.errors import Problem, listed
from scoring.json_types import JsonObject
from scoring.ladders.positions import (
    ChallengeWon,
    Joined,
    LadderEvent,
    Opened,
    Order,
    Removed,
    TablePlayed,
    Tiers,
    WeekSwept,
    after_drops,
    after_table,
    after_win,
)
from scoring.ladders.rules import LadderRules


@dataclass(frozen=True, slots=True)
class Ladder:
    """The list after event `number`: the members from the top, and each one's weeks of drops."""

    order: Order = ()
    number: int = 0
    dropped: frozenset[tuple[str, str]] = frozenset()

    def place(self, member: str) -> int | None:
        """The member's place from 1, or None if not on the list."""
        return self.order.index(member) + 1 if member in self.order else None


@dataclass(frozen=True, slots=True)
class Move:
    """One member's change of place by one event. `before` or `after` is None off the list.

    `kind` and `facts` are the story as data (`scoring.ladders.replay` makes the
    sentence); places in `facts` are those before the event.
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
        return 0 if self.before is None or self.after is None else self.before - self.after


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
    old, new = _Places(before.order), _Places(after.order)
    pairs = zip_longest(after.order, before.order)
    changed = [member for member, was in pairs if member != was and member is not None]
    if len(before.order) > len(after.order):
        changed += [member for member in before.order if member not in new]
    return tuple(
        Move(
            event.number,
            member,
            old.get(member),
            new.get(member),
            event.on,
            *_story(event, member, old),
        )
        for member in changed
    )


class _Places(Mapping[str, int]):
    """Member → place, from 1, looked up only where it is needed: of a long list few are."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._among: Tiers | None = None

    def __getitem__(self, member: str) -> int:
        try:
            return self._order.index(member) + 1
        except ValueError:
            raise KeyError(member) from None

    def __contains__(self, member: object) -> bool:
        return member in self._order

    def among(self, tiers: Tiers) -> Tiers:
        """The members who are on the list; worked out once for all who moved at a table."""
        if self._among is None:
            self._among = tuple(
                tuple(member for member in tier if member in self) for tier in tiers
            )
        return self._among

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)


def _story(event: LadderEvent, member: str, places: _Places) -> tuple[str, JsonObject]:
    """The kind of a member's move by an event, and its facts; `places` are those before."""
    match event:
        case Opened():
            return "opened", {}
        case Joined():
            return "joined", {}
        case Removed() if member == event.member:
            return "removed", {"why": event.why}
        case Removed():
            return "closed_up", {"member": event.member, "place": places[event.member]}
        case ChallengeWon():
            facts = {"how": event.how, "ref": event.ref}
            high = {"member": event.loser, "place": places[event.loser], **facts}
            low = {"member": event.winner, "place": places[event.winner], **facts}
            if member == event.winner:
                return "beat", high
            if member == event.loser:
                return "lost", low
            return "passed", {**low, "beat": high["place"]}
        case TablePlayed():
            tiers = places.among(event.tiers)
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
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def explain_move(move: Move, names: Mapping[str, str] | None = None) -> str:
    """The cause of a move in a few words: how far, by what, when.

    `names` maps codes to the names to show; a code that is not in it is shown itself.

    >>> facts = {"member": "D", "place": 4, "how": "played", "ref": "G7"}
    >>> explain_move(Move(9, "J", 10, 4, date(2025, 3, 12), "beat", facts))
    'up 6: beat D (#4) on 12 March'
    """
    words = _SAYINGS[move.kind](move.facts, names or {})
    way = f"up {move.up}: " if move.up > 0 else f"down {-move.up}: " if move.up < 0 else ""
    return f"{way}{words} on {move.on.day} {_MONTHS[move.on.month - 1]}"


def _named(members: Sequence[str], names: Mapping[str, str]) -> str:
    return listed(names.get(member, member) for member in members)


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
