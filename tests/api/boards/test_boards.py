"""Boards over REST: made by directors, secret while they are played, compared across the field."""

import hashlib
import json
from fractions import Fraction

import pytest
from django.test import Client

from scoring.duplicate.deals import commitment_of, deal_from_seed
from tests.support.answers import Answer, post_json, send_json
from tests.support.builders import by_tests, counts, link
from tests.support.cast import NOW
from tests.support.rest.requests import codes, errors, refusal
from tests.support.scenarios.duplicate_nights import (
    ROUNDS,
    SEED,
    DuplicateNight,
    E,
    duplicate_night,
    scores_of,
)
from tournaments.models.audit import AuditLine, Reply
from tournaments.models.boards import Board, Deal, DealPrinting
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember
from tournaments.models.hands import Game, Hand
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def night(db: None) -> DuplicateNight:
    return duplicate_night()


@pytest.fixture
def undealt(db: None) -> DuplicateNight:
    return duplicate_night(boards=0)


def shown(client: Client) -> list[int]:
    boards = client.get(f"{E}/boards").json()["results"]
    return [board["number"] for board in boards if board["shown"]]


def test_director_deals_boards_and_only_the_commitment_is_told(undealt: DuplicateNight) -> None:
    response = post_json(undealt.director, f"{E}/boards", {"count": 12, "boards_per_round": 4})
    assert response.status_code == 201
    assert response["Location"] == f"{E}/boards"
    deal = Deal.objects.get()
    assert response.json() == {"commitment": deal.commitment, "boards": [*range(1, 13)]}
    listed = undealt.cast.client().get(f"{E}/boards").json()["results"]
    assert [(one["number"], one["dealer"], one["round"], one["shown"]) for one in listed[3:6]] == [
        (4, "W", 1, False), (5, "N", 2, False), (6, "E", 2, False),
    ]  # fmt: skip
    assert {one["secret"] for one in listed} == {""}
    assert {one["commitment"] for one in listed} == {deal.commitment}


def test_further_boards_follow_those_that_are_there(night: DuplicateNight) -> None:
    more = post_json(
        night.director, f"{E}/boards", {"count": 2, "boards_per_round": 1, "first_round": 4}
    )
    assert more.json()["boards"] == [13, 14]
    assert [*Board.objects.filter(number__gt=12).values_list("round", flat=True)] == [4, 5]


def test_deals_of_a_file_keep_their_numbers_and_their_cards(undealt: DuplicateNight) -> None:
    deals = [deal_from_seed("file", number).as_json() for number in (9, 7)]
    assert post_json(undealt.director, f"{E}/boards", {"deals": deals}).json()["boards"] == [7, 9]
    again = post_json(undealt.director, f"{E}/boards", {"deals": deals[:1]})
    assert (again.status_code, codes(again)) == (422, ["boards_exist"])
    listed = undealt.director.get(f"{E}/boards").json()["results"]
    assert [(one["number"], one["round"], one["source"]) for one in listed] == [
        (7, None, "file"), (9, None, "file"),
    ]  # fmt: skip


def test_card_that_is_missing_is_named_with_its_board_and_seat(undealt: DuplicateNight) -> None:
    deal = deal_from_seed("file", 7).as_json()
    deal["hands"]["N"][0] = deal["hands"]["E"][0]
    found = post_json(undealt.director, f"{E}/boards", {"deals": [deal]}).json()["errors"]
    assert [(one["code"], one["facts"]["board"]) for one in found] == [
        ("deal_card_twice", 7), ("deal_card_missing", 7),
    ]  # fmt: skip
    assert found[1]["facts"]["seat"] == "E"
    assert not Deal.objects.exists()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "deals_needed"),
        ({"count": 4, "pbn": ""}, "deals_needed"),
        ({"count": 0}, "bad_number_of_boards"),
        ({"count": 1001}, "bad_number_of_boards"),
        ({"count": 4, "boards_per_round": -1}, "bad_board_rounds"),
        ({"count": 4, "first_round": 0}, "bad_board_rounds"),
        ({"count": "4"}, "bad_board_rounds"),
        ({"deals": "x"}, "bad_deal_file"),
        ({"pbn": "nothing"}, "no_deals"),
        ({"pbn": 7}, "deal_file_unreadable"),
    ],
)
def test_deals_that_cannot_be_made(undealt: DuplicateNight, body: object, code: str) -> None:
    assert refusal(post_json(undealt.director, f"{E}/boards", body)) == (422, [code])
    assert not Deal.objects.exists()


def test_hand_names_its_board_and_keeps_it_in_a_correction(night: DuplicateNight) -> None:
    night.seat(1)
    entered = night.enter(1, 1, 1, 3)
    assert (entered.status_code, entered.json()["board"]) == (201, 3)
    code = f"{E}/tables/r1t1/hands/1"
    assert night.host.get(code).json()["board"] == 3
    body = {"entry": counts([4, 1, 2, 6], 3), "reason": "Two seats were swapped."}
    response = send_json(night.host, "PUT", code, body, If_Match='"1"')
    assert (response.status_code, response.json()["board"]) == (200, 3)
    other = send_json(night.host, "PUT", code, {**body, "board": 2}, If_Match='"2"')
    assert (other.status_code, other.json()["board"]) == (200, 2)
    assert Hand.objects.get().board == Board.objects.get(number=2)


def test_board_may_be_a_member_of_the_entry(night: DuplicateNight) -> None:
    night.seat(1)
    entry = {**counts([4, 1, 2, 6], 3), "board": 2}
    answer = post_json(night.host, f"{E}/tables/r1t1/hands", {"number": 1, "entry": entry})
    assert (answer.status_code, answer.json()["board"]) == (201, 2)


@pytest.mark.parametrize(
    ("board", "code"),
    [
        (None, "board_needed"),
        (99, "no_such_board"),
        (10**12, "no_such_board"),
        (5, "board_of_another_round"),
    ],
)
def test_board_that_a_hand_cannot_have(night: DuplicateNight, board: int | None, code: str) -> None:
    night.seat(1)
    hearts = {"number": 1, "entry": counts([4, 1, 2, 6], 3)}
    body = hearts if board is None else {**hearts, "board": board}
    answer = post_json(night.host, f"{E}/tables/r1t1/hands", body)
    assert (answer.status_code, errors(answer)) == (422, [(code, "/board")])
    assert not Hand.objects.exists()


def test_table_plays_a_board_once(night: DuplicateNight) -> None:
    night.seat(1)
    assert night.enter(1, 1, 1, 3).status_code == 201
    again = night.enter(1, 1, 2, 3)
    assert (again.status_code, errors(again)) == (422, [("board_played_at_table", "/board")])
    assert Hand.objects.count() == 1


def test_player_plays_a_board_once_wherever_they_sit(db: None) -> None:
    night = duplicate_night(per_round=0)
    night.seat(1)
    night.seat(2)
    assert night.enter(1, 1, 1, 7).status_code == 201
    again = night.enter(2, 1, 1, 7)
    assert (again.status_code, codes(again)) == (422, ["board_played_by_player"])
    assert "Player 01" in again.json()["detail"]
    assert "table 1 of round 1" in again.json()["detail"]
    assert night.enter(2, 3, 1, 7).status_code == 422  # player 4 sat there as well
    assert Hand.objects.count() == 1


def test_board_is_refused_outside_duplicate_events(night: DuplicateNight) -> None:
    night.event.settings["duplicate"] = False
    night.event.save()
    night.seat(1)
    assert refusal(night.enter(1, 1, 1, 3)) == (422, ["board_not_expected"])


def everything_read(night: DuplicateNight) -> str:
    """All that a director and the public read of the event over REST and on its pages."""
    paths = [
        f"{E}/boards", f"{E}/boards.csv", *(f"{E}/boards/{n}" for n in range(1, 13)),
        *(f"{E}/boards/{n}/results" for n in range(1, 13)), f"{E}/boards/1/results.csv",
        f"{E}/settings", f"{E}/standings", f"{E}/changes", f"{E}/tables/r1t1",
        "/api/v1/clubs/riverside/audit", "/api/v1/clubs/riverside/export",
    ]  # fmt: skip
    clients = (night.director, night.cast.client("olga"), night.cast.client())
    texts = []
    for client in clients:
        for path in paths:
            answer = client.get(path)
            content = answer.getvalue() if answer.streaming else answer.content
            texts.append(content.decode("latin-1"))
    return "\n".join(texts)


def test_deal_is_secret_until_every_table_has_played_it(night: DuplicateNight) -> None:
    night.seat(1)
    night.play(1, (1, 2))
    said = everything_read(night)
    assert SEED not in said
    assert '"10H"' not in said
    assert shown(night.director) == []
    secret = night.director.get(f"{E}/boards/1").json()
    assert (secret["shown"], secret["hands"]) == (False, [])
    assert night.director.get(f"{E}/boards/1/results").json()["results"] == []
    refused = night.director.get(f"{E}/boards/hand-records.pdf")
    assert (refused.status_code, codes(refused)) == (404, ["unknown_hand_records"])
    assert night.enter(1, 3, 1, 2).status_code == 201
    assert shown(night.cast.client()) == [2]
    seen = night.cast.client().get(f"{E}/boards/2").json()
    assert [tuple(hand["cards"]) for hand in seen["hands"]] == [*deal_from_seed(SEED, 2).hands]
    assert night.cast.client().get(f"{E}/boards/hand-records.pdf").content[:4] == b"%PDF"
    assert SEED not in everything_read(night)


def test_deal_is_shown_once_its_round_is_closed(night: DuplicateNight) -> None:
    night.seat(1)
    night.play(1, (1, 2))
    assert night.enter(1, 3, 1, 2).status_code == 201
    assert shown(night.director) == [2]
    move_game(by_tests(), Game.objects.get(table__code="r1t3"), to="complete")
    assert shown(night.director) == [2]
    assert post_json(night.director, f"{E}/rounds/1/state", {"to": "closed"}).status_code == 200
    assert shown(night.director) == [1, 2, 3, 4]


def test_seed_is_shown_with_the_last_board_and_deals_the_same_again(night: DuplicateNight) -> None:
    for number in (1, 2, 3):
        night.seat(number)
        night.play(number)
        post_json(night.director, f"{E}/rounds/{number}/state", {"to": "closed"})
    publish(night.event.pk, now=NOW)
    listed = night.cast.client().get(f"{E}/boards").json()["results"]
    assert {one["secret"] for one in listed} == {SEED}
    assert {one["commitment"] for one in listed} == {hashlib.sha256(SEED.encode()).hexdigest()}
    for number in (1, 12):
        seen = night.cast.client().get(f"{E}/boards/{number}").json()
        assert [tuple(hand["cards"]) for hand in seen["hands"]] == [
            *deal_from_seed(SEED, number).hands
        ]


def test_trail_has_the_commitment_and_no_secret(night: DuplicateNight) -> None:
    assert AuditLine.objects.get(act="make_deals").facts == {
        "source": "seed", "boards": 12, "first": 1, "last": 12, "commitment": commitment_of(SEED),
    }  # fmt: skip
    assert SEED not in json.dumps([*AuditLine.objects.values_list("facts", flat=True)])
    assert SEED.encode() not in bytes(Deal.objects.get().sealed)


def plain_means(rounds: int) -> dict[int, tuple[Fraction, Fraction]]:
    """Percentage and datum of each player, by comparing every table with every other."""
    found: dict[int, list[tuple[Fraction, Fraction]]] = {}
    for number in range(1, rounds + 1):
        for board in range(4 * number - 3, 4 * number + 1):
            scores = [scores_of(number, table, board) for table in (1, 2, 3)]
            for at, seats in enumerate(ROUNDS[number - 1]):
                for line, player in enumerate(seats):
                    own = scores[at][line]
                    others = [one[line] for also, one in enumerate(scores) if also != at]
                    beaten = Fraction(
                        sum((other > own) * 2 + (other == own) for other in others), 2
                    )
                    datum = Fraction(sum(others) - 2 * own, 2)
                    found.setdefault(player, []).append((beaten * 50, datum))
    return {
        player: (
            sum((one for one, _ in own), Fraction(0)) / len(own),
            sum((two for _, two in own), Fraction(0)) / len(own),
        )
        for player, own in found.items()
    }


@pytest.mark.parametrize("rounds", [1, 3])
def test_standings_are_the_means_over_the_field(night: DuplicateNight, rounds: int) -> None:
    for number in range(1, rounds + 1):
        night.seat(number)
        night.play(number)
    publish(night.event.pk, now=NOW)
    table = night.cast.client().get(f"{E}/standings").json()
    means = plain_means(rounds)
    assert (table["scheme"]["primary"], table["scheme"]["direction"]) == ("matchpoints", "desc")
    assert {row["player_id"]: Fraction(row["values"]["matchpoints"]) for row in table["rows"]} == {
        night.codes[player - 1]: percentage for player, (percentage, _) in means.items()
    }
    values = [Fraction(row["values"]["matchpoints"]) for row in table["rows"]]
    assert values == sorted(values, reverse=True)
    for row in table["rows"]:
        datum = means[night.codes.index(row["player_id"]) + 1][1]
        assert abs(Fraction(row["datum"]) - datum) <= Fraction(1, 20_000)


def test_most_points_get_the_matchpoints_of_a_board_where_the_highest_total_wins(db: None) -> None:
    night = duplicate_night(variant="black-lady-low-hand")
    night.seat(1)
    for table in (1, 2, 3):
        assert night.enter(1, table, 1, 2).status_code == 201
    rows = night.cast.client().get(f"{E}/boards/2/results").json()["results"]
    north = [row for row in rows if row["line"] == "N"]
    assert [row["score"] for row in north] == [26, 0, 0]
    assert [Fraction(row["matchpoints"]) for row in north] == [2, Fraction(1, 2), Fraction(1, 2)]


def test_results_of_a_board_are_those_of_every_table(night: DuplicateNight) -> None:
    night.seat(1)
    night.play(1)
    rows = night.cast.client().get(f"{E}/boards/2/results").json()["results"]
    assert [(row["table"], row["line"]) for row in rows[:5]] == [
        ("r1t1", "N"), ("r1t1", "E"), ("r1t1", "S"), ("r1t1", "W"), ("r1t2", "N"),
    ]  # fmt: skip
    north = [row for row in rows if row["line"] == "N"]
    assert [row["score"] for row in north] == [scores_of(1, table, 2)[0] for table in (1, 2, 3)]
    assert sum(Fraction(row["matchpoints"]) for row in north) == 3
    assert sum(Fraction(row["datum"]) for row in north) == 0
    csv = night.cast.client().get(f"{E}/boards/2/results.csv").content.decode().splitlines()
    assert csv[0] == "table,round,hand,line,player_id,player,score,matchpoints,percentage,datum"
    assert len(csv) == 13


def test_deleted_hand_gives_its_board_back(night: DuplicateNight) -> None:
    night.seat(1)
    night.play(1)
    assert shown(night.director) == [1, 2, 3, 4]
    hand = Hand.objects.get(game__table__code="r1t1", number=1)
    void_hand(by_tests(), hand.game, number=1, based_on=1, reason="Played twice.")
    assert hand.board is not None
    board = hand.board.number
    assert shown(night.director) == sorted({1, 2, 3, 4} - {board})


def test_event_without_boards_lists_none_and_nora_sees_nothing(undealt: DuplicateNight) -> None:
    assert undealt.cast.client().get(f"{E}/boards").json()["results"] == []
    assert undealt.cast.client().get(f"{E}/boards/1").status_code == 404
    type(undealt.event).objects.update(visibility="members")
    assert undealt.cast.client("nora").get(f"{E}/boards").status_code == 404


COMMITMENT = commitment_of(SEED)


def prints(night: DuplicateNight, who: str = "dirk") -> Answer:
    return post_json(night.cast.client(who), f"{E}/boards/print", {"commitment": COMMITMENT})


def deletes(night: DuplicateNight, who: str = "dirk") -> Answer:
    return post_json(night.cast.client(who), f"{E}/boards/delete", {"commitment": COMMITMENT})


def plays(night: DuplicateNight, who: str) -> Player:
    player = Player.objects.get(player_id=night.codes[0])
    link(player, night.cast.users[who])
    return player


def test_director_prints_secret_deals_and_everybody_reads_that(night: DuplicateNight) -> None:
    answer = prints(night)
    assert answer.status_code == 201
    assert answer["Cache-Control"] == "no-store"
    deals = answer.json()["deals"]
    assert deals == [deal_from_seed(SEED, number).as_json() for number in range(1, 13)]
    for client, by in ((night.director, "dirk"), (night.cast.client(), "a director")):
        listed = client.get(f"{E}/boards").json()["results"]
        assert {one["printed_by"] for one in listed} == {by}
        assert {one["printed_at"] for one in listed} == {answer.json()["printed_at"]}
        assert {one["shown"] for one in listed} == {False}
    line = AuditLine.objects.get(act="print_deals")
    assert line.facts == {"boards": 12, "first": 1, "last": 12, "commitment": COMMITMENT}


def test_printed_deals_are_kept_sealed_under_their_key(night: DuplicateNight) -> None:
    body = {"commitment": COMMITMENT}
    first = send_json(night.director, "POST", f"{E}/boards/print", body, Idempotency_Key="k1")
    again = send_json(night.director, "POST", f"{E}/boards/print", body, Idempotency_Key="k1")
    assert (first.status_code, again.content) == (201, first.content)
    assert b"hands" not in bytes(Reply.objects.get().body or b"")
    assert DealPrinting.objects.count() == 1


def test_player_of_the_event_does_not_print(night: DuplicateNight) -> None:
    night.seat(1)
    assert EntrantMember.objects.filter(player=plays(night, "dirk")).exists()
    assert refusal(prints(night)) == (409, ["printer_plays"])
    assert not DealPrinting.objects.exists()


def test_who_printed_a_board_cannot_play_it(night: DuplicateNight) -> None:
    assert prints(night).status_code == 201
    plays(night, "dirk")
    night.seat(1)
    refused = night.enter(1, 1, 1, 2)
    assert (refused.status_code, errors(refused)) == (422, [("board_known_to_player", "/board")])
    assert night.enter(1, 2, 1, 2).status_code == 201
    assert Hand.objects.count() == 1


def test_unplayed_deals_are_deleted_and_their_numbers_are_free(night: DuplicateNight) -> None:
    answer = deletes(night)
    assert (answer.status_code, answer.json()["boards"]) == (200, [*range(1, 13)])
    assert not Board.objects.exists()
    assert post_json(night.director, f"{E}/boards", {"count": 2}).json()["boards"] == [1, 2]
    assert AuditLine.objects.get(act="delete_deals").facts["boards"] == 12
    assert refusal(deletes(night)) == (422, ["unknown_deals"])


def test_deals_with_a_hand_stay_though_it_is_deleted(night: DuplicateNight) -> None:
    night.seat(1)
    assert night.enter(1, 1, 1, 3).status_code == 201
    game = Hand.objects.get().game
    void_hand(by_tests(), game, number=1, based_on=1, reason="Played twice.")
    answer = deletes(night)
    assert (answer.status_code, codes(answer)) == (409, ["deals_played"])
    assert "Board 3 was played in hand 1 at table 1 of round 1." in answer.json()["detail"]
    assert Board.objects.count() == 12


def test_duplicate_stays_on_as_long_as_there_are_deals(night: DuplicateNight) -> None:
    off = {"settings": {"duplicate": False, "primary": "raw_total"}}
    tag = night.director.get(f"{E}/settings")["ETag"]
    refused = send_json(night.director, "PATCH", f"{E}/settings", off, If_Match=tag)
    assert (refused.status_code, codes(refused)) == (422, ["duplicate_has_deals"])
    assert deletes(night).status_code == 200
    done = send_json(night.director, "PATCH", f"{E}/settings", off, If_Match=tag)
    assert (done.status_code, done.json()["settings"]["duplicate"]) == (200, False)
