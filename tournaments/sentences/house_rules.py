"""Sentences about house rules and their versions."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_rules": _("No table of this event was played with rules version {found}."),
    "unknown_house_rules": _("This club has no house rules with that name."),
    "unknown_house_version": _("These house rules have no version with that number."),
    "name_of_a_variant": _("The name {found} is already used for {variant}. Choose another name."),
    "house_name_taken": _("This club already has house rules called {name}. Choose another name."),
    "name_is_a_version": _(
        "{found} ends like a version number. Choose another name: versions are numbered "
        "automatically."
    ),
    "too_many_steps": _("These are {found} steps. The maximum is {expected}."),
    "rules_file_too_large": _("The file has {found} bytes. The maximum for rules is {expected}."),
    "rules_of_another": _(
        "This file has the id {found}. A new version of these rules needs the id {expected}."
    ),
    "house_rules_moved_on": _(
        "The rules have changed: you have version {yours}, the newest is {theirs}."
    ),
    "house_rules_archived": _("{name} is archived. Unarchive it before you change it."),
    "version_unchanged": _("These rules are the same as version {number}. Change a rule first."),
    "version_in_use": _(
        "{title} is used in {events}, so it cannot be deleted. Archive the house rules instead."
    ),
}
