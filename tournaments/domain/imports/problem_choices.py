"""What a problem of an import is about, and what a person may do about it, by its code."""

from typing import Final, NamedTuple

COMPARE: Final = "compare"
"""Choose between the stored hand and that of the file."""
OFFERS: Final = "offers"
NAME: Final = "name"
"""Say who sat there: a player, or somebody new."""
ROWS: Final = "rows"
LEAVE_OUT: Final = "leave_out"


class DeclaredChoices(NamedTuple):
    """`choices` are in the order in which they are shown.

    With `is_of_one_name` a name in the file is the problem, not the place where it is.
    """

    topic: str
    choices: tuple[str, ...] = (OFFERS, ROWS, LEAVE_OUT)
    is_of_one_name: bool = False


_OF_PEOPLE: Final = DeclaredChoices("players", (OFFERS, NAME, ROWS, LEAVE_OUT))
_OF_ONE_NAME: Final = _OF_PEOPLE._replace(is_of_one_name=True)
_STORED: Final = DeclaredChoices("stored")
OF_ROWS: Final = DeclaredChoices("sheets")
_DECLARED: Final = {
    "hand_exists": DeclaredChoices("stored", (COMPARE, ROWS)),
    **dict.fromkeys(("result_exists", "players_disagree"), _STORED),
    **dict.fromkeys(("unknown_player", "ambiguous_name"), _OF_ONE_NAME),
    **dict.fromkeys(("id_name_disagree", "no_player"), _OF_PEOPLE),
    **dict.fromkeys(("player_at_two_tables", "same_player_twice"), _OF_PEOPLE),
}


def choices_of(code: str) -> DeclaredChoices:
    return _DECLARED.get(code, OF_ROWS)
