"""A rules card: one page about one rule set for players, and two of them side by side.

Pure. Everything on it comes from the resolved rules, so a house rule, or the snapshot that a table
played under, has a card like a shipped variant. See docs/rules-cards.md.
"""

from scoring.entry.entry import require_seats
from scoring.rules.rules import Rules
from scoring.rules_card.counting import counting
from scoring.rules_card.deck import players
from scoring.rules_card.ending import ending
from scoring.rules_card.example import example
from scoring.rules_card.melds import melds
from scoring.rules_card.moons import moons
from scoring.rules_card.parts import Card, Pair, Section
from scoring.rules_card.playing import play
from scoring.rules_card.settling import settling
from scoring.rules_card.writing import writing

USUAL_SEATS = 4


def usual_seats(rules: Rules) -> int:
    """The number of players that a card is for where nobody asks: four, or what is nearest."""
    least, most = rules.keys.players
    return min(max(least, USUAL_SEATS), most)


def rules_card(rules: Rules, seats: int | None = None) -> Card:
    """The card of these rules for so many players.

    Args:
        rules: any resolved rules.
        seats: players at the table; four, or what is nearest, where it is not said.

    Raises:
        Refused: seat_count, where these rules are not for so many.
    """
    number = usual_seats(rules) if seats is None else require_seats(rules, seats)
    sections: tuple[Section | None, ...] = (
        players(rules, number),
        play(rules, number),
        counting(rules, number),
        melds(rules),
        settling(rules, number),
        None if rules.keys.melds else moons(rules, number),
        ending(rules, number),
        example(rules, number),
        writing(rules, number),
    )
    found = tuple(section for section in sections if section is not None and section.rows)
    return Card(rules.id, rules.name, rules.content_hash, number, found)


def compare(left: Card, right: Card) -> tuple[Pair, ...]:
    """Two cards row by row, in the order of the left one; a row of one card only stands alone.

    Rows are the same rule where section and key are; `Pair.same` tells whether both say the same.
    """
    pairs = []
    for key in _merged([item.key for item in left.sections], [item.key for item in right.sections]):
        one, other = left.section(key), right.section(key)
        heading = (one or other or left.sections[0]).heading
        lefts = {row.key: row for row in one.rows} if one else {}
        rights = {row.key: row for row in other.rows} if other else {}
        for row_key in _merged(list(lefts), list(rights)):
            mine, theirs = lefts.get(row_key), rights.get(row_key)
            row = mine or theirs
            if row is not None:
                pairs.append(Pair(heading, row_key, row.heading, mine, theirs))
    return tuple(pairs)


def _merged(left: list[str], right: list[str]) -> list[str]:
    """Both lists in one; what only the right one has stands after what it follows there."""
    merged = list(left)
    for place, key in enumerate(right):
        if key not in merged:
            before = [merged.index(other) for other in right[:place] if other in merged]
            merged.insert(max(before, default=-1) + 1, key)
    return merged
