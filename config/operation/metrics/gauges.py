"""Figures of this moment for Prometheus: read from the database, the disk and the status.

Every process would give the same ones, so they are not shared. No label names a club, a person or
an event.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, TypeAlias

from django.conf import settings
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from config.operation.status.explanations import EXPLANATIONS
from config.operation.status.installation_status import InstallationStatus, read_status
from tournaments.selectors.jobs.backlog import JobBacklog
from tournaments.selectors.notices.backlog import MailBacklog
from tournaments.selectors.webhooks.backlog import WebhookBacklog

PREFIX: Final = "blacklady"
Values: TypeAlias = dict[tuple[str, ...], float]
"""Values by the values of their labels."""


class StatusCollector(Collector):
    """Turns one status into metrics."""

    def __init__(self, status: InstallationStatus) -> None:
        self._status = status

    def collect(self) -> Iterator[Metric]:
        """Yield the figures; what the database did not tell is left out."""
        status = self._status
        yield _labelled("info", "The version that runs.", ["version"], {(settings.VERSION,): 1})
        yield _findings(status)
        yield _gauge("healthy", "1 where status says that all is well.", float(status.is_well))
        for name in ("free", "size"):
            room: Values = {(disk.place,): float(getattr(disk, name)) for disk in status.disks}
            yield _labelled(f"disk_{name}_bytes", "Room of the disk, by what is on it.",
                            ["place"], room)  # fmt: skip
        if status.last_backup is not None:
            age_s = (status.at - status.last_backup.at).total_seconds()
            yield _gauge("last_backup_age_seconds", "Age of the last good backup.", age_s)
        if status.certificate.ends_at is not None:
            left_s = (status.certificate.ends_at - status.at).total_seconds()
            yield _gauge("certificate_remaining_seconds", "Until the certificate ends.", left_s)
        if status.jobs is not None and status.mail is not None:
            yield _labelled("workers", "Workers that did not end in order.", ["state"],
                            _workers(status))  # fmt: skip
            yield from _jobs(status.jobs, status.at)
            yield from _mail(status.mail, status.at)
        if status.webhooks is not None:
            yield from _webhooks(status.webhooks, status.at)


def gauges(now: datetime) -> CollectorRegistry:
    """Return the figures of this moment."""
    registry = CollectorRegistry()
    registry.register(StatusCollector(read_status(now, waits=False)))
    return registry


def _findings(status: InstallationStatus) -> Metric:
    """One series a code, so that an alert sees a fault begin and end."""
    found = {finding.code for finding in status.findings}
    values: Values = {
        (code, explanation.severity): float(code in found)
        for code, explanation in EXPLANATIONS.items()
    }
    text = "1 while the status has a finding with this code."
    return _labelled("finding", text, ["code", "severity"], values)


def _workers(status: InstallationStatus) -> Values:
    alive = sum(worker.is_alive for worker in status.workers)
    return {("alive",): alive, ("dead",): len(status.workers) - alive}


def _jobs(jobs: JobBacklog, now: datetime) -> Iterator[Metric]:
    yield _gauge("jobs_waiting", "Background jobs that are due.", jobs.waiting)
    yield _gauge(
        "job_oldest_seconds", "How long the oldest due job waits.", _age_s(jobs.oldest, now)
    )
    yield _gauge("jobs_parked", "Background jobs that were given up.", jobs.parked)
    yield _gauge("deadlines_missed", "Deadlines that are due for 30 s and not done.",
                 jobs.deadlines_missed)  # fmt: skip
    latencies = jobs.latencies_s
    yield _gauge("publications_recent", "Events published within five minutes.", len(latencies))
    mean_s = sum(latencies) / len(latencies) if latencies else 0.0
    yield _labelled(
        "publication_latency_seconds",
        "From an event's last change to its publication, of those of the last five minutes.",
        ["statistic"],
        {("mean",): mean_s, ("max",): max(latencies, default=0.0)},
    )


def _mail(mail: MailBacklog, now: datetime) -> Iterator[Metric]:
    yield _gauge("mails_waiting", "Mails that are not sent yet.", mail.waiting)
    yield _gauge("mail_oldest_seconds", "Age of the oldest such mail.", _age_s(mail.oldest, now))
    yield _gauge("mails_parked", "Mails that were given up and are still listed.", mail.parked)


def _webhooks(webhooks: WebhookBacklog, now: datetime) -> Iterator[Metric]:
    yield _gauge("webhook_messages_waiting", "Messages of webhooks that are not sent yet.",
                 webhooks.waiting)  # fmt: skip
    yield _gauge("webhook_messages_due", "Those of them that could be sent now.", webhooks.due)
    yield _gauge("webhook_oldest_seconds", "How long the first of these is due.",
                 _age_s(webhooks.oldest_due, now))  # fmt: skip
    yield _gauge("webhook_messages_parked", "Messages that were given up and are still listed.",
                 webhooks.parked)  # fmt: skip


def _age_s(since: datetime | None, now: datetime) -> float:
    return 0.0 if since is None else max((now - since).total_seconds(), 0.0)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{PREFIX}_{name}", text, value=value)


def _labelled(name: str, text: str, labels: Sequence[str], values: Values) -> Metric:
    family = GaugeMetricFamily(f"{PREFIX}_{name}", text, labels=labels)
    for label_values, value in values.items():
        family.add_metric(label_values, value)
    return family
