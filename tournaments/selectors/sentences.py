"""The sentences of a publication with names in them: it says who is meant by id (design.md 8.7)."""

from typing import Final

_LEADS: Final = ("above ", "level with ", "beside ")
_BEHIND: Final = " behind "


def sentence(text: str, code: str, name: str) -> str:
    """Return a published sentence with the name of the entrant `code`, its neighbour, in it.

    >>> sentence("7 ÷ 2 = 3.5000, 1.5000 behind RL03", "RL03", "Leo K.")
    '7 ÷ 2 = 3.5000, 1.5000 behind Leo K.'
    >>> sentence("above RL03: RL03 has too few games for a rank", "RL03", "Leo K.")
    'above Leo K.: Leo K. has too few games for a rank'
    """
    for lead in _LEADS:
        if code and text.startswith(f"{lead}{code}:"):
            after = text[len(lead) + len(code) :]
            again = f": {code} has "
            if after.startswith(again):
                after = f": {name} has {after.removeprefix(again)}"
            return f"{lead}{name}{after}"
    if code and text.endswith(_BEHIND + code):
        return f"{text.removesuffix(code)}{name}"
    return text
