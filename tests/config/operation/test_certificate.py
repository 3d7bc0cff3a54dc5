"""The certificate of the site's address: read from a server that really speaks TLS."""

import socket
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from config.operation.status.installation_status import (
    Certificate,
    certificate_faults,
    read_certificate,
)
from tests.support.certificates import self_signed
from tests.support.webhook_receiver import Receiver

NOW = datetime.now(UTC).replace(microsecond=0)
Serve = Callable[..., None]


@pytest.fixture
def serve(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Make the site's address one with a certificate, which this machine trusts or not."""
    servers = []

    def begin(ends_at: datetime, *, is_trusted: bool = True) -> None:
        servers.append(Receiver())
        certificate, key = self_signed(tmp_path, ends_at)
        servers[-1].speak_tls(certificate, key)
        settings.SITE_URL = servers[-1].url
        if is_trusted:
            trusting = ssl.create_default_context(cafile=certificate)
            monkeypatch.setattr(ssl, "create_default_context", lambda: trusting)

    yield begin
    for server in servers:
        server.end()


def codes(found: Certificate) -> list[tuple[str, str]]:
    return [(fault.code, fault.about) for fault in certificate_faults(found, NOW)]


@pytest.mark.parametrize(("days", "is_near"), [(15, False), (13, True)])
def test_certificate_is_reported_14_days_before_end(serve: Serve, days: int, is_near: bool) -> None:
    ends_at = NOW + timedelta(days=days)
    serve(ends_at)
    found = read_certificate()
    assert found == Certificate("valid", ends_at)
    assert codes(found) == (
        [("certificate_ends", f"{ends_at:%Y-%m-%d %H:%M} UTC")] if is_near else []
    )


def test_certificate_that_has_ended_is_refused(serve: Serve) -> None:
    serve(NOW - timedelta(days=1))
    assert codes(read_certificate()) == [("certificate_refused", "certificate has expired")]


def test_certificate_that_nobody_trusts_is_refused(serve: Serve) -> None:
    serve(NOW + timedelta(days=60), is_trusted=False)
    assert codes(read_certificate()) == [("certificate_refused", "self-signed certificate")]


def test_unreachable_address_is_a_note_and_one_without_https_nothing(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        settings.SITE_URL = f"https://127.0.0.1:{probe.getsockname()[1]}"
    assert codes(read_certificate()) == [("certificate_unreadable", "Connection refused")]
    settings.SITE_URL = "http://club.example"
    assert read_certificate() == Certificate("none")
