"""The mail that tells a member something, with the link that stops its kind."""

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.domain.people.notification_kinds import KIND_OF
from tournaments.mail.message import MailText
from tournaments.models.clubs import Club
from tournaments.models.outbox import Outbox
from tournaments.presenters.notices.notice_text import notice_text
from tournaments.selectors.notices.choices import channels_of_members
from tournaments.selectors.notices.unsubscribe import unsubscribe_token


def notification_text(mail: Outbox, club: Club, reader: User) -> MailText | None:
    """Return what a mail tells a member; None where they want it no more, or it is over."""
    kind = KIND_OF[mail.kind]
    chosen = channels_of_members(club, [reader.pk], kind).get(reader.pk)
    text = notice_text(mail.kind, mail.payload["facts"], reader, now=mail.due_at)
    if chosen is None or not chosen.by_mail or text is None:
        return None
    token = unsubscribe_token(club_id=club.pk, user_id=reader.pk, kind=kind)
    stops = reverse("tournaments:unsubscribe", args=(token,))
    return MailText(
        subject=text.title,
        paragraphs=text.paragraphs,
        rows=text.rows,
        link=text.link,
        url=f"{settings.SITE_URL}{text.mail_path or text.path}",
        club=club.name,
        footer=_("You get this mail as a member of %s.") % club.name,
        unsubscribe_url=f"{settings.SITE_URL}{stops}",
    )
