"""Step 3 and 4c: who shot the moon or the sun, in which ways it may be settled, what each way pays.

Pure. A settlement that depends on the game (`others_unless_shooter_loses` …) is given a verdict:
what the rules would say of the game after the old-style payment. See
docs/algorithms/scoring.md, "Moon and sun".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import CapturedHand
from scoring.errors import Problem
from scoring.numbers import Score, real, score_json
from scoring.rules.compiled_rules import Prepared, ReadySlam
from scoring.rules.types import Pay


@dataclass(frozen=True, slots=True)
class Shot:
    """A unit that took everything that a slam asks for."""

    ready: ReadySlam
    unit: int


Verdict: TypeAlias = tuple[bool, bool]
"""Whether the shooter loses, and whether another wins, by the rules after the old-style payment."""


def find(ready: Prepared, captured: CapturedHand) -> tuple[Shot | None, list[Problem]]:
    """The first slam that fits any unit, or the problem that its tricks were not counted."""
    for slam in ready.slams:
        needs = slam.needs
        for unit, pile in enumerate(captured.piles):
            if needs & ~pile:
                continue
            fits = tricks_fit(slam, captured, unit)
            if fits is None:
                first = captured.tricks is not None
                at = ("first_trick_by",) if first else ("tricks",)
                facts = {"first": first, "why": "slam", "slam": slam.slam.id}
                return None, [Problem("tricks_needed", at, facts)]
            if fits:
                return Shot(slam, unit), []
    return None, []


def tricks_fit(slam: ReadySlam, captured: CapturedHand, unit: int) -> bool | None:
    """Whether the unit's tricks are those that the slam needs; None if unknown."""
    if slam.slam.all_tricks == "no":
        return True
    if captured.tricks is None:
        return None
    lost = sum(captured.tricks) - captured.tricks[unit]
    if slam.slam.all_tricks == "all" or lost != 1:
        return lost == 0
    if captured.first_trick_by is None:
        return None
    return captured.first_trick_by != unit


def holders(ready: Prepared, captured: CapturedHand) -> tuple[int | None, ...]:
    """For each slam over several deals, the unit that holds all it needs in this one."""
    return tuple(
        next(
            (
                unit
                for unit, pile in enumerate(captured.piles)
                if not slam.needs & ~pile and tricks_fit(slam, captured, unit)
            ),
            None,
        )
        for slam in ready.spans
    )


def ways(
    pay: Pay, unit: int, totals: Sequence[Score], verdict: Callable[[], Verdict]
) -> tuple[tuple[str, ...], str | None]:
    """The settlements that are open to the shooter, and the one that is taken by default.

    Without a default the shooter must choose. The modes that depend on the game look at its
    `totals` before the hand, and ask for the `verdict`.
    """
    bar = pay.self_from
    reached = True
    if bar is not None:
        totals_read = [totals[unit]] if bar.who == "self" else totals
        reached = any(real(total) >= real(bar.score) for total in totals_read)
    mode = pay.mode
    if mode == "others_unless_shooter_loses" and reached and verdict()[0]:
        return ("self", "others"), "self"
    if mode == "others_unless_other_wins" and reached and verdict()[1]:
        return ("self",), "self"
    if mode == "choose" and reached:
        return ("self", "others"), None
    if mode == "self" and reached:
        return ("self",), "self"
    if mode in ("choose", "self") or mode.startswith("others"):
        return ("others",), "others"
    return (), mode


def payment(
    ready: Prepared, shot: Shot, way: str, captured: CapturedHand, partners: frozenset[int]
) -> list[Score]:
    """The payment of the slam to each unit, before anything else is added.

    Args:
        way: the settlement: `self`, `others`, or the mode of a slam that leaves no choice.
        captured: how many units there are, and which of them passed to the shooter.
        partners: units that a spared partner's rule passes over.
    """
    pay = shot.ready.pay
    units = range(len(captured.piles))
    paid = [ready.zero for _ in units]
    if way == "self":
        paid[shot.unit] = -shot.ready.self_amount
    elif way == "self_plus":
        paid[shot.unit] = ready.zero + shot.ready.self_amount
    elif way in ("others", "punish"):
        spared = {shot.unit, *(partners if pay.spare_partner else ())}
        for unit in units:
            if unit not in spared:
                passed = way == "punish" and unit == captured.passer
                owed = pay.passer if passed else pay.others_amount
                paid[unit] = ready.zero + shot.ready.amount(owed)
    return paid


def question_facts(
    ready: Prepared, captured: CapturedHand, shot: Shot, choices: Sequence[str]
) -> dict[str, object]:
    """The facts of `choice_required`: who shot which slam, and what each form of it pays."""
    seats = captured.sides[shot.unit]
    return {
        "seat": seat_names(ready.seats)[seats[0]],
        "by": list(seats),
        "slam": shot.ready.slam.id,
        "choices": list(choices),
        "self": score_json(shot.ready.self_amount),
        "others": score_json(shot.ready.others_amount),
    }


def cannot_be(ready: Prepared, captured: CapturedHand) -> list[Problem]:
    """Return the problems of marks and settlements that do not depend on the sum of the cards."""
    open_to = [
        unit
        for unit in range(len(captured.piles))
        for slam in ready.slams
        if not any(slam.needs & pile for n, pile in enumerate(captured.piles) if n != unit)
    ]
    problems = []
    if captured.shooter is not None and captured.shooter not in open_to:
        problems.append(Problem("wrong_shooter", ("shooter",), {"found": captured.shooter}))
    if captured.choice is not None and not open_to:
        facts = {"found": captured.choice, "why": "nobody"}
        problems.append(Problem("choice_forbidden", ("slam_choice",), facts))
    return problems
