"""Publications whose figures come from the formulas of an older release."""

import json
from collections.abc import Collection
from typing import Final

from django.db.models import Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Concat

from scoring.json_types import JsonObject
from tournaments.domain.etags import digest_of
from tournaments.domain.standings.counting_release import COUNTING
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.events import Event, EventState
from tournaments.models.jobs import EVENT_PREFIX, Dirty
from tournaments.models.standings import Change, Publication
from tournaments.selectors.events.change_log import WITHOUT_RESULTS
from tournaments.selectors.standings.publication_diff import entered_since

OVER: Final = (EventState.CLOSED, EventState.FINAL)


def is_counted_otherwise(publication: Publication | None) -> bool:
    """Whether a publication stands by the formulas of an older release."""
    return publication is not None and publication.counting < COUNTING


def get_newest_counting(event_id: int) -> int | None:
    """Return the number of the formulas of the newest publication; None without one."""
    rows = Publication.objects.filter(event_id=event_id).order_by("-number")
    return rows.values_list("counting", flat=True).first()


def keeps_figures(event: Event, newest: Publication) -> bool:
    """Whether an event that is over keeps the figures that an older release has published.

    It does until one of its results changes or it is opened again. Bytes that are damaged are not
    kept.
    """
    if not event.is_over or not is_counted_otherwise(newest):
        return False
    return not has_other_results(event, since=newest) and _is_sound(newest)


def has_other_results(event: Event, *, since: Publication) -> bool:
    """Whether results of an event changed or were added after a publication."""
    changes = Change.objects.filter(event=event, version__gt=since.newest_version)
    if changes.exclude(kind__in=WITHOUT_RESULTS).exists():
        return True
    return entered_since(event, since.audit_number).exists()


def _is_sound(publication: Publication) -> bool:
    document = json.loads(bytes(publication.body))
    document.pop("publication", None)
    return digest_of(compact(document)) == publication.digest


def list_running_counted_otherwise(*, at_most: int) -> list[Event]:
    """Return running events whose newest publication stands by older formulas, by id.

    Those that wait to be published, or for a director's answer, are counted then.
    """
    scope = Concat(Value(EVENT_PREFIX), Cast(OuterRef("pk"), CharField()))
    waiting = Dirty.objects.filter(scope=scope).filter(
        Q(done__lt=F("version")) | Q(under_review_since__isnull=False)
    )
    newest = Publication.objects.filter(event=OuterRef("pk")).order_by("-number")
    events = Event.objects.exclude(state__in=OVER).filter(club__delete_after=None)
    older = events.annotate(counting=Subquery(newest.values("counting")[:1])).filter(
        ~Exists(waiting), counting__lt=COUNTING
    )
    return list(older.order_by("pk")[:at_most])


def is_season_kept(
    events: Collection[Event], newest: Publication | None, document: JsonObject
) -> bool:
    """Whether the table of a season keeps the figures that an older release has published.

    It does while all its events are over and keep theirs, and nothing of the season changed.

    Args:
        document: the table as it is counted today.
    """
    if newest is None or not is_counted_otherwise(newest):
        return False
    if not all(event.is_over for event in events):
        return False
    if any(get_newest_counting(event.pk) == COUNTING for event in events):
        return False
    stored = newest.document
    is_same: bool = stored["scheme"] == document["scheme"]
    return is_same and bool(stored["season"]["events"] == document["season"]["events"])
