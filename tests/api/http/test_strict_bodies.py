"""Every body is read by a strict serializer: nothing unknown, nothing coerced, all said at once."""

from collections.abc import Callable, Iterator

import pytest
from django.test import Client

import api.urls  # noqa: F401 - every serializer is there once the addresses are
from api.serializers.strict_fields import StrictField
from api.serializers.strict_serializers import StrictSerializer
from tests.api.conftest import Evening
from tests.support.answers import Answer, post_json
from tests.support.builders import TESTS
from tests.support.cast import NOW
from tests.support.rest.addresses import writes
from tournaments.services.events.seasons import make_season
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

SignIn = Callable[[str], Client]
OF_A_STATE = {"change_settings", "change_seats", "preview_seats"}
"""Writes whose `If-Match` is the ETag of what they change."""
NO_JSON = {"import_sheets", "set_logo", "add_photo", "send_mail_again"}
"""Writes that take a file, and one of an object that is not there."""
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
"""Where what is posted, by which code it is refused, and what that points to."""


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
        actor=TESTS,
        club=evening.cast.riverside,
        name="House",
        chosen=chosen_rules("hearts"),
        now=NOW,
    )
    make_season(
        actor=TESTS, club=evening.cast.riverside, name="Autumn", starts_on="2025-09-01",
        ends_on="2025-12-31", now=NOW,
    )  # fmt: skip
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


def test_everything_that_cannot_be_read_is_said_at_once(
    evening: Evening, signed_in: SignIn
) -> None:
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
