"""An id of another club is answered like one that nobody has, and changes nothing.

Every address that names something by its id is asked with the id of the same thing in another
club, and with one that is nobody's: the answers are one another's but for the id in them. An owner
asks in their own club, and the owner of the other club asks in this one for what is there.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from tests.support.builders import by_tests, hand, league, season, table
from tests.support.cast import NOW
from tests.support.lengths import is_long, short_or_long
from tests.support.policy_table import YES, Row, addresses, meaning, rows_of
from tests.support.routes import Route
from tests.support.scenarios.every_right import World, constraint_of, every_right, plan_of
from tests.support.webhooks import webhook_of
from tournaments.models.access import Token
from tournaments.models.clubs import Membership, Player
from tournaments.services.access.tokens import make_token
from tournaments.services.clubs.clubs import add_player
from tournaments.services.clubs.invitations import invite
from tournaments.services.clubs.members import claim_player
from tournaments.services.publishing.publications import publish
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

pytestmark = pytest.mark.tier_all

NOBODY = UUID(int=7)
UNKNOWN: Mapping[str, object] = {
    **dict.fromkeys(
        (
            "member",
            "invitation",
            "claim",
            "token",
            "notice",
            "plan",
            "constraint",
            "webhook",
            "delivery",
        ),
        NOBODY,
    ),
    **dict.fromkeys(("event", "season", "house", "slug"), "zz-nothing"),
    **dict.fromkeys(("player_id", "entrant"), "ZZ99"),
}
"""Ids that nothing has."""
SECRET = {"member", "invitation", "claim", "token", "event", "player_id", "plan", "constraint"} | {
    "webhook", "delivery",
}  # fmt: skip
"""Names of ids that nobody outside the club knows, of an event that is held and its players."""
LEADS_BACK = {
    "clubs/<slug:club>/invitations/<uuid:invitation>",
    "api/v1/clubs/<name:club>/seasons/<name:season>",
}
"""What says beside a list that something is there no more, or asks for `If-Match` first."""
BODIES = (
    ("POST", "api/v1/clubs/riverside/players/{own}/merge", '{{"into": "{player_id}"}}'),
    ("POST", "api/v1/clubs/riverside/players/{own}/link", '{{"member": "{member}"}}'),
    (
        "POST",
        "api/v1/clubs/riverside/invitations",
        '{{"role": "player", "player_id": "{player_id}"}}',
    ),
    ("POST", "clubs/riverside/merge-player/{own}", "into={player_id}"),
    ("POST", "clubs/riverside/link-player/{own}", "member={member}"),
    ("POST", "clubs/riverside/members", "role-{member}=host"),
    ("POST", "clubs/riverside/events/held-league/constraints", "remove={constraint}"),
    ("POST", "clubs/riverside/events/held-league/meetings/2025-11-06/plans", "choose={plan}"),
    ("POST", "clubs/riverside/tokens", "revoke={token}"),
    ("POST", "clubs/riverside/events/held-league/new-entrant", "players={player_id}"),
)
"""What names something in a body, and the names of it."""
WRITES = re.compile(r'^\s*(INSERT INTO|UPDATE|DELETE FROM)\s+"?(tournaments_\w+)', re.IGNORECASE)
NEW = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"|quote this reference: \w+')
"""What is another one in each answer."""
NO_RIGHT = {"tournaments_token", "tournaments_reply", "tournaments_refusedact"}
"""Tables of what is kept about a request: that a token was used, what a key was answered,
that it was refused."""


@pytest.fixture
def world(db: None, tmp_path: Path, settings: Settings) -> World:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    return every_right(tmp_path)


@pytest.fixture
def theirs(world: World) -> Mapping[str, object]:
    """Ids of Hilltop, which has the same things."""
    club, now = world.hidden.cast.hilltop, timezone.now()
    users = world.hidden.cast.users
    people = [
        add_player(by_tests(now), club, name=f"Hill {n}.", player_id=f"HT0{n}") for n in range(1, 6)
    ]
    event = league(club, slug="hill-league", name="Hill")
    hand(table(event, people[:4]), 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)
    season(event, slug="winter", name="Winter")
    make_house_rules(
        by_tests(),
        club,
        name="Hills",
        slug="hills",
        chosen=chosen_rules("hearts", {"target": 60}, "Theirs"),
    )
    make_token(by_tests(now), club, user=users["nora"], scope="manage")
    claim = claim_player(world.hidden.cast.operation("mia", now), people[4])
    return {
        "player_id": "HT01",
        "entrant": "HT01",
        "event": "hill-league",
        "season": "winter",
        "house": "hills",
        "slug": "hills",
        "member": Membership.objects.get(club=club, user=users["mia"]).public_id,
        "claim": claim.public_id,
        "invitation": invite(by_tests(now), club, role="host", name="Ina").public_id,
        "token": Token.objects.get(club=club).public_id,
        **webhook_of(club),
        "plan": plan_of(event),
        "constraint": constraint_of(event),
    }


def told(world: World, caller: str, method: str, path: str, sends: str = "") -> tuple[Any, ...]:
    """What an answer says: status, meaning, where it leads, body; and which rows it wrote."""
    cache.clear()
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        answer = world.callers[caller].ask(method, path, sends)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        transaction.set_rollback(True)
    written = {
        match[2] for query in queries.captured_queries if (match := WRITES.match(query["sql"]))
    }
    return meaning(answer), answer.headers.get("Location", ""), body.decode(), written - NO_RIGHT


def without(said: tuple[Any, ...], *ids: object) -> tuple[Any, ...]:
    """The same without these ids, and without what is new in every answer."""
    kind, to, body, _ = said
    for one in ids:
        to, body = to.replace(str(one), "…"), body.replace(str(one), "…")
    return kind, to, NEW.sub("", body)


def named() -> Iterator[tuple[Row, str]]:
    """Every line whose address holds an id, with each of the names of ids.

    The short form takes every other address, one of the names of a line, by turns, and each name of
    an event's address with one method.
    """
    for number, route in enumerate(addresses()):
        if number % short_or_long(2, 1):
            continue
        asked = set()
        for at, row in enumerate(rows_of(route.pattern)):
            if "clubs/<" not in row.route or row.route.startswith(("t/", "setup", "invitations/")):
                continue
            names = [one for one in re.findall(r"<(?:\w+:)?(\w+)>", row.route) if one in UNKNOWN]
            if not is_long() and names:
                names = [names[(at + len(row.route)) % len(names)]]
            for name in names:
                once = (row.route, name) if ":event>" in row.route else (row, name)
                if is_long() or once not in asked:
                    asked.add(once)
                    yield row, name


@pytest.mark.timeout(1800)
def test_id_of_another_club_is_nobodys(world: World, theirs: Mapping[str, object]) -> None:
    wrong, n = [], 0
    for row, name in named():
        leads_on = row.right in ("be led on", "own account")
        if YES not in row.expected("owner") or leads_on or name not in theirs:
            continue
        names = dict(world.names_of(row.route, row.about))
        answers = []
        for one in (theirs[name], UNKNOWN[name]):
            path = Route(row.route, None).path({**names, name: one})
            answers.append(told(world, "owner", row.method, path, row.sends))
        n += 1
        foreign, unknown = answers
        kinds = ("hidden", YES) if row.route in LEADS_BACK else ("hidden",)
        if foreign[0] not in kinds or foreign[3] or unknown[3]:
            wrong.append(f"{row.method} {row.route} {row.sends}: {name} {foreign[0]} {foreign[3]}")
        elif without(foreign, theirs[name]) != without(unknown, UNKNOWN[name]):
            wrong.append(f"{row.method} {row.route} {row.sends}: {name} told apart")
    assert n > short_or_long(50, 100)
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(1800)
def test_owner_of_another_club_cannot_tell_which_ids_there_are(world: World) -> None:
    world.show_to("held")
    spare = Player.objects.get(club=world.club, name="Spare S.").player_id
    wrong = []
    for row, name in named():
        if YES in row.expected("other owner", "held") or name not in SECRET:
            continue
        names = {**world.names_of(row.route, row.about), "player_id": spare}
        there, nowhere = (
            told(world, "other owner", row.method, Route(row.route, None).path(at), row.sends)
            for at in (names, {**names, name: UNKNOWN[name]})
        )
        if there[3] or without(there, names[name]) != without(nowhere, UNKNOWN[name]):
            wrong.append(f"{row.method} {row.route} {row.sends}: {name} {there[0]} {nowhere[0]}")
    assert not wrong, "\n".join(wrong)


def test_id_of_another_club_in_a_body_is_nobody(world: World, theirs: Mapping[str, object]) -> None:
    spare = Player.objects.get(club=world.club, name="Spare S.").player_id
    ids = [*theirs.values(), *UNKNOWN.values()]
    for method, path, sends in BODIES:
        where = f"/{path.format(own=spare)}"
        foreign = told(world, "owner", method, where, sends.format(**theirs))
        unknown = told(world, "owner", method, where, sends.format(**UNKNOWN))
        assert (foreign[3], unknown[3]) == (set(), set()), (where, sends)
        assert without(foreign, *ids) == without(unknown, *ids), (where, sends)
        assert foreign[0] in (YES, "hidden"), (where, sends)


def test_audit_trail_is_asked_of_one_club_only(world: World, theirs: Mapping[str, object]) -> None:
    nora = User.objects.get(username="nora")
    for query in (f"by=user:{nora.pk}", f"object=player:{theirs['player_id']}", "by=nora"):
        answer = world.callers["owner"].ask("GET", f"/api/v1/clubs/riverside/audit?{query}")
        assert "Hill" not in answer.content.decode()
        if answer.status_code == 200:
            assert answer.json()["results"] == []
