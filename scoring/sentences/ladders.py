"""What is wrong with a ladder, a challenge or an absence."""

from collections.abc import Mapping
from typing import Final

from scoring.sentences.phrases import Facts, Says, says

_NOT_PLAYED: Final[Mapping[str, str]] = {
    "declined": "A challenge between the two was declined",
    "expired": "A challenge between the two ran out without an answer",
    "forfeited_c": "A challenge between the two was given up",
    "forfeited_d": "A challenge between the two was given up",
}
"""State of a challenge that ended without a game → what is said of it."""


def _challenge_rematch(facts: Facts) -> str:
    what = _NOT_PLAYED.get(str(facts["state"]), "The two met")
    return (
        f"{what} less than {facts['days']} days ago. They may challenge each other again after "
        f"{facts['until']}."
    )


SENTENCES: Final[Mapping[str, Says]] = {
    "unknown_ladder_rule": says("A ladder has no rule called {found}. Known are {known}."),
    "bad_ladder_rule": says("The rule {rule} of a ladder cannot be {found}. It is {expected}."),
    "ladder_member_twice": says("{member} is named twice. Everybody has one place."),
    "not_on_ladder": says("{member} is not on the ladder. Let them join first."),
    "ladder_table_size": says(
        "There are {found} members at the table. A table challenge is for {least} to {most}."
    ),
    "ladder_span": says(
        "The best and the last at the table are {found} places apart. At most {most} are allowed."
    ),
    "rated_sides": says(
        "There are {found} at the table. A rated game has {least} to {most} players, or as many "
        "sides of equal size."
    ),
    "rated_places": says("There are {found} places for {expected} at the table."),
    "challenge_self": says("Nobody can challenge themselves. Choose somebody above you."),
    "challenge_absent": says("{member} is away. Wait until they are back."),
    "challenge_inactive": says("{member} is not active in the club any more."),
    "challenge_downwards": says(
        "{member} is at place {place}, below {own}. One challenges upwards only."
    ),
    "challenge_beyond_reach": says(
        "{member} is {found} places up, at place {place}. At most {most} up may be challenged."
    ),
    "challenge_out_open": says(
        "{member} has an open challenge already, to {other}. Finish or withdraw it first."
    ),
    "challenge_in_open": says(
        "{member} has been challenged already, by {other}. Wait until that is over."
    ),
    "challenge_rematch": _challenge_rematch,
    "challenge_state": says("The challenge is {found}. It cannot become {wanted}."),
    "challenge_too_late": says("The deadline was {over}. Later answers and results do not count."),
    "challenge_stranger": says("{member} does not belong to this challenge."),
    "challenge_player_missing": says("{member} is not in the result. Both must have played."),
    "challenge_not_the_loser": says(
        "{member} cannot confirm this result. {loser}, who lost, or a host can."
    ),
    "challenge_postponed": says("{member} has already postponed this game once."),
    "absence_backwards": says("The absence ends before it begins. Turn the two days round."),
    "absence_too_long": says(
        "That is {found} days away, and {left} of the season's {most} are left. Members who are "
        "away longer leave the ladder and return at the bottom."
    ),
}
"""Code → sentence."""
