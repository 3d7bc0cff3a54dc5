"""Refused acts on PostgreSQL: many at one moment are all counted, and nobody waits in a ring."""

from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.bulk_acts import Act, at_once, project
from tests.support.live.project import LiveProject
from tournaments.errors import Forbidden
from tournaments.models.audit import RefusedAct
from tournaments.services.audit.audit import count_refused_act
from tournaments.services.people.accounts import delete_account

__all__ = ["project"]

pytestmark = pytest.mark.pg
TIMES = short_or_long(5, 50)


def test_attempts_at_one_moment_are_all_counted(inside: Inside, project: LiveProject) -> None:
    with inside(project):
        cast = enter_the_cast()
    acts = ("manage_event", "manage_club")

    def attempt(order: int) -> None:
        for act in acts[::order] * TIMES:
            refusal, actor = Forbidden(act), cast.actor("nora")
            count_refused_act(actor=actor, club_slug="riverside", refusal=refusal, now=NOW)

    orders: list[Act] = [partial(attempt, order) for order in (1, -1, 1, -1)]
    assert at_once(inside, project, orders) == []
    with inside(project):
        rows = RefusedAct.objects.order_by("act").values_list("act", "times")
        assert list(rows) == [(act, 4 * TIMES) for act in sorted(acts)]


def test_account_that_is_deleted_meanwhile_leaves_no_reference(
    inside: Inside, project: LiveProject
) -> None:
    with inside(project):
        cast = enter_the_cast()
    nora = cast.actor("nora")

    def attempt() -> None:
        for act in ("manage_event", "manage_club", "penalize"):
            refusal = Forbidden(act)
            count_refused_act(actor=nora, club_slug="riverside", refusal=refusal, now=NOW)

    acts: list[Act] = [attempt, partial(delete_account, actor=nora, now=NOW)]
    assert at_once(inside, project, acts) == []
    with inside(project):
        assert not RefusedAct.objects.filter(user__isnull=False).exists()
