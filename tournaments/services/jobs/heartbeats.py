"""Workers saying that they are alive, for readiness and the director's page."""

from datetime import datetime, timedelta

from tournaments.models.outbox import Heartbeat

_FORGOTTEN_AFTER = timedelta(days=1)


def record_heartbeat(*, name: str, now: datetime) -> None:
    """Note that the worker `name` is alive."""
    Heartbeat.objects.update_or_create(name=name, defaults={"seen_at": now})


def end_heartbeat(*, name: str) -> None:
    """Forget a worker that ended in order, so that nobody takes it for a silent one."""
    Heartbeat.objects.filter(name=name).delete()


def forget_silent_workers(*, now: datetime) -> None:
    """Forget workers that were killed long ago."""
    Heartbeat.objects.filter(seen_at__lt=now - _FORGOTTEN_AFTER).delete()
