"""The first account at one moment on PostgreSQL: two visitors, with one link or two, make one."""

import pytest
from django.contrib.auth.models import User

from tests.live.conftest import Inside
from tests.support.cast import NOW
from tests.support.lengths import only_long, short_or_long
from tests.support.live.bulk_acts import Act, at_once, project
from tests.support.live.project import LiveProject
from tournaments.errors import Conflict, Missing
from tournaments.models.access import SetupLink
from tournaments.selectors.access.tokens import find_setup_link_by_token
from tournaments.services.access.table_links import LASTS, make_setup_link, use_setup_link

__all__ = ["project"]

pytestmark = pytest.mark.pg
TIMES = short_or_long(2, 6)


def visit(link: SetupLink, name: str) -> Act:
    def act() -> None:
        try:
            use_setup_link(link=link, make_account=lambda: User.objects.create(username=name),
                           now=NOW)  # fmt: skip
        except Missing as late:
            raise Conflict(late.problem) from late

    return act


@pytest.mark.parametrize("has_two_links", [only_long(False), True], ids=["one-link", "two-links"])
def test_two_visitors_make_one_account(
    inside: Inside, project: LiveProject, has_two_links: bool
) -> None:
    for _time in range(TIMES):
        with inside(project):
            User.objects.all().delete()
            SetupLink.objects.all().delete()
            link = find_setup_link_by_token(make_setup_link(now=NOW), NOW)
            assert link is not None
            other = link
            if has_two_links:  # as two commands at one moment leave them
                other = SetupLink.objects.create(
                    token_digest="0" * 64, created_at=NOW, expires_at=NOW + LASTS
                )
        refused = at_once(inside, project, [visit(link, "olga"), visit(other, "eve")])
        with inside(project):
            made = User.objects.filter(is_superuser=True).count()
        assert (refused, made) == (["unknown_setup_link"], 1)
