"""Why a row of a knock-out is behind another one: the table at which it went out, in facts.

Pure. Facts hold ids, and `sentence` makes words of them. See docs/algorithms/stages.md.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, TypeAlias

from scoring.standings.rank import STAGE, Standing

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


def knocked_out_facts(row: Standing, above: Standing) -> Facts | None:
    """Return what separates a row from the one above it, or how they are tied.

    `player` is who went on instead from the table where the row went out, else the row above;
    `reason` is a key of the sentence. None where a knock-out does not order the row.
    """
    own, other = row.finish, above.finish
    is_split = row.decided_by in ("playoff", "lot")
    if own is None or not (is_split or row.decided_by in (STAGE, None)):
        return None
    if is_split and (other is None or other.round != own.round):
        return None  # their primary values were tied
    facts: dict[str, str | int] = {"player": above.sums.code, "round": own.round}
    facts |= {"table": own.table, "place": own.place or 0, "points": _number(own.points)}
    if row.decided_by != STAGE:
        alike = other is not None and (own.place, own.points) == (other.place, other.points)
        return facts | {"reason": "tied_place" if alike and own.place else "tied_round"}
    if own.gave_up and not (other is not None and other.gave_up):
        return facts | {"reason": "gave_up"}
    if other is not None and other.round == own.round and row.stage == above.stage:
        return {**facts, **_beside(row, above)}
    if own.is_final and other is not None:
        return {**facts, **_beside(row, above)}
    if own.against:
        facts["player"] = own.against
        if own.its_place and own.place:
            return facts | {"reason": "went_on", "theirs": own.its_place}
        return facts | {"reason": "went_on_without"}
    return None


def _beside(row: Standing, above: Standing) -> Facts:
    own, other = row.finish, above.finish
    assert own is not None  # noqa: S101 - looked at
    assert other is not None  # noqa: S101 - looked at
    if own.place is None or other.place is None:
        return {"reason": "no_place", "theirs": other.place or 0}
    if own.place != other.place:
        return {"reason": "place", "theirs": other.place}
    return {"reason": "points", "their_points": _number(other.points)}


def sentence(facts: Facts, name: Callable[[str], str] = str) -> str:
    """Return facts as a sentence.

    >>> facts = {"reason": "went_on", "player": "RL01", "table": 2, "place": 3, "theirs": 2}
    >>> sentence(facts, {"RL01": "Ada"}.__getitem__)
    'Ada went on from table 2 with place 2 against place 3'
    """
    words = {**facts, "player": name(str(facts["player"]))}
    return _SENTENCES[str(facts["reason"])].format(**words)


def beside(facts: Facts, who: str, stage: str, phrase: str = "") -> str:
    """Return why a row is above `who`, whose facts these are; it alone has reached `stage`.

    Args:
        phrase: how a play-off or a lot separated the two.
    """
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
