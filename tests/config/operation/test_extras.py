"""Error reports and traces: begun by settings only, and cut down to what concerns nobody."""

import json
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from config.operation.extras import begin_reports, scrubbed_attributes, scrubbed_event


@pytest.mark.parametrize(
    ("setting", "package", "extra"),
    [
        ("SENTRY_DSN", "sentry_sdk", "sentry"),
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "opentelemetry.exporter.otlp.proto.http.trace_exporter",
            "otel",
        ),
    ],
)
def test_setting_without_its_package_says_what_to_install(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, setting: str, package: str, extra: str
) -> None:
    begin_reports()
    monkeypatch.setitem(sys.modules, package, None)
    setattr(settings, setting, "http://key@127.0.0.1:9/1")
    with pytest.raises(ImproperlyConfigured) as refused:
        begin_reports()
    assert str(refused.value) == (
        f"{setting} is set, but the package for it is not installed. "
        f"Install blacklady[{extra}], or remove {setting}."
    )


def test_event_keeps_where_it_happened_and_nothing_of_a_person() -> None:
    frame = {"filename": "a.py", "function": "f", "lineno": 7, "vars": {"name": "Elsa D."},
             "context_line": "Elsa D."}  # fmt: skip
    event = {
        "event_id": "1",
        "level": "error",
        "release": "blacklady@1",
        "server_name": "elsa",
        "user": {"ip_address": "192.0.2.7", "username": "Elsa D."},
        "request": {"url": "https://club.example/t/Elsa", "cookies": {"sessionid": "Elsa"}},
        "breadcrumbs": {"values": [{"message": "Elsa D."}]},
        "extra": {"sys.argv": ["Elsa"]},
        "logentry": {"message": "Elsa D. %s", "params": ["Elsa"]},
        "contexts": {"device": {"name": "Elsa"}},
        "tags": {"request_id": "paper-7", "job": "event:7", "club": "Elsa"},
        "transaction": "/clubs/Elsa",
        "transaction_info": {"source": "url"},
        "exception": {
            "values": [
                {"type": "ValueError", "value": "Elsa D. has 13", "module": "builtins",
                 "stacktrace": {"frames": [frame]}},
            ]
        },
    }  # fmt: skip
    sent = scrubbed_event(event)
    assert "elsa" not in json.dumps(sent).lower()
    assert sent["tags"] == {"request_id": "paper-7", "job": "event:7"}
    assert sent["exception"]["values"] == [
        {
            "type": "ValueError",
            "module": "builtins",
            "stacktrace": {"frames": [{"filename": "a.py", "function": "f", "lineno": 7}]},
        }
    ]
    view = {"transaction": "tournaments.views.clubs.public.club"}
    info = {"transaction_info": {"source": "component"}}
    assert scrubbed_event({**view, **info}) == {**view, **info}


def test_span_keeps_route_and_status_and_no_address() -> None:
    kept = {"http.method": "GET", "http.route": "t/<token>", "http.status_code": 404}
    private = {
        "http.url": "https://club.example/t/secret", "http.target": "/t/secret",
        "url.path": "/t/secret", "net.peer.ip": "192.0.2.7", "http.user_agent": "Elsa",
        "exception.message": "Elsa D.", "exception.stacktrace": "Elsa D.",
    }  # fmt: skip
    assert scrubbed_attributes({**kept, **private}) == kept
    assert scrubbed_attributes(None) == {}
