"""The proxies of deploy/ as processes, and a browser without a window that comes through them."""

import http.client
import re
import socket
import ssl
import urllib.parse
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Final

from tests.support.live.deployment import DEPLOY
from tests.support.live.project import PATIENCE_S, free_port, wait_until
from tests.support.live.read_only import Server
from tests.support.live.rest_client import Answer

HOST: Final = "blacklady.example"
BOUNDARY: Final = "between-the-fields"
_CADDY_ROOT: Final = "/tmp/caddy/caddy/pki/authorities/local/root.crt"  # noqa: S108
_CERTIFICATE: Final = f"/etc/letsencrypt/live/{HOST}/fullchain.pem"
_KEY: Final = f"/etc/letsencrypt/live/{HOST}/privkey.pem"
_AROUND_NGINX: Final = """\
daemon off;
user blacklady;
pid /tmp/nginx.pid;
error_log stderr;
events {{}}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    client_body_temp_path /tmp/nginx-body;
    proxy_temp_path /tmp/nginx-proxy;
    fastcgi_temp_path /tmp/nginx-fastcgi;
    uwsgi_temp_path /tmp/nginx-uwsgi;
    scgi_temp_path /tmp/nginx-scgi;
    {site}
}}
"""


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where a proxy listens, and the file of the certificate that it is trusted by."""

    http: int
    https: int
    trusted: Path


def caddy(server: Server) -> Proxy:
    http, https = free_port(), free_port()
    server.write("/etc/caddy/Caddyfile", (DEPLOY / "Caddyfile").read_text(encoding="utf-8"))
    words = ("--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile")
    environment = {
        "SITE_TLS": "tls internal",
        "HSTS_SUBDOMAINS": "1",
        "WEB_PORT": str(server.project.port),
        "HTTP_PORT": str(http),
        "HTTPS_PORT": str(https),
        "CADDY_ADMIN": f"localhost:{free_port()}",
        "XDG_DATA_HOME": "/tmp/caddy",  # noqa: S108  # of the server, as below
        "XDG_CONFIG_HOME": "/tmp/caddy",  # noqa: S108
    }
    valid = server.run("caddy", "validate", *words, environment=environment)
    assert valid.returncode == 0, valid.stderr
    server.start("caddy", "run", *words, environment=environment)
    proxy = Proxy(http, https, server.path(_CADDY_ROOT))
    _wait(server, proxy)
    return proxy


def nginx(server: Server) -> Proxy:
    http, https = free_port(), free_port()
    site = (DEPLOY / "nginx" / "blacklady.conf").read_text(encoding="utf-8")
    site = site.replace("127.0.0.1:8000", f"127.0.0.1:{server.project.port}")
    site = site.replace("max-age=31536000", "max-age=31536000; includeSubDomains")
    site = re.sub(r"listen ((?:\[::\]:)?)80;", rf"listen \g<1>{http};", site)
    site = re.sub(r"listen ((?:\[::\]:)?)443 ", rf"listen \g<1>{https} ", site)
    server.write("/etc/nginx/test.conf", _AROUND_NGINX.format(site=site))
    server.path(_KEY).parent.mkdir(parents=True)
    made = server.run(
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes", "-days", "2", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}",
        "-keyout", _KEY, "-out", _CERTIFICATE, environment={}, as_root=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    words = ("/usr/sbin/nginx", "-c", "/etc/nginx/test.conf", "-e", "stderr")
    valid = server.run(*words, "-t", environment={}, as_root=True)
    assert valid.returncode == 0, valid.stderr
    server.start(*words, environment={}, as_root=True)
    proxy = Proxy(http, https, server.path(_CERTIFICATE))
    _wait(server, proxy)
    return proxy


def _wait(server: Server, proxy: Proxy) -> None:
    def answers() -> bool:
        with suppress(OSError):
            return ProxyClient(proxy).send("GET", "/healthz").status == 200
        return False

    wait_until(answers, what=f"the proxy\n{server.project.log}")


class ProxyClient:
    """One person's browser; it keeps cookies, and comes from an address of this machine."""

    def __init__(self, proxy: Proxy, source: str = "127.0.0.1") -> None:
        self._proxy = proxy
        self._source = source
        self.cookies: dict[str, str] = {}

    def send(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a request over TLS; an answer that comes before the end of the body counts."""
        context = ssl.create_default_context(cafile=str(self._proxy.trusted))
        plain = socket.create_connection(
            ("127.0.0.1", self._proxy.https), PATIENCE_S, (self._source, 0)
        )
        connection = http.client.HTTPConnection(HOST)
        connection.sock = context.wrap_socket(plain, server_hostname=HOST)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        ours = {"Origin": f"https://{HOST}", "Cookie": cookies, **(headers or {})}
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in ours.items():
            connection.putheader(name, value)
        if body:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
            for at in range(0, len(body), 2**16):
                connection.send(body[at : at + 2**16])
        with closing(connection), connection.getresponse() as answer:
            content = answer.read()
        for line in answer.headers.get_all("Set-Cookie", []):
            self.cookies |= {name: one.value for name, one in SimpleCookie(line).items()}
        found = {name.lower(): value for name, value in answer.headers.items()}
        return Answer(answer.status, found, content)

    def open(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        answer = self.send("GET", path, headers=headers)
        while answer.status in (301, 302, 303, 307, 308):
            answer = self.send("GET", _path(answer), headers=headers)
        return answer

    def submit(
        self,
        path: str,
        fields: Mapping[str, str],
        photo: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send the form of a page that was opened, and open where it leads."""
        body = form({**fields, "csrfmiddlewaretoken": self.cookies["__Host-csrftoken"]}, photo)
        kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", **(headers or {})}
        answer = self.send("POST", path, body, kind)
        return self.open(_path(answer), headers) if answer.status in (302, 303) else answer


def form(fields: Mapping[str, str], photo: bytes | None) -> bytes:
    """The bytes of a form, with a file in the field `photo`."""
    head = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name="
    parts = [f'{head}"{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items()]
    if photo is not None:
        named = f'{head}"photo"; filename="sheet.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
        parts += [named.encode(), photo, b"\r\n"]
    return b"".join([*parts, f"--{BOUNDARY}--\r\n".encode()])


def _path(answer: Answer) -> str:
    parts = urllib.parse.urlsplit(answer.headers["location"])
    return urllib.parse.urlunsplit(("", "", parts.path, parts.query, ""))
