"""Two hosts change one hand; the second is shown both, and the record has both."""

import json
import re
from collections.abc import Sequence

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import counts, hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.hand_entry import Host, hidden, typed
from tests.support.pages.text import text_of
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Entry, Game

pytestmark = pytest.mark.both_databases


EVENT = "/clubs/riverside/events/league"
AT = f"{EVENT}/tables/r1t1/hands/1"
MINE, YOURS = [1, 2, 4, 6], [6, 4, 2, 1]
WHY_MINE, WHY_YOURS = "The sheet says one for North.", "The sheet says six for North."


def at_revision_three(cast: Cast) -> Game:
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    game = table(league(cast.riverside), people)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 1, [4, 2, 1, 6], queen=3, based_on=1, reason="East and South were swapped.")
    hand(game, 1, [4, 1, 2, 6], queen=3, based_on=2, reason="They were not.")
    return game


def over_rest(client: Client, hearts: Sequence[int], reason: str) -> Answer:
    body = {"entry": counts(hearts, 3), "reason": reason, "note": f"Note: {reason}"}
    return client.put(
        f"/api/v1{AT}", json.dumps(body), content_type="application/json",
        headers={"If-Match": '"3"'},
    )  # fmt: skip


def tried() -> list[tuple[str, str, object]]:
    """The lines of the audit about the hand: act, who, and which revision or why not."""
    lines = AuditLine.objects.filter(subject__endswith="/hand:1").order_by("number")
    found = [
        (one.act, one.actor, one.facts.get("revision", one.facts.get("code"))) for one in lines
    ]
    return found[3:]


def users(cast: Cast) -> tuple[str, str]:
    return f"user:{cast.users['hanna'].pk}", f"user:{cast.users['dirk'].pk}"


def test_second_page_that_loaded_the_same_revision_is_shown_both_and_loses_nothing(
    cast: Cast,
) -> None:
    at_revision_three(cast)
    quick, slow = (Host(cast.client(who), f"{AT}/edit") for who in ("hanna", "dirk"))
    first = quick.send(typed(MINE, queen=4), reason=WHY_MINE)
    assert first.status_code == 302
    second = slow.send(typed(YOURS, queen=1), reason=WHY_YOURS)
    assert second.status_code == 409
    page = text_of(second)
    assert "This hand was already entered" in page
    assert "First entry hanna" in page
    theirs, yours = page.partition("First entry")[2].split("Your entry", 1)
    assert WHY_YOURS not in theirs
    assert re.findall(r"(\d) hearts?", theirs) == ["1", "2", "4", "6"]
    assert re.findall(r"(\d) hearts?", yours) == ["6", "4", "2", "1"]
    kept = hidden(second)
    assert {name: kept[name] for name in kept if name.startswith(("hearts-", "card-"))} == {
        "hearts-1": ["6"], "hearts-2": ["4"], "hearts-3": ["2"], "hearts-4": ["1"],
        "card-QS": ["1"],
    }  # fmt: skip
    assert f'value="{WHY_YOURS}"' in second.content.decode()
    hanna, dirk = users(cast)
    assert tried() == [
        ("correct_hand", hanna, 4),
        ("enter_hand_refused", dirk, "entry_outdated"),
    ]
    assert [one.typed["hearts"] for one in Entry.objects.order_by("revision")][3:] == [MINE]
    slow.address = f"{EVENT}/tables/r1t1/hands/new"
    assert slow.send({"reason": WHY_YOURS}).status_code == 302
    assert [one.typed["hearts"] for one in Entry.objects.order_by("revision")][3:] == [MINE, YOURS]


def test_second_program_that_read_the_same_revision_is_answered_with_both(cast: Cast) -> None:
    at_revision_three(cast)
    first = over_rest(cast.client("hanna"), MINE, WHY_MINE)
    second = over_rest(cast.client("dirk"), YOURS, WHY_YOURS)
    assert (first.status_code, second.status_code) == (200, 412)
    said = second.json()
    assert said["there"]["entry"] == counts(MINE, 3)
    assert (said["there"]["revision"], said["there"]["reason"]) == (4, WHY_MINE)
    assert said["yours"] == {
        "entry": counts(YOURS, 3), "reason": WHY_YOURS, "note": f"Note: {WHY_YOURS}",
    }  # fmt: skip
    hanna, dirk = users(cast)
    assert tried() == [
        ("correct_hand", hanna, 4),
        ("enter_hand_refused", dirk, "entry_outdated"),
    ]


def test_page_and_program_that_saw_the_same_revision_meet(cast: Cast) -> None:
    at_revision_three(cast)
    slow = Host(cast.client("hanna"), f"{AT}/edit")
    assert over_rest(cast.client("dirk"), YOURS, WHY_YOURS).status_code == 200
    answer = slow.send(typed(MINE, queen=4), reason=WHY_MINE)
    assert (answer.status_code, "This hand was already entered" in text_of(answer)) == (409, True)
    hanna, dirk = users(cast)
    assert [line[1:] for line in tried()] == [(dirk, 4), (hanna, "entry_outdated")]


def test_new_hand_of_two_hosts_is_noted_for_both(cast: Cast) -> None:
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    game = table(league(cast.riverside), people)
    hand(game, 1, MINE, queen=3, actor=cast.actor("hanna"))
    with pytest.raises(Conflict):
        hand(game, 1, YOURS, queen=3, actor=cast.actor("dirk"))
    assert list(AuditLine.objects.order_by("number").values_list("act", flat=True))[-2:] == [
        "enter_hand",
        "enter_hand_refused",
    ]
    assert Entry.objects.count() == 1
