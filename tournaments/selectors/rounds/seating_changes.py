"""Ways to change the seats of a round before its hands, and what each leads to."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal, TypeAlias, get_args

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Problem, Refused, one_stop, shown
from scoring.seating.arrangements import (
    Arrangement,
    SeatingLimits,
    Way,
    partners_opposite,
    swapped,
    way_from,
)
from scoring.seating.brackets import sizes_of_rules
from scoring.seating.changes import (
    Comparisons,
    ways_to_close,
    ways_to_form,
    ways_to_move,
    ways_to_release,
    ways_to_seat,
)
from tournaments.domain.etags import mark_of_text
from tournaments.domain.seating_preferences import preferred_sizes
from tournaments.models.events import Event
from tournaments.models.rounds import Round, SitOutReason, Sitting
from tournaments.models.seating_plans import ConstraintKind, SeatingConstraint, SeatingPlan
from tournaments.selectors.events.settings_checks import comparing_problems
from tournaments.selectors.rounds.round_seating import (
    SeatedTable,
    attendance_in,
    chosen_plan,
    pairs_met,
    round_seating,
    snapshot_for,
)
from tournaments.selectors.rounds.tables import get_group_of_players, list_rematches, side_shape
from tournaments.selectors.rules.rule_sets import rules_of


def allowed_sizes(event: Event, round_number: int, plan: SeatingPlan | None) -> tuple[int, ...]:
    """Return the table sizes of the plan, else of the rules, that event and club allow."""
    planned = plan.inputs.get("sizes") if plan is not None else None
    snapshot = snapshot_for(event, round_number)
    allowed = preferred_sizes(event.club.seating, sizes_of_rules(rules_of(snapshot)))
    return tuple(
        size
        for size in allowed
        if (not planned or size in planned)
        and not comparing_problems(event=event, rules=snapshot, seats=size)
    )


def limits_of(
    event: Event,
    number: int,
    tables: Sequence[SeatedTable],
    plan: SeatingPlan | None,
    met: frozenset[frozenset[int]],
) -> SeatingLimits:
    """Return the constraints on a change of a round; `tables` are those of the round, in order.

    Args:
        number: of the round within its event; the round may not exist yet.
        met: pairs who share a table in another round of the evening.
    """
    pairs = _constraints(event)
    index = {table.number: at for at, table in enumerate(tables)}
    return SeatingLimits(
        sizes=allowed_sizes(event, number, plan),
        apart=frozenset(pairs[ConstraintKind.APART]),
        together=frozenset(pairs[ConstraintKind.TOGETHER]),
        fixed={player: index[table] for player, table in _fixed(event).items() if table in index},
        locked=frozenset(at for at, table in enumerate(tables) if table.is_fixed),
        met=met,
    )


def _constraints(event: Event) -> Mapping[str, set[frozenset[int]]]:
    pairs: dict[str, set[frozenset[int]]] = defaultdict(set)
    rows = SeatingConstraint.objects.filter(event=event, other__isnull=False)
    for kind, player, other in rows.values_list("kind", "player_id", "other_id"):
        pairs[kind].add(frozenset((player, other)))
    return pairs


def _fixed(event: Event) -> Mapping[int, int]:
    rows = SeatingConstraint.objects.filter(event=event, table_number__isnull=False)
    return {player: table or 0 for player, table in rows.values_list("player_id", "table_number")}


ChangeKind: TypeAlias = Literal["seat", "leave", "move", "swap", "close", "form"]
KINDS: Final = get_args(ChangeKind)


@dataclass(frozen=True, slots=True)
class SeatingChange:
    """A change: players by row, `table` for `close`; `form` is a new table of those who wait."""

    kind: ChangeKind
    players: tuple[int, ...] = ()
    table: int = 0


class SeatingNow:
    """The seating of a round, the players at its evening, and the constraints on a change of it.

    Args:
        numbers: of its tables, in the order of `arrangement`.
        unplaced: players present without a seat or a sit-out, in order of arrival.
        left: players with a seat who left.
        gone: all who do not play in it, by attendance.
        group_of: player → pair or team.
    """

    def __init__(self, round_: Round, plan: SeatingPlan | None = None) -> None:
        meeting, seating = round_.meeting, round_seating(round_)
        if meeting is not None:
            plan = plan or chosen_plan(meeting)
        self.round, self.seating = round_, seating
        self.unplaced, self.left, self.gone = attendance_in(round_, seating, plan)
        outside = tuple(player for player in seating.sit_outs if player not in self.gone)
        self.arrangement = Arrangement(
            tuple(table.players for table in seating.tables), (*self.unplaced, *outside)
        )
        self.group_of = get_group_of_players(round_.event, self.arrangement.people)
        met = frozenset(
            pair
            for pair in pairs_met(meeting, plan, round_)
            if len({self.group_of.get(player, -player) for player in pair}) > 1
        )
        self.numbers = tuple(table.number for table in seating.tables)
        self.limits = limits_of(round_.event, round_.number, seating.tables, plan, met)

    @property
    def fixed(self) -> frozenset[int]:
        return frozenset(
            player for table in self.seating.tables if table.is_fixed for player in table.players
        )

    def with_partners_opposite(self, way: Way) -> Way:
        """Return a way whose new tables have the partners of each pair on one side."""
        old, new = way.after.tables[: len(self.numbers)], way.after.tables[len(self.numbers) :]
        if not new or not self.group_of:
            return way
        rules = rules_of(snapshot_for(self.round.event, self.round.number))
        seated = (
            partners_opposite(table, self.group_of, side_shape(rules, len(table))) for table in new
        )
        return replace(way, after=Arrangement((*old, *seated), way.after.waiting))

    def frees_a_bye(self, player: int) -> bool:
        """Whether somebody sits out for want of a seat once this player, who sat out, plays."""
        seated = {self.group_of.get(other) for other in self.seating.seated}
        is_bye = self.seating.sit_outs[player] == SitOutReason.BYE
        return is_bye or self.group_of.get(player, 0) in seated

    def number_at(self, index: int) -> int:
        """Return the number of a table of an arrangement, also of one that is not there yet."""
        if index < len(self.numbers):
            return self.numbers[index]
        return max(self.numbers, default=0) + 1 + index - len(self.numbers)


def ways_of(
    now: SeatingNow, change: SeatingChange, tried: Comparisons | None = None
) -> tuple[Way, ...]:
    """Return the ways to make a change, the least disturbing first; empty where it has none."""
    return tuple(map(now.with_partners_opposite, _ways_of(now, change, tried)))


def _ways_of(now: SeatingNow, change: SeatingChange, tried: Comparisons | None) -> tuple[Way, ...]:
    before, limits = now.arrangement, now.limits
    people = set(before.people)
    if change.kind not in KINDS or not set(change.players) <= people:
        raise _bad(change)
    if change.kind == "form":
        return _ways_to_form(now, change)
    if now.fixed & set(change.players):
        return ()
    if change.kind == "close":
        return _ways_to_close(now, change, tried)
    if len(change.players) != (2 if change.kind == "swap" else 1):
        raise _bad(change)
    if change.kind == "swap":
        first, second = change.players
        if first == second:
            raise _bad(change)
        return (way_from(before, swapped(before, first, second), limits),)
    if change.kind == "leave":
        return ways_to_release(before, change.players[0], limits, tried)
    if change.kind == "seat" and change.players[0] in before.waiting:
        return ways_to_seat(before, change.players[0], limits, tried)
    return ways_to_move(before, change.players[0], limits, tried)


def _ways_to_form(now: SeatingNow, change: SeatingChange) -> tuple[Way, ...]:
    if not set(change.players) <= set(now.arrangement.waiting):
        raise Refused(Problem("too_many_picked", ("seat",), {"found": len(change.players)}))
    rules, count = rules_of(snapshot_for(now.round.event, now.round.number)), len(change.players)
    least, most = rules.keys.players
    if count not in sizes_of_rules(rules):
        facts = {"found": count, "least": least, "most": most}
        raise Refused(Problem("seat_count", ("seat",), facts))
    # Who picks the players chooses the size, too: the plan's sizes are for what is proposed.
    return ways_to_form(now.arrangement, change.players, replace(now.limits, sizes=(count,)))


def _ways_to_close(
    now: SeatingNow, change: SeatingChange, tried: Comparisons | None
) -> tuple[Way, ...]:
    if change.table not in now.numbers:
        raise _bad(change)
    index = now.numbers.index(change.table)
    if index in now.limits.locked:
        return ()
    return ways_to_close(now.arrangement, index, now.limits, tried)


def why_no_way(now: SeatingNow, change: SeatingChange) -> str:
    """Return what keeps a change from having a way: hands, constraints or sizes of tables."""
    limits, before = now.limits, now.arrangement
    if change.kind == "close":
        return _("Table %(n)s is being played or over, so it stays.") % {"n": change.table}
    unconstrained = SeatingLimits(limits.sizes, locked=limits.locked)
    if change.kind == "form" or ways_to_move(before, change.players[0], unconstrained):
        return _("A rule under “Who may sit together” forbids this.")
    if ways_to_move(before, change.players[0], SeatingLimits(limits.sizes)):
        return _("The other tables are being played or over, and nobody waits.")
    sizes = get_text_list([str(size) for size in sorted(limits.sizes)], _("or"))
    return _("Nobody waits, and each table needs %(sizes)s players.") % {"sizes": sizes}


def digest_of_way(way: Way) -> str:
    """Return what names exactly this seating."""
    text = json.dumps([way.after.tables, way.after.waiting], separators=(",", ":"))
    return mark_of_text(text)


def _bad(change: SeatingChange) -> Refused:
    text = shown(f"{change.kind} {change.table or ''}".strip())
    return Refused(Problem("bad_seating_change", ("about",), {"found": text}))


def way_rows(
    now: SeatingNow, change: SeatingChange, ways: Sequence[Way], names: Mapping[int, str]
) -> list[tuple[str, str, str, str]]:
    """Return each option's digest, title, affected players in words, and button."""
    words = _Words(now, change, names)
    details = [words.change_text(way).rstrip(".") for way in ways]
    titles = distinct_titles([words.title(way) for way in ways], details)
    return [
        (digest_of_way(way), title, words.text(way), words.button(way))
        for way, title in zip(ways, titles, strict=True)
    ]


def distinct_titles(titles: Sequence[str], details: Iterable[str]) -> list[str]:
    """Return titles of cards; equal ones with their detail, and with a number if still equal.

    >>> distinct_titles(["A", "B", "A", "A"], ["one", "", "two", "two"])
    ['A: one', 'B', 'A: two', 'A: two (2)']
    """
    texts = [
        f"{title}: {detail}" if titles.count(title) > 1 and detail else title
        for title, detail in zip(titles, details, strict=True)
    ]
    numbers = [texts[:at].count(text) + 1 for at, text in enumerate(texts)]
    return [
        text if number == 1 else f"{text} ({number})"
        for text, number in zip(texts, numbers, strict=True)
    ]


def _repeats_text(now: SeatingNow, way: Way, names: Mapping[int, str]) -> str:
    """Return which players meet again: who met in a posted round, and by the plan; "" for none."""
    met = pairs_met(now.round.meeting, None, now.round, is_posted=True) if way.repeats else ()
    pairs: dict[bool, list[str]] = {True: [], False: []}
    for a, b in way.repeats:
        text = _("%(one)s and %(other)s") % {"one": names[a], "other": names[b]}
        pairs[frozenset((a, b)) in met].append(text)
    texts = {
        True: _("Players who meet again: %(who)s."),
        False: _("Players who meet again in the plan: %(who)s."),
    }
    sentences = [texts[is_met] % {"who": "; ".join(who)} for is_met, who in pairs.items() if who]
    return " ".join(map(one_stop, sentences))


MOST_REMATCHES: Final = 8
"""Maximum number named in a sentence; REST has all of them."""


def rematch_text(round_: Round) -> str:
    """Return who plays again against whom in a round, in a sentence; "" for nobody."""
    pairs = [_("%(one)s and %(other)s") % {"one": a, "other": b} for a, b in list_rematches(round_)]
    who = "; ".join(pairs[:MOST_REMATCHES])
    if (more := len(pairs) - MOST_REMATCHES) > 0:
        who = _("%(who)s; and %(n)s more") % {"who": who, "n": more}
    return one_stop(_("Meet again: %(who)s.") % {"who": who}) if pairs else ""


_BUTTONS: Final = {
    "close": gettext_lazy("Remove table"),
    "form": gettext_lazy("Form a table"),
    "leave": gettext_lazy("Seat this way"),
}


class _Words:
    def __init__(self, now: SeatingNow, change: SeatingChange, names: Mapping[int, str]) -> None:
        self.now, self.change, self.names = now, change, names

    def title(self, way: Way) -> str:
        change = self.change
        players = [self.names[player] for player in change.players]
        if change.kind == "swap":
            return _("Swap seats")
        if change.kind == "close":
            return _("Remove table %(number)s") % {"number": change.table}
        if change.kind == "leave":
            return self._title_of_leaving(way)
        table = self._place(way.after, change.players[0])
        if change.kind != "form":
            return table
        return _("%(table)s: %(who)s") % {"table": table, "who": get_text_list(players, _("and"))}

    def button(self, way: Way) -> str:
        kind = self.change.kind
        if kind == "swap":
            first, second = (self.names[player] for player in self.change.players)
            return _("Swap %(one)s and %(other)s") % {"one": first, "other": second}
        if kind in _BUTTONS:
            return str(_BUTTONS[kind])
        table = _table_of(way.after, self.change.players[0])
        if table is None:
            return _("Add to waiting list") if kind == "seat" else _("Replace player")
        text = _("Add to table %(n)s") if kind == "seat" else _("Move to table %(n)s")
        return text % {"n": self.now.number_at(table)}

    def text(self, way: Way) -> str:
        meets = _repeats_text(self.now, way, self.names)
        if self.change.kind == "seat":
            seats = self._seats + (_table_of(way.after, self.change.players[0]) is not None)
            text = ngettext(
                "%(who)s then has %(n)s seat this evening.",
                "%(who)s then has %(n)s seats this evening.",
                seats,
            )
            sentence = text % {"who": self.names[self.change.players[0]], "n": seats}
            meets = f"{sentence} {meets}".strip()
        return one_stop(f"{self.change_text(way)} {meets or _('Nobody meets again.')}".strip())

    def change_text(self, way: Way) -> str:
        return " ".join((*self._moves(way), *self._sizes(way)))

    @cached_property
    def _seats(self) -> int:
        """The other rounds of the evening in which the player sits."""
        round_ = self.now.round
        rows = Sitting.objects.filter(
            round__event=round_.event_id, round__meeting=round_.meeting_id
        )
        rows = rows.filter(player=self.change.players[0], to_hand__isnull=True)
        return rows.exclude(round=round_).count()

    def _title_of_leaving(self, way: Way) -> str:
        before = self.now.arrangement
        home = _table_of(before, self.change.players[0])
        if home is None:
            return _("No table changes")
        number, size = self.now.number_at(home), len(way.after.tables[home])
        if not size:
            return _("Table %(number)s is removed") % {"number": number}
        if size < len(before.tables[home]):
            text = ngettext(
                "Table %(number)s goes on with %(n)s player",
                "Table %(number)s goes on with %(n)s players",
                size,
            )
            return text % {"number": number, "n": size}
        came = [player for player in way.after.tables[home] if player not in before.tables[home]]
        names = get_text_list([self.names[player] for player in came], _("and"))
        return _("%(who)s: table %(number)s") % {"who": names, "number": number}

    def _place(self, after: Arrangement, player: int) -> str:
        table = _table_of(after, player)
        if table is None:
            return _("Waiting list")
        number = self.now.number_at(table)
        if table >= len(self.now.numbers):
            return _("New table %(number)s") % {"number": number}
        return _("Table %(number)s") % {"number": number}

    def _moves(self, way: Way) -> Iterator[str]:
        before, after = self.now.arrangement, way.after
        for player in before.people:
            was, now = _table_of(before, player), _table_of(after, player)
            if was == now or (player in self.change.players and self.change.kind != "swap"):
                continue
            names = {"who": self.names[player]}
            if now is None:
                if player in after.waiting:
                    yield _("%(who)s waits.") % names
                continue
            names["to"] = str(self.now.number_at(now))
            if was is None:
                yield _("%(who)s gets a seat at table %(to)s.") % names
            else:
                names["from"] = str(self.now.number_at(was))
                yield _("%(who)s moves from table %(from)s to table %(to)s.") % names

    def _sizes(self, way: Way) -> Iterator[str]:
        before = self.now.arrangement.tables
        for at, table in enumerate(way.after.tables):
            size = len(before[at]) if at < len(before) else 0
            if len(table) == size or not table:
                continue
            text = ngettext(
                "Table %(number)s then has %(n)s player.",
                "Table %(number)s then has %(n)s players.",
                len(table),
            )
            yield text % {"number": self.now.number_at(at), "n": len(table)}


def _table_of(arrangement: Arrangement, player: int) -> int | None:
    return next((at for at, table in enumerate(arrangement.tables) if player in table), None)
