"""What is paid instead of the points of a hand, on a rules card.

Pure. See docs/rules-cards.md and docs/algorithms/settlements.md.
"""

from collections.abc import Iterator

from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from scoring.rules.types import Settle
from scoring.rules_card.parts import Row, Section, Text
from scoring.rules_card.wording import make_sentence, no_cards


def settling(rules: Rules, seats: int) -> Section | None:
    """What is paid instead of the points of the hand, where something is."""
    settle = rules.keys.settle
    if settle is None:
        return None
    row = Row("settle", make_sentence("Each hand"), tuple(_settle(prepare(rules, seats), settle)))
    return Section("settle", make_sentence("What is written"), (row,))


def _settle(ready: Prepared, rule: Settle) -> Iterator[Text]:
    yield from _stake(rule)
    yield _winners(ready, rule)
    if rule.pays == "difference":
        yield make_sentence(
            "Each other player pays the winner the difference between their points."
        )
        if rule.winners == "lowest_positive":
            yield make_sentence("Players with exactly 0 neither pay nor win.")
        yield make_sentence("Several winners share what is paid.")
        return
    yield make_sentence("The winner gets the pool; several winners share it equally.")
    if rule.remainder == "stay":
        yield make_sentence("A remainder that cannot be shared evenly stays in the pool.")
    else:
        yield make_sentence("It is shared exactly, in fractions where needed.")
    if rule.winners == "clean" and rule.all_to_one == "carry":
        yield make_sentence("Where only one player took any of them, nobody wins.")
    elif rule.winners == "clean":
        yield make_sentence("Where only one player took any of them, all others share.")
    if rule.winners != "lowest":
        yield make_sentence("Where nobody wins, the pool stays for the next hand.")


def _stake(rule: Settle) -> Iterator[Text]:
    yield make_sentence("Payments are written, not the points of the cards.")
    if rule.stake == "ante":
        each = rule.ante
        one = "Before each hand every player puts 1 chip into the pool."
        more = "Before each hand every player puts {n} chips into the pool."
        yield make_sentence(one) if each == 1 else make_sentence(more, n=each)
        yield make_sentence(
            "A total is what a player has in chips; agree on how many everybody begins with."
        )
    elif rule.stake == "deal_points":
        yield make_sentence("The points of all players together go into the pool.")
    elif rule.pays == "pot":
        yield make_sentence("Nothing is put into the pool.")


def _winners(ready: Prepared, rule: Settle) -> Text:
    if rule.winners == "clean":
        none = no_cards(ready.deck, ready.clean)
        return make_sentence("A player who takes {none} wins the hand.", none=none)
    return make_sentence(
        {
            "lowest": "The lowest points of the hand win it.",
            "lowest_nonpositive": "The lowest points win the hand, if they are 0 or less.",
            "lowest_positive": "The lowest points above 0 win the hand.",
        }[rule.winners]
    )
