"""Refused acts: a row for a club, an actor, an operation and an hour, never a fault."""

from datetime import timedelta

import pytest
from django.db import OperationalError, connection

from tests.support.cast import NOW, Cast
from tests.support.rest.requests import database_raises
from tournaments.errors import BeyondScope, ClubIsReadOnly, Forbidden, SecondFactorNeeded
from tournaments.models.audit import RefusedAct
from tournaments.models.clubs import Club
from tournaments.policy import Actor
from tournaments.selectors.audit import AuditFilter, list_refused_acts, made_by
from tournaments.services.audit.audit import (
    REFUSED_ACTS_KEPT,
    count_refused_act,
    delete_old_refused_acts,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def rows() -> list[tuple[str, str, int, int]]:
    """Actor, operation, hours since the hour of `NOW` and times of each row."""
    return [
        (row.actor, row.act, (row.hour - NOW) // timedelta(hours=1), row.times)
        for row in RefusedAct.objects.order_by("pk")
    ]


def count(actor: Actor, refusal: Forbidden, *, minutes: int = 0, club: str = "riverside") -> None:
    now = NOW + timedelta(minutes=minutes)
    count_refused_act(actor=actor, club_slug=club, refusal=refusal, now=now)


def test_attempts_of_an_hour_are_counted_in_one_row(cast: Cast) -> None:
    nora, piet = cast.actor("nora"), cast.actor("piet")
    for minutes in (0, 1, 59, 60):
        count(nora, Forbidden("manage_event"), minutes=minutes)
    count(nora, BeyondScope("enter_hand", "read"))
    count(piet, Forbidden("manage_event"))
    assert rows() == [
        (nora.label, "manage_event", 0, 3),
        (nora.label, "manage_event", 1, 1),
        (nora.label, "enter_hand", 0, 1),
        (piet.label, "manage_event", 0, 1),
    ]
    assert RefusedAct.objects.order_by("pk")[0].user_id == nora.user_id


def test_who_lacks_a_second_factor_and_who_closes_a_club_are_not_counted(cast: Cast) -> None:
    for refusal in (SecondFactorNeeded("manage_event"), ClubIsReadOnly("manage_event")):
        count(cast.actor("dirk"), refusal)
    count(cast.actor("dirk"), Forbidden("manage_event"), club="nowhere")
    assert rows() == []


def test_fault_of_the_database_changes_nothing_for_the_caller(cast: Cast) -> None:
    with database_raises(OperationalError, "disk I/O error"):
        count(cast.actor("nora"), Forbidden("manage_event"))
    assert rows() == []


def test_rows_are_deleted_after_ninety_days(cast: Cast) -> None:
    for minutes in (0, 60):
        count(cast.actor("nora"), Forbidden("manage_event"), minutes=minutes)
    delete_old_refused_acts(now=NOW + REFUSED_ACTS_KEPT + timedelta(minutes=1))
    assert [hour for _, _, hour, _ in rows()] == [1]


def test_older_release_deletes_accounts_and_clubs_beside_rows_it_does_not_know(cast: Cast) -> None:
    empty = Club.objects.create(slug="empty", name="Empty", created_at=NOW)
    for club in (empty.slug, "riverside"):
        count(cast.actor("hanna"), Forbidden("manage_event"), club=club)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tournaments_club WHERE id = %s", [empty.pk])
        cursor.execute("DELETE FROM tournaments_membership")
        cursor.execute("DELETE FROM auth_user WHERE id = %s", [cast.users["hanna"].pk])
    connection.check_constraints()
    row = list_refused_acts(cast.riverside, AuditFilter()).get()
    assert made_by(row) == cast.actor("hanna").label
