"""Acts that were refused for want of a right, counted by club, actor, act and hour.

They are written once the answer is known, when all that the act wrote is rolled back. So the rows
are no part of the chained trail, and nobody who is refused makes a club's lines.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import Error

from tournaments.errors import Forbidden
from tournaments.models.audit import RefusedAct
from tournaments.models.clubs import Club
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import holder_of, link_in_cookie
from tournaments.services.db.bulk import insert_few, prepared

OF_NOTE: Final = frozenset({"forbidden", "beyond_scope"})
"""Codes that are counted: another role, or a token that is not made for the act."""
KEPT: Final = timedelta(days=90)

_TABLE: Final = RefusedAct._meta.db_table
_ONE_MORE: Final = (
    f"ON CONFLICT (club_id, actor, act, hour) DO UPDATE SET times = {_TABLE}.times + 1"
)
log = structlog.get_logger(__name__)


def count_refused_act(*, actor: Actor, club_slug: str, refusal: Forbidden, now: datetime) -> None:
    """Count an act that somebody may not do in a club; never fails."""
    if refusal.problem.code not in OF_NOTE:
        return
    with _faults_are_logged():
        club_id = Club.objects.filter(slug=club_slug).values_list("pk", flat=True).first()
        if club_id is not None:
            _add(club_id, actor, str(refusal.problem.facts["act"]), now)


def count_refused_link(*, cookie: str, act: str, now: datetime) -> None:
    """Count an act of a link's holder away from the table of the link; never fails."""
    with _faults_are_logged():
        link, name = link_in_cookie(cookie, now)
        if link is not None:
            _add(link.club_id, holder_of(link, name), act, now)


def delete_old_refused_acts(*, now: datetime) -> None:
    """Delete what was counted before `KEPT`."""
    RefusedAct.objects.filter(hour__lt=now - KEPT).delete()


def _add(club_id: int, actor: Actor, act: str, now: datetime) -> None:
    """Add one to a row, with one statement: two at once wait for each other and lose nothing."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    row = RefusedAct(club_id=club_id, user_id=actor.user_id, actor=actor.label, act=act, hour=hour)
    columns, values = prepared(row, without=("id",))
    insert_few(_TABLE, columns, [values], otherwise=_ONE_MORE)


@contextmanager
def _faults_are_logged() -> Iterator[None]:
    """Log a fault of the database: the caller's answer stays as it is."""
    try:
        yield
    except Error as fault:
        log.warning("refused_act_not_counted", fault=str(fault))
