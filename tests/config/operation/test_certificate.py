"""The certificate of the site's address: read from a server that really speaks TLS."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pytest_django import Settings

from config.operation.status import rules
from config.operation.status.rules import Certificate, read_certificate

NOW = datetime.now(UTC).replace(microsecond=0)


class TlsServer:
    """A server on 127.0.0.1 with a certificate that ends then."""

    def __init__(self, place: Path, ends_at: datetime) -> None:
        self.file = place / "certificate.pem"
        self.file.write_bytes(_certificate(ends_at))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"https://127.0.0.1:{self.listening.getsockname()[1]}"
        self.thread = threading.Thread(target=self._answer, args=(context,), daemon=True)
        self.thread.start()

    def _answer(self, context: ssl.SSLContext) -> None:
        try:
            line, _ = self.listening.accept()
            with line, context.wrap_socket(line, server_side=True) as secure:
                secure.recv(1)
        except OSError:
            return  # the other side refused the certificate

    def end(self) -> None:
        self.listening.close()
        self.thread.join()


def _certificate(ends_at: datetime) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "club.example")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - timedelta(days=80))
        .not_valid_after(ends_at)
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, *form)
    return secret + made.public_bytes(serialization.Encoding.PEM)


Serve = Callable[..., TlsServer]


@pytest.fixture
def serve(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Make the site's address one with a certificate, which this machine trusts or not."""
    servers = []

    def begin(ends_at: datetime, *, is_trusted: bool = True) -> TlsServer:
        server = TlsServer(tmp_path, ends_at)
        servers.append(server)
        settings.SITE_URL = server.address
        if is_trusted:
            trusting = ssl.create_default_context(cafile=str(server.file))
            monkeypatch.setattr(rules, "_context", lambda: trusting)
        return server

    yield begin
    for server in servers:
        server.end()


def codes(found: Certificate) -> list[tuple[str, str]]:
    return [(fault.code, fault.about) for fault in rules.certificate_faults(found, NOW)]


@pytest.mark.parametrize(("days", "is_near"), [(15, False), (13, True)])
def test_certificate_is_reported_from_fourteen_days_before_its_end(
    serve: Serve, days: int, is_near: bool
) -> None:
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


def test_address_that_cannot_be_reached_is_a_note_and_one_without_https_nothing(
    settings: Settings,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        settings.SITE_URL = f"https://127.0.0.1:{probe.getsockname()[1]}"
    assert codes(read_certificate()) == [("certificate_unreadable", "Connection refused")]
    settings.SITE_URL = "http://club.example"
    assert read_certificate() == Certificate("none")
