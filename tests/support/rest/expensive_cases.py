"""Cases of `POST /score` that cost the most."""

import json

from api.v1.rules.variants import MOST_SCORED_BYTES

HARD = ("high-hearts", "royal-hearts", "complex-hearts", "gong-zhu-exposed", "super-hearts")


def worst(number: int) -> str:
    cases = []
    size = 2
    for place in range(100_000):
        points = [number, place % 97 + 100, place % 89, place]
        one = {"variant": HARD[place % 5], "seats": 4, "hands": [{"entry": {"points": points}}]}
        size += len(json.dumps(one, separators=(",", ":"))) + 1
        if size > MOST_SCORED_BYTES:
            break
        cases.append(one)
    return json.dumps(cases, separators=(",", ":"))
