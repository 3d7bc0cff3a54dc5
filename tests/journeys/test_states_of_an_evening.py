"""The state tables of plans, rounds and evenings, walked: every state, action and role.

`states_of_an_evening.csv` has a row for each state of a thing and each action on it: who may do it
(that role and those above), what REST and the page answer to them, and the state afterwards. `-` is
an action that REST or the page does not have. Whoever may not is refused by both, and nothing
changes.
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Final

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from tests.support.answers import send_json
from tests.support.builders import by_tests, counts, hand, league, players, table
from tests.support.cast import Cast
from tests.support.evenings import NAMES, check_in, evening, plans
from tests.support.lengths import short_or_long
from tests.support.rest.requests import codes
from tests.support.scenarios.planned_evenings import planned_evening
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.selectors.events.meetings import meetings_of
from tournaments.selectors.rounds.round_seating import round_seating
from tournaments.services.rounds.meetings import change_meeting, plan_meeting
from tournaments.services.rounds.rounds import move_round
from tournaments.services.seating_plans.compute_plan import choose_plan
from tournaments.services.seating_plans.make_plans import make_plans

pytestmark = pytest.mark.django_db

ROLES: Final = ("", "piet", "hanna", "dirk", "olga", "nora")
"""The public, a player, a host, a director, an owner; and the director of another club."""
THINGS_BEFORE: Final[Mapping[tuple[str, str], str]] = {
    ("plan", "outdated"): "draft",
    ("round", "complete"): "playing",
    ("meeting", "answered"): "planned",
    ("meeting", "seated"): "planned",
}
"""States of the table that are cases of a stored state."""
LEAST: Final[Mapping[str, tuple[str, ...]]] = {
    "host": ("hanna", "dirk", "olga"),
    "director": ("dirk", "olga"),
}
"""Role of the table → who may."""
PAGE: Final = "/clubs/riverside/events/league"
REST: Final = f"/api/v1{PAGE}"
DAY: Final = date(2025, 11, 13)
NIGHT: Final = date(2025, 11, 6)
SEATS: Final[list[tuple[list[tuple[int, ...]], list[int]]]] = [
    ([(1, 2, 3, 4), (5, 6, 7, 8)], [9]),
    ([(9, 5, 1, 6), (2, 7, 3, 8)], [4]),
]
NO_SUCH: Final = "-"


@dataclass(frozen=True, slots=True)
class Row:
    thing: str
    state: str
    action: str
    may: str
    rest: str
    page: str
    becomes: str

    def __str__(self) -> str:
        return f"{self.thing} {self.state}: {self.action}"


def rows() -> list[Row]:
    path = Path(__file__).with_name("states_of_an_evening.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file, strict=True)]


Sent = tuple[str, str, Mapping[str, object]]
"""Method, address and body or form."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A thing in its state: how it is acted upon, and what its state is now."""

    state: Callable[[], str]
    rest: Mapping[str, Sent]
    page: Mapping[str, Sent]


# --- Plans ---------------------------------------------------------------------------------------


def plan_in(cast: Cast, state: str) -> Stage:
    """A plan of an evening with 9 players; one that is computed has 22."""
    meeting, people = evening(league(cast.riverside), 22 if state == "computing" else 9, on=DAY)
    if state == "computing":
        plan, other, *_more = make_plans(by_tests(), meeting, rounds=6, seed=1)
    else:
        plan, other, *_more = plans(meeting, 2)
        if state in ("chosen", "superseded"):
            choose_plan(by_tests(), plan)
        if state == "superseded":
            choose_plan(by_tests(), other)
        if state == "outdated":
            check_in(meeting, people[8:], state="left")

    def now() -> str:
        found = SeatingPlan.objects.filter(pk=plan.pk).first()
        if found is None:
            return "gone"
        if Round.objects.filter(plan=found).exists():
            return "seated"
        if found.stop_requested:
            return "taken"
        return found.state if found.is_ready else "computing"

    night, own = f"{PAGE}/meetings/{DAY}", str(plan.public_id)
    another = str(other.public_id)
    return Stage(
        now,
        {
            "choose": ("POST", f"{REST}/plans/{own}/choose", {}),
            "choose another": ("POST", f"{REST}/plans/{another}/choose", {}),
            "take": ("POST", f"{REST}/plans/{own}/take", {}),
            "make": ("POST", f"/api/v1{night}/plans", {"rounds": 1, "seed": 3}),
            "seat": ("POST", f"{REST}/rounds", {"plan": own}),
        },
        {
            "choose": ("POST", f"{night}/plans", {"choose": own}),
            "choose another": ("POST", f"{night}/plans", {"choose": another}),
            "take": ("POST", f"{night}/plans", {"take": own}),
            "make": ("POST", f"{night}/plans", {"make": "yes", "rounds": "1", "seed": "3"}),
            "seat": ("POST", f"{night}/seating", {"do": "seat_round"}),
        },
    )


# --- Rounds --------------------------------------------------------------------------------------


def round_in(cast: Cast, state: str) -> Stage:
    """The first round of a chosen plan: two tables of four, one player sits out."""
    night = planned_evening(cast, SEATS)
    night.here(*range(1, 10))
    round_ = night.seat()
    if state == "closed":
        night.play(round_)
    elif state != "draft":
        move_round(by_tests(), round_, to="posted")
    if state in ("playing", "complete"):
        for game in Game.objects.select_related("event", "table"):
            hand(game, 1, [4, 1, 2, 6], 3)
        if state == "complete":
            Game.objects.update(state="complete")

    def now() -> str:
        found = Round.objects.filter(number=1).first()
        return "gone" if found is None else found.state

    at, page = f"{REST}/rounds/1/state", f"{PAGE}/rounds/1/direct"
    why = "They asked for it."
    to = {name: {"to": name} for name in ("draft", "posted", "playing", "closed")}
    reasons = {f"{name} with reason": {"to": name, "reason": why} for name in ("playing", "closed")}
    entry = {"number": 2 if state in ("playing", "complete", "closed") else 1}
    round_.refresh_from_db()
    again = {"do": "redraw", "round": "1", "tag": round_seating(round_).tag}
    n_hands = Hand.objects.count()
    ask = {"do": "redraw_tables", "round": "1", "reason": why, "tag": again["tag"]}
    every = {"scope": "all", "hands": n_hands}
    return Stage(
        now,
        {
            "redraw tables": ("POST", f"{REST}/rounds/1/redraw", {"reason": why}),
            "redraw all": ("POST", f"{REST}/rounds/1/redraw", {"reason": why, **every}),
            **{f"to {name}": ("POST", at, body) for name, body in (to | reasons).items()},
            "enter hand": (
                "POST",
                f"{REST}/tables/r1t1/hands",
                entry | {"entry": counts([4, 1, 2, 6], 3)},
            ),
        },
        {
            **{f"to {name}": ("POST", page, sent) for name, sent in (to | reasons).items()},
            "remove": ("POST", page, {"remove": "yes"}),
            "redraw tables": (
                "POST",
                f"{PAGE}/meetings/{NIGHT}/seating",
                ask | {"scope": "unplayed"},
            ),
            "redraw all": ("POST", f"{PAGE}/meetings/{NIGHT}/seating", ask | every),
            "draw again": ("POST", f"{PAGE}/meetings/{NIGHT}/seating", again),
        },
    )


# --- Evenings ------------------------------------------------------------------------------------


def meeting_in(cast: Cast, state: str) -> Stage:
    """An evening with eight players of the club, the first of whom answered."""
    event = league(cast.riverside)
    people = players(event.club, *NAMES[:8])
    meeting = plan_meeting(by_tests(), event, day=DAY)
    check_in(meeting, people[:1], state="absent" if state == "answered" else "expected")
    if state != "answered":
        meeting.attendance.all().delete()
    if state in ("seated", "held"):
        game = table(event, people[:4], on=DAY)
        if state == "held":
            hand(game, 1, [4, 1, 2, 6], 3)
    if state == "cancelled":
        change_meeting(by_tests(), meeting, state="cancelled", reason="Flood.")

    def now() -> str:
        found = meetings_of(event).filter(pk=meeting.pk).first()
        if found is None:
            return "gone"
        if found.date != DAY:
            return "moved"
        more = "here" if found.attendance.filter(state="here").exists() else ""
        more = more or ("with round" if found.rounds.exists() and state in EMPTY else "")
        return f"{found.state_now} {more}".strip()  # type: ignore[attr-defined]  # annotated

    at, page = f"{REST}/meetings/{DAY}", f"{PAGE}/meetings/{DAY}/change"
    tables = [{"number": 1, "seats": [person.player_id for person in people[4:]]}]
    attendance = f"{PAGE}/meetings/{DAY}/attendance"
    other, why = (DAY + timedelta(days=1)).isoformat(), {"reason": "Flood."}
    return Stage(
        now,
        {
            "cancel": ("PATCH", at, {"state": "cancelled", **why}),
            "cancel without reason": ("PATCH", at, {"state": "cancelled"}),
            "plan again": ("PATCH", at, {"state": "planned"}),
            "move": ("PATCH", at, {"date": other}),
            "remove": ("DELETE", at, {}),
            "remove anyway": ("DELETE", f"{at}?anyway=true", {}),
            "check in": ("PUT", f"{at}/attendance/RL02", {"state": "here"}),
            "make round": ("POST", f"{REST}/rounds", {"date": DAY.isoformat(), "tables": tables}),
        },
        {
            "cancel": ("POST", page, {"cancel": "yes", **why}),
            "cancel without reason": ("POST", page, {"cancel": "yes"}),
            "plan again": ("POST", page, {"again": "yes"}),
            "move": ("POST", page, {"save": "yes", "date": other}),
            "remove": ("POST", page, {"remove": "yes"}),
            "remove anyway": ("POST", page, {"remove": "anyway"}),
            "check in": ("POST", attendance, {"here": "RL02"}),
            "make round": ("POST", f"{PAGE}/new-round", {"on": DAY.isoformat()}),
        },
    )


EMPTY: Final = ("planned", "answered", "cancelled")
"""States of an evening in which no round was made."""
THINGS: Final[Mapping[str, Callable[[Cast, str], Stage]]] = {
    "plan": plan_in,
    "round": round_in,
    "meeting": meeting_in,
}


# --- The walk ------------------------------------------------------------------------------------


def answer_of(client: Client, sent: Sent) -> str:
    """Return `ok`, `no` for whoever may not, the code of a refusal, `refused` from a page."""
    method, address, body = sent
    cache.clear()
    if address.startswith("/api/"):
        given = send_json(client, method, address, body, if_match="*")
        if given.status_code in (401, 403, 404):
            return "no"
        return "ok" if given.status_code < 300 else " ".join(codes(given))
    response = client.post(address, dict(body))
    if response.status_code in (403, 404) or "/accounts/login/" in response.headers.get(
        "Location", ""
    ):
        return "no"
    return {302: "ok", 422: "refused"}.get(response.status_code, str(response.status_code))


def walked(cast: Cast, row: Row) -> Iterator[tuple[str, str, str, str, bool]]:
    """Yield channel, role, answer, the state then, and whether the audit trail tells of it."""
    stage = THINGS[row.thing](cast, row.state)
    for channel, actions in (("rest", stage.rest), ("page", stage.page)):
        for role in ROLES if row.action in actions else ():
            with transaction.atomic():
                lines = AuditLine.objects.count()
                said = answer_of(cast.client(role), actions[row.action])
                yield channel, role, said, stage.state(), AuditLine.objects.count() > lines
                transaction.set_rollback(True)


@pytest.mark.parametrize("row", rows()[:: short_or_long(3, 1)], ids=str)
def test_every_role_gets_what_the_state_table_says(cast: Cast, row: Row) -> None:
    before = THINGS_BEFORE.get((row.thing, row.state), row.state)
    asked = {"rest": row.rest, "page": row.page}
    missing = {channel for channel, expected in asked.items() if expected != NO_SUCH}
    for channel, role, said, state, is_told in walked(cast, row):
        missing.discard(channel)
        at = f"{row} by {channel} as {role or 'public'}"
        if role not in LEAST[row.may]:
            assert (said, state, is_told) == ("no", before, False), at
        elif asked[channel] == "ok":
            # The page seats the first round too.
            is_seated = (channel, row.action, row.becomes) == ("page", "choose", "chosen")
            assert (said, state) == ("ok", "seated" if is_seated else row.becomes), at
        else:
            assert (said, state, is_told) == (asked[channel], before, False), at
    assert missing == set(), f"{row} has no such act by {missing}"


def test_table_has_every_state_with_every_act() -> None:
    told = [(row.thing, row.state, row.action) for row in rows()]
    assert len(set(told)) == len(told)
    for thing in THINGS:
        actions = {action for of, _state, action in told if of == thing}
        states = {state for of, state, _action in told if of == thing}
        assert len([one for one in told if one[0] == thing]) == len(actions) * len(states)
