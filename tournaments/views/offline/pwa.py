"""Manifests, the service worker and the offline page of the host's app.

Nothing here depends on the reader, so all of it may be kept on any phone.
"""

import hashlib
import json
from typing import Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from tournaments.views.hands.phone_queue import KEEP_HEADER, outbox_json_of_device

FILES: Final = tuple(
    f"blacklady/{name}"
    for name in (
        *("look.css", "fonts/sans.woff2", "host.css", "parts.css", "photos.css", "offline.css"),
        *(
            "checks.js",
            "host.js",
            "photos.js",
            "outbox_store.js",
            "outbox.js",
            "names.js",
            "attendance.js",
            "once.js",
            "spoken.js",
            "own_page.js",
        ),
        *("icons.svg", "favicon.svg"),
    )
)
"""Files of the pages that a phone keeps, which the service worker caches."""
ICONS: Final = (("192x192", "any"), ("512x512", "any"), ("512x512", "maskable"))
PAPER: Final = "#f6f4ee"


@require_safe
@cache_control(no_cache=True)
def service_worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker; at the root, so that the tables' pages are in its scope.

    It changes when a file that it caches does, so that browsers replace it.
    """
    site = {
        "version": _version(),
        "store": static("blacklady/outbox_store.js"),
        "files": [static(name) for name in FILES],
        "page": reverse("tournaments:on-this-phone"),
        "signing_out": reverse("account_logout"),
        "entrance": reverse("tournaments:enter-code"),
        "me": reverse("tournaments:me"),
        "accounts": reverse("account_logout").removesuffix("logout/"),
        "keep": KEEP_HEADER,
    }
    return render(
        request, "offline/sw.js", {"site": json.dumps(site)}, content_type="text/javascript"
    )


@require_safe
@cache_control(no_cache=True)
def manifest(request: HttpRequest) -> HttpResponse:
    start = reverse("tournaments:on-this-phone")
    return app_manifest(start, name=_("Blacklady, hands of a table"), short_name=_("Blacklady"))


@require_safe
@cache_control(no_cache=True)
def manifest_of_me(request: HttpRequest) -> HttpResponse:
    """Return the manifest of the app that starts at *Me*; it is the same for everybody."""
    name = _("Blacklady, my evenings")
    return app_manifest(reverse("tournaments:me"), name=name, short_name=_("Blacklady"))


def app_manifest(start: str, *, name: str, short_name: str, scope: str = "/") -> HttpResponse:
    """Return the manifest of an app of its own, by the address at which it starts."""
    icons = [
        {
            "src": static(_icon(size, purpose)),
            "sizes": size,
            "type": "image/png",
            "purpose": purpose,
        }
        for size, purpose in ICONS
    ]
    icons.append({"src": static("blacklady/favicon.svg"), "sizes": "any", "type": "image/svg+xml"})
    return JsonResponse(
        {
            "id": start,
            "name": name,
            "short_name": short_name,
            "start_url": start,
            "scope": scope,
            "display": "standalone",
            "background_color": PAPER,
            "theme_color": "#fffefb",
            "icons": icons,
        },
        content_type="application/manifest+json",
    )


@require_safe
@cache_control(no_cache=True)
def on_this_device(request: HttpRequest) -> HttpResponse:
    return render(request, "offline/on_this_phone.html", {"outbox": outbox_json_of_device()})


def _icon(size: str, purpose: str) -> str:
    name = "maskable" if purpose == "maskable" else size.partition("x")[0]
    return f"blacklady/icons/app-{name}.png"


def _version() -> str:
    """Return a digest of what is kept: of the names where they carry one, else of the contents."""
    digest = hashlib.sha256()
    for name in FILES:
        digest.update(static(name).encode())
        if not settings.COLLECTED and (path := finders.find(name)):
            with open(path, "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()[:16]
