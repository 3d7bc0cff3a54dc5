"""`/metrics`: the counters of all processes and the figures of this moment, for Prometheus.

Counters are shared by the processes of one installation through files
(`tournaments/counters.py`), so that it is all the same which process answers. Everything else is
read from the database when it is asked for (`figures.py`).
"""

from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector

from config.operation.metrics.access import may_read_metrics
from config.operation.metrics.gauges import gauges
from tournaments.counters import REGISTRY

METRICS_PATH: Final = "/metrics"


def metrics_response(request: HttpRequest) -> HttpResponse | None:
    """Return the metrics; None for who may not read them, who gets the page of any 404."""
    if request.method not in {"GET", "HEAD"} or not may_read_metrics(request):
        return None
    text = generate_latest(counters()) + generate_latest(gauges(timezone.now()))
    return HttpResponse(
        text, content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"}
    )


def counters() -> CollectorRegistry:
    """Return the counters of all processes that share a directory, else of this process."""
    if not settings.PROMETHEUS_MULTIPROC_DIR:
        return REGISTRY
    shared = CollectorRegistry()
    MultiProcessCollector(  # type: ignore[no-untyped-call]
        shared, path=settings.PROMETHEUS_MULTIPROC_DIR
    )
    return shared
