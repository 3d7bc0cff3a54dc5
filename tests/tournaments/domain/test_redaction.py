"""Names in stored publications, and no address or telephone number among public names."""

import json
from collections.abc import Callable
from datetime import date

import pytest

from scoring.errors import Refused
from tests.support.builders import (
    by_tests,
    finished,
    hand,
    ladder,
    league,
    penalize,
    players,
    publish_all,
    season,
    table,
)
from tests.support.cast import NOW, Cast
from tournaments.documents.read.people_list import PastedPlayer
from tournaments.domain.etags import digest_of
from tournaments.domain.people.public_names import NewNames, redact_publication, redact_table
from tournaments.domain.standings.standings_documents import compact
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.standings import Publication
from tournaments.services.attendance.set_attendance import add_meeting_guest
from tournaments.services.clubs.clubs import add_guest, add_player, change_player
from tournaments.services.clubs.player_paste import add_roster
from tournaments.services.events.entrants import add_entrant
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.season_table import publish_season
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = pytest.mark.django_db

NAMES = ("Ann B.", "=Zoë K.", "Ann", "Willem V.")
TODAY = {"RL01": "RL01", "RL02": "Zed", "RL03": "Ann", "RL04": "+W"}


def rename_all() -> None:
    for player in Player.objects.all():
        name = TODAY[player.player_id]
        Player.objects.filter(pk=player.pk).update(name=name, public_name=name)


def without_head(body: bytes) -> bytes:
    document = json.loads(body)
    del document["publication"]
    return compact(document)


def newest(**of: object) -> Publication:
    return Publication.objects.filter(**of).latest("number")


def assert_equal_to_a_new_one(old: Publication, new: Publication) -> None:
    """The redaction of `old` says what `new` says, under its own number and moment."""
    names = NewNames(TODAY, hides_others=True)
    found = redact_publication(bytes(old.body), bytes(old.csv), names)
    assert found is not None
    assert without_head(found["body"]) == without_head(bytes(new.body))
    assert found["csv"] == bytes(new.csv)
    assert found["digest"] == new.digest == digest_of(without_head(found["body"]))
    assert found["etag"] == f'"{old.number}-{new.digest[7:19]}"'
    head = json.loads(found["body"])["publication"]
    stored = json.loads(bytes(old.body))["publication"]
    assert head == {**stored, "digest": new.digest, "redacted": True}
    assert redact_publication(bytes(new.body), bytes(new.csv), names) is None


def republished(event: Event) -> Publication:
    mark_changed(event=event, now=NOW)
    publish(event.pk, now=NOW)
    return newest(event=event)


def test_standings_and_their_season_with_a_pair(cast: Cast) -> None:
    event = league(cast.riverside, settings={"min_games": 1})
    people = players(cast.riverside, *NAMES)
    add_entrant(by_tests(), event, kind="pair", players=people[2:])
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    autumn = season(event)
    old, of_season = newest(event=event), newest(season=autumn)
    assert "Ann & Willem V." in bytes(old.body).decode()
    rename_all()
    assert_equal_to_a_new_one(old, republished(event))
    publish_season(autumn.pk, now=NOW)
    assert_equal_to_a_new_one(of_season, newest(season=autumn))


def test_ladder_with_the_stories_of_its_moves(cast: Cast) -> None:
    event = ladder(cast.riverside, rules={"provisional_games": 1})
    people = players(cast.riverside, *NAMES)
    finished(table(event, people))
    finished(table(event, people[::-1], round_number=2))
    old = publish_all(event)
    stories = [row["story"] for row in json.loads(bytes(old.body))["rows"]]
    assert any("Ann B." in story for story in stories), stories
    rename_all()
    mark_changed(event=event, now=NOW)
    assert_equal_to_a_new_one(old, publish_all(event))


def test_typed_reason_and_a_pairs_own_name_lose_the_name_as_well(cast: Cast) -> None:
    event = league(cast.riverside)
    people = players(cast.riverside, *NAMES)
    duo = add_entrant(by_tests(), event, kind="pair", players=people[2:], name="The Willem V. duo")
    hand(table(event, people), 1, [4, 1, 2, 6], 3)
    penalize(event, duo.code, "1", "Ann B. waited, Willem V. and Wil van Dam were late")
    publish(event.pk, now=NOW)
    old = newest(event=event)
    new = NewNames({"RL04": "Player RL04"}, {"Wil van Dam": "Player RL04"})
    redacted = redact_publication(bytes(old.body), bytes(old.csv), new)
    assert redacted is not None
    rows = json.loads(redacted["body"])["rows"]
    pair = next(row for row in rows if row["player_id"] == duo.code)
    assert pair["player"] == "The Player RL04 duo"
    assert pair["ledger"][0]["reason"] == "Ann B. waited, Player RL04 and Player RL04 were late"
    assert {row["player"] for row in rows} == {"Ann B.", "=Zoë K.", "The Player RL04 duo"}


def test_two_people_of_one_name_are_both_meant() -> None:
    rows = [
        {"player_id": "A", "player": "Ann B.", "story": None},
        {"player_id": "B", "player": "Ann B.", "story": None},
        {"player_id": "C", "player": "Cleo", "story": "up 1: beat Ann B. (#1) on 2 May"},
    ]
    found = json.loads(redact_table(compact({"rows": rows}), NewNames({"A": "A"})))
    assert [row["player"] for row in found["rows"]] == ["A", "Ann B.", "Cleo"]
    assert found["rows"][2]["story"] == "up 1: beat A or Ann B. (#1) on 2 May"


CALLED = "Ella Moss 0170 1234567"


def _at_an_evening(op: Operation, cast: Cast) -> object:
    meeting = plan_meeting(op, league(cast.riverside), day=date(2025, 11, 13))
    return add_meeting_guest(op, meeting, name=CALLED)


def _renamed(op: Operation, cast: Cast) -> object:
    player = Player.objects.create(club=cast.riverside, player_id="RL01", name="Ella Moss")
    return change_player(op, player, name=CALLED)


@pytest.mark.parametrize(
    "operation",
    [
        lambda op, cast: add_player(op, cast.riverside, name=CALLED),
        lambda op, cast: add_guest(op, cast.riverside, name=CALLED),
        lambda op, cast: add_roster(
            op, cast.riverside, pasted=[PastedPlayer(1, "ella@example.org")], seen=""
        ),
        _at_an_evening,
        _renamed,
    ],
)
def test_contact_is_no_name(cast: Cast, operation: Callable[[Operation, Cast], object]) -> None:
    with pytest.raises(Refused, match="contact_in_name"):
        operation(cast.operation("olga"), cast)
    assert not Player.objects.filter(name__contains="0170").exists()
