"""Code → translatable sentence → docs anchor, for the app's own codes.

The sentences are in `tournaments.sentences`, a module for each subject; those of the scorer are
looked up in `scoring.errors`.
"""

from collections.abc import Mapping
from typing import Final

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from scoring.errors import Problem, one_stop, with_minus_signs
from tournaments.code_words import in_words
from tournaments.sentences import (
    access,
    archives,
    clubs,
    duplicate,
    entrants,
    evenings,
    events,
    hands,
    house_rules,
    imports,
    ladders,
    members,
    players,
    playoffs,
    requests,
    rounds,
    seating_plans,
    seats,
    stages,
    standings,
    webhooks,
)

SUBJECTS: Final[tuple[Mapping[str, str], ...]] = (
    requests.SENTENCES,
    access.SENTENCES,
    members.SENTENCES,
    players.SENTENCES,
    clubs.SENTENCES,
    archives.SENTENCES,
    events.SENTENCES,
    entrants.SENTENCES,
    standings.SENTENCES,
    playoffs.SENTENCES,
    stages.SENTENCES,
    rounds.SENTENCES,
    evenings.SENTENCES,
    seating_plans.SENTENCES,
    seats.SENTENCES,
    hands.SENTENCES,
    duplicate.SENTENCES,
    imports.SENTENCES,
    ladders.SENTENCES,
    house_rules.SENTENCES,
    webhooks.SENTENCES,
)
"""The sentences of each subject; each code is in one of them."""

SENTENCES: Final[Mapping[str, str]] = {
    code: text for subject in SUBJECTS for code, text in subject.items()
}
"""Code → sentence with its facts in braces."""

_WITHOUT: Final[Mapping[tuple[str, str], str]] = {
    ("bad_header", "found"): _("The header {header} is empty. Send {expected}."),
    ("bad_parameter", "found"): _("{parameter} is empty. It must be {expected}."),
    ("bad_change_of_players", "found"): _("A value is missing. Expected: {expected}."),
    ("state_not_allowed", "possible"): _("The state {state} cannot change to another one."),
}
"""Code and fact → sentence where that fact is empty, so that it cannot be quoted."""

_WHERE: Final[Mapping[tuple[str, str, str], str]] = {
    ("try_again", "cause", "busy"): _(
        "The database is busy: others were saving at the same moment. Nothing was saved. Try again."
    ),
}
"""Code, fact and its value → sentence of that case."""


def sentence(problem: Problem) -> str:
    """Return what to tell a person about `problem`: what is wrong, and what would be right."""
    required = gettext("{missing_member} is required.")
    if "missing_member" in problem.facts:
        return required.format_map(problem.facts)
    text = SENTENCES.get(problem.code)
    if text is None:
        return problem.message
    for fact, found in problem.facts.items():
        if found == "":
            text = _WITHOUT.get((problem.code, fact), text)
        if isinstance(found, str):
            text = _WHERE.get((problem.code, fact, found), text)
    known = {"command": settings.COMMAND, **in_words(problem.facts)}
    text = gettext(text)
    if problem.at and known.get("found") == "" and text.startswith(("{found}", "“{found}”")):
        known["missing_member"] = problem.at[-1]  # a value that is empty cannot be quoted
        text = f"{required} {text.partition('. ')[2]}".strip()
    return one_stop(with_minus_signs(text.format_map(known)))


def docs_anchor(code: str) -> str:
    """Return where `docs/errors.md` explains `code`."""
    return f"docs/errors.md#{code}"
