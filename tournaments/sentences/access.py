"""Sentences about rights, tokens, sessions and table links."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "forbidden": _("Your role in this club does not allow you to {act}."),
    "beyond_scope": _("This token only allows you to {scope}. It does not allow you to {act}."),
    "second_factor_needed": _(
        "You may {act} once your account has a second factor. Add one on your account page "
        "(/account), then try again."
    ),
    "club_is_read_only": _(
        "This club is being deleted, so nobody can {act}. Undo the deletion in the club settings "
        "first."
    ),
    "link_opens_nothing": _("This link does not open a table. Ask the director for a new code."),
    "bad_link_time": _("A link cannot be valid for {found} hours. The maximum is {expected}."),
    "no_role": _("{user} has no role in {club}. Assign a role first, or leave out the club."),
    "unknown_token": _("There is no token with that id."),
    "bad_token_scope": _("{found} is not a scope. Use read, enter or manage."),
    "scope_too_wide": _("Your role allows tokens up to {expected}, not {found}."),
    "no_own_role": _("You have no role in {club}, so a token cannot be for this club."),
    "bad_token_time": _("A token must be valid for 1 to {expected} days, not {found}."),
    "unknown_setup_link": _(
        "This link does not work any more. Print a new one with {command} setup_link."
    ),
    "unknown_session": _("This session has ended, or it is the present one."),
    "setup_opens_nothing": _(
        "This set-up link does not work. Create a new one on the server with {command} setup_link."
    ),
    "accounts_exist": _("There are accounts already, so no set-up link is needed."),
}
