"""Sentences about clubs, their settings and their deletion."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_club": _("There is no club with that name here."),
    "unknown_logo": _("The club has no such logo."),
    "no_name": _("Enter a name with at least one visible letter, digit or symbol."),
    "name_too_long": _("This name has {found} characters. The maximum is {expected}."),
    "no_slug": _(
        "This name cannot be turned into an address. Enter an address with lowercase letters a "
        "to z, digits and hyphens."
    ),
    "bad_language": _("{language} is not a language of this site."),
    "slug_taken": _("{slug} is already taken."),
    "bad_slug": _("{slug} cannot be used. Use lowercase letters, digits and hyphens."),
    "bad_colour": _(
        "“{found}” is not a colour. Enter # and six digits or letters a to f, for example #0a5167."
    ),
    "colour_too_light": _(
        "Text in the colour {found} has a contrast of {contrast}:1 on light pages. At least "
        "{expected}:1 is needed. Choose a darker colour."
    ),
    "bad_time_zone": _(
        "{zone} is not a time zone. Enter a time zone such as Europe/Berlin or UTC."
    ),
    "club_outdated": _(
        "The settings of the club have changed. Check the current settings, then change them."
    ),
    "export_needed": _(
        "Export the club’s data first. An export counts for {days} days, then export it again."
    ),
    "address_not_confirmed": _(
        "{found} is not the address of this club. Enter {expected} to confirm the deletion."
    ),
    "no_deletion": _("The deletion of this club has been undone already."),
    "deletion_begun": _("The deletion of this club has begun and cannot be undone any more."),
}
