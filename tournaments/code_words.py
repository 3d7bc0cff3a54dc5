"""Codes in words: what acts and states are called in a sentence.

Codes are what programs read: REST gives them as facts. A sentence is for people.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

ACTS: Final[Mapping[str, str]] = {
    "read_public": _("read what is public"),
    "read_members": _("read what is for members"),
    "read_held": _("read events for directors only"),
    "enter_hand": _("enter hands"),
    "seat_open_table": _("seat an open table"),
    "close_table": _("close a table"),
    "import_sheets": _("import sheets"),
    "correct_closed": _("correct closed rounds"),
    "void_hand": _("delete a hand"),
    "remove_photo": _("remove a photo"),
    "file_disputed": _("save a hand as disputed"),
    "penalize": _("give penalties and bonuses"),
    "open_dispute": _("report a problem with a hand"),
    "rule_on_disputes": _("rule on disputes"),
    "read_dispute": _("read disputes"),
    "challenge": _("issue challenges"),
    "confirm_result": _("confirm a result"),
    "manage_event": _("manage an event"),
    "publish": _("publish standings"),
    "house_rules": _("edit house rules"),
    "manage_links": _("create and revoke table links"),
    "edit_players": _("change the list of players"),
    "add_guest": _("add a guest"),
    "manage_club": _("manage the club"),
    "make_club": _("create a club"),
}
"""Act of the role table → what it is, as in "you may …"."""

STATES: Final[Mapping[str, str]] = {
    "in_play": _("in progress"),
    "by_lot": _("decided by lot"),
    "forfeited_c": _("forfeited by the challenger"),
    "forfeited_d": _("forfeited by the challenged"),
}
"""State → what it is called, where that is not the word itself."""

OF_A_LINK: Final[Mapping[str, str]] = {
    "read_public": _("Read the public pages of the club."),
    "read_members": _(
        "Read this table’s sheet, hands, revisions, photos and rules, even if the event is for "
        "members only."
    ),
    "read_held": _("Read them even if the event is for directors only."),
    "enter_hand": _(
        "Enter hands or totals, preview and save corrections and undo the last change while the "
        "round is open. Add photos and check the entries against the sheet."
    ),
    "open_dispute": _("Report a problem with a hand of this table, and withdraw the report."),
    "read_dispute": _("Read the disputes about this table."),
    "confirm_result": _("Confirm the result of a challenge played at this table."),
}
"""Act of the role table → what the holder of a table's link may do by it, a sentence each."""

_OF_ACTS: Final = ("act",)
_OF_STATES: Final = ("state", "wanted")


def in_words(facts: Mapping[str, int | str]) -> dict[str, int | str]:
    """Return the facts of a problem as its sentence says them.

    >>> in_words({"act": "correct_closed", "state": "in_play", "round": 3})
    {'act': 'correct closed rounds', 'state': 'in progress', 'round': 3}
    """
    said = dict(facts)
    for names, words in ((_OF_ACTS, ACTS), (_OF_STATES, STATES)):
        for name in names:
            if said.get(name) in words:
                said[name] = gettext(words[str(said[name])])
    return said
