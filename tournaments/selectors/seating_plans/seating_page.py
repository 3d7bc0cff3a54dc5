"""The page on which the rounds of an evening are seated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.utils.functional import Promise
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.entry.sheet import seat_names
from scoring.errors import one_stop
from scoring.seating.changes import Arrangement, least_disturbing, table_to_form
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Attendance, AttendanceState, Meeting, Round
from tournaments.models.seating_plans import PARTNERSHIPS, SeatingPlan
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.rounds.round_seating import (
    SeatedTable,
    chosen_plan,
    evening_number,
    expected_in,
    gone_in,
    next_plan_round,
    next_round_number,
    pairs_met,
    planned_tables,
    present_in,
    rounds_of_evening,
)
from tournaments.selectors.rounds.seating_changes import (
    SeatingChange,
    SeatingNow,
    limits_of,
    seating_now,
    way_rows,
    ways_of,
)
from tournaments.selectors.rounds.tables import decided_by_walk_over
from tournaments.selectors.seating_plans.current_stage import stage_to_plan


@dataclass(frozen=True, slots=True)
class PlannedSeating:
    """A round of a plan as it can be seated now; players are rows.

    Args:
        number: of the plan's round, from 1.
        evening: of the round within its evening, from 1.
        tables: as planned, `adjusted` without whoever left and with whoever came.
        gone: who is in the planned round and does not play in it.
        came: who is here and is not in the planned round.
    """

    number: int
    evening: int
    tables: tuple[tuple[int, ...], ...]
    sitting_out: tuple[int, ...]
    gone: tuple[int, ...]
    came: tuple[int, ...]
    adjusted: Arrangement


def planned_seating(plan: SeatingPlan, number: int, round_: Round | None = None) -> PlannedSeating:
    """Return round `number` of a plan as it is, and adjusted to who is here now.

    Args:
        round_: the round of the event that takes it, where it is made already.
    """
    meeting, planned = plan.meeting, plan.rounds[number - 1]
    evening = (
        evening_number(round_)
        if round_ is not None
        else Round.objects.filter(meeting=meeting).count() + 1
    )
    tables = planned_tables(planned)
    outside = tuple(planned["sitting_out"])
    inside = {player for table in tables for player in table} | set(outside)
    away, there = gone_in(meeting, evening), present_in(meeting, evening)
    gone = tuple(player for player in sorted(inside) if player in away)
    came = tuple(player for player in there if player not in inside)
    if came:
        stage = stage_to_plan(plan.event, plan.inputs.get("stage"))
        expected = expected_in(came, stage, plan, number)
        came = tuple(player for player in came if player in expected)
    made = tuple(
        SeatedTable(at, "", players, is_fixed=False) for at, players in enumerate(tables, start=1)
    )
    own = frozenset(frozenset((one, other)) for table in tables for one in table for other in table)
    met = pairs_met(meeting, plan, round_) - (own - pairs_met(meeting, None, round_))
    own_number = next_round_number(plan.event) if round_ is None else round_.number
    limits = limits_of(plan.event, own_number, made, plan, met)
    adjusted = least_disturbing(Arrangement(tables, outside), gone, came, limits)
    return PlannedSeating(number, evening, tables, outside, gone, came, adjusted)


REASONS: Final[Mapping[str, str | Promise]] = {
    "bye": gettext_lazy("sits out"),
    "late": gettext_lazy("late"),
    "left": gettext_lazy("left"),
    "rest": gettext_lazy("sits out"),
}


@dataclass(frozen=True, slots=True)
class SeatBox:
    """A seat to pick: `seat` is its name, `N` or `5`, empty on the waiting list."""

    player_id: str
    name: str
    seat: str
    note: str = ""
    is_picked: bool = False


@dataclass(frozen=True, slots=True)
class TableBox:
    """A table with its seats; a fixed one has hands, or ended by a walk-over."""

    number: int
    code: str
    seats: tuple[SeatBox, ...]
    is_fixed: bool
    is_walk_over: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What a change leads to: its ways, and how the form names it."""

    heading: str
    text: str
    about: str
    ways: Sequence[tuple[str, str, str, str]]
    """Digest, title, text and button of each, as `way_rows` returns them."""
    at_table: str = ""
    """Code of the table with hands that it is about, whose players are changed elsewhere."""
    seat: int = 0
    player: str = ""


@dataclass(frozen=True, slots=True)
class NextRound:
    """The round that the plan seats next: what changed since, and what is then different."""

    number: int
    plan_round: int
    changed: str
    """Who left and who came since, as sentences; empty where nobody did."""
    changes: tuple[str, ...]
    needs_plan: bool = False
    """Whether partners left, so that only a new plan can seat it."""


@dataclass(frozen=True, slots=True)
class PlannedRoundText:
    """A round that is planned, in one line."""

    number: int
    tables: str
    sitting_out: str


@dataclass(frozen=True, slots=True)
class SeatingPage:
    """Everything that the page shows; `round` is the one at hand, None before the first."""

    round: Round | None
    tables: tuple[TableBox, ...] = ()
    waiting: tuple[SeatBox, ...] = ()
    expected: tuple[str, ...] = ()
    tag: str = ""
    plan: SeatingPlan | None = None
    plan_differs: bool = False
    urgent: Choice | None = None
    picked: Choice | None = None
    next_round: NextRound | None = None
    later: tuple[PlannedRoundText, ...] = ()
    players: int = 0
    has_hands: bool = False
    is_complete: bool = False
    changeable: tuple[int, ...] = ()
    """Numbers of tables without hands."""
    formable: tuple[str, ...] = ()
    """Ids of waiting players who can have a new table."""


def round_at_hand(rounds: Sequence[Round]) -> Round | None:
    """Return the first round of an evening that is not closed, else its last one."""
    ordinary = [one for one in rounds if one.stage.kind != "playoff"]
    is_open = [one for one in ordinary if one.state != "closed"]
    return next(iter(is_open or ordinary[-1:]), None)


def seating_page(
    event: Event, meeting: Meeting, change: SeatingChange | None = None
) -> SeatingPage:
    """Return the page of an evening; queries do not grow with its players or tables.

    Args:
        event: as `event_at` returns it.
        change: what was picked.

    Raises:
        Refused: bad_seating_change.
    """
    plan = chosen_plan(meeting)
    round_ = round_at_hand(rounds_of_evening(meeting))
    if round_ is not None:
        round_.event = event
    people = _people(event, meeting, plan, round_)
    upcoming = None
    if plan is not None and (round_ is None or round_.state == "closed"):
        number = next_plan_round(plan)
        if number is not None:
            planned = planned_seating(plan, number)
            upcoming = _next_round(planned, people.names, next_round_number(event))
            if plan.movement in PARTNERSHIPS and planned.gone:
                upcoming = replace(upcoming, changes=(), needs_plan=True)
    if round_ is None:
        later = _later(plan, people.names, 1) if plan is not None else ()
        return SeatingPage(None, plan=plan, next_round=upcoming, later=later)
    now = seating_now(round_, plan)
    is_running = round_.state != "closed"
    return SeatingPage(
        round=round_,
        tables=_tables(now, people, change),
        waiting=_waiting(now, people, change) if is_running else (),
        expected=people.expected,
        tag=now.seating.tag,
        plan=plan,
        plan_differs=_plan_differs(plan, round_, now) if is_running else False,
        urgent=_urgent(now, people) if is_running else None,
        picked=_picked(now, change, people) if change is not None and is_running else None,
        next_round=upcoming,
        later=_later(plan, people.names, 1 if upcoming else 0) if plan is not None else (),
        players=len(now.seating.seated),
        has_hands=now.seating.has_hands,
        is_complete=now.seating.is_complete,
        formable=_formable(now, people) if is_running else (),
        changeable=tuple(table.number for table in now.seating.tables if not table.is_fixed),
    )


@dataclass(frozen=True, slots=True)
class _People:
    names: Mapping[int, str]
    ids: Mapping[int, str]
    arrived: Mapping[int, Attendance]
    expected: tuple[str, ...]


def _people(
    event: Event, meeting: Meeting, plan: SeatingPlan | None, round_: Round | None
) -> _People:
    rows = {row.player_id: row for row in Attendance.objects.filter(meeting=meeting)}
    wanted = set(rows)
    for planned in plan.rounds if plan is not None else ():
        wanted.update(player for table in planned_tables(planned) for player in table)
        wanted.update(planned["sitting_out"])
    found = Player.objects.filter(club_id=event.club_id, pk__in=wanted)
    if round_ is not None:
        found |= Player.objects.filter(
            club_id=event.club_id, entries_in_events__entrant__sit_outs__round=round_
        )
        found |= Player.objects.filter(club_id=event.club_id, sittings__round=round_)
    column = name_column(event)
    players = {player.pk: player for player in found.distinct()}
    names = {pk: name_of(player, column) for pk, player in players.items()}
    late = [pk for pk, row in rows.items() if row.state == AttendanceState.LATE]
    return _People(
        names,
        {pk: player.player_id for pk, player in players.items()},
        rows,
        tuple(sorted(names[pk] for pk in late if pk in names)),
    )


def _tables(now: SeatingNow, people: _People, change: SeatingChange | None) -> tuple[TableBox, ...]:
    picked = set(change.players) if change else set()
    left = set(now.left)
    walk_overs = decided_by_walk_over(now.round)
    return tuple(
        TableBox(
            table.number,
            table.code,
            tuple(
                SeatBox(
                    people.ids[player],
                    people.names[player],
                    seat,
                    str(REASONS["left"]) if player in left else "",
                    player in picked,
                )
                for player, seat in zip(table.players, seat_names(len(table.players)), strict=True)
            ),
            table.is_fixed,
            table.code in walk_overs,
        )
        for table in now.seating.tables
    )


def _waiting(now: SeatingNow, people: _People, change: SeatingChange | None) -> tuple[SeatBox, ...]:
    picked = set(change.players) if change else set()
    return tuple(
        SeatBox(
            people.ids[player],
            people.names[player],
            "",
            str(REASONS.get(now.seating.sit_outs.get(player, ""), _("no seat yet"))),
            player in picked,
        )
        for player in now.arrangement.waiting
    )


def _formable(now: SeatingNow, people: _People) -> tuple[str, ...]:
    return tuple(people.ids[player] for player in table_to_form(now.arrangement, now.limits))


def _urgent(now: SeatingNow, people: _People) -> Choice | None:
    """What must be done before the round is posted, or goes on."""
    number = now.round.number
    if now.left:
        player = now.left[0]
        names = {"who": people.names[player], "number": number}
        heading = _("Give away the seat of %(who)s in round %(number)s") % names
        return _choice(now, SeatingChange("leave", (player,)), people, heading, _("Left."))
    if now.unplaced:
        player = now.unplaced[0]
        names = {"who": people.names[player], "number": number}
        heading = _("Seat %(who)s in round %(number)s") % names
        text = _("%(who)s is here and has no seat.") % names
        return _choice(now, SeatingChange("seat", (player,)), people, heading, text)
    return None


def _picked(now: SeatingNow, change: SeatingChange, people: _People) -> Choice:
    ways_of(now, change)  # refuses whom the round does not have
    named = [people.names[player] for player in change.players]
    if change.kind == "close":
        heading = _("Remove table %(number)s?") % {"number": change.table}
    elif change.kind == "swap":
        heading = _("%(one)s and %(other)s picked.") % {"one": named[0], "other": named[1]}
    elif change.kind == "form":
        heading = _("%(who)s picked.") % {"who": get_text_list(named, _("and"))}
    else:
        heading = _("%(who)s picked.") % {"who": named[0]}
    return _choice(now, change, people, heading, "")


def _choice(
    now: SeatingNow, change: SeatingChange, people: _People, heading: str, text: str
) -> Choice:
    ways = way_rows(now, change, ways_of(now, change), people.names)
    about = about_text(change, people.ids)
    for table in now.seating.tables:
        here = [player for player in change.players if player in table.players]
        if table.is_fixed and here:
            others = [player for player in change.players if player != here[0]]
            return Choice(
                heading, text, about, (), table.code, table.players.index(here[0]) + 1,
                f"{people.names[others[0]]} ({people.ids[others[0]]})" if others else "",
            )  # fmt: skip
    return Choice(heading, text, about, ways)


def about_text(change: SeatingChange, ids: Mapping[int, str]) -> str:
    """Return a change as forms carry it: `swap:RL03,RL11`, `close:2`.

    >>> about_text(SeatingChange("swap", (5, 7)), {5: "RL03", 7: "RL11"})
    'swap:RL03,RL11'
    """
    what = (
        str(change.table)
        if change.kind == "close"
        else ",".join(ids[player] for player in change.players)
    )
    return f"{change.kind}:{what}"


def _next_round(planned: PlannedSeating, names: Mapping[int, str], number: int) -> NextRound:
    """Return what seating the next round of the plan means now."""
    was = {player: at for at, table in enumerate(planned.tables, 1) for player in table}
    then = {player: at for at, table in enumerate(planned.adjusted.tables, 1) for player in table}
    changes = []
    changed = []
    if planned.gone:
        text = _("Not there: %(names)s.")
        changed.append(text % {"names": ", ".join(names[one] for one in planned.gone)})
    if planned.came:
        text = _("Here and not in the plan: %(names)s.")
        changed.append(text % {"names": ", ".join(names[one] for one in planned.came)})
    for player in (*then, *planned.adjusted.waiting):
        if then.get(player) == was.get(player):
            if player not in planned.came:
                continue
            changes.append(_("%(who)s waits.") % {"who": names[player]})
        elif player in then:
            text = _("%(who)s: table %(number)s.")
            changes.append(text % {"who": names[player], "number": then[player]})
        else:
            changes.append(_("%(who)s waits.") % {"who": names[player]})
    return NextRound(
        number,
        planned.number,
        " ".join(map(one_stop, changed)),
        tuple(map(one_stop, changes)),
    )


def _later(
    plan: SeatingPlan, names: Mapping[int, str], skipped: int
) -> tuple[PlannedRoundText, ...]:
    first, begin = next_plan_round(plan), next_round_number(plan.event)
    if first is None:
        return ()
    return tuple(
        PlannedRoundText(
            number,
            " · ".join(
                ", ".join(names.get(player, "?") for player in table)
                for table in planned_tables(planned)
            ),
            ", ".join(names.get(player, "?") for player in planned["sitting_out"]),
        )
        for number, planned in enumerate(plan.rounds[first - 1 :], start=begin)
    )[skipped:]


def _plan_differs(plan: SeatingPlan | None, round_: Round, now: SeatingNow) -> bool:
    """Whether another plan was chosen than the one that a round without hands was seated from."""
    return (
        plan is not None
        and plan.pk != round_.plan_id
        and not now.seating.has_hands
        and next_plan_round(plan) is not None
    )
