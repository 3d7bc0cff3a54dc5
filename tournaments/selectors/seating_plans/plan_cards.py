"""The plans of an evening side by side: what a director compares, in words. For directors only."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.utils.functional import Promise
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.entry.sheet import seat_names
from scoring.errors import Problem, one_stop
from scoring.seating.cost import least_repeats
from tournaments.domain.event_settings import settings_of
from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import (
    KNOCKOUT,
    LADDER,
    LETTERS,
    MOVING,
    OPEN,
    PARTNERSHIPS,
    SWISS,
    PlanState,
    SeatingPlan,
)
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.rounds.round_progress import minutes_a_round
from tournaments.selectors.seating_plans.people_here import planned_players
from tournaments.selectors.seating_plans.plan_facts import (
    USUAL_TABLE_SIZE,
    PlanFact,
    moving_facts,
    moving_title,
    odd_units_line,
    partnership_facts,
    partnership_title,
    plan_line,
    size_in_words,
    uneven_shares_of,
)
from tournaments.selectors.seating_plans.plans import (
    EveningNow,
    PlanChanges,
    RoundOfPlan,
    named_problems,
    players_named,
    rounds_of_plan,
)
from tournaments.selectors.seating_plans.swiss_facts import (
    TableReasons,
    UnitNames,
    reasons_of_plan,
    round_by_round_facts,
    round_by_round_title,
    unit_names,
)

MOST_NAMED: Final = 6
"""So many people are named who sit out; more are counted."""


_BYES: Final[Mapping[str, str | Promise]] = {
    "none": gettext_lazy("A sit-out scores nothing."),
    "scheme_mean": gettext_lazy("A sit-out scores the mean of the place points."),
    "own_mean": gettext_lazy("A sit-out scores the player's own mean."),
}


@dataclass(frozen=True, slots=True)
class PlanTable:
    """A table of a planned round: its number, and each seat with a name."""

    number: int
    seats: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PlannedTables:
    """A planned round by its number in the evening."""

    number: int
    tables: tuple[PlanTable, ...]
    sitting_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlanCard:
    """A plan as a director sees it; without rounds while it is computed, or where none was found.

    `anyway` says that people came since whom the plan does not have; it can be chosen all the same.
    """

    plan: SeatingPlan
    letter: str
    title: str
    text: str
    facts: tuple[PlanFact, ...]
    rounds: tuple[PlannedTables, ...]
    problem: str
    is_best: bool
    outdated: str
    anyway: bool
    reasons: tuple[TableReasons, ...] = ()
    uneven: tuple[str, ...] = ()

    @property
    def is_chosen(self) -> bool:
        """Whether the evening is played by it."""
        return bool(self.plan.state == PlanState.CHOSEN)

    @property
    def is_waiting(self) -> bool:
        """Whether it is being computed."""
        return not self.plan.is_ready and not self.problem


def plan_cards(
    event: Event,
    meeting: Meeting,
    plans: Sequence[SeatingPlan],
    evening: EveningNow,
    *,
    now: datetime,
) -> tuple[PlanCard, ...]:
    """Return plans as cards in their order; a constant number of queries.

    Plans with the same rounds are one card: the chosen one's, else the first one's.
    """
    plans = _different(plans)
    names = {pk: one.name for pk, one in planned_players(event, players_named(plans)).items()}
    shown = unit_names(event, plans, names, FULL_NAME)
    ends = PlanEnds(event, meeting, now)
    best = _best(plans)
    return tuple(
        _card(event, plan, letter, shown, ends, evening, is_best=plan.pk == best)
        for letter, plan in zip(_letters(plans), plans, strict=True)
    )


def _different(plans: Sequence[SeatingPlan]) -> Sequence[SeatingPlan]:
    """Return the plans but those with the rounds of another one; open and waiting ones are all."""
    found: list[SeatingPlan] = []
    for plan in sorted(plans, key=lambda one: one.state != PlanState.CHOSEN):
        if not plan.rounds or all(_seats(plan) != _seats(other) for other in found):
            found.append(plan)
    return [plan for plan in plans if plan in found]


def _seats(plan: SeatingPlan) -> tuple[object, object]:
    return plan.inputs.get("first_round"), plan.rounds


def _letters(plans: Sequence[SeatingPlan]) -> Iterator[str]:
    """Yield the letters of plans: those that they were made with, else the next ones."""
    used = {plan.inputs.get("letter") for plan in plans}
    spare = (letter for letter in LETTERS if letter not in used)
    for plan in plans:
        yield plan.inputs.get("letter") or next(spare)


def _best(plans: Sequence[SeatingPlan]) -> int | None:
    """Return the plan with the fewest repeats, the first of equals; None where nothing differs.

    None too where more people sit out in it than in another plan. Only plans of the same rounds as
    the newest one are compared; partners repeat in all of theirs.
    """
    rounds = [(plan.inputs.get("first_round"), plan.round_count, plan.movement) for plan in plans]
    same = [plan for plan, of_plan in zip(plans, rounds, strict=True) if of_plan == rounds[0]]
    ready = [plan for plan in same if plan.rounds and plan.movement not in PARTNERSHIPS]
    if len({plan.cost["repeats"] for plan in ready}) < 2:
        return None
    best = min(ready, key=lambda plan: (plan.cost["repeats"], plan.cost["sit_outs"]))
    fewest = min(plan.cost["sit_outs"] for plan in ready)
    return best.pk if best.cost["sit_outs"] == fewest else None


def _card(
    event: Event,
    plan: SeatingPlan,
    letter: str,
    shown: UnitNames,
    ends: "PlanEnds",
    evening: EveningNow,
    *,
    is_best: bool,
) -> PlanCard:
    names = shown.players
    changes = evening.changes(plan, names)
    if plan.state == PlanState.CHOSEN:
        changes = PlanChanges(rescored=changes.rescored)
    rounds = rounds_of_plan(plan)
    return PlanCard(
        plan=plan,
        letter=letter,
        title=plan_title(plan, rounds),
        text=_line(plan, rounds),
        facts=tuple(_facts(event, plan, rounds, shown, ends)) if rounds else (),
        rounds=tuple(_tables(one, names) for one in rounds),
        problem=problem_of(event, plan),
        is_best=is_best,
        outdated=outdated_text(changes),
        anyway=not changes.is_outdated and bool(changes.came),
        reasons=reasons_of_plan(plan, shown),
        uneven=tuple(share["text"] for share in uneven_shares_of(plan, names)),
    )


def problem_of(event: Event, plan: SeatingPlan) -> str:
    """Return why no plan was found; "" where one was, or is being computed."""
    if not plan.problem:
        return ""
    stored: Mapping[str, Any] = plan.problem
    (named,) = named_problems(event.club, [Problem(stored["code"], (), stored["facts"])])
    return sentence(named)


def outdated_text(changes: PlanChanges) -> str:
    """Return what happened since a plan was made; "" where nothing did."""
    found = []
    if changes.seated:
        text = ngettext(
            "%(n)s round was posted since.", "%(n)s rounds were posted since.", changes.seated
        )
        found.append(text % {"n": changes.seated})
    if changes.rescored:
        found.append(_("The standings changed since."))
    if changes.regrouped:
        found.append(_("In another pair or team now: %(names)s.") % _named(changes.regrouped))
    if changes.left:
        found.append(_("Cannot play all rounds any more: %(names)s.") % _named(changes.left))
    if changes.came:
        found.append(_("Here and not in this plan: %(names)s.") % _named(changes.came))
    return " ".join(map(one_stop, found))


def _named(names: Sequence[str]) -> Mapping[str, str]:
    shown = ", ".join(names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    if more > 0:
        shown = _("%(names)s and %(n)s more") % {"names": shown, "n": more}
    return {"names": shown}


def plan_title(plan: SeatingPlan, rounds: Sequence[RoundOfPlan]) -> str:
    """Return what kind of plan it is: the sizes of its tables, and how they are formed."""
    if plan.movement == OPEN:
        return _("open night")
    if plan.movement in PARTNERSHIPS:
        return partnership_title(plan)
    if plan.movement == MOVING:
        return moving_title(plan)
    if plan.movement in (SWISS, KNOCKOUT):
        return round_by_round_title(plan, _sizes_title(plan, rounds))
    if plan.movement == LADDER:
        return _("ladder night, %(sizes)s") % {"sizes": _sizes_title(plan, rounds)}
    return _sizes_title(plan, rounds)


def _sizes_title(plan: SeatingPlan, rounds: Sequence[RoundOfPlan]) -> str:
    sizes = {len(table) for one in rounds for table in one.tables} or set(plan.inputs["sizes"])
    in_order = sorted(sizes, key=lambda size: (size != USUAL_TABLE_SIZE, size))
    words = [size_in_words(size) for size in in_order]
    if len(words) == 1:
        if rounds and all(len(one.tables) == 1 for one in rounds):
            return _("one table of %(size)s") % {"size": words[0]}
        return _("tables of %(size)s only") % {"size": words[0]}
    first, last = ", ".join(words[:-1]), words[-1]
    return _("tables of %(sizes)s and %(last)s") % {"sizes": first, "last": last}


def _line(plan: SeatingPlan, rounds: Sequence[RoundOfPlan]) -> str:
    """Return in a line how the tables of a plan are formed."""
    if plan.movement == OPEN:
        return _open_line(plan)
    if plan.movement in PARTNERSHIPS and rounds:
        return f"{plan_line(rounds)} {odd_units_line(plan)}".strip()
    return plan_line(rounds)


def _open_line(plan: SeatingPlan) -> str:
    """Return in a line how the tables of an open night form."""
    sizes = get_text_list([size_in_words(size) for size in sorted(plan.inputs["sizes"])], _("or"))
    text = _(
        "Tables of %(sizes)s form during the evening from the players who are free, with few "
        "repeats. Players at other tables go on."
    )
    return text % {"sizes": sizes}


class PlanEnds:
    """When a plan of so many rounds ends, from now or from the time of the meeting."""

    def __init__(self, event: Event, meeting: Meeting, now: datetime) -> None:
        self.minutes = minutes_a_round(event)
        zone = ZoneInfo(event.club.time_zone)
        local = now.astimezone(zone)
        self.start: datetime | None = local if local.date() == meeting.date else None
        if meeting.time is not None:
            begins = datetime.combine(meeting.date, meeting.time, zone)
            self.start = begins if self.start is None else max(self.start, begins)

    def at(self, rounds: int) -> datetime | None:
        """Return when so many rounds are over; None where their start is not known."""
        whole = timedelta(minutes=self.minutes * rounds)
        return None if self.start is None else (self.start + whole).astimezone(UTC)

    def fact(self, rounds: int) -> PlanFact:
        """Return the end of so many rounds, or how long they take, in words."""
        minutes = ngettext("%(n)s minute a round", "%(n)s minutes a round", self.minutes)
        text = minutes % {"n": self.minutes}
        whole = timedelta(minutes=self.minutes * rounds)
        if self.start is None:
            hours, rest = divmod(self.minutes * rounds, 60)
            value = _("%(h)s h %(m)02d min") % {"h": hours, "m": rest}
            return PlanFact(_("Takes about"), value, text)
        return PlanFact(_("Ends about"), f"{self.start + whole:%H:%M}", text)


def _facts(
    event: Event,
    plan: SeatingPlan,
    rounds: Sequence[RoundOfPlan],
    shown: UnitNames,
    ends: PlanEnds,
) -> Sequence[PlanFact]:
    names = shown.players
    if plan.movement in PARTNERSHIPS and not plan.is_swiss:
        plan_facts = partnership_facts(plan, rounds)
        return (*plan_facts, _sit_out(event, rounds, names), ends.fact(len(rounds)))
    if plan.movement == MOVING:
        return (*moving_facts(plan), ends.fact(len(rounds)))
    if plan.is_swiss or plan.movement == KNOCKOUT:
        own = round_by_round_facts(plan, shown)
        return (*own, _sit_out(event, rounds, names), ends.fact(len(rounds)))
    return (
        _meet_again(plan, rounds),
        _sit_out(event, rounds, names),
        _other_tables(plan, rounds),
        ends.fact(len(rounds)),
    )


def _meet_again(plan: SeatingPlan, rounds: Sequence[RoundOfPlan]) -> PlanFact:
    repeats = int(plan.cost["repeats"])
    people = len(plan.inputs["present"])
    least = least_repeats(people, [len(table) for one in rounds for table in one.tables])
    if not repeats:
        text = _("No pair shares a table twice.")
    elif least >= repeats:
        text = _("Fewer are not possible.")
    elif least:
        text = _("At least %(n)s in any plan.") % {"n": least}
    else:
        most = int(plan.cost["max_meet"])
        text = _("No pair shares a table more than %(n)s times.") % {"n": most}
    if known := int(plan.cost["known_pairs"]):
        met = ngettext(
            "%(n)s pair met earlier in this event.", "%(n)s pairs met earlier in this event.", known
        )
        text = f"{text} {met % {'n': known}}"
    return PlanFact(_("Meet again"), str(repeats), text)


def _sit_out(event: Event, rounds: Sequence[RoundOfPlan], names: Mapping[int, str]) -> PlanFact:
    times = Counter(player for one in rounds for player in one.sitting_out)
    if not times:
        return PlanFact(_("Sit out"), "0", _("Everybody plays in each round."))
    a_round = sorted({len(one.sitting_out) for one in rounds})
    value = str(a_round[0]) if len(a_round) == 1 else f"{a_round[0]}–{a_round[-1]}"
    text = who_sits_out(times, names)
    bye = str(_BYES.get(settings_of(event).bye_award, ""))
    return PlanFact(_("Sit out"), _("%(n)s a round") % {"n": value}, f"{text} {bye}".strip())


def who_sits_out(times: Mapping[int, int], names: Mapping[int, str]) -> str:
    """Return who sits out how often: names, or where they are many, how many."""
    if len(times) <= MOST_NAMED:
        said = [
            names.get(player, "?") if n == 1 else f"{names.get(player, '?')} ({n}×)"
            for player, n in sorted(times.items(), key=lambda one: names.get(one[0], "?"))
        ]
        return one_stop(", ".join(said) + ".")
    least, most = min(times.values()), max(times.values())
    often = str(least) if least == most else f"{least}–{most}"
    if least == most == 1:
        return _("%(n)s players, once each.") % {"n": len(times)}
    return _("%(n)s players, %(times)s times each.") % {"n": len(times), "times": often}


def _other_tables(plan: SeatingPlan, rounds: Sequence[RoundOfPlan]) -> PlanFact:
    """Return how many tables do not have the usual size, and how often a player is at one."""
    sizes = Counter(len(table) for one in rounds for table in one.tables)
    others = sorted(size for size in sizes if size != USUAL_TABLE_SIZE)
    if not others:
        return PlanFact(_("Other tables"), "0", _("Every table has four players."))
    name = (
        _("Tables of %(size)s") % {"size": size_in_words(others[0])}
        if len(others) == 1
        else _("Other tables")
    )
    counts = sorted({sum(len(t) != USUAL_TABLE_SIZE for t in one.tables) for one in rounds})
    value = str(counts[0]) if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"
    times = Counter(
        player
        for one in rounds
        for table in one.tables
        if len(table) != USUAL_TABLE_SIZE
        for player in table
    )
    often = [times[player] for player in plan.inputs["present"]]
    text = _("Each player %(least)s to %(most)s times.") % {
        "least": min(often),
        "most": max(often),
    }
    if min(often) == max(often):
        text = ngettext("Each player once.", "Each player %(n)s times.", min(often)) % {
            "n": min(often)
        }
    elif max(often) - min(often) > 1 and plan.cost["small_table_spread"] < 2:
        text = f"{text} {_('In the whole event, two players differ by one at most.')}"
    return PlanFact(name, _("%(n)s a round") % {"n": value}, text)


def _tables(planned_round: RoundOfPlan, names: Mapping[int, str]) -> PlannedTables:
    return PlannedTables(
        planned_round.of_evening,
        tuple(
            PlanTable(
                number,
                tuple(
                    zip(
                        seat_names(len(table)),
                        (names.get(player, "?") for player in table),
                        strict=True,
                    )
                ),
            )
            for number, table in enumerate(planned_round.tables, 1)
        ),
        tuple(sorted(names.get(player, "?") for player in planned_round.sitting_out)),
    )
