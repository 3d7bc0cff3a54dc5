"""Deals from a stored seed, and what is published of it before they are played.

Pure. See docs/algorithms/duplicate.md, "Deals from a seed".
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Final

from scoring.duplicate.deals import EACH, PACK, SEATS, DealtBoard, sorted_cards, usual_dealer
from scoring.seating.splitmix import SplitMix

_STATE_BYTES: Final = 8


def deal_from_seed(seed: str, number: int) -> DealtBoard:
    """Return board `number` of a seed: the pack shuffled, thirteen cards each to N, E, S and W.

    Each board has a generator of its own, begun with the first 64 bits of the SHA-256 of
    `<seed>:<number>`, so that a board that is known tells nothing of the seed or of another one.

    Source: SplitMix64 and Fisher-Yates, `scoring/seating/splitmix.py`.

    >>> deal = deal_from_seed("2f1c", 2)
    >>> deal.dealer, deal.hands[0][:4]
    ('E', ('4C', '6C', '10C', 'JC'))
    """
    state = hashlib.sha256(f"{seed}:{number}".encode()).digest()[:_STATE_BYTES]
    cards = SplitMix(int.from_bytes(state, "big")).shuffled(PACK)
    hands = tuple(sorted_cards(cards[EACH * at : EACH * (at + 1)]) for at in range(len(SEATS)))
    return DealtBoard(number, usual_dealer(number), hands)


def commitment_of(secret: str) -> str:
    """Return what is published of a seed, or of the text of a deal file, before it is shown.

    >>> commitment_of("2f1c")[:12]
    '81bb73ed134b'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def deal_text(deals: Iterable[DealtBoard]) -> str:
    """Return deals as the one text that their commitment is made of: compact JSON, by number."""
    in_order = sorted(deals, key=lambda deal: deal.number)
    return json.dumps({"deals": [deal.as_json() for deal in in_order]}, separators=(",", ":"))
