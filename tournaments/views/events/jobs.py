"""The work on an event as its director's page names it: computations, and the jobs of the clock."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.selectors.jobs.jobs import Job
from tournaments.templatetags.points import at


class JobText(NamedTuple):
    """What a kind of work is called, what it means that it has stopped, and, where there are
    several of a kind, what its key is."""

    name: str | Promise
    stopped: str | Promise
    key: str | Promise = ""


WORDS: Final = {
    "event": JobText(
        _("Standings"),
        _("Publishing the standings failed three times."),
    ),
    "ladder": JobText(
        _("Ladder and ratings"),
        _("Computing the ladder failed three times. The ladder has not changed."),
    ),
    "playoffs": JobText(
        _("Tie detection"),
        _("The check for ties that need a play-off failed three times."),
    ),
    "recount": JobText(
        _("Recomputing all games"),
        _("Recomputing the games failed three times. Nothing is published until it succeeds."),
    ),
    "companion": JobText(
        _("History"),
        _("Building the history (tables by round, head-to-head, records) failed three times."),
    ),
    "import": JobText(
        _("Import"),
        _("Importing a file failed three times."),
        _("file %(key)s"),
    ),
    "finalise": JobText(
        _("Event deadline"),
        _("Making the event final at its deadline failed three times."),
    ),
    "finalise_round": JobText(
        _("Round deadline"),
        _("Making the games of a round final at their deadline failed three times."),
        _("round %(key)s"),
    ),
    "challenge": JobText(
        _("Challenge deadline"),
        _("Closing an expired challenge failed three times."),
        _("challenge %(key)s"),
    ),
    "challenge_soon": JobText(
        _("Challenge reminder"),
        _("Reminding of the deadline of a challenge failed three times."),
        _("challenge %(key)s"),
    ),
    "digest": JobText(
        _("Digest after the evening"),
        _("Writing the digest after an evening failed three times."),
    ),
    "evening_reminder": JobText(
        _("Reminder of an evening"),
        _("Reminding players of an evening failed three times."),
    ),
    "ladder_week": JobText(
        _("Weekly inactivity check"),
        _("The weekly inactivity check failed three times."),
    ),
}
"""By kind of a scope without its colon, or of a deadline."""


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job with its name; `which` tells it from others of its kind, empty where it is alone."""

    name: str
    which: str
    job: Job

    @property
    def is_short(self) -> bool:
        """Whether its last run was over within a second."""
        return self.job.took_ms is not None and self.job.took_ms < 1000

    @property
    def took_s(self) -> float:
        """How long its last run took, in seconds."""
        return (self.job.took_ms or 0) / 1000


@dataclass(frozen=True, slots=True)
class StoppedRow:
    """Work that was given up: what that means, and what went wrong."""

    says: str
    fault: str


def job_row(job: Job) -> JobRow:
    words = words_of(job.kind)
    which = str(words.key) % {"key": job.key} if words.key and job.key else job.key
    return JobRow(str(words.name), which, job)


def jobs_in_words(jobs: Sequence[Job], zone: str) -> str:
    """Return how the background jobs are in one line: up to date, or how many are not."""
    parts = [
        text % {"n": n}
        for state, text in (
            ("stopped", _("%(n)s stopped")),
            ("running", _("%(n)s running")),
            ("waiting", _("%(n)s pending")),
        )
        if (n := sum(job.state == state for job in jobs))
    ]
    ran = max((job.ran_at for job in jobs if job.ran_at), default=None)
    parts = parts or [str(_("Up to date"))]
    if ran is not None:
        parts.append(str(_("last run %(when)s")) % {"when": at(ran, zone)})
    return ", ".join(map(str, parts))


def stopped_row(kind: str, fault: str) -> StoppedRow:
    """Return work that was given up, with the sentence for it."""
    return StoppedRow(str(words_of(kind).stopped), fault)


def words_of(kind: str) -> JobText:
    """Return the words for a kind of work; one without any is called by its kind."""
    if kind in WORDS:
        return WORDS[kind]
    return JobText(kind, _("A background job of this event failed three times and has stopped."))
