"""Penalties and bonuses on pages: previewed first, and saved from the preview."""

import re
from collections.abc import Mapping

from django.test import Client

from tests.support.answers import Answer


def digest_in(page: Answer) -> str:
    """Return the mark of what a page previews; "" of a page that previews nothing."""
    match = re.search(r'name="previewed" value="([0-9a-f]+)"', page.content.decode())
    return match[1] if match is not None else ""


def save_previewed(
    client: Client, address: str, fields: Mapping[str, str], *, follow: bool = False
) -> Answer:
    """Preview a form, and save what was previewed; a refused form is returned as it is."""
    page = client.post(address, fields)
    digest = digest_in(page)
    if not digest:
        return page
    return client.post(address, {**fields, "previewed": digest, "go": "save"}, follow=follow)
