"""Whatever a body of sheets has in it, it is entered or refused with a place for each problem."""

import copy
import random
from typing import Any

import pytest

from tests.api.conftest import Evening
from tests.support.answers import post_json
from tests.support.lengths import short_or_long
from tests.support.rest.requests import SignIn
from tournaments.models.hands import Hand

PEOPLE = ["RL01", "RL02", "RL03", "RL04"]
ENTRY = {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}
ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 7, 10**30, 1.5, "", "x", "\x00", "RL01", "2025-11-06", "QS", "é" * 600),
    *([], [[]], [1, 2], ["QS"], [None] * 50, {}, {"a": {}}, {"number": 1}),
)


def body(mode: str) -> dict[str, Any]:
    """A night of two tables; the first one is in the event already."""
    hand = {"number": 1, "entry": ENTRY, "players": PEOPLE}
    sheet = {
        "round": 1, "date": "2025-11-06", "table": 1, "variant": "hearts", "players": PEOPLE,
        "hands": [hand, {"number": 3, "entry": {"points": [4, 1, 2, 19]}}],
    }  # fmt: skip
    other = {**sheet, "round": 2}
    return copy.deepcopy({"mode": mode, "sheets": [sheet, other]})


def places(found: object, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place within a body."""
    inner: list[tuple[Any, ...]] = [at] if at else []
    pairs = [*found.items()] if isinstance(found, dict) else []
    pairs = [*enumerate(found)] if isinstance(found, list) else pairs
    for key, value in pairs:
        inner += places(value, (*at, key))
    return inner


def spoilt(sent: dict[str, Any], luck: random.Random) -> dict[str, Any]:
    """The body with up to three of its places changed."""
    for _ in range(luck.randint(0, 3)):
        *above, last = luck.choice(places(sent))
        owner: Any = sent
        for key in above:
            owner = owner[key]
        what = luck.choice(("odd", "odd", "gone", "more"))
        if what == "gone":
            del owner[last]
        elif what == "more" and isinstance(owner, dict):
            owner["more"] = luck.choice(ODD)
        else:
            owner[last] = copy.deepcopy(luck.choice(ODD))
    return sent


@pytest.mark.parametrize("mode", ["all", "each"])
def test_odd_bodies_are_refused_in_their_places(
    evening: Evening, signed_in: SignIn, mode: str
) -> None:
    hanna, luck = signed_in("hanna"), random.Random(f"sheets {mode}")  # noqa: S311
    seen: dict[int, int] = {}
    for _ in range(short_or_long(100, 2000)):
        before = Hand.objects.count()
        sent = spoilt(body(mode), luck)
        answer = post_json(hanna, f"{evening.at}/sheets", sent)
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
        assert answer.status_code in (200, 201, 400, 422), (sent, answer.content)
        if answer.status_code == 422:
            assert Hand.objects.count() == before
            assert all(one["pointer"].startswith("/") for one in answer.json()["errors"]), sent
        elif answer.status_code < 400:
            found = [len(one["hands"]) for one in answer.json()["results"]]
            assert found == [
                len(one["hands"]) if isinstance(one, dict) and isinstance(one.get("hands"), list)
                else 0
                for one in sent["sheets"]
            ]  # fmt: skip
    accepted, needed = (201, 422) if mode == "all" else (200, 200)
    assert seen[accepted] > 10
    assert seen[needed] > 10
    assert Hand.objects.filter(number=1).count() > 1, "some were entered"
