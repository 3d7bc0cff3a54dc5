"""Commands that publish, print standings and verify the audit trail."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast, enter_the_cast
from tournaments.models.audit import AuditHead, AuditLine
from tournaments.models.events import Event
from tournaments.models.jobs import Dirty
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


def test_publish_prints_the_number_or_as_json_version_time_and_digest_too(event: Event) -> None:
    assert said("publish", *TARGET) == "1\n"
    row = Dirty.objects.get(scope__startswith="event:")
    assert row.done == row.version
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


def broken(*args: str) -> tuple[int, str]:
    out = io.StringIO()
    with pytest.raises(CommandError) as fault:
        call_command("verify_audit", *args, stdout=out)
    return fault.value.returncode, out.getvalue()


@pytest.fixture
def trail(cast: Cast) -> Cast:
    players(cast.riverside, "Ada", "Ben", "Cleo")
    return cast


def lines_of(trail: Cast) -> list[AuditLine]:
    return list(AuditLine.objects.filter(club=trail.riverside).order_by("number"))


def test_sound_chains(trail: Cast) -> None:
    assert said("verify_audit") == "hilltop: 1 line, unbroken.\nriverside: 4 lines, unbroken.\n"
    assert said("verify_audit", "--club", "riverside") == "riverside: 4 lines, unbroken.\n"


def test_changed_line_is_named(trail: Cast) -> None:
    AuditLine.objects.filter(pk=lines_of(trail)[1].pk).update(facts={"changed": 1})
    assert broken() == (
        1,
        "hilltop: 1 line, unbroken.\n"
        "riverside: line 2 was changed: it does not match its digest.\n",
    )


def test_missing_line_is_named(trail: Cast) -> None:
    lines_of(trail)[2].delete()
    assert broken("--club", "riverside") == (1, "riverside: line 3 is missing.\n")


def test_lines_cut_off_at_the_end_and_a_head_that_was_written_over_are_seen(trail: Cast) -> None:
    lines_of(trail)[3].delete()
    says = "riverside: the end was changed: the head is at line 4, the last line is 3.\n"
    assert broken("--club", "riverside") == (1, says)
    AuditHead.objects.filter(club=trail.riverside).update(digest="0" * 64)
    assert broken("--club", "riverside")[0] == 1


def test_unknown_club(trail: Cast) -> None:
    assert refusal("verify_audit", "--club", "nowhere")[0] == 2
