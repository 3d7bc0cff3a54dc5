"""F8 and F9: two hosts change one hand; a host corrects while the director closes the round."""

import hashlib
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from tests.builders import counts, hand, league, players, table
from tests.cast import NOW, Cast, enter_the_cast
from tests.web.asking import text_of
from tests.web.hosting import Host, hidden, typed
from tournaments import publishing
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.meetings import Round
from tournaments.models.standings import Publication
from tournaments.services.rounds import move_round

EVENT = "/clubs/riverside/events/league"
AT = f"{EVENT}/tables/r1t1/hands/1"
RACES = 200
MINE, YOURS = [1, 2, 4, 6], [6, 4, 2, 1]
WHY_MINE, WHY_YOURS = "The sheet says one for North.", "The sheet says six for North."


@pytest.fixture
def cast(db: None) -> Cast:
    return enter_the_cast()


def at_revision_three(cast: Cast) -> Game:
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    game = table(league(cast.riverside), people)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 1, [4, 2, 1, 6], queen=3, based_on=1, reason="East and South were swapped.")
    hand(game, 1, [4, 1, 2, 6], queen=3, based_on=2, reason="They were not.")
    return game


def over_rest(client: Client, hearts: Sequence[int], reason: str) -> Any:
    body = {"entry": counts(hearts, 3), "reason": reason, "note": f"Note: {reason}"}
    return client.put(
        f"/api/v1{AT}", json.dumps(body), content_type="application/json",
        headers={"If-Match": '"3"'},
    )  # fmt: skip


def tried() -> list[tuple[str, str, Any]]:
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
    assert "Somebody wrote this hand first" in page
    assert "Written first hanna" in page
    theirs, yours = page.partition("Written first")[2].split("Yours", 1)
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
    assert (answer.status_code, "Somebody wrote this hand first" in text_of(answer)) == (409, True)
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


def together(*acts: Callable[[], str]) -> list[str]:
    """Do things at one moment, each in a thread with a connection of its own."""
    line = threading.Barrier(len(acts))

    def act(one: Callable[[], str]) -> str:
        try:
            line.wait()
            return one()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [one.result() for one in [pool.submit(act, one) for one in acts]]


on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="rows are locked one by one on PostgreSQL only"
)


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_two_who_save_at_one_moment_one_is_recorded_each_time(cast: Cast) -> None:
    game = at_revision_three(cast)

    def save(who: str, based_on: int, hearts: list[int]) -> str:
        own = Game.objects.select_related("event", "club", "snapshot", "table__round")
        try:
            hand(
                own.get(pk=game.pk), 1, hearts, queen=3, actor=cast.actor(who),
                based_on=based_on, reason="At one moment.",
            )  # fmt: skip
        except Conflict as conflict:
            return conflict.problem.code
        return "recorded"

    for revision in range(3, 23):
        said = together(
            partial(save, "hanna", revision, MINE),
            partial(save, "dirk", revision, YOURS),
        )
        assert sorted(said) == ["entry_outdated", "recorded"]
    assert Hand.objects.get().revision == 23
    assert Counter(line[0] for line in tried()) == {"correct_hand": 20, "enter_hand_refused": 20}


def rounds_to_close(cast: Cast) -> Event:
    """A league of one hand a table, one table a round; every hand is in."""
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    event = league(cast.riverside, length="hands:1")
    for number in range(1, RACES + 1):
        hand(table(event, people, round_number=number), 1, [4, 1, 2, 6], queen=3)
    return event


@on_postgresql
@pytest.mark.timeout(300)
@pytest.mark.django_db(transaction=True)
def test_correction_while_the_round_is_closed_is_before_it_or_refused(cast: Cast) -> None:
    event = rounds_to_close(cast)
    hanna, dirk = cast.actor("hanna"), cast.actor("dirk")
    published: dict[int, tuple[str, str]] = {}

    def correct(number: int) -> str:
        games = Game.objects.select_related("event", "club", "snapshot", "table__round")
        game = games.get(event=event, table__round__number=number)
        try:
            hand(
                game, 1, [4, 2, 1, 6], queen=3, actor=hanna, based_on=1,
                reason="East and South were swapped.",
            )  # fmt: skip
        except Forbidden:
            return "refused"
        return "recorded"

    def close(number: int) -> str:
        round_ = Round.objects.get(event=event, number=number)
        return move_round(actor=dirk, round_=round_, to="closed", now=NOW).state

    def publish() -> str:
        one = publishing.publish(event.pk, now=NOW)
        assert one is not None
        published.setdefault(one.number, (one.digest, of(one)))
        return "published"

    outcomes: Counter[str] = Counter()
    for number in range(1, RACES + 1):
        # Whoever is named first is not always first in line.
        corrected, closed, _ = together(partial(correct, number), partial(close, number), publish)
        assert closed == "closed"
        outcomes[corrected] += 1
        there = Hand.objects.get(game__event=event, game__table__round__number=number)
        assert there.revision == (2 if corrected == "recorded" else 1)
        lines = dict(
            AuditLine.objects.filter(
                subject__in=(
                    f"event:league/round:{number}", f"event:league/table:r{number}t1/hand:1",
                )
            ).values_list("act", "number")
        )  # fmt: skip
        if corrected == "recorded":
            assert lines["correct_hand"] < lines["move_round"], "it was before the round closed"
        else:
            assert "correct_hand" not in lines
    print(f"{RACES} races: {dict(outcomes)}")
    assert sum(outcomes.values()) == RACES
    publishing.publish(event.pk, now=NOW)
    for one in Publication.objects.filter(event=event).order_by("number"):
        assert one.digest == of(one)
        assert published.get(one.number, (one.digest, of(one))) == (one.digest, of(one))
    assert [one.number for one in Publication.objects.order_by("number")] == list(
        range(1, Publication.objects.count() + 1)
    )


def of(publication: Publication) -> str:
    """The digest of a publication's own bytes, without the member that holds it."""
    body = bytes(publication.body)
    head = json.dumps(
        json.loads(body)["publication"], ensure_ascii=False, separators=(",", ":")
    ).encode()
    remainder = b"{" + body.removeprefix(b'{"publication":' + head + b",")
    return f"sha256:{hashlib.sha256(remainder).hexdigest()}"
