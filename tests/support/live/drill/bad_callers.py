"""Faults that callers cause: malformed and oversized bodies, guesses, races, wrong clocks."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random
from typing import Any, Final

from tests.support.live.drill.account import HandId, Sheet
from tests.support.live.drill.faults import FAULTS, Fault, Scene, fault
from tests.support.live.drill.people import CLUB, correct, path_of
from tests.support.live.page_client import SIGN_IN
from tests.support.live.slow_clients import SlowClients

HOSTILE: Final[Sequence[Any]] = (
    -1, 1.5, 1e308, "13 ", "١٣", 10**40, None, True, [], {}, "NaN", "=1+1", 14, [13], "\x00",
)  # fmt: skip
GUESSES: Final = 24


def _some_hand(scene: Scene) -> HandId:
    return scene.chance.choice(scene.account.hands_of(scene.chance.choice(scene.slugs)))


def _hands(scene: Scene) -> str:
    """The address of the hands of a table where somebody plays or has played."""
    return path_of(_some_hand(scene), is_new=True)


@fault("malformed bodies", "F15")
def _malformed(scene: Scene) -> Iterator[None]:
    path = _hands(scene)
    bodies: Sequence[object] = ({}, [], "text", 7, {"number": 99}, {"number": 99, "unknown": 1})
    for body in bodies:
        scene.host.refused("POST", path, body)
    for method in ("PATCH", "PUT", "DELETE"):
        scene.host.refused(method, path, {})
    scene.host.refused("POST", path, {"number": 99}, **{"Content-Type": "text/plain"})
    yield


@fault("hostile scores", "F16")
def _hostile_scores(scene: Scene) -> Iterator[None]:
    path = _hands(scene)
    for value in HOSTILE:
        entry = {"hearts": [value, 12, 0, 0], "taken": [["QS"], [], [], []]}
        scene.host.refused("POST", path, {"number": 99, "entry": entry})
    yield


@fault("oversized bodies", "F17")
def _oversized(scene: Scene) -> Iterator[None]:
    nested: Any = []
    for _ in range(400):
        nested = [nested]
    for entry in ({"hearts": [0] * 40_000}, {"hearts": nested}, {"note": "x" * 300_000}):
        scene.host.refused("POST", _hands(scene), {"number": 99, "entry": entry})
    yield


@fault("ids of another club", "F21")
def _foreign_ids(scene: Scene) -> Iterator[None]:
    path = _hands(scene)
    for method, at in (("POST", path), ("PUT", f"{path}/1"), ("POST", f"{path}/1/void")):
        body = {"number": 99, "entry": Sheet(1).entry, "reason": "Mine."}
        scene.foreigner.insist(method, at, body, expected=frozenset({403, 404}))
    yield


@fault("guessed links and tokens", "F22")
def _guesses(scene: Scene) -> Iterator[None]:
    for _ in range(GUESSES):
        scene.stranger.refused("GET", f"/t/{scene.chance.getrandbits(256):064x}")
        guess = {"Authorization": f"Bearer bl_{scene.chance.getrandbits(256):064x}"}
        scene.stranger.refused("GET", f"{CLUB}/members", **guess)
    yield


@fault("forms of a foreign page", "F24")
def _foreign_forms(scene: Scene) -> Iterator[None]:
    origin = {"Origin": "https://evil.example"}
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for path in (SIGN_IN, "/clubs/riverside/events/first/rounds/1/board"):
        scene.stranger.refused("POST", path, "a=b", **origin, **form)
    yield


@fault("webhooks to private addresses", "F25")
def _private_webhooks(scene: Scene) -> Iterator[None]:
    for url in ("http://127.0.0.1/", "https://169.254.169.254/", "https://[::1]/", "file:///etc/x"):
        body = {"url": url, "kinds": ["publication.created"]}
        scene.owner.refused("POST", f"{CLUB}/webhooks", body)
    yield


@fault("one hand sent 20 times at once", "F7")
def _double_submission(scene: Scene) -> Iterator[None]:
    """The hand is one that is there: everybody is told so, and nothing is stored."""
    hand, key = _some_hand(scene), {"Idempotency-Key": scene.director.new_key()}
    path, body = path_of(hand, is_new=True), {"number": hand.number, "entry": Sheet(5).entry}

    def send(_: int) -> int:
        return scene.director.insist("POST", path, body, expected=frozenset({409}), **key).status

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(send, range(20)))
    yield


@fault("three correct one hand at once", "F8")
def _three_editors(scene: Scene) -> Iterator[None]:
    hand = _some_hand(scene)
    with ThreadPoolExecutor(3) as pool:
        steps = range(1, 4)
        corrections = pool.map(lambda step: correct(scene.director, hand, "races", step), steps)
    if sum(corrections) > 1:
        scene.account.complain(f"{hand}: several corrections of one revision")
    yield


@fault("clocks of clients a day off", "F10")
def _wrong_clients(scene: Scene) -> Iterator[None]:
    for days in (-1, 1):
        date = format_datetime(datetime.now(UTC) + timedelta(days=days), usegmt=True)
        correct(scene.director, _some_hand(scene), "corrections under a wrong clock", Date=date)
    yield


@fault("clients that never finish a request", "–", 3)
def _slow_clients(scene: Scene) -> Iterator[None]:
    port = scene.some_machine.web.port
    large = f"{CLUB}/events/{scene.slugs[0]}/standings"
    with SlowClients(port, scene.chance.choice(("head", "trickled body")), 30, large=large):
        yield


ALL_FAULTS: Final[Sequence[Fault]] = tuple(FAULTS)
"""The faults of machines, and those of callers."""


def draw(chance: Random, *, without: frozenset[str]) -> Iterator[Fault]:
    """Draw faults for ever: each kind once in an order by chance, then all of them again."""
    kinds = [fault for fault in ALL_FAULTS if fault.kind not in without]
    while True:
        yield from chance.sample(kinds, len(kinds))
