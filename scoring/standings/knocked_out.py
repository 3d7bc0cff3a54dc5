"""Why a row of a knock-out is behind another one: the table at which it went out, in facts.

Pure. Facts hold ids, and `sentence` makes words of them. See docs/algorithms/stages.md.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, TypeAlias

from scoring.standings.rank import STAGE, Finish, Standing

Facts: TypeAlias = Mapping[str, str | int]

_SENTENCES: Final[Mapping[str, str]] = {
    "went_on": "{player} went on from table {table} with place {theirs} against place {place}",
    "went_on_without": "{player} went on from table {table} of round {round}",
    "gave_up": "gave up table {table} of round {round}",
    "place": "place {place} in round {round}, {player} place {theirs}",
    "no_place": "no place in round {round}, {player} place {theirs}",
    "points": "place {place} in round {round} with {points} points, {player} with {their_points}",
    "tied_place": "tied with {player}: place {place} in round {round} with {points} points",
    "tied_round": "tied with {player}: out in round {round}",
}

_OUT_BY: Final[Mapping[object, str]] = {"lot": "out by lot", "playoff": "out by play-off"}


def knocked_out_facts(row: Standing, above: Standing) -> Facts | None:
    """Return what separates a row from the one above it, or how they are tied.

    `player` is who went on instead from the table where the row went out, else the row above;
    `reason` is a key of the sentence. None where a knock-out does not order the row.
    """
    finish, better = row.finish, above.finish
    is_split = row.decided_by in ("playoff", "lot")
    if finish is None or not (is_split or row.decided_by in (STAGE, None)):
        return None
    if is_split and not (better and better.round == finish.round):
        return None  # their primary values were tied
    facts: dict[str, str | int] = {"player": above.sums.code, "round": finish.round}
    facts |= {"table": finish.table, "place": finish.place or 0, "points": _number(finish.points)}
    facts |= {"out_by": finish.out_by} if finish.out_by else {}
    if row.decided_by != STAGE:
        is_alike = better and (finish.place, finish.points) == (better.place, better.points)
        return facts | {"reason": "tied_place" if is_alike and finish.place else "tied_round"}
    if finish.gave_up and not (better and better.gave_up):
        return facts | {"reason": "gave_up"}
    is_same_round = better and better.round == finish.round and row.stage == above.stage
    if better and (is_same_round or finish.is_final):
        return {**facts, **_compared(finish, better)}
    if finish.against:
        facts["player"] = finish.against
        if finish.its_place and finish.place:
            return facts | {"reason": "went_on", "theirs": finish.its_place}
        return facts | {"reason": "went_on_without"}
    return None


def _compared(finish: Finish, better: Finish) -> Facts:
    """What separates two who went out in one round, or played the final."""
    if finish.place is None or better.place is None:
        return {"reason": "no_place", "theirs": better.place or 0}
    if finish.place != better.place:
        return {"reason": "place", "theirs": better.place}
    return {"reason": "points", "their_points": _number(better.points)}


def sentence(facts: Facts, name: Callable[[str], str] = str) -> str:
    """Return facts as a sentence.

    >>> facts = {"reason": "went_on", "player": "RL01", "table": 2, "place": 3, "theirs": 2}
    >>> sentence(facts, {"RL01": "Ada"}.__getitem__)
    'Ada went on from table 2 with place 2 against place 3'
    """
    words = {**facts, "player": name(str(facts["player"]))}
    text = _SENTENCES[str(facts["reason"])].format(**words)
    return f"{text}; {_OUT_BY[facts['out_by']]}" if "out_by" in facts else text


def beside(facts: Facts, who: str, stage: str, phrase: str = "") -> str:
    """Return why a row is above `who`, whose facts these are; it alone has reached `stage`.

    Args:
        phrase: how a play-off or a lot separated the two.
    """
    text = _beside(facts, who, stage, phrase)
    return f"{text}; {who} {_OUT_BY[facts['out_by']]}" if "out_by" in facts else text


def _beside(facts: Facts, who: str, stage: str, phrase: str) -> str:
    round_ = facts["round"]
    if phrase:
        came = f"same place in round {round_}" if facts["reason"] == "tied_place" else "same round"
        return f"above {who}: {came}, {phrase}"
    if str(facts["reason"]).startswith("tied"):
        return f"tied with {who}: out in round {round_}"
    if facts["reason"] == "points":
        points = f"{facts['their_points']} points against {facts['points']}"
        return f"above {who}: same place in round {round_}, {points}"
    if facts["reason"] in ("place", "no_place"):
        place = facts["place"] or "none"
        return f"above {who}: place {facts['theirs']} against {place} in round {round_}"
    if stage:
        return f"above {who}: went on to {stage}"
    return f"above {who}: {who} was out in round {round_}"


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):.2f}"
