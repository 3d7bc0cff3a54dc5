"""Two workers write and send the mails to players without an account at one moment."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction

from tests.support.builders import by_tests, league, players
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tests.support.live.at_once import Within
from tournaments.models.access import PersonalLink
from tournaments.models.clubs import Club
from tournaments.models.jobs import Deadline, Outbox
from tournaments.services.attendance.own_attendance import run_evening_reminder
from tournaments.services.clubs.personal_links import make_personal_links, set_contact
from tournaments.services.notices.outbox import claim_mail
from tournaments.services.rounds.meetings import plan_meeting

pytestmark = pytest.mark.pg

OP = by_tests()
PEOPLE = 4


def remind(deadline: Deadline) -> None:
    with transaction.atomic():
        run_evening_reminder(deadline.event, deadline, NOW)


def claim() -> str:
    mail = claim_mail(now=NOW)
    return str(mail.pk) if mail is not None else ""


def test_each_person_is_written_to_once_with_one_link(within: Within) -> None:
    with within():
        event = league(enter_the_cast().riverside)
        for number, player in enumerate(players(event.club, "Ada A.", "Bo B.", "Cy C.", "Di D.")):
            set_contact(OP, player, email=f"p{number}@river.example", has_consent=True)
        plan_meeting(OP, event, day=NOW.date() + timedelta(days=4))
        deadline = Deadline.objects.select_related("event__club").get(kind="evening_reminder")
        club = Club.objects.get(pk=event.club_id)
    for _turn in range(short_or_long(2, 20)):
        both = [partial(remind, deadline)] * 2
        # The links of a director meet those of the mails.
        assert within.at_once(*both, partial(make_personal_links, OP, club)) == []
        with within():
            assert Outbox.objects.count() == PEOPLE
            assert PersonalLink.objects.filter(revoked_at=None).count() == PEOPLE
        claimed = [pk for _round in range(PEOPLE) for pk in within.together(claim, claim) if pk]
        assert len(claimed) == len(set(claimed)) == PEOPLE
        with within():
            Outbox.objects.all().delete()
            PersonalLink.objects.all().delete()
