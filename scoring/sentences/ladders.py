"""What is wrong with a ladder, a challenge or an absence."""

from collections.abc import Mapping
from typing import Final

from scoring.sentences.phrases import Facts, SentenceTemplate, sentence_template

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


SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "unknown_ladder_rule": sentence_template(
        "A ladder has no rule called {found}. Known are {known}."
    ),
    "bad_ladder_rule": sentence_template(
        "The rule {rule} of a ladder cannot be {found}. It is {expected}."
    ),
    "ladder_member_twice": sentence_template("{member} is named twice. Everybody has one place."),
    "not_on_ladder": sentence_template("{member} is not on the ladder. Let them join first."),
    "ladder_table_size": sentence_template(
        "There are {found} members at the table. A table challenge is for {least} to {most}."
    ),
    "ladder_span": sentence_template(
        "The best and the last at the table are {found} places apart. At most {most} are allowed."
    ),
    "rated_sides": sentence_template(
        "There are {found} at the table. A rated game has {least} to {most} players, or as many "
        "sides of equal size."
    ),
    "rated_places": sentence_template("There are {found} places for {expected} at the table."),
    "challenge_self": sentence_template(
        "Nobody can challenge themselves. Choose somebody above you."
    ),
    "challenge_absent": sentence_template("{member} is away. Wait until they are back."),
    "challenge_inactive": sentence_template("{member} is not active in the club any more."),
    "challenge_downwards": sentence_template(
        "{member} is at place {place}, below {own}. One challenges upwards only."
    ),
    "challenge_beyond_reach": sentence_template(
        "{member} is {found} places up, at place {place}. At most {most} up may be challenged."
    ),
    "challenge_out_open": sentence_template(
        "{member} has an open challenge already, to {other}. Finish or withdraw it first."
    ),
    "challenge_in_open": sentence_template(
        "{member} has been challenged already, by {other}. Wait until that is over."
    ),
    "challenge_rematch": _challenge_rematch,
    "challenge_state": sentence_template("The challenge is {found}. It cannot become {wanted}."),
    "challenge_too_late": sentence_template(
        "The deadline was {over}. Later answers and results do not count."
    ),
    "challenge_stranger": sentence_template("{member} does not belong to this challenge."),
    "challenge_player_missing": sentence_template(
        "{member} is not in the result. Both must have played."
    ),
    "challenge_not_the_loser": sentence_template(
        "{member} cannot confirm this result. {loser}, who lost, or a host can."
    ),
    "challenge_postponed": sentence_template("{member} has already postponed this game once."),
    "absence_backwards": sentence_template(
        "The absence ends before it begins. Turn the two days round."
    ),
    "absence_too_long": sentence_template(
        "That is {found} days away, and {left} of the season's {most} are left. Members who are "
        "away longer leave the ladder and return at the bottom."
    ),
}
"""Code → sentence."""
