"""Every body is read by a strict serializer: nothing unknown, nothing coerced, all said at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import transaction
from pytest_django import Settings

import api.urls  # noqa: F401 - every serializer is there once the addresses are
from api.serializers.strict_fields import StrictField
from api.serializers.strict_serializers import StrictSerializer
from tests.api.conftest import Evening
from tests.support.answers import Answer, close_answer, post_json
from tests.support.builders import by_tests
from tests.support.lengths import short_or_long
from tests.support.policy_table import YES, Row, addresses, rows_of
from tests.support.rest.addresses import writes
from tests.support.rest.requests import SignIn
from tests.support.routes import Route
from tests.support.scenarios.every_right import World, every_right
from tests.support.seasons import autumn_season
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

OF_A_STATE = {
    *("change_settings", "change_seats", "preview_seats"),
    *("move_hands", "preview_moved_hands"),
}
NO_JSON = {"import_sheets", "set_logo", "add_photo", "send_mail_again"}
LONG = "x" * 501
WRONG = [
    ("ledger", {"entrant": 1}, "bad_text", "/entrant"),
    ("ledger", {"entrant": None}, "bad_text", "/entrant"),
    ("ledger", {"entrant": "RL\x00"}, "bad_text", "/entrant"),
    ("ledger", {"reason": LONG}, "bad_text", "/reason"),
    ("ledger", {"amount": True}, "bad_text", "/amount"),
    ("ledger", {"amount": 2.5}, "bad_text", "/amount"),
    ("stages", {"cut": [2]}, "bad_text", "/cut"),
    ("disputes", {}, "bad_hand_number", "/hand"),
    ("disputes", {"hand": "1"}, "bad_hand_number", "/hand"),
    ("disputes", {"hand": True}, "bad_hand_number", "/hand"),
    ("disputes", {"hand": 1.0}, "bad_hand_number", "/hand"),
    ("disputes", {"hand": 10**30}, "bad_hand_number", "/hand"),
    ("playoffs/1/extend", {"hands": "2"}, "bad_number_of_hands", "/hands"),
    ("playoffs/1/neutral", {"players": "RL01"}, "bad_text", "/players"),
    ("playoffs/1/neutral", {"players": ["", 5]}, "bad_text", "/players/1"),
    ("absences", {}, "bad_day", "/since"),
    ("absences", {"since": "20251106"}, "bad_day", "/since"),
    ("absences", {"since": "2025-11-06", "until": "2025-13-01"}, "bad_day", "/until"),
    ("challenges/1/result", {"points": {}}, "bad_setting", "/points"),
    ("challenges/1/result", {"points": {"a\x00": 1}}, "bad_text", "/points"),
    ("tables/r1t1/hands", {"number": "3"}, "bad_hand_number", "/number"),
    ("tables/r1t1/hands", {"number": True}, "bad_hand_number", "/number"),
    ("tables/r1t1/hands", {"number": 3, "players": ["RL01", ""]}, "bad_players", "/players"),
    ("tables/r1t1/hands", {"number": 3, "note": 1}, "bad_text", "/note"),
]
NOT_THERE = {
    "restore": "the table is there, and restoring is for one that was removed",
    "unmerge": "the player was not merged",
}
PERMITTED = ("owner", "player", "administrator")


def said(answer: Answer) -> list[tuple[str, str]]:
    assert answer.status_code == 422, answer.content
    return [(error["code"], error["pointer"]) for error in answer.json()["errors"]]


def kinds(of: type[StrictSerializer] = StrictSerializer) -> Iterator[type[StrictSerializer]]:
    for each in of.__subclasses__():
        yield each
        yield from kinds(each)


def test_bodies_are_made_of_fields_that_coerce_nothing() -> None:
    found = {
        f"{kind.__name__}.{name}": field
        for kind in kinds()
        for name, field in kind().fields.items()
    }
    assert len(found) > 40
    assert [name for name, field in found.items() if not isinstance(field, StrictField)] == []


def test_every_write_refuses_members_that_nobody_knows(evening: Evening, signed_in: SignIn) -> None:
    make_house_rules(
        by_tests(), evening.cast.riverside, name="House", chosen=chosen_rules("hearts")
    )
    autumn_season(evening.cast.riverside, preset="")
    olga = signed_in("olga")
    tried = []
    for name, method, path in writes("league"):
        if method == "delete" or name in NO_JSON:
            continue
        tag = '"1"'
        if name in OF_A_STATE:
            tag = olga.get(path.removesuffix("/preview"))["ETag"]
        elif name in ("resolve_import_problem", "decide_entry") or name.startswith("change_"):
            tag = "*"
        answer = olga.generic(
            method.upper(), path, '{"no_such_member": 1}', "application/json",
            headers={"If-Match": tag},
        )  # fmt: skip
        assert ("unknown_member", "/no_such_member") in said(answer), path
        tried.append(name)
    assert len(tried) > 25


def test_upload_refuses_fields_that_nobody_knows(evening: Evening, signed_in: SignIn) -> None:
    answer = signed_in("olga").post(f"{evening.at}/imports", {"no_such_field": "1"})
    assert said(answer) == [("unknown_member", "/no_such_field"), ("file_needed", "/file")]


@pytest.mark.parametrize(("where", "body", "code", "pointer"), WRONG)
def test_nothing_is_coerced(
    evening: Evening, signed_in: SignIn, where: str, body: object, code: str, pointer: str
) -> None:
    assert (code, pointer) in said(post_json(signed_in("olga"), f"{evening.at}/{where}", body))


def test_everything_unreadable_is_said_at_once(evening: Evening, signed_in: SignIn) -> None:
    body = {"table": 1, "hand": "1", "words": LONG, "more": 1}
    assert said(post_json(signed_in("olga"), f"{evening.at}/disputes", body)) == [
        ("unknown_member", "/more"),
        ("bad_text", "/table"),
        ("bad_hand_number", "/hand"),
        ("bad_text", "/words"),
    ]


def test_text_is_kept_as_it_was_sent(evening: Evening, signed_in: SignIn) -> None:
    body = {"table": "r1t1", "hand": 1, "words": "  East\thad 2.\n"}
    answer = post_json(signed_in("olga"), f"{evening.at}/disputes", body)
    assert answer.status_code == 201, answer.content
    assert answer.json()["words"].strip() == "East\thad 2."


@pytest.fixture
def world(db: None, tmp_path: Path, settings: Settings) -> World:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    return every_right(tmp_path)


def posts() -> list[Row]:
    return [
        row
        for route in addresses()
        if route.pattern.startswith("api/")
        for row in rows_of(route.pattern)
        if row.method == "POST"
    ]


def answered(world: World, row: Row, caller: str) -> int:
    path = Route(row.route, None).path(world.names_of(row.route, row.about))
    cache.clear()
    with transaction.atomic():
        answer = world.callers[caller].ask("POST", path, "{}")
        close_answer(answer)
        transaction.set_rollback(True)
    return int(answer.status_code)


def test_empty_body_is_refused_for_what_it_lacks_wherever_the_address_exists(world: World) -> None:
    wrong = []
    rows = posts()
    assert len(rows) > 50
    for row in rows:
        for caller in short_or_long(PERMITTED[:1], PERMITTED):
            if row.expected(caller) != [YES] or row.route.rpartition("/")[2] in NOT_THERE:
                continue
            status = answered(world, row, caller)
            if status == 404 or status >= 500:
                wrong.append(f"POST {row.route}: {caller} got {status}")
    assert not wrong, "\n".join(wrong)
