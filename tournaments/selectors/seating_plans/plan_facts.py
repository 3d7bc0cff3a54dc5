"""Facts of seating plans in words: partners, moving boards, uneven shares.

The figures are those of the engine: docs/algorithms/movements.md, "Whist" and "Pairs".
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from scoring.errors import Refused
from scoring.json_types import JsonDict
from scoring.seating.brackets import USUAL_TABLE_SIZE
from scoring.seating.movements.all_play_all import figures_of_units
from scoring.seating.movements.plan_movement import movement_facts
from scoring.seating.movements.whist import whist_figures
from scoring.seating.requests import SIT_OUT, MovementFigures, PlannedRound
from tournaments.models.seating_plans import (
    KNOCKOUT,
    OPEN,
    PAIRS,
    PARTNERSHIPS,
    TEAMS,
    WHIST,
    SeatingPlan,
)
from tournaments.selectors.seating_plans.current_stage import BoardsToPlan


@dataclass(frozen=True, slots=True)
class PlanFact:
    name: str
    value: str
    text: str


TITLES: Final = {
    (WHIST, ""): gettext_lazy("whist"),
    ("pairs", "all_play_all"): gettext_lazy("pairs, all play all"),
    ("pairs", "mitchell"): gettext_lazy("pairs, two fields"),
    ("pairs", "swiss"): gettext_lazy("pairs, Swiss"),
    (TEAMS, "one_table"): gettext_lazy("team matches, one table"),
    (TEAMS, "two_tables"): gettext_lazy("team matches, two tables"),
}
"""Movement and variation → what the plan is called."""

FIGURES_OF_EVENT: Final = ("opponent_excess", "opponent_bound", "sets", "unmet")
"""Figures of pairs and teams that count earlier rounds; plans of earlier versions have none."""

_NUMBERS: Final = {
    3: gettext_lazy("three"),
    4: gettext_lazy("four"),
    5: gettext_lazy("five"),
    6: gettext_lazy("six"),
    7: gettext_lazy("seven"),
    8: gettext_lazy("eight"),
    9: gettext_lazy("nine"),
    10: gettext_lazy("ten"),
}


def repeated_pairs(plan: SeatingPlan) -> int | None:
    """Return how many meetings of a plan repeat earlier ones of the event; None without a figure.

    These are meetings of two pairs or teams where some play, which partners of one side are not,
    else of two players. Cards, their heads and REST show this figure.
    """
    if not plan.rounds or not plan.cost or plan.movement in (OPEN, WHIST):
        return None
    if plan.movement == PAIRS and plan.is_swiss:
        reasons = plan.rounds[0].get("reasons", ())
        return len({reason["table"] for reason in reasons if reason["met"]})
    if plan.movement in PARTNERSHIPS:
        return figures_of_plan(plan).opponent_excess
    if plan.is_swiss or plan.movement == KNOCKOUT:
        return int(plan.cost["known_pairs"])
    return int(plan.cost["repeats"])


def figures_of_plan(plan: SeatingPlan) -> MovementFigures:
    """Return the figures of a plan of pairs or teams, with earlier rounds of the event."""
    rounds = [
        PlannedRound(tuple(map(tuple, body["tables"])), tuple(body["sitting_out"]))
        for body in plan.rounds
    ]
    figures = figures_of_units(
        plan.movement, plan.inputs.get("variation", ""), plan.inputs["units"], rounds
    )
    of_event = {name: plan.cost[name] for name in FIGURES_OF_EVENT if name in plan.cost}
    return replace(figures, **of_event)


def moving_facts(plan: SeatingPlan) -> Iterator[PlanFact]:
    """Yield how often players meet, and that nobody has a board twice."""
    repeats = repeated_pairs(plan) or 0
    text = _("Earlier rounds of the event count, too.")
    if not repeats:
        text = _("No two players share a table again in this event.")
    yield PlanFact(_("Repeated pairs"), str(repeats), text)
    yield PlanFact(_("Boards twice"), "0", _("Everybody plays each set of boards once at most."))


def boards_in_words(boards: BoardsToPlan | None) -> str:
    if boards is None:
        return ""
    if boards.tables:
        text = ngettext(
            "Boards move between %(tables)s tables in %(n)s more round.",
            "Boards move between %(tables)s tables in %(n)s more rounds.",
            boards.rounds_left,
        )
        return text % {"tables": boards.tables, "n": boards.rounds_left}
    text = ngettext(
        "Every table plays the same boards. %(n)s more round has boards.",
        "Every table plays the same boards. %(n)s more rounds have boards.",
        boards.rounds_left,
    )
    return text % {"n": boards.rounds_left}


def odd_units_line(plan: SeatingPlan) -> str:
    """Return the effect of an odd number of pairs or teams, with advice; "" for an even one.

    In a whist evening these are players beyond a multiple of four.
    """
    if plan.movement == WHIST:
        over = len(plan.inputs["present"]) % 4
        if not over:
            return ""
        text = ngettext(
            "With %(n)s more player nobody would sit out.",
            "With %(n)s more players nobody would sit out.",
            4 - over,
        )
        return text % {"n": 4 - over}
    if len(plan.inputs["units"]) % 2 == 0:
        return ""
    if plan.movement == TEAMS:
        return _("The number of teams is odd. With one more team every team has a match.")
    return _("The number of pairs is odd. With one more pair nobody would sit out.")


def movement_line(kind: str, count: int) -> str:
    """Describe a movement with partners for a number of players or units; "" for too few.

    Args:
        kind: `whist`, or movement and variation as in `pairs:mitchell`.
    """
    movement, _colon, variation = kind.partition(":")
    try:
        facts = movement_facts(movement, count, variation="" if movement == WHIST else variation)
    except Refused:
        return ""
    tables = ngettext("%(n)s table", "%(n)s tables", facts.tables) % {"n": facts.tables}
    rounds = ngettext("%(n)s round", "%(n)s rounds", facts.rounds) % {"n": facts.rounds}
    text = {
        WHIST: ngettext("%(n)s player", "%(n)s players", count),
        TEAMS: ngettext("%(n)s team", "%(n)s teams", count),
    }.get(movement, ngettext("%(n)s pair", "%(n)s pairs", count))
    line = _("%(here)s: %(tables)s a round, full set %(rounds)s, %(out)s %(nearness)s")
    if variation == "swiss":
        line = _("%(here)s: %(tables)s a round, %(out)s")
    n = facts.sitting_out
    sit_outs = {
        WHIST: ngettext("%(n)s player sits out.", "%(n)s players sit out.", n),
        TEAMS: _("one team has no match."),
    }.get(movement, _("one pair sits out."))
    nearness = ""
    if facts.figures is None:
        nearness = _("A search makes the plan.")
    elif not facts.is_exact:
        excess = facts.figures.partner_excess + facts.figures.opponent_excess
        nearness = ngettext(
            "In the full set %(n)s pair of partners or opponents meets once too often.",
            "In the full set %(n)s pairs of partners or opponents meet once too often.",
            excess,
        ) % {"n": excess}
    words = {
        "here": text % {"n": count},
        "tables": tables,
        "rounds": rounds,
        "out": sit_outs % {"n": n} if n else _("nobody sits out."),
        "nearness": nearness,
    }
    return (line % words).strip()


def partnership_facts(plan: SeatingPlan, rounds: Sequence[PlannedRound]) -> Iterator[PlanFact]:
    """Yield how often partners and opponents come again, and the rounds of the full set."""
    if plan.movement == WHIST:
        figures = whist_figures(len(plan.inputs["present"]), rounds)
        sets = -(-len(rounds) // figures.full_set)
        never = ngettext(
            "Nobody has the same partner twice.",
            "Nobody has the same partner more than %(n)s times.",
            sets,
        )
        text = _repeats_text(figures.partner_excess, figures.partner_bound, never % {"n": sets})
        yield PlanFact(_("Partners again"), str(figures.partner_excess), text)
        never = _("Nobody plays against the same player more than %(n)s times.") % {"n": 2 * sets}
        name = _("Opponents again")
    else:
        figures = figures_of_plan(plan)
        if plan.movement == TEAMS:
            never = ngettext(
                "No two teams play each other twice.",
                "No two teams play each other more than %(n)s times.",
                figures.sets,
            )
        else:
            never = ngettext(
                "No two pairs play each other twice.",
                "No two pairs play each other more than %(n)s times.",
                figures.sets,
            )
        never %= {"n": figures.sets}
        name = _("Repeated pairs")
    text = _repeats_text(figures.opponent_excess, figures.opponent_bound, never)
    yield PlanFact(name, str(figures.opponent_excess), text)
    yield _full_set_fact(plan, figures.full_set, len(rounds))


def _repeats_text(excess: int, bound: int, never: str) -> str:
    if not excess:
        return never
    if bound >= excess:
        return _("Fewer are not possible.")
    if not bound:
        return ""
    return _("At least %(n)s in any plan.") % {"n": bound}


def _full_set_fact(plan: SeatingPlan, full: int, rounds: int) -> PlanFact:
    value = ngettext("%(n)s round", "%(n)s rounds", full) % {"n": full}
    if plan.movement == WHIST and len(plan.inputs["present"]) % 4 > 1:
        text = _("Then everybody was everybody's partner once at most and opponent twice at most.")
    elif plan.movement == WHIST:
        text = _("Then everybody was everybody's partner once and opponent twice.")
    elif plan.inputs.get("variation") == "mitchell":
        text = _("Then every pair of one field has met every pair of the other.")
    elif plan.movement == TEAMS:
        text = _("Then every team has met every other team.")
    else:
        text = _("Then every pair has met every other pair.")
    if unmet := plan.cost.get("unmet"):
        rest = ngettext(
            "After this plan %(n)s match is left.", "After this plan %(n)s matches are left.", unmet
        )
        text = f"{text} {rest % {'n': unmet}}"
    elif unmet == 0 and plan.inputs.get("variation") != "mitchell":
        text = _("After this plan no match is left.")
    if rounds > full:
        text = f"{text} {_('This plan is longer, so some meet again.')}"
    return PlanFact(_("Full set"), value, text)


_REASONS: Final = {
    "together": gettext_lazy("because players who are always at one table move together."),
    "fixed_table": gettext_lazy("because players with a fixed table stay there."),
    "apart": gettext_lazy("because of the pairs who are never at one table."),
    "presence": gettext_lazy("because not everybody is here for all rounds."),
    "history": gettext_lazy("because the plan cannot make up for all earlier rounds."),
    "numbers": gettext_lazy("because the numbers of people and seats allow nothing else."),
}


def uneven_shares_of(plan: SeatingPlan, names: Mapping[int, str]) -> list[JsonDict]:
    """Return what a plan does not share evenly; `size` is 0 for sit-outs, `reason` is a key.

    Plans of earlier versions have nothing of it.
    """
    rows: Sequence[Sequence[Any]] = plan.cost.get("uneven", ())
    shares: list[JsonDict] = []
    for size, reason in dict.fromkeys((row[1], row[2]) for row in rows):
        players = [row[0] for row in rows if row[1:] == [size, reason]]
        text = (
            _("%(names)s: sit-outs differ by more than one from those of others, %(why)s")
            if size == SIT_OUT
            else _("%(names)s: tables of %(size)s differ by more than one from others', %(why)s")
        )
        in_order = ", ".join(sorted(names.get(player, "?") for player in players))
        text %= {"names": in_order, "size": size, "why": _REASONS.get(reason, _REASONS["numbers"])}
        shares.append({"size": size, "players": players, "reason": reason, "text": text})
    return shares


def plan_line(rounds: Sequence[PlannedRound]) -> str:
    """Return in a line how the rounds sit; the first one, where they differ."""
    if not rounds:
        return ""
    line = _line_of_a_round(rounds[0])
    shapes = {
        (tuple(sorted(map(len, planned.tables))), len(planned.sitting_out)) for planned in rounds
    }
    if len(shapes) > 1:
        return _("First round: %(line)s Other rounds differ.") % {"line": line}
    return line


def _line_of_a_round(first: PlannedRound) -> str:
    tables = ngettext("%(n)s table", "%(n)s tables", len(first.tables)) % {"n": len(first.tables)}
    counts = Counter(map(len, first.tables))
    other_sizes = [
        _("%(n)s with %(size)s players") % {"n": n, "size": size_in_words(size)}
        for size, n in sorted(counts.items())
        if len(counts) > 1 and size != USUAL_TABLE_SIZE
    ]
    sized = f" ({', '.join(other_sizes)})" if other_sizes else ""
    outside = len(first.sitting_out)
    text = _("%(tables)s a round%(sized)s. Nobody sits out.")
    if outside:
        text = ngettext(
            "%(tables)s a round%(sized)s. %(n)s player sits out.",
            "%(tables)s a round%(sized)s. %(n)s players sit out.",
            outside,
        )
    return text % {"tables": tables, "sized": sized, "n": outside}


def size_in_words(size: int) -> str:
    return str(_NUMBERS.get(size, size))
