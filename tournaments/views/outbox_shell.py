"""What a page gives its outbox for the time without a server: words, names, the ring of deals.

With these the next hands' forms are made on the phone; what they come to is still the server's.
"""

import json
from datetime import datetime
from typing import Any

from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.models.events import Event
from tournaments.selectors.sheets import TableSheet
from tournaments.selectors.tables import pass_in_words
from tournaments.views.desks import Desk


def shell(
    desk: Desk | None = None, *, owner: str = "", is_fresh: bool = False, now: datetime
) -> str:
    """Return the JSON for a page's outbox: of one table, or of all that the phone holds.

    Args:
        owner: for whom hands are kept (`outbox.owner_of`).
        is_fresh: whether the form is empty and for the table's next hand.
        now: when the page's totals were read.
    """
    return json.dumps(_site() | (_of_desk(desk, owner, is_fresh, now) if desk else {}))


def shell_beside(event: Event, sheet: TableSheet) -> str:
    """Return the JSON for a page of one table that has no form of a hand: it shows what waits."""
    return json.dumps(_site() | _of_table(event, sheet))


def _site() -> dict[str, Any]:
    return {
        "worker": reverse("tournaments:service-worker"),
        "icons": static("blacklady/icons.svg"),
        "say": _words(),
    }


def _of_table(event: Event, sheet: TableSheet) -> dict[str, Any]:
    address = (event.club.slug, event.slug, sheet.code)
    names = {"table": sheet.number, "round": sheet.round_number}
    return {
        "table": reverse("tournaments:table", args=address),
        "home": reverse("tournaments:new-hand", args=address),
        "name": _("Table %(table)s, round %(round)s") % names,
    }


def _of_desk(desk: Desk, owner: str, is_fresh: bool, now: datetime) -> dict[str, Any]:
    names = {"table": desk.table.number}
    return _of_table(desk.event, desk.table) | {
        "owner": owner,
        "title": _("Table %(table)s, hand {hand}") % names + f" · {desk.event.club.name}",
        "number": desk.number,
        "of": desk.ahead.of,
        "dealers": [seat.player or str(seat.title) for seat in desk.table.seats],
        "passes": [pass_in_words(way) for way in desk.ahead.ring],
        "fresh": is_fresh,
        "at": now.isoformat(),
    }


def _words() -> dict[str, str]:
    """What the outbox says; {hand}, {n}, {time} … are filled in on the phone."""
    return {
        "hand": _("Hand {hand}"),
        "totals": _("Totals"),
        "of_table": _("{table}, hand {hand}"),
        "head": _("hand {hand}"),
        "head_of": _("hand {hand} of {of}"),
        "save": _("Save hand {hand}"),
        "keep": _("Keep hand {hand}"),
        "waiting": _("waiting, typed {time}"),
        "stopped": _("waiting, typed {time}"),
        "sent": _("sent {time}"),
        "there": _("{time}: there already, with the same numbers"),
        "asked": _("two entries, {time}"),
        "question": _("a choice is open, {time}"),
        "refused": _("refused {time}"),
        "mended": _("mended {time}"),
        "left": _("left {time}"),
        "offline": _("Offline"),
        "offline_one": _("Offline, 1 waits"),
        "offline_many": _("Offline, {n} wait"),
        "asks_one": _("1 asks"),
        "asks_many": _("{n} ask"),
        "sends": _("Sending"),
        "all_sent": _("All sent"),
        "no_signal": _("No signal"),
        "no_signal_one": _("No signal. 1 hand waits on this phone"),
        "no_signal_many": _("No signal. {n} hands wait on this phone"),
        "waits_one": _("1 hand waits on this phone"),
        "waits_many": _("{n} hands wait on this phone"),
        "needs_one": _("1 hand is not in yet and needs you"),
        "needs_many": _("{n} hands are not in yet and need you"),
        "log": _("Sent from this phone"),
        "nothing": _("No hand was typed on this phone today"),
        "go_on": _(
            "Go on typing. They are sent by themselves, each once, as soon as there is a signal; "
            "closing the page does not lose them."
        ),
        "as_of": _("Totals and places as of {time}."),
        "needs": _("What was typed is kept as it was. The other hands go on."),
        "all_typed": _("All {of} hands are typed."),
        "kept": _("Hand {hand} is kept on this phone."),
        "changed": _("Hand {hand} is in the form again. Keep it when it is right."),
        "change": _("Change hand {hand}"),
        "change_short": _("Change"),
        "open_refused": _("Open hand {hand}"),
        "open_question": _("Answer for hand {hand}"),
        "open_asked": _("See both entries of hand {hand}"),
        "open_left": _("Take hand {hand} up again"),
        "leave": _("Leave hand {hand} out"),
        "unknown": _("The server did not take it, and did not say why."),
        "needs_signal": _("This needs a signal. What is typed stays."),
        "kept_page": _("{table}, open without a signal"),
    }
