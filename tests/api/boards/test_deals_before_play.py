"""Secret deals before play: printed by who does not play, deleted while nobody has played them."""

import pytest

from scoring.duplicate.deals import commitment_of, deal_from_seed
from tests.support.answers import Answer, post_json, send_json
from tests.support.builders import TESTS, link
from tests.support.cast import NOW
from tests.support.rest.requests import codes, errors, refusal
from tests.support.scenarios.duplicate_nights import SEED, DuplicateNight, E, duplicate_night
from tournaments.models.audit import AuditLine, Reply
from tournaments.models.clubs import Player
from tournaments.models.deals import Board, DealPrinting
from tournaments.models.events import EntrantMember
from tournaments.models.hands import Hand
from tournaments.services.hands.record_entry import void_hand

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

COMMITMENT = commitment_of(SEED)


@pytest.fixture
def night(db: None) -> DuplicateNight:
    return duplicate_night()


def prints(night: DuplicateNight, who: str = "dirk") -> Answer:
    return post_json(night.cast.client(who), f"{E}/boards/print", {"commitment": COMMITMENT})


def deletes(night: DuplicateNight, who: str = "dirk") -> Answer:
    return post_json(night.cast.client(who), f"{E}/boards/delete", {"commitment": COMMITMENT})


def plays(night: DuplicateNight, who: str) -> Player:
    """Link an account with a player of the event."""
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


def test_deals_that_nobody_played_are_deleted_and_their_numbers_are_free(
    night: DuplicateNight,
) -> None:
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
    void_hand(actor=TESTS, game=game, number=1, based_on=1, reason="Played twice.", now=NOW)
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
