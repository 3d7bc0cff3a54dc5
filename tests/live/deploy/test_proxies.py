"""deploy/Caddyfile and deploy/nginx in front of web processes that really run, as they are shipped.

Names and ports are replaced as the first lines of the two files say.
"""

import http.client
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User

from tests.conftest import own_database
from tests.live.conftest import Inside
from tests.live.deploy.conftest import ServerMaker
from tests.support import services
from tests.support.lengths import only_long
from tests.support.live.deployment import Machine
from tests.support.live.events import evening
from tests.support.live.page_client import PASSWORD, SIGN_IN, give_password
from tests.support.live.project import PATIENCE_S, own_redis
from tests.support.live.proxies import HOST, Proxy, ProxyClient, caddy, form, nginx
from tests.support.pages.photos import picture
from tournaments.domain.sheets.images import LARGEST
from tournaments.models.clubs import Membership
from tournaments.models.rounds import SheetPhoto

pytestmark = [pytest.mark.pg, pytest.mark.redis, pytest.mark.proxies]

PHOTOS = "/clubs/riverside/events/league/tables/r1t1/photos"
LARGEST_FORM = 65 * 1024 * 1024
FORGED = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"}
START = {"caddy": caddy, "nginx": nginx}


@dataclass(frozen=True, slots=True)
class Site:
    """A machine with a web process behind a proxy."""

    machine: Machine
    proxy: Proxy


@pytest.fixture(scope="module")
def site(server: ServerMaker, migrated_pg: str) -> Callable[..., object]:
    """Make a site: `with site("caddy") as made: …`."""

    @contextmanager
    def make(proxy: str) -> Iterator[Site]:
        with (
            own_database(template=migrated_pg) as database,
            own_redis(services.address("redis")) as redis,
            server(database) as made,
        ):
            machine = Machine(made, database, redis)
            machine.start("blacklady-web")
            yield Site(machine, START[proxy](made))

    return make


@pytest.fixture(scope="module", params=[only_long("caddy"), "nginx"])
def behind(
    request: pytest.FixtureRequest, site: Callable[..., object], inside: Inside
) -> Iterator[Site]:
    """A site with a table that Hanna enters at, behind each of the proxies."""
    with site(request.param) as made:  # type: ignore[attr-defined]
        with inside(made.machine.server.project):
            evening()
            give_password("hanna")
        yield made


def hanna(site: Site, source: str = "127.0.0.1", **headers: str) -> ProxyClient:
    browser = ProxyClient(site.proxy, source)
    browser.open(SIGN_IN)
    answer = browser.submit(SIGN_IN, {"login": "hanna", "password": PASSWORD}, headers=headers)
    assert answer.status == 200, answer.body
    return browser


@pytest.mark.tier_long
def test_first_administrator_and_club_come_from_the_printed_link(
    site: Callable[..., object], inside: Inside
) -> None:
    with site("caddy") as made:  # type: ignore[attr-defined]
        printed = made.machine.blacklady("setup_link")
        link = urlsplit(printed.stdout.strip())
        assert (link.scheme, link.netloc) == ("https", HOST), printed.stderr
        assert "No running server" not in printed.stderr
        browser = ProxyClient(made.proxy)
        assert b"Set up this site" in browser.open(link.path).body
        account = {"username": "olga", "email": "olga@club.example", "password1": PASSWORD}
        assert browser.submit("/setup", account).status == 200
        browser.open("/new-club")
        browser.submit("/new-club", {"name": "Riverside", "time_zone": "UTC"})
        # The example settings ask a second factor of owners.
        waits = browser.open("/clubs/riverside/members")
        assert (waits.status, b"Second factor needed" in waits.body) == (403, True)
        assert ProxyClient(made.proxy).open(link.path).status == 404
        with inside(made.machine.server.project):
            assert User.objects.get().is_superuser
            assert Membership.objects.get().role == "owner"


def test_plain_http_is_redirected(behind: Site) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", behind.proxy.http, timeout=PATIENCE_S)
    connection.request("GET", "/clubs?page=2", headers={"Host": HOST})
    answer = connection.getresponse()
    to = urlsplit(answer.headers["Location"])
    assert (answer.status, to.scheme, to.hostname) == (308, "https", HOST)
    assert (to.path, to.query) == ("/clubs", "page=2")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Strict-Transport-Security" not in answer.headers
    connection.close()


def test_program_by_plain_http_is_refused(behind: Site) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", behind.proxy.http, timeout=PATIENCE_S)
    connection.request(
        "GET", "/api/v1/clubs", headers={"Host": HOST, "Authorization": "Bearer bl_none"}
    )
    answer = connection.getresponse()
    assert (answer.status, b"tls_needed" in answer.read()) == (403, True)
    connection.close()


def test_cookies_belong_to_this_host_alone(behind: Site) -> None:
    browser = hanna(behind)
    assert {"__Host-sessionid", "__Host-csrftoken"} <= set(browser.cookies)
    assert [name for name in browser.cookies if not name.startswith("__Host-")] == []


def test_largest_photo_passes_and_a_byte_more_is_refused(behind: Site, inside: Inside) -> None:
    browser = hanna(behind)
    browser.open(PHOTOS)
    whole = picture().ljust(LARGEST, b"\0")
    saved = browser.submit(PHOTOS, {}, whole)
    assert (saved.status, b"1 photo saved." in saved.body) == (200, True)
    refused = browser.submit(PHOTOS, {}, whole + b"\0")
    assert (refused.status, b"larger than 15 MB" in refused.body) == (422, True)
    with inside(behind.machine.server.project):
        assert SheetPhoto.objects.count() == 1


def test_form_larger_than_the_proxy_takes_is_413(behind: Site) -> None:
    browser = hanna(behind)
    browser.open(PHOTOS)
    room = LARGEST_FORM - len(form({}, b""))
    answer = browser.send(
        "POST", PHOTOS, form({}, bytes(room + 1)), {"Content-Type": "multipart/form-data"}
    )
    assert answer.status == 413


@pytest.mark.parametrize("headers", [{}, FORGED], ids=["plain", "forged"])
def test_address_of_a_caller_is_the_connections_whatever_it_says(
    behind: Site, inside: Inside, headers: dict[str, str]
) -> None:
    with inside(behind.machine.server.project):
        UserSession.objects.all().delete()
    source = f"127.0.0.{7 + len(headers)}"
    hanna(behind, source, **headers)
    with inside(behind.machine.server.project):
        assert UserSession.objects.get().ip == source


@pytest.mark.parametrize(
    ("path", "status", "size"),
    [
        ("/", 200, 0),
        ("/healthz", 200, 0),
        ("/static/blacklady/look.css", 200, 0),
        ("/static/blacklady/no-such.css", 404, 0),
        ("/metrics", 404, 0),
        ("/clubs", 413, LARGEST_FORM + 1),
    ],
)
def test_every_answer_has_each_security_header_once(
    behind: Site, path: str, status: int, size: int
) -> None:
    answer = ProxyClient(behind.proxy).send("POST" if size else "GET", path, bytes(size))
    assert answer.status == status
    assert answer.headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    policy = answer.headers["content-security-policy"]
    for directive in ("object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"):
        assert policy.count(directive) == 1


@pytest.mark.parametrize("path", ["/metrics", "/metrics/", "/%6detrics", "//metrics"])
def test_metrics_are_for_the_machine_itself(behind: Site, path: str) -> None:
    answer = ProxyClient(behind.proxy).send("GET", path)
    assert answer.status == 404
    assert b"python_info" not in answer.body
    assert behind.machine.server.project.status("/metrics") == 200


def test_static_files_are_kept_for_ever_by_browsers(behind: Site) -> None:
    browser = ProxyClient(behind.proxy)
    path = re.findall(r'href="(/static/[^"]+\.css)"', browser.open("/").body.decode())[0]
    assert re.search(r"\.[0-9a-f]{12}\.css$", path)
    answer = browser.send("GET", path, headers={"Accept-Encoding": "gzip"})
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/css")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"].endswith("immutable")
    assert browser.send("GET", "/static/blacklady/no-such.css").status == 404
