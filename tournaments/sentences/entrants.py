"""Sentences about entrants of an event, sit-outs, penalties and bonuses."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_entrant": _("{found} is not an entrant of this event."),
    "unknown_line": _("There is no penalty or bonus with that number in this event."),
    "bad_ledger_kind": _("{found} is not allowed. Use penalty or bonus."),
    "bad_amount": _(
        "“{found}” is not a valid amount. Enter a number above 0, for example 2, 2.5 or 5/2."
    ),
    "amount_not_exact": _(
        "{found} cannot be stored exactly. Use tenths or fractions down to fifteenths. The "
        "nearest amounts are {nearest}."
    ),
    "amount_too_large": _("{found} is too large. The maximum for one entry is {expected}."),
    "line_is_withdrawn": _("Entry {number} has already been withdrawn."),
    "unknown_sit_out": _("{found} does not sit out in round {round}."),
    "bad_sit_out_reason": _("{found} is not a reason to sit out. Use bye, late, left or rest."),
    "entrant_is_seated": _("{name} sits at table {table} in round {round}."),
    "entrant_sits_out": _(
        "{name} sits out in round {round}. Remove the sit-out on the page of the round first."
    ),
    "sits_out_already": _("{name} already sits out in round {round}."),
    "bad_entrant_kind": _("{found} is not a kind of entrant. Use player, pair or team."),
    "members_count": _("Players entered: {found}. Expected: {expected}."),
    "competes_already": _("{player} already competes in this event with {entrant}."),
    "entrant_has_results": _(
        "{entrant} already has results in this event, so the players cannot change."
    ),
    "entrant_code_taken": _("The code {found} is already used. Choose another code."),
    "entrant_code_not_usable": _(
        "{found} cannot be used in an address. Use up to {expected} letters or digits."
    ),
    "player_alone_has_no_name": _(
        "{entrant} is a single player. Change the name in the club’s list of players."
    ),
    "ledger_in_other_units": _(
        "Penalties and bonuses are in the unit of {before}: {lines}. Withdraw them first, then "
        "add them in the unit of {wanted}."
    ),
    "side_is_empty": _("Enter a pair for side {side}."),
    "side_not_understood": _(
        "“{found}” is not a pair of this event. Enter the pair’s name, or both players’ names "
        "with & between them."
    ),
    "side_of_several": _("Several pairs begin with “{found}”. Choose one."),
    "team_needs_names": _(
        "{team} has {n} members. Enter the names of the two players with & between them."
    ),
    "side_of_two_pairs": _(
        "{names} are not a pair. If you seat them anyway, their hands do not count for a pair."
    ),
    "side_with_a_partner": _(
        "{names} are not a pair. If you seat them anyway, their hands count for {pair} and for "
        "{alone} alone."
    ),
    "side_of_singles": _(
        "{names} are not a pair. If you seat them anyway, their hands count for each player alone."
    ),
    "pair_on_both_sides": _(
        "{pair} would play on both sides. If you seat them anyway, their hands do not count."
    ),
}
