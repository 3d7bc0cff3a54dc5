"""What the host's page may check before a hand is kept without a signal, with its sentences.

Pure. The checks are `scoring.offline_checks`; here they get the names of the rows and their words.
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from scoring.cards import card_sign
from scoring.json_types import JsonDict
from scoring.offline_checks import offline_checks
from scoring.rules.rules import Rules
from tournaments.forms.hands.hand_form_fields import EntryFields
from tournaments.forms.hands.hand_form_widgets import RowPlayer
from tournaments.forms.hands.running_totals import INLINE


def checks_of(rules: Rules, sheet: EntryFields, people: Sequence[RowPlayer]) -> JsonDict:
    """Return the checks of one hand for the page's script.

    Args:
        people: one for each row of the sheet, in order, with its total before the hand.
    """
    sides = [[seat - 1 for seat in side] for side in sheet.sides]
    checks = offline_checks(rules, sheet.seats, sides)
    totals = [0 if person.total is None else person.total for person in people]
    return checks | {
        "names": [person.name for person in people],
        "totals": totals if all(type(total) is int for total in totals) else None,
        "signs": {card: card_sign(card) for card in checks["deck"]},
        "inline": INLINE,
        "say": _texts(),
    }


def _texts() -> dict[str, str]:
    """What the page says of a verdict; {found}, {total}, {card} … are filled in there."""
    return {
        "empty": _("Nothing is entered."),
        "hearts_short": _("{found} of {total} hearts, {n} missing."),
        "hearts_over": _("{found} of {total} hearts, {n} too many."),
        "cards_short": _("{found} of {total} cards assigned."),
        "card_short": _("{card} is missing."),
        "copies_short": _("{found} of {total} {card}."),
        "card_over": _("{card} is assigned {found} times, {total} expected."),
        "unknown": _("“{text}” is not a card of this game."),
        "bad_count": _("“{text}” is not a number."),
        "tricks": _("{found} of {total} tricks."),
        "tricks_needed": _("The tricks are missing."),
        "trickless": _("{name} has cards but no trick."),
        "points": _("The points total {found}. A hand totals {total}."),
        "impossible": _("No deal of the cards gives these points."),
        "settle": _("A player took everything. Enter the points after the moon is settled."),
        "all_clean": _(
            "At least one player took a card, so not all players can be marked as "
            "having taken nothing."
        ),
        "unclaimed": _("In this game every card belongs to a player."),
        "nobody_shot": _("A moon settlement is chosen, but no player took every card."),
        "moon": _("{name} shot the moon. How is the moon settled?"),
        "slam": _("{name} took every card that makes a {slam}. How is it settled?"),
        "self": _("Take {self} off {name}"),
        "others": _("Give {others} to each other"),
        "nothing": _("nothing"),
        "n_points": _("{n} points"),
        "n_tricks": _("{n} trick points"),
        "trick_points": _("The trick points total {found}. All tricks of a hand have {total}."),
        "last_trick": _("The winner of the last trick is missing."),
        "meld_over": _("{meld} is entered {found} times. The pack allows {total}."),
        "total": _("total {n}"),
    }
