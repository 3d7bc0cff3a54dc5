"""Code → translatable sentence → docs anchor, for the app's own codes.

The sentences are in `domain.sentences`, a module for each subject; those of the scorer are
looked up in `scoring.errors`."""

from collections.abc import Mapping
from typing import Final

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from scoring.errors import Problem, one_stop, with_minus_signs
from tournaments.domain.code_words import in_words
from tournaments.domain.sentences import clubs, events, hands, requests

SUBJECTS: Final[tuple[Mapping[str, str], ...]] = (
    requests.REQUESTS,
    clubs.ACCESS,
    clubs.MEMBERS,
    clubs.PLAYERS,
    clubs.CLUBS,
    clubs.ARCHIVES,
    events.EVENTS,
    events.ENTRANTS,
    events.STANDINGS,
    events.PLAYOFFS,
    events.STAGES,
    hands.ROUNDS,
    events.EVENINGS,
    hands.SEATING_PLANS,
    hands.SEATS,
    hands.HANDS,
    hands.DUPLICATE,
    requests.IMPORTS,
    events.LADDERS,
    hands.HOUSE_RULES,
    clubs.WEBHOOKS,
)
"""The sentences of each subject; each code is in one of them."""

SENTENCES: Final[Mapping[str, str]] = {
    code: text for subject in SUBJECTS for code, text in subject.items()
}
"""Code → sentence with its facts in braces."""

_WITHOUT: Final = {
    ("draft_out_of_date", "names"): _(
        "Round {round} is out of date. Since it was drawn these have changed: {drawn_from}. Draw "
        "it again, or post it anyway."
    ),
    ("bad_header", "found"): _("The header {header} is empty. Send {expected}."),
    ("bad_parameter", "found"): _("{parameter} is empty. It must be {expected}."),
    ("bad_change_of_players", "found"): _("A value is missing. Expected: {expected}."),
    ("state_not_allowed", "possible"): _("The state {state} cannot change to another one."),
}
"""Code and fact → sentence where that fact is empty, so that it cannot be quoted."""

_WHERE: Final[Mapping[tuple[str, str, str], str]] = {
    ("photo_too_many_pixels", "cause", "side"): _(
        "This picture is longer than {expected} pixels on one side. Choose a smaller one."
    ),
    ("try_again", "cause", "busy"): _(
        "The database is busy: others were saving at the same moment. Nothing was saved. Try again."
    ),
}
"""Code, fact and its value → sentence of that case."""


def sentence(problem: Problem, *, label: str = "") -> str:
    """Return the sentence about `problem` for a person: what is wrong, and what would be right.

    `label` is what a form calls the value.
    """
    required = gettext("{missing_member} is required.")
    if "missing_member" in problem.facts:
        return required.format_map(problem.facts)
    text = SENTENCES.get(problem.code)
    if text is None:
        return problem.message
    for fact, value in problem.facts.items():
        if value == "":
            text = _WITHOUT.get((problem.code, fact), text)
        if isinstance(value, str):
            text = _WHERE.get((problem.code, fact, value), text)
    facts = {"command": settings.TYPED_COMMAND, **in_words(problem.facts)}
    text = gettext(text)
    if problem.at and facts.get("found") == "" and text.startswith(("{found}", "“{found}”")):
        facts["missing_member"] = label or problem.at[-1]  # a value that is empty cannot be quoted
        text = f"{required} {text.partition('. ')[2]}".strip()
    return one_stop(with_minus_signs(text.format_map(facts)))
