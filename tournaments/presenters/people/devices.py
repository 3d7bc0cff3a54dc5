"""What a device is called on the page of sessions: browser and system, as it names itself."""

import re
from collections.abc import Iterable
from typing import Final

from django.utils.translation import gettext as _

_BROWSERS: Final = (
    (r"Edg(?:e|A|iOS)?/", "Edge"),
    (r"OPR/|Opera", "Opera"),
    (r"SamsungBrowser/", "Samsung Internet"),
    (r"Firefox/|FxiOS/", "Firefox"),
    (r"Chrome/|CriOS/|Chromium/", "Chrome"),
    (r"Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "Chromebook"),
    ("Mac OS X|Macintosh", "Mac"),
    ("Linux|X11", "Linux"),
)


def device_name(user_agent: str) -> str:
    """Return browser and system.

    >>> device_name("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox, Linux'
    >>> device_name("curl/8.5"), device_name("")
    ('curl', 'Unknown device')
    """
    parts = [_first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent)]
    known = ", ".join(filter(None, parts))
    program = re.match(r"[\w.-]{1,40}(?=/)", user_agent)
    return known or (program[0] if program else _("Unknown device"))


def _first(patterns: Iterable[tuple[str, str]], text: str) -> str:
    return next((name for pattern, name in patterns if re.search(pattern, text)), "")


def signed_in_by(ways: object) -> str:
    """Return how somebody signed in, from what the session kept of it; "" where it kept nothing.

    >>> signed_in_by([["password", ""], ["mfa", "totp"]])
    'by password and app'
    """
    kinds = [tuple(way) for way in ways] if isinstance(ways, list) else []
    names = [
        name
        for kind, name in (
            (("password", ""), _("password")),
            (("mfa", "totp"), _("app")),
            (("mfa", "webauthn"), _("passkey")),
            (("mfa", "recovery_codes"), _("recovery code")),
        )
        if kind in kinds
    ]
    return _("by %(ways)s") % {"ways": _(" and ").join(names)} if names else ""
