"""What a page gives its outbox for the time without a server: words, names, the ring of deals.

With these the next hands' forms are made on the phone; what they come to is still the server's.
"""

import json
from collections.abc import Mapping
from datetime import datetime

from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _

from scoring.json_types import JsonDict
from tournaments.models.events import Event
from tournaments.models.meetings import Table
from tournaments.selectors.hands.score_sheet_views import TableSheet
from tournaments.views.hands.hand_screen import HandScreen


def outbox_json(
    screen: HandScreen | None = None,
    *,
    owner: str = "",
    is_get: bool = False,
    is_fresh: bool = False,
    now: datetime,
) -> str:
    """Return the JSON for a page's outbox: of one table, or of all that the phone holds.

    Args:
        owner: for whom hands are kept (`queue_answers.owner_of`).
        is_get: whether the page was asked for, and is not the answer to a form.
        is_fresh: whether the form is empty and for the table's next hand.
        now: when the page's totals were read.
    """
    found = _site() | {"is_get": is_get}
    if screen is None:
        found["say"] = {**_texts(), **_texts_of_device()}
    return json.dumps(found | (_of_screen(screen, owner, is_fresh, now) if screen else {}))


def outbox_json_without_form(event: Event, sheet: TableSheet, now: datetime) -> str:
    """Return the JSON for a page of one table that has no form of a hand: it shows what waits."""
    address = (event.club.slug, event.slug, sheet.code)
    of_table = _of_table(address, sheet.number, sheet.round_number)
    return json.dumps(_site() | of_table | {"at": now.isoformat()})


def outbox_json_of_link(table: Table, owner: str) -> str:
    """Return the JSON for the page of a table's link, which makes the table's page ready."""
    address = (table.event.club.slug, table.event.slug, table.code)
    of_table = _of_table(address, table.number, table.round.number)
    return json.dumps(_site() | of_table | {"owner": owner, "prepare": True})


def outbox_json_of_page(page: JsonDict, texts: Mapping[str, str]) -> JsonDict:
    """Return what the queue of another page than a table's needs, with its own texts."""
    return _site() | page | {"say": {**_texts(), **texts}}


def _site() -> dict[str, object]:
    return {
        "worker": reverse("tournaments:service-worker"),
        "icons": static("blacklady/icons.svg"),
        "say": _texts(),
    }


def _of_table(
    address: tuple[str, str, str], number: int, round_number: int | None
) -> dict[str, object]:
    names = {"table": number, "round": round_number}
    return {
        "table": reverse("tournaments:table", args=address),
        "home": reverse("tournaments:new-hand", args=address),
        "name": _("Table %(table)s, round %(round)s") % names,
    }


def _of_screen(screen: HandScreen, owner: str, is_fresh: bool, now: datetime) -> JsonDict:
    names = {"table": screen.table.number}
    return _of_table(screen.address, screen.table.number, screen.table.round_number) | {
        "owner": owner,
        "title": _("Table %(table)s, hand {hand}") % names + f" · {screen.event.club.name}",
        "number": screen.number,
        "of": screen.ahead.of,
        "dealers": [seat.player or str(seat.title) for seat in screen.table.seats],
        "passes": screen.ahead.ring,
        "fresh": is_fresh,
        "at": now.isoformat(),
    }


def _texts() -> dict[str, str]:
    """What the outbox says; {hand}, {n}, {time} … are filled in on the phone."""
    return {
        "hand": _("Hand {hand}"),
        "totals": _("Totals"),
        "of_table": _("{table}, hand {hand}"),
        "head": _("hand {hand}"),
        "head_of": _("hand {hand} of {of}"),
        "enter": _("Enter hand {hand}"),
        "save": _("Save hand {hand}"),
        "keep": _("Save hand {hand} offline"),
        "waiting": _("not sent yet, entered {time}"),
        "waiting_sum": _("not sent yet, wrong total, entered {time}"),
        "waiting_choice": _("not sent yet, a choice is open, entered {time}"),
        "stopped": _("not sent yet, entered {time}"),
        "stopped_sum": _("not sent yet, wrong total, entered {time}"),
        "stopped_choice": _("not sent yet, a choice is open, entered {time}"),
        "sent": _("sent {time}"),
        "there": _("{time}: already entered with the same numbers"),
        "asked": _("two entries, {time}"),
        "question": _("a choice is open, {time}"),
        "refused": _("refused {time}"),
        "mended": _("corrected {time}"),
        "left": _("left out {time}"),
        "offline": _("Offline"),
        "offline_one": _("Offline, 1 not sent"),
        "offline_many": _("Offline, {n} not sent"),
        "asks_one": _("1 asks"),
        "asks_many": _("{n} ask"),
        "sends": _("Sending"),
        "unsaved": _("Not saved"),
        "all_sent": _("All sent"),
        "no_signal": _("No signal"),
        "no_signal_one": _("No signal, 1 hand not sent yet"),
        "no_signal_many": _("No signal, {n} hands not sent yet"),
        "away_needs_one": _("No signal, 1 hand not accepted yet"),
        "away_needs_many": _("No signal, {n} hands not accepted yet"),
        "waits_one": _("1 hand not sent yet"),
        "waits_many": _("{n} hands not sent yet"),
        "needs_one": _("1 hand not accepted yet"),
        "needs_many": _("{n} hands not accepted yet"),
        "log": _("Sent from this device"),
        "nothing": _("No hand was entered on this device today"),
        "go_on": _(
            "Saved on this device, not sent yet. Enter the next hand: each hand is sent once, "
            "automatically, when there is a signal. You can close the page."
        ),
        "go_away": _(
            "Enter the next hand: it is saved on this device and sent once, automatically, when "
            "there is a signal. You can close the page."
        ),
        "stopped_all": _(
            "Saved on this device, not sent yet. Do what is asked at each hand below. The hand "
            "is then sent once, automatically."
        ),
        "as_of": _("Totals and places as of {time}."),
        "needs": _("Your entry is saved on this device. Open the hand to see what to do."),
        "all_typed": _("All {of} hands are entered."),
        "kept": _("Hand {hand} is saved on this device."),
        "keep_anyway": _("Save offline anyway"),
        "no_moon": _("No moon: back to the hand"),
        "total_so_far": _("{n} so far"),
        "total_unsent": _("{n} so far, not sent"),
        "total_without": _("{text}, sent hands only"),
        "restored": _("Numbers of {time}, not saved yet."),
        "discard": _("Discard"),
        "ready": _("Ready for offline use"),
        "changed": _("Hand {hand} is in the form again. Save it when it is right."),
        "change": _("Change hand {hand}"),
        "change_short": _("Change"),
        "open_refused": _("Open hand {hand}"),
        "open_question": _("Answer for hand {hand}"),
        "open_asked": _("See both entries of hand {hand}"),
        "open_left": _("Edit hand {hand}"),
        "leave": _("Leave out hand {hand}"),
        "unknown": _("The server did not accept it and gave no reason."),
        "cannot_keep": _(
            "This device cannot save a hand, and there is no signal. Leave this page open and "
            "save again when there is a signal."
        ),
        "needs_signal": _("This needs a signal. Your entry stays in the form."),
        "kept_page": _("{table}, available offline"),
    }


def _texts_of_device() -> dict[str, str]:
    """What the page of the device says, which has hands and attendance."""
    return {
        "n_hands_one": _("1 hand"),
        "n_hands_many": _("{n} hands"),
        "n_changes_one": _("1 attendance change"),
        "n_changes_many": _("{n} attendance changes"),
        "n_both": _("{hands} and {changes}"),
        "waits_of": _("{what} not sent yet"),
        "needs_of": _("{what} not accepted yet"),
        "no_signal_of": _("No signal, {what} not sent yet"),
        "away_needs_of": _("No signal, {what} not accepted yet"),
        "nothing": _("Nothing was entered on this device today"),
        "go_on": _(
            "Saved on this device, not sent yet. Each hand and each attendance change is sent "
            "once, automatically, when there is a signal. You can close the page."
        ),
        "go_away": _(
            "Each hand and each attendance change is saved on this device and sent once, "
            "automatically, when there is a signal."
        ),
        "stopped_all": _(
            "Saved on this device, not sent yet. Do what is asked at each line below. It is then "
            "sent once, automatically."
        ),
        "needs": _("Your entry is saved on this device. Open it to see what to do."),
        "open_change": _("Send again"),
        "leave_change": _("Discard"),
    }
