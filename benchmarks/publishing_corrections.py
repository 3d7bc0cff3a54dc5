"""From the commit of a corrected hand to its publication, in a small and in a large league.

The worker's own task is timed from the moment that the correction's service has returned, in this
process: what a worker takes to notice is the same for both, and would only hide what grows.
"""

from collections.abc import Iterator
from functools import partial

from django.utils import timezone

from benchmarks.corrected import at, edit, hands_of_event, some_entries, some_hands
from benchmarks.measure import Figure, Goal, compared, once, say
from benchmarks.sizes import Sizes
from tournaments.models.events import Event
from tournaments.models.jobs import event_scope
from tournaments.models.standings import Publication
from tournaments.selectors.jobs.queue import get_version
from tournaments.services.publishing.publications import publish
from tournaments.tasks import publish_event

FIRST = 2
"""Corrections before the measurement."""


def figures(small: Event, large: Event, sizes: Sizes) -> Iterator[Figure]:
    """Correct a hand of each league in turn, and have it published."""
    say("publishing corrected hands of a small and of a large league")
    entries = some_entries()
    number = FIRST + max(sizes.repeats, sizes.posts // 4)
    chosen = [(event, some_hands(event, number)) for event in (small, large)]
    for event in (small, large):
        publish(event.pk, now=timezone.now())  # or the worker rests after so many changes
    seconds: list[list[float]] = []
    for index in range(number):
        pair = []
        for event, hands in chosen:
            edit(at(hands[index]), hands[index], next(entries))
            pair.append(once(partial(publish_event, event.pk)))
            _require_published(event)
        seconds.append(pair)
    few, many = zip(*seconds[FIRST:], strict=True)
    players = f"{sizes.standings_players:,} players"
    name = f"commit of a correction to its publication, {players}, {hands_of_event(large):,} hands"
    against = f"with {hands_of_event(small):,} hands"
    yield compared("publishing a correction", name, many, against, few, Goal(1.5))


def _require_published(event: Event) -> None:
    newest = Publication.objects.filter(event=event).latest("number")
    if newest.version != get_version(event_scope(event.pk)):
        raise AssertionError(f"{event.slug}: a correction was not published")
