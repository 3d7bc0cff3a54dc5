"""Codes in words: what operations and states are called in a sentence."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import Final

from django.utils import formats
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

RIGHTS: Final = {
    "read_public": _("read what is public"),
    "read_members": _("read what is for members"),
    "read_held": _("read events for directors only"),
    "read_draft": _("read drafted rounds"),
    "enter_hand": _("enter hands"),
    "undo_own_hand": _("undo a hand that you entered"),
    "seat_open_table": _("seat an open table"),
    "close_table": _("close a table"),
    "extend_round": _("extend a round"),
    "import_sheets": _("import sheets"),
    "correct_closed": _("correct closed rounds"),
    "void_hand": _("delete a hand"),
    "remove_photo": _("remove a photo"),
    "file_disputed": _("save a hand as disputed"),
    "penalize": _("give penalties and bonuses"),
    "open_dispute": _("report a problem with a hand"),
    "rule_on_disputes": _("rule on disputes"),
    "note_own_result": _("write to the directors about your own values"),
    "read_dispute": _("read disputes"),
    "challenge": _("issue challenges"),
    "confirm_result": _("confirm a result"),
    "manage_event": _("manage an event"),
    "publish": _("publish standings"),
    "house_rules": _("edit house rules"),
    "manage_links": _("create and revoke table links"),
    "take_attendance": _("take attendance"),
    "check_in": _("check in"),
    "check_in_tonight": _("check in with the code of a card"),
    "own_link": _("use a personal link"),
    "confirmed_link": _("do what a mail to the player confirms"),
    "edit_players": _("change the list of players"),
    "read_contacts": _("see mail addresses of players"),
    "manage_contacts": _("manage mail addresses and personal links"),
    "add_guest": _("add a guest"),
    "link_players": _("link players to accounts"),
    "merge_players": _("merge players"),
    "edit_own_player": _("edit your own player"),
    "create_event": _("create events"),
    "archive_event": _("archive events"),
    "manage_members": _("manage members and invitations"),
    "manage_club": _("manage the club"),
    "export_club": _("export the club"),
    "delete_club": _("delete the club"),
    "manage_club_tokens": _("manage all tokens of the club"),
    "manage_webhooks": _("manage webhooks"),
    "erase_player": _("erase a person"),
    "export_player": _("export the data of a person"),
    "read_audit": _("read the audit trail"),
    "read_mail": _("read outgoing mail"),
    "own_account": _("manage your own account"),
    "join_club": _("join a club"),
    "make_club": _("create a club"),
}
"""Right of the role table → what it is, as in "you may …"."""


STATES: Final = {
    "in_play": _("in progress"),
    "by_lot": _("decided by lot"),
    "forfeited_c": _("forfeited by the challenger"),
    "forfeited_d": _("forfeited by the challenged"),
}
"""State → what it is called, where that is not the word itself."""


DRAWN_FROM: Final = {
    "scores": _("scores"),
    "places": _("places"),
    "results": _("results of the round before"),
    "wild_cards": _("wild cards"),
    "meetings": _("who met before"),
    "players": _("who plays"),
    "pairs": _("pairs or teams"),
    "constraints": _("who may sit together"),
    "settings": _("settings of the stage"),
    "cut": _("who qualified for the stage"),
}
"""Source of a draw → its name."""


OF_A_ROLE: Final = {
    "player": (
        _("Read what is for members only."),
        _("Report an absence, challenge, and confirm or dispute your own results."),
    ),
    "host": (
        _("Everything that a player may do."),
        _("Enter and import sheets, resolve problems, add guests."),
    ),
    "director": (
        _("Everything that a host may do."),
        _("Run events: seating, corrections, disputes, players, publishing."),
    ),
    "owner": (
        _("Everything that a director may do."),
        _("Manage members and roles, settings of the club, tokens, and erasing."),
    ),
}
"""Role → what it allows."""


def author_name(name: str | None) -> str:
    """Return who did something, for a sentence; the holder of a table's link may have no name."""
    return name or gettext("somebody")


_TABLE: Final = re.compile(r"r(\d+)t(\d+)")
_CODE: Final = re.compile("[a-z]+_[a-z]+")


def in_words(facts: Mapping[str, int | str]) -> dict[str, int | str]:
    """Return the facts of a problem in words, for its sentence.

    >>> in_words({"act": "correct_closed", "state": "in_play", "round": 3})
    {'act': 'correct closed rounds', 'state': 'in progress', 'round': 3}
    >>> in_words({"table": "r3t2"}), in_words({"table": "r3t2", "round": 3})
    ({'table': '2 of round 3'}, {'table': '2', 'round': 3})
    >>> in_words({"date": "2025-11-06"})
    {'date': 'Thursday 6 November 2025'}
    """
    texts = dict(facts)
    for name, words in (("act", RIGHTS), ("state", STATES), ("wanted", STATES)):
        if texts.get(name) in words:
            texts[name] = gettext(words[str(texts[name])])
    if states := texts.get("possible"):
        texts["possible"] = _CODE.sub(lambda code: gettext(STATES[code[0]]), str(states))
    if kinds := texts.get("drawn_from"):
        texts["drawn_from"] = re.sub(r"\w+", lambda kind: gettext(DRAWN_FROM[kind[0]]), str(kinds))
    with suppress(KeyError, ValueError):
        texts["date"] = formats.date_format(date.fromisoformat(str(texts["date"])), "l j F Y")
    if match := _TABLE.fullmatch(str(texts.get("table", ""))):
        texts["table"] = match[2]
        if "round" not in texts:
            texts["table"] = gettext("{table} of round {round}").format(
                table=match[2], round=match[1]
            )
    return texts
