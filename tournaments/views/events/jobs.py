"""The work on an event as its director's page names it: computations, and the jobs of the clock."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.selectors.jobs.jobs import Job
from tournaments.selectors.jobs.queue import FailedJob


class JobText(NamedTuple):
    """What a kind of work is called, what it means that it has stopped, and, where there are
    several of a kind, what its key is."""

    name: str | Promise
    stopped: str | Promise
    key: str | Promise = ""


WORDS: Final = {
    "event": JobText(
        _("Standings"),
        _("The standings are not published: three tries went wrong."),
    ),
    "ladder": JobText(
        _("Ladder and ratings"),
        _("The ladder is not computed: three tries went wrong. The list stays as it was."),
    ),
    "playoffs": JobText(
        _("Looking for ties that are played off"),
        _("Nobody looks for ties that have to be played off: three tries went wrong."),
    ),
    "recount": JobText(
        _("Counting all games again"),
        _("The games are not counted again, so nothing is published: three tries went wrong."),
    ),
    "companion": JobText(
        _("What stands beside the standings"),
        _("What stands beside the standings is not made: three tries went wrong."),
    ),
    "import": JobText(
        _("File brought in"),
        _("A file is not brought in: three tries went wrong."),
        _("file %(key)s"),
    ),
    "finalise": JobText(
        _("Making the event final"),
        _("The clock could not make the event final: three tries went wrong."),
    ),
    "finalise_round": JobText(
        _("Making the games of a round final"),
        _("The clock could not make the games of a round final: three tries went wrong."),
        _("round %(key)s"),
    ),
    "challenge": JobText(
        _("Deadline of a challenge"),
        _("The clock could not close a challenge whose time is over: three tries went wrong."),
        _("challenge %(key)s"),
    ),
    "ladder_week": JobText(
        _("Weekly look at who has not played"),
        _("The ladder is not swept for who has not played: three tries went wrong."),
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
    """Return a job with its name."""
    words = words_of(job.kind)
    which = str(words.key) % {"key": job.key} if words.key and job.key else job.key
    return JobRow(str(words.name), which, job)


def stopped_row(stopped: FailedJob) -> StoppedRow:
    """Return work that was given up, with the sentence for it."""
    return StoppedRow(str(words_of(stopped.kind).stopped), stopped.fault)


def words_of(kind: str) -> JobText:
    """Return the words for a kind of work; one without any is called by its kind."""
    if kind in WORDS:
        return WORDS[kind]
    return JobText(kind, _("Work on this event has stopped: three tries went wrong."))
