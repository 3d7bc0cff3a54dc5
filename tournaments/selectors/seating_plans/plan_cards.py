"""The plans of an evening side by side: what a director compares, in words. For directors only."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Final

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.entry.sheet import seat_names
from scoring.errors import Problem, one_stop
from scoring.json_types import JsonDict
from scoring.seating.brackets import USUAL_TABLE_SIZE
from scoring.seating.cost import least_repeats
from scoring.seating.movements.moving_boards import LINES
from scoring.seating.requests import PlannedRound
from tournaments.domain.event_settings import BYE_SENTENCES, settings_of
from tournaments.domain.messages import sentence
from tournaments.domain.name_matching import sort_key
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
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
from tournaments.selectors.seating_plans.people_here import (
    planned_players,
    seated_rounds_of_plan,
)
from tournaments.selectors.seating_plans.plan_facts import (
    TITLES,
    PlanFact,
    moving_facts,
    odd_units_line,
    partnership_facts,
    plan_line,
    repeated_pairs,
    size_in_words,
    uneven_shares_of,
)
from tournaments.selectors.seating_plans.plans import (
    EveningNow,
    PlanChanges,
    named_problems,
    players_named,
    rounds_of_plan,
)
from tournaments.selectors.seating_plans.swiss_facts import (
    UnitNames,
    reasons_of_plan,
    round_by_round_facts,
)

MOST_NAMED: Final = 6
"""Maximum number of named people who sit out; the others are counted."""


class PlanCard:
    """A plan as a director sees it; it has no rounds while it is computed, or if none was found.

    `rounds` are (number in the evening, names at each table by seat, names of who sits out); those
    `seated` already, by their number in the plan, are as their seats were changed since.
    `anyway`: people missing from the plan have arrived; it can still be chosen. `is_over`: it was
    chosen, and all its rounds are closed.
    """

    def __init__(
        self,
        event: Event,
        plan: SeatingPlan,
        letter: str,
        units: UnitNames,
        ends: "PlanEnds",
        evening: EveningNow,
        *,
        is_best: bool,
        seated: Mapping[int, PlannedRound],
    ) -> None:
        self.plan, self.letter, self.is_best = plan, letter, is_best
        self.is_over = evening.is_over(plan)
        names = units.players
        changes = evening.changes(plan, names)
        if plan.state == PlanState.CHOSEN:
            changes = PlanChanges(rescored=changes.rescored)
        rounds = rounds_of_plan(plan)
        self.title = _plan_title(plan, rounds)
        self.text = _line(plan, rounds)
        rounds = tuple(
            seated.get(number, planned) for number, planned in enumerate(rounds, start=1)
        )
        self.facts = _facts(event, plan, rounds, units, ends) if rounds else ()
        self.rounds = [
            (
                number,
                [
                    list(zip(seat_names(len(table)), _names_of(table, names), strict=True))
                    for table in planned.tables
                ],
                sorted(_names_of(planned.sitting_out, names), key=sort_key),
            )
            for number, planned in enumerate(rounds, int(plan.inputs.get("first_round", 1)))
        ]
        self.problem = sentence(stored_problem(event, plan.problem)) if plan.problem else ""
        self.outdated = _outdated_text(changes)
        self.anyway = not changes.is_outdated and bool(changes.came)
        self.reasons = reasons_of_plan(plan, units)
        self.uneven = [share["text"] for share in uneven_shares_of(plan, names)]

    @property
    def is_chosen(self) -> bool:
        return bool(self.plan.state == PlanState.CHOSEN and not self.is_over)

    @property
    def is_waiting(self) -> bool:
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
    chosen = next((plan for plan in plans if plan.state == PlanState.CHOSEN), None)
    seated = seated_rounds_of_plan(chosen) if chosen is not None else {}
    seated_players = {
        player for planned in seated.values() for table in planned.tables for player in table
    }
    resting = {player for planned in seated.values() for player in planned.sitting_out}
    players = planned_players(event, players_named(plans) | seated_players | resting)
    names = {pk: player.name for pk, player in players.items()}
    units = UnitNames(event, plans, names, FULL_NAME)
    ends = PlanEnds(event, meeting, now)
    best = find_best(plans)
    cards = tuple(
        PlanCard(
            event,
            plan,
            letter,
            units,
            ends,
            evening,
            is_best=plan.pk == best,
            seated=seated if plan is chosen else {},
        )
        for letter, plan in zip(_letters(plans), plans, strict=True)
    )
    _tell_apart([card for card in cards if not card.is_over])
    return cards


def _tell_apart(cards: Sequence["PlanCard"]) -> None:
    """Add to equal titles what tells most of their plans apart; their letters do it as well."""
    alike: dict[str, list[PlanCard]] = {}
    for card in cards:
        alike.setdefault(card.title, []).append(card)
    for title, same in alike.items():
        details = [[detail(card.plan) for card in same] for detail in DETAILS]
        best = max(details, key=lambda texts: len(set(texts)))
        if len(set(best)) < 2:
            continue
        for card, text in zip(same, best, strict=True):
            if text:
                card.title = _("%(title)s: %(detail)s") % {"title": title, "detail": text}


def _repeats_detail(plan: SeatingPlan) -> str:
    n = repeated_pairs(plan)
    if n is None:
        return ""
    return ngettext("%(n)s repeated pair", "%(n)s repeated pairs", n) % {"n": n}


def _rounds_detail(plan: SeatingPlan) -> str:
    n = plan.round_count
    first = int(plan.inputs.get("first_round", 1))
    if n == 1:
        return _("round %(number)s") % {"number": first}
    return _("rounds %(first)s to %(last)s") % {"first": first, "last": first + n - 1}


def _sit_outs_detail(plan: SeatingPlan) -> str:
    if not plan.cost:
        return ""
    n = int(plan.cost["sit_outs"])
    return ngettext("%(n)s sit-out", "%(n)s sit-outs", n) % {"n": n}


DETAILS: Final = (_repeats_detail, _rounds_detail, _sit_outs_detail)
"""What tells plans of equal titles apart; of details that do it equally, the first one is taken."""


def _different(plans: Sequence[SeatingPlan]) -> Sequence[SeatingPlan]:
    """Return the plans but those with the rounds of another one; open and waiting ones are all."""
    different: list[SeatingPlan] = []
    for plan in sorted(plans, key=lambda plan: plan.state != PlanState.CHOSEN):
        if not plan.rounds or all(_seats(plan) != _seats(other) for other in different):
            different.append(plan)
    return [plan for plan in plans if plan in different]


def _seats(plan: SeatingPlan) -> tuple[object, object]:
    return plan.inputs.get("first_round"), plan.rounds


def _letters(plans: Sequence[SeatingPlan]) -> Iterator[str]:
    letters = {plan.inputs.get("letter") for plan in plans}
    spare = (letter for letter in LETTERS if letter not in letters)
    for plan in plans:
        yield plan.inputs.get("letter") or next(spare)


def find_best(plans: Sequence[SeatingPlan]) -> int | None:
    """Return the plan with the fewest repeats, the first of equals; None where nothing differs.

    None too where more people sit out in it than in another plan. Only plans of the same rounds as
    the newest one are compared; partners repeat in all of theirs.
    """
    rounds = [(plan.inputs.get("first_round"), plan.round_count, plan.movement) for plan in plans]
    same = [plan for plan, of_plan in zip(plans, rounds, strict=True) if of_plan == rounds[0]]
    ready = [plan for plan in same if plan.rounds and plan.movement not in PARTNERSHIPS]
    if len({repeated_pairs(plan) for plan in ready}) < 2:
        return None
    best = min(ready, key=lambda plan: (repeated_pairs(plan) or 0, plan.cost["sit_outs"]))
    fewest = min(plan.cost["sit_outs"] for plan in ready)
    return best.pk if best.cost["sit_outs"] == fewest else None


def _names_of(players: Iterable[int], names: Mapping[int, str]) -> list[str]:
    return [names.get(player, "?") for player in players]


def stored_problem(event: Event, body: JsonDict) -> Problem:
    (problem,) = named_problems(event.club, [Problem(body["code"], (), body["facts"])])
    return problem


def _outdated_text(changes: PlanChanges) -> str:
    texts = []
    if changes.seated:
        text = ngettext(
            "%(n)s round was posted since.", "%(n)s rounds were posted since.", changes.seated
        )
        texts.append(text % {"n": changes.seated})
    if changes.rescored:
        texts.append(_("The standings changed since."))
    for text, players in (
        (_("In another pair or team now: %(names)s."), changes.regrouped),
        (_("Cannot play all rounds any more: %(names)s."), changes.left),
        (_("Here and not in this plan: %(names)s."), changes.came),
    ):
        if players:
            names = ", ".join(players[:MOST_NAMED])
            more = len(players) - MOST_NAMED
            if more > 0:
                names = _("%(names)s and %(n)s more") % {"names": names, "n": more}
            texts.append(text % {"names": names})
    return " ".join(map(one_stop, texts))


def _plan_title(plan: SeatingPlan, rounds: Sequence[PlannedRound]) -> str:
    if plan.movement == OPEN:
        return _("open night")
    if plan.movement in PARTNERSHIPS:
        return str(TITLES.get((plan.movement, plan.inputs.get("variation", "")), plan.movement))
    if plan.movement == MOVING:
        tables = len(plan.inputs["present"]) // LINES
        return _("boards move between %(n)s tables") % {"n": tables}
    sizes = _sizes_title(plan, rounds)
    if plan.movement == KNOCKOUT:
        return _("knock-out, %(sizes)s") % {"sizes": sizes}
    if plan.movement == SWISS:
        return _("Swiss round, %(sizes)s") % {"sizes": sizes}
    if plan.movement == LADDER:
        return _("ladder night, %(sizes)s") % {"sizes": sizes}
    return sizes


def _sizes_title(plan: SeatingPlan, rounds: Sequence[PlannedRound]) -> str:
    sizes = _table_sizes(rounds).keys() or plan.inputs["sizes"]
    in_order = sorted(set(sizes), key=lambda size: (size != USUAL_TABLE_SIZE, size))
    words = [size_in_words(size) for size in in_order]
    if len(words) == 1:
        if rounds and all(len(planned.tables) == 1 for planned in rounds):
            return _("one table of %(size)s") % {"size": words[0]}
        return _("tables of %(size)s only") % {"size": words[0]}
    first = ", ".join(words[:-1])
    last = words[-1]
    return _("tables of %(sizes)s and %(last)s") % {"sizes": first, "last": last}


def _table_sizes(rounds: Sequence[PlannedRound]) -> Counter[int]:
    return Counter(len(table) for planned in rounds for table in planned.tables)


def _line(plan: SeatingPlan, rounds: Sequence[PlannedRound]) -> str:
    if plan.movement in PARTNERSHIPS and rounds:
        return f"{plan_line(rounds)} {odd_units_line(plan)}".strip()
    if plan.movement != OPEN:
        return plan_line(rounds)
    sizes = get_text_list([size_in_words(size) for size in sorted(plan.inputs["sizes"])], _("or"))
    text = _(
        "Tables of %(sizes)s form during the evening from the players who are free, with few "
        "repeats. Players at other tables go on."
    )
    return text % {"sizes": sizes}


class PlanEnds:
    """The end of a plan of so many rounds, from now or from the time of the meeting."""

    def __init__(self, event: Event, meeting: Meeting, now: datetime) -> None:
        self.minutes = minutes_a_round(event)
        zone = event.club.zone
        local = now.astimezone(zone)
        self.start: datetime | None = local if local.date() == meeting.date else None
        if meeting.time is not None:
            begins = datetime.combine(meeting.date, meeting.time, zone)
            self.start = begins if self.start is None else max(self.start, begins)

    def at(self, rounds: int) -> datetime | None:
        """Return the time at which so many rounds are over; None where their start is unknown."""
        whole = timedelta(minutes=self.minutes * rounds)
        if self.start is None:
            return None
        return (self.start + whole).astimezone(UTC)

    def fact(self, rounds: int) -> PlanFact:
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
    rounds: Sequence[PlannedRound],
    units: UnitNames,
    ends: PlanEnds,
) -> Sequence[PlanFact]:
    end = ends.fact(len(rounds))
    if plan.movement == MOVING:
        return (*moving_facts(plan), end)
    sit_outs = _sit_out_fact(event, rounds, units.players)
    if plan.is_swiss or plan.movement == KNOCKOUT:
        return (*round_by_round_facts(plan, units), sit_outs, end)
    if plan.movement in PARTNERSHIPS:
        return (*partnership_facts(plan, rounds), sit_outs, end)
    return (_meet_again_fact(plan, rounds), sit_outs, _other_tables_fact(plan, rounds), end)


def _meet_again_fact(plan: SeatingPlan, rounds: Sequence[PlannedRound]) -> PlanFact:
    repeats = repeated_pairs(plan) or 0
    people = len(plan.inputs["present"])
    least = least_repeats(people, list(_table_sizes(rounds).elements()))
    if not repeats:
        text = _("No two players share a table again in this event.")
    elif least >= repeats:
        text = _("Fewer are not possible.")
    elif least:
        text = _("At least %(n)s in any plan.") % {"n": least}
    elif plan.cost["known_pairs"]:
        text = _("Earlier rounds of the event count, too.")
    else:
        most = int(plan.cost["max_meet"])
        text = _("No pair shares a table more than %(n)s times.") % {"n": most} if most > 1 else ""
    return PlanFact(_("Repeated pairs"), str(repeats), text)


def _sit_out_fact(
    event: Event, rounds: Sequence[PlannedRound], names: Mapping[int, str]
) -> PlanFact:
    times = Counter(player for planned in rounds for player in planned.sitting_out)
    if not times:
        return PlanFact(_("Sit out"), "0", _("Everybody plays in each round."))
    a_round = _span(len(planned.sitting_out) for planned in rounds)
    bye = BYE_SENTENCES[settings_of(event).bye_award]
    text = f"{_who_sits_out(times, names)} {bye}"
    return PlanFact(_("Sit out"), _("%(n)s a round") % {"n": a_round}, text)


def _span(numbers: Iterable[int]) -> str:
    in_order = sorted(numbers)
    least, most = in_order[0], in_order[-1]
    if least == most:
        return str(least)
    return f"{least}–{most}"


def _who_sits_out(times: Mapping[int, int], names: Mapping[int, str]) -> str:
    if len(times) <= MOST_NAMED:
        called = sorted(((names.get(pk, "?"), n) for pk, n in times.items()), key=itemgetter(0))
        texts = [name if n == 1 else f"{name} ({n}×)" for name, n in called]
        return one_stop(", ".join(texts) + ".")
    if set(times.values()) == {1}:
        return _("%(n)s players, once each.") % {"n": len(times)}
    facts = {"n": len(times), "times": _span(times.values())}
    return _("%(n)s players, %(times)s times each.") % facts


def _other_tables_fact(plan: SeatingPlan, rounds: Sequence[PlannedRound]) -> PlanFact:
    other_sizes = sorted(_table_sizes(rounds).keys() - {USUAL_TABLE_SIZE})
    name = _("Other tables")
    if not other_sizes:
        return PlanFact(name, "0", _("Every table has four players."))
    if len(other_sizes) == 1:
        name = _("Tables of %(size)s") % {"size": size_in_words(other_sizes[0])}
    tables = [
        [table for table in planned.tables if len(table) != USUAL_TABLE_SIZE] for planned in rounds
    ]
    times = Counter(player for of_round in tables for table in of_round for player in table)
    often = [times[player] for player in plan.inputs["present"]]
    least = min(often)
    most = max(often)
    text = _("Each player %(least)s to %(most)s times.") % {"least": least, "most": most}
    if least == most:
        text = ngettext("Each player once.", "Each player %(n)s times.", least) % {"n": least}
    elif most - least > 1 and plan.cost["small_table_spread"] < 2:
        text = f"{text} {_('In the whole event, two players differ by one at most.')}"
    return PlanFact(name, _("%(n)s a round") % {"n": _span(map(len, tables))}, text)
