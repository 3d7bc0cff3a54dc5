"""The private calendar of an account: its link, and whose it is."""

from django.contrib.auth.models import User

from tournaments.models.calendars import CalendarLink
from tournaments.policy import Actor
from tournaments.selectors.access.tokens import digest_of
from tournaments.selectors.clubs.clubs import actor_of


def calendar_link_of(actor: Actor) -> CalendarLink | None:
    """Return the calendar link of the account that asks; None where it has none."""
    return CalendarLink.objects.filter(user=actor.user_id or 0).first()


def reader_of_calendar(token: str) -> Actor | None:
    """Return whose calendar a token opens; None where it opens none; one query."""
    links = CalendarLink.objects.filter(digest=digest_of(token), user__is_active=True)
    user = User.objects.filter(pk__in=links.values("user")).first()
    return actor_of(user) if user is not None else None
