"""On PostgreSQL, two hosts save at one moment; one corrects while the round is closed."""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.project import LiveProject
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round
from tournaments.models.standings import Publication
from tournaments.services.publishing import publications
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.pg

SAVES = short_or_long(3, 20)
RACES = short_or_long(6, 200)
MINE, YOURS = [1, 2, 4, 6], [6, 4, 2, 1]

Within = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def within(
    live_project: Callable[..., LiveProject], inside: Inside, migrated_pg_url: str
) -> Within:
    """Work on a database of PostgreSQL's, from whichever thread; nothing else runs there."""
    project = live_project(DATABASE_URL=migrated_pg_url)
    return partial(inside, project)


def together(within: Within, *acts: Callable[[], str]) -> list[str]:
    """Do things at one moment, each in a thread with a connection of its own."""
    line = threading.Barrier(len(acts))

    def act(one: Callable[[], str]) -> str:
        with within():
            line.wait()
            return one()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [one.result() for one in [pool.submit(act, one) for one in acts]]


def game_of(number: int) -> Game:
    """The game of a round, as a request would read it."""
    games = Game.objects.select_related("event", "club", "snapshot", "table__round")
    return games.get(table__round__number=number)


def test_of_two_who_save_at_one_moment_one_is_recorded_each_time(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        rounds(cast, 1)

    def save(who: str, based_on: int, hearts: list[int]) -> str:
        try:
            hand(
                game_of(1), 1, hearts, queen=3, actor=cast.actor(who), based_on=based_on,
                reason="At one moment.",
            )  # fmt: skip
        except Conflict as conflict:
            return conflict.problem.code
        return "recorded"

    for revision in range(1, SAVES + 1):
        said = together(
            within, partial(save, "hanna", revision, MINE), partial(save, "dirk", revision, YOURS)
        )
        assert sorted(said) == ["entry_outdated", "recorded"]
    with within():
        assert Hand.objects.get().revision == SAVES + 1
        lines = AuditLine.objects.filter(subject__endswith="/hand:1")
        assert Counter(line.act for line in lines) == {
            "enter_hand": 1, "correct_hand": SAVES, "enter_hand_refused": SAVES,
        }  # fmt: skip


def rounds(cast: Cast, n: int) -> Event:
    """A league of one hand a table, one table a round; every hand is in."""
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
    event = league(cast.riverside, length="hands:1")
    for number in range(1, n + 1):
        hand(table(event, people, round_number=number), 1, [4, 1, 2, 6], queen=3)
    return event


def test_correction_while_the_round_is_closed_is_before_it_or_refused(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        event = rounds(cast, RACES)
    hanna, dirk = cast.actor("hanna"), cast.actor("dirk")
    published: dict[int, str] = {}

    def correct(number: int) -> str:
        try:
            hand(
                game_of(number), 1, [4, 2, 1, 6], queen=3, actor=hanna, based_on=1,
                reason="East and South were swapped.",
            )  # fmt: skip
        except Forbidden:
            return "refused"
        return "recorded"

    def close(number: int) -> str:
        round_ = Round.objects.get(event=event, number=number)
        return move_round(actor=dirk, round_=round_, to="closed", now=NOW).state

    def publish() -> str:
        one = publications.publish(event.pk, now=NOW)
        assert one is not None
        published.setdefault(one.number, one.digest)
        return "published"

    outcomes: Counter[str] = Counter()
    for number in range(1, RACES + 1):
        # Whoever is named first is not always first in line.
        corrected, closed, _ = together(
            within, partial(correct, number), partial(close, number), publish
        )
        outcomes[corrected] += 1
        assert closed == "closed"
        with within():
            assert game_of(number).hands.get().revision == (2 if corrected == "recorded" else 1)
            assert order_of(number) == (
                ["correct_hand", "move_round"] if corrected == "recorded" else ["move_round"]
            )
    print(f"{RACES} races: {dict(outcomes)}")
    with within():
        publish()
        stored = list(Publication.objects.order_by("number"))
        assert [one.number for one in stored] == list(range(1, len(stored) + 1))
        for one in stored:
            assert one.digest == digest_of(one)
            assert published.get(one.number, one.digest) == one.digest


def order_of(number: int) -> list[str]:
    """The acts upon a round after its hand was entered, in the order of the record."""
    subjects = (f"event:league/round:{number}", f"event:league/table:r{number}t1/hand:1")
    lines = AuditLine.objects.filter(subject__in=subjects).exclude(act="enter_hand")
    return list(lines.order_by("number").values_list("act", flat=True))


def digest_of(publication: Publication) -> str:
    """The digest of a publication's own bytes, without the member that holds it."""
    body = bytes(publication.body)
    head = json.dumps(
        json.loads(body)["publication"], ensure_ascii=False, separators=(",", ":")
    ).encode()
    remainder = b"{" + body.removeprefix(b'{"publication":' + head + b",")
    return f"sha256:{hashlib.sha256(remainder).hexdigest()}"
