"""House rules as a variant file: what `python -m scoring check` and an upload read."""

from collections.abc import Mapping
from typing import Any, Final

import tomli_w
from django.utils.translation import gettext as _

from scoring.rules.catalogue import Catalogue
from tournaments.models.rules import HouseVersion

MEDIA_TYPE: Final = "application/toml"
_NAMED: Final = ("id", "name", "options")


def rule_file(version: HouseVersion, offered: Catalogue) -> str:
    """Return a version as the text of a variant file.

    It extends the variant that it is based on, with the differences only. If that variant has
    changed, the file has all rules, so that it always means the same.
    """
    house = version.variant
    rules = {key: rule for key, rule in version.foundation.items() if key not in _NAMED}
    below = _below(version, offered)
    document: dict[str, Any] = {"id": house.slug, "name": house.name}
    if below is not None and below.keys() - set(_NAMED) <= rules.keys():
        document["extends"] = version.base
        rules = {key: rule for key, rule in rules.items() if below.get(key) != rule}
    source = _("House rules of %(club)s, version %(number)s.")
    facts = {"club": house.club.name, "number": version.number}
    document |= {
        "summary": version.about.get("summary", ""),
        "sources": version.about.get("sources") or [source % facts],
        "notes": version.about.get("notes", ""),
    }
    document = {key: text for key, text in document.items() if text} | rules
    if version.options:
        document["options"] = version.options
    return tomli_w.dumps(document, multiline_strings=True)


def _below(version: HouseVersion, offered: Catalogue) -> Mapping[str, object] | None:
    if version.base not in offered.ids or offered.chosen(version.base):
        return None
    return offered.foundation(version.base)
