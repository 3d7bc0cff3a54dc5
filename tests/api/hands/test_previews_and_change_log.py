"""A preview over REST, saving what was previewed, and the change log as JSON and CSV."""

from collections.abc import Callable, Mapping

import pytest
from django.test import Client

from tests.api.conftest import Evening
from tests.support.answers import Answer, post_json, send_json
from tests.support.builders import by_tests, counts, hand
from tests.support.cast import NOW
from tests.support.module_scope import made_once
from tests.support.rest.requests import SignIn
from tournaments.models.hands import Entry
from tournaments.models.jobs import Dirty
from tournaments.models.standings import Change
from tournaments.selectors.hands.disputes import get_dispute
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.disputes import open_dispute, rule_on_dispute
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round

SWAPPED = counts([4, 2, 1, 6], 3)


def make_closed(evening: Evening) -> Evening:
    """The round of the evening is closed: hands 4 1 2 6 and a moon's worth."""
    move_game(by_tests(), evening.game, to="complete")
    move_round(by_tests(), evening.game.table.round, to="closed")
    publish(evening.event.pk, now=NOW)
    return evening


closed_once, closed = made_once("closed", make_closed)


def ask(client: Client, path: str, body: Mapping[str, object], revision: int | None = 1) -> Answer:
    headers = {} if revision is None else {"If_Match": f'"{revision}"'}
    return post_json(client, path, body, **headers)


def put(client: Client, path: str, body: Mapping[str, object]) -> Answer:
    return send_json(client, "PUT", path, body, If_Match='"1"')


def kept() -> tuple[object, ...]:
    return (
        list(Entry.objects.order_by("pk").values_list()),
        list(Change.objects.order_by("pk").values_list()),
        list(Dirty.objects.order_by("pk").values_list()),
    )


def test_preview_says_the_differences_and_can_be_saved(closed: Evening, signed_in: SignIn) -> None:
    dirk, first = signed_in("dirk"), f"{closed.at}/tables/r1t1/hands/1"
    before = kept()
    answer = ask(dirk, f"{first}/preview", {"entry": SWAPPED})
    assert answer.status_code == 200
    body = answer.json()
    assert kept() == before
    assert body["hand"]["before"]["scores"] == [4, 1, 2, 19]
    assert body["hand"]["after"] == {
        "state": "accepted",
        "revision": 2,
        "entry": SWAPPED,
        "scores": [4, 2, 1, 19],
    }
    assert body["rows"]["changed"] == len(body["rows"]["results"])
    saved = put(dirk, first, {"entry": SWAPPED, "reason": "Swapped.", "previewed": body["digest"]})
    assert saved.status_code == 200
    publish(closed.event.pk, now=NOW)
    now = {row["player_id"]: row for row in dirk.get(f"{closed.at}/standings").json()["rows"]}
    for row in body["rows"]["results"]:
        assert now[row["player_id"]] == row["after"]
    assert body["publication"]["after"] == closed.event.publications.latest("number").number


def test_save_of_an_outdated_preview_gets_the_new_one(closed: Evening, signed_in: SignIn) -> None:
    dirk, first = signed_in("dirk"), f"{closed.at}/tables/r1t1/hands/1"
    told = ask(dirk, f"{first}/preview", {"entry": SWAPPED}).json()
    hand(closed.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="One heart to South.")
    before = kept()
    body = {"entry": SWAPPED, "reason": "Swapped.", "previewed": told["digest"]}
    answer = put(dirk, first, body)
    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "preview_outdated"
    assert kept() == before
    there = answer.json()["there"]
    assert there["digest"] != told["digest"]
    assert put(dirk, first, {**body, "previewed": there["digest"]}).status_code == 200


@pytest.mark.parametrize(
    ("body", "revision", "status", "code"),
    [
        ({"entry": SWAPPED}, None, 428, "if_match_needed"),
        ({"entry": SWAPPED}, 7, 412, "entry_outdated"),
        ({"entry": counts([4, 2, 1, 5], 3)}, 1, 422, "missing_cards"),
        ({"act": "undo"}, 1, 422, "nothing_to_undo"),
        ({"act": "erase"}, 1, 422, "bad_parameter"),
        ({"act": "void", "reason": "Lost\x00."}, 1, 422, "bad_text"),
        ({"act": "void", "reason": "x" * 501}, 1, 422, "bad_text"),
        ({"act": "void", "reason": " "}, 1, 422, "reason_required"),
        ({"act": "void", "why": "x"}, 1, 422, "unknown_member"),
        ({"entry": SWAPPED, "why": "x"}, 1, 422, "unknown_member"),
        ({"entry": SWAPPED, "reason": None}, 1, 422, "bad_text"),
    ],
)
def test_preview_is_refused_as_the_change_would_be(
    closed: Evening,
    signed_in: SignIn,
    body: Mapping[str, object],
    revision: int | None,
    status: int,
    code: str,
) -> None:
    before = kept()
    answer = ask(signed_in("dirk"), f"{closed.at}/tables/r1t1/hands/1/preview", body, revision)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (status, code)
    assert kept() == before


def test_void_and_undo_are_previewed_too(closed: Evening, signed_in: SignIn) -> None:
    dirk, second = signed_in("dirk"), f"{closed.at}/tables/r1t1/hands/2/preview"
    body = ask(dirk, second, {"act": "void"}).json()
    assert body["hand"]["after"]["state"] == "void"
    hand(closed.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="One heart to South.")
    body = ask(dirk, second, {"act": "undo"}, 2).json()
    assert body["hand"]["after"]["revision"] == 3
    assert body["hand"]["after"]["entry"] == counts([0, 13, 0, 0], 0)


@pytest.mark.parametrize(
    "body",
    [
        {"act": "void", "reason": None},
        {"act": "void", "reason": 5},
        {"act": "void", "note": None, "entry": None, "players": 1},
        {"act": "undo", "reason": None},
    ],
)
def test_preview_needs_no_reason_and_reads_no_entry_where_nothing_is_entered(
    closed: Evening, signed_in: SignIn, body: Mapping[str, object]
) -> None:
    hand(closed.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="One heart to South.")
    before = kept()
    answer = ask(signed_in("dirk"), f"{closed.at}/tables/r1t1/hands/2/preview", body, 2)
    assert answer.status_code == 200, answer.json()
    assert kept() == before


def test_change_log_has_each_change_by_its_publication(closed: Evening, signed_in: SignIn) -> None:
    hand(closed.game, 1, [4, 2, 1, 6], 3, based_on=1, reason="=1+1 swapped", now=NOW)
    published = publish(closed.event.pk, now=NOW)
    assert published is not None
    void_hand(closed.cast.operation("dirk"), closed.game, number=2, based_on=1, reason="Lost.")
    anybody = Client()
    page = anybody.get(f"{closed.at}/changes").json()
    assert [(result["kind"], result["by"], result["number"]) for result in page["results"]] == [
        ("void_hand", "director", 2),
        ("correct_hand", "owner", 1),
        ("close_round", "owner", None),
    ]
    latest, earlier, _closed = page["results"]
    assert (earlier["reason"], earlier["facts"]) == ("=1+1 swapped", {"revision": 2})
    assert (earlier["publication"], latest["publication"]) == (published.number, None)
    since = anybody.get(f"{closed.at}/changes?since={earlier['version']}").json()["results"]
    assert [one["kind"] for one in since] == ["void_hand"]
    table = anybody.get(f"{closed.at}/changes.csv").content.decode()
    assert table.splitlines()[0] == "version,at,kind,by,table,number,reason,publication"
    assert "correct_hand,owner,r1t1,1,'=1+1 swapped,2" in table
    only = anybody.get(f"{closed.at}/changes.csv?since={earlier['version']}").content.decode()
    assert len(only.splitlines()) == 2
    assert anybody.get(f"{closed.at}/changes?since=x").status_code == 400


def test_change_without_another_table_is_held_by_the_publication_of_it(closed: Evening) -> None:
    points: dict[str, object] = {"points": [4, 1, 2, 19]}
    record_entry(
        by_tests(), closed.game, number=1, entry=points, based_on=1, source="host",
        reason="Only the points are sure.",
    )  # fmt: skip
    dispute = open_dispute(by_tests(), closed.game, number=1, words="Not mine.")
    rule_on_dispute(
        by_tests(), get_dispute(closed.event, dispute.number), to="rejected",
        ruling="It is.",
    )  # fmt: skip

    def holding() -> list[tuple[str, int | None]]:
        lines = Client().get(f"{closed.at}/changes").json()["results"]
        return [(line["kind"], line["publication"]) for line in lines]

    closing = ("close_round", 1)
    assert holding() == [("ruling", None), ("correct_hand", None), closing]
    published = publish(closed.event.pk, now=NOW)
    assert published is not None
    assert published.number == 1
    assert holding() == [("ruling", 1), ("correct_hand", 1), closing]
    hand(closed.game, 2, [0, 12, 1, 0], 0, based_on=1, reason="One heart to South.")
    publish(closed.event.pk, now=NOW)
    assert holding() == [("correct_hand", 2), ("ruling", 1), ("correct_hand", 1), closing]


def test_change_log_goes_on_page_by_page(evening: Evening) -> None:
    for revision in range(1, 6):
        entry = [4, 2, 1, 6] if revision % 2 else [4, 1, 2, 6]
        hand(evening.game, 1, entry, 3, based_on=revision, reason=f"Look {revision}.")
    anybody, at = Client(), f"{evening.at}/changes?limit=2"
    said = []
    while at:
        page = anybody.get(at).json()
        said += [result["reason"] for result in page["results"]]
        at = page["next"]
    assert said == [f"Look {revision}." for revision in range(5, 0, -1)]


def test_change_log_is_read_by_who_reads_the_event(
    play: Callable[..., Evening], signed_in: SignIn
) -> None:
    held = play("held", "held")
    for name, status in (("dirk", 200), ("hanna", 404), ("piet", 404), ("nora", 404)):
        for form in ("", ".csv"):
            assert signed_in(name).get(f"{held.at}/changes{form}").status_code == status
    assert Client().get(f"{held.at}/changes").status_code == 404
