"""Two last owners who delete their accounts at one moment on PostgreSQL: one of them stays."""

import pytest
from django.contrib.auth.models import User

from tests.live.conftest import Inside
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import Act, at_once, project
from tests.support.live.project import LiveProject
from tournaments.models.clubs import Membership
from tournaments.policy import Actor
from tournaments.services.people.accounts import delete_account

__all__ = ["project"]

pytestmark = pytest.mark.pg
TIMES = short_or_long(2, 6)


def test_of_two_owners_who_leave_at_one_moment_one_stays(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        club = enter_the_cast().riverside
    for at in range(TIMES):
        with inside(project):
            Membership.objects.filter(club=club, role="owner").delete()
            pair = [User.objects.create_user(f"owner-{at}-{one}") for one in (1, 2)]
            for user in pair:
                Membership.objects.create(club=club, user=user, role="owner")

        def leave(user: User) -> Act:
            def act() -> None:
                delete_account(actor=Actor("user", user_id=user.pk), now=NOW)

            return act

        refused = at_once(inside, project, [leave(user) for user in pair])
        with inside(project):
            owners = Membership.objects.filter(club=club, role="owner").count()
        assert (refused, owners) == (["owns_clubs_alone"], 1)
