"""House rules as a variant file: what `python -m scoring check` and an upload read."""

from collections.abc import Mapping
from typing import Any, Final

import tomli_w
from django.utils.translation import gettext as _

from scoring.rules.catalogue import Catalogue
from tournaments.models.variants import HouseVersion

MEDIA_TYPE: Final = "application/toml"

_NAMED: Final = ("id", "name", "options")


def rule_file(version: HouseVersion, offered: Catalogue) -> str:
    """Return a version as the text of `thursday-rules.toml`.

    It extends the variant that it began with, and says what differs from it. Where that variant
    is not what it was any more, the file says everything itself: it means the same rules always.
    """
    house = version.variant
    own = {key: rule for key, rule in version.foundation.items() if key not in _NAMED}
    below = _below(version, offered)
    said: dict[str, Any] = {"id": house.slug, "name": house.name}
    if below is not None and below.keys() - set(_NAMED) <= own.keys():
        said["extends"] = version.base
        own = {key: rule for key, rule in own.items() if below.get(key) != rule}
    source = _("House rules of %(club)s, version %(number)s.")
    facts = {"club": house.club.name, "number": version.number}
    said |= {
        "summary": version.about.get("summary", ""),
        "sources": version.about.get("sources") or [source % facts],
        "notes": version.about.get("notes", ""),
    }
    said = {key: text for key, text in said.items() if text} | own
    if version.options:
        said["options"] = version.options
    return tomli_w.dumps(said, multiline_strings=True)


def _below(version: HouseVersion, offered: Catalogue) -> Mapping[str, object] | None:
    """The rules of today that the version began with, where the site still has them."""
    if version.base not in offered.ids or offered.chosen(version.base):
        return None
    return offered.foundation(version.base)
