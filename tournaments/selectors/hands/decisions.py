"""How a game at a table is decided, in words: the rule, the winner or leader, and the margin.

The order is that of `scoring.engine.deciding`, which gives the places in the standings too.
"""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Final, TypeAlias

from django.utils.translation import gettext, ngettext

from scoring.engine.deciding import (
    RankKey,
    WinCriteria,
    distance,
    finishers,
    rank_keys,
    win_criteria,
)
from scoring.engine.progress import GameState, outcome
from scoring.numbers import Complex, Score, score_json
from scoring.rules.rules import Rules
from scoring.rules_card.ending import ending
from scoring.rules_card.wording import points, sentence_text
from tournaments.selectors.hands.score_sheet_views import SeatView, SideView
from tournaments.selectors.rules.rules_cards import capitalised, sentences_of

Standing: TypeAlias = tuple[int | None, bool, int | None, str]
"""A seat's place, whether it is tied, its lives, and how far it is from 0 where that ranks."""

_WHAT: Final = {
    ("total", "low", False): lambda: gettext("the lowest total"),
    ("total", "high", False): lambda: gettext("the highest total"),
    ("total", "near", False): lambda: gettext("the total nearest to 0"),
    ("total", "low", True): lambda: gettext("the lower total of the two sides"),
    ("total", "high", True): lambda: gettext("the higher total of the two sides"),
    ("total", "near", True): lambda: gettext("the side’s total nearest to 0"),
    ("side_sum", "low", False): lambda: gettext("the lower total of the partners"),
    ("side_sum", "high", False): lambda: gettext("the higher total of the partners"),
    ("side_sum", "near", False): lambda: gettext("the partners’ total nearest to 0"),
    ("side_worst", "low", False): lambda: gettext("the highest single total is lower"),
    ("side_worst", "high", False): lambda: gettext("the lowest single total is higher"),
    ("side_worst", "near", False): lambda: gettext("the single total farthest from 0 is nearer"),
}
"""Ranking value → the words for what the first has."""


def standing(
    rules: Rules, state: GameState, seats: Sequence[SeatView], *, is_over: bool, length: str
) -> tuple[list[Standing], dict[str, object]]:
    """Return the standing of each seat in `state`, and its explanation.

    The explanation has the `rule` in a sentence, what it `says` now, the `sides` if each seat has
    its own total, and the content of the `pool`.

    Args:
        is_over: whether no further hand is expected.
        length: the event's setting, which may replace the end given by the rules.
    """
    keys = rank_keys(rules, state)
    sat = finishers(rules, state)
    how = win_criteria(rules)
    side_of = {seat: number for number, side in enumerate(sat) for seat in side}
    unit_of = {seat: seat for seat in range(len(state.totals))}
    if rules.keys.teams.mode == "pooled":
        unit_of = {seat: unit for unit, side in enumerate(state.teams) for seat in side}
    best_first = sorted(keys)
    standings: list[Standing] = []
    for seat in range(len(seats)):
        key = keys[side_of[seat]]
        unit = unit_of[seat]
        lives = state.lives[unit] if state.lives else None
        far = format_points(distance(state.totals[unit])) if how.best == "near" else ""
        standings.append((best_first.index(key) + 1, keys.count(key) > 1, lives, far))
    return standings, {
        "rule": _rule(rules, length, is_over=is_over),
        "says": _verdict_in_full(rules, state, seats, is_over),
        "sides": [] if how.by == "total" else _side_sums(state, seats),
        "pool": score_json(state.pool) if how.pool else None,
    }


def _rule(rules: Rules, length: str, *, is_over: bool) -> str:
    kind, _, number = length.partition(":")
    rows = {row.key: row for row in ending(rules, has_end=kind not in ("hands", "open")).rows}
    sentences = []
    if kind == "hands" and number.isdecimal():
        n = int(number)
        text = ngettext("The game ends after %(n)s hand.", "The game ends after %(n)s hands.", n)
        sentences.append(text % {"n": n})
    elif kind == "open":
        ended = gettext("The game ended when the table was closed.")
        sentences.append(ended if is_over else gettext("The game ends when the table is closed."))
    else:
        end = sentences_of(rows["finish"])
        heading = capitalised(sentence_text(rows["finish"].heading, gettext))
        sentences.append(f"{heading} {end[:1].lower()}{end[1:]}")
    beside = (sentences_of(rows[key]) for key in ("winner", "lives") if key in rows)
    return " ".join([*sentences, *beside])


def format_points(value: object) -> str:
    return str(value).replace("-", "\u2212")


def _side_sums(state: GameState, seats: Sequence[SeatView]) -> list[dict[str, object]]:
    sums = []
    for side in state.teams:
        totals = [state.totals[seat] for seat in side]
        sums.append(
            {
                "side": SideView(tuple(seats[seat] for seat in side)),
                "totals": [score_json(total) for total in totals],
                "total": score_json(_sum(totals)),
            }
        )
    return sums


def _sum(totals: Sequence[Score]) -> Score:
    return reduce(add, totals)


def _verdict_in_full(
    rules: Rules, state: GameState, seats: Sequence[SeatView], is_over: bool
) -> str:
    keys = rank_keys(rules, state)
    sat = finishers(rules, state)
    how = win_criteria(rules)
    first = [number for number, key in enumerate(keys) if key == min(keys)]
    names = [
        listed([seats[seat].player or str(seats[seat].title) for seat in side]) for side in sat
    ]
    winners = listed([names[number] for number in first])
    n = sum(len(sat[number]) for number in first)
    if state.won_by is not None:
        return gettext("%(who)s shot the moon, which wins the game.") % {"who": winners}
    verdict = _verdict(len(first) > 1, is_over=is_over, n=n) % {"who": winners}
    what = _WHAT[how.by, how.best, how.pooled]()
    if state.playoff and len(state.playoff[-1]) < len(sat):
        what = gettext("%(what)s of those who play off") % {"what": what}
    facts = {
        "verdict": verdict,
        "what": what,
        "value": _value(state, sat, first[0], how),
    }
    text = gettext("%(verdict)s: %(what)s, %(value)s.") % facts
    if len(sat) == 2 and len(first) == 1 and how.by != "total":
        other = 1 - first[0]
        text = gettext("%(verdict)s: %(what)s, %(value)s against %(other)s.") % {
            **facts,
            "other": _value(state, sat, other, how),
        }
    if not is_over and outcome(rules, state).playoff:
        text += " " + gettext("They play it off: nobody else can win.")
    return " ".join(
        [text, *_losers(rules, state, sat, names, how), *_without_lives(state, keys, names, how)]
    )


def _verdict(is_shared: bool, *, is_over: bool, n: int) -> str:
    if is_shared and is_over:
        return gettext("%(who)s share the win")
    if is_shared:
        return gettext("%(who)s are tied for first place")
    if is_over:
        return ngettext("%(who)s wins", "%(who)s win", n)
    return ngettext("%(who)s is in front", "%(who)s are in front", n)


def _value(state: GameState, sat: Sequence[Sequence[int]], number: int, how: WinCriteria) -> str:
    if how.by == "total":
        return _total(state.totals[number], how)
    totals = [state.totals[seat] for seat in sat[number]]
    if how.by == "side_sum":
        parts = " + ".join(map(_in_a_sum, totals))
        return f"{parts} = {points(_sum(totals))}"
    if how.best == "near":
        return _total(max(totals, key=distance), how)
    plain = [total for total in totals if not isinstance(total, Complex)]
    return _total(max(plain) if how.best == "low" else min(plain), how)


def _in_a_sum(total: Score) -> str:
    text = points(total)
    if text.startswith("\u2212") or isinstance(total, Complex):
        return f"({text})"
    return text


def _total(total: Score, how: WinCriteria) -> str:
    if how.best != "near":
        return points(total)
    facts = {"total": points(total), "far": format_points(distance(total))}
    return gettext("%(total)s (%(far)s from 0)") % facts


def _losers(
    rules: Rules,
    state: GameState,
    sat: Sequence[Sequence[int]],
    names: Sequence[str],
    how: WinCriteria,
) -> list[str]:
    result = outcome(rules, state)
    if not (how.crosser_loses and result.finished and result.losers):
        return []
    n = sum(len(sat[loser]) for loser in result.losers)
    facts = {
        "who": listed([names[loser] for loser in result.losers]),
        "value": ", ".join(_value(state, sat, loser, how) for loser in result.losers),
    }
    lost = ngettext(
        "%(who)s reached the limit and loses: %(value)s.",
        "%(who)s reached the limit and lose: %(value)s.",
        n,
    )
    return [lost % facts]


def _without_lives(
    state: GameState,
    keys: Sequence[RankKey],
    names: Sequence[str],
    how: WinCriteria,
) -> list[str]:
    if not how.lives:
        return []
    without_lives = [names[number] for number, key in enumerate(keys) if key[2]]
    if not without_lives:
        return []
    text = ngettext(
        "%(who)s has no lives left and cannot win.",
        "%(who)s have no lives left and cannot win.",
        len(without_lives),
    )
    return [text % {"who": listed(without_lives)}]


def listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return gettext("%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}
