"""Whether what is stored of an event is what follows from its entries."""

from tests.support.cast import NOW
from tournaments.models.events import Event
from tournaments.services.verification.event import verify_event


def require_clean(event: Event) -> None:
    fresh = Event.objects.select_related("club").get(pk=event.pk)
    verification = verify_event(fresh, repair=False, now=NOW, report=lambda words: None)
    assert not verification.differs, verification.as_json()
