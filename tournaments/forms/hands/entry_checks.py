"""What the host's page may check before a hand is kept without a signal, with its sentences.

Pure. The checks are `scoring.entry_checks`; here they get the names of the rows and their words.
"""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from scoring.cards import card_sign
from scoring.entry_checks import entry_checks
from scoring.rules.rules import Rules
from tournaments.forms.hands.entry_fields import EntryFields
from tournaments.forms.hands.entry_widgets import RowPlayer
from tournaments.forms.hands.running_totals import INLINE


def checks_of(rules: Rules, sheet: EntryFields, people: Sequence[RowPlayer]) -> dict[str, Any]:
    """Return the checks of one hand for the page's script.

    Args:
        people: one for each row of the sheet, in order, with its total before the hand.
    """
    sides = [[seat - 1 for seat in side] for side in sheet.sides]
    checks = entry_checks(rules, sheet.seats, sides)
    totals = [0 if person.total is None else person.total for person in people]
    return checks | {
        "names": [person.name for person in people],
        "totals": totals if all(type(total) is int for total in totals) else None,
        "signs": {card: card_sign(card) for card in checks["deck"]},
        "inline": INLINE,
        "say": _words(),
    }


def _words() -> dict[str, str]:
    """What the page says of a verdict; {found}, {total}, {card} … are filled in there."""
    return {
        "empty": _("Nothing is entered."),
        "hearts_short": _("{found} of {total} hearts, {n} missing."),
        "hearts_over": _("{found} of {total} hearts, {n} too many."),
        "cards_short": _("{found} of {total} cards given out."),
        "card_short": _("{card} is missing."),
        "copies_short": _("{found} of {total} {card}."),
        "card_over": _("{card} is given {found} times, {total} expected."),
        "unknown": _("“{text}” is not a card of this game."),
        "bad_count": _("“{text}” is not a count."),
        "tricks": _("{found} of {total} tricks."),
        "tricks_needed": _("The tricks are missing."),
        "trickless": _("{name} has cards but no trick."),
        "points": _("The points come to {found}; a hand comes to {total}."),
        "all_clean": _("Somebody took a card: not everybody took nothing."),
        "unclaimed": _("Every card belongs to a player here."),
        "nobody_shot": _("A settlement is chosen, but nobody took every card."),
        "moon": _("{name} shot the moon. How is it settled?"),
        "slam": _("{name} took every card that makes a {slam}. How is it settled?"),
        "self": _("Take {self} off {name}"),
        "others": _("Give {others} to each other"),
        "nothing": _("nothing"),
        "n_points": _("{n} points"),
        "total": _("total {n}"),
    }
