"""Swiss and knock-out rounds in words: why pairs share a table, floats, and who goes on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.json_types import JsonDict
from tournaments.models.seating_plans import KNOCKOUT, PAIRS, SeatingPlan
from tournaments.presenters.rounds.plan_fact import PlanFact
from tournaments.selectors.seating_plans.plans import RoundOfPlan

MOST_NAMED: Final = 12
"""So many floats are named; more are counted."""

PRE_PLANNED: Final = 24
"""With fewer players a Swiss evening of many rounds repeats more than a plan of all its rounds."""


@dataclass(frozen=True, slots=True)
class TableReasons:
    """Why the players of a table share it, a sentence for each pair."""

    number: int
    lines: tuple[str, ...]


def round_by_round_title(plan: SeatingPlan, sizes: str) -> str:
    """Return what a Swiss or knock-out plan is called."""
    if plan.movement == KNOCKOUT:
        return _("knock-out, %(sizes)s") % {"sizes": sizes}
    return _("Swiss round, %(sizes)s") % {"sizes": sizes}


def reasons_of_plan(plan: SeatingPlan, names: Mapping[int, str]) -> tuple[TableReasons, ...]:
    """Return the reasons of a Swiss round, table by table; empty for other plans."""
    found: dict[int, list[str]] = {}
    for reason in _stored(plan, "reasons"):
        found.setdefault(reason["table"], []).append(reason_line(plan, reason, names))
    return tuple(TableReasons(number, tuple(lines)) for number, lines in sorted(found.items()))


def reason_line(
    plan: SeatingPlan,
    reason: Mapping[str, Any],
    names: Mapping[int, str],
    *,
    own: int | None = None,
) -> str:
    """Return in a sentence why two players share a table.

    Args:
        own: the reader, where he or she may be one of the two.
    """
    one, other = reason["players"]
    if other == own:
        one, other = other, one
    met = int(reason["met"])
    before = _("not met before")
    if met:
        before = ngettext("met once before", "met %(n)s times before", met) % {"n": met}
    facts: dict[str, object] = {
        "one": names.get(one, "?"),
        "other": names.get(other, "?"),
        "before": before,
    }
    if reason["scores"]:
        facts |= _texts(plan, one, other)
    return _reason_words(reason, is_own=one == own) % facts


def _reason_words(reason: Mapping[str, Any], *, is_own: bool) -> str:
    if not reason["scores"]:
        if is_own:
            return _("You meet %(other)s: %(before)s.")
        return _("%(one)s meets %(other)s: %(before)s.")
    if "same_score" in reason["codes"]:
        if is_own:
            return _("You meet %(other)s: both %(score)s, %(before)s.")
        return _("%(one)s meets %(other)s: both %(score)s, %(before)s.")
    if is_own:
        return _("You meet %(other)s: %(score)s and %(less)s, %(before)s.")
    return _("%(one)s meets %(other)s: %(score)s and %(less)s, %(before)s.")


def _texts(plan: SeatingPlan, one: int, other: int) -> dict[str, str]:
    shown = {player: text for player, _value, text in plan.inputs.get("scores", ())}
    return {"score": shown.get(one, "–"), "less": shown.get(other, "–")}


def float_fact(plan: SeatingPlan, names: Mapping[int, str]) -> PlanFact:
    """Return who sits with players of other scores only."""
    floats = _stored(plan, "floats")
    named = [
        (_("%(name)s down") if one["direction"] == "down" else _("%(name)s up"))
        % {"name": names.get(one["player"], "?")}
        for one in floats
    ]
    if not named:
        text = _("Everybody meets somebody with the same score.")
    elif len(named) <= MOST_NAMED:
        text = ", ".join(named) + "."
    else:
        down = sum(one["direction"] == "down" for one in floats)
        text = _("%(down)s down, %(up)s up.") % {"down": down, "up": len(named) - down}
    return PlanFact(_("Floats"), str(len(named)), text)


def meet_again_fact(plan: SeatingPlan) -> PlanFact:
    """Return how many pairs of a Swiss round met before, and the least that there can be.

    In a round of fixed pairs these are pairs of partners, and the least is not known.
    """
    if plan.movement == PAIRS:
        again = len({one["table"] for one in _stored(plan, "reasons") if one["met"]})
        text = _("Some pairs play each other again.") if again else _("No pair met before.")
        return PlanFact(_("Meet again"), str(again), text)
    known, least = int(plan.cost["known_pairs"]), int(_first(plan).get("least_repeats", 0))
    if not known:
        text = _("No pair met before.")
    elif least >= known:
        text = _("Fewer are not possible.")
    else:
        text = _("At least %(n)s in any plan.") % {"n": least}
    return PlanFact(_("Meet again"), str(known), text)


def goes_on_fact(plan: SeatingPlan) -> PlanFact:
    """Return how many of each table of a knock-out round go on, and the rounds to come."""
    bracket: Sequence[JsonDict] = _first(plan).get("bracket", ())
    if not bracket:
        return PlanFact(_("Goes on"), "–", "")
    each = bracket[0]["tables"][0]["goes_on"]
    sizes = [str(sum(len(table["slots"]) for table in one["tables"])) for one in bracket]
    text = _("Players in the rounds: %(sizes)s.") % {"sizes": ", ".join(sizes)}
    return PlanFact(_("Go on from each table"), str(each), text)


def round_by_round_facts(plan: SeatingPlan, names: Mapping[int, str]) -> tuple[PlanFact, ...]:
    """Return the facts of a Swiss or knock-out round that other plans do not have."""
    if plan.movement == KNOCKOUT:
        return (goes_on_fact(plan),)
    return (meet_again_fact(plan), float_fact(plan, names))


def swiss_documents(
    plan: SeatingPlan, one: RoundOfPlan, ids: Mapping[int, str], names: Mapping[int, str]
) -> JsonDict:
    """Return explanations, floats and bracket of a planned round, with ids of players."""
    stored = plan.rounds[one.number - 1]
    shown = {player: text for player, _value, text in plan.inputs.get("scores", ())}
    return {
        "explanations": [
            {
                "table": reason["table"],
                "players": [ids.get(player, "") for player in reason["players"]],
                "codes": reason["codes"],
                "met": reason["met"],
                "scores": [shown.get(player, "") for player in reason["players"]]
                if reason["scores"]
                else [],
                "text": reason_line(plan, reason, names),
            }
            for reason in stored.get("reasons", ())
        ],
        "floats": [
            {**one_float, "player": ids.get(one_float["player"], "")}
            for one_float in stored.get("floats", ())
        ],
        "least_repeats": stored.get("least_repeats", 0),
        "bracket": stored.get("bracket", []),
    }


def swiss_advice(players: int, rounds: int) -> str:
    """Return why a plan of all rounds is better than Swiss for a small field; "" where it is not.

    Args:
        rounds: of the evening, as far as they are known.
    """
    without = players // 6
    if not 0 < players < PRE_PLANNED or rounds <= without:
        return ""
    text = ngettext(
        "For %(players)s players and %(rounds)s rounds “Meet many players” is recommended: a "
        "Swiss tournament of so few has only %(n)s round in which certainly no pair meets again.",
        "For %(players)s players and %(rounds)s rounds “Meet many players” is recommended: a "
        "Swiss tournament of so few has only %(n)s rounds in which certainly no pair meets again.",
        without,
    )
    return text % {"players": players, "rounds": rounds, "n": without}


def _stored(plan: SeatingPlan, name: str) -> Sequence[JsonDict]:
    found: Sequence[JsonDict] = _first(plan).get(name, ())
    return found


def _first(plan: SeatingPlan) -> JsonDict:
    is_known = bool(plan.rounds) and (plan.is_swiss or plan.movement == KNOCKOUT)
    first: JsonDict = plan.rounds[0] if is_known else {}
    return first
