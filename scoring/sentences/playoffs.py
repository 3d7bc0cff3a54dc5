"""What is wrong with a play-off, or with what would change one or a cut."""

from collections.abc import Mapping
from typing import Final

from scoring.sentences.phrases import Facts, SentenceTemplate, sentence_template


def _cut_would_change(facts: Facts) -> str:
    by_this = "there would be a tie at the cut"
    if not facts["tie"]:
        by_this = f"{facts['come']} would come in and {facts['go']} go out"
    gone = facts.get("shared", facts["above"])
    if gone != facts["above"]:
        by_this = f"{facts['above']} go on by the rule: {by_this}"
    return (
        f"The best {gone} have gone on already. By this {by_this}. Decide whether to keep the cut."
    )


SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "unknown_playoff_rule": sentence_template(
        "A play-off has no rule called {found}. Known are {known}."
    ),
    "bad_playoff_rule": sentence_template(
        "The rule {rule} of a play-off cannot be {found}. It is {expected}."
    ),
    "playoff_void": sentence_template(
        "A correction has ended this play-off. Its hands do not count."
    ),
    "playoff_over": sentence_template("This play-off is decided already."),
    "playoff_state": sentence_template("The play-off is {found}. It cannot become {wanted}."),
    "playoff_stranger": sentence_template("{member} does not belong to this play-off."),
    "playoff_hand_incomplete": sentence_template(
        "{member} is missing in the hand. All players who are still tied must play."
    ),
    "too_many_neutral_players": sentence_template(
        "{found} neutral players are named; the open tables have {expected} chairs for them."
    ),
    "playoff_placed": sentence_template(
        "{member} does not play any more: placed already, or not in it."
    ),
    "playoff_hands_over": sentence_template(
        "The {most} hands of this play-off are over. Allow more, or draw lots."
    ),
    "playoff_would_change": sentence_template(
        "{members} have finished a play-off, and this changes the tie. "
        "Decide whether to keep the result or replay."
    ),
    "cut_would_change": _cut_would_change,
}
"""Code → sentence."""
