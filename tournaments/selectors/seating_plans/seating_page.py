"""The page on which the rounds of an evening are seated."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product
from typing import TypeAlias

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.entry.sheet import seat_names
from scoring.errors import one_stop
from scoring.json_types import JsonDict
from scoring.seating.arrangements import Arrangement
from scoring.seating.changes import (
    Comparisons,
    least_disturbing,
    least_disturbing_units,
)
from tournaments.domain.stage_plan import plays_opposite
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantKind, EntrantMember, Event
from tournaments.models.rounds import (
    SIT_OUTS,
    Attendance,
    AttendanceState,
    Meeting,
    Round,
    SitOutReason,
)
from tournaments.models.seating_plans import PAIRS, PARTNERSHIPS, TEAMS, SeatingPlan
from tournaments.selectors.clubs.names import name_column, name_of
from tournaments.selectors.rounds.rematches import EventMeetings
from tournaments.selectors.rounds.round_seating import (
    SeatedTable,
    chosen_plan,
    evening_number,
    expected_in,
    list_absent,
    list_present,
    next_plan_round,
    next_round_number,
    pairs_met,
    planned_tables,
    rounds_of_evening,
    snapshot_for,
)
from tournaments.selectors.rounds.seating_change_text import way_rows
from tournaments.selectors.rounds.seating_changes import (
    ChangeKind,
    SeatingChange,
    SeatingNow,
    limits_of,
    ways_of,
    why_no_way,
)
from tournaments.selectors.rounds.tables import decided_by_walk_over, side_shape
from tournaments.selectors.rules.rule_sets import rules_of, rules_of_event
from tournaments.selectors.seating_plans.current_stage import stage_to_plan
from tournaments.selectors.seating_plans.people_here import (
    Partnerless,
    find_partnerless,
    people_here,
    units_here,
)


def gone_from(plan: SeatingPlan, number: int, evening: int = 0) -> tuple[int, ...]:
    """Return the players of a planned round who do not play in it, as rows.

    Args:
        evening: of the round within its evening, from 1; by default the next one.
    """
    if not evening:
        evening = Round.objects.filter(meeting=plan.meeting_id).count() + 1
    planned = plan.rounds[number - 1]
    inside = {player for table in planned_tables(planned) for player in table}
    away = list_absent(plan.meeting, evening)
    return tuple(player for player in sorted(inside | {*planned["sitting_out"]}) if player in away)


class PlannedSeating:
    """Round `number` of a plan as it is, and adjusted to who is here now; players are rows.

    Attributes:
        number: of the plan's round, from 1.
        evening: of the round within its evening, from 1.
        tables: as planned; `adjusted`: without `gone` and with `came`.
        gone: players of the planned round who do not play in it.
        came: players present who are not in the planned round.
        alone: of those who came to a round of pairs, who has no partner here.
        rematches: tables of `adjusted`, not planned, of pairs who have met before.
        is_partial: `adjusted` is the best of some choices of players, not of all.
    """

    def __init__(self, plan: SeatingPlan, number: int, round_: Round | None = None) -> None:
        meeting = plan.meeting
        planned = plan.rounds[number - 1]
        if round_ is None:
            evening = Round.objects.filter(meeting=meeting).count() + 1
            event_round = next_round_number(plan.event)
        else:
            evening = evening_number(round_)
            event_round = round_.number
        tables = planned_tables(planned)
        outside = tuple(planned["sitting_out"])
        inside = {player for table in tables for player in table} | set(outside)
        gone = gone_from(plan, number, evening)
        came = tuple(player for player in list_present(meeting, evening) if player not in inside)
        if came:
            stage = stage_to_plan(plan.event, plan.inputs.get("stage"))
            expected = expected_in(came, stage, plan, number)
            came = tuple(player for player in came if player in expected)
        seated = tuple(
            SeatedTable(at, "", players, is_fixed=False)
            for at, players in enumerate(tables, start=1)
        )
        pairs = {frozenset(pair) for table in tables for pair in product(table, repeat=2)}
        met = pairs_met(meeting, plan, round_) - (pairs - pairs_met(meeting, None, round_))
        limits = limits_of(plan.event, event_round, seated, plan, met)
        self.number, self.evening, self.tables, self.sitting_out = number, evening, tables, outside
        self.plan, self.gone, self.came = plan, gone, came
        tried = Comparisons()
        planned_seats = Arrangement(tables, outside)
        sides = side_shape(rules_of(snapshot_for(plan.event, event_round)), len(tables[0]))
        units = _pairs_of(plan, came) if plan.movement == PAIRS and sides and came else ()
        self.alone = tuple(player for player in came if units and player not in chain(*units))
        if units:
            self.adjusted = least_disturbing_units(
                planned_seats, units, gone, came, sides, limits, tried
            )
        elif plan.movement == TEAMS:  # a match has its tables: who comes waits
            self.adjusted = Arrangement(tables, (*outside, *came))
        else:
            self.adjusted = least_disturbing(planned_seats, gone, came, limits, tried)
        self.is_partial = tried.cut
        new = [table for table in self.adjusted.tables if table not in tables]
        self.rematches = _rematches(plan.event, new, round_) if units else ()


def _pairs_of(plan: SeatingPlan, came: Sequence[int]) -> Sequence[tuple[int, ...]]:
    """Return the pairs of a plan, and those of newcomers who are all here."""
    units = [tuple(unit) for unit in plan.inputs["units"]]
    members: dict[int, list[int]] = {}
    rows = EntrantMember.objects.filter(event=plan.event, entrant__kind=EntrantKind.PAIR)
    for entrant, player in rows.order_by("pk").values_list("entrant_id", "player_id"):
        members.setdefault(entrant, []).append(player)
    return [
        *units,
        *(tuple(pair) for pair in members.values() if len(pair) > 1 and {*pair} <= {*came}),
    ]


def _rematches(
    event: Event, tables: Sequence[Sequence[int]], but: Round | None
) -> tuple[Sequence[int], ...]:
    """Return the tables at which two pairs meet who have met in the event before."""
    meetings = EventMeetings(event, but)
    return tuple(players for players in tables if meetings.rematches([players]))


SeatBox: TypeAlias = tuple[str, str, str, str, bool, str]
"""A seat to pick: the player's id and name, the seat, as `N` or `5`, a note, whether it is picked.

The seat is empty for a player who sits out. The last one is the id of the first player of a pair or
team who moves as one, else empty.
"""


def _get_players(
    event: Event, attending: Iterable[int], plan: SeatingPlan | None, round_: Round | None
) -> Mapping[int, Player]:
    rows = set(attending)
    for planned in plan.rounds if plan is not None else ():
        rows.update(player for table in planned_tables(planned) for player in table)
        rows.update(planned["sitting_out"])
    of_club = Player.objects.filter(club_id=event.club_id)
    players = of_club.filter(pk__in=rows)
    if round_ is not None:
        players |= of_club.filter(entries_in_events__entrant__sit_outs__round=round_)
        players |= of_club.filter(sittings__round=round_)
    return {player.pk: player for player in players.distinct()}


class SeatingPage:
    """The page of a round of an evening, else of its current one, with a picked change.

    `round` is the first one that is not closed, else the last one, None before the first.
    `tables` are (table, its seats, whether a walk-over decided it); `later` are planned rounds as
    (number, tables, who sits out); `formable` are ids of waiting players who can have a new table;
    `unseated` of those who are here and neither have a seat nor sit out, with commas between;
    `not_checked_in` are names of those whom the next round of the plan seats and who are expected
    only; `alone` are those who wait without a partner where pairs play, after a closed round those
    whom the next one would have no partner for;
    `changeable` are numbers of tables without hands; `has_seat_to_give`: a player who left has one,
    which `urgent` gives away; `form_is_partial`: not every choice of
    players for a new table was tried.
    """

    def __init__(
        self,
        plan: SeatingPlan | None,
        round_: Round | None,
        names: Mapping[int, str],
        ids: Mapping[int, str],
    ) -> None:
        self.plan, self.round, self.names, self.ids = plan, round_, names, ids
        self.next_round: JsonDict | None = None
        self.later: list[tuple[int, str, str]] = []
        self.expected: list[str] = []
        self.not_checked_in: list[str] = []
        self.tables: list[tuple[SeatedTable, list[SeatBox], bool]] = []
        self.waiting: list[SeatBox] = []
        self.changeable: list[int] = []
        self.alone = Partnerless()
        self.formable: list[str] = []
        self.unseated = self.tag = ""
        self.plan_differs = self.form_is_partial = self.has_seat_to_give = False
        self.urgent: JsonDict | None = None
        self.picked: JsonDict | None = None

    def show_plan(self, plan: SeatingPlan) -> None:
        is_over = self.round is None or self.round.state == "closed"
        if is_over and (number := next_plan_round(plan)) is not None:
            self.next_round = self._next_round(plan, PlannedSeating(plan, number))
        self.later = self._later(plan)[bool(self.next_round or self.round is None) :]

    def show_round(self, now: SeatingNow, change: SeatingChange | None) -> None:
        names = self.names
        seating = now.seating
        whole = now.with_whole_sides(change) if change is not None else None
        picked = whole.players if whole is not None else ()
        notes = dict.fromkeys(now.left, str(SIT_OUTS[SitOutReason.LEFT]))
        walk_overs = decided_by_walk_over(now.round)
        for table in seating.tables:
            boxes = [
                self._seat_box(now, player, seat, notes.get(player, ""), is_picked=player in picked)
                for player, seat in zip(table.players, seat_names(len(table.players)), strict=True)
            ]
            self.tables.append((table, boxes, table.code in walk_overs))
        self.tag = seating.tag
        self.changeable = [table.number for table in seating.unplayed]
        if now.round.state == "closed":
            return
        self.urgent, tried = self._urgent(now), Comparisons()
        self.has_seat_to_give = bool(now.left)
        formable = now.table_to_form(tried)
        self.formable = [self.ids[player] for player in formable]
        self.form_is_partial = tried.cut
        for player in now.arrangement.waiting:
            reason = seating.sit_outs.get(player, "")
            note = str(SIT_OUTS.get(reason, _("no seat yet")))
            if reason == SitOutReason.LEFT and now.sides and now.side_of(player) == (player,):
                note = _("partner left")
            box = self._seat_box(now, player, "", note, is_picked=player in picked)
            self.waiting.append(box)
        if now.sides:
            alone = [player for player in now.arrangement.waiting if player not in now.group_of]
            people = [(player, self.ids[player], names[player]) for player in alone]
            self.alone = find_partnerless(now.round.event, people)
        self.unseated = ",".join(self.ids[player] for player in now.unplaced)
        plan = self.plan
        self.plan_differs = (
            plan is not None
            and plan.pk != now.round.plan_id
            and not seating.has_hands
            and next_plan_round(plan) is not None
        )
        if whole is not None:
            self.picked = self._choice(now, whole, self._picked_heading(now, whole))

    def _seat_box(
        self, now: SeatingNow, player: int, seat: str, note: str, *, is_picked: bool
    ) -> SeatBox:
        side = now.side_of(player)
        key = self.ids[side[0]] if len(side) > 1 else ""
        return self.ids[player], self.names[player], seat, note, is_picked, key

    def _urgent(self, now: SeatingNow) -> JsonDict | None:
        player = next(iter((*now.left, *now.unplaced)), None)
        if player is None:
            return None
        kind: ChangeKind = "leave" if now.left else "seat"
        change = now.with_whole_sides(SeatingChange(kind, (player,)))
        facts = {"who": now.name_of(change.players, self.names), "number": now.round.number}
        if now.left:
            heading = _("Give away the seat of %(who)s in round %(number)s") % facts
            text = _("Left.")
            if len(change.players) > 1:
                text = _("%(who)s left.") % {"who": self.names[player]}
            return self._choice(now, change, heading, text)
        heading = _("Seat %(who)s in round %(number)s") % facts
        text = ngettext(
            "%(who)s is here and has no seat.",
            "%(who)s are here and have no seats.",
            len(change.players),
        )
        return self._choice(now, change, heading, text % facts)

    def _picked_heading(self, now: SeatingNow, change: SeatingChange) -> str:
        ways_of(now, change)  # refuses players who are not in the round
        sides = dict.fromkeys(map(now.side_of, change.players))
        players = [now.name_of(side, self.names) for side in sides]
        if change.kind == "close":
            return _("Remove table %(number)s?") % {"number": change.table}
        if len(players) == 2:
            return _("%(one)s and %(other)s picked.") % {"one": players[0], "other": players[1]}
        return _("%(who)s picked.") % {"who": get_text_list(players, _("and"))}

    def _choice(
        self, now: SeatingNow, change: SeatingChange, heading: str, text: str = ""
    ) -> JsonDict:
        """Return a change with its ways, as `way_rows` returns them, or why it has none.

        `is_partial`: not every choice of players was compared. `at_table` is the code of the table
        with hands that it is about, whose players are changed elsewhere, with seat, act and player.
        """
        tried = Comparisons()
        ways = way_rows(now, change, ways_of(now, change, tried), self.names)
        choice = {"heading": heading, "text": text, "about": about_text(change, self.ids)}
        for table in now.seating.tables:
            player = next((player for player in change.players if player in table.players), None)
            if table.is_fixed and player is not None:
                side = now.side_of(player)
                others = [other for other in change.players if other not in side]
                act = "substitute"
                name = ""
                if others:
                    act = "swap" if others[0] in now.seating.seated else "replace"
                    name = f"{self.names[others[0]]} ({self.ids[others[0]]})"
                return choice | {
                    "at_table": table.code,
                    "seat": table.players.index(player) + 1,
                    "act": act,
                    "player": name,
                }
        why = "" if ways else why_no_way(now, change)
        return choice | {"ways": ways, "is_partial": tried.cut, "why_none": why}

    def _next_round(self, plan: SeatingPlan, planned: PlannedSeating) -> JsonDict:
        """Return the consequences of seating the next round of the plan now.

        `changed`: who left or came since; `needs_plan`: partners left, so a new plan is needed.
        """
        names = self.names
        adjusted = planned.adjusted
        before = {player: at for at, table in enumerate(planned.tables, 1) for player in table}
        after = {player: at for at, table in enumerate(adjusted.tables, 1) for player in table}
        changed = []
        for text, players in (
            (_("Not there: %(names)s."), planned.gone),
            (_("Here and not in the plan: %(names)s."), planned.came),
        ):
            if players:
                changed.append(one_stop(text % {"names": ", ".join(names[pk] for pk in players)}))
        changes = []
        for player in (*after, *adjusted.waiting):
            if after.get(player) == before.get(player) and player not in planned.came:
                continue
            text = _("%(who)s: table %(number)s.") if player in after else _("%(who)s waits.")
            changes.append(one_stop(text % {"who": names[player], "number": after.get(player)}))
        needs_plan = plan.movement in PARTNERSHIPS and bool(planned.gone)
        return {
            "number": next_round_number(plan.event),
            "plan_round": planned.number,
            "changed": " ".join(changed),
            "sizes": ", ".join(str(len(table)) for table in adjusted.tables if table),
            "changes": [] if needs_plan else changes,
            "needs_plan": needs_plan,
            "is_partial": planned.is_partial,
        }

    def _later(self, plan: SeatingPlan) -> list[tuple[int, str, str]]:
        first = next_plan_round(plan)
        begin = next_round_number(plan.event)
        if first is None:
            return []

        def text(players: Iterable[int]) -> str:
            return ", ".join(self.names.get(player, "?") for player in players)

        return [
            (number, " · ".join(map(text, planned_tables(planned))), text(planned["sitting_out"]))
            for number, planned in enumerate(plan.rounds[first - 1 :], start=begin)
        ]


def seating_page(
    event: Event,
    meeting: Meeting,
    change: SeatingChange | None = None,
    round_: Round | None = None,
) -> SeatingPage:
    """Return the page of a round; the number of queries does not grow with players or tables."""
    plan = chosen_plan(meeting)
    if round_ is None:
        rounds = rounds_of_evening(meeting)
        open_rounds = [row for row in rounds if row.state != "closed"]
        round_ = next(iter(open_rounds or rounds[-1:]), None)
    if round_ is not None:
        round_.event = event
    attending = {row.player_id: row for row in Attendance.objects.filter(meeting=meeting)}
    players = _get_players(event, attending, plan, round_)
    column = name_column(event)
    names = {pk: name_of(player, column) for pk, player in players.items()}
    page = SeatingPage(plan, round_, names, {pk: row.player_id for pk, row in players.items()})
    page.expected = sorted(
        names[pk]
        for pk, row in attending.items()
        if row.state == AttendanceState.LATE and pk in names
    )
    if plan is not None:
        page.show_plan(plan)
        page.not_checked_in = _not_checked_in(plan, attending, names)
    if round_ is not None:
        page.show_round(SeatingNow(round_, plan), change)
        may_pair = plan is not None and plan.movement != TEAMS
        if may_pair and round_.state == "closed" and plays_opposite(rules_of_event(event)):
            units, alone = units_here(event, people_here(meeting))
            if units:
                people = [(person.pk, person.player_id, person.name) for person in alone]
                page.alone = find_partnerless(event, people)
    return page


def _not_checked_in(
    plan: SeatingPlan, attending: Mapping[int, Attendance], names: Mapping[int, str]
) -> list[str]:
    """Return the names of players whom the plan seats next and who are expected only."""
    number = next_plan_round(plan)
    if number is None:
        return []
    seated = chain(*planned_tables(plan.rounds[number - 1]))
    unknown = []
    for player in seated:
        row = attending.get(player)
        if player in names and (row is None or row.state == AttendanceState.EXPECTED):
            unknown.append(player)
    return sorted(names[player] for player in unknown)


def about_text(change: SeatingChange, ids: Mapping[int, str]) -> str:
    """Return a change as forms carry it: `swap:RL03,RL11`, `close:2`.

    >>> about_text(SeatingChange("swap", (5, 7)), {5: "RL03", 7: "RL11"})
    'swap:RL03,RL11'
    """
    players = ",".join(ids[player] for player in change.players)
    return f"{change.kind}:{change.table if change.kind == 'close' else players}"
