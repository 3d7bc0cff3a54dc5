"""Addresses that are tested for names which a reader may not see."""

import re

NAMED = re.compile(r"<(?:\w+:)?(\w+)>")
NOT_WALKED = ("/accounts/", "/admin/", "/static/", "/t/", "/theme", "/healthz", "/readyz")
"""How links begin that are not followed: they sign out, are the same for all, or join a table."""
