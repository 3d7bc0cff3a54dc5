"""Error reports to Sentry and traces to an OpenTelemetry collector, where settings name them.

Both packages are extras of the wheel: `blacklady[sentry]`, `blacklady[otel]`. They send
only what is listed here, so that no name, score, address with a slug or token, or typed text
leaves the machine.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

_OF_EVENT: Final = (
    "event_id",
    "timestamp",
    "level",
    "platform",
    "release",
    "environment",
    "logger",
    "sdk",
    "type",
)
_OF_FRAME: Final = ("filename", "function", "module", "lineno", "in_app")
_FIRST_TRACED: Final = "django.middleware.security.SecurityMiddleware"
_TAGS: Final = ("request_id", "job")
_TRACEABLE: Final = frozenset(
    {
        "http.method", "http.request.method", "http.route", "http.status_code",
        "http.response.status_code", "http.scheme", "url.scheme", "http.flavor",
        "network.protocol.version", "error.type", "exception.type",
    }
)  # fmt: skip
"""Attributes of spans that hold nothing of a person or a club."""


def begin_reports() -> None:
    """Start the configured reports; without settings no package is loaded."""
    if settings.SENTRY_DSN:
        _begin_sentry()
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        _begin_tracing()


def scrubbed_event(event: Mapping[str, Any], hint: object = None) -> dict[str, Any]:
    """Return a Sentry event reduced to the place and type of the error.

    Exception messages are left out: they may repeat user input.

    >>> event = {"level": "error", "user": {"id": 7}, "request": {"url": "/t/abc"}}
    >>> scrubbed_event(event)
    {'level': 'error'}
    """
    scrubbed = {name: event[name] for name in _OF_EVENT if name in event}
    tags = {name: value for name, value in dict(event.get("tags") or {}).items() if name in _TAGS}
    if tags:
        scrubbed["tags"] = tags
    source = (event.get("transaction_info") or {}).get("source")
    if source in {"component", "task"}:
        scrubbed["transaction"] = event.get("transaction")
        scrubbed["transaction_info"] = {"source": source}
    exceptions = (event.get("exception") or {}).get("values") or ()
    if exceptions:
        scrubbed["exception"] = {"values": [_exception(exception) for exception in exceptions]}
    return scrubbed


def _exception(exception: Mapping[str, Any]) -> dict[str, Any]:
    frames = (exception.get("stacktrace") or {}).get("frames") or ()
    scrubbed_frames = [
        {name: frame[name] for name in _OF_FRAME if name in frame} for frame in frames
    ]
    return {
        "type": exception.get("type"),
        "module": exception.get("module"),
        "stacktrace": {"frames": scrubbed_frames},
    }


def scrubbed_attributes(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the attributes of a span that are sent.

    >>> scrubbed_attributes({"http.method": "GET", "http.target": "/t/abc"})
    {'http.method': 'GET'}
    """
    return {name: value for name, value in (attributes or {}).items() if name in _TRACEABLE}


def _load(name: str, *, setting: str, extra: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as fault:
        raise ImproperlyConfigured(
            f"{setting} is set, but the package for it is not installed. "
            f"Install blacklady[{extra}], or remove {setting}."
        ) from fault


def _begin_sentry() -> None:
    sentry = _load("sentry_sdk", setting="SENTRY_DSN", extra="sentry")
    django = import_module("sentry_sdk.integrations.django")
    # Strangers cause these at will.
    import_module("sentry_sdk.integrations.logging").ignore_logger("django.security.DisallowedHost")
    sentry.init(
        dsn=settings.SENTRY_DSN,
        release=f"blacklady@{settings.VERSION}",
        server_name="",
        send_default_pii=False,
        include_local_variables=False,
        include_source_context=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        before_send=_with_log_context,
        integrations=[django.DjangoIntegration(transaction_style="function_name")],
    )


def _with_log_context(event: Mapping[str, Any], hint: object) -> dict[str, Any]:
    """Add the ids of the log context, so that spans and log lines can be matched."""
    context = structlog.contextvars.get_contextvars()
    tags = {name: str(context[name]) for name in _TAGS if context.get(name)}
    return scrubbed_event({**event, "tags": tags}, hint)


def _begin_tracing() -> None:
    setting, extra = "OTEL_EXPORTER_OTLP_ENDPOINT", "otel"
    exporter = _load(
        "opentelemetry.exporter.otlp.proto.http.trace_exporter", setting=setting, extra=extra
    )
    django = _load("opentelemetry.instrumentation.django", setting=setting, extra=extra)
    sdk, export = (import_module(f"opentelemetry.sdk.trace{part}") for part in ("", ".export"))
    resource = import_module("opentelemetry.sdk.resources").Resource.create(
        {"service.name": "blacklady", "service.version": settings.VERSION}
    )
    provider = sdk.TracerProvider(resource=resource)
    scrubbing = _scrubbing_exporter(export, sdk)(exporter.OTLPSpanExporter())
    provider.add_span_processor(export.BatchSpanProcessor(scrubbing))
    # Behind the probes and behind REST's own answers: it reads the host, which those do not.
    place = settings.MIDDLEWARE.index(_FIRST_TRACED)
    django.DjangoInstrumentor().instrument(tracer_provider=provider, middleware_position=place)


def _scrubbing_exporter(export: ModuleType, sdk: ModuleType) -> Any:
    """Return the class of an exporter that scrubs spans before another one sends them."""

    def scrubbed(span: Any) -> Any:
        events = [
            sdk.Event(event.name, scrubbed_attributes(event.attributes), event.timestamp)
            for event in span.events
        ]
        status = import_module("opentelemetry.trace").Status(span.status.status_code)
        return sdk.ReadableSpan(
            name=span.name,
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=scrubbed_attributes(span.attributes),
            events=events,
            kind=span.kind,
            instrumentation_scope=span.instrumentation_scope,
            status=status,
            start_time=span.start_time,
            end_time=span.end_time,
        )

    class ScrubbingExporter(export.SpanExporter):  # type: ignore[name-defined,misc]
        def __init__(self, sender: Any) -> None:
            self._sender = sender

        def export(self, spans: Sequence[Any]) -> Any:
            return self._sender.export([scrubbed(span) for span in spans])

        def shutdown(self) -> None:
            self._sender.shutdown()

        def force_flush(self, timeout_millis: int = 30_000) -> bool:
            return bool(self._sender.force_flush(timeout_millis))

    return ScrubbingExporter
