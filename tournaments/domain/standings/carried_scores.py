"""What earlier games weigh in a stage, for readers that must not compute scores themselves."""

from fractions import Fraction

from scoring.standings.counting import CARRIES
from scoring.standings.metrics import PRIMARIES


def weight_of_earlier(carry: str, primary: str) -> Fraction:
    """Return what the value of a player counts who has not played in the stage yet.

    A mean of games that all weigh the same is the mean itself, whatever they weigh.

    >>> weight_of_earlier("half", "placement_points"), weight_of_earlier("none", "raw_per_hand")
    (Fraction(1, 2), Fraction(0, 1))
    """
    weight = CARRIES[carry]
    return Fraction(1) if weight and PRIMARIES[primary].is_mean else weight
