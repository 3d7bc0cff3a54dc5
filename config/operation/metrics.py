"""Metrics for Prometheus at `/metrics`: counters of requests, figures read from the database."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from ipaddress import IPv6Address, ip_address
from typing import Final, TypeAlias

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from config.env import Network
from config.operation.status.explanations import EXPLANATIONS
from config.operation.status.installation_status import InstallationStatus, read_status
from tournaments.domain.client_address import address_in
from tournaments.domain.counters import REGISTRY
from tournaments.selectors.jobs.jobs import JobBacklog
from tournaments.selectors.jobs.queue import MessageBacklog

FORWARDED_FOR: Final = "HTTP_X_FORWARDED_FOR"
OF_PROXIES: Final = ("HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA", "HTTP_X_FORWARDED")
"""Headers that a proxy adds; the last one is the beginning of several."""

PREFIX: Final = "blacklady"

Values: TypeAlias = dict[tuple[str, ...], float]
"""Values by the values of their labels."""

METRICS_PATH: Final = "/metrics"
PROBES: Final = {"/healthz": "healthz", "/readyz": "readyz", METRICS_PATH: "metrics"}


def may_read_metrics(request: HttpRequest) -> bool:
    allowed: Sequence[Network] = settings.METRICS_ALLOW
    if not _is_in(str(request.META.get("REMOTE_ADDR", "")), allowed):
        return False
    if not any(name.startswith(OF_PROXIES) for name in request.META):
        return True
    proxies: int = settings.TRUSTED_PROXIES
    hops = [hop for hop in str(request.META.get(FORWARDED_FOR, "")).split(",") if hop.strip()]
    if not proxies or len(hops) < proxies:
        return False
    return _is_in(address_in(hops[-proxies]), allowed)


def _is_in(address: str, networks: Sequence[Network]) -> bool:
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    return any(ip in network for network in networks)


class StatusCollector(Collector):
    def __init__(self, status: InstallationStatus) -> None:
        self._status = status

    def collect(self) -> Iterator[Metric]:
        """Yield the figures; those that the database did not return are left out."""
        status = self._status
        yield _labelled("info", "The version that runs.", ["version"], {(settings.VERSION,): 1})
        yield _findings(status)
        yield _gauge("healthy", "1 where status says that all is well.", float(status.is_well))
        for at, name in enumerate(("free", "size")):
            room: Values = {(place,): float(sizes[at]) for place, sizes in status.disks.items()}
            yield _labelled(
                f"disk_{name}_bytes", "Room of the disk, by what is on it.", ["place"], room
            )
        if status.hints_waiting is not None:
            text = "Messages at the broker that no worker has taken."
            yield _gauge("hints_waiting", text, status.hints_waiting)
        if status.last_backup is not None:
            age_s = (status.at - status.last_backup.at).total_seconds()
            yield _gauge("last_backup_age_seconds", "Age of the last good backup.", age_s)
        if status.certificate.ends_at is not None:
            remaining_s = (status.certificate.ends_at - status.at).total_seconds()
            yield _gauge(
                "certificate_remaining_seconds", "Until the certificate ends.", remaining_s
            )
        if status.jobs is not None and status.mail is not None:
            yield _labelled(
                "workers", "Workers that did not end in order.", ["state"], _workers(status)
            )
            yield from _jobs(status.jobs, status.at)
            age_s = _age_s(status.mail.oldest, status.at)
            yield _gauge("mails_waiting", "Mails that are not sent yet.", status.mail.waiting)
            yield _gauge("mail_oldest_seconds", "Age of the oldest such mail.", age_s)
            text = "Mails that were given up and are still listed."
            yield _gauge("mails_parked", text, status.mail.parked)
        if status.webhooks is not None:
            yield from _webhooks(status.webhooks, status.at)


def _findings(status: InstallationStatus) -> Metric:
    """Yield one series for each code, so that an alert sees a fault begin and end."""
    codes = {finding.code for finding in status.findings}
    values: Values = {
        (code, explanation.severity): float(code in codes)
        for code, explanation in EXPLANATIONS.items()
    }
    text = "1 while the status has a finding with this code."
    return _labelled("finding", text, ["code", "severity"], values)


def _workers(status: InstallationStatus) -> Values:
    n_alive = sum(worker.is_alive for worker in status.workers)
    n_without_process = sum(worker.without_process_since is not None for worker in status.workers)
    return {
        ("alive",): n_alive - n_without_process,
        ("without_process",): n_without_process,
        ("dead",): len(status.workers) - n_alive,
    }


def _jobs(jobs: JobBacklog, now: datetime) -> Iterator[Metric]:
    yield _gauge("jobs_waiting", "Background jobs that are due.", jobs.waiting)
    yield _gauge(
        "job_oldest_seconds", "How long the oldest due job waits.", _age_s(jobs.oldest, now)
    )
    yield _gauge("jobs_parked", "Background jobs that were given up.", jobs.parked)
    yield _gauge(
        "deadlines_missed", "Deadlines that are due for 30 s and not done.", jobs.deadlines_missed
    )
    latencies = jobs.latencies_s
    yield _gauge("publications_recent", "Events published within five minutes.", len(latencies))
    mean_s = sum(latencies) / len(latencies) if latencies else 0.0
    yield _labelled(
        "publication_latency_seconds",
        "From an event's last change to its publication, of those of the last five minutes.",
        ["statistic"],
        {("mean",): mean_s, ("max",): max(latencies, default=0.0)},
    )


def _webhooks(webhooks: MessageBacklog, now: datetime) -> Iterator[Metric]:
    yield _gauge(
        "webhook_messages_waiting", "Messages of webhooks that are not sent yet.", webhooks.waiting
    )
    yield _gauge("webhook_messages_due", "Those of them that could be sent now.", webhooks.due)
    yield _gauge(
        "webhook_oldest_seconds",
        "How long the first of these is due.",
        _age_s(webhooks.oldest, now),
    )
    yield _gauge(
        "webhook_messages_parked",
        "Messages that were given up and are still listed.",
        webhooks.parked,
    )


def _age_s(since: datetime | None, now: datetime) -> float:
    if since is None:
        return 0.0
    return max((now - since).total_seconds(), 0.0)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{PREFIX}_{name}", text, value=value)


def _labelled(name: str, text: str, labels: Sequence[str], values: Values) -> Metric:
    family = GaugeMetricFamily(f"{PREFIX}_{name}", text, labels=labels)
    for label_values, value in values.items():
        family.add_metric(label_values, value)
    return family


def metrics_response(request: HttpRequest) -> HttpResponse | None:
    """Return the metrics; None if the caller may not read them, which becomes a 404."""
    if request.method not in {"GET", "HEAD"} or not may_read_metrics(request):
        return None
    status = StatusCollector(read_status(timezone.now(), waits=False))
    text = generate_latest(counters()) + generate_latest(status)
    return HttpResponse(
        text, content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"}
    )


def counters() -> CollectorRegistry:
    if not settings.PROMETHEUS_MULTIPROC_DIR:
        return REGISTRY
    shared = CollectorRegistry()
    MultiProcessCollector(  # type: ignore[no-untyped-call]
        shared, path=settings.PROMETHEUS_MULTIPROC_DIR
    )
    return shared


Handler = Callable[[HttpRequest], HttpResponse]

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""A caller may invent others; all of those are one label."""
BUCKETS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

REQUESTS: Final = Counter(
    "blacklady_requests",
    "Requests that were answered, by the name of the route, method and status.",
    ["route", "method", "status"],
    registry=REGISTRY,
)
DURATION: Final = Histogram(
    "blacklady_request_duration_seconds",
    "Seconds from the whole request to its answer, by the name of the route and method.",
    ["route", "method"],
    buckets=BUCKETS_S,
    registry=REGISTRY,
)


def count_requests(get_response: Handler) -> Handler:

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        metrics = metrics_response(request) if request.path_info == METRICS_PATH else None
        response = metrics or get_response(request)
        route = route_label(request)
        method = request.method if request.method in METHODS else "other"
        count_answer(route, method, response.status_code, seconds=time.perf_counter() - began)
        return response

    return middleware


def count_answer(route: str, method: str, status: int, *, seconds: float) -> None:
    REQUESTS.labels(route, method, str(status)).inc()
    DURATION.labels(route, method).observe(seconds)


def route_label(request: HttpRequest) -> str:
    """Return the name of the route that answered; never a part of the address.

    `unknown` is an address without a route, `unnamed` a route without a name.
    """
    if request.path_info in PROBES:
        return PROBES[request.path_info]
    if request.resolver_match is not None:
        return request.resolver_match.view_name or "unnamed"
    if request.path_info.startswith(settings.STATIC_URL):
        return "static"
    return "unknown"
