"""Hands are entered and corrected at one moment: one of two is recorded, and no sum is lost."""

import hashlib
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from scoring.duplicate.deals import commitment_of
from tests.support.builders import by_tests, counts, hand, league, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.imports.imports import imported
from tests.support.lengths import short_or_long
from tests.support.live.at_once import HEARTS, Within, get_game
from tests.support.live.rest_client import EVENT, open_rest_client, stored
from tournaments.models.audit import AuditLine
from tournaments.models.boards import Board
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Round
from tournaments.models.standings import Aggregate, Publication
from tournaments.services.boards import deal_boards, delete_deals
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import undo_hand
from tournaments.services.operations import Operation
from tournaments.services.publishing import publications
from tournaments.services.rounds.rounds import move_round
from tournaments.services.verification.event import recount_steps, verify_event

pytestmark = pytest.mark.pg

SAVES = short_or_long(3, 20)
RACES = short_or_long(6, 200)


def game_of(number: int) -> Game:
    return get_game(table__round__number=number)


def test_of_two_who_save_at_one_moment_one_is_recorded_each_time(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        rounds(cast, 1)

    def save(who: str, based_on: int, hearts: list[int]) -> str:
        hand(
            game_of(1), 1, hearts, queen=3, actor=cast.actor(who), based_on=based_on,
            reason="At one moment.",
        )  # fmt: skip
        return "recorded"

    for revision in range(1, SAVES + 1):
        said = within.together(
            partial(save, "hanna", revision, [1, 2, 4, 6] if revision % 2 else [2, 1, 4, 6]),
            partial(save, "dirk", revision, [6, 4, 2, 1] if revision % 2 else [6, 4, 1, 2]),
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


def test_hand_is_undone_or_another_host_goes_on_and_the_other_is_refused(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        event = league(cast.riverside)
        people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora")
        for number in range(1, 2 * RACES + 1):
            game = table(event, people, round_number=number)
            hand(game, 1, [4, 1, 2, 6], queen=3, actor=cast.actor("hanna"))

    def undo(number: int) -> None:
        undo_hand(cast.operation("hanna"), game_of(number), number=1)

    def correct(number: int) -> None:
        hand(
            game_of(number), 1, [4, 2, 1, 6], queen=3, actor=cast.actor("dirk"), based_on=1,
            reason="East and South were swapped.",
        )  # fmt: skip

    def go_on(number: int) -> None:
        hand(game_of(number), 2, [4, 1, 2, 6], queen=3, actor=cast.actor("dirk"))

    for number in range(1, RACES + 1):
        said = within.together(partial(undo, number), partial(correct, number))
        assert said in (["", "hand_undone"], ["undo_over", ""])
        undone, entered = within.together(
            partial(undo, RACES + number), partial(go_on, RACES + number)
        )
        assert (undone in ("", "undo_over"), entered) == (True, "")
        with within():
            rows = Hand.objects.filter(game=game_of(RACES + number)).order_by("number")
            states = list(rows.values_list("number", "state"))
            assert states == [(1, "accepted" if undone else "void"), (2, "accepted")]


def test_correction_while_the_round_is_closed_is_before_it_or_refused(within: Within) -> None:
    with within():
        cast = enter_the_cast()
        event = rounds(cast, RACES)
    hanna, dirk = cast.actor("hanna"), cast.actor("dirk")
    published: dict[int, str] = {}

    def correct(number: int) -> str:
        hand(
            game_of(number), 1, [4, 2, 1, 6], queen=3, actor=hanna, based_on=1,
            reason="East and South were swapped.",
        )  # fmt: skip
        return "recorded"

    def close(number: int) -> str:
        round_ = Round.objects.get(event=event, number=number)
        return move_round(Operation(dirk, NOW), round_, to="closed").state

    def publish() -> str:
        one = publications.publish(event.pk, now=NOW)
        assert one is not None
        published.setdefault(one.number, one.digest)
        return "published"

    outcomes: Counter[str] = Counter()
    for number in range(1, RACES + 1):
        # Whoever is named first is not always first in line.
        corrected, closed, _ = within.together(
            partial(correct, number), partial(close, number), publish
        )
        assert corrected in ("recorded", "forbidden")
        outcomes[corrected] += 1
        assert closed == "closed"
        with within():
            assert game_of(number).hands.get().revision == (2 if corrected == "recorded" else 1)
            is_in_time = corrected == "recorded"
            came = ["correct_hand", "move_round"] if is_in_time else ["move_round", TOO_LATE]
            assert order_of(number) == came
    print(f"{RACES} races: {dict(outcomes)}")
    with within():
        publish()
        stored = list(Publication.objects.order_by("number"))
        assert [one.number for one in stored] == list(range(1, len(stored) + 1))
        for one in stored:
            assert one.digest == digest_of(one)
            assert published.get(one.number, one.digest) == one.digest


TOO_LATE = "enter_hand_refused"


def order_of(number: int) -> list[str]:
    """The actions upon a round after its hand was entered, in the order of the record."""
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


BOARDS = short_or_long(3, 20)
DUPLICATE = {"duplicate": True, "primary": "matchpoints"}


@pytest.fixture
def duplicate(within: Within) -> list[Player]:
    """Seven players; the first one sits at a table of round 1 and at one of round 2."""
    with within():
        cast = enter_the_cast()
        event = league(cast.riverside, settings=DUPLICATE)
        people = players(cast.riverside, *"ABCDEFG")
        for number, seats in enumerate((people[:4], [people[0], *people[4:]]), start=1):
            table(event, seats, round_number=number)
        deal_boards(by_tests(), event, count=BOARDS)
    return people


def save(round_number: int, board: int) -> str:
    game = game_of(round_number)
    number = Hand.objects.filter(game=game).count() + 1
    record_entry(
        by_tests(), game, number=number, source="host", entry=counts(HEARTS, 3),
        board=board,
    )  # fmt: skip
    return "recorded"


def test_player_plays_a_board_once_at_two_tables(within: Within, duplicate: list[Player]) -> None:
    for board in range(1, BOARDS + 1):
        said = within.together(partial(save, 1, board), partial(save, 2, board))
        assert sorted(said) == ["board_played_by_player", "recorded"]
    with within():
        assert Hand.objects.count() == BOARDS


def test_player_plays_a_board_once_though_a_file_is_imported_while_a_host_saves(
    within: Within, duplicate: list[Player], tmp_path: Path
) -> None:
    """The table of round 1 enters by a host, that of round 2 by a file."""
    ids = [player.player_id for player in (duplicate[0], *duplicate[4:])]

    def load(board: int) -> str:
        number = Hand.objects.filter(game=game_of(2)).count() + 1
        rows = ["round,table,hand,board,seat,player_id,hearts,queen_spades"]
        rows += [
            f"2,1,{number},{board},{'NESW'[at]},{code},{HEARTS[at]},{at // 3}"
            for at, code in enumerate(ids)
        ]
        path = tmp_path / f"board-{board}.csv"
        path.write_text("\n".join(rows))
        report = imported(path, now=NOW)
        return "recorded" if report.added else report.problems[0].code

    for board in range(1, BOARDS + 1):
        said = within.together(partial(save, 1, board), partial(load, board))
        assert sorted(said) == ["board_played_by_player", "recorded"]
    with within():
        assert Hand.objects.count() == BOARDS
        assert Hand.objects.values("board").distinct().count() == BOARDS


def test_board_is_played_or_deleted_and_never_both(within: Within) -> None:
    """Each round has deals of its own: they are deleted while a host enters a hand with them."""
    with within():
        cast = enter_the_cast()
        event = league(cast.riverside, settings=DUPLICATE)
        people = players(cast.riverside, *"ABCD")
        for number in range(1, BOARDS + 1):
            table(event, people, round_number=number)
            deal_boards(by_tests(), event, count=1, seed=f"seed {number}")

    def delete(number: int) -> str:
        commitment = commitment_of(f"seed {number}")
        delete_deals(by_tests(), event, commitment=commitment)
        return "deleted"

    for number in range(1, BOARDS + 1):
        said = within.together(partial(save, number, number), partial(delete, number))
        assert said in (["recorded", "deals_played"], ["no_such_board", "deleted"])
    with within():
        assert Hand.objects.count() == Board.objects.count()
        assert not Hand.objects.filter(board=None).exists()


HANDS = short_or_long(4, 12)


def test_hands_of_three_tables_and_a_recount_at_one_moment_add_up(within: Within) -> None:
    with within():
        club = enter_the_cast().riverside
        event = league(club, settings={"primary": "placement_points", "drop_worst": 1})
        people = players(club, "Anna", "Bert", "Cora", "Dora")
        for number in (1, 2, 3):  # who sits first at one table sits last at another
            table(event, people[number:] + people[:number], round_number=number)

    def play(round_number: int) -> None:
        game = game_of(round_number)
        for number in range(1, HANDS + 1):
            hearts = [number % 4, 4, 4, 5 - number % 4]
            hand(game, number, hearts, number % 4)
            hand(game, number, hearts, (number + 1) % 4, based_on=1, reason="read again")

    def recount() -> None:
        for _ in range(HANDS):
            list(recount_steps(event.pk))

    assert within.at_once(*(partial(play, number) for number in (1, 2, 3)), recount) == []
    with within():
        verification = verify_event(
            Event.objects.select_related("club").get(), repair=False, now=NOW,
            report=lambda words: None,
        )  # fmt: skip
        assert (verification.found.hands, verification.found.differences) == (3 * HANDS, [])
        kept = Aggregate.objects.values_list("games", "kept")
        assert [(games, one and one["games"]) for games, one in kept] == [(3, 2)] * 4


AT_ONCE = 50


@pytest.mark.worker
def test_same_key_fifty_times_at_once_is_one_hand_and_one_answer(within: Within) -> None:
    project = within.project
    project.serve()
    with within():
        rest, event = open_rest_client(project)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(lambda _: rest.enter("r1t1", 1, key="phone-1"), range(AT_ONCE)))
        print(f"{AT_ONCE} at once: {Counter(answer.status for answer in answers)}")
        assert {answer.status for answer in answers} == {201}, project.log
        assert len({answer.body for answer in answers}) == 1
        firsts = [a for a in answers if "idempotent-replayed" not in a.headers]
        assert len(firsts) == 1
        other_body = rest.enter("r1t1", 1, key="phone-1", queen=0)
        assert (other_body.status, other_body.codes) == (422, ["idempotency_key_reused"])
        other_key = rest.enter("r1t1", 1, key="phone-2")
        assert (other_key.status, other_key.codes) == (409, ["hand_exists"])
        there = rest.ask("GET", f"{EVENT}/tables/r1t1/hands/1").json
        assert other_key.json["there"] == there
        assert stored(event) == {("r1t1", 1): 1}
