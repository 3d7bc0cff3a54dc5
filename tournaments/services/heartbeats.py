"""Workers saying that they are alive, for readiness and the director's page."""

from datetime import datetime, timedelta

from tournaments.models.outbox import Heartbeat

_FORGOTTEN_AFTER = timedelta(days=1)


def record_heartbeat(*, name: str, now: datetime) -> None:
    """Note that the worker `name` is alive, and forget workers that are long gone."""
    Heartbeat.objects.update_or_create(name=name, defaults={"seen_at": now})
    Heartbeat.objects.filter(seen_at__lt=now - _FORGOTTEN_AFTER).delete()
