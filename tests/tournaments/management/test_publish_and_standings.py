"""The commands `publish` and `standings`: now, in this process; and the stored bytes."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.support.builders import hand, league, players, table
from tests.support.cast import enter_the_cast
from tournaments.models.events import Event
from tournaments.models.outbox import Dirty
from tournaments.models.standings import Publication

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TARGET = ("--club", "riverside", "--event", "league")


@pytest.fixture
def event() -> Event:
    riverside = enter_the_cast().riverside
    made = league(riverside)
    game = table(made, players(riverside, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    return made


def said(*command: str) -> str:
    out = io.StringIO()
    call_command(*command, stdout=out)
    return out.getvalue()


def refusal(*command: str) -> tuple[int, str]:
    with pytest.raises(CommandError) as refused:
        said(*command)
    return refused.value.returncode, str(refused.value)


def test_publish_prints_the_number_and_leaves_nothing_behind(event: Event) -> None:
    assert said("publish", *TARGET) == "1\n"
    row = Dirty.objects.get(scope__startswith="event:")
    assert row.done == row.version


def test_publish_without_a_change_prints_the_same_number(event: Event) -> None:
    assert (said("publish", *TARGET), said("publish", *TARGET)) == ("1\n", "1\n")
    assert Publication.objects.count() == 1


def test_publish_as_json_says_number_version_time_and_digest(event: Event) -> None:
    head = json.loads(said("publish", *TARGET, "--json"))
    publication = Publication.objects.get()
    assert (head["number"], head["version"]) == (1, publication.version)
    assert head["digest"] == publication.digest
    assert list(head) == ["number", "version", "published_at", "digest"]


def test_standings_without_a_form_are_a_table_for_people(event: Event) -> None:
    said("publish", *TARGET)
    assert said("standings", *TARGET) == (
        "#  Id    Player    T  H  Pts      Avg  1st  1=  2nd  3rd  4th  M\n"
        "1  RL02  Ilse K.   1  1    1   1.0000    1   0    0    0    0  0\n"
        "2  RL03  Leo K.    1  1    2   2.0000    0   0    1    0    0  0\n"
        "3  RL01  Elsa D.   1  1    4   4.0000    0   0    0    1    0  0\n"
        "4  RL04  Anton S.  1  1   19  19.0000    0   0    0    0    1  0\n"
    )


def test_standings_as_csv_and_json_are_the_stored_bytes(event: Event) -> None:
    said("publish", *TARGET)
    publication = Publication.objects.get()
    assert said("standings", *TARGET, "--csv").encode() == bytes(publication.csv)
    assert said("standings", *TARGET, "--json").encode() == bytes(publication.body)


def test_standings_of_what_is_not_published_are_refused(event: Event) -> None:
    assert refusal("standings", *TARGET) == (2, "This event has no published standings yet.")


@pytest.mark.parametrize("name", ["publish", "standings"])
@pytest.mark.parametrize(
    ("club", "slug", "say"),
    [
        ("riverside", "cup", "There is no event with that name here. (cup)"),
        ("hilltop", "league", "There is no event with that name here. (league)"),
        ("lakeside", "league", "There is no club with that name here. (lakeside)"),
    ],
)
def test_unknown_club_or_event_is_refused_by_name_and_nothing_is_published(
    event: Event, name: str, club: str, slug: str, say: str
) -> None:
    assert refusal(name, "--club", club, "--event", slug) == (2, say)
    assert Publication.objects.count() == 0
