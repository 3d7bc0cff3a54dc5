"""Entries that no rules can read."""

from tests.support.answers import Json

PLAIN: Json = {"hearts": [3, 7, 0, 3], "taken": [[], ["QS"], [], []]}
NONE: list[list[str]] = [[], [], [], []]


def case(entry: object = PLAIN, variant: str = "hearts", **more: object) -> Json:
    return {"variant": variant, "seats": 4, "hands": [{"entry": entry}]} | more


def deep(levels: int) -> object:
    found: object = 0
    for _ in range(levels):
        found = [found]
    return found


HUGE = 10**4000

HOSTILE: list[Json] = [
    case(seats=10**9), case(seats=HUGE), case(variant="x" * 10**6),
    {**case(), "variant": deep(900)},
    case(options={f"o{n}": n for n in range(10**5)}), case(options={"x" * 10**6: 1}),
    case(options={"custom_values": [["QS", 1]] * 10**5}), case(options={"target": deep(900)}),
    case(options={"custom_values": [["*H," * 10**5 + "QS", 1]]}), case(options={"target": HUGE}),
    case(options={"removed_cards": {str(n): ["2C"] for n in range(10**5)}}),
    case({"points": [HUGE, -HUGE, 0, 0]}), case({"points": ["1" * 10**6 + "/3", 0, 0, 0]}),
    case({"points": [0] * 10**6}), case({"points": deep(900), "taken": deep(900)}),
    case({"taken": [["QS"] * 10**6, [], [], []]}),
    case({"taken": [["Q" * 100] * 10**5, [], [], []]}),
    case({"hearts": [HUGE] * 4, "taken": NONE}), case(PLAIN | {"tricks": [HUGE, 0, 0, 0]}),
    case({f"f{n}": n for n in range(10**5)}), case(PLAIN | {"declared": ["QS"] * 10**5}),
    case(hands=[None] * 10**5), case(start_totals=[HUGE] * 4), case(teams=[[0] * 10**5] * 4),
    case(kind="x" * 10**6), case(kind="tricks", tricks=[{"lead": 0, "plays": ["QS"] * 10**5}]),
]  # fmt: skip
