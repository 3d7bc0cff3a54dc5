"""What a release before this one leaves out is completed: public names, and deadlines."""

from datetime import timedelta

import pytest
from django.db import connection

from tests.support.builders import by_tests, league, players
from tests.support.cast import NOW, Cast
from tournaments.models.clubs import Club, Player
from tournaments.models.jobs import Deadline
from tournaments.services.clubs.names import (
    complete_names,
    retry_unknown_deadlines,
    set_names_policy,
)
from tournaments.services.jobs.enqueue import set_deadline
from tournaments.tasks import UNKNOWN_KIND_WAITS, run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def add_as_0_2_0(club: Club, player_id: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tournaments_player (club_id, player_id, name) VALUES (%s, %s, %s)",
            [club.pk, player_id, name],
        )


def names(club: Club) -> dict[str, str]:
    return dict(Player.objects.filter(club=club).values_list("player_id", "public_name"))


def test_player_of_the_older_release_gets_the_name_that_the_club_shows(cast: Cast) -> None:
    club = cast.riverside
    set_names_policy(by_tests(), club, policy="initial")
    add_as_0_2_0(club, "RL01", "Xenia Sommer")
    add_as_0_2_0(cast.hilltop, "H1", "Yara Quint")
    assert (names(club), names(cast.hilltop)) == ({"RL01": "…"}, {"H1": "…"})
    complete_names(everybody=False, now=NOW)
    assert (names(club), names(cast.hilltop)) == ({"RL01": "Xenia S."}, {"H1": "Yara Quint"})


def test_renamed_player_is_found_when_everybody_is_compared(cast: Cast) -> None:
    players(cast.riverside, "Xenia S.", "Yara Q.")
    Player.objects.filter(name="Xenia S.").update(name="Xenia Sommer")  # as 0.2.0 does
    complete_names(everybody=False, now=NOW)
    assert names(cast.riverside) == {"RL01": "Xenia S.", "RL02": "Yara Q."}
    complete_names(everybody=True, now=NOW)
    assert names(cast.riverside) == {"RL01": "Xenia Sommer", "RL02": "Yara Q."}


def test_nothing_is_written_where_all_is_complete(cast: Cast) -> None:
    players(cast.riverside, "Xenia S.")
    before = Club.objects.get(pk=cast.riverside.pk).names_version
    complete_names(everybody=True, now=NOW)
    assert Club.objects.get(pk=cast.riverside.pk).names_version == before


@pytest.mark.parametrize(
    ("error", "is_parked"),
    [("KeyError: 'digest'", False), ("KeyError: 'player'", True), ("ValueError: digest", True)],
)
def test_only_a_deadline_of_unknown_kind_returns(cast: Cast, error: str, is_parked: bool) -> None:
    set_deadline(league(cast.riverside), "digest", NOW, key="1")
    rows = Deadline.objects.filter(kind="digest")
    rows.update(parked=True, attempts=3, error=error)
    retry_unknown_deadlines()
    assert rows.get().parked == is_parked


def test_deadline_of_a_later_release_is_left_to_it(cast: Cast) -> None:
    set_deadline(league(cast.riverside), "of_tomorrow", NOW)
    row = Deadline.objects.get(kind="of_tomorrow")
    now = NOW + timedelta(minutes=1)
    assert run_deadline_job(row.pk, now=now) is False
    row.refresh_from_db()
    assert (row.done_at, row.parked, row.due_at) == (None, False, now + UNKNOWN_KIND_WAITS)
