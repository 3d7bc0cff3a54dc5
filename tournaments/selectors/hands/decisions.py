"""What decides a game at a table, in words: the rule, who has won or is in front, and by what.

Takes rules and a game's progress as stored; no query. The order is that of
`scoring.engine.deciding`, which gives the places in the standings too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext, ngettext

from scoring.engine.deciding import WinCriteria, distance, finishers, rank_keys, win_criteria
from scoring.engine.progress import GameState, outcome
from scoring.numbers import Complex, Score, ScoreJson, score_json
from scoring.rules.rules import Rules
from scoring.rules_card.ending import ending
from scoring.rules_card.wording import Row, points, sentence_text
from tournaments.selectors.hands.score_sheet_views import (
    Decision,
    SeatView,
    SideSum,
    SideView,
)


@dataclass(frozen=True, slots=True)
class GamePlaces:
    """How a game stands at the table: a place for each seat, and what it follows from."""

    places: tuple[int, ...]
    tied: tuple[bool, ...]
    lives: tuple[int | None, ...]
    far: tuple[str, ...]
    sides: tuple[SideSum, ...]
    pool: ScoreJson | None
    decision: Decision


def standing(
    rules: Rules,
    state: GameState,
    seats: Sequence[SeatView],
    *,
    is_over: bool,
    length: str = "variant",
) -> GamePlaces:
    """Return how a game of these rules stands in `state`, for the people in `seats`.

    Args:
        is_over: whether no further hand is expected.
        length: the event's setting, which may replace the end that the rules say.
    """
    keys, sat = rank_keys(rules, state), finishers(rules, state)
    side_of = {seat: number for number, side in enumerate(sat) for seat in side}
    unit_of = _units(rules, state)
    best_first = sorted(keys)
    places = [best_first.index(key) + 1 for key in keys]
    how = win_criteria(rules)
    everybody = range(len(seats))
    return GamePlaces(
        places=tuple(places[side_of[seat]] for seat in everybody),
        tied=tuple(keys.count(keys[side_of[seat]]) > 1 for seat in everybody),
        lives=tuple(state.lives[unit_of[seat]] if state.lives else None for seat in everybody),
        far=tuple(_far(state.totals[unit_of[seat]], how) for seat in everybody),
        sides=_sums(rules, state, seats, places, how),
        pool=score_json(state.pool) if how.pool else None,
        decision=Decision(
            _rule(rules, length, is_over=is_over), _said(rules, state, seats, is_over)
        ),
    )


def _rule(rules: Rules, length: str, *, is_over: bool) -> str:
    """When the game ends and who wins it, as the rules card says it."""
    rows = {row.key: row for row in ending(rules).rows}
    kind, _, number = length.partition(":")
    found = []
    if kind == "hands" and number.isdecimal():
        n = int(number)
        text = ngettext("The game ends after %(n)s hand.", "The game ends after %(n)s hands.", n)
        found.append(text % {"n": n})
    elif kind == "open":
        ended = gettext("The game ended when the table was closed.")
        found.append(ended if is_over else gettext("The game ends when the table is closed."))
    else:
        end = _row(rows["finish"])
        heading = _capital(sentence_text(rows["finish"].heading, gettext))
        found.append(f"{heading} {end[:1].lower()}{end[1:]}")
    return " ".join([*found, *(_row(rows[key]) for key in ("winner", "lives") if key in rows)])


def _row(row: Row) -> str:
    return " ".join(_capital(sentence_text(sentence, gettext)) for sentence in row.sentences)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _units(rules: Rules, state: GameState) -> dict[int, int]:
    """Seat → whose total it has: its own, or its side's."""
    if rules.keys.teams.mode != "pooled":
        return {seat: seat for seat in range(len(state.totals))}
    return {seat: unit for unit, side in enumerate(state.teams) for seat in side}


def _far(total: Score, how: WinCriteria) -> str:
    return format_points(distance(total)) if how.best == "near" else ""


def format_points(value: object) -> str:
    """Return a number with a true minus."""
    return str(value).replace("-", "\u2212")


def _sums(
    rules: Rules,
    state: GameState,
    seats: Sequence[SeatView],
    places: Sequence[int],
    how: WinCriteria,
) -> tuple[SideSum, ...]:
    if how.by == "total":
        return ()
    return tuple(
        SideSum(
            side=SideView(tuple(seats[seat] for seat in side)),
            totals=tuple(score_json(state.totals[seat]) for seat in side),
            total=score_json(_together([state.totals[seat] for seat in side])),
            place=place,
            is_tied=list(places).count(place) > 1,
        )
        for side, place in zip(state.teams, places, strict=True)
    )


def _together(totals: Sequence[Score]) -> Score:
    found: Score = totals[0]
    for total in totals[1:]:
        found = found + total
    return found


def _said(rules: Rules, state: GameState, seats: Sequence[SeatView], is_over: bool) -> str:
    """Who has won or is in front, with what they have, and why nobody else has."""
    keys, sat, how = rank_keys(rules, state), finishers(rules, state), win_criteria(rules)
    first = [number for number, key in enumerate(keys) if key == min(keys)]
    names = [_names(seats, side) for side in sat]
    who, n = _listed([names[number] for number in first]), sum(len(sat[one]) for one in first)
    if state.won_by is not None:
        return gettext("%(who)s shot the moon, which wins the game.") % {"who": who}
    verdict = _verdict(len(first) > 1, is_over=is_over, n=n) % {"who": who}
    facts = {
        "verdict": verdict,
        "what": _WHAT[how.by, how.best, how.pooled](),
        "value": _value(state, sat, first[0], how),
    }
    text = gettext("%(verdict)s: %(what)s, %(value)s.") % facts
    if len(sat) == 2 and len(first) == 1 and how.by != "total":
        other = 1 - first[0]
        text = gettext("%(verdict)s: %(what)s, %(value)s against %(other)s.") % {
            **facts,
            "other": _value(state, sat, other, how),
        }
    return " ".join([text, *_losers(rules, state, sat, names, how), *_out(state, keys, names, how)])


def _verdict(is_shared: bool, *, is_over: bool, n: int) -> str:
    if is_shared and is_over:
        return gettext("%(who)s share the win")
    if is_shared:
        return gettext("%(who)s are tied for first place")
    if is_over:
        return ngettext("%(who)s wins", "%(who)s win", n)
    return ngettext("%(who)s is in front", "%(who)s are in front", n)


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
"""What ranks → what the first has, as a page says it."""


def _value(state: GameState, sat: Sequence[Sequence[int]], number: int, how: WinCriteria) -> str:
    """What a finisher ranks by: a total, the sum that makes it, or the worst single one."""
    if how.by == "total":
        return _total(state.totals[number], how)
    totals = [state.totals[seat] for seat in sat[number]]
    if how.by == "side_sum":
        made = " + ".join(map(_in_a_sum, totals))
        return f"{made} = {points(_together(totals))}"
    worst = max(totals, key=distance) if how.best == "near" else _worst(totals, how)
    return _total(worst, how)


def _worst(totals: Sequence[Score], how: WinCriteria) -> Score:
    plain = [total for total in totals if not isinstance(total, Complex)]
    return max(plain) if how.best == "low" else min(plain)


def _in_a_sum(total: Score) -> str:
    text = points(total)
    return f"({text})" if text.startswith("\u2212") or isinstance(total, Complex) else text


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
    """Who has lost because they reached the end, with their totals."""
    found = outcome(rules, state)
    if not (how.crosser_loses and found.finished and found.losers):
        return []
    n = sum(len(sat[loser]) for loser in found.losers)
    facts = {
        "who": _listed([names[loser] for loser in found.losers]),
        "value": ", ".join(_value(state, sat, loser, how) for loser in found.losers),
    }
    lost = ngettext(
        "%(who)s reached the limit and loses: %(value)s.",
        "%(who)s reached the limit and lose: %(value)s.",
        n,
    )
    return [lost % facts]


def _out(
    state: GameState,
    keys: Sequence[tuple[bool, bool, object]],
    names: Sequence[str],
    how: WinCriteria,
) -> list[str]:
    """Who has no lives left, and so cannot win."""
    if not how.lives:
        return []
    gone = [names[number] for number, key in enumerate(keys) if key[1]]
    if not gone:
        return []
    text = ngettext(
        "%(who)s has no lives left and cannot win.",
        "%(who)s have no lives left and cannot win.",
        len(gone),
    )
    return [text % {"who": _listed(gone)}]


def _names(seats: Sequence[SeatView], side: Sequence[int]) -> str:
    return _listed([seats[seat].player or str(seats[seat].title) for seat in side])


def _listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return gettext("%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}
