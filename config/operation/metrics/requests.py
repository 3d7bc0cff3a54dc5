"""Counts requests by route, method and status, and measures how long they take."""

import time
from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

from config.operation.metrics.exposition import METRICS_PATH, metrics_response
from tournaments.counters import REGISTRY

Handler = Callable[[HttpRequest], HttpResponse]

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""A caller may invent others; all of those are one label."""
PROBES: Final = {"/healthz": "healthz", "/readyz": "readyz", METRICS_PATH: "metrics"}
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
    """Middleware that counts each request and answers `/metrics`."""

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        own = metrics_response(request) if request.path_info == METRICS_PATH else None
        response = own or get_response(request)
        route, method = route_label(request), method_label(request)
        count_answer(route, method, response.status_code, seconds=time.perf_counter() - began)
        return response

    return middleware


def count_answer(route: str, method: str, status: int, *, seconds: float) -> None:
    """Count an answer and how long it took."""
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


def method_label(request: HttpRequest) -> str:
    """Return the request's method, or `other`."""
    method = request.method or ""
    return method if method in METHODS else "other"
