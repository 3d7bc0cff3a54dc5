"""Texts that look like tables and are none: messages of a chat with points of hands."""

import re
from typing import Final

from tournaments.documents.read.people_list import SENT

MOST_LINES: Final = 40
"""Lines of a text that are looked at."""

LEAST: Final = 2
"""Messages with points that make a text a chat about hands, and numbers of such a message."""

NUMBER: Final = re.compile(r"(?<![\w.:/-])[+-]?[0-9]{1,3}(?![\w.:/-]*[\w])")

CHAT: Final = (
    "These are messages of a chat, not a table. Copy the points into a table and paste that: "
    "first a line with the names, then a line for each hand, with semicolons between the cells, "
    "for example “Ann; Béatrice; Cai; David”, then “13; 5; 8; 0”."
)


def is_chat_of_hands(text: str) -> bool:
    """Whether most messages of a chat have several numbers, as points of hands are.

    >>> is_chat_of_hands("[13.10.26, 22:11] Ann: Ann 13 Bo 5\\n[13.10.26, 22:12] Ann: Ann 0 Bo 8")
    True
    >>> is_chat_of_hands("[13.10.26, 22:11] Ann: I am in\\n[13.10.26, 22:12] Bo: me too, at 8")
    False
    """
    messages = []
    for line in text.splitlines()[:MOST_LINES]:
        match = SENT.match(line.strip())
        if match is not None:
            messages.append(line.strip()[match.end() :].partition(":")[2])
    with_points = [text for text in messages if len(NUMBER.findall(text)) >= LEAST]
    return len(with_points) >= LEAST and len(with_points) * 2 > len(messages)
