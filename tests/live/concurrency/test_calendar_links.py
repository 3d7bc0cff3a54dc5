"""Calendar links on PostgreSQL: two made at one moment, and one made while its account goes."""

from contextlib import suppress

import pytest
from django.contrib.auth.models import User

from tests.live.conftest import Inside
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import Act, at_once, project
from tests.support.live.project import LiveProject
from tournaments.errors import Forbidden
from tournaments.models.access import CalendarLink
from tournaments.models.clubs import Membership
from tournaments.policy import Actor
from tournaments.selectors.access.tokens import find_reader_of_calendar
from tournaments.services.access.tokens import make_calendar_link
from tournaments.services.people.accounts import delete_account

__all__ = ["project"]

pytestmark = pytest.mark.pg
TIMES = short_or_long(2, 6)


def test_of_two_links_made_at_one_moment_one_works(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        user = enter_the_cast().users["piet"]
    for _ in range(TIMES):
        made: list[str] = []

        def make(made: list[str] = made) -> None:
            made.append(make_calendar_link(actor=Actor("user", user_id=user.pk), now=NOW))

        assert at_once(inside, project, [make, make]) == []
        with inside(project):
            assert CalendarLink.objects.filter(user=user).count() == 1
            assert sum(find_reader_of_calendar(token) is not None for token in made) == 1


def test_link_made_while_its_account_is_deleted_leaves_nothing(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        club = enter_the_cast().riverside
    for at in range(TIMES):
        with inside(project):
            user = User.objects.create_user(f"guest-{at}")
            Membership.objects.create(club=club, user=user, role="player")
        actor = Actor("user", user_id=user.pk)

        def make(actor: Actor = actor) -> None:
            with suppress(Forbidden):  # the account was gone before
                make_calendar_link(actor=actor, now=NOW)

        def leave(actor: Actor = actor) -> None:
            delete_account(actor=actor, now=NOW)

        acts: list[Act] = [make, leave]
        assert at_once(inside, project, acts) == []
        with inside(project):
            assert not User.objects.filter(pk=user.pk).exists()
            assert not CalendarLink.objects.filter(user_id=user.pk).exists()
